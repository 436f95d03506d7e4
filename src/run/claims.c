/* Claims in records (claims.h). Must never leave out a claim that cannot be read: the run is then not rebuilt. */
#include "run/claims.h"

#include "base/limits.h"
#include "wire/json_write.h"

struct il_str il__claims_text(struct il_run *run, const struct il__claim *claims, size_t count)
{
    struct il__json_writer w;
    struct il__buf *buf = &run->engine->claims;
    if (!count) return IL_STR_NONE;
    il__buf_reset(buf);
    il__jw_init(&w, buf);
    il__jw_array(&w);
    for (size_t i = 0; i < count; i++) {
        il__jw_object(&w);
        il__jw_member_str(&w, "key", claims[i].key);
        il__jw_member_int(&w, "max", claims[i].most);
        if (claims[i].none_left) il__jw_member_bool(&w, "noneLeft", true);
        il__jw_member_int(&w, "perMs", claims[i].per_ms);
        il__jw_member_bool(&w, "refuses", claims[i].refuses);
        il__jw_object_end(&w);
    }
    il__jw_array_end(&w);
    return buf->code ? IL_STR_NONE : il__buf_get(buf);
}

static bool read_one(struct il__json *doc, uint32_t at, struct il__claim *out)
{
    if (il__json_kind(doc, at) != IL__JSON_OBJECT) return false;
    uint32_t key = il__json_get(doc, at, "key"), most = il__json_get(doc, at, "max");
    uint32_t per = il__json_get(doc, at, "perMs"), refuses = il__json_get(doc, at, "refuses");
    if (!key || il__json_kind(doc, key) != IL__JSON_STRING || il__json_string(doc, key, &out->key, NULL)) return false;
    if (!most || !il__json_int(doc, most, &out->most) || !per || !il__json_int(doc, per, &out->per_ms)) return false;
    if (!out->key.len || out->most < 1 || out->per_ms < 1 || !refuses) return false;
    uint32_t none = il__json_get(doc, at, "noneLeft");
    out->none_left = none && il__json_kind(doc, none) == IL__JSON_TRUE;
    out->refuses = il__json_kind(doc, refuses) == IL__JSON_TRUE;
    return out->refuses || il__json_kind(doc, refuses) == IL__JSON_FALSE;
}

bool il__claims_read(struct il__json *doc, uint32_t body, struct il__claim *claims, size_t *count)
{
    uint32_t list = il__json_get(doc, body, "claims");
    *count = 0;
    if (!list) return true;
    if (il__json_kind(doc, list) != IL__JSON_ARRAY || il__json_at(doc, list)->count > IL__LIMIT_LIMIT_CLAIMS)
        return false;
    for (uint32_t at = il__json_first(doc, list); at; at = il__json_next(doc, list, at))
        if (!read_one(doc, at, &claims[(*count)++])) return false;
    return true;
}
