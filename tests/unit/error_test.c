/* Errors: the first one wins, texts from outside are visible, cut texts end at a whole unit (SPEC §11). */
#include "base/error.h"

#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

static void shows(const char *bytes, size_t len, const char *want)
{
    char buf[200];
    size_t n = il__escape(buf, sizeof buf, (struct il_str){ bytes, len });
    tap_str((struct il_str){ buf, n }, want, "escape gives %s", want);
}
#define SHOWS(lit, want) shows(lit, sizeof(lit) - 1, want)

static void escapes(void)
{
    SHOWS("plain text, with \\ and \"quotes\"", "plain text, with \\ and \"quotes\"");
    SHOWS("", "");
    SHOWS("a\nb\rc\td", "a\\x0ab\\x0dc\\x09d");
    SHOWS("\0\x1b[2J\x7f", "\\x00\\x1b[2J\\x7f");
    SHOWS("\xC2\x85\xC2\x9B", "\\u{0085}\\u{009B}");
    SHOWS("\xD8\x9C\xE2\x80\x8E\xE2\x80\x8F", "\\u{061C}\\u{200E}\\u{200F}");
    SHOWS("\xE2\x80\xAA\xE2\x80\xAB\xE2\x80\xAC\xE2\x80\xAD\xE2\x80\xAE",
          "\\u{202A}\\u{202B}\\u{202C}\\u{202D}\\u{202E}");
    SHOWS("\xE2\x81\xA6\xE2\x81\xA7\xE2\x81\xA8\xE2\x81\xA9", "\\u{2066}\\u{2067}\\u{2068}\\u{2069}");
    SHOWS("\xE2\x80\x8B\xE2\x80\x8C\xE2\x80\x8D\xE2\x81\xA0\xEF\xBB\xBF\xC2\xAD",
          "\\u{200B}\\u{200C}\\u{200D}\\u{2060}\\u{FEFF}\\u{00AD}");
    SHOWS("\xE2\x80\xA8\xE2\x80\xA9", "\\u{2028}\\u{2029}");
    SHOWS("\xF3\xA0\x81\x81", "\\u{E0041}");
    SHOWS("\xE2\x80\x8A\xE2\x80\x90\xE2\x80\xA7\xE2\x80\xAF", "\xE2\x80\x8A\xE2\x80\x90\xE2\x80\xA7\xE2\x80\xAF");
    SHOWS("caf\xC3\xA9 \xE6\xBC\xA2 \xF0\x9F\x98\x80", "caf\xC3\xA9 \xE6\xBC\xA2 \xF0\x9F\x98\x80");
    SHOWS("\xC3", "\\xc3");
    SHOWS("\xC0\xAF\xED\xA0\x80\xF4\x90\x80\x80\xFF",
          "\\xc0\\xaf\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80\\xff");
    char twice[200];
    size_t n = il__escape(twice, sizeof twice, IL_STR("a\\x0ab\\u{202E}c"));
    tap_str((struct il_str){ twice, n }, "a\\x0ab\\u{202E}c", "an escaped text stays as it is");
}

/* Every capacity: terminated, within bounds, made of whole units and, when cut, "...". */
static void cuts(void)
{
    static const char text[] = "ab\ncd\xE2\x80\xAE\xC3\xA9\\x0a\\u{202E}\xF0\x9F\x98\x80\xFF";
    static const char *const units[] = { "a", "b", "\\x0a", "c", "d", "\\u{202E}", "\xC3\xA9", "\\x0a", "\\u{202E}",
                                         "\xF0\x9F\x98\x80", "\\xff" };
    char whole[200];
    size_t full = il__escape(whole, sizeof whole, il__str(text));
    bool good = true;
    for (size_t cap = 1; cap <= full + 2; cap++) {
        char *buf = malloc(cap); /* its own block: writing past it is seen by the sanitizer */
        if (!buf) abort();
        size_t n = il__escape(buf, cap, il__str(text));
        size_t rest = cap - 1 < full ? n - (cap - 1 < 3 ? cap - 1 : 3) : n;
        size_t at = 0;
        for (size_t u = 0; at < rest && u < sizeof units / sizeof units[0]; u++) {
            if (memcmp(buf + at, units[u], strlen(units[u])) != 0) break;
            at += strlen(units[u]);
        }
        bool dotted =
            cap - 1 >= full || (memcmp(buf + rest, "...", n - rest) == 0 && n - rest == (cap - 1 < 3 ? cap - 1 : 3));
        if (n >= cap || buf[n] != 0 || at != rest || !dotted) {
            tap_note("capacity %zu: \"%s\"", cap, buf);
            good = false;
        }
        free(buf);
    }
    tap_ok(good, "cut at any capacity, no unit is split");
    char none = 'x';
    tap_int((long long)il__escape(&none, 0, IL_STR("abc")), 0, "capacity 0 writes nothing");
    tap_ok(none == 'x', "capacity 0 leaves the byte alone");
}

static void first_wins(void)
{
    struct il_error err = IL_ERROR_INIT;
    tap_int(il__fail(&err, IL_TIMEOUT, "after %d ms", 30), IL_TIMEOUT, "fail hands the code back");
    tap_int(il__fail(&err, IL_STORE, "second"), IL_STORE, "a second failure hands its code back");
    tap_int(il__refuse(&err, IL_CONFLICT, "o", "f", IL_STR("e"), IL_STR("a")), IL_CONFLICT, "so does a refusal");
    tap_int(il__fail_at(&err, IL_DECODE, "o", "f", "x"), IL_DECODE, "and a failure with a place");
    tap_int(err.code, IL_TIMEOUT, "the first code stays");
    tap_str(il__str(err.message), "after 30 ms", "the first message stays");
    tap_str(il__str(err.field), "", "and no field comes from the second");
    tap_int(il__fail(NULL, IL_STORE, "x"), IL_STORE, "no error to fill in is accepted");
    il__error_clear(&err);
    tap_int(err.code, IL_OK, "clear makes it empty");
    il__error_clear(NULL);
}

static void refusals(void)
{
    struct il_error err = IL_ERROR_INIT;
    (void)il__refuse(&err, IL_IDENTITY_MISMATCH, "control lease", "session_id", IL_STR("a"), IL_STR("b\n"));
    tap_str(il__str(err.object), "control lease", "object");
    tap_str(il__str(err.field), "session_id", "field");
    tap_str(il__str(err.expected), "a", "expected");
    tap_str(il__str(err.actual), "b\\x0a", "actual, escaped");
    tap_str(il__str(err.message), "control lease: session_id expected a, got b\\x0a", "message");
    il__error_clear(&err);
    (void)il__refuse(&err, IL_IDENTITY_MISMATCH, "x", "y", IL_STR_NONE, IL_STR(""));
    tap_str(il__str(err.message), "x: y expected (absent), got (empty)", "absent and empty are told apart");
    il__error_clear(&err);
    (void)il__fail_at(&err, IL_DECODE, "preview", "/a\n", "wrong %s", "type");
    tap_str(il__str(err.message), "preview: /a\\x0a: wrong type", "a place comes first");
    il__error_clear(&err);
    (void)il__fail_at(&err, IL_DECODE, NULL, "/a", "wrong");
    il__error_object(&err, "preview");
    il__error_object(&err, "other");
    il__error_step(&err, "execute");
    il__error_step(&err, "verify");
    tap_str(il__str(err.message), "preview: /a: wrong", "the object is prepended once");
    tap_str(il__str(err.object), "preview", "the first object stays");
    tap_str(il__str(err.step), "execute", "the first step stays");
    struct il_error ok = IL_ERROR_INIT;
    il__error_object(&ok, "preview");
    il__error_step(&ok, "execute");
    tap_ok(!ok.object[0] && !ok.step[0], "no error takes neither object nor step");
}

static void cleanup(void)
{
    struct il_error first = IL_ERROR_INIT;
    struct il_error release = IL_ERROR_INIT;
    struct il_error later = IL_ERROR_INIT;
    il__error_cleanup(&first, &release);
    tap_int(first.code, IL_OK, "a cleanup without error changes nothing");
    (void)il__fail(&release, IL_TRANSPORT, "release failed");
    il__error_step(&release, "release_lease");
    (void)il__fail(&later, IL_RUNTIME, "release failed too");
    il__error_cleanup(&first, &release);
    tap_int(first.code, IL_TRANSPORT, "without a first failure the cleanup error is the error");
    tap_int(first.cleanup_code, IL_OK, "and there is no other");
    il__error_clear(&first);
    (void)il__fail(&first, IL_DECODE, "primary");
    il__error_cleanup(&first, &release);
    il__error_cleanup(&first, &later);
    tap_int(first.code, IL_DECODE, "the first failure stays first");
    tap_int(first.cleanup_code, IL_TRANSPORT, "the first cleanup error stays too");
    tap_str(il__str(first.cleanup_step), "release_lease", "with its step");
    tap_str(il__str(first.cleanup_message), "release failed", "and its message");
    il__error_cleanup(NULL, &release);
    il__error_cleanup(&first, NULL);
}

static void names(void)
{
    tap_str(il__str(il_code_name(IL_OK)), "ok", "name of ok");
    tap_str(il__str(il_code_name(IL_OUT_OF_MEMORY)), "out_of_memory", "name of the last code");
    tap_str(il__str(il_code_name(IL_CODE_COUNT)), "unknown", "past the end");
    tap_str(il__str(il_code_name((enum il_code)-1)), "unknown", "before the start");
    tap_str(il__str(il_op_name(IL_OP_EXECUTE_ACTION)), "execute_action", "name of an operation");
    tap_str(il__str(il_op_name(IL_OP_COUNT)), "unknown", "past the last operation");
    tap_str(il__str(il_effect_name(IL_EFFECT_NONE)), "none", "name of no effect");
    tap_str(il__str(il_effect_name(IL_EFFECT_COMMITTED)), "committed", "of one that is there");
    tap_str(il__str(il_effect_name(IL_EFFECT_UNKNOWN)), "unknown", "of one that may be");
    tap_str(il__str(il_effect_name(IL_EFFECT_COUNT)), "unknown", "and past the last: nothing is known");
}

static void long_texts(void)
{
    struct il_error err = IL_ERROR_INIT;
    char text[4000];
    memset(text, '\n', sizeof text - 1);
    text[sizeof text - 1] = 0;
    (void)il__refuse(&err, IL_DECODE, text, text, il__str(text), il__str(text));
    size_t n = strlen(err.message);
    tap_ok(n < sizeof err.message && n > sizeof err.message - 8, "a long message fills its field");
    tap_str(il__str(err.message + n - 3), "...", "and says that it was cut");
    tap_ok(strlen(err.field) < sizeof err.field && strlen(err.object) < sizeof err.object, "all fields end");
}

int main(void)
{
    escapes();
    cuts();
    first_wins();
    refusals();
    cleanup();
    names();
    long_texts();
    return tap_done();
}
