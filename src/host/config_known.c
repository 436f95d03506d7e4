/* What stands in a configuration and is no member of it: said with the member that may have been meant (config.h). Uses
 * the rows of the schema. Must never repeat a value: it may be the secret that does not belong there. */
#include "base/error.h"
#include "contract/config.h"
#include "host/config.h"
#include "script/near.h"

#include <stdio.h>

enum { POINTER_MAX = 192 };

static bool is_secret(struct il_str name)
{
    static const char *const words[] = { "token", "bearer", "password", "secret", "apiKey" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (il__str_eq(name, il__str(words[i]))) return true;
    return false;
}

static const struct il__field *row_of(const struct il__schema *schema, struct il_str name)
{
    for (const struct il__field *f = schema->fields; f->wire; f++)
        if (il__str_eq(il__str(f->wire), name)) return f;
    return NULL;
}

static enum il_code refuse(const struct il__schema *schema, const struct il__json *doc, uint32_t value,
                           struct il_str name, struct il_error *err)
{
    char pointer[POINTER_MAX];
    struct il__near near = il__near_start(name);
    il__json_pointer(doc, value, pointer, sizeof pointer);
    if (is_secret(name))
        return il__fail_at(err, IL_DECODE, "configuration", pointer,
                           "%s: a secret never stands in this file; name where it is with tokenFile or tokenEnv",
                           pointer);
    for (const struct il__field *f = schema->fields; f->wire; f++) il__near_try(&near, il__str(f->wire));
    if (!il__str_present(near.best))
        return il__fail_at(err, IL_DECODE, "configuration", pointer, "%s: there is no such member here", pointer);
    return il__fail_at(err, IL_DECODE, "configuration", pointer, "%s: there is no such member; did you mean '%.*s'?",
                       pointer, (int)near.best.len, near.best.ptr);
}

/* The members of one object. */
static enum il_code check_object(const struct il__schema *schema, struct il__json *doc, uint32_t at,
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

/* Two levels are all there are: the file, and the objects in it, alone or in a list. */
enum il_code il__config_known(struct il__json *doc, struct il_error *err)
{
    enum il_code code = check_object(&il__config_schema, doc, 0, err);
    for (const struct il__field *f = il__config_schema.fields; !code && f->wire; f++) {
        uint32_t at = f->sub ? il__json_get(doc, 0, f->wire) : 0;
        if (at && il__json_kind(doc, at) == IL__JSON_ARRAY)
            for (uint32_t item = il__json_first(doc, at); !code && item; item = il__json_next(doc, at, item))
                code = check_object(f->sub, doc, item, err);
        else if (at) code = check_object(f->sub, doc, at, err);
    }
    return code;
}
