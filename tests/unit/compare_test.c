/* Comparing what policies say: every pair of two verdicts on each side, against the plain meaning of the words, and
 * that nothing that lets more through is called anything but allowed. */
#include "check/compare.h"
#include "tap.h"

#include <string.h>

enum { KINDS = 10, SETS = 1 + KINDS + KINDS * KINDS };

static const struct il_str lead[] = { { "lead", 4 } }, both[] = { { "chief", 5 }, { "lead", 4 } };

static struct il__judged kind(int at)
{
    struct il__judged j = { .said = { .verdict = IL__VERDICT_NONE } };
    switch (at) {
    case 0: break;
    case 1: j.said.verdict = IL__VERDICT_DENY; break;
    case 2:
        j.said.verdict = IL__VERDICT_DENY;
        j.said.error = true;
        break;
    case 3:
    case 4:
        j.said.verdict = IL__VERDICT_ASK;
        j.said.approvers = at - 2;
        break;
    case 5:
    case 6:
        j.said.verdict = IL__VERDICT_ASK;
        j.said.approvers = at - 4;
        j.said.roles = (struct il__strs){ lead, 1 };
        break;
    case 7:
        j.said.verdict = IL__VERDICT_ASK;
        j.said.approvers = 1;
        j.said.roles = (struct il__strs){ both, 2 };
        break;
    case 8:
        j.said.verdict = IL__VERDICT_DENY;
        j.said.level = IL__LEVEL_SOFT;
        break;
    default:
        j.said.verdict = IL__VERDICT_DENY;
        j.said.level = IL__LEVEL_ADVISORY;
        break;
    }
    if (at < 8) j.said.level = IL__LEVEL_HARD;
    j.ruled = il__rule(&j.said, IL__PHASE_PREVIEW, false);
    return j;
}

static size_t set_of(int at, struct il__judged out[2])
{
    if (!at) return 0;
    if (at <= KINDS) {
        out[0] = kind(at - 1);
        return 1;
    }
    out[0] = kind((at - 1 - KINDS) / KINDS);
    out[1] = kind((at - 1 - KINDS) % KINDS);
    return 2;
}

/* Who approves in this world: some of four people, with and without a reason. */
struct world { unsigned who; bool reason; };
static const struct il__strs roles_of[4] = { { NULL, 0 }, { NULL, 0 }, { lead, 1 }, { both, 1 } };

static bool may(int person, const struct il__judged *need, bool reason)
{
    if (need->ruled.override_) return reason;
    if (!need->said.roles.count) return true;
    for (size_t i = 0; i < need->said.roles.count; i++)
        for (size_t k = 0; k < roles_of[person].count; k++)
            if (il__str_eq(need->said.roles.items[i], roles_of[person].items[k])) return true;
    return false;
}

static bool lets_through(const struct il__judged *set, size_t count, struct world w)
{
    for (size_t i = 0; i < count; i++) {
        int given = 0;
        if (set[i].ruled.verdict == IL__VERDICT_DENY) return false;
        if (set[i].ruled.verdict == IL__VERDICT_NONE) continue;
        for (int p = 0; p < 4; p++) given += ((w.who >> p) & 1) && may(p, &set[i], w.reason);
        if (given < set[i].ruled.approvers) return false;
    }
    return true;
}

static void against_every_world(void)
{
    size_t loose = 0, tight = 0, pairs = 0, mute = 0;
    for (int a = 0; a < SETS; a++) {
        for (int b = 0; b < SETS; b++, pairs++) {
            struct il__judged before[2], after[2];
            struct il__compared c;
            size_t n = set_of(a, before), m = set_of(b, after);
            bool more = false, less = false;
            il__compare(before, n, after, m, &c);
            for (unsigned who = 0; who < 32; who++) {
                struct world w = { who & 15, who > 15 };
                bool was = lets_through(before, n, w), is = lets_through(after, m, w);
                more |= is && !was;
                less |= was && !is;
            }
            loose += more && c.change != IL__CHANGE_ALLOWED;
            tight += less && !more && c.change == IL__CHANGE_NONE;
            mute += c.change != IL__CHANGE_NONE && !(c.change == IL__CHANGE_ALLOWED ? c.was : c.is);
        }
    }
    tap_int((long long)loose, 0, "what lets more through is called allowed (%zu pairs)", pairs);
    tap_int((long long)tight, 0, "what lets less through is not called the same");
    tap_int((long long)mute, 0, "every change has a policy that makes it");
}

static void same_sets(void)
{
    size_t changed = 0, errors = 0;
    for (int a = 0; a < SETS; a++) {
        struct il__judged set[2];
        struct il__compared c;
        size_t n = set_of(a, set), failed = 0;
        il__compare(set, n, set, n, &c);
        for (size_t i = 0; i < n; i++) failed += set[i].said.error;
        changed += c.change != IL__CHANGE_NONE;
        errors += c.errors != failed;
    }
    tap_int((long long)changed, 0, "a set is the same as itself");
    tap_int((long long)errors, 0, "its failures are counted");
}

static void words(int a, int b, const char *change, const char *what)
{
    struct il__judged before[2], after[2];
    struct il__compared c;
    size_t n = set_of(a, before), m = set_of(b, after);
    il__compare(before, n, after, m, &c);
    tap_str(il__str(il__change_names[c.change]), change, "%s", what);
}

int main(void)
{
    against_every_world();
    same_sets();
    words(0, 2, "denied", "nothing, then a deny");
    words(4, 2, "denied", "an ask, then a deny");
    words(2, 3, "same", "a deny, then a failure");
    words(2, 4, "allowed", "a deny, then an ask");
    words(2, 0, "allowed", "a deny, then nothing");
    words(4, 0, "allowed", "an ask, then nothing");
    words(0, 4, "asked", "nothing, then an ask");
    words(4, 5, "asked", "one approver, then two");
    words(5, 4, "allowed", "two approvers, then one");
    words(6, 8, "allowed", "a role, then that or another");
    words(9, 4, "allowed", "an override with its reason, then an ask without");
    words(4, 9, "asked", "an ask, then an override");
    words(0, 10, "same", "nothing, then an advisory deny");
    return tap_done();
}
