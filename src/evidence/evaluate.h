/* The evaluator (SPEC §9): what a session did, from its events, held against the tools that were expected. Uses the
 * contract of session events and trajectory.h. Reads and judges; it never asks anybody, and its verdict is a value. */
#ifndef IL_EVIDENCE_EVALUATE_H
#define IL_EVIDENCE_EVALUATE_H

#include "base/buf.h"

/* `events`: a JSON array of session events, or an object with such an array as `events` (a server's page) or as
 * `answer.events` (what `interlock session events` prints).
 * `trajectory`: a JSON array of closed {tool, arguments?}. On IL_OK `*passed` is the verdict, and `out` has gained the
 * result: {passed, trajectoryScore, expected, seen, matched, mutations, commits, observations, violations [text],
 * findings [{violation, eventId, sequence}]}.
 * Refused: `decode` (the place in `field`), `limit_exceeded` (evaluated_events, trajectory_steps,
 * trajectory_arguments), out_of_memory; then `out` holds what it held. */
enum il_code il__evaluate(struct il__mem *mem, struct il_str events, struct il_str trajectory, bool *passed,
                          struct il__buf *out, struct il_error *err) IL_MUST_USE;

#endif
