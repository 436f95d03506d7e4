/* Sealing and checking evaluation receipts (seal.h). The digest is over the canonical text of the received members, not
 * of a re-encoding: what the seal covers is what was said. */
#include "evidence/seal.h"

#include "base/error.h"
#include "contract/evaluation.h"
#include "evidence/dsse.h"
#include "wire/canon.h"
#include "wire/digest.h"

static const char object[] = "evaluation receipt";

/* Parses a receipt as strict JSON and makes sure that it is an object. */
static enum il_code parse(struct il__json *doc, struct il__mem *mem, struct il_str text, struct il_error *err)
{
    enum il_code code = il__json_parse_copy(doc, mem, text, IL__JSON_CONTRACT, err);
    if (code == IL_OK) code = il__json_strict(doc, 0, NULL, err);
    if (code == IL_OK && il__json_kind(doc, 0) != IL__JSON_OBJECT)
        code = il__refuse(err, IL_DECODE, object, "", IL_STR("an object"),
                          il__str(il__json_kind_name(il__json_kind(doc, 0))));
    if (code != IL_OK) il__error_object(err, object);
    return code;
}

/* Appends the receipt with its receiptDigest set to `digest`, wherever it stood, or at the end. */
static enum il_code with_digest(struct il__json *doc, struct il_str digest, struct il__buf *out, struct il_error *err)
{
    struct il__json_writer w;
    il__jw_init(&w, out);
    il__jw_object(&w);
    for (uint32_t key = il__json_first(doc, 0); key; key = il__json_next(doc, 0, key + 1)) {
        struct il_str name;
        enum il_code code = il__json_string(doc, key, &name, err);
        if (code != IL_OK) return code;
        if (il__str_eq(name, IL_STR("receiptDigest"))) continue;
        il__jw_key_str(&w, name);
        il__jw_raw(&w, il__json_raw(doc, key + 1));
    }
    il__jw_member_str(&w, "receiptDigest", digest);
    il__jw_object_end(&w);
    return il__buf_check(out, err);
}

/* Appends the canonical text that the seal covers (`digest` empty), or the sealed text. */
static enum il_code canonical(struct il__json *doc, struct il_str digest, struct il__buf *out, struct il_error *err)
{
    struct il__buf text;
    struct il__json changed = { .mem = NULL };
    il__buf_init(&text, doc->mem, 0);
    enum il_code code = with_digest(doc, digest, &text, err);
    if (code == IL_OK) code = il__json_parse(&changed, doc->mem, il__buf_get(&text), IL__JSON_CONTRACT, err);
    if (code == IL_OK) code = il__canon_bytes_order(&changed, 0, out, err);
    if (code == IL_OK) code = il__buf_check(out, err);
    if (code != IL_OK) il__error_object(err, object);
    il__json_clear(&changed);
    il__buf_clear(&text);
    return code;
}

/* The digest that seals the receipt. */
static enum il_code digest_of(struct il__json *doc, char out[IL__DIGEST_TEXT], struct il_error *err)
{
    struct il__buf text;
    il__buf_init(&text, doc->mem, 0);
    enum il_code code = canonical(doc, IL_STR(""), &text, err);
    memcpy(out, "sha256:", 7);
    if (code == IL_OK) il_sha256_hex(il__buf_get(&text), out + 7);
    il__buf_clear(&text);
    return code;
}

enum il_code il__receipt_seal(struct il__mem *mem, struct il_str receipt, struct il__buf *out, struct il_error *err)
{
    struct il__json doc = { .mem = NULL }, sealed = { .mem = NULL };
    struct il__evaluation decoded;
    struct il__buf text;
    char digest[IL__DIGEST_TEXT];
    il__buf_init(&text, mem, 0);
    enum il_code code = parse(&doc, mem, receipt, err);
    if (code == IL_OK) code = digest_of(&doc, digest, err);
    if (code == IL_OK) code = canonical(&doc, il__str(digest), &text, err);
    if (code == IL_OK)
        code = il__decode_text(&il__evaluation_schema, mem, il__buf_get(&text), &sealed, &decoded, err);
    if (code == IL_OK) {
        il__buf_str(out, il__buf_get(&text));
        code = il__buf_check(out, err);
    }
    il__json_clear(&doc);
    il__json_clear(&sealed);
    il__buf_clear(&text);
    return code;
}

/* The form and the claims. What can be read and is no receipt is evidence that does not hold, not input that cannot be
 * decoded. */
static enum il_code check_claims(struct il__json *doc, struct il__evaluation *decoded, struct il_error *err)
{
    struct il_error why = IL_ERROR_INIT;
    enum il_code code = il__decode(&il__evaluation_schema, doc, 0, decoded, &why);
    if (code == IL_DECODE) code = why.code = IL_IDENTITY_MISMATCH;
    if (code != IL_OK && err && err->code == IL_OK) *err = why;
    return code;
}

static enum il_code check_digest(struct il__json *doc, struct il_str stated, struct il_error *err)
{
    char digest[IL__DIGEST_TEXT];
    enum il_code code = digest_of(doc, digest, err);
    if (code != IL_OK || il__str_eq(stated, il__str(digest))) return code;
    return il__refuse(err, IL_IDENTITY_MISMATCH, object, "/receiptDigest", il__str(digest), stated);
}

enum il_code il__receipt_verify(struct il__mem *mem, struct il_str receipt, struct il__buf *out, struct il_error *err)
{
    struct il__json doc = { .mem = NULL };
    struct il__evaluation decoded;
    enum il_code code = parse(&doc, mem, receipt, err);
    if (code == IL_OK) code = check_claims(&doc, &decoded, err);
    if (code == IL_OK) code = check_digest(&doc, decoded.receipt_digest, err);
    if (code == IL_OK && out) code = canonical(&doc, decoded.receipt_digest, out, err);
    il__json_clear(&doc);
    return code;
}

enum il_code il__receipt_sign(struct il__mem *mem, struct il_str receipt, const struct il__sign_key *key,
                              struct il__buf *out, struct il_error *err)
{
    struct il__buf text;
    il__buf_init(&text, mem, 0);
    enum il_code code = il__receipt_verify(mem, receipt, &text, err);
    if (code == IL_OK) code = il__dsse_sign(mem, key, IL_STR(IL__RECEIPT_TYPE), il__buf_get(&text), out, err);
    il__buf_clear(&text);
    return code;
}

enum il_code il__receipt_check_signature(struct il__mem *mem, struct il_str receipt, struct il_str envelope,
                                         const struct il__public_key *key, struct il_error *err)
{
    struct il__buf text, payload;
    il__buf_init(&text, mem, 0);
    il__buf_init(&payload, mem, 0);
    enum il_code code = il__receipt_verify(mem, receipt, &text, err);
    if (code == IL_OK) code = il__dsse_open(mem, key, IL_STR(IL__RECEIPT_TYPE), envelope, &payload, err);
    if (code == IL_OK && !il__str_eq(il__buf_get(&text), il__buf_get(&payload)))
        code = il__refuse(err, IL_IDENTITY_MISMATCH, "signed envelope", "payload", IL_STR("this receipt"),
                          IL_STR("another one"));
    il__buf_clear(&text);
    il__buf_clear(&payload);
    return code;
}
