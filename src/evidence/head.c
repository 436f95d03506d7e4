/* The texts of heads and tips (head.h). */
#include "evidence/head.h"

#include "base/error.h"
#include "wire/base64.h"
#include "wire/canon.h"
#include "wire/json_write.h"

static const uint8_t NO_HASH[IL__SHA256_BYTES];

static void member_hash(struct il__json_writer *w, const char *name, const uint8_t hash[IL__SHA256_BYTES])
{
    char hex[IL__SHA256_HEX];
    il__hex(hash, IL__SHA256_BYTES, hex);
    il__jw_member_z(w, name, memcmp(hash, NO_HASH, sizeof NO_HASH) == 0 ? "" : hex);
}

/* Members in canonical order. */
static void write_head(const struct il__head *head, struct il__buf *out)
{
    struct il__json_writer w;
    char at[IL__RFC3339_MAX], key[IL__KEY_TEXT];
    il__rfc3339_format(head->at, at);
    il__public_key_text(&head->key, key);
    il__jw_init(&w, out);
    il__jw_object(&w);
    il__jw_member_z(&w, "at", at);
    member_hash(&w, "hash", head->hash);
    il__jw_member_z(&w, "key", key);
    il__jw_member_int(&w, "links", (int64_t)head->links);
    il__jw_member_int(&w, "records", (int64_t)head->records);
    member_hash(&w, "root", head->root);
    il__jw_member_int(&w, "runs", (int64_t)head->runs);
    il__jw_member_z(&w, "store", head->store);
    member_hash(&w, "tips", head->tips);
    il__jw_member_z(&w, "type", IL__HEAD_TYPE);
    il__jw_object_end(&w);
}

enum il_code il__head_write(struct il__head *head, struct il__digest *digest, const struct il__sign_key *key,
                            struct il__buf *out, struct il_error *err)
{
    struct il__buf text;
    uint8_t signature[IL__SIGNATURE_BYTES];
    char base64[IL__BASE64_ROOM(IL__SIGNATURE_BYTES)];
    head->key = key->public;
    il__buf_init(&text, out->mem, 0);
    write_head(head, &text);
    enum il_code code = il__buf_check(&text, err);
    if (!code) code = il__sign(key, il__buf_get(&text), signature, err);
    if (!code) {
        struct il__json_writer w;
        size_t start = out->len;
        il__base64_write(signature, sizeof signature, base64);
        il__jw_init(&w, out);
        il__jw_object(&w);
        il__jw_key(&w, "head");
        il__jw_raw(&w, il__buf_get(&text));
        il__jw_member_z(&w, "signature", base64);
        il__jw_object_end(&w);
        code = il__buf_check(out, err);
        if (!code) il__sha256(digest, (struct il_str){ out->ptr + start, out->len - start }, head->line);
        head->signed_by_key = !code;
    }
    il__buf_clear(&text);
    return code;
}

/* ---- reading ---- */

static bool read_count(const struct il__chain_line *line, uint32_t at, const char *name, uint64_t *out)
{
    int64_t n = -1;
    if (!il__chain_int(line, at, name, &n) || n < 0) return false;
    *out = (uint64_t)n;
    return true;
}

/* The empty text stands for none. */
static bool read_hash(struct il__chain_line *line, uint32_t at, const char *name, bool none,
                      uint8_t out[IL__SHA256_BYTES])
{
    struct il_str hex = il__chain_text(line, at, name);
    memset(out, 0, IL__SHA256_BYTES);
    return none ? il__str_eq(hex, IL_STR("")) : il__chain_unhex(hex, out);
}

static bool read_members(struct il__head *head, struct il__chain_line *line, uint32_t at)
{
    struct il_str store = il__chain_text(line, at, "store");
    if (!at || il__json_kind(&line->doc, at) != IL__JSON_OBJECT) return false;
    if (il__json_at(&line->doc, at)->count != 10) return false;
    if (!il__str_eq(il__chain_text(line, at, "type"), IL_STR(IL__HEAD_TYPE))) return false;
    if (!il__str_is_hex(store, sizeof head->store - 1)) return false;
    memcpy(head->store, store.ptr, store.len);
    head->store[store.len] = '\0';
    return read_count(line, at, "links", &head->links) && read_count(line, at, "runs", &head->runs) &&
           read_count(line, at, "records", &head->records) && read_hash(line, at, "hash", !head->links, head->hash) &&
           read_hash(line, at, "root", !head->runs, head->root) && read_hash(line, at, "tips", false, head->tips) &&
           il__rfc3339_parse(il__chain_text(line, at, "at"), &head->at, NULL) &&
           !il__public_key_from_text(&head->key, il__chain_text(line, at, "key"), NULL);
}

static bool is_canonical(struct il__json *doc, struct il__mem *mem, struct il_str text)
{
    struct il__buf canon;
    il__buf_init(&canon, mem, 0);
    bool same = !il__canon(doc, 0, &canon, NULL) && il__str_eq(il__buf_get(&canon), text);
    il__buf_clear(&canon);
    return same;
}

enum il_code il__head_read(struct il__head *head, struct il__mem *mem, struct il__digest *digest, struct il_str text,
                           struct il_error *err)
{
    struct il__chain_line line;
    const char *flaw = NULL;
    uint8_t signature[IL__SIGNATURE_BYTES];
    size_t len = 0;
    *head = (struct il__head){ .links = 0 };
    enum il_code code = il__chain_open(&line, mem, text, &flaw, err);
    if (!code && !flaw) {
        uint32_t at = il__json_get(&line.doc, 0, "head");
        struct il_str base64 = il__chain_text(&line, 0, "signature");
        if (line.members != 2 || !read_members(head, &line, at)) flaw = "members";
        else if (!il__base64_read(base64, signature, sizeof signature, &len)) flaw = "signature";
        else if (!is_canonical(&line.doc, mem, text)) flaw = "canonical text";
        else head->signed_by_key = il__sign_check(&head->key, il__json_raw(&line.doc, at),
                                                  (struct il_str){ (const char *)signature, len });
        il__sha256(digest, text, head->line);
    }
    il__json_clear(&line.doc);
    if (code || !flaw) return code;
    return il__fail_at(err, IL_DECODE, "head", flaw, "this is no signed head of a store (%s)", flaw);
}

/* ---- tips ---- */

void il__tip_write(const struct il__tip *tip, struct il__buf *out)
{
    struct il__json_writer w;
    il__jw_init(&w, out);
    il__jw_object(&w);
    member_hash(&w, "last", tip->last);
    il__jw_member_int(&w, "records", (int64_t)tip->records);
    member_hash(&w, "root", tip->root);
    il__jw_member_str(&w, "run", tip->run);
    il__jw_object_end(&w);
    il__buf_putc(out, '\n');
}

enum il_code il__tip_read(struct il__tip *tip, struct il__chain_line *line, struct il__mem *mem, struct il_str text,
                          struct il_error *err)
{
    const char *flaw = NULL;
    enum il_code code = il__chain_open(line, mem, text, &flaw, err);
    if (code) return code;
    if (!flaw) {
        tip->run = il__chain_text(line, 0, "run");
        if (line->members != 4 || !tip->run.len || !read_count(line, 0, "records", &tip->records) || !tip->records ||
            !read_hash(line, 0, "last", false, tip->last) || !read_hash(line, 0, "root", false, tip->root))
            flaw = "members";
    }
    return flaw ? il__fail_at(err, IL_DECODE, "tip", "", "this is no tip of a run") : IL_OK;
}

bool il__next_line(struct il_str *rest, struct il_str *line)
{
    const char *end = rest->len ? memchr(rest->ptr, '\n', rest->len) : NULL;
    if (!end) return false;
    *line = (struct il_str){ rest->ptr, (size_t)(end - rest->ptr) };
    rest->ptr = end + 1;
    rest->len -= line->len + 1;
    return true;
}
