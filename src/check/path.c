/* Reading paths (path.h): a file: URL is decoded, the text normalized, its kind told by its first characters, and its
 * segments put behind the root one by one. What only Windows would read otherwise is in windows_name.h. */
#include "check/path.h"

#include "base/utf8.h"
#include "check/nfc.h"
#include "check/windows_name.h"

enum { TEXT_MAX = IL__LIMIT_RULE_PATH_BYTES, ROOM = IL__NFC_ROOM(TEXT_MAX) };

struct reading {
    char text[TEXT_MAX]; /* what is left to read: decoded and normalized */
    size_t len, at;
    bool url, windows, verbatim;
    struct il__path *out;
    const char *why;
};

static bool fail(struct reading *r, const char *why)
{
    if (!r->why) r->why = why;
    return false;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool has_nocase(const char *text, size_t len, const char *want)
{
    size_t n = strlen(want);
    return len >= n && il__str_eq_nocase((struct il_str){ text, n }, (struct il_str){ want, n });
}

/* ---- the text ---------------------------------------------------------------------------------------------------- */

/* Characters that NFC turns into ASCII, that some file systems do not see, or that are no part of a name. */
static const char *refused_point(uint32_t c)
{
    if (c < 0x20 || (c >= 0x7F && c < 0xA0)) return "it has a control character";
    if (c == 0x37E || c == 0x1FEF || c == 0x212A) return "it has a character that some systems take for an ASCII one";
    if ((c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
        c == 0xAD || c == 0x2028 || c == 0x2029) {
        return "it has a character that is not seen, and that some file systems leave out";
    }
    return NULL;
}

static bool check_points(struct reading *r, struct il_str s)
{
    for (size_t at = 0; at < s.len;) {
        uint32_t code = 0;
        size_t step = il__utf8_read((const unsigned char *)s.ptr + at, s.len - at, &code);
        if (step == 0) return fail(r, "it is not UTF-8");
        const char *why = refused_point(code);
        if (why) return fail(r, why);
        at += step;
    }
    return true;
}

/* Replaces the text by its NFC, folded first when `fold` says so. */
static bool normalize(struct reading *r, bool fold)
{
    int32_t room[ROOM];
    size_t count = 0;
    const char *why = NULL;
    for (int round = 0; round < (fold ? 2 : 1); round++) {
        if (!il__nfc_points((struct il_str){ r->text, r->len }, room, ROOM, &count, &why)) return fail(r, why);
        for (size_t i = 0; fold && i < count; i++) {
            int32_t point = il__fold_point(room[i]);
            if (point < 0x80 && room[i] >= 0x80) {
                return fail(r, "it has a character that some systems take for an ASCII one");
            }
            room[i] = point;
        }
        r->len = il__nfc_write(room, count, r->text, TEXT_MAX);
        if (r->len == SIZE_MAX) return fail(r, "it is longer than 4096 bytes (rule_path_bytes)");
    }
    return true;
}

/* ---- file: URLs -------------------------------------------------------------------------------------------------- */

static int hex(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte of the %XX at `p`, or -1. */
static int percent(struct il_str s, size_t p)
{
    if (p + 2 >= s.len || hex(s.ptr[p + 1]) < 0 || hex(s.ptr[p + 2]) < 0) return -1;
    return hex(s.ptr[p + 1]) * 16 + hex(s.ptr[p + 2]);
}

/* Decodes once. What is written as %XX must not be a part of the path's own grammar: readers differ on that. */
static bool decode_url(struct reading *r, struct il_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (c == '?' || c == '#') return fail(r, "a file: URL with ? or # is read in two ways; write it as a path");
        if (c == '\\') return fail(r, "a file: URL has / and no \\");
        if (c == '%') {
            int byte = percent(s, i);
            if (byte < 0) return fail(r, "a % of a file: URL is followed by two hexadecimal digits");
            if (byte == '/' || byte == '\\' || byte == '.' || byte == ':' || byte == '|' || byte == 0) {
                return fail(r, "a separator, a dot, a colon or NUL is percent-encoded");
            }
            if (byte == '%' && i + 4 < s.len && hex(s.ptr[i + 3]) >= 0 && hex(s.ptr[i + 4]) >= 0) {
                return fail(r, "it is percent-encoded twice");
            }
            c = (char)byte;
            i += 2;
        }
        r->text[r->len++] = c;
    }
    return true;
}

/* Behind "file:": no authority, an empty one, or localhost. */
static bool read_url(struct reading *r, struct il_str s)
{
    r->url = true;
    if (s.len >= 2 && s.ptr[0] == '/' && s.ptr[1] == '/') {
        s = (struct il_str){ s.ptr + 2, s.len - 2 };
        if (has_nocase(s.ptr, s.len, "localhost/")) s = (struct il_str){ s.ptr + 9, s.len - 9 };
        if (s.len == 0 || s.ptr[0] != '/') return fail(r, "a file: URL with a host is another machine's path");
    }
    if (s.len == 0 || s.ptr[0] != '/') return fail(r, "a file: URL without / in front is relative");
    return decode_url(r, s);
}

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

static bool is_separator(const struct reading *r, char c)
{
    return c == '/' || (r->windows && c == '\\');
}

static void put_root(struct reading *r, const char *text, size_t len)
{
    memcpy(r->out->text + r->out->len, text, len);
    r->out->len += len;
    r->out->root = r->out->len;
}

static bool read_drive(struct reading *r)
{
    r->windows = true;
    if (!normalize(r, true)) return false;
    if (r->len - r->at < 3 || !is_separator(r, r->text[r->at + 2])) {
        return fail(r, "a drive without \\ behind it is relative to a folder that nobody knows");
    }
    char root[3] = { r->text[r->at], ':', '/' };
    put_root(r, root, sizeof root);
    r->at += 3;
    return true;
}

/* The next segment, "" at the end; steps over the separators in front of it. */
static struct il_str segment(struct reading *r)
{
    while (r->at < r->len && is_separator(r, r->text[r->at])) r->at++;
    size_t from = r->at;
    while (r->at < r->len && !is_separator(r, r->text[r->at])) r->at++;
    return (struct il_str){ r->text + from, r->at - from };
}

/* \\server\share */
static bool read_share(struct reading *r)
{
    r->windows = true;
    if (!normalize(r, true)) return false;
    bool empty = r->at < r->len && is_separator(r, r->text[r->at]);
    struct il_str server = segment(r), share = segment(r);
    if (empty || !il__windows_server_ok(server)) return fail(r, "what stands behind \\\\ is no name of a server");
    if (share.len == 0) return fail(r, "a server without a share is no place of files");
    if (share.ptr[share.len - 1] == '$') return fail(r, "a share that ends in $ is a drive by another name");
    const char *why = il__windows_name_fault(share);
    if (why) return fail(r, why);
    put_root(r, "\\\\", 2);
    put_root(r, server.ptr, server.len);
    put_root(r, "/", 1);
    put_root(r, share.ptr, share.len);
    return true;
}

/* \\?\C:\ and \\?\UNC\: the rest is taken by Windows as it is. */
static bool read_verbatim(struct reading *r)
{
    r->verbatim = true;
    r->at = 4;
    if (memchr(r->text, '/', r->len)) return fail(r, "behind \\\\?\\ a / is no separator");
    if (r->len >= 6 && is_letter(r->text[4]) && r->text[5] == ':') return read_drive(r);
    if (!has_nocase(r->text + 4, r->len - 4, "UNC\\")) return fail(r, "it names a device");
    r->at = 8;
    return read_share(r);
}

static bool read_backslashes(struct reading *r)
{
    if (r->len < 2 || (r->text[1] != '\\' && r->text[1] != '/')) {
        return fail(r, "a single \\ in front is relative to a drive that nobody knows");
    }
    bool device = r->len >= 4 && (r->text[2] == '?' || r->text[2] == '.') && (r->text[3] == '\\' || r->text[3] == '/');
    r->at = 2;
    if (!device) return read_share(r);
    if (has_nocase(r->text, r->len, "\\\\?\\")) return read_verbatim(r);
    return fail(r, "it names a device");
}

static const char *relative_reason(struct il_str s)
{
    size_t n = 0;
    while (n < s.len && (is_letter(s.ptr[n]) || (n > 0 && strchr("+-.0123456789", s.ptr[n])))) n++;
    if (s.ptr[0] == '~') return "~ stands for a folder that only the one who opens it knows";
    if (n > 1 && n < s.len && s.ptr[n] == ':') return "it is an address of another kind than file:";
    return "it is relative to a folder that nobody knows";
}

/* Tells the kind and reads the root. */
static bool read_root(struct reading *r)
{
    if (r->text[0] == '\\') return read_backslashes(r);
    if (r->url && r->len >= 3 && is_letter(r->text[1]) && (r->text[2] == ':' || r->text[2] == '|')) {
        if (r->text[2] == '|') return fail(r, "a drive is written with a colon");
        r->at = 1;
        return read_drive(r);
    }
    if (r->len >= 2 && is_letter(r->text[0]) && r->text[1] == ':') return read_drive(r);
    if (r->text[0] != '/') return fail(r, relative_reason((struct il_str){ r->text, r->len }));
    if (r->len >= 2 && r->text[1] == '/') {
        return fail(r, "two / in front are a server on some systems, and none on others");
    }
    if (memchr(r->text, '\\', r->len)) return fail(r, "a \\ parts segments on some systems, and is a letter on others");
    put_root(r, "/", 1);
    return true;
}

/* ---- segments ---------------------------------------------------------------------------------------------------- */

/* Places that are other places by the kernel's word: their text says nothing of the file that is meant. */
static bool is_kernel_link(const struct il__path *p)
{
    static const char *const folders[] = { "/dev/fd",  "/dev/stdin", "/dev/stdout", "/dev/stderr",         "/.vol",
                                           "/.file",   "/.nofollow", "/.resolve",   "/system/volumes/data" };
    static const char *const links[] = { "/root", "/cwd", "/fd", "/exe", "/map_files" };
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if (p->len == strlen(folders[i]) && has_nocase(p->text, p->len, folders[i])) return true;
    }
    for (size_t i = 0; has_nocase(p->text, p->len, "/proc/") && i < sizeof links / sizeof links[0]; i++) {
        size_t n = strlen(links[i]);
        if (p->len > n + 5 && memcmp(p->text + p->len - n, links[i], n) == 0) return true;
    }
    return false;
}

static void go_up(struct il__path *p)
{
    while (p->len > p->root && p->text[p->len - 1] != '/') p->len--;
    if (p->len > p->root) p->len--;
}

static bool put_segment(struct reading *r, struct il_str s)
{
    struct il__path *p = r->out;
    bool dots = (s.len == 1 || s.len == 2) && s.ptr[0] == '.' && s.ptr[s.len - 1] == '.';
    if (dots && r->verbatim) return fail(r, "behind \\\\?\\ a . or .. is a name");
    if (dots) {
        if (s.len == 2) go_up(p);
        return true;
    }
    const char *why = r->windows ? il__windows_name_fault(s) : NULL;
    if (why) return fail(r, why);
    bool slash = p->text[p->len - 1] != '/';
    if (p->len + slash + s.len > TEXT_MAX) return fail(r, "it is longer than 4096 bytes (rule_path_bytes)");
    if (slash) p->text[p->len++] = '/';
    memcpy(p->text + p->len, s.ptr, s.len);
    p->len += s.len;
    return !is_kernel_link(p) || fail(r, "it goes through a link that the system makes up");
}

static bool read_path(struct reading *r, struct il_str text)
{
    static const char blank[] = "it begins or ends with a blank, which some programs leave out";
    if (text.len == 0) return fail(r, "it is empty");
    if (text.len > TEXT_MAX) return fail(r, "it is longer than 4096 bytes (rule_path_bytes)");
    if (text.ptr[0] == ' ') return fail(r, blank);
    if (has_nocase(text.ptr, text.len, "file:")) {
        if (!read_url(r, (struct il_str){ text.ptr + 5, text.len - 5 })) return false;
    } else {
        memcpy(r->text, text.ptr, text.len);
        r->len = text.len;
    }
    if (!check_points(r, (struct il_str){ r->text, r->len })) return false;
    if (!normalize(r, false) || !read_root(r)) return false;
    for (struct il_str s = segment(r); s.len; s = segment(r)) {
        if (!put_segment(r, s)) return false;
    }
    return (r->text[r->len - 1] != ' ' && r->out->text[r->out->len - 1] != ' ') || fail(r, blank);
}

bool il__path_read(struct il_str text, struct il__path *out, const char **why)
{
    struct reading r = { .out = out };
    out->len = 0;
    out->root = 0;
    bool ok = read_path(&r, text);
    out->text[out->len] = '\0';
    if (!ok) *why = r.why;
    return ok;
}

bool il__path_under(const struct il__path *path, const struct il__path *folder)
{
    if (path->len < folder->len || memcmp(path->text, folder->text, folder->len) != 0) return false;
    return path->len == folder->len || folder->text[folder->len - 1] == '/' || path->text[folder->len] == '/';
}
