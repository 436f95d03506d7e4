/* Labels of internationalized hosts: is an `xn--` label one that browsers accept? Uses check/nfc.h. Pure. */
#ifndef IL_CHECK_PUNYCODE_H
#define IL_CHECK_PUNYCODE_H

#include "base/str.h"

/* `label`, in lower case and at most 63 characters, is "xn--" and the Punycode (RFC 3492) of a text that is not ASCII
 * and that the mapping of UTS #46 would leave as it is. */
bool il__punycode_ok(struct il_str label);

#endif
