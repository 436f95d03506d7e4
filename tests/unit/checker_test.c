/* The recorder of checks: what each kind of comparison takes and refuses, that the first failure stays the only one,
 * and what a refusal shows. */
#include "check_kit.h"
#include "tap.h"

#include "check/show.h"

#include <stdio.h>

typedef bool compare(struct il__checker *ck, const char *field, struct il_str expected, struct il_str actual);

static bool one(compare *fn, struct il_str expected, struct il_str actual)
{
    struct kit kit;
    kit_init(&kit);
    bool said = fn(&kit.ck, "field", expected, actual);
    if (said != (il__checker_end(&kit.ck) == IL_OK)) tap_ok(false, "the value says what the checker recorded");
    return said;
}

static void texts(void)
{
    tap_ok(one(il__check_equal, S("abc"), S("abc")), "equal texts are equal");
    tap_ok(!one(il__check_equal, S("abc"), S("abd")), "other bytes are not");
    tap_ok(!one(il__check_equal, S("abc"), S("ab")), "a shorter text is not");
    tap_ok(!one(il__check_equal, S("abc"), S("abcd")), "a longer text is not");
    tap_ok(!one(il__check_equal, S("abc"), S("ABC")), "another case is not");
    tap_ok(!one(il__check_equal, S("abc"), S("abc\0d")), "a text is not over at a NUL");
    tap_ok(!one(il__check_equal, S(""), IL_STR_NONE), "empty and absent are not");
    tap_ok(!one(il__check_equal, IL_STR_NONE, S("")), "absent and empty are not");
    tap_ok(one(il__check_equal, IL_STR_NONE, IL_STR_NONE), "absent and absent are");

    tap_ok(one(il__check_loose, S("a"), S("a")), "loose: equal passes");
    tap_ok(one(il__check_loose, S("a"), IL_STR_NONE), "loose: absent passes as under-specified");
    tap_ok(one(il__check_loose, IL_STR_NONE, S("b")), "loose: where nothing is expected any passes");
    tap_ok(!one(il__check_loose, S("a"), S("b")), "loose: present and different is refused");
    tap_ok(!one(il__check_loose, S("a"), S("")), "loose: empty is present");
    tap_ok(!one(il__check_loose, S("a"), S("a\0")), "loose: whole lengths");
}

static bool present(struct il_str actual)
{
    struct kit kit;
    kit_init(&kit);
    return il__check_present(&kit.ck, "field", actual);
}

static bool active(struct il_str state)
{
    struct kit kit;
    kit_init(&kit);
    return il__check_state_active(&kit.ck, state);
}

static void words(void)
{
    tap_ok(present(S("x")), "present: a text");
    tap_ok(!present(S("")), "present: not the empty text");
    tap_ok(!present(IL_STR_NONE), "present: not the absent one");

    tap_ok(active(S("active")) && active(S("ACTIVE")) && active(S("Active")), "state: any ASCII case of active");
    tap_ok(!active(S("activ")) && !active(S("active ")) && !active(S("active\0")), "state: whole lengths");
    tap_ok(!active(S("inactive")) && !active(S("released")), "state: no other");
    tap_ok(!active(S("act\xC4\xB1ve")), "state: no letter beyond ASCII");
    tap_ok(!active(S("")) && !active(IL_STR_NONE), "state: not empty, not absent");
}

static bool window(struct il__window_id expected, struct il__window_id actual)
{
    struct kit kit;
    kit_init(&kit);
    return il__check_window(&kit.ck, "field", expected, actual);
}

static void windows(void)
{
    struct il__window_id none = { IL__WINDOW_NONE, IL_STR_NONE, 0 };
    struct il__window_id n42 = { IL__WINDOW_TOKEN, IL_STR_NONE, 42 }, n43 = { IL__WINDOW_TOKEN, IL_STR_NONE, 43 };
    struct il__window_id t42 = { IL__WINDOW_TEXT, S("42"), 0 }, t43 = { IL__WINDOW_TEXT, S("43"), 0 };
    tap_ok(window(n42, n42) && window(t42, t42), "window: equal ids are equal");
    tap_ok(!window(n42, n43) && !window(t42, t43), "window: others are not");
    tap_ok(!window(n42, t42) && !window(t42, n42), "window: 42 and \"42\" are two ids");
    tap_ok(window(none, none), "window: both absent is equal");
    tap_ok(!window(none, n42) && !window(t42, none), "window: absent and present is not");
}

static void times(void)
{
    struct kit kit;
    struct il__instant at = { 7, 7 };
    kit_init(&kit);
    tap_ok(il__check_readable(&kit.ck, "field", S("2026-11-30T18:00:30Z"), &at), "time: a readable one");
    tap_ok(il__instant_cmp(at, kit.now) == 0, "time: it is handed out");
    at = (struct il__instant){ 7, 7 };
    tap_ok(!il__check_readable(&kit.ck, "field", S("tomorrow"), &at), "time: an unreadable one is refused");
    tap_ok(at.sec == 7 && at.nsec == 7, "time: then nothing is handed out");
    tap_ok(!il__check_readable(&kit.ck, "field", S("2026-11-30T18:00:30Z"), &at) && at.sec == 7,
           "time: nor after a failure");
    kit_init(&kit);
    tap_ok(!il__check_readable(&kit.ck, "field", IL_STR_NONE, &at), "time: an absent one is refused");

    struct il__instant a = { 100, 5 }, b = { 100, 6 };
    kit_init(&kit);
    tap_ok(il__check_later(&kit.ck, "field", b, a), "later: by a nanosecond");
    tap_ok(!il__check_later(&kit.ck, "field", a, a), "later: equal is not later");
    kit_init(&kit);
    tap_ok(!il__check_later(&kit.ck, "field", a, b), "later: earlier is not later");
}

static void first_failure(void)
{
    struct kit kit;
    kit_init(&kit);
    il__checker_object(&kit.ck, "first", IL_TENANT_MISMATCH);
    il__check_equal(&kit.ck, "a", S("x"), S("x"));
    il__check_equal(&kit.ck, "b", S("x"), S("y"));
    il__checker_object(&kit.ck, "second", IL_MISSING_SCOPE);
    tap_ok(!il__check_equal(&kit.ck, "c", S("x"), S("x")), "after a failure no check passes");
    il__check_equal(&kit.ck, "d", S("x"), S("y"));
    kit_refused(&kit, "first", "b", IL_TENANT_MISMATCH, "the first failure stays");
    tap_str(il__str(kit.err.expected), "x", "it carries what was expected");
    tap_str(il__str(kit.err.actual), "y", "and what was found");
    tap_str(il__str(kit.trace), "a b! ", "the trace ends with it");

    struct il__checker silent;
    il__checker_init(&silent, "object", NULL, NULL, NULL);
    il__check_equal(&silent, "a", S("x"), S("y"));
    tap_int(il__checker_end(&silent), IL_IDENTITY_MISMATCH, "without error and trace the code still says it");
}

static void shown(void)
{
    char buf[IL__SHOW_MAX], other[IL__SHOW_MAX];
    struct il_str want, got, two[2] = { S("a"), S("b") };
    struct il__window_id ids[2] = { { IL__WINDOW_TOKEN, IL_STR_NONE, 42 }, { IL__WINDOW_TEXT, S("42"), 0 } };
    tap_str(il__show_window(ids[0], buf), "42", "an integer id is shown bare");
    tap_str(il__show_window(ids[1], buf), "\"42\"", "a text id in quotes");
    tap_str(il__show_window((struct il__window_id){ IL__WINDOW_NONE, IL_STR_NONE, 0 }, buf), NULL, "no id as absent");
    tap_str(il__show_windows((struct il__windows){ ids, 2 }, buf), "[42,\"42\"]", "a list of ids");
    tap_str(il__show_strs((struct il__strs){ two, 2 }, buf), "[\"a\",\"b\"]", "a list of texts");
    tap_str(il__show_strs((struct il__strs){ NULL, 0 }, buf), "[]", "an empty list");
    tap_str(il__show_int(-7, buf), "-7", "a number as text");
    tap_str(il__show_above(3, buf), "more than 3", "a bound");
    tap_str(il__show_later((struct il__instant){ 0, 0 }, buf), "later than 1970-01-01T00:00:00.000Z", "a time");
    tap_str(il__show_name(il__mode_names, IL__MODE_SHADOW), "shadow", "a name");
    tap_str(il__show_name(il__mode_names, -1), NULL, "no name below the table");
    tap_str(il__show_name(il__mode_names, IL__MODE_COUNT), NULL, "no name behind it");
    tap_str(il__show_name(il__mode_names, 1000), NULL, "nor far behind it");

    static char longest[400];
    memset(longest, 'x', sizeof longest);
    longest[154] = '\xC3', longest[155] = '\xA4'; /* a character of two bytes at the cut */
    struct il__window_id wide = { IL__WINDOW_TEXT, { longest, sizeof longest }, 0 };
    struct il_str cut = il__show_window(wide, buf);
    tap_int((long long)cut.len, 158, "a long id is cut before the character that does not fit");
    tap_ok(memcmp(cut.ptr + cut.len - 4, "x...", 4) == 0 && buf[cut.len] == '\0', "and ends in dots");

    struct kit kit;
    kit_init(&kit);
    kit.target.window_id = (struct il__window_id){ IL__WINDOW_TEXT, S("42"), 0 };
    il__show_objects(&il__target_schema, &kit.sent_target, &kit.target, buf, other, &want, &got);
    tap_ok(want.len > 18 && memcmp(want.ptr, "...\"windowId\":42,", 17) == 0, "objects: from where they differ");
    tap_ok(got.len > 18 && memcmp(got.ptr, "...\"windowId\":\"42\"", 18) == 0, "objects: on both sides");
    il__show_objects(&il__target_schema, NULL, &kit.target, buf, other, &want, &got);
    tap_str(want, NULL, "objects: an absent one is absent");
    tap_ok(got.len > 0 && got.ptr[0] == '{', "objects: the other is shown whole");
    kit.target.role = (struct il_str){ longest, sizeof longest };
    char *huge = longest;
    kit.target.app_id = (struct il_str){ huge, 300 };
    il__show_objects(&il__target_schema, NULL, &kit.target, buf, other, &want, &got);
    tap_ok(got.len > 0 && got.len < IL__SHOW_MAX, "objects: a long one is cut");
    static char endless[8000];
    memset(endless, 'x', sizeof endless);
    kit.target.role = (struct il_str){ endless, sizeof endless };
    il__show_objects(&il__target_schema, NULL, &kit.target, buf, other, &want, &got);
    tap_str(got, "too large to be shown", "objects: one without end is not shown");
}

int main(void)
{
    texts();
    words();
    windows();
    times();
    first_failure();
    shown();
    return tap_done();
}
