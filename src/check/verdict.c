/* The runtime's route and what a policy's words amount to, see verdict.h. Must never lower anything: each result starts
 * as blocked or deny, and only a case that SPEC §5 names makes it less. */
#include "check/verdict.h"

#include "base/error.h"
#include "base/str.h"

#include <stdio.h>

const char *const il__route_names[] = { "blocked", "approval", "allowed", NULL };
const char *const il__phase_names[] = { "propose", "preview", "approve", "execute", NULL };
const char *const il__level_names[] = { "advisory", "soft", "hard", NULL };
const char *const il__verdict_names[] = { "none", "ask", "deny", NULL };

/* The route without its reason. An executable preview that wants confirmation and states no blocker is a standing
 * grant that would act silently. */
static enum il__route route_of(const struct il__preview *preview, bool accept_standing_grants)
{
    struct il_str decision = preview->policy ? preview->policy->decision : IL_STR_NONE;
    bool blocker = il__str_present(preview->blocker);
    if (!preview->policy || il__str_eq(decision, IL_STR("deny"))) return IL__ROUTE_BLOCKED;
    if (il__str_eq(preview->blocker, IL_STR("approval_required"))) return IL__ROUTE_APPROVAL;
    if (blocker || !preview->executable) return IL__ROUTE_BLOCKED;
    if (il__str_eq(decision, IL_STR("allow"))) return IL__ROUTE_ALLOWED;
    if (!il__str_eq(decision, IL_STR("confirm"))) return IL__ROUTE_BLOCKED;
    return accept_standing_grants ? IL__ROUTE_ALLOWED : IL__ROUTE_APPROVAL;
}

enum il__route il__route_of(const struct il__preview *preview, bool accept_standing_grants, struct il_str *reason)
{
    enum il__route route = route_of(preview, accept_standing_grants);
    *reason = IL_STR_NONE;
    if (route == IL__ROUTE_BLOCKED) *reason = preview->blocker.len > 0 ? preview->blocker : IL_STR("policy_denied");
    return route;
}

static struct il__ruled ruled(enum il__verdict verdict, const struct il__said *said)
{
    return (struct il__ruled){ .verdict = verdict,
                               .approvers = verdict == IL__VERDICT_ASK ? 1 : 0,
                               .reason = said->error ? IL_STR("policy_error") : said->reason };
}

/* A deny that counts, of a soft or hard policy. */
static struct il__ruled rule_deny(const struct il__said *said, bool hard, enum il__phase phase, bool overridden)
{
    struct il__ruled out = ruled(IL__VERDICT_DENY, said);
    if (hard || phase == IL__PHASE_APPROVE) return out;
    if (phase == IL__PHASE_EXECUTE) {
        if (overridden && !said->error) out.verdict = IL__VERDICT_NONE;
        return out;
    }
    out = ruled(IL__VERDICT_ASK, said);
    out.override_ = true;
    return out;
}

struct il__ruled il__rule(const struct il__said *said, enum il__phase phase, bool overridden)
{
    enum il__verdict verdict = said->error ? IL__VERDICT_DENY : said->verdict;
    bool advisory = said->level == IL__LEVEL_ADVISORY && !said->error;
    bool hard = said->level != IL__LEVEL_ADVISORY && said->level != IL__LEVEL_SOFT;
    if (verdict != IL__VERDICT_NONE && verdict != IL__VERDICT_ASK) verdict = IL__VERDICT_DENY;
    /* Nobody can be asked any more in these phases: they may only deny. */
    if (verdict == IL__VERDICT_ASK && (phase == IL__PHASE_EXECUTE || phase == IL__PHASE_APPROVE))
        verdict = IL__VERDICT_DENY;
    if (verdict == IL__VERDICT_NONE) return ruled(IL__VERDICT_NONE, said);
    if (advisory) {
        struct il__ruled out = ruled(IL__VERDICT_NONE, said);
        out.advisory = true;
        return out;
    }
    if (verdict == IL__VERDICT_DENY) return rule_deny(said, hard, phase, overridden);
    struct il__ruled out = ruled(IL__VERDICT_ASK, said);
    if (said->approvers > 1) out.approvers = said->approvers;
    return out;
}

enum il__verdict il__verdict_max(enum il__verdict a, enum il__verdict b)
{
    return a > b ? a : b;
}

/* The longest unit that says it exactly. */
static const char *unit_of(int64_t *ms)
{
    static const struct { int64_t ms; const char *name; } units[] = { { 86400000, "d" }, { 3600000, "h" },
                                                                      { 60000, "m" }, { 1000, "s" } };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (*ms % units[i].ms) continue;
        *ms /= units[i].ms;
        return units[i].name;
    }
    return "ms";
}

size_t il__claim_reason(const struct il__claim *claim, char *out, size_t size)
{
    char key[300];
    int64_t per = claim->per_ms;
    il__escape(key, sizeof key, claim->key);
    const char *unit = unit_of(&per);
    int n = snprintf(out, size, "limit %s: %lld of %lld used within %lld%s", key, (long long)claim->most,
                     (long long)claim->most, (long long)per, unit);
    return n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1;
}
