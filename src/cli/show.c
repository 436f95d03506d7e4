/* `interlock show RUN`: a run as its journal has it, without taking it over.
 * Uses the document of the library, which verifies the journal first. Must never write to the store. */
#include "cli/config.h"
#include "cli/look.h"
#include "cli/moment.h"
#include "cli/report.h"
#include "cli/shelf.h"
#include "cli/trial.h"
#include "cli/wait_show.h"

#include <string.h>

struct view {
    struct il__io *io;
    const struct il__args *args;
    const struct il_store_row *row;
    struct il_str doc;
};

static void json(const struct view *v)
{
    struct il__text text = IL__TEXT_INIT;
    il__text_str(&text, v->doc);
    if (text.len && text.ptr[text.len - 1] == '}') text.len--;
    il__text_puts(&text, ",\"tool\":");
    il__text_json(&text, v->row->tool);
    il__text_puts(&text, ",\"mode\":");
    il__text_json(&text, v->row->mode);
    il__text_puts(&text, ",\"principal\":");
    il__text_json(&text, v->row->principal);
    il__text_puts(&text, ",\"tenant\":");
    il__text_json(&text, v->row->tenant);
    il__text_puts(&text, ",\"session\":");
    il__text_json(&text, v->row->session_id);
    il__text_puts(&text, ",\"createdAt\":\"");
    il__wall_text(&text, v->row->created_ms);
    il__text_printf(&text, "\",\"records\":%llu,\"letters\":%llu,\"owned\":%s}\n", (unsigned long long)v->row->records,
                    (unsigned long long)v->row->letters, v->row->owned ? "true" : "false");
    il__out_text(&v->io->out, &text);
    il__text_clear(&text);
}

static void header(const struct view *v)
{
    struct il__text line = IL__TEXT_INIT, part = IL__TEXT_INIT;
    il__text_str(&part, v->row->tool);
    il__text_puts(&part, "  ");
    il__text_str(&part, v->row->mode);
    il__text_puts(&part, "  for ");
    il__text_str(&part, v->row->principal);
    il__text_escaped(&line, il__text_get(&part));
    il__out_wrap(&v->io->out, "", 2, IL__TONE_BOLD, il__text_get(&line));
    il__text_clear(&line);
    il__text_clear(&part);
}

/* Who moves it: where a person has to know it. */
static const char *situation(const struct il_store_row *row)
{
    if (row->state == IL_ROW_ENDED) return NULL;
    if (row->owned) return "a living process has it, and takes answers at once";
    if (row->letters) return "an answer is left for it; 'interlock resume' goes on with it";
    return row->state == IL_ROW_MOVING ? "its process ended while it moved; 'interlock resume' goes on with it"
                                       : "nobody has it; what is answered waits for 'interlock resume'";
}

static void units(struct il__out *out, struct il_str doc)
{
    struct il__text line = IL__TEXT_INIT;
    struct il_str unit = { NULL, 0 }, list = il__look_get(doc, "units");
    for (size_t at = 0; il__look_next(list, &at, NULL, &unit);) {
        if (line.len) il__text_puts(&line, ", ");
        il__look_text(&line, unit);
    }
    if (line.len) il__out_pair(out, "counted", IL__TONE_PLAIN, il__text_get(&line));
    il__text_clear(&line);
}

static void text(const struct view *v)
{
    struct il__out *out = &v->io->out;
    bool waits = il__look_is(il__look_get(v->doc, "status"), "waiting");
    const char *words = situation(v->row);
    header(v);
    il__wait_show_member(out, "status", v->doc, "status");
    if (waits) il__wait_show(out, v->doc, il__wall_ms());
    if (!waits) {
        il__wait_show_member(out, "reason", v->doc, "result.reason");
        il__wait_show_member(out, "effect", v->doc, "effect");
        il__wait_show_member(out, "verified", v->doc, "verified");
        il__wait_show_member(out, "detail", v->doc, "result.verificationDetail");
        il__wait_show_member(out, "retry safe", v->doc, "retrySafe");
        il__wait_show_member(out, "receipt", v->doc, "result.receiptId");
        il__wait_show_member(out, "error", v->doc, "error.message");
        il__wait_show_member(out, "code", v->doc, "error.code");
        il__wait_show_member(out, "not released", v->doc, "error.cleanup.message");
    }
    units(out, v->doc);
    il__trial_show(out, v->doc);
    il__wait_show_member(out, "clock", v->doc, "clock");
    if (words) il__out_pair(out, "owner", IL__TONE_PLAIN, il__text_of(words));
    il__out_pair(out, "session", IL__TONE_DIM, v->row->session_id);
    il__out_pair(out, "run", IL__TONE_DIM, v->row->run_id);
}

/* The card and nothing else, byte for byte: what its digest is taken over. */
static int card(const struct view *v)
{
    struct il__text bytes = IL__TEXT_INIT;
    if (!il__look_has(v->doc, "card"))
        return il__shelf_refuse(v->io, false, IL_CONFLICT, 1, "the run does not wait; it has no card to show");
    il__look_text(&bytes, il__look_get(v->doc, "card"));
    il__out_text(&v->io->out, &bytes);
    il__text_clear(&bytes);
    return 0;
}

static int show(struct il__io *io, const struct il__args *args, il_store *store, const struct il_store_row *row)
{
    struct view v = { io, args, row, { NULL, 0 } };
    struct il_error err = IL_ERROR_INIT;
    il_host *host = NULL;
    int status = il__shelf_host(io, args, store, &host);
    if (status == 0 && il_host_show(host, row->run_id, &v.doc, &err) != IL_OK)
        status = il__report(io, il__args_json(args), NULL, &err, 8);
    else if (status == 0 && il__args_flag(args, "card")) status = card(&v);
    else if (status == 0 && il__args_json(args)) json(&v);
    else if (status == 0) text(&v);
    il_host_free(host);
    return status;
}

static int run(const struct il__args *args, struct il__io *io)
{
    struct il__shelf_row row;
    il_store *store = NULL;
    memset(&row, 0, sizeof row);
    if (args->operand_count != 1) {
        il__io_error(io, "%s; write 'interlock show RUN --store FILE'",
                     args->operand_count ? "one run at a time" : "name the run");
        return 2;
    }
    int status = il__shelf_open(io, args, IL__SHELF_READ, &store);
    if (status == 0) status = il__shelf_find(io, args, store, &row);
    if (status == 0) status = show(io, args, store, &row.row);
    il__shelf_clear(&row);
    il_store_close(store);
    return status;
}

static const struct il__option options[] = {
    IL__STORE_OPTION("The file that the run is in."),
    { "card", NULL, false, "Print the card of a run that waits and nothing else: the bytes that its digest covers." },
    { "format", "text|json", false, "How to print; text is the default." },
    IL__CONFIG_OPTIONS,
};
static const char *const examples[] = {
    "interlock show 28577e95-b00b-4bc7-bcab-e3fd4ece5c43 --store runs.db",
    "interlock show 28577e95-b00b-4bc7-bcab-e3fd4ece5c43 --store runs.db --card | sha256sum",
    NULL,
};
static const char *const exits[] = {
    "0   it was shown",
    "1   --card: the run does not wait",
    IL__EXIT_USAGE,
    "8   its journal cannot be read, or was edited",
    NULL,
};

const struct il__command il__command_show = {
    .name = "show",
    .operands = "RUN",
    .summary = "Show a run of a store: what it waits for with its card, or how it ended.",
    .about = "Rebuilds the run from its journal, which is verified first, and tells how it stands: of a waiting run "
             "the card that was made then, byte for byte, what is needed, the request and the time that is left; of an "
             "ended one the result. Nothing is taken over or written.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
