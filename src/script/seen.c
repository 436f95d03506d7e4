/* The schemas of what scripts see (seen.h). The rows are read by the views and by the reference pages; nothing is
 * decoded through them. */
#include "script/seen.h"

#include "contract/lease.h"
#include "contract/receipt.h"

#include <stdio.h>

#define STR_ROW(T, m, name, flags_, about_) \
    { .wire = name, .lua = #m, .kind = IL__F_STR, .flags = flags_, .offset = offsetof(struct T, m), .about = about_ }
#define BOOL_ROW(T, m, name, about_) \
    { .wire = name, .lua = #m, .kind = IL__F_BOOL, .offset = offsetof(struct T, m), .about = about_ }
#define INT_ROW(T, m, name, lua_name, about_) \
    { .wire = name, .lua = lua_name, .kind = IL__F_INT, .offset = offsetof(struct T, m), .least = INT64_MIN, \
      .most = INT64_MAX, .about = about_ }
#define ENUM_ROW(T, m, name, names_, about_) \
    { .wire = name, .lua = #m, .kind = IL__F_ENUM, .offset = offsetof(struct T, m), .names = names_, .about = about_ }
#define STRS_ROW(T, m, name, about_) \
    { .wire = name, .lua = #m, .kind = IL__F_STRS, .offset = offsetof(struct T, m), .about = about_ }
#define OBJECT_ROW(T, m, name, flags_, sub_, about_) \
    { .wire = name, .lua = #m, .kind = IL__F_OBJECT, .flags = flags_, .offset = offsetof(struct T, m), .sub = sub_, \
      .about = about_ }
#define ANY_ROW(T, m, name, about_) \
    { .wire = name, .lua = #m, .kind = IL__F_ANY, .flags = IL__F_OPT, .offset = offsetof(struct T, m), .about = about_ }
#define END_ROW { .wire = NULL }

static const struct il__field policy_rows[] = {
    STR_ROW(il__policy_decision, decision, "decision", 0, "What the runtime's own policy says."),
    STR_ROW(il__policy_decision, policy_digest, "policyDigest", 0, "The digest of the runtime's policy."),
    STRS_ROW(il__policy_decision, reasons, "reasons", "Why, in the runtime's words."),
    END_ROW,
};
const struct il__schema il__policy_seen_schema = {
    .object = "policy decision", .size = sizeof(struct il__policy_decision), .fields = policy_rows,
};

static const struct il__field preview_rows[] = {
    BOOL_ROW(il__preview_seen, blocked, "blocked", "True when the runtime or a policy denied."),
    STR_ROW(il__preview_seen, reason, "reason", IL__F_OPT, "Why it is blocked."),
    BOOL_ROW(il__preview_seen, waits, "waits", "True when something must be granted before the action."),
    ENUM_ROW(il__preview_seen, route, "route", il__route_names, "The runtime's own route."),
    BOOL_ROW(il__preview_seen, executable, "executable", "Whether the runtime would execute it now."),
    OBJECT_ROW(il__preview_seen, envelope, "envelope", 0, &il__envelope_schema, "The action as it was fixed."),
    OBJECT_ROW(il__preview_seen, policy, "policy", 0, &il__policy_seen_schema, "The runtime's policy decision."),
    OBJECT_ROW(il__preview_seen, capability, "capability", 0, &il__capability_schema, "How it would be done."),
    END_ROW,
};
const struct il__schema il__preview_seen_schema = {
    .object = "preview", .size = sizeof(struct il__preview_seen), .fields = preview_rows,
};

static const struct il__field granted_rows[] = {
    BOOL_ROW(il__granted_seen, granted, "granted", "Always true: a run that is not granted does not go on."),
    END_ROW,
};
const struct il__schema il__granted_seen_schema = {
    .object = "approval", .size = sizeof(struct il__granted_seen), .fields = granted_rows,
};

static const struct il__field receipt_rows[] = {
    ENUM_ROW(il__receipt, status, "status", il__receipt_status_names, "What the runtime says became of the action."),
    STR_ROW(il__receipt, receipt_id, "receiptId", 0, "The id of the receipt."),
    ANY_ROW(il__receipt, result, "result", "What the action returned."),
    END_ROW,
};
const struct il__schema il__receipt_seen_schema = {
    .object = "execution receipt", .size = sizeof(struct il__receipt), .fields = receipt_rows,
};

static const struct il__field outcome_rows[] = {
    STR_ROW(il__outcome_seen, status, "status", 0, "completed, committed_unverified or verification_failed."),
    BOOL_ROW(il__outcome_seen, verified, "verified", "Whether the postcondition was seen to hold."),
    BOOL_ROW(il__outcome_seen, committed, "committed", "Whether the action was committed."),
    STR_ROW(il__outcome_seen, detail, "detail", IL__F_OPT, "What is short of verified."),
    END_ROW,
};
const struct il__schema il__outcome_seen_schema = {
    .object = "outcome", .size = sizeof(struct il__outcome_seen), .fields = outcome_rows,
};

static const struct il__field lease_rows[] = {
    STR_ROW(il__lease, kind, "kind", 0, "cooperative or exclusive."),
    ENUM_ROW(il__lease, execution_mode, "executionMode", il__mode_names, "The mode that the lease is for."),
    { .wire = "actionBudget",
      .lua = "action_budget",
      .kind = IL__F_INT,
      .offset = offsetof(struct il__lease, action_budget),
      .most = UINT32_MAX,
      .about = "How many actions it allows." },
    { .wire = "actionsUsed",
      .lua = "actions_used",
      .kind = IL__F_INT,
      .offset = offsetof(struct il__lease, actions_used),
      .most = UINT32_MAX,
      .about = "How many of them are used." },
    STR_ROW(il__lease, expires_at, "expiresAt", 0, "When it ends."),
    OBJECT_ROW(il__lease, boundaries, "boundaries", IL__F_OPT, &il__boundaries_schema, "Where it is valid."),
    END_ROW,
};
const struct il__schema il__lease_seen_schema = {
    .object = "control lease", .size = sizeof(struct il__lease), .fields = lease_rows,
};

static const struct il__field vote_rows[] = {
    STR_ROW(il__vote, approver, "approver", 0, "Who decided."),
    STRS_ROW(il__vote, roles, "roles", "The approver's roles."),
    ENUM_ROW(il__vote, decision, "decision", il__decision_names, "approve, deny, defer or re-observe."),
    STR_ROW(il__vote, reason, "reason", IL__F_OPT, "Why, in the approver's words."),
    END_ROW,
};
const struct il__schema il__vote_seen_schema = {
    .object = "decision", .size = sizeof(struct il__vote), .fields = vote_rows,
};

static const struct il__field time_rows[] = {
    INT_ROW(il__time_seen, year, "year", "year", "On the clock of the zone: UTC, in ctx.time."),
    INT_ROW(il__time_seen, month, "month", "month", "1 to 12."),
    INT_ROW(il__time_seen, day, "day", "day", "1 to 31."),
    INT_ROW(il__time_seen, hour, "hour", "hour", "0 to 23."),
    INT_ROW(il__time_seen, minute, "minute", "minute", "0 to 59."),
    INT_ROW(il__time_seen, second, "second", "second", "0 to 59."),
    STR_ROW(il__time_seen, weekday, "weekday", 0, "monday to sunday."),
    INT_ROW(il__time_seen, unix_seconds, "unix", "unix", "Seconds since 1970-01-01T00:00:00Z."),
    STR_ROW(il__time_seen, text, "text", 0, "RFC 3339."),
    STR_ROW(il__time_seen, zone, "zone", 0, "What the zone calls this time: UTC, CEST, +02:00."),
    INT_ROW(il__time_seen, offset, "offset", "offset", "Seconds east of Greenwich."),
    END_ROW,
};
const struct il__schema il__time_seen_schema = {
    .object = "time", .size = sizeof(struct il__time_seen), .fields = time_rows,
};

void il__time_see_in(struct il__instant at, const struct il__zone *zone, struct il__time_seen *out)
{
    static const char *const weekdays[] = { "sunday", "monday", "tuesday", "wednesday", "thursday", "friday",
                                            "saturday" };
    struct il__local l;
    *out = (struct il__time_seen){ .rule = *zone, .unix_seconds = at.sec };
    il__zone_local(&out->rule, at, &l);
    out->year = l.year;
    out->month = l.month;
    out->day = l.day;
    out->hour = l.hour;
    out->minute = l.minute;
    out->second = l.second;
    out->offset = l.offset;
    out->weekday = il__str(weekdays[l.weekday]);
    out->zone = il__str(l.name);
    out->text = (struct il_str){ out->text_bytes, il__local_format(&out->rule, at, out->text_bytes) };
}

void il__time_see(struct il__instant at, struct il__time_seen *out)
{
    const char *why;
    struct il__zone utc;
    if (il__zone_parse(IL_STR("Z"), &utc, &why)) il__time_see_in(at, &utc, out);
}

const struct il__schema *il__action_seen_schema(struct il__arena *arena)
{
    size_t count = 0;
    while (il__envelope_schema.fields[count].wire) count++;
    struct il__field *rows = il__arena_alloc(arena, (count + 3) * sizeof *rows);
    struct il__schema *schema = il__arena_alloc(arena, sizeof *schema);
    if (!rows || !schema) return NULL;
    memcpy(rows, il__envelope_schema.fields, count * sizeof *rows);
    rows[count] = (struct il__field){
        .wire = "mode", .lua = "mode", .kind = IL__F_ENUM, .names = il__mode_names,
        .offset = offsetof(struct il__action_seen, envelope) + offsetof(struct il__envelope, requested_mode),
        .about = "The same as requested_mode, named as in the proposal.",
    };
    rows[count + 1] = (struct il__field){
        .wire = "arguments", .lua = "arguments", .kind = IL__F_ARGS, .flags = IL__F_OPT | IL__F_DEFAULT,
        .offset = offsetof(struct il__action_seen, arguments), .about = "The arguments that execute will send.",
    };
    *schema = (struct il__schema){ .object = "action", .size = sizeof(struct il__action_seen), .fields = rows };
    return schema;
}

static const struct il__member observed_members[] = {
    { "capabilities", "view", 0, NULL, "What the runtime says it can do; nil when not observed." },
    { "visual", "view", 0, NULL, "What the screen shows; nil when not observed." },
    { "semantic", "view", 0, NULL, "The tree of elements; nil when not observed." },
    { NULL, NULL, 0, NULL, NULL },
};
const struct il__object il__observed_object = {
    "observations", "What was observed last, each as free-form JSON.", observed_members, NULL, false, false,
};
