/* The command's only allocator. What it holds is bounded by its callers: texts by IL__CLI_TEXT_BYTES, searches by
 * IL__CLI_FOUND_FILES. */
#ifndef IL_CLI_MEM_H
#define IL_CLI_MEM_H

#include <stddef.h>

/* Resizes `ptr` (NULL: a new block) to `size`; 0 frees and returns NULL. NULL for a growth: no memory, and the old
 * block stays. */
void *il__cli_resize(void *ptr, size_t size);

#endif
