/* Lines out of pieces of bytes, framed on bytes: a character cut in two is whole again in its line. LF ends a line, a
 * CR before it is dropped, one byte order mark at the start of a line is dropped, empty lines are skipped. A line that
 * is too long is not kept, only searched for the id it answers. */
#ifndef IL_RUNTIME_MCP_LINES_H
#define IL_RUNTIME_MCP_LINES_H

#include "base/buf.h"
#include "runtime/mcp_peek.h"

struct il__mcp_lines {
    void (*line)(void *ctx, struct il_str line);
    /* A line was dropped: limit_exceeded or out_of_memory. `id`: the request it answers, or 0. */
    void (*dropped)(void *ctx, enum il_code why, uint64_t id);
    void *ctx;
    struct il__buf buf;
    enum il_code skipping; /* why the line is not kept; IL_OK: it is */
    struct il__mcp_peek peek;
};

/* Set the three callbacks before; `mem` outlives it. The callbacks may not feed. */
void il__mcp_lines_init(struct il__mcp_lines *lines, struct il__mem *mem);
void il__mcp_lines_clear(struct il__mcp_lines *lines);
void il__mcp_lines_feed(struct il__mcp_lines *lines, struct il_str bytes);

#endif
