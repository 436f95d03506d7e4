/* A runtime written in Lua: a file that returns a table of functions with the port's names. It has one sandbox for as
 * long as the host lives, keeps its state there, and is called when an operation begins; the answers are handed out by
 * tick. Once a limit ended it, every later call is answered with the code `runtime`.
 * Must never share a state with scripts, and must never act: what it does is inside its sandbox. */
#ifndef IL_SCRIPT_LUA_RUNTIME_H
#define IL_SCRIPT_LUA_RUNTIME_H

#include "base/buf.h"
#include "base/log.h"
#include "run/runtime.h"
#include "script/object.h"
#include "wire/digest.h"

struct il__lua_runtime_options {
    struct il__mem *mem;               /* needed; all pointers must outlive the runtime */
    const struct il__clock *clock;     /* needed: what `runtime.now` reads and delays count on */
    struct il__digest *digest;         /* needed */
    const struct il__log *log;         /* what it prints; NULL: dropped */
    struct il__runtime_sink sink;      /* where answers go */
    const char *kind;                  /* static; "lua" when NULL */
    struct il_str name, source;        /* of the file; source absent: the embedded runtimes/NAME.lua */
    struct il_str options_json;        /* handed to the file as `...`; absent: an empty table */
    struct il_str seed;                /* of uuid and math.random */
};

/* Compiles and runs the file. On failure `err` names file, line and what to write. */
enum il_code il__lua_runtime_new(const struct il__lua_runtime_options *options, struct il__runtime *out,
                                 struct il_error *err) IL_MUST_USE;
/* Calls the runtime's function `inspect` and appends what it returns as JSON. IL_UNSUPPORTED: it has none. */
enum il_code il__lua_runtime_inspect(void *self, struct il__buf *out, struct il_error *err) IL_MUST_USE;

extern const struct il__object il__runtime_object;

#endif
