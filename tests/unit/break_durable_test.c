/* Attacks on runs that outlive their process (SPEC §4, §6, §10): a no that comes while the send is on its way, in any
 * life; what a first life knew of a lost send; leases that come late; handles that are left. */
#include "base/error.h"
#include "host/store.h"
#include "kit.h"
#include "run/approval.h"
#include "run/durable.h"
#include "run/resume.h"
#include "run/state.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

static il_store *store;

static void open_life(struct kit *k)
{
    static uint32_t lives;
    kit_open(k);
    k->random = ++lives * 1000;
    k->engine.store = il__store_port(store);
}

/* As if the process had been killed: nothing that follows is written. */
static void cut(struct kit *k)
{
    k->engine.store.ops = NULL;
    kit_close(k);
}

static enum il_code again(struct kit *k, const char *id, struct il_error *err)
{
    static const struct il_str scopes[] = { { "computer:plan", 13 }, { "computer:execute:background", 27 } };
    struct il_resume_options o = IL_RESUME_OPTIONS_INIT;
    o.run_id = il__str(id);
    o.principal = IL_STR("p-1");
    o.scopes = scopes;
    o.scope_count = 2;
    k->run = NULL;
    return il__run_resume(&k->engine, &o, &k->run, err);
}

static enum il_code decide(struct kit *k, const char *request, const char *decision, struct il_error *err)
{
    struct il_decision d = IL_DECISION_INIT;
    bool early = k->run->wait.propose;
    d.request_id = il__str(request);
    if (!early) d.action_digest = IL_STR(KIT_ACTION_DIGEST);
    if (!early) d.policy_digest = IL_STR(KIT_POLICY_DIGEST);
    if (early) d.proposal_digest = il__str(k->run->proposal_digest);
    d.approver = IL_STR("somebody");
    d.decision = il__str(decision);
    return il__run_decide(k->run, &d, err);
}

static void ask_in(struct kit *k, enum il__phase phase)
{
    k->says[phase] = IL__VERDICT_ASK;
}

/* ---- a no while the send is on its way ---- */

static void no_before_the_first_byte(void)
{
    struct kit k;
    struct il_error err = IL_ERROR_INIT;
    open_life(&k);
    ask_in(&k, IL__PHASE_PREVIEW);
    k.queues = true;
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_EXECUTE_ACTION, .never = true });
    kit_start(&k, kit_targeted);
    kit_go(&k);
    tap_int(decide(&k, k.run->wait.request_id, "approve", &err), IL_OK, "approved: %s", err.message);
    kit_go(&k);
    tap_ok(k.queued_count == 1 && !il__permit_holds(&k.queued[0], &err), "queued, and nothing of it has left");
    tap_int(decide(&k, k.run->wait.request_id, "deny", &err), IL_APPROVAL_MISMATCH, "a deny now is late: %s",
            err.message);
    tap_int(il__permit_spend(&k.queued[0], &err), IL_APPROVAL_MISMATCH, "and what has not left does not leave");
    const struct il__answer_in answer = { kit_token(&k, IL_OP_EXECUTE_ACTION), err.code, IL_STR_NONE, IL_STR_NONE,
                                          IL_STR("held back"), true };
    tap_int(il__engine_complete(&k.engine, &answer, &err), IL_OK, "the adapter says so");
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "denied", "then it is denied");
    tap_ok(k.run->effect == IL_EFFECT_NONE, "effect none");
    kit_close(&k);
}

/* Lost, denied, and the runtime says that it never started: it is not sent again. */
static void no_before_the_second_send(bool cut_first)
{
    struct kit k;
    struct il_error err = IL_ERROR_INIT;
    char id[40];
    open_life(&k);
    ask_in(&k, IL__PHASE_PREVIEW);
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_EXECUTE_ACTION, .never = true });
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_RECOVER, .to = "\"not_started\"" });
    kit_start(&k, kit_targeted);
    kit_go(&k);
    (void)decide(&k, k.run->wait.request_id, "approve", &err);
    kit_go(&k);
    tap_int(k.calls[IL_OP_EXECUTE_ACTION], 1, "sent");
    tap_int(decide(&k, k.run->wait.request_id, "deny", &err), IL_APPROVAL_MISMATCH, "denied late");
    kit_go(&k);
    if (cut_first) {
        memcpy(id, k.run->id, sizeof id);
        cut(&k);
        open_life(&k);
        ask_in(&k, IL__PHASE_PREVIEW);
        kit_bend(&k, (struct kit_bend){ .op = IL_OP_RECOVER, .to = "\"not_started\"" });
        tap_int(again(&k, id, &err), IL_OK, "resumed: %s", err.message);
        k.calls[IL_OP_EXECUTE_ACTION] = 1;
    }
    kit_advance(&k, 31000 - 2000);
    kit_advance(&k, 2000);
    tap_int(k.calls[IL_OP_RECOVER], 1, "looked for");
    tap_int(k.calls[IL_OP_EXECUTE_ACTION], 1, "and not sent again (%s), %s", kit_status(&k),
            cut_first ? "in another life" : "in the same life");
    kit_close(&k);
}

/* ---- a request long consumed ---- */

static void no_to_the_first_request(void)
{
    struct kit k;
    struct il_error err = IL_ERROR_INIT;
    char first[40], id[40];
    open_life(&k);
    ask_in(&k, IL__PHASE_PROPOSE);
    ask_in(&k, IL__PHASE_PREVIEW);
    kit_start(&k, kit_targeted);
    kit_go(&k);
    memcpy(first, k.run->wait.request_id, sizeof first);
    tap_int(decide(&k, first, "approve", &err), IL_OK, "the proposal is approved");
    kit_go(&k);
    memcpy(id, k.run->id, sizeof id);
    cut(&k);
    open_life(&k);
    ask_in(&k, IL__PHASE_PROPOSE);
    ask_in(&k, IL__PHASE_PREVIEW);
    tap_int(again(&k, id, &err), IL_OK, "resumed: %s", err.message);
    kit_go(&k);
    tap_int(il__wait_open(k.run, false, &err), IL_OK, "asked once more: a third request");
    kit_go(&k);
    tap_ok(strcmp(first, k.run->wait.request_id) != 0, "of another id");
    tap_int(decide(&k, "req-00000000000000000000000000000000", "deny", &err), IL_APPROVAL_MISMATCH, "none of ours");
    tap_int(decide(&k, first, "deny", &err), IL_OK, "a deny of the very first request counts: %s", err.message);
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "denied", "it ends the run");
    kit_close(&k);
}

/* ---- what was known of the send ---- */

static void known_in_the_first_life(const struct kit_bend bend, const char *status, enum il_effect effect,
                                    const char *what)
{
    struct kit k;
    struct il_error err = IL_ERROR_INIT;
    char id[40];
    open_life(&k);
    kit_bend(&k, bend);
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_RECOVER, .never = true });
    kit_start(&k, kit_targeted);
    kit_go(&k);
    tap_int(k.calls[IL_OP_RECOVER], 1, "%s: recovery was begun", what);
    memcpy(id, k.run->id, sizeof id);
    cut(&k);
    open_life(&k);
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_RECOVER, .to = "\"not_started\"" });
    tap_int(again(&k, id, &err), IL_OK, "%s: resumed (%s)", what, err.message);
    kit_go(&k);
    tap_int(k.calls[IL_OP_EXECUTE_ACTION], 0, "%s: not sent again in another life", what);
    tap_str(il__str(kit_status(&k)), status, "%s: %s", what, status);
    tap_ok(k.run->effect == effect, "%s: effect %s", what, il_effect_name(k.run->effect));
    kit_close(&k);
}

/* ---- late leases ---- */

static void lease_while_the_end_is_flushed(void)
{
    struct kit k;
    struct il_error err = IL_ERROR_INIT;
    struct il_tick tick = { .size = sizeof tick };
    open_life(&k);
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_ACQUIRE_LEASE, .never = true });
    kit_start(&k, kit_targeted);
    kit_go(&k);
    uint64_t token = kit_token(&k, IL_OP_ACQUIRE_LEASE);
    il__run_cancel(k.run, IL_STR("enough"), &err);
    for (int i = 0; i < 50 && !k.run->closed; i++) (void)il__engine_tick(&k.engine, 0, &tick, &err);
    static const char lease[] = "{\"leaseId\":\"lease-late\",\"sessionId\":\"s-1\",\"principalId\":\"p-1\"}";
    const struct il__answer_in answer = { token, IL_OK, il__str(lease), IL_STR_NONE, IL_STR_NONE, false };
    il__run_set_state_shown(k.run, IL__STATE_CLOSING); /* its end waits for the disk, as within one tick */
    tap_int(il__engine_complete(&k.engine, &answer, &err), IL_OK, "the lease comes after the end was written: %s",
            err.message);
    kit_go(&k);
    il__run_set_state_shown(k.run, IL__STATE_ENDED);
    tap_int(k.calls[IL_OP_RELEASE_LEASE], 1, "it is given back all the same");
    kit_close(&k);
}

static void foreign_stays_foreign(void)
{
    struct kit k;
    struct il_error err = IL_ERROR_INIT;
    char id[40];
    open_life(&k);
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_ACQUIRE_LEASE, .never = true });
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_RELEASE_TARGET, .never = true });
    kit_start(&k, kit_targeted);
    kit_go(&k);
    uint64_t token = kit_token(&k, IL_OP_ACQUIRE_LEASE);
    il__run_cancel(k.run, IL_STR("enough"), &err);
    kit_go(&k);
    static const char lease[] = "{\"leaseId\":\"lease-late\",\"sessionId\":\"s-2\",\"principalId\":\"p-1\"}";
    const struct il__answer_in answer = { token, IL_OK, il__str(lease), IL_STR_NONE, IL_STR_NONE, false };
    tap_int(il__engine_complete(&k.engine, &answer, &err), IL_OK, "a late lease of another session");
    kit_go(&k);
    memcpy(id, k.run->id, sizeof id);
    cut(&k);
    open_life(&k);
    tap_int(again(&k, id, &err), IL_OK, "resumed: %s", err.message);
    kit_go(&k);
    tap_int(k.calls[IL_OP_RELEASE_LEASE], 0, "it is not released in another life either");
    tap_ok(k.run->release_failed, "but reported");
    kit_close(&k);
}

/* ---- letters ---- */

static const char *letter_body;
static void leave_letter(struct kit *k)
{
    struct il_error err = IL_ERROR_INIT;
    char body[600];
    snprintf(body, sizeof body, letter_body, k->run->wait.request_id);
    if (!k->engine.store.ops->submit(k->engine.store.self, il__str(k->run->id), IL_STR("decision"), il__str(body),
                                      0, &err))
        return;
    tap_note("%s", err.message);
}

static void at_execute(struct kit *k, enum il_op op, bool after)
{
    if (op == IL_OP_EXECUTE_ACTION && !after) leave_letter(k);
}

/* A letter that comes while the intent is being written, however its no is spelt. */
static void unread(const char *body, int effects, const char *what)
{
    struct kit k;
    open_life(&k);
    letter_body = body;
    k.at_begin = at_execute;
    kit_start(&k, kit_targeted);
    kit_go(&k);
    tap_int(k.effects, effects, "%s: %d effects (%s)", what, effects, kit_status(&k));
    kit_close(&k);
}

static void unread_letters(void)
{
    unread("{\"requestId\":\"%s\",\"decision\":\"deny\"}", 0, "an unread deny");
    unread("{\"requestId\":\"%s\",\"decision\":\"d\\u0065ny\"}", 0, "a deny in escapes");
    unread("{\"decision\":{\"request\":\"%s\",\"decision\":\"re-observ\\u0065\"},\"signature\":\"\"}",
           0, "a signed one");
    unread("{\"requestId\":\"%s\",\"decision\":\"defer\",\"reason\":\"deny\"}", 1, "no deny");
}

static struct il__store_ops failing;
static const struct il__store_ops *real;
static int letters_fail, consumes_fail;

static enum il_code fail_letters(void *self, struct il_str id, il__store_letter_fn fn, void *ctx, struct il_error *err)
{
    if (letters_fail-- > 0) return il__fail_at(err, IL_STORE, "store", "letters", "busy");
    return real->letters(self, id, fn, ctx, err);
}

static enum il_code fail_consume(void *self, struct il_str id, uint64_t letter, struct il_error *err)
{
    if (consumes_fail-- > 0) return il__fail(err, IL_OUT_OF_MEMORY, "no memory");
    return real->consume(self, id, letter, err);
}

static void letters_over_a_failing_store(int cannot_read, int cannot_consume, const char *what)
{
    struct kit k;
    open_life(&k);
    ask_in(&k, IL__PHASE_PREVIEW);
    real = k.engine.store.ops;
    failing = *real;
    failing.letters = fail_letters;
    failing.consume = fail_consume;
    k.engine.store.ops = &failing;
    kit_start(&k, kit_targeted);
    kit_go(&k);
    kit_go(&k);
    letter_body = "{\"requestId\":\"%s\",\"actionDigest\":\"" KIT_ACTION_DIGEST "\",\"policyDigest\":\""
                  KIT_POLICY_DIGEST                   "\",\"approver\":\"a\",\"decision\":\"approve\"}";
    letters_fail = cannot_read;
    consumes_fail = cannot_consume;
    leave_letter(&k);
    kit_go(&k);
    kit_go(&k);
    kit_go(&k);
    letters_fail = consumes_fail = 0;
    tap_str(il__str(kit_status(&k)), "committed_unverified", "%s: the letter counts in the end (%s)", what,
            k.run->error.message);
    tap_int(k.effects, 1, "%s: once", what);
    struct il_error err = IL_ERROR_INIT;
    tap_ok(!il__durable_owns(k.run, &err) && !il__durable_write(&k.engine, &err), "%s: nothing was lost: %s", what,
           err.message);
    kit_close(&k);
}

/* ---- stops ---- */

static enum il_code fail_latch(void *self, struct il_str session, bool on, struct il_error *err)
{
    (void)self, (void)session, (void)on;
    return il__fail_at(err, IL_STORE, "store", "latch", "the disk is full");
}

static void heard(void *ctx, const struct il_error *err)
{
    *(enum il_code *)ctx = err->code;
}

static void stop_over_a_full_disk(void)
{
    struct kit k;
    struct il_error err = IL_ERROR_INIT;
    enum il_code end = IL_OK;
    open_life(&k);
    failing = *k.engine.store.ops;
    failing.latch = fail_latch;
    k.engine.store.ops = &failing;
    (void)il__engine_stop(&k.engine, IL_OP_EMERGENCY_STOP, IL_STR_NONE, IL_STR("now"), heard, &end, &err);
    kit_go(&k);
    tap_int(k.calls[IL_OP_EMERGENCY_STOP], 1, "the authority is revoked, whatever the store can hold");
    tap_int(end, IL_STORE, "and who stopped hears that others may not know");
    kit_start(&k, kit_targeted);
    kit_go(&k);
    tap_ok(k.effects == 0, "nothing goes out here: %s", kit_status(&k));
    kit_close(&k);
}

/* ---- handles ---- */

static void left_at_once(void)
{
    struct kit k;
    struct il_error err = IL_ERROR_INIT;
    char id[40];
    open_life(&k);
    ask_in(&k, IL__PHASE_PREVIEW);
    kit_start(&k, kit_targeted);
    kit_go(&k);
    memcpy(id, k.run->id, sizeof id);
    cut(&k);
    open_life(&k);
    k.says[IL__PHASE_PREVIEW] = IL__VERDICT_DENY;
    k.level = IL__LEVEL_SOFT; /* to be overridden now, which is stricter: asked again, which wants a flush */
    tap_int(again(&k, id, &err), IL_OK, "resumed: %s", err.message);
    tap_ok(k.run->state == IL__STATE_WAITING && k.run->in_flush, "asked again, which is on its way to the disk");
    tap_int(il__run_leave(k.run, &err), IL_OK, "left before the next tick: %s", err.message);
    k.run = NULL;
    kit_go(&k);
    tap_int(again(&k, id, &err), IL_OK, "and there again: %s", err.message);
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "waiting", "waiting");
    k.run->in_flight++;
    tap_int(il__run_leave(k.run, &err), IL_CONFLICT, "not left while something of it is in flight");
    k.run->in_flight--;
    kit_close(&k);
}

static void renew_is_refused_untouched(void)
{
    struct kit k;
    struct il_error err = IL_ERROR_INIT;
    char id[40];
    open_life(&k);
    kit_start(&k, kit_targeted);
    kit_go(&k);
    tap_ok(k.run->effect == IL_EFFECT_COMMITTED, "it acted");
    memcpy(id, k.run->id, sizeof id);
    kit_close(&k);
    struct il__store_ops watched = *il__store_port(store).ops;
    watched.claim = NULL; /* whoever claims crashes */
    open_life(&k);
    k.engine.store.ops = &watched;
    struct il_resume_options o = IL_RESUME_OPTIONS_INIT;
    o.run_id = il__str(id);
    o.principal = IL_STR("p-1");
    o.renew = true;
    tap_int(il__run_resume(&k.engine, &o, &k.run, &err), IL_CONFLICT, "not renewed, nor claimed: %s", err.message);
    kit_close(&k);
}

/* I2 (c): asking the store takes time, and that time counts. */
static int asked_owner;
static struct kit *asking;

static enum il_code slow_owns(void *self, struct il_str id, uint64_t fence, struct il_error *err)
{
    if (++asked_owner == 2) asking->boot_ms += 30000; /* the lease is over when the answer comes */
    return real->owns(self, id, fence, err);
}

static void slow_store(void)
{
    struct kit k;
    open_life(&k);
    real = k.engine.store.ops;
    failing = *real;
    failing.owns = slow_owns;
    k.engine.store.ops = &failing;
    asked_owner = 0;
    asking = &k;
    kit_start(&k, kit_targeted);
    kit_go(&k);
    tap_int(asked_owner, 2, "a slow store is asked before the checks and before the send");
    tap_int(k.calls[IL_OP_EXECUTE_ACTION], 0, "a lease that ended meanwhile: nothing is sent");
    tap_str(il__str(kit_status(&k)), "refused", "and the run is refused");
    tap_ok(k.run->effect == IL_EFFECT_NONE, "with effect none");
    cut(&k);
}

/* Whose owner is another by then sends nothing either. */
static enum il_code lost_owns(void *self, struct il_str id, uint64_t fence, struct il_error *err)
{
    if (++asked_owner >= 2) return il__fail_at(err, IL_CONFLICT, "run", "owner", "another process has it");
    return real->owns(self, id, fence, err);
}

static void owner_lost_before_the_send(void)
{
    struct kit k;
    open_life(&k);
    real = k.engine.store.ops;
    failing = *real;
    failing.owns = lost_owns;
    k.engine.store.ops = &failing;
    asked_owner = 0;
    kit_start(&k, kit_targeted);
    kit_go(&k);
    tap_int(asked_owner, 2, "the owner is asked for once more before the send");
    tap_int(k.calls[IL_OP_EXECUTE_ACTION], 0, "who lost the run meanwhile sends nothing");
    tap_ok(k.run->effect == IL_EFFECT_NONE && k.run->error.code == IL_CONFLICT, "and says why");
    cut(&k);
}

/* The last word is said while the run waits; a send on its way is not given up for a decision that is refused. */
static void last_word_too_late(void)
{
    struct kit k;
    struct il_error err = IL_ERROR_INIT;
    struct il_decision d = IL_DECISION_INIT;
    open_life(&k);
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_EXECUTE_ACTION, .never = true });
    kit_start(&k, kit_targeted);
    kit_go(&k);
    d.request_id = IL_STR("req-0");
    d.approver = IL_STR("somebody");
    d.decision = IL_STR("approve");
    d.last_word = true;
    tap_int(il__run_decide(k.run, &d, &err), IL_APPROVAL_MISMATCH, "a decision after the send is refused");
    kit_go(&k);
    tap_ok(k.run->state == IL__STATE_BUSY && !k.run->error.code, "and the send is still waited for");
    cut(&k);
}

int main(void)
{
    struct il_store_options o = IL_STORE_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    if (il_store_open(&o, &store, &err)) {
        printf("Bail out! %s\n", err.message);
        return 1;
    }
    no_before_the_first_byte();
    no_before_the_second_send(false);
    no_before_the_second_send(true);
    no_to_the_first_request();
    known_in_the_first_life((struct kit_bend){ .op = IL_OP_EXECUTE_ACTION, .from = "\"s-1\"", .to = "\"s-9\"" },
                            "indeterminate", IL_EFFECT_UNKNOWN, "a refused receipt");
    known_in_the_first_life((struct kit_bend){ .op = IL_OP_EXECUTE_ACTION, .fail = IL_RUNTIME }, "failed",
                            IL_EFFECT_NONE, "an error answer");
    lease_while_the_end_is_flushed();
    foreign_stays_foreign();
    unread_letters();
    letters_over_a_failing_store(1, 0, "letters that cannot be read once");
    letters_over_a_failing_store(0, 1, "a letter that cannot be taken once");
    stop_over_a_full_disk();
    left_at_once();
    renew_is_refused_untouched();
    slow_store();
    owner_lost_before_the_send();
    last_word_too_late();
    il_store_close(store);
    tap_plan_end();
    return tap_done();
}
