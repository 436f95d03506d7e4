/* Which files may be a store: path, kind, permissions, file system, header. Files are looked at by name and through
 * SQLite alone: closing any other descriptor of the file would give back the locks of this process's other stores. */
#include "store/sqlite_inside.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

static enum il_code bad(struct il__sqlite *s, struct il_error *err, const char *what)
{
    return il__fail_at(err, IL_STORE, "store", "", "%s %s", s->shown, what);
}

static enum il_code bad_errno(struct il__sqlite *s, struct il_error *err, const char *what)
{
    const char *why = strerrordesc_np(errno);
    return il__fail_at(err, IL_STORE, "store", "", "%s %s: %s", s->shown, what, why ? why : "unknown error");
}

/* The folder resolved and the name as given, so that every process finds the same owner files beside it. */
static enum il_code resolve(struct il__sqlite *s, struct il_str path, struct il_error *err)
{
    char given[IL__STORE_PATH_MAX], folder[PATH_MAX];
    il__escape(s->shown, sizeof s->shown, path);
    if (!path.len || path.len > sizeof given - 128 || memchr(path.ptr, 0, path.len))
        return il__fail_at(err, IL_STORE, "store", "path", "\"%s\" is not the path of a file", s->shown);
    memcpy(given, path.ptr, path.len);
    given[path.len] = '\0';
    char *slash = strrchr(given, '/');
    const char *name = slash ? slash + 1 : given;
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return bad(s, err, "is a directory, not a file");
    const char *at = slash == given ? "/" : ".";
    if (slash && slash != given) {
        *slash = '\0';
        at = given;
    }
    if (!realpath(at, folder)) return bad_errno(s, err, "cannot be reached");
    size_t head = strlen(folder), tail = strlen(name);
    if (head + tail + 128 > sizeof s->path) return bad(s, err, "has too long a path");
    memcpy(s->path, folder, head);
    if (head != 1) s->path[head++] = '/';
    memcpy(s->path + head, name, tail + 1);
    return IL_OK;
}

/* Locks of network file systems cannot be relied on. Numbers of linux/magic.h and the kernel's file systems. */
static const char *network(const char *path)
{
    static const struct {
        unsigned long magic;
        const char *name;
    } known[] = { { 0x6969, "NFS" },        { 0x517b, "SMB" },         { 0xff534d42, "CIFS" },
                  { 0xfe534d42, "SMB2" },   { 0x65735546, "FUSE" },    { 0x564c, "NCP" },
                  { 0x5346414f, "AFS" },    { 0x6b414653, "AFS" },     { 0x73757245, "Coda" },
                  { 0x01021997, "9P" },     { 0x00c36400, "Ceph" },    { 0x01161970, "GFS2" },
                  { 0x7461636f, "OCFS2" },  { 0x0bd00bd0, "Lustre" },  { 0x47504653, "GPFS" },
                  { 0xaad7aaea, "PanFS" },  { 0x19830326, "FhGFS" },   { 0x786f4256, "VBOXSF" },
                  { 0xbacbacbc, "VMHGFS" }, { 0x20030528, "OrangeFS" } };
    struct statfs fs;
    if (statfs(path, &fs)) return NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (((unsigned long)fs.f_type & 0xffffffffUL) == known[i].magic) return known[i].name;
    }
    return NULL;
}

static void folder_of(const struct il__sqlite *s, char folder[IL__STORE_PATH_MAX])
{
    memcpy(folder, s->path, IL__STORE_PATH_MAX);
    char *slash = strrchr(folder, '/');
    slash[slash == folder] = '\0';
}

static enum il_code check_place(struct il__sqlite *s, struct il_error *err)
{
    char folder[IL__STORE_PATH_MAX];
    folder_of(s, folder);
    const char *name = network(folder);
    struct stat st;
    if (!name && lstat(s->path, &st) == 0) name = network(s->path);
    if (!name) return IL_OK;
    return il__fail_at(err, IL_STORE, "store", "",
                       "%s is on a network file system (%s), whose locks cannot be relied on", s->shown, name);
}

/* 0600 from its first moment, whatever the umask says. */
static enum il_code make(struct il__sqlite *s, struct il_error *err)
{
    int fd = open(s->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 && errno == EEXIST) return IL_OK; /* another process was faster */
    if (fd < 0) return bad_errno(s, err, "cannot be made");
    int rc = fchmod(fd, 0600);
    close(fd);
    return rc ? bad_errno(s, err, "cannot be made") : IL_OK;
}

static enum il_code check_kind(struct il__sqlite *s, const struct stat *st, struct il_error *err)
{
    if (S_ISDIR(st->st_mode)) return bad(s, err, "is a directory, not a file");
    if (S_ISLNK(st->st_mode))
        return bad(s, err, "is a symbolic link: name the file itself, so that its locks are found");
    if (!S_ISREG(st->st_mode)) return bad(s, err, "is not a regular file");
    if (st->st_nlink != 1) return bad(s, err, "has a second name (a hard link), under which its locks are not found");
    if (st->st_mode & 077)
        return bad(s, err,
                   "is open to others than its owner: chmod 600 it, after you made sure that nobody changed it");
    return IL_OK;
}

/* The files that SQLite keeps beside it, too. */
static enum il_code check_beside(struct il__sqlite *s, struct il_error *err)
{
    static const char *const ends[] = { "-wal", "-shm", "-journal" };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char path[IL__STORE_PATH_MAX + 16];
        struct stat st;
        size_t len = strlen(s->path);
        memcpy(path, s->path, len);
        memcpy(path + len, ends[i], strlen(ends[i]) + 1);
        if (lstat(path, &st)) continue;
        if (S_ISREG(st.st_mode) && !(st.st_mode & 077)) continue;
        return il__fail_at(err, IL_STORE, "store", "", "%s%s is not a file of its owner alone: chmod 600 it",
                           s->shown, ends[i]);
    }
    return IL_OK;
}

enum il_code il__sqlite_file(struct il__sqlite *s, const struct il__sqlite_options *options, struct il_error *err)
{
    struct stat st;
    enum il_code code = resolve(s, options->path, err);
    if (!code) code = check_place(s, err);
    if (code) return code;
    bool there = lstat(s->path, &st) == 0;
    if (!there && errno != ENOENT) return bad_errno(s, err, "cannot be reached");
    if (!there && (!options->create || options->read_only)) return bad(s, err, "is missing");
    if (!there) {
        if ((code = make(s, err))) return code;
        if (lstat(s->path, &st)) return bad_errno(s, err, "cannot be reached");
    }
    if ((code = check_kind(s, &st, err)) || (code = check_beside(s, err))) return code;
    if (faccessat(AT_FDCWD, s->path, R_OK, AT_EACCESS)) return bad_errno(s, err, "cannot be read");
    if (!s->read_only && faccessat(AT_FDCWD, s->path, W_OK, AT_EACCESS)) return bad_errno(s, err, "cannot be written");
    return IL_OK;
}

static bool has_log(const struct il__sqlite *s)
{
    char path[IL__STORE_PATH_MAX + 16];
    struct stat st;
    size_t len = strlen(s->path);
    memcpy(path, s->path, len);
    memcpy(path + len, "-wal", 5);
    return lstat(path, &st) == 0 && st.st_size != 0;
}

bool il__sqlite_still(const struct il__sqlite *s)
{
    char path[IL__STORE_PATH_MAX];
    folder_of(s, path);
    return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0 && !has_log(s);
}

static uint32_t big_endian(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* The application's number lies at 68, the version at 60 (SQLite's file format, 1.3). Both are in the main file before
 * the log is used. */
enum il_code il__sqlite_header(struct il__sqlite *s, bool create, bool *empty, struct il_error *err)
{
    unsigned char head[100];
    sqlite3_file *file = NULL;
    sqlite3_int64 size = 0;
    int rc = sqlite3_file_control(s->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (!rc && (!file || !file->pMethods)) rc = SQLITE_CANTOPEN;
    if (!rc) rc = file->pMethods->xFileSize(file, &size);
    if (rc) return il__sqlite_fail(s, rc, "reading its head", err);
    *empty = size == 0;
    if (*empty) return create ? IL_OK : bad(s, err, "is empty, not a store");
    if (size < (sqlite3_int64)sizeof head) return bad(s, err, "is not a store");
    if ((rc = file->pMethods->xRead(file, head, sizeof head, 0)))
        return il__sqlite_fail(s, rc, "reading its head", err);
    if (memcmp(head, "SQLite format 3", 16) != 0) return bad(s, err, "is not a store");
    if (big_endian(head + 68) != IL__STORE_APPLICATION)
        return bad(s, err, "is another application's file, not a store");
    if (big_endian(head + 60) > il__sqlite_step_count)
        return il__fail_at(err, IL_STORE, "store", "",
                           "%s was made by a newer version: its format is %u, this version reads up to %zu", s->shown,
                           (unsigned)big_endian(head + 60), il__sqlite_step_count);
    /* SQLite misses whole pages, and takes part of one for a page; with a log, that part will be written again. */
    int64_t page = head[16] << 8 | head[17];
    if (size % (page == 1 ? 65536 : page ? page : 1) && !has_log(s))
        return il__sqlite_damaged(s, "it was cut short", err);
    return IL_OK;
}
