/* Comparisons of length-counted strings. Bytes only: no locale, no NUL convention, no allocation. */
#include "base/str.h"

static unsigned char lower(char c)
{
    unsigned char u = (unsigned char)c;
    return (unsigned char)(u >= 'A' && u <= 'Z' ? u + ('a' - 'A') : u);
}

bool il__str_eq_nocase(struct il_str a, struct il_str b)
{
    if (!a.ptr || !b.ptr) return a.ptr == b.ptr;
    if (a.len != b.len) return false;
    for (size_t i = 0; i < a.len; i++) {
        if (lower(a.ptr[i]) != lower(b.ptr[i])) return false;
    }
    return true;
}

int il__str_cmp(struct il_str a, struct il_str b)
{
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common == 0 ? 0 : memcmp(a.ptr, b.ptr, common);
    if (order != 0) return order;
    return (a.len > b.len) - (a.len < b.len);
}

bool il__str_is_hex(struct il_str s, size_t len)
{
    if (!s.ptr || s.len != len) return false;
    for (size_t i = 0; i < len; i++) {
        char c = s.ptr[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
    }
    return true;
}
