/* The module `interlock` for stock Lua 5.4: the public C API as Lua objects. A shared object of its own; it sees
 * <interlock.h> and the Lua that loads it, never the Lua inside the library.
 *
 * Functions return their value, or nil and an error table {code, message, object, field, expected, actual, step,
 * cleanup = {code, step, message}}; only wrong arguments raise. Handles are userdata made closed before they are
 * opened; a host closes its runs. Callbacks run inside the call that causes them; an error in one is raised from that
 * call. */
#ifndef IL_LUAMOD_LUAMOD_H
#define IL_LUAMOD_LUAMOD_H

#include <interlock.h>

#include <lauxlib.h>
#include <lua.h>

#define IL_LUAMOD_HOST "interlock.host"
#define IL_LUAMOD_RUN "interlock.run"

struct luamod_store {
    il_store *store;   /* NULL: closed */
    unsigned hosts;    /* that use it; it is closed after the last of them */
    bool collected;    /* nobody but its hosts refers to it */
};
struct luamod_host {
    il_host *host;     /* NULL: closed */
    struct luamod_store *store; /* that its runs are kept in; NULL: none */
    lua_State *L;      /* whoever is calling now; callbacks use it */
    int callbacks;     /* registry: the table of callbacks and of kept objects */
    bool failed;       /* a callback raised; its error stands in callbacks.error */
    unsigned calling;  /* callbacks on the stack: the host is not closed under them */
    struct il_clock_reading clock; /* the last one: time stands still while the clock fails */
};
struct luamod_run {
    il_run *run;       /* NULL: freed */
    struct luamod_host *owner; /* kept alive by the run's user value */
};

/* push.c */
int luamod_fail(lua_State *L, const struct il_error *err);          /* pushes nil and the error table; returns 2 */
void luamod_push_str(lua_State *L, struct il_str s);                /* nil when absent */
void luamod_set_str(lua_State *L, const char *name, struct il_str s);
void luamod_push_error(lua_State *L, const struct il_error *err);
struct il_str luamod_arg_str(lua_State *L, int idx);                /* raises when it is no string */
struct il_str luamod_opt_str(lua_State *L, int idx);                /* absent for nil or none */
struct il_str luamod_field_str(lua_State *L, int table, const char *name); /* left on the stack; absent for nil */
/* A list of strings in field `name`, at most `cap`; leaves the strings on the stack. */
size_t luamod_field_strs(lua_State *L, int table, const char *name, struct il_str *out, size_t cap);

/* callback.c */
struct il_host_options;
void luamod_set_callbacks(lua_State *L, struct luamod_host *h, int table, struct il_host_options *options);
int luamod_set_runtime(lua_State *L);
/* Raises what a callback raised during this call, else returns `results`. */
int luamod_leave(lua_State *L, struct luamod_host *h, int results);
/* Calls callbacks[name] with the `args` values on top; true when it did not raise. `results` are left on the stack. */
bool luamod_call(struct luamod_host *h, const char *name, int args, int results);

/* bundles.c */
int luamod_trust_bundles(lua_State *L);
int luamod_reload_bundles(lua_State *L);

/* mcp.c */
int luamod_set_runtime_mcp(lua_State *L);
int luamod_descriptors(lua_State *L);
int luamod_runtime_facts(lua_State *L);
int luamod_session(lua_State *L);

/* people.c */
int luamod_set_jwks(lua_State *L);
int luamod_identity(lua_State *L);
int luamod_set_approvers_json(lua_State *L);
int luamod_sign_decision(lua_State *L);

/* approver.c */
int luamod_set_approver(lua_State *L);
int luamod_approver_facts(lua_State *L);
int luamod_obtain_grant(lua_State *L);

/* evidence.c */
int luamod_evaluate(lua_State *L);
int luamod_store_case(lua_State *L);
int luamod_store_cases(lua_State *L);
int luamod_store_trial_report(lua_State *L);
/* recording.c */
int luamod_store_scenario(lua_State *L);
int luamod_play(lua_State *L);
void luamod_open_evidence(lua_State *L); /* adds `receipt` and `key` to the table on top */

/* store.c */
int luamod_store_open(lua_State *L);
il_store *luamod_check_store(lua_State *L, int idx);                /* raises when it is closed */
int luamod_set_store(lua_State *L);
int luamod_host_resume(lua_State *L);
int luamod_host_show(lua_State *L);
int luamod_run_leave(lua_State *L);
void luamod_store_let_go(struct luamod_host *h); /* the host is closed */
void luamod_open_store(lua_State *L);

/* host.c, run.c */
struct luamod_host *luamod_check_host(lua_State *L, int idx);       /* raises when it is closed */
int luamod_host_new(lua_State *L);
int luamod_host_run(lua_State *L);
/* A handle of `h` (at `host` on the stack) with no run yet, on top. */
struct luamod_run *luamod_new_run(lua_State *L, struct luamod_host *h, int host);
struct luamod_run *luamod_check_run(lua_State *L, int idx);         /* raises when it was freed */
/* Who hears the end of one request: a userdata with the function as its user value, kept by the registry until then. */
struct luamod_listener {
    struct luamod_host *h;
    int self; /* its reference; LUA_NOREF once the end was heard */
};
/* The function at `idx`, as what hears the end; left on the stack. NULL: nobody does. */
struct luamod_listener *luamod_listen(lua_State *L, struct luamod_host *h, int idx);
void luamod_heard(void *ctx, const struct il_error *err); /* an il_done_fn; `ctx` is the listener */
/* How the request began: true, or nil and the error; then nobody hears any more. */
int luamod_listened(lua_State *L, struct luamod_host *h, struct luamod_listener *l, enum il_code code,
                    const struct il_error *err);
void luamod_open_host(lua_State *L);
void luamod_open_run(lua_State *L);

#endif
