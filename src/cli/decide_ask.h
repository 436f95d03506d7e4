/* The question behind an approval on a terminal: the card, and the start of its digest, typed. */
#ifndef IL_CLI_DECIDE_ASK_H
#define IL_CLI_DECIDE_ASK_H

#include "cli/command.h"

/* Shows what waits and reads the digest. 0: it was typed, or nobody is asked (no terminal, --no-input); 4: nothing was
 * decided. */
int il__decide_ask(struct il__io *io, const struct il__args *args, struct il_str doc);

#endif
