/* The stdio wire of MCP: a server process of our own, one JSON message a line on its stdin and stdout, its stderr
 * drained into the log. Lines on stdout that are no message are skipped, counted and logged; too many in a row end the
 * connection. Nothing blocks; no signal disposition of the host is changed, a server that stops reading is an error of
 * the wire and never SIGPIPE.
 *
 * Ending it: stdin is closed, after MCP_SHUT_MS SIGTERM to the process group, after as long again SIGKILL. When the
 * process itself dies, what is left of its group is killed at once. */
#ifndef IL_RUNTIME_MCP_STDIO_H
#define IL_RUNTIME_MCP_STDIO_H

#include "runtime/mcp.h"

struct il__mcp_stdio_options {
    struct il__mem *mem;           /* needed; all pointers outlive the wire, texts are copied */
    const struct il__clock *clock; /* needed */
    const struct il__log *log;     /* may be NULL */
    struct il_str command;         /* split into words without a shell (command_line.h), unless `argv` is set */
    char *const *argv;             /* NULL-terminated; may be NULL */
    const char *const *env;        /* "NAME=value", NULL-terminated: beside HOME LOGNAME PATH SHELL TERM USER */
    const char *cwd;               /* NULL: the host's */
};

/* Starts the process. transport: there is no such program; invalid_request: the command line or a variable is wrong. */
enum il_code il__mcp_stdio_new(const struct il__mcp_stdio_options *options, struct il__mcp_sink sink,
                               struct il__mcp_wire *out, struct il_error *err) IL_MUST_USE;

#endif
