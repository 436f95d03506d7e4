/* Who owns a run. Each open store that owns runs holds a write lock of its open file description on a file of its own,
 * FILE.owners/ID, from before its first run until it is closed; the kernel gives the lock back when the process dies,
 * and never because it is slow or stopped. So: who gets the lock of an owner knows that it is gone. A file is removed
 * only while its lock is held and no run that has not ended refers to it; hence a missing file, too, says that its
 * owner is gone. Claims, sweeps and removals happen inside a write transaction, so that no two of them meet. */
#include "store/sqlite_inside.h"

#include "base/error.h"
#include "base/limits.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OWNER_PATH = IL__STORE_PATH_MAX + 48 };

static const char FOLDER[] = ".owners";

static void folder_path(const struct il__sqlite *s, char out[OWNER_PATH])
{
    size_t len = strlen(s->path);
    memcpy(out, s->path, len);
    memcpy(out + len, FOLDER, sizeof FOLDER);
}

static void owner_path(const struct il__sqlite *s, struct il_str owner, char out[OWNER_PATH])
{
    folder_path(s, out);
    size_t len = strlen(out);
    out[len++] = '/';
    memcpy(out + len, owner.ptr, owner.len);
    out[len + owner.len] = '\0';
}

static enum il_code bad(struct il__sqlite *s, struct il_error *err, const char *what)
{
    const char *why = strerrordesc_np(errno);
    return il__fail_at(err, IL_STORE, "store", "", "%s.owners: %s: %s", s->shown, what,
                       why ? why : "unknown error");
}

static struct flock whole(short type)
{
    return (struct flock){ .l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0, .l_pid = 0 };
}

/* Is the file behind `fd` the one at `path`? */
static bool same_file(int fd, const char *path)
{
    struct stat held, there;
    return fstat(fd, &held) == 0 && lstat(path, &there) == 0 && held.st_dev == there.st_dev &&
           held.st_ino == there.st_ino;
}

/* ---- this store as an owner ---- */

static enum il_code make_folder(struct il__sqlite *s, struct il_error *err)
{
    char path[OWNER_PATH];
    struct stat st;
    folder_path(s, path);
    if (mkdir(path, 0700) == 0) {
        if (chmod(path, 0700)) return bad(s, err, "cannot be made");
    } else if (errno != EEXIST) {
        return bad(s, err, "cannot be made");
    }
    if (lstat(path, &st)) return bad(s, err, "cannot be reached");
    if (!S_ISDIR(st.st_mode) || st.st_mode & 077)
        return il__fail_at(err, IL_STORE, "store", "",
                           "%s.owners is not a directory of its owner alone: chmod 700 it", s->shown);
    return IL_OK;
}

/* One try: the file, its lock, and that it is still there, since a sweep may have taken it before it was locked. */
static enum il_code try_own(struct il__sqlite *s, bool *own, struct il_error *err)
{
    uint8_t bytes[16];
    char hex[33], path[OWNER_PATH];
    struct flock lock = whole(F_WRLCK);
    if (s->random(s->random_ctx, bytes, sizeof bytes))
        return il__fail_at(err, IL_STORE, "random", "bytes", "the random source failed");
    il__hex(bytes, sizeof bytes, hex);
    owner_path(s, il__str(hex), path);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return bad(s, err, "an owner file cannot be made");
    *own = fchmod(fd, 0600) == 0 && fcntl(fd, F_OFD_SETLK, &lock) == 0 && same_file(fd, path);
    if (*own) {
        s->owner_fd = fd;
        memcpy(s->owner, hex, sizeof hex);
        return IL_OK;
    }
    enum il_code code = errno == EINVAL || errno == ENOLCK ? bad(s, err, "an owner file cannot be locked") : IL_OK;
    close(fd);
    return code;
}

static enum il_code still_own(struct il__sqlite *s, struct il_error *err)
{
    char path[OWNER_PATH];
    int moved = 0;
    owner_path(s, il__str(s->owner), path);
    if (!same_file(s->owner_fd, path))
        return il__fail_at(err, IL_CONFLICT, "store", "",
                           "%s.owners/%s is gone: this process owns nothing any more", s->shown, s->owner);
    if (sqlite3_file_control(s->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) || moved)
        return il__fail_at(err, IL_CONFLICT, "store", "", "%s is not the file any more that was opened",
                           s->shown);
    return IL_OK;
}

enum il_code il__sqlite_own(struct il__sqlite *s, struct il_error *err)
{
    bool own = s->owner_fd >= 0;
    if (own) return still_own(s, err);
    enum il_code code = make_folder(s, err);
    for (int i = 0; !code && !own && i < 16; i++) code = try_own(s, &own, err);
    if (code) return code;
    if (!own)
        return il__fail_at(err, IL_STORE, "store", "", "%s.owners: no owner file could be locked", s->shown);
    return il__sqlite_prime(s, err);
}

/* ---- other owners ---- */

enum lock { GOT, HELD, MISSING, UNKNOWN };

/* Tries the lock of an owner; GOT leaves it with *fd. */
static enum lock try_lock(struct il__sqlite *s, struct il_str owner, int *fd)
{
    char path[OWNER_PATH];
    struct flock lock = whole(F_WRLCK);
    owner_path(s, owner, path);
    *fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (*fd < 0) return errno == ENOENT ? MISSING : UNKNOWN;
    if (fcntl(*fd, F_OFD_SETLK, &lock) == 0) return GOT;
    enum lock found = errno == EAGAIN || errno == EACCES ? HELD : UNKNOWN;
    close(*fd);
    *fd = -1;
    return found;
}

bool il__sqlite_lives(struct il__sqlite *s, struct il_str owner)
{
    char path[OWNER_PATH];
    struct flock lock = whole(F_WRLCK);
    if (s->owner_fd >= 0 && il__str_eq(owner, il__str(s->owner))) return true;
    if (!il__str_is_hex(owner, 32)) return false;
    owner_path(s, owner, path);
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return errno != ENOENT;
    bool held = fcntl(fd, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
    close(fd);
    return held;
}

/* Does a run that has not ended refer to it? In doubt, yes. */
static bool used(struct il__sqlite *s, struct il_str owner)
{
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_OWNER_USED);
    il__sql_str(stmt, 1, owner);
    int rc = sqlite3_step(stmt);
    sqlite3_reset(stmt);
    return rc != SQLITE_DONE;
}

/* In a transaction, with the owner's lock held. */
static void remove_unused(struct il__sqlite *s, struct il_str owner)
{
    char path[OWNER_PATH];
    if (used(s, owner)) return;
    owner_path(s, owner, path);
    (void)unlink(path);
}

void il__sqlite_disown(struct il__sqlite *s)
{
    if (s->owner_fd < 0) return;
    if (!il__sqlite_begin(s, false, NULL)) {
        if (!still_own(s, NULL)) remove_unused(s, il__str(s->owner));
        il__sqlite_rollback(s);
    }
    close(s->owner_fd);
    s->owner_fd = -1;
}

static void sweep_one(struct il__sqlite *s, struct il_str owner)
{
    int fd = -1;
    if (il__sqlite_lives(s, owner) || used(s, owner) || il__sqlite_begin(s, false, NULL)) return;
    if (try_lock(s, owner, &fd) == GOT) remove_unused(s, owner);
    il__sqlite_rollback(s);
    if (fd >= 0) close(fd);
}

void il__sqlite_sweep(struct il__sqlite *s)
{
    char path[OWNER_PATH];
    folder_path(s, path);
    DIR *dir = opendir(path);
    if (!dir) return;
    const struct dirent *entry;
    for (int i = 0; i < IL__LIMIT_STORE_OWNERS && (entry = readdir(dir)); i++) {
        struct il_str owner = il__str(entry->d_name);
        if (il__str_is_hex(owner, 32)) sweep_one(s, owner);
    }
    closedir(dir);
}

/* ---- claims ---- */

static enum il_code about(struct il_str run_id, const char *what, struct il_error *err)
{
    char shown[160];
    il__escape(shown, sizeof shown, run_id);
    return il__fail_at(err, IL_CONFLICT, "run", shown, "run %s %s", shown, what);
}

/* Who owns it and since which fence. */
static enum il_code look(struct il__sqlite *s, struct il_str run_id, char owner[33], uint64_t *fence,
                         struct il_error *err)
{
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_RUN_STATE);
    il__sql_str(stmt, 1, run_id);
    int rc = sqlite3_step(stmt);
    struct il_str who = rc == SQLITE_ROW ? il__sql_get(stmt, 2) : IL_STR_NONE;
    bool good = who.ptr && il__str_is_hex(who, 32);
    if (good) memcpy(owner, who.ptr, 32);
    owner[32] = '\0';
    if (rc == SQLITE_ROW) *fence = (uint64_t)sqlite3_column_int64(stmt, 3);
    sqlite3_reset(stmt);
    if (rc == SQLITE_DONE) return il__no_such_run(run_id, err);
    if (rc != SQLITE_ROW) return il__sqlite_fail(s, rc, "looking for a run", err);
    return good ? IL_OK : il__sqlite_damaged(s, "a run has no owner", err);
}

/* In a transaction, with nobody alive who owns it. */
static enum il_code take(struct il__sqlite *s, struct il_str run_id, struct il_str from, struct il_error *err)
{
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_RUN_CLAIM);
    il__sql_str(stmt, 1, run_id);
    il__sql_z(stmt, 2, s->owner);
    int rc = il__sql_run(stmt);
    if (rc) return il__sqlite_fail(s, rc, "claiming a run", err);
    remove_unused(s, from);
    return il__sqlite_commit(s, err);
}

static enum il_code claim_in(struct il__sqlite *s, struct il_str run_id, uint64_t *fence, struct il_error *err)
{
    char owner[33];
    uint64_t now = 0;
    int fd = -1;
    enum il_code code = look(s, run_id, owner, &now, err);
    if (code) return code;
    if (strcmp(owner, s->owner) == 0) {
        *fence = now;
        return IL_OK;
    }
    switch (try_lock(s, il__str(owner), &fd)) {
    case HELD: return about(run_id, "is owned by a living process", err);
    case UNKNOWN: return bad(s, err, "the lock of a run's owner cannot be tried");
    case GOT:
    case MISSING: break;
    }
    code = take(s, run_id, il__str(owner), err);
    if (!code) *fence = now + 1;
    if (fd >= 0) close(fd);
    return code;
}

enum il_code il__sqlite_claim(void *self, struct il_str run_id, uint64_t *fence, struct il_error *err)
{
    struct il__sqlite *s = self;
    const struct il__batch *batch = il__noted_of(&s->noted, run_id);
    char owner[33];
    uint64_t now;
    enum il_code code = il__sqlite_writable(s, err);
    if (code) return code;
    if (batch && batch->create) {
        if (!(code = il__sqlite_own(s, err))) *fence = 1;
        return code;
    }
    /* A first look, which leaves nothing behind when the answer is no; then in a transaction, for good. */
    if ((code = look(s, run_id, owner, &now, err))) return code;
    if (strcmp(owner, s->owner) != 0 && il__sqlite_lives(s, il__str(owner)))
        return about(run_id, "is owned by a living process", err);
    if (!code) code = il__sqlite_own(s, err);
    if (!code) code = il__sqlite_begin(s, false, err);
    if (code) return code;
    code = claim_in(s, run_id, fence, err);
    il__sqlite_rollback(s);
    return code;
}

enum il_code il__sqlite_owns(void *self, struct il_str run_id, uint64_t fence, struct il_error *err)
{
    struct il__sqlite *s = self;
    char owner[33];
    uint64_t now = 0;
    if (s->owner_fd < 0) return about(run_id, "is not owned by this process", err);
    enum il_code code = still_own(s, err);
    const struct il__batch *batch = il__noted_of(&s->noted, run_id);
    if (!code && batch && batch->create) return fence == 1 ? IL_OK : il__lost_run(run_id, err);
    if (!code) code = look(s, run_id, owner, &now, err);
    if (!code && (now != fence || strcmp(owner, s->owner) != 0)) code = il__lost_run(run_id, err);
    return code;
}
