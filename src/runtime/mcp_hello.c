/* The handshake of the MCP engine (MCP 2025-11-25, "Lifecycle"): initialize, the version that comes back, initialized.
 * Declares no capability. What goes wrong here closes the connection. */
#include "runtime/mcp_engine.h"

#include "base/error.h"
#include "wire/json_write.h"

enum { UNSUPPORTED_VERSION = -32022 }; /* MCP 2026-07-28 */

static const char *const SPOKEN[] = { "2025-11-25", "2025-06-18", "2025-03-26" };

static const char *spoken(struct il_str version)
{
    for (size_t i = 0; i < sizeof SPOKEN / sizeof SPOKEN[0]; i++)
        if (il__str_eq(version, il__str(SPOKEN[i]))) return SPOKEN[i];
    return NULL;
}

/* ---- the answer ---- */

/* A text of the server about itself; too long or no text: absent. */
static enum il_code keep_text(struct il__mcp *mcp, struct il__json *doc, uint32_t at, const char *name,
                              struct il_str *out, struct il_error *err)
{
    struct il_str text;
    uint32_t node = at ? il__json_get(doc, at, name) : 0;
    *out = IL_STR_NONE;
    if (!node || il__json_kind(doc, node) != IL__JSON_STRING) return IL_OK;
    enum il_code code = il__json_string(doc, node, &text, err);
    if (code || text.len > IL__LIMIT_MCP_NAME_BYTES) return code;
    return il__arena_str(&mcp->told, text, out);
}

static enum il_code read_result(struct il__mcp *mcp, struct il__json *doc, uint32_t result, struct il_error *err)
{
    struct il_str version = IL_STR_NONE;
    uint32_t node = il__json_get(doc, result, "protocolVersion");
    if (!node || il__json_kind(doc, node) != IL__JSON_STRING)
        return il__fail(err, IL_DECODE, "the server's answer to initialize names no protocolVersion");
    enum il_code code = il__json_string(doc, node, &version, err);
    if (code) return code;
    const char *known = spoken(version);
    if (!known) {
        char seen[64];
        (void)il__escape(seen, sizeof seen, version);
        return il__fail(err, IL_UNSUPPORTED, "the server speaks MCP %s; this client speaks %s, %s and %s", seen,
                        SPOKEN[0], SPOKEN[1], SPOKEN[2]);
    }
    il__arena_clear(&mcp->told);
    uint32_t info = il__json_get(doc, result, "serverInfo");
    code = keep_text(mcp, doc, info, "name", &mcp->server_name, err);
    if (!code) code = keep_text(mcp, doc, info, "version", &mcp->server_version, err);
    if (code) return code;
    mcp->protocol_z = known;
    mcp->protocol = il__str(known);
    return IL_OK;
}

/* The versions in data.supported of an error, as one visible text. */
static void supported_list(struct il__json *doc, char *text, size_t cap)
{
    uint32_t data = il__json_get(doc, il__json_get(doc, 0, "error"), "data");
    uint32_t list = data ? il__json_get(doc, data, "supported") : 0;
    size_t len = 0;
    text[0] = 0;
    if (!list || il__json_kind(doc, list) != IL__JSON_ARRAY) return;
    for (uint32_t at = il__json_first(doc, list); at && len + 40 < cap; at = il__json_next(doc, list, at)) {
        struct il_str raw = il__json_raw(doc, at);
        if (il__json_kind(doc, at) != IL__JSON_STRING || raw.len > 32) continue;
        if (len) text[len++] = ' ';
        len += il__escape(text + len, cap - len, (struct il_str){ raw.ptr + 1, raw.len - 2 });
    }
}

static void refused(struct il__mcp *mcp, const struct il__mcp_answer *answer)
{
    struct il_error err = IL_ERROR_INIT;
    char seen[300];
    if (answer->code == IL_RUNTIME && answer->rpc_code == UNSUPPORTED_VERSION && answer->doc) {
        supported_list(answer->doc, seen, sizeof seen);
        il__fail(&err, IL_UNSUPPORTED, "the server speaks only MCP %s; this client speaks %s, %s and %s",
                 seen[0] ? seen : "versions that it does not name", SPOKEN[0], SPOKEN[1], SPOKEN[2]);
    } else {
        (void)il__escape(seen, sizeof seen, answer->message);
        if (answer->code == IL_RUNTIME)
            il__fail(&err, IL_RUNTIME, "the server refused initialize: %s (%lld)", seen, (long long)answer->rpc_code);
        else
            il__fail(&err, answer->code, "initialize failed: %s", seen);
    }
    il__mcp_fail(mcp, &err);
}

static void greeted(void *ctx, const struct il__mcp_answer *answer)
{
    struct il__mcp *mcp = ctx;
    struct il_error err = IL_ERROR_INIT;
    struct il__buf note;
    if (mcp->state == IL__MCP_CLOSED) return;
    if (answer->code) {
        refused(mcp, answer);
        return;
    }
    if (read_result(mcp, answer->doc, answer->result, &err)) {
        il__mcp_fail(mcp, &err);
        return;
    }
    mcp->generation++;
    il__buf_init(&note, mcp->mem, 0);
    il__buf_puts(&note, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    il__mcp_note(mcp, &note);
    il__buf_clear(&note);
    if (!mcp->shutting) il__mcp_ready(mcp);
}

/* ---- the request ---- */

static void put_params(struct il__mcp *mcp, struct il__buf *params)
{
    struct il__json_writer w;
    il__jw_init(&w, params);
    il__jw_object(&w);
    il__jw_member_z(&w, "protocolVersion", SPOKEN[0]);
    il__jw_key(&w, "capabilities");
    il__jw_object(&w);
    il__jw_object_end(&w);
    il__jw_key(&w, "clientInfo");
    il__jw_object(&w);
    il__jw_member_str(&w, "name", mcp->client_name);
    il__jw_member_str(&w, "version", mcp->client_version);
    il__jw_object_end(&w);
    il__jw_object_end(&w);
}

void il__mcp_hello(struct il__mcp *mcp)
{
    struct il_error err = IL_ERROR_INIT;
    struct il__mcp_entry *entry = NULL;
    struct il__buf params;
    il__buf_init(&params, mcp->mem, IL__LIMIT_MCP_MESSAGE_BYTES);
    put_params(mcp, &params);
    const struct il__mcp_request request = { .method = "initialize", .params = il__buf_get(&params),
                                             .soft_ms = mcp->initialize_ms, .hard_ms = mcp->initialize_ms,
                                             .done = greeted, .ctx = mcp };
    mcp->greeted = true;
    enum il_code code = il__buf_check(&params, &err);
    if (!code) code = il__mcp_entry_new(mcp, &request, &entry, &err);
    if (!code && (code = il__mcp_entry_hand(mcp, entry, &err))) {
        struct il__mcp_answer nobody = { .code = code };
        entry->done = NULL;
        il__mcp_entry_end(mcp, entry, &nobody, false);
    }
    il__buf_clear(&params);
    if (code) il__mcp_fail(mcp, &err);
}
