/* Hints for misspelt and missing names, and for values that are absent or of another type. Uses its tables, and those
 * that the bindings of policies are made from. Must never look at script values: it reads the finished, escaped text of
 * an error. */
#include "script/hint.h"

#include "contract/action.h"
#include "script/policy_api.h"
#include "script/policy_ctx.h"

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

static bool is_member(const struct il__object *object, struct il_str name)
{
    for (const struct il__member *m = object->members; m && m->name; m++)
        if (il__str_eq(name, il__str(m->name))) return true;
    return false;
}

static bool is_field(const struct il__schema *schema, struct il_str name)
{
    for (const struct il__field *f = schema->fields; f->wire; f++)
        if (il__str_eq(name, il__str(f->lua))) return true;
    return false;
}

const char *il__hint_owner(struct il_str name)
{
    if (il__str_eq(name, IL_STR("policy"))) return NULL; /* ctx has one, and a file has another */
    if (is_member(&il__ctx_object, name)) return "ctx";
    if (is_member(&il__policy_object, name)) return "policy";
    if (is_field(&il__proposal_schema, name) || is_field(&il__envelope_schema, name)) return "action";
    return NULL;
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

/* What is nil, or of another type than the other side. */
static const char *about_values(const char *text)
{
    if (strstr(text, "attempt to compare")) {
        if (strstr(text, "nil")) return "one of them is absent: look first whether it is there, as in `if x and x > 1`";
        if (strstr(text, "number") && strstr(text, "string"))
            return "a number and a text are not compared: write tonumber(text), or a number without quotes";
        return NULL;
    }
    if (strstr(text, " a nil value (field '"))
        return "it is absent here: look first whether it is there, as in `if x.name then`";
    return NULL;
}

static void add(char *text, size_t len, size_t cap, const char *hint)
{
    snprintf(text + len, cap - len, "; %s", hint);
}

static void about_global(char *text, size_t len, size_t cap, struct il_str name)
{
    const char *instead = il__hint_absent(name), *owner = il__hint_owner(name);
    const char *best = il__hint_nearest(name, known);
    if (instead) add(text, len, cap, instead);
    else if (il__str_eq(name, IL_STR("policy")))
        add(text, len, cap, "write local policy = require \"interlock.policy\"");
    else if (owner) snprintf(text + len, cap - len, "; in a policy it is `%s.%.*s`", owner, IL_STR_FMT(name));
    else if (best && !il__str_eq(name, il__str(best))) snprintf(text + len, cap - len, "; did you mean '%s'?", best);
}

void il__hint(char *text, size_t len, size_t cap)
{
    struct il_str name = named(text, "(global '");
    if (len + 1 >= cap) return;
    if (il__str_present(name)) {
        about_global(text, len, cap, name);
        return;
    }
    name = named(text, "(field '");
    if (!il__str_present(name)) name = named(text, "(method '");
    const char *best = il__str_present(name) ? il__hint_nearest(name, known) : NULL;
    const char *values = about_values(text);
    if (best && !il__str_eq(name, il__str(best)) && strstr(text, "attempt to call"))
        snprintf(text + len, cap - len, "; did you mean '%s'?", best);
    else if (values) add(text, len, cap, values);
}
