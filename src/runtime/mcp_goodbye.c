/* The end of an MCP connection whose owner is being freed: what was asked last may still be answered, then the server
 * is told, and only then is all of it dropped. Uses the engine and poll. Must never take longer than its limit,
 * whatever the server and the host's clock do. */
#include "runtime/mcp_engine.h"

#include <poll.h>

enum { STEP_MS = 20, FDS = 32 };

static void wait(struct il__mcp *mcp, int64_t most_ms)
{
    struct pollfd polled[FDS];
    int fds[FDS];
    short events[FDS];
    size_t count = il__mcp_descriptors(mcp, fds, events, FDS);
    if (count > FDS) count = FDS;
    for (size_t i = 0; i < count; i++) polled[i] = (struct pollfd){ fds[i], events[i], 0 };
    (void)poll(polled, (nfds_t)count, most_ms < STEP_MS ? (int)most_ms : STEP_MS);
}

void il__mcp_goodbye(struct il__mcp *mcp)
{
    int64_t begun = il__clock_us(mcp->clock), ms = 0;
    while (ms < IL__LIMIT_MCP_GOODBYE_MS) {
        if (!mcp->in_flight || mcp->state != IL__MCP_READY || ms >= IL__LIMIT_MCP_GOODBYE_MS / 2) il__mcp_shut(mcp);
        int64_t next = il__mcp_tick(mcp, 0);
        if (next < 0) return;
        ms = (il__clock_us(mcp->clock) - begun) / 1000;
        if (next > 0 && ms < IL__LIMIT_MCP_GOODBYE_MS) wait(mcp, next);
    }
}
