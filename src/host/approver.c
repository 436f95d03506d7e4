/* The approver connection of a host: endpoint, credential and adapter put together, and the public calls. Must never
 * accept the runtime's own credential, nor hand the connection to anybody but the engine. */
#include "base/error.h"
#include "base/secret.h"
#include "host/host.h"
#include "runtime/approver_mcp.h"
#include "runtime/approver_unix.h"

enum { PING_MS = 10000 };

static const char SOCKET[] = "unix:", HTTP[] = "mcp+http://", HTTPS[] = "mcp+https://", STDIO[] = "stdio:";

static bool starts(struct il_str s, const char *prefix)
{
    size_t len = strlen(prefix);
    return s.len >= len && memcmp(s.ptr, prefix, len) == 0;
}

enum il_code il__host_own_token(il_host *host, struct il_str token, char own[IL__SHA256_HEX], const char *other,
                                struct il_error *err)
{
    char digest[IL__SHA256_HEX] = "";
    if (token.len) il__sha256_hex(host->engine.digest, token, digest);
    if (token.len && il__secret_eq(il__str(digest), il__str(other)))
        return il__fail_at(err, IL_INVALID_REQUEST, "approver", "token",
                           "the runtime's connection has this token, too: approving needs a credential of its own");
    memcpy(own, digest, sizeof digest);
    return IL_OK;
}

static enum il_code check_options(const struct il_mcp_options *o, struct il_error *err)
{
    bool https = starts(o->endpoint, HTTPS), http = https || starts(o->endpoint, HTTP);
    bool more = o->session_id.len || o->accept_count || o->visual_tool.len || o->semantic_tool.len ||
                o->commands_only || o->read_back;
    if (o->size != sizeof *o)
        return il__fail_at(err, IL_INVALID_REQUEST, "approver", "size", "use IL_MCP_OPTIONS_INIT");
    if (starts(o->endpoint, STDIO))
        return il__fail_at(err, IL_INVALID_REQUEST, "approver", "endpoint",
                           "a second process of a stdio server is a server of its own, which knows nothing of what the "
                           "first was shown; give unix:PATH, the supervisor's socket of the first");
    if (!http && !starts(o->endpoint, SOCKET))
        return il__fail_at(err, IL_INVALID_REQUEST, "approver", "endpoint",
                           "it begins with unix:, mcp+http:// or mcp+https://");
    if (!o->token.len)
        return il__fail_at(err, IL_INVALID_REQUEST, "approver", "token", "approving needs a credential of its own");
    if (o->ca_file.len && !https)
        return il__fail_at(err, IL_INVALID_REQUEST, "approver", "ca_file", "only mcp+https has authorities to trust");
    if (more)
        return il__fail_at(err, IL_INVALID_REQUEST, "approver", "options",
                           "it takes endpoint, token, ca_file and connect_timeout_ms");
    return IL_OK;
}

static enum il_code complete(void *ctx, const struct il__answer_in *answer, struct il_error *err)
{
    return il__engine_granted(ctx, answer, err);
}

static enum il_code open_socket(il_host *host, const struct il_mcp_options *o, struct il_error *err)
{
    struct il__engine *e = &host->engine;
    size_t len = sizeof SOCKET - 1;
    const struct il__approver_unix_options options = {
        .mem = &host->mem, .clock = &e->clock, .log = &e->log, .sink = { complete, e },
        .path = { o->endpoint.ptr + len, o->endpoint.len - len }, .token = o->token,
        .connect_timeout_ms = o->connect_timeout_ms,
    };
    return il__approver_unix_new(&options, &e->approver_port, err);
}

static enum il_code open_mcp(il_host *host, const struct il_mcp_options *o, struct il_error *err)
{
    struct il__engine *e = &host->engine;
    struct il__mcp *mcp = NULL;
    char address[IL__ADDRESS_MAX];
    enum il_code code = il__host_open_mcp(host, o, &mcp, err);
    if (code) return code;
    size_t len = il__host_address(host, o->endpoint, address);
    const struct il__approver_mcp_options options = {
        .mem = &host->mem, .clock = &e->clock, .log = &e->log, .sink = { complete, e }, .mcp = mcp,
        .address = { address, len }, .connect_timeout_ms = o->connect_timeout_ms, .ping_ms = PING_MS,
    };
    return il__approver_mcp_new(&options, &e->approver_port, err);
}

static enum il_code set_approver(il_host *host, const struct il_mcp_options *o, struct il_error *err)
{
    if (host->engine.approver_port.ops)
        return il__fail_at(err, IL_CONFLICT, "host", "approver", "this host has an approver connection already");
    enum il_code code = check_options(o, err);
    if (!code) code = il__host_own_token(host, o->token, host->approver_token, host->runtime_token, err);
    if (!code) code = starts(o->endpoint, SOCKET) ? open_socket(host, o, err) : open_mcp(host, o, err);
    if (code && !host->engine.approver_port.ops) host->approver_token[0] = '\0';
    return code;
}

enum il_code il_host_set_approver(il_host *host, const struct il_mcp_options *options, struct il_error *err)
{
    enum il_code code = il__host_enter(host, "il_host_set_approver", err);
    if (code) return code;
    return il__host_leave(host, set_approver(host, options, err));
}

enum il_code il_host_approver_facts(il_host *host, struct il_str *out, struct il_error *err)
{
    struct il__json_writer w;
    const struct il__approver_port *port = &host->engine.approver_port;
    enum il_code code = il__host_enter(host, "il_host_approver_facts", err);
    if (code) return code;
    il__buf_reset(&host->approver_facts);
    il__jw_init(&w, &host->approver_facts);
    il__jw_object(&w);
    if (port->ops) port->ops->facts(port->self, &w);
    il__jw_object_end(&w);
    code = il__buf_check(&host->approver_facts, err);
    if (!code) *out = il__buf_get(&host->approver_facts);
    return il__host_leave(host, code);
}
