/* The rows of proposal, preview, envelope and their parts, and the rules of a proposal. Uses the schema engine. Must
 * never compare a proposal with an envelope: that is src/check. */
#include "contract/action.h"

#include "contract/rows.h"

const char *const il__mode_names[] = { "shadow", "background", "foreground", NULL };
IL__NAMES_MATCH(il__mode_names, IL__MODE_COUNT);

const char *const il__class_names[] = { "observe",   "navigate",    "edit_reversible",  "communicate_external",
                                        "authentication", "financial", "destructive", "privilege_change",
                                        "secret_access", NULL };
IL__NAMES_MATCH(il__class_names, IL__CLASS_COUNT);

static const struct il__field provenance_fields[] = {
    IL__BOOL_ROW(il__provenance, untrusted_instruction, "untrustedInstruction", 0,
                 "Whether the instruction came from content that nobody vouches for."),
    IL__STRS_ROW(il__provenance, source_observation_ids, "sourceObservationIds", 0,
                 "The observations that led to the action."),
    IL__BOOL_ROW(il__provenance, crosses_data_boundary, "crossesDataBoundary", IL__F_OPT,
                 "Whether data leaves the place it came from."),
    IL__END_ROW,
};
const struct il__schema il__provenance_schema = {
    .object = "action provenance", .size = sizeof(struct il__provenance), .fields = provenance_fields,
};

static const struct il__field resource_fields[] = {
    IL__STR_ROW(il__resource, target_app_id, "targetAppId", IL__F_OPT, "The application acted on."),
    IL__WINDOW_ROW(il__resource, target_window_id, "targetWindowId", IL__F_OPT, "The window acted on."),
    IL__STR_ROW(il__resource, filesystem_path, "filesystemPath", IL__F_OPT, "The file acted on."),
    IL__STR_ROW(il__resource, filesystem_destination, "filesystemDestination", IL__F_OPT, "Where the file goes."),
    IL__STR_ROW(il__resource, registry_path, "registryPath", IL__F_OPT, "The registry key acted on."),
    IL__STR_ROW(il__resource, process_name, "processName", IL__F_OPT, "The process acted on, by name."),
    IL__U32_ROW(il__resource, process_id, "processId", IL__F_OPT, "The process acted on, by number."),
    IL__STR_ROW(il__resource, browser_domain, "browserDomain", IL__F_OPT, "The web site acted on."),
    IL__END_ROW,
};
const struct il__schema il__resource_schema = {
    .object = "action resource", .size = sizeof(struct il__resource), .fields = resource_fields,
};

static bool is_tool_with(struct il_str operation, struct il_str tool, struct il_str mode)
{
    if (operation.len != tool.len + 1 + mode.len || operation.ptr[tool.len] != '.') return false;
    return memcmp(operation.ptr, tool.ptr, tool.len) == 0 &&
           memcmp(operation.ptr + tool.len + 1, mode.ptr, mode.len) == 0;
}

/* `operation` is the tool, or the tool with the argument `mode` behind a dot. */
static enum il_code proposal_rules(const void *obj, const struct il__where *where)
{
    const struct il__proposal *p = obj;
    struct il__json *doc = p->arguments.doc;
    if (!il__str_present(p->operation) || il__str_eq(p->operation, p->tool)) return IL_OK;
    uint32_t at = doc ? il__json_get(doc, p->arguments.at, "mode") : 0;
    if (at && il__json_kind(doc, at) == IL__JSON_STRING) {
        struct il_str mode = IL_STR("");
        enum il_code code = il__json_string(doc, at, &mode, where->err);
        if (code) return code;
        if (is_tool_with(p->operation, p->tool, mode)) return IL_OK;
    }
    return il__broken(where, IL_INVALID_REQUEST, "operation", "the tool, or the tool, a dot and arguments.mode",
                      "another text");
}

static const struct il__field proposal_fields[] = {
    IL__STR_ROW(il__proposal, tool, "tool", IL__F_NONEMPTY, "What the runtime is asked to use."),
    IL__STR_ROW(il__proposal, operation, "operation", IL__F_OPT, "The tool, or the tool with its mode behind a dot."),
    IL__ROW(il__proposal, arguments, "arguments", IL__F_ARGS, IL__F_OPT | IL__F_DEFAULT, NULL, NULL, 0, 0,
            "What the tool is given; an empty object by default."),
    IL__ROW(il__proposal, mode, "mode", IL__F_ENUM, IL__F_OPT | IL__F_DEFAULT, NULL, il__mode_names,
            IL__MODE_BACKGROUND, 0, "How the action may show itself; background by default."),
    IL__OBJECT_ROW(il__proposal, target, "target", IL__F_OPT, il__target_schema, "Where the action is aimed."),
    IL__OBJECT_ROW(il__proposal, postcondition, "postcondition", IL__F_OPT, il__postcondition_schema,
                   "What must hold afterwards."),
    IL__STRS_ROW(il__proposal, data_labels, "dataLabels", IL__F_OPT, "What kinds of data the action touches."),
    IL__OBJECT_ROW(il__proposal, provenance, "provenance", IL__F_OPT, il__provenance_schema,
                   "Where the wish to act came from."),
    IL__END_ROW,
};
const struct il__schema il__proposal_schema = {
    .object = "proposed action", .size = sizeof(struct il__proposal), .closed = true, .unknown = IL_INVALID_REQUEST,
    .fields = proposal_fields, .rules = proposal_rules,
};

static const struct il__field policy_decision_fields[] = {
    IL__STR_ROW(il__policy_decision, decision, "decision", 0, "What the runtime's policy decided."),
    IL__STR_ROW(il__policy_decision, policy_digest, "policyDigest", IL__F_NONEMPTY, "Which policy decided."),
    IL__STRS_ROW(il__policy_decision, reasons, "reasons", 0, "Why it decided so."),
    IL__STR_ROW(il__policy_decision, grant_id, "grantId", IL__F_OPT | IL__F_NONEMPTY,
                "The grant that the decision rests on."),
    IL__END_ROW,
};
const struct il__schema il__policy_decision_schema = {
    .object = "policy decision", .size = sizeof(struct il__policy_decision), .fields = policy_decision_fields,
};

static const struct il__field capability_fields[] = {
    IL__STR_ROW(il__capability, app_id, "appId", 0, "The application."),
    IL__STR_ROW(il__capability, operation, "operation", 0, "The operation."),
    IL__STR_ROW(il__capability, backend, "backend", 0, "What carries the operation out."),
    IL__ROW(il__capability, supported_modes, "supportedModes", IL__F_ENUMS, 0, NULL, il__mode_names, 0, 0,
            "The modes in which it can."),
    IL__STR_ROW(il__capability, interference, "interference", 0, "How much it disturbs the person at the desktop."),
    IL__NUM_ROW(il__capability, confidence, "confidence", 0, 0, 1, "How sure the runtime is, from 0 to 1."),
    IL__STR_ROW(il__capability, verified_at, "verifiedAt", IL__F_OPT | IL__F_NONEMPTY | IL__F_TIME,
                "When that was last tried."),
    IL__STR_ROW(il__capability, verification_source, "verificationSource", 0, "What the confidence rests on."),
    IL__END_ROW,
};
const struct il__schema il__capability_schema = {
    .object = "execution capability", .size = sizeof(struct il__capability), .fields = capability_fields,
};

static const struct il__field envelope_fields[] = {
    IL__STR_ROW(il__envelope, action_id, "actionId", IL__F_NONEMPTY, "The action."),
    IL__STR_ROW(il__envelope, session_id, "sessionId", IL__F_NONEMPTY, "The runtime's session."),
    IL__STR_ROW(il__envelope, execution_group_id, "executionGroupId", IL__F_OPT | IL__F_NONEMPTY,
                "The group of agents that acts together."),
    IL__STR_ROW(il__envelope, principal_id, "principalId", IL__F_NONEMPTY, "On whose authority the action stands."),
    IL__STR_ROW(il__envelope, agent_id, "agentId", IL__F_OPT | IL__F_NONEMPTY, "The agent that acts."),
    IL__STR_ROW(il__envelope, tool, "tool", IL__F_NONEMPTY, "What the runtime will use."),
    IL__STR_ROW(il__envelope, operation, "operation", IL__F_NONEMPTY, "The operation of the tool."),
    IL__ENUM_ROW(il__envelope, action_class, "actionClass", 0, il__class_names, "How grave the action is."),
    IL__ENUM_ROW(il__envelope, requested_mode, "requestedMode", 0, il__mode_names, "How the action may show itself."),
    IL__OBJECT_ROW(il__envelope, target, "target", IL__F_OPT, il__target_schema, "Where the action is aimed."),
    IL__OBJECT_ROW(il__envelope, target_sensitivity, "targetSensitivity", IL__F_OPT, il__sensitivity_schema,
                   "Whether that place holds secrets."),
    IL__OBJECT_ROW(il__envelope, resource, "resource", IL__F_OPT, il__resource_schema, "What the action touches."),
    IL__OBJECT_ROW(il__envelope, provenance, "provenance", IL__F_OPT, il__provenance_schema,
                   "Where the wish to act came from."),
    IL__STRS_ROW(il__envelope, data_labels, "dataLabels", 0, "What kinds of data the action touches."),
    IL__OBJECT_ROW(il__envelope, postcondition, "postcondition", IL__F_OPT, il__postcondition_schema,
                   "What must hold afterwards."),
    IL__BOOL_ROW(il__envelope, reversible, "reversible", 0, "Whether the action can be taken back."),
    IL__BOOL_ROW(il__envelope, external_side_effect, "externalSideEffect", 0,
                 "Whether the action reaches beyond the desktop."),
    IL__STR_ROW(il__envelope, proposed_at, "proposedAt", IL__F_NONEMPTY | IL__F_TIME, "When it was proposed."),
    IL__STR_ROW(il__envelope, expires_at, "expiresAt", IL__F_NONEMPTY | IL__F_TIME, "When it is void."),
    IL__STR_ROW(il__envelope, args_digest, "argsDigest", 0, "The runtime's digest of what it will do."),
    IL__END_ROW,
};
const struct il__schema il__envelope_schema = {
    .object = "action envelope", .size = sizeof(struct il__envelope), .fields = envelope_fields,
};

static void keep_raw_envelope(void *obj, struct il__json *doc, uint32_t at)
{
    struct il__preview *preview = obj;
    preview->envelope_raw = (struct il__any){ doc, il__json_get(doc, at, "envelope") };
}

static const struct il__field preview_fields[] = {
    IL__OBJECT_ROW(il__preview, envelope, "envelope", 0, il__envelope_schema, "What everything is bound to."),
    IL__BOOL_ROW(il__preview, executable, "executable", 0, "Whether the runtime would act now."),
    IL__STR_ROW(il__preview, blocker, "blocker", IL__F_OPT, "What keeps it from acting."),
    IL__OBJECT_ROW(il__preview, policy, "policy", 0, il__policy_decision_schema, "What the runtime's policy decided."),
    IL__OBJECT_ROW(il__preview, capability, "capability", 0, il__capability_schema, "How the runtime would act."),
    IL__END_ROW,
};
const struct il__schema il__preview_schema = {
    .object = "action preview", .size = sizeof(struct il__preview), .fields = preview_fields,
    .derive = keep_raw_envelope,
};
