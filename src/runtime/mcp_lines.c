/* Cutting lines (mcp_lines.h). Linear: each byte is looked at once for its line feed. Uses buf and mcp_peek. */
#include "runtime/mcp_lines.h"

#include "base/limits.h"

enum { KEEP_BYTES = 1048576 }; /* a larger buffer is given back after its line */

void il__mcp_lines_init(struct il__mcp_lines *lines, struct il__mem *mem)
{
    il__buf_init(&lines->buf, mem, IL__LIMIT_MCP_LINE_BYTES);
    lines->skipping = IL_OK;
    memset(&lines->peek, 0, sizeof lines->peek);
}

void il__mcp_lines_clear(struct il__mcp_lines *lines)
{
    if (lines->buf.mem) il__buf_clear(&lines->buf);
}

static void add(struct il__mcp_lines *lines, struct il_str bytes)
{
    if (!lines->skipping) {
        il__buf_add(&lines->buf, bytes.ptr, bytes.len);
        if (!lines->buf.code) return;
        lines->skipping = lines->buf.code;
        memset(&lines->peek, 0, sizeof lines->peek);
        il__mcp_peek_feed(&lines->peek, il__buf_get(&lines->buf));
        il__buf_clear(&lines->buf);
    }
    il__mcp_peek_feed(&lines->peek, bytes);
}

static void end(struct il__mcp_lines *lines)
{
    struct il_str line = il__buf_get(&lines->buf);
    if (lines->skipping) {
        enum il_code why = lines->skipping;
        lines->skipping = IL_OK;
        lines->dropped(lines->ctx, why, il__mcp_peek_id(&lines->peek));
        return;
    }
    if (line.len >= 3 && memcmp(line.ptr, "\xEF\xBB\xBF", 3) == 0) line = (struct il_str){ line.ptr + 3, line.len - 3 };
    if (line.len && line.ptr[line.len - 1] == '\r') line.len--;
    if (line.len) lines->line(lines->ctx, line);
    if (lines->buf.cap > KEEP_BYTES) il__buf_clear(&lines->buf);
    else il__buf_reset(&lines->buf);
}

void il__mcp_lines_feed(struct il__mcp_lines *lines, struct il_str bytes)
{
    while (bytes.len) {
        const char *lf = memchr(bytes.ptr, '\n', bytes.len);
        size_t n = lf ? (size_t)(lf - bytes.ptr) : bytes.len;
        add(lines, (struct il_str){ bytes.ptr, n });
        if (!lf) return;
        end(lines);
        bytes = (struct il_str){ bytes.ptr + n + 1, bytes.len - n - 1 };
    }
}
