/* Writing files (put.h). */
#include "cli/put.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int write_all(int fd, struct il_str text)
{
    for (size_t at = 0; at < text.len;) {
        ssize_t n = write(fd, text.ptr + at, text.len - at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : ENOSPC;
        at += (size_t)n;
    }
    return 0;
}

/* The whole file, on the disk; on failure nothing is left. */
static int write_file(const char *path, struct il_str text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0644);
    if (fd < 0) return errno;
    int why = write_all(fd, text);
    if (why == 0 && fsync(fd) != 0 && errno != EINVAL && errno != EROFS) why = errno;
    if (close(fd) != 0 && why == 0) why = errno;
    if (why != 0) (void)unlink(path);
    return why;
}

int il__put_new(const char *path, struct il_str text)
{
    return write_file(path, text);
}

int il__put_over(const char *path, struct il_str text)
{
    struct il__text beside = IL__TEXT_INIT;
    il__text_printf(&beside, "%s.%ld.new", path, (long)getpid());
    int why = beside.failed ? ENOMEM : write_file(beside.ptr, text);
    if (why == 0 && rename(beside.ptr, path) != 0) {
        why = errno;
        (void)unlink(beside.ptr);
    }
    il__text_clear(&beside);
    return why;
}
