/* Logging a server's stderr (mcp_stderr.h). Never allocates and never refuses a byte: a server that blocks on its log
 * answers nothing. */
#include "runtime/mcp_stderr.h"

#include "base/error.h"
#include "base/limits.h"

static void tell_hidden(struct il__mcp_stderr *err)
{
    if (err->hidden)
        il__log(err->log, IL_LOG_INFO, "mcp: %llu lines of the server's stderr are not shown",
                (unsigned long long)err->hidden);
    err->hidden = 0;
}

static void end_line(struct il__mcp_stderr *err)
{
    char seen[3 * IL__MCP_STDERR_LINE];
    struct il_str line = { err->line, err->len };
    err->len = 0;
    if (line.len && line.ptr[line.len - 1] == '\r') line.len--;
    if (!line.len) return;
    if (err->shown >= IL__LIMIT_MCP_STDERR_LINES) {
        err->hidden++;
        return;
    }
    err->shown++;
    (void)il__escape(seen, sizeof seen, line);
    il__log(err->log, IL_LOG_INFO, "mcp: the server's stderr: %s", seen);
}

void il__mcp_stderr_feed(struct il__mcp_stderr *err, struct il_str bytes, int64_t now_ms)
{
    if (now_ms / 1000 != err->second) {
        tell_hidden(err);
        err->second = now_ms / 1000;
        err->shown = 0;
    }
    while (bytes.len) {
        const char *lf = memchr(bytes.ptr, '\n', bytes.len);
        size_t n = lf ? (size_t)(lf - bytes.ptr) : bytes.len;
        size_t room = sizeof err->line - err->len, take = n < room ? n : room;
        memcpy(err->line + err->len, bytes.ptr, take);
        err->len += take;
        if (!lf) return;
        end_line(err);
        bytes = (struct il_str){ bytes.ptr + n + 1, bytes.len - n - 1 };
    }
}

void il__mcp_stderr_end(struct il__mcp_stderr *err)
{
    end_line(err);
    tell_hidden(err);
}
