/* Members of a scenario's JSON (player_args.h). */
#include "host/player_args.h"

#include "base/error.h"

static uint32_t find(const struct il__args *a, const char *name, enum il__json_kind kind)
{
    uint32_t at = a->doc ? il__json_get(a->doc, a->at, name) : 0;
    return at && il__json_kind(a->doc, at) == kind ? at : 0;
}

struct il__args il__args_sub(const struct il__args *a, const char *name)
{
    uint32_t at = find(a, name, IL__JSON_OBJECT);
    return (struct il__args){ at ? a->doc : NULL, at };
}

struct il_str il__args_str(const struct il__args *a, const char *name, struct il_str fallback)
{
    struct il_str s;
    uint32_t at = find(a, name, IL__JSON_STRING);
    return at && !il__json_string(a->doc, at, &s, NULL) ? s : fallback;
}

int64_t il__args_int(const struct il__args *a, const char *name, int64_t fallback)
{
    int64_t v;
    uint32_t at = find(a, name, IL__JSON_INT);
    return at && il__json_int(a->doc, at, &v) ? v : fallback;
}

bool il__args_bool(const struct il__args *a, const char *name, bool fallback)
{
    if (find(a, name, IL__JSON_TRUE)) return true;
    return find(a, name, IL__JSON_FALSE) ? false : fallback;
}

struct il_str il__args_raw(const struct il__args *a, const char *name)
{
    uint32_t at = a->doc ? il__json_get(a->doc, a->at, name) : 0;
    return at ? il__json_raw(a->doc, at) : IL_STR_NONE;
}

bool il__args_strs(const struct il__args *a, const char *name, struct il_str *out, size_t cap, size_t *count)
{
    uint32_t list = find(a, name, IL__JSON_ARRAY);
    if (!list) return false;
    *count = 0;
    for (uint32_t at = il__json_first(a->doc, list); at && *count < cap; at = il__json_next(a->doc, list, at))
        if (il__json_kind(a->doc, at) == IL__JSON_STRING && !il__json_string(a->doc, at, &out[*count], NULL)) ++*count;
    return true;
}

static bool unit_ms(struct il_str unit, int64_t *ms)
{
    static const struct { const char *name; int64_t ms; } units[] = {
        { "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { "h", 3600000 }, { "d", 86400000 },
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (il__str_eq(unit, il__str(units[i].name))) {
            *ms = units[i].ms;
            return true;
        }
    return false;
}

static bool parse_ms(struct il_str s, int64_t *ms)
{
    size_t at = s.len && (s.ptr[0] == '-' || s.ptr[0] == '+') ? 1 : 0, digits = at;
    int64_t n = 0, unit;
    while (at < s.len && s.ptr[at] >= '0' && s.ptr[at] <= '9' && at - digits < 9) n = n * 10 + (s.ptr[at++] - '0');
    if (at == digits || !unit_ms((struct il_str){ s.ptr + at, s.len - at }, &unit)) return false;
    *ms = s.ptr[0] == '-' ? -n * unit : n * unit;
    return true;
}

enum il_code il__args_ms(const struct il__args *a, const char *name, int64_t *ms, struct il_error *err)
{
    int64_t seconds = il__args_int(a, name, INT32_MIN);
    if (seconds > INT32_MIN && seconds <= INT32_MAX) {
        *ms = seconds * 1000;
        return IL_OK;
    }
    if (parse_ms(il__args_str(a, name, IL_STR_NONE), ms)) return IL_OK;
    return il__fail_at(err, IL_INVALID_REQUEST, "scenario", name,
                       "%s takes a time such as \"45s\", \"250ms\" or \"5m\"", name);
}
