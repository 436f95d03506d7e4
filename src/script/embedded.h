/* The Lua files of this project, inside the binary: made at build time from everything below lua/.
 * Must never be written to. */
#ifndef IL_SCRIPT_EMBEDDED_H
#define IL_SCRIPT_EMBEDDED_H

#include <stddef.h>

/* `name` is the path below lua/, such as "workflows/reference.lua"; `bytes` holds `len` bytes and a NUL behind them. */
struct il__embedded {
    const char *name;
    const char *bytes;
    size_t len;
};

/* Sorted by name; the last entry's name is NULL. */
extern const struct il__embedded il__embedded_files[];

#endif
