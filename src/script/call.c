/* Every entry into Lua: the only file that calls lua_pcall, lua_resume and lua_load. An entry sets the way out of a
 * kill, the C locale and the default floating-point environment, and puts them back; arguments are pushed and results
 * read inside it. Uses state.h and admit.h. Must never leave Lua values on the main thread's stack between entries. */
#include "script/call.h"

#include "base/error.h"
#include "script/admit.h"
#include "script/hint.h"
#include "script/state.h"
#include "script/syntax.h"

#include <fenv.h>
#include <stdio.h>
#include <string.h>

enum { PIECE_BYTES = 512, PIECE_UNITS = 8192, WALK_LEVELS = 24 };

struct entry {
    struct il__script_result *result;
    int ref;
    int *out_ref;
    const char *name;
    struct il_str source;
    il__push_fn push;
    il__take_fn take;
    void *ctx;
};
typedef void (*body_fn)(struct il__sandbox *sb, struct entry *entry);

/* ---- the way in and out ----------------------------------------------------------------------------------------- */

/* The one setjmp. Nothing here changes after it but through `sb`. */
static void guard(struct il__sandbox *sb, body_fn body, struct entry *entry)
{
    jmp_buf out;
    fenv_t env;
    sb->stack_base = (uintptr_t)__builtin_frame_address(0);
    sb->exit = &out;
    fegetenv(&env);
    fesetenv(FE_DFL_ENV);
    locale_t locale = uselocale(sb->c_locale);
    if (_setjmp(out) == 0) body(sb, entry);
    sb->exit = NULL;
    uselocale(locale);
    fesetenv(&env);
}

static enum il__script_end finish(struct il__sandbox *sb, struct il__script_result *result)
{
    if (sb->killed == IL__KILL_NONE) return result->end;
    *result = (struct il__script_result){ .end = IL__SCRIPT_KILLED, .kill = sb->killed };
    if (sb->where_line > 0) {
        result->line = sb->where_line;
        memcpy(result->file, sb->where_file, sizeof result->file);
    }
    snprintf(result->text, sizeof result->text, "the script was ended by the limit %s%s", il__kill_name(sb->killed),
             sb->killed == IL__KILL_FUEL || sb->killed == IL__KILL_WALL
                 ? "; a loop that never ends? Count it, as in `for i = 1, 10 do`, or leave it with `break`"
                 : "");
    return result->end;
}

static enum il__script_end run_entry(struct il__sandbox *sb, body_fn body, struct entry *entry)
{
    struct il__script_result *result = entry->result;
    *result = (struct il__script_result){ .end = IL__SCRIPT_RETURNED };
    if (sb->killed != IL__KILL_NONE) return finish(sb, result);
    if (sb->exit) {
        result->end = IL__SCRIPT_ERROR;
        snprintf(result->text, sizeof result->text, "the script was called from within itself");
        return result->end;
    }
    il__sandbox_refuel(sb);
    guard(sb, body, entry);
    return finish(sb, result);
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

/* The length of a leading "FILE:LINE: " whose file is `src`, and the line. */
static size_t place_prefix(const char *text, const char *src, int *line)
{
    size_t n = strlen(src);
    long value = 0;
    if (strncmp(text, src, n) != 0 || text[n] != ':') return 0;
    size_t at = n + 1;
    while (text[at] >= '0' && text[at] <= '9' && at < n + 10) value = value * 10 + (text[at++] - '0');
    if (at == n + 1 || text[at] != ':' || text[at + 1] != ' ') return 0;
    *line = (int)value;
    return at + 2;
}

/* Where the error in progress on `L` was raised: the place that its text names, else the innermost line. */
static void locate(struct il__sandbox *sb, lua_State *L, int level, const char *text)
{
    lua_Debug ar;
    sb->where_line = 0;
    sb->where_file[0] = '\0';
    for (int i = 0; i < WALK_LEVELS && lua_getstack(L, level + i, &ar); i++) {
        int line = 0;
        lua_getinfo(L, "Sl", &ar);
        if (ar.currentline <= 0) continue;
        bool named = text && place_prefix(text, ar.short_src, &line) > 0;
        if (sb->where_line == 0 || named) {
            il__escape(sb->where_file, sizeof sb->where_file, il__str(ar.short_src));
            sb->where_line = named ? line : ar.currentline;
        }
        if (named || !text) return;
    }
}

/* The message handler of plain calls: notes the place, leaves the value as it is. */
static int note_place(lua_State *L)
{
    locate(il__state(L), L, 1, lua_type(L, 1) == LUA_TSTRING ? lua_tostring(L, 1) : NULL);
    return 1;
}

/* Puts the error value on top of `at` into `result`; runs no script code. */
static void report(struct il__sandbox *sb, lua_State *at, struct il__script_result *result)
{
    int type = lua_type(at, -1);
    result->end = IL__SCRIPT_ERROR;
    result->line = sb->where_line;
    memcpy(result->file, sb->where_file, sizeof result->file);
    if (type == LUA_TSTRING || type == LUA_TNUMBER) {
        size_t len;
        int line = 0;
        const char *text = lua_tolstring(at, -1, &len);
        size_t skip = result->line > 0 ? place_prefix(text, result->file, &line) : 0;
        if (skip > 0) result->line = line;
        size_t n = il__escape(result->text, sizeof result->text, (struct il_str){ text + skip, len - skip });
        il__hint(result->text, n, sizeof result->text);
    } else {
        snprintf(result->text, sizeof result->text, "the error value is a %s, not a text", lua_typename(at, type));
    }
}

/* ---- plain calls ------------------------------------------------------------------------------------------------- */

static int furnish(lua_State *L)
{
    il__sandbox_furnish(L);
    return 0;
}

/* Runs `fn` with `entry` as its argument. */
static bool protect(struct il__sandbox *sb, lua_CFunction fn, struct entry *entry)
{
    lua_State *L = sb->L;
    lua_settop(L, 0);
    sb->where_line = 0;
    sb->where_file[0] = '\0';
    lua_pushcfunction(L, note_place);
    lua_pushcfunction(L, fn);
    lua_pushlightuserdata(L, entry);
    bool ok = lua_pcall(L, 1, 0, 1) == LUA_OK;
    if (!ok) report(sb, L, entry->result);
    lua_settop(L, 0);
    return ok;
}

static void boot_body(struct il__sandbox *sb, struct entry *entry)
{
    il__sandbox_boot(sb);
    protect(sb, furnish, entry);
}

enum il__script_end il__call_boot(struct il__sandbox *sb, struct il__script_result *result)
{
    struct entry entry = { .result = result };
    return run_entry(sb, boot_body, &entry);
}

static int load_protected(lua_State *L)
{
    struct entry *entry = lua_touserdata(L, 1);
    il__call_load(L, entry->name, entry->source);
    *entry->out_ref = il__sandbox_ref(L);
    return 0;
}

static void load_body(struct il__sandbox *sb, struct entry *entry)
{
    protect(sb, load_protected, entry);
}

enum il__script_end il__sandbox_load(struct il__sandbox *sb, const char *name, struct il_str source, int *ref,
                                     struct il__script_result *result)
{
    struct entry entry = { .result = result, .name = name, .source = source, .out_ref = ref };
    *ref = LUA_NOREF;
    (void)run_entry(sb, load_body, &entry);
    size_t skip = result->end == IL__SCRIPT_ERROR ? place_prefix(result->text, name, &result->line) : 0;
    if (result->end == IL__SCRIPT_ERROR) il__escape(result->file, sizeof result->file, il__str(name));
    if (skip > 0) memmove(result->text, result->text + skip, strlen(result->text + skip) + 1);
    return result->end;
}

/* Pushes arguments above the function at 1 and returns how many; nothing else is left between. */
static int push_arguments(lua_State *L, struct entry *entry)
{
    int n = entry->push ? entry->push(L, entry->ctx) : 0;
    if (n < 0) lua_error(L);
    while (lua_gettop(L) > n + 1) lua_remove(L, 2);
    return n;
}

static int call_protected(lua_State *L)
{
    struct entry *entry = lua_touserdata(L, 1);
    lua_settop(L, 0);
    il__sandbox_push_ref(L, entry->ref);
    lua_call(L, push_arguments(L, entry), LUA_MULTRET);
    if (entry->take) entry->take(L, entry->ctx);
    return 0;
}

static void call_body(struct il__sandbox *sb, struct entry *entry)
{
    sb->coroutines = sb->log_lines = 0;
    sb->log_bytes = 0;
    protect(sb, call_protected, entry);
}

enum il__script_end il__sandbox_call(struct il__sandbox *sb, int ref, il__push_fn push, il__take_fn take, void *ctx,
                                     struct il__script_result *result)
{
    struct entry entry = { .result = result, .ref = ref, .push = push, .take = take, .ctx = ctx };
    return run_entry(sb, call_body, &entry);
}

static int do_protected(lua_State *L)
{
    struct entry *entry = lua_touserdata(L, 1);
    lua_settop(L, 0);
    entry->take(L, entry->ctx);
    return 0;
}

static void do_body(struct il__sandbox *sb, struct entry *entry)
{
    protect(sb, do_protected, entry);
}

enum il__script_end il__sandbox_do(struct il__sandbox *sb, il__take_fn fn, void *ctx, struct il__script_result *result)
{
    struct entry entry = { .result = result, .take = fn, .ctx = ctx };
    return run_entry(sb, do_body, &entry);
}

/* ---- the main coroutine ------------------------------------------------------------------------------------------ */

static void drop_main(struct il__sandbox *sb)
{
    if (sb->main) luaL_unref(sb->L, LUA_REGISTRYINDEX, sb->main_ref);
    sb->main = NULL;
    sb->main_ref = LUA_NOREF;
    sb->host_yield = sb->raise = false;
}

static int start_protected(lua_State *L)
{
    struct entry *entry = lua_touserdata(L, 1);
    struct il__sandbox *sb = il__state(L);
    drop_main(sb);
    lua_State *co = lua_newthread(L);
    sb->main_ref = il__sandbox_ref(L);
    il__sandbox_push_ref(co, entry->ref);
    sb->main = co;
    sb->coroutines = sb->log_lines = 0;
    sb->log_bytes = 0;
    return 0;
}

static void start_body(struct il__sandbox *sb, struct entry *entry)
{
    protect(sb, start_protected, entry);
}

enum il__script_end il__sandbox_start(struct il__sandbox *sb, int ref, struct il__script_result *result)
{
    struct entry entry = { .result = result, .ref = ref };
    return run_entry(sb, start_body, &entry);
}

/* Leaves the arguments on the main coroutine. */
static int arguments_protected(lua_State *L)
{
    struct entry *entry = lua_touserdata(L, 1);
    struct il__sandbox *sb = il__state(L);
    int n = entry->push ? entry->push(L, entry->ctx) : 0;
    sb->raise = n < 0;
    if (n < 0) n = 1;
    luaL_checkstack(sb->main, n, "arguments");
    lua_xmove(L, sb->main, n);
    entry->ref = n;
    return 0;
}

static int results_protected(lua_State *L)
{
    struct entry *entry = lua_touserdata(L, 1);
    lua_State *co = il__state(L)->main;
    int n = entry->ref;
    lua_settop(L, 0);
    luaL_checkstack(L, n, "results");
    lua_xmove(co, L, n);
    if (entry->take) entry->take(L, entry->ctx);
    return 0;
}

static void resume_body(struct il__sandbox *sb, struct entry *entry)
{
    int n = 0;
    if (!sb->main) {
        entry->result->end = IL__SCRIPT_ERROR;
        snprintf(entry->result->text, sizeof entry->result->text, "there is no script to resume");
        return;
    }
    if (!protect(sb, arguments_protected, entry)) return;
    sb->host_yield = false;
    int status = lua_resume(sb->main, sb->L, entry->ref, &n);
    if (status == LUA_YIELD) {
        lua_pop(sb->main, n);
        entry->result->end = IL__SCRIPT_YIELDED;
        return;
    }
    if (status == LUA_OK) {
        entry->ref = n;
        protect(sb, results_protected, entry);
    } else {
        locate(sb, sb->main, 0, lua_type(sb->main, -1) == LUA_TSTRING ? lua_tostring(sb->main, -1) : NULL);
        report(sb, sb->main, entry->result);
    }
    drop_main(sb);
}

enum il__script_end il__sandbox_resume(struct il__sandbox *sb, il__push_fn push, il__take_fn take, void *ctx,
                                       struct il__script_result *result)
{
    struct entry entry = { .result = result, .push = push, .take = take, .ctx = ctx };
    return run_entry(sb, resume_body, &entry);
}

/* Where the verb goes on: with the host's values, or by raising its error. */
static int resumed(lua_State *L, int status, lua_KContext ctx)
{
    (void)status;
    if (il__state(L)->raise) {
        if (lua_type(L, -1) == LUA_TSTRING) {
            luaL_where(L, 1);
            lua_insert(L, -2);
            lua_concat(L, 2);
        }
        return lua_error(L);
    }
    return lua_gettop(L) - (int)ctx;
}

int il__sandbox_yield(lua_State *L, const char *verb)
{
    struct il__sandbox *sb = il__state(L);
    if (L != sb->main)
        return luaL_error(L, "%s works in the main body of the script only, not in a coroutine or a phase function",
                          verb);
    if (!lua_isyieldable(L)) return luaL_error(L, "%s cannot be called from a callback of sort, gsub or pairs", verb);
    sb->host_yield = true;
    lua_settop(L, 0);
    return lua_yieldk(L, 0, 0, resumed);
}

/* ---- for the libraries ------------------------------------------------------------------------------------------- */

int il__call_protected(lua_State *L, int nargs, int handler, lua_KContext k_ctx, lua_KFunction k)
{
    return lua_pcallk(L, nargs, LUA_MULTRET, handler, k_ctx, k);
}

int il__call_resume(lua_State *co, lua_State *from, int nargs, int *results)
{
    return lua_resume(co, from, nargs, results);
}

struct reader {
    struct il__sandbox *sb;
    struct il_str left;
};

/* Pieces small enough that the clock is looked at often: the compiler is quadratic in places. */
static const char *read_piece(lua_State *L, void *data, size_t *size)
{
    struct reader *r = data;
    (void)L;
    il__charge(r->sb, PIECE_UNITS);
    size_t n = r->left.len < PIECE_BYTES ? r->left.len : PIECE_BYTES;
    const char *piece = r->left.ptr;
    r->left.ptr += n;
    r->left.len -= n;
    *size = n;
    return n > 0 ? piece : NULL;
}

/* Raises what the parser says of a source that the compiler refused: it knows what people mean. The compiler's own
 * words, on top, where the parser finds nothing wrong. */
static void refuse_source(lua_State *L, const char *name, struct il_str source)
{
    struct il__syntax *tree = NULL;
    struct il__syntax_fault fault = { .line = 0 };
    struct il_error err = IL_ERROR_INIT;
    il__charge(il__state(L), source.len);
    if (il__syntax_parse(il__state(L)->options.mem, source, &tree, &fault, &err) == IL_SCRIPT_ERROR && fault.line) {
        luaL_error(L, "%s:%d: %s%s%s", name, (int)fault.line, fault.message, fault.fix[0] ? "; " : "", fault.fix);
    }
    il__syntax_free(tree);
    lua_error(L);
}

void il__call_load(lua_State *L, const char *name, struct il_str source)
{
    struct reader reader = { il__state(L), source };
    struct il_error err = IL_ERROR_INIT;
    int line = 0;
    il__charge(reader.sb, source.len);
    if (il__admit(source, NULL, &line, &err) != IL_OK) {
        if (line > 0) luaL_error(L, "%s:%d: %s", name, line, err.message);
        luaL_error(L, "%s: %s", name, err.message);
    }
    lua_pushfstring(L, "@%s", name);
    if (lua_load(L, read_piece, &reader, lua_tostring(L, -1), "t") != LUA_OK) refuse_source(L, name, source);
    lua_remove(L, -2);
    lua_newtable(L);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &il__key_env_meta);
    lua_setmetatable(L, -2);
    if (!lua_setupvalue(L, -2, 1)) lua_pop(L, 1);
}
