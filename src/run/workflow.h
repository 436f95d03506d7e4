/* The workflow port: whoever decides the order of a run. The engine resumes it, it answers with what it asks for next;
 * the engine decides whether that may be. The shipped implementation is a sandboxed Lua script (src/script). */
#ifndef IL_RUN_WORKFLOW_H
#define IL_RUN_WORKFLOW_H

#include "base/str.h"

struct il_run;

#define IL__VERBS(X)                            \
    X(IL__VERB_OBSERVE, "observe")              \
    X(IL__VERB_PREVIEW, "preview")              \
    X(IL__VERB_APPROVAL, "request_approval")    \
    X(IL__VERB_RESERVE, "reserve")              \
    X(IL__VERB_LEASE, "acquire_lease")          \
    X(IL__VERB_EXECUTE, "execute")              \
    X(IL__VERB_VERIFY, "verify")                \
    X(IL__VERB_BLOCK, "block")                  \
    X(IL__VERB_DENY, "deny")
enum il__verb {
#define IL__X(name, text) name,
    IL__VERBS(IL__X)
#undef IL__X
    IL__VERB_COUNT
};
extern const char *const il__verb_names[];

enum { IL__SEE_CAPABILITIES = 1, IL__SEE_VISUAL = 2, IL__SEE_SEMANTIC = 4 };

struct il__ask {
    enum il__verb verb;
    unsigned see;             /* observe: which, IL__SEE_* bits */
    char reason[240];         /* deny: why; escaped, may be empty */
};

enum il__workflow_event {
    IL__WF_ASKS,     /* `ask` is filled */
    IL__WF_RETURNED, /* the script is over */
    IL__WF_FAILED,   /* it raised: err is script_error with file and line */
    IL__WF_KILLED    /* it passed a limit: err is limit_exceeded naming it */
};

struct il__workflow_ops {
    /* Runs the script on with the answer to its last ask (none the first time): the engine's facts about `run` hold
     * what the view shows (run/facts.h). */
    enum il__workflow_event (*resume)(void *self, struct il__ask *ask, struct il_error *err);
    void (*close)(void *self); /* drops the script whole; every view dies */
};
/* Opens workflows; one per host. */
struct il__workflows {
    /* What a run that names none (source absent) is pinned to: its texts, valid until the default changes. May be NULL.
     */
    enum il_code (*resolve)(void *ctx, struct il_str *name, struct il_str *source, struct il_error *err);
    enum il_code (*open)(void *ctx, struct il_run *run, struct il_str name, struct il_str source,
                         const struct il__workflow_ops **ops, void **self, struct il_error *err);
    void *ctx;
};

#endif
