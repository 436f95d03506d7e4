/* `interlock stop --emergency`: everything that a server runs ends, whoever runs it.
 * Must never be refused for what the server offers: a stop is the one thing that always makes sense. */
#include "cli/connect.h"
#include "cli/report.h"

#include <string.h>

static int stop(struct il__io *io, const struct il__args *args, struct il__link *link)
{
    struct il_error err = IL_ERROR_INIT;
    const char *reason = il__args_value(args, "reason");
    bool json = il__args_json(args);
    enum il_code code = il__link_emergency(link, reason ? reason : "an operator stopped everything", &err);
    err.code = code;
    if (code != IL_OK) return il__connect_report(io, json, link->endpoint, &err);
    if (json) il__out_puts(&io->out, "{\"stopped\":true}\n");
    else
        il__out_wrap(&io->out, "", 0, IL__TONE_PLAIN,
                     il__text_of("stopped: the server gives no lease until its operator resets the stop there; over "
                                 "this connection it cannot be reset"));
    return 0;
}

static int run(const struct il__args *args, struct il__io *io)
{
    struct il__endpoint endpoint;
    struct il__link link;
    memset(&endpoint, 0, sizeof endpoint);
    if (args->operand_count || !il__args_flag(args, "emergency")) {
        il__io_error(io, "write --emergency to stop all that the server runs; one session is stopped by 'interlock "
                         "session stop --session S'");
        return 2;
    }
    int status = il__link_endpoint(io, args, &endpoint);
    if (status == 0)
        status = il__confirm(io, args, "stops every session of every principal at the server", "stop");
    if (status == 0) {
        status = il__link_open(&link, io, args, &endpoint);
        if (status != 0) status = il__connect_report(io, il__args_json(args), &endpoint, &link.error);
        else status = stop(io, args, &link);
        il__link_close(&link);
    }
    il__endpoint_clear(&endpoint);
    return status;
}

static const struct il__option options[] = {
    { "emergency", NULL, false, "Stop everything; needed, since there is no other stop here." },
    { "runtime", "SERVER", false,
      "The server: mcp+http://HOST/PATH, mcp+https://HOST/PATH or \"stdio:COMMAND ARGUMENTS\"." },
    { "reason", "TEXT", false, "Why; the server notes it." },
    { "yes", NULL, false, "Do it without asking." },
    { "format", "text|json", false, "How to print; text is the default." },
    IL__ENDPOINT_OPTIONS,
};
static const char *const examples[] = {
    "interlock stop --emergency --runtime mcp+http://127.0.0.1:7331/mcp --token-file token --yes",
    NULL,
};
static const char *const exits[] = {
    "0   the server said that it stopped",
    IL__EXIT_USAGE,
    "8   the server cannot be reached, or refused: nothing says that it stopped",
    NULL,
};

const struct il__command il__command_stop = {
    .name = "stop",
    .operands = "",
    .summary = "Emergency stop: end all that a server runs.",
    .about = "Asks the server for its emergency stop: every lease ends, and no new one is given until the stop is "
             "reset at the server. It concerns all sessions of all principals. On a terminal it is asked first.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
