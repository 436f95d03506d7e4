/* Asks the host's policies and rules on what they said (SPEC §5, I12): needs are added, a deny blocks the run; nothing
 * is ever taken back. Uses the policy port and check/verdict.h. */
#ifndef IL_RUN_JUDGE_H
#define IL_RUN_JUDGE_H

#include "run/engine.h"

/* What policies are asked about in a phase of a run; valid as long as the run stays as it is. */
void il__scene_of_run(const struct il_run *run, enum il__phase phase, const struct il__vote *vote,
                      struct il__scene *out);
/* One phase over all policies, none of which is asked while the kill switch is on (IL_CANCELLED); what is only judged
 * again, on resume, waits on. IL_OK: nobody denies (needs may have been added). IL_POLICY_DENIED or IL_POLICY_ERROR:
 * `err` names the policy and its reason. Other codes: not all could be asked; treat as a deny. `vote` is set in the
 * approve phase only. */
enum il_code il__judge(struct il_run *run, enum il__phase phase, const struct il__vote *vote,
                       struct il_error *err) IL_MUST_USE;
/* Did a decision of this run override what that policy denies with that code? */
bool il__judge_overrode(const struct il_run *run, struct il_str policy, struct il_str code);
/* Notes that the last unit of a limit was taken by another run, as a deny of the policy that claimed one. */
enum il_code il__judge_refuse(struct il_run *run, const struct il__counted *counted, struct il_error *err);
/* Notes what one policy said; `kind` is "verdict", or "trial": then nobody is told. */
enum il_code il__judge_note(struct il_run *run, const char *kind, const struct il__scene *scene,
                            const struct il__said *said, const struct il__ruled *ruled,
                            struct il_error *err) IL_MUST_USE;
/* The shortest time-out among the needs from `first` on, 0: none asked for one. */
int64_t il__needs_timeout_ms(const struct il_run *run, size_t first);

/* Rules again on what the journal holds of a phase. */
enum il_code il__judge_restore(struct il_run *run, enum il__phase phase, const struct il__said *said,
                               struct il_error *err) IL_MUST_USE;
/* Notes who judges the run now. */
void il__run_keep_policies(struct il_run *run);
/* The host policy digest of those who judge it; absent without bundles. */
struct il_str il__run_policies(const struct il_run *run);

#endif
