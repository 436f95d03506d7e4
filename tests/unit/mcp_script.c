/* The scripted wire (mcp_script.h). */
#include "mcp_script.h"

#include "base/error.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

struct wire wire;

static enum il_code w_send(void *self, const struct il__mcp_out *out, struct il_error *err)
{
    struct wire *w = self;
    if (w->refuse) return il__fail(err, w->refuse, "the wire refuses");
    if (w->count == SENT_MAX) abort();
    w->sent[w->count] = strndup(out->message.ptr, out->message.len);
    w->ids[w->count] = out->id;
    w->kinds[w->count] = out->kind;
    w->held[w->count++] = w->hold;
    w->protocol = out->protocol;
    return IL_OK;
}

static void w_forget(void *self, uint64_t id)
{
    struct wire *w = self;
    struct il_error err = IL_ERROR_INIT;
    w->forgotten++;
    il__fail(&err, IL_CANCELLED, "given up");
    for (int i = 0; i < w->count; i++) {
        if (!id || w->ids[i] != id || !w->held[i]) continue;
        w->held[i] = false;
        w->sink.lost(w->sink.ctx, id, false, &err);
    }
}

static void w_linger(void *self, uint64_t id)
{
    struct wire *w = self;
    w->lingers++;
    for (int i = 0; i < w->count; i++)
        if (w->ids[i] == id && w->held[i]) w_forget(self, id);
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
    struct wire *w = self;
    w->shut++;
}

static void w_free(void *self)
{
    struct wire *w = self;
    for (int i = 0; i < w->count; i++) free(w->sent[i]);
    w->freed++;
    w->count = 0;
}

static const struct il__mcp_wire_ops OPS = { w_send, w_forget, w_linger, w_tick, w_descriptors, w_shut, w_free };

bool say(const char *message)
{
    return wire.sink.message(wire.sink.ctx, il__str(message));
}

bool says(const char *fmt, unsigned long long id)
{
    char text[512];
    (void)snprintf(text, sizeof text, fmt, id);
    return say(text);
}

const char *last(void)
{
    return wire.count ? wire.sent[wire.count - 1] : "";
}

bool last_is(const char *want)
{
    if (strcmp(last(), want) == 0) return true;
    tap_note("%s", last());
    return false;
}

const char HELLO[] = "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":{\"protocolVersion\":\"2025-06-18\","
                     "\"capabilities\":{},\"serverInfo\":{\"name\":\"s\",\"version\":\"2\"}}}";
const char RESULT[] =
    "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]},\"jsonrpc\":\"2.0\",\"id\":%llu}";

void rig_script(struct rig *rig, bool greet)
{
    memset(&wire, 0, sizeof wire);
    rig_open(rig, true);
    rig->now_ms = 1000000;
    wire.sink = il__mcp_sink_of(rig->mcp);
    il__mcp_set_wire(rig->mcp, (struct il__mcp_wire){ &OPS, &wire });
    if (!greet) return;
    il__mcp_tick(rig->mcp, 0);
    (void)says(HELLO, wire.ids[0]);
}

void pass(struct rig *rig, int64_t ms)
{
    rig->now_ms += ms;
    il__mcp_tick(rig->mcp, 0);
}
