/* string.format: the stock conversions but %p and %q, one "nan", no addresses, in the C locale of the entry.
 * Uses state.h. Each conversion is paid for by what it can print. */
#include "script/state.h"

#include <stdio.h>
#include <string.h>

enum { SPEC_MAX = 16, ITEM_MAX = 512 };

struct spec {
    char text[SPEC_MAX]; /* "%-5.2" and room for the length modifier and the letter */
    size_t len;
    char letter;
    bool plain; /* no flags, width or precision */
};

static size_t two_digits(const char *f, size_t at, size_t len)
{
    size_t start = at;
    while (at < len && at < start + 2 && f[at] >= '0' && f[at] <= '9') at++;
    return at;
}

/* Reads a conversion behind its `%`, at `at`; returns where it ends. */
static size_t read_spec(lua_State *L, const char *f, size_t at, size_t len, struct spec *spec)
{
    size_t start = at;
    while (at < len && at < start + 5 && strchr("-+ #0", f[at]) && f[at] != '\0') at++;
    at = two_digits(f, at, len);
    if (at < len && f[at] == '.') at = two_digits(f, at + 1, len);
    if (at >= len) luaL_error(L, "invalid conversion to 'format': it ends behind %%");
    spec->letter = f[at];
    spec->plain = at == start;
    spec->text[0] = '%';
    memcpy(spec->text + 1, f + start, at - start);
    spec->len = 1 + (at - start);
    return at + 1;
}

static const char *finish_spec(struct spec *spec, const char *modifier)
{
    size_t n = strlen(modifier);
    memcpy(spec->text + spec->len, modifier, n);
    spec->text[spec->len + n] = spec->letter;
    spec->text[spec->len + n + 1] = '\0';
    return spec->text;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the format was checked and built by read_spec */

static void add_integer(lua_State *L, luaL_Buffer *b, struct spec *spec, int n)
{
    lua_Integer i = luaL_checkinteger(L, n);
    char *out = luaL_prepbuffsize(b, ITEM_MAX);
    int len = snprintf(out, ITEM_MAX, finish_spec(spec, "ll"), (long long)i);
    luaL_addsize(b, len < 0 ? 0 : (size_t)len);
}

static void add_float(lua_State *L, luaL_Buffer *b, struct spec *spec, int n)
{
    double v = luaL_checknumber(L, n);
    il__charge(il__state(L), strchr("fF", spec->letter) ? 400 : 60);
    char *out = luaL_prepbuffsize(b, ITEM_MAX);
    int len = snprintf(out, ITEM_MAX, finish_spec(spec, ""), v != v ? __builtin_nan("") : v);
    luaL_addsize(b, len < 0 ? 0 : (size_t)len);
}

static void add_text(lua_State *L, luaL_Buffer *b, struct spec *spec, int n)
{
    size_t len;
    luaL_checkany(L, n);
    char *out = luaL_prepbuffsize(b, ITEM_MAX); /* before the text is pushed: the buffer must be on top */
    const char *s = il__tostring(L, n, &len);
    il__charge(il__state(L), 1 + len / 32);
    if (spec->plain) {
        luaL_addvalue(b);
        return;
    }
    if (memchr(s, '\0', len)) luaL_argerror(L, n, "string contains zeros");
    if (!memchr(spec->text, '.', spec->len) && len >= 100) { /* no precision and too long for a width */
        luaL_addvalue(b);
        return;
    }
    int written = snprintf(out, ITEM_MAX, finish_spec(spec, ""), s);
    luaL_addsize(b, written < 0 ? 0 : (size_t)written);
    lua_pop(L, 1);
}

static void add_char(lua_State *L, luaL_Buffer *b, struct spec *spec, int n)
{
    int c = (int)luaL_checkinteger(L, n);
    char *out = luaL_prepbuffsize(b, ITEM_MAX);
    int len = snprintf(out, ITEM_MAX, finish_spec(spec, ""), c);
    luaL_addsize(b, len < 0 ? 0 : (size_t)len);
}

#pragma GCC diagnostic pop

int il__str_format(lua_State *L)
{
    size_t len;
    const char *f = luaL_checklstring(L, 1, &len);
    int top = lua_gettop(L), n = 1;
    luaL_Buffer b;
    il__charge(il__state(L), 3 + len / 8);
    luaL_buffinit(L, &b);
    for (size_t at = 0; at < len;) {
        struct spec spec;
        if (f[at] != '%') {
            luaL_addchar(&b, f[at++]);
            continue;
        }
        if (++at < len && f[at] == '%') {
            luaL_addchar(&b, f[at++]);
            continue;
        }
        at = read_spec(L, f, at, len, &spec);
        if (++n > top) return luaL_argerror(L, n, "no value");
        il__charge(il__state(L), 20);
        switch (spec.letter) {
        case 'd': case 'i': case 'o': case 'u': case 'x': case 'X': add_integer(L, &b, &spec, n); break;
        case 'a':
        case 'A':
        case 'e':
        case 'E':
        case 'f':
        case 'F':
        case 'g':
        case 'G': add_float(L, &b, &spec, n); break;
        case 'c': add_char(L, &b, &spec, n); break;
        case 's': add_text(L, &b, &spec, n); break;
        default: return luaL_error(L, "invalid conversion '%%%c' to 'format'", spec.letter);
        }
    }
    luaL_pushresult(&b);
    return 1;
}
