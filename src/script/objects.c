/* The list of every object that scripts meet, for the reference pages and editor stubs made from it. */
#include "script/lua_runtime.h"
#include "script/policy_api.h"
#include "script/policy_ctx.h"
#include "script/seen.h"
#include "script/workflow.h"

const struct il__object *const il__objects[] = {
    &il__run_object, &il__observed_object, &il__policy_object, &il__ctx_object, &il__params_object, &il__runtime_object,
    NULL,
};
