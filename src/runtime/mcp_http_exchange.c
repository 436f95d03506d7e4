/* One exchange of the Streamable HTTP wire: its connection as libcurl is told to make it, and what libcurl calls while
 * it lasts. The permit is asked and spent in `on_first_byte`, which libcurl calls on a connection that stands, before
 * it sends. Must never let a message start twice, and never call libcurl back from a callback. */
#include "runtime/mcp_http_wire.h"

#include "base/error.h"
#include "base/secret.h"

#include <sys/socket.h>
#include <unistd.h>

struct il__http_exchange *il__http_exchange_new(struct il__http *wire, enum il__http_what what)
{
    struct il__http_exchange *x = il__mem_zalloc(wire->mem, 1, sizeof *x);
    if (!x) return NULL;
    x->wire = wire;
    x->what = what;
    x->retry_ms = IL__LIMIT_MCP_HTTP_RETRY_MS;
    il__error_clear(&x->error);
    il__buf_init(&x->message, wire->mem, IL__LIMIT_MCP_MESSAGE_BYTES);
    il__buf_init(&x->last_id, wire->mem, IL__LIMIT_SSE_ID_BYTES);
    il__buf_init(&x->body, wire->mem, 0);
    return x;
}

void il__http_exchange_stop(struct il__http_exchange *x)
{
    if (x->easy) {
        (void)curl_multi_remove_handle(x->wire->multi, x->easy);
        curl_easy_cleanup(x->easy);
        x->easy = NULL;
        x->wire->running--;
    }
    for (struct curl_slist *at = x->headers; at; at = at->next) il__secret_wipe(at->data, strlen(at->data));
    curl_slist_free_all(x->headers);
    x->headers = NULL;
    if (x->sse_made) il__sse_clear(&x->sse);
    x->sse_made = false;
    il__buf_clear(&x->body);
}

void il__http_exchange_free(struct il__http_exchange *x)
{
    il__http_exchange_stop(x);
    il__buf_clear(&x->message);
    il__buf_clear(&x->last_id);
    il__mem_free(x->wire->mem, x, sizeof *x);
}

void il__http_exchange_lose(struct il__http_exchange *x, bool sent, const struct il_error *err)
{
    if (x->over) return;
    x->over = true;
    if (x->sse_made) il__sse_close(&x->sse);
    if (x->id) x->wire->sink.lost(x->wire->sink.ctx, x->id, sent, err);
    else il__http_complain(x->wire, "a note was lost", il__str(err->message));
}

/* ---- what libcurl calls ---- */

static curl_socket_t on_open(void *ctx, curlsocktype purpose, struct curl_sockaddr *address)
{
    (void)ctx;
    (void)purpose;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static int on_first_byte(void *ctx, char *remote, char *local, int remote_port, int local_port)
{
    struct il__http_exchange *x = ctx;
    (void)remote;
    (void)local;
    (void)remote_port;
    (void)local_port;
    if (x->over) return CURL_PREREQFUNC_ABORT;
    if (x->leg_started) {
        il__fail(&x->error, IL_TRANSPORT, "the connection broke after the message had begun to leave");
        return CURL_PREREQFUNC_ABORT;
    }
    if (!x->started && x->permit && il__permit_spend(x->permit, &x->error)) return CURL_PREREQFUNC_ABORT;
    if (!x->started) x->wire->queued_bytes -= x->message.len;
    x->started = x->leg_started = true;
    return CURL_PREREQFUNC_OK;
}

/* The session comes with the answer to initialize, and must stand before that answer is told. */
static enum il_code adopt_session(struct il__http_exchange *x)
{
    struct il__http *wire = x->wire;
    const struct il__http_head *head = &x->head;
    if (!head->has_session || head->status < 200 || head->status > 299) return IL_OK;
    struct il_str session = { head->session, head->session_len };
    if (x->initialize && x->session_number == wire->session_number) {
        il__buf_reset(&wire->session);
        il__buf_str(&wire->session, session);
        return il__buf_check(&wire->session, &x->error);
    }
    if (x->session_sent && !il__str_eq(session, il__buf_get(&wire->session)))
        il__http_complain(wire, "the server named another session in an answer; the first one stays", IL_STR(""));
    return IL_OK;
}

static size_t on_head(char *bytes, size_t size, size_t count, void *ctx)
{
    struct il__http_exchange *x = ctx;
    bool was_done = x->head.done;
    if (x->over) return 0;
    if (il__http_head_line(&x->head, (struct il_str){ bytes, size * count }, &x->error)) return 0;
    if (x->head.done && !was_done && adopt_session(x)) return 0;
    return size * count;
}

static void on_event(void *ctx, const struct il__sse_event *event)
{
    struct il__http_exchange *x = ctx;
    struct il__http *wire = x->wire;
    if (x->over || x->error.code) return;
    x->leg_events++;
    if (++x->events > IL__LIMIT_MCP_HTTP_EVENTS) {
        il__fail(&x->error, IL_LIMIT_EXCEEDED, "more than %d events in one stream", IL__LIMIT_MCP_HTTP_EVENTS);
        return;
    }
    if (event->data.len == 0) return; /* it primes the stream: only its id counts */
    if (il__str_eq(event->type, IL_STR("message")) && wire->sink.message(wire->sink.ctx, event->data)) {
        x->noise = 0;
        return;
    }
    if (++x->noise > IL__LIMIT_MCP_NOISE_LINES && !x->over)
        il__fail(&x->error, IL_LIMIT_EXCEEDED, "more than %d events in a row that are no messages",
                 IL__LIMIT_MCP_NOISE_LINES);
}

static void make_reader(struct il__http_exchange *x)
{
    size_t most = x->wire->max_message_bytes;
    il__sse_init(&x->sse, x->wire->mem, on_event, x);
    x->sse_made = true;
    if (most >= IL__LIMIT_SSE_EVENT_BYTES) return;
    x->sse.data.limit = most;
    x->sse.line.limit = most + sizeof "data: ";
}

static size_t on_stream(struct il__http_exchange *x, struct il_str bytes)
{
    if (!x->sse_made) make_reader(x);
    x->stream_bytes += bytes.len;
    if (x->stream_bytes > IL__LIMIT_MCP_HTTP_STREAM_BYTES)
        il__fail(&x->error, IL_LIMIT_EXCEEDED, "an event stream of more than %d bytes",
                 IL__LIMIT_MCP_HTTP_STREAM_BYTES);
    else if (il__sse_feed(&x->sse, bytes, &x->error))
        return 0;
    return x->error.code || x->over ? 0 : bytes.len;
}

/* Of a refusal only the beginning is read, of the answer to a note nothing. */
static size_t on_body(char *data, size_t size, size_t count, void *ctx)
{
    struct il__http_exchange *x = ctx;
    struct il_str bytes = { data, size * count };
    bool good = x->head.status >= 200 && x->head.status <= 299;
    size_t limit = good && x->id ? x->wire->max_message_bytes : IL__LIMIT_MCP_HTTP_ERROR_BYTES;
    if (x->over || x->head.encoded) return 0;
    if (good && x->head.media == IL__HTTP_EVENTS && x->id) return on_stream(x, bytes);
    if (good && (!x->id || x->head.media != IL__HTTP_JSON)) return 0;
    if (bytes.len > limit - x->body.len) {
        if (good) il__fail(&x->error, IL_LIMIT_EXCEEDED, "the server's answer is larger than %zu bytes", limit);
        return 0;
    }
    il__buf_str(&x->body, bytes);
    return il__buf_check(&x->body, &x->error) ? 0 : bytes.len;
}

/* ---- how libcurl is told ---- */

static bool add_header(struct il__http_exchange *x, const char *name, struct il_str value)
{
    struct il__buf line;
    il__buf_init(&line, x->wire->mem, 0);
    il__buf_puts(&line, name);
    il__buf_str(&line, value);
    struct curl_slist *list = line.code ? NULL : curl_slist_append(x->headers, line.ptr);
    if (line.ptr) il__secret_wipe(line.ptr, line.cap);
    il__buf_clear(&line);
    if (list) x->headers = list;
    return list != NULL;
}

static bool add_headers(struct il__http_exchange *x)
{
    struct il__http *wire = x->wire;
    bool posts = x->what == IL__HTTP_POST && !x->resumed;
    struct il_str accept = posts ? IL_STR("application/json, text/event-stream") : IL_STR("text/event-stream");
    const char *protocol = x->protocol[0] ? x->protocol : x->initialize ? "" : wire->protocol;
    bool good = add_header(x, "Expect:", IL_STR(""));
    if (good && x->what != IL__HTTP_DELETE) good = add_header(x, "Accept: ", accept);
    if (good && posts) good = add_header(x, "Content-Type: ", IL_STR("application/json"));
    if (good && protocol[0]) good = add_header(x, "MCP-Protocol-Version: ", il__str(protocol));
    if (good && wire->session.len && (!x->initialize || x->resumed)) {
        good = add_header(x, "Mcp-Session-Id: ", il__buf_get(&wire->session));
        x->session_sent = good;
    }
    if (good && wire->token.len) good = add_header(x, "Authorization: Bearer ", il__buf_get(&wire->token));
    if (good && !posts && x->has_last_id) good = add_header(x, "Last-Event-ID: ", il__buf_get(&x->last_id));
    return good;
}

static CURLcode set_connection(CURL *easy, const struct il__http *wire)
{
    CURLcode bad = curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_URL, wire->url.ptr);
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_HTTP09_ALLOWED, 0L);
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L); /* never wait for a resolver that hangs */
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)IL__LIMIT_MCP_HTTP_CONNECT_MS);
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_PROXY, "");
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    if (!bad && wire->ca_file.len) bad = curl_easy_setopt(easy, CURLOPT_CAINFO, wire->ca_file.ptr);
    if (!bad && wire->ca_file.len) bad = curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    return bad;
}

static CURLcode set_message(CURL *easy, const struct il__http_exchange *x)
{
    CURLcode bad = curl_easy_setopt(easy, CURLOPT_HTTPHEADER, x->headers);
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_USERAGENT, "interlock/" IL_VERSION);
    if (x->what == IL__HTTP_DELETE) return bad ? bad : curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, "DELETE");
    if (x->resumed) return bad ? bad : curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_POST, 1L);
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)x->message.len);
    return bad ? bad : curl_easy_setopt(easy, CURLOPT_POSTFIELDS, x->message.ptr);
}

static CURLcode set_callbacks(CURL *easy, struct il__http_exchange *x)
{
    CURLcode bad = curl_easy_setopt(easy, CURLOPT_PRIVATE, x);
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, x->curl_text);
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 1L);
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_first_byte);
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_PREREQDATA, x);
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_head);
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_HEADERDATA, x);
    if (!bad) bad = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    return bad ? bad : curl_easy_setopt(easy, CURLOPT_WRITEDATA, x);
}

enum il_code il__http_exchange_start(struct il__http_exchange *x, struct il_error *err)
{
    struct il__http *wire = x->wire;
    il__http_exchange_stop(x);
    x->head = (struct il__http_head){ 0 };
    x->leg_started = false;
    x->resumed = x->started;
    x->leg_events = 0;
    x->curl_text[0] = 0;
    if (x->resumed) il__buf_clear(&x->message);
    else if (!x->initialize) x->session_number = wire->session_number;
    x->easy = curl_easy_init();
    if (x->easy) wire->running++;
    if (!x->easy || !add_headers(x) || set_connection(x->easy, wire) || set_message(x->easy, x) ||
        set_callbacks(x->easy, x) || curl_multi_add_handle(wire->multi, x->easy)) {
        il__http_exchange_stop(x);
        return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a connection to the server");
    }
    x->phase = IL__HTTP_RUNNING;
    return IL_OK;
}
