/* Changing members of a document, and the search for the fewest changes over a function that is written here: what it
 * finds is what a look at every set of changes finds. Limits: explain_candidates, explain_evals, explain_flips,
 * explain_ms. */
#include "host/flips.h"
#include "host/json_edit.h"
#include "policy_gen.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

static struct il__mem mem;

/* ---- editing ------------------------------------------------------------------------------------------------------
 */

static void edits(const char *doc, const char *pointer, const char *value, const char *want)
{
    struct il__json json = { 0 };
    struct il__buf out;
    struct il_error err = IL_ERROR_INIT;
    il__buf_init(&out, &mem, 0);
    if (il__json_parse(&json, &mem, il__str(doc), IL__JSON_CONTRACT, &err)) tap_note("%s", err.message);
    enum il_code code = il__json_edit(&json, il__str(pointer), il__str(value), &out, &err);
    if (want) tap_str(il__buf_get(&out), want, "%s at %s of %s", value, pointer, doc);
    else tap_int(code, IL_INVALID_REQUEST, "nothing can stand at %s of %s", pointer, doc);
    il__json_clear(&json);
    il__buf_clear(&out);
}

static void editing(void)
{
    edits("{\"a\": 1, \"b\":2}", "/a", "7", "{\"a\": 7, \"b\":2}");
    edits("{\"a\":{\"b\":[1]}}", "/a/b", "null", "{\"a\":{\"b\":null}}");
    edits("{}", "/a", "\"x\"", "{\"a\":\"x\"}");
    edits("{\"b\":2}", "/a", "1", "{\"a\":1,\"b\":2}");
    edits("{\"b\":2}", "/a/c/d", "1", "{\"a\":{\"c\":{\"d\":1}},\"b\":2}");
    edits("{\"a\":null}", "/a/c", "1", "{\"a\":{\"c\":1}}");
    edits("{\"a\":{}}", "/a/c", "1", "{\"a\":{\"c\":1}}");
    edits("{\"a\":1}", "/a~1b~0", "1", "{\"a/b~\":1,\"a\":1}");
    edits("{\"a\":1}", "", "2", "2");
    edits("{\"a\":1}", "/a/b", "2", NULL);
    edits("{\"a\":[{}]}", "/a/0", "2", NULL);
    edits("{\"a\":1}", "a", "2", NULL);
    edits("{}", "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18", "2", NULL);
}

/* ---- a world of eight switches ------------------------------------------------------------------------------------
 */

enum { SWITCHES = 8, VALUES = 4, SETS = 200 };

/* The outcome of a case {"s0":n, ...}: a random function of all of them, or of the few that matter. */
struct world { uint64_t seed; uint32_t matter; uint32_t rare; long asked; };

static int outcome_of(const struct world *w, const int *values)
{
    struct gen g = { w->seed };
    for (int i = 0; i < SWITCHES; i++)
        if (w->matter & (1u << i)) g.state = g.state * 31 + (uint64_t)values[i] + 1;
    return gen_dice(&g, w->rare) ? 0 : 1 + (int)gen_dice(&g, 2);
}

static enum il_code outcome(void *ctx, struct il_str text, int *out, struct il_error *err)
{
    struct world *w = ctx;
    struct il__json doc = { 0 };
    int values[SWITCHES] = { 0 };
    w->asked++;
    *out = IL__OUTCOME_NONE;
    if (il__json_parse(&doc, &mem, text, IL__JSON_CONTRACT, err)) return IL_DECODE;
    for (int i = 0; i < SWITCHES; i++) {
        char name[4] = { 's', (char)('0' + i), 0, 0 };
        int64_t value = 0;
        uint32_t at = il__json_get(&doc, 0, name);
        if (at && il__json_int(&doc, at, &value)) values[i] = (int)value;
    }
    bool is_case = values[0] != 3; /* there is no such case */
    il__json_clear(&doc);
    if (is_case) *out = outcome_of(w, values);
    return IL_OK;
}

static struct il__changes make_changes(struct il__arena *arena)
{
    struct il__changes c = { arena, il__arena_alloc(arena, SWITCHES * VALUES * sizeof *c.items), 0, false };
    for (int i = 0; i < SWITCHES; i++) {
        for (int v = 1; v < VALUES; v++) {
            const char pointer[] = { '/', 's', (char)('0' + i), '\0' }, value[] = { (char)('0' + v), '\0' };
            struct il__change *item = &c.items[c.count++];
            if (il__arena_str(arena, il__str(pointer), &item->pointer) ||
                il__arena_str(arena, il__str(pointer + 1), &item->field) ||
                il__arena_str(arena, il__str(value), &item->value)) tap_ok(false, "memory");
        }
    }
    return c;
}

/* Every set of one or two changes, without the search. */
static size_t by_force(const struct world *w, int base, bool found[SWITCHES][SWITCHES])
{
    size_t fields = 0;
    for (int size = 1; size <= 2 && !fields; size++) {
        for (int i = 0; i < SWITCHES; i++) {
            for (int k = size == 1 ? i : i + 1; k < (size == 1 ? i + 1 : SWITCHES); k++) {
                for (int v = 1; v < VALUES; v++) {
                    for (int u = 1; u < VALUES; u++) {
                        int values[SWITCHES] = { 0 };
                        values[i] = v;
                        if (k != i) values[k] = u;
                        if (values[0] == 3 || outcome_of(w, values) == base) continue;
                        found[i][k] = true;
                        fields = (size_t)size;
                    }
                }
            }
        }
    }
    return fields;
}

static void search(void)
{
    struct il__arena arena;
    int sizes[3] = { 0 }, wrong = 0;
    il__arena_init(&arena, &mem);
    struct il__changes changes = make_changes(&arena);
    for (int n = 0; n < SETS; n++) {
        struct gen g = { (uint64_t)n };
        struct world w = { (uint64_t)n * 77, gen_dice(&g, 256), 3 + gen_dice(&g, 300), 0 };
        int zero[SWITCHES] = { 0 }, base = outcome_of(&w, zero);
        bool found[SWITCHES][SWITCHES] = { { false } };
        size_t fields = by_force(&w, base, found);
        static struct il__flips flips;
        struct il_error err = IL_ERROR_INIT;
        const struct il__flip_search s = { &mem, IL_STR("{}"), &changes, outcome, &w, base, 2, IL__LIMIT_EXPLAIN_EVALS,
                                           IL__LIMIT_EXPLAIN_FLIPS, NULL, 0 };
        if (il__flips_find(&s, &flips, &err)) wrong++;
        wrong += flips.fields != fields || (flips.fields > 0) != (flips.count > 0) || (long)flips.evals != w.asked;
        for (size_t i = 0; i < flips.count; i++) {
            size_t a = flips.items[i].changes[0] / (VALUES - 1), b = a;
            if (fields == 2) b = flips.items[i].changes[1] / (VALUES - 1);
            wrong += !found[a][b] || flips.items[i].outcome == base;
        }
        sizes[flips.fields]++;
    }
    tap_int(wrong, 0, "%d searches find what a look at every set finds", SETS);
    tap_ok(sizes[0] && sizes[1] && sizes[2], "none (%d), one (%d) and two fields (%d) were met", sizes[0], sizes[1],
           sizes[2]);
    il__arena_clear(&arena);
}

static void bounds(void)
{
    struct il__arena arena;
    static struct il__flips flips;
    struct il_error err = IL_ERROR_INIT;
    struct world w = { 1, 255, 1, 0 }, never = { 1, 0, UINT32_MAX, 0 };
    il__arena_init(&arena, &mem);
    struct il__changes changes = make_changes(&arena);
    struct il__flip_search s = { &mem, IL_STR("{}"), &changes, outcome, &w, 7, 2, 5, 100, NULL, 0 };
    tap_int(il__flips_find(&s, &flips, &err), IL_OK, "a search of five cases");
    tap_ok(flips.evals == 5 && flips.cut, "ends after five and says that it was cut");
    s.most_evals = IL__LIMIT_EXPLAIN_EVALS;
    s.most_flips = 2;
    tap_int(il__flips_find(&s, &flips, &err), IL_OK, "a search that lists two");
    tap_ok(flips.count == 2 && flips.more && flips.fields == 1, "lists two and says that there are more");
    s = (struct il__flip_search){ &mem, IL_STR("{}"), &changes, outcome, &never, 0, 1, IL__LIMIT_EXPLAIN_EVALS, 9,
                                  NULL, 0 };
    tap_int(il__flips_find(&s, &flips, &err), IL_OK, "a search of single changes");
    tap_ok(flips.evals == SWITCHES * (VALUES - 1) && flips.fields == 0, "tries no pair");
    s.most_fields = 2;
    tap_int(il__flips_find(&s, &flips, &err), IL_OK, "and with pairs");
    tap_int((long long)flips.evals, 24 + 24 * 21 / 2, "tries each pair once, and never two values of one field");
    struct il__clock clock;
    il__clock_init(&clock, NULL, NULL, NULL);
    s.clock = &clock;
    s.until_us = il__clock_us(&clock);
    tap_int(il__flips_find(&s, &flips, &err), IL_OK, "a search whose time is over");
    tap_ok(flips.late && !flips.cut && !flips.evals, "ends and says so");
    s.until_us += INT64_C(3600) * 1000000;
    tap_int(il__flips_find(&s, &flips, &err), IL_OK, "and one that has an hour");
    tap_ok(!flips.late && flips.evals == 24 + 24 * 21 / 2, "goes to its end");
    const struct il__change whole = { IL_STR("/a"), IL_STR("a"), IL_STR("1"), IL_STR_NONE };
    const struct il__change part = { IL_STR("/a/b"), IL_STR("a.b"), IL_STR("1"), IL_STR_NONE };
    const struct il__change other = { IL_STR("/ab"), IL_STR("ab"), IL_STR("1"), IL_STR_NONE };
    tap_ok(!il__changes_apart(&whole, &part) && !il__changes_apart(&part, &whole), "a whole and its part are no pair");
    tap_ok(il__changes_apart(&whole, &other), "names that merely begin alike are");
    il__arena_clear(&arena);
}

int main(void)
{
    il__mem_init(&mem, NULL, NULL, 0);
    editing();
    search();
    bounds();
    tap_int((long long)mem.in_use_bytes, 0, "nothing is left in memory");
    return tap_done();
}
