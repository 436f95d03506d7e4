/* One table per wire type drives decode, encode, comparison and the views that scripts get: a row per member with its
 * wire name, its name in Lua and in refusals (snake_case), its kind, its place in the struct and what it means. Rules
 * that span members are one function per type, and hold in decode and in encode.
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
enum il__window_kind { IL__WINDOW_NONE, IL__WINDOW_TEXT, IL__WINDOW_TOKEN };
struct il__window_id { enum il__window_kind kind; struct il_str text; int64_t token; };
struct il__windows { const struct il__window_id *items; size_t count; };
struct il__objects { const void *const *items; size_t count; };
struct il__counts { const struct il_str *names; const int64_t *values; size_t count; };

enum il__field_kind {
    IL__F_STR,        /* struct il_str */
    IL__F_BOOL,       /* bool, or struct il__opt_bool when optional */
    IL__F_INT,        /* int64_t, or struct il__opt_int when optional; between least and most */
    IL__F_NUM,        /* double, or struct il__opt_num when optional; between least and most */
    IL__F_ENUM,       /* int: index into `names` (const char *const *, NULL-terminated); -1 when absent */
    IL__F_STRS,       /* struct il__strs */
    IL__F_ENUMS,      /* struct il__strs whose texts are in `names` */
    IL__F_OBJECT,     /* const T *, T described by `sub` */
    IL__F_OBJECTS,    /* struct il__objects of T */
    IL__F_ANY,        /* struct il__any, free-form */
    IL__F_ARGS,       /* struct il__any that must be an object, strict JSON; absent in a document: an empty one */
    IL__F_WINDOW,     /* struct il__window_id */
    IL__F_WINDOWS,    /* struct il__windows */
    IL__F_COUNTS      /* struct il__counts: {name: count} */
};

enum {
    IL__F_OPT = 1,            /* may be absent; null means absent */
    IL__F_NONEMPTY = 2,       /* text or list must not be empty */
    IL__F_TIME = 4,           /* a timestamp (not parsed on decode; readable is a check) */
    IL__F_UNIQUE = 8,         /* list without duplicates */
    IL__F_ITEMS_NONEMPTY = 16, /* no text of the list is empty */
    IL__F_DEFAULT = 32,       /* with OPT: absent decodes to the empty list, the empty object, or enum `least` */
    IL__F_HEX64 = 64,         /* text: 64 lowercase hex digits */
    IL__F_SHA256 = 128,       /* text: "sha256:" and 64 lowercase hex digits */
    IL__F_NULLABLE = 256,     /* ANY: null is a value, not absence */
    IL__F_SEAL = 512          /* with SHA256: may be empty while encoding, as the text under a seal is written */
};

struct il__field {
    const char *wire;  /* "actionId" */
    const char *lua;   /* "action_id" */
    enum il__field_kind kind;
    unsigned flags;
    size_t offset;
    const struct il__schema *sub;
    const char *const *names;
    int64_t least, most;   /* INT and NUM: the range, both ends included; lists: how many items (most 0: no bound) */
    unsigned when;         /* 0: always; else bit n: only when the first row, an enum, has value n */
    const char *about;     /* one sentence, shown in the API reference */
};

/* Where a rule is broken; given to `rules`. */
struct il__where {
    const char *object;
    const struct il__json *doc; /* NULL while encoding */
    uint32_t at;
    struct il_error *err;
};

struct il__schema {
    const char *object;  /* the object name in errors: "action envelope" */
    size_t size;         /* sizeof the struct */
    bool closed;         /* unknown members are refused */
    enum il_code unknown; /* with `closed`: the code of that refusal; IL_OK means decode */
    const struct il__field *fields; /* ended by a row with NULL wire */
    /* Rules across members, after all rows decoded and before any is encoded; NULL: none. Broken: il__broken. */
    enum il_code (*rules)(const void *obj, const struct il__where *where);
    /* Fills members that are no rows, after a decode; NULL: none. Cannot fail. */
    void (*derive)(void *obj, struct il__json *doc, uint32_t at);
};

/* Reports a broken rule at `member` (a wire name; NULL: the object itself), with what was expected and what was found
 * there; returns `code`. Neither text may hold a value that could be a secret. */
enum il_code il__broken(const struct il__where *where, enum il_code code, const char *member, const char *expected,
                        const char *actual);

/* Decodes node `at` of `doc` into `out` (schema->size bytes, cleared first). On failure `out` is cleared and `err` is
 * `decode` (invalid_request where the type says so) with the JSON pointer in `field` and the object named. The caller
 * has made sure of strictness with il__schema_strict. */
enum il_code il__decode(const struct il__schema *schema, struct il__json *doc, uint32_t at, void *out,
                        struct il_error *err) IL_MUST_USE;
/* Parses `text` into `doc` (a copy), enforces strictness, decodes the root. On failure `doc` is cleared. A schema with
 * free-form members is read with the limits of IL__JSON_PAYLOAD, any other with IL__JSON_CONTRACT. */
enum il_code il__decode_text(const struct il__schema *schema, struct il__mem *mem, struct il_str text,
                             struct il__json *doc, void *out, struct il_error *err) IL_MUST_USE;
/* Refuses at node `at` what only the free-form members of this type may hold (SPEC §2 Decoding). il__decode does not
 * do it; il__decode_text does. */
enum il_code il__schema_strict(const struct il__schema *schema, const struct il__json *doc, uint32_t at,
                               struct il_error *err) IL_MUST_USE;
/* Writes known members in row order; absent ones are left out. Refused (sticky error in the writer's buffer, code
 * invalid_request) when a rule forbids it. */
void il__encode(const struct il__schema *schema, const void *obj, struct il__json_writer *w);
/* What was sent must come back equal: the same members present, with equal values. Texts bytewise, window ids by type
 * and value, numbers by value, lists in order, free-form values by canonical text. NULL equals only NULL. */
bool il__equal(const struct il__schema *schema, const void *a, const void *b);
/* True when two free-form values have the same canonical text, or are both absent. */
bool il__any_equal(struct il__any a, struct il__any b);
bool il__window_equal(struct il__window_id a, struct il__window_id b);
bool il__strs_equal(struct il__strs a, struct il__strs b);
/* True when `list` holds `s`. */
bool il__strs_has(struct il__strs list, struct il_str s);
/* Index of `s` in a NULL-terminated table, -1 when it is not there. */
int il__name_index(const char *const *names, struct il_str s);

/* The row with that Lua name, or NULL. */
const struct il__field *il__field_lua(const struct il__schema *schema, struct il_str name);
/* False when the row belongs to another `kind` of the object than this one. */
bool il__field_applies(const struct il__schema *schema, const struct il__field *field, const void *obj);
/* The schema of a document kind by name ("envelope", "lease", ...), or NULL. */
const struct il__schema *il__schema_by_kind(struct il_str kind);
/* The kinds by index, for help texts; NULL past the end. */
const char *il__schema_kind_at(size_t index);

#endif
