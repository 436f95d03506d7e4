/* The runtime's route and what policies amount to (SPEC §5): every combination here, then the tables of
 * tests/vectors/tables, which were made by another hand. */
#include "check_kit.h"
#include "table.h"
#include "tap.h"

#include "check/verdict.h"

static const char *name_of(const char *const *names, int index)
{
    return index < 0 ? "?" : names[index];
}

/* ---- the route --------------------------------------------------------------------------------------------------- */

static enum il__route route(bool executable, struct il_str blocker, struct il_str decision, bool standing,
                            struct il_str *reason)
{
    struct il__policy_decision policy = { .decision = decision, .policy_digest = S("policy-1") };
    struct il__preview preview = { .executable = executable, .blocker = blocker, .policy = &policy };
    return il__route_of(&preview, standing, reason);
}

static void routes(void)
{
    static const struct il_str blockers[] = {
        NONE, LIT("approval_required"), LIT(""), LIT("policy_denied"), LIT("Approval_required"),
        LIT("approval_require"), LIT("approval_required\0")
    };
    static const struct il_str decisions[] = {
        LIT("allow"), LIT("confirm"), LIT("deny"), LIT("Allow"), LIT("allowed"), LIT("allow\0"), LIT("confir"), LIT(""),
        NONE
    };
    for (int bits = 0; bits < 4; bits++)
        for (size_t b = 0; b < sizeof blockers / sizeof *blockers; b++)
            for (size_t d = 0; d < sizeof decisions / sizeof *decisions; d++) {
                bool executable = bits & 1, standing = bits & 2;
                struct il_str reason = S("unset");
                enum il__route want = IL__ROUTE_BLOCKED;
                if (b == 1 && d != 2) want = IL__ROUTE_APPROVAL;
                if (b == 0 && executable && d == 0) want = IL__ROUTE_ALLOWED;
                if (b == 0 && executable && d == 1) want = standing ? IL__ROUTE_ALLOWED : IL__ROUTE_APPROVAL;
                enum il__route got = route(executable, blockers[b], decisions[d], standing, &reason);
                tap_ok(got == want, "executable %d, blocker %zu, decision %zu, standing %d is %s", executable, b, d,
                       standing, name_of(il__route_names, (int)want));
                const char *why = b == 0 || b == 2 ? "policy_denied" : blockers[b].ptr;
                bool right = want != IL__ROUTE_BLOCKED ? !il__str_present(reason)
                             : b == 0 || b == 2        ? il__str_eq(reason, il__str(why))
                                                       : il__str_eq(reason, blockers[b]);
                tap_ok(right, "its reason");
            }
    struct il__preview bare = { .executable = true };
    struct il_str reason;
    tap_ok(il__route_of(&bare, true, &reason) == IL__ROUTE_BLOCKED, "a preview without policy is blocked");
    tap_str(reason, "policy_denied", "with a reason");
}

static void route_table(void)
{
    struct table t;
    table_open(&t, "tests/vectors/tables/route.json");
    for (int row = 1; table_next(&t); row++) {
        struct il_str reason, want = table_str(&t, "reason"), name = table_str(&t, "route");
        enum il__route got = route(table_bool(&t, "executable"), table_str(&t, "blocker"), table_str(&t, "decision"),
                                   table_bool(&t, "acceptStandingGrants"), &reason);
        tap_ok(il__str_eq(name, il__str(il__route_names[got])) && il__str_eq(reason, want), "route table, row %d", row);
    }
    table_close(&t);
}

/* ---- the verdict ------------------------------------------------------------------------------------------------- */

/* What was said: nothing, ask, deny, error. */
static struct il__said said(int raw, enum il__level level)
{
    struct il__said out = { .verdict = (enum il__verdict)(raw < 3 ? raw : 0), .error = raw == 3, .level = level,
                            .policy = S("b/p"), .reason = S("why"), .approvers = 3 };
    return out;
}

/* '.' nothing, 'v' advisory, 'a' ask, 'o' override ask, 'd' deny */
static char letter(struct il__ruled ruled)
{
    switch (ruled.verdict) {
    case IL__VERDICT_NONE: return ruled.advisory ? 'v' : '.';
    case IL__VERDICT_ASK: return ruled.override_ ? 'o' : 'a';
    case IL__VERDICT_DENY: return 'd';
    }
    return '?';
}

static void verdicts(void)
{
    /* [level][phase]: nothing, ask, deny, error; then the same where a decision overrode the policy. */
    static const char *const want[3][4] = {
        { ".vvo.vvo", ".vvo.vvo", ".vvd.vvd", ".vvd.vvd" },
        { ".aoo.aoo", ".aoo.aoo", ".ddd.ddd", ".ddd...d" },
        { ".add.add", ".add.add", ".ddd.ddd", ".ddd.ddd" },
    };
    for (int level = 0; level < 3; level++)
        for (int phase = 0; phase < 4; phase++)
            for (int cell = 0; cell < 8; cell++) {
                struct il__said s = said(cell % 4, (enum il__level)level);
                struct il__ruled r = il__rule(&s, (enum il__phase)phase, cell >= 4);
                char got = letter(r);
                tap_ok(got == want[level][phase][cell], "%s policy in %s, said %d, overridden %d: '%c', got '%c'",
                       il__level_names[level], il__phase_names[phase], cell % 4, cell >= 4, want[level][phase][cell],
                       got);
                tap_int(r.approvers, got == 'a' ? 3 : got == 'o' ? 1 : 0, "its approvers");
                tap_str(r.reason, cell % 4 == 3 ? "policy_error" : "why", "its reason");
            }
}

static void odd_words(void)
{
    struct il__said s = said(1, IL__LEVEL_SOFT);
    s.approvers = 0;
    tap_int(il__rule(&s, IL__PHASE_PREVIEW, false).approvers, 1, "an ask for nobody asks for one");
    s.verdict = (enum il__verdict)7;
    s.level = IL__LEVEL_HARD;
    tap_int(il__rule(&s, IL__PHASE_PREVIEW, false).verdict, IL__VERDICT_DENY, "an unknown verdict is a deny");
    s.verdict = IL__VERDICT_DENY;
    s.level = (enum il__level)7;
    tap_int(il__rule(&s, IL__PHASE_PREVIEW, false).verdict, IL__VERDICT_DENY, "an unknown level is a hard one");
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            tap_int(il__verdict_max((enum il__verdict)a, (enum il__verdict)b), a > b ? a : b, "the stricter of two");
}

static void verdict_table(void)
{
    struct table t;
    table_open(&t, "tests/vectors/tables/verdict.json");
    static const char *const raws[] = { "none", "ask", "deny", "error", NULL };
    for (int row = 1; table_next(&t); row++) {
        int level = il__name_index(il__level_names, table_str(&t, "level"));
        int phase = il__name_index(il__phase_names, table_str(&t, "phase"));
        struct il__said s = said(il__name_index(raws, table_str(&t, "raw")), (enum il__level)level);
        struct il__ruled r = il__rule(&s, (enum il__phase)phase, table_bool(&t, "overridden"));
        struct il_str reason = table_str(&t, "reason");
        if (!il__str_present(reason)) reason = S("why");
        struct il_str verdict = il__str(il__verdict_names[r.verdict]);
        tap_ok(level >= 0 && phase >= 0 && il__str_eq(table_str(&t, "verdict"), verdict) &&
                   r.override_ == table_bool(&t, "override") && il__str_eq(reason, r.reason),
               "verdict table, row %d", row);
    }
    table_close(&t);
}

int main(void)
{
    routes();
    route_table();
    verdicts();
    odd_words();
    verdict_table();
    return tap_done();
}
