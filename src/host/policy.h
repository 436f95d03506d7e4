/* Policies without a host: what is behind the public handle `il_policy`, and the judgement of a case that its functions
 * share. Uses script and the cases; rules with check/verdict.h as runs do. Never acts and never stores. */
#ifndef IL_HOST_POLICY_H
#define IL_HOST_POLICY_H

#include "host/bundle_trust.h"
#include "host/policy_case.h"
#include "script/policies.h"

struct il__coverage;

struct il_policy {
    struct il__mem mem;
    struct il__clock clock; /* bounds scripts; never the time of a case */
    struct il__log log;
    struct il__digest *digest;
    struct il__policy_set *set;
    struct il__bundle_trust trust; /* whose bundles are loaded */
    struct il__probe *probe;       /* made when it is first needed */
    struct il__coverage *coverage; /* likewise */
    struct il__buf out;            /* what was handed out last */
};

/* What one policy said in one phase, and what it amounts to. */
struct il__opinion {
    enum il__phase phase;
    const struct il__bundle_policy *policy;
    struct il__said said;
    struct il__ruled ruled;
    struct il_str used; /* JSON; absent: not traced */
};

struct il__judgement {
    struct il__arena arena; /* all texts below */
    struct il__opinion *items;
    size_t count;
    struct il__need *needs;
    size_t need_count;
    enum il__verdict verdict;  /* merged, of what it amounts to */
    int said;                  /* merged, of what was said: index of il__case_verdict_names */
    enum il__phase phase;      /* the last that was judged */
};

/* Judges a case. `flags` are IL_POLICY_*. `out` is to be cleared in either case. */
enum il_code il__policy_judge(il_policy *policy, const struct il__case *c, unsigned flags, struct il__judgement *out,
                              struct il_error *err) IL_MUST_USE;
/* Writes the result document. */
void il__judgement_write(il_policy *policy, const struct il__case *c, const struct il__judgement *j,
                         struct il__json_writer *w);
void il__judgement_clear(struct il__judgement *j);
/* What was said, as an index of il__case_verdict_names. */
int il__said_index(const struct il__said *said);

/* The canonical text of `buf` becomes what the handle hands out. */
enum il_code il__policy_hand_out(il_policy *policy, struct il__buf *buf, struct il_str *out,
                                 struct il_error *err) IL_MUST_USE;

/* policy_check.c: what differs from the expectation of the case, as a JSON array of {member, expected, got}; true:
 * nothing does. */
bool il__policy_compare(const struct il__case *c, const struct il__judgement *j, struct il__json_writer *w);

#endif
