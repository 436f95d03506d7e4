/* A case as text that is put together member by member: for `policy eval` and `policy repl`. Members are found by
 * either of their names. Whether the case is a good one is the library's to say. Must never lose a member that it does
 * not know. */
#ifndef IL_CLI_POLICY_CASE_H
#define IL_CLI_POLICY_CASE_H

#include "cli/text.h"

enum { IL__CASE_STEPS = 8 }; /* of one path */

/* The case that `document` is, or the case of the action that it is. */
void il__case_begin(struct il__text *out, struct il_str document);
/* Sets the member at `path` ("action.target.app_id", "at") to a JSON value; an empty one takes the member out. False:
 * the path has more than IL__CASE_STEPS steps, or an empty one. */
bool il__case_set(struct il__text *doc, struct il_str path, struct il_str json);
/* Adds an item to the list at `path`. */
bool il__case_add(struct il__text *doc, struct il_str path, struct il_str json);
/* Sets every member of `object` in the object that is member `name` of the case. */
bool il__case_merge(struct il__text *doc, const char *name, struct il_str object);
/* `value` as a JSON value: what looks like one as it stands, anything else as a text. */
void il__case_value(struct il__text *out, struct il_str value);

#endif
