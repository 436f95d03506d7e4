/* The process behind a stdio connection: started without a shell, in a process group of its own, with nothing of the
 * host's but three streams and a few variables; ended as a group and always reaped.
 *
 * The host must not ignore SIGCHLD and must not wait for children it did not start: the kernel then frees the process
 * id before the group could be ended, and a freed id is never signalled. What leaves the group (setsid) is out of
 * reach. */
#ifndef IL_RUNTIME_MCP_CHILD_H
#define IL_RUNTIME_MCP_CHILD_H

#include "base/mem.h"

#include <sys/types.h>

struct il__mcp_child_options {
    struct il__mem *mem;
    char *const *argv;         /* NULL-terminated; argv[0] is looked for in the host's PATH */
    const char *const *env;    /* "NAME=value" beside HOME LOGNAME PATH SHELL TERM USER; NULL-terminated; may be NULL */
    const char *cwd;           /* NULL: the host's */
};
struct il__mcp_child {
    pid_t pid;                 /* also the group's; 0: none, or reaped */
    /* `in` is a socket: a dead reader is then EPIPE by MSG_NOSIGNAL, never SIGPIPE, and no signal disposition of the
     * host is touched. All non-blocking and close-on-exec; -1: closed. `pidfd` becomes readable at death. */
    int in, out, err, pidfd;
};

/* transport: no such program, no program, no descriptor left. invalid_request: a variable without a name. */
enum il_code il__mcp_child_start(const struct il__mcp_child_options *options, struct il__mcp_child *child,
                                 struct il_error *err) IL_MUST_USE;
void il__mcp_child_close(int *fd);
/* To the whole group, as long as its number is surely its own. */
void il__mcp_child_signal(struct il__mcp_child *child, int signal);
/* True once the process is dead; it stays a zombie, so that its group keeps its number. */
bool il__mcp_child_died(struct il__mcp_child *child);
/* Ends what is left of the group of a dead process and takes it from the table. How it ended comes out as text. */
void il__mcp_child_reap(struct il__mcp_child *child, char *how, size_t cap);
/* Kills the group, waits (a second at most), closes all. */
void il__mcp_child_end(struct il__mcp_child *child);

#endif
