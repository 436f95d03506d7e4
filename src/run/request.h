/* The bodies of requests to the runtime: built here from an allow-list, from what the core holds, never from what a
 * script or the proposal could slip in. lua/README.md documents the members. */
#ifndef IL_RUN_REQUEST_H
#define IL_RUN_REQUEST_H

#include "run/engine.h"

/* The request of the action itself: exactly what preview and execute send (less lease, grant, attempt). Its canonical
 * digest is the proposalDigest. */
void il__request_action(const struct il_run *run, struct il__json_writer *w);
/* SHA-256 (bare hex) of its canonical text. */
enum il_code il__request_digest(struct il_run *run, char hex[IL__SHA256_HEX], struct il_error *err) IL_MUST_USE;

/* Writes the body of `op` for `run` into the engine's buffer `e->body`. */
enum il_code il__request_body(struct il_run *run, enum il_op op, struct il_error *err) IL_MUST_USE;
/* Bodies of pause, stop and emergency stop. */
enum il_code il__request_control(struct il__engine *e, struct il_str session_id, struct il_str reason,
                                 struct il_error *err) IL_MUST_USE;

#endif
