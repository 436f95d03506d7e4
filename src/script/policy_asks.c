/* Limits and history for policies (policy_asks.h): every option is checked where it is written, every answer is noted
 * before the script gets it. */
#include "script/policy_asks.h"

#include "base/error.h"
#include "contract/schema.h"
#include "script/duration.h"
#include "script/options.h"
#include "script/value.h"
#include "script/view.h"
#include "wire/json_write.h"

#include <lauxlib.h>
#include <stdio.h>

enum { ASK_COST = 500 }; /* units of work: as much as a look into the store may take */

/* ---- one policy ---- */

void il__policy_asks_begin(struct il__policy_asks *asks, struct il__mem *mem, struct il_str bundle,
                           struct il__arena *arena)
{
    *asks = (struct il__policy_asks){ .bundle = bundle, .arena = arena, .failed = IL_ERROR_INIT };
    il__buf_init(&asks->json, mem, IL__LIMIT_CONTRACT_BYTES / 4);
}

void il__policy_asks_end(struct il__policy_asks *asks)
{
    il__buf_clear(&asks->json);
}

static bool copy_claims(struct il__policy_asks *asks, struct il__said *said)
{
    if (!asks->claim_count) return true;
    struct il__claim *claims = il__arena_alloc(asks->arena, asks->claim_count * sizeof *claims);
    if (!claims) return false;
    memcpy(claims, asks->claims, asks->claim_count * sizeof *claims);
    said->claims = claims;
    said->claim_count = asks->claim_count;
    return true;
}

enum il_code il__policy_asks_take(struct il__policy_asks *asks, struct il__said *said, struct il_error *err)
{
    if (asks->count) il__buf_putc(&asks->json, ']');
    enum il_code code = il__buf_check(&asks->json, err);
    if (!code && asks->count) code = il__arena_str(asks->arena, il__buf_get(&asks->json), &said->asked);
    if (code || !copy_claims(asks, said)) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for what a policy asked");
    return IL_OK;
}

void il__policy_asks_settle(struct il__policy_asks *asks)
{
    if (asks->begun == asks->ended || asks->failed.code) return;
    il__fail(&asks->failed, IL_POLICY_ERROR, "a call of ctx.limit or ctx.history failed, and its error was caught: "
             "nothing was counted");
    asks->failed_at = asks->begun_at;
}

enum il_code il__policy_asks_refusal(const struct il__policy_asks *asks, struct il__said *said, struct il_error *err)
{
    char all[IL__LIMIT_VERDICT_TEXT_BYTES], one[IL__LIMIT_VERDICT_TEXT_BYTES];
    struct il__claim *named = il__arena_alloc(asks->arena, asks->claim_count * sizeof *named);
    size_t len = 0, count = 0;
    for (size_t i = 0; named && i < asks->claim_count; i++) {
        size_t more = asks->none_left[i] ? il__claim_reason(&asks->claims[i], one, sizeof one) : 0;
        if (!more || len + more + 2 > sizeof all) continue; /* what is not told cannot be overridden */
        len += (size_t)snprintf(all + len, sizeof all - len, "%s%.*s", len ? "; " : "", (int)more, one);
        named[count] = asks->claims[i];
        named[count++].none_left = true;
    }
    if (!named || il__arena_str(asks->arena, (struct il_str){ all, len }, &said->reason))
        return il__fail(err, IL_OUT_OF_MEMORY, "no memory for the reason of a policy");
    said->claims = named;
    said->claim_count = count;
    return IL_OK;
}

/* ---- what both have in common ---- */

static int line_of(lua_State *L)
{
    lua_Debug ar;
    if (!lua_getstack(L, 1, &ar) || !lua_getinfo(L, "l", &ar)) return 1;
    return ar.currentline > 0 ? ar.currentline : 1;
}

/* The one table of options, at 1. */
static struct il__policy_ctx *begin(lua_State *L, const char *name, const char *usage, const char *const *known)
{
    struct il__policy_ctx *ctx = il__sandbox_host(L);
    if (ctx->asks.begun == ctx->asks.ended) ctx->asks.begun_at = line_of(L);
    ctx->asks.begun++;
    il__sandbox_charge(L, ASK_COST);
    if (il__object_is(L, 1, &il__ctx_object)) luaL_error(L, "write %s with a dot: %s", name, usage);
    if (lua_gettop(L) != 1 || lua_type(L, 1) != LUA_TTABLE) luaL_error(L, "%s takes one table: %s", name, usage);
    il__options_check(L, 1, known, name);
    if (ctx->asks.count >= IL__LIMIT_POLICY_ASKS) {
        luaL_error(L, "a policy asks for limits and history at most %d times in one phase (policy_asks)",
                   IL__LIMIT_POLICY_ASKS);
    }
    return ctx;
}

/* It is remembered, so that a script that catches the error does not go on as if nothing were used. */
static void fail(lua_State *L, struct il__policy_asks *asks, const char *name, const struct il_error *why)
{
    if (!asks->failed.code) {
        il__fail(&asks->failed, why->code ? why->code : IL_STORE, "%s could not be answered: %s", name, why->message);
        asks->failed_at = line_of(L);
    }
    luaL_error(L, "%s", asks->failed.message);
}

static struct il__json_writer item(struct il__policy_asks *asks)
{
    struct il__json_writer w;
    il__buf_putc(&asks->json, asks->count++ ? ',' : '[');
    il__jw_init(&w, &asks->json);
    il__jw_object(&w);
    return w;
}

/* An optional text, absent for nil. */
static struct il_str text_option(lua_State *L, const char *name, const char *what)
{
    struct il_str s = IL_STR_NONE;
    if (il__arg_field(L, 1, name) != LUA_TNIL) {
        s = il__arg_str(L, lua_gettop(L), what);
        if (!s.len) luaL_error(L, "%s must not be empty; leave it out for any", what);
        if (s.len > IL__LIMIT_VERDICT_TEXT_BYTES) {
            luaL_error(L, "%s is %d bytes long; at most %d (verdict_text_bytes)", what, (int)s.len,
                       IL__LIMIT_VERDICT_TEXT_BYTES);
        }
    }
    return s; /* stays on the stack */
}

/* One of the names, as it stands in the list of them. */
static struct il_str known_name(lua_State *L, int idx, const char *const *names, const char *what)
{
    struct il_str s = il__arg_str(L, idx, what);
    int at = il__name_index(names, s);
    if (at >= 0) return il__str(names[at]);
    il__refuse_name(L, s, names, what);
    return s;
}

/* ---- limits ---- */

static struct il_str limit_key(lua_State *L, struct il__policy_asks *asks)
{
    char full[IL__LIMIT_BUNDLE_NAME_BYTES + 1 + IL__LIMIT_LIMIT_KEY_BYTES];
    struct il_str copy = IL_STR_NONE;
    if (il__arg_field(L, 1, "key") == LUA_TNIL) luaL_error(L, "ctx.limit: key is needed, as in key = \"edits\"");
    struct il_str key = il__arg_str(L, lua_gettop(L), "ctx.limit: key");
    if (!key.len) luaL_error(L, "ctx.limit: key must not be empty");
    if (key.len > IL__LIMIT_LIMIT_KEY_BYTES) {
        luaL_error(L, "ctx.limit: key is %d bytes long; at most %d (limit_key_bytes)", (int)key.len,
                   IL__LIMIT_LIMIT_KEY_BYTES);
    }
    size_t len = asks->bundle.len;
    memcpy(full, asks->bundle.ptr, len);
    full[len++] = '/';
    memcpy(full + len, key.ptr, key.len);
    if (il__arena_str(asks->arena, (struct il_str){ full, len + key.len }, &copy)) {
        struct il_error why = IL_ERROR_INIT;
        il__fail(&why, IL_OUT_OF_MEMORY, "no memory for a limit");
        fail(L, asks, "ctx.limit", &why);
    }
    return copy;
}

static void read_claim(lua_State *L, struct il__policy_asks *asks, struct il__claim *claim)
{
    static const char *const overs[] = { "deny", "count", NULL };
    if (il__arg_field(L, 1, "max") == LUA_TNIL) luaL_error(L, "ctx.limit: max is needed, as in max = 20");
    claim->most = il__arg_int(L, lua_gettop(L), "ctx.limit: max", 1, IL__LIMIT_LIMIT_MAX);
    if (il__arg_field(L, 1, "per") == LUA_TNIL) luaL_error(L, "ctx.limit: per is needed, as in per = \"1h\"");
    claim->per_ms = il__arg_duration(L, lua_gettop(L), "ctx.limit: per", 1000, IL__LIMIT_KEPT_S * INT64_C(1000));
    if (il__arg_field(L, 1, "over") != LUA_TNIL)
        claim->refuses = il__str_eq(known_name(L, lua_gettop(L), overs, "ctx.limit: over"), IL_STR("deny"));
    claim->key = limit_key(L, asks);
}

/* The place of the claim among those of this phase, made when it is not there. */
static size_t place(lua_State *L, struct il__policy_asks *asks, const struct il__claim *claim)
{
    size_t i = 0;
    for (; i < asks->claim_count; i++) {
        struct il__claim *c = &asks->claims[i];
        if (c->most != claim->most || c->per_ms != claim->per_ms || !il__str_eq(c->key, claim->key)) continue;
        c->refuses |= claim->refuses;
        return i;
    }
    if (i == IL__LIMIT_LIMIT_CLAIMS) {
        luaL_error(L, "a policy counts an action against at most %d limits (limit_claims)", IL__LIMIT_LIMIT_CLAIMS);
    }
    asks->claims[asks->claim_count++] = *claim;
    return i;
}

static void note_limit(struct il__policy_asks *asks, const struct il__claim *claim, const struct il__limit_seen *seen)
{
    struct il__json_writer w = item(asks);
    il__jw_member_str(&w, "limit", claim->key);
    il__jw_member_int(&w, "max", claim->most);
    il__jw_member_int(&w, "perMs", claim->per_ms);
    il__jw_member_int(&w, "used", seen->used);
    il__jw_member_int(&w, "waitMs", seen->wait_ms);
    il__jw_object_end(&w);
}

int il__ctx_limit(lua_State *L)
{
    static const char *const known[] = { "key", "max", "per", "over", NULL };
    struct il__policy_ctx *ctx =
        begin(L, "ctx.limit", "ctx.limit { key = \"edits\", max = 20, per = \"1h\" }", known);
    struct il__policy_asks *asks = &ctx->asks;
    struct il__limit_seen seen = { 0, 0 };
    struct il__claim claim = { .refuses = true };
    struct il_error why = IL_ERROR_INIT;
    read_claim(L, asks, &claim);
    size_t at = place(L, asks, &claim);
    if (ctx->scene->limit && ctx->scene->limit(ctx->scene, &claim, &seen, &why)) fail(L, asks, "ctx.limit", &why);
    note_limit(asks, &claim, &seen);
    asks->ended++;
    bool none = seen.used >= claim.most;
    if (none && asks->claims[at].refuses) {
        asks->none_left[at] = true;
        if (!asks->refused_at) asks->refused_at = line_of(L);
    }
    lua_pushinteger(L, none ? 0 : claim.most - seen.used);
    lua_pushinteger(L, none && seen.wait_ms > 0 ? (seen.wait_ms + 999) / 1000 : 0);
    return 2;
}

/* ---- history ---- */

enum { NAMES_MAX = 32 };
struct names {
    struct il_str items[NAMES_MAX];
    size_t count;
};

static void add_name(lua_State *L, struct names *out, const char *const *names, const char *what)
{
    if (out->count == NAMES_MAX) luaL_error(L, "%s: at most %d names", what, NAMES_MAX);
    out->items[out->count++] = known_name(L, lua_gettop(L), names, what);
    lua_pop(L, 1);
}

/* A name, or a list of names: a table, or a list of the parameters. */
static void name_option(lua_State *L, const char *option, const char *const *names, const char *what, struct names *out)
{
    int type = il__arg_field(L, 1, option), at = lua_gettop(L);
    out->count = 0;
    if (type == LUA_TSTRING) {
        add_name(L, out, names, what);
        return;
    }
    bool view = type != LUA_TNIL && il__view_is(L, at);
    lua_Integer count = view ? luaL_len(L, at) : type == LUA_TTABLE ? (lua_Integer)lua_rawlen(L, at) : 0;
    if (type != LUA_TNIL && count == 0)
        luaL_error(L, "%s must be a name or a list of names; leave it out for any", what);
    if (count > NAMES_MAX) luaL_error(L, "%s: at most %d names", what, NAMES_MAX);
    for (lua_Integer i = 1; i <= count; i++) {
        if (view) lua_geti(L, at, i);
        else lua_rawgeti(L, at, i);
        add_name(L, out, names, what);
    }
    lua_pop(L, 1);
}

static void write_names(struct il__json_writer *w, const char *name, struct il__strs names)
{
    if (!names.count) return;
    il__jw_key(w, name);
    il__jw_array(w);
    for (size_t i = 0; i < names.count; i++) il__jw_str(w, names.items[i]);
    il__jw_array_end(w);
}

void il__history_query_write(const struct il__history_query *q, struct il__json_writer *w)
{
    il__jw_object(w);
    il__jw_member_str(w, "app", q->app);
    write_names(w, "class", q->classes);
    write_names(w, "outcome", q->outcomes);
    il__jw_member_z(w, "session", il__str_present(q->session_id) ? "this" : "any");
    il__jw_member_str(w, "tool", q->tool);
    if (q->within_ms) il__jw_member_int(w, "withinMs", q->within_ms);
    il__jw_object_end(w);
}

static void note_history(struct il__policy_asks *asks, const struct il__history_query *q,
                         const struct il__history_seen *seen)
{
    struct il__json_writer w = item(asks);
    il__jw_member_int(&w, "count", seen->count);
    il__jw_key(&w, "history");
    il__history_query_write(q, &w);
    il__jw_member_int(&w, "sinceMs", seen->since_ms);
    il__jw_object_end(&w);
}

int il__ctx_history(lua_State *L)
{
    static const char *const known[] = { "outcome", "class", "tool", "app", "within", "session", NULL };
    static const char *const sessions[] = { "this", "any", NULL };
    static const char *const outcome_names[] = { "verified", "unverified", "failed", "indeterminate", NULL };
    struct il__policy_ctx *ctx =
        begin(L, "ctx.history", "ctx.history { outcome = \"failed\", within = \"10m\" }", known);
    struct names outcomes, classes;
    struct il_error why = IL_ERROR_INIT;
    struct il__history_query q = { .session_id = ctx->scene->session_id };
    struct il__history_seen seen = { 0, -1 };
    name_option(L, "outcome", outcome_names, "ctx.history: outcome", &outcomes);
    name_option(L, "class", il__class_names, "ctx.history: class", &classes);
    q.tool = text_option(L, "tool", "ctx.history: tool");
    q.app = text_option(L, "app", "ctx.history: app");
    if (il__arg_field(L, 1, "within") != LUA_TNIL)
        q.within_ms = il__arg_duration(L, lua_gettop(L), "ctx.history: within", 1, IL__LIMIT_KEPT_S * INT64_C(1000));
    if (il__arg_field(L, 1, "session") != LUA_TNIL &&
        il__str_eq(known_name(L, lua_gettop(L), sessions, "ctx.history: session"), IL_STR("any")))
        q.session_id = IL_STR_NONE;
    q.outcomes = (struct il__strs){ outcomes.items, outcomes.count };
    q.classes = (struct il__strs){ classes.items, classes.count };
    if (ctx->scene->history && ctx->scene->history(ctx->scene, &q, &seen, &why))
        fail(L, &ctx->asks, "ctx.history", &why);
    note_history(&ctx->asks, &q, &seen);
    ctx->asks.ended++;
    lua_pushinteger(L, seen.count);
    if (seen.count > 0) lua_pushinteger(L, seen.since_ms / 1000);
    else lua_pushnil(L);
    return 2;
}
