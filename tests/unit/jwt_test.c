/* Identity tokens (SPEC §8): keys from a local set, the signatures of RFC 7515 and RFC 8037, and what each check of a
 * token refuses, by the name of the claim. */
#include "tap.h"
#include "token_kit.h"

#include "base/limits.h"
#include "check/jwt.h"
#include "wire/base64.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW 1800000000 /* 2027-01-15T08:00:00Z */
#define ISS "\"iss\":\"https://id.example\","
#define AUD "\"aud\":\"interlock\","
#define SUB "\"sub\":\"ada\","
#define EXP "\"exp\":1800000300"
#define GOOD "{" ISS AUD SUB EXP "}"

/* ---- key sets ---- */

static enum il_code read_set(struct il__mem *mem, struct il_str json, struct il__jwks **set, struct il_error *err)
{
    *err = (struct il_error)IL_ERROR_INIT;
    *set = NULL;
    return il__jwks_new(mem, json, set, err);
}

static void valid_set(void *ctx, const char *path, const char *bytes, size_t len)
{
    struct il__jwks *set;
    struct il_error err;
    tap_int(read_set(ctx, (struct il_str){ bytes, len }, &set, &err), IL_OK, "%s (%s)", path, err.message);
    tap_ok(set && il__jwks_count(set) > 0, "holds keys");
    il__jwks_free(set);
}

static void invalid_set(void *ctx, const char *path, const char *bytes, size_t len)
{
    struct il__jwks *set;
    struct il_error err;
    char want[64];
    tap_int(read_set(ctx, (struct il_str){ bytes, len }, &set, &err), IL_DECODE, "%s is refused", path);
    tap_str(il__str(err.object), "identity keys", "by its object");
    /* The name of the file ends in the place: ...@keys.0.alg.json */
    const char *at = strchr(path, '@');
    if (at) {
        (void)snprintf(want, sizeof want, "/%.*s", (int)(strlen(at + 1) - 5), at + 1);
        for (char *c = want; *c; c++)
            if (*c == '.') *c = '/';
        tap_str(il__str(err.field), want, "at its place (%s)", err.message);
    }
}

/* Every truncation of a set is refused, and no allocation that fails leaks or passes. */
static void torn_set(struct il__mem *mem)
{
    size_t len, passed = 0;
    char *text = tap_slurp("tests/vectors/jwks/valid/three.json", &len);
    struct il__jwks *set;
    struct il_error err;
    while (len && text[len - 1] != '}') len--;
    for (size_t n = 0; n < len; n++)
        if (read_set(mem, (struct il_str){ text, n }, &set, &err) != IL_DECODE) passed++;
    tap_int((long long)passed, 0, "no truncation of a key set is read");
    size_t clean = mem->in_use_bytes;
    for (uint64_t n = 1; n < 200; n++) {
        mem->fail_at = mem->calls + n;
        enum il_code code = read_set(mem, (struct il_str){ text, len }, &set, &err);
        mem->fail_at = 0;
        if (!code) break;
        if (code != IL_OUT_OF_MEMORY || mem->in_use_bytes != clean) passed++;
    }
    il__jwks_free(set);
    tap_int((long long)passed, 0, "out of memory at any allocation: said, and nothing left behind");
    tap_int((long long)mem->in_use_bytes, (long long)clean, "all freed");
    free(text);
}

static void key_count(struct il__mem *mem)
{
    struct signer s = signer_new(IL__JWK_EDDSA);
    for (int extra = 0; extra < 2; extra++) {
        size_t cap = (IL__LIMIT_IDENTITY_KEYS + 2) * 128, at;
        char *text = malloc(cap);
        if (!text) abort();
        at = (size_t)snprintf(text, cap, "{\"keys\":[");
        for (int i = 0; i < IL__LIMIT_IDENTITY_KEYS + extra; i++) {
            char kid[16];
            (void)snprintf(kid, sizeof kid, "k%d", i);
            char *key = signer_jwk(&s, kid, NULL);
            at += (size_t)snprintf(text + at, cap - at, "%s%s", i ? "," : "", key);
            free(key);
        }
        (void)snprintf(text + at, cap - at, "]}");
        struct il__jwks *set;
        struct il_error err;
        tap_int(read_set(mem, il__str(text), &set, &err), extra ? IL_DECODE : IL_OK, "identity_keys: %s (%s)",
                extra ? "one more is refused" : "as many as that are read", err.message);
        il__jwks_free(set);
        free(text);
    }
    signer_free(&s);
}

/* ---- published signatures ---- */

static void published(struct il__mem *mem)
{
    static const char *const names[] = { "rfc8037-a4", "rfc7515-a3", "rfc7515-a2" };
    for (size_t i = 0; i < 3; i++) {
        char path[96];
        uint8_t sig[600];
        size_t len, sig_len = 0;
        struct il__jwks *set;
        struct il_error err;
        (void)snprintf(path, sizeof path, "tests/vectors/jwks/valid/%s.json", names[i]);
        char *keys = tap_slurp(path, &len);
        tap_int(read_set(mem, (struct il_str){ keys, len }, &set, &err), IL_OK, "the key of %s (%s)", names[i],
                err.message);
        (void)snprintf(path, sizeof path, "tests/vectors/jws/%s.txt", names[i]);
        char *jws = tap_slurp(path, &len);
        while (len && jws[len - 1] == '\n') len--;
        jws[len] = '\0';
        char *point = strrchr(jws, '.');
        struct il_str input = { jws, (size_t)(point - jws) };
        tap_ok(il__base64url_read(il__str(point + 1), sig, sizeof sig, &sig_len), "its signature is read");
        struct il_str signature = { (char *)sig, sig_len };
        const struct il__jwk *key = set ? il__jwks_find(set, IL_STR_NONE) : NULL;
        tap_ok(key && il__jwk_verify(key, input, signature), "the signature of %s is good", names[i]);
        sig[0] ^= 1;
        tap_ok(key && !il__jwk_verify(key, input, signature), "a bit of it turned: no");
        sig[0] ^= 1;
        jws[3] ^= 1;
        tap_ok(key && !il__jwk_verify(key, input, signature), "a bit of the text turned: no");
        jws[3] ^= 1;
        signature.len--;
        tap_ok(key && !il__jwk_verify(key, input, signature), "a byte less: no");
        il__jwks_free(set);
        free(jws);
        free(keys);
    }
}

/* ---- tokens ---- */

struct bed {
    struct il__mem mem;
    struct signer signers[3]; /* by algorithm */
    struct il__jwks *one[3], *all;
    struct il__jwt_rules rules;
    struct il__instant now;
    struct il__arena arena;
    struct il__identity identity;
    struct il_error err;
};

static void bed_open(struct bed *b)
{
    memset(b, 0, sizeof *b);
    il__mem_init(&b->mem, NULL, NULL, 0);
    il__arena_init(&b->arena, &b->mem);
    for (int i = 0; i < 3; i++) {
        b->signers[i] = signer_new((enum il__jwk_alg)i);
        char *set = signer_set(&b->signers[i], 1);
        tap_int(read_set(&b->mem, il__str(set), &b->one[i], &b->err), IL_OK, "a set of one key (%s)", b->err.message);
        free(set);
    }
    char *set = signer_set(b->signers, 3);
    tap_int(read_set(&b->mem, il__str(set), &b->all, &b->err), IL_OK, "a set of three (%s)", b->err.message);
    free(set);
    b->rules = (struct il__jwt_rules){ .keys = b->one[0], .issuer = IL_STR("https://id.example"),
                                       .audience = IL_STR("interlock"), .tenant_claim = IL_STR_NONE };
    b->now = (struct il__instant){ NOW, 0 };
}

static void bed_close(struct bed *b)
{
    il__arena_clear(&b->arena);
    for (int i = 0; i < 3; i++) {
        il__jwks_free(b->one[i]);
        signer_free(&b->signers[i]);
    }
    il__jwks_free(b->all);
    tap_int((long long)b->mem.in_use_bytes, 0, "nothing is left behind");
}

static enum il_code try_token(struct bed *b, char *token)
{
    b->err = (struct il_error)IL_ERROR_INIT;
    b->identity = (struct il__identity){ .principal = IL_STR_NONE };
    enum il_code code = il__jwt_check(&b->mem, &b->rules, il__str(token), b->now, &b->arena, &b->identity, &b->err);
    if (code && b->identity.principal.ptr) tap_ok(false, "a refused token gives no identity");
    free(token);
    return code;
}

/* Signed with the Ed25519 key, the only one. */
static enum il_code try_claims(struct bed *b, const char *claims)
{
    return try_token(b, token_sign(&b->signers[0], "{\"alg\":\"EdDSA\"}", claims));
}

static void passes(struct bed *b, enum il_code code, const char *what)
{
    tap_int(code, IL_OK, "%s (%s)", what, b->err.message);
    tap_str(b->identity.principal, "ada", "it is ada's");
}

static void refused(struct bed *b, enum il_code got, enum il_code code, const char *field, const char *what)
{
    tap_int(got, code, "%s is refused (%s)", what, b->err.message);
    tap_str(il__str(b->err.field), field, "by name");
    tap_str(il__str(b->err.object), code == IL_DECODE ? "identity token" : "identity", "of its object");
}

static void algorithms(struct bed *b)
{
    static const char *const headers[] = { "{\"alg\":\"EdDSA\"}", "{\"alg\":\"ES256\",\"typ\":\"at+jwt\"}",
                                           "{\"alg\":\"RS256\",\"typ\":\"JWT\"}" };
    for (int i = 0; i < 3; i++) {
        b->rules.keys = b->one[i];
        passes(b, try_token(b, token_sign(&b->signers[i], headers[i], GOOD)), il__jwk_alg_names[i]);
        for (int k = 0; k < 3; k++)
            if (k != i)
                refused(b, try_token(b, token_sign(&b->signers[i], headers[k], GOOD)), IL_PRINCIPAL_MISMATCH, "alg",
                        "another algorithm than the key's");
        /* ES256 with its signature in DER, as EVP gives it, is not JOSE's form; three bytes are nobody's. */
        refused(b, try_token(b, token_with(headers[i], GOOD, "AAAA")), IL_PRINCIPAL_MISMATCH, "signature",
                "a wrong one");
        refused(b, try_token(b, token_with(headers[i], GOOD, "")), IL_PRINCIPAL_MISMATCH, "signature",
                "a stripped one");
    }
    b->rules.keys = b->one[0];
}

/* The attacks that every reader of tokens has to know. */
static void attacks(struct bed *b)
{
    char *rsa = signer_jwk(&b->signers[2], NULL, NULL);
    b->rules.keys = b->one[2];
    refused(b, try_token(b, token_hmac(rsa, "{\"alg\":\"HS256\"}", GOOD)), IL_PRINCIPAL_MISMATCH, "alg",
            "HS256 with the public RSA key as secret");
    refused(b, try_token(b, token_hmac(rsa, "{\"alg\":\"RS256\"}", GOOD)), IL_PRINCIPAL_MISMATCH, "signature",
            "an HMAC that calls itself RS256");
    free(rsa);
    b->rules.keys = b->one[0];
    static const char *const none[] = { "none", "None", "NONE", "nOnE", "", "eddsa", "HS256", "ES384", "PS256" };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        char header[64], what[64];
        (void)snprintf(header, sizeof header, "{\"alg\":\"%s\"}", none[i]);
        (void)snprintf(what, sizeof what, "alg \"%s\"", none[i]);
        refused(b, try_token(b, token_with(header, GOOD, "")), IL_PRINCIPAL_MISMATCH, "alg", what);
        refused(b, try_token(b, token_sign(&b->signers[0], header, GOOD)), IL_PRINCIPAL_MISMATCH, "alg", what);
    }
    refused(b, try_token(b, token_sign(&b->signers[0], "{}", GOOD)), IL_PRINCIPAL_MISMATCH, "alg", "no alg");
    refused(b, try_token(b, token_sign(&b->signers[0], "{\"alg\":7}", GOOD)), IL_PRINCIPAL_MISMATCH, "alg", "a number");
    refused(b, try_token(b, token_sign(&b->signers[0], "{\"alg\":\"EdDSA\",\"crit\":[\"exp\"]}", GOOD)),
            IL_PRINCIPAL_MISMATCH, "crit", "crit");
    refused(b, try_token(b, token_sign(&b->signers[0], "{\"alg\":\"EdDSA\",\"b64\":true}", GOOD)),
            IL_PRINCIPAL_MISMATCH, "b64", "b64");
    /* A key that the token brings along is nobody's. */
    struct signer own = signer_new(IL__JWK_EDDSA);
    char header[512], *jwk = signer_jwk(&own, NULL, NULL);
    (void)snprintf(header, sizeof header, "{\"alg\":\"EdDSA\",\"jwk\":%s,\"jku\":\"https://evil.example/keys\"}", jwk);
    refused(b, try_token(b, token_sign(&own, header, GOOD)), IL_PRINCIPAL_MISMATCH, "signature", "a key in the token");
    refused(b, try_token(b, token_sign(&own, "{\"alg\":\"EdDSA\"}", GOOD)), IL_PRINCIPAL_MISMATCH, "signature",
            "another key's");
    free(jwk);
    signer_free(&own);
}

static void keys(struct bed *b)
{
    b->rules.keys = b->all;
    passes(b, try_token(b, token_sign(&b->signers[0], "{\"alg\":\"EdDSA\",\"kid\":\"k0\"}", GOOD)), "kid k0");
    passes(b, try_token(b, token_sign(&b->signers[2], "{\"alg\":\"RS256\",\"kid\":\"k2\"}", GOOD)), "kid k2");
    refused(b, try_token(b, token_sign(&b->signers[0], "{\"alg\":\"EdDSA\"}", GOOD)), IL_PRINCIPAL_MISMATCH, "kid",
            "no kid where there are several keys");
    refused(b, try_token(b, token_sign(&b->signers[0], "{\"alg\":\"EdDSA\",\"kid\":\"k9\"}", GOOD)),
            IL_PRINCIPAL_MISMATCH, "kid", "an unknown kid");
    refused(b, try_token(b, token_sign(&b->signers[0], "{\"alg\":\"EdDSA\",\"kid\":\"k1\"}", GOOD)),
            IL_PRINCIPAL_MISMATCH, "alg", "another key's kid");
    refused(b, try_token(b, token_sign(&b->signers[0], "{\"alg\":\"EdDSA\",\"kid\":0}", GOOD)), IL_PRINCIPAL_MISMATCH,
            "kid", "a kid that is no text");
    /* One key with a name: another name is another key. */
    char *key = signer_jwk(&b->signers[0], "main", NULL), set[512];
    struct il__jwks *named;
    (void)snprintf(set, sizeof set, "{\"keys\":[%s]}", key);
    tap_int(read_set(&b->mem, il__str(set), &named, &b->err), IL_OK, "one key with a name");
    b->rules.keys = named;
    passes(b, try_claims(b, GOOD), "a token without kid, where there is one key");
    refused(b, try_token(b, token_sign(&b->signers[0], "{\"alg\":\"EdDSA\",\"kid\":\"other\"}", GOOD)),
            IL_PRINCIPAL_MISMATCH, "kid", "a kid that the only key does not have");
    il__jwks_free(named);
    free(key);
    b->rules.keys = b->one[0];
    passes(b, try_token(b, token_sign(&b->signers[0], "{\"alg\":\"EdDSA\",\"kid\":\"any\"}", GOOD)),
           "a kid, where the only key has no name");
}

static void times(struct bed *b)
{
    static const struct { const char *claims, *field; int at;
    } rows[] = {
        { "{" ISS AUD SUB "\"exp\":1800000000}", NULL, 59 },
        { "{" ISS AUD SUB "\"exp\":1800000000}", "exp", 60 },
        { "{" ISS AUD SUB "\"exp\":1800000000}", "exp", 61 },
        { "{" ISS AUD SUB "\"exp\":1800000000.5}", NULL, 60 },
        { "{" ISS AUD SUB "\"exp\":1.8e9}", NULL, 0 },
        { "{" ISS AUD "\"sub\":\"ada\"}", "exp", 0 },
        { "{" ISS AUD SUB "\"exp\":\"1800000300\"}", "exp", 0 },
        { "{" ISS AUD SUB "\"exp\":-1}", "exp", 0 },
        { "{" ISS AUD SUB "\"exp\":1e300}", "exp", 0 },
        { "{" ISS AUD SUB "\"exp\":null}", "exp", 0 },
        { "{" ISS AUD SUB EXP ",\"nbf\":1800000060}", NULL, 0 },
        { "{" ISS AUD SUB EXP ",\"nbf\":1800000061}", "nbf", 0 },
        { "{" ISS AUD SUB EXP ",\"iat\":1800000060}", NULL, 0 },
        { "{" ISS AUD SUB EXP ",\"iat\":1800000061}", "iat", 0 },
        { "{" ISS AUD SUB EXP ",\"nbf\":true}", "nbf", 0 },
        { "{" ISS AUD SUB EXP ",\"iat\":[]}", "iat", 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        b->now = (struct il__instant){ NOW + rows[i].at, 0 };
        enum il_code code = try_claims(b, rows[i].claims);
        if (rows[i].field) refused(b, code, IL_PRINCIPAL_MISMATCH, rows[i].field, rows[i].claims);
        else passes(b, code, rows[i].claims);
    }
    b->now = (struct il__instant){ NOW, 0 };
    passes(b, try_claims(b, GOOD), "a token");
    tap_ok(b->identity.expires, "its end is kept");
    tap_int(b->identity.expires_at.sec, 1800000360, "with the minute that clocks may differ");
}

static void claims(struct bed *b)
{
    static const struct { const char *claims, *field; } rows[] = {
        { "{" ISS SUB EXP ",\"aud\":[\"x\",\"interlock\"]}", NULL },
        { "{" AUD SUB EXP "}", "iss" },
        { "{\"iss\":\"https://id.example/\"," AUD SUB EXP "}", "iss" },
        { "{\"iss\":[\"https://id.example\"]," AUD SUB EXP "}", "iss" },
        { "{" ISS SUB EXP "}", "aud" },
        { "{" ISS SUB EXP ",\"aud\":\"Interlock\"}", "aud" },
        { "{" ISS SUB EXP ",\"aud\":[]}", "aud" },
        { "{" ISS SUB EXP ",\"aud\":[\"x\",\"interlockx\"]}", "aud" },
        { "{" ISS SUB EXP ",\"aud\":[1,\"interlock\"]}", "aud" },
        { "{" ISS SUB EXP ",\"aud\":{\"interlock\":1}}", "aud" },
        { "{" ISS AUD EXP "}", "sub" },
        { "{" ISS AUD EXP ",\"sub\":\"\"}", "sub" },
        { "{" ISS AUD EXP ",\"sub\":7}", "sub" },
        { "{" ISS AUD SUB EXP ",\"scope\":[]}", "scope" },
        { "{" ISS AUD SUB EXP ",\"scp\":\"computer:plan\"}", "scp" },
        { "{" ISS AUD SUB EXP ",\"scp\":[\"computer:plan\",1]}", "scp" },
        { "{" ISS AUD SUB EXP ",\"scope\":\"computer:plan\",\"scp\":[\"computer:plan\"]}", "scope" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        enum il_code code = try_claims(b, rows[i].claims);
        if (rows[i].field) refused(b, code, IL_PRINCIPAL_MISMATCH, rows[i].field, rows[i].claims);
        else passes(b, code, rows[i].claims);
    }
    b->rules.tenant_claim = IL_STR("org");
    passes(b, try_claims(b, "{" ISS AUD SUB EXP ",\"org\":\"acme\"}"), "the claim of the tenant");
    tap_str(b->identity.tenant, "acme", "names the tenant");
    refused(b, try_claims(b, GOOD), IL_TENANT_MISMATCH, "org", "no tenant");
    refused(b, try_claims(b, "{" ISS AUD SUB EXP ",\"org\":\"\"}"), IL_TENANT_MISMATCH, "org", "an empty tenant");
    b->rules.tenant_claim = IL_STR_NONE;
    passes(b, try_claims(b, "{" ISS AUD SUB EXP ",\"org\":\"acme\"}"), "no claim is configured");
    tap_str(b->identity.tenant, NULL, "no tenant");
}

static void scopes(struct bed *b)
{
    static const struct { const char *claim; size_t count; const char *first; } rows[] = {
        { "", 0, NULL },
        { ",\"scope\":\"\"", 0, NULL },
        { ",\"scope\":\"openid computer:plan  profile\"", 1, "computer:plan" },
        { ",\"scope\":\"computer:plan computer:plan\"", 1, "computer:plan" },
        { ",\"scope\":\"computer:execute computer:plan:x Computer:plan computer:plan\\tx\"", 0, NULL },
        { ",\"scope\":\"computer:execute:foreground computer:execute:background computer:plan\"", 3,
          "computer:execute:foreground" },
        { ",\"scp\":[\"email\",\"computer:execute:background\"]", 1, "computer:execute:background" },
        { ",\"scp\":[\"computer:plan computer:execute:background\"]", 0, NULL },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        (void)snprintf(text, sizeof text, "{" ISS AUD SUB EXP "%s}", rows[i].claim);
        tap_int(try_claims(b, text), IL_OK, "%s (%s)", rows[i].claim, b->err.message);
        tap_int((long long)b->identity.scopes.count, (long long)rows[i].count, "gives that many scopes");
        if (rows[i].count) tap_str(b->identity.scopes.items[0], rows[i].first, "this one first");
    }
}

static void forms(struct bed *b)
{
    static const char *const headers[] = { "{\"alg\":\"none\",\"alg\":\"EdDSA\"}",
                                           "{\"alg\":\"EdDSA\",\"\\u0061lg\":\"EdDSA\"}" };
    for (size_t i = 0; i < 2; i++)
        refused(b, try_token(b, token_sign(&b->signers[0], headers[i], GOOD)), IL_DECODE, "header/alg", headers[i]);
    refused(b, try_claims(b, "{" ISS AUD SUB EXP ",\"sub\":\"eve\"}"), IL_DECODE, "payload/sub", "two sub");
    refused(b, try_claims(b, "{" ISS AUD SUB EXP ",\"x\":{\"a\":1,\"a\":2}}"), IL_DECODE, "payload/x/a", "two, deeper");
    refused(b, try_claims(b, "[]"), IL_DECODE, "payload", "a list");
    refused(b, try_claims(b, GOOD " x"), IL_DECODE, "payload", "bytes behind the end");
    refused(b, try_claims(b, "{" ISS AUD EXP ",\"sub\":\"a\\u0000da\"}"), IL_DECODE, "payload/sub", "NUL in a name");
    refused(b, try_token(b, token_sign(&b->signers[0], "\"EdDSA\"", GOOD)), IL_DECODE, "header", "a text");
    static const struct { const char *text, *field; } rows[] = {
        { "", "parts" }, { "e30", "parts" }, { "e30.e30", "parts" }, { "e30.e30.e30.e30.e30", "parts" },
        { "..", "header" }, { "e30=.e30.", "header" }, { "{}.{}.", "header" }, { " e30.e30.e30", "header" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        refused(b, try_token(b, strdup(rows[i].text)), IL_DECODE, rows[i].field, rows[i].text);
    char *good = token_sign(&b->signers[0], "{\"alg\":\"EdDSA\"}", GOOD), *longer = malloc(strlen(good) + 8);
    if (!longer) abort();
    (void)snprintf(longer, strlen(good) + 8, "%s=", good);
    refused(b, try_token(b, longer), IL_DECODE, "signature", "padding");
    size_t passed = 0;
    for (size_t n = 0; n < strlen(good); n++) {
        char *cut = strndup(good, n);
        passed += try_token(b, cut) == IL_OK;
    }
    tap_int((long long)passed, 0, "no truncation of a token passes");
    for (size_t n = 0; n < strlen(good); n++) {
        char *other = strdup(good);
        if (!other) abort();
        other[n] = other[n] == 'A' ? 'B' : 'A';
        passed += try_token(b, other) == IL_OK;
    }
    tap_int((long long)passed, 0, "nor does one with a letter changed");
    free(good);
}

/* identity_token_bytes */
static void size(struct bed *b)
{
    size_t most = IL__LIMIT_IDENTITY_TOKEN_BYTES;
    char *claims = malloc(most + 1);
    if (!claims) abort();
    for (int over = 0; over < 2; over++) {
        /* base64url makes 4 of 3; the header takes 20 and the signature 86 signs, and there are two points. */
        size_t len = (most - 20 - 86 - 2) / 4 * 3 + (size_t)over * 3;
        (void)snprintf(claims, most, "{" ISS AUD SUB EXP ",\"pad\":\"");
        size_t at = strlen(claims);
        memset(claims + at, 'x', len - at - 2);
        memcpy(claims + len - 2, "\"}", 3);
        char *token = token_sign(&b->signers[0], "{\"alg\":\"EdDSA\"}", claims);
        tap_ok(over ? strlen(token) > most : strlen(token) > most - 4, "a token of %zu bytes", strlen(token));
        if (over) refused(b, try_token(b, token), IL_DECODE, "identity_token_bytes", "one past identity_token_bytes");
        else passes(b, try_token(b, token), "one of identity_token_bytes");
    }
    free(claims);
}

static void memory(struct bed *b)
{
    size_t bad = 0;
    uint64_t n = 1;
    for (; n < 100; n++) {
        size_t before = b->mem.in_use_bytes;
        b->mem.fail_at = b->mem.calls + n;
        enum il_code code = try_claims(b, GOOD);
        b->mem.fail_at = 0;
        if (!code) break;
        il__arena_clear(&b->arena);
        bad += code != IL_OUT_OF_MEMORY || b->mem.in_use_bytes > before;
    }
    tap_ok(n > 3 && n < 100, "%d allocations", (int)n - 1);
    tap_int((long long)bad, 0, "each of them may fail");
}

int main(void)
{
    struct il__mem mem;
    struct bed b;
    il__mem_init(&mem, NULL, NULL, 0);
    tap_each("tests/vectors/jwks/valid", ".json", valid_set, &mem);
    tap_each("tests/vectors/jwks/invalid", ".json", invalid_set, &mem);
    torn_set(&mem);
    key_count(&mem);
    published(&mem);
    tap_int((long long)mem.in_use_bytes, 0, "key sets leave nothing behind");
    bed_open(&b);
    algorithms(&b);
    attacks(&b);
    keys(&b);
    times(&b);
    claims(&b);
    scopes(&b);
    forms(&b);
    size(&b);
    memory(&b);
    bed_close(&b);
    return tap_done();
}
