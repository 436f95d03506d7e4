/* What a run holds at the runtime: noting it, checking it again, giving it back. */
#ifndef IL_RUN_HOLD_H
#define IL_RUN_HOLD_H

#include "run/engine.h"

/* Reads as much of a returned object as its release needs, however broken it is. `may_be_foreign`: an object that names
 * another session or principal is reported and never released. */
void il__held_note(struct il_run *run, struct il__held *held, struct il_str body, const char *id_member,
                   bool may_be_foreign);
/* SPEC §3 again, at the time of now. */
enum il_code il__hold_recheck_reservation(struct il_run *run, struct il_error *err) IL_MUST_USE;
enum il_code il__hold_recheck_lease(struct il_run *run, struct il_error *err) IL_MUST_USE;
/* The answer to a release: "not active any more" counts as released; a failure is kept as the cleanup error (I7). */
void il__released(struct il_run *run, bool lease, const struct il__answer_in *answer);
/* Nobody gave up the lease in time. */
void il__line_expire(struct il_run *run);

/* What the journal says was returned, and what of it was bound. */
void il__held_restore(struct il_run *run, bool lease, struct il_str id, bool held, bool foreign);
enum il_code il__hold_restore(struct il_run *run, bool lease, struct il_str body, int64_t ttl_ms,
                              struct il__now arrived, const char *boot_id, struct il_error *err) IL_MUST_USE;

#endif
