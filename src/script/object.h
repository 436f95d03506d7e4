/* The read-only objects of the script API (`run`, `ctx`, `policy`, `runtime`): userdata over a hidden table of values,
 * each described by one table of members, from which reference pages and editor stubs are made. A member that does not
 * exist, or not in this phase, is an error which says what there is.
 * Must never hand the hidden table to a script. */
#ifndef IL_SCRIPT_OBJECT_H
#define IL_SCRIPT_OBJECT_H

#include "check/verdict.h"
#include "script/sandbox.h"

struct il__member {
    const char *name;
    const char *kind;  /* as pages show it: "string", "view of the envelope", "(reason, options)" */
    unsigned phases;   /* bit per enum il__phase in which it is there; 0: always */
    lua_CFunction fn;  /* of a function; NULL: the owner gives the value */
    const char *about; /* one sentence */
};

struct il__object {
    const char *name;  /* as scripts write it: "ctx" */
    const char *about;
    const struct il__member *members; /* ended by a NULL name; NULL: the names of the values that are given */
    lua_CFunction call; /* what calling the object does; NULL: an error */
    bool methods;       /* its functions are called with a colon, and get the object first */
    bool noted;         /* what is read of it is told to a probe (probe.h) */
};

/* Every object, ended by NULL. */
extern const struct il__object *const il__objects[];

/* Pops the table of values on top and pushes the object. Functions of `kind` are added to the table. `phase` is an
 * enum il__phase; it matters only where a member names phases. */
void il__object_push(lua_State *L, const struct il__object *kind, unsigned phase);
/* True when the value at `idx` is an object of that kind. */
bool il__object_is(lua_State *L, int idx, const struct il__object *kind);
/* For a method: raises "write run:preview(), with a colon" unless the first argument is the object, and refuses more
 * than `most` arguments behind it. */
void il__object_method(lua_State *L, const struct il__object *kind, const char *method, int most);

#endif
