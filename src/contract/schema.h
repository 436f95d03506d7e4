/* One table per wire type drives decode, encode and the views that scripts get: a row per member with its wire name,
 * its name in Lua and in refusals (snake_case), its kind, its place in the struct and what it means. Rules that span
 * members are one function per type.
 *
 * Decoded structs hold slices of the document and pieces of its arena: they live exactly as long as the
 * `struct il__json` they were decoded from. Absent text: ptr NULL; absent list: items NULL; absent sub-object: NULL. */
#ifndef IL_CONTRACT_SCHEMA_H
#define IL_CONTRACT_SCHEMA_H

#include "wire/json.h"
#include "wire/json_write.h"

struct il__opt_int { bool has; int64_t value; };
struct il__opt_bool { bool has, value; };
struct il__opt_num { bool has; double value; };
struct il__strs { const struct il_str *items; size_t count; };
/* A free-form value: a node of the document. doc NULL: absent. */
struct il__any { struct il__json *doc; uint32_t at; };
/* String or integer token within +-(2^53-1); 42 and "42" are two ids. */
struct il__window_id { enum { IL__WINDOW_NONE, IL__WINDOW_TEXT, IL__WINDOW_TOKEN } kind; struct il_str text; int64_t token; };

enum il__field_kind {
    IL__F_STR,        /* struct il_str */
    IL__F_BOOL,       /* bool, or struct il__opt_bool when optional */
    IL__F_INT,        /* int64_t, or struct il__opt_int when optional; between min and max */
    IL__F_NUM,        /* double, or struct il__opt_num when optional; between min and max */
    IL__F_ENUM,       /* int: index into `names` (const char *const *, NULL-terminated); -1 when absent */
    IL__F_STRS,       /* struct il__strs */
    IL__F_ENUMS,      /* struct il__strs whose texts are in `names` */
    IL__F_OBJECT,     /* const T *, T described by `sub` */
    IL__F_OBJECTS,    /* struct il__objects of T */
    IL__F_ANY,        /* struct il__any, free-form */
    IL__F_ARGS,       /* struct il__any that must be an object, strict JSON */
    IL__F_WINDOW,     /* struct il__window_id */
    IL__F_COUNTS      /* struct il__counts: {name: count} */
};
struct il__objects { const void *const *items; size_t count; };
struct il__counts { const struct il_str *names; const int64_t *values; size_t count; };

enum {
    IL__F_OPT = 1,      /* may be absent; null means absent */
    IL__F_NONEMPTY = 2, /* text or list must not be empty */
    IL__F_TIME = 4,     /* a timestamp (not parsed on decode; readable is a check) */
    IL__F_UNIQUE = 8    /* list without duplicates */
};

struct il__field {
    const char *wire;  /* "actionId" */
    const char *lua;   /* "action_id" */
    enum il__field_kind kind;
    unsigned flags;
    size_t offset;
    const struct il__schema *sub;
    const char *const *names;
    double min, max;       /* INT and NUM; for lists and texts max is the most items or bytes (0: none) */
    const char *about;     /* one sentence, shown in the API reference */
};

struct il__schema {
    const char *object;  /* the object name in errors: "action envelope" */
    size_t size;         /* sizeof the struct */
    bool closed;         /* unknown members are refused */
    const struct il__field *fields; /* ended by a row with NULL wire */
    /* Rules across members, after all rows decoded; NULL: none. `at` for pointers. */
    enum il_code (*rules)(const void *obj, const struct il__json *doc, uint32_t at, struct il_error *err);
    /* Types whose members depend on a `kind` member decode and encode themselves; NULL: by rows. */
    enum il_code (*decode)(struct il__json *doc, uint32_t at, void *out, struct il_error *err);
    void (*encode)(const void *obj, struct il__json_writer *w);
};

/* Decodes node `at` of `doc` into `out` (schema->size bytes, cleared first). On failure `out` is cleared and `err` is
 * `decode` (invalid_request where the type says so) with the JSON pointer in `field` and the object named. */
enum il_code il__decode(const struct il__schema *schema, struct il__json *doc, uint32_t at, void *out,
                        struct il_error *err) IL_MUST_USE;
/* Parses `text` into `doc` (a copy), enforces strictness, decodes the root. */
enum il_code il__decode_text(const struct il__schema *schema, struct il__mem *mem, struct il_str text,
                             struct il__json *doc, void *out, struct il_error *err) IL_MUST_USE;
/* Writes known members in row order; absent ones are left out. Refused (sticky error in the writer's buffer, code
 * invalid_request) when a rule forbids it. */
void il__encode(const struct il__schema *schema, const void *obj, struct il__json_writer *w);
/* The row with that Lua name, or NULL. */
const struct il__field *il__field_lua(const struct il__schema *schema, struct il_str name);
/* The schema of a document kind by name ("envelope", "lease", ...), or NULL. */
const struct il__schema *il__schema_by_kind(struct il_str kind);

#endif
