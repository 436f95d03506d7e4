/* The sandbox's own libraries against stock Lua's: the same snippets, the same results. The stock library is the oracle
 * where the two are meant to agree; what differs on purpose is in sandbox_test.c and lua/SANDBOX.md. */
#include "script/sandbox.h"

#include "box.h"
#include "tap.h"

#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Turns every result of the snippet into one text; shared by both sides. */
static const char *const frame = "local function show(v) if math.type(v) == 'float' then return "
                                 "string.format('%%.14g', v) end return tostring(v) end\n"
                                 "local function all(ok, ...) local t = { show(ok) } for i = 1, select('#', ...) do "
                                 "t[#t + 1] = show((select(i, ...))) end "
                                 "return table.concat(t, '|') end\n"
                                 "local function plain(s) return (s:gsub('^[^|]*t.lua:%%d+: ', '')) end\n"
                                 "return all(pcall(function() %s end))";

static void stock(const char *source, char *out, size_t cap)
{
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    if (luaL_loadbufferx(L, source, strlen(source), "@t.lua", "t") || lua_pcall(L, 0, 1, 0)) {
        snprintf(out, cap, "stock: %s", lua_tostring(L, -1));
    } else {
        snprintf(out, cap, "%s", lua_tostring(L, -1));
    }
    lua_close(L);
}

static void same(const char *snippet)
{
    struct box box;
    char *source = malloc(8192), want[512];
    snprintf(source, 8192, frame, snippet);
    stock(source, want, sizeof want);
    box_init(&box);
    tap_ok(box_open(&box), "open");
    (void)box_run_in(&box, il__str(source));
    if (!tap_ok(strcmp(box.value, want) == 0, "as stock: %.100s", snippet))
        tap_note("'%s' but stock '%s' %s", box.value, want, box.result.text);
    (void)box_close(&box);
    free(source);
}

static const char *const snippets[] = {
    /* strings */
    "return ('hello'):sub(2, -2), ('hello'):sub(-3), ('hello'):sub(0), ('hello'):sub(10), ('hello'):sub(3, 2), "
    "('hello'):sub(math.mininteger, math.maxinteger)",
    "return ('abc'):byte(1, -1), ('abc'):byte(10), ('abc'):byte(-1), ('').byte('')",
    "return string.char(72, 105), string.char()",
    "return ('x'):rep(3, ','), ('x'):rep(0), ('x'):rep(-1), (''):rep(5), ('ab'):rep(1, 'z')",
    "return ('aBc1'):upper(), ('aBc1'):lower(), ('abc'):reverse(), #('abc'), ('abc'):len()",
    "return string.format('%d %5d %-5d| %05d %+d', 1, 2, 3, 4, 5)",
    "return string.format('%x %X %#x %o %c %i', 255, 255, 255, 8, 65, 7)",
    "return string.format('%s %10s %-10s| %.2s', 'a', 'b', 'c', 'defg')",
    "return string.format('%f %.3f %e %g %a', 1.5, 2.25, 1e10, 0.1, 1.0)",
    "return string.format('%5.1f|%g|%g', 3.14159, 1e100, 1/0)",
    "return string.format('%%')",
    "return string.format('%s %s %s', nil, true, 1.0)",
    "return string.format('%d', 3.0)",
    "return (pcall(string.format, '%d', 3.5)), (pcall(string.format, '%y', 1)), (pcall(string.format, '%')), "
    "(pcall(string.format, '%d'))",
    "return (pcall(string.format, '%123d', 1))",
    "return ('hello world'):find('o'), ('hello world'):find('o', 6), ('hello'):find('l+'), ('hello'):find('xyz'), "
    "('hello'):find('')",
    "return ('hello'):find('', 10), ('hello'):find('', 6), ('a.b'):find('.', 1, true), ('a.b'):find('%.')",
    "return ('hello'):find('l', -2), ('hello'):find('h', -100), ('a+b'):find('+', 1, true)",
    "return ('key = value'):match('^(%w+)%s*=%s*(%w+)$')",
    "return ('2026-11-30'):match('(%d+)-(%d+)-(%d+)')",
    "return ('  trim  '):match('^%s*(.-)%s*$')",
    "return ('f(a(b)c)d'):match('%b()'), ('THE (quick) fox'):find('%((%a+)%)')",
    "return ('THE (quick) fox'):gsub('%f[%a]%a+', string.lower)",
    "return ('hello'):match('()ll()'), ('hello'):match('.-(l)(l)'), ('x'):match('(x)()')",
    "return ('abcabc'):match('(a)(b)c%1%2'), ('aa'):match('(a)%1'), ('ab'):match('(a)%1')",
    "return ('hello'):gsub('l', 'L'), ('hello'):gsub('l', 'L', 1), ('hello'):gsub('', '-'), ('abc'):gsub('%w', '%0%0')",
    "return ('hello world'):gsub('(%w+) (%w+)', '%2 %1'), ('abc'):gsub('b', { b = 'X' }), ('abc'):gsub('b', { b = "
    "false })",
    "return ('abc'):gsub('.', function(c) if c == 'b' then return nil end return c:upper() end)",
    "return ('abc'):gsub('^a', 'x'), ('aaa'):gsub('^a', 'x'), ('a b c'):gsub(' *', '_'), ('abc'):gsub('$', '!')",
    "return ('abc'):gsub('b', '%%'), ('abc'):gsub('b', 7), ('x'):gsub('x', 1.5)",
    "return (pcall(string.gsub, 'abc', 'b', '%')), (pcall(string.gsub, 'abc', 'b', '%9')), (pcall(string.gsub, 'x', "
    "'x', {x = {}}))",
    "local t = {} for k, v in ('a=1, b=2'):gmatch('(%w+)=(%w+)') do t[#t + 1] = k .. v end return table.concat(t, ';')",
    "local t = {} for w in ('one two'):gmatch('%a+') do t[#t + 1] = w end return table.concat(t, ';')",
    "local t = {} for p in ('abc'):gmatch('()') do t[#t + 1] = p end return table.concat(t, ';')",
    "local t = {} for w in ('aXbXc'):gmatch('[^X]*') do t[#t + 1] = '<' .. w .. '>' end return table.concat(t)",
    "local t = {} for w in ('abcabc'):gmatch('b', 3) do t[#t + 1] = w end return #t",
    "return ('x]y'):find('[]]'), ('x^y'):find('[x^]'), ('a-z'):find('[a%-z]+'), ('b'):find('[a-c]'), "
    "('-'):find('[a-]'), ('b'):find('[^a-c]')",
    "return ('x'):find('[%a_]'), ('_'):find('[%w_]'), ('é'):find('[\\x80-\\xff]+'), ('%'):find('[%%]')",
    "return ('aaab'):match('a-b'), ('aaab'):match('a*b'), ('aaab'):match('a+b'), ('b'):match('a?b'), "
    "('b'):match('a+b')",
    "return ('aaa'):match('a-'), ('aaa'):match('a-$'), ('abc'):match('.-c'), ('abc$'):match('c$'), "
    "('abc$'):match('c%$')",
    "return ('a\\0b'):find('\\0'), #('a\\0b'):match('%z'), ('a\\0b'):len(), ('a\\0b'):gsub('%c', 'x')",
    "return ('((a))'):match('((%b()))'), ('x'):match('((x)(()))')",
    "return (pcall(string.find, 'a', '[a')), (pcall(string.find, 'a', '%')), (pcall(string.find, 'a', '(a')), "
    "(pcall(string.find, 'a', 'a)')), (pcall(string.find, 'a', '%1'))",
    "return (pcall(string.rep)), (pcall(string.rep, 'x')), (pcall(string.sub)), (pcall(string.char, 256)), "
    "(pcall(string.char, -1))",
    "return select(2, pcall(string.rep)):gsub('^.-%(', '('), select(2, pcall(string.rep, 'x', {})):gsub('^.-%(', '(')",
    "return 'a' < 'B', 'Z' < 'a', 'a' .. 1 .. 2.0, '10' == 10, 'a\\0b' < 'a\\0c'",
    /* tables */
    "return table.concat({ 1, 2, 3 }, ','), table.concat({}, ','), table.concat({ 1, 2, 3 }, '-', 2, 3), "
    "table.concat({ 'a' }, 'x', 1, 1), table.concat({1,2}, ',', 3)",
    "return (pcall(table.concat, { 1, {}, 3 })), (pcall(table.concat, { 1 }, '', 1, 2))",
    "local t = { 1, 2, 3 } table.insert(t, 4) table.insert(t, 1, 0) table.insert(t, #t + 1, 9) return table.concat(t, "
    "',')",
    "local t = { 1, 2, 3 } return table.remove(t), table.remove(t, 1), #t, table.remove({}), table.remove(t, 2), #t",
    "local t = {} return table.remove(t, 0), table.remove(t, 1), table.remove(t), #t",
    "return (pcall(table.insert, { 1 }, 5, 2)), (pcall(table.insert, { 1 }, 0, 2)), (pcall(table.insert, { 1 })), "
    "(pcall(table.remove, { 1 }, 7)), (pcall(table.insert, {}, 1, 2, 3))",
    "return table.unpack({ 1, 2, 3 }), table.unpack({ 1, 2, 3 }, 2), table.unpack({ 1, 2 }, 2, 3), table.unpack({}, 1, "
    "0)",
    "local t = table.pack(1, nil, 3) return t.n, t[1], t[2], t[3], table.pack().n",
    "return table.concat(table.move({ 1, 2, 3 }, 2, 3, 1), ','), table.concat(table.move({ 1, 2, 3 }, 1, 3, 2), ','), "
    "table.concat(table.move({ 1, 2 }, 1, 2, 1, {}), ','), table.concat(table.move({1,2}, 1, 0, 5), ',')",
    "local t = { 5, 3, 1, 4, 2 } table.sort(t) return table.concat(t, ',')",
    "local t = { 5, 3, 1, 4, 2 } table.sort(t, function(a, b) return a > b end) return table.concat(t, ',')",
    "local t = { 'b', 'a', 'C', 'aa', '' } table.sort(t) return table.concat(t, ',')",
    "local t = {} for i = 1, 200 do t[i] = (i * 7919) % 211 end table.sort(t) return table.concat(t, ','):sub(1, 200)",
    "return (pcall(table.sort, { 1, 'a' })), (pcall(table.sort, { {}, {} })), (pcall(table.sort, { 1, 2 }, 5))",
    "local n = 0 for i, v in ipairs { 1, 2, nil, 4 } do n = n + v end return n, select('#'), select('#', nil, nil), "
    "select(2, 'a', 'b', 'c'), select(-1, 'a', 'b')",
    "return (pcall(select, 0)), (pcall(select, -5, 1)), (pcall(ipairs)), (pcall(pairs)), rawlen({ 1, 2 }), "
    "rawequal('a', 'a'), rawget({ 7 }, 1)",
    /* numbers */
    "return math.floor(3.7), math.floor(-3.7), math.ceil(3.2), math.ceil(-3.2), math.floor(5), math.floor(1e300), "
    "math.huge",
    "return math.abs(-5), math.abs(-5.5), math.abs(math.mininteger), math.max(1, 2.5, 2), math.min(3, 1, 2), "
    "math.max(2)",
    "return math.fmod(7, 3), math.fmod(-7, 3), math.fmod(7, -3), math.fmod(7.5, 2), math.fmod(-6, 2), "
    "math.fmod(math.mininteger, -1)",
    "return math.modf(3.7), math.modf(-3.7), math.modf(5), math.sqrt(2), math.sqrt(16)",
    "return math.tointeger(3.0), math.tointeger(3.5), math.type(1), math.type(1.0), math.type('1'), math.ult(1, -1), "
    "math.pi",
    "return (pcall(math.fmod, 1, 0)), (pcall(math.floor, 'x')), (pcall(math.max)), (pcall(math.random, 0)), "
    "(pcall(math.random, 2, 1))",
    "return tonumber('10'), tonumber('0x10'), tonumber(' 10 '), tonumber('1e1'), tonumber('10a'), tonumber(''), "
    "tonumber('1,5'), tonumber('0x1p4'), tonumber({})",
    "return tonumber('ff', 16), tonumber('zz', 36), tonumber('8', 8), tonumber('-101', 2), tonumber('', 10), "
    "tonumber('7fffffffffffffff', 16), tonumber('1 ', 10)",
    "return (pcall(tonumber, 'x', 1)), (pcall(tonumber, 10, 10)), (pcall(tonumber))",
    "return 1e15, 1e16, 0.1, -0.0, 1e100, 2^53, 10 // 3, 10 % 3, -10 // 3, -10 % 3, 7 // 2.0, 1 / 3, 3 | 4, ~0",
    "return tostring(1e15), tostring(2^63), tostring(-0.0), tostring(1/0), tostring(123456789012), tostring(3.0)",
    /* errors and coroutines */
    "return pcall(error, 'x', 0), pcall(error), (pcall(error, nil)), select('#', pcall(error))",
    "return pcall(assert, false), pcall(assert, nil, 'm'), assert(1, 2, 3)",
    "return xpcall(function(...) return ... end, print, 1, 2), xpcall(error, function(m) return 'h:' .. m end, 'e')",
    "return pcall(pcall), pcall(pcall, error, 'x'), select('#', pcall(pcall, error))",
    "return select(2, pcall(function() local t = {} return t.x.y end)), select(2, pcall(function() return 1 + {} "
    "end)), select(2, pcall(function() return #5 end))",
    "return select(2, pcall(function() return {} < {} end)), select(2, pcall(function() return 1 < 'x' end)), "
    "select(2, pcall(function() return {} .. 'x' end))",
    "local co = coroutine.create(function(a, b) local c = coroutine.yield(a + b) local d, e = coroutine.yield(c * 2) "
    "return d + e end) "
    "local r = { coroutine.resume(co, 1, 2) } r[3] = select(2, coroutine.resume(co, 10)) r[4] = select(2, "
    "coroutine.resume(co, 3, 4)) "
    "r[5] = coroutine.status(co) r[6] = tostring(coroutine.resume(co)) r[1] = tostring(r[1]) return table.concat(r, "
    "',')",
    "local f = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) return f(), f(), f(), f(), "
    "(pcall(f))",
    "local co co = coroutine.create(function() return coroutine.status(co), coroutine.isyieldable(), "
    "(coroutine.resume(co)) end) return coroutine.resume(co)",
    "local a a = coroutine.create(function() local b = coroutine.create(function() return coroutine.status(a) end) "
    "return coroutine.resume(b) end) return coroutine.resume(a)",
    "local co = coroutine.create(function() error('x', 0) end) return coroutine.resume(co), coroutine.status(co), "
    "coroutine.resume(co)",
    "local f = coroutine.wrap(function() local ok, e = pcall(function() coroutine.yield(1) error('y', 0) end) "
    "coroutine.yield(e) return 'end' end) return f(), f(), f()",
    "return coroutine.resume(coroutine.create(function(...) return select('#', ...) end), nil, nil)",
    /* utf8 */
    "return utf8.char(72, 228, 8364, 128512), utf8.char(), utf8.codepoint('häß', 1, -1), utf8.len('häß'), "
    "utf8.len(''), utf8.len('\\xff')",
    "local t = {} for p, c in utf8.codes('aé€😀') do t[#t + 1] = p .. ':' .. c end return table.concat(t, ' ')",
    "return (pcall(utf8.codepoint, '\\xff')), (pcall(utf8.codepoint, 'abc', 4)), (pcall(utf8.char, -1)), "
    "utf8.len('abc', 4), (pcall(utf8.len, 'abc', 5)), utf8.len('aéb', 2, 3)",
    "return (pcall(function() for _ in utf8.codes('a\\xffb') do end end))",
    "return type(nil), type(1), type('x'), type({}), type(print), (pcall(type)), tostring(nil), tostring(true)",
};

/* Random patterns over small subjects: agreement, or a refusal on both sides. */
static void test_random_patterns(void)
{
    static const char *const make =
        "local x = %d local function R(n) x = (x * 1103515245 + 12345) & 0x7fffffff return (x >> 8) %% n + 1 end\n"
        "local items = { 'a', 'b', '.', '%%a', '%%d', '%%A', '[ab]', '[^a]', '[a-c]', '(a)', '()', '(', ')', '%%1', "
        "'%%b()', '%%f[b]', '$', '^', 'a', 'c', '%%s', '[%%w]', '-', '%%' }\n"
        "local quantifiers = { '', '', '', '*', '+', '-', '?' }\n"
        "local out = {}\n"
        "for i = 1, 60 do\n"
        "  local p = R(4) == 1 and '^' or ''\n"
        "  for j = 1, R(5) do p = p .. items[R(#items)] .. quantifiers[R(#quantifiers)] end\n"
        "  local s = '' for j = 1, R(12) - 1 do s = s .. ('aabbcd (1)'):sub(R(10)):sub(1, 1) end\n"
        "  local function add(ok, ...) local t = { ok and 'T' or 'F' } if ok then for k = 1, select('#', ...) do t[#t "
        "+ 1] = tostring((select(k, ...))) end end out[#out + 1] = table.concat(t, ',') end\n"
        "  add(pcall(string.find, s, p)) add(pcall(string.match, s, p)) add(pcall(string.gsub, s, p, '<%%0>'))\n"
        "  add(pcall(function() local r = {} for a, b in s:gmatch(p) do r[#r + 1] = tostring(a) .. '/' .. tostring(b) "
        "end return table.concat(r, ' ') end))\n"
        "end\n"
        "local h = 0 local all = table.concat(out, ';') for i = 1, #all do h = (h * 31 + all:byte(i)) & 0xffffffff end "
        "return h .. ' ' .. all:sub(1, 300)";
    char *source = malloc(8192), want[512];
    for (int seed = 1; seed <= 40; seed++) {
        struct box box;
        snprintf(source, 8192, make, seed * 7919);
        stock(source, want, sizeof want);
        box_init(&box);
        tap_ok(box_open(&box), "open");
        (void)box_run_in(&box, il__str(source));
        if (!tap_ok(strcmp(box.value, want) == 0, "60 random patterns as stock, seed %d", seed))
            tap_note("'%.200s' but stock '%.200s' %s", box.value, want, box.result.text);
        (void)box_close(&box);
    }
    free(source);
}

int main(void)
{
    for (size_t i = 0; i < sizeof snippets / sizeof *snippets; i++) same(snippets[i]);
    test_random_patterns();
    return tap_done();
}
