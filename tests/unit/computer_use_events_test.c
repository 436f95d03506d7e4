/* What the computer-use adapter makes of a session's events: verification, recovery, and the commands of operators;
 * against a scripted server. */
#include "cu_rig.h"
#include "base/limits.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACTION "8570b45a-0bc5-4cf2-a326-350d1aff7070"
#define SESSION "87d94efc-b39f-41cb-aa12-d69b1c15956f"

static void begin_ready(struct cu_rig *r)
{
    cu_open(r);
    if (cu_connect(r)) tap_ok(false, "the server is ready");
}

/* ---- verify ---- */

#define EVENT(seq, type, payload)                                                                                      \
    "{\"schemaVersion\":1,\"eventId\":\"e" #seq "\",\"sequence\":" #seq ",\"sessionId\":\"" SESSION "\"," \
    "\"actionId\":\"" \
    ACTION "\",\"type\":\"" type "\",\"at\":\"2026-11-30T18:00:27.392Z\",\"principalId\":\"operator-1\",\"payload\":"  \
    payload "}"
#define SESSION_EVENT(seq, type)                                                                                       \
    "{\"schemaVersion\":1,\"eventId\":\"e" #seq "\",\"sequence\":" #seq ",\"sessionId\":\"" SESSION "\",\"type\":\"" \
    type "\",\"at\":\"2026-11-30T18:00:27.392Z\",\"payload\":{}}"
#define PAGE(events) "{\"schema_uri\":\"u\",\"schema_digest\":\"d\",\"events\":[" events "],\"next_sequence\":99}"
#define PREVIEWED EVENT(1, "action.previewed", "{\"tool\":\"left_click\"}")
#define STARTED EVENT(2, "action.started", "{\"leaseId\":\"[REDACTED]\"}")
#define COMMITTED EVENT(4, "action.committed", "{\"receiptId\":\"b694f3cb\",\"leaseId\":null}")
#define VERIFIED EVENT(3, "action.verified", "{\"verified\":true,\"method\":\"postcondition.window\",\"checks\":1}")
#define BODY \
    "{\"runId\":\"r\",\"sessionId\":\"" SESSION "\",\"principalId\":\"operator-1\",\"actionId\":\"" ACTION "\"}"

static void verify(const char *events, enum il_code code, const char *body, const char *what)
{
    struct cu_rig r;
    begin_ready(&r);
    cu_rule(&r, "get_session_events", 0, CU_OK, events);
    const struct cu_answer *a = cu_do(&r, IL_OP_VERIFY, BODY);
    tap_ok(a && a->code == code && (!body || (a->body && strcmp(a->body, body) == 0)), "verify: %s", what);
    if (a && body && a->body && strcmp(a->body, body) != 0) tap_note("%s", a->body);
    cu_close(&r);
}

static void test_verify(void)
{
    struct cu_rig r;
    verify(PAGE(PREVIEWED "," STARTED "," VERIFIED "," COMMITTED), IL_OK, "{\"events\":[" VERIFIED "]}",
           "F25 a positive event is quoted, nothing is claimed");
    verify(PAGE(EVENT(3, "action.verified", "{\"verified\":false}")), IL_OK,
           "{\"satisfied\":false,\"events\":[" EVENT(3, "action.verified", "{\"verified\":false}") "]}",
           "a negative event contradicts");
    verify(PAGE(PREVIEWED "," COMMITTED), IL_OK, "null", "F26 no event of verification is no evidence");
    verify("{\"schema_uri\":\"u\"}", IL_DECODE, NULL, "an answer without events is an error");
    verify(PAGE("{\"schemaVersion\":1,\"eventId\":\"e\",\"sequence\":1,\"sessionId\":\"other\",\"type\":\"t\","
            "\"at\":\"x\","
                "\"payload\":{}}"),
           IL_IDENTITY_MISMATCH, NULL, "events of another session are refused");
    verify(PAGE(COMMITTED "," PREVIEWED), IL_DECODE, NULL, "events that go backwards are refused");
    begin_ready(&r);
    cu_rule(&r, "get_session_events", 0, CU_ERROR, "{\"error\":\"session_not_found\",\"message\":\"m\","
            "\"details\":{}}");
    const struct cu_answer *a = cu_do(&r, IL_OP_VERIFY, BODY);
    tap_ok(a && a->code == IL_RUNTIME && strcmp(a->reason, "session_not_found") == 0,
            "verify: an error keeps its code");
    cu_close(&r);
}

static void test_cursor(void)
{
    struct cu_rig r;
    begin_ready(&r);
    cu_rule(&r, "get_session_events", 0, CU_OK, PAGE(PREVIEWED "," STARTED "," VERIFIED "," COMMITTED));
    cu_do(&r, IL_OP_VERIFY, BODY);
    tap_ok(cu_has(cu_message(&r, "get_session_events", 1), "\"after_sequence\":0,\"limit\":1000"),
            "reading begins at 0");
    cu_rule(&r, "get_session_events", 2, CU_OK, PAGE(""));
    const struct cu_answer *a = cu_do(&r, IL_OP_VERIFY, BODY);
    tap_ok(cu_has(cu_message(&r, "get_session_events", 2), "\"after_sequence\":4"), "goes on where it ended");
    tap_ok(a && cu_has(a->body, "postcondition.window") && cu_calls(&r, "get_session_events") == 3 &&
               cu_has(cu_message(&r, "get_session_events", 3), "\"after_sequence\":0"),
           "F11 and from 0 again when the action is not there: cursors go backwards silently");
    cu_close(&r);
}

static void test_pages(void)
{
    static char page[400000];
    struct cu_rig r;
    size_t len = (size_t)snprintf(page, sizeof page, "{\"events\":[");
    for (int i = 1; i <= 1000; i++)
        len += (size_t)snprintf(page + len, sizeof page - len,
                                "%s{\"schemaVersion\":1,\"eventId\":\"e\",\"sequence\":%d,\"sessionId\":\"" SESSION
                                "\",\"type\":\"t\",\"at\":\"2026-11-30T18:00:27.392Z\",\"payload\":{}}",
                                i > 1 ? "," : "", i);
    snprintf(page + len, sizeof page - len, "],\"next_sequence\":1000}");
    begin_ready(&r);
    cu_rule(&r, "get_session_events", 1, CU_OK, page);
    cu_rule(&r, "get_session_events", 2, CU_OK,
            PAGE("{\"schemaVersion\":1,\"eventId\":\"v\",\"sequence\":1001,\"sessionId\":\"" SESSION "\","
                    "\"actionId\":\"" ACTION
                 "\",\"type\":\"action.verified\",\"at\":\"2026-11-30T18:00:27.392Z\","
                 "\"payload\":{\"verified\":false}}"));
    const struct cu_answer *a = cu_do(&r, IL_OP_VERIFY, BODY);
    tap_ok(a && a->code == IL_OK && cu_has(a->body, "\"satisfied\":false"), "a full page is followed by the next");
    tap_ok(cu_has(cu_message(&r, "get_session_events", 2), "\"after_sequence\":1000"), "from its last sequence");
    cu_close(&r);
}

/* ---- recover ---- */

struct recovery {
    const char *events[3];       /* by reading; NULL: as the one before */
    enum cu_how how;             /* of the probe */
    const char *probe;           /* NULL: none is expected */
    const char *want;            /* part of the answer's body */
    const char *class;           /* of the envelope; NULL: navigate */
    bool not_sent;               /* no execute before */
    const char *what;
};

static void recover(const struct recovery *t)
{
    struct cu_rig r;
    char preview[4000], body[9000];
    begin_ready(&r);
    const char *class = t->class ? t->class : "navigate", *at = strstr(cu_preview, "\"navigate\"");
    snprintf(preview, sizeof preview, "%.*s\"%s\"%s", (int)(at - cu_preview), cu_preview, class, at + 10);
    at = strstr(cu_execute_body, "\"navigate\"");
    snprintf(body, sizeof body, "%.*s\"%s\"%s", (int)(at - cu_execute_body), cu_execute_body, class, at + 10);
    cu_rule(&r, "preview_action", 0, CU_OK, preview);
    cu_do(&r, IL_OP_PREVIEW_ACTION, cu_preview_body);
    cu_rule(&r, "execute_action", 0, t->how, t->probe ? t->probe : "{}");
    cu_rule(&r, "execute_action", 1, CU_LOST, NULL);
    if (!t->not_sent) cu_do(&r, IL_OP_EXECUTE_ACTION, body);
    for (int i = 0; i < 3; i++)
        if (t->events[i]) cu_rule(&r, "get_session_events", i ? i + 1 : 0, CU_OK, t->events[i]);
    if (t->events[1] && !t->events[2]) { /* it stays the last */
        cu_rule(&r, "get_session_events", 0, CU_OK, t->events[1]);
        cu_rule(&r, "get_session_events", 1, CU_OK, t->events[0]);
    }
    uint64_t token = cu_begin(&r, IL_OP_RECOVER, BODY, 5000);
    cu_go(&r);
    cu_advance(&r, 6000);
    const struct cu_answer *a = cu_answer_of(&r, token);
    tap_ok(a && a->code == IL_OK && cu_has(a->body, t->want), "recover: %s", t->what);
    int probes = cu_calls(&r, "execute_action") - !t->not_sent;
    tap_int(probes, t->probe != NULL, "recover: %s: probes", t->what);
    const char *probe = t->probe ? cu_message(&r, "execute_action", t->not_sent ? 1 : 2) : NULL;
    if (probe)
        tap_ok(!strstr(probe, "lease_id") && cu_has(probe, "\"expires_in_ms\":300000,\"attempt\":2}") &&
                   cu_has(probe, "\"action_id\":\"" ACTION "\""),
               "recover: %s: the same action, the next attempt, no lease", t->what);
    tap_ok(a && a->body && !strstr(a->body, "not_started"), "recover: %s: never not_started", t->what);
    cu_close(&r);
}

#define REJECTED(code) EVENT(5, "action.rejected", "{\"receiptId\":\"rej\",\"code\":\"" code "\"}")
#define STORED(status, error)                                                                                          \
    "{\"error\":\"" status "\",\"receipt\":{\"receiptId\":\"stored\",\"sessionId\":\"" SESSION "\"," \
    "\"actionId\":\"" ACTION \
    "\",\"actionDigest\":\"02e1a134\",\"attempt\":1,\"status\":\"" status "\"" error "}}"
#define NO_LEASE "{\"error\":\"lease_conflict\",\"message\":\"mutating execution requires a lease\",\"details\":{}}"
#define REPLAY                                                                                                         \
    "{\"receipt\":{\"receiptId\":\"b694f3cb\",\"sessionId\":\"" SESSION "\",\"actionId\":\"" ACTION \
    "\",\"actionDigest\":\"02e1a134\",\"attempt\":1,\"status\":\"committed\",\"result\":{\"kept\":1}},\"replay\":true}"

static void test_recover(void)
{
    static const struct recovery cases[] = {
        { .events = { PAGE(PREVIEWED "," STARTED "," COMMITTED) }, .how = CU_OK, .probe = REPLAY,
          .want = "\"result\":{\"kept\":1}", .what = "committed by the events, the stored receipt is fetched" },
        { .events = { PAGE(PREVIEWED "," STARTED "," COMMITTED) }, .how = CU_ERROR,
          .probe = "{\"error\":\"session_not_running\",\"message\":\"m\",\"details\":{}}",
          .want = "\"receiptId\":\"b694f3cb\",\"sessionId\":\"" SESSION "\",\"actionId\":\"" ACTION
                  "\",\"actionDigest\":\"02e1a134\",\"attempt\":1,\"status\":\"committed\"",
          .what = "F6 committed by the events, a paused session: told from the events" },
        { .events = { PAGE(PREVIEWED "," STARTED "," COMMITTED) }, .how = CU_ERROR, .probe = NO_LEASE,
          .want = "\"status\":\"committed\"", .what = "F7 receipts were forgotten, the events were not" },
        { .events = { PAGE(PREVIEWED "," REJECTED("stale_target")) }, .want = "\"status\":\"rejected\"",
          .what = "F5 rejected before the effect" },
        { .events = { PAGE(PREVIEWED "," STARTED ","
                           EVENT(5, "action.indeterminate", "{\"receiptId\":\"i\",\"code\":\"stale_target\"}")) },
          .want = "\"status\":\"indeterminate\"", .what = "F5 the same code after the effect" },
        { .events = { PAGE(PREVIEWED "," EVENT(5, "action.interrupted", "{\"receiptId\":\"i\"}")) },
          .want = "\"status\":\"interrupted\"", .what = "interrupted" },
        { .events = { PAGE(PREVIEWED "," STARTED) }, .want = "\"unknown\"", .what = "started and never ended" },
        { .events = { PAGE(PREVIEWED "," STARTED), PAGE(PREVIEWED "," STARTED "," COMMITTED) }, .how = CU_OK,
          .probe = REPLAY, .want = "\"committed\"", .what = "F5 started, and it ends a moment later" },
        { .events = { PAGE(PREVIEWED), PAGE(PREVIEWED "," REJECTED("lease_conflict")) }, .how = CU_ERROR,
          .probe = NO_LEASE, .want = "\"receiptId\":\"rej\"",
          .what = "never arrived: the probe's own rejection proves it" },
        { .events = { PAGE(""), PAGE(PREVIEWED "," REJECTED("lease_conflict")) }, .how = CU_ERROR, .probe = NO_LEASE,
          .want = "\"unknown\"", .what = "F7 the events forgot our preview: the probe's rejection proves nothing" },
        { .events = { PAGE(PREVIEWED "," SESSION_EVENT(2, "session.recovered")),
                      PAGE(PREVIEWED "," SESSION_EVENT(2, "session.recovered") "," REJECTED("lease_conflict")) },
          .how = CU_ERROR, .probe = NO_LEASE, .want = "\"unknown\"",
          .what = "F7 the server was restarted since the preview" },
        { .events = { PAGE(PREVIEWED),
                      PAGE(PREVIEWED "," SESSION_EVENT(2, "session.recovered") "," REJECTED("lease_conflict")) },
          .how = CU_ERROR, .probe = NO_LEASE, .want = "\"unknown\"",
          .what = "F10 a restart that is told only after the probe" },
        { .events = { PAGE(PREVIEWED), PAGE(PREVIEWED "," REJECTED("lease_conflict")) }, .how = CU_ERROR,
          .probe = STORED("rejected", ",\"error\":{\"code\":\"lease_conflict\",\"message\":\"m\"}"),
          .want = "\"receiptId\":\"rej\"",
          .what = "a rejection for want of a lease that was stored before counts as a probe's" },
        { .events = { PAGE(PREVIEWED) }, .how = CU_ERROR,
          .probe = STORED("rejected", ",\"error\":{\"code\":\"stale_target\",\"message\":\"m\"}"),
          .want = "\"receiptId\":\"stored\"", .what = "F9 a stored rejection of our own send" },
        { .events = { PAGE(PREVIEWED) }, .how = CU_ERROR, .probe = STORED("indeterminate", ""),
          .want = "\"status\":\"indeterminate\"", .what = "a stored receipt that is indeterminate" },
        { .events = { PAGE(PREVIEWED) }, .how = CU_OK,
          .probe = "{\"receipt\":{\"receiptId\":\"new\",\"sessionId\":\"" SESSION "\",\"actionId\":\"" ACTION
                   "\",\"actionDigest\":\"02e1a134\",\"attempt\":2,\"status\":\"committed\"},\"replay\":false}",
          .want = "\"unknown\"", .what = "a probe that ran is no replay" },
        { .events = { PAGE(PREVIEWED) }, .how = CU_OK,
          .probe = "{\"receipt\":{\"receiptId\":\"f\",\"sessionId\":\"" SESSION "\",\"actionId\":\"other\","
                  "\"actionDigest\":"
                   "\"02e1a134\",\"attempt\":1,\"status\":\"committed\"},\"replay\":true}",
          .want = "\"unknown\"", .what = "a replay for another action" },
        { .events = { PAGE(PREVIEWED) }, .how = CU_TEXT_ERROR, .probe = "MCP error -32602", .want = "\"unknown\"",
          .what = "a probe refused with text alone" },
        { .events = { PAGE(PREVIEWED) }, .how = CU_LOST, .probe = "", .want = "\"unknown\"", .what = "a lost probe" },
        { .events = { PAGE(PREVIEWED) }, .class = "observe", .want = "\"unknown\"",
          .what = "a tool that changes nothing is never probed" },
        { .events = { PAGE(PREVIEWED) }, .class = "secret_access", .want = "\"unknown\"",
          .what = "nor is one that reads secrets" },
        { .events = { PAGE(PREVIEWED) }, .not_sent = true, .want = "\"unknown\"", .what = "nothing was sent here" },
        { .events = { "{\"none\":1}" }, .want = "\"unknown\"", .what = "events that cannot be read" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) recover(&cases[i]);
}

/* ---- session commands ---- */

static void session_ok(struct cu_rig *r, const char *verb, const char *args, const char *tool, const char *sent,
                       const char *want)
{
    const char *json = cu_session(r, verb, args);
    tap_ok(cu_has(cu_message(r, tool, cu_calls(r, tool)), sent), "%s: the arguments", verb);
    tap_ok(json && cu_has(json, want), "%s: the document", verb);
    if (!json) tap_note("%s %s", r->done_err.field, r->done_err.message);
}

static void session_bad(struct cu_rig *r, const char *verb, const char *args, enum il_code code, const char *field,
                        const char *what)
{
    int before = r->sent_count;
    bool refused = !cu_session(r, verb, args) && r->done_err.code == code && strcmp(r->done_err.field, field) == 0;
    tap_ok(refused, "%s: %s", verb, what);
    if (!refused) tap_note("%s at %s: %s", il_code_name(r->done_err.code), r->done_err.field, r->done_err.message);
    if (code == IL_INVALID_REQUEST) tap_int(r->sent_count, before, "%s: %s: nothing is sent", verb, what);
}

#define STATE(id, who, state)                                                                                          \
    "{\"session\":{\"sessionId\":\"" id "\",\"principalId\":\"" who "\",\"state\":\"" state "\"," \
    "\"revision\":3,\"createdAt\":" \
    "\"2026-11-30T18:00:27.381Z\",\"updatedAt\":\"2026-11-30T18:00:27.433Z\",\"anyLaterKey\":1}}"

static void test_session(void)
{
    struct cu_rig r;
    begin_ready(&r);
    cu_rule(&r, "pause_session", 0, CU_OK, STATE(SESSION, "operator-1", "paused_by_user"));
    cu_rule(&r, "complete_session", 0, CU_OK, STATE(SESSION, "operator-1", "completed"));
    cu_rule(&r, "get_session_events", 0, CU_OK, PAGE(PREVIEWED "," STARTED));
    cu_rule(&r, "submit_follow_up", 0, CU_OK,
            "{\"follow_up\":{\"followUpId\":\"f\",\"sequence\":1,\"sessionId\":\"$S\",\"principalId\":\"operator-1\","
            "\"instruction\":\"go\",\"createdAt\":\"2026-11-30T18:00:27.420Z\"}}");
    cu_rule(&r, "get_follow_ups", 0, CU_OK, "{\"follow_ups\":[],\"next_sequence\":0}");
    cu_rule(&r, "delete_session", 0, CU_OK,
            "{\"deletion\":{\"sessionId\":\"$S\",\"deleted\":true,\"deletedEvents\":27,\"deletedReceipts\":3,"
            "\"deletedEvidenceFrames\":0,\"revokedGrants\":0,\"retainedEvents\":0}}");
    cu_rule(&r, "prune_sessions", 0, CU_OK, "{\"deletions\":[],\"deleted\":0}");
    session_ok(&r, "get", NULL, "get_session", "\"arguments\":{\"session_id\":\"" SESSION "\"}",
            "\"state\":\"running\"");
    session_ok(&r, "start", "{\"objective\":\"o\",\"executionGroupId\":\"g\"}", "start_session",
               "\"arguments\":{\"objective\":\"o\",\"execution_group_id\":\"g\"}", "\"sessionId\":\"" SESSION "\"");
    session_ok(&r, "pause", "{\"reason\":\"lunch\"}", "pause_session",
               "\"arguments\":{\"session_id\":\"" SESSION "\",\"reason\":\"lunch\"}", "paused_by_user");
    session_ok(&r, "complete",
               "{\"summary\":\"done\",\"postconditions\":[{\"description\":\"d\",\"satisfied\":true,"
               "\"evidenceHash\":\"h\"}],"
               "\"actionCounts\":{\"committed\": 2},\"lastWindowId\":7}",
               "complete_session",
               "\"summary\":\"done\",\"postconditions\":[{\"description\":\"d\",\"satisfied\":true,"
               "\"evidence_hash\":\"h\"}],"
               "\"action_counts\":{\"committed\":2},\"last_window_id\":7}",
               "completed");
    session_ok(&r, "events", "{\"afterSequence\":0,\"limit\":2}", "get_session_events",
               "\"after_sequence\":0,\"limit\":2}", "\"nextSequence\":99");
    session_ok(&r, "submit", "{\"instruction\":\"go\"}", "submit_follow_up", "\"instruction\":\"go\"}",
               "\"followUpId\":\"f\"");
    session_ok(&r, "follow_ups", "{}", "get_follow_ups", "\"session_id\"", "\"next_sequence\":0");
    session_ok(&r, "delete", "{\"confirm\":true}", "delete_session", "\"confirm\":true}", "\"deletedEvents\":27");
    session_ok(&r, "prune", "{\"olderThan\":\"2026-11-30T19:00:00+01:00\",\"limit\":10,\"confirm\":true}",
            "prune_sessions",
               "\"older_than\":\"2026-11-30T18:00:00.000Z\",\"limit\":10,\"confirm\":true}", "\"deleted\":0");
    session_bad(&r, "approve", "{}", IL_INVALID_REQUEST, "verb", "F18 there is no such command");
    session_bad(&r, "get", "{\"principalId\":\"x\"}", IL_INVALID_REQUEST, "principalId", "another member");
    session_bad(&r, "events", "{\"limit\":1001}", IL_INVALID_REQUEST, "limit", "a page over 1000");
    session_bad(&r, "events", "{\"limit\":0}", IL_INVALID_REQUEST, "limit", "an empty page");
    session_bad(&r, "events", "{\"afterSequence\":-1}", IL_INVALID_REQUEST, "afterSequence", "a negative place");
    session_bad(&r, "submit", "{}", IL_INVALID_REQUEST, "instruction", "nothing to say");
    session_bad(&r, "delete", "{}", IL_INVALID_REQUEST, "confirm", "without confirmation");
    session_bad(&r, "delete", "{\"confirm\":false}", IL_INVALID_REQUEST, "confirm", "not confirmed");
    session_bad(&r, "prune", "{\"olderThan\":\"2099\",\"confirm\":true}", IL_INVALID_REQUEST, "olderThan",
                "F32 a time that is no RFC 3339");
    cu_rule(&r, "get_session", 0, CU_OK, STATE("other", "operator-1", "running"));
    session_bad(&r, "get", "{}", IL_IDENTITY_MISMATCH, "session_id", "the session of another id");
    cu_rule(&r, "get_session", 0, CU_OK, STATE(SESSION, "somebody", "running"));
    session_bad(&r, "get", "{}", IL_IDENTITY_MISMATCH, "principal_id", "the session of another principal");
    cu_rule(&r, "prune_sessions", 0, CU_OK, "{\"deletions\":[],\"deleted\":1}");
    session_bad(&r, "prune", "{\"olderThan\":\"2026-11-30T18:00:00Z\",\"confirm\":true}", IL_DECODE, "deleted",
                "a count that is not that of the list");
    cu_rule(&r, "get_session", 0, CU_LOST, NULL);
    session_bad(&r, "get", "{}", IL_TRANSPORT, "get_session", "a lost answer");
    cu_close(&r);
}

/* ---- limits ---- */

/* A full page, the n-th from 1, of events that say nothing of our action. */
static char *full_page(int nth)
{
    size_t cap = 1000 * 240 + 200, len = 0;
    char *text = malloc(cap);
    if (!text) exit(1);
    len += (size_t)snprintf(text, cap, "{\"events\":[");
    for (int i = 1; i <= 1000; i++)
        len += (size_t)snprintf(text + len, cap - len,
                                "%s{\"schemaVersion\":1,\"eventId\":\"e\",\"sequence\":%d,\"sessionId\":\"" SESSION
                                "\",\"type\":\"session.note\",\"at\":\"2026-11-30T18:00:27.392Z\",\"payload\":{}}",
                                i > 1 ? "," : "", (nth - 1) * 1000 + i);
    (void)snprintf(text + len, cap - len, "]}");
    return text;
}

/* A reading of `full` full pages, and then one that is not. */
static void read_pages(int full, enum il_code code)
{
    struct cu_rig r;
    begin_ready(&r);
    cu_rule(&r, "get_session_events", 0, CU_NEVER, NULL);
    uint64_t token = cu_begin(&r, IL_OP_VERIFY, BODY, 30000);
    cu_go(&r);
    for (int n = 1; n <= full; n++) {
        char *page = full_page(n);
        cu_late(&r, "get_session_events", n, CU_OK, page);
        cu_go(&r);
        free(page);
    }
    if (!code) cu_late(&r, "get_session_events", full + 1, CU_OK, PAGE(""));
    cu_go(&r);
    const struct cu_answer *a = cu_answer_of(&r, token);
    tap_ok(a && a->code == code, "%d full pages of events: %s", full, il_code_name(code));
    if (a && code) cu_has(a->message, "more than 64 pages");
    tap_int(cu_calls(&r, "get_session_events"), IL__LIMIT_EVENT_PAGES, "event_pages are asked for and no more");
    cu_close(&r);
}

static void test_event_pages(void)
{
    read_pages(IL__LIMIT_EVENT_PAGES - 1, IL_OK);
    read_pages(IL__LIMIT_EVENT_PAGES, IL_LIMIT_EXCEEDED);
}

/* ---- what is kept of sent actions ---- */

enum { LARGE = 1000000 };

/* `text` with the action's id replaced by "act-NNN". */
static char *renamed(const char *text, int number, size_t more)
{
    size_t cap = strlen(text) + more + 1, len = 0;
    char *out = malloc(cap);
    if (!out) exit(1);
    for (const char *at; (at = strstr(text, ACTION)); text = at + sizeof ACTION - 1)
        len += (size_t)snprintf(out + len, cap - len, "%.*sact-%03d", (int)(at - text), text, number);
    (void)snprintf(out + len, cap - len, "%s", text);
    return out;
}

/* One action of a megabyte, previewed and sent; its receipt is lost. */
static void send_large(struct cu_rig *r, int number)
{
    char id[20], *preview = renamed(cu_preview, number, 0), *body = renamed(cu_execute_body, number, LARGE);
    (void)snprintf(id, sizeof id, "act-%03d", number);
    if (il__computer_use_retain(r->cu, il__str(id), il__str(preview), NULL)) tap_ok(false, "%s is retained", id);
    char *note = strstr(body, "\"note\":null") + 7;
    memmove(note + LARGE, note + 4, strlen(note + 4) + 1);
    memset(note, 'x', LARGE);
    note[0] = note[LARGE - 1] = '"';
    cu_do(r, IL_OP_EXECUTE_ACTION, body);
    free(preview);
    free(body);
}

static int probes_of(struct cu_rig *r, int number)
{
    int before = cu_calls(r, "execute_action");
    char *body = renamed(BODY, number, 0);
    uint64_t token = cu_begin(r, IL_OP_RECOVER, body, 5000);
    cu_go(r);
    cu_advance(r, 6000);
    tap_ok(cu_answer_of(r, token) != NULL, "recover of action %d is answered", number);
    free(body);
    return cu_calls(r, "execute_action") - before;
}

/* Sends that are over are kept up to mcp_kept_bytes, whatever their number; the last ones can be looked for. */
static void test_kept_bytes(void)
{
    struct cu_rig r;
    begin_ready(&r);
    cu_rule(&r, "execute_action", 0, CU_LOST, NULL);
    cu_rule(&r, "get_session_events", 0, CU_OK, PAGE(""));
    int some = IL__LIMIT_MCP_KEPT_BYTES / LARGE + 10;
    for (int i = 0; i < some; i++) send_large(&r, i);
    tap_int(cu_calls(&r, "execute_action"), some, "%d actions of a megabyte were sent", some);
    tap_ok(r.mem.in_use_bytes < IL__LIMIT_MCP_KEPT_BYTES + 8 * LARGE, "no more than mcp_kept_bytes are kept (%zu)",
           r.mem.in_use_bytes);
    tap_ok(r.mem.in_use_bytes > IL__LIMIT_MCP_KEPT_BYTES - 3 * LARGE, "and no fewer");
    tap_int(probes_of(&r, some - 1), 1, "the last is looked for by a probe");
    tap_int(probes_of(&r, 0), 0, "of the first it is not known any more how it was sent: unknown");
    cu_close(&r);
}

/* A server that greets and then says nothing more has connect_timeout_ms in all. */
static void test_connect_timeout(void)
{
    struct cu_rig r;
    cu_open(&r);
    cu_rule(&r, "start_session", 0, CU_NEVER, NULL);
    tap_int(cu_connect(&r), IL_RUNTIME, "a server that starts no session is not ready");
    cu_advance(&r, IL__LIMIT_CONNECT_TIMEOUT_MS - 1);
    tap_ok(strcmp(il__computer_use_state(r.cu), "connecting") == 0, "a millisecond before connect_timeout_ms it is %s",
           il__computer_use_state(r.cu));
    cu_advance(&r, 1);
    tap_str(il__str(il__computer_use_state(r.cu)), "closed", "at connect_timeout_ms it is given up");
    struct il_str facts = IL_STR_NONE;
    tap_ok(!il__computer_use_facts(r.cu, &facts, NULL) && cu_has(facts.ptr, "\"timeout\""), "as a time-out");
    cu_close(&r);
}

/* ---- memory ---- */

static void whole(struct cu_rig *r)
{
    cu_rule(r, "get_session_events", 0, CU_OK, PAGE(PREVIEWED "," STARTED "," VERIFIED "," COMMITTED));
    cu_do(r, IL_OP_PREVIEW_ACTION, cu_preview_body);
    cu_do(r, IL_OP_ACQUIRE_LEASE, cu_lease_body);
    cu_do(r, IL_OP_EXECUTE_ACTION, cu_execute_body);
    cu_do(r, IL_OP_VERIFY, BODY);
    cu_do(r, IL_OP_RECOVER, BODY);
    cu_session(r, "events", "{}");
}

static void test_memory(void)
{
    struct cu_rig r;
    begin_ready(&r);
    uint64_t first = r.mem.calls;
    whole(&r);
    uint64_t calls = r.mem.calls - first;
    cu_close(&r);
    int wrong = 0;
    for (uint64_t i = 1; i <= calls; i++) {
        cu_open(&r);
        if (cu_connect(&r)) wrong++;
        r.mem.fail_at = r.mem.calls + i;
        whole(&r);
        r.runtime.ops->free(r.runtime.self);
        r.runtime.ops = NULL;
        il__digest_free(r.digest);
        if (r.mem.in_use_bytes || cu_calls(&r, "execute_action") > 3) wrong++;
        cu_drop(&r);
    }
    tap_int(wrong, 0, "whichever of %llu allocations fails, nothing leaks and nothing is sent twice",
            (unsigned long long)calls);
}

int main(void)
{
    test_verify();
    test_cursor();
    test_pages();
    test_recover();
    test_session();
    test_event_pages();
    test_kept_bytes();
    test_connect_timeout();
    test_memory();
    return tap_done();
}
