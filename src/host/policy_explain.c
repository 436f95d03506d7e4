/* Why a case gets the verdict it gets, and the fewest changes that would give it another: the public il_policy_explain.
 * Judges as il_policy_eval does; what may be changed is candidates.h, the search is flips.h. */
#include "base/error.h"
#include "host/candidates.h"
#include "host/policy.h"

#include <stdio.h>

struct judge { il_policy *policy; unsigned flags; };

static enum il_code outcome(void *ctx, struct il_str case_json, int *out, struct il_error *err)
{
    const struct judge *by = ctx;
    struct il__mem *mem = &by->policy->mem;
    struct il__case c;
    struct il__judgement j;
    struct il_error inner = IL_ERROR_INIT;
    *out = IL__OUTCOME_NONE;
    enum il_code code = il__case_read(mem, case_json, by->flags, &c, &inner);
    if (code == IL_OUT_OF_MEMORY) (void)il__fail(err, code, "%s", inner.message);
    else if (code) code = IL_OK; /* no case: nothing comes of it */
    else {
        code = il__policy_judge(by->policy, &c, 0, &j, err);
        *out = (int)j.verdict;
        il__judgement_clear(&j);
    }
    il__case_clear(&c);
    return code;
}

/* ---- the document ------------------------------------------------------------------------------------------------ */

struct explained {
    struct il__case c;
    struct il__judgement j;
    struct il__json result;
    struct il__arena arena;
    struct il__pool pool;
    struct il__changes changes;
    struct il__flips flips;
};

static const char *comes(const struct explained *e, int verdict)
{
    if (verdict == (int)IL__VERDICT_DENY) return "it would be denied";
    if (verdict == (int)IL__VERDICT_ASK) return "it would need approval";
    return e->c.route == IL__ROUTE_ALLOWED ? "it would be allowed" : "no policy would ask or deny";
}

/* "action.action_class = navigate"; "without action.target". */
static void say_change(struct il__buf *out, const struct il__change *c)
{
    if (il__str_eq(c->value, IL_STR("null"))) il__buf_printf(out, "without %.*s", IL_STR_FMT(c->field));
    else if (il__str_present(c->shown))
        il__buf_printf(out, "with %.*s = %.*s", IL_STR_FMT(c->field), IL_STR_FMT(c->shown));
    else if (c->value.len > 2 && c->value.ptr[0] == '"')
        il__buf_printf(out, "with %.*s = %.*s", IL_STR_FMT(c->field), (int)c->value.len - 2, c->value.ptr + 1);
    else il__buf_printf(out, "with %.*s = %.*s", IL_STR_FMT(c->field), IL_STR_FMT(c->value));
}

static void write_says(struct il__json_writer *w, const struct explained *e, const struct il__flip *flip)
{
    struct il__buf says;
    il__buf_init(&says, w->buf->mem, 0);
    for (size_t i = 0; i < e->flips.fields; i++) {
        if (i) il__buf_puts(&says, " and ");
        say_change(&says, &e->changes.items[flip->changes[i]]);
    }
    il__buf_printf(&says, " %s", comes(e, flip->outcome));
    if (says.code && !w->buf->code) w->buf->code = says.code;
    il__jw_member_str(w, "says", il__buf_get(&says));
    il__buf_clear(&says);
}

static void write_flip(struct il__json_writer *w, const struct explained *e, const struct il__flip *flip)
{
    il__jw_object(w);
    il__jw_key(w, "changes");
    il__jw_array(w);
    for (size_t i = 0; i < e->flips.fields; i++) {
        const struct il__change *c = &e->changes.items[flip->changes[i]];
        il__jw_object(w);
        il__jw_member_str(w, "field", c->field);
        il__jw_member_str(w, "pointer", c->pointer);
        il__jw_key(w, "value");
        il__jw_raw(w, c->value);
        il__jw_object_end(w);
    }
    il__jw_array_end(w);
    il__jw_member_int(w, "others", (int64_t)flip->others);
    write_says(w, e, flip);
    il__jw_member_z(w, "verdict", il__verdict_names[flip->outcome]);
    il__jw_object_end(w);
}

static void write_all(struct il__json_writer *w, il_policy *policy, const struct explained *e)
{
    const struct il__flips *f = &e->flips;
    il__jw_object(w);
    il__jw_member_int(w, "candidates", (int64_t)e->changes.count);
    il__jw_key(w, "cut");
    il__jw_array(w);
    if (e->changes.cut) il__jw_z(w, "explain_candidates");
    if (f->cut) il__jw_z(w, "explain_evals");
    if (f->more) il__jw_z(w, "explain_flips");
    if (f->late) il__jw_z(w, "explain_ms");
    il__jw_array_end(w);
    il__jw_member_int(w, "fields", (int64_t)f->fields);
    il__jw_key(w, "flips");
    il__jw_array(w);
    for (size_t i = 0; i < f->count; i++) write_flip(w, e, &f->items[i]);
    il__jw_array_end(w);
    il__jw_key(w, "result");
    il__judgement_write(policy, &e->c, &e->j, w);
    il__jw_member_int(w, "tried", (int64_t)f->evals);
    il__jw_object_end(w);
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

/* A case is judged with a trace, and what came of it is a document that the candidates are read from. */
static enum il_code judge(il_policy *policy, const struct il__case *c, struct il__judgement *j, struct il__json *result,
                          struct il_error *err)
{
    struct il__buf buf;
    struct il__json_writer w;
    il__buf_init(&buf, &policy->mem, 0);
    il__jw_init(&w, &buf);
    enum il_code code = il__policy_judge(policy, c, IL_POLICY_TRACE, j, err);
    if (!code) il__judgement_write(policy, c, j, &w);
    if (!code) code = il__buf_check(&buf, err);
    if (!code) code = il__json_parse_copy(result, &policy->mem, il__buf_get(&buf), IL__JSON_PAYLOAD, err);
    il__buf_clear(&buf);
    return code;
}

/* With one change made, the policies may read on: what they read then can be changed as well. */
static enum il_code read_on(il_policy *policy, unsigned flags, struct explained *e, size_t at, struct il_error *err)
{
    const struct il__change *change = &e->changes.items[at];
    struct il__buf text;
    struct il__case c;
    struct il__judgement j;
    struct il__json result = { 0 };
    struct il_error inner = IL_ERROR_INIT;
    memset(&c, 0, sizeof c);
    il__arena_init(&j.arena, &policy->mem);
    il__buf_init(&text, &policy->mem, IL__LIMIT_CONTRACT_BYTES);
    enum il_code code = il__flip_apply(&policy->mem, e->c.doc.text, &change, 1, &text, &inner);
    if (!code) code = il__case_read(&policy->mem, il__buf_get(&text), flags, &c, &inner);
    if (!code) code = judge(policy, &c, &j, &result, &inner);
    const struct il__candidates from = { &policy->mem, &e->c.doc, &result, &e->pool };
    if (code == IL_OUT_OF_MEMORY) (void)il__fail(err, code, "%s", inner.message);
    else if (code) code = IL_OK; /* no case */
    else code = il__candidates_more(&from, &e->changes, err);
    il__judgement_clear(&j);
    il__json_clear(&result);
    il__case_clear(&c);
    il__buf_clear(&text);
    return code;
}

static enum il_code search(il_policy *policy, unsigned flags, struct explained *e, struct il_error *err)
{
    struct judge by = { policy, flags };
    const struct il__candidates from = { &policy->mem, &e->c.doc, &e->result, &e->pool };
    e->changes.arena = &e->arena;
    enum il_code code = il__pool_fill(&e->pool, policy->set, &e->arena, err);
    if (!code) code = il__candidates_make(&from, &e->changes, err);
    const size_t first = e->changes.count;
    const int64_t until_us = il__clock_us(&policy->clock) + IL__LIMIT_EXPLAIN_MS * INT64_C(1000);
    for (size_t i = 0; i < first && !code && il__clock_us(&policy->clock) < until_us; i++)
        code = read_on(policy, flags, e, i, err);
    const struct il__flip_search s = {
        .mem = &policy->mem, .case_json = e->c.doc.text, .changes = &e->changes, .outcome = outcome, .ctx = &by,
        .base = (int)e->j.verdict, .most_fields = IL__FLIP_FIELDS, .most_evals = IL__LIMIT_EXPLAIN_EVALS,
        .most_flips = IL__LIMIT_EXPLAIN_FLIPS, .clock = &policy->clock, .until_us = until_us,
    };
    return code ? code : il__flips_find(&s, &e->flips, err);
}

enum il_code il_policy_explain(il_policy *policy, struct il_str case_json, unsigned flags, struct il_str *out,
                               struct il_error *err)
{
    struct il__buf buf;
    struct il__json_writer w;
    il__error_clear(err);
    struct explained *e = il__mem_zalloc(&policy->mem, 1, sizeof *e);
    if (!e) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for an explanation");
    il__arena_init(&e->arena, &policy->mem);
    il__arena_init(&e->j.arena, &policy->mem);
    il__buf_init(&buf, &policy->mem, 0);
    il__jw_init(&w, &buf);
    enum il_code code = il__case_read(&policy->mem, case_json, flags, &e->c, err);
    if (!code) code = judge(policy, &e->c, &e->j, &e->result, err);
    if (!code) code = search(policy, flags & IL_POLICY_RECORDED, e, err);
    if (!code) write_all(&w, policy, e);
    if (!code) code = il__policy_hand_out(policy, &buf, out, err);
    il__buf_clear(&buf);
    il__judgement_clear(&e->j);
    il__json_clear(&e->result);
    il__case_clear(&e->c);
    il__arena_clear(&e->arena);
    il__mem_free(&policy->mem, e, sizeof *e);
    return code;
}
