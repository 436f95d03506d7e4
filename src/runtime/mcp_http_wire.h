/* The inside of the Streamable HTTP wire, shared by its files: the wire, its exchanges (one message and the connections
 * it needs, one after another), the head of an answer. No other file includes it. */
#ifndef IL_RUNTIME_MCP_HTTP_WIRE_H
#define IL_RUNTIME_MCP_HTTP_WIRE_H

#include "base/limits.h"
#include "runtime/mcp_http.h"
#include "runtime/sse.h"

#include <curl/curl.h>

#if defined(LIBCURL_VERSION_NUM) && LIBCURL_VERSION_NUM < 0x075700
#error "libcurl 7.87 or later is needed"
#endif

enum il__http_media { IL__HTTP_NO_MEDIA, IL__HTTP_JSON, IL__HTTP_EVENTS, IL__HTTP_OTHER };

/* What the lines above the body of an answer said. Texts are cut to their field, but for the session id. */
struct il__http_head {
    long status;           /* 0: no status line came */
    bool done;             /* the empty line below the final status came */
    bool encoded;          /* the body is compressed, which nobody asked for */
    size_t bytes;          /* all lines, also those of 1xx answers and trailers */
    enum il__http_media media;
    char media_text[64], retry_after[40], location[160];
    bool has_session;
    size_t session_len;
    char session[IL__LIMIT_MCP_HTTP_SESSION_BYTES];
};

enum il__http_what { IL__HTTP_POST, IL__HTTP_DELETE };
enum il__http_phase { IL__HTTP_QUEUED, IL__HTTP_RUNNING, IL__HTTP_WAITING };

struct il__http_exchange {
    struct il__http_exchange *next;
    struct il__http *wire;
    enum il__http_what what;
    enum il__mcp_sent kind;
    enum il__http_phase phase;  /* waiting: for the time to resume its event stream */
    uint64_t id;                /* 0: nobody waits for an answer */
    struct il__buf message;
    struct il__permit *permit;  /* not touched any more once `started` or `over` */
    char protocol[32];          /* "" before initialize was answered */
    bool initialize, opens;     /* `opens`: the note after initialize, all else waits for it */
    bool started;               /* the first byte of the message may have left */
    bool leg_started;           /* the same of the connection at hand: nothing starts twice on one */
    bool resumed;               /* the connection at hand only asks for the rest of the event stream */
    bool over;                  /* told, forgotten or done; taken away as soon as libcurl is not on the stack */
    bool session_sent;
    uint32_t session_number;    /* of the session it was sent in */
    int64_t due_ms;             /* waiting: when to resume. Else, if not 0: when it is given up */
    int64_t linger_ms;          /* if not 0: given up, and listened to until then */
    uint32_t idle_legs;         /* resumed connections in a row that brought no event */
    uint32_t refusals;          /* of them, those in a row that nobody listened for */
    int64_t retry_ms;           /* as the server asked */
    struct il__buf last_id;     /* event id to resume after */
    bool has_last_id;

    /* of the connection at hand */
    CURL *easy;
    struct curl_slist *headers;
    struct il__http_head head;
    struct il__buf body;
    struct il__sse sse;
    bool sse_made;
    uint64_t leg_events, events, noise;
    size_t stream_bytes;
    struct il_error error;      /* what a callback found: it ended the transfer */
    char curl_text[CURL_ERROR_SIZE];
};

enum il__http_hello {
    IL__HTTP_OPEN,      /* everything may go */
    IL__HTTP_LOST,      /* the session was: only initialize may go */
    IL__HTTP_GREETING,  /* initialize was queued: only it may go */
    IL__HTTP_GREETED    /* only the note after it */
};
struct il__http_socket {
    curl_socket_t fd;
    short events;
};
struct il__http {
    struct il__mem *mem;
    const struct il__clock *clock;
    const struct il__log *log;
    struct il__mcp_sink sink;
    struct il__buf url, token, ca_file; /* NUL-terminated */
    size_t max_message_bytes;
    CURLM *multi;
    struct il__http_socket sockets[IL__LIMIT_MCP_HTTP_SOCKETS];
    size_t socket_count;
    int64_t timer_due_us;       /* libcurl's; -1: none */

    struct il__http_exchange *head, **tail;
    size_t queued_bytes;        /* of messages that did not start yet */
    size_t running;             /* exchanges that libcurl has */
    bool ticking;               /* libcurl, or the sink, may be on the stack */

    enum il__http_hello hello;
    char protocol[32];
    struct il__buf session;     /* empty: none */
    uint32_t session_number;

    bool shutting, deleted, closed;
    int64_t shut_due_ms;
    uint32_t complaints;
    struct il_error broken;     /* libcurl itself failed */
};

int64_t il__http_now_ms(const struct il__http *wire);
/* A log line about the server's doing, bounded per wire; never about tokens. */
void il__http_complain(struct il__http *wire, const char *about, struct il_str what);

/* ---- mcp_http_check.c: texts before they are believed ---- */

/* The normal form of an address this wire may talk to, into `out`. */
enum il_code il__http_check_url(struct il_str url, struct il__buf *out, struct il_error *err);
enum il_code il__http_check_token(struct il_str token, struct il_error *err);
/* The type up to `;`, whatever its case. */
enum il__http_media il__http_media(struct il_str value);

/* ---- mcp_http_head.c: the head of an answer ---- */

/* Takes one line of a head with its line end. Anything but IL_OK ends the transfer. */
enum il_code il__http_head_line(struct il__http_head *head, struct il_str line, struct il_error *err) IL_MUST_USE;

/* ---- mcp_http_exchange.c: one exchange and its connection ---- */

struct il__http_exchange *il__http_exchange_new(struct il__http *wire, enum il__http_what what);
/* Detaches it from libcurl, which closes the connection, and forgets what the connection brought. */
void il__http_exchange_stop(struct il__http_exchange *x);
void il__http_exchange_free(struct il__http_exchange *x);
/* Opens a connection for it: for its message, or, where that has left, to resume its event stream. */
enum il_code il__http_exchange_start(struct il__http_exchange *x, struct il_error *err) IL_MUST_USE;
/* Tells that it is lost, once. */
void il__http_exchange_lose(struct il__http_exchange *x, bool sent, const struct il_error *err);

/* ---- mcp_http_end.c: what the end of a connection means ---- */

void il__http_exchange_ended(struct il__http_exchange *x, CURLcode code);

/* ---- mcp_http_multi.c: libcurl's sockets and timer ---- */

enum il_code il__http_multi_new(struct il__http *wire, struct il_error *err) IL_MUST_USE;
/* Serves what is ready now, without waiting. True: there was something. */
bool il__http_multi_step(struct il__http *wire);
/* Hands every connection that ended to il__http_exchange_ended. */
void il__http_multi_reap(struct il__http *wire);

#endif
