/* Read-only views: one userdata type with one metatable over six kinds of host memory.
 * Uses contract/schema.h and wire/json.h. Must never follow a pointer before the slot's generation was compared. */
#include "script/view.h"

#include "base/error.h"
#include "contract/action.h"
#include "script/hint.h"
#include "script/keys.h"
#include "script/probe.h"
#include "script/value.h"

#include <string.h>

enum view_kind { V_NODE, V_STRUCT, V_TEXTS, V_WINDOWS, V_STRUCTS, V_COUNTS };

struct view {
    enum view_kind kind;
    unsigned slot;
    uint32_t generation;
    uint32_t at;                     /* V_NODE: the node */
    const void *obj;                 /* document, struct, il__strs, il__objects or il__counts */
    const struct il__schema *schema; /* of the struct, or of the list's items */
    const char *label;
    uint32_t path;                   /* of a probe; 0: nobody listens */
    lua_Integer last;                /* V_NODE list: the element read last, and its node */
    uint32_t last_at;
};

_Static_assert((int)IL__VIEW_SLOTS == (int)IL__VIEW_SLOT_COUNT, "one number of slots");

/* ---- slots ------------------------------------------------------------------------------------------------------- */

void il__view_slot(struct il__sandbox *sb, unsigned slot)
{
    sb->view_slot = slot < IL__VIEW_SLOTS ? slot : IL__VIEW_SLOTS - 1;
}

void il__view_disarm(struct il__sandbox *sb, unsigned slot)
{
    if (slot < IL__VIEW_SLOTS) sb->view_generation[slot]++;
}

void il__view_disarm_all(struct il__sandbox *sb)
{
    for (unsigned i = 0; i < IL__VIEW_SLOTS; i++) sb->view_generation[i]++;
}

/* ---- access ------------------------------------------------------------------------------------------------------ */

static struct view *raw_view(lua_State *L, int idx)
{
    if (lua_type(L, idx) != LUA_TUSERDATA || !lua_getmetatable(L, idx)) return NULL;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &il__key_view_meta);
    bool same = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    return same ? lua_touserdata(L, idx) : NULL;
}

static bool is_armed(lua_State *L, const struct view *v)
{
    return v->generation == il__state(L)->view_generation[v->slot];
}

/* The one accessor: an armed view, or an error. */
static struct view *armed(lua_State *L, int idx)
{
    struct view *v = raw_view(L, idx);
    if (v && is_armed(L, v)) return v;
    if (v) luaL_error(L, "this %s was used after its step was over: keep the values, not the view", v->label);
    luaL_error(L, "a view is expected");
    __builtin_unreachable(); /* luaL_error does not return, and does not say so */
}

static struct view *new_view(lua_State *L, enum view_kind kind, const void *obj, const char *label)
{
    struct il__sandbox *sb = il__state(L);
    il__charge(sb, 5);
    struct view *v = lua_newuserdatauv(L, sizeof *v, 0);
    *v = (struct view){ .kind = kind,
                        .slot = sb->view_slot,
                        .generation = sb->view_generation[sb->view_slot],
                        .obj = obj,
                        .label = label };
    lua_rawgetp(L, LUA_REGISTRYINDEX, &il__key_view_meta);
    lua_setmetatable(L, -2);
    return v;
}

/* A part of `parent` lives as long as the parent. */
static struct view *new_part(lua_State *L, const struct view *parent, enum view_kind kind, const void *obj,
                             const char *label)
{
    struct view *v = new_view(L, kind, obj, label);
    v->slot = parent->slot;
    v->generation = parent->generation;
    return v;
}

bool il__view_is(lua_State *L, int idx)
{
    struct view *v = raw_view(L, idx);
    if (v && !is_armed(L, v)) (void)armed(L, idx);
    return v != NULL;
}

const char *il__view_label(lua_State *L, int idx)
{
    struct view *v = raw_view(L, idx);
    return v ? v->label : NULL;
}

const void *il__view_struct(lua_State *L, int idx, const struct il__schema *schema)
{
    struct view *v = raw_view(L, idx);
    if (!v) return NULL;
    v = armed(L, idx);
    return v->kind == V_STRUCT && v->schema == schema ? v->obj : NULL;
}

/* ---- JSON nodes -------------------------------------------------------------------------------------------------- */

/* The document is behind a const pointer because views are one type; reading a string may fill its arena. */
static struct il__json *doc_of(const struct view *v)
{
    return (struct il__json *)(uintptr_t)v->obj;
}

/* Unescaped in memory of the script: reading the same text again and again must not grow the host. */
static void push_text(lua_State *L, struct il__json *doc, uint32_t at)
{
    const struct il__json_node *node = il__json_at(doc, at);
    il__charge(il__state(L), 1 + node->len / 32);
    if (!(node->flags & IL__JSON_ESCAPED)) {
        lua_pushlstring(L, doc->text.ptr + node->off, node->len);
        return;
    }
    char *text = lua_newuserdatauv(L, (size_t)node->len + 1, 0);
    lua_pushlstring(L, text, il__json_unescape(doc, at, text));
    lua_remove(L, -2);
}

void il__value_push_scalar(lua_State *L, struct il__json *doc, uint32_t at)
{
    int64_t i;
    double d = 0;
    if (il__json_int(doc, at, &i)) {
        lua_pushinteger(L, i);
        return;
    }
    switch (il__json_kind(doc, at)) {
    case IL__JSON_FALSE: lua_pushboolean(L, 0); break;
    case IL__JSON_TRUE: lua_pushboolean(L, 1); break;
    case IL__JSON_STRING: push_text(L, doc, at); break;
    case IL__JSON_INT: /* outside int64 */
    case IL__JSON_DOUBLE:
        (void)il__json_double(doc, at, &d);
        lua_pushnumber(L, d);
        break;
    case IL__JSON_NULL:
    case IL__JSON_ARRAY:
    case IL__JSON_OBJECT: il__value_push_null(L); break;
    }
}

static bool is_container(const struct il__json *doc, uint32_t at)
{
    return il__json_kind(doc, at) == IL__JSON_ARRAY || il__json_kind(doc, at) == IL__JSON_OBJECT;
}

static const char *node_label(const struct il__json *doc, uint32_t at)
{
    return il__json_kind(doc, at) == IL__JSON_ARRAY ? "list" : "object";
}

void il__view_push_json(lua_State *L, struct il__json *doc, uint32_t at)
{
    if (!is_container(doc, at)) il__value_push_scalar(L, doc, at);
    else new_view(L, V_NODE, doc, node_label(doc, at))->at = at;
}

static int push_node(lua_State *L, const struct view *parent, struct il__json *doc, uint32_t at)
{
    if (!is_container(doc, at)) il__value_push_scalar(L, doc, at);
    else new_part(L, parent, V_NODE, doc, node_label(doc, at))->at = at;
    return 1;
}

static int index_member(lua_State *L, const struct view *v)
{
    struct il_str name;
    struct il__json *doc = doc_of(v);
    name.ptr = lua_tolstring(L, 2, &name.len);
    il__charge(il__state(L), 2 + il__json_at(doc, v->at)->count / 4 + name.len / 32);
    uint32_t at = il__json_get_str(doc, v->at, name);
    if (at == 0 || il__json_kind(doc, at) == IL__JSON_NULL) return 0;
    return push_node(L, v, doc, at);
}

/* Walks from the element read last, or from the first. */
static int index_element(lua_State *L, struct view *v)
{
    struct il__json *doc = doc_of(v);
    lua_Integer want = lua_tointeger(L, 2), i = 1;
    if (want < 1 || want > (lua_Integer)il__json_at(doc, v->at)->count) return 0;
    uint32_t at = il__json_first(doc, v->at);
    if (v->last > 0 && v->last <= want) {
        i = v->last;
        at = v->last_at;
    }
    il__charge(il__state(L), 1 + (uint64_t)(want - i) / 4);
    for (; i < want; i++) at = il__json_next(doc, v->at, at);
    v->last = want;
    v->last_at = at;
    return push_node(L, v, doc, at);
}

/* ---- structs ----------------------------------------------------------------------------------------------------- */

void il__view_push_struct(lua_State *L, const struct il__schema *schema, const void *obj)
{
    if (!obj) lua_pushnil(L);
    else new_view(L, V_STRUCT, obj, schema->object)->schema = schema;
}

static int push_str(lua_State *L, struct il_str s)
{
    if (!il__str_present(s)) return 0;
    lua_pushlstring(L, s.ptr, s.len);
    return 1;
}

static int push_int_field(lua_State *L, const struct il__field *f, const void *at)
{
    const struct il__opt_int *o = at;
    if ((f->flags & IL__F_OPT) && !o->has) return 0;
    lua_pushinteger(L, f->flags & IL__F_OPT ? o->value : *(const int64_t *)at);
    return 1;
}

static int push_num_field(lua_State *L, const struct il__field *f, const void *at)
{
    const struct il__opt_num *o = at;
    if ((f->flags & IL__F_OPT) && !o->has) return 0;
    lua_pushnumber(L, f->flags & IL__F_OPT ? o->value : *(const double *)at);
    return 1;
}

static int push_bool_field(lua_State *L, const struct il__field *f, const void *at)
{
    const struct il__opt_bool *o = at;
    if ((f->flags & IL__F_OPT) && !o->has) return 0;
    lua_pushboolean(L, f->flags & IL__F_OPT ? o->value : *(const bool *)at);
    return 1;
}

static int push_window(lua_State *L, const struct il__window_id *w)
{
    if (w->kind == IL__WINDOW_NONE) return 0;
    if (w->kind == IL__WINDOW_TEXT) return push_str(L, w->text);
    lua_pushinteger(L, w->token);
    return 1;
}

static enum view_kind list_kind(enum il__field_kind kind)
{
    if (kind == IL__F_STRS || kind == IL__F_ENUMS) return V_TEXTS;
    if (kind == IL__F_WINDOWS) return V_WINDOWS;
    return kind == IL__F_COUNTS ? V_COUNTS : V_STRUCTS;
}

static int push_list(lua_State *L, const struct view *v, const struct il__field *f, const void *at)
{
    enum view_kind kind = list_kind(f->kind);
    const void *items = NULL;
    switch (kind) {
    case V_TEXTS: items = ((const struct il__strs *)at)->items; break;
    case V_WINDOWS: items = ((const struct il__windows *)at)->items; break;
    case V_STRUCTS: items = ((const struct il__objects *)at)->items; break;
    case V_COUNTS: items = ((const struct il__counts *)at)->names; break;
    case V_NODE:
    case V_STRUCT: break;
    }
    if (!items && (f->flags & IL__F_OPT) && !(f->flags & IL__F_DEFAULT)) return 0;
    new_part(L, v, kind, at, kind == V_COUNTS ? "counts" : "list")->schema = f->sub;
    return 1;
}

static int push_field(lua_State *L, const struct view *v, const struct il__field *f)
{
    const void *at = (const char *)v->obj + f->offset;
    switch (f->kind) {
    case IL__F_STR: return push_str(L, *(const struct il_str *)at);
    case IL__F_BOOL: return push_bool_field(L, f, at);
    case IL__F_INT: return push_int_field(L, f, at);
    case IL__F_NUM: return push_num_field(L, f, at);
    case IL__F_ENUM:
        if (*(const int *)at < 0) return 0;
        lua_pushstring(L, f->names[*(const int *)at]);
        return 1;
    case IL__F_OBJECT: {
        const void *sub = *(const void *const *)at;
        if (!sub) return 0;
        new_part(L, v, V_STRUCT, sub, f->sub->object)->schema = f->sub;
        return 1;
    }
    case IL__F_ANY:
    case IL__F_ARGS: {
        const struct il__any *any = at;
        return any->doc ? push_node(L, v, any->doc, any->at) : 0;
    }
    case IL__F_WINDOW: return push_window(L, at);
    case IL__F_STRS:
    case IL__F_ENUMS:
    case IL__F_WINDOWS:
    case IL__F_OBJECTS:
    case IL__F_COUNTS: return push_list(L, v, f, at);
    }
    return 0;
}

/* The nearest member name of a schema, for the message. */
static const char *nearest_member(const struct il__schema *schema, struct il_str name)
{
    const char *best = NULL;
    unsigned nearest = 3;
    for (const struct il__field *f = schema->fields; f->wire; f++) {
        unsigned d = il__hint_distance(name, il__str(f->lua), 2);
        if (il__str_eq(name, il__str(f->wire))) return f->lua;
        if (d < nearest) {
            nearest = d;
            best = f->lua;
        }
    }
    return best;
}

static int index_struct(lua_State *L, const struct view *v)
{
    struct il_str name;
    char shown[64];
    name.ptr = lua_tolstring(L, 2, &name.len);
    il__charge(il__state(L), 10);
    const struct il__field *f = il__field_lua(v->schema, name);
    if (f) return push_field(L, v, f);
    const char *best = nearest_member(v->schema, name);
    il__escape(shown, sizeof shown, name);
    if (v->schema == &il__proposal_schema && il__field_lua(&il__envelope_schema, name))
        return luaL_error(L, "%s has no member '%s'; it comes with the preview: ask for it in `preview`", v->label,
                              shown);
    if (best) return luaL_error(L, "%s has no member '%s'; did you mean '%s'?", v->label, shown, best);
    return luaL_error(L, "%s has no member '%s'", v->label, shown);
}

static bool is_list(const struct view *v)
{
    if (v->kind == V_NODE) return il__json_kind(doc_of(v), v->at) == IL__JSON_ARRAY;
    return v->kind == V_TEXTS || v->kind == V_WINDOWS || v->kind == V_STRUCTS;
}

bool il__view_is_list(lua_State *L, int idx)
{
    return is_list(armed(L, idx));
}

static lua_Integer list_count(const struct view *v)
{
    switch (v->kind) {
    case V_NODE: return il__json_at(doc_of(v), v->at)->count;
    case V_TEXTS: return (lua_Integer)((const struct il__strs *)v->obj)->count;
    case V_WINDOWS: return (lua_Integer)((const struct il__windows *)v->obj)->count;
    case V_STRUCTS: return (lua_Integer)((const struct il__objects *)v->obj)->count;
    case V_STRUCT:
    case V_COUNTS: break;
    }
    return 0;
}

static int index_list(lua_State *L, const struct view *v)
{
    lua_Integer i = lua_tointeger(L, 2);
    if (i < 1 || i > list_count(v)) return 0;
    if (v->kind == V_TEXTS) return push_str(L, ((const struct il__strs *)v->obj)->items[i - 1]);
    if (v->kind == V_WINDOWS) return push_window(L, &((const struct il__windows *)v->obj)->items[i - 1]);
    new_part(L, v, V_STRUCT, ((const struct il__objects *)v->obj)->items[i - 1], v->schema->object)->schema = v->schema;
    return 1;
}

static int index_counts(lua_State *L, const struct view *v)
{
    const struct il__counts *counts = v->obj;
    struct il_str name;
    name.ptr = lua_tolstring(L, 2, &name.len);
    il__charge(il__state(L), 1 + counts->count / 4);
    for (size_t i = 0; i < counts->count; i++) {
        if (!il__str_eq(counts->names[i], name)) continue;
        lua_pushinteger(L, counts->values[i]);
        return 1;
    }
    return 0;
}

/* ---- the metatable ----------------------------------------------------------------------------------------------- */

static int read_part(lua_State *L, struct view *v)
{
    if (is_list(v)) {
        if (!lua_isinteger(L, 2)) return 0;
        return v->kind == V_NODE ? index_element(L, v) : index_list(L, v);
    }
    if (lua_type(L, 2) != LUA_TSTRING) return 0;
    if (v->kind == V_NODE) return index_member(L, v);
    return v->kind == V_STRUCT ? index_struct(L, v) : index_counts(L, v);
}

/* The value that was read is on top. */
static void tell_probe(lua_State *L, struct il__probe *probe, uint32_t path, int key)
{
    uint32_t id = il__probe_note(L, probe, path, key);
    struct view *part = raw_view(L, -1);
    if (part) part->path = id;
}

static int view_index(lua_State *L)
{
    struct view *v = armed(L, 1);
    struct il__probe *probe = il__state(L)->options.probe;
    il__charge(il__state(L), 2);
    int n = read_part(L, v);
    if (!probe || !v->path) return n;
    if (n == 0) lua_pushnil(L);
    tell_probe(L, probe, v->path, 2);
    return 1;
}

static int view_newindex(lua_State *L)
{
    struct view *v = armed(L, 1);
    return luaL_error(L, "%s is read-only", v->label);
}

static int view_len(lua_State *L)
{
    struct view *v = armed(L, 1);
    if (!is_list(v)) return luaL_error(L, "%s has no length: it is no list", v->label);
    lua_pushinteger(L, list_count(v));
    return 1;
}

static int view_eq(lua_State *L)
{
    struct view *a = raw_view(L, 1), *b = raw_view(L, 2);
    lua_pushboolean(L, a && b && a->kind == b->kind && a->obj == b->obj && a->at == b->at &&
                           a->generation == b->generation && a->slot == b->slot);
    return 1;
}

static const luaL_Reg metamethods[] = {
    { "__eq", view_eq }, /* the same place */
    { "__index", view_index },
    { "__len", view_len }, /* lists */
    { "__newindex", view_newindex },
    { NULL, NULL }
};

void il__view_metatable(lua_State *L)
{
    luaL_newlib(L, metamethods);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &il__key_view_meta);
}

/* ---- whole views ------------------------------------------------------------------------------------------------- */

/* A table whose keys are the member names. */
static void push_names(lua_State *L, const struct view *v)
{
    lua_newtable(L);
    if (v->kind == V_NODE) {
        struct il__json *doc = doc_of(v);
        for (uint32_t at = il__json_first(doc, v->at); at != 0; at = il__json_next(doc, v->at, at + 1)) {
            push_text(L, doc, at);
            lua_pushboolean(L, 1);
            lua_rawset(L, -3);
        }
    } else if (v->kind == V_STRUCT) {
        for (const struct il__field *f = v->schema->fields; f->wire; f++) {
            lua_pushboolean(L, 1);
            lua_setfield(L, -2, f->lua);
        }
    } else {
        const struct il__counts *counts = v->obj;
        for (size_t i = 0; i < counts->count; i++) {
            lua_pushlstring(L, counts->names[i].ptr, counts->names[i].len);
            lua_pushboolean(L, 1);
            lua_rawset(L, -3);
        }
    }
}

bool il__view_keys(lua_State *L, int idx, size_t *count)
{
    if (!il__view_is(L, idx)) return false;
    const struct view *v = lua_touserdata(L, idx);
    if (is_list(v)) {
        *count = (size_t)list_count(v);
        lua_pushnil(L);
        lua_pushnil(L);
        return true;
    }
    push_names(L, v);
    (void)il__keys_sorted(L, -1, count, NULL);
    lua_remove(L, -3);
    return true;
}

static void write_view(const struct view *v, struct il__json_writer *w)
{
    const struct il__strs *texts = v->obj;
    const struct il__objects *objects = v->obj;
    const struct il__counts *counts = v->obj;
    const struct il__windows *windows = v->obj;
    switch (v->kind) {
    case V_NODE: il__jw_raw(w, il__json_raw(doc_of(v), v->at)); break;
    case V_STRUCT: il__encode(v->schema, v->obj, w); break;
    case V_TEXTS:
        il__jw_array(w);
        for (size_t i = 0; i < texts->count; i++) il__jw_str(w, texts->items[i]);
        il__jw_array_end(w);
        break;
    case V_WINDOWS:
        il__jw_array(w);
        for (size_t i = 0; i < windows->count; i++) {
            if (windows->items[i].kind == IL__WINDOW_TOKEN) il__jw_int(w, windows->items[i].token);
            else il__jw_str(w, windows->items[i].text);
        }
        il__jw_array_end(w);
        break;
    case V_STRUCTS:
        il__jw_array(w);
        for (size_t i = 0; i < objects->count; i++) il__encode(v->schema, objects->items[i], w);
        il__jw_array_end(w);
        break;
    case V_COUNTS:
        il__jw_object(w);
        for (size_t i = 0; i < counts->count; i++) {
            il__jw_key_str(w, counts->names[i]);
            il__jw_int(w, counts->values[i]);
        }
        il__jw_object_end(w);
        break;
    }
}

void il__view_write(lua_State *L, int idx, struct il__json_writer *w)
{
    const struct view *v = armed(L, idx);
    if (v->kind == V_NODE) il__charge(il__state(L), il__json_at(doc_of(v), v->at)->len / 32);
    il__charge(il__state(L), 50);
    write_view(v, w);
}

bool il__view_armed(lua_State *L, int idx)
{
    const struct view *v = raw_view(L, idx);
    return v && is_armed(L, v);
}

bool il__view_put(lua_State *L, int idx, struct il__json_writer *w)
{
    if (!il__view_armed(L, idx)) return false;
    write_view(raw_view(L, idx), w);
    return true;
}

void il__view_root(lua_State *L, int idx, const char *root)
{
    struct il__probe *probe = il__state(L)->options.probe;
    struct view *v = raw_view(L, idx);
    if (probe && v) v->path = il__probe_root(probe, root);
}

void il__view_read(lua_State *L, const char *root, int key)
{
    struct il__probe *probe = il__state(L)->options.probe;
    if (probe) tell_probe(L, probe, il__probe_root(probe, root), key);
}

void il__view_to_json(lua_State *L, int idx, struct il__buf *out)
{
    struct il__json_writer w;
    il__jw_init(&w, out);
    il__view_write(L, idx, &w);
}
