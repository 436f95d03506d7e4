/* The tables of a case (policy_case_names.h). Calls itself for objects within objects, as deep as the tables nest and
 * never deeper because of the input. */
#include "host/policy_case_names.h"

#include "base/error.h"
#include "check/verdict.h"
#include "script/near.h"

#include <stdio.h>

const char *const il__case_verdict_names[] = { "none", "ask", "deny", "error", NULL };

#define ROW(T, m, wire_, lua_, kind_, flags_, ...)                                                                     \
    { .wire = wire_, .lua = lua_, .kind = kind_, .flags = flags_, .offset = offsetof(struct T, m), __VA_ARGS__ }
#define TEXT(T, m, wire_, lua_, about_) ROW(T, m, wire_, lua_, IL__F_STR, IL__F_OPT | IL__F_NONEMPTY, .about = about_)
#define PART(T, m, wire_, sub_, about_)                                                                                \
    ROW(T, m, wire_, wire_, IL__F_ANY, IL__F_OPT, .sub = sub_, .about = about_)

static const struct il__field past_rows[] = {
    ROW(il__case_past, outcome, "outcome", "outcome", IL__F_ENUM, 0, .names = il__past_names,
        .about = "How that run ended."),
    ROW(il__case_past, action_class, "class", "class", IL__F_ENUM, IL__F_OPT, .names = il__class_names,
        .about = "The class of its action."),
    TEXT(il__case_past, tool, "tool", "tool", "Its tool."),
    TEXT(il__case_past, app, "app", "app", "The application that it was aimed at."),
    TEXT(il__case_past, ago, "ago", "ago", "How long ago it ended, as in \"5m\"; now by default."),
    TEXT(il__case_past, session, "session", "session", "Its session; \"this\" by default."),
    { .wire = NULL },
};
static const struct il__schema past_schema = {
    .object = "policy case", .size = sizeof(struct il__case_past), .closed = true, .fields = past_rows,
};

static const struct il__field vote_rows[] = {
    TEXT(il__case_vote, approver, "approver", "approver", "Who decides."),
    ROW(il__case_vote, roles, "roles", "roles", IL__F_STRS, 0, .about = "The approver's roles."),
    ROW(il__case_vote, decision, "decision", "decision", IL__F_ENUM, 0, .names = il__decision_names,
        .about = "What is decided."),
    ROW(il__case_vote, reason, "reason", "reason", IL__F_STR, IL__F_OPT, .about = "Why, in the approver's words."),
    { .wire = NULL },
};
const struct il__schema il__case_vote_schema = {
    .object = "policy case", .size = sizeof(struct il__case_vote), .closed = true, .fields = vote_rows,
};

static const struct il__field expect_rows[] = {
    ROW(il__case_expect, verdict, "verdict", "verdict", IL__F_ENUM, IL__F_OPT, .names = il__case_verdict_names,
        .about = "What the policies say: none, ask, deny, or error when one fails."),
    ROW(il__case_expect, ruled, "ruled", "ruled", IL__F_ENUM, IL__F_OPT, .names = il__verdict_names,
        .about = "What it amounts to by the policy's level: none, ask or deny."),
    TEXT(il__case_expect, policy, "policy", "policy", "Which policy says so: bundle/policy, or the policy's name."),
    ROW(il__case_expect, phase, "phase", "phase", IL__F_ENUM, IL__F_OPT, .names = il__phase_names,
        .about = "In which phase."),
    TEXT(il__case_expect, code, "code", "code", "With which code."),
    TEXT(il__case_expect, reason, "reason", "reason", "With a reason that holds this text."),
    TEXT(il__case_expect, remedy, "remedy", "remedy", "With a remedy that holds this text."),
    ROW(il__case_expect, approvers, "approvers", "approvers", IL__F_INT, IL__F_OPT, .most = IL__LIMIT_ASK_APPROVERS,
        .about = "How many approvers are asked for."),
    ROW(il__case_expect, roles, "roles", "roles", IL__F_STRS, IL__F_OPT, .about = "Of which roles, in order."),
    TEXT(il__case_expect, timeout, "timeout", "timeout", "Within what time, as in \"1h\"."),
    ROW(il__case_expect, override_, "override", "override", IL__F_BOOL, IL__F_OPT,
        .about = "Whether it is a soft deny that a person may override."),
    TEXT(il__case_expect, file, "file", "file", "The file of the bundle that decides."),
    ROW(il__case_expect, line, "line", "line", IL__F_INT, IL__F_OPT, .least = 1, .most = INT32_MAX,
        .about = "Its line."),
    { .wire = NULL },
};
const struct il__schema il__case_expect_schema = {
    .object = "policy case", .size = sizeof(struct il__case_expect), .closed = true, .fields = expect_rows,
};

/* The proposal's rows and the envelope's: both are looked through. */
static const struct il__schema action_schema = { .object = "policy case", .fields = NULL };

static const struct il__field case_rows[] = {
    ROW(il__case_doc, name, "name", "name", IL__F_STR, IL__F_OPT | IL__F_NONEMPTY, .about = "What the case is about."),
    PART(il__case_doc, action, "action", &action_schema, "The action: members of the proposal and of the envelope."),
    TEXT(il__case_doc, at, "at", "at", "The wall time, RFC 3339; a monday noon by default."),
    ROW(il__case_doc, phase, "phase", "phase", IL__F_ENUM, IL__F_OPT, .names = il__phase_names,
        .about = "The one phase to be judged; else all in order."),
    ROW(il__case_doc, route, "route", "route", IL__F_ENUM, IL__F_OPT, .names = il__route_names,
        .about = "The runtime's own route; allowed by default."),
    TEXT(il__case_doc, reason, "reason", "reason", "Why the runtime blocks it."),
    PART(il__case_doc, capability, "capability", &il__capability_schema, "How the runtime would do it."),
    PART(il__case_doc, policy, "policy", &il__policy_decision_schema, "What the runtime's own policy says."),
    PART(il__case_doc, lease, "lease", &il__lease_schema, "The control lease of the execute phase."),
    PART(il__case_doc, decision, "decision", &il__case_vote_schema, "The decision of the approve phase."),
    ROW(il__case_doc, previewed, "previewed", "previewed", IL__F_BOOL, IL__F_OPT,
        .about = "False: the approve phase of a wait before the preview."),
    TEXT(il__case_doc, session_id, "sessionId", "session_id", "The session."),
    TEXT(il__case_doc, principal, "principal", "principal", "Who the run acts for."),
    TEXT(il__case_doc, agent, "agent", "agent", "The agent that proposes."),
    TEXT(il__case_doc, run_id, "runId", "run_id", "The run: also the seed of math.random."),
    ROW(il__case_doc, history, "history", "history", IL__F_OBJECTS, IL__F_OPT | IL__F_DEFAULT, .sub = &past_schema,
        .most = IL__LIMIT_CASE_HISTORY, .about = "Earlier runs."),
    ROW(il__case_doc, limits, "limits", "limits", IL__F_COUNTS, IL__F_OPT | IL__F_DEFAULT,
        .about = "Units of each limit that are used already."),
    ROW(il__case_doc, asked, "asked", "asked", IL__F_ANY, IL__F_OPT,
        .about = "Of a recorded run: what history and limits answered."),
    ROW(il__case_doc, params, "params", "params", IL__F_ARGS, IL__F_OPT, .about = "Values of parameters."),
    PART(il__case_doc, expect, "expect", &il__case_expect_schema, "What must come of it."),
    { .wire = NULL },
};
const struct il__schema il__case_schema = {
    .object = "policy case", .size = sizeof(struct il__case_doc), .closed = true, .fields = case_rows,
};

/* ---- names ------------------------------------------------------------------------------------------------------- */

static const struct il__field *row_in(const struct il__field *rows, struct il_str name, struct il__near *near)
{
    for (const struct il__field *f = rows; f->wire; f++) {
        if (il__str_eq(il__str(f->wire), name) || il__str_eq(il__str(f->lua), name)) return f;
        if (near) il__near_try(near, il__str(f->lua));
    }
    return NULL;
}

static const struct il__field *row_of(const struct il__schema *schema, struct il_str name, struct il__near *near)
{
    if (schema != &action_schema) return row_in(schema->fields, name, near);
    const struct il__field *f = row_in(il__proposal_schema.fields, name, near);
    return f ? f : row_in(il__envelope_schema.fields, name, near);
}

static enum il_code refuse(struct il__json *doc, uint32_t value, struct il_error *err, const char *what)
{
    char pointer[160];
    il__json_pointer(doc, value, pointer, sizeof pointer);
    return il__fail_at(err, IL_DECODE, "policy case", pointer, "%s", what);
}

static bool written_before(struct il__json *doc, uint32_t at, uint32_t name, const struct il__field *row)
{
    const char *other = il__json_get(doc, at, row->wire) == name + 1 ? row->lua : row->wire;
    uint32_t twin = strcmp(row->wire, row->lua) == 0 ? 0 : il__json_get(doc, at, other);
    return twin && twin < name;
}

struct naming {
    struct il__json *doc;
    bool recorded;
    struct il__json_writer *w;
    struct il_error *err;
};

static enum il_code write_object(struct naming *n, const struct il__schema *schema, uint32_t at);

static enum il_code unknown(struct naming *n, const struct il__schema *schema, uint32_t value, struct il_str name)
{
    char what[200], hint[80];
    struct il__near near = il__near_start(name);
    (void)row_of(schema, name, &near);
    il__escape(hint, sizeof hint, near.best);
    if (!il__str_present(near.best)) return refuse(n->doc, value, n->err, "there is no such member");
    snprintf(what, sizeof what, "there is no such member; did you mean \"%s\"?", hint);
    return refuse(n->doc, value, n->err, what);
}

/* An empty table of Lua is a list or an object, as the member has it. */
static bool write_empty(struct naming *n, const struct il__field *row, uint32_t at)
{
    enum il__json_kind kind = il__json_kind(n->doc, at);
    bool list = row->kind == IL__F_STRS || row->kind == IL__F_ENUMS || row->kind == IL__F_OBJECTS ||
                row->kind == IL__F_WINDOWS;
    bool map = row->kind == IL__F_COUNTS || row->kind == IL__F_ARGS;
    if (il__json_at(n->doc, at)->count || !((list && kind == IL__JSON_OBJECT) || (map && kind == IL__JSON_ARRAY)))
        return false;
    il__jw_raw(n->w, list ? IL_STR("[]") : IL_STR("{}"));
    return true;
}

static enum il_code write_value(struct naming *n, const struct il__field *row, uint32_t at)
{
    enum il_code code = IL_OK;
    enum il__json_kind kind = il__json_kind(n->doc, at);
    if (write_empty(n, row, at)) return IL_OK;
    if (row->sub && kind == IL__JSON_OBJECT) return write_object(n, row->sub, at);
    if (!row->sub || kind != IL__JSON_ARRAY || row->kind != IL__F_OBJECTS) {
        il__jw_raw(n->w, il__json_raw(n->doc, at));
        return IL_OK;
    }
    il__jw_array(n->w);
    for (uint32_t item = il__json_first(n->doc, at); item && !code; item = il__json_next(n->doc, at, item)) {
        if (il__json_kind(n->doc, item) == IL__JSON_OBJECT) code = write_object(n, row->sub, item);
        else il__jw_raw(n->w, il__json_raw(n->doc, item));
    }
    il__jw_array_end(n->w);
    return code;
}

static enum il_code write_object(struct naming *n, const struct il__schema *schema, uint32_t at)
{
    enum il_code code = IL_OK;
    il__jw_object(n->w);
    for (uint32_t name = il__json_first(n->doc, at); name && !code; name = il__json_next(n->doc, at, name + 1)) {
        struct il_str text;
        code = il__json_string(n->doc, name, &text, n->err);
        if (code) break;
        const struct il__field *row = row_of(schema, text, NULL);
        if (!row && n->recorded) continue;
        if (!row) return unknown(n, schema, name + 1, text);
        if (written_before(n->doc, at, name, row))
            return refuse(n->doc, name + 1, n->err, "it is there twice, by both its names");
        il__jw_key(n->w, row->wire);
        code = write_value(n, row, name + 1);
    }
    il__jw_object_end(n->w);
    return code;
}

enum il_code il__case_names(struct il__json *doc, bool recorded, struct il__json_writer *w, struct il_error *err)
{
    struct naming n = { doc, recorded, w, err };
    if (il__json_kind(doc, 0) != IL__JSON_OBJECT)
        return refuse(doc, 0, err, "a case is an object with an action, as in { action = { tool = \"...\" } }");
    return write_object(&n, &il__case_schema, 0);
}

/* ---- what is left out -------------------------------------------------------------------------------------------- */

/* "@" is the time of the case. */
static const struct {
    const struct il__schema *schema;
    const char *wire, *json;
} always[] = {
    { &il__target_schema, "platform", "\"linux\"" },
    { &il__target_schema, "appId", "\"app\"" },
    { &il__target_schema, "observationId", "\"observation-1\"" },
    { &il__target_schema, "confidence", "1" },
    { &il__target_schema, "capturedAt", "@" },
    { &il__sensitivity_schema, "assessment", "\"non_sensitive\"" },
    { &il__sensitivity_schema, "source", "\"accessibility\"" },
    { &il__sensitivity_schema, "signals", "[]" },
    { &il__sensitivity_schema, "fieldsChecked", "1" },
    { &il__sensitivity_schema, "observedAt", "@" },
    { &il__provenance_schema, "untrustedInstruction", "false" },
    { &il__provenance_schema, "sourceObservationIds", "[]" },
    { &il__envelope_schema, "actionId", "\"action-1\"" },
    { &il__envelope_schema, "actionClass", "\"edit_reversible\"" },
    { &il__envelope_schema, "dataLabels", "[]" },
    { &il__envelope_schema, "reversible", "true" },
    { &il__envelope_schema, "externalSideEffect", "false" },
    { &il__envelope_schema, "proposedAt", "@" },
    { &il__envelope_schema, "argsDigest",
      "\"0000000000000000000000000000000000000000000000000000000000000000\"" },
    { &il__capability_schema, "appId", "\"app\"" },
    { &il__capability_schema, "backend", "\"none\"" },
    { &il__capability_schema, "supportedModes", "[\"shadow\",\"background\",\"foreground\"]" },
    { &il__capability_schema, "interference", "\"none\"" },
    { &il__capability_schema, "confidence", "1" },
    { &il__capability_schema, "verificationSource", "\"rule\"" },
    { &il__policy_decision_schema, "policyDigest",
      "\"sha256:0000000000000000000000000000000000000000000000000000000000000000\"" },
    { &il__policy_decision_schema, "reasons", "[]" },
    { &il__lease_schema, "leaseId", "\"masked\"" },
    { &il__lease_schema, "revision", "1" },
    { &il__lease_schema, "kind", "\"cooperative\"" },
    { &il__lease_schema, "state", "\"active\"" },
    { &il__lease_schema, "acquiredAt", "@" },
    { &il__lease_schema, "actionBudget", "1" },
    { &il__lease_schema, "actionsUsed", "0" },
    { &il__case_vote_schema, "approver", "\"approver-1\"" },
    { &il__case_vote_schema, "roles", "[]" },
    { &il__case_vote_schema, "decision", "\"approve\"" },
};

static bool named(const struct il__case_given *given, size_t count, const char *wire)
{
    for (size_t i = 0; i < count; i++)
        if (il__str_present(given[i].json) && strcmp(given[i].wire, wire) == 0) return true;
    return false;
}

/* recurses: as deep as the tables nest */
void il__case_fill(const struct il__schema *schema, struct il__json *doc, uint32_t at,
                   const struct il__case_given *given, size_t count, struct il_str now, struct il__json_writer *w)
{
    il__jw_object(w);
    for (const struct il__field *f = schema->fields; f->wire; f++) {
        uint32_t value = at ? il__json_get(doc, at, f->wire) : 0;
        if (!value) continue;
        il__jw_key(w, f->wire);
        if (f->kind == IL__F_OBJECT && il__json_kind(doc, value) == IL__JSON_OBJECT)
            il__case_fill(f->sub, doc, value, NULL, 0, now, w);
        else il__jw_raw(w, il__json_raw(doc, value));
    }
    for (size_t i = 0; i < count; i++) {
        if (!il__str_present(given[i].json) || (at && il__json_get(doc, at, given[i].wire))) continue;
        il__jw_key(w, given[i].wire);
        il__jw_raw(w, given[i].json);
    }
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
        const char *wire = always[i].wire;
        if (always[i].schema != schema || (at && il__json_get(doc, at, wire)) || named(given, count, wire)) continue;
        il__jw_key(w, wire);
        if (always[i].json[0] == '@') il__jw_str(w, now);
        else il__jw_raw(w, il__str(always[i].json));
    }
    il__jw_object_end(w);
}
