/* The MCP engine as its users see it (mcp.h): life, state, ticking, beginning and cancelling, and what the wire tells.
 * Uses the table (mcp_table.c), initialize (mcp_hello.c) and the reader (mcp_read.c). Must never send a request twice.
 * */
#include "runtime/mcp_engine.h"

#include "base/error.h"

int64_t il__mcp_now_ms(const struct il__mcp *mcp)
{
    return il__clock_now(mcp->clock).boot_ms;
}

void il__mcp_complain(struct il__mcp *mcp, const char *about, struct il_str what)
{
    char seen[160];
    if (mcp->complaints > IL__LIMIT_MCP_COMPLAINTS) return;
    if (++mcp->complaints > IL__LIMIT_MCP_COMPLAINTS) {
        il__log(mcp->log, IL_LOG_WARN, "mcp: too much to complain about this server; no more is logged");
        return;
    }
    (void)il__escape(seen, sizeof seen, what);
    il__log(mcp->log, IL_LOG_WARN, "mcp: %s%s%s", about, seen[0] ? ": " : "", seen);
}

/* ---- life ---- */

static enum il_code copy_client(struct il__mcp *mcp, const struct il__mcp_options *options)
{
    struct il_str name = options->client_name, version = options->client_version;
    if (!name.len) name = IL_STR("interlock");
    if (!version.len) version = IL_STR(IL_VERSION);
    enum il_code code = il__arena_str(&mcp->arena, name, &mcp->client_name);
    return code ? code : il__arena_str(&mcp->arena, version, &mcp->client_version);
}

enum il_code il__mcp_new(const struct il__mcp_options *options, struct il__mcp **out, struct il_error *err)
{
    struct il__mcp *mcp = il__mem_zalloc(options->mem, 1, sizeof *mcp);
    if (!mcp) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for an MCP connection");
    mcp->mem = options->mem;
    mcp->clock = options->clock;
    mcp->log = options->log;
    mcp->tail = &mcp->head;
    mcp->initialize_ms = options->initialize_timeout_ms ? options->initialize_timeout_ms : IL__LIMIT_MCP_INITIALIZE_MS;
    il__error_clear(&mcp->error);
    il__arena_init(&mcp->arena, mcp->mem);
    il__arena_init(&mcp->told, mcp->mem);
    if (copy_client(mcp, options)) {
        il__mcp_free(mcp);
        return il__fail(err, IL_OUT_OF_MEMORY, "no memory for an MCP connection");
    }
    *out = mcp;
    return IL_OK;
}

void il__mcp_set_wire(struct il__mcp *mcp, struct il__mcp_wire wire)
{
    mcp->wire = wire;
}

void il__mcp_keep_one_session(struct il__mcp *mcp)
{
    mcp->one_session = true;
}

void il__mcp_free(struct il__mcp *mcp)
{
    if (!mcp) return;
    mcp->freed = true;
    if (mcp->wire.ops) mcp->wire.ops->free(mcp->wire.self);
    il__mcp_entries_clear(mcp);
    il__arena_clear(&mcp->arena);
    il__arena_clear(&mcp->told);
    il__mem_free(mcp->mem, mcp, sizeof *mcp);
}

/* ---- state ---- */

enum il__mcp_state il__mcp_state(const struct il__mcp *mcp)
{
    return mcp->state;
}

const struct il_error *il__mcp_error(const struct il__mcp *mcp)
{
    return &mcp->error;
}

uint32_t il__mcp_generation(const struct il__mcp *mcp)
{
    return mcp->generation;
}

struct il_str il__mcp_server_name(const struct il__mcp *mcp)
{
    return mcp->server_name;
}

struct il_str il__mcp_server_version(const struct il__mcp *mcp)
{
    return mcp->server_version;
}

struct il_str il__mcp_protocol(const struct il__mcp *mcp)
{
    return mcp->protocol;
}

static void become_closed(struct il__mcp *mcp, const struct il_error *err)
{
    mcp->state = IL__MCP_CLOSED;
    mcp->error = *err;
    if (!mcp->error.code) il__fail(&mcp->error, IL_TRANSPORT, "the connection to the server ended");
    struct il_error why = mcp->error;
    if (why.code == IL_CANCELLED) why.code = IL_TRANSPORT; /* of a request: not it was cancelled */
    il__mcp_entries_lose(mcp, &why);
}

void il__mcp_fail(struct il__mcp *mcp, const struct il_error *err)
{
    if (mcp->state == IL__MCP_CLOSED) return;
    become_closed(mcp, err);
    if (mcp->wire.ops) mcp->wire.ops->shut(mcp->wire.self);
}

void il__mcp_shut(struct il__mcp *mcp)
{
    struct il_error err = IL_ERROR_INIT;
    if (mcp->shutting || mcp->state == IL__MCP_CLOSED) return;
    mcp->shutting = true;
    il__fail(&err, IL_CANCELLED, "the connection was shut by this host");
    if (mcp->wire.ops) mcp->wire.ops->shut(mcp->wire.self);
    else become_closed(mcp, &err);
}

/* ---- ticking ---- */

int64_t il__mcp_tick(struct il__mcp *mcp, uint32_t budget_us)
{
    if (!mcp->wire.ops) return -1;
    if (!mcp->greeted && !mcp->shutting && mcp->state == IL__MCP_CONNECTING) il__mcp_hello(mcp);
    int64_t due = il__mcp_entries_due(mcp); /* before the wire sends: what is over does not leave any more */
    int64_t wire = mcp->wire.ops->tick(mcp->wire.self, budget_us);
    int64_t again = il__mcp_entries_due(mcp);
    if (again >= 0 && (due < 0 || again < due)) due = again;
    if (again < 0) due = -1;
    if (wire < 0 || due < 0) return wire < 0 ? due : wire;
    return wire < due ? wire : due;
}

size_t il__mcp_descriptors(struct il__mcp *mcp, int *fds, short *events, size_t cap)
{
    return mcp->wire.ops ? mcp->wire.ops->descriptors(mcp->wire.self, fds, events, cap) : 0;
}

/* ---- requests ---- */

enum il_code il__mcp_begin(struct il__mcp *mcp, const struct il__mcp_request *request, uint64_t *id,
                           struct il_error *err)
{
    struct il__mcp_entry *entry = NULL;
    if (mcp->state == IL__MCP_CLOSED || mcp->shutting)
        return il__fail(err, IL_TRANSPORT, "the connection is closed: %s",
                        mcp->error.code ? mcp->error.message : "it is being shut");
    enum il_code code = il__mcp_entry_new(mcp, request, &entry, err);
    if (code) return code;
    if (mcp->state == IL__MCP_READY && (code = il__mcp_entry_hand(mcp, entry, err))) {
        struct il__mcp_answer nobody = { .code = code };
        entry->done = NULL; /* it never began */
        il__mcp_entry_end(mcp, entry, &nobody, false);
        return code;
    }
    *id = entry->id;
    return IL_OK;
}

void il__mcp_cancel(struct il__mcp *mcp, uint64_t id, const char *reason)
{
    struct il__mcp_entry *entry = il__mcp_entry_find(mcp, id);
    if (entry) il__mcp_entry_give_up(mcp, entry, IL_CANCELLED, "cancelled", reason);
}

static struct il__mcp_entry *first_waiting(struct il__mcp *mcp)
{
    struct il__mcp_entry *entry = mcp->head;
    while (entry && entry->handed) entry = entry->next;
    return entry;
}

void il__mcp_ready(struct il__mcp *mcp)
{
    struct il__mcp_entry *entry;
    mcp->state = IL__MCP_READY;
    while (mcp->state == IL__MCP_READY && (entry = first_waiting(mcp))) {
        struct il_error err = IL_ERROR_INIT;
        if (!il__mcp_entry_hand(mcp, entry, &err)) continue;
        struct il__mcp_answer answer = { .code = err.code, .message = il__str(err.message) };
        il__mcp_entry_end(mcp, entry, &answer, false);
    }
}

/* ---- what the wire tells ---- */

static void lost(void *ctx, uint64_t id, bool sent, const struct il_error *err)
{
    struct il__mcp *mcp = ctx;
    if (mcp->freed) return;
    if (mcp->ending && mcp->ending->id == id) {
        mcp->ending->unsent = !sent;
        return;
    }
    struct il__mcp_entry *entry = il__mcp_entry_find(mcp, id);
    if (!entry) {
        struct il__mcp_late *late = il__mcp_late_find(mcp, id);
        if (late) late->id = 0;
        return;
    }
    struct il__mcp_answer answer = { .code = err->code ? err->code : IL_TRANSPORT, .sent = sent,
                                     .message = il__str(err->message) };
    il__mcp_entry_end(mcp, entry, &answer, false);
}

static void closed(void *ctx, const struct il_error *err)
{
    struct il__mcp *mcp = ctx;
    struct il_error why = *err;
    if (mcp->freed || mcp->state == IL__MCP_CLOSED) return;
    if (mcp->shutting) {
        il__error_clear(&why);
        il__fail(&why, IL_CANCELLED, "the connection was shut by this host");
    }
    become_closed(mcp, &why);
}

/* The server does not know the session any more. The request is not sent again, whatever it was; a new session is asked
 * for, a bounded number of times without an answer in between. */
static void session_lost(void *ctx, uint64_t id)
{
    struct il__mcp *mcp = ctx;
    struct il_error err = IL_ERROR_INIT;
    if (mcp->freed || mcp->state == IL__MCP_CLOSED) return;
    il__fail(&err, IL_TRANSPORT, "the server lost the session");
    if (mcp->state == IL__MCP_READY && (mcp->one_session || mcp->restarts >= IL__LIMIT_MCP_RESTARTS)) {
        il__mcp_fail(mcp, &err);
        return;
    }
    if (mcp->state == IL__MCP_READY) {
        mcp->restarts++;
        mcp->state = IL__MCP_CONNECTING;
        mcp->greeted = false;
        mcp->protocol_z = NULL;
    }
    lost(mcp, id, true, &err); /* when it is initialize, its end closes the connection */
}

struct il__mcp_sink il__mcp_sink_of(struct il__mcp *mcp)
{
    return (struct il__mcp_sink){ mcp, il__mcp_read, lost, closed, session_lost };
}
