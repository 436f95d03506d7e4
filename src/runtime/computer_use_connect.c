/* Connecting: which tools the server lists, what its manifest says, and the session; and the facts that `doctor` shows.
 * Refused: a server without the governed tools, and one that offers this connection a way around them. */
#include "runtime/computer_use_inside.h"

#include "base/error.h"
#include "base/limits.h"
#include "contract/session.h"

enum { API_VERSION = 8, NAMES_SHOWN = 12 };

/* The tools of the governed facade. Everything else that acts is a way around it. */
static const char *const GOVERNED[] = {
    "start_session", "get_session", "pause_session", "resume_session", "take_over", "stop_session", "complete_session",
    "delete_session", "prune_sessions", "get_session_events", "submit_follow_up", "get_follow_ups",
    "get_execution_capabilities", "get_certification_trace", "preview_action", "reserve_target",
    "release_target_reservation", "acquire_control_lease", "release_control_lease", "execute_action", "emergency_stop",
    "onboarding",
};

static uint32_t time_left(const struct il__computer_use *cu)
{
    int64_t left = cu->connect_until_ms - il__cu_now_ms(cu);
    return left < 1 ? 1 : (uint32_t)left;
}

void il__cu_connect_failed(struct il__computer_use *cu, const struct il__mcp_answer *answer, const char *what)
{
    struct il_error err = IL_ERROR_INIT;
    char message[240];
    il__escape(message, sizeof message, answer->message);
    il__fail_at(&err, answer->code ? answer->code : IL_RUNTIME, "runtime", what, "%s", message);
    il__cu_broke(cu, &err);
}

/* ---- the tools ---- */

static bool is_governed(struct il_str name)
{
    for (size_t i = 0; i < sizeof GOVERNED / sizeof *GOVERNED; i++)
        if (il__str_eq(name, il__str(GOVERNED[i]))) return true;
    return false;
}

static bool says(struct il__json *doc, uint32_t tool, const char *object, const char *name, enum il__json_kind kind)
{
    uint32_t at = il__json_get(doc, tool, object);
    uint32_t node = at ? il__json_get(doc, at, name) : 0;
    return node && il__json_kind(doc, node) == kind;
}

/* A tool acts unless it says that it does not. */
static bool acts(struct il__json *doc, uint32_t tool)
{
    if (says(doc, tool, "_meta", "computer-use/mutates", IL__JSON_TRUE)) return true;
    return !says(doc, tool, "annotations", "readOnlyHint", IL__JSON_TRUE) &&
           !says(doc, tool, "_meta", "computer-use/mutates", IL__JSON_FALSE);
}

static void add_name(struct il__buf *list, struct il_str name)
{
    struct il__json_writer w;
    if (list->len) il__buf_putc(list, ',');
    il__jw_init(&w, list);
    il__jw_str(&w, name);
}

/* For people: what a name is to us. */
static void list_tool(struct il__computer_use *cu, struct il_str name, const char *kind)
{
    struct il__json_writer w;
    if (cu->listing.len) il__buf_putc(&cu->listing, ',');
    il__jw_init(&w, &cu->listing);
    il__jw_object(&w);
    il__jw_member_str(&w, "name", name);
    il__jw_member_z(&w, "class", kind);
    il__jw_object_end(&w);
}

static void see_tool(void *ctx, struct il_str name, struct il__json *doc, uint32_t tool)
{
    struct il__computer_use *cu = ctx;
    bool approve = il__str_eq(name, IL_STR("approve_action")), governed = is_governed(name);
    bool around = !governed && !approve && acts(doc, tool);
    cu->tool_count++;
    if (il__str_eq(name, IL_STR("preview_action"))) cu->has_preview = true;
    if (approve) cu->has_approve = true;
    list_tool(cu, name, governed ? "governed" : approve ? "approval" : around ? "acting" : "reading");
    if (!approve && !around) return;
    cu->acting_count++;
    add_name(&cu->acting, name);
    for (size_t i = 0; i < cu->accept_count; i++)
        if (il__str_eq(cu->accept_tools[i], name)) return;
    if (cu->refused_count++ >= NAMES_SHOWN) return;
    if (cu->refusing.len) il__buf_puts(&cu->refusing, ", ");
    il__buf_str(&cu->refusing, name);
}

static void check_tools(struct il__computer_use *cu)
{
    struct il_error err = IL_ERROR_INIT;
    char names[240];
    if (!cu->has_preview) {
        il__fail_at(&err, IL_UNSUPPORTED, "runtime", "preview_action",
                    "this server has no v8 tools: no preview_action among its %u tools", cu->tool_count);
        il__cu_dead(cu, true, &err);
        return;
    }
    if (!cu->refused_count || cu->commands_only || il__buf_check(&cu->refusing, &err)) {
        if (err.code) il__cu_dead(cu, true, &err);
        else cu->connect = IL__CU_LISTED;
        return;
    }
    il__escape(names, sizeof names, il__buf_get(&cu->refusing));
    il__fail_at(&err, IL_UNSUPPORTED, "runtime", "tools",
                "this connection offers ways around the governance (%u tools): %s%s; accept each by name, or let the "
                "server hide them",
                cu->refused_count, names, cu->refused_count > NAMES_SHOWN ? ", ..." : "");
    il__cu_dead(cu, true, &err);
}

static void listed(void *ctx, const struct il__mcp_answer *answer)
{
    struct il__computer_use *cu = ctx;
    if (cu->connect != IL__CU_LISTING) return;
    if (answer->code) il__cu_connect_failed(cu, answer, "tools/list");
    else check_tools(cu);
}

/* ---- the manifest ---- */

static struct il__cu_flag read_flag(const struct il__json *doc, uint32_t at, const char *name)
{
    uint32_t node = at ? il__json_get(doc, at, name) : 0;
    enum il__json_kind kind = node ? il__json_kind(doc, node) : IL__JSON_NULL;
    return (struct il__cu_flag){ kind == IL__JSON_TRUE || kind == IL__JSON_FALSE, kind == IL__JSON_TRUE };
}

static enum il_code take_manifest(struct il__computer_use *cu, struct il__json *doc, struct il_error *err)
{
    uint32_t features = il__json_get(doc, 0, "features"), host = il__json_get(doc, 0, "host");
    uint32_t version = il__json_get(doc, 0, "runtimeApiVersion");
    if (version && !il__json_int(doc, version, &cu->api_version)) cu->api_version = -1;
    if (version && cu->api_version != API_VERSION)
        return il__fail_at(err, IL_UNSUPPORTED, "runtime", "runtimeApiVersion",
                           "the server speaks another version than %d", API_VERSION);
    cu->durable_receipts = read_flag(doc, features, "durableReceipts");
    cu->durable_sessions = read_flag(doc, features, "durableSessions");
    cu->durable_events = read_flag(doc, features, "durableEvents");
    cu->supervisor = read_flag(doc, features, "supervisorIpcConfigured");
    enum il_code code = IL_OK;
    if (host) code = il__arena_str(&cu->told, il__cu_text(doc, host, "platform"), &cu->platform);
    if (host && !code) code = il__arena_str(&cu->told, il__cu_text(doc, host, "activeProfile"), &cu->profile);
    return code ? il__fail(err, code, "no memory for a manifest") : IL_OK;
}

/* The text of the first of `contents`. */
static struct il_str manifest_text(const struct il__mcp_answer *answer)
{
    uint32_t contents = answer->code ? 0 : il__json_get(answer->doc, answer->result, "contents");
    uint32_t first = contents ? il__json_first(answer->doc, contents) : 0;
    return first ? il__cu_text(answer->doc, first, "text") : IL_STR_NONE;
}

/* A server that has none, or one that cannot be read, leaves the facts unknown. */
static void manifest_read(void *ctx, const struct il__mcp_answer *answer)
{
    struct il__computer_use *cu = ctx;
    struct il__json doc = { 0 };
    struct il_error err = IL_ERROR_INIT;
    if (cu->connect != IL__CU_READING) return;
    struct il_str text = manifest_text(answer);
    enum il_code code = IL_OK;
    if (!il__str_present(text) || il__json_parse(&doc, cu->mem, text, IL__JSON_PAYLOAD, NULL))
        il__log(cu->log, IL_LOG_WARN, "computer-use: the server's manifest cannot be read");
    else code = take_manifest(cu, &doc, &err);
    il__json_clear(&doc);
    if (code) il__cu_dead(cu, true, &err);
    else cu->connect = IL__CU_READ_DONE;
}

/* ---- the session ---- */

static enum il_code take_session(struct il__computer_use *cu, struct il__json *doc, uint32_t node, struct il_error *err)
{
    struct il__session session;
    enum il_code code = il__decode(&il__session_schema, doc, node, &session, err);
    if (code) return code;
    if (il__str_present(cu->session_id) && !il__str_eq(cu->session_id, session.session_id))
        return il__refuse(err, IL_IDENTITY_MISMATCH, "runtime session", "session_id", cu->session_id,
                          session.session_id);
    if (!session.session_id.len || !session.principal_id.len)
        return il__fail_at(err, IL_DECODE, "runtime session", "session_id", "the session has no id or no principal");
    code = il__arena_str(&cu->arena, session.session_id, &cu->session_id);
    if (!code) code = il__arena_str(&cu->arena, session.principal_id, &cu->principal_id);
    return code ? il__fail(err, code, "no memory for a session") : IL_OK;
}

void il__cu_now_ready(struct il__computer_use *cu)
{
    cu->connect = IL__CU_READY;
    cu->connect_us = il__clock_us(cu->clock) - cu->connect_begun_us;
    cu->generation = il__mcp_generation(cu->mcp);
    cu->ever_ready = true;
}

void il__cu_unlist(struct il__computer_use *cu)
{
    struct il__buf *bufs[] = { &cu->acting, &cu->refusing, &cu->listing };
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++) il__buf_reset(bufs[i]);
    cu->has_preview = cu->has_approve = false;
    cu->tool_count = cu->acting_count = cu->refused_count = 0;
    cu->durable_receipts = cu->durable_sessions = cu->durable_events = cu->supervisor = (struct il__cu_flag){ 0 };
    cu->platform = cu->profile = cu->again_id = IL_STR_NONE;
    cu->api_version = 0;
    il__arena_clear(&cu->told);
}

/* What the first connection says of the server holds for all that follow. */
static void first_ready(struct il__computer_use *cu)
{
    struct il_error err = IL_ERROR_INIT;
    if (il__arena_str(&cu->arena, il__mcp_server_name(cu->mcp), &cu->server_name)) {
        il__fail(&err, IL_OUT_OF_MEMORY, "no memory for a server's name");
        il__cu_dead(cu, false, &err);
    } else {
        il__cu_now_ready(cu);
    }
}

static void session_told(void *ctx, const struct il__mcp_answer *answer)
{
    struct il__computer_use *cu = ctx;
    struct il__mcp_tool_result result = { 0 };
    struct il_error err = IL_ERROR_INIT;
    if (cu->connect != IL__CU_STARTING) return;
    if (answer->code) {
        il__cu_connect_failed(cu, answer, "session");
        return;
    }
    enum il_code code = il__mcp_tool_result(cu->mem, answer->doc, answer->result, &result, &err);
    uint32_t session = !code && result.ok && result.content ? il__json_get(result.doc, result.content, "session") : 0;
    if (session) code = take_session(cu, result.doc, session, &err);
    if (!code && !session) {
        char reason[80], message[240];
        il__escape(reason, sizeof reason, il__cu_reason(&result));
        il__escape(message, sizeof message, result.message);
        il__fail_at(&err, IL_RUNTIME, "runtime", "session", "%s: %s", reason, message);
    }
    il__mcp_tool_result_clear(&result);
    if (err.code) {
        il__cu_dead(cu, true, &err);
        return;
    }
    first_ready(cu);
}

static enum il_code ask_session(struct il__computer_use *cu, struct il_error *err)
{
    struct il__json_writer w;
    cu->started_session = !il__str_present(cu->session_id);
    il__buf_reset(&cu->body);
    il__jw_init(&w, &cu->body);
    il__jw_object(&w);
    il__jw_member_str(&w, "session_id", cu->session_id);
    il__jw_object_end(&w);
    enum il_code code = il__buf_check(&cu->body, err);
    if (code) return code;
    const struct il__cu_ask ask = { .tool = cu->started_session ? "start_session" : "get_session",
                                    .args = il__buf_get(&cu->body), .timeout_ms = time_left(cu),
                                    .heard = session_told, .ctx = cu };
    return il__cu_call_tool(cu, &ask, NULL, err);
}

/* ---- step by step ---- */

bool il__cu_connect_tick(struct il__computer_use *cu)
{
    struct il_error err = IL_ERROR_INIT;
    enum il__cu_connect before = cu->connect;
    enum il_code code = IL_OK;
    if (before == IL__CU_LOST) return il__cu_again_tick(cu);
    if (il__cu_now_ms(cu) >= cu->connect_until_ms) {
        code = il__fail_at(&err, IL_TIMEOUT, "runtime", "connect", "the server was not ready in time");
    } else if (before == IL__CU_CONNECTING && il__mcp_state(cu->mcp) == IL__MCP_READY) {
        cu->connect = IL__CU_LISTING;
        code = il__mcp_list_tools(cu->mcp, see_tool, listed, cu, &err);
    } else if (before == IL__CU_LISTED) {
        cu->connect = IL__CU_READING;
        code = il__cu_call_resource(cu, "computer://capabilities/manifest", time_left(cu), manifest_read, cu, &err);
    } else if (cu->ever_ready) {
        return il__cu_again_tick(cu);
    } else if (before == IL__CU_READ_DONE && cu->commands_only && !il__str_present(cu->session_id)) {
        first_ready(cu);
    } else if (before == IL__CU_READ_DONE) {
        cu->connect = IL__CU_STARTING;
        code = ask_session(cu, &err);
    }
    if (code) il__cu_broke(cu, &err);
    return cu->connect != before;
}

/* ---- facts ---- */

static void put_flag(struct il__json_writer *w, const char *name, struct il__cu_flag flag)
{
    il__jw_key(w, name);
    if (flag.known) il__jw_bool(w, flag.value);
    else il__jw_null(w);
}

static void put_error(struct il__json_writer *w, const struct il_error *err)
{
    il__jw_key(w, "error");
    il__jw_object(w);
    il__jw_member_z(w, "code", il_code_name(err->code));
    il__jw_member_z(w, "message", err->message);
    il__jw_object_end(w);
}

static void put_list(struct il__json_writer *w, const char *name, const struct il__buf *list)
{
    il__jw_key(w, name);
    il__jw_array(w);
    if (list->len) il__jw_raw(w, il__buf_get(list));
    il__jw_array_end(w);
}

enum il_code il__computer_use_facts(struct il__computer_use *cu, struct il_str *out, struct il_error *err)
{
    struct il__json_writer w;
    bool answered = cu->tool_count > 0;
    il__buf_reset(&cu->facts);
    il__jw_init(&w, &cu->facts);
    il__jw_object(&w);
    il__jw_member_z(&w, "kind", "mcp");
    il__jw_member_str(&w, "address", cu->address);
    il__jw_member_z(&w, "state", il__computer_use_state(cu));
    if (cu->connect == IL__CU_DEAD) put_error(&w, &cu->error);
    if (cu->mcp) {
        il__jw_member_str(&w, "serverName", il__mcp_server_name(cu->mcp));
        il__jw_member_str(&w, "serverVersion", il__mcp_server_version(cu->mcp));
        il__jw_member_str(&w, "protocol", il__mcp_protocol(cu->mcp));
    }
    if (answered) {
        il__jw_member_int(&w, "tools", cu->tool_count);
        il__jw_member_bool(&w, "governed", cu->has_preview);
        il__jw_member_bool(&w, "approveAction", cu->has_approve);
        put_list(&w, "actingTools", &cu->acting);
        put_list(&w, "listing", &cu->listing);
        il__jw_member_int(&w, "refusedTools", cu->refused_count);
    }
    if (cu->api_version) il__jw_member_int(&w, "runtimeApiVersion", cu->api_version);
    put_flag(&w, "durableReceipts", cu->durable_receipts);
    put_flag(&w, "durableSessions", cu->durable_sessions);
    put_flag(&w, "durableEvents", cu->durable_events);
    put_flag(&w, "supervisor", cu->supervisor);
    il__jw_member_str(&w, "platform", cu->platform);
    il__jw_member_str(&w, "profile", cu->profile);
    il__jw_member_str(&w, "sessionId", cu->session_id);
    il__jw_member_str(&w, "principalId", cu->principal_id);
    if (cu->epoch) il__jw_member_int(&w, "reconnects", cu->epoch);
    if (cu->session_lost) il__jw_member_bool(&w, "sessionLost", true);
    if (cu->connect == IL__CU_READY) {
        il__jw_member_bool(&w, "startedSession", cu->started_session);
        il__jw_member_int(&w, "connectUs", cu->connect_us);
        il__jw_member_int(&w, "latencyUs", cu->latency_us);
    }
    il__jw_object_end(&w);
    enum il_code code = il__buf_check(&cu->facts, err);
    if (!code) *out = il__buf_get(&cu->facts);
    return code;
}
