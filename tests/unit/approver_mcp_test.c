/* approve_action over an MCP connection that a test plays: what is asked, what is told, and what comes late. */
#include "runtime/approver_mcp.h"
#include "tap.h"

#include "base/limits.h"

#include <stdio.h>
#include <string.h>

struct bed {
    struct il__mem mem;
    struct il__clock clock;
    int64_t now_ms;
    struct il__mcp *mcp;
    struct il__mcp_sink sink;
    struct il__approver_port port;
    const char *tools;       /* the answer to tools/list */
    bool silent;             /* calls are not answered */
    const char *result;      /* of a call */
    uint64_t last_id;        /* of a call */
    char last[2000];
    int calls, pings, cancelled, answers;
    struct { uint64_t id; const char *result; } due[24]; /* answered by the next tick */
    size_t due_count;
    uint64_t token;
    enum il_code code;
    char body[200], reason[80], message[300];
};

static void read_clock(void *ctx, struct il_clock_reading *out)
{
    const struct bed *b = ctx;
    *out = (struct il_clock_reading){ 1796061600 + b->now_ms / 1000, 0, b->now_ms * 1000000 };
}

static void answer(struct bed *b, uint64_t id, const char *result)
{
    char text[3000];
    snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":%s}", (unsigned long long)id, result);
    (void)b->sink.message(b->sink.ctx, il__str(text));
}

static void later(struct bed *b, uint64_t id, const char *result)
{
    if (b->due_count == sizeof b->due / sizeof *b->due) return;
    b->due[b->due_count].id = id;
    b->due[b->due_count++].result = result;
}

static enum il_code wire_send(void *self, const struct il__mcp_out *out, struct il_error *err)
{
    struct bed *b = self;
    char text[2000];
    (void)err;
    snprintf(text, sizeof text, "%.*s", (int)out->message.len, out->message.ptr);
    if (strstr(text, "notifications/cancelled")) b->cancelled++;
    if (out->kind == IL__MCP_NOTE) return IL_OK;
    if (strstr(text, "\"initialize\""))
        later(b, out->id, "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"serverInfo\":{\"name\":\"s\","
                           "\"version\":\"1\"}}");
    else if (strstr(text, "\"tools/list\"")) later(b, out->id, b->tools);
    else if (strstr(text, "\"ping\"")) b->pings++, later(b, out->id, "{}");
    if (out->kind != IL__MCP_CALL) return IL_OK;
    b->calls++;
    b->last_id = out->id;
    memcpy(b->last, text, sizeof b->last);
    if (!b->silent) later(b, out->id, b->result);
    return IL_OK;
}

static void wire_forget(void *self, uint64_t id)
{
    (void)self;
    (void)id;
}

static int64_t wire_tick(void *self, uint32_t budget_us)
{
    struct bed *b = self;
    (void)budget_us;
    size_t count = b->due_count;
    b->due_count = 0;
    for (size_t i = 0; i < count; i++) answer(b, b->due[i].id, b->due[i].result);
    return -1;
}

static size_t wire_descriptors(void *self, int *fds, short *events, size_t cap)
{
    (void)self;
    (void)fds;
    (void)events;
    (void)cap;
    return 0;
}

static void wire_shut(void *self)
{
    struct bed *b = self;
    struct il_error err = IL_ERROR_INIT;
    err.code = IL_TRANSPORT;
    b->sink.closed(b->sink.ctx, &err);
}

static void wire_free(void *self)
{
    (void)self;
}

static const struct il__mcp_wire_ops WIRE = { wire_send, wire_forget, NULL, wire_tick, wire_descriptors, wire_shut,
                                              wire_free };

static enum il_code complete(void *ctx, const struct il__answer_in *in, struct il_error *err)
{
    struct bed *b = ctx;
    (void)err;
    b->answers++;
    b->token = in->token;
    b->code = in->code;
    snprintf(b->body, sizeof b->body, "%.*s", (int)in->body.len, in->body.ptr ? in->body.ptr : "");
    snprintf(b->reason, sizeof b->reason, "%.*s", (int)in->reason.len, in->reason.ptr ? in->reason.ptr : "");
    snprintf(b->message, sizeof b->message, "%.*s", (int)in->message.len, in->message.ptr ? in->message.ptr : "");
    return IL_OK;
}

static void go(struct bed *b)
{
    for (int i = 0; i < 20; i++) b->port.ops->tick(b->port.self, 0);
}

static void open_bed(struct bed *b)
{
    memset(b, 0, sizeof *b);
    b->tools = "{\"tools\":[{\"name\":\"approve_action\"}]}";
    b->result = "{\"content\":[],\"structuredContent\":{\"grant\":{\"grantId\":\"g\"}}}";
    il__mem_init(&b->mem, NULL, NULL, 0);
    il__clock_init(&b->clock, read_clock, b, NULL);
    const struct il__mcp_options mcp = { .mem = &b->mem, .clock = &b->clock, .client_name = IL_STR("t"),
                                         .client_version = IL_STR("1") };
    tap_int(il__mcp_new(&mcp, &b->mcp, NULL), IL_OK, "an engine");
    b->sink = il__mcp_sink_of(b->mcp);
    il__mcp_set_wire(b->mcp, (struct il__mcp_wire){ &WIRE, b });
    const struct il__approver_mcp_options options = { .mem = &b->mem, .clock = &b->clock, .sink = { complete, b },
                                                      .mcp = b->mcp, .address = IL_STR("mcp+http://h/"),
                                                      .ping_ms = 10000 };
    tap_int(il__approver_mcp_new(&options, &b->port, NULL), IL_OK, "a connection");
}

static void close_bed(struct bed *b)
{
    b->port.ops->free(b->port.self);
    tap_int((long long)b->mem.in_use_bytes, 0, "no memory is left");
}

static enum il_code ask(struct bed *b, uint64_t token)
{
    const struct il__grant_ask wanted = { token, 1000, 60000, IL_STR("s-1"), IL_STR("p-1"), IL_STR("act-1") };
    enum il_code code = b->port.ops->begin(b->port.self, &wanted, NULL);
    go(b);
    return code;
}

static void asked(void)
{
    struct bed b;
    open_bed(&b);
    tap_int(ask(&b, 1), IL_OK, "asked before it is connected");
    tap_ok(strstr(b.last, "\"name\":\"approve_action\",\"arguments\":{\"session_id\":\"s-1\",\"action_id\":\"act-1\","
                          "\"scope\":\"exact_action\",\"ttl_ms\":60000}") != NULL, "then for one exact action: %s",
           b.last);
    tap_int(b.code, IL_OK, "and granted");
    tap_str(il__str(b.body), "{\"grantId\":\"g\"}", "the grant alone is told");
    b.result = "{\"content\":[],\"isError\":true,\"structuredContent\":{\"error\":\"approval_required\","
               "\"message\":\"nothing is pending\"}}";
    (void)ask(&b, 2);
    tap_int(b.code, IL_RUNTIME, "refused");
    tap_str(il__str(b.reason), "approval_required", "with the server's reason");
    b.result = "{\"content\":[],\"structuredContent\":{}}";
    (void)ask(&b, 3);
    tap_int(b.code, IL_DECODE, "no grant: %s", b.message);
    b.result = "{\"content\":7}";
    (void)ask(&b, 4);
    tap_int(b.code, IL_DECODE, "no result: %s", b.message);
    tap_int(b.calls, 4, "each was asked once");
    b.now_ms += 10000;
    go(&b);
    tap_int(b.pings, 1, "a silence is broken after ping_ms");
    close_bed(&b);
}

static void late(void)
{
    struct bed b;
    open_bed(&b);
    b.silent = true;
    for (uint64_t i = 1; i <= IL__LIMIT_APPROVER_ASKS; i++)
        if (ask(&b, i)) tap_ok(false, "ask %d", (int)i);
    tap_int(ask(&b, 99), IL_LIMIT_EXCEEDED, "more than approver_asks at once");
    uint64_t id = b.last_id;
    b.port.ops->cancel(b.port.self, IL__LIMIT_APPROVER_ASKS);
    tap_int(b.cancelled, 1, "given up: the server is told");
    tap_int(b.answers, 0, "and the core is not");
    answer(&b, id, b.result);
    tap_int(b.answers, 1, "a grant that comes then is told");
    tap_int((long long)b.token, IL__LIMIT_APPROVER_ASKS, "by its token");
    tap_int(ask(&b, 99), IL_OK, "the place is free again");
    answer(&b, id, b.result);
    tap_int(b.answers, 1, "a second answer to the old message is nothing to the new ask");
    b.port.ops->cancel(b.port.self, 99);
    b.now_ms += 60000;
    go(&b);
    tap_int(b.code, IL_TIMEOUT, "after a minute it is over");
    id = b.last_id;
    int before = b.answers;
    for (uint64_t i = 0; i < IL__LIMIT_APPROVER_ASKS; i++) (void)ask(&b, 100 + i);
    answer(&b, id, b.result);
    tap_int(b.answers, before, "what comes even later is nothing to who has the place by then");
    close_bed(&b);
}

static void not_ready(void)
{
    struct bed b;
    open_bed(&b);
    b.tools = "{\"tools\":[{\"name\":\"preview_action\"}]}";
    (void)ask(&b, 1);
    tap_int(b.code, IL_TRANSPORT, "no approve_action there: %s", b.message);
    tap_int(b.calls, 0, "nothing was called");
    tap_int(ask(&b, 2), IL_UNSUPPORTED, "nor is anything after that");
    close_bed(&b);
}

int main(void)
{
    asked();
    late();
    not_ready();
    tap_plan_end();
    return tap_done();
}
