/* The envelopes that were previewed, by action id: the second place where SPEC I11 is kept, at the door to the server.
 * An entry lives twice as long as any envelope, then it is dropped; an execute without its entry is refused. */
#include "runtime/computer_use_inside.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/secret.h"
#include "wire/canon.h"

enum { KEEP_MS = 600000 };

static uint64_t hash_of(struct il_str s)
{
    uint64_t h = 14695981039346656037u; /* FNV-1a; the ids are our own, random ones */
    for (size_t i = 0; i < s.len; i++) h = (h ^ (unsigned char)s.ptr[i]) * 1099511628211u;
    return h;
}

struct il__cu_kept *il__cu_kept_of(struct il__computer_use *cu, struct il_str action_id)
{
    uint64_t hash = hash_of(action_id);
    struct il__cu_kept *kept = cu->chains[hash % IL__CU_CHAINS];
    while (kept && (kept->hash != hash || !il__str_eq(kept->action_id, action_id))) kept = kept->next;
    return kept;
}

static void drop_sent(struct il__computer_use *cu, struct il__cu_kept *kept)
{
    cu->kept_bytes -= kept->sent.cap;
    il__buf_clear(&kept->sent);
}

static void drop_oldest(struct il__computer_use *cu)
{
    struct il__cu_kept *kept = cu->oldest;
    struct il__cu_kept **link = &cu->chains[kept->hash % IL__CU_CHAINS];
    while (*link != kept) link = &(*link)->next;
    *link = kept->next;
    cu->oldest = kept->newer;
    if (!cu->oldest) cu->newest = NULL;
    cu->kept_count--;
    drop_sent(cu, kept);
    il__mem_free(cu->mem, kept, kept->size);
}

void il__cu_keep_tick(struct il__computer_use *cu)
{
    int64_t now = il__cu_now_ms(cu);
    while (cu->oldest && cu->oldest->until_ms <= now) drop_oldest(cu);
}

void il__cu_keep_clear(struct il__computer_use *cu)
{
    while (cu->oldest) drop_oldest(cu);
}

static enum il_code digest_of(struct il__computer_use *cu, struct il__json *doc, uint32_t envelope,
                              char hex[IL__SHA256_HEX], struct il_error *err)
{
    struct il__buf text;
    il__buf_init(&text, cu->mem, 0);
    enum il_code code = il__canon(doc, envelope, &text, err);
    if (!code) code = il__buf_check(&text, err);
    if (!code) il__sha256_hex(cu->digest, il__buf_get(&text), hex);
    il__buf_clear(&text);
    il__error_object(err, "action envelope");
    return code;
}

/* Classes whose tools change nothing have no place in a probe: the server would simply run them. Reading the clipboard
 * is of class secret_access, and so are edits of secret fields. */
static bool mutates(struct il__json *doc, uint32_t envelope)
{
    struct il_str class = il__cu_text(doc, envelope, "actionClass"), tool = il__cu_text(doc, envelope, "tool");
    if (il__str_eq(il__cu_text(doc, envelope, "requestedMode"), IL_STR("shadow"))) return false;
    if (il__str_eq(class, IL_STR("secret_access")))
        return il__str_eq(tool, IL_STR("set_value")) || il__str_eq(tool, IL_STR("fill_form"));
    return class.len && !il__str_eq(class, IL_STR("observe"));
}

static int64_t window_of(struct il__json *doc, uint32_t envelope)
{
    int64_t id = -1;
    uint32_t target = il__json_get(doc, envelope, "target");
    uint32_t node = target ? il__json_get(doc, target, "windowId") : 0;
    return node && il__json_int(doc, node, &id) && id >= 0 ? id : -1;
}

static struct il__cu_kept *new_kept(struct il__computer_use *cu, struct il_str action_id, struct il_str args_digest)
{
    size_t size = sizeof(struct il__cu_kept) + action_id.len + args_digest.len + 1;
    struct il__cu_kept *kept = il__mem_zalloc(cu->mem, 1, size);
    if (!kept) return NULL;
    char *text = (char *)(kept + 1);
    memcpy(text, action_id.ptr, action_id.len);
    if (args_digest.len) memcpy(text + action_id.len, args_digest.ptr, args_digest.len);
    kept->action_id = (struct il_str){ text, action_id.len };
    kept->args_digest = (struct il_str){ text + action_id.len, args_digest.len };
    kept->size = size;
    kept->hash = hash_of(action_id);
    kept->until_ms = il__cu_now_ms(cu) + KEEP_MS;
    il__buf_init(&kept->sent, cu->mem, IL__LIMIT_CONTRACT_BYTES);
    return kept;
}

enum il_code il__cu_keep(struct il__computer_use *cu, struct il_str action_id, struct il__json *doc, uint32_t envelope,
                         struct il_error *err)
{
    char hex[IL__SHA256_HEX];
    enum il_code code = digest_of(cu, doc, envelope, hex, err);
    if (code) return code;
    struct il__cu_kept *old = il__cu_kept_of(cu, action_id);
    if (old) { /* two previews of one action: neither is the one (I1); the digest of nothing equals none */
        if (!il__secret_eq(il__str(old->digest), il__str(hex))) memset(old->digest, 0, sizeof old->digest);
        return IL_OK;
    }
    if (cu->kept_count >= IL__LIMIT_QUEUED_RUNS) drop_oldest(cu);
    struct il__cu_kept *kept = new_kept(cu, action_id, il__cu_text(doc, envelope, "argsDigest"));
    if (!kept) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a preview");
    memcpy(kept->digest, hex, sizeof hex);
    kept->mutates = mutates(doc, envelope);
    kept->epoch = cu->epoch;
    kept->window_id = window_of(doc, envelope);
    struct il__cu_kept **chain = &cu->chains[kept->hash % IL__CU_CHAINS];
    kept->next = *chain;
    *chain = kept;
    if (cu->newest) cu->newest->newer = kept;
    else cu->oldest = kept;
    cu->newest = kept;
    cu->kept_count++;
    return IL_OK;
}

enum il_code il__cu_keep_sent(struct il__computer_use *cu, struct il__cu_kept *kept, struct il_str args,
                              struct il_error *err)
{
    drop_sent(cu, kept);
    il__buf_str(&kept->sent, args);
    cu->kept_bytes += kept->sent.cap;
    enum il_code code = il__buf_check(&kept->sent, err);
    for (struct il__cu_kept *old = cu->oldest; old && cu->kept_bytes > IL__LIMIT_MCP_KEPT_BYTES; old = old->newer)
        if (old != kept) drop_sent(cu, old);
    return code;
}

enum il_code il__cu_keep_check(struct il__computer_use *cu, struct il_str action_id, struct il__json *doc,
                               uint32_t envelope, struct il_error *err)
{
    char hex[IL__SHA256_HEX];
    struct il__cu_kept *kept = il__cu_kept_of(cu, action_id);
    if (!kept || !envelope)
        return il__refuse(err, IL_INVARIANT, "action envelope", "envelope", IL_STR("one that was previewed here"),
                          IL_STR_NONE);
    if (kept->epoch != cu->epoch)
        return il__fail_at(err, IL_TRANSPORT, "action envelope", "envelope",
                           "the connection that it was previewed on is lost; nothing was sent");
    enum il_code code = digest_of(cu, doc, envelope, hex, err);
    if (code) return code;
    if (il__secret_eq(il__str(kept->digest), il__str(hex))) return IL_OK;
    return il__refuse(err, IL_IDENTITY_MISMATCH, "action envelope", "envelope", il__str(kept->digest), il__str(hex));
}

enum il_code il__computer_use_retain(struct il__computer_use *cu, struct il_str action_id, struct il_str preview,
                                     struct il_error *err)
{
    struct il__json doc = { 0 };
    enum il_code code = il__json_parse(&doc, cu->mem, preview, IL__JSON_PAYLOAD, err);
    uint32_t envelope = code ? 0 : il__json_get(&doc, 0, "envelope");
    if (!code && !envelope) code = il__fail_at(err, IL_DECODE, "action envelope", "/envelope", "a preview has one");
    if (!code) code = il__cu_keep(cu, action_id, &doc, envelope, err);
    il__json_clear(&doc);
    return code;
}
