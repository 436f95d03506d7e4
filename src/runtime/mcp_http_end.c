/* What the end of a connection means for its exchange: answered, to be resumed, refused, or lost; and whether the
 * session was lost with it. Sends nothing again: an event stream is resumed by asking for the rest of it. */
#include "runtime/mcp_http_wire.h"

#include "base/error.h"
#include "wire/json.h"

#include <errno.h>
#include <stdio.h>

enum { RPC_SERVER = -32000, RPC_NO_SESSION = -32001 };

/* What the body of a refusal says. */
struct refusal {
    bool has_code, answer; /* `answer`: a JSON-RPC message that names a request */
    int64_t code;
    char text[200];
};

static const char *meaning(long status)
{
    switch (status) {
    case 400: return "bad request";
    case 401: return "unauthorized: the bearer token is missing, wrong or expired";
    case 403: return "forbidden";
    case 404: return "nothing is served at this address";
    case 405: return "method not allowed";
    case 406: return "not acceptable";
    case 413: return "the message is too large for the server";
    case 415: return "the server does not take JSON";
    case 421: return "the server does not answer to this host name";
    case 429: return "too many requests";
    default: return status >= 500 ? "the server failed" : "refused";
    }
}

static void put_text(struct il__json *doc, uint32_t at, struct refusal *out)
{
    struct il_str text;
    if (at && il__json_kind(doc, at) == IL__JSON_STRING && !il__json_string(doc, at, &text, NULL))
        (void)il__escape(out->text, sizeof out->text, text);
}

static void read_refusal(struct il__http_exchange *x, struct refusal *out)
{
    struct il__json doc = { 0 };
    const struct il__json_limits limits = { IL__LIMIT_MCP_HTTP_ERROR_BYTES, IL__LIMIT_JSON_DEPTH };
    *out = (struct refusal){ .text = "" };
    if (!x->body.len || il__json_parse(&doc, x->wire->mem, il__buf_get(&x->body), limits, NULL)) return;
    uint32_t error = il__json_get(&doc, 0, "error"), id = il__json_get(&doc, 0, "id");
    uint32_t code = error ? il__json_get(&doc, error, "code") : 0;
    put_text(&doc, error, out);
    if (code) {
        out->has_code = il__json_int(&doc, code, &out->code);
        put_text(&doc, il__json_get(&doc, error, "message"), out);
    }
    out->answer = il__json_get(&doc, 0, "jsonrpc") && id && il__json_kind(&doc, id) != IL__JSON_NULL;
    il__json_clear(&doc);
}

static bool proves_loss(const struct il__http_exchange *x, const struct refusal *said)
{
    if (!x->session_sent || !x->id || x->resumed) return false;
    if (x->head.status == 404) return true;
    return x->head.status == 400 && said->has_code && (said->code == RPC_SERVER || said->code == RPC_NO_SESSION);
}

/* Calls that have not begun to leave were meant for the lost session: they do not go to the next one. */
static void lose_waiting_calls(struct il__http *wire, const struct il_error *err)
{
    struct il__http_exchange *last = wire->head, *x = wire->head;
    while (last && last->next) last = last->next; /* whoever is told may queue more; those are for the next one */
    for (; x; x = x == last ? NULL : x->next)
        if (x->kind == IL__MCP_CALL && x->id && !x->started) il__http_exchange_lose(x, false, err);
}

/* Everything but initialize waits for the next session. An exchange of an older one has nothing to tell about this. */
static void lose_session(struct il__http_exchange *x)
{
    struct il__http *wire = x->wire;
    struct il_error err = IL_ERROR_INIT;
    il__fail(&err, IL_TRANSPORT, "the server lost the session");
    bool current = x->session_number == wire->session_number;
    if (current) {
        il__buf_reset(&wire->session);
        wire->session_number++;
        wire->hello = IL__HTTP_LOST;
    }
    if (!current || x->kind == IL__MCP_CALL) il__http_exchange_lose(x, x->kind != IL__MCP_CALL, &err);
    x->over = true;
    if (current) lose_waiting_calls(wire, &err);
    if (current) wire->sink.session_lost(wire->sink.ctx, x->id);
}

static void refused(struct il__http_exchange *x)
{
    struct refusal said;
    struct il_error err = IL_ERROR_INIT;
    const struct il__http_head *head = &x->head;
    read_refusal(x, &said);
    bool lost = proves_loss(x, &said);
    bool names_it = lost && said.code == RPC_NO_SESSION;
    if (said.answer && x->id && !names_it) (void)x->wire->sink.message(x->wire->sink.ctx, il__buf_get(&x->body));
    if (x->over) return; /* it was the answer */
    if (lost) {
        lose_session(x);
        return;
    }
    char code[32] = "";
    if (said.has_code) (void)snprintf(code, sizeof code, " (%lld)", (long long)said.code);
    if (head->status >= 300 && head->status <= 399)
        il__fail(&err, IL_TRANSPORT, "HTTP %ld: a redirect is not followed%s%s", head->status,
                 head->location[0] ? "; it leads to " : "", head->location);
    else
        il__fail(&err, IL_TRANSPORT, "HTTP %ld: %s%s%s%s%s%s", head->status, meaning(head->status),
                 said.text[0] || said.has_code ? ": " : "", said.text, code,
                 head->retry_after[0] ? "; retry after " : "", head->retry_after);
    il__http_exchange_lose(x, true, &err);
}

/* What the stream told about itself outlives its connection. True: it told something. */
static bool keep_stream_state(struct il__http_exchange *x)
{
    if (!x->sse_made) return false;
    if (x->sse.retry_ms >= 0) x->retry_ms = x->sse.retry_ms;
    if (x->retry_ms < IL__LIMIT_MCP_HTTP_RETRY_MIN_MS) x->retry_ms = IL__LIMIT_MCP_HTTP_RETRY_MIN_MS;
    if (x->retry_ms > IL__LIMIT_MCP_HTTP_RETRY_MAX_MS) x->retry_ms = IL__LIMIT_MCP_HTTP_RETRY_MAX_MS;
    struct il_str id = il__sse_last_id(&x->sse);
    if (!il__str_present(id)) return x->leg_events > 0;
    bool news = x->leg_events > 0 || !x->has_last_id || !il__str_eq(id, il__buf_get(&x->last_id));
    il__buf_reset(&x->last_id);
    il__buf_str(&x->last_id, id);
    x->has_last_id = id.len > 0 && !x->last_id.code; /* an empty id takes the last one back */
    for (size_t i = 0; i < id.len && x->has_last_id; i++)
        if ((unsigned char)id.ptr[i] < ' ' || id.ptr[i] == 0x7F) x->has_last_id = false; /* no header holds it */
    return news;
}

/* The stream ended without the answer: its rest is asked for if it can be named, after the time the server set, longer
 * each time that nothing came. */
static void resume_or_lose(struct il__http_exchange *x, const struct il_error *why)
{
    x->idle_legs = keep_stream_state(x) ? 0 : x->idle_legs + 1;
    if (!x->has_last_id || x->idle_legs > IL__LIMIT_MCP_HTTP_RESUMES || x->refusals >= IL__LIMIT_MCP_HTTP_REFUSALS) {
        il__http_exchange_lose(x, true, why);
        return;
    }
    int64_t wait = x->retry_ms << (x->idle_legs < 6 ? x->idle_legs : 6);
    if (wait > IL__LIMIT_MCP_HTTP_RETRY_MAX_MS) wait = IL__LIMIT_MCP_HTTP_RETRY_MAX_MS;
    il__http_exchange_stop(x);
    il__error_clear(&x->error);
    x->phase = IL__HTTP_WAITING;
    x->due_ms = il__http_now_ms(x->wire) + wait;
}

static const char *curl_text(const struct il__http_exchange *x, CURLcode code)
{
    return x->curl_text[0] ? x->curl_text : curl_easy_strerror(code);
}

static void tell_body(struct il__http_exchange *x)
{
    struct il_str body = il__buf_get(&x->body);
    if (body.len >= 3 && memcmp(body.ptr, "\xEF\xBB\xBF", 3) == 0) body = (struct il_str){ body.ptr + 3, body.len - 3 };
    if (body.len) (void)x->wire->sink.message(x->wire->sink.ctx, body);
}

static void answered(struct il__http_exchange *x, CURLcode code)
{
    struct il_error err = IL_ERROR_INIT;
    if (x->head.encoded) {
        il__fail(&err, IL_TRANSPORT, "the server compressed its answer unasked");
    } else if (x->head.media == IL__HTTP_EVENTS) {
        x->refusals = 0;
        il__fail(&err, IL_TRANSPORT, "the event stream ended without the answer%s%s", code ? ": " : "",
                 code ? curl_text(x, code) : "");
        resume_or_lose(x, &err);
        return;
    } else if (x->head.media == IL__HTTP_JSON && code == CURLE_OK) {
        tell_body(x);
        il__fail(&err, IL_TRANSPORT, "the body of the answer does not hold the answer");
    } else if (x->head.media == IL__HTTP_OTHER && x->head.status == 200) {
        il__fail(&err, IL_TRANSPORT, "the answer is %s, neither JSON nor an event stream", x->head.media_text);
    } else if (code && code != CURLE_WRITE_ERROR) {
        il__fail(&err, IL_TRANSPORT, "the answer broke off: %s", curl_text(x, code));
    } else {
        il__fail(&err, IL_TRANSPORT, "HTTP %ld without an answer", x->head.status);
    }
    il__http_exchange_lose(x, true, &err);
}

/* Nobody listens there: the server is gone, and with it most likely the stream. */
static bool nobody_listens(const struct il__http_exchange *x, CURLcode code)
{
    long number = 0;
    return code == CURLE_COULDNT_CONNECT && !curl_easy_getinfo(x->easy, CURLINFO_OS_ERRNO, &number) &&
           number == ECONNREFUSED;
}

/* A connection on which nothing was said about the message. */
static void unanswered(struct il__http_exchange *x, CURLcode code)
{
    struct il_error err = IL_ERROR_INIT;
    enum il_code what = code == CURLE_OUT_OF_MEMORY ? IL_OUT_OF_MEMORY : IL_TRANSPORT;
    if (x->resumed) {
        x->refusals = nobody_listens(x, code) ? x->refusals + 1 : 0;
        il__fail(&err, IL_TRANSPORT, "the event stream cannot be resumed: %s", curl_text(x, code));
        resume_or_lose(x, &err);
        return;
    }
    il__fail(&err, what, x->started ? "the connection ended without an answer: %s" : "no connection to the server: %s",
             curl_text(x, code));
    il__http_exchange_lose(x, x->started, &err);
}

void il__http_exchange_ended(struct il__http_exchange *x, CURLcode code)
{
    bool good = x->head.status >= 200 && x->head.status <= 299;
    if (x->over) return;
    if (x->what == IL__HTTP_DELETE) {
        x->over = true;
    } else if (x->error.code) {
        struct il_error err = x->error;
        il__http_exchange_lose(x, x->started, &err);
    } else if (!x->head.done || x->head.status == 0) {
        unanswered(x, code);
    } else if (!x->id && good) {
        x->over = true;
    } else if (good) {
        answered(x, code);
    } else {
        refused(x);
    }
}
