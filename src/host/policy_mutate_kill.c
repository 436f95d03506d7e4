/* A case that would kill a mutant (policy_mutate.h): each case of the tests as it is, then with one field changed,
 * until the bundle and its mutant say different things. Bounded by mutate_evals. */
#include "base/error.h"
#include "host/candidates.h"
#include "host/policy_mutate.h"

enum { SHARES = 8, LEAST = 100 };

enum il_code il__mutating_sign(il_policy *policy, const struct il__case *c, struct il__buf *out, struct il_error *err)
{
    struct il__judgement j;
    struct il__json_writer w;
    enum il_code code = il__policy_judge(policy, c, 0, &j, err);
    il__jw_init(&w, out);
    il__jw_array(&w);
    il__jw_int(&w, j.verdict);
    for (size_t i = 0; i < j.count && !code; i++) {
        const struct il__said *s = &j.items[i].said;
        il__jw_int(&w, j.items[i].phase);
        il__jw_str(&w, s->policy);
        il__jw_int(&w, il__said_index(s));
        if (s->error || s->verdict == IL__VERDICT_NONE) continue; /* how it fails is nothing that a test tells */
        il__jw_str(&w, s->code);
        il__jw_str(&w, s->reason);
        il__jw_str(&w, s->remedy);
        il__jw_int(&w, s->approvers);
        il__jw_int(&w, s->timeout_ms);
        for (size_t k = 0; k < s->roles.count; k++) il__jw_str(&w, s->roles.items[k]);
    }
    il__jw_array_end(&w);
    il__judgement_clear(&j);
    return code ? code : il__buf_check(out, err);
}

struct pair { il_policy *original, *mutant; struct il__buf a, b; };

/* 1: they differ on that case. */
static enum il_code compare(struct pair *p, const struct il__case *c, int *differ, struct il_error *err)
{
    il__buf_reset(&p->a);
    il__buf_reset(&p->b);
    enum il_code code = il__mutating_sign(p->original, c, &p->a, err);
    if (!code) code = il__mutating_sign(p->mutant, c, &p->b, err);
    *differ = !code && !il__str_eq(il__buf_get(&p->a), il__buf_get(&p->b));
    return code;
}

static enum il_code outcome(void *ctx, struct il_str json, int *out, struct il_error *err)
{
    struct pair *p = ctx;
    struct il__case c;
    struct il_error inner = IL_ERROR_INIT;
    *out = IL__OUTCOME_NONE;
    enum il_code code = il__case_read(&p->original->mem, json, 0, &c, &inner);
    if (code == IL_OUT_OF_MEMORY) (void)il__fail(err, code, "%s", inner.message);
    else if (code) code = IL_OK;
    else code = compare(p, &c, out, err);
    il__case_clear(&c);
    return code;
}

/* Everything that a search of one case needs. */
struct looking {
    struct il__arena arena;
    struct il__json result;
    struct il__pool pool;
    struct il__changes changes;
    struct il__flips flips;
};

static enum il_code trace(il_policy *policy, const struct il__case *c, struct il__json *out, struct il_error *err)
{
    struct il__judgement j;
    struct il__buf buf;
    struct il__json_writer w;
    il__buf_init(&buf, &policy->mem, 0);
    il__jw_init(&w, &buf);
    enum il_code code = il__policy_judge(policy, c, IL_POLICY_TRACE, &j, err);
    if (!code) il__judgement_write(policy, c, &j, &w);
    if (!code) code = il__buf_check(&buf, err);
    if (!code) code = il__json_parse_copy(out, &policy->mem, il__buf_get(&buf), IL__JSON_PAYLOAD, err);
    il__judgement_clear(&j);
    il__buf_clear(&buf);
    return code;
}

/* `left`: how many changed cases may still be asked about. */
static enum il_code look(struct pair *p, struct il__case *c, struct looking *l, size_t *left, struct il_error *err)
{
    const struct il__candidates from = { &p->original->mem, &c->doc, &l->result, &l->pool };
    l->changes = (struct il__changes){ .arena = &l->arena };
    enum il_code code = trace(p->original, c, &l->result, err);
    if (!code) code = il__pool_fill(&l->pool, p->original->set, &l->arena, err);
    if (!code) code = il__candidates_make(&from, &l->changes, err);
    const struct il__flip_search s = {
        .mem = &p->original->mem, .case_json = c->doc.text, .changes = &l->changes, .outcome = outcome, .ctx = p,
        .base = 0, .most_fields = 1, .most_evals = *left, .most_flips = 1,
    };
    if (!code) code = il__flips_find(&s, &l->flips, err);
    *left -= l->flips.evals < *left ? l->flips.evals : *left;
    return code;
}

/* The case as it would stand in a test file, but for what it expects: that the author says. */
static enum il_code write_kill(const struct il__mutating *m, const struct il__case *c, const struct il__change *change,
                               struct il__json_writer *w, struct il_error *err)
{
    static const struct il__change forget = { { "/expect", 7 }, { "expect", 6 }, { "null", 4 }, { NULL, 0 } };
    const struct il__change *changes[] = { &forget, change };
    struct il__buf text;
    il__buf_init(&text, m->mem, 0);
    enum il_code code = il__flip_apply(m->mem, c->doc.text, changes, change ? 2 : 1, &text, err);
    il__jw_object(w);
    il__jw_member_str(w, "name", c->given.name);
    if (change) {
        il__jw_member_str(w, "field", change->field);
        il__jw_key(w, "value");
        il__jw_raw(w, change->value);
    }
    il__jw_key(w, "case");
    if (!code) il__jw_raw(w, il__buf_get(&text));
    else il__jw_null(w);
    il__jw_object_end(w);
    il__buf_clear(&text);
    return code;
}

static enum il_code look_at_case(const struct il__mutating *m, struct pair *p, size_t at, struct looking *l,
                                 size_t *left, enum il__telling *found, struct il__json_writer *w, struct il_error *err)
{
    il__arena_init(&l->arena, m->mem);
    enum il_code code = look(p, &m->cases[at].c, l, left, err);
    if (!code && l->flips.count) {
        *found = IL__TELLING_FOUND;
        code = write_kill(m, &m->cases[at].c, &l->changes.items[l->flips.items[0].changes[0]], w, err);
    }
    il__json_clear(&l->result);
    il__arena_clear(&l->arena);
    return code;
}

enum il_code il__mutating_kill(const struct il__mutating *m, il_policy *mutant, enum il__telling *found,
                               struct il__json_writer *w, struct il_error *err)
{
    struct pair p = { .original = m->original, .mutant = mutant };
    /* A share of what is left: the first survivors do not take all of it. */
    const size_t share = *m->left / SHARES + LEAST < *m->left ? *m->left / SHARES + LEAST : *m->left;
    size_t left = share;
    enum il_code code = IL_OK;
    *found = IL__TELLING_NONE;
    struct looking *l = il__mem_zalloc(m->mem, 1, sizeof *l);
    if (!l) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a search");
    il__buf_init(&p.a, m->mem, 0);
    il__buf_init(&p.b, m->mem, 0);
    for (size_t i = 0; i < m->case_count && !code && !*found; i++) {
        int differ = 0;
        code = compare(&p, &m->cases[i].c, &differ, err);
        if (!code && differ) {
            *found = IL__TELLING_FOUND;
            code = write_kill(m, &m->cases[i].c, NULL, w, err);
        }
    }
    for (size_t i = 0; i < m->case_count && !code && !*found && left > 0; i++)
        code = look_at_case(m, &p, i, l, &left, found, w, err);
    *m->left -= share - left;
    if (!*found && left == 0) *found = IL__TELLING_CUT;
    il__buf_clear(&p.a);
    il__buf_clear(&p.b);
    il__mem_free(m->mem, l, sizeof *l);
    return code;
}
