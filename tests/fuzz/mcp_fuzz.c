/* What a server may say: any bytes, in any pieces. As an event stream, whole and byte by byte tell the same. As lines
 * for the MCP engine, with two requests in flight: each ends at most once, the engine stays whole, no memory is kept.
 * */
#include "base/error.h"
#include "runtime/mcp.h"
#include "runtime/mcp_lines.h"
#include "runtime/sse.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool cond, const char *what)
{
    if (cond) return;
    fprintf(stderr, "mcp_fuzz: %s\n", what);
    abort();
}

/* ---- event streams ---- */

static void gather(void *ctx, const struct il__sse_event *event)
{
    struct il__buf *told = ctx;
    must(event->type.len > 0, "an event without a type");
    il__buf_str(told, event->type);
    il__buf_putc(told, 0);
    il__buf_str(told, event->data);
    il__buf_putc(told, 0);
    il__buf_str(told, event->id);
    il__buf_putc(told, 0);
}

static void stream(struct il__mem *mem, const uint8_t *data, size_t size, size_t piece, struct il__buf *told)
{
    struct il__sse sse;
    il__buf_init(told, mem, 0);
    il__sse_init(&sse, mem, gather, told);
    for (size_t at = 0; at < size; at += piece) {
        size_t n = size - at < piece ? size - at : piece;
        must(il__sse_feed(&sse, (struct il_str){ (const char *)data + at, n }, NULL) == IL_OK, "no limit was near");
    }
    il__sse_clear(&sse);
}

static void streams(struct il__mem *mem, const uint8_t *data, size_t size)
{
    struct il__buf whole, bytes;
    stream(mem, data, size, size ? size : 1, &whole);
    stream(mem, data, size, size < 512 ? 1 : 61, &bytes);
    must(il__str_eq(il__buf_get(&whole), il__buf_get(&bytes)), "the events depend on the pieces");
    il__buf_clear(&whole);
    il__buf_clear(&bytes);
}

/* ---- the engine ---- */


static enum il_code w_send(void *self, const struct il__mcp_out *out, struct il_error *err)
{
    (void)self;
    (void)err;
    must(out->message.len > 2 && !memchr(out->message.ptr, '\n', out->message.len), "a message is one line");
    return IL_OK;
}
static void w_forget(void *self, uint64_t id)
{
    (void)self;
    (void)id;
}
static int64_t w_tick(void *self, uint32_t budget_us)
{
    (void)self;
    (void)budget_us;
    return -1;
}
static size_t w_descriptors(void *self, int *fds, short *events, size_t cap)
{
    (void)self;
    (void)fds;
    (void)events;
    (void)cap;
    return 0;
}
static void w_shut(void *self)
{
    (void)self;
}
static const struct il__mcp_wire_ops OPS = { w_send, w_forget, NULL, w_tick, w_descriptors, w_shut, w_shut };

static void stopped(void *ctx, struct il_clock_reading *out)
{
    (void)ctx;
    *out = (struct il_clock_reading){ 1700000000, 0, 1000000000 };
}

static void done(void *ctx, const struct il__mcp_answer *answer)
{
    int *count = ctx;
    must(++*count == 1, "a request ends once");
    if (answer->code) return;
    struct il__mcp_tool_result result;
    if (il__mcp_tool_result(answer->doc->mem, answer->doc, answer->result, &result, NULL)) return;
    must(!result.content || il__json_kind(result.doc, result.content) == IL__JSON_OBJECT, "content is an object");
    il__mcp_tool_result_clear(&result);
}

static void one_line(void *ctx, struct il_str line)
{
    struct il__mcp_sink sink = il__mcp_sink_of(ctx);
    (void)sink.message(sink.ctx, line);
}

static void no_line(void *ctx, enum il_code why, uint64_t id)
{
    (void)ctx;
    (void)why;
    (void)id;
}

static void hear(struct il__mcp *mcp, struct il__mem *mem, const uint8_t *data, size_t size)
{
    struct il__mcp_lines lines = { .line = one_line, .dropped = no_line, .ctx = mcp };
    il__mcp_lines_init(&lines, mem);
    il__mcp_lines_feed(&lines, (struct il_str){ (const char *)data, size });
    il__mcp_lines_feed(&lines, IL_STR("\n"));
    il__mcp_lines_clear(&lines);
}

static void engine(struct il__mem *mem, const uint8_t *data, size_t size)
{
    static const char hello[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\"}}";
    struct il__clock clock;
    struct il__mcp *mcp = NULL;
    int ends[2] = { 0, 0 };
    uint64_t id;
    il__clock_init(&clock, stopped, NULL, NULL);
    const struct il__mcp_options options = { .mem = mem, .clock = &clock };
    must(il__mcp_new(&options, &mcp, NULL) == IL_OK, "an engine");
    il__mcp_set_wire(mcp, (struct il__mcp_wire){ &OPS, mcp });
    il__mcp_tick(mcp, 0);
    hear(mcp, mem, (const uint8_t *)hello, sizeof hello - 1);
    for (int i = 0; i < 2; i++) { /* ids 2 and 3 */
        const struct il__mcp_request request = { .method = "tools/call", .params = IL_STR("{}"), .done = done,
                                                 .ctx = &ends[i] };
        must(il__mcp_begin(mcp, &request, &id, NULL) == IL_OK, "a request");
    }
    hear(mcp, mem, data, size);
    il__mcp_cancel(mcp, 3, "enough");
    must(ends[1] == 1, "what is cancelled has ended");
    hear(mcp, mem, data, size);
    il__mcp_free(mcp);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct il__mem mem;
    /* What looks neither like a message nor like a stream is the JSON reader's business, and fuzzed there. */
    if (size && !memmem(data, size, "jsonrpc", 7) && !memmem(data, size, "data:", 5)) return 0;
    il__mem_init(&mem, NULL, NULL, 0);
    streams(&mem, data, size);
    engine(&mem, data, size);
    must(mem.in_use_bytes == 0, "memory was kept");
    return 0;
}
