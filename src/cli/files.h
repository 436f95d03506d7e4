/* Bounded reading of files and standard input, and the search for scenario files.
 * Uses POSIX calls. Must never write a file. */
#ifndef IL_CLI_FILES_H
#define IL_CLI_FILES_H

#include "cli/output.h"

#include <stdio.h>

/* Reads a whole file ("-": standard input) of at most IL__CLI_FILE_BYTES behind what `out` holds.
 * 0, or the exit status with `why` filled: 2 when it cannot be opened or read, 65 when it is too large. */
int il__file_read(const char *path, struct il__text *out, char *why, size_t why_size);

/* The same for a file that the user named: says on stderr what was wrong. Standard input can be read once. */
int il__io_read(struct il__io *io, const char *path, struct il__text *out);

struct il__found {
    struct il__text names;  /* NUL-terminated paths, one behind the other */
    const char **paths;     /* sorted by their bytes, each once */
    size_t count;
};
/* Finds the files for `paths`: a file stands for itself, a directory for every file below it whose name ends in
 * `suffix`. Links to directories are not followed. 0, or 2 with `why` filled. */
int il__files_find(const char *const *paths, size_t count, const char *suffix, struct il__found *out, char *why,
                   size_t why_size);
void il__files_clear(struct il__found *found);

#endif
