/* Signatures of bundles (bundle_trust.h). The statement that was signed is compared as a whole, in constant time, with
 * that of the bundle as it is; only for the message it is taken apart. */
#include "host/bundle_trust.h"

#include "base/error.h"
#include "base/secret.h"
#include "evidence/dsse.h"
#include "wire/json_write.h"

#include <stdio.h>

static const char object[] = "policy bundle";

enum il_code il__bundle_trust_set(struct il__bundle_trust *trust, struct il__mem *mem, const struct il_str *keys,
                                  size_t count, struct il_error *err)
{
    struct il__bundle_trust next = { .mem = mem };
    if (count > IL__LIMIT_BUNDLE_KEYS)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, object, "bundle_keys", "at most %d keys are trusted",
                           IL__LIMIT_BUNDLE_KEYS);
    for (; next.count < count; next.count++) {
        enum il_code code = il__public_key_read(&next.keys[next.count], keys[next.count], err);
        if (code) return code;
    }
    *trust = next;
    return IL_OK;
}

/* ---- the statement ---- */

/* {"bundle":NAME,"digest":"sha256:...","files":[{path,sha256,size}],"version":VERSION}, canonical. */
static enum il_code write_statement(const struct il__bundle *b, struct il__buf *out, struct il_error *err)
{
    struct il__json_writer w;
    il__jw_init(&w, out);
    il__jw_object(&w);
    il__jw_member_str(&w, "bundle", b->name);
    il__jw_member_z(&w, "digest", b->digest);
    il__jw_key(&w, "files");
    il__jw_raw(&w, b->listed);
    il__jw_member_str(&w, "version", b->version);
    il__jw_object_end(&w);
    return il__buf_check(out, err);
}

enum il_code il__bundle_trust_sign(struct il__mem *mem, const struct il__bundle *bundle, const struct il__sign_key *key,
                                   struct il__buf *out, struct il_error *err)
{
    struct il__buf statement;
    il__buf_init(&statement, mem, 0);
    enum il_code code = write_statement(bundle, &statement, err);
    if (!code) code = il__dsse_sign(mem, key, IL_STR(IL__BUNDLE_TYPE), il__buf_get(&statement), out, err);
    il__buf_clear(&statement);
    return code;
}

/* ---- what differs ---- */

static enum il_code refuse(const struct il__bundle *b, struct il_str file, const char *why, struct il_error *err)
{
    char place[IL__LIMIT_BUNDLE_NAME_BYTES + IL__LIMIT_BUNDLE_PATH_BYTES + 2], path[IL__LIMIT_BUNDLE_PATH_BYTES + 1];
    il__escape(path, sizeof path, file);
    snprintf(place, sizeof place, "%.*s/%s", IL_STR_FMT(b->name), path);
    return il__fail_at(err, IL_POLICY_ERROR, object, place, "%s", why);
}

static struct il_str member(struct il__json *doc, uint32_t at, const char *name)
{
    struct il_str text = IL_STR_NONE;
    const uint32_t value = il__json_get(doc, at, name);
    if (value && il__json_kind(doc, value) == IL__JSON_STRING && il__json_string(doc, value, &text, NULL))
        return IL_STR_NONE;
    return text;
}

/* The entry of `path` in the array `list`; 0: none. */
static uint32_t entry_of(struct il__json *doc, uint32_t list, struct il_str path)
{
    for (uint32_t at = il__json_first(doc, list); at; at = il__json_next(doc, list, at))
        if (il__str_eq(member(doc, at, "path"), path)) return at;
    return 0;
}

/* The first file of `a` that is missing in `b`, or another there, and why it is refused; false: none. */
static bool differs(struct il__json *a, uint32_t a_list, struct il__json *b, uint32_t b_list, const char *missing,
                    struct il_str *file, const char **why)
{
    for (uint32_t at = il__json_first(a, a_list); at; at = il__json_next(a, a_list, at)) {
        *file = member(a, at, "path");
        const uint32_t other = entry_of(b, b_list, *file);
        *why = other ? "is not the file that was signed: it was edited since" : missing;
        if (!other || !il__str_eq(member(a, at, "sha256"), member(b, other, "sha256"))) return true;
    }
    return false;
}

/* A statement that is not this bundle's: says what of it is another. */
static enum il_code say_difference(struct il__mem *mem, const struct il__bundle *b, struct il_str statement,
                                   struct il_error *err)
{
    struct il__json said = { .mem = NULL }, now = { .mem = NULL };
    const struct il__json_limits limits = { IL__LIMIT_CONTRACT_BYTES, IL__LIMIT_JSON_DEPTH };
    struct il_str file = IL_STR("bundle.json");
    const char *why = "is not what was signed: it was edited since";
    char other[160], text[300];
    enum il_code code = il__json_parse(&said, mem, statement, limits, NULL);
    if (!code) code = il__json_parse(&now, mem, b->listed, limits, NULL);
    const uint32_t files = code ? 0 : il__json_get(&said, 0, "files");
    const bool named = !code && il__str_eq(member(&said, 0, "bundle"), b->name);
    if (code == IL_OUT_OF_MEMORY) {
        (void)il__fail(err, code, "no memory to check a signature");
    } else if (!files) {
        (void)refuse(b, IL_STR("bundle.sig"), "states no files: it is no signature of a bundle", err);
    } else if (!named) {
        il__escape(other, sizeof other, member(&said, 0, "bundle"));
        snprintf(text, sizeof text, "is the signature of another bundle: %s", other);
        (void)refuse(b, IL_STR("bundle.sig"), text, err);
    } else {
        if (!differs(&now, 0, &said, files, "was not there when the bundle was signed", &file, &why) &&
            !differs(&said, files, &now, 0, "was signed and is not listed any more", &file, &why))
            file = IL_STR("bundle.json");
        if (il__str_eq(file, IL_STR("bundle.json"))) why = "is not what was signed: it was edited since";
        (void)refuse(b, file, why, err);
    }
    il__json_clear(&said);
    il__json_clear(&now);
    return code == IL_OUT_OF_MEMORY ? code : IL_POLICY_ERROR;
}

/* ---- checking ---- */

static enum il_code compare(struct il__mem *mem, const struct il__bundle *b, struct il_str statement,
                            struct il_error *err)
{
    struct il__buf own;
    il__buf_init(&own, mem, 0);
    enum il_code code = write_statement(b, &own, err);
    if (!code && !il__secret_eq(il__buf_get(&own), statement)) code = say_difference(mem, b, statement, err);
    il__buf_clear(&own);
    return code;
}

/* "0123456789abcdef, ..." */
static void list_keys(const struct il__bundle_trust *trust, char *out, size_t size)
{
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < trust->count && at + IL__KEY_ID + 8 < size; i++) {
        char id[IL__KEY_ID];
        il__public_key_id(&trust->keys[i], id);
        if (i == 4) id[0] = '\0';
        at += (size_t)snprintf(out + at, size - at, "%s%s", i == 0 ? "" : i == 4 ? ", and more" : ", ", id);
        if (i == 4) break;
    }
}

static enum il_code unsigned_(const struct il__bundle_trust *trust, const struct il__bundle *b, struct il_error *err)
{
    char keys[120], text[300];
    list_keys(trust, keys, sizeof keys);
    snprintf(text, sizeof text, "is missing: only bundles signed by a trusted key are loaded (%s); "
             "'interlock policy sign DIR --key FILE' signs one", keys);
    return refuse(b, IL_STR("bundle.sig"), text, err);
}

/* Nobody that is trusted has signed: says who is named, for there is nothing else to go by. */
static enum il_code not_trusted(const struct il__bundle_trust *trust, const struct il__bundle *b, const char *named,
                                struct il_error *err)
{
    char keys[120], text[300];
    list_keys(trust, keys, sizeof keys);
    for (size_t i = 0; i < trust->count; i++) {
        char id[IL__KEY_ID];
        il__public_key_id(&trust->keys[i], id);
        if (strcmp(id, named) == 0)
            return refuse(b, IL_STR("bundle.sig"), "does not hold: it names a trusted key, which did not sign it", err);
    }
    snprintf(text, sizeof text, "is not signed by a trusted key: it names %s, trusted %s %s", *named ? named : "none",
             trust->count == 1 ? "is" : "are", keys);
    return refuse(b, IL_STR("bundle.sig"), text, err);
}

static enum il_code no_envelope(const struct il__bundle *b, const struct il_error *why, struct il_error *err)
{
    char text[300];
    if (why->code == IL_OUT_OF_MEMORY) return il__fail(err, why->code, "no memory to check a signature");
    snprintf(text, sizeof text, "is no signature of a bundle: %.200s", why->message);
    return refuse(b, IL_STR("bundle.sig"), text, err);
}

/* The index of the key that signed `out`, the statement; `trust->count`: none of them. */
static enum il_code open_sig(const struct il__bundle_trust *trust, struct il_str sig, size_t *by, struct il__buf *out,
                             struct il_error *err)
{
    for (*by = 0; *by < trust->count; (*by)++) {
        enum il_code code = il__dsse_open(trust->mem, &trust->keys[*by], IL_STR(IL__BUNDLE_TYPE), sig, out, err);
        if (code != IL_IDENTITY_MISMATCH) return code;
        il__error_clear(err);
    }
    return IL_OK;
}

static enum il_code check(const struct il__bundle_trust *trust, const struct il__bundle *b, size_t *by,
                          struct il_error *err)
{
    struct il__buf statement;
    struct il_error why = IL_ERROR_INIT;
    char named[IL__KEY_ID] = "";
    il__buf_init(&statement, trust->mem, 0);
    enum il_code code = open_sig(trust, b->sig, by, &statement, &why);
    if (!code && *by == trust->count)
        code = il__dsse_peek(trust->mem, IL_STR(IL__BUNDLE_TYPE), b->sig, &statement, named, &why);
    if (code) code = no_envelope(b, &why, err);
    else if (trust->count && *by == trust->count) code = not_trusted(trust, b, named, err);
    else code = compare(trust->mem, b, il__buf_get(&statement), err);
    il__buf_clear(&statement);
    return code;
}

enum il_code il__bundle_trust_check(void *ctx, const struct il__bundle *bundle, struct il_error *err)
{
    const struct il__bundle_trust *trust = ctx;
    size_t by;
    if (il__str_present(bundle->sig)) return check(trust, bundle, &by, err);
    return trust->count ? unsigned_(trust, bundle, err) : IL_OK;
}

enum il_code il__bundle_trust_signer(struct il__bundle_trust *trust, const struct il__bundle *bundle,
                                     char id[IL__KEY_ID], struct il_error *err)
{
    size_t by = trust->count;
    enum il_code code = il__str_present(bundle->sig) ? check(trust, bundle, &by, err) : IL_OK;
    id[0] = '\0';
    if (!code && by < trust->count) il__public_key_id(&trust->keys[by], id);
    return code;
}
