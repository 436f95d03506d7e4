/* Bounded copies across the border, by explicit stacks.
 * Uses keys.h, view.h, wire/json. Must never recurse, and reads each field once and raw. */
#include "script/value.h"

#include "base/error.h"
#include "base/utf8.h"
#include "script/keys.h"
#include "script/view.h"
#include "wire/json_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- marks ------------------------------------------------------------------------------------------------------- */

void il__value_push_null(lua_State *L)
{
    lua_pushlightuserdata(L, (void *)(uintptr_t)&il__key_null);
}

bool il__value_is_null(lua_State *L, int idx)
{
    return lua_type(L, idx) == LUA_TLIGHTUSERDATA && lua_touserdata(L, idx) == (const void *)&il__key_null;
}

void il__value_mark_array(lua_State *L, int idx)
{
    lua_pushvalue(L, idx);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &il__key_array_meta);
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}

bool il__value_is_array(lua_State *L, int idx)
{
    if (lua_type(L, idx) != LUA_TTABLE || !lua_getmetatable(L, idx)) return false;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &il__key_array_meta);
    bool same = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    return same;
}

/* ---- Lua to JSON ------------------------------------------------------------------------------------------------- */

/* A table being written: it stands at `idx`, an object's keys and their block above it. */
struct frame {
    int idx;
    const struct il__key *keys; /* NULL: a list */
    size_t count, at;
};

struct dump {
    lua_State *L;
    struct il__json_writer w;
    struct il__buf *out;
    size_t start, cells;
    struct frame frames[IL__LIMIT_VALUE_DEPTH];
    int depth;
    struct il_error *err;
};

static void add_pointer(char *buf, size_t cap, struct il_str name)
{
    size_t n = strlen(buf);
    if (n + 1 < cap) buf[n++] = '/';
    for (size_t i = 0; i < name.len && n + 2 < cap; i++) {
        if (name.ptr[i] == '~' || name.ptr[i] == '/') buf[n++] = '~';
        buf[n++] = name.ptr[i] == '~' ? '0' : name.ptr[i] == '/' ? '1' : name.ptr[i];
    }
    buf[n] = '\0';
}

/* Where the dump stands, as a JSON pointer. */
static void pointer(const struct dump *d, char *buf, size_t cap)
{
    buf[0] = '\0';
    for (int i = 0; i < d->depth; i++) {
        const struct frame *f = &d->frames[i];
        char number[24];
        size_t at = f->at > 0 ? f->at - 1 : 0;
        snprintf(number, sizeof number, "%zu", at);
        if (f->at == 0) return;
        add_pointer(buf, cap, f->keys ? (struct il_str){ f->keys[at].v.s.ptr, f->keys[at].v.s.len } : il__str(number));
    }
}

static bool refuse(struct dump *d, enum il_code code, const char *text)
{
    char place[160], shown[180];
    pointer(d, place, sizeof place);
    il__escape(shown, sizeof shown, il__str(place));
    (void)il__fail_at(d->err, code, NULL, shown, "%s", text);
    return false;
}

static bool write_float(struct dump *d, double v)
{
    char text[40];
    if (isnan(v)) return refuse(d, IL_INVALID_REQUEST, "NaN has no JSON form");
    if (isinf(v)) return refuse(d, IL_INVALID_REQUEST, "infinity has no JSON form");
    size_t n = il__double_text(v, text);
    if (!memchr(text, '.', n) && !memchr(text, 'e', n)) { /* a float stays a float */
        text[n++] = '.';
        text[n++] = '0';
    }
    il__jw_raw(&d->w, (struct il_str){ text, n });
    return true;
}

static bool is_utf8(struct il_str s)
{
    const unsigned char *p = (const unsigned char *)s.ptr;
    for (size_t at = 0; at < s.len;) {
        size_t n = il__utf8_read(p + at, s.len - at, NULL);
        if (n == 0) return false;
        at += n;
    }
    return true;
}

static bool write_text(struct dump *d, int idx)
{
    struct il_str s;
    s.ptr = lua_tolstring(d->L, idx, &s.len);
    il__charge(il__state(d->L), 1 + s.len / 16);
    if (memchr(s.ptr, '\0', s.len)) return refuse(d, IL_INVALID_REQUEST, "a text must not hold NUL");
    if (!is_utf8(s)) return refuse(d, IL_INVALID_REQUEST, "a text must be valid UTF-8");
    il__jw_str(&d->w, s);
    return true;
}

static bool is_on_path(const struct dump *d, int idx)
{
    for (int i = 0; i < d->depth; i++)
        if (lua_rawequal(d->L, d->frames[i].idx, idx)) return true;
    return false;
}

/* True when the sorted keys are 1..n; a refusal when they are neither that nor all strings. */
static bool judge_keys(struct dump *d, const struct il__key *keys, size_t n, bool *list)
{
    *list = n > 0 && keys[0].type == 0;
    if (n == 0) return true;
    if (keys[0].type != keys[n - 1].type)
        return refuse(d, IL_INVALID_REQUEST, "a table must not mix names and numbers as keys");
    if (keys[0].type == 2) return refuse(d, IL_INVALID_REQUEST, "a boolean cannot be the name of a member");
    for (size_t i = 0; *list && i < n; i++)
        if (!keys[i].is_int || keys[i].v.i != (lua_Integer)i + 1)
            return refuse(d, IL_INVALID_REQUEST, "a list must have the keys 1 to n without holes");
    return true;
}

/* Begins the table on top, which stays there. */
static bool open_table(struct dump *d)
{
    lua_State *L = d->L;
    int idx = lua_gettop(L);
    size_t n = 0;
    const char *bad = NULL;
    bool list = false, marked = il__value_is_array(L, idx);
    if (is_on_path(d, idx)) return refuse(d, IL_INVALID_REQUEST, "a table must not contain itself");
    if (d->depth == IL__LIMIT_VALUE_DEPTH)
        return refuse(d, IL_LIMIT_EXCEEDED, "nested deeper than 32 levels (value_depth)");
    const struct il__key *keys = il__keys_sorted(L, idx, &n, &bad);
    if (!keys) {
        char text[64];
        snprintf(text, sizeof text, "a %s cannot be a key", bad);
        return refuse(d, IL_INVALID_REQUEST, text);
    }
    d->cells += n;
    if (d->cells > IL__LIMIT_VALUE_CELLS) return refuse(d, IL_LIMIT_EXCEEDED, "more than 10000 entries (value_cells)");
    if (!judge_keys(d, keys, n, &list)) return false;
    if (marked && n > 0 && !list) return refuse(d, IL_INVALID_REQUEST, "a json.array must have the keys 1 to n");
    if (n == 0) list = marked;
    if (list) lua_settop(L, idx);
    d->frames[d->depth++] = (struct frame){ .idx = idx, .keys = list ? NULL : keys, .count = n };
    if (list) il__jw_array(&d->w);
    else il__jw_object(&d->w);
    return true;
}

/* Writes the value on top: a scalar whole, and popped; a table is begun, and stays. */
static bool write_top(struct dump *d)
{
    lua_State *L = d->L;
    int type = lua_type(L, -1);
    char text[64];
    il__charge(il__state(L), 3);
    switch (type) {
    case LUA_TTABLE: return open_table(d);
    case LUA_TNIL: il__jw_null(&d->w); break;
    case LUA_TBOOLEAN: il__jw_bool(&d->w, lua_toboolean(L, -1)); break;
    case LUA_TSTRING:
        if (!write_text(d, -1)) return false;
        break;
    case LUA_TNUMBER:
        if (lua_isinteger(L, -1)) il__jw_int(&d->w, lua_tointeger(L, -1));
        else if (!write_float(d, lua_tonumber(L, -1))) return false;
        break;
    default:
        if (il__value_is_null(L, -1)) {
            il__jw_null(&d->w);
        } else if (type == LUA_TUSERDATA && il__view_label(L, -1)) {
            il__view_write(L, -1, &d->w);
        } else {
            snprintf(text, sizeof text, "a %s cannot be handed over", lua_typename(L, type));
            return refuse(d, IL_INVALID_REQUEST, text);
        }
    }
    lua_pop(L, 1);
    return true;
}

/* One step of the innermost table: its next entry, or its end. */
static bool advance(struct dump *d)
{
    lua_State *L = d->L;
    struct frame *f = &d->frames[d->depth - 1];
    if (f->at == f->count) {
        if (f->keys) il__jw_object_end(&d->w);
        else il__jw_array_end(&d->w);
        lua_settop(L, f->idx - 1);
        d->depth--;
        return true;
    }
    size_t at = f->at++;
    if (f->keys) {
        const struct il__key *key = &f->keys[at];
        struct il_str name = { key->v.s.ptr, key->v.s.len };
        if (memchr(name.ptr, '\0', name.len) || !is_utf8(name))
            return refuse(d, IL_INVALID_REQUEST, "the name of a member must be UTF-8 without NUL");
        il__jw_key_str(&d->w, name);
        lua_rawgeti(L, f->idx + 1, key->index);
        lua_rawget(L, f->idx);
    } else {
        lua_rawgeti(L, f->idx, (lua_Integer)at + 1);
    }
    return write_top(d);
}

enum il_code il__value_to_json(lua_State *L, int idx, struct il__buf *out, struct il_error *err)
{
    struct il_error local = IL_ERROR_INIT;
    struct dump d = { .L = L, .out = out, .start = out->len, .err = err ? err : &local };
    int top = lua_gettop(L);
    il__jw_init(&d.w, out);
    if (!lua_checkstack(L, 3 * IL__LIMIT_VALUE_DEPTH + 20)) return il__fail(err, IL_LIMIT_EXCEEDED, "value: no stack");
    lua_pushvalue(L, idx);
    bool ok = write_top(&d);
    while (ok && d.depth > 0) {
        if (out->len - d.start > IL__LIMIT_VALUE_BYTES)
            ok = refuse(&d, IL_LIMIT_EXCEEDED, "larger than 1048576 bytes (value_bytes)");
        else ok = advance(&d);
    }
    lua_settop(L, top);
    if (!ok) return d.err->code;
    if (out->len - d.start > IL__LIMIT_VALUE_BYTES)
        return il__fail(d.err, IL_LIMIT_EXCEEDED, "larger than 1048576 bytes (value_bytes)");
    return il__buf_check(out, d.err);
}

void il__value_check_json(lua_State *L, int idx, struct il__buf *out, const char *what)
{
    struct il_error err = IL_ERROR_INIT;
    if (il__value_to_json(L, idx, out, &err) == IL_OK) return;
    luaL_error(L, "%s: %s", what, err.message);
}

/* ---- JSON to Lua ------------------------------------------------------------------------------------------------- */

struct open_node {
    uint32_t end;
    int idx; /* of the table */
    bool list;
    lua_Integer count;
};

/* Puts the value on top into the table around it; an object's key stands below the value. */
static void attach(lua_State *L, struct open_node *parent)
{
    if (parent->list) lua_rawseti(L, parent->idx, ++parent->count);
    else lua_rawset(L, parent->idx);
}

static void open_node(lua_State *L, const struct il__json_node *node, struct open_node *open, int depth)
{
    bool list = node->kind == IL__JSON_ARRAY;
    if (depth >= IL__LIMIT_VALUE_DEPTH) luaL_error(L, "the value is nested deeper than 32 levels (value_depth)");
    lua_createtable(L, list ? (int)node->count : 0, list ? 0 : (int)node->count);
    if (list) il__value_mark_array(L, -1);
    *open = (struct open_node){ .end = node->end, .idx = lua_gettop(L), .list = list };
}

void il__value_push_json(lua_State *L, struct il__json *doc, uint32_t at)
{
    struct open_node open[IL__LIMIT_VALUE_DEPTH];
    int depth = 0;
    size_t cells = 0;
    uint32_t end = il__json_at(doc, at)->end, i = at;
    luaL_checkstack(L, 2 * IL__LIMIT_VALUE_DEPTH + 10, "value");
    do {
        const struct il__json_node *node = il__json_at(doc, i);
        il__charge(il__state(L), 3);
        i++;
        if (node->kind == IL__JSON_ARRAY || node->kind == IL__JSON_OBJECT) {
            cells += node->count;
            if (cells > IL__LIMIT_VALUE_CELLS) luaL_error(L, "the value has more than 10000 entries (value_cells)");
            open_node(L, node, &open[depth], depth);
            depth++;
        } else {
            il__value_push_scalar(L, doc, i - 1);
            if (node->flags & IL__JSON_KEY) continue;
            if (depth > 0) attach(L, &open[depth - 1]);
        }
        while (depth > 0 && open[depth - 1].end == i) {
            depth--;
            if (depth > 0) attach(L, &open[depth - 1]);
        }
    } while (i < end);
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static void wrong(lua_State *L, int idx, const char *what, const char *wanted)
{
    const char *label = il__view_label(L, idx);
    luaL_error(L, "%s must be %s, got %s", what, wanted, label ? label : luaL_typename(L, idx));
}

struct il_str il__arg_str(lua_State *L, int idx, const char *what)
{
    struct il_str s = IL_STR_NONE;
    if (lua_type(L, idx) != LUA_TSTRING) wrong(L, idx, what, "a string");
    s.ptr = lua_tolstring(L, idx, &s.len);
    il__charge(il__state(L), 1 + s.len / 32);
    if (memchr(s.ptr, '\0', s.len)) luaL_error(L, "%s must not hold NUL", what);
    return s;
}

struct il_str il__arg_opt_str(lua_State *L, int idx, const char *what)
{
    if (lua_isnoneornil(L, idx)) return IL_STR_NONE;
    return il__arg_str(L, idx, what);
}

int64_t il__arg_int(lua_State *L, int idx, const char *what, int64_t min, int64_t max)
{
    if (lua_type(L, idx) != LUA_TNUMBER || !lua_isinteger(L, idx)) wrong(L, idx, what, "an integer");
    int64_t v = lua_tointeger(L, idx);
    if (v < min || v > max)
        luaL_error(L, "%s must be between %I and %I, got %I", what, (LUAI_UACINT)min, (LUAI_UACINT)max, (LUAI_UACINT)v);
    return v;
}

bool il__arg_bool(lua_State *L, int idx, const char *what)
{
    if (lua_type(L, idx) != LUA_TBOOLEAN) wrong(L, idx, what, "true or false");
    return lua_toboolean(L, idx);
}

int il__arg_field(lua_State *L, int idx, const char *name)
{
    idx = lua_absindex(L, idx);
    lua_pushstring(L, name);
    return lua_rawget(L, idx);
}
