/* Waiting for people (SPEC §6): opens the request, takes answers and decisions, says whether every need is met. Uses
 * check/approve.h for every judgement. Scripts have no way in here. */
#ifndef IL_RUN_APPROVAL_H
#define IL_RUN_APPROVAL_H

#include "run/engine.h"

/* Every need present is met: the runtime's by its answer, the host's by decisions, each of its own request. */
bool il__needs_met(const struct il_run *run);
/* There is any need at all (met or not). */
bool il__needs_any(const struct il_run *run);
/* Suspends the run at a request of its own. */
enum il_code il__wait_open(struct il_run *run, bool propose, struct il_error *err) IL_MUST_USE;
/* The request's time is over: the run ends `expired`. */
void il__wait_expire(struct il_run *run);
/* May a grant be asked for with these digests? The request of `answer` is open, they are what it is about, and the
 * runtime's need is not met yet. Refused as the answer itself would be. */
enum il_code il__approval_may_ask(struct il_run *run, const struct il__answer *answer,
                                  struct il_error *err) IL_MUST_USE;
/* The run still waits at this request for the runtime's need. */
bool il__approval_awaits(const struct il_run *run, struct il_str request_id);
/* For decide.c: what the open (or last) request is about. */
struct il__wait_facts il__wait_facts(const struct il_run *run);
/* Is a request open now? Ends the run when its time is over; what came is then recorded as late, with `payload`. */
enum il_code il__wait_open_now(struct il_run *run, struct il_str payload, const char *what,
                               struct il_error *err) IL_MUST_USE;
/* A deny counts until the send begins, also for a request that was consumed. `decision`: enum il__decision. */
bool il__wait_still_denies(const struct il_run *run, struct il_str request_id, int decision);
/* One that came after the send was begun, and before a receipt: recorded as late, it holds back what has not left. */
bool il__wait_denies_late(const struct il_run *run, struct il_str request_id, int decision);
enum il_code il__vote_late_deny(struct il_run *run, struct il_str payload, struct il_error *err) IL_MUST_USE;
/* Journals a vote and tells it; `payload` is its signed document, or absent. */
enum il_code il__vote_note(struct il_run *run, const struct il__vote *vote, struct il_str payload,
                           struct il_error *err) IL_MUST_USE;
/* A vote that may count: kept, and acted on. A deny ends the run also when it could not be kept. */
enum il_code il__vote_cast(struct il_run *run, struct il__vote vote, struct il_str payload,
                           struct il_error *err) IL_MUST_USE;
/* Flushes what a run has taken that waits on all the same. */
enum il_code il__wait_kept(struct il_run *run, struct il_error *err) IL_MUST_USE;
/* The one approver of a host that knows none. */
#define IL__LOCAL_OPERATOR { "local operator", 14 }
/* At execute: the same answer and decisions, unchanged, still meet the same needs; a grant has not expired. */
enum il_code il__approval_recheck(struct il_run *run, struct il__now now, struct il_error *err) IL_MUST_USE;

/* From the journal: an open request with the card that was shown; what met the runtime need; a decision, whose author's
 * roles are those of now, and whose signature (`payload`) is checked again with the key of now. */
enum il_code il__wait_restore(struct il_run *run, bool propose, struct il_str request, struct il_str expires_at,
                              struct il_str card, struct il__now then, const char *boot_id,
                              struct il_error *err) IL_MUST_USE;
enum il_code il__answer_restore(struct il_run *run, struct il_str json, struct il__now then, const char *boot_id,
                                struct il_error *err) IL_MUST_USE;
enum il_code il__vote_restore(struct il_run *run, struct il__vote vote, struct il_str payload, struct il__now then,
                              const char *boot_id, struct il_error *err) IL_MUST_USE;
/* Other bundles judge: all decisions and the runtime's approval are void, all needs are asked for again. */
void il__approval_void(struct il_run *run);
/* Approvals whose time is over do not count any more. */
void il__approval_expire(struct il_run *run, struct il__now now);
/* Ends the run when a deny is among its decisions. */
bool il__approval_denied(struct il_run *run);

#endif
