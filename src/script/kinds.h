/* The words of a member's `kind` (object.h) as types: what a value is, what a function takes and gives. From them come
 * what lint knows of a field, the stubs of editors and the reference. Every word has its row in kinds.c; a test refuses
 * a binding whose words have none. Uses object.h and the schemas. */
#ifndef IL_SCRIPT_KINDS_H
#define IL_SCRIPT_KINDS_H

#include "contract/schema.h"
#include "script/object.h"

struct il__kind {
    const char *word;
    const char *luals;               /* as LuaLS writes the type */
    const struct il__schema *schema; /* of a view; NULL: none */
    const char *const *names;        /* of a text that is one of these; NULL: none */
    const struct il__object *object; /* of an object; NULL: none */
};

/* The row of a value's kind, of a result, or of a parameter; NULL: there is none. */
const struct il__kind *il__kind_of(struct il_str word);
const struct il__kind *il__kind_param(struct il_str name);

/* The texts that a text of a view is one of: of an enumeration, and of few others; NULL: it may be any. */
const char *const *il__kind_field_names(const struct il__schema *schema, const struct il__field *row);
extern const char *const il__weekday_names[];         /* NULL at the end, as the next */
extern const char *const il__history_outcome_names[];

/* A function's kind is "(params) -> results", each separated by ", "; a parameter may be "{ option, ... }". */
bool il__kind_is_function(const struct il__member *member);
/* What stands between the parentheses, and behind the arrow (empty: nothing). */
struct il_str il__kind_params(const struct il__member *member);
struct il_str il__kind_results(const struct il__member *member);
/* The next piece of a list, without what surrounds it; false at its end. Start with `*at` 0. */
bool il__kind_next(struct il_str list, size_t *at, struct il_str *piece);
/* The n-th parameter's options, without braces; absent when it is none or not a table. */
struct il_str il__kind_options(const struct il__member *member, unsigned n);

#endif
