/* Evaluation receipts: sealing, every member changed, signatures in their envelopes. The digests of the cases were made
 * by another implementation of the same rule. */
#include "evidence/seal.h"

#include "base/limits.h"
#include "evidence/dsse.h"
#include "tap.h"
#include "wire/base64.h"
#include "wire/digest.h"

#include <stdio.h>
#include <stdlib.h>

static struct il__mem mem;
static struct il__sign_key key, other;

static const char unsealed[] =
    "{\"schemaVersion\":1,\"protocol\":\"adk-rust-computer-use-v8-evaluation\",\"subjectVersion\":\"8.0.0\","
    "\"generatedAt\":\"2026-07-13T12:00:00Z\",\"commands\":[\"cargo test graph\",\"cargo test multimodal\"],"
    "\"assertions\":[\"graph.pre_effect_crash\",\"graph.post_commit_crash\"],\"claims\":{\"testsPassed\":true,"
    "\"authBound\":true,\"multimodalEvidence\":true,\"duplicateMutations\":0,\"crashPointsCovered\":2,"
    "\"testCount\":2},\"sources\":[{\"path\":\"test.rs\",\"digest\":\"sha256:"
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}],\"sourceDigest\":\"sha256:"
    "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\",\"outputDigest\":\"sha256:"
    "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc\"}";
static const char canonical_start[] = "{\"assertions\":[\"graph.pre_effect_crash\",\"graph.post_commit_crash\"],"
                                      "\"claims\":{\"authBound\":true,\"crashPointsCovered\":2,";

/* What a call appended; cleared by the next one. */
static struct il__buf out;
static struct il_error err;

static void begin(void)
{
    il__buf_clear(&out);
    err = (struct il_error)IL_ERROR_INIT;
}

static enum il_code seal(const char *receipt)
{
    begin();
    return il__receipt_seal(&mem, il__str(receipt), &out, &err);
}

static enum il_code verify(const char *receipt)
{
    begin();
    return il__receipt_verify(&mem, il__str(receipt), &out, &err);
}

static char *copy(struct il_str s)
{
    char *text = malloc(s.len + 1);
    if (!text) abort();
    memcpy(text, s.ptr, s.len);
    text[s.len] = '\0';
    return text;
}

/* A copy of `text` in which the first `from` has become `to`. */
static char *changed(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    char *result = malloc(strlen(text) + strlen(to) + 1);
    if (!at || !result) abort();
    const size_t before = (size_t)(at - text);
    memcpy(result, text, before);
    memcpy(result + before, to, strlen(to));
    memcpy(result + before + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
    return result;
}

/* The digest of the text with the seal taken off is the seal: computed here over the bytes. */
static void seals(const char *sealed)
{
    const char *at = strstr(sealed, "\"receiptDigest\":\"");
    char digest[IL__SHA256_HEX], want[80];
    if (!tap_ok(at != NULL, "a sealed receipt has its digest")) return;
    snprintf(want, sizeof want, "%.71s", at + 17);
    char *open = changed(sealed, want, "");
    il_sha256_hex(il__str(open), digest);
    tap_str(il__str(want + 7), digest, "which is SHA-256 over the text with an empty one");
    free(open);
}

static void sealing(void)
{
    tap_int(seal(unsealed), IL_OK, "a receipt is sealed");
    char *sealed = copy(il__buf_get(&out));
    tap_ok(strncmp(sealed, canonical_start, strlen(canonical_start)) == 0, "as canonical text");
    seals(sealed);
    tap_ok(strstr(sealed, "sha256:db9b17ea7bc5accc96eb7e0e3ede9e235183f950f4906e355885eb3b53c45d66") != NULL,
           "with the digest that another implementation gives");
    tap_int(verify(sealed), IL_OK, "and holds: %s", err.message);
    tap_str(il__buf_get(&out), sealed, "its canonical text is itself");
    tap_int(seal(sealed), IL_OK, "sealing again");
    tap_str(il__buf_get(&out), sealed, "changes nothing");
    char *stale = changed(sealed, "\"testCount\":2", "\"testCount\":3");
    tap_int(seal(stale), IL_OK, "a stale seal is replaced");
    char *fresh = copy(il__buf_get(&out));
    tap_ok(strcmp(fresh, stale) != 0 && verify(fresh) == IL_OK, "by one that holds");
    free(fresh);
    free(stale);
    char *spread = changed(sealed, ",\"claims\":", " ,\n\t\"claims\" : ");
    tap_int(verify(spread), IL_OK, "blanks between members are not covered");
    free(spread);
    char *escaped = changed(sealed, "cargo test graph", "cargo\\u0020test graph");
    tap_int(verify(escaped), IL_OK, "nor is the way a letter is written");
    free(escaped);
    free(sealed);
}

static void one_change(const char *sealed, const char *from, const char *to, const char *field)
{
    char *text = changed(sealed, from, to);
    tap_int(verify(text), IL_IDENTITY_MISMATCH, "%s for %s does not hold", to, from);
    tap_str(il__str(err.field), field, "which is said of %s", field);
    tap_ok(strstr(err.message, "evaluation ") != NULL && out.len == 0, "in words: %s", err.message);
    free(text);
}

static void changes(void)
{
    if (seal(unsealed) != IL_OK) abort();
    char *sealed = copy(il__buf_get(&out));
    one_change(sealed, "\"testsPassed\":true", "\"testsPassed\":false", "/claims/testsPassed");
    one_change(sealed, "\"authBound\":true", "\"authBound\":false", "/claims/authBound");
    one_change(sealed, "\"multimodalEvidence\":true", "\"multimodalEvidence\":false", "/claims/multimodalEvidence");
    one_change(sealed, "\"duplicateMutations\":0", "\"duplicateMutations\":1", "/claims/duplicateMutations");
    one_change(sealed, "\"crashPointsCovered\":2", "\"crashPointsCovered\":1", "/claims/crashPointsCovered");
    one_change(sealed, "\"testCount\":2", "\"testCount\":0", "/claims/testCount");
    one_change(sealed, "\"schemaVersion\":1", "\"schemaVersion\":2", "/schemaVersion");
    one_change(sealed, "v8-evaluation", "v9-evaluation", "/protocol");
    one_change(sealed, "\"graph.post_commit_crash\"", "\"graph.pre_effect_crash\"", "/assertions/1");
    one_change(sealed, ",\"cargo test multimodal\"", "", "/commands");
    one_change(sealed, "{\"digest\"", "{\"more\":1,\"digest\"", "/sources/0/more");
    one_change(sealed, "\"claims\":{", "\"claims\":{\"more\":1,", "/claims/more");
    one_change(sealed, "\"testCount\":2", "\"testCount\":3", "/receiptDigest");
    one_change(sealed, "\"crashPointsCovered\":2", "\"crashPointsCovered\":3", "/receiptDigest");
    one_change(sealed, "\"subjectVersion\":\"8.0.0\"", "\"subjectVersion\":\"8.0.1\"", "/receiptDigest");
    one_change(sealed, "2026-07-13", "2026-07-14", "/receiptDigest");
    one_change(sealed, "cargo test graph", "cargo test grapH", "/receiptDigest");
    one_change(sealed, "pre_effect", "pre_Effect", "/receiptDigest");
    one_change(sealed, "test.rs", "best.rs", "/receiptDigest");
    one_change(sealed, "sha256:a", "sha256:b", "/receiptDigest");
    one_change(sealed, "sha256:b", "sha256:c", "/receiptDigest");
    one_change(sealed, "sha256:c", "sha256:d", "/receiptDigest");
    one_change(sealed, "\"receiptDigest\":\"sha256:", "\"receiptDigest\":\"sha257:", "/receiptDigest");
    one_change(sealed, ",\"receiptDigest\"", ",\"receiptdigest\"", "/receiptdigest");
    tap_int(verify(unsealed), IL_IDENTITY_MISMATCH, "a receipt without a seal does not hold");
    tap_str(il__str(err.field), "/receiptDigest", "for want of its digest");
    free(sealed);
}

static void unreadable(void)
{
    static const char *const texts[] = {
        "", "{", "[]", "7", "{\"claims\":1,\"claims\":1}", "{\"subjectVersion\":\"\\u0000\"}", "{} x", "\xEF\xBB\xBF{}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        tap_int(verify(texts[i]), IL_DECODE, "text %zu is no receipt to verify", i);
        tap_str(il__str(err.object), "evaluation receipt", "and the error names what it should be");
        tap_int(seal(texts[i]), IL_DECODE, "nor to seal");
        tap_ok(out.len == 0, "and nothing comes out");
    }
    char *few = changed(unsealed, ",\"cargo test multimodal\"", "");
    tap_int(seal(few), IL_DECODE, "what claims too little is not sealed");
    tap_str(il__str(err.field), "/commands", "and the place is named");
    free(few);
    char *large = changed(unsealed, "\"testCount\":2", "\"testCount\":9007199254740992");
    tap_int(seal(large), IL_DECODE, "a count without canonical text is not sealed");
    tap_str(il__str(err.field), "/claims/testCount", "and the place is named");
    free(large);
}

/* The receipts among the contract's vectors were sealed by another implementation. */
static void vectors(void *ctx, const char *path, const char *bytes, size_t len)
{
    const bool broken = strstr(path, "seal-broken") != NULL;
    (void)ctx;
    (void)len;
    if (!broken && !strstr(path, "/sealed")) return;
    tap_int(verify(bytes), broken ? IL_IDENTITY_MISMATCH : IL_OK, "%s: %s", path, err.message);
}

/* ---- signatures ---- */

static enum il_code sign(const char *receipt)
{
    begin();
    return il__receipt_sign(&mem, il__str(receipt), &key, &out, &err);
}

static enum il_code check(const char *receipt, const char *envelope, const struct il__public_key *who)
{
    begin();
    return il__receipt_check_signature(&mem, il__str(receipt), il__str(envelope), who, &err);
}

static void refused(const char *receipt, char *envelope, enum il_code code, const char *field, const char *what)
{
    tap_int(check(receipt, envelope, &key.public), code, "%s", what);
    tap_str(il__str(err.field), field, "%s: %s", what, err.message);
    free(envelope);
}

/* An envelope with the key's true signature over any payload of any type. */
static char *envelope_of(const char *type, const char *payload)
{
    begin();
    if (il__dsse_sign(&mem, &key, il__str(type), il__str(payload), &out, &err) != IL_OK) abort();
    return copy(il__buf_get(&out));
}

static void signatures(void)
{
    if (seal(unsealed) != IL_OK) abort();
    char *sealed = copy(il__buf_get(&out)), id[IL__KEY_ID];
    char *spread = changed(sealed, ",\"claims\":", " , \"claims\" : ");
    tap_int(sign(sealed), IL_OK, "a sealed receipt is signed: %s", err.message);
    char *envelope = copy(il__buf_get(&out));
    il__public_key_id(&key.public, id);
    tap_ok(strstr(envelope, id) && strstr(envelope, "\"payloadType\":\"" IL__RECEIPT_TYPE "\""),
           "the envelope names key and type");
    tap_int(check(sealed, envelope, &key.public), IL_OK, "the signature holds: %s", err.message);
    tap_int(check(spread, envelope, &key.public), IL_OK, "whatever blanks the receipt has");
    tap_int(sign(spread), IL_OK, "and so it does when it was signed with blanks");
    tap_str(il__buf_get(&out), envelope, "for the same envelope comes out");
    tap_int(check(sealed, envelope, &other.public), IL_IDENTITY_MISMATCH, "another key did not sign it");
    tap_str(il__str(err.field), "signatures", "which is said: %s", err.message);
    refused(sealed, envelope_of("application/json", sealed), IL_IDENTITY_MISMATCH, "payloadType",
            "a signature over another type of payload");
    refused(sealed, changed(envelope, "evaluation-receipt", "evaluation-Receipt"), IL_IDENTITY_MISMATCH, "payloadType",
            "another type written over the signed one");
    refused(sealed, envelope_of(IL__RECEIPT_TYPE, "{}"), IL_IDENTITY_MISMATCH, "payload", "another payload");
    refused(sealed, envelope_of(IL__RECEIPT_TYPE, spread), IL_IDENTITY_MISMATCH, "payload",
            "a payload that is not the canonical text");
    refused(sealed, changed(envelope, "\"sig\":\"", "\"sig\":\"A"), IL_IDENTITY_MISMATCH, "signatures", "no base64");
    refused(sealed, changed(envelope, id, "0000000000000000"), IL_OK, "", "a wrong key id decides nothing");
    tap_int(sign(unsealed), IL_IDENTITY_MISMATCH, "what is not sealed is not signed");
    tap_ok(out.len == 0, "and nothing comes out");
    char *stale = changed(sealed, "\"testCount\":2", "\"testCount\":3");
    tap_int(sign(stale), IL_IDENTITY_MISMATCH, "nor is what does not hold");
    tap_int(check(stale, envelope, &key.public), IL_IDENTITY_MISMATCH, "nor checked");
    tap_str(il__str(err.field), "/receiptDigest", "but for its own fault");
    free(stale);
    free(spread);
    free(envelope);
    free(sealed);
}

/* Each bit of the signature, and each of the payload, turned. */
static void every_bit(void)
{
    uint8_t bytes[64];
    char text[IL__BASE64_ROOM(64)];
    size_t len = 0;
    unsigned opened = 0;
    const char payload[] = "some text";
    char *envelope = envelope_of("text/x", payload), *at = strstr(envelope, "\"sig\":\"") + 7;
    if (!il__base64_read((struct il_str){ at, 88 }, bytes, sizeof bytes, &len) || len != 64) abort();
    for (unsigned bit = 0; bit < 512; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        il__base64_write(bytes, 64, text);
        memcpy(at, text, 88);
        begin();
        opened += il__dsse_open(&mem, &key.public, IL_STR("text/x"), il__str(envelope), &out, &err) == IL_OK;
        opened += out.len > 0;
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    tap_int(opened, 0, "no signature with a bit turned opens it");
    il__base64_write(bytes, 64, text);
    memcpy(at, text, 88);
    at = strstr(envelope, "\"payload\":\"") + 11;
    for (unsigned bit = 0; bit < 8 * (sizeof payload - 1); bit++) {
        char changed_payload[sizeof payload];
        memcpy(changed_payload, payload, sizeof payload);
        changed_payload[bit / 8] = (char)(changed_payload[bit / 8] ^ (1 << bit % 8));
        memcpy(at, text, il__base64_write(changed_payload, sizeof payload - 1, text));
        begin();
        opened += il__dsse_open(&mem, &key.public, IL_STR("text/x"), il__str(envelope), &out, &err) == IL_OK;
        opened += out.len > 0;
    }
    tap_int(opened, 0, "nor does a payload");
    free(envelope);
}

/* The pre-authentication encoding as the DSSE protocol writes it: signed here by hand, opened by the code. */
static void encoding(void)
{
    static const char pae[] = "DSSEv1 29 http://example.com/HelloWorld 11 hello world";
    uint8_t sig[IL__SIGNATURE_BYTES];
    char text[IL__BASE64_ROOM(IL__SIGNATURE_BYTES)], envelope[400];
    if (il__sign(&key, il__str(pae), sig, NULL) != IL_OK) abort();
    il__base64_write(sig, sizeof sig, text);
    snprintf(envelope, sizeof envelope,
             "{\"more\":1,\"payload\":\"aGVsbG8gd29ybGQ=\",\"payloadType\":\"http://example.com/HelloWorld\","
             "\"signatures\":[{\"keyid\":null,\"sig\":\"AAAA\"},{\"sig\":\"%s\"}]}", text);
    begin();
    tap_int(il__dsse_open(&mem, &key.public, IL_STR("http://example.com/HelloWorld"), il__str(envelope), &out, &err),
            IL_OK, "an envelope by the letter of the protocol: %s", err.message);
    tap_str(il__buf_get(&out), "hello world", "opens, with more members and a second signature");
}

static void bad_envelopes(void)
{
    static const struct {
        const char *text, *field;
        enum il_code code;
    } rows[] = {
        { "", "", IL_DECODE },
        { "[]", "", IL_DECODE },
        { "{}", "", IL_DECODE },
        { "{\"payloadType\":1}", "/payloadType", IL_DECODE },
        { "{\"payloadType\":\"t\",\"payload\":\"a b=\"}", "/payload", IL_DECODE },
        { "{\"payloadType\":\"t\",\"payload\":\"aA==\"}", "", IL_DECODE },
        { "{\"payloadType\":\"t\",\"payload\":\"aA==\",\"signatures\":{}}", "/signatures", IL_DECODE },
        { "{\"payloadType\":\"t\",\"payload\":\"aA==\",\"signatures\":[1]}", "/signatures/0", IL_DECODE },
        { "{\"payloadType\":\"t\",\"payload\":\"aA==\",\"signatures\":[{\"sig\":1}]}", "/signatures/0/sig", IL_DECODE },
        { "{\"payloadType\":\"t\",\"payload\":\"aA==\",\"signatures\":[]}", "signatures", IL_IDENTITY_MISMATCH },
        { "{\"payloadType\":\"t\",\"payloadType\":\"t\"}", "/payloadType", IL_DECODE },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin();
        tap_int(il__dsse_open(&mem, &key.public, IL_STR("t"), il__str(rows[i].text), &out, &err), rows[i].code,
                "%s does not open: %s", rows[i].text, err.message);
        tap_str(il__str(err.field), rows[i].field, "%s: the place", rows[i].text);
        tap_ok(strcmp(err.object, "signed envelope") == 0 && out.len == 0, "%s: nothing comes out", rows[i].text);
    }
}

static void many_signatures(void)
{
    for (int count = IL__LIMIT_DSSE_SIGNATURES; count <= IL__LIMIT_DSSE_SIGNATURES + 1; count++) {
        char *one = envelope_of("t", "x"), *at = strstr(one, "\"signatures\":[") + 14;
        struct il__buf many;
        il__buf_init(&many, &mem, 0);
        il__buf_add(&many, one, (size_t)(at - one));
        for (int i = 1; i < count; i++) il__buf_puts(&many, "{\"sig\":\"\"},");
        il__buf_puts(&many, at);
        begin();
        tap_int(il__dsse_open(&mem, &key.public, IL_STR("t"), il__buf_get(&many), &out, &err),
                count > IL__LIMIT_DSSE_SIGNATURES ? IL_LIMIT_EXCEEDED : IL_OK, "dsse_signatures: %d", count);
        il__buf_clear(&many);
        free(one);
    }
}

static void failing_allocations(void)
{
    if (seal(unsealed) != IL_OK) abort();
    char *sealed = copy(il__buf_get(&out));
    if (sign(sealed) != IL_OK) abort();
    char *envelope = copy(il__buf_get(&out));
    begin();
    const size_t before = mem.in_use_bytes;
    for (int what = 0; what < 4; what++) {
        enum il_code code = IL_OUT_OF_MEMORY;
        unsigned n = 0;
        while (code == IL_OUT_OF_MEMORY && n < 500) {
            mem.fail_at = mem.calls + ++n;
            code = what == 0   ? seal(unsealed)
                   : what == 1 ? verify(sealed)
                   : what == 2 ? sign(sealed)
                               : check(sealed, envelope, &key.public);
            mem.fail_at = 0;
            if (code != IL_OK && (code != IL_OUT_OF_MEMORY || err.code != code)) break;
        }
        tap_int(code, IL_OK, "call %d: each of %u allocations failing is out_of_memory", what, n);
        tap_ok(n > 3, "call %d: there are some", what);
        begin();
        tap_int((long long)mem.in_use_bytes, (long long)before, "call %d: nothing is left", what);
    }
    free(envelope);
    free(sealed);
}

int main(void)
{
    il__mem_init(&mem, NULL, NULL, 0);
    il__buf_init(&out, &mem, 0);
    if (il__sign_key_from_seed(&key, (const uint8_t *)"0123456789abcdef0123456789abcdef", NULL) != IL_OK) abort();
    if (il__sign_key_new(&other, NULL, NULL, NULL) != IL_OK) abort();
    sealing();
    changes();
    unreadable();
    tap_each("tests/vectors/evaluation/valid", ".json", vectors, NULL);
    signatures();
    every_bit();
    encoding();
    bad_envelopes();
    many_signatures();
    failing_allocations();
    begin();
    tap_int((long long)mem.in_use_bytes, 0, "nothing left");
    return tap_done();
}
