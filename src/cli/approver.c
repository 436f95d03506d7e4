/* The approver connection (approver.h). Uses endpoint and waiting over the library. Must never take the token from an
 * argument, nor go on without the connection that was asked for. */
#include "cli/approver.h"

#include "cli/connect.h"
#include "cli/look.h"
#include "cli/waiting.h"

#include <string.h>

static bool starts_with(const char *text, const char *head)
{
    return strncmp(text, head, strlen(head)) == 0;
}

static int check_address(struct il__io *io, const char *address)
{
    if (starts_with(address, "unix:") && address[5]) return 0;
    if (starts_with(address, "mcp+http://") || starts_with(address, "mcp+https://")) return 0;
    if (starts_with(address, "stdio:"))
        il__io_error(io, "--approver stdio:... would be a server of its own, which knows nothing of this action; write "
                         "unix:PATH, the supervisor's socket of the server");
    else il__io_error(io, "--approver %s: write unix:PATH, mcp+http://HOST/PATH or mcp+https://HOST/PATH", address);
    return 2;
}

static const char *stray(const struct il__args *args)
{
    if (il__args_value(args, "approver-token-file")) return "approver-token-file";
    return il__args_value(args, "approver-token-env") ? "approver-token-env" : NULL;
}

int il__approver_read(struct il__io *io, const struct il__args *args, struct il__endpoint *out)
{
    const char *address = il__args_value(args, "approver");
    memset(out, 0, sizeof *out);
    if (!address && !stray(args)) return 0;
    if (!address) {
        il__io_error(io, "--%s is for --approver; write where approvals are made, too", stray(args));
        return 2;
    }
    int status = check_address(io, address);
    if (status == 0) status = il__endpoint_approver(io, args, address, out);
    if (status != 0 || out->token.len) return status;
    il__io_error(io, "--approver needs a credential of its own: --approver-token-file FILE or "
                     "--approver-token-env NAME");
    return 2;
}

enum il_code il__approver_set(il_host *host, const struct il__endpoint *approver, struct il_error *err)
{
    struct il_mcp_options options = IL_MCP_OPTIONS_INIT;
    options.endpoint = il__text_of(approver->address);
    options.token = il__text_get(&approver->token);
    options.ca_file = il__text_of(approver->ca);
    options.connect_timeout_ms = approver->connect_timeout_ms;
    return il_host_set_approver(host, &options, err);
}

enum il_code il__approver_wait(il_host *host, int signals, struct il_error *err)
{
    for (;;) {
        struct il_tick tick = { .size = sizeof tick };
        struct il_str doc;
        enum il_code code = il_host_tick(host, 50000, &tick, err);
        if (code == IL_OK) code = il_host_approver_facts(host, &doc, err);
        if (code != IL_OK) return code;
        struct il_str state = il__look_get(doc, "state");
        if (il__look_is(state, "ready") || il__look_is(state, "idle")) return IL_OK;
        if (!il__look_is(state, "connecting")) return il__connect_told(doc, err);
        if (!il__wait(host, signals, tick.more ? 0 : tick.next_deadline_ms)) continue;
        err->code = IL_CANCELLED;
        snprintf(err->message, sizeof err->message, "interrupted while connecting; nothing was sent");
        return IL_CANCELLED;
    }
}
