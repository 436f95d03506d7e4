/* Writing files: a new one, which must not exist, or one in place of another, in one step. Uses POSIX calls.
 * Must never leave half of a file under the name that was asked for. */
#ifndef IL_CLI_PUT_H
#define IL_CLI_PUT_H

#include "cli/text.h"

/* Creates `path`; 0, or an errno: EEXIST when something is there, a dangling link included. */
int il__put_new(const char *path, struct il_str text);
/* Writes beside `path`, waits for the disk, and renames; 0, or an errno. What was there before stays until then. */
int il__put_over(const char *path, struct il_str text);

#endif
