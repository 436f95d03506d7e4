/* Needs (need.h). */
#include "check/need.h"

struct il__need il__need_of(const struct il__said *said, const struct il__ruled *ruled)
{
    return (struct il__need){
        .approvers = ruled->approvers, .override_ = ruled->override_, .failed = said->error,
        .roles = ruled->override_ ? (struct il__strs){ NULL, 0 } : said->roles, .timeout_ms = said->timeout_ms,
        .policy = said->policy, .code = said->code, .reason = ruled->reason,
    };
}

bool il__need_same(const struct il__need *a, const struct il__need *b)
{
    return a->approvers == b->approvers && a->override_ == b->override_ && a->failed == b->failed &&
           a->timeout_ms == b->timeout_ms && il__strs_equal(a->roles, b->roles) && il__str_eq(a->policy, b->policy) &&
           il__str_eq(a->code, b->code) && il__str_eq(a->reason, b->reason);
}

bool il__needs_override(const struct il__need *needs, size_t count, const struct il__said *said)
{
    for (size_t i = 0; i < count; i++) {
        const struct il__need *need = &needs[i];
        if (!need->override_ || need->failed || !il__str_eq(need->policy, said->policy)) continue;
        if (!il__str_eq(need->code, said->code)) continue;
        if (il__str_present(said->code) || il__str_eq(need->reason, said->reason)) return true;
    }
    return false;
}
