/* Mutants against tests: what is counted as noticed and what is not, the list beside a bundle, and the bounds of the
 * search for a case: mutate_evals, mutants_listed. */
#include "host/mutants_list.h"
#include "host/policy.h"
#include "script/mutants.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct il_file file(const char *path, const char *bytes)
{
    return (struct il_file){ il__str(path), il__str(bytes) };
}

static const char manifest[] =
    "{\"name\":\"b\",\"version\":\"1\",\"requires\":1,\"policies\":[{\"file\":\"p.lua\",\"level\":"
    "\"hard\"}]}";
#define HEAD "local policy = require 'interlock.policy'\nreturn policy { name = 'p', preview = function(action, ctx)\n"
static const char source[] = HEAD "if action.tool == 'a' then return policy.deny('no', { code = 'c' }) end\nend }";

/* A bundle of that source and those cases; the report is in `out`. */
static enum il_code mutate(const char *policy, const char *tests, const char *list, bool *passed, struct il_text *out,
                           struct il_error *err)
{
    struct il_policy_mutate_options o = IL_POLICY_MUTATE_OPTIONS_INIT;
    const struct il_file files[] = { file("bundle.json", manifest), file("p.lua", policy),
                                     file("p_test.lua", tests ? tests : "") };
    o.bundle.files = files;
    o.bundle.file_count = tests ? 3 : 2;
    o.allowed = il__str(list);
    return il_policy_mutate(&o, passed, out, err);
}

static bool holds(const struct il_text *out, const char *part)
{
    return out->ptr && memmem(out->ptr, out->len, part, strlen(part)) != NULL;
}

static void counted(void)
{
    static const char good[] = "return {\n"
        "{ name = 'a', action = { tool = 'a' }, expect = { verdict = 'deny', code = 'c' } },\n"
        "{ name = 'b', action = { tool = 'b' }, expect = 'none' } }";
    struct il_text out = IL_TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    struct il__arena arena;
    struct il__mem mem;
    struct il__mutants all;
    bool passed = false;
    char count[40];
    il__mem_init(&mem, NULL, NULL, 0);
    il__arena_init(&arena, &mem);
    tap_int(il__mutants_make(&arena, il__str(source), &all, &err), IL_OK, "the mutants of a policy");
    tap_int(mutate(source, good, NULL, &passed, &out, &err), IL_OK, "tests that notice all (%s)", err.message);
    snprintf(count, sizeof count, "\"mutants\":%zu,\"killed\":%zu", all.count, all.count);
    tap_ok(passed && holds(&out, count) && holds(&out, "\"score\":100"), "every one of %zu is noticed", all.count);
    il__arena_clear(&arena);
    tap_int(mutate(source, NULL, NULL, &passed, &out, &err), IL_OK, "no case at all");
    tap_ok(!passed && holds(&out, "\"killed\":0") && holds(&out, "\"score\":0"), "nothing is noticed");
    tap_int(mutate(source, "return { { name = 'b', action = { tool = 'b' }, expect = 'none' } }", NULL, &passed, &out,
                   &err),
            IL_OK, "half of the cases");
    tap_ok(!passed && holds(&out, "\"field\":\"action.tool\",\"value\":\"a\""),
           "a survivor comes with the case that would kill it");
    if (passed) tap_note("%.*s", (int)out.len, out.ptr);
    tap_int(mutate(source, "return { { name = 'b', action = { tool = 'b' }, expect = 'deny' } }", NULL, &passed, &out,
                   &err),
            IL_CONFLICT, "a case that fails by itself: nothing can be said");
    tap_ok(strstr(err.message, "case \"b\"") != NULL && !passed, "which one: %s", err.message);
    tap_int(mutate("return 1", good, NULL, &passed, &out, &err), IL_SCRIPT_ERROR, "a bundle that does not load");
    /* One that never ends is noticed: it is denied. */
    tap_int(
        mutate(
            HEAD
            "local n = 0\nwhile n < 3 do n = n + 1 end\nif n > 2 and action.tool == 'a' then return policy.deny('no', "
            "{ code = 'c' }) end\nend }",
            good, NULL, &passed, &out, &err),
        IL_OK, "mutants that never end");
    tap_ok(!holds(&out, "`n + 1`"), "are noticed");
    il_text_clear(&out);
}

static void bounded(void)
{
    static char policy[12000], tests[4000];
    struct il_text out = IL_TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    bool passed = false;
    size_t len = (size_t)snprintf(policy, sizeof policy, HEAD "local known = {");
    for (int i = 0; i < 120; i++) len += (size_t)snprintf(policy + len, sizeof policy - len, "'v%d',", i);
    /* Two fields would have to be different: no case with one change tells anything apart. */
    snprintf(policy + len, sizeof policy - len, "}\nlocal a = action.arguments\nlocal seen = a.a .. a.b .. a.c .. a.d\n"
             "if action.tool == 'x' and #seen == 77 and not action.reversible then return policy.deny('x') end\nend }");
    len = (size_t)snprintf(tests, sizeof tests, "return {");
    for (int i = 0; i < 12; i++)
        len += (size_t)snprintf(tests + len, sizeof tests - len,
                                "{ name = 'n%d', action = { tool = 'b', arguments = { a = '1', "
                                "b = '1', c = '1', d = '1' } }, expect = 'none' },",
                                i);
    snprintf(tests + len, sizeof tests - len, "}");
    tap_int(mutate(policy, tests, NULL, &passed, &out, &err), IL_OK, "a search without end (%s)", err.message);
    tap_ok(!passed && holds(&out, "\"cut\":\"mutate_evals\""), "is ended by mutate_evals, and says so");
    il_text_clear(&out);
}

/* ---- the list -----------------------------------------------------------------------------------------------------
 */

static enum il_code read_list(const char *text, struct il__mutants_list *list, struct il__arena *arena,
                              struct il_error *err)
{
    return il__mutants_list_read(list, arena, il__str(text), err);
}

static void lists(void)
{
    struct il__mem mem;
    struct il__arena arena;
    struct il__mutants_list list;
    struct il_error err = IL_ERROR_INIT;
    il__mem_init(&mem, NULL, NULL, 0);
    il__arena_init(&arena, &mem);
    tap_int(read_list("# Title\n\nprose | with a bar\n\n| place | mutant | why |\n|---|---|---|\n| p.lua:3 | `<` -> "
                      "`<=` | an hour "
                      "is whole |\r\n| `m.lua:12` | `a \\| b` -> `x -> y` | because |\n| other | table |\n",
                      &list, &arena, &err),
            IL_OK, "a list with prose around");
    tap_int((long long)list.count, 2, "two rows count");
    tap_str(list.items[0].file, "p.lua", "the file");
    tap_int(list.items[0].line, 3, "the line");
    tap_str(list.items[0].before, "<", "before");
    tap_str(list.items[0].after, "<=", "after");
    tap_str(list.items[0].why, "an hour is whole", "why");
    tap_int(list.items[0].at_line, 7, "its place in the list");
    tap_str(list.items[1].file, "m.lua", "a place in backticks");
    tap_str(list.items[1].before, "a | b", "a bar is escaped");
    tap_str(list.items[1].after, "x -> y", "an arrow of its own");
    tap_ok(il__mutants_list_find(&list, IL_STR("p.lua"), 3, IL_STR("<"), IL_STR("<=")) == &list.items[0], "found");
    tap_ok(!il__mutants_list_find(&list, IL_STR("p.lua"), 4, IL_STR("<"), IL_STR("<=")) &&
           !il__mutants_list_find(&list, IL_STR("p.lua"), 3, IL_STR("<"), IL_STR("=")), "only by all of it");
    static const char *const wrong[] = { "| p.lua:3 |\n", "| p.lua:3 | < |\n", "| p.lua:3 | < <= | why |\n",
                                         "| p.lua:3 | `<` -> `<=` | |\n" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        tap_int(read_list(wrong[i], &list, &arena, &err), IL_DECODE, "a row without all its cells: %s", wrong[i]);
    static char many[IL__LIMIT_MUTANTS_LISTED * 40 + 80];
    size_t len = 0;
    for (int i = 0; i < IL__LIMIT_MUTANTS_LISTED; i++)
        len += (size_t)snprintf(many + len, sizeof many - len, "| p.lua:%d | `<` -> `<=` | why |\n", i);
    tap_int(read_list(many, &list, &arena, &err), IL_OK, "as many rows as mutants_listed");
    snprintf(many + len, sizeof many - len, "| p.lua:1 | `<` -> `<=` | why |\n");
    tap_int(read_list(many, &list, &arena, &err), IL_LIMIT_EXCEEDED, "one more");
    il__arena_clear(&arena);
    tap_int((long long)mem.in_use_bytes, 0, "nothing is left in memory");
}

int main(void)
{
    counted();
    bounded();
    lists();
    return tap_done();
}
