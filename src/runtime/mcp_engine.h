/* The inside of the MCP engine, shared by its files: the table of requests in flight, the table of late ones, and what
 * the connection is about. No other file includes it. */
#ifndef IL_RUNTIME_MCP_ENGINE_H
#define IL_RUNTIME_MCP_ENGINE_H

#include "base/buf.h"
#include "runtime/mcp.h"

/* One request from begin to done. While `message` is held it waits for the connection; then it is the wire's. */
struct il__mcp_entry {
    struct il__mcp_entry *next;
    uint64_t id;
    enum il__mcp_sent kind;
    const char *method;
    struct il__buf message;
    bool handed;             /* to the wire */
    bool unsent;             /* the wire said that no byte had left */
    struct il__permit *permit;
    uint32_t soft_ms;
    int64_t soft_at_ms, hard_at_ms; /* boot time; the soft one counts once handed */
    il__mcp_done done, late;
    void (*drop)(void *ctx); /* frees ctx when the engine is freed before done; may be NULL */
    void *ctx;
};
struct il__mcp_late {
    uint64_t id;             /* 0: free */
    int64_t until_ms;
    il__mcp_done fn;         /* may be NULL */
    void *ctx;
};
struct il__mcp {
    struct il__mem *mem;
    const struct il__clock *clock;
    const struct il__log *log;
    struct il__arena arena;  /* client name and version */
    struct il_str client_name, client_version;
    struct il__arena told;   /* what the server said of itself in the last initialize */
    struct il_str server_name, server_version, protocol;
    const char *protocol_z;  /* the static text of `protocol`; NULL before */
    uint32_t initialize_ms, generation, restarts, complaints;
    enum il__mcp_state state;
    bool greeted, shutting, freed, one_session;
    struct il_error error;
    struct il__mcp_wire wire;
    uint64_t last_id;
    struct il__mcp_entry *head, **tail, *ending;
    uint32_t in_flight, next_late;
    struct il__mcp_late late[IL__LIMIT_MCP_LATE];
};

int64_t il__mcp_now_ms(const struct il__mcp *mcp);
/* A log line about the server's doing, bounded per connection; `what` may come from outside. */
void il__mcp_complain(struct il__mcp *mcp, const char *about, struct il_str what);

/* ---- mcp_table.c ---- */

/* A new entry at the end of the table with its message composed; not yet handed to the wire. */
enum il_code il__mcp_entry_new(struct il__mcp *mcp, const struct il__mcp_request *request, struct il__mcp_entry **out,
                               struct il_error *err) IL_MUST_USE;
struct il__mcp_entry *il__mcp_entry_find(const struct il__mcp *mcp, uint64_t id);
/* Gives the entry to the wire. On failure it stays as it was. */
enum il_code il__mcp_entry_hand(struct il__mcp *mcp, struct il__mcp_entry *entry, struct il_error *err) IL_MUST_USE;
/* Takes the entry out, tells the wire to forget it (`tell_wire`), calls `done`, frees it. */
void il__mcp_entry_end(struct il__mcp *mcp, struct il__mcp_entry *entry, struct il__mcp_answer *answer,
                       bool tell_wire);
/* Ends it without an answer, for timeout and cancel: a cancelled note where bytes may have left, and the late table. */
void il__mcp_entry_give_up(struct il__mcp *mcp, struct il__mcp_entry *entry, enum il_code code, const char *message,
                           const char *reason);
/* Ends all entries: those never handed as not sent. */
void il__mcp_entries_lose(struct il__mcp *mcp, const struct il_error *err);
/* Ends entries past a deadline, waiting ones whose permit no longer holds; returns ms to the next deadline, or -1. */
int64_t il__mcp_entries_due(struct il__mcp *mcp);
/* Frees all without a callback. */
void il__mcp_entries_clear(struct il__mcp *mcp);
/* The slot of a late id, NULL when it is none (any more). */
struct il__mcp_late *il__mcp_late_find(struct il__mcp *mcp, uint64_t id);
void il__mcp_note(struct il__mcp *mcp, struct il__buf *message);

/* ---- mcp_hello.c ---- */

void il__mcp_hello(struct il__mcp *mcp);

/* ---- mcp_read.c ---- */

bool il__mcp_read(void *ctx, struct il_str message);

/* ---- mcp.c ---- */

/* The connection is over by our own decision: everything ends, the wire is shut. */
void il__mcp_fail(struct il__mcp *mcp, const struct il_error *err);
/* Initialize was answered well: hands over what has waited. */
void il__mcp_ready(struct il__mcp *mcp);

#endif
