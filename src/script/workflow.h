/* Workflows in Lua: the implementation of the workflow port. Each run's script has a sandbox of its own, in which the
 * object `run` asks the engine, step by step, and gets read-only views of what was accepted (run/facts.h).
 * Must never decide anything: a verb only asks. */
#ifndef IL_SCRIPT_WORKFLOW_H
#define IL_SCRIPT_WORKFLOW_H

#include "base/log.h"
#include "run/workflow.h"
#include "script/object.h"

struct il__lua_workflows; /* one per host */

struct il__lua_workflows_options {
    struct il__mem *mem;           /* needed */
    const struct il__clock *clock; /* needed; must outlive this */
};

/* With the embedded reference workflow as the default. */
enum il_code il__lua_workflows_new(const struct il__lua_workflows_options *options, struct il__lua_workflows **out,
                                   struct il_error *err) IL_MUST_USE;
/* Makes `source` the default, compiled and checked at once; on failure the former default stays. Texts are copied. */
enum il_code il__lua_workflows_set_default(struct il__lua_workflows *all, struct il_str name,
                                           struct il_str source, struct il_error *err) IL_MUST_USE;
/* Checks that `source` is a workflow without keeping it. */
enum il_code il__lua_workflows_check(struct il__lua_workflows *all, struct il_str name, struct il_str source,
                                     struct il_error *err) IL_MUST_USE;
/* The port; valid as long as `workflows`. `open` with `source` absent takes the default. */
struct il__workflows il__lua_workflows_port(struct il__lua_workflows *workflows);
/* Every workflow must be closed before. NULL is accepted. */
void il__lua_workflows_free(struct il__lua_workflows *all);

extern const struct il__object il__run_object;

#endif
