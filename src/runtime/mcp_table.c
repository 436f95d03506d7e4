/* The requests of the MCP engine: composed, handed to the wire once, ended once; and the table of late ones. Every end
 * goes through il__mcp_entry_end. Must never hand an entry over a second time. */
#include "runtime/mcp_engine.h"

#include "base/error.h"
#include "wire/json_write.h"

/* ---- composing ---- */

/* The members of `params` after our own `_meta`, so that progress comes back with the id. */
static void put_params(struct il__json_writer *w, struct il__mcp_entry *entry, struct il_str params, struct il_str meta)
{
    il__jw_key(w, "params");
    if (entry->kind != IL__MCP_CALL) {
        il__jw_raw(w, params);
        return;
    }
    size_t inner = 1;
    while (inner < params.len && params.ptr[inner] <= ' ') inner++;
    il__buf_puts(w->buf, "{\"_meta\":{\"progressToken\":");
    il__buf_printf(w->buf, "%llu", (unsigned long long)entry->id);
    if (meta.len > 2) il__buf_putc(w->buf, ',');
    if (meta.len > 2) il__buf_add(w->buf, meta.ptr + 1, meta.len - 2);
    il__buf_putc(w->buf, '}');
    if (params.ptr[inner] != '}') il__buf_putc(w->buf, ',');
    il__buf_add(w->buf, params.ptr + inner, params.len - inner);
}

static enum il_code compose(struct il__mcp_entry *entry, struct il_str params, struct il_str meta, struct il_error *err)
{
    struct il__json_writer w;
    il__jw_init(&w, &entry->message);
    il__jw_object(&w);
    il__jw_member_z(&w, "jsonrpc", "2.0");
    il__jw_member_int(&w, "id", (int64_t)entry->id);
    il__jw_member_z(&w, "method", entry->method);
    if (il__str_present(params)) put_params(&w, entry, params, meta);
    il__jw_object_end(&w);
    return il__buf_check(&entry->message, err);
}

/* A bad frame is never answered by a server: what is no plain object in one line does not leave. */
static enum il_code check_params(struct il__mcp *mcp, struct il_str params, struct il_error *err)
{
    struct il__json doc = { 0 };
    struct il_error why = IL_ERROR_INIT;
    if (memchr(params.ptr, '\n', params.len) || memchr(params.ptr, '\r', params.len))
        return il__fail_at(err, IL_INVALID_REQUEST, "request", "params", "a line break in the params");
    enum il_code code = il__json_parse(&doc, mcp->mem, params, IL__JSON_PAYLOAD, &why);
    if (code == IL_OUT_OF_MEMORY) return il__fail(err, code, "no memory for a request");
    if (code) return il__fail_at(err, IL_INVALID_REQUEST, "request", "params", "%s", why.message);
    bool good = il__json_kind(&doc, 0) == IL__JSON_OBJECT && !il__json_get(&doc, 0, "_meta") && params.ptr[0] == '{';
    il__json_clear(&doc);
    return good ? IL_OK : il__fail_at(err, IL_INVALID_REQUEST, "request", "params", "not an object without _meta");
}

/* An object in one line, without a progress token: that one is the engine's. */
static enum il_code check_meta(struct il__mcp *mcp, struct il_str meta, struct il_error *err)
{
    struct il__json doc = { 0 };
    bool good = !memchr(meta.ptr, '\n', meta.len) && !memchr(meta.ptr, '\r', meta.len) && meta.ptr[0] == '{' &&
                meta.ptr[meta.len - 1] == '}' && !il__json_parse(&doc, mcp->mem, meta, IL__JSON_CONTRACT, NULL) &&
                !il__json_get(&doc, 0, "progressToken");
    il__json_clear(&doc);
    return good ? IL_OK : il__fail_at(err, IL_INVALID_REQUEST, "request", "meta", "not an object in one line");
}

static enum il_code check_request(struct il__mcp *mcp, const struct il__mcp_request *request, struct il_error *err)
{
    bool call = strcmp(request->method, "tools/call") == 0;
    if (request->permit && !call)
        return il__fail_at(err, IL_INVALID_REQUEST, "request", "permit", "only a tools/call has a permit");
    if (call && !il__str_present(request->params))
        return il__fail_at(err, IL_INVALID_REQUEST, "request", "params", "a tools/call names its tool");
    if (mcp->in_flight >= IL__LIMIT_MCP_IN_FLIGHT && strcmp(request->method, "initialize") != 0)
        return il__fail(err, IL_LIMIT_EXCEEDED, "more than %d requests wait for the server", IL__LIMIT_MCP_IN_FLIGHT);
    enum il_code code = request->meta.len ? check_meta(mcp, request->meta, err) : IL_OK;
    return code || !il__str_present(request->params) ? code : check_params(mcp, request->params, err);
}

enum il_code il__mcp_entry_new(struct il__mcp *mcp, const struct il__mcp_request *request, struct il__mcp_entry **out,
                               struct il_error *err)
{
    enum il_code code = check_request(mcp, request, err);
    if (code) return code;
    struct il__mcp_entry *entry = il__mem_zalloc(mcp->mem, 1, sizeof *entry);
    if (!entry) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a request");
    entry->id = mcp->last_id + 1;
    entry->kind = strcmp(request->method, "tools/call") == 0 ? IL__MCP_CALL : IL__MCP_REQUEST;
    entry->method = request->method;
    entry->permit = request->permit;
    entry->soft_ms = request->soft_ms ? request->soft_ms : IL__LIMIT_REQUEST_TIMEOUT_MS;
    entry->hard_at_ms = il__mcp_now_ms(mcp) + (request->hard_ms ? request->hard_ms : IL__LIMIT_MCP_HARD_TIMEOUT_MS);
    entry->done = request->done;
    entry->late = request->late;
    entry->ctx = request->ctx;
    il__buf_init(&entry->message, mcp->mem, IL__LIMIT_MCP_MESSAGE_BYTES);
    code = compose(entry, request->params, request->meta, err);
    if (code) {
        il__buf_clear(&entry->message);
        il__mem_free(mcp->mem, entry, sizeof *entry);
        return code;
    }
    mcp->last_id++;
    *mcp->tail = entry;
    mcp->tail = &entry->next;
    mcp->in_flight++;
    *out = entry;
    return IL_OK;
}

/* ---- finding, handing over, ending ---- */

struct il__mcp_entry *il__mcp_entry_find(const struct il__mcp *mcp, uint64_t id)
{
    struct il__mcp_entry *entry = mcp->head;
    while (entry && entry->id != id) entry = entry->next;
    return entry;
}

enum il_code il__mcp_entry_hand(struct il__mcp *mcp, struct il__mcp_entry *entry, struct il_error *err)
{
    const struct il__mcp_out out = { entry->kind, entry->id, il__buf_get(&entry->message), entry->permit,
                                     mcp->protocol_z };
    enum il_code code = mcp->wire.ops->send(mcp->wire.self, &out, err);
    if (code) return code;
    entry->handed = true;
    entry->soft_at_ms = il__mcp_now_ms(mcp) + entry->soft_ms;
    il__buf_clear(&entry->message);
    return IL_OK;
}

static void take_out(struct il__mcp *mcp, struct il__mcp_entry *entry)
{
    struct il__mcp_entry **at = &mcp->head;
    while (*at != entry) at = &(*at)->next;
    *at = entry->next;
    if (!entry->next) mcp->tail = at;
    mcp->in_flight--;
}

static void entry_free(struct il__mcp *mcp, struct il__mcp_entry *entry)
{
    il__buf_clear(&entry->message);
    il__mem_free(mcp->mem, entry, sizeof *entry);
}

/* Afterwards `unsent` is known. The entry is out of the table already: whatever the wire tells does not end it twice.
 * */
static void forget(struct il__mcp *mcp, struct il__mcp_entry *entry, bool lingers)
{
    const struct il__mcp_wire_ops *ops = mcp->wire.ops;
    struct il__mcp_entry *outer = mcp->ending;
    if (!entry->handed) {
        entry->unsent = true;
        return;
    }
    mcp->ending = entry;
    (lingers && ops->linger ? ops->linger : ops->forget)(mcp->wire.self, entry->id);
    mcp->ending = outer;
}

void il__mcp_entry_end(struct il__mcp *mcp, struct il__mcp_entry *entry, struct il__mcp_answer *answer, bool tell_wire)
{
    take_out(mcp, entry);
    if (tell_wire) forget(mcp, entry, false);
    if (tell_wire && entry->unsent && answer->doc) {
        /* Answered before it was asked: nothing left, so nothing can have happened. */
        *answer = (struct il__mcp_answer){ .code = IL_TRANSPORT, .message = IL_STR("answered before it was sent") };
    }
    if (entry->done) entry->done(entry->ctx, answer);
    entry_free(mcp, entry);
}

static void keep_late(struct il__mcp *mcp, const struct il__mcp_entry *entry)
{
    struct il__mcp_late *slot = &mcp->late[mcp->next_late];
    if (slot->id && slot->until_ms > il__mcp_now_ms(mcp))
        il__mcp_complain(mcp, "too many requests were given up; forgotten before its late answer came", IL_STR(""));
    *slot = (struct il__mcp_late){ entry->id, il__mcp_now_ms(mcp) + IL__LIMIT_MCP_LATE_MS, entry->late, entry->ctx };
    mcp->next_late = (mcp->next_late + 1) % IL__LIMIT_MCP_LATE;
}

static void note_cancelled(struct il__mcp *mcp, uint64_t id, const char *reason)
{
    struct il__buf message;
    struct il__json_writer w;
    il__buf_init(&message, mcp->mem, IL__LIMIT_MCP_MESSAGE_BYTES);
    il__jw_init(&w, &message);
    il__jw_object(&w);
    il__jw_member_z(&w, "jsonrpc", "2.0");
    il__jw_member_z(&w, "method", "notifications/cancelled");
    il__jw_key(&w, "params");
    il__jw_object(&w);
    il__jw_member_int(&w, "requestId", (int64_t)id);
    il__jw_member_z(&w, "reason", reason ? reason : "cancelled");
    il__jw_object_end(&w);
    il__jw_object_end(&w);
    il__mcp_note(mcp, &message);
    il__buf_clear(&message);
}

void il__mcp_entry_give_up(struct il__mcp *mcp, struct il__mcp_entry *entry, enum il_code code, const char *message,
                           const char *reason)
{
    take_out(mcp, entry);
    forget(mcp, entry, entry->late != NULL);
    if (!entry->unsent && mcp->state != IL__MCP_CLOSED) {
        if (strcmp(entry->method, "initialize") != 0) note_cancelled(mcp, entry->id, reason);
        keep_late(mcp, entry);
    }
    const struct il__mcp_answer answer = { .code = code, .sent = !entry->unsent, .message = il__str(message) };
    if (entry->done) entry->done(entry->ctx, &answer);
    entry_free(mcp, entry);
}

void il__mcp_entries_lose(struct il__mcp *mcp, const struct il_error *err)
{
    while (mcp->head) {
        struct il__mcp_answer answer = { .code = err->code, .sent = mcp->head->handed,
                                         .message = il__str(err->message) };
        il__mcp_entry_end(mcp, mcp->head, &answer, false);
    }
}

void il__mcp_entries_clear(struct il__mcp *mcp)
{
    while (mcp->head) {
        struct il__mcp_entry *entry = mcp->head;
        take_out(mcp, entry);
        if (entry->drop) entry->drop(entry->ctx);
        entry_free(mcp, entry);
    }
}

/* ---- deadlines ---- */

static int64_t deadline(const struct il__mcp_entry *entry)
{
    return entry->handed && entry->soft_at_ms < entry->hard_at_ms ? entry->soft_at_ms : entry->hard_at_ms;
}

/* The first entry that is over now, with why in `err`. */
static struct il__mcp_entry *find_due(struct il__mcp *mcp, int64_t now, struct il_error *err)
{
    for (struct il__mcp_entry *entry = mcp->head; entry; entry = entry->next) {
        if (!entry->handed && entry->permit && il__permit_holds(entry->permit, err)) return entry;
        if (now < deadline(entry)) continue;
        il__fail(err, IL_TIMEOUT, "no answer to %s in time", entry->method);
        return entry;
    }
    return NULL;
}

int64_t il__mcp_entries_due(struct il__mcp *mcp)
{
    int64_t now = il__mcp_now_ms(mcp), next = -1;
    struct il_error err = IL_ERROR_INIT;
    struct il__mcp_entry *entry;
    for (uint32_t left = mcp->in_flight; left && (entry = find_due(mcp, now, &err)); left--) {
        il__mcp_entry_give_up(mcp, entry, err.code, err.message, "timeout");
        il__error_clear(&err);
    }
    for (entry = mcp->head; entry; entry = entry->next) {
        int64_t left = deadline(entry) - now;
        if (!entry->handed && entry->permit && left > 100) left = 100;
        if (left < 0) left = 0; /* begun just now by a callback */
        if (next < 0 || left < next) next = left;
    }
    return next;
}

struct il__mcp_late *il__mcp_late_find(struct il__mcp *mcp, uint64_t id)
{
    for (size_t i = 0; id && i < IL__LIMIT_MCP_LATE; i++)
        if (mcp->late[i].id == id) return mcp->late[i].until_ms > il__mcp_now_ms(mcp) ? &mcp->late[i] : NULL;
    return NULL;
}

void il__mcp_note(struct il__mcp *mcp, struct il__buf *message)
{
    struct il_error err = IL_ERROR_INIT;
    const struct il__mcp_out out = { IL__MCP_NOTE, 0, il__buf_get(message), NULL, mcp->protocol_z };
    enum il_code code = il__buf_check(message, &err);
    if (!code) code = mcp->wire.ops->send(mcp->wire.self, &out, &err);
    if (code) il__mcp_complain(mcp, "a note could not be sent", il__str(err.message));
}
