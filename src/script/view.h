/* Read-only views of host memory: userdata over a JSON node or over a contract struct by its schema (members by their
 * Lua names). Nothing is copied until a scalar is read. Writing, rawset, table.* and setmetatable all fail on them;
 * pairs, ipairs, # and [] work. A view refers to host memory through a slot of its sandbox: after the slot is disarmed
 * every use says so. One metatable per type. Must never be used to hand out memory that the host may change. */
#ifndef IL_SCRIPT_VIEW_H
#define IL_SCRIPT_VIEW_H

#include "contract/schema.h"
#include "script/sandbox.h"

enum { IL__VIEW_SLOTS = 32 };

/* Views pushed from now on belong to slot `slot` (0 when nothing was set). Each slot is armed from the start. */
void il__view_slot(struct il__sandbox *sb, unsigned slot);
/* Every view of that slot, or of all slots, is dead from now on; later views of the slot are alive again. */
void il__view_disarm(struct il__sandbox *sb, unsigned slot);
void il__view_disarm_all(struct il__sandbox *sb);

/* Pushes node `at`: a scalar as a Lua value, an object or list as a view. A member that is null reads as nil; a list
 * element that is null reads as json.null. `doc` must outlive the view or its slot be disarmed first. */
void il__view_push_json(lua_State *L, struct il__json *doc, uint32_t at);
/* Pushes a view over `obj`, described by `schema`; nil when `obj` is NULL. Reading a member that the schema does not
 * have is an error which names the nearest one; an absent member is nil. */
void il__view_push_struct(lua_State *L, const struct il__schema *schema, const void *obj);

/* True when the value at `idx` is an armed view; appends its JSON text (a node as it was received, a struct by its
 * schema). Raises on a disarmed one. */
bool il__view_is(lua_State *L, int idx);
void il__view_to_json(lua_State *L, int idx, struct il__buf *out);
void il__view_write(lua_State *L, int idx, struct il__json_writer *w);
bool il__view_armed(lua_State *L, int idx); /* never raises */
/* il__view_write at no price and never raising; false when there is no armed view. */
bool il__view_put(lua_State *L, int idx, struct il__json_writer *w);
/* For the probe of the sandbox, if it has one: the view at `idx` is `root`, and what is read of it is noted. */
void il__view_root(lua_State *L, int idx, const char *root);
/* The same for what is no view: the value on top was read from `root` with the key at `key`. */
void il__view_read(lua_State *L, const char *root, int key);
/* The struct behind a view of exactly `schema`, or NULL. */
const void *il__view_struct(lua_State *L, int idx, const struct il__schema *schema);

#endif
