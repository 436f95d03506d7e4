/* Values across the border of the sandbox: copies out and in, and views. */
#include "script/value.h"

#include "base/error.h"
#include "box.h"
#include "contract/schema.h"
#include "script/view.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one script run works on. */
struct border {
    struct box box; /* first: the log and the value go there */
    struct il__buf out;
    struct il_error err;
    enum il_code code;
    struct il__json doc;
    const struct il__schema *schema;
    const void *obj;
};

/* dump(v): v as JSON text, or nil and what is wrong. */
static int script_dump(lua_State *L)
{
    struct border *b = il__sandbox_host(L);
    il__buf_reset(&b->out);
    il__error_clear(&b->err);
    lua_settop(L, 1);
    b->code = il__value_to_json(L, 1, &b->out, &b->err);
    if (b->code != IL_OK) {
        lua_pushnil(L);
        lua_pushstring(L, b->err.message);
        return 2;
    }
    lua_pushlstring(L, il__buf_get(&b->out).ptr, il__buf_get(&b->out).len);
    return 1;
}

/* size(v): bytes of its JSON text. */
static int script_size(lua_State *L)
{
    struct border *b = il__sandbox_host(L);
    il__buf_reset(&b->out);
    il__value_check_json(L, 1, &b->out, "size");
    lua_pushinteger(L, (lua_Integer)b->out.len);
    return 1;
}

static int script_copy(lua_State *L)
{
    struct border *b = il__sandbox_host(L);
    il__value_push_json(L, &b->doc, 0);
    return 1;
}

static int script_view(lua_State *L)
{
    struct border *b = il__sandbox_host(L);
    if (b->schema) il__view_push_struct(L, b->schema, b->obj);
    else il__view_push_json(L, &b->doc, 0);
    return 1;
}

static int script_disarm(lua_State *L)
{
    il__view_disarm_all(il__sandbox_of(L));
    return 0;
}

static int open_border(lua_State *L)
{
    static const luaL_Reg functions[] = { { "dump", script_dump }, { "copy", script_copy },     { "size", script_size },
                                          { "view", script_view }, { "disarm", script_disarm }, { NULL, NULL } };
    il__sandbox_push_library(L, "border", functions);
    return 1;
}

static const struct il__module module[] = { { .name = { "border", 6 }, .open = open_border } };
static const struct il__modules modules = { module, 1, NULL };

/* `json`: the document of copy and view; NULL: none. */
static enum il__script_end run(struct border *b, const char *json, const char *source)
{
    char *text = malloc(strlen(source) + 128);
    memset(&b->doc, 0, sizeof b->doc);
    box_init(&b->box);
    b->box.options.modules = &modules;
    b->box.options.host = b;
    il__buf_init(&b->out, &b->box.mem, 0);
    struct il_error err = IL_ERROR_INIT;
    if (json)
        tap_ok(il__json_parse(&b->doc, &b->box.mem, il__str(json), IL__JSON_PAYLOAD, &err) == IL_OK, "parsed: %s",
               err.message);
    tap_ok(box_open(&b->box), "open");
    sprintf(text, "local b = require 'border' local dump, copy, view, size = b.dump, b.copy, b.view, b.size %s",
            source);
    (void)box_run_in(&b->box, il__str(text));
    il__buf_clear(&b->out);
    il__json_clear(&b->doc);
    tap_ok(box_close(&b->box), "every byte came back");
    free(text);
    return b->box.result.end;
}

static void gives(const char *json, const char *source, const char *want)
{
    struct border b = { 0 };
    (void)run(&b, json, source);
    if (!tap_ok(strcmp(b.box.value, want) == 0, "%s gives %s", source, want))
        tap_note("'%s', %d %s", b.box.value, b.box.result.end, b.box.result.text);
}

static void test_out(void)
{
    gives(NULL, "return dump { b = 1, a = 2.0, c = { 'x', true, json.null } }",
          "{\"a\":2.0,\"b\":1,\"c\":[\"x\",true,null]}");
    gives(NULL, "return dump {}", "{}");
    gives(NULL, "return dump(json.array {})", "[]");
    gives(NULL, "return dump { json.array(), {} }", "[[],{}]");
    gives(NULL, "return dump(nil)", "null");
    gives(NULL, "return dump 'a\\n\"'", "\"a\\n\\\"\"");
    gives(NULL, "return dump { 0.5, -0.0, 1e300, math.maxinteger, math.mininteger }",
          "[0.5,0.0,1e+300,9223372036854775807,-9223372036854775808]");
    gives(NULL, "return select(2, dump { a = { 1, print } })", "/a/1: a function cannot be handed over");
    gives(NULL, "return select(2, dump { ['a/b'] = { x = coroutine.create(print) } })",
          "/a~1b/x: a thread cannot be handed over");
    gives(NULL, "return select(2, dump { string })", "/0: a userdata cannot be handed over");
    gives(NULL, "local t = {} t.t = t return select(2, dump(t))", "/t: a table must not contain itself");
    gives(NULL, "return select(2, dump { 0/0 })", "/0: NaN has no JSON form");
    gives(NULL, "return select(2, dump { -1/0 })", "/0: infinity has no JSON form");
    gives(NULL, "return select(2, dump { 1, x = 1 })", "a table must not mix names and numbers as keys");
    gives(NULL, "return select(2, dump { 1, nil, 3 })", "a list must have the keys 1 to n without holes");
    gives(NULL, "return select(2, dump { [1.5] = 1 })", "a list must have the keys 1 to n without holes");
    gives(NULL, "return select(2, dump { [true] = 1 })", "a boolean cannot be the name of a member");
    gives(NULL, "return select(2, dump { [{}] = 1 })", "a table cannot be a key");
    gives(NULL, "return select(2, dump 'a\\0b')", "a text must not hold NUL");
    gives(NULL, "return select(2, dump '\\xff')", "a text must be valid UTF-8");
    gives(NULL, "return select(2, dump { ['\\xff'] = 1 })", "/\\xff: the name of a member must be UTF-8 without NUL");
    gives(NULL, "return select(2, dump(json.array { x = 1 }))", "a json.array must have the keys 1 to n");
    gives(NULL, "local s = {} local t = { s, s } return dump(t)", "[{},{}]");
}

static void test_out_limits(void)
{
    gives(NULL, "local t = {} local r = t for i = 1, 31 do t.n = {} t = t.n end return #dump(r) > 0", "true");
    gives(NULL,
          "local t = {} local r = t for i = 1, 32 do t.n = {} t = t.n end return (select(2, dump(r)):gsub('/n', ''))",
          ": nested deeper than 32 levels (value_depth)");
    gives(NULL, "local t = {} for i = 1, 10000 do t[i] = 1 end return #dump(t)", "20001");
    gives(NULL, "local t = {} for i = 1, 10001 do t[i] = 1 end return select(2, dump(t))",
          "more than 10000 entries (value_cells)");
    gives(NULL,
          "local t = {} for i = 1, 20 do t = { t, t } end return select(2, dump(t)):match('value_cells') or 'none'",
          "value_cells");
    gives(NULL,
          "local s = ('x'):rep(100000) local t = {} for i = 1, 11 do t[i] = s end return select(2, "
          "dump(t)):match('value_bytes')",
          "value_bytes");
    gives(NULL, "local s = ('x'):rep(100000) local t = {} for i = 1, 10 do t[i] = s end return size(t)", "1000031");
}

static const char *const sample =
    "{\"b\":[1,2.5,\"x\",null,{\"deep\":true}],\"a\":{\"n\":null,\"big\":123456789012345678901234567890,\"e\":[]},"
    "\"nul\":\"a\\u0000b\",\"lone\":\"\\ud800\",\"int\":42,\"flt\":42.0}";

static void test_in(void)
{
    gives(sample, "return dump(copy().b)", "[1,2.5,\"x\",null,{\"deep\":true}]");
    gives(sample, "local c = copy() return math.type(c.int) .. math.type(c.flt) .. math.type(c.a.big)",
          "integerfloatfloat");
    gives(sample, "local c = copy() return c.nul .. c.lone", "a\xef\xbf\xbd"
                                                            "b\xef\xbf\xbd");
    gives(sample, "local c = copy() return c.a.n == json.null and dump(c.a.e)", "[]");
    gives(sample, "local c = copy() c.b[1] = 7 return c.b[1]", "7");
    gives("[]", "return dump(copy())", "[]");
    gives("3", "return copy()", "3");
    gives("null", "return copy() == json.null and 'null'", "null");
    gives("{\"a\":[{\"b\":[]},{\"c\":{}}]}", "return dump(copy())", "{\"a\":[{\"b\":[]},{\"c\":{}}]}");
    char deep[128];
    memset(deep, '[', 33);
    memset(deep + 33, ']', 33);
    deep[66] = '\0';
    gives(deep, "return select(2, pcall(copy)):match('value_depth')", "value_depth");
    deep[65] = '\0';
    gives(deep + 1, "return type(copy())", "table");
    char *wide = malloc(40000);
    size_t n = 0;
    wide[n++] = '[';
    for (int i = 0; i < 10001; i++) n += (size_t)sprintf(wide + n, i ? ",1" : "1");
    wide[n++] = ']';
    wide[n] = '\0';
    gives(wide, "return select(2, pcall(copy)):match('value_cells')", "value_cells");
    free(wide);
}

static void test_views(void)
{
    gives(sample, "return view().b[2]", "2.5");
    gives(sample, "return #view().b", "5");
    gives(sample, "return view().b[5].deep", "true");
    gives(sample, "return view().b[4] == json.null and view().a.n == nil and 'yes'", "yes");
    gives(sample, "local s = '' for k, v in pairs(view()) do s = s .. k .. ' ' end return s", "a b flt int lone nul ");
    gives(sample, "local s = '' for i, v in ipairs(view().b) do s = s .. i .. type(v) .. ' ' end return s",
          "1number 2number 3string 4userdata 5userdata ");
    gives(sample, "local s = '' for i, v in pairs(view().b) do s = s .. i end return s", "12345");
    gives(sample,
          "return view().b[6] == nil and view().b[0] == nil and view().x == nil and view().b.x == nil and view()[1] == "
          "nil and 'nil'",
          "nil");
    gives(sample, "return select(2, pcall(function() view().x = 1 end)):match('read.only')", "read-only");
    gives(sample, "return select(2, pcall(function() view().b[1] = 1 end)):match('read.only')", "read-only");
    gives(sample,
          "return tostring(pcall(rawset, view(), 'x', 1)) .. tostring(pcall(table.insert, view().b, 1)) .. "
          "tostring(pcall(table.sort, view().b)) .. tostring(pcall(rawget, view(), 'b'))",
          "falsefalsefalsefalse");
    gives(sample, "return select(2, pcall(function() return #view().a end)):match('no list')", "no list");
    gives(sample, "return dump(view().b)", "[1,2.5,\"x\",null,{\"deep\":true}]");
    gives(sample, "return dump { x = view().a }",
          "{\"x\":{\"n\":null,\"big\":123456789012345678901234567890,\"e\":[]}}");
    gives(sample, "return view().b == view().b and view().a ~= view().b", "true");
    gives(sample, "return tostring(view()) .. type(view()) .. json.kind(view()) .. json.kind(view().b)",
          "objectuserdataobjectarray");
    gives(sample,
          "local v = view() local w = v.b b.disarm() return select(2, pcall(function() return v.a end)):match('used "
          "after')",
          "used after");
    gives(sample,
          "local v = view() local w = v.b b.disarm() return select(2, pcall(function() return w[1] end)):match('used "
          "after')",
          "used after");
    gives(sample, "local v = view() b.disarm() return select(2, pcall(pairs, v)):match('used after')", "used after");
    gives(sample, "local v = view() b.disarm() return select(2, pcall(dump, v)):match('used after')", "used after");
    gives(sample, "local v = view() b.disarm() return select(2, pcall(ipairs, v)):match('used after')", "used after");
    gives(sample, "local v = view() b.disarm() return view().int", "42");
    gives("[1,2,3]", "local v, s = view(), 0 for i = #v, 1, -1 do s = s * 10 + v[i] end return s", "321");
}

static const char *const envelope_text =
    "{\"actionId\":\"a1\",\"sessionId\":\"s1\",\"principalId\":\"p1\",\"tool\":\"click\",\"operation\":\"click\","
    "\"actionClass\":\"edit_reversible\",\"requestedMode\":\"background\",\"target\":{\"platform\":\"linux\","
    "\"appId\":\"org.x\",\"windowId\":42,\"observationId\":\"o1\",\"confidence\":0.5,\"capturedAt\":\"2026-01-01T00:00:"
    "00Z\"},"
    "\"dataLabels\":[\"credential\",\"pii\"],\"reversible\":true,\"externalSideEffect\":false,"
    "\"proposedAt\":\"2026-01-01T00:00:00Z\",\"expiresAt\":\"2026-01-01T00:01:00Z\",\"argsDigest\":\"d\"}";

static void struct_gives(const char *source, const char *want)
{
    struct il__mem mem;
    struct il__json doc = { 0 };
    struct il_error err = IL_ERROR_INIT;
    const struct il__schema *schema = il__schema_by_kind(IL_STR("envelope"));
    il__mem_init(&mem, NULL, NULL, 0);
    void *obj = calloc(1, schema->size);
    if (!tap_ok(il__decode_text(schema, &mem, il__str(envelope_text), &doc, obj, &err) == IL_OK, "decoded: %s",
                err.message))
        exit(1);
    struct border b = { .schema = schema, .obj = obj };
    (void)run(&b, NULL, source);
    if (!tap_ok(strcmp(b.box.value, want) == 0, "%s gives %s", source, want))
        tap_note("'%s', %d %s", b.box.value, b.box.result.end, b.box.result.text);
    free(obj);
    il__json_clear(&doc);
}

static void test_structs(void)
{
    struct_gives("local e = view() return e.action_id .. e.tool .. e.action_class .. e.requested_mode",
                 "a1clickedit_reversiblebackground");
    struct_gives("return view().target.app_id .. view().target.window_id .. view().target.confidence", "org.x420.5");
    struct_gives("return math.type(view().target.window_id)", "integer");
    struct_gives("return view().agent_id == nil and view().resource == nil and view().reversible", "true");
    struct_gives("return #view().data_labels .. view().data_labels[2]", "2pii");
    struct_gives("local s = '' for _, l in ipairs(view().data_labels) do s = s .. l .. ' ' end return s",
                 "credential pii ");
    struct_gives("return select(2, pcall(function() return view().taget end)):match('no member.*')",
                 "no member 'taget'; did you mean 'target'?");
    struct_gives("return select(2, pcall(function() return view().actionId end)):match('did.*')",
                 "did you mean 'action_id'?");
    struct_gives("return select(2, pcall(function() view().target.app_id = 'x' end)):match('read.only')", "read-only");
    struct_gives("local n = 0 for k, v in pairs(view().target) do n = n + 1 end return n", "6");
    struct_gives("return dump(view().data_labels)", "[\"credential\",\"pii\"]");
    struct_gives("return dump(view()):match('^{.-,')", "{\"actionId\":\"a1\",");
    struct_gives("return tostring(view())", "action envelope");
    struct_gives("local t = view().target b.disarm() return select(2, pcall(function() return t.app_id "
                 "end)):match('used after')",
                 "used after");
}

/* ---- arguments
 * --------------------------------------------------------------------------------------------------------- */

static int args_script(lua_State *L)
{
    lua_pushinteger(L, il__arg_int(L, 1, "n", 1, 100));
    return 1;
}

static int args_text(lua_State *L)
{
    struct il_str s = il__arg_str(L, 1, "s");
    lua_pushlstring(L, s.ptr, s.len);
    return 1;
}

static int open_args(lua_State *L)
{
    static const luaL_Reg functions[] = { { "int", args_script }, { "text", args_text }, { NULL, NULL } };
    il__sandbox_push_library(L, "args", functions);
    return 1;
}

static const struct il__module args_module[] = { { .name = { "args", 4 }, .open = open_args } };
static const struct il__modules args_modules = { args_module, 1, NULL };

static void arg_gives(const char *source, const char *want)
{
    struct box box;
    char text[256];
    box_init(&box);
    box.options.modules = &args_modules;
    tap_ok(box_open(&box), "open");
    snprintf(text, sizeof text, "local a = require 'args' return select(2, pcall(a.%s))", source);
    (void)box_run_in(&box, il__str(text));
    tap_str(il__str(box.value), want, "%s", source);
    tap_ok(box_close(&box), "closed");
}

static void test_arguments(void)
{
    arg_gives("int, 5", "5");
    arg_gives("int, '5'", "n must be an integer, got string");
    arg_gives("int, 5.0", "n must be an integer, got number");
    arg_gives("int, 101", "n must be between 1 and 100, got 101");
    arg_gives("int, math.mininteger", "n must be between 1 and 100, got -9223372036854775808");
    arg_gives("int", "n must be an integer, got no value");
    arg_gives("text, 'x'", "x");
    arg_gives("text, 7", "s must be a string, got number");
    arg_gives("text, 'a\\0b'", "s must not hold NUL");
}

int main(void)
{
    test_out();
    test_out_limits();
    test_in();
    test_views();
    test_structs();
    test_arguments();
    return tap_done();
}
