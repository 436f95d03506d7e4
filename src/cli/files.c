/* Files and folders for the command: everything read is bounded, everything refused says why.
 * Uses POSIX open, read and readdir. Must never follow a link into a folder, nor write. */
#include "cli/files.h"

#include "cli/limits.h"
#include "cli/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *shown(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

static int fail(char *why, size_t why_size, const char *what, const char *path, const char *reason)
{
    struct il__text text = IL__TEXT_INIT;
    il__text_escaped(&text, il__text_of(path));
    snprintf(why, why_size, "cannot %s %s: %s", what, text.ptr ? text.ptr : "", reason);
    il__text_clear(&text);
    return 2;
}

/* Reads until the end or one byte more than the limit. */
static int read_all(int fd, const char *path, struct il__text *out, char *why, size_t why_size)
{
    size_t total = 0;
    for (;;) {
        char *to = il__text_reserve(out, 65536);
        if (!to) return fail(why, why_size, "read", shown(path), "out of memory"), 8;
        ssize_t got = read(fd, to, 65536);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail(why, why_size, "read", shown(path), strerror(errno));
        if (got == 0) break;
        out->len += (size_t)got;
        total += (size_t)got;
        if (total > (size_t)IL__CLI_FILE_BYTES) {
            fail(why, why_size, "read", shown(path), "it is larger than 16 MiB (16777216 bytes)");
            return 65;
        }
    }
    il__text_add(out, "", 0);
    return 0;
}

int il__file_read(const char *path, struct il__text *out, char *why, size_t why_size)
{
    if (strcmp(path, "-") == 0) return read_all(STDIN_FILENO, path, out, why, why_size);
    if (path[0] == '\0') return fail(why, why_size, "read", "''", "the name is empty");
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return fail(why, why_size, "read", path, strerror(errno));
    struct stat st;
    int status;
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) status = fail(why, why_size, "read", path, "it is a folder");
    else status = read_all(fd, path, out, why, why_size);
    close(fd);
    return status;
}

int il__io_read(struct il__io *io, const char *path, struct il__text *out)
{
    char why[512];
    if (strcmp(path, "-") == 0 && io->stdin_taken) {
        il__io_error(io, "standard input ('-') can be read once; name a file");
        return 2;
    }
    if (strcmp(path, "-") == 0) io->stdin_taken = true;
    int status = il__file_read(path, out, why, sizeof why);
    if (status != 0) il__io_error(io, "%s", why);
    return status;
}

/* ---- search ---- */

/* What a search has met so far: entries in the order met, each at an offset of `found->names`. */
struct search {
    struct il__found *found;
    const char *suffix;
    struct entry {
        size_t at;
        int depth;
        bool folder, named; /* named: given by the user, taken whatever its name */
    } *entries;
    size_t count;
    char *why;
    size_t why_size;
};

static int meet(struct search *search, const char *folder, const char *name, struct entry entry)
{
    if (search->count == (size_t)IL__CLI_FOUND_FILES) {
        snprintf(search->why, search->why_size, "found more than %d files and folders; name fewer",
                 (int)IL__CLI_FOUND_FILES);
        return 2;
    }
    entry.at = search->found->names.len;
    if (folder) {
        size_t len = strlen(folder);
        il__text_add(&search->found->names, folder, len);
        if (len && folder[len - 1] != '/') il__text_puts(&search->found->names, "/");
    }
    il__text_add(&search->found->names, name, strlen(name) + 1);
    search->entries[search->count++] = entry;
    if (!search->found->names.failed) return 0;
    snprintf(search->why, search->why_size, "out of memory");
    return 8;
}

static bool ends_with(const char *name, const char *suffix)
{
    size_t len = strlen(name), tail = strlen(suffix);
    return len > tail && strcmp(name + len - tail, suffix) == 0;
}

static int enter(struct search *search, const char *path, int depth)
{
    DIR *dir = opendir(path);
    if (!dir) return fail(search->why, search->why_size, "open folder", path, strerror(errno));
    int status = 0;
    /* cppcheck-suppress readdirCalled ; the stream is this function's own */
    for (struct dirent *item; status == 0 && (item = readdir(dir)) != NULL;) {
        struct stat st;
        if (item->d_name[0] == '.') continue;
        if (fstatat(dirfd(dir), item->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) continue;
        bool folder = S_ISDIR(st.st_mode);
        if (!folder && !(S_ISREG(st.st_mode) && ends_with(item->d_name, search->suffix))) continue;
        if (folder && depth == IL__CLI_FOUND_DEPTH) {
            status = fail(search->why, search->why_size, "search", path, "folders are nested deeper than 16 levels");
            break;
        }
        status = meet(search, path, item->d_name, (struct entry){ 0, depth + 1, folder, false });
    }
    closedir(dir);
    return status;
}

static int meet_named(struct search *search, const char *path)
{
    struct stat st;
    if (strcmp(path, "-") == 0) return meet(search, NULL, path, (struct entry){ 0, 0, false, true });
    if (stat(path, &st) != 0) return fail(search->why, search->why_size, "read", path, strerror(errno));
    return meet(search, NULL, path, (struct entry){ 0, 0, S_ISDIR(st.st_mode), true });
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The files among the entries, sorted, each once. */
static int collect(struct search *search)
{
    struct il__found *found = search->found;
    found->paths = il__cli_resize(NULL, (search->count + 1) * sizeof *found->paths);
    if (!found->paths) {
        snprintf(search->why, search->why_size, "out of memory");
        return 8;
    }
    size_t all = 0;
    for (size_t i = 0; i < search->count; i++)
        if (!search->entries[i].folder) found->paths[all++] = found->names.ptr + search->entries[i].at;
    if (all) qsort(found->paths, all, sizeof *found->paths, by_bytes);
    for (size_t i = 0; i < all; i++)
        if (found->count == 0 || strcmp(found->paths[found->count - 1], found->paths[i]) != 0)
            found->paths[found->count++] = found->paths[i];
    return 0;
}

int il__files_find(const char *const *paths, size_t count, const char *suffix, struct il__found *out, char *why,
                   size_t why_size)
{
    *out = (struct il__found){ IL__TEXT_INIT, NULL, 0 };
    struct search search = { out, suffix, NULL, 0, why, why_size };
    int status = 0;
    search.entries = il__cli_resize(NULL, (size_t)IL__CLI_FOUND_FILES * sizeof *search.entries);
    if (!search.entries) {
        snprintf(why, why_size, "out of memory");
        return 8;
    }
    for (size_t i = 0; status == 0 && i < count; i++) status = meet_named(&search, paths[i]);
    for (size_t i = 0; status == 0 && i < search.count; i++) {
        if (!search.entries[i].folder) continue;
        char path[4096];
        int len = snprintf(path, sizeof path, "%s", out->names.ptr + search.entries[i].at);
        if (len < 0 || (size_t)len >= sizeof path) status = fail(why, why_size, "open folder", path, "name too long");
        else status = enter(&search, path, search.entries[i].depth);
    }
    if (status == 0) status = collect(&search);
    il__cli_resize(search.entries, 0);
    if (status != 0) il__files_clear(out);
    return status;
}

void il__files_clear(struct il__found *found)
{
    il__cli_resize(found->paths, 0);
    il__text_clear(&found->names);
    *found = (struct il__found){ IL__TEXT_INIT, NULL, 0 };
}
