/* Key files (key_file.h). What is checked is the opened file, not its name, so that nothing can be put in its place
 * between the check and the reading. */
#include "wire/key_file.h"

#include "base/error.h"
#include "base/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, FILE_BYTES = 512, SHOWN_BYTES = 160 };

static const char object[] = "key file";

struct name {
    char path[PATH_BYTES];
    char shown[SHOWN_BYTES]; /* for messages */
};

static enum il_code name_of(struct il_str path, struct name *name, struct il_error *err)
{
    il__escape(name->shown, sizeof name->shown, path);
    if (!path.ptr || path.len == 0 || path.len >= sizeof name->path || memchr(path.ptr, 0, path.len))
        return il__fail_at(err, IL_INVALID_REQUEST, object, "", "\"%s\" is not the path of a file", name->shown);
    memcpy(name->path, path.ptr, path.len);
    name->path[path.len] = '\0';
    return IL_OK;
}

/* The rules of OpenSSH for its keys, and one more: whoever owns the file is who we are. */
static enum il_code check_owner(int fd, const char *shown, struct il_error *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return il__fail_at(err, IL_INVALID_REQUEST, object, shown, "is not a regular file");
    if (st.st_uid != geteuid())
        return il__fail_at(err, IL_INVALID_REQUEST, object, shown, "belongs to user %u, not to user %u who asks",
                           (unsigned)st.st_uid, (unsigned)geteuid());
    if ((st.st_mode & 077) != 0)
        return il__fail_at(err, IL_INVALID_REQUEST, object, shown, "others may use it (mode %03o); make it 600",
                           (unsigned)(st.st_mode & 0777));
    return IL_OK;
}

static enum il_code read_text(int fd, const char *shown, char text[FILE_BYTES], size_t *len, struct il_error *err)
{
    *len = 0;
    for (;;) {
        const ssize_t n = read(fd, text + *len, FILE_BYTES - *len);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return il__fail_at(err, IL_INVALID_REQUEST, object, shown, "cannot be read");
        if (n == 0) return IL_OK;
        *len += (size_t)n;
        if (*len == FILE_BYTES) return il__fail_at(err, IL_INVALID_REQUEST, object, shown, "is too long for a key");
    }
}

static enum il_code read_key(int fd, const char *shown, struct il__sign_key *key, struct il_error *err)
{
    char text[FILE_BYTES];
    size_t len = 0;
    enum il_code code = check_owner(fd, shown, err);
    if (code == IL_OK) code = read_text(fd, shown, text, &len, err);
    if (code == IL_OK && il__sign_key_from_pem(key, (struct il_str){ text, len }, NULL) != IL_OK)
        code = il__fail_at(err, IL_DECODE, object, shown, "holds no private Ed25519 key: PKCS#8 in PEM, unencrypted");
    il__secret_wipe(text, sizeof text);
    return code;
}

enum il_code il__key_file_read(struct il_str path, struct il__sign_key *key, struct il_error *err)
{
    struct name name;
    il__sign_key_clear(key);
    enum il_code code = name_of(path, &name, err);
    if (code != IL_OK) return code;
    const int fd = open(name.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return il__fail_at(err, IL_INVALID_REQUEST, object, name.shown, "is missing or cannot be opened");
    code = read_key(fd, name.shown, key, err);
    close(fd);
    return code;
}

static bool write_text(int fd, const char *text, size_t len)
{
    size_t at = 0;
    while (at < len) {
        const ssize_t n = write(fd, text + at, len - at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += (size_t)n;
    }
    return fsync(fd) == 0;
}

enum il_code il__key_file_write(struct il_str path, const struct il__sign_key *key, struct il_error *err)
{
    struct name name;
    char pem[IL__KEY_PEM];
    enum il_code code = name_of(path, &name, err);
    if (code != IL_OK) return code;
    const int fd = open(name.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);
    if (fd < 0 && errno == EEXIST)
        return il__fail_at(err, IL_CONFLICT, object, name.shown, "is there already, and a key is never overwritten");
    if (fd < 0) return il__fail_at(err, IL_STORE, object, name.shown, "cannot be created");
    bool written = fchmod(fd, 0600) == 0 && write_text(fd, pem, il__sign_key_pem(key, pem));
    il__secret_wipe(pem, sizeof pem);
    if (close(fd) != 0) written = false;
    if (written) return IL_OK;
    (void)unlink(name.path);
    return il__fail_at(err, IL_STORE, object, name.shown, "cannot be written");
}
