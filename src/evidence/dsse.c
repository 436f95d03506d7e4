/* DSSE envelopes (dsse.h). What is signed is the pre-authentication encoding of the DSSE protocol, written in one place
 * for signing and checking alike. */
#include "evidence/dsse.h"

#include "base/error.h"
#include "base/limits.h"
#include "wire/base64.h"
#include "wire/json.h"
#include "wire/json_write.h"

#include <stdio.h>
#include <string.h>

static const char object[] = "signed envelope";

/* "DSSEv1" SP LEN(type) SP type SP LEN(payload) SP payload */
static enum il_code encode(struct il__buf *out, struct il_str type, struct il_str payload, struct il_error *err)
{
    il__buf_printf(out, "DSSEv1 %zu ", type.len);
    il__buf_str(out, type);
    il__buf_printf(out, " %zu ", payload.len);
    il__buf_str(out, payload);
    return il__buf_check(out, err);
}

/* ---- signing ----------------------------------------------------------------------------------------------------- */

static void write_envelope(struct il__buf *out, const struct il__sign_key *key, struct il_str type,
                           struct il_str payload, const char *sig)
{
    struct il__json_writer w;
    char id[IL__KEY_ID];
    il__public_key_id(&key->public, id);
    il__jw_init(&w, out);
    il__jw_object(&w);
    il__jw_member_str(&w, "payload", payload);
    il__jw_member_str(&w, "payloadType", type);
    il__jw_key(&w, "signatures");
    il__jw_array(&w);
    il__jw_object(&w);
    il__jw_member_z(&w, "keyid", id);
    il__jw_member_z(&w, "sig", sig);
    il__jw_object_end(&w);
    il__jw_array_end(&w);
    il__jw_object_end(&w);
}

enum il_code il__dsse_sign(struct il__mem *mem, const struct il__sign_key *key, struct il_str type,
                           struct il_str payload, struct il__buf *out, struct il_error *err)
{
    struct il__buf text;
    uint8_t sig[IL__SIGNATURE_BYTES];
    char sig_text[IL__BASE64_ROOM(IL__SIGNATURE_BYTES)];
    il__buf_init(&text, mem, 0);
    enum il_code code = encode(&text, type, payload, err);
    if (code == IL_OK) code = il__sign(key, il__buf_get(&text), sig, err);
    if (code == IL_OK) {
        il__base64_write(sig, sizeof sig, sig_text);
        il__buf_reset(&text);
        char *to = il__buf_reserve(&text, IL__BASE64_ROOM(payload.len));
        if (to) il__buf_commit(&text, il__base64_write(payload.ptr, payload.len, to));
        code = il__buf_check(&text, err);
    }
    if (code == IL_OK) {
        write_envelope(out, key, type, il__buf_get(&text), sig_text);
        code = il__buf_check(out, err);
    }
    il__buf_clear(&text);
    return code;
}

/* ---- checking ---------------------------------------------------------------------------------------------------- */

static enum il_code refuse(struct il__json *doc, uint32_t at, const char *expected, const char *actual,
                           struct il_error *err)
{
    char place[sizeof err->field];
    il__json_pointer(doc, at, place, sizeof place);
    return il__refuse(err, IL_DECODE, object, place, il__str(expected), il__str(actual));
}

/* The text of a member that must be there. */
static enum il_code text_of(struct il__json *doc, uint32_t at, const char *name, struct il_str *out,
                            struct il_error *err)
{
    const uint32_t value = il__json_get(doc, at, name);
    if (value && il__json_kind(doc, value) == IL__JSON_STRING) return il__json_string(doc, value, out, err);
    char expected[48];
    snprintf(expected, sizeof expected, "a text as %s", name);
    return refuse(doc, value ? value : at, expected, value ? il__json_kind_name(il__json_kind(doc, value)) : "none",
                  err);
}

/* The bytes of the payload, appended. */
static enum il_code read_payload(struct il__json *doc, struct il__buf *out, struct il_error *err)
{
    struct il_str text;
    size_t len = 0;
    enum il_code code = text_of(doc, 0, "payload", &text, err);
    if (code != IL_OK) return code;
    char *to = il__buf_reserve(out, text.len + 1);
    if (!to) return il__buf_check(out, err);
    if (!il__base64_read(text, to, text.len + 1, &len))
        return refuse(doc, il__json_get(doc, 0, "payload"), "base64", "another text", err);
    il__buf_commit(out, len);
    return IL_OK;
}

static enum il_code find_signature(struct il__json *doc, const struct il__public_key *key, struct il_str signed_text,
                                   struct il_error *err)
{
    const uint32_t list = il__json_get(doc, 0, "signatures");
    bool found = false;
    char id[IL__KEY_ID];
    if (!list || il__json_kind(doc, list) != IL__JSON_ARRAY)
        return refuse(doc, list, "an array as signatures", list ? "another value" : "none", err);
    if (il__json_at(doc, list)->count > IL__LIMIT_DSSE_SIGNATURES)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, object, "dsse_signatures", "there are more than %d",
                           IL__LIMIT_DSSE_SIGNATURES);
    for (uint32_t at = il__json_first(doc, list); at; at = il__json_next(doc, list, at)) {
        struct il_str text;
        uint8_t sig[IL__SIGNATURE_BYTES];
        size_t len = 0;
        enum il_code code = text_of(doc, at, "sig", &text, err);
        if (code != IL_OK) return code;
        if (!il__base64_read(text, sig, sizeof sig, &len)) continue; /* of another kind of key */
        if (il__sign_check(key, signed_text, (struct il_str){ (const char *)sig, len })) found = true;
    }
    if (found) return IL_OK;
    il__public_key_id(key, id);
    return il__refuse(err, IL_IDENTITY_MISMATCH, object, "signatures", il__str(id), IL_STR("no signature of this key"));
}

/* The payload of an envelope of this type. */
static enum il_code read_doc(struct il__json *doc, struct il_str type, struct il__buf *payload, struct il_error *err)
{
    struct il_str said;
    enum il_code code = il__json_strict(doc, 0, NULL, err);
    if (code == IL_OK && il__json_kind(doc, 0) != IL__JSON_OBJECT)
        code = refuse(doc, 0, "an object", il__json_kind_name(il__json_kind(doc, 0)), err);
    if (code == IL_OK) code = text_of(doc, 0, "payloadType", &said, err);
    if (code != IL_OK) return code;
    if (!il__str_eq(said, type)) return il__refuse(err, IL_IDENTITY_MISMATCH, object, "payloadType", type, said);
    return read_payload(doc, payload, err);
}

/* The key id of the first signature, when it is one of ours: 16 hex digits. */
static void read_id(struct il__json *doc, char id[IL__KEY_ID])
{
    struct il_str text;
    const uint32_t list = il__json_get(doc, 0, "signatures");
    const uint32_t first = list ? il__json_first(doc, list) : 0, at = first ? il__json_get(doc, first, "keyid") : 0;
    id[0] = '\0';
    if (!at || il__json_kind(doc, at) != IL__JSON_STRING || il__json_string(doc, at, &text, NULL) != IL_OK) return;
    if (!il__str_is_hex(text, IL__KEY_ID - 1)) return;
    memcpy(id, text.ptr, IL__KEY_ID - 1);
    id[IL__KEY_ID - 1] = '\0';
}

/* Opens with `key`; without one the payload is anybody's. */
static enum il_code open_envelope(struct il__mem *mem, const struct il__public_key *key, struct il_str type,
                                  struct il_str envelope, struct il__buf *out, char id[IL__KEY_ID],
                                  struct il_error *err)
{
    struct il__json doc = { .mem = NULL };
    struct il__buf payload, signed_text;
    struct il_error ignored = IL_ERROR_INIT;
    const struct il__json_limits limits = { IL__LIMIT_RESULT_BYTES, IL__LIMIT_JSON_DEPTH };
    if (!err) err = &ignored;
    il__buf_init(&payload, mem, 0);
    il__buf_init(&signed_text, mem, 0);
    enum il_code code = il__json_parse(&doc, mem, envelope, limits, err);
    if (code == IL_OK) code = read_doc(&doc, type, &payload, err);
    if (code == IL_OK && key) code = encode(&signed_text, type, il__buf_get(&payload), err);
    if (code == IL_OK && key) code = find_signature(&doc, key, il__buf_get(&signed_text), err);
    if (code == IL_OK && id) read_id(&doc, id);
    if (code == IL_OK) {
        il__buf_str(out, il__buf_get(&payload));
        code = il__buf_check(out, err);
    }
    il__error_object(err, object);
    il__json_clear(&doc);
    il__buf_clear(&payload);
    il__buf_clear(&signed_text);
    return code;
}

enum il_code il__dsse_open(struct il__mem *mem, const struct il__public_key *key, struct il_str type,
                           struct il_str envelope, struct il__buf *out, struct il_error *err)
{
    return open_envelope(mem, key, type, envelope, out, NULL, err);
}

enum il_code il__dsse_peek(struct il__mem *mem, struct il_str type, struct il_str envelope, struct il__buf *out,
                           char id[IL__KEY_ID], struct il_error *err)
{
    return open_envelope(mem, NULL, type, envelope, out, id, err);
}
