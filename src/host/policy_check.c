/* Holds a judgement against what its case expects (policy.h). Without a policy the verdict is that of all together, and
 * the other members are those of one policy that gave it; with one, everything is about that policy. Members that are
 * not expected are not looked at. */
#include "host/policy.h"

#include "base/error.h"
#include "script/duration.h"

#include <stdio.h>

struct comparing {
    const struct il__case_expect *want;
    struct il__json_writer *w; /* NULL: only counts */
    size_t differs;
};

static void differ(struct comparing *cmp, const char *member, struct il_str expected, struct il_str got)
{
    cmp->differs++;
    if (!cmp->w) return;
    il__jw_object(cmp->w);
    il__jw_member_z(cmp->w, "member", member);
    il__jw_member_str(cmp->w, "expected", expected);
    il__jw_key(cmp->w, "got");
    il__jw_str(cmp->w, got); /* null: there is none */
    il__jw_object_end(cmp->w);
}

static bool holds(struct il_str text, struct il_str part)
{
    return il__str_present(text) && text.len >= part.len && memmem(text.ptr, text.len, part.ptr, part.len) != NULL;
}

static void compare_text(struct comparing *cmp, const char *member, struct il_str want, struct il_str got, bool part)
{
    if (!il__str_present(want)) return;
    if (part ? holds(got, want) : il__str_eq(want, got)) return;
    differ(cmp, member, want, got);
}

static void compare_int(struct comparing *cmp, const char *member, struct il__opt_int want, int64_t got)
{
    char a[24], b[24];
    if (!want.has || want.value == got) return;
    snprintf(a, sizeof a, "%lld", (long long)want.value);
    snprintf(b, sizeof b, "%lld", (long long)got);
    differ(cmp, member, il__str(a), got ? il__str(b) : IL_STR_NONE);
}

static size_t join(struct il__strs strs, char *out, size_t size)
{
    size_t len = 0;
    out[0] = '\0';
    for (size_t i = 0; i < strs.count && len + 1 < size; i++) {
        int n = snprintf(out + len, size - len, "%s%.*s", i ? ", " : "", IL_STR_FMT(strs.items[i]));
        len += n > 0 ? (size_t)n : 0;
    }
    return len < size ? len : size - 1;
}

static void compare_roles(struct comparing *cmp, struct il__strs got)
{
    char a[400], b[400];
    if (!cmp->want->roles.items || il__strs_equal(cmp->want->roles, got)) return;
    (void)join(cmp->want->roles, a, sizeof a);
    (void)join(got, b, sizeof b);
    differ(cmp, "roles", il__str(a), got.count ? il__str(b) : IL_STR_NONE);
}

static void compare_timeout(struct comparing *cmp, int64_t got_ms)
{
    int64_t want_ms = 0;
    char got[32];
    if (!il__str_present(cmp->want->timeout)) return;
    if (il__duration_parse(cmp->want->timeout, false, &want_ms) && want_ms == got_ms) return;
    snprintf(got, sizeof got, "%llds", (long long)(got_ms / 1000));
    differ(cmp, "timeout", cmp->want->timeout, got_ms ? il__str(got) : IL_STR_NONE);
}

/* "bundle/policy", or the name behind the slash. */
static bool is_policy(struct il_str full, struct il_str want)
{
    if (il__str_eq(full, want)) return true;
    return full.len > want.len && full.ptr[full.len - want.len - 1] == '/' &&
           memcmp(full.ptr + full.len - want.len, want.ptr, want.len) == 0;
}

/* "bundle/path", or the path behind the bundle's name. */
static bool is_file(struct il_str full, struct il_str want)
{
    const char *slash = memchr(full.ptr, '/', full.len);
    if (il__str_eq(full, want)) return true;
    return slash && il__str_eq((struct il_str){ slash + 1, (size_t)(full.ptr + full.len - slash - 1) }, want);
}

static void compare_place(struct comparing *cmp, const struct il__opinion *item)
{
    struct il_str file = il__str_present(item->said.file) ? item->said.file : il__str(item->policy->label);
    if (il__str_present(cmp->want->file) && !is_file(file, cmp->want->file))
        differ(cmp, "file", cmp->want->file, file);
    compare_int(cmp, "line", cmp->want->line, item->said.line);
}

/* All that is expected of one policy but its verdict. */
static void compare_item(struct comparing *cmp, const struct il__opinion *item)
{
    const struct il__case_expect *want = cmp->want;
    const struct il__said *said = &item->said;
    bool ask = said->verdict == IL__VERDICT_ASK && !said->error;
    if (want->phase >= 0 && want->phase != (int)item->phase)
        differ(cmp, "phase", il__str(il__phase_names[want->phase]), il__str(il__phase_names[item->phase]));
    compare_text(cmp, "code", want->code, said->code, false);
    compare_text(cmp, "reason", want->reason, said->reason, true);
    compare_text(cmp, "remedy", want->remedy, said->remedy, true);
    compare_int(cmp, "approvers", want->approvers, ask ? said->approvers : 0);
    compare_roles(cmp, ask ? said->roles : (struct il__strs){ NULL, 0 });
    compare_timeout(cmp, ask ? said->timeout_ms : 0);
    if (want->override_.has && want->override_.value != item->ruled.override_)
        differ(cmp, "override", il__str(want->override_.value ? "true" : "false"),
               il__str(item->ruled.override_ ? "true" : "false"));
    compare_place(cmp, item);
}

/* Of the policy that is named, or of all. */
static void merge(const struct il__case_expect *want, const struct il__judgement *j, int *said, int *ruled)
{
    *said = *ruled = 0;
    for (size_t i = 0; i < j->count; i++) {
        const struct il__opinion *item = &j->items[i];
        if (il__str_present(want->policy) && !is_policy(item->said.policy, want->policy)) continue;
        if (want->phase >= 0 && il__str_present(want->policy) && want->phase != (int)item->phase) continue;
        if (il__said_index(&item->said) > *said) *said = il__said_index(&item->said);
        if ((int)item->ruled.verdict > *ruled) *ruled = (int)item->ruled.verdict;
    }
}

/* The item that fits best: of what was said, with the fewest differences, the first. */
static const struct il__opinion *nearest(const struct il__case_expect *want, const struct il__judgement *j, int said)
{
    const struct il__opinion *best = NULL;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < j->count; i++) {
        const struct il__opinion *item = &j->items[i];
        struct comparing count = { want, NULL, 0 };
        if (il__str_present(want->policy) && !is_policy(item->said.policy, want->policy)) continue;
        if (il__said_index(&item->said) != said) continue;
        compare_item(&count, item);
        if (count.differs >= least) continue;
        least = count.differs;
        best = item;
    }
    return best;
}

static bool wants_more(const struct il__case_expect *e)
{
    return e->phase >= 0 || e->code.ptr || e->reason.ptr || e->remedy.ptr || e->approvers.has || e->roles.items ||
           e->timeout.ptr || e->override_.has || e->file.ptr || e->line.has;
}

static bool has_policy(const struct il__judgement *j, struct il_str want)
{
    for (size_t i = 0; i < j->count; i++)
        if (is_policy(j->items[i].said.policy, want)) return true;
    return false;
}

bool il__policy_compare(const struct il__case *c, const struct il__judgement *j, struct il__json_writer *w)
{
    const struct il__case_expect *want = &c->expect;
    struct comparing cmp = { want, w, 0 };
    int said, ruled;
    il__jw_array(w);
    if (c->given.expect.doc) {
        merge(want, j, &said, &ruled);
        if (il__str_present(want->policy) && !has_policy(j, want->policy))
            differ(&cmp, "policy", want->policy, IL_STR_NONE);
        if (want->verdict >= 0 && want->verdict != said)
            differ(&cmp, "verdict", il__str(il__case_verdict_names[want->verdict]),
                   il__str(il__case_verdict_names[said]));
        if (want->ruled >= 0 && want->ruled != ruled)
            differ(&cmp, "ruled", il__str(il__verdict_names[want->ruled]), il__str(il__verdict_names[ruled]));
        const struct il__opinion *item = nearest(want, j, said);
        if (item) compare_item(&cmp, item);
        else if (wants_more(want) && !cmp.differs) differ(&cmp, "policy", IL_STR("one that says so"), IL_STR_NONE);
    }
    il__jw_array_end(w);
    return cmp.differs == 0;
}
