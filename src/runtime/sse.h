/* An incremental reader of event streams (WHATWG HTML, "Server-sent events"): bytes in pieces of any size in, whole
 * events out. Lines end with CR, LF or CRLF, also split over two pieces; one byte order mark at the start is skipped;
 * several data lines are joined by a line feed; comments and unknown fields are skipped. Does no I/O.
 * Every line, the data of an event, its type and its id are bounded; what exceeds a bound ends the stream with an
 * error, it is never cut. */
#ifndef IL_RUNTIME_SSE_H
#define IL_RUNTIME_SSE_H

#include "base/buf.h"

#include <stdint.h>

/* Valid during the callback. */
struct il__sse_event {
    struct il_str type; /* "message" when the stream named none */
    struct il_str data; /* may be empty: a priming event only carries its id */
    struct il_str id;   /* the last event id of the stream so far; absent: there was none */
};
struct il__sse {
    void (*event)(void *ctx, const struct il__sse_event *event);
    void *ctx;
    struct il__buf line, data, type, id;
    struct il__buf next_id; /* becomes `id` with the empty line that ends its event */
    int64_t retry_ms;   /* what the stream asked for last; -1: nothing */
    bool has_id, has_next_id, has_data, after_cr, closed;
    uint8_t bom;        /* bytes of the mark that were seen; 3: past the start */
    enum il_code code;  /* IL_OK, or what ended the stream */
};

/* `event` may not feed or clear the reader; it may close it (il__sse_close): nothing more is told then. */
void il__sse_init(struct il__sse *sse, struct il__mem *mem, void (*event)(void *ctx, const struct il__sse_event *event),
                  void *ctx);
void il__sse_clear(struct il__sse *sse);
/* limit_exceeded or out_of_memory; the same again for every later call. */
enum il_code il__sse_feed(struct il__sse *sse, struct il_str bytes, struct il_error *err) IL_MUST_USE;
/* Nothing is told any more; feeding goes on to be accepted. An event without its closing empty line is dropped, as the
 * end of the stream drops it. */
void il__sse_close(struct il__sse *sse);
/* The id to resume after: of the last event that was ended by its empty line, also one without data; absent: none. */
struct il_str il__sse_last_id(const struct il__sse *sse);

#endif
