/* The reader of timestamps may be fed anything. What it accepts is written back to a text that is read as the same
 * instant; what it refuses it explains, and leaves the output alone. */
#include "base/rfc3339.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct il__instant untouched = { -77, 7 };
    struct il__instant at = untouched, again = untouched;
    const char *why = NULL;
    char text[IL__RFC3339_MAX];
    if (!il__rfc3339_parse((struct il_str){ (const char *)data, size }, &at, &why)) {
        if (!why || il__instant_cmp(at, untouched) != 0) abort();
        return 0;
    }
    size_t len = il__rfc3339_format(at, text);
    if (len >= sizeof text || text[len] != 0) abort();
    /* A year before 0000 or after 9999, reached through the offset, has no text of its own. */
    if (at.sec < -62167219200 || at.sec > 253402300799) return 0;
    if (!il__rfc3339_parse((struct il_str){ text, len }, &again, NULL) || il__instant_cmp(at, again) != 0) abort();
    return 0;
}
