/* The stderr of a server in the log: line by line, made visible, a bounded number in a second; what is over is counted
 * and told in one line. Takes everything, keeps less than a line. */
#ifndef IL_RUNTIME_MCP_STDERR_H
#define IL_RUNTIME_MCP_STDERR_H

#include "base/log.h"

#include <stdint.h>

enum { IL__MCP_STDERR_LINE = 240 }; /* a longer line is cut */

struct il__mcp_stderr {
    const struct il__log *log; /* may be NULL; the rest starts zeroed */
    int64_t second;
    uint32_t shown;            /* lines logged in this second */
    uint64_t hidden;           /* lines not logged since the last one that was */
    size_t len;
    char line[IL__MCP_STDERR_LINE];
};

void il__mcp_stderr_feed(struct il__mcp_stderr *err, struct il_str bytes, int64_t now_ms);
/* The last line, though nothing ended it, and what was hidden. */
void il__mcp_stderr_end(struct il__mcp_stderr *err);

#endif
