/* The HTTP wire and a server that answers it byte by byte, in one program and one thread: the test reads what was
 * asked, says what comes back, and decides when a connection ends. No process, no second clock. */
#ifndef HTTP_BED_H
#define HTTP_BED_H

#include "runtime/mcp_http.h"

enum {
    BED_CONNECTIONS = 64,
    BED_INITIALIZE = 1000   /* the id whose answer is followed by a note, as the engine does */
};

/* One connection as the server sees it. */
struct bed_connection {
    int fd;                 /* -1: closed by us */
    char *in;               /* what came in, NUL-terminated */
    size_t len, cap, request_len;
    bool complete, gone;    /* a whole request is there; the other side has closed */
    char *out;              /* what is still to be written */
    size_t out_len, out_at;
};
struct bed {
    struct il__mem mem;
    struct il__clock clock;
    int64_t skew_ms;        /* added to the clock */
    struct il__log log;
    char logged[16384];
    struct il__mcp_http_options options;
    char url[64];
    int listener, port, descriptors;
    struct bed_connection connections[BED_CONNECTIONS];
    int accepted, seen;     /* connections; whole requests handed out by bed_request */
    struct il__mcp_wire wire;

    int messages, noise;    /* taken, refused as no message */
    size_t message_bytes;
    char last[4096];        /* the beginning of the last message */
    int losts, session_losts, closes;
    uint64_t lost_id, session_lost_id;
    bool lost_sent, lost_before_session;
    enum il_code lost_code;
    char lost_text[400];
    const char *order;      /* "lost", "session": what was told last */
    bool keep_answers;      /* do not forget an answered request, as the engine would */
};

/* A listening server on 127.0.0.1 and the options of a wire to it; change them, then bed_connect. */
void bed_open(struct bed *bed);
void bed_connect(struct bed *bed);
bool bed_try_connect(struct bed *bed, struct il_error *err);
/* Frees the wire; checks that no memory and no descriptor is left. */
void bed_close(struct bed *bed, const char *name);
/* The same without a check: false when something is left. */
bool bed_quiet_close(struct bed *bed);

/* One tick of the wire and one look at every connection, waiting a little when there is nothing to do. */
void bed_turn(struct bed *bed);
void bed_turns(struct bed *bed, int ms);
/* Turns until the number is at least `want`; false after 5 s. */
bool bed_until(struct bed *bed, const int *number, int want);
/* Turns until the other side has closed; false after `ms`. */
bool bed_gone(struct bed *bed, struct bed_connection *c, int ms);

/* Hands a message to the wire: a request, call or note with the protocol version 2025-11-25 (`protocol` false: none).
 */
enum il_code bed_send(struct bed *bed, enum il__mcp_sent kind, uint64_t id, struct il__permit *permit, bool protocol);
/* The next whole request, NULL when none comes in 5 s. */
struct bed_connection *bed_request(struct bed *bed);
/* Both: a call whose request has arrived. */
struct bed_connection *bed_call(struct bed *bed, uint64_t id);

/* A new bed with a wire and call 7 on it; the same with the beginning of an event stream as its answer. */
struct bed_connection *bed_with_call(struct bed *bed);
struct bed_connection *bed_with_stream(struct bed *bed, const char *body);
/* Checks that call 7 is answered with BED_ANSWER and nothing is lost; closes the bed. */
#define BED_ANSWER "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}"
#define BED_JSON "Content-Type: application/json\r\n"
void bed_expect_answer(struct bed *bed, const char *name);
/* Checks that call 7 is lost, once, as one that may have run, with `text` in the message, and that no second connection
 * was made; closes the bed. */
void bed_expect_lost(struct bed *bed, const char *name, const char *text);

/* Raw bytes to the other side; NUL-terminated, or `len` of them. */
void bed_say(struct bed_connection *c, const char *text);
void bed_say_bytes(struct bed_connection *c, const char *bytes, size_t len);
/* A whole answer with Content-Length; `head` are more header lines, each with CRLF, or "". */
void bed_answer(struct bed_connection *c, const char *status, const char *head, const char *body);
/* The head of an event stream that ends with its connection. */
void bed_stream(struct bed_connection *c);
void bed_hang_up(struct bed_connection *c);
/* The value of a header of the request, "" when it is absent, into a buffer of the bed's own. */
const char *bed_header(const struct bed_connection *c, const char *name);
bool bed_has(const char *text, const char *part);

#endif
