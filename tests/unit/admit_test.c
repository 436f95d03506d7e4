/* Admission: what the compiler never sees, and that ordinary code passes. */
#include "script/admit.h"

#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[IL__LIMIT_SCRIPT_SOURCE * 2];

/* Writes head, `count` times `piece`, and tail. */
static struct il_str repeat(const char *head, const char *piece, size_t count, const char *tail)
{
    size_t n = strlen(head), p = strlen(piece);
    memcpy(text, head, n);
    for (size_t i = 0; i < count; i++, n += p) memcpy(text + n, piece, p);
    memcpy(text + n, tail, strlen(tail) + 1);
    return (struct il_str){ text, n + strlen(tail) };
}

static void passes(struct il_str source, const char *what)
{
    struct il_error err = IL_ERROR_INIT;
    tap_ok(il__admit(source, NULL, NULL, &err) == IL_OK, "passes: %.70s %s", what, err.message);
}

static void refused(struct il_str source, const char *what, const char *why, int at)
{
    struct il_error err = IL_ERROR_INIT;
    int line = -1;
    bool ok = il__admit(source, NULL, &line, &err) == IL_SCRIPT_ERROR && strstr(err.message, why) && line == at;
    if (!tap_ok(ok, "refused: %.70s", what)) tap_note("line %d: %s", line, err.message);
}

static void passes_z(const char *z)
{
    passes(il__str(z), z);
}

static void refused_z(const char *z, const char *why, int at)
{
    refused(il__str(z), z, why, at);
}

static void test_limits(void)
{
    passes(repeat("", " ", IL__LIMIT_SCRIPT_SOURCE, ""), "64 KiB");
    refused(repeat("", " ", IL__LIMIT_SCRIPT_SOURCE + 1, ""), "one byte more", "script_source", 0);
    passes(repeat("x = ", "(", 100, "1"), "100 levels");
    refused(repeat("x = ", "(", 101, "1"), "101 levels", "script_nesting", 1);
    passes(repeat("", "do ", 100, ""), "100 blocks");
    refused(repeat("", "do ", 101, ""), "101 blocks", "script_nesting", 1);
    refused(repeat("", "x = {[f(", 40, ""), "mixed brackets", "script_nesting", 1);
    passes(repeat("", "do end ", 5000, ""), "blocks in a row");
    passes(repeat("x = a", ".b", 64, ""), "64 links");
    refused(repeat("\nx = a", ".b", 65, ""), "65 links", "script_suffixes", 2);
    refused(repeat("x = a", "[1]", 65, ""), "65 subscripts", "script_suffixes", 1);
    refused(repeat("x = a", ":b()", 40, ""), "40 method calls", "script_suffixes", 1);
    refused(repeat("x = a", "'s'", 65, ""), "65 string calls", "script_suffixes", 1);
    refused(repeat("x = a", ".b[c.d]", 40, ""), "links around brackets", "script_suffixes", 1);
    passes(repeat("x = a", ".b + a", 900, ""), "short chains in a row");
    passes(repeat("x = a", " and a", 2000, ""), "2000 operators");
    refused(repeat("x = a", " or a", 2001, ""), "2001 operators", "script_operators", 1);
    refused(repeat("if a then ", "elseif a then ", 2001, "end"), "2001 branches", "script_operators", 1);
    passes(repeat("--", "and ", 3000, ""), "words in a comment");
    passes(repeat("x = '", "and ", 3000, "'"), "words in a string");
    passes(repeat("x = [==[", "and ]] ", 3000, "]==]"), "words in a long string");
    passes(repeat("--[[", "and\n", 3000, "]]"), "words in a long comment");
}

static void test_text(void)
{
    passes_z("");
    passes_z("return 1");
    refused((struct il_str){ "x\0y", 3 }, "a NUL byte", "NUL", 0);
    refused_z("\x1bLua", "compiled", 0);
    refused_z("\xef\xbb\xbfreturn 1", "byte order mark", 0);
    refused_z("local x <close> = y", "<close>", 1);
    refused_z("local x < --[[ ]] close > = y", "<close>", 1);
    passes_z("local x <const> = 1");
    passes_z("return a < close");
    passes_z("goto done ::done:: x = 'a\\'b' .. \"\\z   \n  c\" -- end");
}

/* What Lua 5.4.4 compiles wrongly. */
static void test_wrong_code(void)
{
    refused_z("return t[a < b]", "inside [ ]", 1);
    refused_z("\n\nreturn t[((a == b))]", "inside [ ]", 3);
    refused_z("return t[not x]", "inside [ ]", 1);
    refused_z("return t[true and a ~= b]", "inside [ ]", 1);
    refused_z("t = { [a >= b] = 1 }", "inside [ ]", 1);
    passes_z("return t[f(a < b)]");
    passes_z("return t[a] < t[b]");
    passes_z("return t[g { a < b }]");
    passes_z("if a < b then t[1] = not x end");
    size_t n = (size_t)sprintf(text, "local t = {");
    for (int i = 0; i < 260; i++) n += (size_t)sprintf(text + n, "%d.5,", i);
    strcpy(text + n, "} return 1 + 2");
    passes(il__str(text), "260 constants");
    strcpy(text + n, "} return 1 ~ (2 or 3)");
    refused(il__str(text), "260 constants and a bitwise operator", "bitwise", 0);
    strcpy(text + n, "} return a ~= b");
    passes(il__str(text), "260 constants and a comparison");
    passes_z("return 1 ~ (2 or 3)");
}

static void test_notes(void)
{
    struct il__admitted notes;
    struct il_error err = IL_ERROR_INIT;
    tap_ok(il__admit(IL_STR("\nx = 2 ^ 3"), &notes, NULL, &err) == IL_OK && notes.pow_line == 2, "^ is noted");
    tap_ok(il__admit(IL_STR("x = '^'"), &notes, NULL, &err) == IL_OK && notes.pow_line == 0, "but not in a string");
}

/* Every truncation of a file that holds every kind of token: must end, and read nothing beyond. */
static void test_truncations(void)
{
    static const char whole[] =
        "local a <const>, b = 0x1p-4, [==[ x ]] ]==] --[[ c ]] if a.b[1]:c'd' ~= \"\\z\n e\\\"\" then goto x end ::x:: "
        "return { [f(1 < 2)] = a // 3e+2 } -- end";
    bool ok = true;
    for (size_t n = 0; n < sizeof whole; n++) {
        char *exact = malloc(n ? n : 1);
        struct il_error err = IL_ERROR_INIT;
        memcpy(exact, whole, n);
        enum il_code code = il__admit((struct il_str){ exact, n }, NULL, NULL, &err);
        ok = ok && (code == IL_OK || code == IL_SCRIPT_ERROR) && (n != sizeof whole - 1 || code == IL_OK);
        free(exact);
    }
    tap_ok(ok, "every truncation ends within its bytes");
}

int main(void)
{
    test_limits();
    test_text();
    test_wrong_code();
    test_notes();
    test_truncations();
    return tap_done();
}
