/* One recorder for every check: names the object, reports each comparison to a sink (the trace), and turns the first
 * one that fails into the refusal. Checks after a failed one are skipped, so a list of calls reads as the table of
 * SPEC §3 in its order. Pure: no I/O, no clock, no Lua. */
#ifndef IL_CHECK_CHECKER_H
#define IL_CHECK_CHECKER_H

#include "base/clock.h"
#include "base/error.h"
#include "contract/target.h"

struct il__check_seen {
    const char *object, *field;
    struct il_str expected, actual;
    bool ok;
};
typedef void (*il__check_sink)(void *ctx, const struct il__check_seen *seen);

struct il__checker {
    const char *object;     /* "control lease" */
    enum il_code code;      /* of a refusal: IL_IDENTITY_MISMATCH unless set otherwise */
    struct il_error *err;   /* filled by the first failure */
    il__check_sink sink;    /* NULL: no trace */
    void *ctx;
    bool failed;
};

/* Starts a list of checks for `object` (NULL: the check functions name their own); clears nothing else. */
void il__checker_init(struct il__checker *ck, const char *object, struct il_error *err, il__check_sink sink, void *ctx);
/* Names the object and the code of the checks that follow. After a failure it changes nothing: what failed stays. */
void il__checker_object(struct il__checker *ck, const char *object, enum il_code code);
/* Each returns !ck->failed. Texts may be absent (IL_STR_NONE). */
bool il__check_that(struct il__checker *ck, const char *field, bool ok, struct il_str expected, struct il_str actual);
bool il__check_equal(struct il__checker *ck, const char *field, struct il_str expected, struct il_str actual);
/* Absent `actual` passes as under-specified; absent `expected` passes any; both present must be equal. */
bool il__check_loose(struct il__checker *ck, const char *field, struct il_str expected, struct il_str actual);
bool il__check_present(struct il__checker *ck, const char *field, struct il_str actual); /* not absent, not empty */
bool il__check_window(struct il__checker *ck, const char *field, struct il__window_id expected,
                      struct il__window_id actual); /* by type and value; both absent passes */
bool il__check_state_active(struct il__checker *ck, struct il_str state); /* field `state`, ASCII case-insensitive */
/* Readable instants; `*out` is set only when readable. */
bool il__check_readable(struct il__checker *ck, const char *field, struct il_str text, struct il__instant *out);
/* now < at (equal is expired). */
bool il__check_later(struct il__checker *ck, const char *field, struct il__instant at, struct il__instant now);
/* IL_OK, or the code of the refusal. */
enum il_code il__checker_end(const struct il__checker *ck) IL_MUST_USE;

#endif
