/* Mutants of policies: every rule by example, that each still parses and keeps its lines, over every script here; and
 * what tools take from a tree: lines, as the virtual machine reports them, and constants. */
#include "script/mutants.h"
#include "script/syntax_places.h"

#include "tap.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>

static struct il__mem mem;

static size_t lines_of(struct il_str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) n += s.ptr[i] == '\n';
    return n;
}

/* All mutants as text: "RULE LINE:COLUMN BEFORE -> AFTER" with line breaks shown as |, one after the other. */
static void list(const char *source, struct il__buf *out)
{
    struct il__arena arena;
    struct il__mutants all = { 0 };
    struct il_error err = IL_ERROR_INIT;
    il__arena_init(&arena, &mem);
    if (il__mutants_make(&arena, il__str(source), &all, &err) != IL_OK) il__buf_puts(out, err.message);
    for (size_t i = 0; i < all.count; i++) {
        const struct il__mutant *m = &all.items[i];
        if (i) il__buf_puts(out, "; ");
        il__buf_printf(out, "%s %u:%u ", il__mutation_name(m->rule), m->line, m->column);
        il__buf_str(out, m->before);
        il__buf_puts(out, " -> ");
        il__buf_str(out, m->after);
    }
    for (size_t i = 0; i < out->len; i++)
        if (out->ptr[i] == '\n') out->ptr[i] = '|';
    il__arena_clear(&arena);
}

static void gives(const char *source, const char *want)
{
    struct il__buf out;
    il__buf_init(&out, &mem, 0);
    list(source, &out);
    il__buf_putc(&out, '\0');
    tap_str((struct il_str){ out.ptr, out.len - 1 }, want, "mutants of %s", source);
    il__buf_clear(&out);
}

static void test_rules(void)
{
    gives("f(a == b)", "comparison 1:5 == -> ~=");
    gives("f(a ~= b)", "comparison 1:5 ~= -> ==");
    gives("f(a < b)", "comparison 1:5 < -> <=; comparison 1:5 < -> >=");
    gives("f(a <= b)", "comparison 1:5 <= -> <; comparison 1:5 <= -> >");
    gives("f(a > b)", "comparison 1:5 > -> >=; comparison 1:5 > -> <=");
    gives("f(a >= b)", "comparison 1:5 >= -> >; comparison 1:5 >= -> <");
    gives("f(a and b or c)", "logic 1:11 or -> and; logic 1:5 and -> or");
    gives("f(not a)", "not 1:3 not  ->  ");
    gives("if f() then end", "condition 1:4 f() ->  not (f()) ");
    gives("if a then elseif(b)then else end", "condition 1:4 a ->  not (a) ; condition 1:17 (b) ->  not ((b)) ");
    gives("while a do end", "condition 1:7 a ->  not (a) ");
    gives("if (not a) then end", "not 1:5 not  ->  ");
    gives("if (a == b) then end", "comparison 1:7 == -> ~=");
    gives("if true then end", "boolean 1:4 true -> false");
    gives("f(a + b - c)", "arithmetic 1:9 - -> +; arithmetic 1:5 + -> - ");
    gives("f(a * b / c)", "arithmetic 1:9 / -> *; arithmetic 1:5 * -> /");
    gives("f(a .. b % c // d ^ e)", "");
    gives("x = 7", "number 1:5 7 -> 8; number 1:5 7 -> 6");
    gives("x = -0", "number 1:6 0 -> 1; number 1:6 0 ->  -1");
    gives("x = 1.5", "number 1:5 1.5 -> 2.5; number 1:5 1.5 -> 0.5");
    gives("x = 0x10", "number 1:5 0x10 -> 17; number 1:5 0x10 -> 15");
    gives("x = 0x7fffffffffffffff", "");
    gives("for i = 1, #t do end", "bound 1:12 #t -> (#t) - 1; number 1:9 1 -> 2; number 1:9 1 -> 0");
    gives("f(a == 'x')", "comparison 1:5 == -> ~=; text 1:8 'x' -> \"other\"");
    gives("f(a ~= 'other')", "comparison 1:5 ~= -> ==; text 1:8 'other' -> \"another\"");
    gives("f(policy.glob('*.md', a))", "text 1:15 '*.md' -> \"other\"");
    gives("local p = require 'interlock.policy' error('x') log('x')", "");
    gives("x = false", "boolean 1:5 false -> true");
    gives("x = { 'a', 'b' }", "item 1:7 'a',  -> ; item 1:10 , 'b' -> ");
    gives("x = { 'a', }", "item 1:7 'a',  -> ");
    gives("x = { 'a',\n b, y = true,\n}", "item 1:7 'a',|  -> |; item 2:3 , y = true -> ; boolean 2:9 true -> false");
}

static void test_verdicts(void)
{
    gives("x = { preview = function() return policy.deny('a') end }",
          "nil 1:35 policy.deny('a') -> nil; verdict 1:42 deny -> ask");
    gives("x = { execute = function() return policy.deny('a') end }", "nil 1:35 policy.deny('a') -> nil");
    gives("x = { approve = function() return policy.deny('a') end }", "nil 1:35 policy.deny('a') -> nil");
    gives("x = function() if a then return policy.deny('a',\n'b') end return end",
          "condition 1:19 a ->  not (a) ; drop 1:26 return policy.deny('a',|'b') -> |; "
          "nil 1:33 policy.deny('a',|'b') -> nil|; verdict 1:40 deny -> ask");
    gives("x = function() if a then return policy.deny('a') end end",
          "condition 1:19 a ->  not (a) ; nil 1:33 policy.deny('a') -> nil; verdict 1:40 deny -> ask");
    gives("x = function() for _ in p do return policy.deny('a') end end",
          "drop 1:30 return policy.deny('a') -> ; nil 1:37 policy.deny('a') -> nil; verdict 1:44 deny -> ask");
    gives("x = function() return policy.ask('a', { code = 'c',\n timeout = '1h', remedy = r }) end",
          "nil 1:23 policy.ask('a', { code = 'c',| timeout = '1h', remedy = r }) -> nil|; verdict 1:30 "
          "ask('a', { code = 'c',| timeout = '1h', remedy = r }) -> deny('a', { code = 'c', remedy = r })|");
    gives("x = function() return policy.ask('a', { timeout = '1h' }) end",
          "nil 1:23 policy.ask('a', { timeout = '1h' }) -> nil; verdict 1:30 ask('a', { timeout = '1h' }) -> deny('a', "
          "{})");
    gives("x = function() return policy.ask('a', o) end",
          "nil 1:23 policy.ask('a', o) -> nil; verdict 1:30 ask -> deny");
    gives("x = function() return true end", "boolean 1:23 true -> false");
    gives("x = function() return f(), 2 end",
          "nil 1:23 f(), 2 -> nil; number 1:28 2 -> 3; number 1:28 2 -> 1");
    gives("return policy { name = 'x' }", "");
    gives("if x then", "1: `end` is expected here, not the end of the file");
}

struct tried { size_t files, mutants; };

static void each_script(void *ctx, const char *path, const char *bytes, size_t len)
{
    struct tried *tried = ctx;
    struct il__arena arena;
    struct il__mutants all = { 0 };
    struct il_str source = { bytes, len };
    size_t wrong = 0;
    il__arena_init(&arena, &mem);
    if (len <= 20000 && il__mutants_make(&arena, source, &all, NULL) == IL_OK) tried->files++;
    for (size_t i = 0; i < all.count; i += 1 + all.count / 15) {
        struct il__buf out;
        struct il__syntax *tree = NULL;
        struct il_error err = IL_ERROR_INIT;
        il__buf_init(&out, &mem, 0);
        il__mutant_source(source, &all.items[i], &out);
        struct il_str got = il__buf_get(&out);
        bool ok = il__syntax_parse(&mem, got, &tree, NULL, &err) == IL_OK && lines_of(got) == lines_of(source) &&
                  !il__str_eq(got, source);
        bool twice = i > 0 && all.items[i].from == all.items[i - 1].from && all.items[i].to == all.items[i - 1].to &&
                     il__str_eq(all.items[i].after, all.items[i - 1].after);
        if ((!ok || twice) && wrong++ == 0)
            tap_note("%s:%u:%u: %.*s -> %.*s: %s", path, all.items[i].line, all.items[i].column,
                     IL_STR_FMT(all.items[i].before), IL_STR_FMT(all.items[i].after), err.message);
        il__syntax_free(tree);
        il__buf_clear(&out);
        tried->mutants++;
    }
    if (wrong) tap_ok(false, "%s: mutants that are no Lua, or none", path);
    il__arena_clear(&arena);
}

static void test_scripts(void)
{
    static const char *const folders[] = { "lua", "policies", "examples", "tests" };
    struct tried tried = { 0, 0 };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) tap_each(folders[i], ".lua", each_script, &tried);
    tap_ok(tried.files > 50 && tried.mutants > 1000, "%zu mutants of %zu scripts are Lua", tried.mutants, tried.files);
}

static void test_bounds(void)
{
    char *text = malloc(IL__LIMIT_SCRIPT_SOURCE + 64);
    struct il_error err = IL_ERROR_INIT;
    struct il__arena arena;
    struct il__mutants all = { 0 };
    il__arena_init(&arena, &mem);
    memcpy(text, "x=1", 4);
    for (size_t i = 3; i < 3 + IL__LIMIT_SCRIPT_MUTANTS - 2; i += 2) memcpy(text + i, "*1", 3);
    /* one number and each `*1` give two and three mutants: 2 + 3n */
    size_t fit = 3 + (IL__LIMIT_SCRIPT_MUTANTS - 2) / 3 * 2;
    tap_ok(il__mutants_make(&arena, (struct il_str){ text, fit }, &all, &err) == IL_OK &&
               all.count == (IL__LIMIT_SCRIPT_MUTANTS - 2) / 3 * 3 + 2,
           "as many mutants as script_mutants (%zu)", all.count);
    tap_ok(il__mutants_make(&arena, (struct il_str){ text, fit + 4 }, &all, &err) == IL_LIMIT_EXCEEDED &&
               strstr(err.message, "script_mutants"), "one more: %s", err.message);
    il__arena_clear(&arena);
    free(text);
    for (uint64_t n = 1;; n++) {
        struct il__mem small;
        il__mem_init(&small, NULL, NULL, 0);
        small.fail_at = n;
        il__arena_init(&arena, &small);
        enum il_code code =
            il__mutants_make(&arena, IL_STR("x = { 1, 'a' } if f() then return a == 'b' end"), &all, NULL);
        il__arena_clear(&arena);
        if (small.in_use_bytes || (code != IL_OK && code != IL_OUT_OF_MEMORY) || n > 200)
            tap_ok(false, "allocation %d", (int)n);
        if (code == IL_OK || n > 200) break;
    }
}

/* ---- lines and constants ----------------------------------------------------------------------------------------- */

static bool reported[200];

static void hook(lua_State *L, lua_Debug *ar)
{
    (void)L;
    if (ar->currentline > 0 && ar->currentline < 200) reported[ar->currentline] = true;
}

static void test_lines(void)
{
    static const char source[] =
        "local x = 1\n"                     /* 1 */
        "local function f(a)\n"             /* 2: a definition */
        "  if a then\n"                     /* 3 */
        "    return 1\n"                    /* 4 */
        "  elseif x then\n"                 /* 5: no statement of its own */
        "    x = 2\n"                       /* 6 */
        "  end\n"                           /* 7 */
        "  return {\n"                      /* 8 */
        "    1, f\n"                        /* 9 */
        "  }\n"                             /* 10 */
        "end\n"                             /* 11 */
        "do\n"                              /* 12 */
        "  local q\n"                       /* 13 */
        "  repeat q = 1\n"                  /* 14: the statement inside */
        "  until q\n"                       /* 15 */
        "end\n"                             /* 16 */
        "for i = 1, 2 do\n"                 /* 17 */
        "  f(i); f(nil)\n"                  /* 18 */
        "end\n"                             /* 19 */
        "for _ in pairs {\n"                /* 20 */
        "} do x = 5 end\n"                  /* 21: never runs, but stands there */
        "while x ~= 3 do\n"                 /* 22 */
        "  x = 3\n"                         /* 23 */
        "  goto next\n"                     /* 24 */
        "  ::next::\n"                      /* 25 */
        "end\n"                             /* 26 */
        "local t = {}\n"                    /* 27 */
        "t.f = function()\n"                /* 28: a definition, made at 30 */
        "  return x\n"                      /* 29 */
        "end\n"                             /* 30 */
        "x = function() end\n"              /* 31: a definition */
        "t.g, t.h = 1,\n"                   /* 32 */
        "  t.f()\n"                         /* 33 */
        "local c <const> = 5\n"             /* 34 */
        "return t\n";                       /* 35 */
    static const uint32_t want[] = { 1, 3, 4, 6, 8, 13, 14, 17, 18, 20, 21, 22, 23, 24, 27, 29, 32, 35 };
    struct il__arena arena;
    struct il__lines lines = { 0 };
    struct il__syntax *s = NULL;
    il__arena_init(&arena, &mem);
    bool ok = il__syntax_parse(&mem, il__str(source), &s, NULL, NULL) == IL_OK && il__syntax_lines(s, &arena, &lines);
    ok = ok && lines.count == sizeof want / sizeof *want && memcmp(lines.items, want, sizeof want) == 0;
    if (!tap_ok(ok, "the lines of statements"))
        for (size_t i = 0; i < lines.count; i++) tap_note("%u", lines.items[i]);
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    lua_sethook(L, hook, LUA_MASKLINE, 0);
    tap_ok(luaL_dostring(L, source) == LUA_OK, "the sample runs");
    lua_close(L);
    for (size_t i = 0; i < lines.count; i++)
        if (lines.items[i] != 21) tap_ok(reported[lines.items[i]], "the machine reports line %u", lines.items[i]);
    il__syntax_free(s);
    il__arena_clear(&arena);
}

static void number_is(const char *text, bool integer, int64_t i, double n)
{
    int64_t got_i = 0;
    double got_n = 0;
    bool is = il__syntax_number(il__str(text), &got_i, &got_n);
    tap_ok(is == integer && (integer ? got_i == i : got_n == n), "the value of %s (%lld, %g)", text, (long long)got_i,
           got_n);
}

static void test_constants(void)
{
    struct il__arena arena;
    struct il__constants c = { 0 };
    struct il__syntax *s = NULL;
    const char *source = "local p = require 'a'\nx.y = { z = 'v', ['k'] = 3, -4.5 }\nx:m('n')\nif a == 'd' then end";
    il__arena_init(&arena, &mem);
    bool ok = il__syntax_parse(&mem, il__str(source), &s, NULL, NULL) == IL_OK && il__syntax_constants(s, &arena, &c);
    tap_ok(ok && c.count == 6, "the constants of a source (%zu)", c.count);
    if (c.count == 6) {
        tap_str(c.items[0].text, "v", "a value of a field");
        tap_str(c.items[1].text, "k", "a key that is written as one");
        tap_ok(c.items[2].number && c.items[2].integer && c.items[2].i == 3, "an integer");
        tap_ok(c.items[3].number && !c.items[3].integer && c.items[3].n == 4.5, "a float");
        tap_ok(!c.items[4].number && c.items[4].line == 3 && c.items[4].column == 5, "the place of an argument");
        tap_str(c.items[5].text, "d", "what is compared");
    }
    il__syntax_free(s);
    il__arena_clear(&arena);
    number_is("0", true, 0, 0);
    number_is("9223372036854775807", true, INT64_MAX, 0);
    number_is("9223372036854775808", false, 0, 9223372036854775808.0);
    number_is("0xffffffffffffffff", true, -1, 0);
    number_is("007", true, 7, 0);
    number_is("3.", false, 0, 3);
    number_is(".5", false, 0, 0.5);
    number_is("1e2", false, 0, 100);
    number_is("3.e1", false, 0, 30);
    number_is("00.25e+1", false, 0, 2.5);
    number_is("0x.8p1", false, 0, 1);
    number_is("0xA.8p-1", false, 0, 5.25);
}

int main(void)
{
    il__mem_init(&mem, NULL, NULL, 0);
    test_rules();
    test_verdicts();
    test_scripts();
    test_bounds();
    test_lines();
    test_constants();
    tap_int((long long)mem.in_use_bytes, 0, "nothing is left");
    return tap_done();
}
