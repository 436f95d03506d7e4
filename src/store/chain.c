/* Texts of the store-level chain (chain.h): members in canonical order, written in one place for both stores. */
#include "store/chain.h"

#include "wire/json_write.h"

static void begin(struct il__json_writer *w, struct il__buf *text, int64_t at_ms)
{
    char at[IL__RFC3339_MAX];
    il__rfc3339_format(il__instant_add_ms((struct il__instant){ 0, 0 }, at_ms), at);
    il__buf_reset(text);
    il__jw_init(w, text);
    il__jw_object(w);
    il__jw_member_z(w, "at", at);
}

static void member_hex(struct il__json_writer *w, const char *name, const uint8_t hash[IL__SHA256_BYTES])
{
    char hex[IL__SHA256_HEX];
    il__hex(hash, IL__SHA256_BYTES, hex);
    il__jw_member_z(w, name, hex);
}

static void member_prev(struct il__json_writer *w, const struct il__chain_head *head)
{
    if (head->next) {
        member_hex(w, "prev", head->prev);
    } else {
        il__jw_member_z(w, "prev", "");
    }
}

static enum il_code end(struct il__json_writer *w, struct il__digest *digest, const struct il__chain_head *head,
                        uint8_t hash[IL__SHA256_BYTES], struct il_error *err)
{
    il__jw_member_int(w, "seq", (int64_t)head->next);
    il__jw_object_end(w);
    enum il_code code = il__buf_check(w->buf, err);
    if (!code) il__sha256(digest, il__buf_get(w->buf), hash);
    return code;
}

enum il_code il__chain_run(struct il__digest *digest, struct il__buf *text, const struct il__chain_head *head,
                           const struct il__store_row *row, const uint8_t first[IL__SHA256_BYTES],
                           uint8_t hash[IL__SHA256_BYTES], struct il_error *err)
{
    struct il__json_writer w;
    begin(&w, text, row->created_ms);
    member_hex(&w, "first", first);
    il__jw_member_z(&w, "kind", "run");
    member_prev(&w, head);
    il__jw_member_str(&w, "run", row->run_id);
    return end(&w, digest, head, hash, err);
}

enum il_code il__chain_link(struct il__digest *digest, struct il__buf *text, const struct il__chain_head *head,
                            struct il_str kind, struct il_str body, struct il_str payload, int64_t at_ms,
                            uint8_t hash[IL__SHA256_BYTES], struct il_error *err)
{
    struct il__json_writer w;
    uint8_t covered[IL__SHA256_BYTES];
    begin(&w, text, at_ms);
    il__jw_key(&w, "body");
    il__jw_raw(&w, body);
    il__jw_member_str(&w, "kind", kind);
    if (il__str_present(payload)) {
        il__sha256(digest, payload, covered);
        member_hex(&w, "payload", covered);
    }
    member_prev(&w, head);
    return end(&w, digest, head, hash, err);
}
