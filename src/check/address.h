/* IP addresses as the URL standard reads them in a host: IPv4 of one to four numbers, decimal, octal (0...) or
 * hexadecimal (0x...), and IPv6. Written in one canonical form each. Pure. */
#ifndef IL_CHECK_ADDRESS_H
#define IL_CHECK_ADDRESS_H

#include "base/str.h"

enum { IL__IP_MAX = 48 };

/* Is the last label (a dot at the very end aside) a number, so that the host is an IPv4 address or nothing? */
bool il__address_ends_in_number(struct il_str host);
/* "127.0.0.1"; false when it is none. */
bool il__address_v4(struct il_str host, char out[IL__IP_MAX]);
/* Of what stands in the brackets: "[2001:db8::1]", or "127.0.0.1" for ::ffff:127.0.0.1. */
bool il__address_v6(struct il_str text, char out[IL__IP_MAX]);

#endif
