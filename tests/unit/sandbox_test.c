/* The sandbox as its host sees it: entries and their ends, limits, errors, modules, what is global, repeatability. */
#include "script/sandbox.h"

#include "box.h"
#include "tap.h"

#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values
 * ---------------------------------------------------------------------------------------------------------- */

static void gives(const char *source, const char *want)
{
    struct box box;
    enum il__script_end end = box_run(&box, source);
    if (!tap_ok(end == IL__SCRIPT_RETURNED && strcmp(box.value, want) == 0, "%s gives %s", source, want))
        tap_note("end %d, value '%s', %s:%d: %s", end, box.value, box.result.file, box.result.line, box.result.text);
}

static void fails(const char *source, int line, const char *text)
{
    struct box box;
    enum il__script_end end = box_run(&box, source);
    bool ok = end == IL__SCRIPT_ERROR && box.result.line == line && strstr(box.result.text, text) != NULL;
    if (!tap_ok(ok, "%s: line %d says \"%s\"", source, line, text))
        tap_note("end %d, %s:%d: %s", end, box.result.file, box.result.line, box.result.text);
}

static void dies(const char *source, enum il__kill why)
{
    struct box box;
    enum il__script_end end = box_run(&box, source);
    if (!tap_ok(end == IL__SCRIPT_KILLED && box.result.kill == why, "%s dies of %s", source, il__kill_name(why)))
        tap_note("end %d, kill %s, %s", end, il__kill_name(box.result.kill), box.result.text);
    tap_ok(box.seconds < 2.7 * box_slowness(), "%s: in time (%.2f s)", source, box.seconds);
}

static void test_globals(void)
{
    static const char *const absent[] = { "os", "io", "debug", "package", "require", "load", "loadstring", "dofile",
                                          "loadfile", "collectgarbage", "warn", "next", "setmetatable", "getmetatable",
                                          "_G", "_VERSION", "module", "newproxy" };
    char source[96];
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        snprintf(source, sizeof source, "return _ENV['%s'] == nil", absent[i]);
        gives(source, "true");
    }
    gives("return string.dump or string.pack or string.unpack or table.foreach or math.sin or math.exp or math.log or "
          "math.randomseed or coroutine.close or 'none'", "none");
    gives("local n = 0 for k in pairs(_ENV) do n = n + 1 end return n", "0");
    gives("x = 1 return x", "1");
    gives("return ('x'):rep(3) .. ('a'):upper()", "xxxA");
    gives("return select(2, pcall(function() string.rep = 1 end)):match('string is read.only')", "string is read-only");
    gives("return tostring(pcall(table.insert, string, 1))", "false");
    gives("return tostring(pcall(rawset, string, 'rep', 1))", "false");
    gives("return tostring({}) .. tostring(print) .. tostring(0/0) .. tostring(coroutine.create(print))",
          "tablefunctionnanthread");
    gives("return string.format('%s %s', {}, print)", "table function");
    gives("return tostring(pcall(string.format, '%p', {}))", "false");
    gives("return tostring(pcall(function() return '10' + 1 end))", "false");
}

static void test_errors(void)
{
    fails("\n\nerror('boom')", 3, "boom");
    fails("local t = nil\nreturn t.x", 2, "attempt to index a nil value (local 't')");
    fails("error({})", 1, "the error value is a table");
    fails("error(nil)", 1, "the error value is a nil");
    fails("error('a\\nb\\27[31m', 0)", 1, "a\\x0ab\\x1b[31m");
    fails("x = = 1", 1, "`=` sets a variable, it does not compare; write `==` to compare");
    fails("if x then\n  y(\n", 3, "the file ends here, in the middle; close what is open");
    fails("\nprin('x')", 2, "did you mean 'print'?");
    fails("string.fromat('x')", 1, "did you mean 'format'?");
    fails("os.exit()", 1, "os is not offered");
    fails("for k in next, {} do end", 1, "attempt to call a nil value");
    fails("coroutine.yield(1)", 1, "yield outside a coroutine");
    fails("local t = {} t[{}] = 1 for k in pairs(t) do end", 1, "no order");
    fails("return ('x'):rep(1 << 40)", 1, "resulting string too large");
    fails("local function f() error('deep') end\nlocal co = coroutine.wrap(f)\nco()", 3, "deep");
    gives("return select(2, pcall(error, 'x', 0))", "x");
    gives("return select(2, xpcall(error, function(m) return m .. '!' end, 'x', 0))", "x!");
    struct box box;
    char *big = malloc(9000);
    snprintf(big, 9000, "error(('x'):rep(8000))");
    box_run(&box, big);
    tap_ok(box.result.end == IL__SCRIPT_ERROR && strlen(box.result.text) <= IL__LIMIT_SCRIPT_ERROR_BYTES &&
               strlen(box.result.text) > 300, "an error text is cut to script_error_bytes");
    struct il_error err = IL_ERROR_INIT;
    tap_int(il__script_fail(&box.result, &err), IL_SCRIPT_ERROR, "an ERROR is a script_error");
    tap_ok(strncmp(err.message, "t.lua:1: x", 10) == 0, "the message has its place: %.20s", err.message);
    free(big);
}

/* ---- limits
 * ---------------------------------------------------------------------------------------------------------- */

/* What held a thread for seconds, or for ever, in a stock Lua behind a count hook: each must end in time here. */
static const char *const long_calls[] = {
    "pcall(string.rep, '', 1 << 62) while true do end",
    "table.move({}, 1, math.maxinteger - 1, 1)",
    "table.move({}, 1, 1 << 40, 2)",
    "return (('a'):rep(40)):find(('a*'):rep(20) .. 'b')",
    "return (('a'):rep(30)):find(('a?'):rep(30) .. ('a'):rep(30) .. 'b')",
    "local s = ('a'):rep(16384) while true do s:find('a*b') end",
    "local s = ('a'):rep(4096) while true do s:find('a*a*b') end",
    "local s = ('a'):rep(1024) while true do s:find('a*a*a*b') end",
    "local s = ('a'):rep(4096) while true do s:find('^.-.-.-b') end",
    "local s = ('('):rep(65536) while true do s:find('%b()') end",
    "local p = '[' .. ('b-c'):rep(20000) .. ']' local s = ('a'):rep(65536) while true do s:find(p) end",
    "local p = '%f[' .. ('b-c'):rep(20000) .. ']' local s = ('a'):rep(65536) while true do s:find(p) end",
    "local s, n = ('a'):rep(200000), ('a'):rep(100000) .. 'b' while true do s:find(n, 1, true) end",
    "local s = ('ab'):rep(50000) while true do s:find('(a)(b)%1%2%1%2b') end",
    "local t = {} for i = 1, 8000 do t[i] = 1 end while true do table.sort(t, function(a, b) return false end) end",
    "local f, a = ('%99.99f'):rep(99), {} for i = 1, 99 do a[i] = 1e308 end while 1 do f:format(table.unpack(a)) end",
    "local t = {} for i = 1, 3000 do t['k' .. i] = 1 end while true do for k in pairs(t) do break end end",
    "local s = ('x'):rep(200000) while true do local t = s .. 'y' end",
    "local a, b = ('x'):rep(200000) .. 'a', ('x'):rep(200000) .. 'b' while true do local c = a < b end",
    "while true do tonumber(('1'):rep(100000)) end",
    "while true do pcall(error, ('x'):rep(100000)) end",
    "local s = ('x'):rep(100000) while true do s:gsub('x', '%0%0') end",
    "local s = ('x'):rep(100000) while true do s:gsub('.', {}) end",
    "local t = {} for i = 1, 4000 do t[i] = 'x' end while true do table.concat(t, ',') end",
    "local t = {} for i = 1, 4000 do t[i] = 1 end while true do table.insert(t, 1, 1) table.remove(t, 1) end",
    "local s = ('é'):rep(50000) while true do utf8.len(s) end",
    "while true do math.random(1, (1 << 62) + 1) end",
    "while true do select('#', table.unpack({}, 1, 4000)) end",
    "while true do coroutine.wrap(function() end)() end",
    "local t = {} for i = 1, 4000 do t[i] = i end while true do math.max(table.unpack(t)) end",
};

static void test_long_calls(void)
{
    for (size_t i = 0; i < sizeof long_calls / sizeof *long_calls; i++) {
        struct box box;
        box_init(&box);
        box.options.wall_ms = 200;
        box.options.fuel = 4000000;
        tap_ok(box_open(&box), "open");
        enum il__script_end end = box_run_in(&box, il__str(long_calls[i]));
        if (!tap_ok(end == IL__SCRIPT_KILLED && box.seconds < 0.8 * box_slowness(), "ends in time (%.2f s): %s",
                    box.seconds, long_calls[i]))
            tap_note("end %d %s", end, box.result.text);
        tap_ok(box_close(&box), "every byte came back");
    }
}

static void test_limits(void)
{
    struct box box;
    dies("while true do end", IL__KILL_FUEL);
    dies("local t = {} while true do t[#t + 1] = {} end", IL__KILL_MEMORY);
    dies("local t = {} for i = 1, 3 do t[i] = ('x'):rep(300000) end", IL__KILL_MEMORY);
    dies("local s = ('x'):rep(300000) s = s .. s", IL__KILL_BLOCK);
    dies("local function f(s) return (s:gsub('.', f)) end f('a')", IL__KILL_C_STACK);
    dies("for i = 1, 1001 do coroutine.create(print) end", IL__KILL_COROUTINES);
    gives("for i = 1, 1000 do coroutine.create(print) end return 'fine'", "fine");
    dies("for i = 1, 201 do print(i) end", IL__KILL_LOG_LINES);
    gives("for i = 1, 200 do print(i) end return 'fine'", "fine");
    dies("for i = 1, 20 do print(('x'):rep(1000)) end", IL__KILL_LOG_BYTES);
    gives("for i = 1, 16 do print(('x'):rep(1000)) end return 'fine'", "fine");
    gives("return select('#', table.unpack({}, 1, 4096))", "4096");
    fails("return table.unpack({}, 1, 4097)", 1, "too many results");
    fails("return ('x'):rep(5000):byte(1, -1)", 1, "too long");

    box_init(&box);
    box.options.wall_ms = 100;
    box.options.fuel = UINT64_MAX / 2;
    tap_ok(box_open(&box), "open");
    (void)box_run_in(&box, IL_STR("\nwhile true do end"));
    tap_ok(box.result.kill == IL__KILL_WALL && box.seconds > 0.09 && box.seconds < 0.5 * box_slowness(),
           "the wall limit (%.3f s)", box.seconds);
    tap_int(box.result.line, 2, "a kill in a loop names the line");
    struct il_error err = IL_ERROR_INIT;
    tap_int(il__script_fail(&box.result, &err), IL_LIMIT_EXCEEDED, "a kill is limit_exceeded");
    tap_ok(strcmp(err.field, "script_wall_ms") == 0, "the error names the limit");
    (void)box_run_in(&box, IL_STR("return 1"));
    tap_int(box.result.kill, IL__KILL_WALL, "a killed sandbox answers every later entry the same");
    tap_ok(box_close(&box), "closed");

    box_init(&box);
    box.options.fuel = 1000;
    tap_ok(box_open(&box), "open with little fuel") ;
    tap_ok(box_close(&box), "closed");
}

/* No statement after the limit, whatever catches. */
static void test_uncatchable(void)
{
    static const char *const nets[] = {
        "pcall(function() while true do end end) print('after')",
        "xpcall(function() while true do end end, function() print('after') end) print('after')",
        "coroutine.wrap(function() pcall(function() while true do end end) print('after') end)() print('after')",
        "pcall(coroutine.wrap(function() while true do end end)) print('after')",
        "table.sort({ 1, 2, 3 }, function() while true do end end) print('after')",
        "('x'):gsub('.', function() while true do end end) print('after')",
        "for k in function() while true do end end do print('after') end",
        "pcall(pcall, pcall, pcall, function() while true do end end) print('after')",
    };
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        struct box box;
        box_init(&box);
        box.options.fuel = 100000;
        tap_ok(box_open(&box), "open");
        (void)box_run_in(&box, il__str(nets[i]));
        tap_ok(box.result.end == IL__SCRIPT_KILLED && box.lines.len == 0, "nothing runs after the limit: %s", nets[i]);
        tap_ok(box_close(&box), "closed");
    }
}

/* ---- verbs
 * ------------------------------------------------------------------------------------------------------------ */

static int verb_wait(lua_State *L)
{
    return il__sandbox_yield(L, "wait");
}

static int push_wait(lua_State *L, void *ctx)
{
    (void)ctx;
    lua_pushcfunction(L, verb_wait);
    return 1;
}

static int push_seven(lua_State *L, void *ctx)
{
    (void)ctx;
    lua_pushinteger(L, 7);
    lua_pushliteral(L, "seven");
    return 2;
}

static int push_failure(lua_State *L, void *ctx)
{
    (void)ctx;
    lua_pushliteral(L, "the lease was refused");
    return -1;
}

static void take_first(lua_State *L, void *ctx)
{
    char *out = ctx;
    snprintf(out, 64, "%s", lua_gettop(L) > 0 && lua_isstring(L, 1) ? lua_tostring(L, 1) : "");
}

static void take_type(lua_State *L, void *ctx)
{
    int *ref = ctx;
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 1);
    *ref = il__sandbox_ref(L);
}

/* Loads a chunk that returns a function; its reference. */
static int load_function(struct box *box, const char *source)
{
    int chunk, ref = LUA_NOREF;
    (void)il__sandbox_load(box->sb, "t.lua", il__str(source), &chunk, &box->result);
    if (box->result.end == IL__SCRIPT_RETURNED)
        (void)il__sandbox_call(box->sb, chunk, NULL, take_type, &ref, &box->result);
    tap_ok(box->result.end == IL__SCRIPT_RETURNED, "loaded: %s", box->result.text);
    return ref;
}

static void test_verbs(void)
{
    struct box box;
    char out[64] = "";
    box_init(&box);
    tap_ok(box_open(&box), "open");
    int ref = load_function(&box, "return function(wait) local n, s = wait() return s .. n end");
    tap_int(il__sandbox_start(box.sb, ref, &box.result), IL__SCRIPT_RETURNED, "start");
    tap_ok(il__sandbox_waiting(box.sb), "a started script waits");
    tap_int(il__sandbox_resume(box.sb, push_wait, take_first, out, &box.result), IL__SCRIPT_YIELDED, "the verb yields");
    int other = load_function(&box, "return function() return 'meanwhile' end");
    tap_int(il__sandbox_call(box.sb, other, NULL, take_first, out, &box.result), IL__SCRIPT_RETURNED,
            "a call while it waits");
    tap_str(il__str(out), "meanwhile", "the call's result");
    tap_int(il__sandbox_resume(box.sb, push_seven, take_first, out, &box.result), IL__SCRIPT_RETURNED, "it goes on");
    tap_str(il__str(out), "seven7", "with the values of the host");
    tap_ok(!il__sandbox_waiting(box.sb), "then it is over");
    tap_int(il__sandbox_resume(box.sb, NULL, NULL, NULL, &box.result), IL__SCRIPT_ERROR, "and cannot be resumed");

    ref = load_function(&box, "return function(wait)\nwait() end");
    (void)il__sandbox_start(box.sb, ref, &box.result);
    (void)il__sandbox_resume(box.sb, push_wait, NULL, out, &box.result);
    tap_int(il__sandbox_resume(box.sb, push_failure, NULL, out, &box.result), IL__SCRIPT_ERROR, "a verb can fail");
    tap_ok(strcmp(box.result.text, "the lease was refused") == 0 && box.result.line == 2, "at its line: %s:%d: %s",
           box.result.file, box.result.line, box.result.text);

    ref = load_function(&box, "return function(wait) return select(2, pcall(wait)) end");
    (void)il__sandbox_start(box.sb, ref, &box.result);
    tap_int(il__sandbox_resume(box.sb, push_wait, NULL, out, &box.result), IL__SCRIPT_YIELDED,
            "a verb yields across pcall");
    (void)il__sandbox_resume(box.sb, push_failure, take_first, out, &box.result);
    tap_ok(strstr(out, "the lease was refused") != NULL, "and its failure can be caught: %s", out);

    static const char *const wrong[] = {
        "return function(wait) coroutine.wrap(wait)() end",
        "return function(wait) table.sort({ 2, 1 }, function() wait() end) end",
        "return function(wait) ('x'):gsub('.', function() wait() end) end",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ref = load_function(&box, wrong[i]);
        (void)il__sandbox_start(box.sb, ref, &box.result);
        tap_int(il__sandbox_resume(box.sb, push_wait, NULL, out, &box.result), IL__SCRIPT_ERROR, "no verb there: %s",
                wrong[i]);
        tap_ok(strstr(box.result.text, "wait ") != NULL, "the verb is named: %s", box.result.text);
    }
    ref = load_function(&box, "return function(wait) wait() end");
    tap_int(il__sandbox_call(box.sb, ref, push_wait, NULL, out, &box.result), IL__SCRIPT_ERROR, "nor in a plain call");
    tap_ok(box_close(&box), "closed");
}

/* A verb that calls the sandbox it runs in. */
static int verb_reenter(lua_State *L)
{
    struct box *box = il__sandbox_host(L);
    struct il__script_result inner;
    (void)il__sandbox_call(box->sb, LUA_REFNIL, NULL, NULL, NULL, &inner);
    lua_pushstring(L, inner.text);
    return 1;
}

static int push_reenter(lua_State *L, void *ctx)
{
    (void)ctx;
    lua_pushcfunction(L, verb_reenter);
    return 1;
}

static int push_big(lua_State *L, void *ctx)
{
    (void)ctx;
    for (int i = 0; i < 40; i++)
        lua_pushlstring(L, "0123456789012345678901234567890123456789012345678901234567890123", 64);
    char *block = lua_newuserdatauv(L, 600000, 0);
    block[0] = 0;
    return 1;
}

static void test_entries(void)
{
    struct box box;
    char out[64] = "";
    box_init(&box);
    tap_ok(box_open(&box), "open");
    int ref = load_function(&box, "return function(f) return f() end");
    (void)il__sandbox_call(box.sb, ref, push_reenter, take_first, out, &box.result);
    tap_str(il__str(out), "the script was called from within itself", "an entry inside an entry is refused");
    tap_int(il__sandbox_call(box.sb, ref, push_big, NULL, NULL, &box.result), IL__SCRIPT_KILLED,
            "arguments are bounded too");
    tap_int(box.result.kill, IL__KILL_BLOCK, "by script_block");
    tap_ok(box_close(&box), "closed");

    fesetround(FE_UPWARD);
    gives("return string.format('%.20f', 0.1 + 0.2)", "0.30000000000000004441");
    tap_int(fegetround(), FE_UPWARD, "the host's rounding mode is back");
    fesetround(FE_TONEAREST);

    box_init(&box);
    box.mem.fail_at = 1;
    tap_ok(!box_open(&box), "no memory, no sandbox");
    tap_ok(box_close(&box), "and nothing left behind");
}

/* ---- modules
 * ---------------------------------------------------------------------------------------------------------- */

static int open_native(lua_State *L)
{
    lua_newtable(L);
    lua_pushinteger(L, 42);
    lua_setfield(L, -2, "answer");
    il__sandbox_protect(L, "native");
    return 1;
}

static const struct il__module own[] = {
    { .name = { "native", 6 }, .open = open_native },
    { .name = { "helper", 6 },
      .source = { "local n = 0 return { next = function() n = n + 1 return n end }", 63 },
      .file = "helper.lua" },
    { .name = { "loop", 4 }, .source = { "return require 'loop'", 21 }, .file = "loop.lua" },
    { .name = { "broken", 6 }, .source = { "return return", 13 }, .file = "broken.lua" },
};
static const struct il__module shadow[] = {
    { .name = { "native", 6 }, .source = { "return 'shadowed'", 17 }, .file = "s.lua" }
};
static const struct il__modules second = { shadow, 1, NULL }, first = { own, 4, &second };

static void in_modules(const char *source, const char *want)
{
    struct box box;
    box_init(&box);
    box.options.modules = &first;
    tap_ok(box_open(&box), "open");
    (void)box_run_in(&box, il__str(source));
    if (!tap_ok(strcmp(box.value, want) == 0, "%s gives %s", source, want))
        tap_note("%s | %s", box.value, box.result.text);
    tap_ok(box_close(&box), "closed");
}

static void test_modules(void)
{
    in_modules("return require('native').answer", "42");
    in_modules("require('helper').next() return require('helper').next()", "2");
    in_modules("return select(2, pcall(require, 'os'))",
               "no module 'os'; there are: native, helper, loop, broken, native");
    in_modules("return select(2, pcall(require, 'loop'))", "loop.lua:1: module 'loop' requires itself");
    in_modules(
        "local a = select(2, pcall(require, 'broken')) return a == select(2, pcall(require, 'broken')) and 'same'",
        "same");
    in_modules("return tostring(pcall(function() require('native').answer = 1 end))", "false");
    in_modules("x = 5 return require('helper') and x", "5");
}

/* ---- repeatability
 * ------------------------------------------------------------------------------------------------------ */

static const char *const repeatable =
    "local r = {} for i = 1, 5 do r[i] = math.random(1, 1 << 40) end r[6] = math.random()\n"
    "local t = { b = 1, a = 2, [3] = 3, [1.5] = 4, [true] = 5, [-1] = 6, [false] = 7, aa = 8 }\n"
    "for k, v in pairs(t) do r[#r + 1] = tostring(k) .. '=' .. v end\n"
    "return table.concat(r, ' ')";

static void test_repeatable(void)
{
    struct box a, b;
    box_run(&a, repeatable);
    box_run(&b, repeatable);
    tap_str(il__str(a.value), b.value, "two states, one result");
    tap_ok(strstr(a.value, " -1=6 1.5=4 3=3 a=2 aa=8 b=1 false=7 true=5") != NULL, "the order of pairs: %s", a.value);
    box_init(&b);
    b.options.seed = IL_STR("run-2");
    tap_ok(box_open(&b), "open");
    (void)box_run_in(&b, il__str(repeatable));
    tap_ok(strcmp(a.value, b.value) != 0, "another seed, another stream");
    tap_ok(box_close(&b), "closed");
    gives("local t = { 1, 2, 3, x = 1 } for k in pairs(t) do t[k] = nil end return #t", "0");
    gives("local t, n = { a = 1, b = 2, c = 3 }, 0 for k in pairs(t) do n = n + 1 t.a = nil t.b = nil t.c = nil end "
          "return n",
          "1");
    gives("local t, s = { 1, 2, nil, 4 }, '' for k, v in pairs(t) do s = s .. k .. v end return s", "112244");
    gives("local t, s = {}, '' for i = 1, 9 do t[i] = { k = i % 3, i = i } end table.sort(t, function(a, b) return a.k "
          "< b.k end) "
          "for _, v in ipairs(t) do s = s .. v.i end return s",
          "369147258");
}

int main(void)
{
    test_globals();
    test_errors();
    test_limits();
    test_long_calls();
    test_uncatchable();
    test_verbs();
    test_entries();
    test_modules();
    test_repeatable();
    return tap_done();
}
