/* The MCP protocol engine: bytes in, bytes out, no I/O (MCP 2025-11-25; 2025-06-18 and 2025-03-26 are accepted back).
 * Requests of ours are multiplexed by integer ids of our own; answers come in any order. Requests of the server are
 * told by `method`, never by id: `ping` is answered with {}, everything else with -32601. No capability is declared.
 *
 * A wire (mcp_stdio.h, mcp_http.h) carries the messages. A tools/call is handed to it once and never again: neither the
 * engine nor a wire re-sends it, whatever happened. */
#ifndef IL_RUNTIME_MCP_H
#define IL_RUNTIME_MCP_H

#include "base/clock.h"
#include "base/log.h"
#include "run/runtime.h"
#include "wire/json.h"

struct il__mcp;

/* ---- the wire below ---- */

enum il__mcp_sent {
    IL__MCP_REQUEST,      /* answered by a message with this id */
    IL__MCP_CALL,         /* a tools/call: like a request, and never sent twice */
    IL__MCP_NOTE          /* a notification, or our answer to a request of the server */
};
struct il__mcp_out {
    enum il__mcp_sent kind;
    uint64_t id;              /* of a request or call, else 0 */
    struct il_str message;    /* one JSON-RPC message, without line break; copied by the wire */
    /* Set for a call that mutates: spent when its first byte is handed to the kernel, asked each tick until then. Valid
     * until `lost` was told, `forget` was called or the engine is freed. */
    struct il__permit *permit;
    const char *protocol;     /* negotiated version, for the HTTP header; NULL before initialize was answered */
};
/* What a wire hears about and tells. */
struct il__mcp_sink {
    void *ctx;
    /* One message, whole. False: it was no JSON-RPC message (the wire counts and skips it). */
    bool (*message)(void *ctx, struct il_str message);
    /* The answer to `id` will never come (connection or stream ended, refused, over a cap). `sent` false: no byte of it
     * had left. `err` says why; code transport, timeout, limit_exceeded, or what the permit said. */
    void (*lost)(void *ctx, uint64_t id, bool sent, const struct il_error *err);
    /* The connection is gone as a whole: everything in flight is lost too (already told one by one). */
    void (*closed)(void *ctx, const struct il_error *err);
    /* The session at the server was lost before it saw the request (HTTP 404 and 400 with the two codes). */
    void (*session_lost)(void *ctx, uint64_t id);
};
struct il__mcp_wire_ops {
    /* Queues one message; anything but IL_OK: nothing was queued, nothing left. */
    enum il_code (*send)(void *self, const struct il__mcp_out *out, struct il_error *err);
    /* Nobody waits for `id` any more (given up, or answered): a queued one is dropped, its stream is closed. When no
     * byte of it had left, the wire tells `lost` with `sent` false before it returns; otherwise nothing. Also called
     * from inside `message`, for the request just answered, and for ids the wire does not know. */
    void (*forget)(void *self, uint64_t id);
    /* Given up, but what comes within a while may still have granted something: it is told as any answer, or as lost.
     * May be NULL: such a request is forgotten, and hears its late answer without it. */
    void (*linger)(void *self, uint64_t id);
    /* Does bounded I/O without blocking; tells through the sink. Returns ms until it wants to be called again (0: at
     * once, -1: only when a descriptor is ready). */
    int64_t (*tick)(void *self, uint32_t budget_us);
    /* Descriptors for poll: fds[n], events[n]; returns how many there are. */
    size_t (*descriptors)(void *self, int *fds, short *events, size_t cap);
    /* Starts an orderly end (stdin closed, DELETE); `tick` goes on with it until `closed` is told. A wire that breaks
     * down tells `closed` at once; its tick is called further and may go on with ending what is behind it. */
    void (*shut)(void *self);
    void (*free)(void *self); /* at once; no process and no descriptor is left */
};
struct il__mcp_wire {
    const struct il__mcp_wire_ops *ops;
    void *self;
};

/* ---- the engine ---- */

struct il__mcp_options {
    struct il__mem *mem;            /* needed; all pointers outlive the engine */
    const struct il__clock *clock;  /* needed */
    const struct il__log *log;      /* may be NULL */
    struct il_str client_name, client_version;
    uint32_t initialize_timeout_ms; /* 0: the default */
};

enum il__mcp_state { IL__MCP_CONNECTING, IL__MCP_READY, IL__MCP_CLOSED };

/* A session that the server has lost (HTTP) then closes the connection; otherwise another is begun, unseen. */
void il__mcp_keep_one_session(struct il__mcp *mcp);
/* The engine owns the wire. `initialize` goes out with the first tick. */
enum il_code il__mcp_new(const struct il__mcp_options *options, struct il__mcp **out, struct il_error *err) IL_MUST_USE;
/* What the wire is made with; then hand the wire over. */
struct il__mcp_sink il__mcp_sink_of(struct il__mcp *mcp);
void il__mcp_set_wire(struct il__mcp *mcp, struct il__mcp_wire wire);
void il__mcp_free(struct il__mcp *mcp); /* NULL is accepted; no callback runs any more */
enum il__mcp_state il__mcp_state(const struct il__mcp *mcp);
/* Why it is closed; code IL_OK while it is not. */
const struct il_error *il__mcp_error(const struct il__mcp *mcp);
/* How many times initialize was answered: a change means that the server lost its sessions, cursors and leases too. */
uint32_t il__mcp_generation(const struct il__mcp *mcp);
/* What initialize told: name, version, protocol; absent before. */
struct il_str il__mcp_server_name(const struct il__mcp *mcp);
struct il_str il__mcp_server_version(const struct il__mcp *mcp);
struct il_str il__mcp_protocol(const struct il__mcp *mcp);
/* Engine and wire; returns as the wire's tick. */
int64_t il__mcp_tick(struct il__mcp *mcp, uint32_t budget_us);
size_t il__mcp_descriptors(struct il__mcp *mcp, int *fds, short *events, size_t cap);
void il__mcp_shut(struct il__mcp *mcp);
/* Before a free: what is in flight may be answered for half of mcp_goodbye_ms, then the server is told (stdin closed,
 * DELETE), for the rest of it at most. Waits; not from a callback. */
void il__mcp_goodbye(struct il__mcp *mcp);

/* How a request ended. `doc` is the whole message and `result` the node of its `result` (code IL_OK); it lives during
 * the callback. Otherwise code is transport (`sent` tells whether bytes may have left), timeout (likewise, after
 * notifications/cancelled was sent), runtime (a JSON-RPC error: `rpc_code`, `message`), decode, or what the permit
 * said. */
struct il__mcp_answer {
    enum il_code code;
    bool sent;
    struct il__json *doc;
    uint32_t result;
    int64_t rpc_code;
    struct il_str message;
};
typedef void (*il__mcp_done)(void *ctx, const struct il__mcp_answer *answer);

struct il__mcp_request {
    const char *method;       /* "tools/call"; a static text */
    struct il_str params;     /* JSON object without `_meta`, or absent; copied */
    struct il_str meta;       /* of a tools/call: further members of its `_meta`, a JSON object; or absent; copied */
    uint32_t soft_ms, hard_ms; /* progress extends the soft deadline, never the hard one; 0: the defaults */
    struct il__permit *permit; /* of a mutating tools/call; valid until `done` */
    il__mcp_done done;        /* called exactly once for a begun request, also when it is late or lost */
    il__mcp_done late;        /* an answer after `done` said timeout or after il__mcp_cancel; may be NULL */
    void *ctx;
};
/* Begins a request once the connection is ready (queued until then). `*id` names it, never 0. Anything but IL_OK: never
 * began. Callbacks may begin, cancel and shut, and must not tick or free. The soft deadline starts when the request
 * goes to the wire, the hard one here. */
enum il_code il__mcp_begin(struct il__mcp *mcp, const struct il__mcp_request *request, uint64_t *id,
                           struct il_error *err) IL_MUST_USE;
/* Sends notifications/cancelled unless no byte had left; `done` hears `cancelled` at once (before this returns), a
 * later answer goes to `late`. An id that is not in flight is ignored. */
void il__mcp_cancel(struct il__mcp *mcp, uint64_t id, const char *reason);

/* tools/list over all its pages (bounded in pages and tools; a repeated cursor ends it with an error). Names are told
 * one by one, then `done`. */
typedef void (*il__mcp_tool)(void *ctx, struct il_str name, struct il__json *doc, uint32_t tool);
enum il_code il__mcp_list_tools(struct il__mcp *mcp, il__mcp_tool tool, il__mcp_done done, void *ctx,
                                struct il_error *err) IL_MUST_USE;

/* What a tools/call came to, read from `result` of an answer: `ok` unless isError. `content` is the node of
 * structuredContent, else of the JSON object that the last text block holds (an earlier block may be what stands on the
 * desktop), read into `text_doc`. Of a failure `reason` is the member `error` of that object, "" when there is only
 * text, and `message` its member `message`, else the last text. Other shapes are `decode`. Texts live as long as the
 * result and the answer's doc. */
struct il__mcp_tool_result {
    bool ok;
    struct il__json *doc;  /* where `content` is: the answer's, or `text_doc`: the struct must not be moved */
    uint32_t content;      /* 0: there is none */
    struct il_str reason, message;
    struct il__json text_doc;
};
enum il_code il__mcp_tool_result(struct il__mem *mem, struct il__json *doc, uint32_t result,
                                 struct il__mcp_tool_result *out, struct il_error *err) IL_MUST_USE;
void il__mcp_tool_result_clear(struct il__mcp_tool_result *result);

#endif
