/* The one place where the command takes and gives back memory. Uses the C library. Must never be bypassed. */
#include "cli/mem.h"

#include <stdlib.h>

void *il__cli_resize(void *ptr, size_t size)
{
    if (size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, size);
}
