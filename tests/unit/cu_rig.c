/* The scripted server (cu_rig.h). Its answers are those that a real one was seen to give. */
#include "cu_rig.h"

#include "base/error.h"
#include "tap.h"
#include "wire/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACTION "8570b45a-0bc5-4cf2-a326-350d1aff7070"
#define SESSION "87d94efc-b39f-41cb-aa12-d69b1c15956f"
#define PROPOSAL                                                                                                       \
    "{\"actionId\":\"" ACTION "\",\"agentId\":\"executor\",\"arguments\":{\"coordinate\":[150,\n 120],"                \
    "\"target_window_id\":7,\"note\":null},\"dataLabels\":[\"private\"],\"executionGroupId\":\"group-1\","             \
    "\"expiresInMs\":400000,\"mode\":\"foreground\",\"operation\":\"left_click\",\"postcondition\":{\"kind\":"         \
    "\"window\",\"windowId\":7,\"exists\":true},\"provenance\":{\"untrustedInstruction\":false,"                       \
    "\"sourceObservationIds\":[\"snap-0\"]},\"sessionId\":\"" SESSION "\",\"target\":{\"platform\":\"linux\","         \
    "\"appId\":\"org.example.Editor\",\"pid\":4242,\"windowId\":7,\"displayId\":\"1\",\"bounds\":{\"x\":100,\"y\":80," \
    "\"width\":800,\"height\":600},\"observationId\":\"snap-0\",\"confidence\":1,\"capturedAt\":"                      \
    "\"2026-11-30T18:00:27.397Z\"},\"tool\":\"left_click\",\"approvalGrantId\":\"slipped-in\",\"certificationId\":"    \
    "\"cert\"}"
#define ENVELOPE                                                                                                       \
    "{\"actionId\":\"" ACTION "\",\"sessionId\":\"" SESSION "\",\"executionGroupId\":\"group-1\",\"principalId\":"     \
    "\"operator-1\",\"agentId\":\"executor\",\"tool\":\"left_click\",\"operation\":\"left_click\",\"actionClass\":"    \
    "\"navigate\",\"requestedMode\":\"foreground\",\"target\":{\"platform\":\"linux\",\"appId\":"                      \
    "\"org.example.Editor\",\"pid\":4242,\"windowId\":7,\"displayId\":\"1\",\"observationId\":\"snap-0\","             \
    "\"confidence\":1,\"capturedAt\":\"2026-11-30T18:00:27.397Z\"},\"resource\":{\"targetAppId\":"                     \
    "\"org.example.Editor\",\"targetWindowId\":7},\"dataLabels\":[\"private\"],\"reversible\":true,"                   \
    "\"externalSideEffect\":true,\"proposedAt\":\"2026-11-30T18:00:27.400Z\",\"expiresAt\":"                           \
    "\"2026-11-30T18:05:27.400Z\",\"argsDigest\":\"02e1a134\",\"later\":{\"unknown\":1}}"
#define LEASE                                                                                                          \
    "{\"leaseId\":\"1a179ffe\",\"revision\":1,\"sessionId\":\"" SESSION "\",\"principalId\":\"operator-1\","           \
    "\"agentId\":\"executor\",\"kind\":\"cooperative\",\"executionMode\":\"foreground\",\"state\":\"active\","         \
    "\"acquiredAt\":\"2026-11-30T18:00:27.405Z\",\"expiresAt\":\"2026-11-30T18:00:57.405Z\",\"actionBudget\":1,"       \
    "\"actionsUsed\":0,\"boundaries\":{\"appIds\":[\"org.example.Editor\"],\"windowIds\":[7]}}"
#define RECEIPT                                                                                                        \
    "{\"receiptId\":\"b694f3cb\",\"sessionId\":\"" SESSION "\",\"actionId\":\"" ACTION "\",\"actionDigest\":"          \
    "\"02e1a134\",\"attempt\":1,\"status\":\"committed\",\"createdAt\":\"2026-11-30T18:00:27.408Z\",\"updatedAt\":"    \
    "\"2026-11-30T18:00:27.411Z\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{}\"}]}}"
#define COMMON "\"runId\":\"0f0e0d0c-0b0a-4908-8706-050403020100\",\"sessionId\":\"" SESSION "\",\"principalId\":" \
    "\"operator-1\",\"actionId\":\"" ACTION "\""

const char *const cu_proposal = PROPOSAL;
const char *const cu_envelope = ENVELOPE;
const char *const cu_lease = LEASE;
const char *const cu_receipt = RECEIPT;
const char *const cu_preview_body = "{" COMMON ",\"proposal\":" PROPOSAL "}";
const char *const cu_preview =
    "{\"envelope\":" ENVELOPE ",\"capability\":{\"appId\":\"org.example.Editor\"},\"policy\":{\"decision\":\"allow\"},"
    "\"executable\":true}";
const char *const cu_lease_body =
    "{" COMMON ",\"envelope\":" ENVELOPE ",\"actionBudget\":1,\"agentId\":\"executor\",\"kind\":\"exclusive\","
    "\"mode\":\"foreground\",\"ttlMs\":900000,\"appIds\":[\"org.example.Editor\"],\"windowIds\":[7,\"7\"],"
    "\"displayIds\":[\"1\"]}";
const char *const cu_execute_body =
    "{" COMMON ",\"proposal\":" PROPOSAL ",\"envelope\":" ENVELOPE ",\"lease\":" LEASE ",\"attempt\":1,"
    "\"grantId\":null}";

static const char *const TOOLS =
    "{\"tools\":[{\"name\":\"start_session\",\"inputSchema\":{\"type\":\"object\"}},"
    "{\"name\":\"preview_action\",\"inputSchema\":{\"type\":\"object\"},\"annotations\":{\"readOnlyHint\":true}},"
    "{\"name\":\"execute_action\",\"inputSchema\":{\"type\":\"object\"}},"
    "{\"name\":\"acquire_control_lease\",\"inputSchema\":{\"type\":\"object\"}},"
    "{\"name\":\"doctor\",\"inputSchema\":{\"type\":\"object\"},\"_meta\":{\"computer-use/mutates\":false}}]}";
static const char *const MANIFEST =
    "{\"contents\":[{\"uri\":\"computer://capabilities/manifest\",\"mimeType\":\"application/json\",\"text\":"
    "\"{\\\"runtimeApiVersion\\\":8,\\\"host\\\":{\\\"platform\\\":\\\"linux\\\","
    "\\\"activeProfile\\\":\\\"v8-safe\\\"},"
    "\\\"features\\\":{\\\"durableReceipts\\\":false,\\\"durableSessions\\\":true}}\"}]}";
static const char *const STARTED =
    "{\"session\":{\"sessionId\":\"" SESSION "\",\"principalId\":\"operator-1\",\"state\":\"running\",\"revision\":2,"
    "\"createdAt\":\"2026-11-30T18:00:27.381Z\",\"updatedAt\":\"2026-11-30T18:00:27.382Z\"}}";

/* ---- small things ---- */

static void *must(void *ptr)
{
    if (!ptr) exit(1);
    return ptr;
}

static char *copy(const char *text, size_t len)
{
    char *out = must(malloc(len + 1));
    memcpy(out, text, len);
    out[len] = '\0';
    return out;
}

bool cu_has(const char *text, const char *part)
{
    bool has = text && strstr(text, part);
    if (!has) tap_note("'%s' is not in %s", part, text ? text : "nothing");
    return has;
}

/* The text of member `name` in a message, as far as a test needs it. */
static void argument(const char *message, const char *name, char out[80])
{
    char key[40];
    snprintf(key, sizeof key, "\"%s\":\"", name);
    const char *at = strstr(message, key);
    size_t len = 0;
    out[0] = '\0';
    if (!at) return;
    at += strlen(key);
    while (at[len] && at[len] != '"' && len < 79) len++;
    memcpy(out, at, len);
    out[len] = '\0';
}

static char *fill(const char *text, const char *message)
{
    static const struct { char letter; const char *name; } holes[] = {
        { 'A', "action_id" }, { 'S', "session_id" }, { 'I', "intent_id" },
    };
    size_t cap = strlen(text) + 1, len = 0;
    for (const char *p = text; *p; p++) cap += *p == '$' ? 80 : 0;
    char *out = must(malloc(cap));
    for (const char *p = text; *p; p++) {
        size_t hole = 0;
        while (hole < 3 && !(p[0] == '$' && p[1] == holes[hole].letter)) hole++;
        if (hole == 3) {
            out[len++] = *p;
            continue;
        }
        argument(message, holes[hole].name, out + len);
        len += strlen(out + len);
        p++;
    }
    out[len] = '\0';
    return out;
}

/* ---- the wire ---- */

static enum il_code wire_send(void *self, const struct il__mcp_out *out, struct il_error *err)
{
    struct cu_rig *r = self;
    (void)err;
    if (r->sent_count == CU_SENT) exit(1);
    struct cu_sent *s = &r->sent[r->sent_count++];
    memset(s, 0, sizeof *s);
    s->message = copy(out->message.ptr, out->message.len);
    s->id = out->id;
    char name[80];
    argument(s->message, "method", name);
    if (strcmp(name, "tools/call") == 0) argument(s->message, "name", name);
    snprintf(s->what, sizeof s->what, "%.39s", name);
    s->leave = out->permit;
    return IL_OK;
}

static void wire_forget(void *self, uint64_t id)
{
    (void)self;
    (void)id;
}

static const struct cu_rule *rule_of(const struct cu_rig *r, int index)
{
    int nth = 0;
    for (int i = 0; i <= index; i++) nth += strcmp(r->sent[i].what, r->sent[index].what) == 0;
    for (int i = r->rule_count - 1; i >= 0; i--)
        if (strcmp(r->rules[i].tool, r->sent[index].what) == 0 && (!r->rules[i].nth || r->rules[i].nth == nth))
            return &r->rules[i];
    return NULL;
}

static void tell(struct cu_rig *r, const struct cu_sent *s, enum cu_how how, const char *text)
{
    static const char *const formats[] = {
        [CU_OK] = "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"shown\"}],"
                  "\"structuredContent\":%s}}",
        [CU_ERROR] = "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"no\"}],"
                     "\"structuredContent\":%s,\"isError\":true}}",
        [CU_TEXT_ERROR] = "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
                          "\"%s\"}],\"isError\":true}}",
        [CU_RESULT] = "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":%s}",
        [CU_RPC_ERROR] = "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"error\":{\"code\":-32603,\"message\":\"%s\"}}",
    };
    struct il_error err = IL_ERROR_INIT;
    if (how == CU_NEVER) return;
    if (how == CU_LOST || how == CU_UNSENT) {
        il__fail(&err, IL_TRANSPORT, "the connection ended");
        r->sink.lost(r->sink.ctx, s->id, how == CU_LOST, &err);
        return;
    }
    if (how == CU_OVER_CAP) {
        il__fail(&err, IL_LIMIT_EXCEEDED, "the answer is over the cap");
        r->sink.lost(r->sink.ctx, s->id, true, &err);
        return;
    }
    char *filled = fill(text, s->message);
    size_t cap = strlen(formats[how]) + strlen(filled) + 40;
    char *message = must(malloc(cap));
    int len = snprintf(message, cap, formats[how], (unsigned long long)s->id, filled);
    r->sink.message(r->sink.ctx, (struct il_str){ message, (size_t)len });
    free(message);
    free(filled);
}

static int64_t wire_tick(void *self, uint32_t budget_us)
{
    struct cu_rig *r = self;
    (void)budget_us;
    if (r->told >= r->sent_count) return -1;
    int index = r->told++;
    struct il_error err = IL_ERROR_INIT;
    struct il__permit *leave = r->sent[index].leave;
    if (leave && il__permit_spend(leave, &err)) { /* spent with the first byte */
        r->sent[index].what[0] = '\0';
        r->sink.lost(r->sink.ctx, r->sent[index].id, false, &err);
        return 0;
    }
    const struct cu_rule *rule = r->sent[index].id && r->sent[index].what[0] ? rule_of(r, index) : NULL;
    if (rule) tell(r, &r->sent[index], rule->how, rule->text);
    else if (r->sent[index].id && r->sent[index].what[0]) tap_note("nobody answers %s", r->sent[index].what);
    return r->told < r->sent_count ? 0 : -1;
}

static size_t wire_descriptors(void *self, int *fds, short *events, size_t cap)
{
    (void)self;
    if (cap) {
        fds[0] = 7;
        events[0] = 1;
    }
    return 1;
}

static void wire_shut(void *self)
{
    ((struct cu_rig *)self)->closed = true;
}

static void wire_free(void *self)
{
    (void)self;
}

static const struct il__mcp_wire_ops WIRE = { wire_send, wire_forget, NULL, wire_tick, wire_descriptors, wire_shut,
        wire_free };

/* ---- open and close ---- */

static void read_clock(void *ctx, struct il_clock_reading *out)
{
    const struct cu_rig *r = ctx;
    *out = (struct il_clock_reading){ 1796061627 + r->now_ms / 1000, (int32_t)(r->now_ms % 1000) * 1000000,
                                      r->now_ms * 1000000 };
}

static int read_random(void *ctx, void *buf, size_t len)
{
    struct cu_rig *r = ctx;
    for (size_t i = 0; i < len; i++) {
        r->random = r->random * 1664525u + 1013904223u;
        ((uint8_t *)buf)[i] = (uint8_t)(r->random >> 24);
    }
    return 0;
}

static enum il_code take_answer(void *ctx, const struct il__answer_in *in, struct il_error *err)
{
    struct cu_rig *r = ctx;
    (void)err;
    if (r->answer_count == CU_ANSWERS) exit(1);
    struct cu_answer *a = &r->answers[r->answer_count++];
    a->token = in->token;
    a->code = in->code;
    a->unsent = in->unsent;
    a->body = in->body.ptr ? copy(in->body.ptr, in->body.len) : NULL;
    snprintf(a->reason, sizeof a->reason, "%.*s", IL_STR_FMT(in->reason));
    snprintf(a->message, sizeof a->message, "%.*s", IL_STR_FMT(in->message));
    return IL_OK;
}

void cu_rule(struct cu_rig *r, const char *tool, int nth, enum cu_how how, const char *text)
{
    if (r->rule_count == CU_RULES) exit(1);
    r->rules[r->rule_count++] = (struct cu_rule){ tool, nth, how, text };
}

void cu_open(struct cu_rig *r)
{
    memset(r, 0, sizeof *r);
    r->now_ms = 1000;
    r->permit_holds = true;
    il__mem_init(&r->mem, NULL, NULL, 0);
    il__clock_init(&r->clock, read_clock, r, "test");
    r->digest = il__digest_new(&r->mem);
    cu_rule(r, "initialize", 0, CU_RESULT,
            "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{},\"resources\":{}},"
            "\"serverInfo\":{\"name\":"
            "\"computer-use\",\"version\":\"7.0.0\"}}");
    cu_rule(r, "ping", 0, CU_RESULT, "{}");
    cu_rule(r, "tools/list", 0, CU_RESULT, TOOLS);
    cu_rule(r, "resources/read", 0, CU_RESULT, MANIFEST);
    cu_rule(r, "start_session", 0, CU_OK, STARTED);
    cu_rule(r, "get_session", 0, CU_OK, STARTED);
    cu_rule(r, "preview_action", 0, CU_OK, cu_preview);
    cu_rule(r, "acquire_control_lease", 0, CU_OK, "{\"lease\":" LEASE "}");
    cu_rule(r, "release_control_lease", 0, CU_OK, "{\"lease\":{\"leaseId\":\"1a179ffe\",\"state\":\"released\"}}");
    cu_rule(r, "release_target_reservation", 0, CU_OK, "{\"reservation\":{\"reservationId\":\"r\"}}");
    cu_rule(r, "execute_action", 0, CU_OK, "{\"receipt\":" RECEIPT ",\"replay\":false,\"output\":{\"ok\":true}}");
}

static struct il__mcp *open_engine(struct cu_rig *r)
{
    const struct il__mcp_options options = { .mem = &r->mem, .clock = &r->clock, .client_name = IL_STR("test"),
                                             .client_version = IL_STR("1") };
    if (il__mcp_new(&options, &r->mcp, &r->err)) exit(1);
    r->sink = il__mcp_sink_of(r->mcp);
    il__mcp_set_wire(r->mcp, (struct il__mcp_wire){ &WIRE, r });
    return r->mcp;
}

static enum il_code reopen(void *ctx, struct il__mcp **out, struct il_error *err)
{
    struct cu_rig *r = ctx;
    r->reopened++;
    r->told = r->sent_count; /* what was sent over the old connection is not answered over this one */
    if (r->again_fails) return il__fail(err, IL_TRANSPORT, "no such program");
    *out = open_engine(r);
    return IL_OK;
}

void cu_lose(struct cu_rig *r)
{
    struct il_error err = IL_ERROR_INIT;
    il__fail(&err, IL_TRANSPORT, "the server was ended by SIGKILL");
    r->sink.closed(r->sink.ctx, &err);
    cu_go(r);
}

enum il_code cu_connect(struct cu_rig *r)
{
    struct il_str accept[4];
    for (size_t i = 0; i < r->accept_count; i++) accept[i] = il__str(r->accept[i]);
    const struct il__computer_use_options options = {
        .mem = &r->mem, .clock = &r->clock, .digest = r->digest, .random = read_random, .random_ctx = r,
        .sink = { take_answer, r }, .mcp = open_engine(r), .address = IL_STR("stdio:server"),
        .session_id = r->session ? il__str(r->session) : IL_STR_NONE, .accept_tools = accept,
        .accept_count = r->accept_count, .ping_ms = r->ping_ms, .read_back = r->read_back,
        .reopen = r->again ? reopen : NULL, .reopen_ctx = r,
    };
    if (il__computer_use_new(&options, &r->runtime, &r->err)) exit(1);
    r->cu = r->runtime.self;
    cu_go(r);
    return strcmp(il__computer_use_state(r->cu), "ready") == 0 ? IL_OK : IL_RUNTIME;
}

void cu_close(struct cu_rig *r)
{
    r->runtime.ops->free(r->runtime.self);
    il__digest_free(r->digest);
    tap_int((long long)r->mem.in_use_bytes, 0, "no memory is left");
    cu_drop(r);
}

void cu_drop(struct cu_rig *r)
{
    for (int i = 0; i < r->sent_count; i++) free(r->sent[i].message);
    for (int i = 0; i < r->answer_count; i++) free(r->answers[i].body);
}

/* ---- driving ---- */

void cu_go(struct cu_rig *r)
{
    for (int i = 0; i < 400; i++)
        if (r->runtime.ops->tick(r->runtime.self, 1000) != 0 && r->told >= r->sent_count) return;
    tap_ok(false, "the adapter comes to rest");
}

void cu_advance(struct cu_rig *r, int64_t ms)
{
    for (; ms > 0; ms -= 100) {
        r->now_ms += ms < 100 ? ms : 100;
        cu_go(r);
    }
}

static enum il_code holds(void *ctx, struct il_error *err)
{
    return ((struct cu_rig *)ctx)->permit_holds ? IL_OK : il__fail(err, IL_CANCELLED, "the latch is set");
}

uint64_t cu_begin(struct cu_rig *r, enum il_op op, const char *body, uint32_t timeout_ms)
{
    struct il__permit permit = { holds, r, false };
    const struct il_request request = { sizeof request, op, ++r->tokens, timeout_ms,
                                        IL_STR("0f0e0d0c-0b0a-4908-8706-050403020100"), IL_STR(SESSION),
                                                il__str(body) };
    il__error_clear(&r->err);
    struct il__permit *leave = op == IL_OP_EXECUTE_ACTION ? &permit : NULL;
    return r->runtime.ops->begin(r->runtime.self, &request, leave, &r->err) ? 0 : request.token;
}

const struct cu_answer *cu_answer_of(const struct cu_rig *r, uint64_t token)
{
    for (int i = 0; token && i < r->answer_count; i++)
        if (r->answers[i].token == token) return &r->answers[i];
    return NULL;
}

const struct cu_answer *cu_do(struct cu_rig *r, enum il_op op, const char *body)
{
    uint64_t token = cu_begin(r, op, body, 30000);
    cu_go(r);
    return cu_answer_of(r, token);
}

static int index_of(const struct cu_rig *r, const char *tool, int nth)
{
    for (int i = 0; i < r->sent_count; i++)
        if (strcmp(r->sent[i].what, tool) == 0 && --nth == 0) return i;
    return -1;
}

const char *cu_message(const struct cu_rig *r, const char *tool, int nth)
{
    int i = index_of(r, tool, nth);
    return i < 0 ? NULL : r->sent[i].message;
}

int cu_calls(const struct cu_rig *r, const char *tool)
{
    int count = 0;
    for (int i = 0; i < r->sent_count; i++) count += strcmp(r->sent[i].what, tool) == 0;
    return count;
}

void cu_late(struct cu_rig *r, const char *tool, int nth, enum cu_how how, const char *text)
{
    int i = index_of(r, tool, nth);
    if (i < 0) exit(1);
    tell(r, &r->sent[i], how, text);
    cu_go(r);
}

static void session_done(void *ctx, struct il_str json, const struct il_error *err)
{
    struct cu_rig *r = ctx;
    r->done_count++;
    r->done_err = *err;
    snprintf(r->done_json, sizeof r->done_json, "%.*s", IL_STR_FMT(json));
}

const char *cu_session(struct cu_rig *r, const char *verb, const char *args)
{
    r->done_count = 0;
    il__error_clear(&r->done_err);
    if (il__computer_use_session(r->cu, il__str(verb), args ? il__str(args) : IL_STR_NONE, session_done, r,
                                 &r->done_err))
        return NULL;
    cu_go(r);
    if (r->done_count != 1) tap_ok(false, "done is called once");
    return r->done_err.code ? NULL : r->done_json;
}
