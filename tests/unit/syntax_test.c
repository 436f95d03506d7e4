/* The parser of Lua source: it takes what the stock compiler takes, over every script here, whole and cut, and says
 * where and why not; what the tree says about names; that it is bounded. */
#include "script/syntax.h"

#include "tap.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdio.h>
#include <stdlib.h>

static struct il__mem mem;
static lua_State *stock;

static bool stock_accepts(struct il_str source)
{
    int status = luaL_loadbufferx(stock, source.ptr ? source.ptr : "", source.len, "=x", "t");
    if (status != LUA_OK) tap_note("%s", lua_tostring(stock, -1));
    lua_settop(stock, 0);
    return status == LUA_OK;
}

static bool we_accept(struct il_str source, struct il__syntax_fault *fault)
{
    struct il__syntax *tree = NULL;
    bool ok = il__syntax_parse(&mem, source, &tree, fault, NULL) == IL_OK;
    il__syntax_free(tree);
    return ok;
}

/* Both in a block of its own, so that reading past the end is seen. */
static bool same_cut(const char *bytes, size_t len)
{
    char *copy = malloc(len ? len : 1);
    memcpy(copy, bytes, len);
    struct il_str source = { copy, len };
    bool stock_ok = luaL_loadbufferx(stock, copy, len, "=x", "t") == LUA_OK;
    lua_settop(stock, 0);
    bool ok = we_accept(source, NULL) == stock_ok;
    free(copy);
    return ok;
}

static void each_script(void *ctx, const char *path, const char *bytes, size_t len)
{
    enum { CUTS = 40 };
    size_t wrong = 0, first = 0, step = len / CUTS + 1;
    (void)ctx;
    if (len > IL__LIMIT_SCRIPT_SOURCE) return;
    if (!same_cut(bytes, len)) {
        struct il__syntax_fault fault = { 0 };
        we_accept((struct il_str){ bytes, len }, &fault);
        tap_note("%s:%u:%u: %s", path, fault.line, fault.column, fault.message);
        wrong++;
    }
    for (size_t at = 0; at < len; at += step)
        if (!same_cut(bytes, at) && wrong++ == 0) first = at;
    tap_ok(wrong == 0, "%s: as the compiler says, whole and cut (%zu wrong, first cut %zu)", path, wrong, first);
}

static void accepted(const char *source, bool want)
{
    struct il__syntax_fault fault = { 0 };
    bool ours = we_accept(il__str(source), &fault);
    if (!tap_ok(ours == want && stock_accepts(il__str(source)) == want, "%s: %.80s", want ? "Lua" : "no Lua", source))
        tap_note("%u:%u: %s", fault.line, fault.column, fault.message);
}

static void test_grammar(void)
{
    static const char *const good[] = {
        "", ";;;", "return", "return;", "return 1, 2;", "local x <const> = 1", "local a <close> = nil", "x = 1",
        "local function f(...) return ... end", "function a.b.c:d(x) return self, x end", "a.b['c'].d = 1, 2",
        "f{1, 2; 3, x = 4, [5] = 6,}", "f'x' (1) [[y]] :m'z' {}", "goto l; do ::l:: end ::l::", "::a:: goto a",
        "do goto e; local x ::e:: ; ::f:: end", "repeat local x until x", "for i = 1, 2 do break end",
        "for i = 1, 2, 3 do end for a, b in pairs{} do end", "while true do if x then break end end",
        "x = 0x.8p-1 + 1e10 + 3. + .5 + 0xffffffffffffffffff", "x = '\\x41\\u{20AC}\\065\\z   \n  b\\\nc'",
        "x = [==[\n]=]]==]", "--[[ a\n]] x = 1 --", "--[==x\nx = 1", "x = a.b:c().d[1](2)", "(f)()", "(f()).x = 1",
        "x = -2^-3^2 .. 'a' .. not #y == ~1 // 2 >> 3 & 4 | 5 ~ 6", "local a, b <const>, c = 1",
        "if a then elseif b then else end", "x = function() end", "return function() return end", "local x; local x",
        "goto continue; ::continue::", "x = {f = function() end, 1, ...}", "\r\nx = 1\n\rx = 2\r",
        "while 1 do goto done end ::done::", "do local x; goto l; ::l:: end", "x = '\\u{7FFFFFFF}'",
    };
    static const char *const bad[] = {
        "return return",
        "return 1 x = 2",
        "x",
        "x.y",
        "x == 1",
        "(x)",
        "(x) = 1",
        "f() = 1",
        "x, f() = 1, 2",
        "x = ",
        "if x = 1 then end",
        "local x <foo> = 1",
        "local x <const> = 1; x = 2",
        "local a <close>, b <close> = 1, 2",
        "break",
        "while true do local function f() break end end",
        "goto l",
        "do ::l:: end goto l",
        "::a:: ::a::",
        "::a:: do ::a:: end",
        "goto l; local x; ::l:: x = 1",
        "function f() return ... end",
        "x = 3x",
        "x = 3..2",
        "x = 0x",
        "x = 1e",
        "x = 'a\nb'",
        "x = 'a",
        "x = [[a",
        "--[[a",
        "x = '\\q'",
        "x = '\\300'",
        "x = '\\xg0'",
        "x = '\\u{80000000}'",
        "x = '\\u{}'",
        "x = '\\u20'",
        "x = [=a",
        "x = {1 2}",
        "f(1,)",
        "f(",
        "for i = 1 do end",
        "for i, j = 1, 2 do end",
        "for 1 = 1, 2 do end",
        "local 1",
        "local function f.a() end",
        "function f:a.b() end",
        "x ! y",
        "x = a != b",
        "end",
        "else",
        "x = function",
        "if x then",
        "repeat",
        "a.1 = 2",
        "a:b = 1",
        "x = a:b",
        "local x = 1 = 2",
        "x += 1",
        "x = @",
        "goto 1",
        "::l",
        "local",
        "do",
        "x = {a: 1}",
        "x = { ['a'] }",
        "x = 1 2",
        "repeat local x; goto c; local y; ::c:: until y",
        "function f(a, ..., b) end",
        "x = 'a\\",
        "x = '\\",
        "local function f() goto l end ::l::",
        "f(a = 1)",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) accepted(good[i], true);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) accepted(bad[i], false);
}

/* ---- values and places ------------------------------------------------------------------------------------------- */

static struct il__syntax *tree_of(const char *source)
{
    struct il__syntax *tree = NULL;
    struct il_error err = IL_ERROR_INIT;
    if (il__syntax_parse(&mem, il__str(source), &tree, NULL, &err) != IL_OK)
        tap_ok(false, "%s: %s", source, err.message);
    return tree;
}

static void string_value(const char *source, struct il_str want)
{
    struct il__syntax *s = tree_of(source);
    bool found = false;
    for (uint32_t at = s->root; at; at = il__syn_walk(s, s->root, at))
        if (il__syn(s, at)->kind == IL__SYN_STRING) found = il__str_eq(il__syn(s, at)->text, want);
    tap_ok(found, "the value of %s", source);
    il__syntax_free(s);
}

static void test_strings(void)
{
    string_value("x = 'a\\065\\x42\\u{43}\\n'", IL_STR("aABC\n"));
    string_value("x = '\\u{20AC}\\u{1F600}\\u{7FFFFFFF}'",
                 IL_STR("\xe2\x82\xac\xf0\x9f\x98\x80\xfd\xbf\xbf\xbf\xbf\xbf"));
    string_value("x = 'a\\z  \n  b'", IL_STR("ab"));
    string_value("x = [==[\r\na\r\nb]=]c]==]", IL_STR("a\nb]=]c"));
    string_value("x = 'a\\0b'", (struct il_str){ "a\0b", 3 });
    string_value("x = '\\\"\\'\\\\\\a\\b\\f\\r\\t\\v'", IL_STR("\"'\\\a\b\f\r\t\v"));
}

/* The tree as one line, for comparison: kind(children), names with where they are bound. */
static void draw(const struct il__syntax *s, uint32_t at, struct il__buf *out)
{
    static const char *const names[] = {
        "-",      "block",    "local",  "assign",       "callstat",      "do",     "while", "repeat", "if",
        "clause", "fornum",   "forin",  "functionstat", "localfunction", "return", "break", "goto",   "label",
        "empty",  "names",    "define", "exprs",        "nil",           "true",   "false", "...",    "number",
        "string", "function", "name",   "index",        "call",          "method", "unary", "binary", "paren",
        "table",  "field"
    };
    const struct il__syn *n = il__syn(s, at);
    il__buf_puts(out, names[n->kind]);
    if (n->op) il__buf_puts(out, il__token_text((enum il__token)n->op));
    if (n->text.ptr) il__buf_printf(out, " %.*s", IL_STR_FMT(n->text));
    if (n->kind == IL__SYN_NAME) il__buf_puts(out, !n->local ? "!" : n->flags & IL__SYN_UPVALUE ? "^" : "");
    if (!n->first) return;
    il__buf_putc(out, '(');
    for (uint32_t c = n->first; c; c = il__syn(s, c)->next) {
        if (c != n->first) il__buf_putc(out, ' ');
        draw(s, c, out);
    }
    il__buf_putc(out, ')');
}

static void shape(const char *source, const char *want)
{
    struct il__syntax *s = tree_of(source);
    struct il__buf out;
    il__buf_init(&out, &mem, 0);
    draw(s, s->root, &out);
    tap_str(il__buf_get(&out), want, "the tree of %s", source);
    il__buf_clear(&out);
    il__syntax_free(s);
}

static void test_trees(void)
{
    shape("local a = 1", "block(local(names(define a) exprs(number 1)))");
    shape("local a = a", "block(local(names(define a) exprs(name a!)))");
    shape("return 1 + 2 * 3 ^ 4 ^ 5 .. 'x' .. 'y' == z",
          "block(return(binary==(binary..(binary+(number 1 binary*(number 2 binary^(number 3 binary^(number 4 number "
          "5)))) "
          "binary..(string x string y)) name z!)))");
    shape("return -x ^ 2, not a == b",
          "block(return(unary-(binary^(name x! number 2)) binary==(unarynot(name a!) name b!)))");
    shape("a.b[c]:d(1).e = f{g = 1, [2] = 3, 4}",
          "block(assign(exprs(index(method(index(index(name a! string b) name c!) string d number 1) string e)) "
          "exprs(call(name f! table(field(string g number 1) field(number 2 number 3) number 4)))))");
    shape("if a then elseif b then return else break_ = 1 end",
          "block(if(clause(name a! block) clause(name b! block(return)) clause(block(assign(exprs(name break_!) "
          "exprs(number 1))))))");
    shape("for i = 1, 2 do f(i) end for k, v in p do end",
          "block(fornum(names(define i) exprs(number 1 number 2) block(callstat(call(name f! name i)))) "
          "forin(names(define k define v) exprs(name p!) block))");
    shape("local x; local function f(y) return x, y, f end",
          "block(local(names(define x) exprs) empty localfunction(names(define f) function(names(define y) "
          "block(return(name x^ name y name f^)))))");
    shape("function a.b:c() return self end",
          "block(functionstat(index(index(name a! string b) string c) function(names(define self) "
          "block(return(name self)))))");
    shape("repeat local q until q; do local q end q = 1",
          "block(repeat(block(local(names(define q) exprs)) name q) empty do(block(local(names(define q) exprs))) "
          "assign(exprs(name q!) exprs(number 1)))");
    shape("goto l; ::l:: (f)() f'x'",
          "block(goto l empty label l callstat(call(paren(name f!))) callstat(call(name f! string x)))");
}

static void test_places(void)
{
    const char *text = "local a = '\xc3\xa9' .. b\nif a\n   == 2 then f(a) end\n";
    struct il__syntax *s = tree_of(text);
    for (uint32_t at = s->root; at; at = il__syn_walk(s, s->root, at)) {
        const struct il__syn *n = il__syn(s, at);
        if (n->kind == IL__SYN_BINARY && n->op == IL__TOK_EQ) {
            tap_str(il__syn_source(s, at), "a\n   == 2", "the bytes of a comparison");
            tap_int(n->line, 3, "the line of its operator");
            tap_int(il__source_column(s->source, n->op_at), 4, "and its column");
        }
        if (n->kind == IL__SYN_NAME && il__str_eq(n->text, IL_STR("b")))
            tap_int(il__source_column(s->source, n->from), 18, "columns count code points");
        if (n->kind == IL__SYN_IF) tap_str(il__syn_source(s, at), "if a\n   == 2 then f(a) end", "the bytes of an if");
        if (n->kind == IL__SYN_CALL_STAT) tap_str(il__syn_source(s, at), "f(a)", "the bytes of a call");
    }
    tap_int(s->locals[0].reads, 2, "the reads of a local");
    il__syntax_free(s);
    s = tree_of("local a; a = a; a = 1; do local a = a end");
    tap_int(s->locals[0].reads, 2, "reads");
    tap_int(s->locals[0].writes, 2, "writes");
    tap_int(s->locals[1].hides, 1, "a local that hides another");
    il__syntax_free(s);
    s = tree_of("local x = a.b == 1 and a.b == 1 and a.c == 1");
    uint32_t and_node = 0;
    for (uint32_t at = s->root; at; at = il__syn_walk(s, s->root, at))
        if (!and_node && il__syn(s, at)->op == IL__TOK_AND) and_node = il__syn_child(s, at, 0);
    tap_ok(il__syn_same(s, il__syn_child(s, and_node, 0), il__syn_child(s, and_node, 1)), "the same expression twice");
    tap_ok(!il__syn_same(s, il__syn_child(s, and_node, 0), il__syn_child(s, il__syn(s, and_node)->parent, 1)),
           "another expression");
    il__syntax_free(s);
}

/* ---- what it says ------------------------------------------------------------------------------------------------ */

static void says(const char *source, unsigned line, unsigned column, const char *message, const char *fix)
{
    struct il__syntax_fault f = { 0 };
    bool refused = !we_accept(il__str(source), &f);
    bool ok = refused && f.line == line && f.column == column && strstr(f.message, message) && strstr(f.fix, fix) &&
              (fix[0] || !f.fix[0]);
    if (!tap_ok(ok, "%.60s: %s", source, message)) tap_note("%u:%u: %s [%s]", f.line, f.column, f.message, f.fix);
}

static void test_messages(void)
{
    says("\nif a = 1 then end", 2, 6, "does not compare", "write `==`");
    says("while a = 1 do end", 1, 9, "does not compare", "write `==`");
    says("if (a = 1) then end", 1, 7, "does not compare", "write `==`");
    says("if a === 1 then end", 1, 8, "no `===`", "write `==`");
    says("if a != 1 then end", 1, 6, "no such sign", "write `~=`");
    says("if !a then end", 1, 4, "no such sign", "write `not`");
    says("if a && b then end", 1, 7, "no `&&`", "write `and`");
    says("if a || b then end", 1, 7, "no `||`", "write `or`");
    says("if a == 1 { b() }", 1, 11, "braces", "`then`");
    says("x += 1", 1, 3, "no `+=`", "NAME = NAME + ...");
    says("x ++", 1, 3, "no `++`", "NAME + 1");
    says("a == 1", 1, 3, "no statement", "write `=` to set");
    says("retrun policy", 1, 1, "`retrun` is no statement", "`return`");
    says("var x = 1", 1, 1, "`var` is no statement", "`local`");
    says("if a then\nelse if b then\nend\n", 4, 1, "`end` (to close `if` of line 1) is missing",
         "line 2 opens another `if`: write `elseif`");
    says("return {\n  a = 1\n  b = 2\n}", 2, 8, "a comma is missing", "comma");
    says("return { a: 1 }", 1, 10, "not written with `:`", "NAME = VALUE");
    says("function f()\n  x = 1\n", 3, 1,
         "`end` (to close `function` of line 1) is expected here, not the end of the file", "");
    says("if a b() end", 1, 6, "`then` is expected here, not `b`", "");
    says("x = 'abc\ny = 2", 1, 5, "not closed on its line", "same quote");
    says("x = 1 end", 1, 7, "`end` cannot stand here", "one `end` too many");
    says("f()\n// a comment\n", 2, 1, "`//` divides", "a comment begins with `--`");
    says("return 1\nx = 2", 2, 1, "nothing can follow `return`", "do return end");
    says("x = \xe2\x80\x9c" "a\xe2\x80\x9d", 1, 5, "no such sign", "straight quotes");
    says("local x <cost> = 1", 1, 10, "no such attribute", "<const>");
    says("break", 1, 1, "stands in no loop", "");
    says("goto nowhere", 1, 1, "no label `nowhere`", "");
    says("local x <const> = 1\nx = 2", 2, 1, "`x` is a constant", "");
}

/* ---- bounds ------------------------------------------------------------------------------------------------------ */

static struct il_str repeat(char *text, const char *head, const char *piece, size_t count, const char *tail)
{
    size_t n = strlen(head), p = strlen(piece);
    memcpy(text, head, n);
    for (size_t i = 0; i < count; i++, n += p) memcpy(text + n, piece, p);
    memcpy(text + n, tail, strlen(tail) + 1);
    return (struct il_str){ text, n + strlen(tail) };
}

static void refused_deep(struct il_str source, const char *what)
{
    struct il__syntax_fault f = { 0 };
    if (!tap_ok(!we_accept(source, &f) && strstr(f.message, "script_levels"), "too deep: %s", what))
        tap_note("%s", f.message);
}

static void test_bounds(void)
{
    char *text = malloc(IL__LIMIT_SCRIPT_SOURCE * 2);
    tap_ok(we_accept(repeat(text, "x = ", "(", 100,
                            "1)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))"
                            ")))))))))))"),
                     NULL),
           "as deep as admission allows");
    refused_deep(repeat(text, "x = ", "(", 30000, ""), "parentheses");
    refused_deep(repeat(text, "x = ", "not ", 15000, "1"), "not");
    refused_deep(repeat(text, "x = a", "..a", 20000, ""), "..");
    refused_deep(repeat(text, "x = ", "- ", 30000, "1"), "-");
    refused_deep(repeat(text, "", "do ", 20000, ""), "do");
    refused_deep(repeat(text, "x = ", "{", 60000, ""), "tables");
    refused_deep(repeat(text, "", "f(function() ", 4000, ""), "functions");
    tap_ok(we_accept(repeat(text, "x = ", "not ", IL__LIMIT_SCRIPT_LEVELS - 2, "1"), NULL), "at script_levels");
    refused_deep(repeat(text, "x = ", "not ", IL__LIMIT_SCRIPT_LEVELS - 1, "1"), "one past script_levels");
    tap_ok(we_accept(repeat(text, "x = 1", "+1", 30000, ""), NULL), "a long sum is not deep");
    tap_ok(we_accept(repeat(text, "", "x()", 20000, ""), NULL), "many statements");
    tap_ok(we_accept(repeat(text, "", " ", IL__LIMIT_SCRIPT_SOURCE, ""), NULL), "as long as script_source");
    tap_ok(!we_accept(repeat(text, "", " ", IL__LIMIT_SCRIPT_SOURCE + 1, ""), NULL), "longer than script_source");
    tap_ok(we_accept(repeat(text, "", "local a ", 200, ""), NULL), "200 locals");
    tap_ok(!we_accept(repeat(text, "", "local a ", 201, ""), NULL), "201 locals");
    free(text);
}

static void test_no_memory(void)
{
    struct il__mem small;
    const char *source = "local a, b = 1, 'x' goto l; local function f(...) return {a, b = 'y'}, a == b end ::l::";
    unsigned failed = 0;
    for (uint64_t n = 1; n < 100; n++) {
        struct il__syntax *tree = NULL;
        il__mem_init(&small, NULL, NULL, 0);
        small.fail_at = n;
        enum il_code code = il__syntax_parse(&small, il__str(source), &tree, NULL, NULL);
        if (code == IL_OUT_OF_MEMORY) failed++;
        il__syntax_free(tree);
        if ((code == IL_OK) != (small.calls < n) || small.in_use_bytes) tap_ok(false, "allocation %d", (int)n);
        if (code == IL_OK) break;
    }
    tap_ok(failed > 3, "every allocation may fail (%u)", failed);
}

int main(void)
{
    il__mem_init(&mem, NULL, NULL, 0);
    stock = luaL_newstate();
    test_grammar();
    test_strings();
    test_trees();
    test_places();
    test_messages();
    test_bounds();
    test_no_memory();
    static const char *const folders[] = { "lua", "policies", "examples", "tests" };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) tap_each(folders[i], ".lua", each_script, NULL);
    lua_close(stock);
    tap_int((long long)mem.in_use_bytes, 0, "nothing is left");
    return tap_done();
}
