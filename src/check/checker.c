/* The recorder behind every check: reports each comparison to the trace and turns the first failure into the refusal.
 * Uses the error of base and the texts of check/show.h. Must never read a clock, and must never go on comparing after
 * a failure: the checks behind it are skipped, so the first one in the table is the one that is named. */
#include "check/checker.h"

#include "check/show.h"

void il__checker_init(struct il__checker *ck, const char *object, struct il_error *err, il__check_sink sink, void *ctx)
{
    *ck = (struct il__checker){ object, IL_IDENTITY_MISMATCH, err, sink, ctx, false };
}

void il__checker_object(struct il__checker *ck, const char *object, enum il_code code)
{
    if (ck->failed) return;
    ck->object = object;
    ck->code = code;
}

bool il__check_that(struct il__checker *ck, const char *field, bool ok, struct il_str expected, struct il_str actual)
{
    if (ck->failed) return false;
    if (ck->sink) {
        struct il__check_seen seen = { ck->object, field, expected, actual, ok };
        ck->sink(ck->ctx, &seen);
    }
    if (ok) return true;
    ck->failed = true;
    il__refuse(ck->err, ck->code, ck->object, field, expected, actual);
    return false;
}

bool il__check_equal(struct il__checker *ck, const char *field, struct il_str expected, struct il_str actual)
{
    return il__check_that(ck, field, il__str_eq(expected, actual), expected, actual);
}

bool il__check_loose(struct il__checker *ck, const char *field, struct il_str expected, struct il_str actual)
{
    bool open = !il__str_present(expected) || !il__str_present(actual);
    return il__check_that(ck, field, open || il__str_eq(expected, actual), expected, actual);
}

bool il__check_present(struct il__checker *ck, const char *field, struct il_str actual)
{
    return il__check_that(ck, field, il__str_present(actual) && actual.len > 0, IL_STR("not empty"), actual);
}

bool il__check_window(struct il__checker *ck, const char *field, struct il__window_id expected,
                      struct il__window_id actual)
{
    char want[IL__SHOW_MAX], got[IL__SHOW_MAX];
    return il__check_that(ck, field, il__window_equal(expected, actual), il__show_window(expected, want),
                          il__show_window(actual, got));
}

bool il__check_state_active(struct il__checker *ck, struct il_str state)
{
    struct il_str active = IL_STR("active");
    return il__check_that(ck, "state", il__str_eq_nocase(active, state), active, state);
}

bool il__check_readable(struct il__checker *ck, const char *field, struct il_str text, struct il__instant *out)
{
    bool ok = !ck->failed && il__str_present(text) && il__rfc3339_parse(text, out, NULL);
    return il__check_that(ck, field, ok, IL_STR("a readable RFC 3339 time"), text);
}

bool il__check_later(struct il__checker *ck, const char *field, struct il__instant at, struct il__instant now)
{
    char want[IL__SHOW_MAX], got[IL__SHOW_MAX];
    return il__check_that(ck, field, il__instant_cmp(now, at) < 0, il__show_later(now, want), il__show_time(at, got));
}

enum il_code il__checker_end(const struct il__checker *ck)
{
    return ck->failed ? ck->code : IL_OK;
}
