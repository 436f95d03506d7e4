/* Other bundles (reload.h). Every word goes through il__judge, as it did the first time. */
#include "run/reload.h"

#include "base/error.h"
#include "run/approval.h"
#include "run/card.h"
#include "run/judge.h"
#include "run/record.h"
#include "run/state.h"

#include <string.h>

/* ---- who judges ---- */

void il__run_hold_policies(struct il_run *run)
{
    const struct il__policies now = run->engine->policies;
    if (now.hold) now.hold(now.ctx);
    il__run_drop_policies(run);
    run->policies = now;
}

void il__run_drop_policies(struct il_run *run)
{
    const struct il__policies was = run->policies;
    run->policies = (struct il__policies){ .evaluate = NULL };
    if (was.release) was.release(was.ctx);
}

/* ---- judged again ---- */

static const char *reload_word(const struct il_run *run, bool denied)
{
    return denied ? "voided" : run->tightened ? "asked again" : "kept";
}

static enum il_code judge_again(struct il_run *run, struct il_error *why)
{
    enum il_code code = IL_OK;
    bool ends = run->proposal.mode == IL__MODE_SHADOW && !run->judged_preview; /* what the workflow is about to do */
    if (run->done & IL__DID_PROPOSE) code = il__judge(run, IL__PHASE_PROPOSE, NULL, why);
    if (!code && (run->done & IL__DID_PREVIEW) && !ends) code = il__judge(run, IL__PHASE_PREVIEW, NULL, why);
    return code;
}

/* What the journal says that the policies said can have been left out of it. Those of now are asked as well, without a
 * word: true when they are stricter (SPEC §5). */
static bool stricter_now(struct il_run *run)
{
    struct il_error why = IL_ERROR_INIT;
    bool judged = run->judged_preview;
    if (run->policy_blocked) return false; /* nothing is stricter */
    run->restoring = run->reloading = true;
    run->tightened = false;
    enum il_code denied = judge_again(run, &why);
    run->restoring = run->reloading = false;
    run->judged_preview = judged;
    return denied || run->tightened;
}

/* What people are shown is what the run is, not what its journal says they are shown. */
static bool card_differs(struct il_run *run)
{
    char was[IL__SHA256_HEX];
    struct il_error err = IL_ERROR_INIT;
    if (!run->wait.open) return false;
    memcpy(was, run->card_digest, sizeof was);
    return il__card_build(run, &err) || strcmp(was, run->card_digest) != 0;
}

static bool same_policies(const struct il_run *run)
{
    struct il_str now = il__run_policies(run);
    return il__str_eq(il__str(run->policies_digest), il__str_present(now) ? now : IL_STR(""));
}

bool il__run_stricter(struct il_run *run)
{
    return !same_policies(run) || stricter_now(run);
}

enum il_code il__run_reload(struct il_run *run, struct il_error *err)
{
    struct il_str now = il__run_policies(run);
    struct il_error why = IL_ERROR_INIT;
    bool propose = !(run->done & IL__DID_PREVIEW), same = same_policies(run);
    if (same && !card_differs(run) && !stricter_now(run)) return IL_OK;
    if (!same && !il__str_present(now))
        return il__refuse(err, IL_CONFLICT, "run", "bundles", il__str(run->policies_digest), now);
    enum il_code code = IL__NOTE(run, "reloaded", IL_STR_NONE, err, IL__TEXT("hostPolicyDigest", now));
    if (code) return code;
    il__run_keep_policies(run);
    il__approval_void(run);
    run->reloading = true;
    run->tightened = run->tightened && same; /* stricter_now has added what it found */
    enum il_code denied = judge_again(run, &why);
    code = IL__NOTE(run, "reload", IL_STR_NONE, err, IL__TEXT("result", il__str(reload_word(run, denied != IL_OK))));
    run->reloading = false;
    if (code) return code;
    if (denied) {
        if (!il__str_present(run->block_reason)) run->block_reason = il__str(il_code_name(denied));
        il__run_fail(run, &why);
        return IL_OK;
    }
    bool asks = propose ? run->need_count > 0 : il__needs_any(run);
    run->wait.open = false;
    return asks && !il__needs_met(run) && (run->done & (IL__DID_PROPOSE | IL__DID_PREVIEW))
               ? il__wait_open(run, propose, err)
               : IL_OK;
}

/* ---- a host that goes on ---- */

/* Others judge it than the host's, and may still change what becomes of it. */
static bool stale(const struct il_run *run)
{
    return run->policies.ctx != run->engine->policies.ctx && !(run->done & IL__DID_SEND) && run->end == IL__END_NONE;
}

/* For a run that does not move. The same bundles again say nothing new. */
static void adopt(struct il_run *run)
{
    struct il_error err = IL_ERROR_INIT;
    il__run_hold_policies(run);
    if (same_policies(run)) return;
    if (il__run_reload(run, &err)) il__run_fail(run, &err);
    if (run->state != IL__STATE_WAITING || run->wait.open) return;
    il__run_wake_at(run, INT64_MAX); /* there is nothing to wait for */
    il__run_set_state(run, IL__STATE_QUEUED);
}

enum il_code il__run_wait(struct il_run *run, bool propose, struct il_error *err)
{
    enum il_code code = il__wait_open(run, propose, err);
    if (!code && stale(run)) adopt(run);
    return code;
}

void il__engine_reload(struct il__engine *e, const struct il__policies *policies)
{
    e->policies = *policies;
    for (struct il_run *run = e->runs; run; run = run->next)
        if (stale(run) && (run->state == IL__STATE_WAITING || run->state == IL__STATE_QUEUED)) adopt(run);
}
