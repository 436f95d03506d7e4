/* Where a command's runtime is, as its options say: the address, the token, the authorities, the accepted tools.
 * Reads files and the environment. Must never print the token, nor take it from an argument. */
#ifndef IL_CLI_ENDPOINT_H
#define IL_CLI_ENDPOINT_H

#include "cli/command.h"

/* The options that every command with a server has; the last rows of its table. */
#define IL__ENDPOINT_OPTIONS                                                                                           \
    { "token-file", "FILE", false, "The bearer token for an HTTP server stands in FILE, alone on one line." },         \
        { "token-env", "NAME", false, "The bearer token for an HTTP server stands in this environment variable." },    \
        { "ca", "FILE", false, "Trust the certificate authorities in FILE (PEM) and no other." },                      \
        { "accept-tool", "NAME", true,                                                                                 \
          "Go on although the server offers this tool, which acts past the governance." },                             \
        { "connect-timeout", "SECONDS", false, "Give up when the server is not ready by then; 30 is the default." },   \
        { "log", "text|json", false, "Log lines on standard error; JSON has run id and traceparent in each." }
#define IL__ENDPOINT_RUNTIME "mcp+http://...|mcp+https://...|stdio:COMMAND"

struct il__endpoint {
    const char *address;  /* as given */
    char label[128];      /* for output: of a command line, which may hold secrets, only the program */
    struct il__text token; /* empty: none; wiped when cleared */
    const char *ca;       /* NULL: the system's */
    struct il_str accept[IL__CLI_OPTION_VALUES];
    size_t accept_count;
    uint32_t connect_timeout_ms; /* 0: the default */
    bool stdio, read_back;
};

/* True for an address of a server ("mcp+http://...", "mcp+https://...", "stdio:..."). */
bool il__endpoint_is(const char *runtime);
/* Reads the options beside `address`. 0, or the exit status after one line on stderr. */
int il__endpoint_read(struct il__io *io, const struct il__args *args, const char *address, struct il__endpoint *out);
/* The same for an approver's address and its own options: the token, --ca where it is https, --connect-timeout. */
int il__endpoint_approver(struct il__io *io, const struct il__args *args, const char *address,
                          struct il__endpoint *out);
/* Whether one of the options is given that only a server knows; its name, or NULL. */
const char *il__endpoint_option_given(const struct il__args *args);
void il__endpoint_clear(struct il__endpoint *endpoint);
/* A whole number of `text` from `min` to `max`; false when it is none. */
bool il__number_read(const char *text, int64_t min, int64_t max, int64_t *out);

#endif
