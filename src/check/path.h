/* Paths of files as one canonical text each, from the text alone: no file system is asked, so links are not followed
 * and `..` is taken back by text. POSIX paths keep their case; Windows paths (a drive or a share) are written with `/`
 * and in lower case; both are NFC. Pure. Must never guess: where the text alone does not decide which file is meant,
 * there is no path. */
#ifndef IL_CHECK_PATH_H
#define IL_CHECK_PATH_H

#include "base/limits.h"
#include "base/str.h"

struct il__path {
    char text[IL__LIMIT_RULE_PATH_BYTES + 1]; /* "/home/ana", "c:/users/ana", "\\server/share/ana"; NUL-terminated */
    size_t len;
    size_t root; /* bytes of "/", "c:/" or "\\server/share" */
};

/* `text` is an absolute path or a file: URL. False: `*why` is a static text that says why it cannot be read. */
bool il__path_read(struct il_str text, struct il__path *out, const char **why);
/* Is `path` the folder itself, or below it by whole segments? */
bool il__path_under(const struct il__path *path, const struct il__path *folder);

#endif
