/* Reading a key set, see jwks.h. Must never go on with some of the keys when one of them is wrong. */
#include "check/jwks.h"

#include "base/error.h"
#include "base/limits.h"
#include "contract/jwks.h"
#include "wire/base64.h"

#include <stdio.h>

#define OBJECT "identity keys"

struct il__jwks {
    struct il__mem *mem;
    struct il__json doc; /* holds the kids */
    struct il__jwks_doc set;
    struct il__jwk *keys[IL__LIMIT_IDENTITY_KEYS];
    size_t count;
};

/* What a family needs. */
struct family {
    const char *kty, *crv; /* crv NULL: it has none */
    enum il__jwk_alg alg;
};
static const struct family families[] = {
    { "OKP", "Ed25519", IL__JWK_EDDSA }, { "EC", "P-256", IL__JWK_ES256 }, { "RSA", NULL, IL__JWK_RS256 },
};

/* A refusal at a member of one key. */
static enum il_code broken(struct il_error *err, size_t key, const char *member, const char *why)
{
    char place[64];
    (void)snprintf(place, sizeof place, "/keys/%zu/%s", key, member);
    return il__fail_at(err, IL_DECODE, OBJECT, place, "%s: %s", place, why);
}

/* Ahead of all else, so that the refusal says what is wrong with it. */
static enum il_code no_private(const struct il__json *doc, struct il_error *err)
{
    static const char *const members[] = { "d", "p", "q", "dp", "dq", "qi", "oth", "k" };
    uint32_t keys = il__json_get(doc, 0, "keys");
    size_t i = 0;
    if (!keys || il__json_kind(doc, keys) != IL__JSON_ARRAY) return IL_OK; /* the schema will say so */
    for (uint32_t at = il__json_first(doc, keys); at; at = il__json_next(doc, keys, at), i++)
        for (size_t m = 0; m < sizeof members / sizeof *members; m++)
            if (il__json_get(doc, at, members[m]))
                return broken(err, i, members[m], "a secret or private key does not belong here; keep the public "
                                                  "members only");
    return IL_OK;
}

static const struct family *family_of(const struct il__jwk_doc *key)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (il__str_eq(key->kty, il__str(families[i].kty))) return &families[i];
    return NULL;
}

/* What the key is for fits what it is used for. */
static enum il_code check_use(const struct il__jwk_doc *key, const struct family *f, size_t at, struct il_error *err)
{
    if (f->crv && !il__str_eq(key->crv, il__str(f->crv)))
        return broken(err, at, "crv", "the curves known here are Ed25519 (OKP) and P-256 (EC)");
    if (!f->crv && il__str_present(key->crv)) return broken(err, at, "crv", "an RSA key has no curve");
    if (il__str_present(key->alg) && !il__str_eq(key->alg, il__str(il__jwk_alg_names[f->alg])))
        return broken(err, at, "alg", "the algorithms known here are EdDSA (OKP), ES256 (EC) and RS256 (RSA)");
    if (il__str_present(key->use) && !il__str_eq(key->use, IL_STR("sig")))
        return broken(err, at, "use", "a key that checks signatures is for sig");
    if (key->key_ops.items && !il__strs_has(key->key_ops, IL_STR("verify")))
        return broken(err, at, "key_ops", "a key that checks signatures may verify");
    return IL_OK;
}

/* Base64url into `room`; an absent member is absent. */
static enum il_code take_bytes(struct il_str text, size_t at, const char *member, uint8_t *room, size_t cap,
                               struct il_str *out, struct il_error *err)
{
    size_t len = 0;
    *out = IL_STR_NONE;
    if (!il__str_present(text)) return IL_OK;
    if (!il__base64url_read(text, room, cap, &len))
        return broken(err, at, member, "is not base64url without padding, or too long");
    *out = (struct il_str){ (const char *)room, len };
    return IL_OK;
}

enum { MEMBER_BYTES = 2048 };

static enum il_code make_key(struct il__jwks *set, const struct il__jwk_doc *doc, size_t at, struct il_error *err)
{
    uint8_t room[2][MEMBER_BYTES];
    struct il_str a, b;
    const char *why = "";
    const struct family *f = family_of(doc);
    if (!f) return broken(err, at, "kty", "the families known here are OKP, EC and RSA");
    bool rsa = f->alg == IL__JWK_RS256;
    enum il_code code = check_use(doc, f, at, err);
    if (!code) code = take_bytes(rsa ? doc->n : doc->x, at, rsa ? "n" : "x", room[0], MEMBER_BYTES, &a, err);
    if (!code) code = take_bytes(rsa ? doc->e : doc->y, at, rsa ? "e" : "y", room[1], MEMBER_BYTES, &b, err);
    if (code) return code;
    set->keys[at] = il__jwk_new(set->mem, f->alg, a, b, &why);
    if (set->keys[at]) return IL_OK;
    if (il__str_eq(il__str(why), IL_STR("out of memory"))) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for keys");
    return broken(err, at, rsa ? "n" : "x", why);
}

static const struct il__jwk_doc *doc_at(const struct il__jwks *set, size_t i)
{
    return set->set.keys.items[i];
}

static enum il_code check_kid(const struct il__jwks *set, size_t at, struct il_error *err)
{
    struct il_str kid = doc_at(set, at)->kid;
    if (!il__str_present(kid))
        return set->set.keys.count == 1 ? IL_OK : broken(err, at, "kid", "where there are several, each key has a kid");
    for (size_t i = 0; i < at; i++)
        if (il__str_eq(doc_at(set, i)->kid, kid)) return broken(err, at, "kid", "another key of this set has this kid");
    return IL_OK;
}

static enum il_code fill(struct il__jwks *set, struct il_str json, struct il_error *err)
{
    enum il_code code = il__json_parse_copy(&set->doc, set->mem, json, IL__JSON_CONTRACT, err);
    if (!code) code = no_private(&set->doc, err);
    if (!code) code = il__schema_strict(&il__jwks_schema, &set->doc, 0, err);
    if (!code) code = il__decode(&il__jwks_schema, &set->doc, 0, &set->set, err);
    il__error_object(err, OBJECT);
    for (size_t i = 0; !code && i < set->set.keys.count; i++) {
        code = check_kid(set, i, err);
        if (!code) code = make_key(set, doc_at(set, i), i, err);
        if (!code) set->count = i + 1;
    }
    return code;
}

enum il_code il__jwks_new(struct il__mem *mem, struct il_str json, struct il__jwks **out, struct il_error *err)
{
    struct il__jwks *set = il__mem_zalloc(mem, 1, sizeof *set);
    if (!set) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for keys");
    set->mem = mem;
    enum il_code code = fill(set, json, err);
    if (code) il__jwks_free(set);
    else *out = set;
    return code;
}

void il__jwks_free(struct il__jwks *set)
{
    if (!set) return;
    struct il__mem *mem = set->mem;
    for (size_t i = 0; i < set->count; i++) il__jwk_free(set->keys[i]);
    il__json_clear(&set->doc);
    il__mem_free(mem, set, sizeof *set);
}

size_t il__jwks_count(const struct il__jwks *set)
{
    return set->count;
}

const struct il__jwk *il__jwks_find(const struct il__jwks *set, struct il_str kid)
{
    bool only = set->count == 1 && (!il__str_present(kid) || !il__str_present(doc_at(set, 0)->kid));
    if (only) return set->keys[0];
    for (size_t i = 0; i < set->count && il__str_present(kid); i++)
        if (il__str_eq(doc_at(set, i)->kid, kid)) return set->keys[i];
    return NULL;
}
