/* Canonical JSON: RFC 8785 (members sorted by UTF-16 code units, ECMAScript numbers, shortest escapes). Integers beyond
 * +-(2^53-1), and values with escaped NUL or lone surrogates outside well-formed text, have no canonical text and are
 * refused (IL_DECODE, the place in `field`), and so is a double whose text would be such an integer (1e20): canonical
 * text is always its own canonical text. -0 is "0". On failure `out` holds what it held before. No recursion on the
 * input. */
#ifndef IL_WIRE_CANON_H
#define IL_WIRE_CANON_H

#include "base/buf.h"
#include "wire/json.h"

/* Appends the canonical text of node `at` to `out`. */
enum il_code il__canon(struct il__json *doc, uint32_t at, struct il__buf *out, struct il_error *err) IL_MUST_USE;
/* The other order that sealed receipts use: members sorted by their UTF-8 bytes (SPEC §9). */
enum il_code il__canon_bytes_order(struct il__json *doc, uint32_t at, struct il__buf *out, struct il_error *err)
    IL_MUST_USE;
/* The runtime's own digest text (argsDigest rule): ECMAScript numbers and strings, members sorted bytewise. Refused
 * (IL_UNSUPPORTED) when a member name holds anything but a-z and '_': then the rule cannot be computed here. Integers
 * come out as the double they become there; NUL and lone surrogates are kept as \u0000 and \udxxx. */
enum il_code il__canon_runtime(struct il__json *doc, uint32_t at, struct il__buf *out,
                               struct il_error *err) IL_MUST_USE;

#endif
