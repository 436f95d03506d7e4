/* What is inside a sandbox, for the files of this folder: the budgets, the way out, and the charge that every C
 * function reachable by scripts calls before its work. Uses arena.h. Must never be included outside src/script. */
#ifndef IL_SCRIPT_STATE_H
#define IL_SCRIPT_STATE_H

#include "script/arena.h"
#include "script/sandbox.h"

#include <lauxlib.h>
#include <locale.h>
#include <setjmp.h>

enum {
    IL__HOOK_INTERVAL = 100,  /* instructions between two calls of the count hook */
    IL__CHECK_UNITS = 2000,   /* fuel between two looks at the clock */
    IL__COROUTINE_UNITS = 150, /* a new coroutine's hook counter starts full: its price is above the interval */
    IL__VIEW_SLOT_COUNT = 32
};

struct il__sandbox {
    struct il__heap heap;
    lua_State *L;            /* the main thread: plain calls */
    lua_State *main;         /* the main coroutine, anchored by main_ref; NULL: none */
    int main_ref;
    bool host_yield;         /* the main coroutine waits in a verb */
    bool raise;              /* the verb that waits raises what the host pushed */
    enum il__kill killed;
    jmp_buf *exit;           /* the live entry; NULL: none */
    uintptr_t stack_base;    /* the entry's frame */
    size_t stack_limit;
    uint64_t slice;          /* fuel until the next look at the clock */
    uint64_t fuel;           /* fuel beyond the slice */
    uint64_t fuel_start;
    int64_t deadline_us;
    size_t block_limit;
    lua_State *hook_L;       /* while the count hook runs */
    lua_Debug *hook_ar;
    unsigned coroutines, log_lines;
    size_t log_bytes;
    uint64_t random[4];      /* xoshiro256** */
    uint32_t view_generation[IL__VIEW_SLOT_COUNT];
    unsigned view_slot;
    char where_file[96];     /* where the last error was raised */
    int where_line;
    char hook_file[96];      /* where the count hook looked last, once half of the fuel was gone */
    int hook_line;           /* 0: it did not */
    locale_t c_locale;
    size_t region_bytes;
    struct il__sandbox_options options;
};

_Noreturn void il__kill(struct il__sandbox *sb, enum il__kill why);
void il__charge_slow(struct il__sandbox *sb, uint64_t units);

/* The one charge: C stack, fuel, clock. */
static inline void il__charge(struct il__sandbox *sb, uint64_t units)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (here < sb->stack_base && sb->stack_base - here > sb->stack_limit) il__kill(sb, IL__KILL_C_STACK);
    if (units < sb->slice) sb->slice -= units;
    else il__charge_slow(sb, units);
}

static inline struct il__sandbox *il__state(lua_State *L)
{
    return *(struct il__sandbox **)lua_getextraspace(L);
}

/* call.c: the only pcall, resume and load. */
int il__call_protected(lua_State *L, int nargs, int handler, lua_KContext k_ctx, lua_KFunction k);
int il__call_resume(lua_State *co, lua_State *from, int nargs, int *results);
/* Admits, compiles and pushes `source` as a function with an environment of its own; raises. */
void il__call_load(lua_State *L, const char *name, struct il_str source);

/* sandbox.c: fills the state in; runs protected. Also the log behind print. */
void il__sandbox_furnish(lua_State *L);
void il__sandbox_log(lua_State *L, enum il_log_level level, const char *text, size_t len);

/* Keys in the registry. */
extern const char il__key_base;       /* the table of global names */
extern const char il__key_env_meta;   /* the metatable of environments */
extern const char il__key_loaded;     /* modules: name -> value */
extern const char il__key_array_meta; /* the mark of json.array */
extern const char il__key_view_meta;  /* the metatable of views */
extern const char il__key_null;       /* json.null */

/* The libraries: each pushes its table of functions. */
void il__lib_base(lua_State *L); /* fills the table of globals on top instead */
void il__lib_string(lua_State *L);
void il__lib_table(lua_State *L);
void il__lib_math(lua_State *L);
void il__lib_utf8(lua_State *L);
void il__lib_coroutine(lua_State *L);
void il__lib_json(lua_State *L);
void il__lib_log(lua_State *L);
void il__view_metatable(lua_State *L); /* registers the metatable of views */
int il__str_format(lua_State *L);
/* Pushes the text of the value at `idx`: no address, no metamethod. */
const char *il__tostring(lua_State *L, int idx, size_t *len);
/* For `pairs`: when the value at `idx` is a view, pushes its sorted keys as il__keys_sorted does (two nils for a list),
 * sets the count and returns true. */
bool il__view_keys(lua_State *L, int idx, size_t *count);
bool il__view_is_list(lua_State *L, int idx);
bool il__value_is_array(lua_State *L, int idx);
/* The name of a view's type, or NULL when the value is none. */
const char *il__view_label(lua_State *L, int idx);

#endif
