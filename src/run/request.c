/* Request bodies (request.h). Must never copy a member that the allow-list does not name. */
#include "run/request.h"

#include "base/error.h"
#include "wire/canon.h"

static void write_any(struct il__json_writer *w, struct il__any any)
{
    if (any.doc) il__jw_raw(w, il__json_raw(any.doc, any.at));
    else il__jw_raw(w, IL_STR("{}"));
}

static void write_strs(struct il__json_writer *w, const char *name, struct il__strs strs)
{
    il__jw_key(w, name);
    il__jw_array(w);
    for (size_t i = 0; i < strs.count; i++) il__jw_str(w, strs.items[i]);
    il__jw_array_end(w);
}

static void write_object(struct il__json_writer *w, const char *name, const struct il__schema *schema, const void *obj)
{
    if (!obj) return;
    il__jw_key(w, name);
    il__encode(schema, obj, w);
}

void il__request_action(const struct il_run *run, struct il__json_writer *w)
{
    const struct il__proposal *p = &run->proposal;
    il__jw_object(w);
    il__jw_member_z(w, "actionId", run->action_id);
    il__jw_member_str(w, "agentId", run->agent_id);
    il__jw_key(w, "arguments");
    write_any(w, p->arguments);
    if (p->data_labels.items) write_strs(w, "dataLabels", p->data_labels);
    il__jw_member_str(w, "executionGroupId", run->group_id);
    il__jw_member_int(w, "expiresInMs", run->engine->options->envelope_ttl_ms);
    il__jw_member_z(w, "mode", il__mode_names[p->mode]);
    il__jw_member_str(w, "operation", run->operation);
    write_object(w, "postcondition", &il__postcondition_schema, p->postcondition);
    write_object(w, "provenance", &il__provenance_schema, p->provenance);
    il__jw_member_str(w, "sessionId", run->session_id);
    write_object(w, "target", &il__target_schema, p->target);
    il__jw_member_str(w, "tool", p->tool);
    il__jw_object_end(w);
}

enum il_code il__request_digest(struct il_run *run, char hex[IL__SHA256_HEX], struct il_error *err)
{
    struct il__engine *e = run->engine;
    struct il__json_writer w;
    il__buf_reset(&e->body);
    il__jw_init(&w, &e->body);
    il__request_action(run, &w);
    enum il_code code = il__buf_check(&e->body, err);
    if (code) return code;
    return il__canon_digest(e->digest, e->mem, il__buf_get(&e->body), hex, err);
}

static void write_envelope(const struct il_run *run, struct il__json_writer *w)
{
    il__jw_key(w, "envelope"); /* the received bytes, unknown members included (SPEC I11) */
    write_any(w, run->preview.envelope_raw);
}

/* The target of the envelope as lease boundaries; an action without target asks for an unscoped lease. */
static void write_boundaries(const struct il_run *run, struct il__json_writer *w)
{
    const struct il__target *t = run->preview.envelope->target;
    if (!t) return;
    write_strs(w, "appIds", (struct il__strs){ &t->app_id, 1 });
    if (t->window_id.kind != IL__WINDOW_NONE) {
        il__jw_key(w, "windowIds");
        il__jw_array(w);
        if (t->window_id.kind == IL__WINDOW_TEXT) il__jw_str(w, t->window_id.text);
        else il__jw_int(w, t->window_id.token);
        il__jw_array_end(w);
    }
    if (il__str_present(t->display_id)) write_strs(w, "displayIds", (struct il__strs){ &t->display_id, 1 });
}

static void write_lease_terms(const struct il_run *run, struct il__json_writer *w)
{
    write_envelope(run, w);
    il__jw_member_int(w, "actionBudget", 1);
    il__jw_member_str(w, "agentId", run->agent_id);
    il__jw_member_z(w, "kind", "cooperative");
    il__jw_member_z(w, "mode", il__mode_names[run->preview.envelope->requested_mode]);
    il__jw_member_int(w, "ttlMs", run->engine->options->lease_ttl_ms);
    write_boundaries(run, w);
}

static void write_execute(const struct il_run *run, struct il__json_writer *w)
{
    il__jw_key(w, "proposal");
    il__request_action(run, w);
    write_envelope(run, w);
    il__jw_key(w, "lease");
    il__encode(&il__lease_schema, &run->lease, w);
    il__jw_member_int(w, "attempt", (int64_t)run->sends);
    il__jw_key(w, "grantId");
    il__jw_str(w, run->grant_id);
}

static void write_members(const struct il_run *run, enum il_op op, struct il__json_writer *w)
{
    switch (op) {
    case IL_OP_DISCOVER_CAPABILITIES:
    case IL_OP_OBSERVE_VISUAL:
    case IL_OP_OBSERVE_SEMANTIC:
    case IL_OP_PREVIEW_ACTION:
        il__jw_key(w, "proposal");
        il__request_action(run, w);
        break;
    case IL_OP_RESERVE_TARGET:
        write_envelope(run, w);
        il__jw_member_int(w, "ttlMs", run->engine->options->reservation_ttl_ms);
        break;
    case IL_OP_ACQUIRE_LEASE:
        write_lease_terms(run, w);
        break;
    case IL_OP_EXECUTE_ACTION:
        write_execute(run, w);
        break;
    case IL_OP_RELEASE_LEASE:
        il__jw_member_str(w, "leaseId", run->leased.id);
        break;
    case IL_OP_RELEASE_TARGET:
        il__jw_member_str(w, "reservationId", run->reserved.id);
        break;
    case IL_OP_VERIFY:
        write_object(w, "receipt", &il__receipt_schema, &run->receipt);
        write_object(w, "postcondition", &il__postcondition_schema, run->preview.envelope->postcondition);
        break;
    case IL_OP_RECOVER:
    case IL_OP_PAUSE_SESSION:
    case IL_OP_STOP_SESSION:
    case IL_OP_EMERGENCY_STOP:
    case IL_OP_COUNT:
        break;
    }
}

enum il_code il__request_body(struct il_run *run, enum il_op op, struct il_error *err)
{
    struct il__buf *out = &run->engine->body;
    struct il__json_writer w;
    il__buf_reset(out);
    il__jw_init(&w, out);
    il__jw_object(&w);
    il__jw_member_z(&w, "runId", run->id);
    il__jw_member_str(&w, "sessionId", run->session_id);
    il__jw_member_str(&w, "principalId", run->identity.principal);
    il__jw_member_z(&w, "actionId", run->action_id);
    write_members(run, op, &w);
    il__jw_object_end(&w);
    return il__buf_check(out, err);
}

enum il_code il__request_control(struct il__engine *e, struct il_str session_id, struct il_str reason,
                                 struct il_error *err)
{
    struct il__json_writer w;
    il__buf_reset(&e->body);
    il__jw_init(&w, &e->body);
    il__jw_object(&w);
    il__jw_member_str(&w, "sessionId", session_id);
    il__jw_member_str(&w, "reason", reason);
    il__jw_object_end(&w);
    return il__buf_check(&e->body, err);
}
