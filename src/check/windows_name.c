/* The rules of windows_name.h, as Win32 has them ("Naming Files, Paths, and Namespaces"). */
#include "check/windows_name.h"

#include "base/utf8.h"

/* The part in front of the first dot, without the blanks at its end: what Windows compares with the devices' names. */
static struct il_str base_of(struct il_str name)
{
    const char *dot = memchr(name.ptr, '.', name.len);
    if (dot) name.len = (size_t)(dot - name.ptr);
    while (name.len && name.ptr[name.len - 1] == ' ') name.len--;
    return name;
}

static bool is_device(struct il_str base)
{
    static const char *const names[] = { "con", "prn", "aux", "nul", "conin$", "conout$", "clock$" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (il__str_eq(base, il__str(names[i]))) return true;
    }
    if (base.len < 4 || (memcmp(base.ptr, "com", 3) != 0 && memcmp(base.ptr, "lpt", 3) != 0)) return false;
    struct il_str port = { base.ptr + 3, base.len - 3 };
    if (port.len == 1) return port.ptr[0] >= '0' && port.ptr[0] <= '9';
    return il__str_eq(port, IL_STR("\xC2\xB9")) || il__str_eq(port, IL_STR("\xC2\xB2")) ||
           il__str_eq(port, IL_STR("\xC2\xB3")); /* the raised 1, 2 and 3 */
}

/* progra~1, and whatever else may be the short name of another file. */
static bool is_short_name(struct il_str base)
{
    size_t n = base.len;
    while (n > 0 && base.ptr[n - 1] >= '0' && base.ptr[n - 1] <= '9') n--;
    return base.len <= 8 && n < base.len && n > 0 && base.ptr[n - 1] == '~';
}

/* Characters that older interfaces turn into / \ : or a dot. */
static bool has_lookalike(struct il_str name)
{
    static const uint32_t points[] = { 0xA5, 0x20A9, 0x2024, 0x2044, 0x2215, 0x2216, 0x2236, 0xFE52, 0xFE55, 0xFE68,
                                       0xFF0E, 0xFF0F, 0xFF1A, 0xFF3C, 0xFF5E };
    uint32_t code = 0;
    for (size_t at = 0, step; at < name.len; at += step) {
        step = il__utf8_read((const unsigned char *)name.ptr + at, name.len - at, &code);
        if (step == 0) return true;
        for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
            if (points[i] == code) return true;
        }
    }
    return false;
}

const char *il__windows_name_fault(struct il_str name)
{
    const char *percent = memchr(name.ptr, '%', name.len);
    struct il_str base = base_of(name);
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] == ':') return "a colon behind the drive names a stream of a file";
        if (strchr("<>\"|?*", name.ptr[i])) return "it has a character that no name has on Windows";
    }
    if (name.ptr[name.len - 1] == '.' || name.ptr[name.len - 1] == ' ') {
        return "a segment ends in a dot or a blank, which Windows leaves out";
    }
    if (is_device(base)) return "a segment is the name of a device";
    if (is_short_name(base)) return "a segment may be the short name of another one";
    if (has_lookalike(name)) return "it has a character that some programs take for a separator or a dot";
    if (percent && memchr(percent + 1, '%', (size_t)(name.ptr + name.len - percent - 1))) {
        return "a segment has %NAME%, which some programs replace";
    }
    return NULL;
}

bool il__windows_server_ok(struct il_str name)
{
    bool dot = true;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
        if (!word && (c != '.' || dot)) return false;
        dot = c == '.';
    }
    return !dot;
}
