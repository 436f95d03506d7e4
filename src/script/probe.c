/* Noting reads (probe.h). All memory is the host's, and nothing here raises: a policy that is listened to ends as it
 * would without. */
#include "script/probe.h"

#include "base/error.h"
#include "script/value.h"
#include "script/view.h"
#include "wire/json_write.h"

enum { STEPS_MAX = 64, VALUE_BYTES = 240 };

void il__probe_reset(struct il__probe *probe)
{
    probe->count = 0;
    probe->cut = false;
}

static uint32_t add(struct il__probe *probe, const struct il__probe_read *read)
{
    if (probe->count == IL__LIMIT_TRACE_VALUES) {
        probe->cut = true;
        return 0;
    }
    probe->reads[probe->count] = *read;
    return (uint32_t)++probe->count;
}

uint32_t il__probe_root(struct il__probe *probe, const char *root)
{
    const struct il__probe_read read = { .name = il__str(root), .entered = true };
    for (uint32_t i = 0; i < probe->count; i++)
        if (!probe->reads[i].parent && il__str_eq(probe->reads[i].name, read.name)) return i + 1;
    struct il__probe_read kept = read;
    if (probe->arena && il__arena_str(probe->arena, read.name, &kept.name)) probe->no_memory = true;
    return probe->arena ? add(probe, &kept) : 0;
}

static uint32_t find(const struct il__probe *probe, const struct il__probe_read *want)
{
    for (uint32_t i = 0; i < probe->count; i++) {
        const struct il__probe_read *r = &probe->reads[i];
        if (r->parent == want->parent && r->index == want->index && il__str_eq(r->name, want->name)) return i + 1;
    }
    return 0;
}

/* The value on top as JSON in the arena; a longer text is cut, a longer list or object left out. */
static struct il_str value_of(lua_State *L, struct il__probe *probe)
{
    struct il__json_writer w;
    struct il_str out = IL_STR_NONE;
    il__buf_reset(&probe->scratch);
    il__jw_init(&w, &probe->scratch);
    switch (lua_type(L, -1)) {
    case LUA_TBOOLEAN: il__jw_bool(&w, lua_toboolean(L, -1)); break;
    case LUA_TNUMBER:
        if (lua_isinteger(L, -1)) il__jw_int(&w, lua_tointeger(L, -1));
        else il__jw_double(&w, lua_tonumber(L, -1));
        break;
    case LUA_TSTRING: {
        struct il_str text;
        char shown[VALUE_BYTES];
        text.ptr = lua_tolstring(L, -1, &text.len);
        if (text.len >= sizeof shown) text.len = il__escape(shown, sizeof shown, text), text.ptr = shown;
        il__jw_str(&w, text);
        break;
    }
    case LUA_TUSERDATA:
        if (!il__view_put(L, -1, &w)) il__jw_null(&w);
        break;
    default: il__jw_null(&w); break;
    }
    struct il_str text = il__buf_get(&probe->scratch);
    bool whole = probe->scratch.code == IL_OK && (text.len <= VALUE_BYTES || lua_type(L, -1) != LUA_TUSERDATA);
    if (probe->scratch.code == IL_OUT_OF_MEMORY || (whole && il__arena_str(probe->arena, text, &out)))
        probe->no_memory = true;
    return out;
}

uint32_t il__probe_note(lua_State *L, struct il__probe *probe, uint32_t parent, int key)
{
    struct il__probe_read read = { .parent = parent };
    if (!probe->arena || !parent || lua_isfunction(L, -1)) return 0;
    if (lua_type(L, -1) == LUA_TUSERDATA && !il__view_armed(L, -1)) return 0; /* an object: it tells for itself */
    if (lua_type(L, key) == LUA_TSTRING) read.name.ptr = lua_tolstring(L, key, &read.name.len);
    else if (lua_isinteger(L, key)) read.index = lua_tointeger(L, key);
    else return 0;
    uint32_t known = find(probe, &read);
    probe->reads[parent - 1].entered = true;
    if (known) return known;
    if (il__str_present(read.name) && il__arena_str(probe->arena, read.name, &read.name)) probe->no_memory = true;
    read.value = value_of(L, probe);
    return add(probe, &read);
}

/* "action.target.app_id", "action.data_labels[1]", "action.arguments[\"a b\"]". */
static void put_path(struct il__buf *buf, const struct il__probe *probe, uint32_t id)
{
    uint32_t steps[STEPS_MAX];
    size_t n = 0;
    for (; id && n < STEPS_MAX; id = probe->reads[id - 1].parent) steps[n++] = id;
    if (id) il__buf_puts(buf, "...");
    while (n > 0) {
        const struct il__probe_read *r = &probe->reads[steps[--n] - 1];
        bool word = r->name.len > 0 && !(r->name.ptr[0] >= '0' && r->name.ptr[0] <= '9');
        for (size_t i = 0; i < r->name.len && word; i++) {
            char c = r->name.ptr[i];
            word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        }
        char shown[120];
        il__escape(shown, sizeof shown, r->name);
        if (!r->parent) il__buf_puts(buf, shown);
        else if (!il__str_present(r->name)) il__buf_printf(buf, "[%lld]", (long long)r->index);
        else if (word) il__buf_printf(buf, ".%s", shown);
        else il__buf_printf(buf, "[\"%s\"]", shown);
    }
}

void il__probe_write(const struct il__probe *probe, struct il__json_writer *w)
{
    struct il__buf path;
    il__buf_init(&path, w->buf->mem, 0);
    il__jw_array(w);
    for (uint32_t i = 0; i < probe->count; i++) {
        const struct il__probe_read *r = &probe->reads[i];
        if (r->entered) continue;
        il__buf_reset(&path);
        put_path(&path, probe, i + 1);
        il__jw_object(w);
        il__jw_member_str(w, "path", il__buf_get(&path));
        if (il__str_present(r->value)) {
            il__jw_key(w, "value");
            il__jw_raw(w, r->value);
        }
        il__jw_object_end(w);
    }
    il__jw_array_end(w);
    if (path.code && !w->buf->code) w->buf->code = path.code;
    il__buf_clear(&path);
}
