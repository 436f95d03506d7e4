/* `interlock stop`: a session, or everything, is stopped: in a store, durably and first, and at the server.
 * Must never be refused for what the server offers: a stop is the one thing that always makes sense. */
#include "cli/config.h"
#include "cli/connect.h"
#include "cli/report.h"
#include "cli/shelf.h"

#include <string.h>

/* ---- in the store ---- */

static int latch(struct il__io *io, const struct il__args *args, const char *session)
{
    il_store *store = NULL;
    struct il_error err = IL_ERROR_INIT;
    int status = il__shelf_open(io, args, IL__SHELF_WRITE, &store);
    if (status == 0 && il_store_stop(store, il__text_of(session), &err) != IL_OK)
        status = il__report(io, il__args_json(args), NULL, &err, 8);
    il_store_close(store);
    if (status != 0 || il__args_json(args)) return status;
    struct il__text text = IL__TEXT_INIT;
    if (session) il__text_printf(&text, "session %s is stopped in the store", session);
    else il__text_puts(&text, "everything is stopped in the store");
    il__text_printf(&text, ": no process that uses it acquires a lease or executes, until 'interlock lift%s%s'",
                    session ? " " : " --emergency", session ? session : "");
    il__out_wrap(&io->out, "", 0, IL__TONE_PLAIN, il__text_get(&text));
    il__text_clear(&text);
    return 0;
}

/* ---- at the server ---- */

static int ask(struct il__io *io, const struct il__args *args, struct il__link *link, const char *session)
{
    struct il_error err = IL_ERROR_INIT;
    struct il__text body = IL__TEXT_INIT;
    const char *reason = il__args_value(args, "reason");
    if (!reason) reason = session ? "an operator stopped the session" : "an operator stopped everything";
    bool json = il__args_json(args);
    il__text_puts(&body, "{\"sessionId\":");
    il__text_json(&body, il__text_of(session));
    il__text_puts(&body, ",\"reason\":");
    il__text_json(&body, il__text_of(reason));
    il__text_puts(&body, "}");
    enum il_code code = session ? il__link_session(link, "stop", il__text_get(&body), &err)
                                : il__link_emergency(link, reason, &err);
    il__text_clear(&body);
    err.code = code;
    if (code != IL_OK) return il__connect_report(io, json, link->endpoint, &err);
    if (!json)
        il__out_wrap(&io->out, "", 0, IL__TONE_PLAIN,
                     il__text_of(session ? "the server has stopped the session"
                                         : "stopped: the server gives no lease until its operator resets the stop "
                                           "there; over this connection it cannot be reset"));
    return 0;
}

static int at_server(struct il__io *io, const struct il__args *args, const char *session)
{
    struct il__endpoint endpoint;
    struct il__link link;
    memset(&endpoint, 0, sizeof endpoint);
    int status = il__link_endpoint(io, args, &endpoint);
    if (status == 0) {
        status = il__link_open(&link, io, args, &endpoint);
        if (status != 0) status = il__connect_report(io, il__args_json(args), &endpoint, &link.error);
        else status = ask(io, args, &link, session);
        il__link_close(&link);
    }
    il__endpoint_clear(&endpoint);
    return status;
}

/* ---- the command ---- */

static int check(struct il__io *io, const struct il__args *args)
{
    bool all = il__args_flag(args, "emergency"), store = il__args_value(args, "store") != NULL;
    const char *runtime = il__args_value(args, "runtime");
    if (args->operand_count > 1 || all == (args->operand_count == 1)) {
        il__io_error(io, "name what is stopped: one SESSION, or --emergency for everything");
        return 2;
    }
    if (!store && !runtime) {
        il__io_error(io, "where? Write --store FILE for the processes that use it, --runtime SERVER for the server, or "
                         "both");
        return 2;
    }
    if (!runtime || il__endpoint_is(runtime)) return 0;
    il__io_error(io, "--runtime %s: there is nothing to stop but at a server; --store FILE stops what runs elsewhere",
                 runtime);
    return 2;
}

/* The latch is on before the server is asked, and stays on when it cannot be reached. */
static int run(const struct il__args *args, struct il__io *io)
{
    bool all = il__args_flag(args, "emergency"), server = il__args_value(args, "runtime") != NULL;
    int status = check(io, args);
    const char *session = status == 0 && !all ? args->operands[0] : NULL;
    if (status == 0 && all && server)
        status = il__confirm(io, args, "stops every session of every principal at the server", "stop");
    if (status == 0 && il__args_value(args, "store")) status = latch(io, args, session);
    if (status == 0 && server) status = at_server(io, args, session);
    if (status == 0 && il__args_json(args)) il__out_puts(&io->out, "{\"stopped\":true}\n");
    return status;
}

static const struct il__option options[] = {
    { "emergency", NULL, false, "Stop everything, in place of one session." },
    { "store", "FILE", false,
      "Stop the runs of this store, in every process that uses it, also when no server can be reached." },
    { "runtime", "SERVER", false,
      "The server: mcp+http://HOST/PATH, mcp+https://HOST/PATH or \"stdio:COMMAND ARGUMENTS\"." },
    { "reason", "TEXT", false, "Why; the server notes it." },
    { "yes", NULL, false, "Do it without asking." },
    { "format", "text|json", false, "How to print; text is the default." },
    IL__ENDPOINT_OPTIONS,
    IL__CONFIG_OPTIONS,
};
static const char *const examples[] = {
    "interlock stop session-1 --store runs.db",
    "interlock stop --emergency --store runs.db",
    "interlock stop --emergency --runtime mcp+http://127.0.0.1:7331/mcp --token-file token --yes",
    NULL,
};
static const char *const exits[] = {
    "0   it is stopped, wherever it was to be",
    IL__EXIT_USAGE,
    "8   the store cannot be written; or the server cannot be reached, or refused: nothing says that it stopped",
    NULL,
};

const struct il__command il__command_stop = {
    .name = "stop",
    .operands = "[SESSION]",
    .summary = "Stop a session, or everything, in a store and at a server.",
    .about = "With --store the stop is written there first: from then on no process that uses the store acquires a "
             "lease or executes for the session, or with --emergency at all; only 'interlock lift' takes it back. With "
             "--runtime the server is asked to stop: for --emergency every lease ends, and no new one is given until "
             "the stop is reset at the server, which concerns all sessions of all principals; on a terminal that is "
             "asked first.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
