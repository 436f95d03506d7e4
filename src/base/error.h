/* Filling in a caller-owned `struct il_error`. The first error wins: setting an error that is already set changes
 * nothing. Bytes from outside are escaped (control, bidi and newline characters become visible), texts are cut to
 * their field and never split an escape. Must never allocate, and must never be given a secret. */
#ifndef IL_BASE_ERROR_H
#define IL_BASE_ERROR_H

#include "base/str.h"

/* Clears `err` to IL_OK. NULL is accepted. */
void il__error_clear(struct il_error *err);

/* Sets code and message; returns `code` so that a caller can `return il__fail(err, ...)`. NULL `err` is accepted. */
enum il_code il__fail(struct il_error *err, enum il_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A refusal that names object and field, with what was expected and what was found. `expected` and `actual` may be
 * IL_STR_NONE (absent). The message is composed: "OBJECT: FIELD expected E, got A". Returns `code`. */
enum il_code il__refuse(struct il_error *err, enum il_code code, const char *object, const char *field,
                        struct il_str expected, struct il_str actual);

/* Like il__fail, naming object and field (a JSON pointer for decode errors). */
enum il_code il__fail_at(struct il_error *err, enum il_code code, const char *object, const char *field,
                         const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Prepends the object name when none is set yet; for callers that know what was being decoded. */
void il__error_object(struct il_error *err, const char *object);
/* Sets the step when none is set yet. */
void il__error_step(struct il_error *err, const char *step);
/* Records `cleanup` as the cleanup error of `err` (SPEC I7: the first failure stays first). When `err` is IL_OK the
 * cleanup error becomes the error itself. */
void il__error_cleanup(struct il_error *err, const struct il_error *cleanup);

/* Copies `s` into buf[cap] with bytes from outside made visible; always NUL-terminated; returns the length written.
 * Cut texts end in "...". Control characters become \xNN, bidi and invisible format characters \u{NNNN}, invalid
 * UTF-8 \xNN. */
size_t il__escape(char *buf, size_t cap, struct il_str s);

#endif
