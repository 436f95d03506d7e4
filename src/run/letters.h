/* What other processes left for the owner of a run: answers, decisions, cancels (SPEC §10: only the owner journals).
 * Each is taken once, in order, through the same door as a call of this process. */
#ifndef IL_RUN_LETTERS_H
#define IL_RUN_LETTERS_H

#include "run/engine.h"

/* Takes every letter that lies there for the run. */
void il__letters_take(struct il_run *run);
/* The same for all runs, when another process has written to the store since the last look. */
void il__letters_poll(struct il__engine *e);
/* Refuses when a deny or a cancel lies there unread (SPEC I2 c). */
enum il_code il__letters_deny(const struct il_run *run, struct il_error *err) IL_MUST_USE;

#endif
