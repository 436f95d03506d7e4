/* Session commands of operators: arguments checked against a closed list and written in snake_case, answers decoded by
 * the contract's session types and held against the session and principal that were asked about. */
#include "runtime/computer_use_inside.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "contract/session.h"

enum { TIMEOUT_MS = 10000, PAGE_MAX = 1000, INSTRUCTION_MAX = 16384 };

enum kind { TEXT, COUNT, LIMIT, TRUE_ONLY, TIME, LIST, COUNTS, WINDOW, INSTRUCTION };
struct param { const char *from, *to; enum kind kind; bool needed; };

enum shape { SESSION, EVENTS, FOLLOW_UP, FOLLOW_UPS, DELETION, DELETIONS };
struct verb { const char *name, *tool; enum shape shape; const struct param *params; };

static const struct param START[] = { { "objective", "objective", TEXT, false },
                                      { "executionGroupId", "execution_group_id", TEXT, false },
                                      { NULL, NULL, TEXT, false } };
static const struct param ONE[] = { { "sessionId", "session_id", TEXT, true }, { NULL, NULL, TEXT, false } };
static const struct param PAGE[] = { { "sessionId", "session_id", TEXT, true },
                                     { "afterSequence", "after_sequence", COUNT, false },
                                     { "limit", "limit", LIMIT, false }, { NULL, NULL, TEXT, false } };
static const struct param SUBMIT[] = { { "sessionId", "session_id", TEXT, true },
                                       { "instruction", "instruction", INSTRUCTION, true },
                                       { NULL, NULL, TEXT, false } };
static const struct param REASON[] = { { "sessionId", "session_id", TEXT, true }, { "reason", "reason", TEXT, false },
                                       { NULL, NULL, TEXT, false } };
static const struct param COMPLETE[] = { { "sessionId", "session_id", TEXT, true },
                                         { "summary", "summary", TEXT, true },
                                         { "postconditions", "postconditions", LIST, true },
                                         { "actionCounts", "action_counts", COUNTS, true },
                                         { "lastAppId", "last_app_id", TEXT, false },
                                         { "lastWindowId", "last_window_id", WINDOW, false },
                                         { "reason", "reason", TEXT, false }, { NULL, NULL, TEXT, false } };
static const struct param DELETE[] = { { "sessionId", "session_id", TEXT, true },
                                       { "confirm", "confirm", TRUE_ONLY, true }, { NULL, NULL, TEXT, false } };
static const struct param PRUNE[] = { { "olderThan", "older_than", TIME, true }, { "limit", "limit", LIMIT, false },
                                      { "confirm", "confirm", TRUE_ONLY, true }, { NULL, NULL, TEXT, false } };

static const struct verb VERBS[] = {
    { "start", "start_session", SESSION, START },
    { "get", "get_session", SESSION, ONE },
    { "events", "get_session_events", EVENTS, PAGE },
    { "follow_ups", "get_follow_ups", FOLLOW_UPS, PAGE },
    { "submit", "submit_follow_up", FOLLOW_UP, SUBMIT },
    { "pause", "pause_session", SESSION, REASON },
    { "resume", "resume_session", SESSION, REASON },
    { "stop", "stop_session", SESSION, REASON },
    { "complete", "complete_session", SESSION, COMPLETE },
    { "delete", "delete_session", DELETION, DELETE },
    { "prune", "prune_sessions", DELETIONS, PRUNE },
};

struct il__cu_command {
    struct il__cu_command *next;
    struct il__computer_use *cu;
    const struct verb *verb;
    struct il__arena arena;
    struct il_str session_id; /* absent: none was asked about */
    int64_t after;
    struct il__buf args;
    bool due;
    il__computer_use_done done;
    void *ctx;
};

/* ---- arguments ---- */

static const struct verb *verb_of(struct il_str name)
{
    for (size_t i = 0; i < sizeof VERBS / sizeof *VERBS; i++)
        if (il__str_eq(name, il__str(VERBS[i].name))) return &VERBS[i];
    return NULL;
}

static const struct param *param_of(const struct verb *verb, struct il_str name)
{
    for (const struct param *p = verb->params; p->from; p++)
        if (il__str_eq(name, il__str(p->from))) return p;
    return NULL;
}

static enum il_code bad(struct il_error *err, const char *field, const char *wants)
{
    return il__fail_at(err, IL_INVALID_REQUEST, "session", field, "%s takes %s", field, wants);
}

static enum il_code known_members(const struct verb *verb, struct il__json *doc, struct il_error *err)
{
    struct il_str name;
    if (il__json_kind(doc, 0) != IL__JSON_OBJECT)
        return il__fail_at(err, IL_INVALID_REQUEST, "session", verb->name, "the arguments are an object");
    for (uint32_t at = il__json_first(doc, 0); at; at = il__json_next(doc, 0, at + 1)) {
        enum il_code code = il__json_string(doc, at, &name, err);
        if (code) return code;
        if (param_of(verb, name)) continue;
        char shown[80];
        il__escape(shown, sizeof shown, name);
        return il__fail_at(err, IL_INVALID_REQUEST, "session", shown, "%s does not take it", verb->name);
    }
    return IL_OK;
}

/* What was established, with a name of the server's in it. */
static enum il_code put_postconditions(struct il__json_writer *w, struct il__json *doc, uint32_t list,
                                       struct il_error *err)
{
    if (il__json_kind(doc, list) != IL__JSON_ARRAY) return bad(err, "postconditions", "a list");
    il__jw_array(w);
    for (uint32_t at = il__json_first(doc, list); at; at = il__json_next(doc, list, at)) {
        struct il__completed_postcondition pc;
        enum il_code code = il__decode(&il__completed_postcondition_schema, doc, at, &pc, err);
        if (code) return code;
        il__jw_object(w);
        il__jw_member_str(w, "description", pc.description);
        il__jw_member_bool(w, "satisfied", pc.satisfied);
        il__jw_member_str(w, "evidence_hash", pc.evidence_hash);
        il__jw_object_end(w);
    }
    il__jw_array_end(w);
    return IL_OK;
}

static enum il_code put_counts(struct il__json_writer *w, struct il__json *doc, uint32_t at, struct il_error *err)
{
    int64_t n = 0;
    if (il__json_kind(doc, at) != IL__JSON_OBJECT) return bad(err, "actionCounts", "an object of counts");
    for (uint32_t name = il__json_first(doc, at); name; name = il__json_next(doc, at, name + 1))
        if (!il__json_int(doc, name + 1, &n) || n < 0) return bad(err, "actionCounts", "an object of counts");
    il__cu_put_raw(w, il__json_raw(doc, at));
    return IL_OK;
}

static enum il_code put_text(struct il__json_writer *w, struct il__json *doc, const struct param *p, uint32_t at,
                             struct il_error *err)
{
    struct il_str text;
    if (il__json_kind(doc, at) != IL__JSON_STRING) return bad(err, p->from, "a text");
    enum il_code code = il__json_string(doc, at, &text, err);
    if (code) return code;
    if (p->needed && !text.len) return bad(err, p->from, "a text that is not empty");
    if (p->kind == INSTRUCTION && text.len > INSTRUCTION_MAX) return bad(err, p->from, "at most 16384 bytes");
    il__jw_str(w, text);
    return IL_OK;
}

static enum il_code put_time(struct il__json_writer *w, struct il__json *doc, const struct param *p, uint32_t at,
                             struct il_error *err)
{
    char text[IL__RFC3339_MAX];
    struct il__instant instant;
    struct il_str given = il__cu_text(doc, 0, p->from);
    (void)at;
    if (!il__rfc3339_parse(given, &instant, NULL)) return bad(err, p->from, "an RFC 3339 time");
    il__rfc3339_format(instant, text);
    il__jw_z(w, text);
    return IL_OK;
}

static enum il_code put_param(struct il__json_writer *w, struct il__json *doc, const struct param *p, uint32_t at,
                              struct il_error *err)
{
    int64_t n = 0;
    bool whole = il__json_int(doc, at, &n);
    il__jw_key(w, p->to);
    switch (p->kind) {
    case TEXT:
    case INSTRUCTION: return put_text(w, doc, p, at, err);
    case TIME: return put_time(w, doc, p, at, err);
    case LIST: return put_postconditions(w, doc, at, err);
    case COUNTS: return put_counts(w, doc, at, err);
    case COUNT:
        if (!whole || n < 0) return bad(err, p->from, "a count");
        break;
    case LIMIT:
        if (!whole || n < 1 || n > PAGE_MAX) return bad(err, p->from, "a whole number from 1 to 1000");
        break;
    case TRUE_ONLY:
        if (il__json_kind(doc, at) != IL__JSON_TRUE) return bad(err, p->from, "true, and nothing else");
        break;
    case WINDOW:
        if (!whole && il__json_kind(doc, at) != IL__JSON_STRING) return bad(err, p->from, "a window id");
        break;
    }
    il__cu_put_raw(w, il__json_raw(doc, at));
    return IL_OK;
}

static enum il_code put_params(struct il__cu_command *c, struct il__json *doc, struct il_error *err)
{
    struct il__json_writer w;
    uint32_t after = il__json_get(doc, 0, "afterSequence");
    enum il_code code = IL_OK;
    il__jw_init(&w, &c->args);
    il__jw_object(&w);
    for (const struct param *p = c->verb->params; p->from && !code; p++) {
        uint32_t at = il__json_get(doc, 0, p->from);
        bool own = il__str_eq(il__str(p->from), IL_STR("sessionId"));
        if (at && il__json_kind(doc, at) == IL__JSON_NULL) at = 0;
        if (at) code = put_param(&w, doc, p, at, err);
        else if (own && il__str_present(c->cu->session_id)) il__jw_member_str(&w, p->to, c->cu->session_id);
        else if (p->needed)
            code = il__fail_at(err, IL_INVALID_REQUEST, "session", p->from, "%s needs it", c->verb->name);
        if (own && !code)
            code = il__arena_str(&c->arena, at ? il__cu_text(doc, 0, p->from) : c->cu->session_id, &c->session_id);
    }
    if (after && !il__json_int(doc, after, &c->after)) c->after = 0;
    if (code) return code;
    il__jw_object_end(&w);
    return il__buf_check(&c->args, err);
}

/* ---- answers ---- */

static enum il_code same(struct il_error *err, const char *object, const char *field, struct il_str ours,
                         struct il_str got)
{
    if (!il__str_present(ours) || il__str_eq(ours, got)) return IL_OK;
    return il__refuse(err, IL_IDENTITY_MISMATCH, object, field, ours, got);
}

static uint32_t child(const struct il__mcp_tool_result *r, const char *name, enum il__json_kind kind,
                      struct il_error *err)
{
    uint32_t node = r->content ? il__json_get(r->doc, r->content, name) : 0;
    if (node && il__json_kind(r->doc, node) == kind) return node;
    il__fail_at(err, IL_DECODE, "session", name, "the answer holds no %s", name);
    return 0;
}

static enum il_code write_session(const struct il__cu_command *c, const struct il__mcp_tool_result *r,
                                  struct il__json_writer *w, struct il_error *err)
{
    struct il__session session;
    uint32_t node = child(r, "session", IL__JSON_OBJECT, err);
    if (!node) return IL_DECODE;
    enum il_code code = il__decode(&il__session_schema, r->doc, node, &session, err);
    if (!code) code = same(err, "runtime session", "session_id", c->session_id, session.session_id);
    if (!code) code = same(err, "runtime session", "principal_id", c->cu->principal_id, session.principal_id);
    bool starts = il__str_eq(il__str(c->verb->name), IL_STR("start"));
    if (!code && (starts || il__str_eq(il__str(c->verb->name), IL_STR("resume"))))
        code = il__cu_again_session(c->cu, session.session_id, starts,
                                    il__str_eq(session.state, IL_STR("running")));
    if (!code) il__encode(&il__session_schema, &session, w);
    return code;
}

static enum il_code write_events(const struct il__cu_command *c, const struct il__mcp_tool_result *r,
                                 struct il__json_writer *w, struct il_error *err)
{
    int64_t last = c->after, next = 0;
    uint32_t list = child(r, "events", IL__JSON_ARRAY, err), at_next;
    if (!list) return IL_DECODE;
    il__jw_object(w);
    il__jw_key(w, "events");
    il__jw_array(w);
    for (uint32_t at = il__json_first(r->doc, list); at; at = il__json_next(r->doc, list, at)) {
        struct il__event event;
        enum il_code code = il__decode(&il__event_schema, r->doc, at, &event, err);
        if (!code) code = same(err, "session event", "session_id", c->session_id, event.session_id);
        if (!code && il__str_present(event.principal_id))
            code = same(err, "session event", "principal_id", c->cu->principal_id, event.principal_id);
        if (!code && event.sequence <= last)
            code = il__fail_at(err, IL_DECODE, "session event", "sequence", "events do not go forwards");
        if (code) return code;
        last = event.sequence;
        il__encode(&il__event_schema, &event, w);
    }
    il__jw_array_end(w);
    at_next = il__json_get(r->doc, r->content, "next_sequence");
    if (!at_next || !il__json_int(r->doc, at_next, &next) || next < last)
        return il__fail_at(err, IL_DECODE, "session events", "next_sequence", "it is not behind the last event");
    il__jw_member_int(w, "nextSequence", next);
    il__jw_object_end(w);
    return IL_OK;
}

static enum il_code check_follow_up(const struct il__cu_command *c, const struct il__follow_up *f, struct il_error *err)
{
    enum il_code code = same(err, "follow-up", "session_id", c->session_id, f->session_id);
    return code ? code : same(err, "follow-up", "principal_id", c->cu->principal_id, f->principal_id);
}

static enum il_code write_follow_up(const struct il__cu_command *c, const struct il__mcp_tool_result *r,
                                    struct il__json_writer *w, struct il_error *err)
{
    struct il__follow_up f;
    uint32_t node = child(r, "follow_up", IL__JSON_OBJECT, err);
    if (!node) return IL_DECODE;
    enum il_code code = il__decode(&il__follow_up_schema, r->doc, node, &f, err);
    if (!code) code = check_follow_up(c, &f, err);
    if (!code) il__encode(&il__follow_up_schema, &f, w);
    return code;
}

static enum il_code write_follow_ups(const struct il__cu_command *c, const struct il__mcp_tool_result *r,
                                     struct il__json_writer *w, struct il_error *err)
{
    struct il__follow_up_page page;
    if (!child(r, "follow_ups", IL__JSON_ARRAY, err)) return IL_DECODE;
    enum il_code code = il__decode(&il__follow_up_page_schema, r->doc, r->content, &page, err);
    for (size_t i = 0; !code && i < page.follow_ups.count; i++)
        code = check_follow_up(c, page.follow_ups.items[i], err);
    if (!code) il__encode(&il__follow_up_page_schema, &page, w);
    return code;
}

static enum il_code write_deletion(const struct il__cu_command *c, const struct il__mcp_tool_result *r, uint32_t node,
                                   struct il__json_writer *w, struct il_error *err)
{
    struct il__deletion d;
    enum il_code code = il__decode(&il__deletion_schema, r->doc, node, &d, err);
    if (!code) code = same(err, "session deletion", "session_id", c->session_id, d.session_id);
    if (!code) il__encode(&il__deletion_schema, &d, w);
    return code;
}

static enum il_code write_deletions(const struct il__cu_command *c, const struct il__mcp_tool_result *r,
                                    struct il__json_writer *w, struct il_error *err)
{
    int64_t count = 0, told = -1;
    uint32_t list = child(r, "deletions", IL__JSON_ARRAY, err);
    if (!list) return IL_DECODE;
    il__jw_object(w);
    il__jw_key(w, "deletions");
    il__jw_array(w);
    for (uint32_t at = il__json_first(r->doc, list); at; at = il__json_next(r->doc, list, at), count++) {
        enum il_code code = write_deletion(c, r, at, w, err);
        if (code) return code;
    }
    il__jw_array_end(w);
    uint32_t deleted = il__json_get(r->doc, r->content, "deleted");
    if (!deleted || !il__json_int(r->doc, deleted, &told) || told != count)
        return il__fail_at(err, IL_DECODE, "session deletion", "deleted", "it does not count the deletions");
    il__jw_member_int(w, "deleted", told);
    il__jw_object_end(w);
    return IL_OK;
}

static enum il_code write_answer(const struct il__cu_command *c, const struct il__mcp_tool_result *r,
                                 struct il__json_writer *w, struct il_error *err)
{
    uint32_t node;
    switch (c->verb->shape) {
    case SESSION: return write_session(c, r, w, err);
    case EVENTS: return write_events(c, r, w, err);
    case FOLLOW_UP: return write_follow_up(c, r, w, err);
    case FOLLOW_UPS: return write_follow_ups(c, r, w, err);
    case DELETION:
        node = child(r, "deletion", IL__JSON_OBJECT, err);
        return node ? write_deletion(c, r, node, w, err) : IL_DECODE;
    case DELETIONS: break;
    }
    return write_deletions(c, r, w, err);
}

/* ---- commands ---- */

static void command_free(struct il__cu_command *c)
{
    struct il__cu_command **link = &c->cu->commands;
    while (*link && *link != c) link = &(*link)->next;
    if (*link) *link = c->next;
    il__buf_clear(&c->args);
    il__arena_clear(&c->arena);
    il__mem_free(c->cu->mem, c, sizeof *c);
}

static void end(struct il__cu_command *c, struct il_str json, const struct il_error *err)
{
    il__computer_use_done done = c->done;
    void *ctx = c->ctx;
    command_free(c);
    done(ctx, json, err);
}

static void refused(const struct il__mcp_tool_result *r, const char *tool, struct il_error *err)
{
    char reason[80], message[240];
    il__escape(reason, sizeof reason, il__cu_reason(r));
    il__escape(message, sizeof message, r->message);
    il__fail_at(err, IL_RUNTIME, "runtime", tool, "%s: %s", reason, message);
}

static void heard(void *ctx, const struct il__mcp_answer *answer)
{
    struct il__cu_command *c = ctx;
    struct il__mcp_tool_result result = { 0 };
    struct il_error err = IL_ERROR_INIT;
    struct il__json_writer w;
    struct il__buf json;
    il__buf_init(&json, c->cu->mem, 0);
    il__jw_init(&w, &json);
    if (answer->code) {
        char message[240];
        il__escape(message, sizeof message, answer->message);
        il__fail_at(&err, answer->code, "runtime", c->verb->tool, "%s", message);
    } else if (!il__mcp_tool_result(c->cu->mem, answer->doc, answer->result, &result, &err)) {
        if (!result.ok) refused(&result, c->verb->tool, &err);
        else if (!write_answer(c, &result, &w, &err)) (void)!il__buf_check(&json, &err);
    }
    il__mcp_tool_result_clear(&result);
    end(c, err.code ? IL_STR_NONE : il__buf_get(&json), &err);
    il__buf_clear(&json);
}

bool il__cu_commands_tick(struct il__computer_use *cu)
{
    for (struct il__cu_command *c = cu->commands; c; c = c->next) {
        struct il_error err = IL_ERROR_INIT;
        if (!c->due) continue;
        c->due = false;
        const struct il__cu_ask ask = { .tool = c->verb->tool, .args = il__buf_get(&c->args),
                                        .session_id = c->session_id, .timeout_ms = TIMEOUT_MS, .heard = heard,
                                        .ctx = c };
        if (il__cu_call_tool(cu, &ask, NULL, &err)) end(c, IL_STR_NONE, &err);
        return true;
    }
    return false;
}

void il__cu_commands_lose(struct il__computer_use *cu, const struct il_error *err)
{
    for (struct il__cu_command *c = cu->commands, *next; c; c = next) {
        next = c->next;
        if (c->due) end(c, IL_STR_NONE, err);
    }
}

void il__cu_commands_clear(struct il__computer_use *cu)
{
    while (cu->commands) command_free(cu->commands);
}

enum il_code il__computer_use_session(struct il__computer_use *cu, struct il_str verb, struct il_str args,
                                      il__computer_use_done done, void *ctx, struct il_error *err)
{
    struct il__json doc = { 0 };
    const struct verb *found = verb_of(verb);
    if (!found) return il__fail_at(err, IL_INVALID_REQUEST, "session", "verb", "there is no such session command");
    if (cu->connect == IL__CU_DEAD) {
        if (err) *err = cu->error;
        return cu->error.code;
    }
    if (cu->connect != IL__CU_READY)
        return il__fail_at(err, IL_CONFLICT, "runtime", "session", "the connection is not ready yet");
    struct il__cu_command *c = il__mem_zalloc(cu->mem, 1, sizeof *c);
    if (!c) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a session command");
    c->cu = cu;
    c->verb = found;
    c->done = done;
    c->ctx = ctx;
    il__arena_init(&c->arena, cu->mem);
    il__buf_init(&c->args, cu->mem, IL__LIMIT_CONTRACT_BYTES);
    c->next = cu->commands;
    cu->commands = c;
    struct il_str text = il__str_present(args) ? args : IL_STR("{}");
    enum il_code code = il__json_parse(&doc, cu->mem, text, IL__JSON_CONTRACT, err);
    if (!code) code = known_members(found, &doc, err);
    if (!code) code = put_params(c, &doc, err);
    il__json_clear(&doc);
    c->due = true;
    if (code) command_free(c);
    return code;
}
