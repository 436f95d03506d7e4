/* The list of what waits, kept on the screen, and the words it shares with the list that is printed once.
 * Uses pending_rows. Must never leave the terminal other than it found it. */
#ifndef IL_CLI_PENDING_WATCH_H
#define IL_CLI_PENDING_WATCH_H

#include "cli/pending_rows.h"

/* "write_clipboard  background  for ada", escaped. */
void il__pending_title(struct il__text *text, const struct il_store_row *row);
/* "in 4m 12s", "expired 3m ago: resume ends it", "stands still: its process ended", "answered: ...". */
void il__pending_time(struct il__text *text, const struct il_store_row *row, int64_t now_ms);
enum il__tone il__pending_tone(const struct il_store_row *row, int64_t now_ms);
/* "3 runs wait; 1 stands still". */
void il__pending_count(struct il__text *text, const struct il__pending *pending);

/* Until q, Ctrl-C or the end of the reader. The exit status. */
int il__pending_watch(struct il__io *io, const struct il__args *args, il_store *store);

#endif
