/* interlock.evaluate, interlock.receipt and interlock.key: the evidence functions of the API, documents as JSON texts.
 * A text of the library sits in a userdata until Lua has its copy; then it is wiped. */
#include "luamod/luamod.h"

#define TEXT "interlock.text"

static int text_gc(lua_State *L)
{
    il_text_clear(luaL_checkudata(L, 1, TEXT));
    return 0;
}

/* Pushes an empty text; the collector gives back what an error leaves in it. */
static struct il_text *new_text(lua_State *L)
{
    struct il_text *text = lua_newuserdatauv(L, sizeof *text, 0);
    *text = (struct il_text)IL_TEXT_INIT;
    luaL_setmetatable(L, TEXT);
    return text;
}

/* Pushes what the library wrote, or nil and the error; returns how many. */
static int answer(lua_State *L, enum il_code code, struct il_text *text, const struct il_error *err)
{
    if (code != IL_OK) return luamod_fail(L, err);
    lua_pushlstring(L, text->ptr, text->len);
    il_text_clear(text);
    return 1;
}

static int done(lua_State *L, enum il_code code, const struct il_error *err)
{
    if (code != IL_OK) return luamod_fail(L, err);
    lua_pushboolean(L, true);
    return 1;
}

/* store:case(run_id [, phase]) -> what its policies were asked about, JSON; without a phase the whole run */
int luamod_store_case(lua_State *L)
{
    il_store *store = luamod_check_store(L, 1);
    struct il_error err = IL_ERROR_INIT;
    const struct il_str run = luamod_arg_str(L, 2), phase = luamod_opt_str(L, 3);
    struct il_text *text = new_text(L);
    return answer(L, il_policy_case_of_run(store, run, phase, text, &err), text, &err);
}

/* store:cases(run_id) -> all of them, a JSON array */
int luamod_store_cases(lua_State *L)
{
    il_store *store = luamod_check_store(L, 1);
    struct il_error err = IL_ERROR_INIT;
    const struct il_str run = luamod_arg_str(L, 2);
    struct il_text *text = new_text(L);
    return answer(L, il_policy_cases_of_run(store, run, text, &err), text, &err);
}

static bool add_line(void *ctx, struct il_str line)
{
    lua_State *L = ctx;
    luamod_push_str(L, line);
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    return true;
}

static void push_counts(lua_State *L, const struct il_trial_counts *c)
{
    const struct { const char *name; uint64_t n; } counts[] = { { "same", c->same }, { "denied", c->denied },
                                                                { "asked", c->asked }, { "allowed", c->allowed },
                                                                { "errors", c->errors } };
    lua_createtable(L, 0, 5);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        lua_pushinteger(L, (lua_Integer)counts[i].n);
        lua_setfield(L, -2, counts[i].name);
    }
}

/* store:trial_report([since]) -> { runs =, differ =, propose = { same =, ... }, ... }, and each difference as JSON */
int luamod_store_trial_report(lua_State *L)
{
    static const char *const phases[] = { "propose", "preview", "approve", "execute" };
    il_store *store = luamod_check_store(L, 1);
    struct il_trial_summary summary = IL_TRIAL_SUMMARY_INIT;
    struct il_error err = IL_ERROR_INIT;
    const struct il_str since = luamod_opt_str(L, 2);
    lua_newtable(L);
    if (il_trial_report(store, since, add_line, L, &summary, &err)) return luamod_fail(L, &err);
    lua_createtable(L, 0, 6);
    lua_pushinteger(L, (lua_Integer)summary.runs);
    lua_setfield(L, -2, "runs");
    lua_pushinteger(L, (lua_Integer)summary.differ);
    lua_setfield(L, -2, "differ");
    for (size_t i = 0; i < 4; i++) {
        push_counts(L, &summary.phases[i]);
        lua_setfield(L, -2, phases[i]);
    }
    lua_pushvalue(L, -2);
    return 2;
}

int luamod_evaluate(lua_State *L)
{
    struct il_error err = IL_ERROR_INIT;
    bool passed = false;
    const struct il_str events = luamod_arg_str(L, 1), trajectory = luamod_arg_str(L, 2);
    struct il_text *text = new_text(L);
    enum il_code code = il_evaluate(events, trajectory, &passed, text, &err);
    if (code == IL_OK) lua_pushboolean(L, passed);
    return code == IL_OK ? 1 + answer(L, code, text, &err) : luamod_fail(L, &err);
}

static int receipt_seal(lua_State *L)
{
    struct il_error err = IL_ERROR_INIT;
    const struct il_str receipt = luamod_arg_str(L, 1);
    struct il_text *text = new_text(L);
    return answer(L, il_receipt_seal(receipt, text, &err), text, &err);
}

static int receipt_verify(lua_State *L)
{
    struct il_error err = IL_ERROR_INIT;
    return done(L, il_receipt_verify(luamod_arg_str(L, 1), &err), &err);
}

static int receipt_sign(lua_State *L)
{
    struct il_error err = IL_ERROR_INIT;
    const struct il_str receipt = luamod_arg_str(L, 1), key = luamod_arg_str(L, 2);
    struct il_text *text = new_text(L);
    return answer(L, il_receipt_sign(receipt, key, text, &err), text, &err);
}

static int receipt_check_signature(lua_State *L)
{
    struct il_error err = IL_ERROR_INIT;
    const struct il_str receipt = luamod_arg_str(L, 1), envelope = luamod_arg_str(L, 2), key = luamod_arg_str(L, 3);
    return done(L, il_receipt_check_signature(receipt, envelope, key, &err), &err);
}

static int key_new(lua_State *L)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_text *text = new_text(L);
    return answer(L, il_key_new(NULL, NULL, text, &err), text, &err);
}

static int key_public(lua_State *L)
{
    struct il_error err = IL_ERROR_INIT;
    char id[17];
    const struct il_str key = luamod_arg_str(L, 1);
    struct il_text *text = new_text(L);
    enum il_code code = il_key_public(key, text, id, &err);
    const int results = answer(L, code, text, &err);
    if (code != IL_OK) return results;
    lua_pushstring(L, id);
    return 2;
}

static int key_read(lua_State *L)
{
    struct il_error err = IL_ERROR_INIT;
    const struct il_str path = luamod_arg_str(L, 1);
    struct il_text *text = new_text(L);
    return answer(L, il_key_file_read(path, text, &err), text, &err);
}

static int key_write(lua_State *L)
{
    struct il_error err = IL_ERROR_INIT;
    const struct il_str path = luamod_arg_str(L, 1), key = luamod_arg_str(L, 2);
    return done(L, il_key_file_write(path, key, &err), &err);
}

static const luaL_Reg RECEIPT[] = {
    { "seal", receipt_seal },                       /* (receipt) -> sealed receipt */
    { "verify", receipt_verify },                   /* (receipt) -> true */
    { "sign", receipt_sign },                       /* (receipt, private key) -> envelope */
    { "check_signature", receipt_check_signature }, /* (receipt, envelope, public key) -> true */
    { NULL, NULL },
};
static const luaL_Reg KEY[] = {
    { "new", key_new },       /* () -> private key, as PEM */
    { "public", key_public }, /* (key) -> public key, id */
    { "read", key_read },     /* (path) -> private key */
    { "write", key_write },   /* (path, private key) -> true */
    { NULL, NULL },
};

void luamod_open_evidence(lua_State *L)
{
    luaL_newmetatable(L, TEXT);
    lua_pushcfunction(L, text_gc);
    lua_setfield(L, -2, "__gc");
    lua_pop(L, 1);
    luaL_newlib(L, RECEIPT);
    lua_setfield(L, -2, "receipt");
    luaL_newlib(L, KEY);
    lua_setfield(L, -2, "key");
}
