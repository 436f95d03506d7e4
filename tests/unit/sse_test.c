/* The reader of event streams: each sample whole, byte by byte, and cut at every place into two and into three, must
 * tell the same events. */
#include "runtime/sse.h"

#include "base/error.h"
#include "base/limits.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

struct told {
    char text[2048]; /* type|id|data; of each event, in order */
    size_t len;
    struct il__sse *close; /* closed by the first event */
};

static void add(struct told *t, struct il_str s)
{
    if (t->len + s.len >= sizeof t->text) abort();
    if (s.len) memcpy(t->text + t->len, s.ptr, s.len);
    t->len += s.len;
}

static void tell(void *ctx, const struct il__sse_event *event)
{
    struct told *t = ctx;
    add(t, event->type);
    add(t, IL_STR("|"));
    add(t, il__str_present(event->id) ? event->id : IL_STR("-"));
    add(t, IL_STR("|"));
    add(t, event->data);
    add(t, IL_STR(";"));
    if (t->close) il__sse_close(t->close);
}

struct sample {
    const char *name, *stream, *want;
};
#define MARK "\xEF\xBB\xBF"
static const struct sample SAMPLES[] = {
    { "one event", "data: a\n\n", "message|-|a;" },
    { "bug 1: CR LF", "event: message\r\ndata: {\"id\":1}\r\n\r\n", "message|-|{\"id\":1};" },
    { "bug 1: CR alone", "data: a\rdata: b\r\rdata: c\r\r", "message|-|a\nb;message|-|c;" },
    { "bug 1: all three line ends", "data: a\r\ndata: b\rdata: c\n\r\n", "message|-|a\nb\nc;" },
    { "bug 1: LF after CR is an empty line only once", "data: a\r\n\r\n\r\ndata: b\n\n", "message|-|a;message|-|b;" },
    { "bug 2: several data lines", "data: {\"id\":2,\ndata: \"result\":{}}\n\n",
      "message|-|{\"id\":2,\n\"result\":{}};" },
    { "bug 3: a priming event", "id: 4cf5\nretry: 300\ndata: \n\ndata: x\n\n", "message|4cf5|;message|4cf5|x;" },
    { "bug 3: data without a colon", "id: p\ndata\n\n", "message|p|;" },
    { "an id without data is no event, and counts", "id: 7\n\ndata: x\n\n", "message|7|x;" },
    { "bug 4: an event without its empty line is none", "data: a\n", "" },
    { "bug 5: a mark at the start", MARK "data: a\n\n", "message|-|a;" },
    { "bug 5: a mark elsewhere is text", "data: " MARK "a\n\n" MARK "data: b\n\n", "message|-|" MARK "a;" },
    { "bug 5: half a mark is text",
      "\xEF\xBB"
      "data: a\n\ndata: b\n\n",
      "message|-|b;" },
    { "bug 11: characters of several bytes", "data: \xF0\x9F\x98\x80\xE2\x80\xA8\n\n",
      "message|-|\xF0\x9F\x98\x80\xE2\x80\xA8;" },
    { "comments", ": keepalive\n\n:\n: x: y\ndata: a\n:z\ndata: b\n\n: \n\n", "message|-|a\nb;" },
    { "types", "event: ping\ndata: a\n\nevent: endpoint\ndata: b\n\ndata: c\n\n",
      "ping|-|a;endpoint|-|b;message|-|c;" },
    { "a type without data is forgotten", "event: ping\n\ndata: c\n\n", "message|-|c;" },
    { "an empty type is message", "event:\ndata: c\n\n", "message|-|c;" },
    { "one blank after the colon is taken", "data:a\ndata:  b\ndata: \tc\n\n", "message|-|a\n b\n\tc;" },
    { "an empty id resets", "id: 1\ndata: a\n\nid\ndata: b\n\n", "message|1|a;message||b;" },
    { "names are exact", "Data: a\n data: b\ndat: c\ndata : d\ndata: e\n\n", "message|-|e;" },
    { "two empty data lines", "data\ndata\n\n", "message|-|\n;" },
    { "empty stream", "", "" },
    { "nothing but ends of lines", "\r\n\r\n\n\r", "" },
};
#undef MARK

static enum il_code feed(struct il__sse *sse, const char *bytes, size_t len)
{
    struct il_error err = IL_ERROR_INIT;
    char *copy = malloc(len + 1); /* exactly as long as it may be read */
    if (!copy) abort();
    memcpy(copy, bytes, len);
    enum il_code code = il__sse_feed(sse, (struct il_str){ copy, len }, &err);
    free(copy);
    return code;
}

/* Cut at `a` and `b`; a == SIZE_MAX: after every byte. */
static bool same(struct il__mem *mem, const struct sample *s, size_t a, size_t b)
{
    struct il__sse sse;
    struct told told = { .len = 0 };
    size_t len = strlen(s->stream);
    enum il_code code = IL_OK;
    il__sse_init(&sse, mem, tell, &told);
    if (a == SIZE_MAX) {
        for (size_t i = 0; i < len; i++) code = code ? code : feed(&sse, s->stream + i, 1);
    } else {
        code = feed(&sse, s->stream, a);
        if (!code) code = feed(&sse, s->stream + a, b - a);
        if (!code) code = feed(&sse, s->stream + b, len - b);
    }
    il__sse_clear(&sse);
    bool good = !code && told.len == strlen(s->want) && memcmp(told.text, s->want, told.len) == 0;
    if (!good) tap_note("cut at %zu and %zu: %.*s", a, b, (int)told.len, told.text);
    return good;
}

static void test_samples(struct il__mem *mem)
{
    for (size_t i = 0; i < sizeof SAMPLES / sizeof SAMPLES[0]; i++) {
        const struct sample *s = &SAMPLES[i];
        size_t len = strlen(s->stream);
        bool good = same(mem, s, SIZE_MAX, 0);
        for (size_t a = 0; a <= len && good; a++)
            for (size_t b = a; b <= len && good; b++) good = same(mem, s, a, b);
        tap_ok(good, "%s, cut everywhere", s->name);
    }
}

static void test_retry(struct il__mem *mem)
{
    static const struct {
        const char *stream;
        long long want;
    } rows[] = { { "data: a\n\n", -1 }, { "retry: 300\n", 300 },      { "retry: 0\n", 0 },
                 { "retry:\n", -1 },    { "retry: 5x\n", -1 },        { "retry: 9999999999\n", -1 },
                 { "retry: -5\n", -1 }, { "retry: 1\nretry: 2\n", 2 } };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct il__sse sse;
        struct told told = { .len = 0 };
        il__sse_init(&sse, mem, tell, &told);
        tap_int(feed(&sse, rows[i].stream, strlen(rows[i].stream)), IL_OK, "row %zu is read", i);
        tap_int(sse.retry_ms, rows[i].want, "row %zu asks to wait that long", i);
        il__sse_clear(&sse);
    }
}

static void test_resume(struct il__mem *mem)
{
    struct il__sse sse;
    struct told told = { .len = 0 };
    il__sse_init(&sse, mem, tell, &told);
    tap_ok(!il__str_present(il__sse_last_id(&sse)), "no id before the first");
    tap_int(feed(&sse, "id: 1\ndata: a\n\nid: 2\ndata: b\n", 29), IL_OK, "an event and a half");
    tap_str(il__sse_last_id(&sse), "1", "to resume after the whole one: the half one was not told");
    tap_int(feed(&sse, "\nid: a\0b\n\n", 10), IL_OK, "its end, and an id with a NUL");
    tap_str(il__sse_last_id(&sse), "2", "an id with a NUL is none");
    il__sse_clear(&sse);
}

static void test_close(struct il__mem *mem)
{
    struct il__sse sse;
    struct told told = { .len = 0, .close = &sse };
    il__sse_init(&sse, mem, tell, &told);
    tap_int(feed(&sse, "data: a\n\ndata: b\n\n", 18), IL_OK, "two events");
    tap_str((struct il_str){ told.text, told.len }, "message|-|a;", "nothing is told after closing in the first");
    il__sse_clear(&sse);
    il__sse_clear(&sse);
}

static enum il_code feed_many(struct il__sse *sse, const char *piece, size_t len, size_t times)
{
    enum il_code code = IL_OK;
    for (size_t i = 0; i < times && !code; i++) code = feed(sse, piece, len);
    return code;
}

static void test_limits(struct il__mem *mem)
{
    enum { PIECE = 1048576 };
    struct il__sse sse;
    struct told told = { .len = 0 };
    char *piece = malloc(PIECE);
    if (!piece) abort();
    memset(piece, 'x', PIECE);
    il__sse_init(&sse, mem, tell, &told);
    tap_int(feed_many(&sse, piece, PIECE, IL__LIMIT_SSE_LINE_BYTES / PIECE), IL_OK, "a line as long as may be");
    tap_int(feed(&sse, "x", 1), IL_LIMIT_EXCEEDED, "one byte more ends the stream");
    tap_int(feed(&sse, "\n\ndata: a\n\n", 11), IL_LIMIT_EXCEEDED, "for good");
    tap_int((long long)told.len, 0, "and nothing is told");
    il__sse_clear(&sse);
    memcpy(piece, "data:", 5);
    piece[PIECE - 1] = '\n';
    il__sse_init(&sse, mem, tell, &told);
    size_t lines = IL__LIMIT_SSE_EVENT_BYTES / (PIECE - 6) + 1;
    tap_int(feed_many(&sse, piece, PIECE, lines), IL_LIMIT_EXCEEDED, "an event of too many lines ends the stream");
    il__sse_clear(&sse);
    memcpy(piece, "id: ", 4);
    il__sse_init(&sse, mem, tell, &told);
    tap_int(feed(&sse, piece, IL__LIMIT_SSE_ID_BYTES + 5), IL_OK, "a long id, not ended");
    tap_int(feed(&sse, "\n", 1), IL_LIMIT_EXCEEDED, "is too long");
    il__sse_clear(&sse);
    free(piece);
}

static void test_memory(struct il__mem *mem)
{
    static const char stream[] = "id: 1\nevent: x\ndata: a\ndata: b\n\n";
    bool good = true;
    for (uint64_t n = 1; n <= 5; n++) {
        struct il__sse sse;
        struct told told = { .len = 0 };
        mem->fail_at = mem->calls + n;
        il__sse_init(&sse, mem, tell, &told);
        good = feed(&sse, stream, sizeof stream - 1) == IL_OUT_OF_MEMORY && told.len == 0 && good;
        il__sse_clear(&sse);
    }
    mem->fail_at = 0;
    tap_ok(good, "without memory the stream ends, and no half event is told");
}

int main(void)
{
    struct il__mem mem;
    il__mem_init(&mem, NULL, NULL, 0);
    test_samples(&mem);
    test_retry(&mem);
    test_resume(&mem);
    test_close(&mem);
    test_limits(&mem);
    test_memory(&mem);
    tap_int((long long)mem.in_use_bytes, 0, "no memory is left");
    return tap_done();
}
