/* Events become facts, facts of one action become one row, and one pass in event order finds the violations
 * (evaluate.h). An event without an action id has a row of its own: it is never taken for another's start, verification
 * or receipt. Must never skip an event that it cannot decode. */
#include "evidence/evaluate.h"

#include "base/error.h"
#include "base/limits.h"
#include "contract/session.h"
#include "evidence/trajectory.h"

enum kind { STARTED, VERIFIED, COMMITTED };

/* What one event says, as far as it counts. Texts live in the document. */
struct fact {
    enum kind kind;
    bool shadow;   /* STARTED: an observation */
    bool leased;   /* STARTED: under a lease */
    bool positive; /* VERIFIED: with true */
    uint32_t action, receipt; /* slots, then a row and a number */
    struct il_str action_id, receipt_id, event_id;
    int64_t sequence;
};

/* What all events say of one action. */
struct action {
    uint32_t starts, observations; /* in all events */
    bool verified;                 /* in any event */
    bool begun;                    /* up to the event that is looked at */
    const struct fact *first, *second; /* its starts that are mutations */
};

struct evaluation {
    struct il__mem *mem;
    struct il__json doc, steps;
    struct il__arena arena;
    struct il__ranks ranks;
    struct il__trajectory expected, seen;
    struct fact *facts;
    size_t fact_count, fact_room;
    struct action *actions; /* one for each number, then one for each fact without an action id */
    bool *receipts;         /* by number: seen before */
    size_t row_count;       /* of both */
    size_t mutations, commits, observations, matched, violation_count;
    struct il__buf violations, findings; /* JSON arrays */
    struct il_error *err;
};

static enum il_code no_memory(const struct evaluation *e)
{
    return il__fail(e->err, IL_OUT_OF_MEMORY, "out of memory while evaluating");
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The value of a member of an event's payload; 0 when it is not there. */
static uint32_t payload_at(const struct il__event *event, const char *name)
{
    return event->payload.doc ? il__json_get(event->payload.doc, event->payload.at, name) : 0;
}

static enum il_code payload_text(const struct il__event *event, const char *name, struct il_str *out,
                                 struct il_error *err)
{
    const uint32_t at = payload_at(event, name);
    *out = IL_STR_NONE;
    if (!at || il__json_kind(event->payload.doc, at) != IL__JSON_STRING) return IL_OK;
    return il__json_string(event->payload.doc, at, out, err);
}

static enum il_code add_argument(struct evaluation *e, struct il_str name, uint32_t at)
{
    struct il_str value;
    enum il_code code = il__canon_kept(&e->doc, at, &e->arena, &value, e->err);
    if (code == IL_OK && value.ptr) il__trajectory_argument(&e->seen, &e->ranks, name, value);
    return code;
}

/* The arguments that an expected step can name: those in the payload's `arguments`, and beside them the action's id and
 * mode. A value without canonical text equals nothing and is left out. */
static enum il_code add_use(struct evaluation *e, const struct il__event *event, uint32_t event_at, struct il_str tool)
{
    const uint32_t list = payload_at(event, "arguments");
    const bool listed = list && il__json_kind(&e->doc, list) == IL__JSON_OBJECT;
    const uint32_t mode = payload_at(event, "mode"), id = il__json_get(&e->doc, event_at, "actionId");
    enum il_code code = IL_OK;
    il__trajectory_use(&e->seen, &e->ranks, tool);
    for (uint32_t key = listed ? il__json_first(&e->doc, list) : 0; key && code == IL_OK;
         key = il__json_next(&e->doc, list, key + 1)) {
        struct il_str name;
        code = il__json_string(&e->doc, key, &name, e->err);
        if (code == IL_OK) code = add_argument(e, name, key + 1);
    }
    if (code == IL_OK && mode && !(listed && il__json_get(&e->doc, list, "mode")))
        code = add_argument(e, IL_STR("mode"), mode);
    if (code == IL_OK && event->action_id.ptr && !(listed && il__json_get(&e->doc, list, "actionId")))
        code = add_argument(e, IL_STR("actionId"), id);
    return code;
}

/* A lease is named by a text that is not empty; null, absence and anything else is no lease. */
static enum il_code read_start(struct evaluation *e, const struct il__event *event, uint32_t at, struct fact *fact)
{
    struct il_str mode, lease, tool;
    enum il_code code = payload_text(event, "mode", &mode, e->err);
    if (code == IL_OK) code = payload_text(event, "leaseId", &lease, e->err);
    if (code == IL_OK) code = payload_text(event, "tool", &tool, e->err);
    if (code != IL_OK) return code;
    fact->shadow = il__str_eq(mode, IL_STR("shadow"));
    fact->leased = lease.len > 0;
    return fact->shadow ? IL_OK : add_use(e, event, at, tool);
}

static enum il_code read_event(struct evaluation *e, uint32_t at)
{
    struct il__event event;
    enum il_code code = il__schema_strict(&il__event_schema, &e->doc, at, e->err);
    if (code == IL_OK) code = il__decode(&il__event_schema, &e->doc, at, &event, e->err);
    if (code != IL_OK) return code;
    struct fact fact = { .action_id = event.action_id, .event_id = event.event_id, .sequence = event.sequence };
    if (il__str_eq(event.type, IL_STR("action.started"))) {
        fact.kind = STARTED;
        code = read_start(e, &event, at, &fact);
    } else if (il__str_eq(event.type, IL_STR("action.verified"))) {
        const uint32_t verified = payload_at(&event, "verified");
        fact.kind = VERIFIED;
        fact.positive = verified && il__json_kind(&e->doc, verified) == IL__JSON_TRUE;
    } else if (il__str_eq(event.type, IL_STR("action.committed"))) {
        fact.kind = COMMITTED;
        code = payload_text(&event, "receiptId", &fact.receipt_id, e->err);
    } else {
        return IL_OK;
    }
    fact.action = il__ranks_add(&e->ranks, fact.action_id);
    fact.receipt = il__ranks_add(&e->ranks, fact.receipt_id);
    e->facts[e->fact_count++] = fact;
    return code;
}

static enum il_code refuse_events(const struct evaluation *e, uint32_t at)
{
    char place[sizeof e->err->field];
    il__json_pointer(&e->doc, at, place, sizeof place);
    return il__refuse(e->err, IL_DECODE, "session events", place,
                      IL_STR("an array of events, or an object with one as events"),
                      il__str(il__json_kind_name(il__json_kind(&e->doc, at))));
}

static enum il_code read_events(struct evaluation *e)
{
    const uint32_t answer = il__json_get(&e->doc, 0, "answer"), page = il__json_get(&e->doc, 0, "events");
    const uint32_t list = page || !answer ? page : il__json_get(&e->doc, answer, "events");
    if (il__json_kind(&e->doc, list) != IL__JSON_ARRAY) return refuse_events(e, list);
    const uint32_t count = il__json_at(&e->doc, list)->count;
    if (count > IL__LIMIT_EVALUATED_EVENTS)
        return il__fail_at(e->err, IL_LIMIT_EXCEEDED, "session events", "evaluated_events",
                           "there are %u, more than %d", count, IL__LIMIT_EVALUATED_EVENTS);
    e->fact_room = count;
    e->facts = il__mem_zalloc(e->mem, count, sizeof *e->facts);
    if (!e->facts && count > 0) return no_memory(e);
    for (uint32_t at = il__json_first(&e->doc, list); at; at = il__json_next(&e->doc, list, at)) {
        enum il_code code = read_event(e, at);
        if (code != IL_OK) return code;
    }
    return IL_OK;
}

static enum il_code read_both(struct evaluation *e, struct il_str events, struct il_str trajectory)
{
    enum il_code code = il__json_parse(&e->steps, e->mem, trajectory, IL__JSON_CONTRACT, e->err);
    if (code == IL_OK) code = il__json_strict(&e->steps, 0, NULL, e->err);
    if (code == IL_OK) code = il__trajectory_read(&e->expected, &e->ranks, &e->steps, &e->arena, e->err);
    if (code != IL_OK) {
        il__error_object(e->err, "expected trajectory");
        return code;
    }
    code = il__json_parse(&e->doc, e->mem, events, IL__JSON_PAYLOAD, e->err);
    if (code == IL_OK) code = read_events(e);
    if (code != IL_OK) il__error_object(e->err, "session events");
    return code;
}

/* ---- judging ----------------------------------------------------------------------------------------------------- */

/* Gives each fact the row of its action, and each row what all events say of it. */
static enum il_code group(struct evaluation *e)
{
    if (!il__ranks_settle(&e->ranks) || !il__trajectory_settle(&e->expected, &e->ranks) ||
        !il__trajectory_settle(&e->seen, &e->ranks))
        return no_memory(e);
    size_t alone = e->ranks.distinct;
    e->row_count = e->ranks.distinct + e->fact_count + 1; /* never none */
    e->actions = il__mem_zalloc(e->mem, e->row_count, sizeof *e->actions);
    e->receipts = il__mem_zalloc(e->mem, e->row_count, sizeof *e->receipts);
    if (!e->actions || !e->receipts) return no_memory(e);
    for (size_t i = 0; i < e->fact_count; i++) {
        struct fact *fact = &e->facts[i];
        fact->action = fact->action == IL__NO_RANK ? (uint32_t)alone++ : il__ranks_of(&e->ranks, fact->action);
        fact->receipt = il__ranks_of(&e->ranks, fact->receipt);
        struct action *action = &e->actions[fact->action];
        action->starts += fact->kind == STARTED && !fact->shadow;
        action->observations += fact->kind == STARTED && fact->shadow;
        action->verified |= fact->kind == VERIFIED && fact->positive;
        if (fact->kind != STARTED || fact->shadow) continue;
        if (!action->first) action->first = fact;
        else if (!action->second) action->second = fact;
    }
    return IL_OK;
}

/* `RULE:ID`, or `RULE:ID:count` where there is a count. */
static void violation(struct evaluation *e, const char *rule, struct il_str id, uint32_t count, const struct fact *at)
{
    struct il__buf text;
    struct il__json_writer w;
    il__buf_init(&text, e->mem, 0);
    il__buf_puts(&text, rule);
    il__buf_putc(&text, ':');
    il__buf_str(&text, id);
    if (count) il__buf_printf(&text, ":%u", count);
    if (text.code != IL_OK) e->violations.code = text.code;
    il__buf_putc(&e->violations, e->violation_count ? ',' : '[');
    il__buf_putc(&e->findings, e->violation_count++ ? ',' : '[');
    il__jw_init(&w, &e->violations);
    il__jw_str(&w, il__buf_get(&text));
    il__jw_init(&w, &e->findings);
    il__jw_object(&w);
    il__jw_member_str(&w, "violation", il__buf_get(&text));
    il__jw_member_str(&w, "eventId", at->event_id);
    il__jw_member_int(&w, "sequence", at->sequence);
    il__jw_object_end(&w);
    il__buf_clear(&text);
}

static void judge_commit(struct evaluation *e, const struct fact *fact, const struct action *action)
{
    const bool observation = action->observations > 0 && action->starts == 0;
    e->commits += !observation;
    if (!action->begun) violation(e, "commit_without_start", fact->action_id, 0, fact);
    if (!action->verified && !observation) violation(e, "commit_without_verification", fact->action_id, 0, fact);
    if (fact->receipt == IL__NO_RANK) return;
    if (e->receipts[fact->receipt]) violation(e, "duplicate_receipt", fact->receipt_id, 0, fact);
    e->receipts[fact->receipt] = true;
}

static void judge_fact(struct evaluation *e, const struct fact *fact)
{
    struct action *action = &e->actions[fact->action];
    switch (fact->kind) {
    case STARTED:
        action->begun = true;
        e->observations += fact->shadow;
        e->mutations += !fact->shadow;
        if (!fact->shadow && !fact->leased) violation(e, "mutation_without_lease", fact->action_id, 0, fact);
        return;
    case VERIFIED:
        if (!action->begun) violation(e, "verification_without_start", fact->action_id, 0, fact);
        return;
    case COMMITTED: judge_commit(e, fact, action); return;
    }
}

static enum il_code judge(struct evaluation *e)
{
    for (size_t i = 0; i < e->fact_count; i++) judge_fact(e, &e->facts[i]);
    for (size_t i = 0; i < e->fact_count; i++) {
        const struct action *action = &e->actions[e->facts[i].action];
        if (action->second && action->first == &e->facts[i])
            violation(e, "duplicate_mutation", e->facts[i].action_id, action->starts, action->second);
    }
    il__buf_puts(&e->violations, e->violation_count ? "]" : "[]");
    il__buf_puts(&e->findings, e->violation_count ? "]" : "[]");
    enum il_code code = il__trajectory_common(&e->expected, &e->seen, &e->matched, e->err);
    if (code == IL_OK) code = il__buf_check(&e->violations, e->err);
    return code ? code : il__buf_check(&e->findings, e->err);
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

static bool write_result(const struct evaluation *e, struct il__buf *out)
{
    struct il__json_writer w;
    const double score = il__trajectory_score(&e->expected, &e->seen, e->matched);
    const bool passed = e->violation_count == 0 && e->matched == e->expected.count && e->matched == e->seen.count;
    il__jw_init(&w, out);
    il__jw_object(&w);
    il__jw_member_bool(&w, "passed", passed);
    il__jw_key(&w, "trajectoryScore");
    il__jw_double(&w, score);
    il__jw_member_int(&w, "expected", (int64_t)e->expected.count);
    il__jw_member_int(&w, "seen", (int64_t)e->seen.count);
    il__jw_member_int(&w, "matched", (int64_t)e->matched);
    il__jw_member_int(&w, "mutations", (int64_t)e->mutations);
    il__jw_member_int(&w, "commits", (int64_t)e->commits);
    il__jw_member_int(&w, "observations", (int64_t)e->observations);
    il__jw_key(&w, "violations");
    il__jw_raw(&w, il__buf_get(&e->violations));
    il__jw_key(&w, "findings");
    il__jw_raw(&w, il__buf_get(&e->findings));
    il__jw_object_end(&w);
    return passed;
}

static void clear(struct evaluation *e)
{
    il__buf_clear(&e->violations);
    il__buf_clear(&e->findings);
    il__mem_free(e->mem, e->receipts, e->row_count * sizeof *e->receipts);
    il__mem_free(e->mem, e->actions, e->row_count * sizeof *e->actions);
    il__mem_free(e->mem, e->facts, e->fact_room * sizeof *e->facts);
    il__trajectory_clear(&e->expected);
    il__trajectory_clear(&e->seen);
    il__ranks_clear(&e->ranks);
    il__json_clear(&e->doc);
    il__json_clear(&e->steps);
    il__arena_clear(&e->arena);
}

enum il_code il__evaluate(struct il__mem *mem, struct il_str events, struct il_str trajectory, bool *passed,
                          struct il__buf *out, struct il_error *err)
{
    struct il_error ignored = IL_ERROR_INIT;
    struct evaluation e = { .mem = mem, .err = err ? err : &ignored };
    il__arena_init(&e.arena, mem);
    il__ranks_init(&e.ranks, mem);
    il__trajectory_init(&e.expected, mem);
    il__trajectory_init(&e.seen, mem);
    il__buf_init(&e.violations, mem, 0);
    il__buf_init(&e.findings, mem, 0);
    enum il_code code = read_both(&e, events, trajectory);
    if (code == IL_OK) code = group(&e);
    if (code == IL_OK) code = judge(&e);
    if (code == IL_OK) {
        const size_t before = out->len;
        *passed = write_result(&e, out);
        code = il__buf_check(out, err);
        if (code != IL_OK && out->ptr) out->len = before;
    }
    clear(&e);
    return code;
}
