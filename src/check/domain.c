/* Reading hosts (domain.h): the authority of the address is cut out first, then decoded, then told apart into names and
 * addresses. The steps and their names are those of the URL standard (url.spec.whatwg.org). */
#include "check/domain.h"

#include "base/limits.h"
#include "check/address.h"
#include "check/punycode.h"

enum { RAW_MAX = 1024 }; /* a host of 253 characters, each as %XX, and a port */

struct host {
    char raw[RAW_MAX];
    size_t len;
    bool too_long;
    const char *why;
};

static bool fail(struct host *h, const char *why)
{
    if (!h->why) h->why = why;
    return false;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- the authority ----------------------------------------------------------------------------------------------- */

/* The next character as the URL standard sees it: tab, line feed and carriage return are not there. -1 at the end. */
static int next(struct il_str s, size_t *at)
{
    while (*at < s.len) {
        char c = s.ptr[(*at)++];
        if (c != '\t' && c != '\n' && c != '\r') return (unsigned char)c;
    }
    return -1;
}

/* Without the control characters and blanks at both ends. */
static struct il_str trim(struct il_str s)
{
    while (s.len && (unsigned char)s.ptr[0] <= ' ') s = (struct il_str){ s.ptr + 1, s.len - 1 };
    while (s.len && (unsigned char)s.ptr[s.len - 1] <= ' ') s.len--;
    return s;
}

/* The scheme in lower case and `*at` behind its colon; "" when the text has none. */
static void read_scheme(struct il_str s, size_t *at, char out[16])
{
    size_t from = 0, n = 0;
    out[0] = '\0';
    char name[16];
    for (int c = next(s, &from); c >= 0; c = next(s, &from)) {
        char l = lower((char)c);
        if (l == ':' && n > 0) {
            memcpy(out, name, n);
            out[n] = '\0';
            *at = from;
            return;
        }
        bool more = is_digit(l) || l == '+' || l == '-' || l == '.';
        if (!(l >= 'a' && l <= 'z') && !(n > 0 && more)) return;
        if (n < sizeof name - 1) name[n++] = l; /* a longer one is none of those below */
    }
}

static bool is_web(const char *scheme)
{
    static const char *const names[] = { "http", "https", "ws", "wss", "ftp" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(scheme, names[i]) == 0) return true;
    }
    return false;
}

/* From behind the scheme: slashes of either kind, then user information up to the last @, then the host. */
static void cut_authority(struct il_str s, size_t at, struct host *h)
{
    size_t here = at;
    int c = next(s, &here);
    while (c == '/' || c == '\\') c = next(s, &here);
    for (; c >= 0 && c != '/' && c != '\\' && c != '?' && c != '#'; c = next(s, &here)) {
        if (c == '@') {
            h->len = 0;
            h->too_long = false;
        } else if (h->len < RAW_MAX) {
            h->raw[h->len++] = (char)c;
        } else {
            h->too_long = true;
        }
    }
}

/* "localhost:3000" begins as a scheme does. */
static bool is_port(struct il_str s, size_t at)
{
    int c = next(s, &at);
    return c >= '0' && c <= '9';
}

/* A host that stands alone, with or without a port. */
static bool take_host(struct il_str s, struct host *h)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if ((unsigned char)c <= ' ' || c == '/' || c == '\\' || c == '?' || c == '#' || c == '@') {
            return fail(h, "it is neither a host nor an address with its scheme, such as https://example.org/");
        }
        if (h->len < RAW_MAX) h->raw[h->len++] = c;
        else h->too_long = true;
    }
    return true;
}

static bool cut_host(struct il_str text, struct host *h)
{
    struct il_str s = trim(text);
    char scheme[16];
    size_t at = 0;
    if (s.len > IL__LIMIT_RULE_TEXT_BYTES) return fail(h, "it is longer than 65536 bytes (rule_text_bytes)");
    read_scheme(s, &at, scheme);
    if (is_web(scheme)) {
        cut_authority(s, at, h);
    } else if (scheme[0] && !is_port(s, at)) {
        return fail(h, "only http, https, ws, wss and ftp addresses have a domain");
    } else if (!take_host(s, h)) {
        return false;
    }
    return !h->too_long || fail(h, "the host is longer than 253 characters");
}

/* ---- port and encoding ------------------------------------------------------------------------------------------- */

static bool cut_port(struct host *h)
{
    size_t colon = h->len;
    bool inside = false;
    for (size_t i = 0; i < h->len && colon == h->len; i++) {
        if (h->raw[i] == '[') inside = true;
        if (h->raw[i] == ']') inside = false;
        if (h->raw[i] == ':' && !inside) colon = i;
    }
    int port = 0;
    for (size_t i = colon + 1; i < h->len; i++) {
        if (!is_digit(h->raw[i])) return fail(h, "the port is no number");
        port = port * 10 + (h->raw[i] - '0');
        if (port > 65535) return fail(h, "the port is above 65535");
    }
    h->len = colon;
    return true;
}

static int hex(char c)
{
    c = lower(c);
    if (is_digit(c)) return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Once; in place. A % that is no such code stays, and is refused below. */
static void percent_decode(struct host *h)
{
    size_t to = 0;
    for (size_t i = 0; i < h->len; i++) {
        char c = h->raw[i];
        if (c == '%' && i + 2 < h->len && hex(h->raw[i + 1]) >= 0 && hex(h->raw[i + 2]) >= 0) {
            c = (char)(hex(h->raw[i + 1]) * 16 + hex(h->raw[i + 2]));
            i += 2;
        }
        h->raw[to++] = c;
    }
    h->len = to;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The forbidden domain code points of the standard, and everything past ASCII. */
static bool check_characters(struct host *h)
{
    for (size_t i = 0; i < h->len; i++) {
        unsigned char c = (unsigned char)h->raw[i];
        if (c >= 0x80) return fail(h, "the host is not ASCII; write it as browsers send it, with xn-- labels");
        if (c <= ' ' || c == 0x7f || strchr("#/:<>?@[\\]^|%", c)) {
            return fail(h, "the host has a character that no host has");
        }
        h->raw[i] = lower((char)c);
    }
    return true;
}

static bool check_labels(struct host *h)
{
    if (h->len > 0 && h->raw[h->len - 1] == '.') h->len--;
    if (h->len == 0) return fail(h, "it has no host");
    if (h->len > 253) return fail(h, "the host is longer than 253 characters");
    size_t from = 0;
    for (size_t i = 0; i <= h->len; i++) {
        if (i < h->len && h->raw[i] != '.') continue;
        struct il_str label = { h->raw + from, i - from };
        if (label.len == 0) return fail(h, "the host has an empty label");
        if (label.len > 63) return fail(h, "the host has a label longer than 63 characters");
        if (label.len >= 4 && memcmp(label.ptr, "xn--", 4) == 0 && !il__punycode_ok(label)) {
            return fail(h, "the host has an xn-- label that stands for no text");
        }
        from = i + 1;
    }
    return true;
}

static void keep(struct il__domain *out, struct il_str s, bool address)
{
    memcpy(out->text, s.ptr, s.len);
    out->text[s.len] = '\0';
    out->len = s.len;
    out->address = address;
}

static bool read_ipv6(struct host *h, struct il__domain *out)
{
    char text[IL__IP_MAX];
    struct il_str inside = { h->raw + 1, h->len < 2 ? 0 : h->len - 2 };
    if (h->len < 2 || h->raw[h->len - 1] != ']' || !il__address_v6(inside, text)) {
        return fail(h, "what stands in [ ] is no IPv6 address");
    }
    keep(out, il__str(text), true);
    return true;
}

static bool read_host(struct host *h, struct il__domain *out)
{
    char text[IL__IP_MAX];
    if (!cut_port(h)) return false;
    if (h->len && h->raw[0] == '[') return read_ipv6(h, out);
    percent_decode(h);
    if (!check_characters(h) || !check_labels(h)) return false;
    struct il_str name = { h->raw, h->len };
    if (!il__address_ends_in_number(name)) {
        keep(out, name, false);
        return true;
    }
    if (!il__address_v4(name, text)) return fail(h, "the host ends in a number and is no IPv4 address");
    keep(out, il__str(text), true);
    return true;
}

bool il__domain_read(struct il_str text, struct il__domain *out, const char **why)
{
    struct host h = { .len = 0 };
    *out = (struct il__domain){ .len = 0 };
    if (cut_host(text, &h) && read_host(&h, out)) return true;
    *why = h.why;
    return false;
}

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

/* A pattern is a host as it is written, so nothing of an address may surround it. */
static const char *read_pattern(struct il_str pattern, struct il__domain *out, bool *below)
{
    const char *why = NULL;
    *below = pattern.len >= 2 && pattern.ptr[0] == '*' && pattern.ptr[1] == '.';
    if (pattern.len > IL__LIMIT_RULE_PATTERN_BYTES) return "it is longer than 1024 bytes (rule_pattern_bytes)";
    struct il_str host = *below ? (struct il_str){ pattern.ptr + 2, pattern.len - 2 } : pattern;
    if (host.len && memchr(host.ptr, '*', host.len)) {
        return "* stands for whole labels and only in front, as in *.example.org";
    }
    for (size_t i = 0; i < host.len; i++) {
        if ((unsigned char)host.ptr[i] <= ' ' || strchr("/\\@%", host.ptr[i])) {
            return "a pattern is a host, such as example.org, or *.example.org for every host below it";
        }
    }
    bool bracket = host.len && host.ptr[0] == '[';
    if (bracket ? host.ptr[host.len - 1] != ']' : host.len && memchr(host.ptr, ':', host.len) != NULL) {
        return "a pattern has neither scheme nor port; an IPv6 address stands in [ ]";
    }
    if (!il__domain_read(host, out, &why)) return why;
    if (*below && out->address) return "no domain lies below an IP address";
    return NULL;
}

enum il__domain_match il__domain_is(struct il_str text, struct il_str pattern, const char **why)
{
    struct il__domain want, host;
    bool below;
    const char *unread;
    *why = read_pattern(pattern, &want, &below);
    if (*why) return IL__DOMAIN_PATTERN;
    if (!il__domain_read(text, &host, &unread)) return IL__DOMAIN_DIFFERS;
    struct il_str got = { host.text, host.len }, name = { want.text, want.len };
    if (!below) return il__str_eq(got, name) ? IL__DOMAIN_MATCHES : IL__DOMAIN_DIFFERS;
    if (host.address || got.len < name.len + 2 || got.ptr[got.len - name.len - 1] != '.') return IL__DOMAIN_DIFFERS;
    struct il_str tail = { got.ptr + got.len - name.len, name.len };
    return il__str_eq(tail, name) ? IL__DOMAIN_MATCHES : IL__DOMAIN_DIFFERS;
}
