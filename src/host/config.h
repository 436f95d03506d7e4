/* The configuration as the host holds it: what is decoded, with paths as seen from the file's folder. */
#ifndef IL_HOST_CONFIG_H
#define IL_HOST_CONFIG_H

#include "base/mem.h"
#include "wire/json.h"

struct il_config {
    struct il__mem mem;
    struct il__arena arena; /* every text */
    struct il_config_values values;
    struct il_host_options host; /* the members that il_config_fill sets; others 0 */
};

/* Refuses a member that no row knows, with the one that may have been meant; and one that would hold a secret. */
enum il_code il__config_known(struct il__json *doc, struct il_error *err) IL_MUST_USE;

#endif
