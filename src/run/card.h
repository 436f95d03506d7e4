/* The card: what a person is asked to approve, as plain text made by the core from what execute will send (SPEC §6).
 * Control, bidi and invisible characters are visible; long values are cut with length and digest. Deterministic: it can
 * be rebuilt byte for byte. */
#ifndef IL_RUN_CARD_H
#define IL_RUN_CARD_H

#include "base/limits.h"
#include "run/engine.h"

/* What the buffer of a card may take while it is made: a value is given room for its longest escape before it is
 * written, and what was not needed is given back. */
enum { IL__CARD_ROOM = IL__LIMIT_CARD_BYTES + 8 * IL__LIMIT_CARD_VALUE_BYTES + 8 };

/* Builds run->card and run->card_digest for the wait that is being opened (run->wait is filled). */
enum il_code il__card_build(struct il_run *run, struct il_error *err) IL_MUST_USE;

#endif
