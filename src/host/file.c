/* Bounded reading of files (file.h). Must never read more than its limit. */
#include "host/file.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static enum il_code read_all(int fd, const char *shown, size_t limit, struct il__buf *out, struct il_error *err)
{
    struct stat st;
    size_t got = 0;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode))
        return il__fail_at(err, IL_INVALID_REQUEST, "file", shown, "%s is not a regular file", shown);
    for (;;) {
        char *at = il__buf_reserve(out, 65536);
        if (!at) return il__buf_check(out, err);
        ssize_t n = read(fd, at, 65536);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return il__fail_at(err, IL_INVALID_REQUEST, "file", shown, "%s cannot be read", shown);
        if (n == 0) return IL_OK;
        il__buf_commit(out, (size_t)n);
        got += (size_t)n;
        if (got > limit)
            return il__fail_at(err, IL_LIMIT_EXCEEDED, "file", shown, "%s has more than %zu bytes", shown, limit);
    }
}

enum il_code il__file_read(struct il_str path, size_t limit, struct il__buf *out, struct il_error *err)
{
    char name[PATH_BYTES], shown[160];
    il__escape(shown, sizeof shown, path);
    if (!path.len || path.len >= sizeof name || memchr(path.ptr, 0, path.len))
        return il__fail_at(err, IL_INVALID_REQUEST, "file", "path", "\"%s\" is not the path of a file", shown);
    memcpy(name, path.ptr, path.len);
    name[path.len] = '\0';
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return il__fail_at(err, IL_INVALID_REQUEST, "file", shown, "%s is missing or cannot be opened", shown);
    enum il_code code = read_all(fd, shown, limit, out, err);
    close(fd);
    return code;
}

void il__file_beside(struct il_str file, struct il_str name, struct il__buf *out)
{
    size_t folder = file.len;
    while (folder && file.ptr[folder - 1] != '/') folder--;
    if (!(name.len && name.ptr[0] == '/')) il__buf_add(out, file.ptr, folder);
    il__buf_str(out, name);
}
