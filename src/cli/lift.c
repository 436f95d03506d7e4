/* `interlock lift`: an operator takes a durable stop back. Must never lift more than what is named. */
#include "cli/config.h"
#include "cli/connect.h"
#include "cli/report.h"
#include "cli/shelf.h"

static int lift(struct il__io *io, const struct il__args *args, il_store *store, const char *session)
{
    struct il_error err = IL_ERROR_INIT;
    bool json = il__args_json(args);
    if (il_store_lift(store, il__text_of(session), &err) != IL_OK) return il__report(io, json, NULL, &err, 8);
    struct il__text text = IL__TEXT_INIT;
    if (json) {
        il__text_puts(&text, "{\"ok\":true,\"lifted\":");
        il__text_json(&text, il__text_of(session ? session : "everything"));
        il__text_puts(&text, "}\n");
        il__out_text(&io->out, &text);
    } else {
        if (session) il__text_printf(&text, "the stop of session %s is lifted", session);
        else il__text_puts(&text, "the emergency stop is lifted; a session that was stopped by its name stays so");
        il__out_wrap(&io->out, "", 0, IL__TONE_PLAIN, il__text_get(&text));
    }
    il__text_clear(&text);
    return 0;
}

static int run(const struct il__args *args, struct il__io *io)
{
    bool all = il__args_flag(args, "emergency");
    il_store *store = NULL;
    if (args->operand_count > 1 || all == (args->operand_count == 1)) {
        il__io_error(io, "name what is lifted: one SESSION, or --emergency");
        return 2;
    }
    const char *session = all ? NULL : args->operands[0];
    int status = il__confirm(io, args, all ? "lets every run of the store act again" : "lets the session act again",
                             "lift");
    if (status == 0) status = il__shelf_open(io, args, IL__SHELF_WRITE, &store);
    if (status == 0) status = lift(io, args, store, session);
    il_store_close(store);
    return status;
}

static const struct il__option options[] = {
    IL__STORE_OPTION("The file that the stop is in."),
    { "emergency", NULL, false, "Lift the emergency stop of the whole store." },
    { "yes", NULL, false, "Do it without asking." },
    { "format", "text|json", false, "How to print; text is the default." },
    IL__CONFIG_OPTIONS,
};
static const char *const examples[] = {
    "interlock lift session-1 --store runs.db --yes",
    "interlock lift --emergency --store runs.db --yes",
    NULL,
};
static const char *const exits[] = {
    "0   it is lifted, or was not stopped",
    IL__EXIT_USAGE,
    "8   the store cannot be read or written",
    NULL,
};

const struct il__command il__command_lift = {
    .name = "lift",
    .operands = "[SESSION]",
    .summary = "Take a durable stop back.",
    .about = "Lifts the stop of one session in a store, or with --emergency that of everything. A session that the "
             "server has paused or stopped itself is a matter of 'interlock session'. On a terminal it is asked first.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
