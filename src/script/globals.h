/* The globals that scripts are offered, read from a sandbox as it is furnished: names, and what the libraries among
 * them hold. For lint and for the stubs; what is not there cannot be listed. Uses sandbox.h. */
#ifndef IL_SCRIPT_GLOBALS_H
#define IL_SCRIPT_GLOBALS_H

#include "script/sandbox.h"

struct il__global {
    struct il_str name;
    bool function;
    const struct il_str *members; /* of a library, by name */
    size_t member_count;          /* 0: no library */
};
struct il__globals { const struct il__global *items; size_t count; }; /* by name */

/* Everything lies in `arena`. out_of_memory, or what a sandbox may fail with. */
enum il_code il__globals_read(struct il__arena *arena, struct il__globals *out, struct il_error *err) IL_MUST_USE;
/* NULL: there is none of that name. */
const struct il__global *il__globals_find(const struct il__globals *globals, struct il_str name);

#endif
