/* Signed decisions (SPEC §6): what is signed counts for exactly what was shown, by
 * exactly who signed it, and whatever differs is named. Through the public interface; the journal is read as anybody
 * could. */
#include "tap.h"

#include "check/decision.h"
#include "wire/base64.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW 1800000000
enum { PEOPLE = 4 };
static const char *const names[PEOPLE] = { "ann", "ben", "cid", "operator-1" };
static const char *const roles[PEOPLE] = { "\"security\",\"lead\"", "\"lead\"", "", "\"security\"" };

struct bed {
    struct il__mem mem;
    struct il__sign_key keys[PEOPLE];
    char pem[PEOPLE][IL__KEY_PEM];
    char file[2048];
    il_host *host;
    il_run *run;
    struct il_error err;
    int64_t ms;
};

static void read_clock(void *ctx, struct il_clock_reading *out)
{
    const struct bed *b = ctx;
    *out = (struct il_clock_reading){ NOW + b->ms / 1000, (int32_t)(b->ms % 1000) * 1000000, b->ms * 1000000 };
}

static void people(struct bed *b)
{
    size_t at = (size_t)snprintf(b->file, sizeof b->file, "{\"approvers\":[");
    for (int i = 0; i < PEOPLE; i++) {
        char text[IL__KEY_TEXT];
        uint8_t seed[IL__KEY_BYTES] = { (uint8_t)(i + 1) };
        tap_int(il__sign_key_from_seed(&b->keys[i], seed, NULL), IL_OK, "a key for %s", names[i]);
        (void)il__sign_key_pem(&b->keys[i], b->pem[i]);
        il__public_key_text(&b->keys[i].public, text);
        at += (size_t)snprintf(b->file + at, sizeof b->file - at, "%s{\"id\":\"%s\",\"key\":\"%s\",\"roles\":[%s]}",
                               i ? "," : "", names[i], text, roles[i]);
    }
    (void)snprintf(b->file + at, sizeof b->file - at, "]}");
}

/* A policy that says this in each phase; NULL: it says nothing. */
static void open_bed(struct bed *b, const char *propose, const char *preview, bool with_people)
{
    struct il_host_options o = IL_HOST_OPTIONS_INIT;
    char policy[512];
    memset(b, 0, sizeof *b);
    il__mem_init(&b->mem, NULL, NULL, 0);
    people(b);
    o.clock = read_clock;
    o.clock_ctx = b;
    o.host_name = IL_STR("desk-1");
    tap_int(il_host_new(&o, &b->host, &b->err), IL_OK, "a host");
    tap_int(il_host_set_runtime_simulated(b->host, IL_STR_NONE, &b->err), IL_OK, "and a runtime");
    (void)snprintf(policy, sizeof policy,
                   "local p = require 'interlock.policy'\nreturn p { name = 'a', propose = function() %s end, "
                   "preview = function() %s end }", propose ? propose : "", preview ? preview : "");
    const struct il_file files[] = {
        { IL_STR("bundle.json"), IL_STR("{\"name\":\"t\",\"version\":\"1\",\"requires\":1,\"policies\":"
                                        "[{\"file\":\"a.lua\",\"level\":\"hard\"}],\"files\":[\"a.lua\"]}") },
        { IL_STR("a.lua"), il__str(policy) },
    };
    tap_int(il_host_add_bundle(b->host, files, 2, IL_STR_NONE, &b->err), IL_OK, "a policy (%s)", b->err.message);
    if (with_people)
        tap_int(il_host_set_approvers_json(b->host, il__str(b->file), &b->err), IL_OK, "approvers (%s)",
                b->err.message);
}

static void go(struct bed *b)
{
    for (int i = 0; i < 1000; i++) {
        struct il_tick tick = { .size = sizeof tick };
        if (il_host_tick(b->host, 0, &tick, NULL) || il_run_state(b->run) == IL_RUN_ENDED) return;
        if (!tick.more && !tick.in_flight) return;
    }
}

static const char *status(const struct bed *b)
{
    struct il_summary s = { .size = sizeof s };
    il_run_summary(b->run, &s);
    return s.status;
}

static void start(struct bed *b)
{
    static const struct il_str scopes[] = { { "computer:plan", 13 }, { "computer:execute:background", 27 } };
    struct il_run_options o = IL_RUN_OPTIONS_INIT;
    o.proposal = IL_STR("{\"tool\":\"write_clipboard\",\"arguments\":{\"text\":\"hi\"}}");
    o.principal = IL_STR("operator-1");
    o.session_id = IL_STR("session-1");
    o.scopes = scopes;
    o.scope_count = 2;
    tap_int(il_run_start(b->host, &o, &b->run, &b->err), IL_OK, "a run (%s)", b->err.message);
    go(b);
    tap_str(il__str(status(b)), "waiting", "waits");
}

static void close_bed(struct bed *b)
{
    il_run_free(b->run);
    il_host_free(b->host);
    tap_int((long long)b->mem.in_use_bytes, 0, "nothing is left behind");
}

static struct il_sign_options signing(struct bed *b, int who, const char *decision)
{
    struct il_sign_options o = IL_SIGN_OPTIONS_INIT;
    o.key_pem = il__str(b->pem[who]);
    o.approver = il__str(names[who]);
    o.decision = il__str(decision);
    if (il_run_document(b->run, &o.waiting, &b->err)) abort();
    return o;
}

/* Of malloc. */
static char *signed_by(struct bed *b, int who, const char *decision)
{
    struct il_sign_options o = signing(b, who, decision);
    struct il_str out;
    if (il_host_sign_decision(b->host, &o, &out, &b->err)) {
        tap_ok(false, "signing: %s", b->err.message);
        return strdup("{}");
    }
    return strndup(out.ptr, out.len);
}

static enum il_code deliver(struct bed *b, char *json)
{
    struct il_decision d = IL_DECISION_INIT;
    d.signed_json = il__str(json);
    b->err = (struct il_error)IL_ERROR_INIT;
    enum il_code code = il_run_decide(b->run, &d, &b->err);
    free(json);
    go(b);
    return code;
}

static enum il_code decide(struct bed *b, int who, const char *decision)
{
    return deliver(b, signed_by(b, who, decision));
}

/* The decision changed and signed again, by a key of this bed. */
static char *forged(struct bed *b, int who, const char *from, const char *to)
{
    static const char head[] = "{\"decision\":";
    char *good = signed_by(b, 0, "approve"), *end = strstr(good, ",\"signature\":");
    char body[4096], id[IL__KEY_ID], sig_text[IL__BASE64_ROOM(IL__SIGNATURE_BYTES)];
    uint8_t sig[IL__SIGNATURE_BYTES];
    if (!end) abort();
    *end = '\0';
    char *text = good + strlen(head), *at = strstr(text, from);
    if (!at) abort();
    (void)snprintf(body, sizeof body, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    if (il__sign(&b->keys[who], il__str(body), sig, NULL)) abort();
    (void)il__base64_write(sig, sizeof sig, sig_text);
    il__public_key_id(&b->keys[who].public, id);
    char *out = malloc(8192);
    if (!out) abort();
    (void)snprintf(out, 8192, "{\"decision\":%s,\"signature\":\"%s\",\"keyId\":\"%s\"}", body, sig_text, id);
    free(good);
    return out;
}

static void refused(struct bed *b, enum il_code got, const char *object, const char *field, const char *what)
{
    tap_int(got, IL_APPROVAL_MISMATCH, "%s is refused (%s)", what, b->err.message);
    tap_str(il__str(b->err.object), object, "by its object");
    tap_str(il__str(b->err.field), field, "and field");
    tap_str(il__str(status(b)), "waiting", "the run waits on");
}

/* ---- decisions that count ---- */

static size_t records_with(const struct bed *b, const char *text, bool payload)
{
    size_t found = 0;
    struct il_record record = { .size = sizeof record };
    for (uint64_t i = 0; !il_run_record(b->run, i, &record, NULL); i++) {
        struct il_str in = payload ? record.payload : record.text;
        if (in.ptr && memmem(in.ptr, in.len, text, strlen(text))) found++;
    }
    return found;
}

/* As anybody who has the approver's public key could check it later. */
static void journal_proves(struct bed *b, int who)
{
    struct il_record record = { .size = sizeof record };
    bool proved = false;
    for (uint64_t i = 0; !il_run_record(b->run, i, &record, NULL); i++) {
        struct il__decision_read in = { .said = { .decision = NULL } };
        struct il__checker ck;
        if (!memmem(record.text.ptr, record.text.len, "\"kind\":\"decision\"", 17)) continue;
        il__checker_init(&ck, "signed decision", &b->err, NULL, NULL);
        if (!il__decision_read(&in, &b->mem, record.payload, &b->err) &&
            il__str_eq(in.said.decision->approver, il__str(names[who]))) {
            il__check_signed(&ck, &in, &b->keys[who].public);
            proved = !ck.failed;
        }
        il__decision_clear(&in);
    }
    tap_ok(proved, "the journal holds what %s signed, and the key proves it", names[who]);
}

static void two_approve(void)
{
    struct bed b;
    open_bed(&b, NULL, "return p.ask('because', { approvers = 2 })", true);
    start(&b);
    tap_int(decide(&b, 0, "approve"), IL_OK, "ann approves (%s)", b.err.message);
    tap_str(il__str(status(&b)), "waiting", "one is not two");
    tap_int(decide(&b, 0, "approve"), IL_OK, "ann approves again (%s)", b.err.message);
    tap_str(il__str(status(&b)), "waiting", "and is one still");
    refused(&b, decide(&b, 3, "approve"), "approval", "approver", "the principal of the run");
    tap_int(decide(&b, 1, "defer"), IL_OK, "ben defers");
    tap_str(il__str(status(&b)), "waiting", "which decides nothing");
    tap_int(decide(&b, 1, "approve"), IL_OK, "ben approves (%s)", b.err.message);
    tap_str(il__str(status(&b)), "committed_unverified", "and the run goes on");
    tap_int((long long)records_with(&b, "\"trust\":\"signed\"", false), 4, "each decision is recorded as signed");
    tap_int((long long)records_with(&b, "\"signature\":", true), 4, "with what was signed");
    journal_proves(&b, 0);
    journal_proves(&b, 1);
    close_bed(&b);
}

static void roles_count(void)
{
    struct bed b;
    open_bed(&b, NULL, "return p.ask('because', { roles = { 'security' } })", true);
    start(&b);
    tap_int(decide(&b, 2, "approve"), IL_OK, "cid approves");
    tap_str(il__str(status(&b)), "waiting", "and has not the role");
    tap_int(decide(&b, 0, "approve"), IL_OK, "ann approves");
    tap_str(il__str(status(&b)), "committed_unverified", "and has it, from the file");
    close_bed(&b);
}

static void denies(void)
{
    struct bed b;
    open_bed(&b, NULL, "return p.ask('because', { approvers = 2 })", true);
    start(&b);
    tap_int(decide(&b, 0, "approve"), IL_OK, "ann approves");
    char *late = signed_by(&b, 0, "approve");
    tap_int(decide(&b, 2, "deny"), IL_OK, "cid denies");
    tap_str(il__str(status(&b)), "denied", "one deny ends the run");
    tap_int(deliver(&b, late), IL_APPROVAL_MISMATCH, "what comes later is late (%s)", b.err.message);
    tap_int((long long)records_with(&b, "\"kind\":\"late\"", false), 1, "and recorded");
    close_bed(&b);

    /* Before the preview the digests are null; a deny of that request counts also when it was granted. */
    open_bed(&b, "return p.ask('early')", "return p.ask('because')", true);
    start(&b);
    char *early = signed_by(&b, 1, "deny"), *again = signed_by(&b, 1, "approve");
    tap_ok(strstr(early, "\"actionDigest\":null") && strstr(early, "\"policyDigest\":null"), "null before a preview");
    tap_int(decide(&b, 0, "approve"), IL_OK, "ann lets it be previewed (%s)", b.err.message);
    tap_str(il__str(status(&b)), "waiting", "then it waits again");
    refused(&b, deliver(&b, again), "signed decision", "request", "an approval of the request that is over");
    tap_int(deliver(&b, early), IL_OK, "a deny of it (%s)", b.err.message);
    tap_str(il__str(status(&b)), "denied", "counts");
    close_bed(&b);
}

/* ---- what does not count ---- */

static void each_member(void)
{
    static const struct { const char *from, *to, *field; } rows[] = {
        { "\"host\":\"desk-1\"", "\"host\":\"desk-2\"", "host" },
        { "\"run\":\"", "\"run\":\"x", "run" },
        { "\"request\":\"req-", "\"request\":\"req-0", "request" },
        { "\"actionDigest\":\"", "\"actionDigest\":\"0", "action_digest" },
        { "\"policyDigest\":\"", "\"policyDigest\":\"0", "policy_digest" },
        { "\"hostPolicyDigest\":\"", "\"hostPolicyDigest\":\"0", "host_policy_digest" },
        { "\"proposalDigest\":\"", "\"proposalDigest\":\"0", "proposal_digest" },
        { "\"cardDigest\":\"", "\"cardDigest\":\"0", "card_digest" },
        { "interlock/decision/v1", "interlock/decision/v2", "type" },
        { "\"issuedAt\":\"2027", "\"issuedAt\":\"soon", "issued_at" },
        { "\"expiresAt\":\"2027", "\"expiresAt\":\"soon", "expires_at" },
        { "\"expiresAt\":\"2027", "\"expiresAt\":\"2026", "expires_at" },
        { "\"approver\":\"ann\"", "\"approver\":\"eve\"", "approver" },
        { "\"approver\":\"ann\"", "\"approver\":\"ben\"", "key_id" },
    };
    struct bed b;
    open_bed(&b, NULL, "return p.ask('because')", true);
    start(&b);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        refused(&b, deliver(&b, forged(&b, 0, rows[i].from, rows[i].to)), "signed decision", rows[i].field, rows[i].to);
    tap_ok(!strstr(b.err.message, "req-"), "the open request is not shown");
    tap_int(deliver(&b, forged(&b, 0, "ann", "ann")), IL_OK, "unchanged it is taken (%s)", b.err.message);
    close_bed(&b);
}

/* One letter of a good document changed. */
static char *changed(struct bed *b, const char *after, int by)
{
    char *json = signed_by(b, 0, "approve"), *at = strstr(json, after);
    if (!at) abort();
    at += strlen(after);
    *at = *at == 'A' ? 'B' : (char)(*at == 'b' ? 'c' : 'A' + by);
    return json;
}

static void signatures(void)
{
    struct bed b;
    open_bed(&b, NULL, "return p.ask('because')", true);
    start(&b);
    refused(&b, deliver(&b, changed(&b, "\"signature\":\"", 0)), "signed decision", "signature", "another signature");
    refused(&b, deliver(&b, changed(&b, "\"keyId\":\"", 0)), "signed decision", "key_id", "another key id");
    char *json = signed_by(&b, 0, "approve"), *at = strstr(json, "\"approve\"");
    memcpy(at, "\"defer\"  ", 9);
    refused(&b, deliver(&b, json), "signed decision", "signature", "another word than was signed");
    json = signed_by(&b, 0, "approve");
    at = strstr(json, "\"reason\":null");
    memcpy(at, "\"reason\":\"ok\"", 13);
    refused(&b, deliver(&b, json), "signed decision", "signature", "a reason that was not signed");
    json = signed_by(&b, 0, "approve");
    at = strstr(json, "\"signature\":\"");
    memmove(at + 13, strchr(at + 13, '"'), strlen(strchr(at + 13, '"')) + 1);
    tap_int(deliver(&b, json), IL_DECODE, "an empty signature (%s)", b.err.message);
    /* Blanks and the order of members are not what is signed. */
    json = signed_by(&b, 0, "approve");
    char *wide = malloc(strlen(json) + 8);
    if (!wide) abort();
    (void)snprintf(wide, strlen(json) + 8, " \n%s\n ", json);
    free(json);
    tap_int(deliver(&b, wide), IL_OK, "blanks around it (%s)", b.err.message);
    tap_str(il__str(status(&b)), "committed_unverified", "do not matter");
    close_bed(&b);
}

static void documents(void)
{
    static const char *const rows[] = { "{}", "[]", "", "{\"decision\":{}}",
                                        "{\"decision\":null,\"signature\":\"x\",\"keyId\":\"y\"}" };
    struct bed b;
    open_bed(&b, NULL, "return p.ask('because')", true);
    start(&b);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        tap_int(deliver(&b, strdup(rows[i])), IL_DECODE, "%s is no signed decision (%s)", rows[i], b.err.message);
    tap_int(deliver(&b, forged(&b, 0, "\"reason\":null,", "")), IL_DECODE, "a member that is left out (%s)",
            b.err.message);
    tap_int(deliver(&b, forged(&b, 0, "\"reason\":null", "\"reason\":null,\"remark\":\"\"")), IL_DECODE,
            "a member too many (%s)", b.err.message);
    tap_int(deliver(&b, forged(&b, 0, "\"approve\"", "\"yes\"")), IL_DECODE, "another word (%s)", b.err.message);
    tap_int(deliver(&b, forged(&b, 0, "\"reason\":null", "\"reason\":null,\"reason\":null")), IL_DECODE,
            "one twice (%s)", b.err.message);
    struct il_decision d = IL_DECISION_INIT;
    char *json = signed_by(&b, 0, "approve");
    d.signed_json = il__str(json);
    d.approver = IL_STR("ann");
    tap_int(il_run_decide(b.run, &d, &b.err), IL_INVALID_REQUEST, "a word beside it (%s)", b.err.message);
    free(json);
    tap_str(il__str(status(&b)), "waiting", "after all that the run waits");
    close_bed(&b);
}

static void unsigned_ones(void)
{
    struct bed b;
    struct il_str doc;
    open_bed(&b, NULL, "return p.ask('because')", true);
    start(&b);
    struct il_decision d = IL_DECISION_INIT;
    d.approver = IL_STR("ann");
    d.decision = IL_STR("approve");
    enum il_code code = il_run_decide(b.run, &d, &b.err);
    refused(&b, code, "signed decision", "signature", "an unsigned decision");
    d.decision = IL_STR("deny");
    code = il_run_decide(b.run, &d, &b.err);
    refused(&b, code, "signed decision", "signature", "even a deny");
    char answer[2048], *json = signed_by(&b, 0, "approve");
    const struct { const char *from; char to[128]; } find[] = { { "\"request\":\"", "" }, { "\"actionDigest\":\"", "" },
                                                                { "\"policyDigest\":\"", "" } };
    char parts[3][128];
    for (int i = 0; i < 3; i++) {
        const char *at = strstr(json, find[i].from) + strlen(find[i].from);
        (void)snprintf(parts[i], sizeof parts[i], "%.*s", (int)strcspn(at, "\""), at);
    }
    free(json);
    (void)snprintf(answer, sizeof answer,
                   "{\"requestId\":\"%s\",\"actionDigest\":\"%s\",\"policyDigest\":\"%s\",\"decision\":\"approve\"}",
                   parts[0], parts[1], parts[2]);
    code = il_run_answer(b.run, il__str(answer), true, &b.err);
    refused(&b, code, "approval", "decision", "an answer with a decision");
    tap_int(il_run_document(b.run, &doc, &b.err), IL_OK, "its document");
    tap_ok(memmem(doc.ptr, doc.len, "\"host\":\"desk-1\"", 15) != NULL, "names the host");
    close_bed(&b);

    open_bed(&b, NULL, "return p.ask('because')", false);
    start(&b);
    refused(&b, decide(&b, 0, "approve"), "signed decision", "signature", "a signed one where nobody has a key");
    close_bed(&b);
}

static void expiry(void)
{
    struct bed b;
    open_bed(&b, NULL, "return p.ask('because')", true);
    start(&b);
    struct il_sign_options o = signing(&b, 0, "approve");
    o.expires_at = IL_STR("2027-01-15T08:00:10Z");
    struct il_str out;
    tap_int(il_host_sign_decision(b.host, &o, &out, &b.err), IL_OK, "good for ten seconds");
    char *json = strndup(out.ptr, out.len), *twice = strdup(json);
    b.ms = 10000;
    refused(&b, deliver(&b, json), "signed decision", "expires_at", "at its end: expired");
    b.ms = 9999;
    tap_int(deliver(&b, twice), IL_OK, "before it (%s)", b.err.message);
    close_bed(&b);
}

/* ---- kept in a store ---- */

static void open_with_store(struct bed *b, il_store *store, bool other_key)
{
    open_bed(b, NULL, "return p.ask('because', { approvers = 2 })", false);
    if (other_key) {
        char text[IL__KEY_TEXT], *at;
        struct il__sign_key key;
        uint8_t seed[IL__KEY_BYTES] = { 77 };
        if (il__sign_key_from_seed(&key, seed, NULL)) abort();
        il__public_key_text(&key.public, text);
        at = strstr(b->file, "\"key\":\"") + 7;
        memcpy(at, text, strlen(text));
    }
    tap_int(il_host_set_approvers_json(b->host, il__str(b->file), &b->err), IL_OK, "approvers (%s)", b->err.message);
    tap_int(il_host_set_store(b->host, store, &b->err), IL_OK, "with a store (%s)", b->err.message);
}

/* What was signed is checked again with the key of now; and a letter may hold a signed decision. */
static void resumed(void)
{
    for (int other = 0; other < 2; other++) {
        struct bed b, later;
        struct il_store_options so = IL_STORE_OPTIONS_INIT;
        il_store *store = NULL;
        char id[64];
        tap_int(il_store_open(&so, &store, NULL), IL_OK, "a store in memory");
        open_with_store(&b, store, false);
        start(&b);
        (void)snprintf(id, sizeof id, "%.*s", IL_STR_FMT(il_run_id(b.run)));
        tap_int(decide(&b, 0, "approve"), IL_OK, "ann approves (%s)", b.err.message);
        tap_int(il_run_leave(b.run, &b.err), IL_OK, "the run is left waiting (%s)", b.err.message);
        b.run = NULL;
        close_bed(&b);

        open_with_store(&later, store, other == 1);
        struct il_resume_options o = IL_RESUME_OPTIONS_INIT;
        static const struct il_str scopes[] = { { "computer:plan", 13 }, { "computer:execute:background", 27 } };
        o.run_id = il__str(id);
        o.principal = IL_STR("operator-1");
        o.scopes = scopes;
        o.scope_count = 2;
        tap_int(il_host_resume(later.host, &o, &later.run, &later.err), IL_OK, "another host resumes it (%s)",
                later.err.message);
        go(&later);
        tap_str(il__str(status(&later)), "waiting", "it waits");
        char *json = signed_by(&later, 1, "approve");
        tap_int(il_store_submit(store, il__str(id), IL_STR("decision"), il__str(json), &later.err), IL_OK,
                "ben's signed decision comes as a letter (%s)", later.err.message);
        free(json);
        go(&later);
        go(&later);
        tap_str(il__str(status(&later)), other ? "waiting" : "committed_unverified", "%s",
                other ? "ann's key is another now: hers does not count" : "ann's and his are two");
        close_bed(&later);
        il_store_close(store);
    }
}

/* ---- signing ---- */

static void cannot_sign(void)
{
    struct bed b;
    struct il_str out = IL_STR_NONE;
    open_bed(&b, NULL, "return p.ask('because')", true);
    start(&b);
    struct { struct il_sign_options o; enum il_code code; const char *what; } rows[] = {
        { signing(&b, 0, "approve"), IL_INVALID_REQUEST, "no key" },
        { signing(&b, 0, "approve"), IL_INVALID_REQUEST, "two keys" },
        { signing(&b, 0, "approve"), IL_DECODE, "a text that is no key" },
        { signing(&b, 0, "approve"), IL_INVALID_REQUEST, "a file that is not there" },
        { signing(&b, 0, "aprove"), IL_INVALID_REQUEST, "another word" },
        { signing(&b, 0, "approve"), IL_INVALID_REQUEST, "nobody" },
        { signing(&b, 0, "approve"), IL_INVALID_REQUEST, "no time" },
        { signing(&b, 0, "approve"), IL_DECODE, "another document" },
        { signing(&b, 0, "approve"), IL_DECODE, "no document" },
        { signing(&b, 0, "approve"), IL_INVALID_REQUEST, "no options" },
    };
    rows[0].o.key_pem = IL_STR_NONE;
    rows[1].o.key_file = IL_STR("key.pem");
    rows[2].o.key_pem = IL_STR("ann's key");
    rows[3].o.key_pem = IL_STR_NONE;
    rows[3].o.key_file = IL_STR("tests/no-such-key.pem");
    rows[5].o.approver = IL_STR("");
    rows[6].o.expires_at = IL_STR("tomorrow");
    rows[7].o.waiting = IL_STR("{\"status\":\"completed\",\"runId\":\"x\"}");
    rows[8].o.waiting = IL_STR("waiting");
    rows[9].o.size = 8;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        tap_int(il_host_sign_decision(b.host, &rows[i].o, &out, &b.err), rows[i].code, "%s: nothing is signed (%s)",
                rows[i].what, b.err.message);
    tap_ok(!out.ptr, "nothing came out");
    struct il_sign_options o = signing(&b, 0, "approve");
    o.reason = IL_STR("seen \"it\" \xc3\xa9\n");
    tap_int(il_host_sign_decision(b.host, &o, &out, &b.err), IL_OK, "a reason with signs in it");
    tap_int(deliver(&b, strndup(out.ptr, out.len)), IL_OK, "is signed with the rest (%s)", b.err.message);
    tap_str(il__str(status(&b)), "committed_unverified", "and counts");
    close_bed(&b);
}

int main(void)
{
    two_approve();
    roles_count();
    denies();
    each_member();
    signatures();
    documents();
    unsigned_ones();
    expiry();
    resumed();
    cannot_sign();
    return tap_done();
}
