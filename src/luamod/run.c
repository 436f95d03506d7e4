/* interlock.run: a run as a Lua object. */
#include "luamod/luamod.h"

#include <string.h>

struct luamod_run *luamod_check_run(lua_State *L, int idx)
{
    struct luamod_run *r = luaL_checkudata(L, idx, IL_LUAMOD_RUN);
    if (!r->run || !r->owner->host) luaL_error(L, "this run was freed");
    r->owner->L = L;
    return r;
}

struct luamod_run *luamod_new_run(lua_State *L, struct luamod_host *h, int host)
{
    struct luamod_run *r = lua_newuserdatauv(L, sizeof *r, 1);
    memset(r, 0, sizeof *r);
    r->owner = h;
    luaL_setmetatable(L, IL_LUAMOD_RUN);
    lua_pushvalue(L, host);
    lua_setiuservalue(L, -2, 1);
    return r;
}

enum { SCOPES_MAX = 64 };

/* host:run { proposal =, principal =, session =, scopes = { ... }, tenant =, agent =, group =, workflow =, ... } */
int luamod_host_run(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_run_options o = IL_RUN_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    struct il_str scopes[SCOPES_MAX];
    luaL_checktype(L, 2, LUA_TTABLE);
    struct luamod_run *r = luamod_new_run(L, h, 1);
    int handle = lua_gettop(L);
    o.proposal = luamod_field_str(L, 2, "proposal");
    o.principal = luamod_field_str(L, 2, "principal");
    o.tenant = luamod_field_str(L, 2, "tenant");
    o.session_id = luamod_field_str(L, 2, "session");
    o.agent_id = luamod_field_str(L, 2, "agent");
    o.execution_group_id = luamod_field_str(L, 2, "group");
    o.workflow_source = luamod_field_str(L, 2, "workflow");
    o.workflow_name = luamod_field_str(L, 2, "workflow_name");
    o.identity_expires_at = luamod_field_str(L, 2, "identity_expires_at");
    o.identity_token = luamod_field_str(L, 2, "identity_token");
    o.scope_count = luamod_field_strs(L, 2, "scopes", scopes, SCOPES_MAX);
    o.scopes = scopes;
    if (il_run_start(h->host, &o, &r->run, &err)) return luamod_leave(L, h, luamod_fail(L, &err));
    lua_pushvalue(L, handle);
    return luamod_leave(L, h, 1);
}

static int run_free(lua_State *L)
{
    struct luamod_run *r = luaL_checkudata(L, 1, IL_LUAMOD_RUN);
    if (r->run && r->owner->host) {
        r->owner->L = L;
        il_run_free(r->run);
    }
    r->run = NULL;
    return 0;
}

/* What nobody refers to any more is given back; what waits in a store waits on. */
static int run_gc(lua_State *L)
{
    struct luamod_run *r = luaL_checkudata(L, 1, IL_LUAMOD_RUN);
    if (!r->run || !r->owner->host) return 0;
    r->owner->L = L;
    bool kept = r->owner->store && il_run_state(r->run) == IL_RUN_WAITING;
    if (!kept) il_run_free(r->run);
    else (void)il_run_leave(r->run, NULL); /* refused inside a callback: the host holds it until it is closed */
    r->run = NULL;
    return 0;
}

static int run_state(lua_State *L)
{
    static const char *const names[] = { "queued", "moving", "waiting", "ended" };
    lua_pushstring(L, names[il_run_state(luamod_check_run(L, 1)->run)]);
    return 1;
}

static int run_id(lua_State *L)
{
    luamod_push_str(L, il_run_id(luamod_check_run(L, 1)->run));
    return 1;
}

static int run_action_id(lua_State *L)
{
    luamod_push_str(L, il_run_action_id(luamod_check_run(L, 1)->run));
    return 1;
}

/* { status, verified, committed, retry_safe, effect, exit_status, reason, receipt_id, verification_detail, error } */
static int run_summary(lua_State *L)
{
    struct il_summary s = { .size = sizeof s };
    il_run_summary(luamod_check_run(L, 1)->run, &s);
    lua_createtable(L, 0, 10);
    lua_pushstring(L, s.status);
    lua_setfield(L, -2, "status");
    lua_pushboolean(L, s.verified);
    lua_setfield(L, -2, "verified");
    lua_pushboolean(L, s.committed);
    lua_setfield(L, -2, "committed");
    lua_pushboolean(L, s.retry_safe);
    lua_setfield(L, -2, "retry_safe");
    lua_pushstring(L, il_effect_name(s.effect));
    lua_setfield(L, -2, "effect");
    lua_pushinteger(L, s.exit_status);
    lua_setfield(L, -2, "exit_status");
    luamod_set_str(L, "reason", s.reason);
    luamod_set_str(L, "receipt_id", s.receipt_id);
    luamod_set_str(L, "verification_detail", s.verification_detail);
    if (!s.error.code) return 1;
    luamod_push_error(L, &s.error);
    lua_setfield(L, -2, "error");
    return 1;
}

static int run_document(lua_State *L)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_str out;
    if (il_run_document(luamod_check_run(L, 1)->run, &out, &err)) return luamod_fail(L, &err);
    luamod_push_str(L, out);
    return 1;
}

/* The card of a waiting run, and its digest. */
static int run_card(lua_State *L)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_str out;
    char digest[65];
    if (il_run_card(luamod_check_run(L, 1)->run, &out, digest, &err)) return luamod_fail(L, &err);
    luamod_push_str(L, out);
    lua_pushstring(L, digest);
    return 2;
}

static int done(lua_State *L, struct luamod_run *r, enum il_code code, const struct il_error *err)
{
    if (code) return luamod_leave(L, r->owner, luamod_fail(L, err));
    lua_pushboolean(L, 1);
    return luamod_leave(L, r->owner, 1);
}

/* run:answer(json [, require_request_id = true]) */
static int run_answer(lua_State *L)
{
    struct luamod_run *r = luamod_check_run(L, 1);
    struct il_error err = IL_ERROR_INIT;
    bool require = lua_isnoneornil(L, 3) || lua_toboolean(L, 3);
    return done(L, r, il_run_answer(r->run, luamod_arg_str(L, 2), require, &err), &err);
}

/* run:decide { request_id =, action_digest =, policy_digest =, proposal_digest =, approver =, decision =, reason = },
 * or { signed_json = } alone; `last_word`: refused, it ends the run */
static int run_decide(lua_State *L)
{
    struct luamod_run *r = luamod_check_run(L, 1);
    struct il_decision d = IL_DECISION_INIT;
    struct il_error err = IL_ERROR_INIT;
    luaL_checktype(L, 2, LUA_TTABLE);
    d.request_id = luamod_field_str(L, 2, "request_id");
    d.action_digest = luamod_field_str(L, 2, "action_digest");
    d.policy_digest = luamod_field_str(L, 2, "policy_digest");
    d.proposal_digest = luamod_field_str(L, 2, "proposal_digest");
    d.approver = luamod_field_str(L, 2, "approver");
    d.decision = luamod_field_str(L, 2, "decision");
    d.reason = luamod_field_str(L, 2, "reason");
    d.signed_json = luamod_field_str(L, 2, "signed_json");
    lua_getfield(L, 2, "last_word");
    d.last_word = lua_toboolean(L, -1);
    return done(L, r, il_run_decide(r->run, &d, &err), &err);
}

static int run_cancel(lua_State *L)
{
    struct luamod_run *r = luamod_check_run(L, 1);
    struct il_error err = IL_ERROR_INIT;
    return done(L, r, il_run_cancel(r->run, luamod_opt_str(L, 2), &err), &err);
}

/* run:record(seq) -> { seq, text, payload, hash }; seq counts from 0. */
static int run_record(lua_State *L)
{
    struct luamod_run *r = luamod_check_run(L, 1);
    struct il_error err = IL_ERROR_INIT;
    struct il_record record = { .size = sizeof record };
    if (il_run_record(r->run, (uint64_t)luaL_checkinteger(L, 2), &record, &err)) return luamod_fail(L, &err);
    lua_createtable(L, 0, 4);
    lua_pushinteger(L, (lua_Integer)record.seq);
    lua_setfield(L, -2, "seq");
    luamod_set_str(L, "text", record.text);
    luamod_set_str(L, "payload", record.payload);
    lua_pushstring(L, record.hash_hex);
    lua_setfield(L, -2, "hash");
    return 1;
}

static const luaL_Reg METHODS[] = {
    { "state", run_state },         /* queued, moving, waiting, ended */
    { "id", run_id },
    { "action_id", run_action_id },
    { "summary", run_summary },     /* as a table */
    { "document", run_document },   /* as JSON */
    { "card", run_card },           /* what a person is asked */
    { "answer", run_answer },       /* the answer document */
    { "decide", run_decide },       /* a decision by a verified approver */
    { "obtain_grant", luamod_obtain_grant }, /* what was approved is granted at the server */
    { "cancel", run_cancel },
    { "record", run_record },       /* the journal */
    { "leave", luamod_run_leave },  /* waits on in the store */
    { "free", run_free },
    { NULL, NULL },
};

void luamod_open_run(lua_State *L)
{
    luaL_newmetatable(L, IL_LUAMOD_RUN);
    luaL_newlib(L, METHODS);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, run_gc);
    lua_setfield(L, -2, "__gc");
    lua_pop(L, 1);
}
