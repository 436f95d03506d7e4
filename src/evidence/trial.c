/* The report on trials (trial.h). A record is only decoded when its text names one of the two kinds. */
#include "evidence/trial.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/rfc3339.h"
#include "check/compare.h"
#include "evidence/chain.h"
#include "evidence/runs.h"
#include "wire/json_write.h"

struct report {
    struct il__mem *mem;
    const struct il__store *store;
    bool has_since, ended;
    struct il__instant since;
    il_line_fn fn;
    void *ctx;
    struct il_trial_summary *out;
    struct il_str run_id;
    bool on_trial, differs;    /* the run */
    struct il__buf line;
    enum il_code code;
    struct il_error *err;
};

static int name_at(const char *const *names, struct il_str s)
{
    for (int i = 0; names[i]; i++)
        if (il__str_eq(il__str(names[i]), s)) return i;
    return -1;
}

static struct il_str text(struct il__chain_line *l, const char *name)
{
    return il__chain_text(l, il__json_get(&l->doc, 0, "body"), name);
}

/* Hands out one line. */
static void tell(struct report *r, struct il__chain_line *l, const char *change, const char *enforced,
                 const char *trial)
{
    struct il__json_writer w;
    int64_t line = 0;
    if (!r->fn) return;
    il__buf_reset(&r->line);
    il__jw_init(&w, &r->line);
    il__jw_object(&w);
    il__jw_member_str(&w, "at", il__chain_text(l, 0, "at"));
    il__jw_member_z(&w, "change", change);
    if (enforced) il__jw_member_z(&w, "enforced", enforced);
    (void)il__chain_int(l, il__json_get(&l->doc, 0, "body"), "line", &line);
    il__jw_member_int(&w, "line", line);
    il__jw_member_str(&w, "phase", text(l, "phase"));
    il__jw_member_str(&w, "policy", text(l, "policy"));
    il__jw_member_str(&w, "reason", text(l, "reason"));
    il__jw_member_str(&w, "run", r->run_id);
    il__jw_member_z(&w, "trial", trial);
    il__jw_object_end(&w);
    r->code = il__buf_check(&r->line, r->err);
    if (!r->code) r->ended = !r->fn(r->ctx, il__buf_get(&r->line));
}

static void on_compared(struct report *r, struct il__chain_line *l, int phase)
{
    int change = name_at(il__change_names, text(l, "change"));
    int enforced = name_at(il__verdict_names, text(l, "enforced"));
    int trial = name_at(il__verdict_names, text(l, "trial"));
    if (change < 0 || enforced < 0 || trial < 0) return;
    struct il_trial_counts *counts = &r->out->phases[phase];
    r->on_trial = true;
    switch ((enum il__difference)change) {
    case IL__CHANGE_NONE: counts->same++; return;
    case IL__CHANGE_DENIED: counts->denied++; break;
    case IL__CHANGE_ASKED: counts->asked++; break;
    case IL__CHANGE_ALLOWED: counts->allowed++; break;
    }
    r->differs = true;
    tell(r, l, il__change_names[change], il__verdict_names[enforced], il__verdict_names[trial]);
}

static void on_trial(struct report *r, struct il__chain_line *l, int phase)
{
    if (!il__str_eq(text(l, "said"), IL_STR("error"))) return;
    r->out->phases[phase].errors++;
    tell(r, l, "error", NULL, "deny");
}

static void on_line(struct report *r, struct il__chain_line *l)
{
    struct il__instant at;
    int phase = name_at(il__phase_names, text(l, "phase"));
    struct il_str kind = il__chain_text(l, 0, "kind");
    if (phase < 0 || !il__rfc3339_parse(il__chain_text(l, 0, "at"), &at, NULL)) return;
    if (r->has_since && il__instant_cmp(at, r->since) < 0) return;
    if (il__str_eq(kind, IL_STR("compared"))) on_compared(r, l, phase);
    else if (il__str_eq(kind, IL_STR("trial"))) on_trial(r, l, phase);
}

static bool read_record(void *ctx, const struct il__store_record *record)
{
    static const char trial[] = "\"kind\":\"trial\"", compared[] = "\"kind\":\"compared\"";
    struct report *r = ctx;
    struct il__chain_line l;
    const char *flaw = NULL;
    if (!memmem(record->text.ptr, record->text.len, trial, sizeof trial - 1) &&
        !memmem(record->text.ptr, record->text.len, compared, sizeof compared - 1))
        return true;
    r->code = il__chain_open(&l, r->mem, record->text, &flaw, r->err);
    if (!r->code && flaw)
        r->code = il__fail_at(r->err, IL_STORE, "journal", "text", "a record cannot be read: %s", flaw);
    if (!r->code) on_line(r, &l);
    il__json_clear(&l.doc);
    return !r->code && !r->ended;
}

static enum il_code read_run(void *ctx, struct il_str run_id, uint64_t counted, struct il_error *err)
{
    struct report *r = ctx;
    (void)counted;
    if (r->ended) return IL_OK;
    r->run_id = run_id;
    r->err = err;
    r->on_trial = r->differs = false;
    enum il_code code = r->store->ops->load(r->store->self, run_id, read_record, r, err);
    if (!code) code = r->code;
    r->out->runs += r->on_trial;
    r->out->differ += r->differs;
    return code;
}

enum il_code il__trial_report(struct il__mem *mem, const struct il__store *store, struct il_str since, il_line_fn fn,
                              void *ctx, struct il_trial_summary *out, struct il_error *err)
{
    struct report r = { .mem = mem, .store = store, .has_since = il__str_present(since), .fn = fn, .ctx = ctx,
                        .out = out };
    const char *why = "";
    if (r.has_since && !il__rfc3339_parse(since, &r.since, &why))
        return il__fail_at(err, IL_INVALID_REQUEST, "trial", "since", "not a time: %s", why);
    il__buf_init(&r.line, mem, 0);
    enum il_code code = il__each_run(store, mem, IL_STR_NONE, read_run, &r, err);
    il__buf_clear(&r.line);
    return code;
}
