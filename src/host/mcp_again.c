/* What it takes to connect to the server of a host again: a copy of the endpoint, the authorities and the token, in the
 * memory of the host. Must never let the token out, and wipes it when the host is freed. */
#include "base/error.h"
#include "base/secret.h"
#include "host/host.h"

struct il__mcp_again {
    struct il_mcp_options options; /* its texts lie in the arena, its token in `token` */
    struct il__arena arena;
    char *token;
    size_t token_len;
};

enum il_code il__host_keep_mcp(il_host *host, const struct il_mcp_options *o, struct il_error *err)
{
    struct il__mcp_again *again = il__mem_zalloc(&host->mem, 1, sizeof *again);
    if (!again) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for an endpoint");
    host->mcp_again = again;
    again->options = (struct il_mcp_options)IL_MCP_OPTIONS_INIT;
    again->options.connect_timeout_ms = o->connect_timeout_ms;
    il__arena_init(&again->arena, &host->mem);
    enum il_code code = il__arena_str(&again->arena, o->endpoint, &again->options.endpoint);
    if (!code) code = il__arena_str(&again->arena, o->ca_file, &again->options.ca_file);
    if (!code && o->token.len) {
        again->token = il__mem_alloc(&host->mem, o->token.len);
        if (!again->token) code = IL_OUT_OF_MEMORY;
    }
    if (code) {
        il__host_forget_mcp(host);
        return il__fail(err, IL_OUT_OF_MEMORY, "no memory for an endpoint");
    }
    if (again->token) memcpy(again->token, o->token.ptr, o->token.len);
    again->token_len = again->token ? o->token.len : 0;
    if (again->token) again->options.token = (struct il_str){ again->token, again->token_len };
    return IL_OK;
}

enum il_code il__host_again(void *ctx, struct il__mcp **out, struct il_error *err)
{
    il_host *host = ctx;
    return il__host_open_mcp(host, &host->mcp_again->options, out, err);
}

void il__host_forget_mcp(il_host *host)
{
    struct il__mcp_again *again = host->mcp_again;
    if (!again) return;
    host->mcp_again = NULL;
    il__secret_wipe(again->token, again->token_len);
    il__mem_free(&host->mem, again->token, again->token_len);
    il__arena_clear(&again->arena);
    il__mem_free(&host->mem, again, sizeof *again);
}
