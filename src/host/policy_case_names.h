/* The members of a case: their tables, their names on the wire and in scripts, and what stands for those that are left
 * out. A case is written with either names; from here on it has the wire's. Used by policy_case.c only. */
#ifndef IL_HOST_POLICY_CASE_NAMES_H
#define IL_HOST_POLICY_CASE_NAMES_H

#include "base/tally.h"
#include "check/approve.h"
#include "contract/lease.h"

/* Of a case as it is written; times are texts still. */
struct il__case_past {
    int outcome;       /* enum il__past_outcome */
    int action_class;  /* enum il__class; -1: none */
    struct il_str tool, app, ago, session;
};
struct il__case_doc {
    struct il_str name, at, reason, session_id, principal, agent, run_id;
    struct il__any action, capability, policy, lease, decision, asked, params, expect;
    int phase; /* enum il__phase; -1: none */
    int route; /* enum il__route; -1: the default */
    struct il__opt_bool previewed;
    struct il__objects history;
    struct il__counts limits;
};
extern const struct il__schema il__case_schema;

struct il__case_vote {
    struct il_str approver, reason;
    struct il__strs roles;
    int decision; /* enum il__decision */
};
extern const struct il__schema il__case_vote_schema;

struct il__case_expect {
    int verdict; /* index of il__case_verdict_names; -1: not looked at. What policies say */
    int ruled;   /* index of il__verdict_names; -1. What it amounts to */
    struct il_str policy, code, reason, remedy, timeout, file;
    int phase;
    struct il__opt_int approvers, line;
    struct il__strs roles; /* items NULL: not looked at */
    struct il__opt_bool override_;
};
extern const struct il__schema il__case_expect_schema;
extern const char *const il__case_verdict_names[]; /* "none", "ask", "deny", "error" */

/* Writes the case `doc` with the names of the wire, in the order of the document. A member that there is not is refused
 * (decode), with the one that may be meant, or left out when the case was `recorded`; one that is written twice is
 * refused. */
enum il_code il__case_names(struct il__json *doc, bool recorded, struct il__json_writer *w,
                            struct il_error *err) IL_MUST_USE;

/* What stands for members that are left out of a part, by its schema. */
struct il__case_given {
    const char *wire;
    struct il_str json; /* a whole value */
};
/* Writes the members of `at` (0: none) that `schema` has, then `given`, then what every such part has: the first that
 * names a member wins. `now` is the time of the case. */
void il__case_fill(const struct il__schema *schema, struct il__json *doc, uint32_t at,
                   const struct il__case_given *given, size_t count, struct il_str now, struct il__json_writer *w);

#endif
