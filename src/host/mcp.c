/* A computer-use server as the runtime of a host: endpoint, wire, engine and adapter put together, and the public calls
 * that only pass through. Must never log or pin the token, nor what a command line may hold of secrets. */
#include "base/error.h"
#include "base/limits.h"
#include "host/host.h"
#include "runtime/computer_use.h"
#include "runtime/mcp_http.h"
#include "runtime/mcp_stdio.h"

enum { MARGIN_MS = 2000, PING_MS = 10000, NAME_MAX_BYTES = 60 };

static const char STDIO[] = "stdio:", HTTP[] = "mcp+http://", HTTPS[] = "mcp+https://";

static bool starts(struct il_str s, const char *prefix)
{
    size_t len = strlen(prefix);
    return s.len >= len && memcmp(s.ptr, prefix, len) == 0;
}

/* A command line may hold secrets: its first word names it, its digest tells it from others. */
size_t il__host_address(il_host *host, struct il_str endpoint, char out[IL__ADDRESS_MAX])
{
    char digest[IL__SHA256_HEX];
    size_t len = sizeof STDIO - 1, word = 0;
    if (!starts(endpoint, STDIO)) {
        const char *end = memchr(endpoint.ptr, '?', endpoint.len);
        struct il_str shown = { endpoint.ptr, end ? (size_t)(end - endpoint.ptr) : endpoint.len };
        return il__escape(out, IL__ADDRESS_MAX, shown);
    }
    struct il_str command = { endpoint.ptr + len, endpoint.len - len };
    while (word < command.len && word < NAME_MAX_BYTES && command.ptr[word] != ' ') word++;
    il__sha256_hex(host->engine.digest, command, digest);
    memcpy(out, STDIO, len);
    len += il__escape(out + len, IL__ADDRESS_MAX - len - 16, (struct il_str){ command.ptr, word });
    out[len++] = '#';
    memcpy(out + len, digest, 12);
    out[len + 12] = '\0';
    return len + 12;
}

/* ---- the wire ---- */

static enum il_code open_stdio(il_host *host, const struct il_mcp_options *o, struct il__mcp_sink sink,
                               struct il__mcp_wire *wire, struct il_error *err)
{
    size_t len = sizeof STDIO - 1;
    const struct il__mcp_stdio_options options = { .mem = &host->mem, .clock = &host->engine.clock,
                                                   .log = &host->engine.log,
                                                   .command = { o->endpoint.ptr + len, o->endpoint.len - len } };
    if (o->token.len || o->ca_file.len)
        return il__fail_at(err, IL_INVALID_REQUEST, "endpoint", o->token.len ? "token" : "ca_file",
                           "a stdio server takes none");
    return il__mcp_stdio_new(&options, sink, wire, err);
}

static enum il_code open_http(il_host *host, const struct il_mcp_options *o, struct il__mcp_sink sink,
                              struct il__mcp_wire *wire, struct il_error *err)
{
    size_t len = sizeof "mcp+" - 1;
    const struct il__mcp_http_options options = { .mem = &host->mem, .clock = &host->engine.clock,
                                                  .log = &host->engine.log,
                                                  .url = { o->endpoint.ptr + len, o->endpoint.len - len },
                                                  .token = o->token, .ca_file = o->ca_file };
    return il__mcp_http_new(&options, sink, wire, err);
}

static enum il_code open_wire(il_host *host, const struct il_mcp_options *o, struct il__mcp_sink sink,
                              struct il__mcp_wire *wire, struct il_error *err)
{
    if (starts(o->endpoint, STDIO)) return open_stdio(host, o, sink, wire, err);
    if (starts(o->endpoint, HTTP) || starts(o->endpoint, HTTPS)) return open_http(host, o, sink, wire, err);
    return il__fail_at(err, IL_INVALID_REQUEST, "endpoint", "scheme",
                       "an endpoint begins with stdio:, mcp+http:// or mcp+https://");
}

enum il_code il__host_open_mcp(il_host *host, const struct il_mcp_options *o, struct il__mcp **out,
                               struct il_error *err)
{
    struct il__mcp *mcp = NULL;
    struct il__mcp_wire wire;
    const struct il__mcp_options options = { .mem = &host->mem, .clock = &host->engine.clock, .log = &host->engine.log,
                                             .client_name = IL_STR("interlock"), .client_version = IL_STR(IL_VERSION),
                                             .initialize_timeout_ms = o->connect_timeout_ms };
    enum il_code code = il__mcp_new(&options, &mcp, err);
    if (!code) code = open_wire(host, o, il__mcp_sink_of(mcp), &wire, err);
    if (code) {
        il__mcp_free(mcp);
        return code;
    }
    il__mcp_set_wire(mcp, wire);
    *out = mcp;
    return IL_OK;
}

static enum il_code set_mcp(il_host *host, const struct il_mcp_options *o, struct il_error *err)
{
    struct il__engine *e = &host->engine;
    struct il__mcp *mcp = NULL;
    char address[IL__ADDRESS_MAX];
    if (o->size != sizeof *o)
        return il__fail_at(err, IL_INVALID_REQUEST, "mcp options", "size", "use IL_MCP_OPTIONS_INIT");
    if (!o->endpoint.len) return il__fail_at(err, IL_INVALID_REQUEST, "mcp options", "endpoint", "needs an endpoint");
    enum il_code code = il__host_no_runtime(host, err);
    if (!code) code = il__host_own_token(host, o->token, host->runtime_token, host->approver_token, err);
    if (!code) code = il__host_open_mcp(host, o, &mcp, err);
    if (!code && !o->commands_only && (code = il__host_keep_mcp(host, o, err))) il__mcp_free(mcp);
    if (code) return code;
    size_t len = il__host_address(host, o->endpoint, address);
    const struct il__computer_use_options options = {
        .mem = &host->mem, .clock = &e->clock, .log = &e->log, .digest = e->digest, .random = e->random,
        .random_ctx = e->random_ctx, .sink = il__host_sink(host), .mcp = mcp, .address = { address, len },
        .session_id = o->session_id, .accept_tools = o->accept_tools, .accept_count = o->accept_count,
        .connect_timeout_ms = o->connect_timeout_ms, .visual_tool = o->visual_tool, .semantic_tool = o->semantic_tool,
        .commands_only = o->commands_only, .read_back = o->read_back,
        .reopen = host->mcp_again ? il__host_again : NULL, .reopen_ctx = host,
        .ping_ms = starts(o->endpoint, STDIO) ? 0 : PING_MS,
    };
    code = il__computer_use_new(&options, &e->runtime, err);
    if (code) {
        il__host_forget_mcp(host);
        return code;
    }
    host->computer_use = e->runtime.self;
    if (!host->options.execute_margin_ms) host->options.execute_margin_ms = MARGIN_MS;
    return IL_OK;
}

enum il_code il_host_set_runtime_mcp(il_host *host, const struct il_mcp_options *options, struct il_error *err)
{
    enum il_code code = il__host_enter(host, "il_host_set_runtime_mcp", err);
    if (code) return code;
    return il__host_leave(host, set_mcp(host, options, err));
}

/* ---- passing through ---- */

size_t il_host_descriptors(il_host *host, int *fds, short *events, size_t cap)
{
    const struct il__approver_port *approver = &host->engine.approver_port;
    size_t count = host->computer_use ? il__computer_use_descriptors(host->computer_use, fds, events, cap) : 0;
    size_t used = count < cap ? count : cap;
    if (approver->ops) count += approver->ops->descriptors(approver->self, fds + used, events + used, cap - used);
    return count;
}

static enum il_code plain_facts(il_host *host, struct il_str *out, struct il_error *err)
{
    struct il__json_writer w;
    const struct il__runtime *runtime = &host->engine.runtime;
    il__buf_reset(&host->facts);
    il__jw_init(&w, &host->facts);
    il__jw_object(&w);
    if (runtime->ops) {
        il__jw_member_z(&w, "kind", runtime->kind);
        il__jw_member_z(&w, "address", runtime->address);
        il__jw_member_z(&w, "state", "ready");
    }
    il__jw_object_end(&w);
    enum il_code code = il__buf_check(&host->facts, err);
    if (!code) *out = il__buf_get(&host->facts);
    return code;
}

enum il_code il_host_runtime_facts(il_host *host, struct il_str *out, struct il_error *err)
{
    enum il_code code = il__host_enter(host, "il_host_runtime_facts", err);
    if (code) return code;
    if (host->computer_use) code = il__computer_use_facts(host->computer_use, out, err);
    else code = plain_facts(host, out, err);
    return il__host_leave(host, code);
}

enum il_code il_host_session(il_host *host, struct il_str verb, struct il_str args_json, il_session_fn done, void *ctx,
                             struct il_error *err)
{
    enum il_code code = il__host_enter(host, "il_host_session", err);
    if (code) return code;
    if (!host->computer_use)
        code = il__fail_at(err, IL_UNSUPPORTED, "runtime", "session", "this runtime has no session commands");
    else code = il__computer_use_session(host->computer_use, verb, args_json, done, ctx, err);
    return il__host_leave(host, code);
}
