/* Recorded runs, decided again under two sets of policies: the public il_policy_diff. Each phase that a run reached is
 * a case; what the two say of it is held against each other by check/compare.h, as trials are. Must never leave a run
 * out: what cannot be decided again is told. */
#include "base/error.h"
#include "check/compare.h"
#include "evidence/case.h"
#include "evidence/runs.h"
#include "host/policy.h"
#include "host/store.h"

struct diff {
    il_policy *before, *after;
    const struct il__store *store;
    struct il__mem *mem;
    il_line_fn fn;
    void *ctx;
    struct il_policy_diff_summary *out;
    bool ended;
    struct il__buf line;
    /* of the run at hand */
    struct il_str run_id;
    bool denied, asked, allowed, errors, unjudged, assumed;
};

/* One side: what was said, in the form that is compared. */
struct side {
    struct il__judgement j;
    struct il__judged *items;
};

static struct il__judged side_of(const struct il__opinion *o)
{
    return (struct il__judged){ o->said, o->ruled };
}

static enum il_code judge(il_policy *policy, const struct il__case *c, struct side *side, struct il_error *err)
{
    enum il_code code = il__policy_judge(policy, c, 0, &side->j, err);
    if (code) return code;
    side->items = il__arena_alloc(&side->j.arena, (side->j.count + 1) * sizeof *side->items);
    if (!side->items) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for verdicts");
    for (size_t i = 0; i < side->j.count; i++) side->items[i] = side_of(&side->j.items[i]);
    return IL_OK;
}

/* ---- answers that were not recorded ------------------------------------------------------------------------------ */

static struct il_str raw_of(const struct il__json *doc, uint32_t at, const char *name)
{
    uint32_t node = il__json_get(doc, at, name);
    return node ? il__json_raw(doc, node) : IL_STR_NONE;
}

static bool was_recorded(const struct il__any *recorded, const struct il__json *doc, uint32_t item)
{
    static const char *const abouts[] = { "history", "limit" };
    if (!recorded->doc || il__json_kind(recorded->doc, recorded->at) != IL__JSON_ARRAY) return false;
    for (uint32_t at = il__json_first(recorded->doc, recorded->at); at;
         at = il__json_next(recorded->doc, recorded->at, at)) {
        for (size_t i = 0; i < 2; i++) {
            struct il_str about = raw_of(doc, item, abouts[i]);
            if (about.ptr && il__str_eq(about, raw_of(recorded->doc, at, abouts[i])) &&
                il__str_eq(raw_of(doc, item, "perMs"), raw_of(recorded->doc, at, "perMs")))
                return true;
        }
    }
    return false;
}

/* Did it ask for a history or a limit that nobody asked for then? It was told that there is none. */
static enum il_code assumes(const struct diff *d, const struct il__case *c, const struct side *side, bool *assumed,
                            struct il_error *err)
{
    for (size_t i = 0; i < side->j.count && !*assumed; i++) {
        struct il__json doc = { 0 };
        struct il_str asked = side->j.items[i].said.asked;
        if (!asked.ptr) continue;
        enum il_code code = il__json_parse(&doc, d->mem, asked, IL__JSON_CONTRACT, err);
        if (code) return code;
        for (uint32_t at = il__json_first(&doc, 0); at; at = il__json_next(&doc, 0, at))
            *assumed |= !was_recorded(&c->given.asked, &doc, at);
        il__json_clear(&doc);
    }
    return IL_OK;
}

/* ---- telling ----------------------------------------------------------------------------------------------------- */

static void member_of(struct il__json_writer *w, const char *name, const struct il__judged *who)
{
    il__jw_key(w, name);
    if (!who) {
        il__jw_null(w);
        return;
    }
    il__jw_object(w);
    if (who->ruled.verdict == IL__VERDICT_ASK) il__jw_member_int(w, "approvers", who->ruled.approvers);
    il__jw_member_str(w, "code", who->said.code);
    il__jw_member_str(w, "file", who->said.file);
    il__jw_member_int(w, "line", who->said.line);
    il__jw_member_str(w, "policy", who->said.policy);
    il__jw_member_str(w, "reason", who->said.reason);
    il__jw_member_z(w, "verdict", il__verdict_names[who->ruled.verdict]);
    il__jw_object_end(w);
}

static enum il_code tell(struct diff *d, const struct il__case *c, const char *change, const struct il__compared *cmp,
                         bool assumed, const char *why, struct il_error *err)
{
    struct il__json_writer w;
    if (!d->fn || d->ended) return IL_OK;
    il__buf_reset(&d->line);
    il__jw_init(&w, &d->line);
    il__jw_object(&w);
    if (assumed) il__jw_member_bool(&w, "assumed", true);
    if (c) il__jw_member_str(&w, "at", c->given.at);
    il__jw_member_z(&w, "change", change);
    if (cmp) member_of(&w, "new", cmp->is);
    if (cmp) member_of(&w, "old", cmp->was);
    if (c && c->given.phase >= 0) il__jw_member_z(&w, "phase", il__phase_names[c->given.phase]);
    il__jw_member_str(&w, "run", d->run_id);
    if (c) il__jw_member_str(&w, "tool", c->proposal.tool);
    if (why) il__jw_member_z(&w, "why", why);
    il__jw_object_end(&w);
    enum il_code code = il__buf_check(&d->line, err);
    if (!code) d->ended = !d->fn(d->ctx, il__buf_get(&d->line));
    return code;
}

/* ---- one phase, one run, all runs -------------------------------------------------------------------------------- */

static enum il_code compare_sides(struct diff *d, const struct il__case *c, const struct side *was,
                                  const struct side *is, struct il_error *err)
{
    struct il__compared cmp;
    bool assumed = false;
    enum il_code code = assumes(d, c, is, &assumed, err);
    if (!code) code = assumes(d, c, was, &assumed, err);
    if (code) return code;
    il__compare(was->items, was->j.count, is->items, is->j.count, &cmp);
    switch (cmp.change) {
    case IL__CHANGE_NONE: break;
    case IL__CHANGE_DENIED: d->denied = true; break;
    case IL__CHANGE_ASKED: d->asked = true; break;
    case IL__CHANGE_ALLOWED: d->allowed = true; break;
    }
    d->assumed |= assumed;
    d->errors |= cmp.errors > 0;
    if (cmp.change != IL__CHANGE_NONE) code = tell(d, c, il__change_names[cmp.change], &cmp, assumed, NULL, err);
    else if (assumed)
        code = tell(d, c, "assumed", &cmp, true, "it asks for a history or a limit that was not recorded", err);
    for (size_t i = 0; i < is->j.count && cmp.errors && !code; i++) {
        const struct il__compared one = { .is = &is->items[i], .was = cmp.was };
        if (is->items[i].said.error) code = tell(d, c, "error", &one, false, NULL, err);
    }
    return code;
}

static enum il_code one_case(struct diff *d, struct il_str json, struct il_error *err)
{
    struct il__case c;
    struct side was = { .items = NULL }, is = { .items = NULL };
    struct il_error inner = IL_ERROR_INIT;
    enum il_code code = il__case_read(d->mem, json, IL_POLICY_RECORDED, &c, &inner);
    il__arena_init(&was.j.arena, d->mem);
    il__arena_init(&is.j.arena, d->mem);
    if (code && code != IL_OUT_OF_MEMORY) {
        d->unjudged = true;
        code = tell(d, NULL, "unjudged", NULL, false, inner.message, err);
    } else if (code) {
        code = il__fail(err, code, "%s", inner.message);
    } else {
        code = judge(d->before, &c, &was, err);
        if (!code) code = judge(d->after, &c, &is, err);
        if (!code) code = compare_sides(d, &c, &was, &is, err);
    }
    il__judgement_clear(&was.j);
    il__judgement_clear(&is.j);
    il__case_clear(&c);
    return code;
}

static void count_run(struct diff *d)
{
    struct il_policy_diff_summary *s = d->out;
    s->runs++;
    s->denied += d->denied;
    s->asked += d->asked;
    s->allowed += d->allowed;
    s->errors += d->errors;
    s->unjudged += d->unjudged;
    s->assumed += d->assumed;
    s->same += !(d->denied || d->asked || d->allowed || d->errors || d->unjudged);
}

static enum il_code one_run(void *ctx, struct il_str run_id, uint64_t counted, struct il_error *err)
{
    struct diff *d = ctx;
    struct il__buf buf;
    struct il__json doc = { 0 };
    struct il_error inner = IL_ERROR_INIT;
    (void)counted;
    if (d->ended) return IL_OK;
    d->run_id = run_id;
    d->denied = d->asked = d->allowed = d->errors = d->unjudged = d->assumed = false;
    il__buf_init(&buf, d->mem, IL__LIMIT_RESULT_BYTES);
    enum il_code code = il__cases_write(d->mem, d->store, run_id, &buf, &inner);
    if (!code) code = il__buf_check(&buf, &inner);
    if (!code) code = il__json_parse(&doc, d->mem, il__buf_get(&buf), IL__JSON_PAYLOAD, &inner);
    if (code == IL_OUT_OF_MEMORY) {
        code = il__fail(err, code, "%s", inner.message);
    } else if (code || il__json_at(&doc, 0)->count == 0) {
        d->unjudged = true;
        code = tell(d, NULL, "unjudged", NULL, false, code ? inner.message : "it reached no phase of a policy", err);
    } else {
        for (uint32_t at = il__json_first(&doc, 0); at && !code; at = il__json_next(&doc, 0, at))
            code = one_case(d, il__json_raw(&doc, at), err);
    }
    if (!code) count_run(d);
    il__json_clear(&doc);
    il__buf_clear(&buf);
    return code;
}

enum il_code il_policy_diff(il_policy *before, il_policy *after, il_store *store, il_line_fn fn, void *ctx,
                            struct il_policy_diff_summary *out, struct il_error *err)
{
    il__error_clear(err);
    if (out->size != sizeof *out)
        return il__fail_at(err, IL_INVALID_REQUEST, "policy diff", "size", "use IL_POLICY_DIFF_SUMMARY_INIT");
    enum il_code code = il__store_enter(store, "il_policy_diff", err);
    if (code) return code;
    *out = (struct il_policy_diff_summary)IL_POLICY_DIFF_SUMMARY_INIT;
    struct diff d = { .before = before, .after = after, .store = &store->port, .mem = &store->mem, .fn = fn, .ctx = ctx,
                      .out = out };
    il__buf_init(&d.line, &store->mem, 0);
    code = il__each_run(&store->port, &store->mem, IL_STR_NONE, one_run, &d, err);
    il__buf_clear(&d.line);
    return il__store_leave(store, code);
}
