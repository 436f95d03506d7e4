/* `interlock resume RUN` and `resume --all`: runs go on from where their journal stops.
 * This file reads what the user gave and finds the run. Must never take a run over for somebody else's principal: the
 * library compares, and says which member differs. */
#include "cli/resume.h"

#include "cli/config.h"

#include <string.h>

/* ---- one run ---- */

int il__resume_row(struct il__io *io, struct il__run_input *in, const struct il__shelf_row *row)
{
    in->row = row;
    in->session = in->server && !in->renew ? row->row.session_id.ptr : il__args_value(in->args, "session");
    il__text_reset(&in->scopes);
    il__shelf_pinned(in->store, row->row.run_id, "scopes", &in->scopes);
    return il__run_whole(io, in);
}

static int one(struct il__io *io, struct il__run_input *in)
{
    struct il__shelf_row row;
    memset(&row, 0, sizeof row);
    int status = il__shelf_find(io, in->args, in->store, &row);
    if (status == 0) status = il__resume_row(io, in, &row);
    il__shelf_clear(&row);
    return status;
}

/* ---- what the user gave ---- */

static int check_operands(struct il__io *io, const struct il__args *args)
{
    bool all = il__args_flag(args, "all");
    if (all && args->operand_count) {
        il__io_error(io, "--all takes every run that can move; leave out '%s'", args->operands[0]);
        return 2;
    }
    if (!all && args->operand_count != 1) {
        il__io_error(io, "%s; write 'interlock resume RUN --store FILE --runtime R', or --all",
                     args->operand_count ? "one run at a time" : "name the run");
        return 2;
    }
    static const char *const single[] = { "answer", "renew", "ask", "wait", "session" };
    for (size_t i = 0; all && i < sizeof single / sizeof *single; i++) {
        if (!il__args_values(args, single[i])->count) continue;
        il__io_error(io, "--%s is for one run; --all takes what others left in the store", single[i]);
        return 2;
    }
    if (!il__args_flag(args, "renew") && il__args_value(args, "session")) {
        il__io_error(io, "a run goes on in the session that it began in; --session is for --renew");
        return 2;
    }
    return 0;
}

static int run(const struct il__args *args, struct il__io *io)
{
    struct il__run_input in;
    struct il__witness witness;
    memset(&in, 0, sizeof in);
    memset(&witness, 0, sizeof witness);
    in.args = args;
    in.approval_option = "answer";
    in.store_path = il__args_value(args, "store");
    in.renew = il__args_flag(args, "renew");
    int status = check_operands(io, args);
    if (status == 0) status = il__witness_read(io, args, "witness-key", false, &witness);
    in.witness = &witness;
    in.accept_rollback = il__args_flag(args, "accept-rollback");
    if (status == 0) status = il__input_read(io, &in);
    if (status == 0) status = il__shelf_open(io, args, IL__SHELF_WRITE, &in.store);
    if (status == 0) status = il__args_flag(args, "all") ? il__resume_all(io, &in) : one(io, &in);
    il__input_clear(&in);
    il__witness_clear(&witness);
    il_store_close(in.store);
    return status;
}

static const struct il__option options[] = {
    IL__STORE_OPTION("The file that the run waits in."),
    { "all", NULL, false,
      "Take every run that an answer, its expiry or the end of its process lets move, one after the other." },
    { "answer", "FILE", true, "An answer with its request id, delivered when the run waits." },
    { "renew", NULL, false, "Of a run that ended with effect none: begin a successor that asks afresh." },
    { "session", "S", false, "With --renew: the session of the successor." },
    { "witness", "FILE", false,
      "Heads that 'interlock audit head' left outside of the store: an older store is refused." },
    { "witness-key", "FILE", true, "A public key that those heads are believed by." },
    { "accept-rollback", NULL, false,
      "Go on all the same, in a store from a backup: a run past approval ends as indeterminate." },
    IL__RUN_SETUP_OPTIONS,
    { "scope", "S", true, "Narrow what the principal may do; without it, what the run began with." },
    { "ask", NULL, false, "Ask on the terminal when the run waits and no answer is left." },
    { "wait", NULL, false, "Keep a run that waits open until it is answered or expires." },
    { "format", "text|json", false, "How to print; text is the default. JSON is one document, with --all one a line." },
    IL__RUN_OTHER_OPTIONS,
    IL__APPROVER_OPTIONS,
    IL__ENDPOINT_OPTIONS,
    IL__CONFIG_OPTIONS,
};

static const char *const examples[] = {
    "interlock resume 28577e95-b00b-4bc7-bcab-e3fd4ece5c43 --store runs.db --runtime simulated",
    "interlock resume --all --store runs.db --runtime mcp+http://127.0.0.1:7331/mcp --token-file token",
    "interlock resume 28577e95-b00b-4bc7-bcab-e3fd4ece5c43 --renew --store runs.db --runtime simulated",
    NULL,
};
static const char *const exits[] = {
    "0   completed, or previewed only; with --all: every run that moved came to a good end",
    "1   blocked, denied, refused, expired or cancelled; nothing was sent",
    IL__EXIT_USAGE,
    "3   a script, a policy, a limit or an order of steps failed; nothing was sent",
    "4   the run still waits for an answer",
    "5   committed, but nothing shows whether the effect is there",
    "6   verification failed",
    "7   sent, and what became of it is not known",
    "8   it cannot be taken over, something could not be released, or another failure",
    IL__EXIT_UNDECODABLE,
    NULL,
};

const struct il__command il__command_resume = {
    .name = "resume",
    .operands = "RUN",
    .summary = "Go on with a run that waits in a store, or that its process left.",
    .about = "Takes the run over from its store and goes on where its journal stops: what was answered before is not "
             "asked again, what was sent is never sent twice. Workflow, policies, principal and runtime are named as "
             "they were when it began; the runtime's session is the one it began in. What others left with "
             "'interlock approve', 'deny' or 'cancel' is taken first. A run that a living process owns is left alone.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
