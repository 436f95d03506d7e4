/* Journals that nobody wrote: whoever can write the store's file can chain any records anew. Shown and resumed, they
 * never crash, hang or leak; never more than one effect comes of one; where approvers sign, none that was not signed.
 * Records of honest runs are dropped, doubled, moved, mixed and bent, from a seed: HOSTILE=N rounds, SEED=N. */
#include "check/decision.h"
#include "kit.h"
#include "run/resume.h"
#include "run/state.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POOL = 400, TAPE = 120 };

struct item { char *kind, *body, *payload; size_t payload_len; };
static struct item pool[POOL];
static size_t pool_count;
struct tape { struct item items[TAPE]; size_t count; };
static struct tape honest[8];
static size_t honest_count;

static uint32_t seed = 1;
static const char one[] = "run-1", *run_id = one;

static uint32_t pick(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

/* ---- a store that holds one run, whatever it says ---- */

static struct il__journal shown;
static struct il__mem shown_mem;
static struct il__digest *shown_digest;

static enum il_code ok_row(void *self, const struct il__store_row *row, struct il_error *err)
{
    (void)self, (void)row, (void)err;
    return IL_OK;
}
static enum il_code ok_append(void *self, const struct il__store_record *record, struct il_error *err)
{
    (void)self, (void)record, (void)err;
    return IL_OK;
}
static enum il_code ok_consume(void *self, struct il_str id, uint64_t letter, struct il_error *err)
{
    (void)self, (void)id, (void)letter, (void)err;
    return IL_OK;
}
static enum il_code ok_write(void *self, struct il_error *err)
{
    (void)self, (void)err;
    return IL_OK;
}
static enum il_code owns(void *self, struct il_str id, uint64_t fence, struct il_error *err)
{
    (void)self, (void)id, (void)fence, (void)err;
    return IL_OK;
}
static enum il_code claim(void *self, struct il_str id, uint64_t *fence, struct il_error *err)
{
    (void)self, (void)id, (void)err;
    *fence = 2;
    return IL_OK;
}
static enum il_code load(void *self, struct il_str id, il__store_record_fn fn, void *ctx, struct il_error *err)
{
    (void)self, (void)err;
    for (size_t i = 0; i < shown.count; i++) {
        struct il__store_record r = { id, i, 1, shown.records[i].text, shown.records[i].payload, { 0 } };
        memcpy(r.hash, shown.records[i].hash, sizeof r.hash);
        if (!fn(ctx, &r)) break;
    }
    return IL_OK;
}
static enum il_code letters(void *self, struct il_str id, il__store_letter_fn fn, void *ctx, struct il_error *err)
{
    (void)self, (void)id, (void)fn, (void)ctx, (void)err;
    return IL_OK;
}
static bool changed(void *self)
{
    (void)self;
    return false;
}
static enum il_code latched(void *self, struct il_str id, bool *on, bool *all, struct il_error *err)
{
    (void)self, (void)id, (void)err;
    *on = *all = false;
    return IL_OK;
}
static enum il_code remember(void *self, const struct il__past *past, struct il_error *err)
{
    (void)self, (void)past, (void)err;
    return IL_OK;
}
static enum il_code spend(void *self, struct il_str id, const struct il__unit *units, size_t count, int64_t now_ms,
                          struct il_error *err)
{
    (void)self, (void)id, (void)units, (void)count, (void)now_ms, (void)err;
    return IL_OK;
}
static const struct il__store_ops STORE = { .create = ok_row, .append = ok_append, .index = ok_row,
                                            .consume = ok_consume, .write = ok_write, .flush = ok_write, .owns = owns,
                                            .claim = claim, .load = load, .letters = letters, .changed = changed,
                                            .latched = latched, .remember = remember, .spend = spend };

/* ---- honest runs ---- */

static char *copy_of(struct il_str s)
{
    char *text = malloc(s.len + 1);
    if (!text) abort();
    if (s.len) memcpy(text, s.ptr, s.len);
    text[s.len] = '\0';
    return text;
}

static struct item item_of(const struct il__record *rec, struct il__mem *mem)
{
    struct il__json doc = { 0 };
    struct il_str kind = { "", 0 };
    struct item item = { NULL, NULL, NULL, rec->payload.len };
    if (il__json_parse(&doc, mem, rec->text, IL__JSON_CONTRACT, NULL) ||
        il__json_string(&doc, il__json_get(&doc, 0, "kind"), &kind, NULL)) abort();
    item.kind = copy_of(kind);
    item.body = copy_of(il__json_raw(&doc, il__json_get(&doc, 0, "body")));
    if (rec->payload.ptr) item.payload = copy_of(rec->payload);
    il__json_clear(&doc);
    return item;
}

static void collect(struct kit *k)
{
    struct tape *t = &honest[honest_count++];
    for (size_t i = 0; i < k->run->journal.count && i < TAPE; i++) {
        t->items[t->count] = item_of(&k->run->journal.records[i], &k->mem);
        if (pool_count < POOL) pool[pool_count++] = t->items[t->count];
        t->count++;
    }
}

static bool asks_early; /* the policy asks before the preview */

/* How this life is set up: what judges now. */
static void open_life(struct kit *k, bool signers)
{
    static struct il__approver approver;
    kit_open(k);
    k->random = pick(1000000);
    k->options.host_name = IL_STR("desk-1");
    if (!signers) return;
    uint8_t bytes[IL__KEY_BYTES] = { 9 };
    struct il__sign_key key;
    if (il__sign_key_from_seed(&key, bytes, NULL)) abort();
    approver = (struct il__approver){ IL_STR("ann"), { NULL, 0 }, key.public };
    k->engine.approvers = &approver;
    k->engine.approver_count = 1;
    k->engine.approvers_sign = true;
    k->says[asks_early ? IL__PHASE_PROPOSE : IL__PHASE_PREVIEW] = IL__VERDICT_ASK;
    il__sign_key_clear(&key);
}

static void honest_runs(void)
{
    static const struct { bool postcondition; struct kit_bend bend; bool propose, preview, approve; } rows[] = {
        { false, { .nth = 99 }, false, false, false },
        { false, { .op = IL_OP_PREVIEW_ACTION, .from = "\"executable\":true",
                               .to = "\"executable\":false,\"blocker\":\"approval_required\"" }, false, false, true },
        { false, { .nth = 99 }, true, false, true },
        { false, { .nth = 99 }, true, true, true },
        { false, { .op = IL_OP_EXECUTE_ACTION, .fail = IL_TRANSPORT }, false, false, false },
        { true, { .op = IL_OP_RESERVE_TARGET, .to = "null" }, false, false, false },
        { false, { .op = IL_OP_RESERVE_TARGET, .to = "{\"reservationId\":\"x\"}" }, false, false, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct kit *k = calloc(1, sizeof *k);
        if (!k) abort();
        kit_open(k);
        k->random = (uint32_t)i + 1;
        kit_bend(k, rows[i].bend);
        if (rows[i].propose) k->says[IL__PHASE_PROPOSE] = IL__VERDICT_ASK;
        if (rows[i].preview) k->says[IL__PHASE_PREVIEW] = IL__VERDICT_ASK;
        kit_start(k, rows[i].postcondition ? kit_postcondition : kit_targeted);
        kit_go(k);
        for (int n = 0; n < 3 && rows[i].approve && k->run->state == IL__STATE_WAITING; n++) {
            char json[600];
            bool early = k->run->wait.propose, host = rows[i].propose || rows[i].preview;
            snprintf(json, sizeof json, "{\"requestId\":\"%s\"%s,\"proposalDigest\":\"%s\"%s}", k->run->wait.request_id,
                     early ? "" : ",\"actionDigest\":\"" KIT_ACTION_DIGEST "\",\"policyDigest\":\"" KIT_POLICY_DIGEST
                                  "\"", k->run->proposal_digest,
                     host ? ",\"decision\":\"approve\"" : ",\"runtimeApproved\":true");
            struct il_error err = IL_ERROR_INIT;
            if (il__run_answer(k->run, il__str(json), true, &err)) tap_note("%s", err.message);
            kit_go(k);
        }
        tap_ok(k->run->state == IL__STATE_ENDED, "honest run %zu ended: %s", i, kit_status(k));
        collect(k);
        il__engine_clear(&k->engine);
        free(k);
    }
}

/* ---- bending ---- */

static const char *const NUMBERS[] = { "0", "-1", "1", "2", "3", "4294967296", "9223372036854775807",
                                       "-9223372036854775808", "1e300", "null", "[]", "\"x\"" };
static const char *const TEXTS[] = { "\"\"", "null", "{}", "[[]]", "7", "\"a\\u0000b\"", "\"runtime\"", "\"moving\"",
                                     "\"9999-12-31T23:59:59Z\"", "\"0000-01-01T00:00:00Z\"",
                                     "{\"a\":\"b\",\"c\":\"d\"}",
                                     "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"" };

/* One member of the body replaced by something else; of malloc. */
static char *bent(const char *body, struct il__mem *mem)
{
    struct il__json doc = { 0 };
    char *out = NULL;
    size_t cap = strlen(body) + 200;
    if (il__json_parse(&doc, mem, il__str(body), IL__JSON_CONTRACT, NULL)) return copy_of(il__str(body));
    uint32_t members = il__json_at(&doc, 0)->count, at = 0;
    if (members) {
        uint32_t n = pick(members);
        at = il__json_first(&doc, 0);
        while (n--) at = il__json_next(&doc, 0, at);
    }
    out = malloc(cap);
    if (!out) abort();
    if (!at) {
        snprintf(out, cap, "{}");
    } else {
        struct il_str raw = il__json_raw(&doc, at);
        bool text = il__json_kind(&doc, at) == IL__JSON_STRING;
        const char *to = text ? TEXTS[pick(sizeof TEXTS / sizeof *TEXTS)]
                              : NUMBERS[pick(sizeof NUMBERS / sizeof *NUMBERS)];
        snprintf(out, cap, "%.*s%s%s", (int)(raw.ptr - body), body, to, raw.ptr + raw.len);
    }
    il__json_clear(&doc);
    return out;
}

static void mutate(struct tape *t, struct il__mem *mem, char **owned, size_t *owned_count)
{
    size_t n = t->count, at = n ? pick((uint32_t)n) : 0;
    switch (pick(7)) {
    case 0:
        if (!n) break;
        memmove(&t->items[at], &t->items[at + 1], (n - at - 1) * sizeof *t->items);
        t->count--;
        break;
    case 1:
        if (n == TAPE) break;
        memmove(&t->items[at + 1], &t->items[at], (n - at) * sizeof *t->items);
        t->items[at] = pool[pick((uint32_t)pool_count)];
        t->count++;
        break;
    case 2:
        if (n < 2) break;
        size_t other = pick((uint32_t)n);
        struct item swap = t->items[at];
        t->items[at] = t->items[other];
        t->items[other] = swap;
        break;
    case 3:
        if (!n) break;
        t->items[at].payload = pick(3) ? pool[pick((uint32_t)pool_count)].payload : NULL;
        t->items[at].payload_len = t->items[at].payload ? strlen(t->items[at].payload) : 0;
        break;
    case 4:
        if (n) t->count = at + 1;
        break;
    case 5:
        if (n) t->items[at].kind = pool[pick((uint32_t)pool_count)].kind;
        break;
    default:
        if (!n || *owned_count >= 16) break;
        t->items[at].body = owned[(*owned_count)++] = bent(t->items[at].body, mem);
        break;
    }
}

/* ---- one life over such a journal ---- */

static void serve(const struct tape *t)
{
    static const char *const boots[] = { "embedder", "another" };
    il__journal_init(&shown, &shown_mem, shown_digest);
    shown.spare_open = true;
    for (size_t i = 0; i < t->count; i++) {
        struct il_error err = IL_ERROR_INIT;
        const struct il_str payload = { t->items[i].payload, t->items[i].payload ? t->items[i].payload_len : 0 };
        const struct il__now now = { { 1796061600, 0 }, (int64_t)i };
        if (il__journal_append(&shown, t->items[i].kind, il__str(run_id), now, boots[pick(8) == 0], 1,
                               il__str(t->items[i].body), payload, &err)) abort();
    }
}

static bool try_show(struct kit *k)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_run *run = NULL;
    struct il_str text;
    if (il__run_show(&k->engine, il__str(run_id), &run, &err)) return err.code != IL_OK;
    enum il_code code = il__run_document(run, &text, &err);
    il__run_destroy(run);
    return !code || err.code;
}

static void poke(struct kit *k)
{
    char json[400];
    struct il_error err = IL_ERROR_INIT;
    if (k->run->state != IL__STATE_WAITING) return;
    snprintf(json, sizeof json, "{\"requestId\":\"%s\",\"actionDigest\":\"%s\",\"policyDigest\":\"%s\",\"decision\":"
             "\"approve\"}", k->run->wait.request_id, KIT_ACTION_DIGEST, KIT_POLICY_DIGEST);
    (void)il__run_answer(k->run, il__str(json), true, &err);
}

/* Effects; -1: something was left behind. */
static int live(const struct tape *t, bool signers, bool starts_over, const char **status)
{
    static struct kit k;
    const struct il_str scopes[] = { IL_STR("computer:plan"), IL_STR("computer:execute:background") };
    struct il_resume_options o = IL_RESUME_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    open_life(&k, signers);
    k.engine.store = (struct il__store){ &STORE, NULL };
    if (starts_over) kit_bend(&k, (struct kit_bend){ .op = IL_OP_RECOVER, .to = "\"not_started\"" });
    serve(t);
    bool fine = try_show(&k);
    o.run_id = il__str(run_id);
    o.principal = IL_STR("p-1");
    o.scopes = scopes;
    o.scope_count = 2;
    o.renew = pick(8) == 0 && run_id == one;
    *status = "not resumed";
    k.run = NULL;
    if (il__run_resume(&k.engine, &o, &k.run, &err)) {
        if (run_id != one) tap_note("%s: %s", err.field, err.message);
    } else {
        for (int i = 0; i < 3; i++) {
            kit_go(&k);
            poke(&k);
        }
        kit_advance(&k, 400000);
        *status = kit_status(&k);
        struct il_str text;
        fine = fine && !il__run_document(k.run, &text, &err);
    }
    il__engine_clear(&k.engine);
    il__journal_clear(&shown);
    return fine && k.mem.in_use_bytes == 0 ? k.effects : -1;
}

static const struct item *find(const char *kind, const char *with)
{
    for (size_t i = 0; i < pool_count; i++)
        if (strcmp(pool[i].kind, kind) == 0 && (!with || strstr(pool[i].body, with))) return &pool[i];
    printf("Bail out! no %s\n", kind);
    exit(1);
}

/* By hand: each record where what it rests on is missing. */
static void alone(void)
{
    static const char *const kinds[] = { "ask", "intent", "observed", "preview", "verdict", "wait", "answer",
                                         "decision",
                                         "held", "reserved", "leased", "execute", "receipt", "evidence", "outcome",
                                         "stopped", "released", "end" };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        for (int first = 0; first < 2; first++) {
            const char *status;
            struct tape t = { .count = 0 };
            if (first) t.items[t.count++] = *find("created", NULL);
            t.items[t.count++] = *find(kinds[i], NULL);
            if (strcmp(kinds[i], "wait") == 0) t.items[t.count - 1] = *find("wait", "\"for\":\"preview\"");
            int effects = live(&t, false, true, &status);
            tap_ok(effects == 0 || (first && effects == 1), "%s%s: %d effects, %s", first ? "created, " : "", kinds[i],
                   effects, status);
        }
    }
}

/* Approvers sign, and a policy asks: a journal in which nobody was asked, or somebody else answered, does not help. */
static void nobody_signed(void)
{
    for (size_t h = 0; h < honest_count; h++) {
        for (size_t cut = 1; cut <= honest[h].count; cut++) {
            struct tape t = honest[h];
            const char *status;
            t.count = cut;
            int effects = live(&t, true, true, &status);
            tap_ok(effects == 0, "run %zu, its first %zu records: %d effects without a signature, %s", h, cut, effects,
                   status);
        }
    }
}

/* Ann approves what run `k` waits for, with her key. */
static void ann_signs(struct kit *k)
{
    const uint8_t bytes[IL__KEY_BYTES] = { 9 };
    struct il__sign_key key;
    struct il__buf out;
    struct il_error err = IL_ERROR_INIT;
    const struct il__decided said = {
        .type = IL_STR(IL__DECISION_TYPE), .host = k->options.host_name, .run = il__str(k->run->id),
        .request = il__str(k->run->wait.request_id), .proposal_digest = il__str(k->run->proposal_digest),
        .card_digest = il__str(k->run->card_digest), .decision = IL__DECISION_APPROVE, .approver = IL_STR("ann"),
        .issued_at = IL_STR("2026-11-30T18:00:00Z"), .expires_at = IL_STR("2026-11-30T18:20:00Z"),
    };
    struct il_decision d = IL_DECISION_INIT;
    il__buf_init(&out, &k->mem, 0);
    if (il__sign_key_from_seed(&key, bytes, NULL) || il__decision_sign(&said, &key, &k->mem, &out, &err)) abort();
    d.signed_json = il__buf_get(&out);
    tap_int(il__run_decide(k->run, &d, &err), IL_OK, "ann signs: %s", err.message);
    il__buf_clear(&out);
    il__sign_key_clear(&key);
}

/* The records of a run of `proposal`, up to what ann signed; the same ids each time. */
static void signed_run(struct tape *t, const char *proposal, char id[40])
{
    static struct kit k;
    open_life(&k, true);
    k.random = 4711;
    kit_start(&k, proposal);
    kit_go(&k);
    ann_signs(&k);
    memcpy(id, k.run->id, 40);
    t->count = 0;
    for (size_t i = 0; i < k.run->journal.count; i++)
        t->items[t->count++] = item_of(&k.run->journal.records[i], &k.mem);
    il__engine_clear(&k.engine);
}

/* What was signed for one action stands in the journal of another. */
static void signed_for_another(void)
{
    static struct tape ours, other, mixed;
    char id[40], same[40];
    const char *status;
    asks_early = true;
    signed_run(&ours, kit_targeted, id);
    signed_run(&other, "{\"tool\":\"write_clipboard\",\"arguments\":{\"Text\":\"worse\"}}", same);
    tap_ok(strcmp(id, same) == 0, "both runs have one id");
    run_id = id;
    int effects = live(&ours, true, false, &status);
    tap_int(effects, 1, "what was signed lets another life go on: %s", status);
    mixed = other;
    mixed.items[mixed.count - 1] = ours.items[ours.count - 1];
    tap_ok(strcmp(mixed.items[mixed.count - 1].kind, "decision") == 0, "what was signed for the one, in the other's");
    effects = live(&mixed, true, false, &status);
    tap_ok(effects == 0 && strcmp(status, "waiting") == 0, "lets nothing happen: %s", status);
    for (size_t i = 0; i < ours.count + other.count; i++) {
        struct item *item = i < ours.count ? &ours.items[i] : &other.items[i - ours.count];
        free(item->kind);
        free(item->body);
        free(item->payload);
    }
    run_id = one;
    asks_early = false;
}

static void at_random(int rounds)
{
    int bad = 0;
    for (int i = 0; i < rounds; i++) {
        uint32_t was = seed;
        char *owned[16];
        size_t owned_count = 0;
        const char *status;
        struct tape t = honest[pick((uint32_t)honest_count)];
        bool signers = pick(2), starts_over = pick(2);
        for (uint32_t n = 1 + pick(5); n; n--) mutate(&t, &shown_mem, owned, &owned_count);
        int effects = live(&t, signers, starts_over, &status);
        if (effects < 0 || effects > 1 || (signers && effects)) {
            tap_ok(false, "SEED=%u: %d effects%s, %s", was, effects, signers ? " that nobody signed" : "", status);
            if (++bad >= 10) break;
        }
        while (owned_count) free(owned[--owned_count]);
    }
    tap_ok(!bad, "%d journals that nobody wrote", rounds);
}

int main(void)
{
    const char *rounds = getenv("HOSTILE"), *from = getenv("SEED");
    alarm(300);
    il__mem_init(&shown_mem, NULL, NULL, 0);
    shown_digest = il__digest_new(&shown_mem);
    honest_runs();
    alone();
    nobody_signed();
    signed_for_another();
    if (from) seed = (uint32_t)strtoul(from, NULL, 10);
    at_random(rounds ? (int)strtol(rounds, NULL, 10) : 600);
    for (size_t h = 0; h < honest_count; h++) {
        for (size_t i = 0; i < honest[h].count; i++) {
            free(honest[h].items[i].kind);
            free(honest[h].items[i].body);
            free(honest[h].items[i].payload);
        }
    }
    il__digest_free(shown_digest);
    tap_ok(shown_mem.in_use_bytes == 0, "the test leaves nothing either");
    tap_plan_end();
    return tap_done();
}
