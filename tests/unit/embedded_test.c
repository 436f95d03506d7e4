/* The Lua files inside the binary are those below lua/, byte for byte. */
#include "script/embedded.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    const struct il__embedded *file = il__embedded_files;
    for (; file->name; file++) {
        char path[512];
        size_t len;
        snprintf(path, sizeof path, "lua/%s", file->name);
        char *bytes = tap_slurp(path, &len);
        tap_ok(len == file->len && memcmp(bytes, file->bytes, len) == 0, "%s is inside the binary as it is", path);
        tap_ok(file->bytes[file->len] == 0, "%s ends with a NUL behind its length", path);
        free(bytes);
    }
    tap_ok(file->bytes == NULL && file->len == 0, "the list of files ends with an empty entry");
    return tap_done();
}
