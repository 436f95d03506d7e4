/* Approving at a computer-use server over an MCP connection of its own, with a credential of its own: approve_action,
 * for exactly one action, and nothing else. Uses the MCP engine; never shares one with a runtime. */
#ifndef IL_RUNTIME_APPROVER_MCP_H
#define IL_RUNTIME_APPROVER_MCP_H

#include "run/approver.h"
#include "runtime/mcp.h"

struct il__approver_mcp_options {
    struct il__mem *mem;            /* all pointers outlive the adapter */
    const struct il__clock *clock;
    const struct il__log *log;
    struct il__approver_sink sink;
    struct il__mcp *mcp;            /* taken over, also on failure */
    struct il_str address;          /* without secrets */
    uint32_t connect_timeout_ms;    /* 0: the default */
    uint32_t ping_ms;               /* longest silence: a server suspends all sessions of a principal that it does not
                                       hear from. 0: no pings */
};
enum il_code il__approver_mcp_new(const struct il__approver_mcp_options *options, struct il__approver_port *out,
                                  struct il_error *err) IL_MUST_USE;

#endif
