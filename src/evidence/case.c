/* Cases of recorded runs (case.h). The journal says when a phase was reached: by what policies said in it, and where
 * none had a word, by the record that follows it. */
#include "evidence/case.h"

#include "base/error.h"
#include "check/verdict.h"
#include "contract/action.h"
#include "evidence/chain.h"
#include "wire/json_write.h"

/* A phase that was reached: records `from` up to `upto` are its verdicts. */
struct reached {
    enum il__phase phase;
    struct il_str at;
    size_t from, upto;
    struct il__recorded_line *decision; /* approve only */
    bool open;                          /* more verdicts of it may follow */
};

struct cases {
    struct il__recorded run;
    struct il__mem *mem;
    struct reached *reached;
    size_t count, cap;
    struct il__json proposal, preview_doc, lease; /* payloads; empty: none */
    struct il__preview preview;
    bool has_preview, answered, executed;
    struct il__json_writer w;
    struct il_error *err;
};

/* ---- which phases were reached ---- */

static enum il_code reach(struct cases *c, enum il__phase phase, size_t at, struct il_str when, struct reached **out)
{
    enum il_code code =
        il__chain_grow(c->mem, (void **)&c->reached, &c->cap, c->count, sizeof *c->reached, c->err);
    if (code) return code;
    *out = &c->reached[c->count++];
    **out = (struct reached){ .phase = phase, .at = when, .from = at, .upto = at };
    return IL_OK;
}

static struct reached *last(struct cases *c, enum il__phase phase, bool open)
{
    struct reached *r = c->count ? &c->reached[c->count - 1] : NULL;
    return r && r->phase == phase && (!open || r->open) ? r : NULL;
}

static int phase_of(struct il_str name)
{
    for (int i = 0; i <= IL__PHASE_EXECUTE; i++)
        if (il__str_eq(name, il__str(il__phase_names[i]))) return i;
    return -1;
}

static enum il_code on_verdict(struct cases *c, size_t at)
{
    struct il__recorded_line *line = &c->run.lines[at];
    int phase = phase_of(il__recorded_text(line, "phase"));
    struct il_str when = il__recorded_text(line, "time");
    if (phase < 0) return il__fail_at(c->err, IL_STORE, "journal", "phase", "record %zu names no phase", at);
    struct reached *r = last(c, (enum il__phase)phase, true);
    if (!r) {
        enum il_code code = reach(c, (enum il__phase)phase, at, line->at, &r);
        if (code) return code;
    }
    if (r->upto == r->from) { /* its first */
        r->from = at;
        r->at = il__str_present(when) ? when : line->at;
    }
    r->open = true;
    r->upto = at + 1;
    return IL_OK;
}

static enum il_code on_decision(struct cases *c, size_t at)
{
    struct il__recorded_line *line = &c->run.lines[at];
    if (!il__str_eq(il__recorded_text(line, "decision"), IL_STR("approve"))) return IL_OK;
    struct reached *r = last(c, IL__PHASE_APPROVE, true);
    enum il_code code = r ? IL_OK : reach(c, IL__PHASE_APPROVE, at, line->at, &r);
    if (code) return code;
    r->decision = line;
    r->open = false;
    return IL_OK;
}

/* A record behind which a phase lies in any case, whether or not a policy had a word in it. */
static enum il_code behind(struct cases *c, enum il__phase phase, size_t at, bool opens)
{
    struct reached *r = last(c, phase, false);
    if (r && !opens) {
        r->open = false;
        return IL_OK;
    }
    enum il_code code = reach(c, phase, at, c->run.lines[at].at, &r);
    if (!code) r->open = opens;
    return code;
}

static enum il_code read_payload(struct cases *c, const struct il__recorded_line *line, struct il__json *doc)
{
    if (doc->count || !il__str_present(line->payload)) return IL_OK;
    return il__json_parse(doc, c->mem, line->payload, IL__JSON_PAYLOAD, c->err);
}

static enum il_code on_preview(struct cases *c, size_t at)
{
    struct il__recorded_line *line = &c->run.lines[at];
    if (c->has_preview || !il__str_eq(il__recorded_text(line, "from"), IL_STR("runtime"))) return IL_OK;
    enum il_code code =
        il__decode_text(&il__preview_schema, c->mem, line->payload, &c->preview_doc, &c->preview, c->err);
    c->has_preview = !code;
    return code ? code : behind(c, IL__PHASE_PREVIEW, at, true);
}

static enum il_code on_intent(struct cases *c, size_t at)
{
    struct il__recorded_line *line = &c->run.lines[at];
    if (c->has_preview || !il__str_eq(il__recorded_text(line, "op"), il__str(il_op_name(IL_OP_PREVIEW_ACTION))))
        return IL_OK;
    for (size_t i = 0; i < c->count; i++)
        if (c->reached[i].phase == IL__PHASE_PROPOSE) return IL_OK; /* perhaps waited for since */
    return behind(c, IL__PHASE_PROPOSE, at, false);
}

static enum il_code walk_one(struct cases *c, size_t at)
{
    struct il__recorded_line *line = &c->run.lines[at];
    if (il__recorded_is(line, "verdict")) return on_verdict(c, at);
    if (il__recorded_is(line, "decision")) return on_decision(c, at);
    if (il__recorded_is(line, "preview")) return on_preview(c, at);
    if (il__recorded_is(line, "intent")) return on_intent(c, at);
    if (il__recorded_is(line, "leased")) return read_payload(c, line, &c->lease);
    if (il__recorded_is(line, "answer")) c->answered = true;
    if (il__recorded_is(line, "judged") && c->count) c->reached[c->count - 1].open = false;
    if (!il__recorded_is(line, "execute")) return IL_OK;
    c->executed = true;
    return behind(c, IL__PHASE_EXECUTE, at, false);
}

static enum il_code walk(struct cases *c)
{
    enum il_code code = read_payload(c, &c->run.lines[0], &c->proposal);
    if (!code && (!c->proposal.count || il__json_kind(&c->proposal, 0) != IL__JSON_OBJECT))
        code = il__fail_at(c->err, IL_STORE, "journal", "payload", "record 0 holds no proposal");
    for (size_t i = 1; i < c->run.count && !code; i++) code = walk_one(c, i);
    return code;
}

/* ---- what is written ---- */

static void raw(struct cases *c, const char *name, const struct il__json *doc, uint32_t at)
{
    if (!at || il__json_kind(doc, at) == IL__JSON_NULL) return;
    il__jw_key(&c->w, name);
    il__jw_raw(&c->w, il__json_raw(doc, at));
}

static bool in(const char *const *names, struct il_str name)
{
    for (; *names; names++)
        if (il__str_eq(il__str(*names), name)) return true;
    return false;
}

/* The action as policies see it: before the preview what was proposed, and from then on what the envelope says of it,
 * with the proposed arguments. Who acts stands beside it. */
static void write_action(struct cases *c, bool propose)
{
    static const char *const beside[] = { "agentId", "principalId", "requestedMode", "sessionId", NULL };
    static const char *const proposed[] = { "arguments", "dataLabels", "mode", "operation", "postcondition",
                                            "provenance", "target", "tool", NULL };
    const struct il__json *p = &c->proposal, *v = &c->preview_doc;
    uint32_t envelope = c->has_preview ? il__json_get(v, 0, "envelope") : 0;
    struct il_str name;
    il__jw_key(&c->w, "action");
    il__jw_object(&c->w);
    for (size_t i = 0; proposed[i]; i++) {
        const char *of = strcmp(proposed[i], "mode") == 0 ? "requestedMode" : proposed[i];
        uint32_t later = envelope && !propose && i ? il__json_get(v, envelope, of) : 0;
        if (later) raw(c, proposed[i], v, later);
        else if (!envelope || propose || !i) raw(c, proposed[i], p, il__json_get(p, 0, proposed[i]));
    }
    for (uint32_t at = envelope ? il__json_first(v, envelope) : 0; at; at = il__json_next(v, envelope, at + 1)) {
        if (il__json_string(&c->preview_doc, at, &name, NULL) || in(beside, name) || in(proposed, name)) continue;
        if (il__json_kind(v, at + 1) == IL__JSON_NULL) continue;
        il__jw_key_str(&c->w, name);
        il__jw_raw(&c->w, il__json_raw(v, at + 1));
    }
    il__jw_object_end(&c->w);
}

static void write_without(struct cases *c, const char *name, struct il__json *doc, uint32_t root, const char *less)
{
    struct il_str member;
    if (!doc->count || il__json_kind(doc, root) != IL__JSON_OBJECT) return;
    il__jw_key(&c->w, name);
    il__jw_object(&c->w);
    for (uint32_t at = il__json_first(doc, root); at; at = il__json_next(doc, root, at + 1)) {
        if (il__json_string(doc, at, &member, NULL) || il__str_eq(member, il__str(less))) continue;
        il__jw_key_str(&c->w, member);
        il__jw_raw(&c->w, il__json_raw(doc, at + 1));
    }
    il__jw_object_end(&c->w);
}

/* What history and limits answered, of every policy that asked. */
static void write_asked(struct cases *c, size_t from, size_t upto)
{
    bool any = false;
    for (size_t i = from; i < upto; i++) {
        const struct il__recorded_line *line = &c->run.lines[i];
        uint32_t list = il__recorded_is(line, "verdict") ? il__recorded_get(line, "asked") : 0;
        if (!list || il__json_kind(&line->doc, list) != IL__JSON_ARRAY) continue;
        for (uint32_t at = il__json_first(&line->doc, list); at; at = il__json_next(&line->doc, list, at)) {
            if (!any) {
                il__jw_key(&c->w, "asked");
                il__jw_array(&c->w);
            }
            any = true;
            il__jw_raw(&c->w, il__json_raw(&line->doc, at));
        }
    }
    if (any) il__jw_array_end(&c->w);
}

static void write_decision(struct cases *c, struct il__recorded_line *line)
{
    il__jw_key(&c->w, "decision");
    il__jw_object(&c->w);
    il__jw_member_str(&c->w, "approver", il__recorded_text(line, "approver"));
    il__jw_member_str(&c->w, "decision", il__recorded_text(line, "decision"));
    il__jw_member_str(&c->w, "reason", il__recorded_text(line, "reason"));
    raw(c, "roles", &line->doc, il__recorded_get(line, "roles"));
    il__jw_object_end(&c->w);
}

/* Where nobody answered and it was executed all the same, a standing grant was accepted. */
static void write_preview(struct cases *c)
{
    struct il_str reason;
    enum il__route route = il__route_of(&c->preview, c->executed && !c->answered, &reason);
    raw(c, "capability", &c->preview_doc, il__json_get(&c->preview_doc, 0, "capability"));
    write_without(c, "policy", &c->preview_doc, il__json_get(&c->preview_doc, 0, "policy"), "grantId");
    il__jw_member_str(&c->w, "reason", reason);
    il__jw_member_z(&c->w, "route", il__route_names[route]);
}

/* `r` NULL: the whole run. */
static void write_case(struct cases *c, const struct reached *r)
{
    struct il__recorded_line *created = &c->run.lines[0];
    bool propose = r && r->phase == IL__PHASE_PROPOSE, early = propose || !c->has_preview;
    struct il__buf name;
    il__buf_init(&name, c->mem, 0);
    il__buf_printf(&name, "run %.*s%s%s", IL_STR_FMT(c->run.run_id), r ? ", " : "",
                   r ? il__phase_names[r->phase] : "");
    il__jw_object(&c->w);
    write_action(c, propose);
    il__jw_member_str(&c->w, "agent", il__recorded_text(created, "agent"));
    write_asked(c, r ? r->from : 0, r ? r->upto : c->run.count);
    il__jw_member_str(&c->w, "at", r ? r->at : c->count ? c->reached[0].at : created->at);
    if (r && r->decision) write_decision(c, r->decision);
    if (!r || r->phase == IL__PHASE_EXECUTE) write_without(c, "lease", &c->lease, 0, "leaseId");
    il__jw_member_str(&c->w, "name", il__buf_get(&name));
    if (r) il__jw_member_z(&c->w, "phase", il__phase_names[r->phase]);
    il__jw_member_str(&c->w, "principal", il__recorded_text(created, "principal"));
    il__jw_member_str(&c->w, "runId", c->run.run_id);
    il__jw_member_str(&c->w, "sessionId", il__recorded_text(created, "session"));
    if (!early) write_preview(c);
    il__jw_object_end(&c->w);
    if (name.code && !c->w.buf->code) c->w.buf->code = name.code;
    il__buf_clear(&name);
}

/* ---- the calls ---- */

static enum il_code open_cases(struct cases *c, struct il__mem *mem, const struct il__store *store,
                               struct il_str run_id, struct il__buf *out, struct il_error *err)
{
    *c = (struct cases){ .mem = mem, .err = err };
    il__jw_init(&c->w, out);
    enum il_code code = il__recorded_load(&c->run, mem, store, run_id, err);
    return code ? code : walk(c);
}

static enum il_code close_cases(struct cases *c, enum il_code code)
{
    struct il__json *docs[] = { &c->proposal, &c->preview_doc, &c->lease };
    if (!code) code = il__buf_check(c->w.buf, c->err);
    for (size_t i = 0; i < sizeof docs / sizeof *docs; i++) il__json_clear(docs[i]);
    il__mem_free(c->mem, c->reached, c->cap * sizeof *c->reached);
    il__recorded_clear(&c->run);
    return code;
}

enum il_code il__case_write(struct il__mem *mem, const struct il__store *store, struct il_str run_id,
                            struct il_str phase, struct il__buf *out, struct il_error *err)
{
    struct cases c;
    const struct reached *found = NULL;
    int wanted = il__str_present(phase) ? phase_of(phase) : -1;
    if (il__str_present(phase) && wanted < 0)
        return il__fail_at(err, IL_INVALID_REQUEST, "case", "phase",
                           "a phase is propose, preview, approve or execute");
    enum il_code code = open_cases(&c, mem, store, run_id, out, err);
    for (size_t i = 0; i < c.count; i++)
        if (wanted == (int)c.reached[i].phase) found = &c.reached[i];
    if (!code && wanted >= 0 && !found)
        code = il__fail_at(err, IL_CONFLICT, "run", "phase", "the run never reached its %s phase",
                           il__phase_names[wanted]);
    if (!code) write_case(&c, found);
    return close_cases(&c, code);
}

enum il_code il__cases_write(struct il__mem *mem, const struct il__store *store, struct il_str run_id,
                             struct il__buf *out, struct il_error *err)
{
    struct cases c;
    enum il_code code = open_cases(&c, mem, store, run_id, out, err);
    if (!code) il__jw_array(&c.w);
    for (size_t i = 0; i < c.count && !code; i++) write_case(&c, &c.reached[i]);
    if (!code) il__jw_array_end(&c.w);
    return close_cases(&c, code);
}
