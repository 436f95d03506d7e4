/* The parser of Lua source may be fed anything. What it refuses the stock compiler refuses, and the other way round,
 * but for the bounds that only one of them has; every node lies within the source and within its parent. */
#include "script/syntax.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What only one of the two bounds: depth, registers, upvalues, size of a function. */
static bool bound(const char *message)
{
    static const char *const words[] = { "C stack overflow", "levels", "too many", "at most", "limit", "too complex",
                                         "control structure", "lexical element", "script_source" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(message, words[i])) return true;
    return false;
}

static void check_tree(const struct il__syntax *s)
{
    uint32_t seen = 0;
    for (uint32_t at = s->root; at; at = il__syn_walk(s, s->root, at)) {
        const struct il__syn *n = il__syn(s, at), *parent = il__syn(s, n->parent);
        if (n->from > n->to || n->to > s->source.len || n->line == 0) abort();
        if (at != s->root && !(n->flags & IL__SYN_SELF) && (n->from < parent->from || n->to > parent->to)) abort();
        if (++seen > s->count) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct il__mem mem;
    struct il__syntax *tree = NULL;
    struct il__syntax_fault fault = { 0 };
    struct il_str source = { (const char *)data, size };
    if (size > 0 && strchr("{[\"", data[0]) && data[0]) return 0; /* JSON, of which there is much: never Lua */
    lua_State *L = luaL_newstate();
    il__mem_init(&mem, NULL, NULL, 0);
    bool ours = il__syntax_parse(&mem, source, &tree, &fault, NULL) == IL_OK;
    bool stock = luaL_loadbufferx(L, size ? source.ptr : "", size, "=x", "t") == LUA_OK;
    if (ours != stock && !bound(ours ? lua_tostring(L, -1) : fault.message)) abort();
    if (ours) check_tree(tree);
    else if (fault.line == 0 || fault.column == 0 || !fault.message[0] || fault.at > size) abort();
    il__syntax_free(tree);
    if (mem.in_use_bytes) abort();
    lua_close(L);
    return 0;
}
