/* Lua source text: quoted strings, and JSON documents in long brackets, broken into lines for people. What a document
 * holds stays what it is, but for values that are masked and tickets that are named anew. Must never write a ticket. */
#ifndef IL_EVIDENCE_LUA_TEXT_H
#define IL_EVIDENCE_LUA_TEXT_H

#include "base/buf.h"
#include "wire/json.h"

/* A bearer ticket, and what stands for it. */
struct il__ticket { struct il_str was; char is[24]; };

struct il__lua_text {
    struct il__buf *out;
    const struct il_str *masks; size_t mask_count; /* JSON pointers; values there become "masked", 0, false or null */
    const struct il__ticket *tickets; size_t ticket_count;
};

/* A string literal. */
void il__lua_quote(struct il__buf *out, struct il_str s);
/* What stands for a ticket; the text itself when it is none. */
struct il_str il__lua_ticket(const struct il__lua_text *t, struct il_str s);
/* Is this place masked? */
bool il__lua_masked(const struct il__lua_text *t, const char *pointer);
/* [[JSON]] of a whole document, its lines behind `indent` spaces. */
enum il_code il__lua_json(const struct il__lua_text *t, struct il__json *doc, int indent,
                          struct il_error *err) IL_MUST_USE;

#endif
