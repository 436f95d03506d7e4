/* `interlock cancel RUN`: a run of a store is called off. Must never say cancelled before the run's owner has done
 * it. */
#include "cli/config.h"
#include "cli/report.h"
#include "cli/shelf.h"

#include <string.h>

static int leave(struct il__io *io, const struct il__args *args, il_store *store, const struct il__shelf_row *row)
{
    const char *reason = il__args_value(args, "reason");
    bool json = il__args_json(args);
    struct il_error err = IL_ERROR_INIT;
    struct il__text text = IL__TEXT_INIT;
    if (row->row.state == IL_ROW_ENDED)
        return il__shelf_refuse(io, json, IL_CONFLICT, 1, "the run has ended as %s; there is nothing to cancel",
                                row->row.status.ptr);
    il__text_puts(&text, "{\"reason\":");
    il__text_json(&text, il__text_of(reason ? reason : "an operator cancelled it"));
    il__text_puts(&text, "}");
    enum il_code code = il_store_submit(store, row->row.run_id, il__text_of("cancel"), il__text_get(&text), &err);
    const char *next = row->row.owned ? "the run's process lives, and takes it now"
                                      : "'interlock resume' ends the run; until then nothing of it moves";
    il__text_reset(&text);
    if (code != IL_OK) {
        il__text_clear(&text);
        return il__report(io, json, NULL, &err, code == IL_CONFLICT ? 1 : 8);
    }
    if (json) {
        il__text_puts(&text, "{\"ok\":true,\"runId\":");
        il__text_json(&text, row->row.run_id);
        il__text_printf(&text, ",\"owned\":%s,\"next\":", row->row.owned ? "true" : "false");
        il__text_json(&text, il__text_of(next));
        il__text_puts(&text, "}\n");
        il__out_text(&io->out, &text);
    } else {
        il__text_printf(&text, "cancel, left for run %s: %s", row->row.run_id.ptr, next);
        il__out_wrap(&io->out, "", 2, IL__TONE_PLAIN, il__text_get(&text));
    }
    il__text_clear(&text);
    return 0;
}

static int run(const struct il__args *args, struct il__io *io)
{
    struct il__shelf_row row;
    il_store *store = NULL;
    memset(&row, 0, sizeof row);
    if (args->operand_count != 1) {
        il__io_error(io, "%s; write 'interlock cancel RUN --store FILE'",
                     args->operand_count ? "one run at a time" : "name the run");
        return 2;
    }
    int status = il__shelf_open(io, args, IL__SHELF_WRITE, &store);
    if (status == 0) status = il__shelf_find(io, args, store, &row);
    if (status == 0) status = il__shelf_tenant(io, il__args_json(args), &row, il__args_value(args, "tenant"));
    if (status == 0) status = leave(io, args, store, &row);
    il__shelf_clear(&row);
    il_store_close(store);
    return status;
}

static const struct il__option options[] = {
    IL__STORE_OPTION("The file that the run is in."),
    { "reason", "TEXT", false, "Why; it stands in the journal." },
    IL__TENANT_OPTION,
    { "format", "text|json", false, "How to print; text is the default." },
    IL__CONFIG_OPTIONS,
};
static const char *const examples[] = {
    "interlock cancel 28577e95-b00b-4bc7-bcab-e3fd4ece5c43 --reason \"not needed any more\" --store runs.db",
    NULL,
};
static const char *const exits[] = {
    "0   the cancel was left for the run's owner",
    "1   the run has ended, or is of another tenant",
    IL__EXIT_USAGE,
    "8   the store cannot be read or written",
    NULL,
};

const struct il__command il__command_cancel = {
    .name = "cancel",
    .operands = "RUN",
    .summary = "Call a run of a store off.",
    .about = "Leaves a cancel in the store. A living owner takes it at once; else the next 'interlock resume' of the "
             "run does, whatever else was left for it. Before the send nothing is sent then; after it the run is still "
             "verified and all it holds given back.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
