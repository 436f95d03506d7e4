/* The end of a run, driven by the core whatever the script did: verify what was sent, release what is held, lease
 * before reservation, one attempt each, then the last record (SPEC I5, I6, I7). */
#ifndef IL_RUN_CLOSE_H
#define IL_RUN_CLOSE_H

#include "run/engine.h"

/* One step of closing; begins at most one request. */
void il__close_next(struct il_run *run);
/* The core's own verification was answered (the workflow's goes through its step). */
void il__close_verified(struct il_run *run, const struct il__answer_in *answer);

/* A lease or reservation that arrived late is given back, also after the end. */
void il__close_late(struct il_run *run, bool lease);

/* Parses and journals what the port's verify returned; computes and journals the outcome from what the run holds. */
enum il_code il__evidence_take(struct il_run *run, struct il_str body, struct il_error *err) IL_MUST_USE;
void il__outcome_take(struct il_run *run);

#endif
