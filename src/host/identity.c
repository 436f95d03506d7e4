/* Who a run is for, when tokens say so: the host's keys and rules, and what a token becomes (SPEC §8).
 * Uses check/jwt.h. Must never mix what a token says with what the embedder says beside it. */
#include "base/error.h"
#include "base/limits.h"
#include "host/host.h"

void il__host_forget_jwks(il_host *host)
{
    il__jwks_free((struct il__jwks *)(uintptr_t)host->jwt.keys);
    il__arena_clear(&host->jwt_texts);
    host->jwt = (struct il__jwt_rules){ .keys = NULL };
}

/* ---- keys and rules ---- */

static enum il_code check_options(const struct il_jwks_options *o, struct il_error *err)
{
    if (o->size != sizeof *o)
        return il__fail_at(err, IL_INVALID_REQUEST, "identity", "size", "use IL_JWKS_OPTIONS_INIT");
    if (!o->issuer.len)
        return il__fail_at(err, IL_INVALID_REQUEST, "identity", "issuer", "tokens need an issuer to be held against");
    if (!o->audience.len)
        return il__fail_at(err, IL_INVALID_REQUEST, "identity", "audience",
                           "tokens need an audience to be held against");
    if (o->tenant_claim.len > IL__LIMIT_TENANT_CLAIM_BYTES)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "identity", "tenant_claim",
                           "the name of a claim has at most %d bytes (tenant_claim_bytes)",
                           IL__LIMIT_TENANT_CLAIM_BYTES);
    return IL_OK;
}

static enum il_code set_jwks(il_host *host, const struct il_jwks_options *o, struct il_error *err)
{
    struct il__arena texts;
    struct il__jwks *keys = NULL;
    struct il__jwt_rules rules = { .keys = NULL };
    enum il_code code = check_options(o, err);
    if (!code) code = il__jwks_new(&host->mem, o->jwks, &keys, err);
    if (code) return code;
    il__arena_init(&texts, &host->mem);
    rules.keys = keys;
    struct il_str claim = o->tenant_claim.len ? o->tenant_claim : IL_STR_NONE;
    if (il__arena_str(&texts, o->issuer, &rules.issuer) || il__arena_str(&texts, o->audience, &rules.audience) ||
        il__arena_str(&texts, claim, &rules.tenant_claim)) {
        il__arena_clear(&texts);
        il__jwks_free(keys);
        return il__fail(err, IL_OUT_OF_MEMORY, "no memory for keys");
    }
    il__host_forget_jwks(host);
    host->jwt = rules;
    host->jwt_texts = texts;
    return IL_OK;
}

enum il_code il_host_set_jwks(il_host *host, const struct il_jwks_options *options, struct il_error *err)
{
    enum il_code code = il__host_enter(host, "il_host_set_jwks", err);
    if (code) return code;
    return il__host_leave(host, set_jwks(host, options, err));
}

/* ---- tokens ---- */

static enum il_code verify(il_host *host, struct il_str token, struct il__arena *arena, struct il__identity *out,
                           struct il_error *err)
{
    if (!host->jwt.keys)
        return il__fail_at(err, IL_INVALID_REQUEST, "identity", "jwks", "this host has no keys to check a token with");
    return il__jwt_check(&host->mem, &host->jwt, token, il__clock_now(&host->engine.clock).wall, arena, out, err);
}

/* What stands beside a token and would be a second word on who it is. */
static enum il_code token_alone(const struct il_run_options *o, struct il_error *err)
{
    const char *beside = il__str_present(o->principal)             ? "principal"
                         : il__str_present(o->tenant)              ? "tenant"
                         : o->scope_count                          ? "scopes"
                         : il__str_present(o->identity_expires_at) ? "identity_expires_at"
                                                                   : NULL;
    if (!beside) return IL_OK;
    return il__fail_at(err, IL_INVALID_REQUEST, "run options", beside,
                       "a token says who a run is for; leave out %s", beside);
}

enum il_code il__host_identify(il_host *host, const struct il_run_options *options, struct il__arena *arena,
                               char expires[IL__RFC3339_MAX], struct il_run_options *out, struct il_error *err)
{
    struct il__identity identity;
    if (options->size != sizeof *options)
        return il__fail_at(err, IL_INVALID_REQUEST, "run options", "size", "use IL_RUN_OPTIONS_INIT");
    *out = *options;
    if (!il__str_present(options->identity_token)) {
        if (!host->jwt.keys) return IL_OK;
        return il__fail_at(err, IL_INVALID_REQUEST, "run options", "identity_token",
                           "this host takes identities from tokens alone; give one");
    }
    enum il_code code = token_alone(options, err);
    if (!code) code = verify(host, options->identity_token, arena, &identity, err);
    if (code) return code;
    il__rfc3339_format(identity.expires_at, expires);
    out->principal = identity.principal;
    out->tenant = identity.tenant;
    out->scopes = identity.scopes.items;
    out->scope_count = identity.scopes.count;
    out->identity_expires_at = il__str(expires);
    return IL_OK;
}

static enum il_code describe(il_host *host, const struct il__identity *identity, struct il_error *err)
{
    struct il__json_writer w;
    char expires[IL__RFC3339_MAX];
    il__rfc3339_format(identity->expires_at, expires);
    il__buf_reset(&host->identity);
    il__jw_init(&w, &host->identity);
    il__jw_object(&w);
    il__jw_member_str(&w, "principal", identity->principal);
    il__jw_member_str(&w, "tenant", identity->tenant);
    il__jw_key(&w, "scopes");
    il__jw_array(&w);
    for (size_t i = 0; i < identity->scopes.count; i++) il__jw_str(&w, identity->scopes.items[i]);
    il__jw_array_end(&w);
    il__jw_member_z(&w, "expiresAt", expires);
    il__jw_object_end(&w);
    return il__buf_check(&host->identity, err);
}

enum il_code il_host_identity(il_host *host, struct il_str token, struct il_str *out, struct il_error *err)
{
    struct il__identity identity;
    struct il__arena arena;
    enum il_code code = il__host_enter(host, "il_host_identity", err);
    if (code) return code;
    il__arena_init(&arena, &host->mem);
    code = verify(host, token, &arena, &identity, err);
    if (!code) code = describe(host, &identity, err);
    if (!code) *out = il__buf_get(&host->identity);
    il__arena_clear(&arena);
    return il__host_leave(host, code);
}
