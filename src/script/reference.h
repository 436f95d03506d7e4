/* What scripts can call and read, written for editors and people: from the very tables that the bindings are made from
 * (il__objects, the schemas of views, the globals of a sandbox, the embedded scenario words). A binding without a stub
 * cannot be: nothing is listed twice. Uses object.h, kinds.h, globals.h. */
#ifndef IL_SCRIPT_REFERENCE_H
#define IL_SCRIPT_REFERENCE_H

#include "script/kinds.h"
#include "wire/json_write.h"

/* LuaLS `---@meta` stubs; a luacheck configuration with the std `interlock`; a page of Markdown; JSON. Each ends with a
 * line feed, and is the same in every process. */
enum il_code il__reference_luals(struct il__arena *arena, struct il__buf *out, struct il_error *err) IL_MUST_USE;
enum il_code il__reference_luacheck(struct il__arena *arena, struct il__buf *out, struct il_error *err) IL_MUST_USE;
enum il_code il__reference_page(struct il__arena *arena, struct il__buf *out, struct il_error *err) IL_MUST_USE;
enum il_code il__reference_json(struct il__arena *arena, struct il__buf *out, struct il_error *err) IL_MUST_USE;

#endif
