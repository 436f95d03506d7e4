/* One member of a JSON document set to another value, in text: what is not touched stays byte for byte as it was. For
 * what asks about a case with something changed. Uses the reader for the places. Must never be used on a signed text.
 */
#ifndef IL_HOST_JSON_EDIT_H
#define IL_HOST_JSON_EDIT_H

#include "base/buf.h"
#include "wire/json.h"

/* Appends `doc` with the member at `pointer` (RFC 6901; every part names a member, none an element) set to `value`, one
 * JSON value. Objects that are missing on the way are made; something else that is in the way is IL_INVALID_REQUEST. */
enum il_code il__json_edit(const struct il__json *doc, struct il_str pointer, struct il_str value, struct il__buf *out,
                           struct il_error *err) IL_MUST_USE;
/* Appends `name` as one part of a pointer, with the slash in front. */
void il__json_edit_part(struct il__buf *pointer, struct il_str name);

#endif
