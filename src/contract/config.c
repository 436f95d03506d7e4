/* The rows of the configuration file, and what its members say of one another. Uses the schema engine. */
#include "contract/config.h"

#include "base/limits.h"
#include "contract/rows.h"

#include <string.h>

/* ---- bundles, identity, limits ---- */

static const struct il__field bundle_fields[] = {
    IL__STR_ROW(il__config_bundle_doc, path, "path", IL__F_NONEMPTY, "The folder of the bundle, or its packed file."),
    IL__ROW(il__config_bundle_doc, params, "params", IL__F_ARGS, IL__F_OPT, NULL, NULL, 0, 0,
            "Its parameters, {name: value}."),
    IL__END_ROW,
};
static const struct il__schema bundle_schema = {
    .object = "configuration", .size = sizeof(struct il__config_bundle_doc), .closed = true, .fields = bundle_fields,
};

static const struct il__field identity_fields[] = {
    IL__STR_ROW(il__config_identity_doc, jwks, "jwks", IL__F_NONEMPTY, "The keys that check tokens: a JWK Set."),
    IL__STR_ROW(il__config_identity_doc, issuer, "issuer", IL__F_NONEMPTY, "Who must have issued a token."),
    IL__STR_ROW(il__config_identity_doc, audience, "audience", IL__F_NONEMPTY, "Whom a token must be meant for."),
    IL__STR_ROW(il__config_identity_doc, tenant_claim, "tenantClaim", IL__F_OPT | IL__F_NONEMPTY,
                "The claim that names the tenant."),
    IL__END_ROW,
};
static const struct il__schema identity_schema = {
    .object = "configuration", .size = sizeof(struct il__config_identity_doc), .closed = true,
    .fields = identity_fields,
};

#define NUMBER_ROW(m, most, about) IL__INT_ROW(il__config_limits_doc, m, #m, IL__F_OPT, 1, most, about)
static const struct il__field limits_fields[] = {
    NUMBER_ROW(memory_bytes, IL__COUNT_MAX, "All memory of the host."),
    NUMBER_ROW(max_moving_runs, IL__U32, "Runs that move at once."),
    NUMBER_ROW(lease_wait_ms, IL__U32, "Wait for the one lease."),
    NUMBER_ROW(request_timeout_ms, IL__U32, "One request to the runtime."),
    NUMBER_ROW(envelope_ttl_ms, IL__U32, "Time to live asked for a preview."),
    NUMBER_ROW(lease_ttl_ms, IL__U32, "Time to live asked for a lease."),
    NUMBER_ROW(reservation_ttl_ms, IL__U32, "Time to live asked for a reservation."),
    NUMBER_ROW(execute_margin_ms, IL__U32, "Time that must be left when an execute goes out."),
    NUMBER_ROW(approval_timeout_ms, IL__U32, "Wait for an answer before the preview."),
    IL__END_ROW,
};
#undef NUMBER_ROW
static const struct il__schema limits_schema = {
    .object = "configuration", .size = sizeof(struct il__config_limits_doc), .closed = true, .fields = limits_fields,
};

/* ---- addresses ---- */

static bool starts_with(struct il_str s, const char *head)
{
    size_t len = strlen(head);
    return s.len >= len && memcmp(s.ptr, head, len) == 0;
}

enum il__endpoint_kind il__endpoint_kind(struct il_str endpoint)
{
    static const struct {
        const char *head;
        enum il__endpoint_kind kind;
    } heads[] = {
        { "stdio:", IL__ENDPOINT_STDIO },
        { "mcp+http://", IL__ENDPOINT_HTTP },
        { "mcp+https://", IL__ENDPOINT_HTTPS },
        { "unix:", IL__ENDPOINT_UNIX },
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (starts_with(endpoint, heads[i].head))
            return endpoint.len > strlen(heads[i].head) ? heads[i].kind : IL__ENDPOINT_OTHER;
    if (il__str_eq(endpoint, IL_STR("simulated"))) return IL__ENDPOINT_SIMULATED;
    bool lua = endpoint.len > 4 && memcmp(endpoint.ptr + endpoint.len - 4, ".lua", 4) == 0;
    return lua ? IL__ENDPOINT_LUA : IL__ENDPOINT_OTHER;
}

/* The part behind "//" up to the path holds a name or a password. */
static bool holds_secret(struct il_str url)
{
    const char *at = memchr(url.ptr, '/', url.len), *end = url.ptr + url.len;
    if (!at || end - at < 2) return false;
    for (at += 2; at < end && *at != '/' && *at != '?' && *at != '#'; at++)
        if (*at == '@') return true;
    return false;
}

static bool is_variable(struct il_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9')) return false;
    }
    return s.len > 0;
}

static enum il_code bad(const struct il__where *where, const char *member, const char *expected, const char *actual)
{
    return il__broken(where, IL_DECODE, member, expected, actual);
}

static enum il_code check_token(const struct il__where *where, struct il_str file, struct il_str env)
{
    if (il__str_present(file) && il__str_present(env))
        return bad(where, "tokenEnv", "one token, as tokenFile or as tokenEnv", "both");
    if (il__str_present(env) && !is_variable(env))
        return bad(where, "tokenEnv", "the name of an environment variable", "something else");
    return IL_OK;
}

/* Only a server has them. */
static const char *server_member(const struct il__config_runtime_doc *r)
{
    if (il__str_present(r->token_file)) return "tokenFile";
    if (il__str_present(r->token_env)) return "tokenEnv";
    if (il__str_present(r->ca)) return "ca";
    if (r->accept_tools.count) return "acceptTools";
    return r->read_back.has ? "readBack" : NULL;
}

static enum il_code runtime_rules(const void *obj, const struct il__where *where)
{
    const struct il__config_runtime_doc *r = obj;
    enum il__endpoint_kind kind = il__endpoint_kind(r->endpoint);
    bool web = kind == IL__ENDPOINT_HTTP || kind == IL__ENDPOINT_HTTPS;
    if (kind == IL__ENDPOINT_OTHER || kind == IL__ENDPOINT_UNIX)
        return bad(where, "endpoint", "simulated, a FILE.lua, stdio:COMMAND, mcp+http://... or mcp+https://...",
                   "something else");
    if (web && holds_secret(r->endpoint))
        return bad(where, "endpoint", "an address without a name or a password", "one with them");
    if (!web && kind != IL__ENDPOINT_STDIO && server_member(r))
        return bad(where, server_member(r), "a server as endpoint", "another runtime");
    if (!web && (il__str_present(r->token_file) || il__str_present(r->token_env)))
        return bad(where, server_member(r), "a server over HTTP as endpoint", "one over stdio");
    if (kind != IL__ENDPOINT_HTTPS && il__str_present(r->ca))
        return bad(where, "ca", "an endpoint mcp+https://...", "another");
    return check_token(where, r->token_file, r->token_env);
}

static enum il_code approver_rules(const void *obj, const struct il__where *where)
{
    const struct il__config_approver_doc *a = obj;
    enum il__endpoint_kind kind = il__endpoint_kind(a->endpoint);
    bool web = kind == IL__ENDPOINT_HTTP || kind == IL__ENDPOINT_HTTPS;
    if (!web && kind != IL__ENDPOINT_UNIX)
        return bad(where, "endpoint", "unix:PATH, mcp+http://... or mcp+https://...", "something else");
    if (web && holds_secret(a->endpoint))
        return bad(where, "endpoint", "an address without a name or a password", "one with them");
    if (!il__str_present(a->token_file) && !il__str_present(a->token_env))
        return bad(where, "tokenFile", "a credential of its own, as tokenFile or as tokenEnv", "none");
    if (kind != IL__ENDPOINT_HTTPS && il__str_present(a->ca))
        return bad(where, "ca", "an endpoint mcp+https://...", "another");
    return check_token(where, a->token_file, a->token_env);
}

static const struct il__field runtime_fields[] = {
    IL__STR_ROW(il__config_runtime_doc, endpoint, "endpoint", IL__F_NONEMPTY, "Who acts."),
    IL__STR_ROW(il__config_runtime_doc, token_file, "tokenFile", IL__F_OPT | IL__F_NONEMPTY,
                "The file with the bearer token."),
    IL__STR_ROW(il__config_runtime_doc, token_env, "tokenEnv", IL__F_OPT | IL__F_NONEMPTY,
                "The variable with the bearer token."),
    IL__STR_ROW(il__config_runtime_doc, ca, "ca", IL__F_OPT | IL__F_NONEMPTY, "The only authorities trusted (PEM)."),
    IL__STR_ROW(il__config_runtime_doc, session, "session", IL__F_OPT | IL__F_NONEMPTY, "The session of new runs."),
    IL__BOOL_ROW(il__config_runtime_doc, read_back, "readBack", IL__F_OPT, "Look at what a postcondition declares."),
    IL__ROW(il__config_runtime_doc, accept_tools, "acceptTools", IL__F_STRS,
            IL__F_OPT | IL__F_DEFAULT | IL__F_UNIQUE | IL__F_ITEMS_NONEMPTY, NULL, NULL, 0, IL__LIMIT_CONFIG_TOOLS,
            "Acting tools that the server may offer all the same."),
    IL__END_ROW,
};
static const struct il__schema runtime_schema = {
    .object = "configuration", .size = sizeof(struct il__config_runtime_doc), .closed = true,
    .fields = runtime_fields, .rules = runtime_rules,
};

static const struct il__field approver_fields[] = {
    IL__STR_ROW(il__config_approver_doc, endpoint, "endpoint", IL__F_NONEMPTY, "Where approvals are made."),
    IL__STR_ROW(il__config_approver_doc, token_file, "tokenFile", IL__F_OPT | IL__F_NONEMPTY,
                "The file with its token."),
    IL__STR_ROW(il__config_approver_doc, token_env, "tokenEnv", IL__F_OPT | IL__F_NONEMPTY,
                "The variable with its token."),
    IL__STR_ROW(il__config_approver_doc, ca, "ca", IL__F_OPT | IL__F_NONEMPTY, "The only authorities trusted (PEM)."),
    IL__END_ROW,
};
static const struct il__schema approver_schema = {
    .object = "configuration", .size = sizeof(struct il__config_approver_doc), .closed = true,
    .fields = approver_fields, .rules = approver_rules,
};

/* ---- the whole ---- */

static const char *const SCOPES[] = { "computer:plan", "computer:execute:background", "computer:execute:foreground",
                                      NULL };

static enum il_code config_rules(const void *obj, const struct il__where *where)
{
    const struct il__config_doc *c = obj;
    const char *said = il__str_present(c->principal) ? "principal"
                     : il__str_present(c->tenant)    ? "tenant"
                     : c->scopes.items               ? "scopes"
                                                     : NULL;
    if (c->identity && said) return bad(where, said, "no such member beside identity: tokens say that", "one");
    if (c->host.len > IL__LIMIT_CONFIG_HOST_BYTES) return bad(where, "host", "a shorter name", "one too long");
    if (!il__str_present(c->notice)) return IL_OK;
    if (!starts_with(c->notice, "https://") || c->notice.len == strlen("https://"))
        return bad(where, "notice", "an address https://...", "something else");
    if (!holds_secret(c->notice)) return IL_OK;
    return bad(where, "notice", "an address without a name or a password", "one with them");
}

#define TEXT_ROW(m, wire, about) IL__STR_ROW(il__config_doc, m, wire, IL__F_OPT | IL__F_NONEMPTY, about)
static const struct il__field config_fields[] = {
    TEXT_ROW(host, "host", "What this host is called in decisions."),
    TEXT_ROW(store, "store", "The file that keeps runs."),
    IL__ROW(il__config_doc, bundles, "bundles", IL__F_OBJECTS, IL__F_OPT | IL__F_DEFAULT, &bundle_schema, NULL, 0,
            IL__LIMIT_BUNDLES, "Policy bundles, in the order in which they are asked."),
    IL__ROW(il__config_doc, trial_bundles, "trialBundles", IL__F_OBJECTS, IL__F_OPT | IL__F_DEFAULT, &bundle_schema,
            NULL, 0, IL__LIMIT_BUNDLES, "Policy bundles on trial: asked beside the others, and not heard."),
    IL__ROW(il__config_doc, bundle_keys, "bundleKeys", IL__F_STRS,
            IL__F_OPT | IL__F_NONEMPTY | IL__F_UNIQUE | IL__F_ITEMS_NONEMPTY, NULL, NULL, 0, IL__LIMIT_BUNDLE_KEYS,
            "Files of the public keys that bundles are trusted by."),
    TEXT_ROW(approvers, "approvers", "The file of approvers and their keys."),
    IL__OBJECT_ROW(il__config_doc, identity, "identity", IL__F_OPT, identity_schema, "What tokens are held against."),
    TEXT_ROW(principal, "principal", "On whose behalf runs act."),
    TEXT_ROW(tenant, "tenant", "The tenant of runs."),
    IL__ROW(il__config_doc, scopes, "scopes", IL__F_ENUMS, IL__F_OPT | IL__F_UNIQUE, NULL, SCOPES, 0, 0,
            "What the principal may do."),
    IL__OBJECT_ROW(il__config_doc, runtime, "runtime", IL__F_OPT, runtime_schema, "Who acts."),
    IL__OBJECT_ROW(il__config_doc, approver, "approver", IL__F_OPT, approver_schema, "Where approvals are made."),
    TEXT_ROW(workflow, "workflow", "The order of the steps, a Lua file."),
    IL__OBJECT_ROW(il__config_doc, limits, "limits", IL__F_OPT, limits_schema, "Numbers of the host."),
    IL__BOOL_ROW(il__config_doc, accept_standing_grants, "acceptStandingGrants", IL__F_OPT,
                 "Take a grant that acts silently for allowed."),
    IL__BOOL_ROW(il__config_doc, accept_server_verification, "acceptServerVerification", IL__F_OPT,
                 "Take the server's own verification for evidence."),
    TEXT_ROW(notice, "notice", "Whom to tell that runs wait, with ids and counts only."),
    TEXT_ROW(witness, "witness", "The heads that are kept outside of the store."),
    TEXT_ROW(head_key, "headKey", "The public key that heads are believed by."),
    TEXT_ROW(kill_switch, "killSwitch", "While this file is there, nothing is done."),
    IL__END_ROW,
};
#undef TEXT_ROW
const struct il__schema il__config_schema = {
    .object = "configuration", .size = sizeof(struct il__config_doc), .closed = true, .fields = config_fields,
    .rules = config_rules,
};
