/* The parameters of a bundle: what bundle.json declares, and the values that were given. Used by bundle.c only. */
#ifndef IL_SCRIPT_BUNDLE_PARAMS_H
#define IL_SCRIPT_BUNDLE_PARAMS_H

#include "script/bundle.h"

/* Reads the given values, {name: value}, into b->params_doc; absent: an empty object. */
enum il_code il__bundle_params_given(struct il__bundle *b, struct il_str json, struct il_error *err) IL_MUST_USE;
/* Fills p->params from the declarations of one policy and what was given. */
enum il_code il__bundle_params(struct il__bundle *b, struct il__bundle_policy *p, struct il__any declared,
                               struct il_error *err) IL_MUST_USE;
/* Refuses a given value that no policy declares. */
enum il_code il__bundle_params_used(struct il__bundle *b, struct il_error *err) IL_MUST_USE;
/* Holds {name: value} against all declarations of these bundles: a value has its declared type, and every name is
 * declared by one of them. */
enum il_code il__bundle_params_check(struct il__bundle *const *bundles, size_t count, struct il__json *doc,
                                     struct il_error *err) IL_MUST_USE;

#endif
