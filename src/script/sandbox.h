/* One Lua state in an arena of its own, with every limit uncatchable: a limit ends the script by a longjmp to the entry
 * (call.c) and the arena is thrown away; Lua never sees an error, so pcall, handlers and coroutines have no say.
 * Scripts see an allow-list of globals. Uses base and Lua; the run and policy APIs are built on it.
 * Must never own a resource from inside Lua but arena memory: a kill skips every cleanup.
 *
 * Functions with `lua_State *L` first may raise or be killed: call them only inside a protected entry (a module, a
 * library function, or one of the callbacks below). Functions with `struct il__sandbox *` first never raise.
 *
 * Callbacks run inside the protected region and may be left by a longjmp at any call that reaches Lua: what they own
 * must hang on their `ctx`, and is given back by who called the entry. */
#ifndef IL_SCRIPT_SANDBOX_H
#define IL_SCRIPT_SANDBOX_H

#include "base/clock.h"
#include "base/limits.h"
#include "base/mem.h"

#include <lauxlib.h>
#include <lua.h>

struct il__sandbox;
struct il__probe;

/* How an entry ended. */
enum il__script_end {
    IL__SCRIPT_RETURNED, /* the function returned; its results went to `take` */
    IL__SCRIPT_YIELDED,  /* a verb of the host asked to wait (il__sandbox_yield); resume goes on */
    IL__SCRIPT_ERROR,    /* an ordinary error reached the host; the state can go on being used */
    IL__SCRIPT_KILLED    /* a limit; every later entry answers the same at once */
};

/* X(constant, "reason"): why a script was killed. */
#define IL__KILLS(X)                                      \
    X(IL__KILL_NONE, "none")                              \
    X(IL__KILL_FUEL, "script_fuel")                       \
    X(IL__KILL_WALL, "script_wall_ms")                    \
    X(IL__KILL_MEMORY, "script_memory")                   \
    X(IL__KILL_BLOCK, "script_block")                     \
    X(IL__KILL_C_STACK, "script_c_stack")                 \
    X(IL__KILL_COROUTINES, "script_coroutines")           \
    X(IL__KILL_LOG_LINES, "script_log_lines")             \
    X(IL__KILL_LOG_BYTES, "script_log_bytes")
#define IL__KILL_ENUM(constant, text) constant,
enum il__kill { IL__KILLS(IL__KILL_ENUM) IL__KILL_COUNT };
#undef IL__KILL_ENUM
/* The name of the limit ("script_fuel"). Static. */
const char *il__kill_name(enum il__kill why);

/* All texts are escaped, cut and NUL-terminated. */
struct il__script_result {
    enum il__script_end end;
    enum il__kill kill;  /* IL__KILL_NONE unless KILLED */
    int line;            /* 0: not known */
    char file[96];       /* "": not known */
    char text[IL__LIMIT_SCRIPT_ERROR_BYTES + 1]; /* ERROR: the message without its place; KILLED: a sentence */
};
/* Sets `err` from an ERROR or KILLED: code script_error or limit_exceeded, message "FILE:LINE: TEXT", field the name
 * of the limit. Returns that code; IL_OK for the other ends. */
enum il_code il__script_fail(const struct il__script_result *result, struct il_error *err);

/* What `require` finds, by name only. `open` pushes the module's value; else `source` is a Lua chunk that returns it.
 * Both live as long as the sandbox. */
struct il__module {
    struct il_str name;
    lua_CFunction open;
    struct il_str source;
    const char *file; /* the name of `source` in messages */
};
struct il__modules {
    const struct il__module *items;
    size_t count;
    const struct il__modules *next; /* NULL: the last list. The first list that has a name wins */
};

/* A line of `print` or `log`: escaped, without its line break. Must not call Lua. */
typedef void (*il__sandbox_log_fn)(void *ctx, enum il_log_level level, struct il_str line);

struct il__sandbox_options {
    struct il__mem *mem;             /* needed; the arena is one block of it */
    const struct il__clock *clock;   /* needed */
    struct il_str seed;              /* of math.random: the run's seed */
    il__sandbox_log_fn log;          /* NULL: lines are counted and dropped */
    void *log_ctx;
    const struct il__modules *modules; /* NULL: no `require` */
    void *host;                      /* il__sandbox_host */
    struct il__probe *probe;         /* what listens (probe.h); NULL: nobody */
    uint64_t fuel;                   /* of each call and each resume; 0: IL__LIMIT_SCRIPT_FUEL */
    int64_t wall_ms;                 /* likewise; 0: IL__LIMIT_SCRIPT_WALL_MS */
    size_t memory_bytes;             /* 0: IL__LIMIT_SCRIPT_MEMORY */
    size_t c_stack_bytes;            /* 0: IL__LIMIT_SCRIPT_C_STACK */
};

/* NULL and `err` (out_of_memory) on failure. */
struct il__sandbox *il__sandbox_open(const struct il__sandbox_options *options, struct il_error *err);
/* Gives the arena back; no script code runs. NULL is accepted. Not from inside an entry. */
void il__sandbox_close(struct il__sandbox *sb);

/* Pushes arguments and returns how many. In il__sandbox_resume, -1 raises the value on top inside the script, at the
 * verb that yielded. */
typedef int (*il__push_fn)(lua_State *L, void *ctx);
/* Reads results: they stand at 1..lua_gettop(L). Errors it raises are the entry's error. */
typedef void (*il__take_fn)(lua_State *L, void *ctx);

/* Admits and compiles `source` (admit.h) as file `name`, with a global environment of its own over the allow-list.
 * `*ref` is a reference to the chunk as a function. */
enum il__script_end il__sandbox_load(struct il__sandbox *sb, const char *name, struct il_str source, int *ref,
                                     struct il__script_result *result);
/* Calls function `ref` with fresh fuel and deadline. `push` and `take` may be NULL. No verb can yield here. Also while
 * the main coroutine waits; not from inside another entry of the same sandbox (ERROR). */
enum il__script_end il__sandbox_call(struct il__sandbox *sb, int ref, il__push_fn push, il__take_fn take, void *ctx,
                                     struct il__script_result *result);
/* Runs `fn` alone in a protected region, to set things up. */
enum il__script_end il__sandbox_do(struct il__sandbox *sb, il__take_fn fn, void *ctx, struct il__script_result *result);
/* Makes function `ref` the body of the main coroutine, which the next resume starts. One at a time: a body that still
 * waits is dropped. */
enum il__script_end il__sandbox_start(struct il__sandbox *sb, int ref, struct il__script_result *result);
/* Starts or goes on with fresh fuel and deadline; `push` gives the body's arguments, or the results of the verb that
 * yielded. RETURNED: results went to `take`. */
enum il__script_end il__sandbox_resume(struct il__sandbox *sb, il__push_fn push, il__take_fn take, void *ctx,
                                       struct il__script_result *result);
/* True while the main coroutine waits in a verb or has not begun. */
bool il__sandbox_waiting(const struct il__sandbox *sb);

/* The last statement of a verb: `return il__sandbox_yield(L, "run:observe");`. Only in the main body of the script, not
 * in a coroutine of its own, a sort or a gsub callback: there it raises an error that names the verb. */
int il__sandbox_yield(lua_State *L, const char *verb);

struct il__sandbox *il__sandbox_of(lua_State *L);
/* The `host` pointer of the options. */
void *il__sandbox_host(lua_State *L);
/* Pays for work before it is done: about one unit for a virtual-machine instruction or 32 bytes. May kill. */
void il__sandbox_charge(lua_State *L, uint64_t units);
/* Ends the script from inside; does not return. */
_Noreturn void il__sandbox_kill(lua_State *L, enum il__kill why);
/* Takes the value on top into the registry; the reference stays valid as long as the sandbox. */
int il__sandbox_ref(lua_State *L);
void il__sandbox_unref(lua_State *L, int ref);
void il__sandbox_push_ref(lua_State *L, int ref);

/* Replaces the table on top by a read-only proxy of it, for a module: scripts can index it, and nothing else. `name` is
 * for the message of a write. */
void il__sandbox_protect(lua_State *L, const char *name);
/* The same for a table of functions. */
void il__sandbox_push_library(lua_State *L, const char *name, const luaL_Reg *functions);

/* What was used, for reports: fuel since the last entry began, and the peak of the arena. */
uint64_t il__sandbox_fuel_used(const struct il__sandbox *sb);
size_t il__sandbox_peak_bytes(const struct il__sandbox *sb);

#endif
