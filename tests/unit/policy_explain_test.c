/* What would have to be different: the search over real policies, held against a look at every set of changes that asks
 * no policy but the model of policy_gen.h; and what an explanation says of written policies. Limits:
 * explain_candidates, explain_evals, explain_flips. */
#include "host/candidates.h"
#include "host/policy.h"
#include "policy_gen.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = 200, CHANGES = 16 };

static struct il_file file(const char *path, const char *bytes)
{
    return (struct il_file){ il__str(path), il__str(bytes) };
}

static il_policy *fresh(void)
{
    struct il_policy_options options = IL_POLICY_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    il_policy *p = NULL;
    if (il_policy_new(&options, &p, &err)) exit(1);
    return p;
}

/* ---- against every set of changes ---------------------------------------------------------------------------------
 */

/* A case as the model sees it. */
static struct gen_action seen_of(const struct il__case *c)
{
    const struct il__envelope *e = &c->envelope;
    const struct il__any *args = &c->proposal.arguments;
    int64_t n = 0;
    uint32_t at = il__json_get(args->doc, args->at, "N");
    struct gen_action a = {
        .tool = gen_index_tool(e->tool), .mode = gen_index_mode(il__str(il__mode_names[c->proposal.mode])),
        .cls = e->action_class, .n = at && il__json_int(args->doc, at, &n) ? (int)n : GEN_NO_NUMBER,
        .hour = (int)(c->now.sec / 3600 % 24), .app = e->target ? gen_index_app(e->target->app_id) : -1, .label = -1,
        .sensitivity = e->target_sensitivity ? e->target_sensitivity->assessment : -1,
        .untrusted = e->provenance ? e->provenance->untrusted_instruction : -1, .reversible = e->reversible,
        .external = e->external_side_effect, .route = (int)c->route, .budget = (int)c->lease.action_budget,
    };
    for (size_t i = 0; i < e->data_labels.count; i++) {
        int label = gen_index_label(e->data_labels.items[i]);
        if (label < 2) a.label = a.label >= 0 && a.label != label ? 2 : label;
    }
    return a;
}

/* What all policies amount to, phase after phase, by the model alone. */
static enum il__verdict model(const struct gen_bundle *b, const struct gen_action *a)
{
    enum il__verdict merged = IL__VERDICT_NONE;
    const struct gen_rule *overridden[GEN_POLICIES][2] = { { NULL } };
    for (int phase = 0; phase < 4 && merged != IL__VERDICT_DENY; phase++) {
        if (phase == IL__PHASE_APPROVE || (phase == IL__PHASE_EXECUTE && a->route == IL__ROUTE_BLOCKED)) continue;
        for (int i = 0; i < b->count; i++) {
            const struct gen_policy *p = &b->policies[i];
            if (!(p->phases & (1u << phase))) continue;
            struct gen_said said = gen_said(p, (enum il__phase)phase, phase > 0, a);
            bool over = false;
            for (int k = 0; k < 2 && said.rule; k++) {
                const struct gen_rule *r = overridden[i][k];
                over |= r && r->code == said.rule->code && (r->code || r->reason == said.rule->reason);
            }
            enum gen_ruled ruled = gen_ruled(p->level, (int)said.said, (enum il__phase)phase, over);
            if (ruled == GEN_OVERRIDE && said.said == GEN_SAID_DENY && phase < 2) overridden[i][phase] = said.rule;
            merged = il__verdict_max(merged, gen_weight(ruled));
        }
    }
    return merged;
}

/* `into` with what `other` has different from `base`. */
static struct gen_action both(const struct gen_action *base, const struct gen_action *one,
                              const struct gen_action *other)
{
    struct gen_action out = *one;
#define TAKE(m) if (other->m != base->m) out.m = other->m
    TAKE(tool); TAKE(mode); TAKE(cls); TAKE(n); TAKE(hour); TAKE(app); TAKE(label); TAKE(sensitivity); TAKE(untrusted);
    TAKE(reversible); TAKE(external); TAKE(route); TAKE(budget);
#undef TAKE
    return out;
}

struct oracle {
    const struct gen_bundle *bundle;
    struct gen_action base, alone[IL__LIMIT_EXPLAIN_CANDIDATES];
    bool is_case[IL__LIMIT_EXPLAIN_CANDIDATES];
    enum il__verdict verdict;
};

static bool flips(const struct oracle *o, size_t i, size_t k)
{
    struct gen_action a = both(&o->base, &o->alone[i], &o->alone[k]);
    return o->is_case[i] && o->is_case[k] && model(o->bundle, &a) != o->verdict;
}

static size_t by_force(const struct oracle *o, const struct il__changes *changes)
{
    for (size_t i = 0; i < changes->count; i++)
        if (flips(o, i, i)) return 1;
    for (size_t i = 0; i < changes->count; i++)
        for (size_t k = i + 1; k < changes->count; k++)
            if (il__changes_apart(&changes->items[i], &changes->items[k]) && flips(o, i, k)) return 2;
    return 0;
}

static enum il_code judge(void *ctx, struct il_str json, int *out, struct il_error *err)
{
    struct il_str text;
    struct il__json doc = { 0 };
    il_policy *p = ctx;
    *out = IL__OUTCOME_NONE;
    if (il_policy_eval(p, json, 0, &text, err)) return IL_OK;
    if (il__json_parse(&doc, &p->mem, text, IL__JSON_PAYLOAD, err)) return IL_DECODE;
    struct il_str verdict = il__json_raw(&doc, il__json_get(&doc, 0, "verdict"));
    *out = il__name_index(il__verdict_names, (struct il_str){ verdict.ptr + 1, verdict.len - 2 });
    il__json_clear(&doc);
    return IL_OK;
}

/* Every change alone, as the model sees it. */
static void see_changes(struct oracle *o, il_policy *p, struct il_str given, const struct il__changes *changes)
{
    for (size_t i = 0; i < changes->count; i++) {
        const struct il__change *one = &changes->items[i];
        struct il__buf text;
        struct il__case c;
        struct il_error err = IL_ERROR_INIT;
        il__buf_init(&text, &p->mem, 0);
        o->is_case[i] = !il__flip_apply(&p->mem, given, &one, 1, &text, &err);
        if (o->is_case[i]) {
            o->is_case[i] = !il__case_read(&p->mem, il__buf_get(&text), 0, &c, &err);
            if (o->is_case[i]) o->alone[i] = seen_of(&c);
            il__case_clear(&c);
        }
        il__buf_clear(&text);
    }
}

/* Some of the changes, always others, so that every pair of them can be looked at. */
static void thin_out(struct gen *g, struct il__changes *changes)
{
    while (changes->count > CHANGES) {
        size_t gone = gen_dice(g, (uint32_t)changes->count);
        memmove(&changes->items[gone], &changes->items[gone + 1], (changes->count - gone - 1) * sizeof *changes->items);
        changes->count--;
    }
}

struct tally { int wrong, models, sizes[3], flips; size_t most; };

static void compare(struct tally *t, struct gen *g, il_policy *p, const struct gen_bundle *b, struct il_str json)
{
    static struct oracle o;
    static struct il__pool pool;
    static struct il__flips found;
    struct il_error err = IL_ERROR_INIT;
    struct il__case c;
    struct il__json result = { 0 };
    struct il__arena arena;
    struct il_str text;
    il__arena_init(&arena, &p->mem);
    if (il__case_read(&p->mem, json, 0, &c, &err) || il_policy_eval(p, json, IL_POLICY_TRACE, &text, &err) ||
        il__json_parse_copy(&result, &p->mem, text, IL__JSON_PAYLOAD, &err) ||
        il__pool_fill(&pool, p->set, &arena, &err)) {
        t->wrong++;
        tap_note("%s", err.message);
    }
    struct il__changes changes = { .arena = &arena };
    const struct il__candidates from = { &p->mem, &c.doc, &result, &pool };
    if (il__candidates_make(&from, &changes, &err)) t->wrong++;
    if (changes.count > t->most) t->most = changes.count;
    thin_out(g, &changes);
    o.bundle = b;
    o.base = seen_of(&c);
    o.verdict = model(b, &o.base);
    see_changes(&o, p, c.doc.text, &changes);
    int base = 0;
    if (judge(p, json, &base, &err) || base != (int)o.verdict) t->models++;
    const struct il__flip_search s = { &p->mem, c.doc.text, &changes, judge, p, base, 2, IL__LIMIT_EXPLAIN_EVALS,
                                       IL__LIMIT_EXPLAIN_FLIPS, NULL, 0 };
    if (il__flips_find(&s, &found, &err)) t->wrong++;
    size_t fewest = by_force(&o, &changes);
    if (fewest != found.fields && t->wrong++ == 0)
        tap_note("%zu instead of %zu: %.*s", found.fields, fewest, IL_STR_FMT(json));
    for (size_t i = 0; i < found.count; i++, t->flips++)
        if (!flips(&o, found.items[i].changes[0], found.items[i].changes[fewest == 2 ? 1 : 0])) t->wrong++;
    t->sizes[found.fields]++;
    il__json_clear(&result);
    il__case_clear(&c);
    il__arena_clear(&arena);
}

static void minimal(void)
{
    static struct gen_bundle b;
    struct tally t = { 0 };
    char json[2000], names[GEN_POLICIES][24];
    for (int n = 0; n < CASES; n++) {
        struct gen g = { (uint64_t)n + 5000 };
        struct il_error err = IL_ERROR_INIT;
        gen_bundle(&g, &b, 0);
        struct gen_action a = gen_action(&g);
        il_policy *p = fresh();
        struct il_file files[1 + GEN_POLICIES] = { file("bundle.json", b.manifest) };
        for (int i = 0; i < b.count; i++) {
            snprintf(names[i], sizeof names[i], "p%d.lua", i);
            files[i + 1] = file(names[i], b.policies[i].source);
        }
        if (il_policy_add(p, files, 1 + (size_t)b.count, IL_STR_NONE, &err)) t.wrong++;
        struct il_str text = { json, gen_case(&a, json, sizeof json) };
        compare(&t, &g, p, &b, text);
        il_policy_free(p);
    }
    tap_int(t.models, 0, "the model and the policies agree on every case");
    tap_int(t.wrong, 0, "in %d generated cases the fewest changes are what a look at every set of them finds", CASES);
    tap_ok(t.sizes[0] && t.sizes[1] && t.sizes[2], "none %d, one %d, two %d; %d flips; at most %zu candidates",
           t.sizes[0], t.sizes[1], t.sizes[2], t.flips, t.most);
}

/* ---- what is said -------------------------------------------------------------------------------------------------
 */

/* One policy, preview only, with this body; the explanation of that case holds all of these texts. */
static void explains(const char *body, const char *json, const char *const *texts)
{
    static char source[10000];
    struct il_error err = IL_ERROR_INIT;
    struct il_str out = IL_STR_NONE;
    il_policy *p = fresh();
    snprintf(source, sizeof source, "local policy = require 'interlock.policy'\nreturn policy { name = 'p', preview = "
             "function(action, ctx)\n%s\nend }", body);
    const struct il_file files[] = {
        file("bundle.json",
             "{\"name\":\"b\",\"version\":\"1\",\"requires\":1,\"policies\":[{\"file\":\"p.lua\",\"level\":"
             "\"hard\",\"params\":{\"opens\":{\"type\":\"integer\",\"default\":9}}}]}"),
        file("p.lua", source)
    };
    if (il_policy_add(p, files, 2, IL_STR_NONE, &err)) tap_note("%s", err.message);
    enum il_code code = il_policy_explain(p, il__str(json), 0, &out, &err);
    tap_int(code, IL_OK, "%.60s: explained (%s)", body, err.message);
    for (size_t i = 0; texts[i] && !code; i++)
        if (!tap_ok(memmem(out.ptr, out.len, texts[i], strlen(texts[i])) != NULL, "it says: %s", texts[i]))
            tap_note("%.*s", IL_STR_FMT(out));
    il_policy_free(p);
}
#define SAYS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void written(void)
{
    const char *plain = "{\"tool\":\"click\"}";
    explains("if action.action_class ~= 'navigate' then return policy.deny('no', { code = 'c' }) end", plain,
             SAYS("with action.action_class = navigate it would be allowed", "\"fields\":1", "\"line\":3",
                  "{\"path\":\"action.action_class\",\"value\":\"edit_reversible\"}", "\"verdict\":\"deny\""));
    explains("if ctx.time.hour < ctx.params.opens then return policy.ask('early') end", plain,
             SAYS("with ctx.time = 00:00 (2026-01-05T00:00:00.000Z) it would need approval", "\"others\":8"));
    explains("if action.arguments.n and action.arguments.n > 100 then return policy.deny('much') end",
             "{\"tool\":\"click\",\"arguments\":{\"n\":500}}",
             SAYS("with action.arguments.n = 99 it would be allowed", "\"others\":6"));
    explains("if action.target and action.target.app_id == 'bank' then return policy.deny('bank') end",
             "{\"tool\":\"click\",\"target\":{\"platform\":\"linux\",\"appId\":\"bank\",\"observationId\":\"o\","
             "\"confidence\":1,\"capturedAt\":\"2026-01-05T12:00:00Z\"}}",
             SAYS("without action.target it would be allowed"));
    explains("if action.target_sensitivity and action.target_sensitivity.assessment == 'sensitive' then\n"
             "return policy.deny('secret') end", plain,
             SAYS("with action.target_sensitivity.assessment = sensitive it would be denied"));
    explains("if ctx.history { outcome = 'failed' } >= 3 then return policy.ask('thrice') end",
             "{\"action\":{\"tool\":\"click\"},\"history\":[{\"outcome\":\"failed\"},{\"outcome\":\"verified\"}]}",
             SAYS("with ctx.history = 3 earlier runs that fit it would need approval"));
    explains("ctx.limit { key = 'k', max = 5, per = '1h' }", plain,
             SAYS("with ctx.limit k = 5 of 5 used it would be denied"));
    explains("if action.tool == 'key' and not action.reversible then return policy.deny('both') end", plain,
             SAYS("\"fields\":2", "with action.tool = key and with action.reversible = false it would be denied"));
    explains("if action.data_labels[1] ~= 'private' then return end return policy.deny('x')", plain,
             SAYS("with action.data_labels = [\\\"private\\\"] it would be denied"));
    explains("return policy.deny('never')", plain, SAYS("\"fields\":0", "\"flips\":[]", "\"cut\":[]"));
    explains("if ctx.time.weekday == 'sunday' then return policy.deny('rest') end", plain,
             SAYS("with ctx.time = sunday"));
    explains("if ctx.route == 'approval' then return policy.deny('x') end", plain,
             SAYS("with ctx.route = approval it would be denied"));
    explains("if action.postcondition == nil then return policy.deny('x') end", plain,
             SAYS("with action.postcondition = one without a digest it would be allowed"));
    explains("for _ in pairs(action) do end error('x')", plain, SAYS("\"said\":\"error\"", "\"fields\":0"));
}

/* More constants than there is room for, in places that are read; that a search ends after explain_evals is seen in
 * flips_test, with a smaller number. */
static void bounded(void)
{
    static char body[8000];
    size_t len = (size_t)snprintf(body, sizeof body, "local known = {");
    for (int i = 0; i < 120; i++) len += (size_t)snprintf(body + len, sizeof body - len, "t%d='v%d',", i, i);
    snprintf(body + len, sizeof body - len, "}\nlocal a = action.arguments\nlocal seen = a.a .. a.b .. a.c .. a.d\n"
             "if action.tool ~= 'v7' then return policy.deny('x') end");
    explains(body, "{\"tool\":\"click\",\"arguments\":{\"a\":\"1\",\"b\":\"1\",\"c\":\"1\",\"d\":\"1\"}}",
             SAYS("\"candidates\":400", "\"cut\":[\"explain_candidates\"]", "\"tried\":400"));
    tap_int(IL__LIMIT_EXPLAIN_CANDIDATES, 400, "explain_candidates");
}

int main(void)
{
    written();
    bounded();
    minimal();
    return tap_done();
}
