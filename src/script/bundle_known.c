/* Unknown members of bundle.json (bundle_known.h). The schema engine refuses them as well, in the words that it has for
 * every document; here somebody is writing. */
#include "script/bundle_known.h"

#include "base/error.h"
#include "script/near.h"

#include <stdio.h>

static const struct il__field *row_of(const struct il__schema *schema, struct il_str name)
{
    for (const struct il__field *f = schema->fields; f->wire; f++)
        if (il__str_eq(name, il__str(f->wire))) return f;
    return NULL;
}

static enum il_code refuse(const struct il__schema *schema, const struct il__json *doc, uint32_t value,
                           struct il_str name, struct il_error *err)
{
    char pointer[160], all[160];
    size_t at = 0;
    struct il__near near = il__near_start(name);
    il__json_pointer(doc, value, pointer, sizeof pointer);
    for (const struct il__field *f = schema->fields; f->wire; f++) {
        il__near_try(&near, il__str(f->wire));
        int n = snprintf(all + at, sizeof all - at, "%s%s", at ? ", " : "", f->wire);
        if (n > 0 && at + (size_t)n < sizeof all) at += (size_t)n;
    }
    if (il__str_present(near.best))
        return il__fail_at(err, IL_DECODE, schema->object, pointer, "there is no such member; did you mean \"%.*s\"?",
                           IL_STR_FMT(near.best));
    return il__fail_at(err, IL_DECODE, schema->object, pointer, "there is no such member; there are %s", all);
}

enum il_code il__bundle_known_in(const struct il__schema *schema, struct il__json *doc, uint32_t at,
                                 struct il_error *err)
{
    if (il__json_kind(doc, at) != IL__JSON_OBJECT) return IL_OK; /* refused where it is decoded */
    for (uint32_t name = il__json_first(doc, at); name; name = il__json_next(doc, at, name + 1)) {
        struct il_str text;
        enum il_code code = il__json_string(doc, name, &text, err);
        if (code) return code;
        if (!row_of(schema, text)) return refuse(schema, doc, name + 1, text, err);
    }
    return IL_OK;
}

enum il_code il__bundle_known(const struct il__schema *schema, struct il__json *doc, struct il_error *err)
{
    enum il_code code = il__bundle_known_in(schema, doc, 0, err);
    for (const struct il__field *f = schema->fields; f->wire && !code; f++) {
        const uint32_t list = f->kind == IL__F_OBJECTS ? il__json_get(doc, 0, f->wire) : 0;
        if (!list || il__json_kind(doc, list) != IL__JSON_ARRAY) continue;
        for (uint32_t at = il__json_first(doc, list); at && !code; at = il__json_next(doc, list, at))
            code = il__bundle_known_in(f->sub, doc, at, err);
    }
    return code;
}
