/* The parts of the command that are pure: escapes, the look into JSON, the nearest word, wrapping.
 * They are compiled in here, since no library holds them. */
#include "cli/look.c" /* NOLINT(bugprone-suspicious-include) */
#include "cli/mem.c"  /* NOLINT(bugprone-suspicious-include) */
#include "cli/text.c" /* NOLINT(bugprone-suspicious-include) */

#include "tap.h"

static void escaped(const char *bytes, size_t len, const char *want, const char *name)
{
    struct il__text text = IL__TEXT_INIT;
    il__text_escaped(&text, (struct il_str){ bytes, len });
    tap_str(il__text_get(&text), want, "escaped: %s", name);
    struct il__text again = IL__TEXT_INIT;
    il__text_escaped(&again, il__text_get(&text));
    tap_str(il__text_get(&again), want, "escaped twice: %s", name);
    il__text_clear(&text);
    il__text_clear(&again);
}

static void test_escapes(void)
{
    escaped("plain \\ text", 12, "plain \\ text", "plain text and backslashes stay");
    escaped("a\nb\rc\td", 7, "a\\nb\\rc\\td", "line ends and tabs");
    escaped("\0\x1b[0m\x7f", 6, "\\x00\\x1b[0m\\x7f", "NUL, escape, delete");
    escaped("\xc2\x9b" "31m", 5, "\\u{9b}31m", "a control character of the second block");
    escaped("\xe2\x80\xae" "x\xe2\x81\xa6", 7, "\\u{202e}x\\u{2066}", "bidi characters");
    escaped("\xe2\x80\x8b\xef\xbb\xbf\xc2\xad", 8, "\\u{200b}\\u{feff}\\u{ad}", "invisible characters");
    escaped("\xf3\xa0\x81\x81", 4, "\\u{e0041}", "tag characters");
    escaped("\xff\xc3(\xe2\x82", 5, "\\xff\\xc3(\\xe2\\x82", "bytes that are no UTF-8");
    escaped("\xed\xa0\x80", 3, "\\xed\\xa0\\x80", "a surrogate");
    escaped("\xc0\xaf\xf4\x90\x80\x80", 6, "\\xc0\\xaf\\xf4\\x90\\x80\\x80",
            "overlong forms and what is beyond Unicode");
    escaped("\xc3\xa9\xe6\x97\xa5\xf0\x9f\x99\x82", 9, "\xc3\xa9\xe6\x97\xa5\xf0\x9f\x99\x82",
            "letters of all lengths stay");
}

static void test_forms(void)
{
    struct il__text text = IL__TEXT_INIT;
    il__text_json(&text, (struct il_str){ "\"\\\n\x01\xff\xe2\x80\xae", 8 });
    tap_str(il__text_get(&text), "\"\\\"\\\\\\n\\u0001\xef\xbf\xbd\\u202e\"", "a JSON string");
    il__text_reset(&text);
    il__text_json(&text, (struct il_str){ NULL, 0 });
    tap_str(il__text_get(&text), "null", "an absent text is null");
    il__text_reset(&text);
    il__text_xml(&text, (struct il_str){ "<a b=\"&\">\x01\n", 11 });
    tap_str(il__text_get(&text), "&lt;a b=&quot;&amp;&quot;&gt;\\x01&#10;", "XML");
    il__text_clear(&text);
}

static void test_limit(void)
{
    struct il__text text = IL__TEXT_INIT;
    tap_ok(!il__text_reserve(&text, IL__CLI_TEXT_BYTES), "a text of cli_text_bytes is refused");
    tap_ok(text.failed, "and remembered as failed");
    il__text_puts(&text, "more");
    tap_int((long long)text.len, 0, "nothing is added to a failed text");
    il__text_clear(&text);
    tap_int(IL__CLI_TEXT_BYTES, 268435456, "cli_text_bytes");
    tap_int(IL__CLI_FILE_BYTES, 16777216, "cli_file_bytes");
    tap_int(IL__CLI_OPTIONS, 48, "cli_options");
    tap_int(IL__CLI_OPTION_VALUES, 64, "cli_option_values");
    tap_int(IL__CLI_FOUND_FILES, 4096, "cli_found_files");
    tap_int(IL__CLI_FOUND_DEPTH, 16, "cli_found_depth");
    tap_int(IL__CLI_DESCRIPTORS, 64, "cli_descriptors");
    tap_int(IL__CLI_JSON_DEPTH, 600, "cli_json_depth");
}

static void get(const char *doc, const char *path, const char *want)
{
    struct il_str value = il__look_get(il__text_of(doc), path);
    if (want) tap_str(value, want, "%s of %s", path, doc);
    else tap_ok(value.ptr == NULL, "%s of %s is absent", path, doc);
}

static void decoded(const char *raw, const char *want, size_t len)
{
    struct il__text text = IL__TEXT_INIT;
    il__look_text(&text, il__text_of(raw));
    tap_ok(text.len == len && memcmp(il__text_get(&text).ptr, want, len) == 0, "the text of %s", raw);
    il__text_clear(&text);
}

static void test_json(void)
{
    get("{\"a\":1,\"b\":{\"c\":\"x\"}}", "b.c", "\"x\"");
    get(" { \"a\" : [ 1 , {\"b\":2} ] , \"b\" : true } ", "b", "true");
    get("{\"a\":\"}\\\"{\",\"b\":2}", "b", "2");
    get("{\"a\":{\"b\":1},\"b\":2}", "b", "2");
    get("{\"ab\":1}", "a", NULL);
    get("{\"a\":1}", "a.b", NULL);
    get("[1,2]", "a", NULL);
    get("", "a", NULL);
    get("{\"a\":", "a", NULL);
    get("{\"a", "a", NULL);
    tap_ok(!il__look_has(il__text_of("{\"a\":null}"), "a"), "null is not there");
    struct il_str list = il__text_of("[1,[2,3],{\"a\":[]},\"]\"]"), value;
    size_t at = 0, count = 0;
    while (il__look_next(list, &at, NULL, &value)) count++;
    tap_int((long long)count, 4, "the members of a list");
    decoded("\"a\\n\\\"\\\\\\/\\u00e9\\u65e5\"", "a\n\"\\/\xc3\xa9\xe6\x97\xa5", 10);
    decoded("\"\\ud83d\\ude42\"", "\xf0\x9f\x99\x82", 4);
    decoded("\"\\ud83d\"", "\xef\xbf\xbd", 3);
    decoded("\"\\u0000\"", "\0", 1);
    decoded("12.50", "12.50", 5);
    decoded("null", "", 0);
    char deep[2 * IL__CLI_JSON_DEPTH + 40];
    size_t n = 0;
    memcpy(deep, "{\"a\":", 5);
    for (n = 5; n < 5 + IL__CLI_JSON_DEPTH + 1; n++) deep[n] = '[';
    for (size_t i = 0; i < IL__CLI_JSON_DEPTH + 1; i++) deep[n++] = ']';
    memcpy(deep + n, ",\"b\":1}", 8);
    tap_ok(!il__look_get(il__text_of(deep), "b").ptr, "a value nested deeper than cli_json_depth ends the look");
    memmove(deep + 5, deep + 6, strlen(deep + 5));
    memmove(strchr(deep, ']'), strchr(deep, ']') + 1, strlen(strchr(deep, ']')));
    tap_str(il__look_get(il__text_of(deep), "b"), "1", "one that is not is stepped over");
}

int main(void)
{
    test_escapes();
    test_forms();
    test_limit();
    test_json();
    tap_plan_end();
    return tap_done();
}
