-- Small trees that the structure lint must refuse, each for one rule, and good ones that it must accept.
local C = "/* A file. */\n"

local function fn(lines, above)
  return C .. "\n" .. (above or "") .. "int il__x(void)\n{\n" .. ("    x++;\n"):rep(lines) .. "}\n"
end
local function body(text) return C .. "void f(void)\n{\n    " .. text .. "\n}\n" end
local function one(path, text) return { [path] = text } end
local function bad(rule, name, files) return { rule = rule, name = name, files = files } end
local function good(rule, name, files) return { rule = rule, name = name, files = files, good = true } end

return {
  bad("layers", "a look upwards", one("src/wire/a.c", C .. '#include "run/b.h"\n')),
  bad("layers", "a sibling", one("src/store/a.c", C .. '#include "script/b.h"\n')),
  bad("layers", "a port of another", one("src/store/a.c", C .. '#include "run/runtime.h"\n')),
  bad("layers", "internals in the command", one("src/cli/a.c", C .. '#include "base/buf.h"\n')),
  bad("layers", "internals in the Lua module", one("src/luamod/a.c", C .. '#include "host/host.h"\n')),
  bad("layers", "an unknown folder", one("src/misc/a.c", C)),
  good("layers", "the table as it stands", {
    ["src/store/a.c"] = C .. '#include "store/a.h"\n#include "run/store.h"\n#include "base/buf.h"\n',
    ["src/cli/a.c"] = C .. '#include "cli/a.h"\n#include <interlock.h>\n',
    ["src/host/a.c"] = C .. '#include "script/a.h"\n#include "store/a.h"\n',
  }),
  bad("owners", "Lua outside its folder", one("src/run/a.c", C .. "#include <lua.h>\n")),
  bad("owners", "SQLite outside the store", one("src/host/a.c", C .. "#include <sqlite3.h>\n")),
  good("owners", "Lua in its folder", one("src/script/a.c", C .. "#include <lua.h>\n")),
  bad("circles", "two headers that need each other", {
    ["src/run/a.h"] = C .. '#include "run/b.h"\n', ["src/run/b.h"] = C .. '#include "run/a.h"\n',
  }),
  bad("file-length", "601 lines", one("src/base/a.c", C .. ("\n"):rep(600))),
  good("file-length", "600 lines", one("src/base/a.c", C .. ("\n"):rep(599))),
  bad("file-length", "a public header of 1201 lines", one("src/include/interlock.h", C .. ("\n"):rep(1200))),
  good("file-length", "a public header of 1200 lines", one("src/include/interlock.h", C .. ("\n"):rep(1199))),
  bad("file-length", "another header of 601 lines", one("src/host/interlock.h", C .. ("\n"):rep(600))),
  bad("function-length", "61 lines", one("src/base/a.c", fn(61))),
  bad("function-length", "61 lines behind a type", one("src/base/a.c",
    C .. "struct s {\n    int a;\n};\nstatic const struct s t[] = { { 1 }, { 2 } };\n" .. fn(61))),
  bad("function-length", "a brace in a string", one("src/base/a.c",
    C .. 'static int f(void)\n{\n    g("}");\n' .. ("    x++;\n"):rep(60) .. "}\n")),
  good("function-length", "60 lines", one("src/base/a.c", fn(60))),
  good("function-length", "61 lines with a reason", one("src/base/a.c", fn(61, "/* long: one row per step */\n"))),
  bad("banned-calls", "strcpy", one("src/base/a.c", body("strcpy(a, b);"))),
  bad("banned-calls", "sprintf over two lines", one("src/cli/a.c", body("sprintf\n(a, b);"))),
  bad("banned-calls", "a call in a macro", one("src/base/a.c", C .. "#define COPY(a, b) strcpy(a, b)\n")),
  good("banned-calls", "names in comments and strings", one("src/base/a.c", C .. '/* strcpy(a, b) */\nvoid f(void)\n{\n'
    .. '    g("strcpy(a)");\n    my_strcpy(a);\n    snprintf(a, 1, b);\n}\n')),
  bad("allocation", "malloc", one("src/base/buf.c", body("p = malloc(1);"))),
  good("allocation", "malloc in its file", one("src/base/mem.c", body("p = malloc(1);"))),
  bad("lua-entries", "a second pcall", one("src/script/run.c", body("lua_pcall(L, 0, 0, 0);"))),
  good("lua-entries", "the first pcall", one("src/script/call.c", body("lua_pcall(L, 0, 0, 0);"))),
  bad("opening-comment", "bare C", one("src/base/a.h", "#ifndef A\n#define A\n#endif\n")),
  bad("opening-comment", "bare Lua", one("lua/a.lua", "return {}\n")),
  bad("shape", "121 columns", one("src/base/a.c", C .. "/* " .. ("x"):rep(115) .. " */\n")),
  good("shape", "120 columns", one("src/base/a.c", C .. "/* " .. ("ä"):rep(114) .. " */\n")),
  bad("shape", "a tab", one("lua/a.lua", "-- A.\n\treturn 1\n")),
  bad("shape", "a blank at the end", one("lua/a.md", "x \n")),
  bad("shape", "no last line break", one("lua/a.lua", "-- A.")),
  bad("words", "a note", one("src/base/a.c", C .. "/* " .. "TO" .. "DO: later */\n")),
  bad("machine-paths", "a home", one("src/base/a.c", C .. "/* /home/" .. "zoe/x */\n")),
  bad("machine-paths", "a work folder", one("tests/a.lua", "-- see /wo" .. "rk/x\n")),
  bad("mutable-state", "a static counter", one("src/base/a.c", C .. "static int count;\n")),
  bad("mutable-state", "a global pointer to const", one("src/base/a.c", C .. 'const char *name = "x";\n')),
  bad("mutable-state", "a static inside a function", one("src/base/a.c",
    C .. "int f(void)\n{\n    static int n = 0;\n    return n;\n}\n")),
  bad("mutable-state", "a static table inside a function", one("src/base/a.c",
    body("static struct { const char *a; } t[] = { { 0 } };"))),
  good("mutable-state", "a constant table inside a function", one("src/base/a.c",
    body("static const struct { const char *a, *b; } t[] = { { 0 } };"))),
  bad("mutable-state", "a table that can change", one("src/base/a.c", C .. "static struct s t[] = { { 1 } };\n")),
  bad("mutable-state", "a function pointer", one("src/base/a.c", C .. "static void (*hook)(int);\n")),
  good("mutable-state", "constants, types, prototypes", one("src/base/a.c", C .. "static const int n = 1;\n"
    .. 'static const char *const names[] = { "a", "b" };\nstruct s;\nstruct t {\n    int a;\n};\nenum { A, B };\n'
    .. "extern const int m;\nint f(void);\nstatic int (*const fns[])(int) = { g };\ntypedef struct x x;\n"
    .. "_Static_assert(1, \"\");\nconst struct s *f2(const char *a, int (*cb)(void *ctx));\n"
    .. "static const struct row { int a; } rows[] = { { 1 } };\n")),
  bad("recursion", "a function that calls itself", one("src/wire/a.c",
    C .. "static int f(int n)\n{\n    return f(n - 1);\n}\n")),
  good("recursion", "a reason", one("src/wire/a.c",
    C .. "/* recurses: at most two deep */\nstatic int f(int n)\n{\n    return f(n - 1);\n}\n")),
  bad("conditionals", "#if in a function", one("src/base/a.c", body("a();\n#ifdef X\n    b();\n#endif"))),
  good("recursion", "a member of the same name", one("src/wire/a.c",
    C .. "static int f(struct s *s)\n{\n    return s->f(s) + s->g.f(1);\n}\n")),
  good("conditionals", "#if around functions", one("src/base/a.c", C .. "#ifdef X\n" .. fn(1) .. "#endif\n")),
  bad("top-level", "a stray folder", { ["docs/a.md"] = "x\n" }),
  good("top-level", "hidden files", { [".ci/run"] = "x\n" }),
}
