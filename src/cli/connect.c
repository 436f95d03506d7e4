/* Connecting and the two kinds of requests that are no runs: session commands and the emergency stop.
 * Must never call a connection good that is not: whoever connects gets the error of the library. */
#include "cli/connect.h"

#include "cli/config.h"
#include "cli/look.h"
#include "cli/report.h"
#include "cli/waiting.h"

#include <string.h>
#include <unistd.h>

enum il_code il__connect_begin(il_host *host, const struct il__endpoint *endpoint, const char *session,
                               bool commands_only, struct il_error *err)
{
    struct il_mcp_options options = IL_MCP_OPTIONS_INIT;
    options.endpoint = il__text_of(endpoint->address);
    options.session_id = il__text_of(session);
    if (endpoint->token.len) options.token = il__text_get(&endpoint->token);
    options.ca_file = il__text_of(endpoint->ca);
    options.accept_tools = endpoint->accept;
    options.accept_count = endpoint->accept_count;
    options.connect_timeout_ms = endpoint->connect_timeout_ms;
    options.commands_only = commands_only;
    options.read_back = endpoint->read_back;
    return il_host_set_runtime_mcp(host, &options, err);
}

/* ---- waiting for it ---- */

enum il_code il__connect_told(struct il_str facts, struct il_error *err)
{
    struct il__text text = IL__TEXT_INIT;
    err->code = IL_TRANSPORT;
    for (int code = IL_OK + 1; code < IL_CODE_COUNT; code++)
        if (il__look_is(il__look_get(facts, "error.code"), il_code_name((enum il_code)code)))
            err->code = (enum il_code)code;
    il__look_text(&text, il__look_get(facts, "error.message"));
    snprintf(err->message, sizeof err->message, "%s", text.len ? text.ptr : "the connection is closed");
    il__text_clear(&text);
    return err->code;
}

static void note_times(struct il__connect_times *times, struct il_str facts, int64_t begun)
{
    int64_t now = il__now_ms() - begun;
    if (times->hello < 0 && il__look_has(facts, "protocol")) times->hello = now;
    if (times->listed < 0 && il__look_has(facts, "tools")) times->listed = now;
    if (times->ready < 0 && il__look_is(il__look_get(facts, "state"), "ready")) times->ready = now;
}

enum il_code il__connect_wait(il_host *host, int signals, struct il__connect_times *times, struct il__text *facts,
                              struct il_error *err)
{
    int64_t begun = il__now_ms();
    *times = (struct il__connect_times){ -1, -1, -1 };
    for (;;) {
        struct il_tick tick = { .size = sizeof tick };
        struct il_str doc;
        enum il_code code = il_host_tick(host, 50000, &tick, err);
        if (code == IL_OK) code = il_host_runtime_facts(host, &doc, err);
        if (code != IL_OK) return code;
        note_times(times, doc, begun);
        if (!il__look_is(il__look_get(doc, "state"), "connecting")) {
            il__text_reset(facts);
            il__text_str(facts, doc);
            return il__look_is(il__look_get(doc, "state"), "ready") ? IL_OK : il__connect_told(doc, err);
        }
        if (il__wait(host, signals, tick.more ? 0 : tick.next_deadline_ms)) {
            err->code = IL_CANCELLED;
            snprintf(err->message, sizeof err->message, "interrupted while connecting; nothing was sent");
            return IL_CANCELLED;
        }
    }
}

/* ---- errors ---- */

static const struct advice {
    const char *word, *advice;
} advices[] = {
    { "no v8 tools", "start it with COMPUTER_USE_V8=true; a release without the governance preview cannot be used" },
    { "ways around", "'interlock doctor' says what each is; --accept-tool NAME accepts one" },
    { "401", "give the server's token with --token-file FILE or --token-env NAME" },
    { "403", "the token, or the way to the server, does not allow it; ask for one with the scopes of this work" },
    { "404", "is the path right? The usual one ends in /mcp" },
    { "421", "address the server by 127.0.0.1 or localhost" },
    { "429", "it limits requests; wait a minute" },
    { "no alternative certificate", "write the address with a name that the certificate holds" },
    { "ertificate", "give the authority that signed its certificate with --ca FILE" },
    { "SSL", "is it a server with TLS? Plain HTTP is mcp+http://" },
    { "TLS", "is it a server with TLS? Plain HTTP is mcp+http://" },
    { "ailed to connect", "is the server running, and on this port?" },
    { "esolve", "is the name of the host right?" },
    { "no such program", "a plain name is searched in PATH, a path is taken as it stands" },
    { "refused initialize", "is it an MCP server?" },
    { "no MCP", "is it an MCP server? --log text shows what it writes" },
    { "version", "it speaks another version; update the older of the two" },
    { "in time", "give it longer with --connect-timeout, or see what it says with --log text" },
    { "missing required scope", "the token lacks it; ask for one that has it" },
    { "does not read any more", "see what it said with --log text" },
    { "server ended", "see what it said with --log text" },
    { "session_not_found", "'interlock session start' begins one" },
};

const char *il__connect_advice(const struct il_error *err)
{
    if (err->code == IL_INVALID_REQUEST || err->code == IL_CANCELLED) return "";
    for (size_t i = 0; i < sizeof advices / sizeof *advices; i++)
        if (strstr(err->message, advices[i].word)) return advices[i].advice;
    return "";
}

static int status_of(enum il_code code)
{
    return code == IL_INVALID_REQUEST ? 2 : code == IL_CANCELLED ? 1 : 8;
}

int il__connect_report(struct il__io *io, bool json, const struct il__endpoint *endpoint, const struct il_error *err)
{
    int status = status_of(err->code);
    const char *advice = il__connect_advice(err);
    struct il__text line = IL__TEXT_INIT;
    if (json) {
        il__text_puts(&line, "{\"ok\":false,\"runtime\":");
        il__text_json(&line, il__text_of(endpoint->label));
        il__text_puts(&line, ",\"error\":");
        il__report_json(&line, err);
        il__text_puts(&line, ",\"advice\":");
        il__text_json(&line, il__text_of(advice[0] ? advice : NULL));
        il__text_printf(&line, ",\"exitStatus\":%d}\n", status);
        il__out_text(&io->out, &line);
        il__text_clear(&line);
        return status;
    }
    il__report_line(&line, err);
    il__io_error(io, "%s: %s%s%s", endpoint->label, line.ptr ? line.ptr : "out of memory", advice[0] ? "; " : "",
                 advice);
    il__text_clear(&line);
    return status;
}

/* ---- a link ---- */

int il__link_endpoint(struct il__io *io, const struct il__args *args, struct il__endpoint *out)
{
    const char *runtime = il__args_value(args, "runtime");
    memset(out, 0, sizeof *out);
    if (!runtime) {
        il__io_error(io, "no server is named; write --runtime mcp+http://127.0.0.1:7331/mcp or --runtime "
                         "\"stdio:COMMAND\"");
        return 2;
    }
    if (il__endpoint_is(runtime)) return il__endpoint_read(io, args, runtime, out);
    il__io_error(io, "--runtime %s: this command talks to a server: mcp+http://..., mcp+https://... or stdio:COMMAND",
                 runtime);
    return 2;
}

int il__link_open(struct il__link *link, struct il__io *io, const struct il__args *args,
                  const struct il__endpoint *endpoint)
{
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    memset(link, 0, sizeof *link);
    link->io = io;
    link->endpoint = endpoint;
    link->times = (struct il__connect_times){ -1, -1, -1 };
    link->signals = il__signals_open();
    il__logger_init(&link->logger, &io->err, il__args_value(args, "log"));
    options.log = il__logger_line;
    options.log_ctx = &link->logger;
    il__config_host(args, &options);
    il__logger_say(&link->logger, "connecting to", endpoint->label);
    enum il_code code = il_host_new(&options, &link->host, &link->error);
    if (code == IL_OK)
        code = il__connect_begin(link->host, endpoint, il__args_value(args, "session"), true, &link->error);
    if (code == IL_OK) code = il__connect_wait(link->host, link->signals, &link->times, &link->facts, &link->error);
    link->error.code = code;
    il__logger_say(&link->logger, code == IL_OK ? "connected to" : "not connected to", endpoint->label);
    return code == IL_OK ? 0 : status_of(code);
}

void il__link_close(struct il__link *link)
{
    il_host_free(link->host);
    il__text_clear(&link->facts);
    il__text_clear(&link->pending.answer);
    if (link->signals >= 0) close(link->signals);
    il__signals_release();
}

static void heard_stop(void *ctx, const struct il_error *err)
{
    struct il__link *link = ctx;
    link->pending.done = true;
    if (err) link->pending.error = *err;
}

static void heard(void *ctx, struct il_str json, const struct il_error *err)
{
    struct il__link *link = ctx;
    heard_stop(ctx, err);
    if (!link->pending.error.code) il__text_str(&link->pending.answer, json);
}

/* Moves the host until the request was answered. The library bounds each in time. */
static enum il_code settle(struct il__link *link, struct il_error *err)
{
    while (!link->pending.done) {
        struct il_tick tick = { .size = sizeof tick };
        enum il_code code = il_host_tick(link->host, 50000, &tick, err);
        if (code != IL_OK) return code;
        if (link->pending.done || !il__wait(link->host, link->signals, tick.more ? 0 : tick.next_deadline_ms)) continue;
        err->code = IL_CANCELLED;
        snprintf(err->message, sizeof err->message, "interrupted; the server may have done it all the same");
        return IL_CANCELLED;
    }
    *err = link->pending.error;
    return err->code;
}

enum il_code il__link_session(struct il__link *link, const char *verb, struct il_str args, struct il_error *err)
{
    link->pending.done = false;
    il__text_reset(&link->pending.answer);
    enum il_code code = il_host_session(link->host, il__text_of(verb), args, heard, link, err);
    return code == IL_OK ? settle(link, err) : code;
}

enum il_code il__link_emergency(struct il__link *link, const char *reason, struct il_error *err)
{
    link->pending.done = false;
    enum il_code code = il_host_emergency_stop(link->host, il__text_of(reason), heard_stop, link, err);
    return code == IL_OK ? settle(link, err) : code;
}

/* ---- what cannot be undone ---- */

int il__confirm(struct il__io *io, const struct il__args *args, const char *what, const char *word)
{
    char bytes[256];
    if (il__args_flag(args, "yes")) return 0;
    if (isatty(STDIN_FILENO) != 1) {
        il__io_error(io, "this %s; say so with --yes (on a terminal it is asked)", what);
        return 2;
    }
    il__io_note(io, "This %s. Type '%s' to do it.", what, word);
    il__out_puts(&io->err, "> ");
    fflush(io->err.file);
    ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
    while (got > 0 && (bytes[got - 1] == '\n' || bytes[got - 1] == '\r' || bytes[got - 1] == ' ')) got--;
    if (got > 0 && (size_t)got == strlen(word) && memcmp(bytes, word, (size_t)got) == 0) return 0;
    il__io_error(io, "nothing was done");
    return 2;
}
