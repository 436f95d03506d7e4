/* The kill switch (interlock.h): a path where nothing may be. Whoever can make a file there stops this host at once,
 * and needs no other right. Uses the file system only. Must never take a doubt for off: what cannot be looked at is on.
 */
#include "base/error.h"
#include "host/host.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

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

/* A copy that ends with a NUL. */
static const char *copy(struct il__arena *arena, struct il_str s)
{
    char *text = il__arena_alloc(arena, s.len + 1);
    if (!text) return NULL;
    memcpy(text, s.ptr, s.len);
    text[s.len] = '\0';
    return text;
}

/* Of "a/b/" it is "a/", as of "a/b". */
static struct il_str folder_of(struct il_str path)
{
    size_t len = path.len;
    while (len > 1 && path.ptr[len - 1] == '/') len--;
    while (len > 0 && path.ptr[len - 1] != '/') len--;
    return len > 0 ? (struct il_str){ path.ptr, len } : IL_STR(".");
}

enum il_code il__host_set_switch(il_host *host, struct il_str path, struct il_error *err)
{
    struct il__host_switch *s = &host->kill_switch;
    host->options.kill_switch = IL_STR_NONE;
    if (!il__str_present(path)) return IL_OK;
    if (!path.len || memchr(path.ptr, '\0', path.len))
        return il__fail_at(err, IL_INVALID_REQUEST, "host options", "kill_switch", "the kill switch is no path");
    s->path = copy(&host->arena, path);
    s->folder = copy(&host->arena, folder_of(path));
    if (!s->path || !s->folder) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a kill switch");
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
