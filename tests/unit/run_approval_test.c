/* Waiting for people: answers, decisions and policies (SPEC §5, §6). */
#include "kit.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

static void approvals(void)
{
    struct kit k;
    const struct kit_bend bends[] = { kit_asks };
    kit_play(&k, kit_targeted, bends, 1);
    tap_str(il__str(kit_status(&k)), "waiting", "approval is waited for");
    kit_counts(&k, 0, 0, 0, "waiting");
    tap_int(k.calls[IL_OP_ACQUIRE_LEASE], 0, "before lease and effect");
    kit_answer(&k, ",\"grantId\":\"g-1\",\"runtimeApproved\":true", KIT_ACTION_DIGEST, KIT_POLICY_DIGEST,
           IL_APPROVAL_MISMATCH, "both authorities at once are refused");
    kit_answer(&k, "", KIT_ACTION_DIGEST, KIT_POLICY_DIGEST, IL_APPROVAL_MISMATCH, "a digest alone is refused");
    kit_answer(&k, ",\"grantId\":\"g-1\"", "ff", KIT_POLICY_DIGEST, IL_APPROVAL_MISMATCH,
           "another action digest is refused");
    kit_answer(&k, ",\"grantId\":\"g-1\"", KIT_ACTION_DIGEST, "other", IL_APPROVAL_MISMATCH,
           "another policy digest is refused");
    tap_str(il__str(kit_status(&k)), "waiting", "refused answers leave the run waiting");
    kit_counts(&k, 0, 0, 0, "refused");
    kit_answer(&k, ",\"grantId\":\"g-1\"", KIT_ACTION_DIGEST, KIT_POLICY_DIGEST, IL_OK,
           "exact digests and a grant are taken");
    tap_str(il__str(kit_status(&k)), "committed_unverified", "and the run goes on");
    tap_ok(strstr(k.last_execute, "\"grantId\":\"g-1\"") != NULL, "the grant reaches execute");
    kit_counts(&k, 1, 1, 1, "approved");
    tap_int(k.calls[IL_OP_PREVIEW_ACTION], 1, "the preview was not asked again");
    tap_int(k.calls[IL_OP_OBSERVE_VISUAL], 1, "nor the observation");
    kit_answer(&k, ",\"grantId\":\"g-1\"", KIT_ACTION_DIGEST, KIT_POLICY_DIGEST, IL_APPROVAL_MISMATCH,
           "a second answer is late");
    kit_close(&k);

    kit_play(&k, kit_targeted, bends, 1);
    kit_answer(&k, ",\"runtimeApproved\":true", KIT_ACTION_DIGEST, KIT_POLICY_DIGEST, IL_OK,
           "a runtime-held approval is taken");
    tap_ok(strstr(k.last_execute, "\"grantId\":null") != NULL, "and no grant id is passed");
    tap_int(k.effects, 1, "one effect");
    kit_close(&k);

    kit_play(&k, kit_targeted, bends, 1);
    char json[512];
    struct il_error err = IL_ERROR_INIT;
    snprintf(json, sizeof json,
             "{\"approval\":{\"requestId\":\"%s\",\"actionDigest\":\"" KIT_ACTION_DIGEST
             "\",\"policyDigest\":\"" KIT_POLICY_DIGEST "\",\"grantId\":\"g\"},\"preview\":{}}",
             k.run->wait.request_id);
    tap_int(il__run_answer(k.run, il__str(json), true, &err), IL_INVARIANT, "a preview in resume input is refused");
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "refused", "and ends the run");
    tap_str(il__str(kit_error(&k).field), "entries", "naming the entries");
    kit_counts(&k, 0, 0, 0, "replaced preview");
    kit_close(&k);

    kit_play(&k, kit_targeted, bends, 1);
    kit_advance(&k, 300000);
    tap_str(il__str(kit_status(&k)), "expired", "nobody decides in time: expired");
    kit_answer(&k, ",\"grantId\":\"g-1\"", KIT_ACTION_DIGEST, KIT_POLICY_DIGEST, IL_APPROVAL_MISMATCH,
           "a late answer is late");
    kit_counts(&k, 0, 0, 0, "expired");
    kit_close(&k);
}

static void policies(void)
{
    struct kit k;
    for (int phase = 0; phase < 4; phase++) {
        if (phase == IL__PHASE_APPROVE) continue;
        kit_open(&k);
        k.says[phase] = IL__VERDICT_DENY;
        kit_workflow(&k, kit_reference);
        kit_start(&k, kit_targeted);
        kit_go(&k);
        tap_int(k.effects, 0, "a deny in phase %s: no effect", il__phase_names[phase]);
        tap_int(k.calls[IL_OP_RELEASE_TARGET], k.calls[IL_OP_RESERVE_TARGET], "released (%s: %s)", kit_status(&k),
                kit_error(&k).message);
        kit_close(&k);
        kit_open(&k);
        k.policy_fails[phase] = true;
        kit_start(&k, kit_targeted);
        kit_go(&k);
        tap_int(k.effects, 0, "a failing policy in phase %s: no effect", il__phase_names[phase]);
        kit_close(&k);
    }
    kit_open(&k);
    k.says[IL__PHASE_PREVIEW] = IL__VERDICT_ASK;
    kit_start(&k, kit_targeted);
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "waiting", "an ask waits");
    struct il_error err = IL_ERROR_INIT;
    struct il_decision d = IL_DECISION_INIT;
    d.request_id = IL_STR("req-00000000000000000000000000000000");
    d.action_digest = IL_STR(KIT_ACTION_DIGEST);
    d.policy_digest = IL_STR(KIT_POLICY_DIGEST);
    d.decision = IL_STR("approve");
    tap_int(il__run_decide(k.run, &d, &err), IL_APPROVAL_MISMATCH, "a decision for another request is refused");
    tap_ok(strstr(err.message, k.run->wait.request_id) == NULL, "and says nothing about the right one");
    d.request_id = il__str(k.run->wait.request_id);
    tap_int(il__run_decide(k.run, &d, &err), IL_OK, "a decision is taken");
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "committed_unverified", "and the run goes on");
    tap_ok(strstr(k.last_execute, "\"grantId\":null") != NULL, "a host need alone: no grant id reaches execute");
    kit_close(&k);

    kit_open(&k);
    k.says[IL__PHASE_PREVIEW] = IL__VERDICT_ASK;
    k.approvers = 2;
    kit_start(&k, kit_targeted);
    kit_go(&k);
    tap_int(k.effects, 0, "two approvers on a host that knows none: denied");
    tap_ok(strcmp(kit_status(&k), "waiting") != 0, "it does not wait for what cannot come");
    kit_close(&k);

    kit_open(&k);
    k.says[IL__PHASE_PROPOSE] = IL__VERDICT_ASK;
    kit_start(&k, kit_targeted);
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "waiting", "an ask in propose waits");
    tap_int(k.calls[IL_OP_PREVIEW_ACTION], 0, "before the preview");
    d.request_id = il__str(k.run->wait.request_id);
    d.action_digest = d.policy_digest = IL_STR_NONE;
    d.proposal_digest = IL_STR("00");
    tap_int(il__run_decide(k.run, &d, &err), IL_APPROVAL_MISMATCH, "another proposal digest is refused");
    d.proposal_digest = il__str(k.run->proposal_digest);
    tap_int(il__run_decide(k.run, &d, &err), IL_OK, "the right one is taken (%s)", err.message);
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "committed_unverified", "and the run goes through preview to its end");
    kit_close(&k);

    d.proposal_digest = IL_STR_NONE;
    kit_open(&k);
    k.says[IL__PHASE_PREVIEW] = IL__VERDICT_DENY;
    k.level = IL__LEVEL_SOFT;
    kit_start(&k, kit_targeted);
    kit_go(&k);
    d.request_id = il__str(k.run->wait.request_id);
    d.action_digest = IL_STR(KIT_ACTION_DIGEST);
    d.policy_digest = IL_STR(KIT_POLICY_DIGEST);
    tap_int(il__run_decide(k.run, &d, &err), IL_OK, "a soft deny asks for an override");
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "waiting", "an override without a reason does not count");
    d.reason = IL_STR("I looked at it");
    tap_int(il__run_decide(k.run, &d, &err), IL_OK, "with a reason");
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "committed_unverified", "it does");
    kit_close(&k);

    kit_open(&k);
    k.says[IL__PHASE_PREVIEW] = IL__VERDICT_ASK;
    kit_start(&k, kit_targeted);
    kit_go(&k);
    d.request_id = il__str(k.run->wait.request_id);
    d.decision = IL_STR("deny");
    tap_int(il__run_decide(k.run, &d, &err), IL_OK, "a deny");
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "denied", "ends the run denied");
    kit_close(&k);
}

int main(void)
{
    approvals();
    policies();
    return tap_done();
}
