/* Reading cases (policy_case.h): names, then the parts, each completed and held against its own type; at last the
 * history and the limits as policies ask for them. */
#include "host/policy_case.h"

#include "base/error.h"
#include "script/duration.h"
#include "script/policy_asks.h"
#include "wire/canon.h"

#include <stdio.h>

enum { PROPOSAL, ENVELOPE, DECISION, CAPABILITY, LEASE, VOTE };
enum { LEASE_MS = 30000, ENVELOPE_MS = 300000 };

static const char object[] = "policy case";

static enum il_code refuse(struct il_error *err, const char *field, const char *what)
{
    return il__fail_at(err, IL_DECODE, object, field, "%s", what);
}

/* ---- the document ------------------------------------------------------------------------------------------------ */

/* An action alone is the case of that action. */
static enum il_code name_members(struct il__json *raw, bool recorded, struct il__buf *buf, struct il_error *err)
{
    struct il__json_writer w;
    bool alone = il__json_kind(raw, 0) == IL__JSON_OBJECT && il__json_get(raw, 0, "tool") &&
                 !il__json_get(raw, 0, "action");
    struct il__json whole = { 0 };
    il__jw_init(&w, buf);
    if (!alone) return il__case_names(raw, recorded, &w, err);
    struct il__buf text;
    il__buf_init(&text, buf->mem, 0);
    il__buf_puts(&text, "{\"action\":");
    il__buf_str(&text, il__json_raw(raw, 0));
    il__buf_puts(&text, "}");
    enum il_code code = il__buf_check(&text, err);
    if (!code) code = il__json_parse(&whole, buf->mem, il__buf_get(&text), IL__JSON_CONTRACT, err);
    if (!code) code = il__case_names(&whole, recorded, &w, err);
    il__json_clear(&whole);
    il__buf_clear(&text);
    return code;
}

static enum il_code read_document(struct il__case *c, struct il_str json, bool recorded, struct il_error *err)
{
    struct il__json raw = { 0 };
    struct il__buf buf;
    il__buf_init(&buf, c->mem, 0);
    enum il_code code = il__json_parse(&raw, c->mem, json, IL__JSON_CONTRACT, err);
    if (!code) code = il__json_strict(&raw, 0, NULL, err);
    if (code) il__error_object(err, object);
    if (!code) code = name_members(&raw, recorded, &buf, err);
    if (!code) code = il__buf_check(&buf, err);
    if (!code) code = il__json_parse_copy(&c->doc, c->mem, il__buf_get(&buf), IL__JSON_CONTRACT, err);
    if (!code) code = il__decode(&il__case_schema, &c->doc, 0, &c->given, err);
    if (!code && !c->given.action.doc)
        code = il__fail_at(err, IL_DECODE, object, "/action", "a case has an action: { action = { tool = \"...\" } }");
    if (!code && il__json_kind(&c->doc, c->given.action.at) != IL__JSON_OBJECT)
        code = refuse(err, "/action", "an action is an object, as in { tool = \"...\" }");
    il__json_clear(&raw);
    il__buf_clear(&buf);
    return code;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static struct il_str quoted(struct il__case *c, struct il_str s)
{
    struct il__buf buf;
    struct il__json_writer w;
    struct il_str out = IL_STR_NONE;
    if (!il__str_present(s)) return out;
    il__buf_init(&buf, c->mem, 0);
    il__jw_init(&w, &buf);
    il__jw_str(&w, s);
    c->no_memory |= buf.code || il__arena_str(&c->arena, il__buf_get(&buf), &out) != IL_OK;
    il__buf_clear(&buf);
    return out;
}

/* Says where in the case the fault is, not where in the part. */
static enum il_code blame(struct il_error *err, const struct il_error *inner, const char *where)
{
    char field[sizeof inner->field + 16];
    snprintf(field, sizeof field, "%s%s", where, inner->field);
    if (inner->code == IL_OUT_OF_MEMORY) return il__fail(err, inner->code, "%s", inner->message);
    if (inner->expected[0] || inner->actual[0])
        return il__refuse(err, IL_DECODE, object, field, inner->expected[0] ? il__str(inner->expected) : IL_STR_NONE,
                          inner->actual[0] ? il__str(inner->actual) : IL_STR_NONE);
    return il__fail_at(err, IL_DECODE, object, field, "%s", inner->message);
}

struct part {
    int slot;
    const char *where; /* in the case */
    const struct il__schema *schema;
    struct il__any given;
    void *out;
};

/* Completes one part and decodes it. */
static enum il_code read_part(struct il__case *c, const struct part *p, const struct il__case_given *given,
                              size_t count, struct il_error *err)
{
    struct il__buf buf;
    struct il__json_writer w;
    struct il_error inner = IL_ERROR_INIT;
    char now[IL__RFC3339_MAX];
    const struct il_str text = { now, il__rfc3339_format(c->now, now) };
    if (p->given.doc && il__json_kind(p->given.doc, p->given.at) != IL__JSON_OBJECT)
        return refuse(err, p->where, "an object is expected");
    if (c->no_memory) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a case");
    il__buf_init(&buf, c->mem, 0);
    il__jw_init(&w, &buf);
    il__case_fill(p->schema, &c->doc, p->given.doc ? p->given.at : 0, given, count, text, &w);
    enum il_code code = il__buf_check(&buf, &inner);
    if (!code) code = il__json_parse_copy(&c->parts[p->slot], c->mem, il__buf_get(&buf), IL__JSON_CONTRACT, &inner);
    if (!code) code = il__decode(p->schema, &c->parts[p->slot], 0, p->out, &inner);
    il__buf_clear(&buf);
    return code ? blame(err, &inner, p->where) : IL_OK;
}

static struct il_str later(struct il__case *c, int64_t ms)
{
    char text[IL__RFC3339_MAX];
    const size_t len = il__rfc3339_format(il__instant_add_ms(c->now, ms), text);
    return quoted(c, (struct il_str){ text, len });
}

static struct il_str or_else(struct il_str s, const char *z)
{
    return il__str_present(s) ? s : il__str(z);
}

static enum il_code read_action(struct il__case *c, struct il_error *err)
{
    const struct part proposal = { PROPOSAL, "/action", &il__proposal_schema, c->given.action, &c->proposal };
    enum il_code code = read_part(c, &proposal, NULL, 0, err);
    if (code) return code;
    const struct il__proposal *p = &c->proposal;
    const struct il__case_given given[] = {
        { "sessionId", quoted(c, or_else(c->given.session_id, "session-1")) },
        { "principalId", quoted(c, or_else(c->given.principal, "principal-1")) },
        { "agentId", quoted(c, c->given.agent) },
        { "operation", quoted(c, il__str_present(p->operation) ? p->operation : p->tool) },
        { "requestedMode", quoted(c, il__str(il__mode_names[p->mode])) },
        { "expiresAt", later(c, ENVELOPE_MS) },
    };
    const struct part envelope = { ENVELOPE, "/action", &il__envelope_schema, c->given.action, &c->envelope };
    return read_part(c, &envelope, given, sizeof given / sizeof *given, err);
}

/* What the runtime says beside the envelope, after the route. */
static enum il_code read_preview(struct il__case *c, struct il_error *err)
{
    static const char *const decisions[] = { "\"deny\"", "\"confirm\"", "\"allow\"" };
    const struct il__envelope *env = &c->envelope;
    const struct il__case_given decided[] = { { "decision", il__str(decisions[c->route]) } };
    const struct il__case_given can[] = {
        { "appId", quoted(c, env->target ? env->target->app_id : IL_STR_NONE) },
        { "operation", quoted(c, env->operation) },
    };
    const struct part decision = { DECISION, "/policy", &il__policy_decision_schema, c->given.policy, &c->policy };
    const struct part capability = { CAPABILITY, "/capability", &il__capability_schema, c->given.capability,
                                     &c->capability };
    enum il_code code = read_part(c, &decision, decided, 1, err);
    if (!code) code = read_part(c, &capability, can, 2, err);
    c->preview = (struct il__preview){
        .envelope = &c->envelope, .envelope_raw = { &c->parts[ENVELOPE], 0 }, .policy = &c->policy,
        .capability = &c->capability, .executable = c->route == IL__ROUTE_ALLOWED,
    };
    if (c->route == IL__ROUTE_APPROVAL) c->preview.blocker = IL_STR("approval_required");
    return code;
}

static enum il_code read_lease(struct il__case *c, struct il_error *err)
{
    const struct il__envelope *env = &c->envelope;
    const struct il__case_given given[] = {
        { "sessionId", quoted(c, env->session_id) },
        { "principalId", quoted(c, env->principal_id) },
        { "agentId", quoted(c, env->agent_id) },
        { "executionMode", quoted(c, il__str(il__mode_names[env->requested_mode])) },
        { "expiresAt", later(c, LEASE_MS) },
    };
    const struct part lease = { LEASE, "/lease", &il__lease_schema, c->given.lease, &c->lease };
    return read_part(c, &lease, given, sizeof given / sizeof *given, err);
}

static enum il_code read_vote(struct il__case *c, struct il_error *err)
{
    struct il__case_vote vote;
    const struct part part = { VOTE, "/decision", &il__case_vote_schema, c->given.decision, &vote };
    enum il_code code = read_part(c, &part, NULL, 0, err);
    if (code) return code;
    c->decides = c->given.decision.doc != NULL;
    c->vote = (struct il__vote){ .approver = vote.approver, .roles = vote.roles, .reason = vote.reason,
                                 .decision = (enum il__decision)vote.decision };
    return IL_OK;
}

static enum il_code read_history(struct il__case *c, struct il_error *err)
{
    const struct il__objects *runs = &c->given.history;
    char field[40];
    if (!runs->count) return IL_OK;
    c->history = il__arena_alloc(&c->arena, runs->count * sizeof *c->history);
    if (!c->history) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a case");
    for (size_t i = 0; i < runs->count; i++) {
        struct il__case_run *run = &c->history[c->history_count++];
        run->past = *(const struct il__case_past *)runs->items[i];
        if (!il__str_present(run->past.ago) || il__duration_parse(run->past.ago, false, &run->ago_ms)) continue;
        snprintf(field, sizeof field, "/history/%zu/ago", i);
        return refuse(err, field, "a time such as \"90s\", \"10m\" or \"24h\" is expected");
    }
    return IL_OK;
}

/* A plain text is the verdict. */
static enum il_code read_expect(struct il__case *c, struct il_error *err)
{
    const struct il__any *given = &c->given.expect;
    if (!given->doc) return IL_OK;
    if (il__json_kind(given->doc, given->at) != IL__JSON_STRING) {
        struct il_error inner = IL_ERROR_INIT;
        enum il_code code = il__decode(&il__case_expect_schema, given->doc, given->at, &c->expect, &inner);
        return code ? blame(err, &inner, "") : IL_OK;
    }
    struct il_str verdict;
    enum il_code code = il__json_string(given->doc, given->at, &verdict, err);
    if (code) return code;
    c->expect = (struct il__case_expect){ .verdict = il__name_index(il__case_verdict_names, verdict), .ruled = -1,
                                          .phase = -1 };
    if (c->expect.verdict >= 0) return IL_OK;
    char shown[60];
    il__escape(shown, sizeof shown, verdict);
    return il__fail_at(err, IL_DECODE, object, "/expect", "\"%s\" is no verdict; one of none, ask, deny and error is "
                       "expected, or a table such as { verdict = \"ask\" }", shown);
}

enum il_code il__case_read(struct il__mem *mem, struct il_str json, unsigned flags, struct il__case *c,
                           struct il_error *err)
{
    const char *why = "it cannot be read";
    memset(c, 0, sizeof *c);
    c->mem = mem;
    il__arena_init(&c->arena, mem);
    enum il_code code = read_document(c, json, flags & IL_POLICY_RECORDED, err);
    if (code) return code;
    c->route = c->given.route < 0 ? IL__ROUTE_ALLOWED : (enum il__route)c->given.route;
    if (!il__rfc3339_parse(or_else(c->given.at, "2026-01-05T12:00:00Z"), &c->now, &why)) return refuse(err, "/at", why);
    if (c->given.expect.doc) code = read_expect(c, err);
    if (!code) code = read_action(c, err);
    if (!code) code = read_preview(c, err);
    if (!code) code = read_lease(c, err);
    if (!code) code = read_vote(c, err);
    if (!code) code = read_history(c, err);
    return code;
}

void il__case_clear(struct il__case *c)
{
    il__json_clear(&c->doc);
    for (size_t i = 0; i < sizeof c->parts / sizeof *c->parts; i++) il__json_clear(&c->parts[i]);
    il__arena_clear(&c->arena);
}

/* ---- the scene --------------------------------------------------------------------------------------------------- */

static bool among(struct il__strs names, const char *const *table, int at)
{
    if (!names.count) return true;
    return at >= 0 && il__strs_has(names, il__str(table[at]));
}

static bool of_session(const struct il__scene *scene, const struct il__case_past *past, struct il_str wanted)
{
    bool here = !il__str_present(past->session) || il__str_eq(past->session, IL_STR("this"));
    if (!il__str_present(wanted)) return true;
    return il__str_eq(here ? scene->session_id : past->session, wanted);
}

static bool matches(const struct il__scene *scene, const struct il__case_run *run,
                    const struct il__history_query *query)
{
    const struct il__case_past *past = &run->past;
    if (query->within_ms > 0 && run->ago_ms > query->within_ms) return false;
    if (il__str_present(query->tool) && !il__str_eq(query->tool, past->tool)) return false;
    if (il__str_present(query->app) && !il__str_eq(query->app, past->app)) return false;
    return among(query->outcomes, il__past_names, past->outcome) &&
           among(query->classes, il__class_names, past->action_class) && of_session(scene, past, query->session_id);
}

/* The next item of a recorded list of answers that is about `member`; 0 at the end. */
static uint32_t next_asked(const struct il__case *c, const char *member, uint32_t at)
{
    const struct il__any *asked = &c->given.asked;
    if (!asked->doc || il__json_kind(asked->doc, asked->at) != IL__JSON_ARRAY) return 0;
    at = at ? il__json_next(asked->doc, asked->at, at) : il__json_first(asked->doc, asked->at);
    while (at && (il__json_kind(asked->doc, at) != IL__JSON_OBJECT || !il__json_get(asked->doc, at, member)))
        at = il__json_next(asked->doc, asked->at, at);
    return at;
}

static int64_t number(const struct il__json *doc, uint32_t at, const char *member, int64_t otherwise)
{
    int64_t n;
    uint32_t node = il__json_get(doc, at, member);
    return node && il__json_int(doc, node, &n) ? n : otherwise;
}

/* The same question as the recorded one? Both as canonical text. */
static bool same_query(const struct il__case *c, const struct il__history_query *query, uint32_t recorded)
{
    struct il__buf a, b;
    struct il__json_writer w;
    il__buf_init(&a, c->mem, 0);
    il__buf_init(&b, c->mem, 0);
    il__jw_init(&w, &a);
    il__history_query_write(query, &w);
    bool same = !il__canon(c->given.asked.doc, recorded, &b, NULL) && !a.code &&
                il__str_eq(il__buf_get(&a), il__buf_get(&b));
    il__buf_clear(&a);
    il__buf_clear(&b);
    return same;
}

static enum il_code history(const struct il__scene *scene, const struct il__history_query *query,
                            struct il__history_seen *out, struct il_error *err)
{
    const struct il__case *c = scene->ctx;
    const struct il__json *doc = c->given.asked.doc;
    (void)err;
    *out = (struct il__history_seen){ .since_ms = -1 };
    for (uint32_t at = 0; (at = next_asked(c, "history", at)) != 0;) {
        if (!same_query(c, query, il__json_get(doc, at, "history"))) continue;
        *out = (struct il__history_seen){ number(doc, at, "count", 0), number(doc, at, "sinceMs", -1) };
        return IL_OK;
    }
    for (size_t i = 0; i < c->history_count; i++) {
        const struct il__case_run *run = &c->history[i];
        if (!matches(scene, run, query)) continue;
        out->count++;
        if (out->since_ms < 0 || run->ago_ms < out->since_ms) out->since_ms = run->ago_ms;
    }
    return IL_OK;
}

/* What a recorded run was told of that key. */
static bool recorded_limit(const struct il__case *c, const struct il__claim *claim, struct il__limit_seen *out)
{
    struct il__json *doc = c->given.asked.doc;
    struct il_str key;
    for (uint32_t at = 0; (at = next_asked(c, "limit", at)) != 0;) {
        uint32_t node = il__json_get(doc, at, "limit");
        if (il__json_kind(doc, node) != IL__JSON_STRING || il__json_string(doc, node, &key, NULL)) continue;
        if (!il__str_eq(key, claim->key) || number(doc, at, "perMs", 0) != claim->per_ms) continue;
        *out = (struct il__limit_seen){ number(doc, at, "used", 0), number(doc, at, "waitMs", 0) };
        return true;
    }
    return false;
}

/* The case names keys as policies do: without the bundle in front. */
static enum il_code limit(const struct il__scene *scene, const struct il__claim *claim, struct il__limit_seen *out,
                          struct il_error *err)
{
    const struct il__case *c = scene->ctx;
    const char *slash = memchr(claim->key.ptr, '/', claim->key.len);
    struct il_str key = claim->key;
    (void)err;
    if (slash) key = (struct il_str){ slash + 1, (size_t)(key.ptr + key.len - slash - 1) };
    *out = (struct il__limit_seen){ 0, 0 };
    if (recorded_limit(c, claim, out)) return IL_OK;
    for (size_t i = 0; i < c->given.limits.count; i++)
        if (il__str_eq(c->given.limits.names[i], key)) out->used = c->given.limits.values[i];
    if (out->used >= claim->most) out->wait_ms = claim->per_ms;
    return IL_OK;
}

void il__case_scene(const struct il__case *c, enum il__phase phase, struct il__scene *out)
{
    bool early = phase == IL__PHASE_PROPOSE ||
                 (phase == IL__PHASE_APPROVE && c->given.previewed.has && !c->given.previewed.value);
    *out = (struct il__scene){
        .phase = phase, .run_id = or_else(c->given.run_id, "run-1"), .session_id = c->envelope.session_id,
        .principal = c->envelope.principal_id, .agent = c->envelope.agent_id, .proposal = &c->proposal,
        .preview = early ? NULL : &c->preview, .now = c->now, .history = history, .limit = limit,
        .ctx = (void *)(uintptr_t)c,
    };
    if (phase == IL__PHASE_APPROVE) out->vote = &c->vote;
    if (phase == IL__PHASE_EXECUTE) out->lease = &c->lease;
    if (early) return;
    out->route = c->route;
    if (c->route == IL__ROUTE_BLOCKED) out->block_reason = or_else(c->given.reason, "policy_denied");
}
