/* Hints for misspelt and missing names. Uses nothing but its tables.
 * Must never look at script values: it reads the finished, escaped text of an error. */
#include "script/hint.h"

#include <stdio.h>
#include <string.h>

enum { NAME_MAX_BYTES = 24 };

static const char *const known[] = {
    "assert", "error", "ipairs", "pairs", "select", "tonumber", "tostring", "type", "pcall", "xpcall", "print", "log",
    "rawequal", "rawlen", "rawget", "rawset", "require", "string", "table", "math", "utf8", "coroutine", "json",
    "byte", "char", "find", "format", "gmatch", "gsub", "len", "lower", "match", "rep", "reverse", "sub", "upper",
    "concat", "insert", "remove", "move", "sort", "pack", "unpack", "abs", "ceil", "floor", "max", "min", "fmod",
    "modf", "tointeger", "ult", "sqrt", "random", "huge", "codepoint", "codes", "create", "resume", "yield", "wrap",
    "status", "isyieldable", "running", "array", "null", "debug", "info", "warn", NULL
};

struct absent {
    const char *name, *instead;
};

static const struct absent absent[] = {
    { "next", "pairs visits every key in one order; next is not offered" },
    { "setmetatable", "metatables are not offered: use plain tables and functions" },
    { "getmetatable", "metatables are not offered" },
    { "os", "os is not offered: time comes from the host" },
    { "io", "io is not offered: scripts have no files" },
    { "debug", "the debug library is not offered" },
    { "load", "code cannot be loaded from text; use require" },
    { "loadstring", "code cannot be loaded from text; use require" },
    { "dofile", "files cannot be loaded by path; use require" },
    { "loadfile", "files cannot be loaded by path; use require" },
    { "package", "modules are found by name only; use require" },
    { "collectgarbage", "memory is managed by the host" },
    { "unpack", "write table.unpack" },
    { "require", "this script has no modules" },
    { NULL, NULL }
};

const char *il__hint_absent(struct il_str name)
{
    for (const struct absent *a = absent; a->name; a++)
        if (il__str_eq(name, il__str(a->name))) return a->instead;
    return NULL;
}

unsigned il__hint_distance(struct il_str a, struct il_str b, unsigned most)
{
    unsigned row[NAME_MAX_BYTES + 1];
    if (a.len > NAME_MAX_BYTES || b.len > NAME_MAX_BYTES) return most + 1;
    for (size_t j = 0; j <= b.len; j++) row[j] = (unsigned)j;
    for (size_t i = 1; i <= a.len; i++) {
        unsigned corner = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b.len; j++) {
            unsigned change = corner + (a.ptr[i - 1] != b.ptr[j - 1]);
            unsigned best = row[j] + 1 < row[j - 1] + 1 ? row[j] + 1 : row[j - 1] + 1;
            corner = row[j];
            row[j] = change < best ? change : best;
        }
    }
    return row[b.len];
}

const char *il__hint_nearest(struct il_str name, const char *const *list)
{
    const char *best = NULL;
    unsigned most = name.len < 4 ? 1 : 2, nearest = most + 1;
    for (; *list; list++) {
        unsigned d = il__hint_distance(name, il__str(*list), most);
        if (d < nearest) {
            nearest = d;
            best = *list;
        }
    }
    return best;
}

/* The name in "(global 'NAME')" or "(field 'NAME')". */
static struct il_str named(const char *text, const char *kind)
{
    const char *at = strstr(text, kind);
    if (!at) return IL_STR_NONE;
    at += strlen(kind);
    const char *end = strchr(at, '\'');
    return end ? (struct il_str){ at, (size_t)(end - at) } : IL_STR_NONE;
}

void il__hint(char *text, size_t len, size_t cap)
{
    struct il_str name = named(text, "(global '");
    bool global = il__str_present(name);
    if (!global) name = named(text, "(field '");
    if (!global && !il__str_present(name)) name = named(text, "(method '");
    if (!il__str_present(name) || len + 1 >= cap) return;
    const char *instead = global ? il__hint_absent(name) : NULL;
    if (instead) {
        snprintf(text + len, cap - len, "; %s", instead);
        return;
    }
    const char *best = il__hint_nearest(name, known);
    if (best && !il__str_eq(name, il__str(best))) snprintf(text + len, cap - len, "; did you mean '%s'?", best);
}
