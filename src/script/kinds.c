/* The words of kinds (kinds.h). */
#include "script/kinds.h"

#include "contract/lease.h"
#include "contract/reservation.h"
#include "script/lua_runtime.h"
#include "script/policy_ctx.h"
#include "script/seen.h"

static const struct il__kind values[] = {
    { "string", "string", NULL, NULL, NULL },
    { "string or nil", "string?", NULL, NULL, NULL },
    { "string, or nil and why", "string?, string?", NULL, NULL, NULL },
    { "text", "string", NULL, NULL, NULL },
    { "text or nil", "string?", NULL, NULL, NULL },
    { "boolean", "boolean", NULL, NULL, NULL },
    { "value", "any", NULL, NULL, NULL },
    { "view", "any", NULL, NULL, NULL },
    { "phase", NULL, NULL, il__phase_names, NULL },
    { "mode", NULL, NULL, il__mode_names, NULL },
    { "route", NULL, NULL, il__route_names, NULL },
    { "the policy's parameters", "table<string, any>", NULL, NULL, &il__params_object },
    { "view of the proposal", "interlock.Proposal", &il__proposal_schema, NULL, NULL },
    { "view of the time", "interlock.Time", &il__time_seen_schema, NULL, NULL },
    { "view of the capability", "interlock.Capability", &il__capability_schema, NULL, NULL },
    { "view of the runtime's policy decision", "interlock.RuntimePolicy", &il__policy_seen_schema, NULL, NULL },
    { "view of the decision", "interlock.Decision", &il__vote_seen_schema, NULL, NULL },
    { "view of the lease's limits", "interlock.Lease", &il__lease_seen_schema, NULL, NULL },
    { "verdict", "interlock.Verdict", NULL, NULL, NULL },
    { "answer", "interlock.Answer", NULL, NULL, NULL },
    { "observations", "interlock.Observations", NULL, NULL, &il__observed_object },
    { "preview", "interlock.Preview", &il__preview_seen_schema, NULL, NULL },
    { "{granted}", "interlock.Granted", &il__granted_seen_schema, NULL, NULL },
    { "reservation or nil", "interlock.Reservation?", &il__reservation_schema, NULL, NULL },
    { "lease", "interlock.Lease", &il__lease_seen_schema, NULL, NULL },
    { "receipt", "interlock.Receipt", &il__receipt_seen_schema, NULL, NULL },
    { "outcome", "interlock.Outcome", &il__outcome_seen_schema, NULL, NULL },
    { "left", "integer", NULL, NULL, NULL },
    { "wait_seconds", "integer", NULL, NULL, NULL },
    { "count", "integer", NULL, NULL, NULL },
    { "seconds_since_latest", "integer?", NULL, NULL, NULL },
};

static const char *const seen_names[] = { "capabilities", "visual", "semantic", NULL };
static const char *const over_names[] = { "deny", "count", NULL };
static const char *const session_names[] = { "this", "any", NULL };

static const struct il__kind params[] = {
    { "reason", "string", NULL, NULL, NULL },
    { "text", "string", NULL, NULL, NULL },
    { "pattern", "string", NULL, NULL, NULL },
    { "path", "string", NULL, NULL, NULL },
    { "folder", "string", NULL, NULL, NULL },
    { "zone", "string", NULL, NULL, NULL },
    { "list", "any[]?", NULL, NULL, NULL },
    { "value", "any", NULL, NULL, NULL },
    { "offset", "string", NULL, NULL, NULL },
    { "envelope", "table", NULL, NULL, NULL },
    { "arguments", "table?", NULL, NULL, NULL },
    { "message", "string?", NULL, NULL, NULL },
    { "delay", "string|integer", NULL, NULL, NULL },
    { "answer", "any", NULL, NULL, NULL },
    { "what", NULL, NULL, seen_names, NULL },
    { "...", NULL, NULL, seen_names, NULL },
    { "approvers", "integer?", NULL, NULL, NULL },
    { "timeout", "string|integer?", NULL, NULL, NULL },
    { "roles", "string[]?", NULL, NULL, NULL },
    { "code", "string?", NULL, NULL, NULL },
    { "remedy", "string?", NULL, NULL, NULL },
    { "key", "string", NULL, NULL, NULL },
    { "max", "integer", NULL, NULL, NULL },
    { "per", "string|integer", NULL, NULL, NULL },
    { "over", NULL, NULL, over_names, NULL },
    { "outcome", "interlock.HistoryOutcome|interlock.HistoryOutcome[]|nil", NULL, NULL, NULL },
    { "class", "string|string[]|nil", NULL, NULL, NULL },
    { "tool", "string|string[]|nil", NULL, NULL, NULL },
    { "app", "string|string[]|nil", NULL, NULL, NULL },
    { "within", "string|integer?", NULL, NULL, NULL },
    { "session", NULL, NULL, session_names, NULL },
};

const char *const il__weekday_names[] = { "monday", "tuesday",  "wednesday", "thursday",
                                          "friday", "saturday", "sunday",    NULL };
const char *const il__history_outcome_names[] = { "verified", "unverified", "failed", "indeterminate", NULL };

const char *const *il__kind_field_names(const struct il__schema *schema, const struct il__field *row)
{
    if (row->names) return row->names;
    return schema == &il__time_seen_schema && strcmp(row->lua, "weekday") == 0 ? il__weekday_names : NULL;
}

static const struct il__kind *find(const struct il__kind *rows, size_t count, struct il_str word)
{
    for (size_t i = 0; i < count; i++)
        if (il__str_eq(il__str(rows[i].word), word)) return &rows[i];
    return NULL;
}

const struct il__kind *il__kind_of(struct il_str word)
{
    return find(values, sizeof values / sizeof *values, word);
}

const struct il__kind *il__kind_param(struct il_str name)
{
    return find(params, sizeof params / sizeof *params, name);
}

bool il__kind_is_function(const struct il__member *member)
{
    return member->kind[0] == '(';
}

/* The bytes up to the parenthesis that closes the first one. */
static size_t closing(const char *kind)
{
    size_t depth = 0, i = 0;
    for (; kind[i]; i++) {
        if (kind[i] == '(') depth++;
        if (kind[i] == ')' && --depth == 0) break;
    }
    return i;
}

struct il_str il__kind_params(const struct il__member *member)
{
    if (!il__kind_is_function(member)) return IL_STR("");
    return (struct il_str){ member->kind + 1, closing(member->kind) - 1 };
}

struct il_str il__kind_results(const struct il__member *member)
{
    const char *arrow = il__kind_is_function(member) ? strstr(member->kind + closing(member->kind), "-> ") : NULL;
    return arrow ? il__str(arrow + 3) : IL_STR("");
}

bool il__kind_next(struct il_str list, size_t *at, struct il_str *piece)
{
    size_t depth = 0, from = *at, i = from;
    if (from >= list.len) return false;
    for (; i < list.len; i++) {
        if (list.ptr[i] == '{') depth++;
        if (list.ptr[i] == '}') depth--;
        if (depth == 0 && list.ptr[i] == ',' && i + 1 < list.len && list.ptr[i + 1] == ' ') break;
    }
    *piece = (struct il_str){ list.ptr + from, i - from };
    *at = i + 2;
    return true;
}

struct il_str il__kind_options(const struct il__member *member, unsigned n)
{
    struct il_str list = il__kind_params(member), piece = IL_STR_NONE;
    size_t at = 0;
    for (unsigned i = 0; i <= n; i++)
        if (!il__kind_next(list, &at, &piece)) return IL_STR_NONE;
    if (piece.len < 4 || piece.ptr[0] != '{') return IL_STR_NONE;
    return (struct il_str){ piece.ptr + 2, piece.len - 4 };
}
