/* What stands in a bundle.json and is no member of it: said with the member that may have been meant. Used by
 * bundle.c and bundle_params.c only. */
#ifndef IL_SCRIPT_BUNDLE_KNOWN_H
#define IL_SCRIPT_BUNDLE_KNOWN_H

#include "contract/schema.h"

/* Refuses a member of the root, or of an object in one of its lists, that `schema` has no row for. */
enum il_code il__bundle_known(const struct il__schema *schema, struct il__json *doc, struct il_error *err) IL_MUST_USE;
/* The same of one object in it. */
enum il_code il__bundle_known_in(const struct il__schema *schema, struct il__json *doc, uint32_t at,
                                 struct il_error *err) IL_MUST_USE;

#endif
