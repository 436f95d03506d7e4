/* The helpers as a policy calls them: they say of the rows of tests/vectors/rules what the functions below them say;
 * wrong calls are errors that say what to write; and all of them pay for what they do. */
#include "box.h"
#include "rule_rows.h"
#include "script/policy_api.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct box box;

static enum il__script_end run(const char *body)
{
    static char source[IL__LIMIT_SCRIPT_SOURCE];
    snprintf(source, sizeof source, "local policy = require 'interlock.policy'\n%s", body);
    box_init(&box);
    box.options.modules = &il__policy_modules;
    if (!box_open(&box)) abort();
    enum il__script_end end = box_run_in(&box, il__str(source));
    if (!box_close(&box)) tap_ok(false, "every byte came back: %s", body);
    return end;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

enum { SHORT = 3000 }; /* longer cells do not fit into a script */

static const char *quote(struct il_str s, char *out)
{
    char *to = out;
    *to++ = '"';
    for (size_t i = 0; i < s.len; i++) to += sprintf(to, "\\x%02X", (unsigned char)s.ptr[i]);
    strcpy(to, "\"");
    return out;
}

static int wrong;

static void compare(const struct rule_row *row, const char *call, struct il_str want)
{
    static char body[40000], a[4 * SHORT + 3], b[4 * SHORT + 3];
    for (size_t i = 0; i < row->count; i++) {
        if (row->cells[i].len > SHORT) return;
    }
    quote(row->cells[0], a);
    quote(row->cells[1], b);
    snprintf(body, sizeof body, "local a, b = %s, %s\nlocal got, why = %s\nreturn why and '!' .. why or tostring(got)",
             a, b, call);
    enum il__script_end end = run(body);
    const char *got = end == IL__SCRIPT_RETURNED ? box.value : box.result.text;
    bool right = rule_is_refusal(want)         ? rule_refused(want, got)
                 : il__str_eq(want, IL_STR("yes")) ? strcmp(got, "true") == 0
                 : il__str_eq(want, IL_STR("no"))  ? strcmp(got, "false") == 0
                                                   : il__str_eq(il__str(got), want) || want.len >= sizeof box.value;
    if (!right && wrong++ < 5) tap_note("%s:%d: %s: %s", row->file, row->line, call, got);
}

static void play_path(const struct rule_row *row) { compare(row, "policy.path(a)", row->cells[1]); }
static void play_under(const struct rule_row *row) { compare(row, "policy.under(a, b)", row->cells[2]); }
static void play_domain(const struct rule_row *row) { compare(row, "policy.domain(a)", row->cells[1]); }
static void play_domain_is(const struct rule_row *row) { compare(row, "policy.domain_is(a, b)", row->cells[2]); }
static void play_glob(const struct rule_row *row) { compare(row, "policy.glob(a, b)", row->cells[2]); }

static void test_rows(void)
{
    static const struct {
        const char *file;
        size_t cells;
        void (*play)(const struct rule_row *row);
    } files[] = {
        { "path", 3, play_path },           { "under", 4, play_under }, { "domain", 3, play_domain },
        { "domain_is", 4, play_domain_is }, { "glob", 4, play_glob },
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[80];
        snprintf(path, sizeof path, "tests/vectors/rules/%s.txt", files[i].file);
        wrong = 0;
        int rows = rule_rows(path, files[i].cells, files[i].play);
        tap_int(wrong, 0, "policy.%s says what the %d rows say", files[i].file, rows);
    }
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static void gives(const char *expression, const char *want)
{
    char body[2000];
    snprintf(body, sizeof body, "return tostring(%s)", expression);
    if (run(body) != IL__SCRIPT_RETURNED) snprintf(box.value, sizeof box.value, "%s", box.result.text);
    tap_str(il__str(box.value), want, "%s is %s", expression, want);
}

static void fails(const char *expression, const char *want)
{
    char body[2000];
    snprintf(body, sizeof body, "return %s", expression);
    enum il__script_end end = run(body);
    tap_ok(end == IL__SCRIPT_ERROR && strstr(box.result.text, want), "%s: %s", expression, want);
    if (end != IL__SCRIPT_ERROR || !strstr(box.result.text, want)) tap_note("%s", box.result.text);
}

static void test_nfc(void)
{
    gives("policy.nfc('cafe\\u{301}') == 'caf\\u{E9}'", "true");
    gives("policy.nfc('')", "");
    gives("policy.nfc('a\\0b') == 'a\\0b'", "true");
    gives("policy.nfc('\\u{212B}') == '\\u{C5}'", "true");
    gives("policy.nfc('q\\u{307}\\u{323}') == 'q\\u{323}\\u{307}'", "true");
    gives("#policy.nfc(string.rep('\\u{1D160}', 4096))", "49152"); /* three times as long, NFC as it is: nfc_bytes */
    gives("#policy.nfc('e' .. string.rep('\\u{301}', 30))", "60");
    fails("policy.nfc('e' .. string.rep('\\u{301}', 31))", "more than 30 combining marks (nfc_marks)");
    fails("policy.nfc(string.rep('a', 16385))", "policy.nfc: the text is longer than 16384 bytes (nfc_bytes)");
    fails("policy.nfc('\\xFF')", "policy.nfc: the text \"\\xff\": it is not UTF-8");
    fails("policy.nfc(7)", "policy.nfc: the text must be a string, got number");
    tap_ok(IL__LIMIT_NFC_BYTES == 16384 && IL__LIMIT_NFC_MARKS == 30, "nfc_bytes and nfc_marks, as the messages have");
}

static void test_has(void)
{
    gives("policy.has({ 'a', 'b' }, 'b')", "true");
    gives("policy.has({ 'a', 'b' }, 'c')", "false");
    gives("policy.has({ 'a', 'b' }, 'A')", "false");
    gives("policy.has({}, 'a')", "false");
    gives("policy.has(nil, 'a')", "false");
    gives("policy.has({ 1, 2 }, 2)", "true");
    gives("policy.has({ 1, 2 }, '2')", "false");
    gives("policy.has({ false }, false)", "true");
    fails("policy.has({ private = true }, 'private')", "this table has names");
    fails("policy.has('private', 'private')", "policy.has: the list must be a list");
    fails("policy.has({ 'a' }, nil)", "policy.has: the value must be a string, a number or a boolean, got nil");
    fails("policy.has({ 'a' })", "policy.has(list, value) takes 2 arguments, got 1");
}

static void test_wrong_calls(void)
{
    fails("policy:glob('a', 'b')", "write policy.glob(pattern, text) with a dot");
    fails("policy:path('/a')", "write policy.path(text) with a dot");
    fails("policy:under('/a', '/')", "write policy.under(path, folder) with a dot");
    fails("policy:domain('a')", "write policy.domain(text) with a dot");
    fails("policy:domain_is('a', 'b')", "write policy.domain_is(text, pattern) with a dot");
    fails("policy:nfc('a')", "write policy.nfc(text) with a dot");
    fails("policy:has({}, 1)", "write policy.has(list, value) with a dot");
    fails("policy.glob('a')", "policy.glob(pattern, text) takes 2 arguments, got 1");
    fails("policy.glob('a', nil)", "policy.glob: the text must be a string, got nil");
    fails("policy.glob(1, 'a')", "policy.glob: the pattern must be a string, got number");
    fails("policy.glob('[a', 'a')", "policy.glob: the pattern \"[a\": the pattern ends inside [ ]");
    fails("policy.path()", "policy.path(text) takes 1 argument, got 0");
    fails("policy.path(nil)", "policy.path: the path must be a string, got nil");
    fails("policy.under('/a', '~/x')", "policy.under: the folder \"~/x\": ~ stands for");
    fails("policy.domain(nil)", "policy.domain: the host or address must be a string, got nil");
    fails("policy.domain_is('a', '*')", "policy.domain_is: the pattern \"*\": * stands for whole labels");
    fails("policy.globs('a', 'b')", "did you mean \"glob\"?");
}

/* ---- work -------------------------------------------------------------------------------------------------------- */

/* Called without end with the longest arguments, each is stopped by its fuel or the clock, and soon. */
static void test_work(void)
{
    static const char *const bodies[] = {
        "local p, t = string.rep('a*', 512), string.rep('a', 65536) while true do policy.glob(p, t) end",
        "local p, t = string.rep('[!b]', 256), string.rep('a', 65536) while true do policy.glob(p, t) end",
        "local t = '/' .. string.rep('\\u{1D160}', 1000) while true do policy.path(t) end",
        "local t = 'c:/' .. string.rep('\\u{E9}', 2000) while true do policy.under(t, t) end",
        "local t = 'http://' .. string.rep('a@', 32000) .. 'b' while true do policy.domain(t) end",
        "local t = 'http://' .. string.rep('a@', 32000) .. 'b' while true do policy.domain_is(t, '*.b') end",
        "local t = string.rep('\\u{1D160}', 4096) while true do policy.nfc(t) end",
        "local t = {} for i = 1, 10000 do t[i] = i end while true do policy.has(t, 0) end",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        enum il__script_end end = run(bodies[i]);
        tap_ok(end == IL__SCRIPT_KILLED && box.seconds < 4.0 * box_slowness(), "is stopped (%.2f s): %s", box.seconds,
               bodies[i]);
        if (end != IL__SCRIPT_KILLED) tap_note("%s", box.result.text);
    }
}

int main(void)
{
    test_rows();
    test_nfc();
    test_has();
    test_wrong_calls();
    test_work();
    return tap_done();
}
