/* The reader of event streams (sse.h). One byte decides at a time only at line ends; the text between is taken in whole
 * pieces. Uses buf; must never read past a piece nor keep a pointer into it. */
#include "runtime/sse.h"

#include "base/error.h"
#include "base/limits.h"

static const unsigned char MARK[3] = { 0xEF, 0xBB, 0xBF };

void il__sse_init(struct il__sse *sse, struct il__mem *mem, void (*event)(void *ctx, const struct il__sse_event *event),
                  void *ctx)
{
    *sse = (struct il__sse){ .event = event, .ctx = ctx, .retry_ms = -1 };
    il__buf_init(&sse->line, mem, IL__LIMIT_SSE_LINE_BYTES);
    il__buf_init(&sse->data, mem, IL__LIMIT_SSE_EVENT_BYTES);
    il__buf_init(&sse->type, mem, IL__LIMIT_SSE_ID_BYTES);
    il__buf_init(&sse->id, mem, IL__LIMIT_SSE_ID_BYTES);
    il__buf_init(&sse->next_id, mem, IL__LIMIT_SSE_ID_BYTES);
}

void il__sse_clear(struct il__sse *sse)
{
    if (!sse || !sse->line.mem) return;
    il__buf_clear(&sse->line);
    il__buf_clear(&sse->data);
    il__buf_clear(&sse->type);
    il__buf_clear(&sse->id);
    il__buf_clear(&sse->next_id);
}

void il__sse_close(struct il__sse *sse)
{
    sse->closed = true;
}

struct il_str il__sse_last_id(const struct il__sse *sse)
{
    return sse->has_id ? il__buf_get(&sse->id) : IL_STR_NONE;
}

static enum il_code failed(struct il__sse *sse)
{
    if (sse->line.code) return sse->line.code;
    if (sse->data.code) return sse->data.code;
    if (sse->type.code) return sse->type.code;
    return sse->next_id.code ? sse->next_id.code : sse->id.code;
}

/* The empty line: what was gathered is one event, if it had any data line at all; its id counts in any case. */
static void dispatch(struct il__sse *sse)
{
    if (sse->has_next_id) {
        il__buf_reset(&sse->id);
        il__buf_str(&sse->id, il__buf_get(&sse->next_id));
        sse->has_id = true;
    }
    sse->has_next_id = false;
    if (failed(sse)) return;
    struct il_str type = il__buf_get(&sse->type);
    if (sse->has_data && !sse->closed) {
        const struct il__sse_event event = { type.len ? type : IL_STR("message"), il__buf_get(&sse->data),
                                             il__sse_last_id(sse) };
        sse->event(sse->ctx, &event);
    }
    il__buf_reset(&sse->data);
    il__buf_reset(&sse->type);
    sse->has_data = false;
}

/* Digits only; more than nine of them is no time that anybody waits. */
static void retry(struct il__sse *sse, struct il_str value)
{
    int64_t ms = 0;
    if (value.len == 0 || value.len > 9) return;
    for (size_t i = 0; i < value.len; i++) {
        if (value.ptr[i] < '0' || value.ptr[i] > '9') return;
        ms = ms * 10 + (value.ptr[i] - '0');
    }
    sse->retry_ms = ms;
}

static void field(struct il__sse *sse, struct il_str name, struct il_str value)
{
    if (il__str_eq(name, IL_STR("data"))) {
        if (sse->has_data) il__buf_putc(&sse->data, '\n');
        il__buf_str(&sse->data, value);
        sse->has_data = true;
    } else if (il__str_eq(name, IL_STR("event"))) {
        il__buf_reset(&sse->type);
        il__buf_str(&sse->type, value);
    } else if (il__str_eq(name, IL_STR("id"))) {
        if (value.len && memchr(value.ptr, 0, value.len)) return;
        il__buf_reset(&sse->next_id);
        il__buf_str(&sse->next_id, value);
        sse->has_next_id = true;
    } else if (il__str_eq(name, IL_STR("retry"))) {
        retry(sse, value);
    }
}

static void end_line(struct il__sse *sse)
{
    struct il_str line = il__buf_get(&sse->line);
    if (line.len == 0) {
        dispatch(sse);
        return;
    }
    const char *colon = memchr(line.ptr, ':', line.len);
    struct il_str name = { line.ptr, colon ? (size_t)(colon - line.ptr) : line.len };
    struct il_str value = IL_STR("");
    if (colon) value = (struct il_str){ colon + 1, line.len - name.len - 1 };
    if (value.len && value.ptr[0] == ' ') value = (struct il_str){ value.ptr + 1, value.len - 1 };
    if (name.len) field(sse, name, value); /* a line that begins with a colon is a comment */
    il__buf_reset(&sse->line);
}

/* Holds back up to two bytes that may become the mark; bytes that do not become it are text. */
static struct il_str skip_mark(struct il__sse *sse, struct il_str bytes)
{
    while (sse->bom < sizeof MARK && bytes.len) {
        if ((unsigned char)bytes.ptr[0] != MARK[sse->bom]) {
            il__buf_add(&sse->line, MARK, sse->bom);
            sse->bom = sizeof MARK;
            return bytes;
        }
        sse->bom++;
        bytes = (struct il_str){ bytes.ptr + 1, bytes.len - 1 };
    }
    return bytes;
}

static size_t text_len(struct il_str bytes)
{
    size_t n = 0;
    while (n < bytes.len && bytes.ptr[n] != '\n' && bytes.ptr[n] != '\r') n++;
    return n;
}

enum il_code il__sse_feed(struct il__sse *sse, struct il_str bytes, struct il_error *err)
{
    bytes = skip_mark(sse, bytes);
    while (bytes.len && !sse->code) {
        if (sse->after_cr && bytes.ptr[0] == '\n') { /* the second half of CRLF */
            sse->after_cr = false;
            bytes = (struct il_str){ bytes.ptr + 1, bytes.len - 1 };
            continue;
        }
        size_t n = text_len(bytes);
        il__buf_add(&sse->line, bytes.ptr, n);
        sse->after_cr = false;
        if (n < bytes.len && !(sse->code = failed(sse))) {
            sse->after_cr = bytes.ptr[n] == '\r';
            end_line(sse);
            n++;
        }
        bytes = (struct il_str){ bytes.ptr + n, bytes.len - n };
        if (!sse->code) sse->code = failed(sse);
    }
    if (sse->code == IL_OUT_OF_MEMORY) return il__fail(err, sse->code, "no memory for an event stream");
    if (sse->code) return il__fail(err, sse->code, "an event of the stream exceeds its limit");
    return IL_OK;
}
