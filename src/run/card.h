/* The card: what a person is asked to approve, as plain text made by the core from what execute will send (SPEC §6).
 * Control, bidi and invisible characters are visible; long values are cut with length and digest. Deterministic: it can
 * be rebuilt byte for byte. */
#ifndef IL_RUN_CARD_H
#define IL_RUN_CARD_H

#include "run/engine.h"

/* Builds run->card and run->card_digest for the wait that is being opened (run->wait is filled). */
enum il_code il__card_build(struct il_run *run, struct il_error *err) IL_MUST_USE;

#endif
