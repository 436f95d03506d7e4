/* What became of an action (SPEC §7): every receipt status, postcondition and pair of evidence; the server's events;
 * and the table of tests/vectors/tables, which was made by another hand. */
#include "check_kit.h"
#include "table.h"
#include "tap.h"

#include "check/outcome.h"

#include <stdio.h>

#define DIGEST "sha256:abababababababababababababababababababababababababababababababab"
#define SPELT "\\u0073ha256:abababababababababababababababababababababababababababababababab"
#define ANOTHER "sha256:cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"

/* ---- evidence ---------------------------------------------------------------------------------------------------- */

/* A sample of evidence, and what it means without postcondition, without digest, with a digest: F, C or V. */
static const struct { struct il_str json; const char *want; } samples[] = {
    { LIT(""), "CCC" }, { LIT("null"), "CCC" }, { LIT("true"), "CCC" }, { LIT("\"" DIGEST "\""), "CCC" },
    { LIT("[true]"), "CCC" }, { LIT("{}"), "CCC" },
    { LIT("{\"satisfied\":true}"), "CVC" }, { LIT("{\"satisfied\":false}"), "CFF" },
    { LIT("{\"satisfied\":\"true\"}"), "CCC" }, { LIT("{\"satisfied\":1}"), "CCC" },
    { LIT("{\"satisfied\":null}"), "CCC" },
    { LIT("{\"observedDigest\":\"" DIGEST "\"}"), "CCV" }, { LIT("{\"observedDigest\":\"" ANOTHER "\"}"), "CCF" },
    { LIT("{\"observedDigest\":7}"), "CCC" }, { LIT("{\"observedDigest\":null}"), "CCC" },
    { LIT("{\"observedDigest\":\"\"}"), "CCF" },
    { LIT("{\"observedDigest\":\"" DIGEST "0\"}"), "CCF" },
    { LIT("{\"observedDigest\":\"" DIGEST "\\u0000\"}"), "CCF" },
    { LIT("{\"observedDigest\":\"" SPELT "\"}"), "CCV" },
    { LIT("{\"satisfied\":true,\"observedDigest\":\"" DIGEST "\"}"), "CVV" },
    { LIT("{\"satisfied\":true,\"observedDigest\":\"" ANOTHER "\"}"), "CVF" },
    { LIT("{\"satisfied\":true,\"observedDigest\":7}"), "CVC" },
    { LIT("{\"satisfied\":false,\"observedDigest\":\"" DIGEST "\"}"), "CFF" },
    { LIT("{\"satisfied\":false,\"observedDigest\":\"" ANOTHER "\"}"), "CFF" },
    { LIT("{\"satisfied\":0,\"observedDigest\":\"" DIGEST "\"}"), "CCV" },
    { LIT("{\"satisfied\":0,\"observedDigest\":\"" ANOTHER "\"}"), "CCF" },
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static const char letters[] = "FCV";

static struct il__postcondition declared(bool digest)
{
    return (struct il__postcondition){ .kind = IL__PC_FILESYSTEM, .path = S("/tmp/report.txt"), .exists = true,
                                       .content_digest = digest ? S(DIGEST) : IL_STR_NONE };
}

/* The sample as evidence of the port; the empty text is none at all. */
static struct il__any evidence(struct il__json *doc, struct il__mem *mem, size_t i)
{
    memset(doc, 0, sizeof *doc);
    if (samples[i].json.len == 0) return (struct il__any){ NULL, 0 };
    return table_json(doc, mem, samples[i].json);
}

/* The sample as `result.verification`. */
static struct il__any result(struct il__json *doc, struct il__mem *mem, char *buf, size_t cap, size_t i)
{
    memset(doc, 0, sizeof *doc);
    if (samples[i].json.len == 0) snprintf(buf, cap, "{\"text\":\"x\"}");
    else snprintf(buf, cap, "{\"text\":\"x\",\"verification\":%s}", samples[i].json.ptr);
    return table_json(doc, mem, il__str(buf));
}

static void consistent(const struct il__outcome_detail *out, const char *what)
{
    static const char *const statuses[] = { "verification_failed", "committed_unverified", "completed" };
    bool verified = out->outcome == IL__VERIFIED;
    tap_ok(out->verified == verified && out->committed == (out->outcome != IL__FAILED) &&
               strcmp(out->status, statuses[out->outcome]) == 0 && (out->detail[0] == '\0') == verified &&
               out->retry_safe == (out->effect == IL_EFFECT_NONE),
           "%s: flags, status and detail say the same", what);
}

static void one_piece(void)
{
    struct il__mem mem;
    il__mem_init(&mem, NULL, NULL, 0);
    for (size_t i = 0; i < SAMPLES; i++)
        for (int p = 0; p < 3; p++) {
            struct il__json doc;
            struct il__postcondition pc = declared(p == 2);
            struct il__any any = evidence(&doc, &mem, i);
            enum il__outcome got = il__outcome_of_evidence(p == 0 ? NULL : &pc, any);
            tap_ok(letters[got] == samples[i].want[p], "evidence %s, postcondition %d: %c", samples[i].json.ptr, p,
                   samples[i].want[p]);
            il__json_clear(&doc);
        }
    tap_int((long long)mem.in_use_bytes, 0, "nothing is left behind");
}

static char joined(char a, char b)
{
    if (a == 'F' || b == 'F') return 'F';
    return a == 'V' || b == 'V' ? 'V' : 'C';
}

static void pairs(void)
{
    struct il__mem mem;
    il__mem_init(&mem, NULL, NULL, 0);
    for (size_t i = 0; i < SAMPLES; i++)
        for (size_t j = 0; j < SAMPLES; j++)
            for (int p = 0; p < 3; p++) {
                struct kit kit;
                struct il__json own, port;
                char buf[400], what[64];
                struct il__postcondition pc = declared(p == 2);
                kit_init(&kit);
                kit.receipt.result = result(&own, &mem, buf, sizeof buf, i);
                struct il__outcome_detail out = il__outcome_of(&kit.receipt, p == 0 ? NULL : &pc,
                                                               evidence(&port, &mem, j), NULL, 0, false);
                char want = joined(samples[i].want[p], samples[j].want[p]);
                snprintf(what, sizeof what, "receipt %zu, port %zu, postcondition %d", i, j, p);
                tap_ok(letters[out.outcome] == want && out.effect == IL_EFFECT_COMMITTED && !out.server_event,
                       "%s: %c", what, want);
                consistent(&out, what);
                il__json_clear(&own);
                il__json_clear(&port);
            }
}

static void statuses(void)
{
    static const struct { int status; enum il_effect effect; } rows[] = {
        { IL__RECEIPT_REJECTED, IL_EFFECT_NONE }, { IL__RECEIPT_INTERRUPTED, IL_EFFECT_UNKNOWN },
        { IL__RECEIPT_INDETERMINATE, IL_EFFECT_UNKNOWN }, { -1, IL_EFFECT_UNKNOWN },
        { IL__RECEIPT_COUNT, IL_EFFECT_UNKNOWN },
    };
    struct il__mem mem;
    il__mem_init(&mem, NULL, NULL, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int p = 0; p < 2; p++) {
            struct kit kit;
            struct il__json doc;
            struct il__postcondition pc = declared(false);
            kit_init(&kit);
            kit.receipt.status = rows[i].status;
            struct il__outcome_detail out = il__outcome_of(&kit.receipt, p ? &pc : NULL, evidence(&doc, &mem, 6), NULL,
                                                           0, true);
            tap_ok(out.outcome == IL__FAILED && out.effect == rows[i].effect,
                   "receipt status %d fails, whatever the evidence", rows[i].status);
            consistent(&out, "a receipt that is not committed");
            char want[64];
            bool known = rows[i].status > 0 && rows[i].status < IL__RECEIPT_COUNT;
            snprintf(want, sizeof want, "the receipt's status is %s",
                     known ? il__receipt_status_names[rows[i].status] : "unknown");
            tap_str(il__str(out.detail), want, "and says why");
            il__json_clear(&doc);
        }
    struct kit kit;
    kit_init(&kit);
    struct il__outcome_detail out = il__outcome_of(&kit.receipt, NULL, (struct il__any){ NULL, 0 }, NULL, 0, true);
    tap_ok(out.outcome == IL__COMMITTED_UNVERIFIED, "a committed receipt without result and postcondition");
}

static void digests(void)
{
    for (int kind = 0; kind < IL__PC_COUNT; kind++) {
        struct il__mem mem;
        struct il__json doc;
        bool has = kind == IL__PC_UI_ELEMENT || kind == IL__PC_FILESYSTEM || kind == IL__PC_REGISTRY;
        struct il__postcondition pc = { .kind = kind, .exists = true };
        if (kind == IL__PC_FILESYSTEM) pc.content_digest = S(DIGEST);
        else if (has) pc.value_digest = S(DIGEST);
        il__mem_init(&mem, NULL, NULL, 0);
        struct il__any any = table_json(&doc, &mem, S("{\"observedDigest\":\"" ANOTHER "\",\"satisfied\":true}"));
        tap_int(il__outcome_of_evidence(&pc, any), has ? IL__FAILED : IL__VERIFIED, "the digest of a %s",
                il__pc_kind_names[kind]);
        il__json_clear(&doc);
    }
}

/* ---- the server's events ----------------------------------------------------------------------------------------- */

struct scene {
    struct kit kit;
    struct il__mem mem;
    struct il__json docs[3];
    struct il__event events[3];
    const struct il__event *list[3];
    size_t count;
    struct il__postcondition pc;
    bool accept;
};

static void scene_init(struct scene *s)
{
    memset(s, 0, sizeof *s);
    kit_init(&s->kit);
    il__mem_init(&s->mem, NULL, NULL, 0);
    s->pc = declared(false);
    s->accept = true;
}

static void hear(struct scene *s, const char *payload)
{
    struct il__event *event = &s->events[s->count];
    *event = (struct il__event){ .session_id = S("session-1"), .action_id = S("action-1"), .type = S("action.verified"),
                                 .payload = table_json(&s->docs[s->count], &s->mem, il__str(payload)) };
    s->list[s->count++] = event;
}

static struct il__outcome_detail settle(struct scene *s, const struct il__postcondition *pc, struct il__any port)
{
    struct il__outcome_detail out = il__outcome_of(&s->kit.receipt, pc, port, s->list, s->count, s->accept);
    for (size_t i = 0; i < s->count; i++) il__json_clear(&s->docs[i]);
    return out;
}

#define PROOF(verified, method, kind, state, checks)                                                       \
    "{\"verified\":" verified ",\"method\":\"" method "\",\"postconditionKind\":\"" kind                    \
    "\",\"postconditionExpectedState\":\"" state "\",\"checks\":" checks "}"
#define GOOD PROOF("true", "postcondition.filesystem", "filesystem", "exists", "1")
#define BAD PROOF("false", "postcondition.filesystem", "filesystem", "exists", "1")

#define SCENE(want, evidence_, what, change)                                                                   \
    do {                                                                                                       \
        struct scene s_, *s = &s_;                                                                             \
        scene_init(s);                                                                                         \
        change;                                                                                                \
        struct il__outcome_detail out_ = settle(s, &s->pc, (struct il__any){ NULL, 0 });                       \
        tap_ok(letters[out_.outcome] == (want) && out_.server_event == (evidence_), "%s: %c", what, want);     \
        consistent(&out_, what);                                                                               \
    } while (0)

static void positive_events(void)
{
    SCENE('V', true, "a positive event that reads the postcondition back", hear(s, GOOD));
    SCENE('C', false, "the same where the host does not accept it", hear(s, GOOD); s->accept = false);
    SCENE('C', false, "the same with a digest declared", hear(s, GOOD); s->pc = declared(true));
    SCENE('C', false, "another method", hear(s, PROOF("true", "successful_result", "filesystem", "exists", "1")));
    SCENE('C', false, "a method that only begins so",
          hear(s, PROOF("true", "postcondition", "filesystem", "exists", "1")));
    SCENE('C', false, "a method in capitals", hear(s, PROOF("true", "Postcondition.x", "filesystem", "exists", "1")));
    SCENE('C', false, "another kind", hear(s, PROOF("true", "postcondition.window", "window", "exists", "1")));
    SCENE('C', false, "another state", hear(s, PROOF("true", "postcondition.filesystem", "filesystem", "absent", "1")));
    SCENE('C', false, "no check", hear(s, PROOF("true", "postcondition.filesystem", "filesystem", "exists", "0")));
    SCENE('C', false, "fewer than no check",
          hear(s, PROOF("true", "postcondition.filesystem", "filesystem", "exists", "-1")));
    SCENE('C', false, "checks that are no count",
          hear(s, PROOF("true", "postcondition.filesystem", "filesystem", "exists", "\"1\"")));
    SCENE('C', false, "checks beyond all counting",
          hear(s, PROOF("true", "postcondition.filesystem", "filesystem", "exists", "99999999999999999999")));
    SCENE('C', false, "verified is a text", hear(s, PROOF("\"true\"", "postcondition.x", "filesystem", "exists", "1")));
    SCENE('C', false, "nothing but verified", hear(s, "{\"verified\":true}"));
    SCENE('C', false, "a payload that is no object", hear(s, "true"));
    SCENE('C', false, "no payload", hear(s, "true"); s->events[0].payload.doc = NULL);
    SCENE('V', true, "a method that ends with the point",
          hear(s, PROOF("true", "postcondition.", "filesystem", "exists", "1")));
    SCENE('V', true, "a file that is gone", hear(s, PROOF("true", "postcondition.f", "filesystem", "absent", "2"));
          s->pc.exists = false);
    SCENE('V', true, "a process that ended", hear(s, PROOF("true", "postcondition.p", "process", "not_running", "1"));
          s->pc = ((struct il__postcondition){ .kind = IL__PC_PROCESS, .pid = 7 }));
    SCENE('V', true, "a proof after a claim", hear(s, "{\"verified\":true}"); hear(s, GOOD));
}

static void other_events(void)
{
    SCENE('F', false, "a negative event", hear(s, BAD));
    SCENE('F', false, "a negative event where none is accepted", hear(s, BAD); s->accept = false);
    SCENE('F', false, "a negative event that says nothing else", hear(s, "{\"verified\":false}"));
    SCENE('F', false, "a negative event before a positive one", hear(s, BAD); hear(s, GOOD));
    SCENE('F', false, "a negative event after a positive one", hear(s, GOOD); hear(s, BAD));
    SCENE('F', false, "a negative event with a digest declared", hear(s, BAD); s->pc = declared(true));
    SCENE('C', false, "verified is null", hear(s, "{\"verified\":null}"));
    SCENE('C', false, "of another action", hear(s, BAD); s->events[0].action_id = S("action-2"));
    SCENE('C', false, "of no action", hear(s, BAD); s->events[0].action_id = IL_STR_NONE);
    SCENE('C', false, "of another session", hear(s, BAD); s->events[0].session_id = S("session-2"));
    SCENE('C', false, "of another type", hear(s, BAD); s->events[0].type = S("action.verified.x"));
    SCENE('C', false, "a proof of another action", hear(s, GOOD); s->events[0].action_id = S("action-2"));
    SCENE('C', false, "a proof of another session", hear(s, GOOD); s->events[0].session_id = S("session-2"));
    SCENE('C', false, "a proof of another type", hear(s, GOOD); s->events[0].type = S("action.committed"));
    SCENE('F', false, "a proof of a receipt that is not committed", hear(s, GOOD);
          s->kit.receipt.status = IL__RECEIPT_REJECTED);
}

static void events_and_evidence(void)
{
    struct scene s;
    struct il__json doc;
    struct il__mem mem;
    struct il__any none = { NULL, 0 };
    il__mem_init(&mem, NULL, NULL, 0);
    scene_init(&s);
    hear(&s, BAD);
    struct il__any good = table_json(&doc, &mem, S("{\"satisfied\":true}"));
    tap_int(settle(&s, &s.pc, good).outcome, IL__FAILED, "a negative event outweighs good evidence");
    scene_init(&s);
    hear(&s, GOOD);
    struct il__outcome_detail out = settle(&s, &s.pc, good);
    tap_ok(out.outcome == IL__VERIFIED && !out.server_event, "with good evidence the event is not what verifies");
    il__json_clear(&doc);
    struct il__any bad = table_json(&doc, &mem, S("{\"satisfied\":false}"));
    scene_init(&s);
    hear(&s, GOOD);
    tap_int(settle(&s, &s.pc, bad).outcome, IL__FAILED, "bad evidence outweighs a positive event");
    il__json_clear(&doc);
    scene_init(&s);
    hear(&s, GOOD);
    tap_int(settle(&s, NULL, none).outcome, IL__COMMITTED_UNVERIFIED, "without postcondition nothing is proved");
    scene_init(&s);
    hear(&s, BAD);
    tap_int(settle(&s, NULL, none).outcome, IL__FAILED, "without postcondition a negative event fails");
}

static void details(void)
{
    struct scene s;
    struct il__any none = { NULL, 0 };
    scene_init(&s);
    s.accept = false;
    hear(&s, PROOF("true", "postcondition.\\n\\u202ex", "filesystem", "exists", "3"));
    struct il__outcome_detail out = settle(&s, &s.pc, none);
    tap_ok(strstr(out.detail, "no verification evidence") && strstr(out.detail, "postcondition.") &&
               strstr(out.detail, "checks 3"),
           "the detail quotes a positive event");
    tap_ok(!strchr(out.detail, '\n') && !strstr(out.detail, "\xE2\x80\xAE"), "with its text made visible");

    static const struct { const char *port, *detail; bool digest; } rows[] = {
        { "\"yes\"", "no verification evidence", false },
        { "{}", "the evidence does not say that the postcondition holds", false },
        { "{\"satisfied\":false}", "the evidence says that the postcondition does not hold", false },
        { "{}", "a digest is declared and the evidence observed none", true },
        { "{\"observedDigest\":\"x\"}", "the observed digest differs from the declared one", true },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct il__mem mem;
        struct il__json doc;
        il__mem_init(&mem, NULL, NULL, 0);
        scene_init(&s);
        s.pc = declared(rows[i].digest);
        struct il__any port = table_json(&doc, &mem, il__str(rows[i].port));
        out = settle(&s, &s.pc, port);
        tap_str(il__str(out.detail), rows[i].detail, "the detail for %s", rows[i].port);
        il__json_clear(&doc);
    }
    scene_init(&s);
    out = settle(&s, NULL, none);
    tap_str(il__str(out.detail), "no postcondition was declared", "the detail without postcondition");
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static uint32_t named(struct table *t, const char *group, const char *column)
{
    return il__json_get_str(&t->doc, il__json_get(&t->doc, 0, group), table_str(t, column));
}

static void outcome_table(void)
{
    struct table t;
    table_open(&t, "tests/vectors/tables/outcome.json");
    for (int row = 1; table_next(&t); row++) {
        struct kit kit;
        struct il__postcondition pc;
        struct il__json own;
        char text[400];
        uint32_t post = named(&t, "postconditions", "postcondition"), mine = named(&t, "evidence", "receiptEvidence");
        uint32_t port = named(&t, "evidence", "portEvidence");
        bool none = il__json_kind(&t.doc, post) == IL__JSON_NULL;
        struct il_error err = IL_ERROR_INIT;
        if (!none && il__decode(&il__postcondition_schema, &t.doc, post, &pc, &err) != IL_OK) continue;
        kit_init(&kit);
        struct il_str raw = il__json_raw(&t.doc, mine);
        snprintf(text, sizeof text, "{\"verification\":%.*s}", IL_STR_FMT(raw));
        kit.receipt.result = table_json(&own, &t.mem, il__str(text));
        kit.receipt.status = il__name_index(il__receipt_status_names, table_str(&t, "receiptStatus"));
        struct il__any verified = { &t.doc, port };
        struct il__outcome_detail out = il__outcome_of(&kit.receipt, none ? NULL : &pc, verified, NULL, 0, false);
        static const char *const effects[] = { "none", "committed", "unknown" };
        tap_ok(il__str_eq(table_str(&t, "outcome"), il__str(il__outcome_names[out.outcome])) &&
                   il__str_eq(table_str(&t, "status"), il__str(out.status)) &&
                   il__str_eq(table_str(&t, "effect"), il__str(effects[out.effect])) &&
                   table_bool(&t, "verified") == out.verified && table_bool(&t, "committed") == out.committed &&
                   table_bool(&t, "retrySafe") == out.retry_safe,
               "outcome table, row %d", row);
        il__json_clear(&own);
    }
    table_close(&t);
}

int main(void)
{
    one_piece();
    pairs();
    statuses();
    digests();
    positive_events();
    other_events();
    events_and_evidence();
    details();
    outcome_table();
    return tap_done();
}
