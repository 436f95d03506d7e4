/* Opening and closing a sandbox, its budgets and the kill, and what is common to all entries.
 * Uses base, arena and Lua. Must never call into Lua outside call.c's protected region, and never lua_close: a state
 * ends when its arena does. */
#include "script/sandbox.h"

#include "base/error.h"
#include "script/call.h"
#include "script/probe.h"
#include "script/state.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD_BYTES = (sizeof(struct il__sandbox) + 63) / 64 * 64, SMALLEST_BYTES = 131072 };

const char *il__kill_name(enum il__kill why)
{
    static const char *const names[] = {
#define KILL_NAME(constant, text) text,
        IL__KILLS(KILL_NAME)
#undef KILL_NAME
    };
    return why >= 0 && why < IL__KILL_COUNT ? names[why] : "unknown";
}

/* Reads only. Nowhere else can a kill look: the state is in flux. */
static void note_hook(struct il__sandbox *sb)
{
    if (!lua_getinfo(sb->hook_L, "Sl", sb->hook_ar)) return;
    il__escape(sb->hook_file, sizeof sb->hook_file, il__str(sb->hook_ar->short_src));
    sb->hook_line = sb->hook_ar->currentline;
}

/* Every protected entry has a way out; a kill without one is a host that called Lua from outside, and must not go on.
 */
void il__kill(struct il__sandbox *sb, enum il__kill why)
{
    sb->killed = why;
    if (!sb->exit) abort();
    if (sb->hook_L) note_hook(sb);
    memcpy(sb->where_file, sb->hook_file, sizeof sb->where_file);
    sb->where_line = sb->hook_line;
    _longjmp(*sb->exit, 1);
}

void il__charge_slow(struct il__sandbox *sb, uint64_t units)
{
    uint64_t left = sb->slice + sb->fuel;
    if (units >= left) {
        sb->slice = sb->fuel = 0;
        il__kill(sb, IL__KILL_FUEL);
    }
    left -= units;
    sb->slice = left < IL__CHECK_UNITS ? left : IL__CHECK_UNITS;
    sb->fuel = left - sb->slice;
    if (il__clock_us(sb->options.clock) >= sb->deadline_us) il__kill(sb, IL__KILL_WALL);
}

void il__sandbox_refuel(struct il__sandbox *sb)
{
    sb->fuel_start = sb->options.fuel;
    sb->hook_line = 0;
    sb->hook_file[0] = '\0';
    sb->slice = 1; /* the first charge looks at the clock, and cuts the slice */
    sb->fuel = sb->fuel_start - 1;
    sb->deadline_us = il__clock_us(sb->options.clock) + sb->options.wall_ms * 1000;
}

/* lua_Alloc: never answers NULL for a growth; a full arena or too large a block is the end of the script. */
static void *alloc(void *ud, void *ptr, size_t old, size_t size)
{
    struct il__sandbox *sb = ud;
    if (size == 0) {
        if (ptr) il__heap_free(&sb->heap, ptr);
        return NULL;
    }
    if (!ptr) old = 0; /* it is a kind of object then */
    if (size > old) {
        if (size > sb->block_limit) il__kill(sb, IL__KILL_BLOCK);
        il__charge(sb, 1 + size / 32);
    }
    void *block = ptr ? il__heap_resize(&sb->heap, ptr, old, size) : il__heap_alloc(&sb->heap, size);
    if (!block) il__kill(sb, IL__KILL_MEMORY);
    return block;
}

static void tell_line(lua_State *L, lua_Debug *ar, const struct il__probe *probe)
{
    if (lua_getinfo(L, "Sl", ar) && ar->source[0] == '@') probe->line(probe->ctx, ar->source + 1, ar->currentline);
}

static void count_hook(lua_State *L, lua_Debug *ar)
{
    struct il__sandbox *sb = il__state(L);
    if (ar->event == LUA_HOOKLINE) {
        tell_line(L, ar, sb->options.probe);
        return;
    }
    sb->hook_L = L;
    sb->hook_ar = ar;
    if (sb->fuel < sb->fuel_start / 2) note_hook(sb);
    il__charge(sb, IL__HOOK_INTERVAL);
    sb->hook_L = NULL;
}

void il__sandbox_boot(struct il__sandbox *sb)
{
    sb->L = lua_newstate(alloc, sb);
    *(struct il__sandbox **)lua_getextraspace(sb->L) = sb;
    const struct il__probe *probe = sb->options.probe;
    int mask = probe && probe->line ? LUA_MASKCOUNT | LUA_MASKLINE : LUA_MASKCOUNT;
    lua_sethook(sb->L, count_hook, mask, IL__HOOK_INTERVAL);
}

/* splitmix64 over an FNV-1a hash of the seed text. */
static void seed_random(struct il__sandbox *sb, struct il_str seed)
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < seed.len; i++) h = (h ^ (unsigned char)seed.ptr[i]) * 1099511628211u;
    for (int i = 0; i < 4; i++) {
        h += 0x9e3779b97f4a7c15u;
        uint64_t z = h;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        sb->random[i] = z ^ (z >> 31);
    }
}

static void set_defaults(struct il__sandbox_options *o)
{
    if (o->fuel == 0) o->fuel = IL__LIMIT_SCRIPT_FUEL;
    if (o->wall_ms <= 0) o->wall_ms = IL__LIMIT_SCRIPT_WALL_MS;
    if (o->memory_bytes == 0) o->memory_bytes = IL__LIMIT_SCRIPT_MEMORY;
    if (o->memory_bytes < SMALLEST_BYTES) o->memory_bytes = SMALLEST_BYTES;
    if (o->memory_bytes > (size_t)32 << 20) o->memory_bytes = (size_t)32 << 20; /* pages have 16-bit numbers */
    if (o->c_stack_bytes == 0) o->c_stack_bytes = IL__LIMIT_SCRIPT_C_STACK;
}

struct il__sandbox *il__sandbox_open(const struct il__sandbox_options *options, struct il_error *err)
{
    struct il__sandbox_options o = *options;
    set_defaults(&o);
    size_t pages = o.memory_bytes / IL__PAGE_BYTES;
    size_t bytes = HEAD_BYTES + il__heap_region_bytes(pages);
    char *region = il__mem_alloc(o.mem, bytes);
    if (!region) {
        (void)il__fail(err, IL_OUT_OF_MEMORY, "out of memory for a script of %zu bytes", bytes);
        return NULL;
    }
    struct il__sandbox *sb = (struct il__sandbox *)(void *)region;
    memset(sb, 0, sizeof *sb);
    il__heap_init(&sb->heap, region + HEAD_BYTES, pages);
    sb->options = o;
    sb->region_bytes = bytes;
    sb->stack_limit = o.c_stack_bytes;
    sb->block_limit = o.memory_bytes / 2 < IL__LIMIT_SCRIPT_BLOCK ? o.memory_bytes / 2 : IL__LIMIT_SCRIPT_BLOCK;
    sb->main_ref = LUA_NOREF;
    sb->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    seed_random(sb, o.seed);
    sb->options.seed = IL_STR_NONE;
    struct il__script_result result;
    if (il__call_boot(sb, &result) == IL__SCRIPT_RETURNED) return sb;
    (void)il__script_fail(&result, err);
    il__sandbox_close(sb);
    return NULL;
}

void il__sandbox_close(struct il__sandbox *sb)
{
    if (!sb) return;
    if (sb->c_locale) freelocale(sb->c_locale);
    il__mem_free(sb->options.mem, sb, sb->region_bytes);
}

enum il_code il__script_fail(const struct il__script_result *result, struct il_error *err)
{
    if (result->end == IL__SCRIPT_RETURNED || result->end == IL__SCRIPT_YIELDED) return IL_OK;
    bool killed = result->end == IL__SCRIPT_KILLED;
    enum il_code code = killed ? IL_LIMIT_EXCEEDED : IL_SCRIPT_ERROR;
    const char *field = killed ? il__kill_name(result->kill) : "";
    if (result->line > 0)
        return il__fail_at(err, code, NULL, field, "%s:%d: %s", result->file, result->line, result->text);
    return il__fail_at(err, code, NULL, field, "%s", result->text);
}

struct il__sandbox *il__sandbox_of(lua_State *L)
{
    return il__state(L);
}

void *il__sandbox_host(lua_State *L)
{
    return il__state(L)->options.host;
}

void il__sandbox_charge(lua_State *L, uint64_t units)
{
    il__charge(il__state(L), units);
}

void il__sandbox_kill(lua_State *L, enum il__kill why)
{
    il__kill(il__state(L), why);
}

int il__sandbox_ref(lua_State *L)
{
    return luaL_ref(L, LUA_REGISTRYINDEX);
}

void il__sandbox_unref(lua_State *L, int ref)
{
    luaL_unref(L, LUA_REGISTRYINDEX, ref);
}

void il__sandbox_push_ref(lua_State *L, int ref)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, ref);
}

uint64_t il__sandbox_fuel_used(const struct il__sandbox *sb)
{
    return sb->fuel_start - (sb->slice + sb->fuel);
}

size_t il__sandbox_peak_bytes(const struct il__sandbox *sb)
{
    return sb->heap.peak_pages * IL__PAGE_BYTES;
}

bool il__sandbox_waiting(const struct il__sandbox *sb)
{
    return sb->main != NULL && sb->killed == IL__KILL_NONE;
}
