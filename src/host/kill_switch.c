/* The kill switch (interlock.h): a path where nothing may be. Whoever can make a file there stops this host at once,
 * and needs no other right. Uses the file system only. Must never take a doubt for off: what cannot be looked at is on.
 */
#include "base/error.h"
#include "host/host.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum il_code is_on(struct il_error *err, const char *path, const char *why)
{
    char shown[200];
    il__escape(shown, sizeof shown, il__str(path));
    return il__fail_at(err, IL_CANCELLED, "stop latch", "kill_switch", "the kill switch is on: %s%s", shown, why);
}

/* Absent only counts in a folder that is there: one that was moved or unmounted took the switch with it. A link counts
 * as there, wherever it leads. */
static enum il_code look(void *ctx, struct il_error *err)
{
    const struct il_host *host = ctx;
    const struct il__host_switch *s = &host->kill_switch;
    struct stat st;
    if (lstat(s->path, &st) == 0) return is_on(err, s->path, " is there");
    if (errno == EACCES) return is_on(err, s->path, " cannot be looked at: no permission");
    if (errno != ENOENT) return is_on(err, s->path, " cannot be looked at");
    if (stat(s->folder, &st) != 0 || !S_ISDIR(st.st_mode)) return is_on(err, s->path, " is in no folder");
    return IL_OK;
}

/* A copy that ends with a NUL, behind `before` and a slash when that is not NULL. */
static const char *copy(struct il__arena *arena, const char *before, struct il_str s)
{
    size_t len = before ? strlen(before) : 0, slash = before ? 1 : 0;
    char *text = il__arena_alloc(arena, len + slash + s.len + 1);
    if (!text) return NULL;
    if (before) memcpy(text, before, len);
    if (before) text[len] = '/';
    if (s.len) memcpy(text + len + slash, s.ptr, s.len);
    text[len + slash + s.len] = '\0';
    return text;
}

/* Of "/a/b" it is "/a/". */
static struct il_str folder_of(struct il_str path)
{
    size_t len = path.len;
    while (len > 1 && path.ptr[len - 1] != '/') len--;
    return (struct il_str){ path.ptr, len };
}

/* The place that is meant now, wherever the process goes afterwards. Behind a name that ends in a slash a link would be
 * followed: "/a/b/" is "/a/b". */
static enum il_code whole(struct il__arena *arena, struct il_str path, const char **out, struct il_error *err)
{
    char here[4096];
    while (path.len > 1 && path.ptr[path.len - 1] == '/') path.len--;
    bool relative = path.ptr[0] != '/';
    if (relative && !getcwd(here, sizeof here))
        return il__fail_at(err, IL_INVALID_REQUEST, "host options", "kill_switch",
                           "a kill switch in a folder that cannot be named; give its whole path");
    *out = copy(arena, relative ? here : NULL, path);
    return *out ? IL_OK : il__fail(err, IL_OUT_OF_MEMORY, "no memory for a kill switch");
}

enum il_code il__host_set_switch(il_host *host, struct il_str path, struct il_error *err)
{
    struct il__host_switch *s = &host->kill_switch;
    host->options.kill_switch = IL_STR_NONE;
    if (!il__str_present(path)) return IL_OK;
    if (!path.len || memchr(path.ptr, '\0', path.len))
        return il__fail_at(err, IL_INVALID_REQUEST, "host options", "kill_switch", "the kill switch is no path");
    enum il_code code = whole(&host->arena, path, &s->path, err);
    if (code) return code;
    s->folder = copy(&host->arena, NULL, folder_of(il__str(s->path)));
    if (!s->folder) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a kill switch");
    host->options.kill_switch = il__str(s->path);
    host->engine.kill_switch = look;
    host->engine.kill_switch_ctx = host;
    return IL_OK;
}

enum il_code il_host_check_kill_switch(il_host *host, struct il_error *err)
{
    enum il_code code = il__host_enter(host, "il_host_check_kill_switch", err);
    if (code) return code;
    return il__host_leave(host, host->kill_switch.path ? look(host, err) : IL_OK);
}
