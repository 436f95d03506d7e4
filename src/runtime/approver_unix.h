/* Approving at a computer-use server over its supervisor's socket: a Unix socket with one JSON message a line, of at
 * most 64 KiB, that begins with a hello carrying the token. Errors carry no id there, so one ask is under way at a
 * time; an answer that nobody waits for any more takes the connection with it. It is opened with the first ask, and
 * again with the next after it was lost; never is anything asked twice. */
#ifndef IL_RUNTIME_APPROVER_UNIX_H
#define IL_RUNTIME_APPROVER_UNIX_H

#include "base/clock.h"
#include "base/log.h"
#include "run/approver.h"

struct il__approver_unix_options {
    struct il__mem *mem;            /* all pointers outlive the adapter */
    const struct il__clock *clock;
    const struct il__log *log;
    struct il__approver_sink sink;
    struct il_str path;             /* of the socket */
    struct il_str token;            /* wiped at the end, never logged */
    uint32_t connect_timeout_ms;    /* 0: the default */
};
enum il_code il__approver_unix_new(const struct il__approver_unix_options *options, struct il__approver_port *out,
                                   struct il_error *err) IL_MUST_USE;

#endif
