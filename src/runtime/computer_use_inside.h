/* The inside of the computer-use adapter, shared by its files: calls, operations, the envelopes retained, the story
 * that events tell of an action, the connection. No other file includes it. */
#ifndef IL_RUNTIME_COMPUTER_USE_INSIDE_H
#define IL_RUNTIME_COMPUTER_USE_INSIDE_H

#include "base/buf.h"
#include "runtime/computer_use.h"
#include "wire/json_write.h"

enum { IL__CU_UUID = 37 };

/* ---- calls (computer_use_call.c) ---- */

typedef void (*il__cu_heard)(void *ctx, const struct il__mcp_answer *answer);

/* One request to the server. Its memory is given back with the adapter alone: the engine may still hand over a late
 * answer to one that was long reused, which is told by the message's id. */
struct il__cu_call {
    struct il__computer_use *cu;
    struct il__cu_call *next;   /* of the pool, of the live ones, or of the late ones */
    uint64_t id;
    il__cu_heard heard;
    void *ctx;
    struct il__buf session;     /* whose reservation a late answer would be */
    uint64_t late_token;        /* an execute that was given up: completed by its late receipt */
    int64_t begun_us, until_ms; /* late: kept until then */
    bool reading;               /* a resources/read, not a tool */
};

struct il__cu_ask {
    const char *tool;
    struct il_str args;         /* the arguments object */
    struct il_str run_id, session_id; /* may be absent */
    uint32_t timeout_ms;
    struct il__permit *permit;  /* of an execute; valid until heard */
    il__cu_heard heard;         /* exactly once */
    void *ctx;
};
enum il_code il__cu_call_tool(struct il__computer_use *cu, const struct il__cu_ask *ask, struct il__cu_call **out,
                              struct il_error *err) IL_MUST_USE;
enum il_code il__cu_call_resource(struct il__computer_use *cu, const char *uri, uint32_t timeout_ms,
                                  il__cu_heard heard, void *ctx, struct il_error *err) IL_MUST_USE;
/* Keeps the connection's sessions alive; nobody hears of it. */
void il__cu_call_ping(struct il__computer_use *cu);
/* `heard` is told before it returns. */
void il__cu_call_cancel(struct il__cu_call *call, const char *reason);
/* Forgets late calls whose time is over, and gives back what came late. Returns ms to the next of them; -1: none. */
int64_t il__cu_calls_tick(struct il__computer_use *cu);
/* From now on nothing is told any more, whatever comes. */
void il__cu_calls_mute(struct il__computer_use *cu);
void il__cu_calls_clear(struct il__computer_use *cu);

/* ---- what events tell of one action (computer_use_events.c) ---- */

struct il__cu_story {
    bool previewed;      /* our action.previewed stands there */
    bool recovered;      /* session.recovered stands behind it: the server was restarted since */
    bool started;
    const char *end;     /* receipt status that an end event names, NULL: none; static */
    struct il_str receipt_id, code, digest, at; /* in the arena of the operation; may be absent */
    bool denied;         /* action.verified said false */
    struct il__buf verified; /* the action.verified events as received, with commas between */
    int64_t after;       /* the cursor */
    uint32_t pages;
    bool from_start;     /* this reading began at 0 */
};

/* ---- operations (computer_use.c) ---- */

enum il__cu_stage {
    IL__CU_SINGLE, IL__CU_READ, IL__CU_PROBE,
    IL__CU_FIND, IL__CU_INFO, IL__CU_CONTENT, IL__CU_LIST /* of a read-back; nothing that they ask for acts */
};

/* What a verify reads back by an observation of its own (computer_use_readback.c). */
enum il__cu_look_kind {
    IL__CU_LOOK_NOTHING, IL__CU_LOOK_VALUE, IL__CU_LOOK_NO_ELEMENT, IL__CU_LOOK_CONTENT, IL__CU_LOOK_NO_FILE
};
struct il__cu_look {
    enum il__cu_look_kind kind;       /* what is still to be looked at */
    struct il_str role, label;        /* in the arena of the operation; may be absent */
    struct il_str path, name;         /* name: what must not be in the listing of path */
    int64_t window_id, size;
    char id[IL__CU_UUID];             /* of the observation under way */
    char digest[7 + IL__SHA256_HEX];  /* "sha256:..."; empty: none was observed */
    bool proved, contradicted;        /* of an absence */
    const char *why;                  /* what came of it; static. NULL: there was nothing to read back */
};

struct il__cu_op {
    struct il__cu_op *next;
    struct il__computer_use *cu;
    uint64_t token;           /* 0: nobody waits any more */
    enum il_op op;
    struct il__arena arena;
    struct il_str run_id, session_id, action_id; /* in the arena */
    const char *tool;
    struct il__buf args;
    int64_t deadline_ms;
    bool due;                 /* the next call is to be begun, at due_ms or later */
    int64_t due_ms;
    struct il__cu_call *call; /* in flight */
    struct il__permit permit; /* a copy: spent by the wire, its context is the run */
    bool has_permit;
    bool crossed;             /* a release of what was granted over a connection that is lost */
    int64_t attempt;
    enum il__cu_stage stage;
    struct il__cu_story story;
    struct il__cu_look look;
    bool known_before;        /* recover: the events held our preview before the probe */
    bool probed;
};

/* ---- envelopes and sends (computer_use_retain.c) ---- */

/* What was previewed, and what was sent of it, by action id. */
struct il__cu_kept {
    struct il__cu_kept *next, *newer; /* of the hash chain; by age */
    struct il_str action_id;          /* behind the struct */
    uint64_t hash;
    int64_t until_ms;
    char digest[IL__SHA256_HEX];      /* of the envelope's canonical text */
    struct il_str args_digest;        /* behind the struct */
    uint32_t epoch;                   /* of the connection that it was previewed on */
    int64_t window_id;                /* of its target; -1: none that is a number */
    bool mutates;                     /* by the envelope's class: only then may it be probed */
    struct il__buf sent;              /* the arguments of the execute, without lease; empty: not sent */
    int64_t attempt;
    size_t size;
};

enum { IL__CU_CHAINS = 1024 };

/* ---- the whole ---- */

/* LOST up to the next try; AGAIN_*: what is asked of a server that is connected to again before it is used. */
enum il__cu_connect { IL__CU_CONNECTING, IL__CU_LISTING, IL__CU_LISTED, IL__CU_READING, IL__CU_READ_DONE,
                      IL__CU_STARTING, IL__CU_AGAIN_STARTED, IL__CU_AGAIN_STOPPED, IL__CU_READY, IL__CU_LOST,
                      IL__CU_DEAD };

struct il__cu_flag { bool known, value; };

struct il__cu_cursor { struct il_str session_id; size_t cap; int64_t after; };
enum { IL__CU_CURSORS = 16 };

struct il__computer_use {
    struct il__mem *mem;
    const struct il__clock *clock;
    const struct il__log *log;
    struct il__digest *digest;
    il_random_fn random;
    void *random_ctx;
    struct il__runtime_sink sink;
    struct il__mcp *mcp;      /* NULL only while LOST or DEAD, when none could be made */
    enum il_code (*reopen)(void *ctx, struct il__mcp **out, struct il_error *err);
    void *reopen_ctx;
    struct il__arena arena;   /* texts of the options and of the first connection */
    struct il__arena told;    /* texts of this connection */
    struct il_str address, visual_tool, semantic_tool;
    struct il_str *accept_tools;
    size_t accept_count;
    bool commands_only, read_back;

    enum il__cu_connect connect;
    bool refused;             /* dead by our own decision */
    bool ever_ready;
    uint32_t epoch;           /* how many connections were lost that had been ready */
    int64_t tried_ms[IL__LIMIT_RECONNECTS]; /* when; the oldest first */
    uint32_t tried, connect_timeout_ms;
    int64_t again_ms;         /* LOST: when the next try begins */
    struct il_str server_name; /* of the first connection */
    struct il_str again_id;   /* of the session that told whose this connection is */
    bool session_lost;        /* session_id belongs to a connection that is lost */
    int64_t suspect_ms;       /* HTTP: when a request was lost and none was answered since; 0: none */
    struct il_error error;    /* why it is dead */
    int64_t connect_until_ms, connect_begun_us, connect_us, latency_us;
    uint32_t generation;      /* of the engine's initialize */
    uint32_t ping_ms;
    int64_t asked_ms;         /* when the last request was begun */
    struct il_str session_id, principal_id;
    bool started_session;
    bool has_preview, has_approve;
    uint32_t tool_count, acting_count, refused_count;
    struct il__buf acting;    /* names of raw acting tools, a JSON list without brackets */
    struct il__buf listing;   /* all names with what they are to us, likewise */
    struct il__buf refusing;  /* those not accepted, for the message */
    struct il__cu_flag durable_receipts, durable_sessions, durable_events, supervisor;
    struct il_str platform, profile;
    int64_t api_version;

    struct il__cu_op *ops;
    struct il__cu_command *commands;
    struct il__cu_call *pool, *live, *late;
    struct il__cu_gift *gifts;
    struct il__cu_kept *chains[IL__CU_CHAINS], *oldest, *newest;
    uint32_t kept_count;
    size_t kept_bytes;                /* of what was sent of them */
    struct il__cu_cursor cursors[IL__CU_CURSORS];
    uint32_t next_cursor;
    struct il__buf params, body, facts; /* scratch */
};

/* ---- shared ---- */

int64_t il__cu_now_ms(const struct il__computer_use *cu);
enum il_code il__cu_uuid(struct il__computer_use *cu, char out[IL__CU_UUID], struct il_error *err) IL_MUST_USE;
/* A member that is a string, else absent. */
struct il_str il__cu_text(struct il__json *doc, uint32_t at, const char *name);
void il__cu_dead(struct il__computer_use *cu, bool refused, const struct il_error *err);
/* What waits for its turn ends with the error of the connection. */
void il__cu_lose_waiting(struct il__computer_use *cu);

/* What an operation came to. Ends and frees `op`. */
void il__cu_op_answer(struct il__cu_op *op, struct il_str body);
void il__cu_op_fail(struct il__cu_op *op, enum il_code code, struct il_str reason, struct il_str message);
/* The answer of a call was no result: completes the operation with that. */
void il__cu_op_lost(struct il__cu_op *op, const struct il__mcp_answer *answer);
/* The next call of the operation is begun by a later tick. */
void il__cu_op_again(struct il__cu_op *op, int64_t in_ms);
struct il__cu_kept *il__cu_kept_of(struct il__computer_use *cu, struct il_str action_id);

/* computer_use_args.c: the arguments of `op` into op->args, and its tool. `*none`: nothing is asked, the answer is
 * null. `body` is the request's document. */
enum il_code il__cu_args(struct il__cu_op *op, struct il__json *body, bool *none, struct il_error *err) IL_MUST_USE;
/* Appends a value without the blanks between its tokens: a message is one line. */
void il__cu_put_raw(struct il__json_writer *w, struct il_str json);

/* computer_use_answer.c: an answer of the server becomes the answer of the operation, which ends. */
void il__cu_op_heard(void *ctx, const struct il__mcp_answer *answer);
/* Both failure shapes: the code in `reason`, else what stands for it. */
struct il_str il__cu_reason(const struct il__mcp_tool_result *result);

/* computer_use_retain.c */
enum il_code il__cu_keep(struct il__computer_use *cu, struct il_str action_id, struct il__json *doc, uint32_t envelope,
                         struct il_error *err) IL_MUST_USE;
/* SPEC I11: refuses (invariant, identity_mismatch) an envelope that is not the one retained. */
enum il_code il__cu_keep_check(struct il__computer_use *cu, struct il_str action_id, struct il__json *doc,
                               uint32_t envelope, struct il_error *err) IL_MUST_USE;
/* Keeps the arguments of its send, an open object: a probe adds its attempt. Those of the longest known actions go when
 * there are too many bytes: what was lost of them is then unknown. */
enum il_code il__cu_keep_sent(struct il__computer_use *cu, struct il__cu_kept *kept, struct il_str args,
                              struct il_error *err) IL_MUST_USE;
void il__cu_keep_tick(struct il__computer_use *cu);
void il__cu_keep_clear(struct il__computer_use *cu);

/* computer_use_events.c. Starts the story over, with the call for its first page as the next of the operation. */
enum il_code il__cu_read_begin(struct il__cu_op *op, bool from_start, struct il_error *err) IL_MUST_USE;
/* Takes a page. `*more`: the next call of the operation asks for another. */
enum il_code il__cu_read_page(struct il__cu_op *op, struct il__json *doc, uint32_t content, bool *more,
                              struct il_error *err) IL_MUST_USE;
/* The server may have started over: what was read is read again. */
void il__cu_cursors_clear(struct il__computer_use *cu);

/* computer_use_recover.c: verify and recover, call by call. */
enum il_code il__cu_recover_begin(struct il__cu_op *op, struct il_error *err) IL_MUST_USE;
void il__cu_recover_heard(struct il__cu_op *op, const struct il__mcp_answer *answer);
/* Ends a verify with all that was found. */
void il__cu_verify_answer(struct il__cu_op *op);

/* computer_use_readback.c: finds out from the request's body what is to be read back, which may be nothing; begins it;
 * and takes the answer of one of its calls. It ends in il__cu_verify_answer. */
void il__cu_look_plan(struct il__cu_op *op, struct il__json *body);
void il__cu_look_begin(struct il__cu_op *op);
void il__cu_look_heard(struct il__cu_op *op, const struct il__mcp_answer *answer);

/* computer_use_connect.c */
bool il__cu_connect_tick(struct il__computer_use *cu);
void il__cu_connect_failed(struct il__computer_use *cu, const struct il__mcp_answer *answer, const char *what);
void il__cu_now_ready(struct il__computer_use *cu);
/* Forgets what the last connection told of its tools. */
void il__cu_unlist(struct il__computer_use *cu);

/* computer_use_again.c: the connection broke, or could not be made; another one is made, or it is dead. */
void il__cu_broke(struct il__computer_use *cu, const struct il_error *err);
bool il__cu_again_tick(struct il__computer_use *cu);
/* IL_OK, unless the operation belongs to a session that was lost, or to an action of a lost connection. */
enum il_code il__cu_again_serves(const struct il__cu_op *op, struct il_error *err) IL_MUST_USE;
/* A session command made this the connection's session, or showed that the lost one runs. */
enum il_code il__cu_again_session(struct il__computer_use *cu, struct il_str session_id, bool started,
                                  bool running) IL_MUST_USE;

/* computer_use_session.c */
bool il__cu_commands_tick(struct il__computer_use *cu);
void il__cu_commands_lose(struct il__computer_use *cu, const struct il_error *err);
void il__cu_commands_clear(struct il__computer_use *cu);

#endif
