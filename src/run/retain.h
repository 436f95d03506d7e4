/* The retained preview and who may act on it: the checks that repeat before every request (SPEC §3, I11). */
#ifndef IL_RUN_RETAIN_H
#define IL_RUN_RETAIN_H

#include "run/engine.h"

/* Envelope freshness and echo (SPEC §3, first two rows). */
enum il_code il__retain_check(struct il_run *run, struct il_error *err) IL_MUST_USE;
/* SHA-256 of the envelope's canonical text, unknown members included. */
enum il_code il__retain_digest(struct il_run *run, char hex[IL__SHA256_HEX], struct il_error *err) IL_MUST_USE;
/* Exactly one entry, and the envelope still the accepted one; then the checks of §3 again, and both its deadlines. */
enum il_code il__retain_recheck(struct il_run *run, struct il_error *err) IL_MUST_USE;
/* Principal, tenant, scope of the run's mode, and its end (SPEC §8). */
enum il_code il__retain_identity(struct il_run *run, struct il_error *err) IL_MUST_USE;
/* The end of the identity, on both clocks, `margin_ms` ahead; an identity without one passes. */
enum il_code il__retain_identity_time(const struct il_run *run, int64_t margin_ms, struct il__now now,
                                      struct il_error *err) IL_MUST_USE;
/* The kill switch of the host is off. */
enum il_code il__retain_switch(const struct il__engine *e, struct il_error *err) IL_MUST_USE;
/* No stop of the session or of the host, and the kill switch off. */
enum il_code il__retain_latch(const struct il_run *run, struct il_error *err) IL_MUST_USE;

#endif
