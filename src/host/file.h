/* Bounded reading of regular files, for what scenario files and hosts name. */
#ifndef IL_HOST_FILE_H
#define IL_HOST_FILE_H

#include "base/buf.h"

/* Appends the whole file. Errors name the path: invalid_request (missing, unreadable, no regular file), limit_exceeded.
 */
enum il_code il__file_read(struct il_str path, size_t limit_bytes, struct il__buf *out,
                           struct il_error *err) IL_MUST_USE;
/* `name` as seen from the folder that `file` lies in, appended to `out`: absolute names as they are. */
void il__file_beside(struct il_str file, struct il_str name, struct il__buf *out);

#endif
