/* `policy {...}`, `policy.ask` and `policy.deny` (policy_api.h). A declaration and a verdict are userdata of their own
 * kinds: a script can neither build nor change one otherwise. */
#include "script/policy_api.h"

#include "base/error.h"
#include "script/duration.h"
#include "script/options.h"
#include "script/policy_help.h"
#include "script/state.h"
#include "script/value.h"

#include <lauxlib.h>
#include <stdio.h>

static const char declared_meta[] = "interlock.policy declaration";
static const char verdict_meta[] = "interlock.policy verdict";

enum { NAME_VALUE = 1, FIRST_PHASE_VALUE = 2, DECLARED_VALUES = 5 };
struct declared {
    unsigned phases;
};

enum { REASON_VALUE = 1, CODE_VALUE, REMEDY_VALUE, ROLES_VALUE, VERDICT_VALUES = ROLES_VALUE };
struct verdict {
    enum il__verdict verdict;
    int64_t approvers, timeout_ms;
    int role_count;
    int line;
    char file[IL__LIMIT_BUNDLE_NAME_BYTES + IL__LIMIT_BUNDLE_PATH_BYTES + 2]; /* "bundle/path"; "": unknown */
};

static void seal(lua_State *L, const char *meta)
{
    if (luaL_newmetatable(L, meta)) {
        lua_pushboolean(L, 0);
        lua_setfield(L, -2, "__metatable");
    }
    lua_setmetatable(L, -2);
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static struct il_str text_at(lua_State *L, int idx, const char *what)
{
    struct il_str s = il__arg_str(L, idx, what);
    if (s.len == 0) luaL_error(L, "%s must not be empty", what);
    if (s.len > IL__LIMIT_VERDICT_TEXT_BYTES) {
        luaL_error(L, "%s is %d bytes long; at most %d (verdict_text_bytes)", what, (int)s.len,
                   IL__LIMIT_VERDICT_TEXT_BYTES);
    }
    return s;
}

/* Moves text option `name` of the table at `options` into user value `slot` of the verdict on top. */
static void take_text(lua_State *L, int options, const char *name, int slot, const char *what)
{
    if (il__arg_field(L, options, name) == LUA_TNIL) {
        lua_pop(L, 1);
        return;
    }
    (void)text_at(L, lua_gettop(L), what);
    lua_setiuservalue(L, -2, slot);
}

/* ---- what is made and not returned ------------------------------------------------------------------------------ */

static const char made_declaration = 0, made_verdict = 0; /* keys in the registry: the line where one was made */

static void note_made(lua_State *L, const char *key)
{
    lua_Debug ar;
    bool known = lua_getstack(L, 1, &ar) && lua_getinfo(L, "l", &ar) && ar.currentline > 0;
    lua_pushinteger(L, known ? ar.currentline : 0);
    lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

/* The line, 0: none was made since this was asked last. */
static int made_at(lua_State *L, const char *key)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, key);
    int line = (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
    lua_pushnil(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, key);
    return line;
}

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

/* Where the verdict is written. */
static void note_caller(lua_State *L, struct verdict *v)
{
    lua_Debug ar;
    if (!lua_getstack(L, 1, &ar) || !lua_getinfo(L, "Sl", &ar) || ar.currentline <= 0) return;
    v->line = ar.currentline;
    if (ar.source[0] == '@') snprintf(v->file, sizeof v->file, "%s", ar.source + 1);
}

/* A verdict with its reason, on top; the reason is argument 1, options are argument 2. */
static struct verdict *new_verdict(lua_State *L, enum il__verdict kind, const char *usage, const char *what)
{
    il__sandbox_charge(L, 20);
    if (il__object_is(L, 1, &il__policy_object)) luaL_error(L, "write %s with a dot", usage);
    if (lua_type(L, 1) != LUA_TSTRING) luaL_error(L, "%s needs a reason: %s", what, usage);
    if (lua_gettop(L) > 2) luaL_error(L, "%s takes a reason and a table of options: %s", what, usage);
    if (!lua_isnoneornil(L, 2) && lua_type(L, 2) != LUA_TTABLE) {
        luaL_error(L, "%s: options are a table: %s", what, usage);
    }
    (void)text_at(L, 1, kind == IL__VERDICT_ASK ? "policy.ask: the reason" : "policy.deny: the reason");
    lua_settop(L, 2);
    struct verdict *v = lua_newuserdatauv(L, sizeof *v, VERDICT_VALUES);
    *v = (struct verdict){ .verdict = kind, .approvers = 1 };
    note_caller(L, v);
    note_made(L, &made_verdict);
    seal(L, verdict_meta);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, 3, REASON_VALUE);
    return v;
}

static void take_approvers(lua_State *L, struct verdict *v)
{
    if (il__arg_field(L, 2, "approvers") != LUA_TNIL) {
        v->approvers = il__arg_int(L, lua_gettop(L), "policy.ask: approvers", 1, IL__LIMIT_ASK_APPROVERS);
    }
    lua_pop(L, 1);
    if (il__arg_field(L, 2, "timeout") != LUA_TNIL) {
        v->timeout_ms = il__arg_duration(L, lua_gettop(L), "policy.ask: timeout", 1000,
                                         IL__LIMIT_ASK_TIMEOUT_S * INT64_C(1000));
    }
    lua_pop(L, 1);
}

/* A copy of the list of roles becomes a user value. */
static void take_roles(lua_State *L, struct verdict *v)
{
    if (il__arg_field(L, 2, "roles") == LUA_TNIL) {
        lua_pop(L, 1);
        return;
    }
    int roles = lua_gettop(L);
    const char *usage = "policy.ask: roles must be a list of names, as in { \"operator\" }";
    if (lua_type(L, roles) != LUA_TTABLE) luaL_error(L, "%s", usage);
    lua_Unsigned count = lua_rawlen(L, roles);
    if (count == 0) luaL_error(L, "%s", usage);
    if (count > IL__LIMIT_ROLES) luaL_error(L, "policy.ask: at most %d roles", IL__LIMIT_ROLES);
    lua_createtable(L, (int)count, 0);
    for (int i = 1; i <= (int)count; i++) {
        if (lua_rawgeti(L, roles, i) != LUA_TSTRING) luaL_error(L, "%s", usage);
        (void)text_at(L, lua_gettop(L), "policy.ask: a role");
        lua_rawseti(L, -2, i);
    }
    v->role_count = (int)count;
    lua_setiuservalue(L, 3, ROLES_VALUE);
    lua_settop(L, 3);
}

static int policy_ask(lua_State *L)
{
    static const char *const known[] = { "approvers", "timeout", "roles", "code", "remedy", NULL };
    struct verdict *v = new_verdict(L, IL__VERDICT_ASK, "policy.ask(\"why\", { approvers = 2 })", "policy.ask");
    if (lua_type(L, 2) == LUA_TTABLE) {
        il__options_check(L, 2, known, "policy.ask");
        take_approvers(L, v);
        take_roles(L, v);
        take_text(L, 2, "code", CODE_VALUE, "policy.ask: code");
        take_text(L, 2, "remedy", REMEDY_VALUE, "policy.ask: remedy");
    }
    return 1;
}

static int policy_deny(lua_State *L)
{
    static const char *const known[] = { "code", "remedy", NULL };
    (void)new_verdict(L, IL__VERDICT_DENY, "policy.deny(\"why\", { code = \"...\" })", "policy.deny");
    if (lua_type(L, 2) == LUA_TTABLE) {
        il__options_check(L, 2, known, "policy.deny");
        take_text(L, 2, "code", CODE_VALUE, "policy.deny: code");
        take_text(L, 2, "remedy", REMEDY_VALUE, "policy.deny: remedy");
    }
    return 1;
}

/* ---- declarations ------------------------------------------------------------------------------------------------ */

static bool policy_name_ok(struct il_str s)
{
    if (s.len == 0 || s.len > IL__LIMIT_BUNDLE_NAME_BYTES) return false;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (!word && !(c == '.' && i > 0)) return false;
    }
    return true;
}

static void take_phases(lua_State *L, struct declared *d)
{
    for (int phase = IL__PHASE_PROPOSE; phase <= IL__PHASE_EXECUTE; phase++) {
        const char *name = il__phase_names[phase];
        int type = il__arg_field(L, 2, name);
        if (type == LUA_TNIL) {
            lua_pop(L, 1);
            continue;
        }
        if (type != LUA_TFUNCTION || lua_iscfunction(L, -1)) {
            luaL_error(L, "policy: %s must be a function: %s = function(action, ctx) ... end", name, name);
        }
        lua_setiuservalue(L, -2, FIRST_PHASE_VALUE + phase);
        d->phases |= 1u << phase;
    }
}

/* `policy { name = ..., preview = function(action, ctx) ... end }` */
static int policy_declare(lua_State *L)
{
    static const char *const known[] = { "name", "propose", "preview", "approve", "execute", NULL };
    il__sandbox_charge(L, 20);
    if (lua_gettop(L) != 2 || lua_type(L, 2) != LUA_TTABLE) {
        return luaL_error(L,
                          "policy takes one table: policy { name = \"...\", preview = function(action, ctx) ... end }");
    }
    il__options_check(L, 2, known, "policy");
    struct declared *d = lua_newuserdatauv(L, sizeof *d, DECLARED_VALUES);
    d->phases = 0;
    note_made(L, &made_declaration);
    seal(L, declared_meta);
    if (il__arg_field(L, 2, "name") != LUA_TSTRING) {
        return luaL_error(L, "policy: name is needed: policy { name = \"office-hours\", ... }");
    }
    struct il_str name;
    name.ptr = lua_tolstring(L, -1, &name.len);
    if (!policy_name_ok(name)) {
        return luaL_error(L, "policy: name must be 1 to %d letters, digits, _ - and dots (bundle_name_bytes)",
                          IL__LIMIT_BUNDLE_NAME_BYTES);
    }
    lua_setiuservalue(L, 3, NAME_VALUE);
    take_phases(L, d);
    if (d->phases == 0) {
        return luaL_error(L, "policy: give at least one of propose, preview, approve, execute: "
                             "preview = function(action, ctx) ... end");
    }
    return 1;
}

/* ---- for the host ------------------------------------------------------------------------------------------------ */

void il__policy_check_declared(lua_State *L, const char *label, int last, struct il_str *name, unsigned *phases)
{
    const struct declared *d = lua_gettop(L) == 1 ? luaL_testudata(L, 1, declared_meta) : NULL;
    int made = made_at(L, &made_declaration);
    if (!d && lua_gettop(L) == 0 && made > 0)
        luaL_error(L, "%s:%d: the policy is declared and not returned; write `return policy { ... }`", label, made);
    if (!d) {
        luaL_error(L, "%s:%d: a policy file ends with `return policy { ... }`; this one returns %s", label, last,
                   lua_gettop(L) == 0 ? "nothing" : luaL_typename(L, 1));
        return;
    }
    *phases = d->phases;
    lua_getiuservalue(L, 1, NAME_VALUE);
    name->ptr = lua_tolstring(L, -1, &name->len);
    lua_pop(L, 1);
}

int il__policy_push_phase(lua_State *L, int idx, enum il__phase phase)
{
    lua_Debug ar;
    if (lua_getiuservalue(L, idx, FIRST_PHASE_VALUE + (int)phase) != LUA_TFUNCTION) return 0;
    lua_pushvalue(L, -1);
    (void)made_at(L, &made_verdict);
    return lua_getinfo(L, ">S", &ar) ? ar.linedefined : 0;
}

/* The string on top, escaped, in `arena`; popped. Absent when it is none. */
static bool copy_text(lua_State *L, struct il__arena *arena, struct il_str *out)
{
    char shown[IL__LIMIT_VERDICT_TEXT_BYTES * 4 + 1];
    size_t len = 0;
    const char *ptr = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &len) : NULL;
    bool ok = true;
    if (ptr) {
        len = il__escape(shown, sizeof shown, (struct il_str){ ptr, len });
        ok = il__arena_str(arena, (struct il_str){ shown, len }, out) == IL_OK;
    }
    lua_pop(L, 1);
    return ok;
}

static bool copy_roles(lua_State *L, const struct verdict *v, struct il__arena *arena, struct il__said *out)
{
    if (v->role_count == 0) return true;
    struct il_str *items = il__arena_alloc(arena, (size_t)v->role_count * sizeof *items);
    if (!items) return false;
    lua_getiuservalue(L, 1, ROLES_VALUE);
    bool ok = true;
    for (int i = 0; i < v->role_count && ok; i++) {
        lua_rawgeti(L, -1, i + 1);
        ok = copy_text(L, arena, &items[i]);
    }
    lua_pop(L, 1);
    out->roles = (struct il__strs){ items, (size_t)v->role_count };
    return ok;
}

/* A verdict that nobody returns may be meant so; mostly a `return` is missing. */
static void warn_dropped(lua_State *L, int line)
{
    char text[120];
    int n = snprintf(text, sizeof text,
                     "line %d makes a verdict, and nothing is returned: it decides nothing; is a `return` missing?",
                     line);
    il__sandbox_log(L, IL_LOG_WARN, text, (size_t)n);
}

bool il__policy_take_verdict(lua_State *L, struct il__arena *arena, struct il__said *out)
{
    static const char usage[] = "return nothing, policy.ask(\"why\") or policy.deny(\"why\")";
    if (lua_gettop(L) == 0 || (lua_gettop(L) == 1 && lua_isnil(L, 1))) {
        int made = made_at(L, &made_verdict);
        if (made > 0) warn_dropped(L, made);
        out->verdict = IL__VERDICT_NONE;
        return true;
    }
    const struct verdict *v = luaL_testudata(L, 1, verdict_meta);
    if (!v) return luaL_error(L, "the policy returned %s; %s", luaL_typename(L, 1), usage);
    if (lua_gettop(L) > 1) luaL_error(L, "the policy returned %d values; %s", lua_gettop(L), usage);
    lua_getiuservalue(L, 1, REASON_VALUE);
    if (!copy_text(L, arena, &out->reason)) return false;
    lua_getiuservalue(L, 1, CODE_VALUE);
    if (!copy_text(L, arena, &out->code)) return false;
    lua_getiuservalue(L, 1, REMEDY_VALUE);
    if (!copy_text(L, arena, &out->remedy)) return false;
    if (!copy_roles(L, v, arena, out)) return false;
    if (v->file[0] && il__arena_str(arena, il__str(v->file), &out->file)) return false;
    out->verdict = v->verdict;
    out->approvers = v->approvers;
    out->timeout_ms = v->timeout_ms;
    out->line = v->line;
    return true;
}

static int open_policy(lua_State *L)
{
    lua_createtable(L, 0, 2);
    il__object_push(L, &il__policy_object, 0);
    return 1;
}

static const struct il__member policy_members[] = {
    { "ask", "(reason, { approvers, timeout, roles, code, remedy }) -> verdict", 0, policy_ask,
      "Asks for people: how many approvers (1), within what time, of which roles." },
    { "deny", "(reason, { code, remedy }) -> verdict", 0, policy_deny, "Denies, with a reason that people read." },
    { "glob", "(pattern, text) -> boolean", 0, il__help_glob, "Whether the whole text is as the glob says." },
    { "path", "(text) -> string, or nil and why", 0, il__help_path, "The canonical text of an absolute path." },
    { "under", "(path, folder) -> boolean", 0, il__help_under, "Whether the path is the folder or lies below it." },
    { "domain", "(text) -> string, or nil and why", 0, il__help_domain, "The canonical host of a host or a URL." },
    { "domain_is", "(text, pattern) -> boolean", 0, il__help_domain_is,
      "Whether the host is example.org, or one below *.example.org." },
    { "nfc", "(text) -> string", 0, il__help_nfc, "The text in Unicode's normalization form C." },
    { "has", "(list, value) -> boolean", 0, il__help_has, "Whether the list has the value; nil has none." },
    { NULL, NULL, 0, NULL, NULL },
};
const struct il__object il__policy_object = {
    "policy", "policy { name = ..., PHASE = function(action, ctx) ... end } declares a policy.", policy_members,
    policy_declare, false, false,
};

static const struct il__module module_items[] = {
    { { "interlock.policy", 16 }, open_policy, { NULL, 0 }, NULL },
};
const struct il__modules il__policy_modules = { module_items, 1, NULL };
