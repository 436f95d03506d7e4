/* What the writers of the reference share (reference.h). Nobody else includes it. */
#ifndef IL_SCRIPT_REFERENCE_INSIDE_H
#define IL_SCRIPT_REFERENCE_INSIDE_H

#include "script/globals.h"
#include "script/reference.h"

struct il__ref_view {
    const char *name;                /* the class: "Envelope" */
    const struct il__schema *schema;
    const char *about;
};
/* Every view that scripts meet, each behind those that it holds; ended by a NULL name. */
extern const struct il__ref_view il__ref_views[];
/* NULL: none. */
const struct il__ref_view *il__ref_view_of(const struct il__schema *schema);

struct il__ref_enum {
    const char *name;
    const char *const *names;
    const char *about;
};
extern const struct il__ref_enum il__ref_enums[];
const struct il__ref_enum *il__ref_enum_of(const char *const *names);

/* The type of a view's member as LuaLS writes it, without whether it may be nil. */
void il__ref_field_type(const struct il__schema *schema, const struct il__field *row, struct il__buf *out);
bool il__ref_field_optional(const struct il__field *row);
/* The type of a kind's row; `optional`: of an option that may be left out. */
void il__ref_kind_type(const struct il__kind *kind, bool optional, struct il__buf *out);
/* A text as lines of at most 120 columns, each behind `prefix`. */
void il__ref_wrap(const char *prefix, const char *text, struct il__buf *out);
/* "preview, approve, execute"; of 0 "all". */
void il__ref_phases(unsigned phases, struct il__buf *out);
/* "Time": the class of an object of il__objects. */
const char *il__ref_object_name(const struct il__object *object);
/* "Limit" for ctx.limit: behind it stands "Options". */
void il__ref_options_name(const struct il__member *member, struct il__buf *out);

/* The words of scenarios, read from the embedded files: methods of `s` with their parameters, members of a scenario,
 * options of `fake`. */
struct il__ref_word {
    struct il_str name;
    struct il_str type;              /* of an option: "string|integer" */
    struct il_str params[4];         /* of a method, behind `self` */
    size_t param_count;
};
struct il__ref_words {
    struct il__ref_word *methods, *members, *options, *globals; /* globals: il__scenario_globals */
    size_t method_count, member_count, option_count, global_count;
};
enum il_code il__ref_words_read(struct il__arena *arena, struct il__ref_words *out, struct il_error *err) IL_MUST_USE;

#endif
