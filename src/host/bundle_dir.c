/* Directories and files as bundles (bundle_dir.h). Opens relative to the directory's own descriptor with O_NOFOLLOW, so
 * that what was listed is what is read. Must never follow a link. */
#include "host/bundle_dir.h"

#include "base/error.h"
#include "base/limits.h"
#include "host/bundle_pack.h"
#include "host/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 256, DEPTH_MAX = 4, FILES_MAX = IL__LIMIT_BUNDLE_FILES * 2 }; /* tests and pages lie beside */

struct reader {
    struct il__bundle_dir *dir;
    const char *root;  /* as the user wrote it, for messages */
    size_t bytes;
    struct il_error *err;
};

static enum il_code refuse(const struct reader *r, const char *path, const char *why)
{
    char shown[PATH_BYTES], place[PATH_BYTES + 170];
    il__escape(shown, sizeof shown, il__str(path));
    snprintf(place, sizeof place, "%s/%s", r->root, shown);
    return il__fail_at(r->err, IL_INVALID_REQUEST, "policy bundle", place, "%s", why);
}

static enum il_code read_bytes(struct reader *r, int fd, const char *path, size_t size, struct il_str *out)
{
    char *bytes = il__arena_alloc(&r->dir->arena, size + 1);
    if (!bytes) return il__fail(r->err, IL_OUT_OF_MEMORY, "no memory for a policy file");
    size_t got = 0;
    while (got <= size) {
        ssize_t n = read(fd, bytes + got, size + 1 - got);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return refuse(r, path, "it cannot be read");
        if (n == 0) break;
        got += (size_t)n;
    }
    if (got > size) return refuse(r, path, "it grew while it was read");
    *out = (struct il_str){ bytes, got };
    return IL_OK;
}

static enum il_code read_file(struct reader *r, int at, const char *name, const char *path, size_t size)
{
    struct il_str bytes = IL_STR_NONE;
    if (size > (size_t)IL__LIMIT_BUNDLE_BYTES - r->bytes)
        return il__fail_at(r->err, IL_LIMIT_EXCEEDED, "policy bundle", "bundle_bytes",
                           "%s: the files of a bundle have at most %d bytes together", r->root, IL__LIMIT_BUNDLE_BYTES);
    if (r->dir->count >= FILES_MAX)
        return il__fail_at(r->err, IL_LIMIT_EXCEEDED, "policy bundle", "bundle_files",
                           "%s: at most %d files lie in a bundle", r->root, FILES_MAX);
    int fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return refuse(r, path, "it cannot be opened");
    enum il_code code = read_bytes(r, fd, path, size, &bytes);
    close(fd);
    if (code) return code;
    struct il_file *file = &r->dir->files[r->dir->count];
    if (il__arena_str(&r->dir->arena, il__str(path), &file->path))
        return il__fail(r->err, IL_OUT_OF_MEMORY, "no memory for a policy file");
    file->bytes = bytes;
    r->bytes += bytes.len;
    r->dir->count++;
    return IL_OK;
}

static enum il_code read_dir(struct reader *r, int fd, const char *prefix, int depth);

static enum il_code read_entry(struct reader *r, int at, const char *name, const char *prefix, int depth)
{
    struct stat st;
    char path[PATH_BYTES];
    size_t before = strlen(prefix), len = strlen(name);
    if (before + len + 2 > sizeof path) return refuse(r, name, "its path is too long");
    memcpy(path, prefix, before);
    memcpy(path + before, name, len + 1);
    if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW)) return refuse(r, path, "it cannot be looked at");
    if (S_ISREG(st.st_mode)) return read_file(r, at, name, path, (size_t)st.st_size);
    if (!S_ISDIR(st.st_mode)) return refuse(r, path, "a bundle holds regular files only, no links");
    if (depth >= DEPTH_MAX) return refuse(r, path, "folders are nested too deeply");
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return refuse(r, path, "it cannot be opened");
    path[before + len] = '/';
    path[before + len + 1] = '\0';
    return read_dir(r, fd, path, depth + 1);
}

/* Depth is bounded by DEPTH_MAX. Closes `fd`. */
static enum il_code read_dir(struct reader *r, int fd, const char *prefix, int depth)
{
    enum il_code code = IL_OK;
    DIR *stream = fdopendir(fd);
    if (!stream) {
        close(fd);
        return refuse(r, prefix, "it cannot be listed");
    }
    for (const struct dirent *entry; !code && (entry = readdir(stream));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        code = read_entry(r, dirfd(stream), entry->d_name, prefix, depth);
    }
    closedir(stream);
    return code;
}

static void sort_files(struct il__bundle_dir *dir)
{
    for (size_t i = 1; i < dir->count; i++) {
        struct il_file file = dir->files[i];
        size_t at = i;
        for (; at && il__str_cmp(dir->files[at - 1].path, file.path) > 0; at--) dir->files[at] = dir->files[at - 1];
        dir->files[at] = file;
    }
}

enum il_code il__bundle_dir_read(struct il__mem *mem, struct il_str path, struct il__bundle_dir *dir,
                                 struct il_error *err)
{
    char root[PATH_BYTES * 4], shown[160];
    *dir = (struct il__bundle_dir){ .mem = mem };
    il__arena_init(&dir->arena, mem);
    il__escape(shown, sizeof shown, path);
    if (!path.len || path.len >= sizeof root || memchr(path.ptr, 0, path.len))
        return il__fail_at(err, IL_INVALID_REQUEST, "policy bundle", "path", "\"%s\" is not the path of a folder",
                           shown);
    memcpy(root, path.ptr, path.len);
    root[path.len] = '\0';
    struct reader r = { dir, shown, 0, err };
    dir->files = il__arena_alloc(&dir->arena, FILES_MAX * sizeof *dir->files);
    if (!dir->files) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a policy bundle");
    int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    enum il_code code = fd < 0 ? il__fail_at(err, IL_INVALID_REQUEST, "policy bundle", "path",
                                             "%s is missing, unreadable or not a folder", shown)
                               : read_dir(&r, fd, "", 0);
    if (!code && !dir->count)
        code = il__fail_at(err, IL_INVALID_REQUEST, "policy bundle", "path", "%s is empty; a bundle has a bundle.json",
                           shown);
    if (code) il__bundle_dir_clear(dir);
    else sort_files(dir);
    return code;
}

static bool is_file(struct il_str path)
{
    char name[PATH_BYTES * 4];
    struct stat st;
    if (!path.len || path.len >= sizeof name || memchr(path.ptr, 0, path.len)) return false;
    memcpy(name, path.ptr, path.len);
    name[path.len] = '\0';
    return stat(name, &st) == 0 && S_ISREG(st.st_mode);
}

enum il_code il__bundle_path_read(struct il__mem *mem, struct il_str path, struct il__bundle_dir *dir,
                                  struct il_error *err)
{
    struct il__buf text;
    char shown[160];
    if (!is_file(path)) return il__bundle_dir_read(mem, path, dir, err);
    il__escape(shown, sizeof shown, path);
    *dir = (struct il__bundle_dir){ .mem = mem };
    il__arena_init(&dir->arena, mem);
    il__buf_init(&text, mem, 0);
    enum il_code code = il__file_read(path, IL__LIMIT_BUNDLE_PACKED_BYTES, &text, err);
    if (!code) code = il__bundle_unpack(mem, il__buf_get(&text), shown, dir, err);
    il__buf_clear(&text);
    return code;
}

void il__bundle_dir_clear(struct il__bundle_dir *dir)
{
    il__arena_clear(&dir->arena);
    dir->files = NULL;
    dir->count = 0;
}
