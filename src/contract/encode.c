/* Encoding by rows: known members in the order of the table. Every rule that decode enforces is enforced here first, so
 * nothing is written that could not be read back; what breaks one leaves the sticky error `invalid_request` in the
 * writer's buffer. Free-form values are written as they were received. */
#include "contract/field.h"

static void fail(struct il__json_writer *w, enum il_code code)
{
    if (w->buf->code == IL_OK) w->buf->code = code;
}

static void put_strs(struct il__json_writer *w, struct il__strs list)
{
    il__jw_array(w);
    for (size_t i = 0; i < list.count; i++) il__jw_str(w, list.items[i]);
    il__jw_array_end(w);
}

static void put_window(struct il__json_writer *w, struct il__window_id id)
{
    if (id.kind == IL__WINDOW_TEXT) il__jw_str(w, id.text);
    else il__jw_int(w, id.token);
}

static void put_windows(struct il__json_writer *w, struct il__windows list)
{
    il__jw_array(w);
    for (size_t i = 0; i < list.count; i++) put_window(w, list.items[i]);
    il__jw_array_end(w);
}

static void put_objects(const struct il__schema *sub, struct il__json_writer *w, struct il__objects list)
{
    il__jw_array(w);
    for (size_t i = 0; i < list.count; i++) il__encode(sub, list.items[i], w);
    il__jw_array_end(w);
}

static void put_counts(struct il__json_writer *w, struct il__counts counts)
{
    il__jw_object(w);
    for (size_t i = 0; i < counts.count; i++) {
        il__jw_key_str(w, counts.names[i]);
        il__jw_int(w, counts.values[i]);
    }
    il__jw_object_end(w);
}

static void put(const struct il__field *field, const void *p, struct il__json_writer *w)
{
    bool opt = (field->flags & IL__F_OPT) != 0;
    switch (field->kind) {
    case IL__F_STR: il__jw_str(w, *(const struct il_str *)p); break;
    case IL__F_BOOL: il__jw_bool(w, opt ? ((const struct il__opt_bool *)p)->value : *(const bool *)p); break;
    case IL__F_INT: il__jw_int(w, opt ? ((const struct il__opt_int *)p)->value : *(const int64_t *)p); break;
    case IL__F_NUM: il__jw_double(w, opt ? ((const struct il__opt_num *)p)->value : *(const double *)p); break;
    case IL__F_ENUM: il__jw_z(w, field->names[*(const int *)p]); break;
    case IL__F_STRS:
    case IL__F_ENUMS: put_strs(w, *(const struct il__strs *)p); break;
    case IL__F_OBJECT: il__encode(field->sub, *(const void *const *)p, w); break;
    case IL__F_OBJECTS: put_objects(field->sub, w, *(const struct il__objects *)p); break;
    case IL__F_ANY:
    case IL__F_ARGS: {
        const struct il__any *any = p;
        il__jw_raw(w, il__json_raw(any->doc, any->at));
        break;
    }
    case IL__F_WINDOW: put_window(w, *(const struct il__window_id *)p); break;
    case IL__F_WINDOWS: put_windows(w, *(const struct il__windows *)p); break;
    case IL__F_COUNTS: put_counts(w, *(const struct il__counts *)p); break;
    }
}

/* A seal is computed over the text in which it is still empty. */
static bool is_open_seal(const struct il__field *field, const void *obj)
{
    return (field->flags & IL__F_SEAL) && ((const struct il_str *)il__field_of(field, obj))->len == 0;
}

static enum il_code check(const struct il__schema *schema, const void *obj, struct il__mem *mem)
{
    for (const struct il__field *field = schema->fields; field->wire; field++) {
        if (!il__field_applies(schema, field, obj)) continue;
        if (!il__field_present(field, obj)) {
            if (field->flags & IL__F_OPT) continue;
            return IL_INVALID_REQUEST;
        }
        if (is_open_seal(field, obj)) continue;
        struct il__fault fault;
        enum il_code code = il__field_check(field, obj, mem, &fault);
        if (code) return code == IL_OUT_OF_MEMORY ? code : IL_INVALID_REQUEST;
    }
    const struct il__where where = { schema->object, NULL, 0, NULL };
    enum il_code code = schema->rules ? schema->rules(obj, &where) : IL_OK;
    return code == IL_OK || code == IL_OUT_OF_MEMORY ? code : IL_INVALID_REQUEST;
}

void il__encode(const struct il__schema *schema, const void *obj, struct il__json_writer *w)
{
    enum il_code code = obj ? check(schema, obj, w->buf->mem) : IL_INVALID_REQUEST;
    if (code) {
        fail(w, code);
        return;
    }
    il__jw_object(w);
    for (const struct il__field *field = schema->fields; field->wire; field++) {
        if (!il__field_applies(schema, field, obj) || !il__field_present(field, obj)) continue;
        il__jw_key(w, field->wire);
        put(field, il__field_of(field, obj), w);
    }
    il__jw_object_end(w);
}
