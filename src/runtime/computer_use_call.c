/* Calls to the server: each with its own deadline, any number at once, and what comes after nobody waits any more: a
 * lease or a reservation that arrives late is given back at once, a receipt is told to the core as an amendment. Must
 * never forget what a late answer grants. */
#include "runtime/computer_use_inside.h"

#include "base/error.h"
#include "base/limits.h"

enum { LATE_KEEP_MS = 60000, GIVE_BACK_MS = 10000, SPAN_HEX = 16 };

/* Something to give back, sent by the next tick. */
struct il__cu_gift {
    struct il__cu_gift *next;
    bool lease;
    struct il_str id, session_id; /* behind the struct */
    size_t size;
};

/* ---- the pool ---- */

static struct il__cu_call *take_call(struct il__computer_use *cu)
{
    struct il__cu_call *call = cu->pool;
    if (call) {
        cu->pool = call->next;
        return call;
    }
    call = il__mem_zalloc(cu->mem, 1, sizeof *call);
    if (!call) return NULL;
    call->cu = cu;
    il__buf_init(&call->session, cu->mem, 0);
    return call;
}

static void take_out(struct il__cu_call **list, struct il__cu_call *call)
{
    while (*list && *list != call) list = &(*list)->next;
    if (*list) *list = call->next;
}

static void give_call(struct il__cu_call *call)
{
    struct il__computer_use *cu = call->cu;
    call->id = 0;
    call->late_token = 0;
    call->heard = NULL;
    call->next = cu->pool;
    cu->pool = call;
}

void il__cu_calls_mute(struct il__computer_use *cu)
{
    struct il__cu_call *lists[] = { cu->live, cu->late };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        for (struct il__cu_call *call = lists[i]; call; call = call->next) {
            call->heard = NULL;
            call->late_token = 0;
        }
    }
}

void il__cu_calls_clear(struct il__computer_use *cu)
{
    struct il__cu_call **lists[] = { &cu->live, &cu->late, &cu->pool };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        while (*lists[i]) {
            struct il__cu_call *call = *lists[i];
            *lists[i] = call->next;
            il__buf_clear(&call->session);
            il__mem_free(cu->mem, call, sizeof *call);
        }
    }
    while (cu->gifts) {
        struct il__cu_gift *gift = cu->gifts;
        cu->gifts = gift->next;
        il__mem_free(cu->mem, gift, gift->size);
    }
}

/* ---- what came late ---- */

static void note_gift(struct il__computer_use *cu, bool lease, struct il_str id, struct il_str session_id)
{
    if (!id.len) return;
    size_t size = sizeof(struct il__cu_gift) + id.len + session_id.len + 1;
    struct il__cu_gift *gift = il__mem_zalloc(cu->mem, 1, size);
    if (!gift) {
        il__log(cu->log, IL_LOG_ERROR, "computer-use: no memory to give back what came late");
        return;
    }
    char *text = (char *)(gift + 1);
    memcpy(text, id.ptr, id.len);
    if (session_id.len) memcpy(text + id.len, session_id.ptr, session_id.len);
    *gift = (struct il__cu_gift){ cu->gifts, lease, { text, id.len }, { text + id.len, session_id.len }, size };
    cu->gifts = gift;
}

static void late_receipt(struct il__cu_call *call, struct il__mcp_tool_result *result, uint32_t receipt)
{
    struct il_error err = IL_ERROR_INIT;
    const struct il__answer_in answer = { .token = call->late_token, .body = il__json_raw(result->doc, receipt) };
    call->late_token = 0;
    if (call->cu->sink.complete(call->cu->sink.ctx, &answer, &err))
        il__log(call->cu->log, IL_LOG_WARN, "computer-use: a late receipt was not taken: %s", err.message);
}

/* The call may have been reused since: then the message's id is not its own, and only grants are looked at. */
static void call_late(void *ctx, const struct il__mcp_answer *answer)
{
    struct il__cu_call *call = ctx;
    struct il__computer_use *cu = call->cu;
    struct il__mcp_tool_result result = { 0 };
    struct il_error err = IL_ERROR_INIT;
    int64_t id = 0;
    if (answer->code || !answer->doc) return;
    uint32_t id_at = il__json_get(answer->doc, 0, "id");
    bool own = id_at && il__json_int(answer->doc, id_at, &id) && id > 0 && (uint64_t)id == call->id;
    if (il__mcp_tool_result(cu->mem, answer->doc, answer->result, &result, &err)) return;
    uint32_t lease = result.content ? il__json_get(result.doc, result.content, "lease") : 0;
    uint32_t reservation = result.content ? il__json_get(result.doc, result.content, "reservation") : 0;
    uint32_t receipt = result.content ? il__json_get(result.doc, result.content, "receipt") : 0;
    if (lease && result.ok) note_gift(cu, true, il__cu_text(result.doc, lease, "leaseId"), IL_STR_NONE);
    if (reservation && result.ok)
        note_gift(cu, false, il__cu_text(result.doc, reservation, "reservationId"),
                  own ? il__buf_get(&call->session) : il__cu_text(result.doc, reservation, "sessionId"));
    if (receipt && own && call->late_token) late_receipt(call, &result, receipt);
    il__mcp_tool_result_clear(&result);
}

/* ---- begin and end ---- */

static void call_done(void *ctx, const struct il__mcp_answer *answer)
{
    struct il__cu_call *call = ctx;
    struct il__computer_use *cu = call->cu;
    take_out(&cu->live, call);
    if (!answer->code) cu->latency_us = il__clock_us(cu->clock) - call->begun_us;
    if (!answer->code) cu->suspect_ms = 0;
    else if (answer->code == IL_TRANSPORT) cu->suspect_ms = il__cu_now_ms(cu);
    il__cu_heard heard = call->heard;
    call->heard = NULL;
    if (heard) heard(call->ctx, answer);
    bool late = (answer->code == IL_TIMEOUT || answer->code == IL_CANCELLED) && answer->sent;
    if (!late) {
        if (call->late_token) {
            const struct il__answer_in gone = { .token = call->late_token, .code = IL_TIMEOUT };
            (void)cu->sink.complete(cu->sink.ctx, &gone, NULL);
        }
        give_call(call);
        return;
    }
    call->until_ms = il__cu_now_ms(cu) + LATE_KEEP_MS;
    call->next = cu->late;
    cu->late = call;
}

/* W3C Trace Context: the trace is the run, the span is this call. */
static void put_meta(struct il__computer_use *cu, struct il__json_writer *w, struct il_str run_id)
{
    uint8_t span[SPAN_HEX / 2] = { 0 };
    char span_hex[SPAN_HEX + 1], trace[IL__SHA256_HEX], parent[80];
    size_t n = 0;
    for (size_t i = 0; i < run_id.len && n < 32; i++)
        if (il__str_is_hex((struct il_str){ run_id.ptr + i, 1 }, 1)) trace[n++] = run_id.ptr[i];
    if (n != 32) il__sha256_hex(cu->digest, run_id, trace);
    trace[32] = '\0';
    if (cu->random(cu->random_ctx, span, sizeof span)) span[0] = 1;
    span[0] |= 1; /* never all zeros */
    il__hex(span, sizeof span, span_hex);
    size_t len = 0;
    const char *parts[] = { "00-", trace, "-", span_hex, "-01" };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        memcpy(parent + len, parts[i], strlen(parts[i]));
        len += strlen(parts[i]);
    }
    il__jw_member_str(w, "traceparent", (struct il_str){ parent, len });
    il__jw_member_str(w, "interlock/runId", run_id);
}

static enum il_code begin(struct il__computer_use *cu, const struct il__mcp_request *wanted, struct il__cu_call *call,
                          struct il_error *err)
{
    struct il__mcp_request request = *wanted;
    if (!cu->mcp || cu->connect == IL__CU_LOST) {
        give_call(call);
        return il__fail(err, IL_TRANSPORT, "the connection is lost: %s", cu->error.message);
    }
    request.done = call_done;
    request.ctx = call;
    call->begun_us = il__clock_us(cu->clock);
    cu->asked_ms = il__cu_now_ms(cu);
    call->next = cu->live;
    cu->live = call;
    enum il_code code = il__mcp_begin(cu->mcp, &request, &call->id, err);
    if (!code) return IL_OK;
    take_out(&cu->live, call);
    give_call(call);
    return code;
}

enum il_code il__cu_call_tool(struct il__computer_use *cu, const struct il__cu_ask *ask, struct il__cu_call **out,
                              struct il_error *err)
{
    struct il__json_writer w;
    struct il__buf meta;
    struct il__cu_call *call = take_call(cu);
    if (!call) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a call");
    call->heard = ask->heard;
    call->ctx = ask->ctx;
    il__buf_reset(&call->session);
    il__buf_str(&call->session, ask->session_id);
    il__buf_init(&meta, cu->mem, 0);
    if (ask->run_id.len) {
        il__jw_init(&w, &meta);
        il__jw_object(&w);
        put_meta(cu, &w, ask->run_id);
        il__jw_object_end(&w);
    }
    il__buf_reset(&cu->params);
    il__jw_init(&w, &cu->params);
    il__jw_object(&w);
    il__jw_member_z(&w, "name", ask->tool);
    il__jw_key(&w, "arguments");
    il__jw_raw(&w, ask->args.len ? ask->args : IL_STR("{}"));
    il__jw_object_end(&w);
    const struct il__mcp_request request = { .method = "tools/call", .params = il__buf_get(&cu->params),
                                             .meta = ask->run_id.len ? il__buf_get(&meta) : IL_STR_NONE,
                                             .soft_ms = ask->timeout_ms, .hard_ms = ask->timeout_ms,
                                             .permit = ask->permit, .late = call_late };
    enum il_code code = il__buf_check(&cu->params, err);
    if (!code) code = il__buf_check(&meta, err);
    if (code) give_call(call);
    else code = begin(cu, &request, call, err);
    il__buf_clear(&meta);
    if (!code && out) *out = call;
    return code;
}

enum il_code il__cu_call_resource(struct il__computer_use *cu, const char *uri, uint32_t timeout_ms,
                                  il__cu_heard heard, void *ctx, struct il_error *err)
{
    struct il__json_writer w;
    struct il__cu_call *call = take_call(cu);
    if (!call) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a call");
    call->heard = heard;
    call->ctx = ctx;
    il__buf_reset(&cu->params);
    il__jw_init(&w, &cu->params);
    il__jw_object(&w);
    il__jw_member_z(&w, "uri", uri);
    il__jw_object_end(&w);
    const struct il__mcp_request request = { .method = "resources/read", .params = il__buf_get(&cu->params),
                                             .soft_ms = timeout_ms, .hard_ms = timeout_ms };
    enum il_code code = il__buf_check(&cu->params, err);
    if (!code) return begin(cu, &request, call, err);
    give_call(call);
    return code;
}

void il__cu_call_ping(struct il__computer_use *cu)
{
    struct il_error err = IL_ERROR_INIT;
    struct il__cu_call *call = take_call(cu);
    const struct il__mcp_request request = { .method = "ping", .soft_ms = GIVE_BACK_MS, .hard_ms = GIVE_BACK_MS };
    cu->asked_ms = il__cu_now_ms(cu);
    if (!call || begin(cu, &request, call, &err)) il__log(cu->log, IL_LOG_WARN, "computer-use: no ping could be sent");
}

void il__cu_call_cancel(struct il__cu_call *call, const char *reason)
{
    il__mcp_cancel(call->cu->mcp, call->id, reason);
}

/* ---- time ---- */

static void given_back(void *ctx, const struct il__mcp_answer *answer)
{
    struct il__computer_use *cu = ctx;
    if (answer->code) il__log(cu->log, IL_LOG_WARN, "computer-use: what came late could not be given back");
}

static void give_back(struct il__computer_use *cu, const struct il__cu_gift *gift)
{
    struct il__buf args;
    struct il__json_writer w;
    struct il_error err = IL_ERROR_INIT;
    il__buf_init(&args, cu->mem, 0);
    il__jw_init(&w, &args);
    il__jw_object(&w);
    if (!gift->lease) il__jw_member_str(&w, "session_id", gift->session_id);
    il__jw_member_str(&w, gift->lease ? "lease_id" : "reservation_id", gift->id);
    il__jw_object_end(&w);
    const struct il__cu_ask ask = { .tool = gift->lease ? "release_control_lease" : "release_target_reservation",
                                    .args = il__buf_get(&args), .timeout_ms = GIVE_BACK_MS, .heard = given_back,
                                    .ctx = cu };
    if (il__buf_check(&args, &err) || il__cu_call_tool(cu, &ask, NULL, &err))
        il__log(cu->log, IL_LOG_WARN, "computer-use: what came late could not be given back: %s", err.message);
    il__buf_clear(&args);
}

int64_t il__cu_calls_tick(struct il__computer_use *cu)
{
    int64_t now = il__cu_now_ms(cu), next = -1;
    while (cu->gifts && (cu->connect == IL__CU_READY || cu->connect == IL__CU_DEAD)) {
        struct il__cu_gift *gift = cu->gifts;
        cu->gifts = gift->next;
        give_back(cu, gift);
        il__mem_free(cu->mem, gift, gift->size);
        next = 0;
    }
    for (struct il__cu_call **link = &cu->late; *link;) {
        struct il__cu_call *call = *link;
        if (call->until_ms > now) {
            if (next < 0 || call->until_ms - now < next) next = call->until_ms - now;
            link = &call->next;
            continue;
        }
        *link = call->next;
        if (call->late_token) { /* its place in the core is given back */
            const struct il__answer_in gone = { .token = call->late_token, .code = IL_TIMEOUT };
            (void)cu->sink.complete(cu->sink.ctx, &gone, NULL);
        }
        give_call(call);
    }
    return next;
}
