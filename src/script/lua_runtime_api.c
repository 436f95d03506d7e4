/* The object `runtime` that the functions of a Lua runtime get: time, ids, digests, JSON, and the ways to fail. Scratch
 * memory hangs on the runtime, since any of these functions can be left by a kill. */
#include "base/error.h"
#include "check/args_digest.h"
#include "script/duration.h"
#include "script/lua_runtime_state.h"
#include "script/state.h"
#include "script/value.h"

#include <stdio.h>

static struct il__lua_runtime *runtime_of(lua_State *L)
{
    return il__sandbox_host(L);
}

/* In milliseconds, as servers write times: texts of one length, which compare like the times. */
static void push_time(lua_State *L, int64_t offset_ms)
{
    char text[IL__RFC3339_MAX];
    struct il__instant at = il__clock_now(runtime_of(L)->options.clock).wall;
    at.nsec -= at.nsec % 1000000;
    at = il__instant_add_ms(at, offset_ms);
    lua_pushlstring(L, text, il__rfc3339_format(at, text));
}

static int runtime_now(lua_State *L)
{
    push_time(L, 0);
    return 1;
}

static int runtime_time(lua_State *L)
{
    struct il_str offset = il__arg_str(L, 1, "runtime.time: the offset");
    int64_t ms;
    if (!il__duration_parse(offset, true, &ms)) {
        return luaL_error(L, "runtime.time needs an offset such as \"+30s\", \"-5m\" or \"250ms\"");
    }
    push_time(L, ms);
    return 1;
}

static int runtime_uuid(lua_State *L)
{
    struct il__lua_runtime *r = runtime_of(L);
    uint8_t hash[IL__SHA256_BYTES];
    char hex[IL__SHA256_HEX], text[40];
    il__sandbox_charge(L, 50);
    uint64_t n = r->uuids++;
    il__sha256_begin(r->options.digest);
    il__sha256_add(r->options.digest, r->options.seed.ptr, r->options.seed.len);
    il__sha256_add(r->options.digest, &n, sizeof n);
    il__sha256_end(r->options.digest, hash);
    hash[6] = (uint8_t)((hash[6] & 0x0f) | 0x40); /* RFC 9562: version 4 */
    hash[8] = (uint8_t)((hash[8] & 0x3f) | 0x80);
    il__hex(hash, 16, hex);
    int len = snprintf(text, sizeof text, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12, hex + 16, hex + 20);
    lua_pushlstring(L, text, (size_t)len);
    return 1;
}

static int runtime_sha256(lua_State *L)
{
    if (lua_type(L, 1) != LUA_TSTRING) return luaL_error(L, "runtime.sha256 needs a text");
    struct il_str text;
    char hex[IL__SHA256_HEX];
    text.ptr = lua_tolstring(L, 1, &text.len);
    il__sandbox_charge(L, 50 + text.len / 16);
    il__sha256_hex(runtime_of(L)->options.digest, text, hex);
    lua_pushlstring(L, hex, IL__SHA256_HEX - 1);
    return 1;
}

static int raise(lua_State *L, const struct il_error *err)
{
    return luaL_error(L, "%s", err->message);
}

static int runtime_json(lua_State *L)
{
    struct il__lua_runtime *r = runtime_of(L);
    struct il_error err = IL_ERROR_INIT;
    if (lua_type(L, 1) != LUA_TSTRING) return luaL_error(L, "runtime.json needs the text of a JSON document");
    struct il_str text;
    text.ptr = lua_tolstring(L, 1, &text.len);
    il__sandbox_charge(L, 20 + text.len / 8);
    il__json_clear(&r->first);
    if (il__json_parse(&r->first, r->options.mem, text, IL__JSON_PAYLOAD, &err)) return raise(L, &err);
    il__value_push_json(L, &r->first, 0);
    il__json_clear(&r->first);
    return 1;
}

/* The value at `idx` as a document that owns its text. */
static void to_doc(lua_State *L, int idx, struct il__json *doc, const char *what)
{
    struct il__lua_runtime *r = runtime_of(L);
    struct il_error err = IL_ERROR_INIT;
    il__buf_reset(&r->text);
    il__value_check_json(L, idx, &r->text, what);
    il__json_clear(doc);
    if (il__buf_check(&r->text, &err) ||
        il__json_parse_copy(doc, r->options.mem, il__buf_get(&r->text), IL__JSON_PAYLOAD, &err)) {
        (void)raise(L, &err);
    }
}

static int runtime_args_digest(lua_State *L)
{
    struct il__lua_runtime *r = runtime_of(L);
    struct il_error err = IL_ERROR_INIT;
    char hex[IL__SHA256_HEX];
    il__sandbox_charge(L, 200);
    to_doc(L, 1, &r->first, "runtime.args_digest: the envelope");
    to_doc(L, 2, &r->second, "runtime.args_digest: the arguments");
    struct il__any arguments = { &r->second, 0 };
    enum il_code code = il__args_digest(r->options.digest, r->options.mem, &r->first, 0, arguments, hex, &err);
    if (code == IL_UNSUPPORTED) {
        lua_pushnil(L);
        return 1;
    }
    if (code) return raise(L, &err);
    lua_pushlstring(L, hex, IL__SHA256_HEX - 1);
    return 1;
}

static int runtime_encode(lua_State *L)
{
    struct il__lua_runtime *r = runtime_of(L);
    struct il_error err = IL_ERROR_INIT;
    lua_settop(L, 1);
    il__buf_reset(&r->text);
    il__value_check_json(L, 1, &r->text, "runtime.encode");
    if (il__buf_check(&r->text, &err)) return raise(L, &err);
    lua_pushlstring(L, r->text.ptr ? r->text.ptr : "", r->text.len);
    return 1;
}

static int runtime_log(lua_State *L)
{
    struct il_str text = il__arg_str(L, 1, "runtime.log");
    il__sandbox_log(L, IL_LOG_INFO, text.ptr, text.len);
    return 0;
}

static int runtime_fail(lua_State *L)
{
    struct il__lua_runtime *r = runtime_of(L);
    struct il_str reason = il__arg_str(L, 1, "runtime.fail: the reason");
    struct il_str message = il__arg_opt_str(L, 2, "runtime.fail: the message");
    memset(&r->answer, 0, sizeof r->answer);
    r->answer.kind = IL__ANSWER_FAILED;
    il__escape(r->answer.reason, sizeof r->answer.reason, reason);
    il__escape(r->answer.message, sizeof r->answer.message, message);
    snprintf(r->failing, sizeof r->failing, "%s: %s", r->answer.reason, r->answer.message);
    return luaL_error(L, "%s", r->failing);
}

static const struct il__member runtime_members[] = {
    { "now", "() -> text", 0, runtime_now, "The host's wall time, RFC 3339." },
    { "time", "(offset) -> text", 0, runtime_time, "The host's wall time plus an offset such as \"+30s\"." },
    { "uuid", "() -> text", 0, runtime_uuid, "A fresh id; the same ones in every run with the same seed." },
    { "args_digest", "(envelope, arguments) -> text or nil", 0, runtime_args_digest,
      "The digest of an action by the runtime's rule; nil where the rule cannot be computed here." },
    { "sha256", "(text) -> text", 0, runtime_sha256, "SHA-256 in lowercase hex." },
    { "json", "(text) -> value", 0, runtime_json, "Reads a JSON document." },
    { "encode", "(value) -> text", 0, runtime_encode, "Writes a value as JSON, members sorted." },
    { "log", "(text)", 0, runtime_log, "Writes a line to the log of the host." },
    { "fail", "(reason, message)", 0, runtime_fail, "Raises: the operation is answered with this error." },
    { "failure", "(reason, message) -> answer", 0, il__lua_answer_failure, "The same error as a value to return." },
    { "lost", "() -> answer", 0, il__lua_answer_lost, "To return: no answer ever comes." },
    { "crash", "() -> answer", 0, il__lua_answer_crash, "To return: the transport fails at once." },
    { "raw", "(text) -> answer", 0, il__lua_answer_raw, "To return: these bytes are the answer." },
    { "later", "(delay, answer) -> answer", 0, il__lua_answer_later, "To return: the answer comes after that time." },
    { "twice", "(answer) -> answer", 0, il__lua_answer_twice, "To return: the answer comes two times." },
    { NULL, NULL, 0, NULL, NULL },
};
const struct il__object il__runtime_object = {
    "runtime", "What the functions of a Lua runtime get beside the request.", runtime_members, NULL, false, false,
};
