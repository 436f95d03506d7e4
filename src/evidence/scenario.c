/* Writing a scenario of a recorded run (scenario.h): what is set up, the answers of the runtime, then the play. Small
 * delays are left out, and the clock is set right again wherever something comes from outside. */
#include "evidence/scenario.h"

#include "base/error.h"
#include "base/limits.h"
#include "check/approve.h"
#include "check/verdict.h"
#include "contract/action.h"
#include "evidence/lua_text.h"
#include "evidence/mask.h"
#include "evidence/replay.h"

#include <stdio.h>

enum { SLOW_MS = 100, OBSERVED_MOST = 4096, TICKETS = 16, WHO = 32 };

struct person { struct il_str id; uint32_t roles; struct il__recorded_line *line; };

struct scene {
    const struct il_record_options *o;
    struct il__replay replay;
    struct il__mem *mem;
    struct il__lua_text lua;
    struct il__ticket tickets[TICKETS];
    struct person who[WHO];      /* approvers, in the order of their first decision */
    size_t who_count;
    struct il__instant now;      /* the clock of the play */
    struct il_error *err;
};

static struct il__recorded_line *created(struct scene *s)
{
    return &s->replay.run.lines[0];
}

/* ---- tickets and people ---- */

static void add_ticket(struct scene *s, struct il_str was, const char *name)
{
    if (!was.len || s->lua.ticket_count == TICKETS || il__lua_ticket(&s->lua, was).ptr != was.ptr) return;
    struct il__ticket *t = &s->tickets[s->lua.ticket_count++];
    t->was = was;
    snprintf(t->is, sizeof t->is, "%s-%zu", name, s->lua.ticket_count);
}

static enum il_code grant_of(struct scene *s, struct il_str payload, struct il_str *out)
{
    struct il__json doc = { 0 };
    struct il_str text = IL_STR_NONE;
    enum il_code code = il__json_parse(&doc, s->mem, payload, IL__JSON_PAYLOAD, s->err);
    uint32_t at = code ? 0 : il__json_get(&doc, 0, "grantId");
    uint32_t policy = code || at ? 0 : il__json_get(&doc, 0, "policy");
    if (policy) at = il__json_get(&doc, policy, "grantId");
    if (at && il__json_kind(&doc, at) == IL__JSON_STRING) code = il__json_string(&doc, at, &text, s->err);
    if (!code && il__arena_str(&s->replay.run.arena, text, out)) code = il__fail(s->err, IL_OUT_OF_MEMORY, "no memory");
    il__json_clear(&doc);
    return code;
}

static enum il_code learn_tickets(struct scene *s)
{
    s->lua.tickets = s->tickets;
    for (size_t i = 0; i < s->replay.run.count; i++) {
        struct il__recorded_line *line = &s->replay.run.lines[i];
        bool holds = il__recorded_is(line, "answer") || il__recorded_is(line, "preview");
        struct il_str grant = IL_STR_NONE;
        if (il__recorded_is(line, "leased")) add_ticket(s, il__recorded_text(line, "id"), "lease");
        if (il__recorded_is(line, "execute")) add_ticket(s, il__recorded_text(line, "grant"), "grant");
        if (!holds || !il__str_present(line->payload)) continue;
        enum il_code code = grant_of(s, line->payload, &grant);
        if (code) return code;
        add_ticket(s, grant, "grant");
    }
    return IL_OK;
}

static void add_person(struct scene *s, struct il_str id, struct il__recorded_line *line)
{
    for (size_t i = 0; i < s->who_count; i++)
        if (il__str_eq(s->who[i].id, id)) return;
    if (s->who_count == WHO) return;
    s->who[s->who_count++] = (struct person){ id, il__recorded_get(line, "roles"), line };
}

/* Who approved; and where more was asked for than a host without approvers can have, people who were never heard of. */
static void learn_people(struct scene *s)
{
    static const char *const strangers[] = { "approver-1", "approver-2", "approver-3", "approver-4" };
    int64_t most = 0;
    struct il__recorded_line *asks = NULL;
    for (size_t i = 0; i < s->replay.run.count; i++) {
        struct il__recorded_line *line = &s->replay.run.lines[i];
        bool local = il__str_eq(il__recorded_text(line, "trust"), IL_STR("unsigned, not separated"));
        if (il__recorded_is(line, "decision") && !local) add_person(s, il__recorded_text(line, "approver"), line);
        if (!il__recorded_is(line, "verdict") || !il__str_eq(il__recorded_text(line, "ruled"), IL_STR("ask"))) continue;
        uint32_t roles = il__recorded_get(line, "roles");
        int64_t asked = il__recorded_int(line, "approvers");
        if (asked > 1 || (roles && il__json_at(&line->doc, roles)->count)) asks = line;
        if (asked > most) most = asked;
    }
    for (size_t i = 0; asks && (int64_t)s->who_count < most && i < sizeof strangers / sizeof *strangers; i++)
        add_person(s, il__str(strangers[i]), asks);
}

/* ---- what is set up ---- */

static void member(struct scene *s, const char *name, struct il_str value)
{
    if (!il__str_present(value)) return;
    il__buf_printf(s->lua.out, "  %s = ", name);
    il__lua_quote(s->lua.out, value);
    il__buf_puts(s->lua.out, ",\n");
}

static void list(struct scene *s, struct il__recorded_line *line, uint32_t at)
{
    struct il_str text;
    bool first = true;
    il__buf_puts(s->lua.out, "{ ");
    for (uint32_t i = at ? il__json_first(&line->doc, at) : 0; i; i = il__json_next(&line->doc, at, i)) {
        if (il__json_kind(&line->doc, i) != IL__JSON_STRING || il__json_string(&line->doc, i, &text, NULL)) continue;
        if (!first) il__buf_puts(s->lua.out, ", ");
        first = false;
        il__lua_quote(s->lua.out, text);
    }
    il__buf_puts(s->lua.out, first ? "}" : " }");
}

static void write_identity(struct scene *s)
{
    static const char *const names[][2] = { { "principal", "principal" }, { "tenant", "tenant" },
                                            { "session", "session" }, { "agent", "agent" }, { "group", "group" } };
    struct il__recorded_line *c = created(s);
    il__buf_puts(s->lua.out, "  store = true,\n");
    member(s, "now", c->at);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) member(s, names[i][0], il__recorded_text(c, names[i][1]));
    il__buf_puts(s->lua.out, "  scopes = ");
    list(s, c, il__recorded_get(c, "scopes"));
    il__buf_puts(s->lua.out, ",\n");
}

static void option(struct scene *s, bool *any, const char *name, int64_t ms, int64_t usual)
{
    if (!ms || ms == usual) return;
    il__buf_printf(s->lua.out, "%s%s = \"%lldms\"", *any ? ", " : "  options = { ", name, (long long)ms);
    *any = true;
}

/* A standing grant was accepted where the runtime would have asked, nobody answered, and it was sent all the same. */
static enum il_code standing_grant(struct scene *s, bool *asks)
{
    struct il__recorded_line *preview = il__recorded_first(&s->replay.run, "preview");
    struct il__json doc = { 0 };
    struct il__preview p;
    struct il_str reason;
    if (!preview || !s->replay.sends || il__recorded_first(&s->replay.run, "answer")) return IL_OK;
    enum il_code code = il__decode_text(&il__preview_schema, s->mem, preview->payload, &doc, &p, s->err);
    if (code) return code == IL_OUT_OF_MEMORY ? code : IL_OK; /* what cannot be read asked for nothing */
    *asks = il__route_of(&p, false, &reason) == IL__ROUTE_APPROVAL;
    il__json_clear(&doc);
    return IL_OK;
}

static int64_t ttl(struct scene *s, const char *kind)
{
    struct il__recorded_line *line = il__recorded_first(&s->replay.run, kind);
    return line ? il__recorded_int(line, "ttlMs") : 0;
}

static enum il_code write_options(struct scene *s)
{
    bool any = false, asks = false;
    enum il_code code = standing_grant(s, &asks);
    if (code) return code;
    option(s, &any, "envelope_ttl", ttl(s, "preview"), IL__LIMIT_ENVELOPE_TTL_MS);
    option(s, &any, "lease_ttl", ttl(s, "leased"), IL__LIMIT_LEASE_TTL_MS);
    option(s, &any, "reservation_ttl", ttl(s, "reserved"), IL__LIMIT_RESERVATION_TTL_MS);
    if (asks) {
        il__buf_printf(s->lua.out, "%saccept_standing_grants = true", any ? ", " : "  options = { ");
        any = true;
    }
    if (any) il__buf_puts(s->lua.out, " },\n");
    return IL_OK;
}

static void write_policies(struct scene *s)
{
    if (!s->o->policy_count) return;
    il__buf_puts(s->lua.out, "  policies = {\n");
    for (size_t i = 0; i < s->o->policy_count; i++) {
        const struct il_scenario_policy *p = &s->o->policies[i];
        il__buf_puts(s->lua.out, "    { dir = ");
        il__lua_quote(s->lua.out, p->dir);
        if (il__str_present(p->params_json)) {
            il__buf_puts(s->lua.out, ", params = ");
            il__lua_quote(s->lua.out, p->params_json);
        }
        il__buf_puts(s->lua.out, " },\n");
    }
    il__buf_puts(s->lua.out, "  },\n");
}

static void write_people(struct scene *s)
{
    if (!s->who_count) return;
    il__buf_puts(s->lua.out, "  approvers = {\n");
    for (size_t i = 0; i < s->who_count; i++) {
        il__buf_puts(s->lua.out, "    { id = ");
        il__lua_quote(s->lua.out, s->who[i].id);
        il__buf_puts(s->lua.out, ", roles = ");
        list(s, s->who[i].line, s->who[i].roles);
        il__buf_puts(s->lua.out, " },\n");
    }
    il__buf_puts(s->lua.out, "  },\n");
}

/* What its policies asked of limits and history, each question once: the first answer to it. */
static bool asked_before(struct scene *s, size_t upto, struct il_str key)
{
    for (size_t i = 0; i < upto; i++) {
        struct il__recorded_line *line = &s->replay.run.lines[i];
        uint32_t items = il__recorded_is(line, "verdict") ? il__recorded_get(line, "asked") : 0;
        uint32_t at = items ? il__json_first(&line->doc, items) : 0;
        for (; at; at = il__json_next(&line->doc, items, at)) {
            uint32_t what = il__json_get(&line->doc, at, "limit");
            if (!what) what = il__json_get(&line->doc, at, "history");
            if (what && il__str_eq(il__json_raw(&line->doc, what), key)) return true;
        }
    }
    return false;
}

static void write_before(struct scene *s)
{
    bool any = false;
    struct il__instant at;
    for (size_t i = 0; i < s->replay.run.count; i++) {
        struct il__recorded_line *line = &s->replay.run.lines[i];
        uint32_t items = il__recorded_is(line, "verdict") ? il__recorded_get(line, "asked") : 0;
        struct il_str time = il__recorded_text(line, "time");
        if (!il__rfc3339_parse(il__str_present(time) ? time : line->at, &at, NULL)) continue;
        for (uint32_t k = items ? il__json_first(&line->doc, items) : 0; k; k = il__json_next(&line->doc, items, k)) {
            uint32_t what = il__json_get(&line->doc, k, "limit");
            if (!what) what = il__json_get(&line->doc, k, "history");
            struct il_str raw = il__json_raw(&line->doc, k);
            if (!what || raw.len < 2 || asked_before(s, i, il__json_raw(&line->doc, what))) continue;
            il__buf_printf(s->lua.out, "%s    {\"ms\":%lld,%.*s", any ? ",\n" : "  before = [=[[\n",
                           (long long)il__instant_diff_ms(at, s->now), (int)raw.len - 1, raw.ptr + 1);
            any = true;
        }
    }
    if (any) il__buf_puts(s->lua.out, "\n  ]]=],\n");
}

/* ---- the runtime ---- */

static enum il_code write_json(struct scene *s, struct il_str text, int indent)
{
    struct il__json doc = { 0 };
    enum il_code code = il__json_parse(&doc, s->mem, text, IL__JSON_PAYLOAD, s->err);
    if (!code) code = il__lua_json(&s->lua, &doc, indent, s->err);
    il__json_clear(&doc);
    return code;
}

static bool observes(enum il_op op)
{
    return op == IL_OP_DISCOVER_CAPABILITIES || op == IL_OP_OBSERVE_VISUAL || op == IL_OP_OBSERVE_SEMANTIC;
}

static enum il_code write_reply(struct scene *s, const struct il__reply *r)
{
    struct il__buf *out = s->lua.out;
    enum il_code code = IL_OK;
    bool slow = r->after_ms >= SLOW_MS && r->kind == IL__REPLY_JSON;
    il__buf_puts(out, "      ");
    switch (r->kind) {
    case IL__REPLY_LOST: il__buf_puts(out, "{ lost = true }"); break;
    case IL__REPLY_CRASH: il__buf_puts(out, "{ crash = true }"); break;
    case IL__REPLY_NEVER: break;
    case IL__REPLY_FAIL:
        il__buf_puts(out, "{ fail = { ");
        il__lua_quote(out, r->reason);
        il__buf_puts(out, ", ");
        il__lua_quote(out, r->message);
        il__buf_puts(out, " } }");
        break;
    case IL__REPLY_JSON:
        if (slow) il__buf_printf(out, "{ after = \"%lldms\", json = ", (long long)r->after_ms);
        if (observes(r->op) && r->json.len > OBSERVED_MOST)
            il__buf_printf(out, "'{\"cut\":\"an observation of %zu bytes\"}'", r->json.len);
        else code = write_json(s, r->json, 6);
        if (slow) il__buf_puts(out, " }");
        break;
    }
    il__buf_puts(out, ",\n");
    return code;
}

static enum il_code write_runtime(struct scene *s)
{
    enum il_code code = IL_OK;
    il__buf_puts(s->lua.out, "  runtime = recorded({\n");
    for (unsigned op = 0; op < IL_OP_COUNT && !code; op++) {
        bool any = false;
        for (size_t i = 0; i < s->replay.reply_count && !code; i++) {
            const struct il__reply *r = &s->replay.replies[i];
            if (r->op != (enum il_op)op) continue;
            if (!any) il__buf_printf(s->lua.out, "    %s = {\n", il_op_name(r->op));
            any = true; /* the runtime offers it, asked or not */
            if (r->kind != IL__REPLY_NEVER) code = write_reply(s, r);
        }
        if (any) il__buf_puts(s->lua.out, "    },\n");
    }
    il__buf_puts(s->lua.out, s->o->mask_count ? "  }, { rehash = true }),\n" : "  }),\n");
    return code;
}

/* ---- the play ---- */

static void advance(struct scene *s, struct il__instant at, int64_t least)
{
    int64_t ms = il__instant_diff_ms(at, s->now);
    if (ms < least || ms < 1) return;
    if (ms % 1000 == 0) il__buf_printf(s->lua.out, "    s:advance \"%llds\"\n", (long long)(ms / 1000));
    else il__buf_printf(s->lua.out, "    s:advance \"%lldms\"\n", (long long)ms);
    s->now = il__instant_add_ms(s->now, ms);
}

/* A crash is said before what leads to it. */
static void announce(struct scene *s, size_t next)
{
    for (size_t i = next; i < s->replay.came_count; i++) {
        const struct il__came *c = &s->replay.came[i];
        if (c->kind == IL__CAME_WAIT) continue;
        if (c->kind == IL__CAME_CRASH) il__buf_printf(s->lua.out, "    s:crash_after(%zu)\n", c->records);
        return;
    }
}

static void write_reason(struct scene *s, const char *lead, struct il_str reason)
{
    if (!il__str_present(reason)) return;
    il__buf_puts(s->lua.out, lead);
    il__lua_quote(s->lua.out, il__lua_masked(&s->lua, "/reason") ? IL_STR("masked") : reason);
}

static enum il_code write_answer(struct scene *s, const struct il__came *c)
{
    struct il_str grant = IL_STR_NONE;
    enum il_code code = grant_of(s, c->line->payload, &grant);
    if (code) return code;
    if (grant.len) {
        il__buf_puts(s->lua.out, "    s:authorize { grant = ");
        il__lua_quote(s->lua.out, il__lua_ticket(&s->lua, grant));
        il__buf_puts(s->lua.out, " }\n");
    } else {
        il__buf_puts(s->lua.out, "    s:authorize { runtime_approved = true }\n");
    }
    return IL_OK;
}

static void write_decision(struct scene *s, const struct il__came *c)
{
    il__buf_puts(s->lua.out, "    s:decide(");
    il__lua_quote(s->lua.out, il__recorded_text(c->line, "decision"));
    il__buf_puts(s->lua.out, ", { by = ");
    il__lua_quote(s->lua.out, il__recorded_text(c->line, "approver"));
    write_reason(s, ", reason = ", il__recorded_text(c->line, "reason"));
    if (il__str_present(il__recorded_text(c->line, "voided")))
        il__buf_puts(s->lua.out, ", expect = \"approval_mismatch\"");
    il__buf_puts(s->lua.out, " })\n");
}

static enum il_code write_event(struct scene *s, size_t at)
{
    const struct il__came *c = &s->replay.came[at];
    advance(s, c->at, c->kind == IL__CAME_WAIT ? SLOW_MS : 1);
    switch (c->kind) {
    case IL__CAME_WAIT: il__buf_puts(s->lua.out, "    s:expect_waiting()\n"); return IL_OK;
    case IL__CAME_ANSWER: announce(s, at + 1); return write_answer(s, c);
    case IL__CAME_DECISION:
        announce(s, at + 1);
        write_decision(s, c);
        return IL_OK;
    case IL__CAME_CANCEL:
        il__buf_puts(s->lua.out, "    s:cancel");
        write_reason(s, " ", il__recorded_text(c->line, "reason"));
        il__buf_puts(s->lua.out, il__str_present(il__recorded_text(c->line, "reason")) ? "\n" : "()\n");
        return IL_OK;
    case IL__CAME_LEAVE: il__buf_puts(s->lua.out, "    s:leave()\n"); break;
    case IL__CAME_CRASH: break;
    case IL__CAME_TIME: return IL_OK;
    }
    announce(s, at + 1);
    il__buf_puts(s->lua.out, "    s:resume()\n");
    return IL_OK;
}

static void write_verdicts(struct scene *s)
{
    static const char *const members[] = { "phase", "policy", "said", "ruled" };
    bool any = false;
    for (size_t i = 0; i < s->replay.run.count; i++) {
        struct il__recorded_line *line = &s->replay.run.lines[i];
        struct il__buf text;
        if (!il__recorded_is(line, "verdict")) continue;
        il__buf_init(&text, s->mem, 0);
        for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
            if (k) il__buf_putc(&text, ' ');
            il__buf_str(&text, il__recorded_text(line, members[k]));
        }
        il__buf_puts(s->lua.out, any ? "      " : "    s:expect_verdicts {\n      ");
        if (text.code && !s->lua.out->code) s->lua.out->code = text.code;
        il__lua_quote(s->lua.out, il__buf_get(&text));
        il__buf_puts(s->lua.out, ",\n");
        il__buf_clear(&text);
        any = true;
    }
    if (any) il__buf_puts(s->lua.out, "    }\n");
}

static void write_error(struct scene *s)
{
    static const char *const members[] = { "code", "object", "field" };
    struct il__recorded_line *end = s->replay.end;
    uint32_t error = il__recorded_get(end, "error");
    bool any = false;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        struct il_str value = il__recorded_text_in(end, error, members[i]);
        if (!il__str_present(value)) continue;
        il__buf_printf(s->lua.out, "%s%s = ", any ? ", " : "    s:expect_error { ", members[i]);
        il__lua_quote(s->lua.out, value);
        any = true;
    }
    il__buf_puts(s->lua.out, any ? " }\n" : "    s:expect_no_error()\n");
}

static void write_end(struct scene *s)
{
    struct il__recorded_line *end = s->replay.end;
    struct il__buf *out = s->lua.out;
    advance(s, s->replay.ended, SLOW_MS);
    if (!end) {
        if (s->replay.waits) il__buf_puts(out, "    s:expect_waiting()\n");
        return;
    }
    int64_t effect = il__recorded_int(end, "effect");
    il__buf_puts(out, "    s:expect_status(");
    il__lua_quote(out, il__recorded_text(end, "status"));
    il__buf_puts(out, ")\n    s:expect_effect(");
    il__lua_quote(out, il__str(il_effect_name(effect >= 0 && effect < IL_EFFECT_COUNT ? (enum il_effect)effect
                                                                                    : IL_EFFECT_UNKNOWN)));
    il__buf_puts(out, ")\n");
    if (s->replay.outcome) {
        bool verified = il__str_eq(il__recorded_text(s->replay.outcome, "outcome"), IL_STR("Verified"));
        il__buf_printf(out, "    s:expect_verified(%s)\n", verified ? "true" : "false");
    }
    write_error(s);
    il__buf_printf(out, "    s:expect_calls(\"execute_action\", %zu)\n", s->replay.sends);
}

static enum il_code write_play(struct scene *s)
{
    struct il__recorded_line *c = created(s);
    il__buf_puts(s->lua.out, "  play = function(s)\n");
    announce(s, 0);
    il__buf_puts(s->lua.out, "    s:start(");
    enum il_code code = write_json(s, c->payload, 4);
    il__buf_puts(s->lua.out, ", { run_id = ");
    il__lua_quote(s->lua.out, s->replay.run.run_id);
    il__buf_puts(s->lua.out, ",\n      action_id = ");
    il__lua_quote(s->lua.out, il__recorded_text(c, "action"));
    il__buf_puts(s->lua.out, " })\n");
    for (size_t i = 0; i < s->replay.came_count && !code; i++) code = write_event(s, i);
    if (code) return code;
    write_end(s);
    write_verdicts(s);
    il__buf_puts(s->lua.out, "  end,\n}\n");
    return IL_OK;
}

/* ---- the file ---- */

static enum il_code write_name(struct scene *s)
{
    struct il__json doc = { 0 };
    struct il_str tool = IL_STR("an action");
    struct il_str status = s->replay.end ? il__recorded_text(s->replay.end, "status")
                           : s->replay.waits ? IL_STR("waiting") : IL_STR("moving");
    struct il__buf name;
    enum il_code code = il__json_parse(&doc, s->mem, created(s)->payload, IL__JSON_PAYLOAD, s->err);
    uint32_t at = code ? 0 : il__json_get(&doc, 0, "tool");
    if (at && il__json_kind(&doc, at) == IL__JSON_STRING) code = il__json_string(&doc, at, &tool, s->err);
    il__buf_init(&name, s->mem, 0);
    il__buf_printf(&name, "recorded: %.*s, %.*s", IL_STR_FMT(tool), IL_STR_FMT(status));
    il__buf_puts(s->lua.out, "\nscenario ");
    if (!code) code = il__buf_check(&name, s->err);
    il__lua_quote(s->lua.out, il__buf_get(&name));
    il__buf_puts(s->lua.out, " {\n");
    il__buf_clear(&name);
    il__json_clear(&doc);
    return code;
}

static void write_header(struct scene *s)
{
    struct il__buf *out = s->lua.out;
    il__buf_printf(out, "-- Run %.*s, recorded from its journal: 'interlock scenario FILE' plays it again.\n",
                   IL_STR_FMT(s->replay.run.run_id));
    il__buf_puts(out, "-- The values of its arguments, and what was seen of the desktop, stand here as they were");
    if (!s->o->mask_count) il__buf_puts(out, ": read\n-- it before you pass it on. ");
    else il__buf_puts(out, ", but for\n-- those at");
    for (size_t i = 0; i < s->o->mask_count; i++) {
        char pointer[200];
        il__escape(pointer, sizeof pointer, s->o->masks[i]);
        il__buf_printf(out, "%s %s", i ? "," : "", pointer);
    }
    il__buf_puts(out, s->o->mask_count ? ". " : "");
    il__buf_puts(out, "Ids of leases and grants are made up.\n-- luacheck: ignore 631\n");
}

static enum il_code write_all(struct scene *s)
{
    write_header(s);
    enum il_code code = write_name(s);
    if (code) return code;
    write_identity(s);
    code = write_options(s);
    if (code) return code;
    write_policies(s);
    if (il__str_present(s->o->workflow)) member(s, "workflow", s->o->workflow);
    write_people(s);
    write_before(s);
    if (!code) code = write_runtime(s);
    if (!code) code = write_play(s);
    if (!code) code = il__buf_check(s->lua.out, s->err);
    if (!code && s->lua.out->len > IL__LIMIT_SCRIPT_SOURCE)
        code = il__fail_at(s->err, IL_LIMIT_EXCEEDED, "scenario", "script_source",
                           "the scenario would have %zu bytes; a script has at most %d", s->lua.out->len,
                           IL__LIMIT_SCRIPT_SOURCE);
    return code;
}

static enum il_code check_options(const struct il_record_options *o, struct il_error *err)
{
    if (o->size != sizeof *o)
        return il__fail_at(err, IL_INVALID_REQUEST, "record options", "size", "use IL_RECORD_OPTIONS_INIT");
    for (size_t i = 0; i < o->mask_count; i++)
        if (!il__mask_is_pointer(o->masks[i]))
            return il__fail_at(err, IL_INVALID_REQUEST, "record options", "masks",
                               "a JSON pointer begins with a slash, and has no ~ but ~0 and ~1");
    return IL_OK;
}

enum il_code il__scenario_write(struct il__mem *mem, const struct il__store *store,
                                const struct il_record_options *o, struct il__buf *out, struct il_error *err)
{
    struct scene s = { .o = o, .mem = mem, .err = err };
    enum il_code code = check_options(o, err);
    if (code) return code;
    s.lua = (struct il__lua_text){ .out = out, .masks = o->masks, .mask_count = o->mask_count };
    code = il__replay_read(&s.replay, mem, store, o->run_id, err);
    if (!code) {
        (void)il__rfc3339_parse(created(&s)->at, &s.now, NULL);
        s.now.nsec -= s.now.nsec % 1000000;
        code = learn_tickets(&s);
    }
    if (!code) {
        learn_people(&s);
        code = write_all(&s);
    }
    il__replay_clear(&s.replay);
    return code;
}
