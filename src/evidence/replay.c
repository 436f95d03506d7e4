/* Reading what has to come again (replay.h): a reply is opened by the record of its request, and filled by the record
 * of what came. What was open when a process ended is lost. */
#include "evidence/replay.h"

#include "base/error.h"
#include "evidence/chain.h"

#include <stdio.h>

struct reading {
    struct il__replay *r;
    struct il__recorded_line *line;
    struct il__instant at;
    size_t own;                  /* records before this one, those on trial aside */
    size_t open[IL_OP_COUNT];    /* a reply's place and one; 0: none is open */
    bool waiting, recovering;
    bool last_opens;             /* the record before this one opened a reply */
    struct il_error *err;
};

static struct il_str text(struct reading *g, const char *name)
{
    return il__recorded_text(g->line, name);
}

static bool is(struct reading *g, const char *name, const char *value)
{
    return il__str_eq(text(g, name), il__str(value));
}

/* ---- replies ---- */

static enum il_code open_reply(struct reading *g, enum il_op op)
{
    struct il__replay *r = g->r;
    enum il_code code =
        il__chain_grow(r->mem, (void **)&r->replies, &r->reply_cap, r->reply_count, sizeof *r->replies, g->err);
    if (code) return code;
    r->replies[r->reply_count++] = (struct il__reply){ .op = op, .kind = IL__REPLY_LOST, .asked = g->at };
    g->open[op] = r->reply_count;
    return IL_OK;
}

static struct il__reply *close_reply(struct reading *g, enum il_op op)
{
    struct il__reply *reply = g->open[op] ? &g->r->replies[g->open[op] - 1] : NULL;
    g->open[op] = 0;
    if (reply) reply->after_ms = il__instant_diff_ms(g->at, reply->asked);
    return reply;
}

static void reply_json(struct reading *g, enum il_op op, struct il_str json)
{
    struct il__reply *reply = close_reply(g, op);
    if (!reply) return;
    reply->kind = IL__REPLY_JSON;
    reply->json = json;
}

/* "reason: message", as it stands in an error, behind "runtime: operation: ". */
static void reply_fail(struct reading *g, enum il_op op, struct il_str why)
{
    struct il__reply *reply = close_reply(g, op);
    char lead[48];
    int n = snprintf(lead, sizeof lead, "%s: ", il_op_name(op));
    const char *name = why.len ? memmem(why.ptr, why.len, lead, (size_t)n) : NULL;
    if (name) why = (struct il_str){ name + n, why.len - (size_t)(name - why.ptr) - (size_t)n };
    const char *colon = why.len ? memchr(why.ptr, ':', why.len) : NULL;
    if (!reply) return;
    size_t len = colon ? (size_t)(colon - why.ptr) : why.len;
    size_t skip = colon && len + 2 <= why.len ? len + 2 : why.len;
    reply->kind = IL__REPLY_FAIL;
    reply->reason = len ? (struct il_str){ why.ptr, len } : IL_STR("failed");
    reply->message = (struct il_str){ why.ptr + skip, why.len - skip };
}

/* ---- what came from outside ---- */

static enum il_code came(struct reading *g, enum il__event_kind kind)
{
    struct il__replay *r = g->r;
    enum il_code code =
        il__chain_grow(r->mem, (void **)&r->came, &r->came_cap, r->came_count, sizeof *r->came, g->err);
    if (code) return code;
    r->came[r->came_count++] = (struct il__came){ kind, g->at, g->line, g->own };
    return IL_OK;
}

/* ---- records ---- */

static enum il_code on_intent(struct reading *g)
{
    for (unsigned op = 0; op < IL_OP_COUNT; op++)
        if (is(g, "op", il_op_name((enum il_op)op))) return open_reply(g, (enum il_op)op);
    return IL_OK;
}

static enum il_code on_observed(struct reading *g)
{
    for (unsigned op = 0; op < IL_OP_COUNT; op++)
        if (is(g, "op", il_op_name((enum il_op)op))) reply_json(g, (enum il_op)op, g->line->payload);
    return IL_OK;
}

static enum il_code on_preview(struct reading *g)
{
    if (is(g, "from", "runtime")) reply_json(g, IL_OP_PREVIEW_ACTION, g->line->payload);
    return IL_OK;
}

static enum il_code on_reserved(struct reading *g)
{
    reply_json(g, IL_OP_RESERVE_TARGET, g->line->payload);
    return IL_OK;
}

static enum il_code on_unreserved(struct reading *g)
{
    reply_json(g, IL_OP_RESERVE_TARGET, IL_STR("null"));
    return IL_OK;
}

static enum il_code on_leased(struct reading *g)
{
    reply_json(g, IL_OP_ACQUIRE_LEASE, g->line->payload);
    return IL_OK;
}

static enum il_code on_execute(struct reading *g)
{
    if (g->recovering) reply_json(g, IL_OP_RECOVER, IL_STR("\"not_started\""));
    g->recovering = false;
    g->r->sends++;
    return open_reply(g, IL_OP_EXECUTE_ACTION);
}

static enum il_code on_not_sent(struct reading *g)
{
    struct il__reply *reply = close_reply(g, IL_OP_EXECUTE_ACTION);
    if (reply) reply->kind = IL__REPLY_NEVER;
    g->r->sends--;
    return IL_OK;
}

static enum il_code on_receipt(struct reading *g)
{
    reply_json(g, g->recovering ? IL_OP_RECOVER : IL_OP_EXECUTE_ACTION, g->line->payload);
    g->recovering = false;
    return IL_OK;
}

/* What came in place of a receipt. After a crash nobody knows, and nothing came. */
static enum il_code execute_failed(struct reading *g, struct il_str code, struct il_str why)
{
    if (!g->open[IL_OP_EXECUTE_ACTION]) return IL_OK;
    if (il__str_eq(code, IL_STR("transport"))) close_reply(g, IL_OP_EXECUTE_ACTION)->kind = IL__REPLY_CRASH;
    else if (il__str_eq(code, IL_STR("runtime"))) reply_fail(g, IL_OP_EXECUTE_ACTION, why);
    else if (il__str_eq(code, IL_STR("decode"))) reply_json(g, IL_OP_EXECUTE_ACTION, IL_STR("{}"));
    else if (il__str_eq(code, IL_STR("identity_mismatch")))
        return il__fail_at(g->err, IL_UNSUPPORTED, "run", "receipt",
                           "a receipt of the run was refused and is not kept");
    g->open[IL_OP_EXECUTE_ACTION] = 0;
    return IL_OK;
}

static enum il_code on_recover(struct reading *g)
{
    enum il_code code = execute_failed(g, text(g, "failed"), text(g, "cause"));
    if (code) return code;
    g->recovering = true;
    return open_reply(g, IL_OP_RECOVER);
}

/* A runtime that cannot be asked what became of it. */
static enum il_code unrecovered(struct reading *g)
{
    uint32_t error = il__recorded_get(g->line, "error");
    struct il_str code = il__recorded_text_in(g->line, error, "code");
    return execute_failed(g, code, il__recorded_text_in(g->line, error, "message"));
}

static enum il_code on_no_receipt(struct reading *g)
{
    if (g->open[IL_OP_EXECUTE_ACTION]) return unrecovered(g);
    if (g->recovering) reply_json(g, IL_OP_RECOVER, is(g, "status", "failed") ? IL_STR("\"not_started\"")
                                                                              : IL_STR("\"unknown\""));
    g->recovering = false;
    return IL_OK;
}

static enum il_code on_evidence(struct reading *g)
{
    if (is(g, "from", "verify")) reply_json(g, IL_OP_VERIFY, g->line->payload);
    return IL_OK;
}

static enum il_code on_released(struct reading *g)
{
    enum il_op op = is(g, "what", "control lease") ? IL_OP_RELEASE_LEASE : IL_OP_RELEASE_TARGET;
    if (il__str_present(text(g, "error"))) reply_fail(g, op, text(g, "error"));
    else reply_json(g, op, IL_STR("{}"));
    return IL_OK;
}

static enum il_code on_wait(struct reading *g)
{
    g->waiting = true;
    return came(g, IL__CAME_WAIT);
}

static enum il_code on_ask(struct reading *g)
{
    g->waiting = false;
    return IL_OK;
}

static enum il_code on_answer(struct reading *g)
{
    return il__str_present(text(g, "meets")) ? came(g, IL__CAME_ANSWER) : IL_OK;
}

static enum il_code on_decision(struct reading *g)
{
    return came(g, IL__CAME_DECISION);
}

static enum il_code on_cancel(struct reading *g)
{
    g->waiting = false;
    return came(g, IL__CAME_CANCEL);
}

/* Whether what the last record before a crash says went out, nobody knows; it is played as if it had not. */
static void never_asked(struct reading *g)
{
    struct il__reply *last = g->r->reply_count ? &g->r->replies[g->r->reply_count - 1] : NULL;
    if (last && g->last_opens && g->open[last->op] == g->r->reply_count) {
        last->kind = IL__REPLY_NEVER;
        if (last->op == IL_OP_EXECUTE_ACTION) g->r->sends--;
    }
}

static enum il_code on_resumed(struct reading *g)
{
    if (!g->waiting) never_asked(g);
    memset(g->open, 0, sizeof g->open);
    g->recovering = false;
    return came(g, g->waiting ? IL__CAME_LEAVE : IL__CAME_CRASH);
}

/* What a request that was open came to, by the error that ended the run. */
static enum il_code on_stopped(struct reading *g)
{
    static const enum il_op asked[] = { IL_OP_DISCOVER_CAPABILITIES, IL_OP_OBSERVE_VISUAL, IL_OP_OBSERVE_SEMANTIC,
                                        IL_OP_PREVIEW_ACTION, IL_OP_RESERVE_TARGET, IL_OP_ACQUIRE_LEASE };
    uint32_t error = il__recorded_get(g->line, "error");
    struct il_str code = il__recorded_text_in(g->line, error, "code");
    struct il_str why = il__recorded_text_in(g->line, error, "message");
    if (is(g, "end", "expired") && g->waiting) return came(g, IL__CAME_TIME);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        if (!g->open[asked[i]]) continue;
        if (il__str_eq(code, IL_STR("runtime"))) reply_fail(g, asked[i], why);
        else if (il__str_eq(code, IL_STR("transport"))) close_reply(g, asked[i])->kind = IL__REPLY_CRASH;
        else if (!il__str_eq(code, IL_STR("timeout")) && !il__str_eq(code, IL_STR("cancelled")))
            return il__fail_at(g->err, IL_UNSUPPORTED, "run", il_op_name(asked[i]),
                               "the answer of %s was refused and is not kept", il_op_name(asked[i]));
    }
    return IL_OK;
}

static enum il_code on_outcome(struct reading *g)
{
    g->r->outcome = g->line;
    return IL_OK;
}

static enum il_code on_end(struct reading *g)
{
    g->waiting = false;
    g->r->end = g->line;
    return IL_OK;
}

static const struct {
    const char *kind;
    enum il_code (*take)(struct reading *g);
} HEARD[] = {
    { "intent", on_intent }, { "observed", on_observed }, { "preview", on_preview },
    { "reserved", on_reserved }, { "unreserved", on_unreserved }, { "leased", on_leased }, { "execute", on_execute },
    { "not_sent", on_not_sent }, { "receipt", on_receipt }, { "recover", on_recover },
    { "no_receipt", on_no_receipt }, { "evidence", on_evidence }, { "released", on_released }, { "wait", on_wait },
    { "ask", on_ask }, { "answer", on_answer }, { "decision", on_decision }, { "cancel", on_cancel },
    { "resumed", on_resumed }, { "stopped", on_stopped }, { "outcome", on_outcome }, { "end", on_end },
};

static enum il_code take(struct reading *g)
{
    for (size_t i = 0; i < sizeof HEARD / sizeof *HEARD; i++)
        if (il__recorded_is(g->line, HEARD[i].kind)) return HEARD[i].take(g);
    return IL_OK;
}

static enum il_code walk(struct reading *g)
{
    struct il__recorded *run = &g->r->run;
    enum il_code code = IL_OK;
    for (size_t i = 0; i < run->count && !code; i++) {
        g->line = &run->lines[i];
        if (!il__rfc3339_parse(g->line->at, &g->at, NULL))
            return il__fail_at(g->err, IL_STORE, "journal", "at", "record %zu has no time", i);
        size_t replies = g->r->reply_count;
        code = take(g);
        bool aside = il__recorded_is(g->line, "trial") || il__recorded_is(g->line, "compared");
        if (!aside) g->last_opens = g->r->reply_count > replies;
        g->own += !aside;
    }
    g->r->ended = g->at;
    g->r->waits = g->waiting;
    return code;
}

enum il_code il__replay_read(struct il__replay *r, struct il__mem *mem, const struct il__store *store,
                             struct il_str run_id, struct il_error *err)
{
    struct reading g = { .r = r, .err = err };
    *r = (struct il__replay){ .mem = mem };
    enum il_code code = il__recorded_load(&r->run, mem, store, run_id, err);
    return code ? code : walk(&g);
}

void il__replay_clear(struct il__replay *r)
{
    il__mem_free(r->mem, r->replies, r->reply_cap * sizeof *r->replies);
    il__mem_free(r->mem, r->came, r->came_cap * sizeof *r->came);
    il__recorded_clear(&r->run);
    r->replies = NULL;
    r->came = NULL;
}
