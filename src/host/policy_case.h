/* A case: an action, what surrounds it, and what must come of it, as a JSON document; and the scene it makes for
 * policies (run/policy.h). What the document leaves out is made up, always the same. No run, no store, no clock.
 * Must never let a member go that it does not know. */
#ifndef IL_HOST_POLICY_CASE_H
#define IL_HOST_POLICY_CASE_H

#include "host/policy_case_names.h"
#include "run/policy.h"

struct il__case_run { /* of the history */
    struct il__case_past past;
    int64_t ago_ms;
};

struct il__case {
    struct il__mem *mem;
    struct il__arena arena;
    struct il__json doc;      /* with the names of the wire */
    struct il__json parts[6]; /* completed */
    struct il__case_doc given;
    struct il__case_expect expect; /* meaningful when given.expect.doc */
    struct il__proposal proposal;
    struct il__envelope envelope;
    struct il__policy_decision policy;
    struct il__capability capability;
    struct il__lease lease;
    struct il__preview preview;
    struct il__vote vote;
    struct il__instant now;
    enum il__route route;
    bool no_memory;           /* for a text that was made up */
    bool decides;             /* a decision is given: the approve phase is judged, too */
    struct il__case_run *history;
    size_t history_count;
};

/* Reads a case, or an action alone (a member `tool` and no `action`). decode or invalid_request with the place in
 * `field`. `c` is to be cleared in either case. */
enum il_code il__case_read(struct il__mem *mem, struct il_str json, unsigned flags, struct il__case *c,
                           struct il_error *err) IL_MUST_USE;
/* The scene of a phase, valid as long as the case stays where it is. */
void il__case_scene(const struct il__case *c, enum il__phase phase, struct il__scene *out);
void il__case_clear(struct il__case *c);

#endif
