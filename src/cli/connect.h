/* A connection to a server: made, waited for, asked, told about.
 * Uses endpoint, waiting and logger over the library. A command that runs no action opens a link of its own. */
#ifndef IL_CLI_CONNECT_H
#define IL_CLI_CONNECT_H

#include "cli/endpoint.h"
#include "cli/logger.h"

/* When each step of connecting was through, in ms since its begin; -1: never. */
struct il__connect_times {
    int64_t hello, listed, ready;
};

/* Sets the server of `endpoint` as the host's runtime. `commands_only`: no session is started, and tools are looked at
 * but not refused: for what an operator does, not for runs. */
enum il_code il__connect_begin(il_host *host, const struct il__endpoint *endpoint, const char *session,
                               bool commands_only, struct il_error *err);
/* Moves the host until the server is ready, or is not going to be: IL_OK, or why not; cancelled after a signal.
 * `facts` gets what is known of the server, either way. */
enum il_code il__connect_wait(il_host *host, int signals, struct il__connect_times *times, struct il__text *facts,
                              struct il_error *err);
/* The error that the facts of a connection tell; never IL_OK. */
enum il_code il__connect_told(struct il_str facts, struct il_error *err);
/* What a person can do about an error of a connection; "" when nothing is known. */
const char *il__connect_advice(const struct il_error *err);
/* Reports it: one line of what, where and what to do, or JSON. Returns the exit status. */
int il__connect_report(struct il__io *io, bool json, const struct il__endpoint *endpoint, const struct il_error *err);

struct il__link {
    struct il__io *io;
    const struct il__endpoint *endpoint;
    struct il__logger logger;
    struct il__connect_times times;
    il_host *host;
    int signals;
    struct il__text facts;
    struct il_error error; /* why it is not open; code IL_OK: it is */
    struct {               /* the request that is waited for; it may still end while the host is freed */
        bool done;
        struct il__text answer;
        struct il_error error;
    } pending;
};

/* Connects for an operator's command. 0, or the exit status: nothing is reported yet. il__link_close follows either
 * way. */
int il__link_open(struct il__link *link, struct il__io *io, const struct il__args *args,
                  const struct il__endpoint *endpoint);
void il__link_close(struct il__link *link);
/* Asks a session command and waits for its answer, which stands in link->pending.answer. */
enum il_code il__link_session(struct il__link *link, const char *verb, struct il_str args, struct il_error *err);
enum il_code il__link_emergency(struct il__link *link, const char *reason, struct il_error *err);

/* The value of --runtime as a server, with its other options. 0, or 2 after a report. */
int il__link_endpoint(struct il__io *io, const struct il__args *args, struct il__endpoint *out);
/* What cannot be undone: --yes, or `word` typed on a terminal. 0, or 2 after a report. */
int il__confirm(struct il__io *io, const struct il__args *args, const char *what, const char *word);

#endif
