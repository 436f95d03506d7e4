/* The keys of a table in the one order that scripts and the core see: numbers, then strings by their bytes, then
 * booleans. Uses state.h. Other keys have no order that a second process would repeat, and are an error. */
#ifndef IL_SCRIPT_KEYS_H
#define IL_SCRIPT_KEYS_H

#include "script/state.h"

struct il__key {
    uint32_t index;  /* position in the table of keys */
    uint8_t type;    /* 0 number, 1 string, 2 boolean */
    bool is_int;
    union {
        lua_Integer i;
        lua_Number n;
        struct { const char *ptr; size_t len; } s;
        bool b;
    } v;
};

/* Pushes a table that holds the keys of the table at `idx` in no order and keeps them alive, and above it a block with
 * one struct il__key for each, sorted; returns the block. `*bad` (may be NULL) is the name of the type of a key that
 * has no order, and NULL comes back with nothing pushed; without `bad` that is raised. No script code runs. */
const struct il__key *il__keys_sorted(lua_State *L, int idx, size_t *count, const char **bad);

#endif
