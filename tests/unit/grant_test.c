/* Grants obtained at the server over the approver port (SPEC §6, finding F17): what is asked, what is taken, what is
 * dropped with the session paused, and what comes too late. */
#include "kit.h"
#include "tap.h"

#include "base/limits.h"

#include <stdio.h>
#include <string.h>

/* ---- an approver that a test answers for ---- */

struct fake {
    int asked, cancelled, freed, heard;
    uint64_t token;
    uint32_t timeout_ms, ttl_ms;
    char session[64], principal[64], action[64];
    enum il_code refuses; /* begin fails with it */
    struct il_error err;  /* of the last `done` */
};

static void put(char out[64], struct il_str s)
{
    snprintf(out, 64, "%.*s", (int)s.len, s.ptr);
}

static enum il_code fake_begin(void *self, const struct il__grant_ask *ask, struct il_error *err)
{
    struct fake *f = self;
    if (f->refuses) {
        snprintf(err->message, sizeof err->message, "the fake refuses");
        return err->code = f->refuses;
    }
    f->asked++;
    f->token = ask->token;
    f->timeout_ms = ask->timeout_ms;
    f->ttl_ms = ask->ttl_ms;
    put(f->session, ask->session_id);
    put(f->principal, ask->principal_id);
    put(f->action, ask->action_id);
    return IL_OK;
}

static void fake_cancel(void *self, uint64_t token)
{
    struct fake *f = self;
    f->cancelled += token == f->token;
}

static int64_t fake_tick(void *self, uint32_t budget_us)
{
    (void)self;
    (void)budget_us;
    return -1;
}

static void fake_free(void *self)
{
    ((struct fake *)self)->freed++;
}

static const struct il__approver_ops OPS = { fake_begin, fake_cancel, fake_tick, NULL, NULL, fake_free };

static void on_done(void *ctx, const struct il_error *err)
{
    struct fake *f = ctx;
    f->heard++;
    f->err = *err;
}

/* ---- a run that waits ---- */

#define GRANT \
    "{\"grantId\":\"grant-secret-1\",\"scope\":\"exact_action\",\"principalId\":\"p-1\",\"sessionId\":\"s-1\"," \
    "\"actionDigest\":\"" KIT_ACTION_DIGEST "\",\"scopeDigest\":\"" KIT_ACTION_DIGEST "\",\"policyDigest\":\"" \
    KIT_POLICY_DIGEST "\",\"tool\":\"write_clipboard\",\"operation\":\"write_clipboard\",\"actionClass\":" \
    "\"edit_reversible\",\"mode\":\"background\",\"issuedAt\":\"2026-11-30T18:00:00Z\",\"expiresAt\":" \
    "\"2026-11-30T18:01:00Z\",\"remainingUses\":1,\"consumedByActionIds\":[]}"
#define SOME_DIGEST "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"

static const char *changed(const char *from, const char *to, char out[2048])
{
    const char *at = from ? strstr(GRANT, from) : NULL;
    if (!at) snprintf(out, 2048, "%s", from ? "no such part" : GRANT);
    else snprintf(out, 2048, "%.*s%s%s", (int)(at - GRANT), GRANT, to, at + strlen(from));
    return out;
}

static void wait_for(struct kit *k, struct fake *f)
{
    memset(f, 0, sizeof *f);
    kit_open(k);
    k->engine.approver_port = (struct il__approver_port){ &OPS, f };
    kit_bend(k, kit_asks);
    kit_start(k, kit_targeted);
    kit_go(k);
}

static enum il_code obtain(struct kit *k, struct fake *f, const char *request, const char *action,
                           const char *policy, struct il_error *err)
{
    enum il_code code = il__run_obtain_grant(k->run, il__str(request ? request : k->run->wait.request_id),
                                             il__str(action), il__str(policy), on_done, f, err);
    kit_go(k);
    return code;
}

static enum il_code ask(struct kit *k, struct fake *f)
{
    struct il_error err = IL_ERROR_INIT;
    return obtain(k, f, NULL, KIT_ACTION_DIGEST, KIT_POLICY_DIGEST, &err);
}

static void say(struct kit *k, struct fake *f, enum il_code code, const char *body, const char *reason)
{
    struct il_error err = IL_ERROR_INIT;
    const struct il__answer_in answer = { .token = f->token, .code = code, .body = il__str(body),
                                          .reason = il__str(reason) };
    if (il__engine_granted(&k->engine, &answer, &err)) tap_note("not taken: %s", err.message);
    kit_go(k);
}

/* Records of `kind` that hold `part` (NULL: any); with `payloads`, in what was received. */
static int records(const struct kit *k, const char *kind, const char *part, bool payloads)
{
    int count = 0;
    char wanted[64];
    snprintf(wanted, sizeof wanted, "\"kind\":\"%s\"", kind ? kind : "");
    for (size_t i = 0; i < k->run->journal.count; i++) {
        const struct il__record *r = &k->run->journal.records[i];
        struct il_str s = payloads ? r->payload : r->text;
        if (kind && !memmem(r->text.ptr, r->text.len, wanted, strlen(wanted))) continue;
        if (!part || (s.ptr && memmem(s.ptr, s.len, part, strlen(part)))) count++;
    }
    return count;
}

/* ---- taken ---- */

static void taken(void)
{
    struct kit k;
    struct fake f;
    wait_for(&k, &f);
    tap_int(ask(&k, &f), IL_OK, "a grant is asked for");
    tap_int(f.asked, 1, "once");
    tap_str(il__str(f.session), "s-1", "for the session");
    tap_str(il__str(f.principal), "p-1", "as the principal");
    tap_str(il__str(f.action), k.run->action_id, "by action id");
    tap_int(f.ttl_ms, IL__LIMIT_GRANT_TTL_MS - 1, "for as long as the preview lives, at most grant_ttl_ms");
    tap_int(f.timeout_ms, 30000, "with a time-out");
    tap_int(records(&k, "grant", "\"state\":\"asked\"", false), 1, "which the journal holds before it goes out");
    tap_str(il__str(kit_status(&k)), "waiting", "meanwhile the run waits");
    tap_int(f.heard, 0, "and nobody has heard");
    say(&k, &f, IL_OK, GRANT, NULL);
    tap_int(f.heard, 1, "who asked hears the end");
    tap_int(f.err.code, IL_OK, "which is good");
    tap_str(il__str(kit_status(&k)), "committed_unverified", "the run went on");
    tap_ok(strstr(k.last_execute, "\"grantId\":\"grant-secret-1\"") != NULL, "the grant reaches execute");
    kit_counts(&k, 1, 1, 1, "granted");
    tap_int(k.calls[IL_OP_PAUSE_SESSION], 0, "nothing was paused");
    tap_int(records(&k, "answer", "grant-secret-1", true), 1, "the journal holds the bound grant");
    struct il_str doc;
    tap_int(il__run_document(k.run, &doc, NULL), IL_OK, "a result");
    tap_ok(!memmem(doc.ptr, doc.len, "grant-secret-1", 14), "does not show it");
    kit_close(&k);
    tap_int(f.freed, 1, "the port is freed with the engine");
}

/* The clock of the grant: as long as was asked for, from its arrival, whatever it says itself. */
static void ages(void)
{
    struct kit k;
    struct fake f;
    char body[2048];
    wait_for(&k, &f);
    kit_advance(&k, 299500);
    (void)ask(&k, &f);
    tap_int(f.ttl_ms, 1000, "a second at least is asked for");
    kit_close(&k);

    memset(&f, 0, sizeof f);
    kit_open(&k);
    k.engine.approver_port = (struct il__approver_port){ &OPS, &f };
    kit_bend(&k, kit_asks);
    k.says[IL__PHASE_PREVIEW] = IL__VERDICT_ASK;
    kit_start(&k, kit_targeted);
    kit_go(&k);
    tap_int(ask(&k, &f), IL_OK, "with a need of the host open, too");
    say(&k, &f, IL_OK, changed("18:01:00Z", "18:59:00Z", body), NULL);
    tap_int(f.err.code, IL_OK, "the grant is taken");
    tap_str(il__str(kit_status(&k)), "waiting", "and the run waits for the rest");
    tap_int(ask(&k, &f), IL_APPROVAL_MISMATCH, "the runtime's need is met: no second grant");
    tap_int(f.asked, 1, "is asked for");
    kit_answer(&k, ",\"decision\":\"approve\"", KIT_ACTION_DIGEST, KIT_POLICY_DIGEST, IL_OK, "which is decided");
    tap_str(il__str(kit_status(&k)), "committed_unverified", "then it goes on");
    kit_close(&k);
}

/* ---- dropped ---- */

/* One refusal: nothing is kept, the session is paused, the request stays as it was. */
static void dropped(const char *body, enum il_code code, const char *field, const char *what)
{
    struct kit k;
    struct fake f;
    wait_for(&k, &f);
    (void)ask(&k, &f);
    say(&k, &f, code, body, NULL);
    tap_int(f.heard, 1, "%s: heard once", what);
    tap_str(il__str(il_code_name(f.err.code)), "approval_mismatch", "%s: refused (%s)", what, f.err.message);
    tap_str(il__str(f.err.object), "approval grant", "%s: as a grant", what);
    if (field) tap_str(il__str(f.err.field), field, "%s: by its field", what);
    tap_int(f.err.cleanup_code, IL_OK, "%s: and nothing else went wrong (%s)", what, f.err.cleanup_message);
    tap_int(k.calls[IL_OP_PAUSE_SESSION], 1, "%s: the session is paused", what);
    tap_str(il__str(kit_status(&k)), "waiting", "%s: the run waits", what);
    tap_ok(k.run->wait.open && !k.run->runtime_met, "%s: its request is open", what);
    tap_int(records(&k, "grant", "\"state\":\"dropped\"", false), 1, "%s: recorded", what);
    tap_int(records(&k, NULL, "grant-secret", true) + records(&k, NULL, "grant-secret", false), 0, "%s: never stored",
            what);
    tap_int(ask(&k, &f), IL_CANCELLED, "%s: while it is paused none is asked for", what);
    kit_answer(&k, ",\"runtimeApproved\":true", KIT_ACTION_DIGEST, KIT_POLICY_DIGEST, IL_OK, "an answer is taken");
    kit_counts(&k, 0, 0, 0, "and what is paused acts no more");
    tap_ok(strcmp(kit_status(&k), "waiting") != 0, "%s: it ended (%s)", what, kit_status(&k));
    kit_close(&k);
}

static void fields(void)
{
    static const struct row {
        const char *field, *from, *to;
    } rows[] = {
        { "session_id", "\"sessionId\":\"s-1\"", "\"sessionId\":\"s-2\"" },
        { "principal_id", "\"principalId\":\"p-1\"", "\"principalId\":\"p-2\"" },
        { "action_digest", "\"actionDigest\":\"" KIT_ACTION_DIGEST "\",\"scopeDigest\":\"" KIT_ACTION_DIGEST,
          "\"actionDigest\":\"" SOME_DIGEST "\",\"scopeDigest\":\"" SOME_DIGEST },
        { "policy_digest", KIT_POLICY_DIGEST, "sha256:policy-2" },
        { "tool", "\"tool\":\"write_clipboard\"", "\"tool\":\"press_button\"" },
        { "mode", "\"mode\":\"background\"", "\"mode\":\"foreground\"" },
        { "expires_at", "18:01:00Z", "18:00:00Z" },
        { "expires_at", "2026-11-30T18:01:00Z", "soon" },
        { "remaining_uses", "\"remainingUses\":1", "\"remainingUses\":0" },
        { "scope", "\"scope\":\"exact_action\",\"principalId\":\"p-1\",\"sessionId\":\"s-1\",\"actionDigest\":\""
          KIT_ACTION_DIGEST "\",\"scopeDigest\":\"" KIT_ACTION_DIGEST "\",\"policyDigest\":\"" KIT_POLICY_DIGEST
          "\",\"tool\":\"write_clipboard\"",
          "\"scope\":\"session_operation\",\"principalId\":\"p-1\",\"sessionId\":\"s-1\",\"actionDigest\":\""
          KIT_ACTION_DIGEST "\",\"scopeDigest\":\"" SOME_DIGEST "\",\"policyDigest\":\"" KIT_POLICY_DIGEST
          "\",\"tool\":\"set_value\"" },
        { NULL, "\"remainingUses\":1", "\"remainingUses\":2" },
        { NULL, "\"grantId\":\"grant-secret-1\"", "\"grantId\":\"\"" },
        { NULL, ",\"consumedByActionIds\":[]", "" },
        { NULL, "\"remainingUses\":1", "\"remainingUses\":1,\"more\":1" },
        { NULL, "\"scopeDigest\":\"" KIT_ACTION_DIGEST, "\"scopeDigest\":\"" SOME_DIGEST },
        { NULL, "\"grantId\":", "\"sessionId\":\"s-1\",\"grantId\":" },
    };
    char body[2048], what[80];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(what, sizeof what, "%s %zu", rows[i].field ? rows[i].field : "the contract", i);
        dropped(changed(rows[i].from, rows[i].to, body), IL_OK, rows[i].field, what);
    }
    dropped("null", IL_OK, NULL, "no grant at all");
    dropped("{", IL_OK, NULL, "no JSON");
    dropped(NULL, IL_DECODE, "contract", "an answer without a grant");
}

static void standing(void)
{
    struct kit k;
    struct fake f;
    char body[2048];
    const char *grant = changed("exact_action", "session_operation", body);
    char set[2048];
    const char *at = strstr(grant, "\"tool\":\"write_clipboard\"");
    snprintf(set, sizeof set, "%.*s\"tool\":\"set_value\"%s", (int)(at - grant), grant, at + 24);
    wait_for(&k, &f);
    k.options.accept_standing_grants = true;
    (void)ask(&k, &f);
    say(&k, &f, IL_OK, set, NULL);
    tap_str(il__str(f.err.field), "tool", "where standing grants are accepted, the rest is still checked");
    tap_int(k.calls[IL_OP_PAUSE_SESSION], 1, "and the session paused");
    kit_close(&k);
}

static void pause_fails(void)
{
    struct kit k;
    struct fake f;
    char body[2048];
    const struct kit_bend bend = { .op = IL_OP_PAUSE_SESSION, .fail = IL_RUNTIME, .reason = "no_pause" };
    wait_for(&k, &f);
    kit_bend(&k, bend);
    (void)ask(&k, &f);
    say(&k, &f, IL_OK, changed("policy-1", "policy-2", body), NULL);
    tap_int(f.err.code, IL_APPROVAL_MISMATCH, "the first failure stays first");
    tap_int(f.err.cleanup_code, IL_RUNTIME, "with that of the pause (%s)", f.err.cleanup_message);
    tap_int(ask(&k, &f), IL_CANCELLED, "the latch holds all the same");
    kit_close(&k);

    wait_for(&k, &f);
    k.engine.runtime.offers &= ~(1u << IL_OP_PAUSE_SESSION);
    (void)ask(&k, &f);
    say(&k, &f, IL_OK, changed("policy-1", "policy-2", body), NULL);
    tap_int(f.err.cleanup_code, IL_UNSUPPORTED, "a runtime that has no pause: said");
    tap_int(ask(&k, &f), IL_CANCELLED, "and the latch holds");
    kit_close(&k);

    wait_for(&k, &f);
    const struct kit_bend silent = { .op = IL_OP_PAUSE_SESSION, .never = true };
    kit_bend(&k, silent);
    (void)ask(&k, &f);
    say(&k, &f, IL_OK, changed("policy-1", "policy-2", body), NULL);
    tap_int(f.heard, 0, "until the pause is over, nobody hears");
    kit_close(&k);
    tap_int(f.heard, 1, "freed before: heard once all the same");
    tap_int(f.err.code, IL_APPROVAL_MISMATCH, "what it was");
}

/* ---- refused, lost, late ---- */

static void not_granted(void)
{
    struct kit k;
    struct fake f;
    wait_for(&k, &f);
    (void)ask(&k, &f);
    tap_int(ask(&k, &f), IL_CONFLICT, "one at a time");
    say(&k, &f, IL_RUNTIME, NULL, "approval_required");
    tap_int(f.err.code, IL_RUNTIME, "the server refuses");
    tap_ok(strstr(f.err.message, "approval_required") != NULL, "and says why: %s", f.err.message);
    tap_int(k.calls[IL_OP_PAUSE_SESSION], 0, "nothing is paused");
    tap_int(records(&k, "grant", "\"state\":\"failed\"", false), 1, "recorded");
    tap_int(ask(&k, &f), IL_OK, "it can be asked for again");
    say(&k, &f, IL_TRANSPORT, NULL, NULL);
    tap_int(f.err.code, IL_TRANSPORT, "the connection is lost");
    tap_str(il__str(kit_status(&k)), "waiting", "the run waits");
    f.refuses = IL_TRANSPORT;
    f.heard = 0;
    tap_int(ask(&k, &f), IL_TRANSPORT, "what cannot be asked fails at once");
    tap_int(f.heard, 0, "and is not told a second time");
    f.refuses = IL_OK;
    (void)ask(&k, &f);
    say(&k, &f, IL_OK, GRANT, NULL);
    tap_str(il__str(kit_status(&k)), "committed_unverified", "and a good grant is still taken");
    kit_close(&k);
}

static void overdue(void)
{
    struct kit k;
    struct fake f;
    char body[2048];
    wait_for(&k, &f);
    (void)ask(&k, &f);
    kit_advance(&k, 29999);
    tap_int(f.heard, 0, "a moment before the time-out");
    kit_advance(&k, 1);
    tap_int(f.err.code, IL_TIMEOUT, "a time-out");
    tap_int(f.cancelled, 1, "the connection is told");
    say(&k, &f, IL_OK, GRANT, NULL);
    tap_int(f.heard, 1, "what comes then is told to nobody");
    tap_int(records(&k, "late", "\"what\":\"grant\"", false), 1, "but recorded");
    tap_int(records(&k, NULL, "grant-secret", true), 0, "without the grant");
    tap_str(il__str(kit_status(&k)), "waiting", "and changes nothing");
    tap_int(ask(&k, &f), IL_OK, "it can be asked for again");
    kit_advance(&k, 30000);
    say(&k, &f, IL_OK, changed("policy-1", "policy-2", body), NULL);
    tap_int(k.calls[IL_OP_PAUSE_SESSION], 1, "a late one that does not match pauses the session as well");
    kit_close(&k);

    wait_for(&k, &f);
    (void)ask(&k, &f);
    kit_advance(&k, 30000);
    kit_advance(&k, 60000);
    struct il_error err = IL_ERROR_INIT;
    const struct il__answer_in answer = { .token = f.token, .body = IL_STR(GRANT) };
    tap_int(il__engine_granted(&k.engine, &answer, &err), IL_CONFLICT, "after a minute more it is forgotten");
    kit_close(&k);
}

static void run_over(void)
{
    struct kit k;
    struct fake f;
    char body[2048];
    struct il_error err = IL_ERROR_INIT;
    wait_for(&k, &f);
    (void)ask(&k, &f);
    tap_int(il__run_cancel(k.run, IL_STR("enough"), &err), IL_OK, "the run is cancelled while the grant is on its way");
    kit_go(&k);
    say(&k, &f, IL_OK, GRANT, NULL);
    tap_int(f.err.code, IL_APPROVAL_MISMATCH, "then it is too late");
    tap_str(il__str(f.err.object), "approval", "which is no fault of the grant");
    tap_int(records(&k, "late", "\"what\":\"grant\"", false), 1, "recorded");
    tap_str(il__str(kit_status(&k)), "cancelled", "and changes nothing");
    tap_int(ask(&k, &f), IL_APPROVAL_MISMATCH, "for a run that ended none is asked for");
    tap_int(f.asked, 1, "at all");
    kit_counts(&k, 0, 0, 0, "late");
    kit_close(&k);

    wait_for(&k, &f);
    kit_advance(&k, 290000);
    (void)ask(&k, &f);
    kit_advance(&k, 10000);
    tap_str(il__str(kit_status(&k)), "expired", "the request expires while the grant is on its way");
    say(&k, &f, IL_OK, changed("18:01:00Z", "18:59:00Z", body), NULL);
    tap_int(f.err.code, IL_APPROVAL_MISMATCH, "too late");
    kit_counts(&k, 0, 0, 0, "expired");
    kit_close(&k);

    wait_for(&k, &f);
    (void)ask(&k, &f);
    il__run_free(k.run, false);
    k.run = NULL;
    kit_go(&k);
    say(&k, &f, IL_OK, GRANT, NULL);
    tap_int(f.heard, 1, "the handle is given back: heard once");
    kit_close(&k);

    wait_for(&k, &f);
    (void)ask(&k, &f);
    kit_answer(&k, ",\"runtimeApproved\":true", KIT_ACTION_DIGEST, KIT_POLICY_DIGEST, IL_OK, "another answer is first");
    say(&k, &f, IL_OK, GRANT, NULL);
    tap_int(f.err.code, IL_APPROVAL_MISMATCH, "then the grant is too late");
    tap_ok(strstr(k.last_execute, "\"grantId\":null") != NULL, "and is not used");
    kit_close(&k);

    wait_for(&k, &f);
    (void)ask(&k, &f);
    kit_close(&k);
    tap_int(f.heard, 1, "the host is freed: heard once");
    tap_int(f.err.code, IL_CANCELLED, "as cancelled");
}

/* ---- who may ask ---- */

static void not_asked(void)
{
    struct kit k;
    struct fake f;
    struct il_error err = IL_ERROR_INIT;
    wait_for(&k, &f);
    tap_int(obtain(&k, &f, "req-00000000000000000000000000000000", KIT_ACTION_DIGEST, KIT_POLICY_DIGEST, &err),
            IL_APPROVAL_MISMATCH, "another request");
    tap_ok(!strstr(err.message, k.run->wait.request_id), "says nothing about the right one");
    tap_int(obtain(&k, &f, NULL, SOME_DIGEST, KIT_POLICY_DIGEST, &err), IL_APPROVAL_MISMATCH, "another action digest");
    tap_str(il__str(err.field), "action_digest", "by name");
    tap_int(obtain(&k, &f, NULL, KIT_ACTION_DIGEST, "other", &err), IL_APPROVAL_MISMATCH, "another policy digest");
    tap_str(il__str(err.field), "policy_digest", "by name");
    tap_int(f.asked, 0, "what was not seen is not asked for");
    tap_int(il__engine_stop(&k.engine, IL_OP_PAUSE_SESSION, IL_STR("s-1"), IL_STR("test"), NULL, NULL, &err), IL_OK,
            "the session is paused");
    kit_go(&k);
    tap_int(ask(&k, &f), IL_CANCELLED, "then none is asked for");
    tap_int(f.asked, 0, "at all");
    k.engine.approver_port = (struct il__approver_port){ NULL, NULL };
    tap_int(ask(&k, &f), IL_UNSUPPORTED, "without an approver connection");
    kit_close(&k);

    memset(&f, 0, sizeof f);
    kit_open(&k);
    k.engine.approver_port = (struct il__approver_port){ &OPS, &f };
    k.says[IL__PHASE_PREVIEW] = IL__VERDICT_ASK;
    kit_start(&k, kit_targeted);
    kit_go(&k);
    tap_int(ask(&k, &f), IL_APPROVAL_MISMATCH, "only the host asks: a grant would be stale");
    tap_int(f.asked, 0, "and is not asked for");
    kit_close(&k);
}

/* The runtime's answers and those of the approver do not mix, whatever tokens are guessed. */
static void no_way_around(void)
{
    struct kit k;
    struct fake f;
    struct il_error err = IL_ERROR_INIT;
    wait_for(&k, &f);
    (void)ask(&k, &f);
    const struct il__answer_in answer = { .token = f.token, .body = IL_STR(GRANT) };
    tap_int(il__engine_complete(&k.engine, &answer, &err), IL_CONFLICT, "the runtime cannot answer for the approver");
    const struct il__answer_in other = { .token = f.token + 1, .body = IL_STR(GRANT) };
    tap_int(il__engine_granted(&k.engine, &other, &err), IL_CONFLICT, "a token that was not given");
    say(&k, &f, IL_OK, GRANT, NULL);
    tap_int(il__engine_granted(&k.engine, &answer, &err), IL_CONFLICT, "a token that was used");
    tap_int(k.effects, 1, "one effect");
    kit_close(&k);
}

/* Each allocation fails once. */
static void torture(void)
{
    char body[2048];
    for (int bad = 0; bad < 2; bad++) {
        int n = 0;
        bool whole = false;
        for (; n < 300 && !whole; n++) {
            struct kit k;
            struct fake f;
            struct il_error err = IL_ERROR_INIT;
            wait_for(&k, &f);
            k.mem.fail_at = k.mem.calls + (uint64_t)n + 1;
            enum il_code code = il__run_obtain_grant(k.run, il__str(k.run->wait.request_id), IL_STR(KIT_ACTION_DIGEST),
                                                     IL_STR(KIT_POLICY_DIGEST), on_done, &f, &err);
            const char *grant = bad ? changed("policy-1", "policy-2", body) : GRANT;
            const struct il__answer_in answer = { .token = f.token, .body = il__str(grant) };
            if (!code) (void)il__engine_granted(&k.engine, &answer, &err);
            kit_go(&k);
            bool struck = k.mem.calls >= k.mem.fail_at;
            k.mem.fail_at = 0;
            whole = !struck && f.heard && (bad ? k.calls[IL_OP_PAUSE_SESSION] == 1 && f.err.code == IL_APPROVAL_MISMATCH
                                    : k.effects == 1);
            if (bad && k.effects) tap_ok(false, "no memory makes a bad grant good");
            il__engine_clear(&k.engine);
            if (f.heard != (code ? 0 : 1)) tap_ok(false, "heard %d times, code %d", f.heard, (int)code);
            if (k.mem.in_use_bytes) tap_ok(false, "%zu bytes are left", k.mem.in_use_bytes);
        }
        tap_ok(whole, "%s grant, with each of %d allocations failing once", bad ? "a bad" : "a good", n);
    }
}

int main(void)
{
    taken();
    ages();
    fields();
    standing();
    pause_fails();
    not_granted();
    overdue();
    run_over();
    not_asked();
    no_way_around();
    torture();
    tap_plan_end();
    return tap_done();
}
