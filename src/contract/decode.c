/* Decoding by rows: collects the members of an object in one pass, then takes each row's value with its exact type and
 * holds it against the rules of the row, then the rules of the type. Uses the tape and its arena. It calls itself for
 * sub-objects, as deep as the tables nest and never deeper because of the input. Must never convert, round or cut a
 * value. */
#include "contract/field.h"

#include "base/error.h"

#include <stdio.h>

enum { POINTER_MAX = 192, FOUND_MAX = 96 };

/* One object being decoded. */
struct decoder {
    const struct il__schema *schema;
    struct il__json *doc;
    uint32_t at;
    unsigned char *out;
    struct il_error *err;
    uint32_t seen[IL__FIELDS_MAX]; /* value node by row; 0: absent or null in an optional member */
};

static enum il_code no_memory(struct il_error *err)
{
    return il__fail(err, IL_OUT_OF_MEMORY, "out of memory while decoding");
}

/* What stands at a node, in words: numbers as written, texts by their kind alone. */
static void found(const struct il__json *doc, uint32_t at, char buf[FOUND_MAX])
{
    enum il__json_kind kind = il__json_kind(doc, at);
    bool number = kind == IL__JSON_INT || kind == IL__JSON_DOUBLE;
    struct il_str raw = il__json_raw(doc, at);
    if (number && raw.len <= 40) (void)snprintf(buf, FOUND_MAX, "the number %.*s", IL_STR_FMT(raw));
    else (void)snprintf(buf, FOUND_MAX, "%s %s", kind == IL__JSON_NULL ? "the value" : "a value of type",
                        il__json_kind_name(kind));
}

static enum il_code refuse_at(const struct decoder *d, const struct il__field *field, uint32_t node, const char *actual)
{
    char pointer[POINTER_MAX], expected[IL__FIELD_TEXT_MAX];
    il__json_pointer(d->doc, node, pointer, sizeof(pointer));
    il__field_expected(field, expected);
    return il__refuse(d->err, IL_DECODE, d->schema->object, pointer, il__str(expected), il__str(actual));
}

static enum il_code wrong_type(const struct decoder *d, const struct il__field *field, uint32_t node)
{
    char actual[FOUND_MAX];
    found(d->doc, node, actual);
    return refuse_at(d, field, node, actual);
}

static enum il_code missing(const struct decoder *d, const struct il__field *field)
{
    const struct il__where where = { d->schema->object, d->doc, d->at, d->err };
    char expected[IL__FIELD_TEXT_MAX];
    il__field_expected(field, expected);
    return il__broken(&where, IL_DECODE, field->wire, expected, NULL);
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

static enum il_code take_str(const struct decoder *d, const struct il__field *field, uint32_t node, struct il_str *out)
{
    if (il__json_kind(d->doc, node) != IL__JSON_STRING) return wrong_type(d, field, node);
    return il__json_string(d->doc, node, out, d->err);
}

static enum il_code take_bool(const struct decoder *d, const struct il__field *field, uint32_t node, void *out)
{
    enum il__json_kind kind = il__json_kind(d->doc, node);
    if (kind != IL__JSON_TRUE && kind != IL__JSON_FALSE) return wrong_type(d, field, node);
    bool value = kind == IL__JSON_TRUE;
    if (field->flags & IL__F_OPT) *(struct il__opt_bool *)out = (struct il__opt_bool){ true, value };
    else *(bool *)out = value;
    return IL_OK;
}

static enum il_code take_int(const struct decoder *d, const struct il__field *field, uint32_t node, void *out)
{
    int64_t value;
    if (!il__json_int(d->doc, node, &value)) return wrong_type(d, field, node);
    if (field->flags & IL__F_OPT) *(struct il__opt_int *)out = (struct il__opt_int){ true, value };
    else *(int64_t *)out = value;
    return IL_OK;
}

static enum il_code take_num(const struct decoder *d, const struct il__field *field, uint32_t node, void *out)
{
    double value;
    if (!il__json_double(d->doc, node, &value)) return wrong_type(d, field, node);
    if (field->flags & IL__F_OPT) *(struct il__opt_num *)out = (struct il__opt_num){ true, value };
    else *(double *)out = value;
    return IL_OK;
}

static enum il_code take_enum(const struct decoder *d, const struct il__field *field, uint32_t node, int *out)
{
    struct il_str text = IL_STR_NONE;
    enum il_code code = take_str(d, field, node, &text);
    if (code) return code;
    *out = il__name_index(field->names, text);
    if (*out >= 0) return IL_OK;
    char actual[FOUND_MAX];
    (void)snprintf(actual, sizeof(actual), text.len ? "another text" : "an empty text");
    return refuse_at(d, field, node, actual);
}

/* Memory for the items of a list; never NULL for an empty one, since NULL means absent. */
static void *list_alloc(const struct decoder *d, uint32_t node, size_t size)
{
    size_t count = il__json_at(d->doc, node)->count;
    return count > SIZE_MAX / size ? NULL : il__arena_alloc(&d->doc->arena, (count ? count : 1) * size);
}

static enum il_code take_strs(const struct decoder *d, const struct il__field *field, uint32_t node,
                              struct il__strs *out)
{
    if (il__json_kind(d->doc, node) != IL__JSON_ARRAY) return wrong_type(d, field, node);
    struct il_str *items = list_alloc(d, node, sizeof(*items));
    if (!items) return no_memory(d->err);
    size_t n = 0;
    for (uint32_t at = il__json_first(d->doc, node); at; at = il__json_next(d->doc, node, at)) {
        enum il_code code = take_str(d, field, at, &items[n++]);
        if (code) return code;
    }
    *out = (struct il__strs){ items, n };
    return IL_OK;
}

static enum il_code take_object(const struct decoder *d, const struct il__field *field, uint32_t node, void **out)
{
    void *obj = il__arena_alloc(&d->doc->arena, field->sub->size);
    if (!obj) return no_memory(d->err);
    enum il_code code = il__decode(field->sub, d->doc, node, obj, d->err);
    if (!code) *out = obj;
    return code;
}

static enum il_code take_objects(const struct decoder *d, const struct il__field *field, uint32_t node,
                                 struct il__objects *out)
{
    if (il__json_kind(d->doc, node) != IL__JSON_ARRAY) return wrong_type(d, field, node);
    void **items = list_alloc(d, node, sizeof(*items));
    if (!items) return no_memory(d->err);
    size_t n = 0;
    for (uint32_t at = il__json_first(d->doc, node); at; at = il__json_next(d->doc, node, at)) {
        enum il_code code = take_object(d, field, at, &items[n++]);
        if (code) return code;
    }
    *out = (struct il__objects){ (const void *const *)items, n };
    return IL_OK;
}

static enum il_code take_window(const struct decoder *d, const struct il__field *field, uint32_t node,
                                struct il__window_id *out)
{
    if (il__json_kind(d->doc, node) == IL__JSON_STRING) {
        out->kind = IL__WINDOW_TEXT;
        return il__json_string(d->doc, node, &out->text, d->err);
    }
    if (!il__json_int(d->doc, node, &out->token)) return wrong_type(d, field, node);
    out->kind = IL__WINDOW_TOKEN;
    return IL_OK;
}

static enum il_code take_windows(const struct decoder *d, const struct il__field *field, uint32_t node,
                                 struct il__windows *out)
{
    if (il__json_kind(d->doc, node) != IL__JSON_ARRAY) return wrong_type(d, field, node);
    struct il__window_id *items = list_alloc(d, node, sizeof(*items));
    if (!items) return no_memory(d->err);
    size_t n = 0;
    for (uint32_t at = il__json_first(d->doc, node); at; at = il__json_next(d->doc, node, at)) {
        enum il_code code = take_window(d, field, at, &items[n++]);
        if (code) return code;
    }
    *out = (struct il__windows){ items, n };
    return IL_OK;
}

static enum il_code take_counts(const struct decoder *d, const struct il__field *field, uint32_t node,
                                struct il__counts *out)
{
    if (il__json_kind(d->doc, node) != IL__JSON_OBJECT) return wrong_type(d, field, node);
    struct il_str *names = list_alloc(d, node, sizeof(*names));
    int64_t *values = list_alloc(d, node, sizeof(*values));
    if (!names || !values) return no_memory(d->err);
    size_t n = 0;
    for (uint32_t name = il__json_first(d->doc, node); name; name = il__json_next(d->doc, node, name + 1), n++) {
        enum il_code code = il__json_string(d->doc, name, &names[n], d->err);
        if (code) return code;
        if (!il__json_int(d->doc, name + 1, &values[n]) || values[n] < 0) return wrong_type(d, field, name + 1);
    }
    *out = (struct il__counts){ names, values, n };
    return IL_OK;
}

/* ---- members ---------------------------------------------------------------------------------------------------- */

static enum il_code take(const struct decoder *d, const struct il__field *field, uint32_t node)
{
    void *p = il__field_in(field, d->out);
    switch (field->kind) {
    case IL__F_STR: return take_str(d, field, node, p);
    case IL__F_BOOL: return take_bool(d, field, node, p);
    case IL__F_INT: return take_int(d, field, node, p);
    case IL__F_NUM: return take_num(d, field, node, p);
    case IL__F_ENUM: return take_enum(d, field, node, p);
    case IL__F_STRS:
    case IL__F_ENUMS: return take_strs(d, field, node, p);
    case IL__F_OBJECT: return take_object(d, field, node, p);
    case IL__F_OBJECTS: return take_objects(d, field, node, p);
    case IL__F_ARGS:
        if (il__json_kind(d->doc, node) != IL__JSON_OBJECT) return wrong_type(d, field, node);
        *(struct il__any *)p = (struct il__any){ d->doc, node };
        return IL_OK;
    case IL__F_ANY: *(struct il__any *)p = (struct il__any){ d->doc, node }; return IL_OK;
    case IL__F_WINDOW: return take_window(d, field, node, p);
    case IL__F_WINDOWS: return take_windows(d, field, node, p);
    case IL__F_COUNTS: return take_counts(d, field, node, p);
    }
    return IL_DECODE;
}

/* A document of its own that holds `{}`; it lives in the arena and owns nothing. */
static enum il_code empty_object(const struct decoder *d, struct il__any *out)
{
    struct il__json *doc = il__arena_alloc(&d->doc->arena, sizeof(*doc));
    struct il__json_node *node = il__arena_alloc(&d->doc->arena, sizeof(*node));
    if (!doc || !node) return no_memory(d->err);
    *node = (struct il__json_node){ .len = 2, .end = 1, .kind = IL__JSON_OBJECT, .depth = 1 };
    *doc = (struct il__json){ .text = IL_STR("{}"), .nodes = node, .count = 1, .cap = 1, .depth = 1,
                              .mem = d->doc->mem };
    il__arena_init(&doc->arena, doc->mem);
    *out = (struct il__any){ doc, 0 };
    return IL_OK;
}

/* What an absent member is: marked so, or its default. */
static enum il_code leave_out(const struct decoder *d, const struct il__field *field)
{
    void *p = il__field_in(field, d->out);
    bool preset = (field->flags & IL__F_DEFAULT) != 0;
    if (!(field->flags & IL__F_OPT)) return missing(d, field);
    if (field->kind == IL__F_ENUM) *(int *)p = preset ? (int)field->least : -1;
    if (!preset || field->kind == IL__F_ENUM) return IL_OK;
    if (field->kind == IL__F_ARGS) return empty_object(d, p);
    void *none = il__arena_alloc(&d->doc->arena, sizeof(struct il__window_id));
    if (!none) return no_memory(d->err);
    if (field->kind == IL__F_WINDOWS) *(struct il__windows *)p = (struct il__windows){ none, 0 };
    else *(struct il__strs *)p = (struct il__strs){ none, 0 };
    return IL_OK;
}

static enum il_code hold(const struct decoder *d, const struct il__field *field, uint32_t node)
{
    struct il__fault fault;
    enum il_code code = il__field_check(field, d->out, d->doc->mem, &fault);
    if (!code) return IL_OK;
    if (code == IL_OUT_OF_MEMORY) return no_memory(d->err);
    uint32_t place = node;
    if (fault.item) {
        place = il__json_first(d->doc, node);
        for (size_t i = 1; i < fault.item; i++) place = il__json_next(d->doc, node, place);
    }
    return refuse_at(d, field, place, fault.actual);
}

static enum il_code decode_row(const struct decoder *d, size_t row)
{
    const struct il__field *field = &d->schema->fields[row];
    uint32_t node = d->seen[row];
    if (!il__field_applies(d->schema, field, d->out)) {
        if (!node) return IL_OK;
        const struct il__where where = { d->schema->object, d->doc, d->at, d->err };
        return il__broken(&where, IL_DECODE, field->wire, "no such member in this kind", "one");
    }
    bool null = node && il__json_kind(d->doc, node) == IL__JSON_NULL;
    if (null && (field->flags & IL__F_OPT) && !(field->flags & IL__F_NULLABLE)) node = 0;
    if (!node) return leave_out(d, field);
    enum il_code code = take(d, field, node);
    return code ? code : hold(d, field, node);
}

/* The row of a member name; IL__FIELDS_MAX when there is none. Members mostly come in the order of the rows, so the
 * search begins at `hint`. */
static size_t row_of(const struct il__schema *schema, size_t rows, size_t hint, struct il_str name)
{
    for (size_t i = 0; i < rows; i++) {
        size_t row = hint + i < rows ? hint + i : hint + i - rows;
        if (il__str_eq(il__str(schema->fields[row].wire), name)) return row;
    }
    return IL__FIELDS_MAX;
}

static enum il_code unknown_member(const struct decoder *d, uint32_t value, struct il_str name)
{
    char pointer[POINTER_MAX], shown[80], actual[FOUND_MAX];
    enum il_code code = d->schema->unknown ? d->schema->unknown : IL_DECODE;
    il__json_pointer(d->doc, value, pointer, sizeof(pointer));
    (void)il__escape(shown, sizeof(shown), name);
    (void)snprintf(actual, sizeof(actual), "a member %s", shown);
    return il__refuse(d->err, code, d->schema->object, pointer, IL_STR("only the members of this type"),
                      il__str(actual));
}

static enum il_code collect(struct decoder *d)
{
    uint32_t name = il__json_first(d->doc, d->at);
    size_t rows = il__field_count(d->schema), hint = 0;
    if (rows > IL__FIELDS_MAX) rows = IL__FIELDS_MAX;
    for (; name; name = il__json_next(d->doc, d->at, name + 1)) {
        struct il_str text;
        enum il_code code = il__json_string(d->doc, name, &text, d->err);
        if (code) return code;
        size_t row = row_of(d->schema, rows, hint, text);
        hint = row + 1 < rows ? row + 1 : 0;
        if (row < IL__FIELDS_MAX) d->seen[row] = name + 1;
        else if (d->schema->closed) return unknown_member(d, name + 1, text);
    }
    return IL_OK;
}

static enum il_code decode_object(struct decoder *d)
{
    const struct il__where where = { d->schema->object, d->doc, d->at, d->err };
    if (il__json_kind(d->doc, d->at) != IL__JSON_OBJECT) {
        char actual[FOUND_MAX];
        found(d->doc, d->at, actual);
        return il__broken(&where, IL_DECODE, NULL, "an object", actual);
    }
    enum il_code code = collect(d);
    for (size_t i = 0; !code && i < IL__FIELDS_MAX && d->schema->fields[i].wire; i++) code = decode_row(d, i);
    if (!code && d->schema->rules) code = d->schema->rules(d->out, &where);
    return code;
}

enum il_code il__decode(const struct il__schema *schema, struct il__json *doc, uint32_t at, void *out,
                        struct il_error *err)
{
    struct decoder d = { .schema = schema, .doc = doc, .at = at, .out = out, .err = err };
    memset(out, 0, schema->size);
    enum il_code code = decode_object(&d);
    if (code) {
        memset(out, 0, schema->size);
        il__error_object(err, schema->object);
        return code;
    }
    if (schema->derive) schema->derive(out, doc, at);
    return IL_OK;
}
