/* What the server says, one message at a time: told apart by its members, matched by id, answered where it asks. What
 * it cannot place it logs and leaves. Must never tell by an id whether a message is a request of the server. */
#include "runtime/mcp_engine.h"

#include "base/error.h"
#include "runtime/mcp_peek.h"
#include "wire/json_write.h"

/* The number of ours that `node` names: an integer, or a string of its digits; 0: none. */
static uint64_t id_of(struct il__json *doc, uint32_t node)
{
    struct il_str raw = il__json_raw(doc, node);
    if (il__json_kind(doc, node) == IL__JSON_INT) return il__mcp_id_of(raw);
    if (il__json_kind(doc, node) != IL__JSON_STRING || raw.len < 2) return 0;
    return il__mcp_id_of((struct il_str){ raw.ptr + 1, raw.len - 2 });
}

static bool is_text(const struct il__json *doc, uint32_t node, const char *want)
{
    struct il_str raw = il__json_raw(doc, node);
    size_t len = strlen(want);
    return il__json_kind(doc, node) == IL__JSON_STRING && raw.len == len + 2 && memcmp(raw.ptr + 1, want, len) == 0;
}

/* ---- what the server asks ---- */

static void reply(struct il__mcp *mcp, struct il_str id, bool ping)
{
    struct il__buf message;
    struct il__json_writer w;
    il__buf_init(&message, mcp->mem, IL__LIMIT_MCP_MESSAGE_BYTES);
    il__jw_init(&w, &message);
    il__jw_object(&w);
    il__jw_member_z(&w, "jsonrpc", "2.0");
    il__jw_key(&w, "id");
    il__jw_raw(&w, id);
    il__jw_key(&w, ping ? "result" : "error");
    il__jw_object(&w);
    if (!ping) {
        il__jw_member_int(&w, "code", -32601);
        il__jw_member_z(&w, "message", "Method not found");
    }
    il__jw_object_end(&w);
    il__jw_object_end(&w);
    il__mcp_note(mcp, &message);
    il__buf_clear(&message);
}

static bool asked(struct il__mcp *mcp, struct il__json *doc, uint32_t method, uint32_t id)
{
    struct il_str raw = il__json_raw(doc, id);
    enum il__json_kind kind = il__json_kind(doc, id);
    if (kind != IL__JSON_INT && kind != IL__JSON_STRING) return false;
    if (raw.len > IL__LIMIT_MCP_NAME_BYTES) {
        il__mcp_complain(mcp, "a request of the server with an id that is too long", il__json_raw(doc, method));
        return true;
    }
    bool ping = is_text(doc, method, "ping");
    if (!ping) il__mcp_complain(mcp, "the server asked for what is not offered", il__json_raw(doc, method));
    reply(mcp, raw, ping);
    return true;
}

/* Progress moves the soft deadline of the request whose id is the token. */
static void progress(struct il__mcp *mcp, struct il__json *doc, uint32_t at)
{
    uint32_t params = il__json_get(doc, at, "params");
    uint32_t token = params ? il__json_get(doc, params, "progressToken") : 0;
    struct il__mcp_entry *entry = token ? il__mcp_entry_find(mcp, id_of(doc, token)) : NULL;
    if (entry && entry->handed) entry->soft_at_ms = il__mcp_now_ms(mcp) + entry->soft_ms;
}

/* ---- what the server answers ---- */

static enum il_code read_error(struct il__json *doc, uint32_t error, struct il__mcp_answer *out, struct il_error *err)
{
    uint32_t code = il__json_get(doc, error, "code"), message = il__json_get(doc, error, "message");
    if (il__json_kind(doc, error) != IL__JSON_OBJECT || !code || !il__json_int(doc, code, &out->rpc_code))
        return il__fail(err, IL_DECODE, "the server answered with an error that has no code");
    out->code = IL_RUNTIME;
    out->message = IL_STR("");
    if (!message || il__json_kind(doc, message) != IL__JSON_STRING) return IL_OK;
    return il__json_string(doc, message, &out->message, err);
}

/* The answer in message `at`: a result, an error, or what is wrong with it. */
static void read_answer(struct il__json *doc, uint32_t at, struct il__mcp_answer *out, struct il_error *err)
{
    uint32_t result = il__json_get(doc, at, "result"), error = il__json_get(doc, at, "error");
    *out = (struct il__mcp_answer){ .sent = true, .doc = doc, .result = result, .message = IL_STR_NONE };
    enum il_code code = IL_OK;
    if (!result == !error) code = il__fail(err, IL_DECODE, "the answer has not one of result and error");
    else if (error) code = read_error(doc, error, out, err);
    else if (il__json_kind(doc, result) != IL__JSON_OBJECT)
        code = il__fail(err, IL_DECODE, "the result is no object");
    if (!code) return;
    out->code = code;
    out->result = 0;
    out->message = il__str(err->message);
}

static void answer_late(struct il__mcp *mcp, struct il__mcp_late *slot, const struct il__mcp_answer *answer)
{
    struct il__mcp_late late = *slot;
    slot->id = 0;
    mcp->wire.ops->forget(mcp->wire.self, late.id);
    if (late.fn) late.fn(late.ctx, answer);
    else il__log(mcp->log, IL_LOG_INFO, "mcp: a late answer to request %llu", (unsigned long long)late.id);
}

static void answered(struct il__mcp *mcp, struct il__json *doc, uint32_t at, uint32_t id_node)
{
    struct il__mcp_answer answer;
    struct il_error err = IL_ERROR_INIT;
    uint64_t id = id_of(doc, id_node);
    read_answer(doc, at, &answer, &err);
    struct il__mcp_entry *entry = id ? il__mcp_entry_find(mcp, id) : NULL;
    if (entry && entry->handed) {
        mcp->restarts = strcmp(entry->method, "initialize") == 0 ? mcp->restarts : 0;
        il__mcp_entry_end(mcp, entry, &answer, true);
        return;
    }
    struct il__mcp_late *late = il__mcp_late_find(mcp, id);
    if (late) answer_late(mcp, late, &answer);
    else if (id && id <= mcp->last_id && !entry) il__mcp_complain(mcp, "a second answer", il__json_raw(doc, id_node));
    else il__mcp_complain(mcp, "an answer that was not asked for", il__json_raw(doc, id_node));
}

/* ---- messages ---- */

static bool one(struct il__mcp *mcp, struct il__json *doc, uint32_t at)
{
    if (il__json_kind(doc, at) != IL__JSON_OBJECT) return false;
    uint32_t version = il__json_get(doc, at, "jsonrpc"), method = il__json_get(doc, at, "method");
    uint32_t id = il__json_get(doc, at, "id");
    if (!version || !is_text(doc, version, "2.0")) return false;
    if (method) {
        if (il__json_kind(doc, method) != IL__JSON_STRING) return false;
        if (id) return asked(mcp, doc, method, id);
        if (is_text(doc, method, "notifications/progress")) progress(mcp, doc, at);
        return true;
    }
    if (!id && !il__json_get(doc, at, "error")) return false;
    if (id) answered(mcp, doc, at, id);
    else il__mcp_complain(mcp, "the server reports an error that names no request", IL_STR(""));
    return true;
}

/* Servers of 2025-03-26 may put several messages into one array. */
static bool batch(struct il__mcp *mcp, struct il__json *doc)
{
    bool any = false;
    uint32_t count = 0;
    for (uint32_t at = il__json_first(doc, 0); at; at = il__json_next(doc, 0, at)) {
        if (++count > IL__LIMIT_MCP_BATCH) {
            il__mcp_complain(mcp, "an array of too many messages; the rest is not read", IL_STR(""));
            break;
        }
        any = one(mcp, doc, at) || any;
        if (mcp->state == IL__MCP_CLOSED) return true;
    }
    return any;
}

/* The strict reader refused it. When it is the answer to a request of ours, that request has its answer: unreadable. */
static bool unreadable(struct il__mcp *mcp, struct il_str message, const struct il_error *err)
{
    struct il__mcp_peek peek = { 0 };
    il__mcp_peek_feed(&peek, message);
    uint64_t id = il__mcp_peek_id(&peek);
    struct il__mcp_entry *entry = id ? il__mcp_entry_find(mcp, id) : NULL;
    if (!entry || !entry->handed) return false;
    struct il__mcp_answer answer = { .code = err->code, .sent = true, .message = il__str(err->message) };
    il__mcp_entry_end(mcp, entry, &answer, true);
    return true;
}

bool il__mcp_read(void *ctx, struct il_str message)
{
    struct il__mcp *mcp = ctx;
    struct il__json doc = { 0 };
    struct il_error err = IL_ERROR_INIT;
    if (mcp->freed || mcp->state == IL__MCP_CLOSED) return true;
    enum il_code code = il__json_parse(&doc, mcp->mem, message, IL__JSON_PAYLOAD, &err);
    if (code) return unreadable(mcp, message, &err) || code == IL_OUT_OF_MEMORY;
    bool good = il__json_kind(&doc, 0) == IL__JSON_ARRAY ? batch(mcp, &doc) : one(mcp, &doc, 0);
    il__json_clear(&doc);
    return good;
}
