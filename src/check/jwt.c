/* Checking a token, see jwt.h: its form, its header, the signature, then the claims. Must never read a claim before the
 * signature was found good, and must never let the token choose key material or algorithm. */
#include "check/jwt.h"

#include "base/error.h"
#include "base/limits.h"
#include "contract/action.h"
#include "wire/base64.h"

#include <stdio.h>
#include <string.h>

#define OBJECT "identity token"

struct reading {
    const struct il__jwt_rules *rules;
    struct il__mem *mem;
    struct il__instant now;
    struct il_error *err;
    struct il_str parts[3];       /* as they stand in the token */
    uint8_t *bytes;               /* room for all decoded parts */
    size_t room, used;
    struct il__json header, claims;
};

static enum il_code no_token(struct reading *r, const char *part, const char *why)
{
    return il__fail_at(r->err, IL_DECODE, OBJECT, part, "%s: %s", part, why);
}

static enum il_code refuse(struct reading *r, const char *claim, struct il_str expected, struct il_str actual)
{
    return il__refuse(r->err, IL_PRINCIPAL_MISMATCH, "identity", claim, expected, actual);
}

/* ---- its form ---- */

static enum il_code split(struct reading *r, struct il_str token)
{
    size_t part = 0, from = 0;
    for (size_t i = 0; i <= token.len; i++) {
        if (i < token.len && token.ptr[i] != '.') continue;
        if (part == 3) return no_token(r, "parts", "a token has three parts; one with five is encrypted");
        r->parts[part++] = (struct il_str){ token.ptr + from, i - from };
        from = i + 1;
    }
    return part == 3 ? IL_OK : no_token(r, "parts", "a token has three parts, with two points between them");
}

static enum il_code decode_part(struct reading *r, size_t part, const char *name, struct il_str *out)
{
    size_t len = 0;
    if (!il__base64url_read(r->parts[part], r->bytes + r->used, r->room - r->used, &len))
        return no_token(r, name, "is not base64url without padding");
    *out = (struct il_str){ (const char *)r->bytes + r->used, len };
    r->used += len;
    return IL_OK;
}

static enum il_code decode_object(struct reading *r, size_t part, const char *name, struct il__json *doc)
{
    struct il_error why = IL_ERROR_INIT;
    struct il_str text;
    char place[sizeof why.field];
    enum il_code code = decode_part(r, part, name, &text);
    if (code) return code;
    code = il__json_parse(doc, r->mem, text, IL__JSON_CONTRACT, &why);
    if (!code) code = il__json_strict(doc, 0, NULL, &why);
    if (code == IL_OUT_OF_MEMORY) return il__fail(r->err, code, "no memory for a token");
    (void)snprintf(place, sizeof place, "%s%.150s", name, why.field);
    if (code) return il__fail_at(r->err, code, OBJECT, place, "%s: %s", name, why.message);
    if (il__json_kind(doc, 0) != IL__JSON_OBJECT) return no_token(r, name, "is no object");
    return IL_OK;
}

/* A member as text: absent, or wrong when it is something else. */
static enum il_code text_of(struct reading *r, struct il__json *doc, const char *name, struct il_str *out)
{
    uint32_t at = il__json_get(doc, 0, name);
    *out = IL_STR_NONE;
    if (!at) return IL_OK;
    if (il__json_kind(doc, at) != IL__JSON_STRING)
        return refuse(r, name, IL_STR("a text"), il__str(il__json_kind_name(il__json_kind(doc, at))));
    return il__json_string(doc, at, out, r->err);
}

/* ---- header and signature ---- */

static enum il_code find_key(struct reading *r, const struct il__jwk **out)
{
    struct il_str kid;
    enum il_code code = text_of(r, &r->header, "kid", &kid);
    if (code) return code;
    *out = il__jwks_find(r->rules->keys, kid);
    if (*out) return IL_OK;
    return refuse(r, "kid", il__str_present(kid) ? IL_STR("a key of the local set") : IL_STR("the name of a key"), kid);
}

/* The key decides on the algorithm; what the header says must be that. */
static enum il_code check_header(struct reading *r, const struct il__jwk **key)
{
    struct il_str alg, typ;
    if (il__json_get(&r->header, 0, "crit"))
        return refuse(r, "crit", IL_STR("no extension that must be understood"), IL_STR("one"));
    if (il__json_get(&r->header, 0, "b64")) return refuse(r, "b64", IL_STR_NONE, IL_STR("b64"));
    enum il_code code = text_of(r, &r->header, "alg", &alg);
    if (!code) code = text_of(r, &r->header, "typ", &typ);
    if (code) return code;
    if (il__name_index(il__jwk_alg_names, alg) < 0 || !il__str_present(alg))
        return refuse(r, "alg", IL_STR("EdDSA, ES256 or RS256"), alg);
    if ((code = find_key(r, key))) return code;
    struct il_str pinned = il__str(il__jwk_alg_names[il__jwk_alg(*key)]);
    return il__str_eq(pinned, alg) ? IL_OK : refuse(r, "alg", pinned, alg);
}

static enum il_code check_signature(struct reading *r, const struct il__jwk *key)
{
    struct il_str signature;
    enum il_code code = decode_part(r, 2, "signature", &signature);
    if (code) return code;
    const struct il_str signed_text = { r->parts[0].ptr, r->parts[0].len + 1 + r->parts[1].len };
    if (il__jwk_verify(key, signed_text, signature)) return IL_OK;
    return refuse(r, "signature", IL_STR("one by the key of the token"),
                  signature.len ? IL_STR("another") : IL_STR("none"));
}

/* ---- claims ---- */

/* A member of the token that must be there and be `want`. */
static enum il_code check_issuer(struct reading *r)
{
    struct il_str iss;
    enum il_code code = text_of(r, &r->claims, "iss", &iss);
    if (code) return code;
    return il__str_present(iss) && il__str_eq(iss, r->rules->issuer) ? IL_OK : refuse(r, "iss", r->rules->issuer, iss);
}

/* One text, or a list of texts that holds it. */
static enum il_code check_audience(struct reading *r)
{
    struct il_str aud = IL_STR_NONE;
    uint32_t list = il__json_get(&r->claims, 0, "aud");
    if (!list || il__json_kind(&r->claims, list) != IL__JSON_ARRAY) {
        enum il_code code = text_of(r, &r->claims, "aud", &aud);
        if (code) return code;
        return il__str_present(aud) && il__str_eq(aud, r->rules->audience) ? IL_OK
                                                                           : refuse(r, "aud", r->rules->audience, aud);
    }
    for (uint32_t at = il__json_first(&r->claims, list); at; at = il__json_next(&r->claims, list, at)) {
        if (il__json_kind(&r->claims, at) != IL__JSON_STRING)
            return refuse(r, "aud", IL_STR("a text, or a list of texts"), IL_STR("a list with something else"));
        enum il_code code = il__json_string(&r->claims, at, &aud, r->err);
        if (code) return code;
        if (il__str_eq(aud, r->rules->audience)) return IL_OK;
    }
    return refuse(r, "aud", r->rules->audience, IL_STR("a list without it"));
}

/* NumericDate (RFC 7519 §2): seconds, a fraction allowed. */
static enum il_code time_of(struct reading *r, const char *name, bool *has, struct il__instant *out)
{
    const double latest = 253402300799.0; /* the end of year 9999 */
    double seconds = 0;
    uint32_t at = il__json_get(&r->claims, 0, name);
    *has = at != 0;
    if (!at) return IL_OK;
    if (!il__json_double(&r->claims, at, &seconds) || !(seconds >= 0 && seconds <= latest))
        return refuse(r, name, IL_STR("seconds since 1970, up to the year 9999"), il__json_raw(&r->claims, at));
    *out = (struct il__instant){ (int64_t)seconds, 0 };
    out->nsec = (int32_t)((seconds - (double)out->sec) * 1e9);
    return IL_OK;
}

static enum il_code not_before(struct reading *r, const char *name)
{
    char shown[IL__RFC3339_MAX];
    struct il__instant at = { 0, 0 };
    bool has = false;
    enum il_code code = time_of(r, name, &has, &at);
    if (code || !has) return code;
    if (il__instant_cmp(at, il__instant_add_ms(r->now, IL__JWT_LEEWAY_MS)) <= 0) return IL_OK;
    il__rfc3339_format(at, shown);
    return refuse(r, name, IL_STR("not later than now, a minute allowed"), il__str(shown));
}

static enum il_code check_times(struct reading *r, struct il__identity *out)
{
    char shown[IL__RFC3339_MAX];
    bool has = false;
    struct il__instant exp = { 0, 0 };
    enum il_code code = time_of(r, "exp", &has, &exp);
    if (!code && !has) code = refuse(r, "exp", IL_STR("when the token ends"), IL_STR_NONE);
    if (code) return code;
    out->expires = true;
    out->expires_at = il__instant_add_ms(exp, IL__JWT_LEEWAY_MS);
    if (il__instant_cmp(r->now, out->expires_at) >= 0) {
        il__rfc3339_format(exp, shown);
        return refuse(r, "exp", IL_STR("later than now, a minute allowed"), il__str(shown));
    }
    code = not_before(r, "nbf");
    return code ? code : not_before(r, "iat");
}

static enum il_code named(struct reading *r, const char *claim, enum il_code refusal, struct il__arena *arena,
                          struct il_str *out)
{
    struct il_str text;
    enum il_code code = text_of(r, &r->claims, claim, &text);
    if (code) return code;
    if (!text.len)
        return il__refuse(r->err, refusal, "identity", claim, IL_STR("a text that is not empty"), text);
    code = il__arena_str(arena, text, out);
    return code ? il__fail(r->err, code, "no memory for a token") : IL_OK;
}

static enum il_code take_tenant(struct reading *r, struct il__arena *arena, struct il__identity *out)
{
    char claim[IL__LIMIT_TENANT_CLAIM_BYTES + 1];
    struct il_str name = r->rules->tenant_claim;
    if (!il__str_present(name)) return IL_OK;
    if (name.len >= sizeof claim)
        return il__fail_at(r->err, IL_LIMIT_EXCEEDED, "identity", "tenant_claim", "the name of a claim has at most %d "
                           "bytes", IL__LIMIT_TENANT_CLAIM_BYTES);
    memcpy(claim, name.ptr, name.len);
    claim[name.len] = '\0';
    return named(r, claim, IL_TENANT_MISMATCH, arena, &out->tenant);
}

/* ---- scopes ---- */

/* Those that a mode asks for, each once; a token may hold others, for other things. */
static void add_scope(struct il_str *scopes, size_t *count, struct il_str word)
{
    for (int mode = 0; mode < IL__MODE_COUNT; mode++) {
        struct il_str known = il__str(il__scope_of_mode(mode));
        bool there = !il__str_eq(known, word);
        for (size_t i = 0; i < *count; i++) there = there || il__str_eq(scopes[i], known);
        if (!there) scopes[(*count)++] = known;
    }
}

static enum il_code scope_words(struct reading *r, struct il_str *scopes, size_t *count)
{
    struct il_str text;
    enum il_code code = text_of(r, &r->claims, "scope", &text);
    for (size_t from = 0, i = 0; !code && i <= text.len; i++) {
        if (i < text.len && text.ptr[i] != ' ') continue;
        if (i > from) add_scope(scopes, count, (struct il_str){ text.ptr + from, i - from });
        from = i + 1;
    }
    return code;
}

static enum il_code scope_list(struct reading *r, uint32_t list, struct il_str *scopes, size_t *count)
{
    if (il__json_kind(&r->claims, list) != IL__JSON_ARRAY)
        return refuse(r, "scp", IL_STR("a list of texts"),
                      il__str(il__json_kind_name(il__json_kind(&r->claims, list))));
    for (uint32_t at = il__json_first(&r->claims, list); at; at = il__json_next(&r->claims, list, at)) {
        struct il_str word;
        if (il__json_kind(&r->claims, at) != IL__JSON_STRING)
            return refuse(r, "scp", IL_STR("a list of texts"), IL_STR("a list with something else"));
        enum il_code code = il__json_string(&r->claims, at, &word, r->err);
        if (code) return code;
        add_scope(scopes, count, word);
    }
    return IL_OK;
}

static enum il_code take_scopes(struct reading *r, struct il__arena *arena, struct il__identity *out)
{
    struct il_str *scopes = il__arena_alloc(arena, IL__MODE_COUNT * sizeof *scopes);
    uint32_t list = il__json_get(&r->claims, 0, "scp");
    size_t count = 0;
    if (!scopes) return il__fail(r->err, IL_OUT_OF_MEMORY, "no memory for a token");
    if (list && il__json_get(&r->claims, 0, "scope"))
        return refuse(r, "scope", IL_STR("scope or scp"), IL_STR("both"));
    enum il_code code = list ? scope_list(r, list, scopes, &count) : scope_words(r, scopes, &count);
    out->scopes = (struct il__strs){ scopes, count };
    return code;
}

/* ---- all of it ---- */

static enum il_code check_all(struct reading *r, struct il_str token, struct il__arena *arena, struct il__identity *out)
{
    const struct il__jwk *key = NULL;
    enum il_code code = split(r, token);
    if (!code) code = decode_object(r, 0, "header", &r->header);
    if (!code) code = check_header(r, &key);
    if (!code) code = check_signature(r, key);
    if (!code) code = decode_object(r, 1, "payload", &r->claims);
    if (!code) code = check_issuer(r);
    if (!code) code = check_audience(r);
    if (!code) code = check_times(r, out);
    if (!code) code = named(r, "sub", IL_PRINCIPAL_MISMATCH, arena, &out->principal);
    if (!code) code = take_tenant(r, arena, out);
    if (!code) code = take_scopes(r, arena, out);
    return code;
}

enum il_code il__jwt_check(struct il__mem *mem, const struct il__jwt_rules *rules, struct il_str token,
                           struct il__instant now, struct il__arena *arena, struct il__identity *out,
                           struct il_error *err)
{
    struct reading r = { .rules = rules, .mem = mem, .now = now, .err = err };
    struct il__identity identity = { .principal = IL_STR_NONE };
    if (token.len > IL__LIMIT_IDENTITY_TOKEN_BYTES)
        return il__fail_at(err, IL_DECODE, OBJECT, "identity_token_bytes", "a token has at most %d bytes",
                           IL__LIMIT_IDENTITY_TOKEN_BYTES);
    r.bytes = il__mem_alloc(mem, token.len + 1);
    r.room = token.len + 1;
    if (!r.bytes) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a token");
    enum il_code code = check_all(&r, token, arena, &identity);
    il__json_clear(&r.header);
    il__json_clear(&r.claims);
    il__mem_free(mem, r.bytes, token.len + 1);
    if (!code) *out = identity;
    return code;
}
