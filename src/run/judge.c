/* Policies of the host (judge.h). A verdict starts as deny: whoever cannot be asked has not allowed. */
#include "run/judge.h"

#include "base/error.h"
#include "base/limits.h"
#include "check/need.h"
#include "run/claims.h"
#include "run/counts.h"
#include "run/facts.h"
#include "run/record.h"
#include "run/retain.h"
#include "run/trial.h"

#include <string.h>

static enum il_code copy_strs(struct il__arena *arena, struct il__strs in, struct il__strs *out)
{
    struct il_str *items = il__arena_alloc(arena, (in.count ? in.count : 1) * sizeof *items);
    if (!items) return IL_OUT_OF_MEMORY;
    for (size_t i = 0; i < in.count; i++)
        if (il__arena_str(arena, in.items[i], &items[i])) return IL_OUT_OF_MEMORY;
    *out = (struct il__strs){ items, in.count };
    return IL_OK;
}

static bool has_need(const struct il_run *run, const struct il__need *want)
{
    for (size_t i = 0; i < run->need_count; i++)
        if (il__need_same(&run->needs[i], want)) return true;
    return false;
}

static enum il_code add_need(struct il_run *run, const struct il__said *said, const struct il__ruled *ruled,
                             struct il_error *err)
{
    const struct il__need want = il__need_of(said, ruled);
    struct il__need need = want;
    bool copied = !copy_strs(&run->arena, want.roles, &need.roles) &&
                  !il__arena_str(&run->arena, want.policy, &need.policy) &&
                  !il__arena_str(&run->arena, want.code, &need.code) &&
                  !il__arena_str(&run->arena, want.reason, &need.reason);
    if (!copied) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a need");
    if (!run->restoring && !il__need_possible(&need, run->engine->approver_count > 0))
        return il__fail_at(err, IL_POLICY_DENIED, "policy", "approvers",
                           "%.*s asks for approvers that this host does not have: %.*s", IL_STR_FMT(said->policy),
                           IL_STR_FMT(ruled->reason));
    if (run->reloading && has_need(run, &need)) return IL_OK; /* asked for before already */
    if (run->reloading) run->tightened = true;
    if (run->need_count >= IL__LIMIT_NEEDS)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "policy", "needs", "a run has at most %d needs", IL__LIMIT_NEEDS);
    run->needs[run->need_count++] = need;
    return IL_OK;
}

/* Was this very deny overridden? All needs are met by now. */
static bool overridden(const struct il_run *run, const struct il__said *said)
{
    return il__needs_override(run->needs, run->need_count, said);
}

/* The time is what the policy was told: a recorded verdict can be asked for again at the same moment. */
enum il_code il__judge_note(struct il_run *run, const char *kind, const struct il__scene *scene,
                            const struct il__said *said, const struct il__ruled *ruled, struct il_error *err)
{
    char at[IL__RFC3339_MAX];
    enum il__phase phase = scene->phase;
    il__rfc3339_format(scene->now, at);
    struct il_str raw = il__str(said->error ? "error" : il__verdict_names[said->verdict]);
    const struct il__tell told = { .step = il__str(il__phase_names[phase]), .object = said->policy,
                                   .field = il__str(il__phase_names[phase]),
                                   .expected = il__str(il__level_names[said->level]), .actual = raw,
                                   .text = said->reason, .ok = ruled->verdict == IL__VERDICT_NONE };
    const struct il_str claims = il__claims_text(run, said->claims, said->claim_count);
    if (said->claim_count && !il__str_present(claims)) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for claims");
    enum il_code code =
        IL__NOTE(run, kind, IL_STR_NONE, err, IL__NUMBER("approvers", ruled->approvers),
                 IL__RAW("asked", said->asked), IL__RAW("claims", claims),
                 IL__TEXT("code", said->code), IL__TEXT("level", il__str(il__level_names[said->level])),
                 IL__NUMBER("line", said->line), IL__TEXT("phase", il__str(il__phase_names[phase])),
                 IL__TEXT("policy", said->policy), IL__TEXT("reason", said->reason),
                 IL__RAW("roles", il__record_strs(run, said->roles)),
                 IL__TEXT("ruled", il__str(ruled->override_ ? "override" : il__verdict_names[ruled->verdict])),
                 IL__TEXT("said", raw), IL__TEXT("time", il__str(at)), IL__NUMBER("timeoutMs", said->timeout_ms));
    if (!code && strcmp(kind, "trial") != 0) il__run_tell(run, IL_EVENT_POLICY, &told);
    return code;
}

static enum il_code deny(const struct il__said *said, const struct il__ruled *ruled, struct il_error *err)
{
    char policy[96], reason[300];
    il__escape(policy, sizeof policy, said->policy);
    il__escape(reason, sizeof reason, said->error ? said->reason : ruled->reason);
    return il__fail_at(err, said->error ? IL_POLICY_ERROR : IL_POLICY_DENIED, "policy", policy, "%s", reason);
}

bool il__judge_overrode(const struct il_run *run, struct il_str policy, struct il_str code)
{
    const struct il__said said = { .policy = policy, .code = code };
    return overridden(run, &said);
}

enum il_code il__judge_refuse(struct il_run *run, const struct il__counted *counted, struct il_error *err)
{
    char reason[IL__LIMIT_VERDICT_TEXT_BYTES];
    const struct il__said said = {
        .verdict = IL__VERDICT_DENY, .level = counted->level, .policy = counted->policy, .code = IL_STR("limit"),
        .reason = { reason, il__claim_reason(&counted->claim, reason, sizeof reason) },
    };
    const struct il__ruled ruled = { .verdict = IL__VERDICT_DENY, .reason = said.reason };
    const struct il__scene scene = { .phase = IL__PHASE_EXECUTE, .now = il__facts_now(run) };
    enum il_code code = il__judge_note(run, "verdict", &scene, &said, &ruled, err);
    if (code) return code;
    il__error_clear(err);
    return deny(&said, &ruled, err);
}

static enum il_code rule_on(struct il_run *run, const struct il__scene *scene, const struct il__said *said,
                            struct il__judged *out, struct il_error *err)
{
    enum il__phase phase = scene->phase;
    struct il__ruled ruled = il__rule(said, phase, phase == IL__PHASE_EXECUTE && overridden(run, said));
    if (out) *out = (struct il__judged){ *said, ruled };
    enum il_code code = il__judge_note(run, "verdict", scene, said, &ruled, err);
    if (!code) code = il__counts_claim(run, said, ruled.override_, err);
    if (code) return code;
    switch (ruled.verdict) {
    case IL__VERDICT_NONE:
        return IL_OK;
    case IL__VERDICT_ASK:
        return add_need(run, said, &ruled, err);
    case IL__VERDICT_DENY:
        break;
    }
    return deny(said, &ruled, err);
}

void il__scene_of_run(const struct il_run *run, enum il__phase phase, const struct il__vote *vote,
                      struct il__scene *out)
{
    const struct il__preview *preview = phase == IL__PHASE_PROPOSE ? NULL : il__facts_preview(run);
    *out = (struct il__scene){
        .phase = phase, .run_id = il__facts_id(run), .session_id = il__facts_session_id(run),
        .principal = il__facts_principal(run), .agent = il__facts_agent(run), .proposal = il__facts_proposal(run),
        .preview = preview, .now = il__facts_now(run), .history = il__counts_history, .limit = il__counts_limit,
        .ctx = (void *)(uintptr_t)run,
    };
    if (preview) {
        out->route = il__facts_route(run);
        out->block_reason = il__facts_block_reason(run);
    }
    if (phase == IL__PHASE_EXECUTE) out->lease = il__facts_lease(run);
    if (phase == IL__PHASE_APPROVE) out->vote = vote;
}

enum il_code il__judge(struct il_run *run, enum il__phase phase, const struct il__vote *vote, struct il_error *err)
{
    struct il__engine *e = run->engine;
    enum il_code code = run->restoring || run->reloading ? IL_OK : il__retain_switch(e, err);
    if (code || !run->policies.evaluate) return code;
    struct il__arena arena;
    il__arena_init(&arena, e->mem);
    struct il__said_list said = { .arena = &arena };
    struct il_error local = IL_ERROR_INIT;
    struct il__scene scene;
    il__scene_of_run(run, phase, vote, &scene);
    struct il__trial trial;
    code = run->policies.evaluate(run->policies.ctx, &scene, &said, err);
    il__trial_ask(run, &scene, &trial);
    struct il__judged *judged = il__arena_alloc(&arena, (said.count + 1) * sizeof *judged);
    /* Every verdict is ruled on and recorded, also after a deny; the first deny is the one reported. */
    for (size_t i = 0; i < said.count && code != IL_OUT_OF_MEMORY; i++) {
        struct il_error later = IL_ERROR_INIT;
        enum il_code one = rule_on(run, &scene, &said.items[i], judged ? &judged[i] : NULL, code ? &later : err);
        if (!code) code = one;
    }
    size_t asked = said.count;
    trial.asked = trial.asked && judged && (!code || code == IL_POLICY_DENIED || code == IL_POLICY_ERROR);
    il__trial_note(run, &scene, &trial, judged, asked);
    il__arena_clear(&arena);
    if (!asked || phase == IL__PHASE_APPROVE || phase == IL__PHASE_EXECUTE) return code;
    run->judged_preview |= phase == IL__PHASE_PREVIEW;
    if (!IL__NOTE(run, "judged", IL_STR_NONE, code ? &local : err, IL__TEXT("hostPolicyDigest", il__run_policies(run)),
                  IL__TEXT("phase", il__str(il__phase_names[phase]))))
        return code;
    return code ? code : err ? err->code : IL_STORE;
}

enum il_code il__judge_restore(struct il_run *run, enum il__phase phase, const struct il__said *said,
                               struct il_error *err)
{
    const struct il__scene scene = { .phase = phase };
    return rule_on(run, &scene, said, NULL, err);
}

void il__run_keep_policies(struct il_run *run)
{
    struct il_str now = il__run_policies(run);
    size_t len = now.len < sizeof run->policies_digest ? now.len : 0;
    if (len) memcpy(run->policies_digest, now.ptr, len);
    run->policies_digest[len] = '\0';
}

struct il_str il__run_policies(const struct il_run *run)
{
    const struct il__policies *p = &run->policies;
    return p->digest ? p->digest(p->ctx) : IL_STR_NONE;
}

int64_t il__needs_timeout_ms(const struct il_run *run, size_t first)
{
    int64_t least = 0;
    for (size_t i = first; i < run->need_count; i++) {
        int64_t ms = run->needs[i].timeout_ms;
        if (ms > 0 && (least == 0 || ms < least)) least = ms;
    }
    return least;
}
