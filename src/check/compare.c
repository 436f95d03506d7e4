/* Comparing verdicts (compare.h). */
#include "check/compare.h"

const char *const il__change_names[] = { "same", "denied", "asked", "allowed", NULL };

static enum il__verdict strictest(const struct il__judged *set, size_t count, const struct il__judged **who)
{
    enum il__verdict most = IL__VERDICT_NONE;
    *who = NULL;
    for (size_t i = 0; i < count; i++) {
        if (set[i].ruled.verdict <= most) continue;
        most = set[i].ruled.verdict;
        *who = &set[i];
    }
    return most;
}

static bool has(struct il__strs list, struct il_str role)
{
    for (size_t i = 0; i < list.count; i++)
        if (il__str_eq(list.items[i], role)) return true;
    return false;
}

/* An approver needs one of the roles, and without any may have none: whoever may answer `other` may answer `need`. */
static bool roles_within(const struct il__judged *other, const struct il__judged *need)
{
    if (need->ruled.override_ || !need->said.roles.count) return true;
    if (other->ruled.override_ || !other->said.roles.count) return false;
    for (size_t i = 0; i < other->said.roles.count; i++)
        if (!has(need->said.roles, other->said.roles.items[i])) return false;
    return true;
}

/* Does meeting one of `set` meet this need, too? */
static bool covered(const struct il__judged *need, const struct il__judged *set, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct il__judged *other = &set[i];
        if (other->ruled.verdict == IL__VERDICT_ASK && other->ruled.approvers >= need->ruled.approvers &&
            (other->ruled.override_ || !need->ruled.override_) && roles_within(other, need))
            return true;
    }
    return false;
}

/* The first need of `set` that the other one does not cover; NULL: none. */
static const struct il__judged *uncovered(const struct il__judged *set, size_t count, const struct il__judged *other,
                                          size_t other_count)
{
    for (size_t i = 0; i < count; i++)
        if (set[i].ruled.verdict == IL__VERDICT_ASK && !covered(&set[i], other, other_count)) return &set[i];
    return NULL;
}

/* Both ask: less than before, or else more. */
static enum il__difference compare_needs(const struct il__judged *before, size_t before_count,
                                     const struct il__judged *after, size_t after_count, struct il__compared *out)
{
    const struct il__judged *gone = uncovered(before, before_count, after, after_count);
    const struct il__judged *more = uncovered(after, after_count, before, before_count);
    if (gone) out->was = gone;
    if (more) out->is = more;
    if (gone) return IL__CHANGE_ALLOWED;
    return more ? IL__CHANGE_ASKED : IL__CHANGE_NONE;
}

void il__compare(const struct il__judged *before, size_t before_count, const struct il__judged *after,
                 size_t after_count, struct il__compared *out)
{
    *out = (struct il__compared){ .change = IL__CHANGE_NONE };
    out->before = strictest(before, before_count, &out->was);
    out->after = strictest(after, after_count, &out->is);
    for (size_t i = 0; i < after_count; i++) out->errors += after[i].said.error;
    if (out->after < out->before) out->change = IL__CHANGE_ALLOWED;
    else if (out->after > out->before)
        out->change = out->after == IL__VERDICT_DENY ? IL__CHANGE_DENIED : IL__CHANGE_ASKED;
    else if (out->after == IL__VERDICT_ASK)
        out->change = compare_needs(before, before_count, after, after_count, out);
}
