/* `interlock pending`: which runs of a store want a person, and how long each has.
 * Must never decide anything: it looks. */
#include "cli/config.h"
#include "cli/moment.h"
#include "cli/pending_watch.h"
#include "cli/report.h"

#include <string.h>

/* ---- text ---- */

static void show_row(struct il__out *out, const struct il_store_row *row, int64_t now)
{
    struct il__text line = IL__TEXT_INIT;
    il__out_puts(out, "\n");
    il__pending_title(&line, row);
    il__out_wrap(out, "", 2, IL__TONE_BOLD, il__text_get(&line));
    il__text_reset(&line);
    il__pending_time(&line, row, now);
    il__out_pair(out, "time", il__pending_tone(row, now), il__text_get(&line));
    if (row->request_id.ptr) il__out_pair(out, "request", IL__TONE_PLAIN, row->request_id);
    il__out_pair(out, "run", IL__TONE_PLAIN, row->run_id);
    il__text_clear(&line);
}

static int text(struct il__io *io, il_store *store)
{
    struct il__pending pending;
    struct il_error err = IL_ERROR_INIT;
    struct il__text line = IL__TEXT_INIT;
    int status = 0;
    int64_t now = il__wall_ms();
    il__pending_init(&pending, IL__CLI_PENDING_ROWS);
    if (il__pending_read(&pending, store, &err) != IL_OK) status = il__report(io, false, NULL, &err, 8);
    if (status == 0) {
        il__pending_count(&line, &pending);
        il__out_wrap(&io->out, "", 2, IL__TONE_PLAIN, il__text_get(&line));
        for (size_t i = 0; i < pending.count; i++) show_row(&io->out, &pending.rows[i]->row, now);
        size_t more = pending.waiting + pending.still - pending.count;
        if (more) il__io_note(io, "%zu more are not shown; --format json lists all", more);
    }
    il__text_clear(&line);
    il__pending_clear(&pending);
    return status;
}

/* ---- JSON: row by row, whatever their number ---- */

struct listing {
    struct il__out *out;
    struct il__text line;
    int64_t now;
    bool any;
};

static bool json_row(void *ctx, const struct il_store_row *row)
{
    struct listing *l = ctx;
    if (row->state != IL_ROW_WAITING && !il__pending_still(row)) return true;
    il__text_reset(&l->line);
    if (l->any) il__text_puts(&l->line, ",");
    il__pending_json(&l->line, row, l->now);
    il__out_text(l->out, &l->line);
    l->any = true;
    return !l->out->lost;
}

static int json(struct il__io *io, il_store *store)
{
    struct listing l = { &io->out, IL__TEXT_INIT, il__wall_ms(), false };
    struct il_error err = IL_ERROR_INIT;
    struct il_str id = il_store_id(store);
    il__text_printf(&l.line, "{\"store\":\"%.*s\",\"runs\":[", (int)id.len, id.ptr);
    il__out_text(l.out, &l.line);
    enum il_code code = il_store_list(store, NULL, json_row, &l, &err);
    il__text_reset(&l.line);
    il__text_puts(&l.line, "]");
    if (code != IL_OK) {
        il__text_puts(&l.line, ",\"error\":");
        il__report_json(&l.line, &err);
    }
    il__text_puts(&l.line, "}\n");
    il__out_text(l.out, &l.line);
    il__text_clear(&l.line);
    return code == IL_OK ? 0 : 8;
}

static int run(const struct il__args *args, struct il__io *io)
{
    il_store *store = NULL;
    if (args->operand_count) {
        il__io_error(io, "unexpected operand '%s'; 'interlock show RUN' shows one run", args->operands[0]);
        return 2;
    }
    int status = il__shelf_open(io, args, IL__SHELF_READ, &store);
    if (status == 0 && il__args_flag(args, "watch")) status = il__pending_watch(io, args, store);
    else if (status == 0) status = il__args_json(args) ? json(io, store) : text(io, store);
    il_store_close(store);
    return status;
}

static const struct il__option options[] = {
    IL__STORE_OPTION("The file that the runs wait in."),
    { "watch", NULL, false,
      "Stay, and show what changes: on a terminal one screen with the time that is left, until q or Ctrl-C; else a "
      "line for each change." },
    { "format", "text|json", false, "How to print; text is the default. With --watch one document for each change." },
    IL__CONFIG_OPTIONS,
};
static const char *const examples[] = {
    "interlock pending --store runs.db",
    "interlock pending --watch --store runs.db",
    "interlock pending --store runs.db --format json",
    NULL,
};
static const char *const exits[] = {
    "0   the list was printed",
    IL__EXIT_USAGE,
    "8   the store cannot be read",
    NULL,
};

const struct il__command il__command_pending = {
    .name = "pending",
    .operands = "",
    .summary = "List the runs of a store that wait for a person.",
    .about = "Lists the runs that wait, the soonest to expire first, with request, run and the time that is left; and "
             "before them those whose process ended while they moved, which 'interlock resume' goes on with. "
             "'interlock show RUN' shows the card.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
