/* One policy bundle from files in memory (SPEC §5): the closed bundle.json, the files that it lists and no others, the
 * parameters with their values, and the canonical text that the host policy digest is taken over. Uses the schema
 * engine; knows no Lua: that the policies compile is seen to by policies.h.
 * Must never read a file: who read the bytes hashes and loads these same bytes. */
#ifndef IL_SCRIPT_BUNDLE_H
#define IL_SCRIPT_BUNDLE_H

#include "check/verdict.h"
#include "contract/schema.h"
#include "script/sandbox.h"
#include "wire/digest.h"

enum { IL__SCRIPT_API = 1 }; /* the version of the script API; `requires` of a bundle may not be higher */

#define IL__PARAM_TYPES(X) \
    X(IL__PARAM_STRING, "string") X(IL__PARAM_NUMBER, "number") X(IL__PARAM_INTEGER, "integer") \
    X(IL__PARAM_BOOLEAN, "boolean") X(IL__PARAM_STRINGS, "strings")
enum il__param_type {
#define IL__X(name, text) name,
    IL__PARAM_TYPES(IL__X)
#undef IL__X
    IL__PARAM_TYPE_COUNT
};
extern const char *const il__param_type_names[]; /* NULL at the end */

struct il__param {
    struct il_str name;
    enum il__param_type type;
    struct il__any value; /* the given one, else the default */
};

struct il__bundle_policy {
    struct il_str file;   /* its path in the bundle */
    struct il_str source;
    char label[200];      /* "bundle/file.lua", in messages */
    enum il__level level;
    struct il__param *params;
    size_t param_count;
    struct il_str name;   /* "bundle/policy", and the phases it has as bits; set once it was compiled */
    unsigned phases;
};

struct il__bundle {
    struct il__mem *mem;
    struct il__arena arena; /* everything below that is text */
    struct il__json manifest_doc, params_doc;
    struct il_str name, version;
    struct il__bundle_policy *policies;
    size_t policy_count;
    struct il__modules modules; /* the bundle's own `files`, by name; `next` is the caller's to set */
    struct il_str canon;    /* canonical {files, manifest, params} */
    struct il_str listed;   /* canonical array of files, a part of it: [{path, sha256, size}] */
    char digest[IL__DIGEST_TEXT]; /* of canonical {files, manifest}: what a signature is over */
    struct il_str sig;      /* bundle.sig; absent: it is not signed */
    unsigned phases;        /* of all its policies */
};

/* Takes `files` (copied) and `params_json` ({name: value}; absent: none given). On failure `*out` is unchanged, and the
 * error names file and place: decode (bundle.json or the parameters do not read), invalid_request, limit_exceeded. */
enum il_code il__bundle_open(struct il__mem *mem, struct il__digest *digest, const struct il_file *files, size_t count,
                             struct il_str params_json, struct il__bundle **out, struct il_error *err) IL_MUST_USE;
/* May this file lie beside without being listed? It is never loaded and not hashed. */
bool il__bundle_beside(struct il_str path);
/* NULL is accepted. */
void il__bundle_free(struct il__bundle *bundle);

#endif
