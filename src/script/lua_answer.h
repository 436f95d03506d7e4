/* What a function of a Lua runtime can return instead of a plain value: an answer that is lost, late, doubled, raw, a
 * failure of the transport or of the runtime. Values of a kind of their own; used by lua_runtime.c. */
#ifndef IL_SCRIPT_LUA_ANSWER_H
#define IL_SCRIPT_LUA_ANSWER_H

#include "base/buf.h"
#include "script/sandbox.h"

enum il__answer_kind {
    IL__ANSWER_BODY,    /* `body` is the answer, JSON (RAW: whatever the script wrote) */
    IL__ANSWER_FAILED,  /* the runtime answers with an error: reason, message */
    IL__ANSWER_CRASHED, /* the transport fails */
    IL__ANSWER_LOST     /* nothing ever comes */
};

struct il__lua_answer {
    enum il__answer_kind kind;
    int64_t delay_ms;
    bool twice;
    char reason[64], message[240];
};

/* Reads what a function returned (the whole stack). The body is appended to `body`, which must hang on the caller's
 * ctx. Raises, beginning with `what`, when it is nothing of that. */
void il__lua_answer_take(lua_State *L, const char *what, struct il__lua_answer *out, struct il__buf *body);

/* The functions of `runtime` that make them. */
int il__lua_answer_lost(lua_State *L);    /* () */
int il__lua_answer_crash(lua_State *L);   /* () */
int il__lua_answer_raw(lua_State *L);     /* (text) */
int il__lua_answer_failure(lua_State *L); /* (reason, message) */
int il__lua_answer_later(lua_State *L);   /* (delay, answer) */
int il__lua_answer_twice(lua_State *L);   /* (answer) */

#endif
