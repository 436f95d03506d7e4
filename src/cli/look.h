/* A look into JSON documents that the library wrote or accepted: find a member, read its text, step through a list.
 * Uses no tree and no recursion. It trusts the grammar (the library checked it) but never reads past the end.
 * Must never judge a document: decoding is the library's. */
#ifndef IL_CLI_LOOK_H
#define IL_CLI_LOOK_H

#include "cli/text.h"

/* The raw text of the value at `path` ("result.status", "needs"); absent when it is not there. */
struct il_str il__look_get(struct il_str doc, const char *path);
/* The value is there and is not null. */
bool il__look_has(struct il_str doc, const char *path);
/* Steps through an array or object: starts with *at 0; false past the end. `name` (may be NULL) gets the raw name of a
 * member with its quotes. */
bool il__look_next(struct il_str doc, size_t *at, struct il_str *name, struct il_str *value);
/* Adds the content of a string, unescaped (not safe for a terminal yet), or the raw text of any other value; nothing
 * for an absent value or null. */
void il__look_text(struct il__text *out, struct il_str value);
/* True when the value is the string `z`. */
bool il__look_is(struct il_str value, const char *z);
/* The member's text, escaped, between two others; nothing when there is none. */
void il__look_member(struct il__text *out, struct il_str doc, const char *before, const char *name, const char *after);

#endif
