/* Starting, watching and ending one server process (mcp_child.h). posix_spawnp only: no fork in a host with threads.
 * Must never touch the host's signal dispositions, environment or working directory. */
#include "runtime/mcp_child.h"

#include "base/error.h"
#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ABOVE_STDIO = 3, REAP_TRIES = 1000 };

static const char *const INHERITED[] = { "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER" };

/* ---- descriptors ---- */

void il__mcp_child_close(int *fd)
{
    if (*fd >= 0) (void)close(*fd);
    *fd = -1;
}

/* A host may have closed its own 0, 1 or 2: the child's ends must not lie where dup2 puts others. */
static bool lift(int *fd)
{
    if (*fd >= ABOVE_STDIO) return true;
    int high = fcntl(*fd, F_DUPFD_CLOEXEC, ABOVE_STDIO);
    if (high < 0) return false;
    (void)close(*fd);
    *fd = high;
    return true;
}

static bool nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

/* theirs[] are the child's 0, 1 and 2. */
static bool open_streams(struct il__mcp_child *child, int theirs[3])
{
    int in[2], out[2], err[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) == 0) {
        child->in = in[0];
        theirs[0] = in[1];
    }
    if (pipe2(out, O_CLOEXEC) == 0) {
        child->out = out[0];
        theirs[1] = out[1];
    }
    if (pipe2(err, O_CLOEXEC) == 0) {
        child->err = err[0];
        theirs[2] = err[1];
    }
    if (child->in < 0 || child->out < 0 || child->err < 0) return false;
    return lift(&theirs[0]) && lift(&theirs[1]) && lift(&theirs[2]) && nonblocking(child->in) &&
           nonblocking(child->out) && nonblocking(child->err);
}

/* ---- environment ---- */

static bool same_name(const char *variable, const char *name)
{
    size_t len = strcspn(name, "=");
    return strncmp(variable, name, len) == 0 && variable[len] == '=';
}

static bool configured(const char *const *env, const char *name)
{
    for (; env && *env; env++)
        if (same_name(*env, name)) return true;
    return false;
}

static char *variable(struct il__arena *arena, const char *name, const char *value)
{
    size_t size = strlen(name) + strlen(value) + 2;
    char *text = il__arena_alloc(arena, size);
    if (text) (void)snprintf(text, size, "%s=%s", name, value);
    return text;
}

/* A value that begins with "()" is a function of a shell, and no variable. */
static enum il_code make_env(struct il__arena *arena, const char *const *env, char ***out, struct il_error *err)
{
    size_t count = 0, max = sizeof INHERITED / sizeof INHERITED[0] + IL__LIMIT_MCP_ARGUMENTS;
    char **list = il__arena_alloc(arena, (max + 1) * sizeof *list);
    if (!list) return il__fail(err, IL_OUT_OF_MEMORY, "no memory to start a server");
    for (size_t i = 0; i < sizeof INHERITED / sizeof INHERITED[0]; i++) {
        const char *value = getenv(INHERITED[i]);
        if (!value || strncmp(value, "()", 2) == 0 || configured(env, INHERITED[i])) continue;
        if (!(list[count++] = variable(arena, INHERITED[i], value)))
            return il__fail(err, IL_OUT_OF_MEMORY, "no memory to start a server");
    }
    for (; env && *env; env++) {
        if ((*env)[0] == '=' || !strchr(*env, '='))
            return il__fail_at(err, IL_INVALID_REQUEST, "runtime", "env", "a variable is NAME=value");
        if (count == max)
            return il__fail_at(err, IL_INVALID_REQUEST, "runtime", "env", "more than %d variables",
                               IL__LIMIT_MCP_ARGUMENTS);
        struct il_str copy;
        if (il__arena_str(arena, il__str(*env), &copy))
            return il__fail(err, IL_OUT_OF_MEMORY, "no memory to start a server");
        list[count++] = (char *)copy.ptr; /* the arena's own copy */
    }
    *out = list;
    return IL_OK;
}

/* ---- starting ---- */

/* Nothing of the host is inherited, not even what it forgot to mark close-on-exec. */
static int add_streams(posix_spawn_file_actions_t *actions, const int theirs[3], const char *cwd)
{
    int rc = 0;
    for (int i = 0; i < 3 && rc == 0; i++) rc = posix_spawn_file_actions_adddup2(actions, theirs[i], i);
    if (rc == 0) rc = posix_spawn_file_actions_addclosefrom_np(actions, ABOVE_STDIO);
    if (rc == 0 && cwd) rc = posix_spawn_file_actions_addchdir_np(actions, cwd);
    return rc;
}

/* A group of its own, no signal blocked, every disposition the default one (a host may ignore SIGPIPE). */
static int set_attributes(posix_spawnattr_t *attr)
{
    sigset_t all, none;
    (void)sigfillset(&all);
    (void)sigemptyset(&none);
    int rc = posix_spawnattr_setsigdefault(attr, &all);
    if (rc == 0) rc = posix_spawnattr_setsigmask(attr, &none);
    if (rc == 0) rc = posix_spawnattr_setpgroup(attr, 0);
    if (rc == 0)
        rc = posix_spawnattr_setflags(attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    return rc;
}

static int spawn(struct il__mcp_child *child, const struct il__mcp_child_options *options, char **env,
                 const int theirs[3])
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    int rc = posix_spawn_file_actions_init(&actions);
    if (rc != 0) return rc;
    rc = posix_spawnattr_init(&attr);
    if (rc == 0) {
        rc = add_streams(&actions, theirs, options->cwd);
        if (rc == 0) rc = set_attributes(&attr);
        if (rc == 0) rc = posix_spawnp(&child->pid, options->argv[0], &actions, &attr, options->argv, env);
        (void)posix_spawnattr_destroy(&attr);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    if (rc != 0) child->pid = 0;
    return rc;
}

static enum il_code explain(const struct il__mcp_child_options *options, int rc, struct il_error *err)
{
    char name[128], why[96];
    (void)il__escape(name, sizeof name, il__str(options->argv[0]));
    if (options->cwd && access(options->cwd, X_OK) != 0)
        return il__fail(err, IL_TRANSPORT, "the server's directory cannot be entered: %s", strerrordesc_np(errno));
    if (rc == ENOENT) return il__fail(err, IL_TRANSPORT, "no such program: %s", name);
    if (rc == ENOEXEC) return il__fail(err, IL_TRANSPORT, "%s is no program (a script begins with #!)", name);
    const char *text = strerrordesc_np(rc);
    (void)snprintf(why, sizeof why, "%s", text ? text : "unknown error");
    return il__fail(err, IL_TRANSPORT, "%s cannot be started: %s", name, why);
}

enum il_code il__mcp_child_start(const struct il__mcp_child_options *options, struct il__mcp_child *child,
                                 struct il_error *err)
{
    struct il__arena arena;
    char **env = NULL;
    int theirs[3] = { -1, -1, -1 };
    *child = (struct il__mcp_child){ 0, -1, -1, -1, -1 };
    il__arena_init(&arena, options->mem);
    enum il_code code = make_env(&arena, options->env, &env, err);
    if (!code && !open_streams(child, theirs))
        code = il__fail(err, IL_TRANSPORT, "no pipes for a server: %s", strerrordesc_np(errno));
    if (!code) {
        int rc = spawn(child, options, env, theirs);
        if (rc != 0) code = explain(options, rc, err);
    }
    for (int i = 0; i < 3; i++) il__mcp_child_close(&theirs[i]);
    il__arena_clear(&arena);
    if (code) il__mcp_child_end(child);
    else child->pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0); /* -1: the owner asks by time */
    return code;
}

/* ---- ending ---- */

/* Asks without reaping: 1 dead, 0 alive, and -1 when it is not ours any more (somebody else has reaped it: the number
 * may be another's already). */
static int look(struct il__mcp_child *child)
{
    siginfo_t info = { 0 };
    int rc;
    if (child->pid == 0) return -1;
    do rc = waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT);
    while (rc != 0 && errno == EINTR);
    if (rc == 0) return info.si_pid != 0;
    child->pid = 0;
    return -1;
}

void il__mcp_child_signal(struct il__mcp_child *child, int signal)
{
    if (look(child) >= 0) (void)kill(-child->pid, signal);
}

bool il__mcp_child_died(struct il__mcp_child *child)
{
    return look(child) != 0;
}

void il__mcp_child_reap(struct il__mcp_child *child, char *how, size_t cap)
{
    int status = 0;
    pid_t got = -1;
    (void)snprintf(how, cap, "is gone");
    il__mcp_child_signal(child, SIGKILL);
    if (child->pid == 0) return;
    do got = waitpid(child->pid, &status, WNOHANG);
    while (got < 0 && errno == EINTR);
    if (got == 0) return;
    if (got > 0 && WIFEXITED(status)) (void)snprintf(how, cap, "ended with status %d", WEXITSTATUS(status));
    if (got > 0 && WIFSIGNALED(status)) {
        const char *name = sigabbrev_np(WTERMSIG(status));
        (void)snprintf(how, cap, "was ended by SIG%s", name ? name : "?");
    }
    child->pid = 0;
}

void il__mcp_child_end(struct il__mcp_child *child)
{
    char how[64];
    const struct timespec pause = { 0, 1000000 };
    il__mcp_child_close(&child->in);
    il__mcp_child_close(&child->out);
    il__mcp_child_close(&child->err);
    for (int i = 0; i < REAP_TRIES && child->pid; i++) {
        il__mcp_child_reap(child, how, sizeof how);
        if (child->pid) (void)nanosleep(&pause, NULL);
    }
    il__mcp_child_close(&child->pidfd);
}
