/* What changes when other policies judge: two sets of verdicts on the same phase of the same action, the one that
 * counts and another, held against each other. Pure. Must never call a change that lets more through anything but
 * allowed. */
#ifndef IL_CHECK_COMPARE_H
#define IL_CHECK_COMPARE_H

#include "check/verdict.h"

/* What one policy said, and what that amounts to. Texts are the caller's. */
struct il__judged {
    struct il__said said;
    struct il__ruled ruled;
};

/* From the verdicts before to those after. A phase is denied when one verdict denies it, and asked for when none does
 * and one asks. */
enum il__difference {
    IL__CHANGE_NONE,
    IL__CHANGE_DENIED,   /* denied now, and was not */
    IL__CHANGE_ASKED,    /* asked for now and was not, or more is asked for */
    IL__CHANGE_ALLOWED   /* what was denied is not any more, or what was asked for is no more asked for in full: fewer
                            approvers, other roles, no reason where one was mandatory */
};
extern const char *const il__change_names[]; /* "same", "denied", "asked", "allowed" */

struct il__compared {
    enum il__difference change;
    enum il__verdict before, after;  /* the strictest of each */
    const struct il__judged *was, *is; /* the verdict that decides on each side; NULL: nobody denies or asks there */
    size_t errors;                   /* policies of `after` that failed */
};
void il__compare(const struct il__judged *before, size_t before_count, const struct il__judged *after,
                 size_t after_count, struct il__compared *out);

#endif
