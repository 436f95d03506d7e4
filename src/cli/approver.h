/* The approver connection of a command: its address and token as options say, and connecting it. The token comes from a
 * file or a variable, as that of the runtime does. */
#ifndef IL_CLI_APPROVER_H
#define IL_CLI_APPROVER_H

#include "cli/endpoint.h"

#define IL__APPROVER_OPTIONS                                                                                           \
    { "approver", "ADDRESS", false,                                                                                    \
      "Where approvals are made at the server: unix:PATH, its supervisor's socket, or mcp+http://HOST/PATH, "          \
      "mcp+https://HOST/PATH with a token of its own. What is approved is then granted there, too." },                 \
        { "approver-token-file", "FILE", false, "The token for --approver stands in FILE, alone on one line." },       \
        { "approver-token-env", "NAME", false, "The token for --approver stands in this environment variable." }

/* Reads the options. `out->address` is NULL without --approver. 0, or 2 after one line on stderr. */
int il__approver_read(struct il__io *io, const struct il__args *args, struct il__endpoint *out);
/* Connects; errors of the connection come out of il__approver_wait. */
enum il_code il__approver_set(il_host *host, const struct il__endpoint *approver, struct il_error *err);
/* Moves the host until the connection can be used, or is not going to be: IL_OK, or why not; cancelled after a
 * signal. A supervisor's socket is opened with the first approval. */
enum il_code il__approver_wait(il_host *host, int signals, struct il_error *err);

#endif
