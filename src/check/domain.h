/* The host of an address as a browser would go to it: the WHATWG URL standard's reading of http, https, ws, wss and ftp
 * addresses, for ASCII hosts, in one canonical text (lower case, no dot at the end, IPv4 as four decimals, IPv6 in
 * brackets as RFC 5952, an IPv4 address in IPv6 clothes as IPv4). Pure. Must never guess: a text that needs tables of
 * characters to be read, or that browsers refuse, has no domain. */
#ifndef IL_CHECK_DOMAIN_H
#define IL_CHECK_DOMAIN_H

#include "base/str.h"

enum { IL__DOMAIN_MAX = 256 };

struct il__domain {
    char text[IL__DOMAIN_MAX]; /* NUL-terminated */
    size_t len;
    bool address; /* an IP address: no domain lies below or above it */
};

/* `text` is a host with or without a port, or a URL. False: `*why` is a static text that says why it cannot be read. */
bool il__domain_read(struct il_str text, struct il__domain *out, const char **why);

enum il__domain_match { IL__DOMAIN_DIFFERS, IL__DOMAIN_MATCHES, IL__DOMAIN_PATTERN };
/* Pattern `example.org` is that host, `*.example.org` every host below it, at any depth, without itself. A text that
 * cannot be read matches nothing. PATTERN: the pattern is none, and `*why` says why. */
enum il__domain_match il__domain_is(struct il_str text, struct il_str pattern, const char **why);

#endif
