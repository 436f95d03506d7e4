/* How the command talks: colour and marks only on a terminal, wrapping to its width, one-line errors.
 * Data goes to `out`, talk to `err`. Uses the environment (NO_COLOR, TERM, COLUMNS, LC_ALL, LC_CTYPE, LANG) and no
 * locale. Must never print foreign text unescaped: callers hand escaped text, or use the _escaped forms. */
#ifndef IL_CLI_OUTPUT_H
#define IL_CLI_OUTPUT_H

#include "cli/text.h"

#include <stdio.h>

enum il__tone { IL__TONE_PLAIN, IL__TONE_GOOD, IL__TONE_BAD, IL__TONE_OPEN, IL__TONE_DIM, IL__TONE_BOLD };
enum il__mark { IL__MARK_OK, IL__MARK_BAD, IL__MARK_OPEN, IL__MARK_NONE };

struct il__out {
    FILE *file;
    bool tty, colour, unicode;
    int width;      /* columns to wrap at, 20..200 */
    int lost;       /* errno of the first write that failed; 0: none */
};

struct il__io {
    struct il__out out, err;
    const char *command; /* its name, for errors; "" before one is known */
    bool stdin_taken;
};

void il__out_init(struct il__out *out, FILE *file);
void il__out_write(struct il__out *out, struct il_str s);
void il__out_puts(struct il__out *out, const char *z);
/* A text that was built; when it could not be built, that is remembered as lost output. */
void il__out_text(struct il__out *out, const struct il__text *text);
void il__out_tone(struct il__out *out, enum il__tone tone, struct il_str s);
/* `lead` as it stands, then `s` wrapped to the width with later lines indented by `hang` columns; ends the line.
 * Line feeds in `s` begin a new line at `hang`. Where less than 16 columns would be left, nothing is indented. */
void il__out_wrap(struct il__out *out, const char *lead, int hang, enum il__tone tone, struct il_str s);
/* Text as lines, unwrapped, each behind `lead`. */
void il__out_lines(struct il__out *out, const char *lead, struct il_str s);
/* The mark that starts a line, with its tone: "ok", "!!", ".."; other signs on a terminal that knows UTF-8. */
const char *il__out_mark(const struct il__out *out, enum il__mark mark, enum il__tone *tone);
/* "name           value", wrapped; for result blocks. `value` is escaped here. */
void il__out_pair(struct il__out *out, const char *name, enum il__tone tone, struct il_str value);

/* Columns that a text takes on a terminal. */
int il__out_columns(struct il_str s);

/* "interlock COMMAND: ...", one line on stderr. The text is escaped as a whole. */
void il__io_error(struct il__io *io, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A line on stderr, in words, without the prefix. */
void il__io_note(struct il__io *io, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Flushes; `status`, or 8 when it is 0 and output was lost. A reader that went away is no failure. */
int il__io_close(struct il__io *io, int status);

#endif
