/* IPv4 and IPv6 in hosts (address.h). IPv6 is read by inet_pton, whose grammar is the one of RFC 4291 §2.2. */
#include "check/address.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* 0x1f, 017, 15; "0x" alone is 0. False when it is no number; past 32 bits it stays at UINT64_MAX. */
static bool read_number(struct il_str s, uint64_t *out)
{
    int base = 10;
    if (s.len == 0) return false;
    if (s.len >= 2 && s.ptr[0] == '0' && (s.ptr[1] == 'x' || s.ptr[1] == 'X')) {
        base = 16;
        s = (struct il_str){ s.ptr + 2, s.len - 2 };
    } else if (s.len >= 2 && s.ptr[0] == '0') {
        base = 8;
        s = (struct il_str){ s.ptr + 1, s.len - 1 };
    }
    uint64_t value = 0;
    for (size_t i = 0; i < s.len; i++) {
        int d = digit_of(s.ptr[i]);
        if (d >= base) return false;
        value = value > UINT32_MAX ? UINT64_MAX : value * (uint64_t)base + (uint64_t)d;
    }
    *out = value;
    return true;
}

static struct il_str last_label(struct il_str host)
{
    size_t from = host.len;
    while (from > 0 && host.ptr[from - 1] != '.') from--;
    return (struct il_str){ host.ptr + from, host.len - from };
}

bool il__address_ends_in_number(struct il_str host)
{
    if (host.len && host.ptr[host.len - 1] == '.') host.len--;
    struct il_str last = last_label(host);
    uint64_t value;
    bool digits = last.len > 0;
    for (size_t i = 0; i < last.len; i++) digits = digits && last.ptr[i] >= '0' && last.ptr[i] <= '9';
    return digits || (last.len >= 2 && (last.ptr[1] == 'x' || last.ptr[1] == 'X') && read_number(last, &value));
}

bool il__address_v4(struct il_str host, char out[IL__IP_MAX])
{
    uint64_t parts[4], address = 0;
    size_t count = 0, from = 0;
    if (host.len && host.ptr[host.len - 1] == '.') host.len--;
    for (size_t i = 0; i <= host.len; i++) {
        if (i < host.len && host.ptr[i] != '.') continue;
        if (count == 4 || !read_number((struct il_str){ host.ptr + from, i - from }, &parts[count])) return false;
        count++;
        from = i + 1;
    }
    for (size_t i = 0; i + 1 < count; i++) {
        if (parts[i] > 255) return false;
        address |= parts[i] << (8 * (3 - i));
    }
    if (parts[count - 1] >= UINT64_C(1) << (8 * (5 - count))) return false;
    address |= parts[count - 1];
    snprintf(out, IL__IP_MAX, "%u.%u.%u.%u", (unsigned)(address >> 24), (unsigned)(address >> 16 & 255),
             (unsigned)(address >> 8 & 255), (unsigned)(address & 255));
    return true;
}

/* Where the longest run of two or more zero groups is, RFC 5952 §4.2; `*run` is its length, 0 for none. */
static int longest_zeros(const unsigned group[8], int *run)
{
    int best = 8;
    *run = 1;
    for (int i = 0; i < 8; i++) {
        int n = 0;
        while (i + n < 8 && group[i + n] == 0) n++;
        if (n <= *run) continue;
        best = i;
        *run = n;
    }
    if (best == 8) *run = 0;
    return best;
}

bool il__address_v6(struct il_str text, char out[IL__IP_MAX])
{
    char z[IL__IP_MAX];
    struct in6_addr a;
    if (text.len >= sizeof z || memchr(text.ptr, '\0', text.len)) return false;
    memcpy(z, text.ptr, text.len);
    z[text.len] = '\0';
    if (inet_pton(AF_INET6, z, &a) != 1) return false;
    if (IN6_IS_ADDR_V4MAPPED(&a)) {
        const uint8_t *b = a.s6_addr + 12;
        snprintf(out, IL__IP_MAX, "%u.%u.%u.%u", b[0], b[1], b[2], b[3]);
        return true;
    }
    unsigned group[8];
    int run, zeros;
    for (int i = 0; i < 8; i++) group[i] = (unsigned)a.s6_addr[2 * i] << 8 | a.s6_addr[2 * i + 1];
    zeros = longest_zeros(group, &run);
    size_t len = (size_t)snprintf(out, IL__IP_MAX, "[");
    for (int i = 0; i < 8; i++) {
        if (i == zeros) {
            len += (size_t)snprintf(out + len, IL__IP_MAX - len, "::");
            i += run - 1;
            continue;
        }
        const char *colon = i > 0 && i != zeros + run ? ":" : "";
        len += (size_t)snprintf(out + len, IL__IP_MAX - len, "%s%x", colon, group[i]);
    }
    snprintf(out + len, IL__IP_MAX - len, "]");
    return true;
}
