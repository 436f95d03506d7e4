/* The inside of a Lua runtime, for lua_runtime.c (loading, calling, handing out) and lua_runtime_api.c (the object
 * `runtime`). Must never be included elsewhere. */
#ifndef IL_SCRIPT_LUA_RUNTIME_STATE_H
#define IL_SCRIPT_LUA_RUNTIME_STATE_H

#include "script/lua_answer.h"
#include "script/lua_runtime.h"
#include "wire/json.h"

struct il__lua_waiting {
    uint64_t token;
    int64_t due_ms; /* boot clock */
    enum il_code code;
    char *body; /* owned; NULL where there is none */
    size_t body_len;
    char reason[64], message[240];
};

struct il__lua_runtime {
    struct il__lua_runtime_options options;
    struct il__arena arena; /* names and the list of modules */
    struct il__modules modules;
    struct il__sandbox *sb;
    char file[96];
    int functions[IL_OP_COUNT]; /* references; 0: not offered */
    int inspect, retain;
    struct il_str action_id; /* while retain is called */
    int object;                 /* `runtime`, a reference */
    uint64_t uuids;
    struct il__lua_waiting *waiting;
    size_t count, cap;
    /* Of the call in progress; what a kill must not leak hangs here. */
    enum il_op op;
    struct il__json request, first, second;
    struct il__buf body, text;
    struct il__lua_answer answer;
    char failing[340]; /* runtime.fail: the text that it raised; "" none */
};

#endif
