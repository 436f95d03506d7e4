/* The phase-shaped view of a run for policies (policy_ctx.h): one table of members says what is there and when. */
#include "script/policy_ctx.h"

#include "base/error.h"
#include "script/policy_asks.h"
#include "script/value.h"
#include "script/view.h"

#include <lauxlib.h>
#include <stdio.h>

enum {
    PREVIEW = 1u << IL__PHASE_PREVIEW, APPROVE = 1u << IL__PHASE_APPROVE, EXECUTE = 1u << IL__PHASE_EXECUTE,
    LATER = PREVIEW | APPROVE | EXECUTE, CLAIMS = 1u << IL__PHASE_PROPOSE | PREVIEW | EXECUTE
};

void il__policy_ctx_init(struct il__policy_ctx *ctx, const struct il__scene *scene,
                         const struct il__schema *action_schema)
{
    memset(ctx, 0, sizeof *ctx);
    ctx->scene = scene;
    ctx->action_schema = action_schema;
    il__time_see(scene->now, &ctx->time);
    if (scene->preview)
        ctx->action = (struct il__action_seen){ *scene->preview->envelope, scene->proposal->arguments };
}

static void set_text(lua_State *L, const char *name, struct il_str s)
{
    if (!il__str_present(s)) return;
    lua_pushlstring(L, s.ptr, s.len);
    lua_setfield(L, -2, name);
}

static void set_view(lua_State *L, const char *name, const struct il__schema *schema, const void *obj)
{
    il__view_push_struct(L, schema, obj);
    lua_setfield(L, -2, name);
}

static void push_params(lua_State *L, struct il__json *given, const struct il__bundle_policy *policy)
{
    lua_createtable(L, 0, (int)policy->param_count);
    for (size_t i = 0; i < policy->param_count; i++) {
        const struct il__param *p = &policy->params[i];
        uint32_t at = given ? il__json_get_str(given, 0, p->name) : 0;
        lua_pushlstring(L, p->name.ptr, p->name.len);
        if (at) il__view_push_json(L, given, at);
        else il__view_push_json(L, p->value.doc, p->value.at);
        lua_rawset(L, -3);
    }
    il__object_push(L, &il__params_object, 0);
}

/* What is known once a preview was accepted. The approve phase of a wait before the preview has none of it. */
static void set_preview(lua_State *L, const struct il__scene *scene)
{
    const struct il__preview *preview = scene->preview;
    if (!preview) return;
    lua_pushstring(L, il__route_names[scene->route]);
    lua_setfield(L, -2, "route");
    set_text(L, "reason", scene->block_reason);
    set_view(L, "capability", &il__capability_schema, preview->capability);
    set_view(L, "policy", &il__policy_seen_schema, preview->policy);
    if (scene->phase == IL__PHASE_EXECUTE) set_view(L, "lease", &il__lease_seen_schema, scene->lease);
}

/* Where the ctx of a sandbox is kept in its registry. */
static const char ctx_key;

const struct il__policy_ctx *il__policy_ctx_of(lua_State *L)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, &ctx_key);
    const struct il__policy_ctx *ctx = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return ctx;
}

/* `ctx.time_in(zone)`. What the view looks at is kept as long as the sandbox. */
static int ctx_time_in(lua_State *L)
{
    static const char usage[] = "ctx.time_in(\"+02:00\")";
    struct il__zone zone;
    const char *why = NULL;
    char shown[80];
    if (il__object_is(L, 1, &il__ctx_object)) return luaL_error(L, "write %s with a dot", usage);
    if (lua_gettop(L) != 1) return luaL_error(L, "ctx.time_in takes one zone: %s", usage);
    struct il_str text = il__arg_str(L, 1, "ctx.time_in: the zone");
    il__sandbox_charge(L, 50);
    if (!il__zone_parse(text, &zone, &why)) {
        il__escape(shown, sizeof shown, text);
        return luaL_error(L, "ctx.time_in: the zone \"%s\": %s", shown, why);
    }
    struct il__time_seen *seen = lua_newuserdatauv(L, sizeof *seen, 0);
    (void)il__sandbox_ref(L);
    il__time_see_in(il__policy_ctx_of(L)->scene->now, &zone, seen);
    il__view_push_struct(L, &il__time_seen_schema, seen);
    char root[120];
    il__escape(shown, sizeof shown, text);
    snprintf(root, sizeof root, "ctx.time_in(\"%s\")", shown);
    il__view_root(L, -1, root);
    return 1;
}

void il__policy_ctx_push(lua_State *L, struct il__policy_ctx *ctx, const struct il__bundle_policy *policy)
{
    const struct il__scene *scene = ctx->scene;
    luaL_checkstack(L, 8, NULL);
    lua_pushlightuserdata(L, ctx);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &ctx_key);
    if (scene->preview) il__view_push_struct(L, ctx->action_schema, &ctx->action);
    else il__view_push_struct(L, &il__proposal_schema, scene->proposal);
    il__view_root(L, -1, "action");
    lua_createtable(L, 0, 16);
    lua_pushstring(L, il__phase_names[scene->phase]);
    lua_setfield(L, -2, "phase");
    set_view(L, "time", &il__time_seen_schema, &ctx->time);
    push_params(L, ctx->params, policy);
    lua_setfield(L, -2, "params");
    set_text(L, "run_id", scene->run_id);
    set_text(L, "session_id", scene->session_id);
    set_text(L, "principal", scene->principal);
    set_text(L, "agent", scene->agent);
    set_preview(L, scene);
    if (scene->vote) set_view(L, "decision", &il__vote_seen_schema, scene->vote);
    il__object_push(L, &il__ctx_object, (unsigned)scene->phase);
}

static const struct il__member ctx_members[] = {
    { "phase", "phase", 0, NULL, "propose, preview, approve or execute." },
    { "time", "view of the time", 0, NULL, "The recorded wall time in UTC." },
    { "time_in", "(zone) -> view of the time", 0, ctx_time_in,
      "The same time on the clocks of a fixed offset or of a POSIX TZ rule." },
    { "params", "the policy's parameters", 0, NULL, "The values of the parameters that bundle.json declares." },
    { "run_id", "string", 0, NULL, "The id of the run." },
    { "session_id", "string", 0, NULL, "The session at the runtime." },
    { "principal", "string", 0, NULL, "Who the run acts for." },
    { "agent", "string or nil", 0, NULL, "The agent that proposed." },
    { "route", "route", LATER, NULL, "The runtime's own route: blocked, approval or allowed." },
    { "reason", "string or nil", LATER, NULL, "Why the runtime blocks it." },
    { "capability", "view of the capability", LATER, NULL, "How the runtime would do it." },
    { "policy", "view of the runtime's policy decision", LATER, NULL, "What the runtime's own policy says." },
    { "decision", "view of the decision", APPROVE, NULL,
      "The decision that is being taken: approver, roles, decision, reason." },
    { "lease", "view of the lease's limits", EXECUTE, NULL, "The limits of the control lease; its id is not shown." },
    { "limit", "({ key, max, per, over }) -> left, wait_seconds", CLAIMS, il__ctx_limit,
      "Counts this action against a limit: max units of key within per. One unit is consumed when it executes; "
      "when none is left the action is denied, unless over is \"count\"." },
    { "history", "({ outcome, class, tool, app, within, session }) -> count, seconds_since_latest", 0, il__ctx_history,
      "Counts earlier actions that were executed, by outcome: verified, unverified, failed, indeterminate." },
    { NULL, NULL, 0, NULL, NULL },
};
const struct il__object il__ctx_object = {
    "ctx", "What a policy knows beside the action, shaped by the phase.", ctx_members, NULL, false, true,
};
const struct il__object il__params_object = {
    "ctx.params", "The parameters that bundle.json declares for this policy.", NULL, NULL, false, true,
};
