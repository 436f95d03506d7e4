/* Parameters: typed, with defaults, given by name (bundle_params.h). A value of another type is refused, never
 * converted: "9" is no integer. */
#include "script/bundle_params.h"

#include "base/error.h"
#include "contract/schema.h"
#include "script/bundle_known.h"
#include "script/near.h"

#include <stdio.h>

static const char object[] = "policy bundle";

struct declaration {
    int type; /* enum il__param_type */
    struct il__any value;
};
static const struct il__field declaration_rows[] = {
    { .wire = "type", .lua = "type", .kind = IL__F_ENUM, .offset = offsetof(struct declaration, type),
      .names = il__param_type_names, .about = "string, number, integer, boolean or strings." },
    { .wire = "default", .lua = "default", .kind = IL__F_ANY, .flags = IL__F_OPT,
      .offset = offsetof(struct declaration, value), .about = "The value when none is given; absent: one must be." },
    { .wire = NULL },
};
static const struct il__schema declaration_schema = {
    .object = "bundle.json", .size = sizeof(struct declaration), .closed = true, .fields = declaration_rows,
};

static bool all_strings(const struct il__json *doc, uint32_t at)
{
    for (uint32_t e = il__json_first(doc, at); e; e = il__json_next(doc, at, e)) {
        if (il__json_kind(doc, e) != IL__JSON_STRING) return false;
    }
    return true;
}

static bool has_type(struct il__any value, enum il__param_type type)
{
    enum il__json_kind kind = il__json_kind(value.doc, value.at);
    int64_t i;
    switch (type) {
    case IL__PARAM_STRING: return kind == IL__JSON_STRING;
    case IL__PARAM_NUMBER: return kind == IL__JSON_DOUBLE || il__json_int(value.doc, value.at, &i);
    case IL__PARAM_INTEGER: return il__json_int(value.doc, value.at, &i);
    case IL__PARAM_BOOLEAN: return kind == IL__JSON_TRUE || kind == IL__JSON_FALSE;
    case IL__PARAM_STRINGS: return kind == IL__JSON_ARRAY && all_strings(value.doc, value.at);
    case IL__PARAM_TYPE_COUNT: break;
    }
    return false;
}

static const char *wanted(enum il__param_type type)
{
    switch (type) {
    case IL__PARAM_STRING: return "a string";
    case IL__PARAM_NUMBER: return "a number";
    case IL__PARAM_INTEGER: return "an integer";
    case IL__PARAM_BOOLEAN: return "true or false";
    case IL__PARAM_STRINGS: return "a list of strings";
    case IL__PARAM_TYPE_COUNT: break;
    }
    return "a value";
}

/* The same of a default: the place in bundle.json is known. */
static enum il_code refuse_default(struct il_error *err, struct il_str name, enum il__param_type type,
                                   struct il__any value)
{
    char pointer[sizeof err->field], shown[80];
    struct il_str raw = il__json_raw(value.doc, value.at);
    il__json_pointer(value.doc, value.at, pointer, sizeof pointer);
    il__escape(shown, sizeof shown, name);
    return il__fail_at(err, IL_INVALID_REQUEST, "bundle.json", pointer,
                       "the default of the parameter %s must be %s; it is %s %.*s", shown, wanted(type),
                       il__json_kind_name(il__json_kind(value.doc, value.at)), (int)(raw.len > 60 ? 60 : raw.len),
                       raw.ptr);
}

static enum il_code refuse(struct il_error *err, struct il_str name, enum il__param_type type, struct il__any value)
{
    char shown[80];
    il__escape(shown, sizeof shown, name);
    return il__fail_at(err, IL_INVALID_REQUEST, object, shown, "the value of the parameter must be %s; it is %s %.*s",
                       wanted(type), il__json_kind_name(il__json_kind(value.doc, value.at)),
                       (int)(il__json_raw(value.doc, value.at).len > 60 ? 60 : il__json_raw(value.doc, value.at).len),
                       il__json_raw(value.doc, value.at).ptr);
}

enum il_code il__bundle_params_given(struct il__bundle *b, struct il_str json, struct il_error *err)
{
    struct il_str text = il__str_present(json) ? json : IL_STR("{}");
    enum il_code code = il__json_parse_copy(&b->params_doc, b->mem, text, IL__JSON_CONTRACT, err);
    if (!code) code = il__json_strict(&b->params_doc, 0, NULL, err);
    if (!code && il__json_kind(&b->params_doc, 0) != IL__JSON_OBJECT) {
        code = il__fail_at(err, IL_DECODE, object, "", "the parameters must be an object {name: value}");
    }
    if (code) il__error_object(err, object);
    return code;
}

/* Another policy of the bundle may declare the same name, but not as something else. */
static enum il_code same_elsewhere(const struct il__bundle *b, const struct il__param *param, struct il_error *err)
{
    for (size_t i = 0; i < b->policy_count; i++) {
        const struct il__bundle_policy *p = &b->policies[i];
        for (size_t j = 0; j < p->param_count; j++) {
            if (!il__str_eq(p->params[j].name, param->name) || p->params[j].type == param->type) continue;
            char shown[80];
            il__escape(shown, sizeof shown, param->name);
            return il__fail_at(err, IL_INVALID_REQUEST, object, shown, "it is declared as %s and, in %s, as %s",
                               il__param_type_names[param->type], p->label, il__param_type_names[p->params[j].type]);
        }
    }
    return IL_OK;
}

static enum il_code read_param(struct il__bundle *b, struct il__any declared, uint32_t name_at, struct il__param *out,
                               struct il_error *err)
{
    struct il__json *doc = declared.doc;
    struct declaration d;
    enum il_code code = il__json_string(doc, name_at, &out->name, err);
    if (!code) code = il__bundle_known_in(&declaration_schema, doc, name_at + 1, err);
    if (!code) code = il__decode(&declaration_schema, doc, name_at + 1, &d, err);
    if (code) return code;
    out->type = (enum il__param_type)d.type;
    char shown[80];
    il__escape(shown, sizeof shown, out->name);
    uint32_t given = il__json_get_str(&b->params_doc, 0, out->name);
    if (d.value.doc && !has_type(d.value, out->type)) return refuse_default(err, out->name, out->type, d.value);
    out->value = given ? (struct il__any){ &b->params_doc, given } : d.value;
    if (!out->value.doc) {
        return il__fail_at(err, IL_INVALID_REQUEST, object, shown, "the parameter has no default: give it a value");
    }
    if (!has_type(out->value, out->type)) return refuse(err, out->name, out->type, out->value);
    return same_elsewhere(b, out, err);
}

enum il_code il__bundle_params(struct il__bundle *b, struct il__bundle_policy *p, struct il__any declared,
                               struct il_error *err)
{
    if (!declared.doc) return IL_OK;
    size_t count = il__json_at(declared.doc, declared.at)->count;
    if (count > IL__LIMIT_BUNDLE_PARAMS) {
        return il__fail_at(err, IL_LIMIT_EXCEEDED, object, "bundle_params", "%s: %zu parameters; at most %d", p->label,
                           count, IL__LIMIT_BUNDLE_PARAMS);
    }
    p->params = il__arena_alloc(&b->arena, (count + 1) * sizeof *p->params);
    if (!p->params) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a bundle");
    uint32_t name = il__json_first(declared.doc, declared.at);
    for (; name; name = il__json_next(declared.doc, declared.at, name + 1)) {
        enum il_code code = read_param(b, declared, name, &p->params[p->param_count], err);
        if (code) return code;
        p->param_count++;
    }
    return IL_OK;
}

/* The declaration of that name in a bundle, or NULL; names are offered to `near`. */
static const struct il__param *declared_as(const struct il__bundle *b, struct il_str name, struct il__near *near)
{
    const struct il__param *found = NULL;
    for (size_t i = 0; i < b->policy_count; i++) {
        for (size_t j = 0; j < b->policies[i].param_count; j++) {
            const struct il__param *p = &b->policies[i].params[j];
            if (il__str_eq(p->name, name)) found = p;
            il__near_try(near, p->name);
        }
    }
    return found;
}

static enum il_code refuse_unknown(struct il_error *err, const char *who, const struct il__near *near)
{
    char shown[80], hint[80];
    bool any = il__str_present(near->best);
    il__escape(shown, sizeof shown, near->word);
    il__escape(hint, sizeof hint, near->best);
    return il__fail_at(err, IL_INVALID_REQUEST, object, shown, "%s has no such parameter%s%s%s", who,
                       any ? "; did you mean \"" : "", any ? hint : "", any ? "\"?" : "");
}

enum il_code il__bundle_params_used(struct il__bundle *b, struct il_error *err)
{
    struct il__json *doc = &b->params_doc;
    char who[IL__LIMIT_BUNDLE_NAME_BYTES + 16];
    for (uint32_t name = il__json_first(doc, 0); name; name = il__json_next(doc, 0, name + 1)) {
        struct il_str given;
        enum il_code code = il__json_string(doc, name, &given, err);
        if (code) return code;
        struct il__near near = il__near_start(given);
        if (declared_as(b, given, &near)) continue;
        snprintf(who, sizeof who, "bundle %.*s", IL_STR_FMT(b->name));
        return refuse_unknown(err, who, &near);
    }
    return IL_OK;
}

enum il_code il__bundle_params_check(struct il__bundle *const *bundles, size_t count, struct il__json *doc,
                                     struct il_error *err)
{
    for (uint32_t name = il__json_first(doc, 0); name; name = il__json_next(doc, 0, name + 1)) {
        struct il_str given;
        const struct il__any value = { doc, name + 1 };
        bool known = false;
        enum il_code code = il__json_string(doc, name, &given, err);
        if (code) return code;
        struct il__near near = il__near_start(given);
        for (size_t i = 0; i < count; i++) {
            const struct il__param *p = declared_as(bundles[i], given, &near);
            if (p && !has_type(value, p->type)) return refuse(err, given, p->type, value);
            known |= p != NULL;
        }
        if (!known) return refuse_unknown(err, count == 1 ? "the bundle" : "no bundle", &near);
    }
    return IL_OK;
}
