/* Building the host of one run, and starting the run or taking it over from a store.
 * What the user gave is tried without a server first. Must never connect for what cannot begin. */
#include "cli/config.h"
#include "cli/look.h"
#include "cli/report.h"
#include "cli/run.h"
#include "cli/waiting.h"

#include <string.h>

static struct il_str optional(const struct il__args *args, const char *name)
{
    return il__text_of(il__args_value(args, name));
}

static enum il_code set_workflow(struct il__drive *drive, il_host *host, const char **what, struct il_error *err)
{
    const char *workflow = il__args_value(drive->in->args, "workflow");
    if (!workflow) return IL_OK;
    *what = workflow;
    return il_host_set_workflow(host, il__text_of(workflow), il__text_get(&drive->in->workflow), err);
}

static enum il_code add_bundles(struct il__drive *drive, il_host *host, const char **what, struct il_error *err)
{
    enum il_code code = il__people_set(&drive->in->people, host, what, err);
    if (code == IL_OK) code = set_workflow(drive, host, what, err);
    if (code == IL_OK) code = il__bundles_add(&drive->in->bundles, host, what, err);
    return code;
}

/* The scopes that are given; else those that the run began with, or the usual ones of a new run without a server. */
static size_t scopes_of(const struct il__run_input *in, struct il_str *scopes)
{
    static const char *const usual[] = { "computer:plan", "computer:execute:background" };
    const struct il__values *given = il__args_values(in->args, "scope");
    bool pinned = in->row && in->scopes.len && !given->count;
    size_t count = given->count || in->server || pinned ? given->count : 2, at = 0;
    struct il_str raw, list = il__text_get(&in->scopes);
    for (size_t i = 0; i < count; i++) scopes[i] = il__text_of(given->count ? given->at[i] : usual[i]);
    while (pinned && count < IL__CLI_OPTION_VALUES && il__look_next(list, &at, NULL, &raw))
        if (raw.len > 2) scopes[count++] = (struct il_str){ raw.ptr + 1, raw.len - 2 };
    return count;
}

static enum il_code take_over(struct il__drive *drive, il_host *host, il_run **run, const char **what,
                              struct il_error *err)
{
    const struct il__run_input *in = drive->in;
    struct il_str scopes[IL__CLI_OPTION_VALUES];
    struct il_resume_options options = IL_RESUME_OPTIONS_INIT;
    options.run_id = in->row->row.run_id;
    if (in->people.token_path) {
        options.identity_token = il__text_get(&in->people.token);
    } else {
        options.principal = il__text_of(in->principal);
        options.tenant = optional(in->args, "tenant");
        options.scopes = scopes;
        options.scope_count = scopes_of(in, scopes);
    }
    options.renew = in->renew;
    options.accept_rollback = in->accept_rollback;
    if (in->renew && drive->session.len) options.session_id = il__text_get(&drive->session);
    *what = in->json ? NULL : in->row->row.run_id.ptr; /* il__shelf_copy ends it with a NUL */
    return il_host_resume(host, &options, run, err);
}

static enum il_code start(struct il__drive *drive, il_host *host, il_run **run, const char **what, struct il_error *err)
{
    const struct il__run_input *in = drive->in;
    struct il_str scopes[IL__CLI_OPTION_VALUES];
    struct il_run_options options = IL_RUN_OPTIONS_INIT;
    if (in->row) return take_over(drive, host, run, what, err);
    options.proposal = il__text_get(&in->action);
    if (in->people.token_path) {
        options.identity_token = il__text_get(&in->people.token);
    } else {
        options.principal = il__text_of(in->principal);
        options.tenant = optional(in->args, "tenant");
        options.scopes = scopes;
        options.scope_count = scopes_of(in, scopes);
    }
    options.session_id = drive->session.len ? il__text_get(&drive->session) : il__text_of(in->session);
    if (!options.session_id.ptr) options.session_id = il__text_of("cli-session");
    options.agent_id = optional(in->args, "agent");
    *what = in->action_path;
    return il_run_start(host, &options, run, err);
}

/* Everything that the user gave, tried against a host without a server: what is wrong with it is said before anything
 * is connected. */
static int rehearse(struct il__drive *drive)
{
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    const char *what = NULL;
    il_host *host = NULL;
    il_run *run = NULL;
    enum il_code code = il_host_new(&options, &host, &err);
    if (code == IL_OK) code = il_host_set_runtime_simulated(host, (struct il_str){ NULL, 0 }, &err);
    if (code == IL_OK) code = add_bundles(drive, host, &what, &err);
    if (code == IL_OK && !drive->in->row) code = start(drive, host, &run, &what, &err);
    il_run_free(run);
    il_host_free(host);
    if (code != IL_OK) return il__report(drive->io, drive->in->json, what, &err, il__report_status(code));
    return drive->in->row ? 0 : il__server_check_scope(drive->io, drive->in);
}

/* "SIMULATED  write_clipboard  background  for local-operator": who does what, before anything is told. */
static void make_header(struct il__drive *drive)
{
    const struct il__run_input *in = drive->in;
    struct il__text *header = &drive->account.header, part = IL__TEXT_INIT;
    struct il_str action = il__text_get(&in->action);
    const struct il_store_row *row = in->row ? &in->row->row : NULL;
    const char *slash = in->simulated || in->server ? NULL : strrchr(in->runtime_path, '/');
    const char *whole = in->server ? in->endpoint.label : in->runtime_path;
    il__text_puts(&part, in->simulated ? "SIMULATED" : slash ? slash + 1 : whole);
    il__text_puts(&part, "  ");
    if (row) il__text_str(&part, row->tool);
    else il__look_text(&part, il__look_get(action, "tool"));
    il__text_puts(&part, "  ");
    if (row) il__text_str(&part, row->mode);
    else if (il__look_has(action, "mode")) il__look_text(&part, il__look_get(action, "mode"));
    else il__text_puts(&part, "background");
    il__text_printf(&part, "  for %s%s", in->principal, in->default_principal ? " (the default)" : "");
    if (row) il__text_puts(&part, in->renew ? "  asked afresh" : "  resumed");
    if (in->args->config) il__text_printf(&part, "  configured by %s", in->args->config->path);
    il__text_escaped(header, il__text_get(&part));
    il__text_clear(&part);
}

static void on_event(void *ctx, const struct il_event *event)
{
    struct il__drive *drive = ctx;
    if (event->type == IL_EVENT_DECISION) drive->reobserved = il__text_same(event->actual, "re-observe");
    il__logger_event(&drive->logger, event);
    il__account_event(&drive->account, event);
}

static enum il_code new_host(struct il__drive *drive, struct il_error *err)
{
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    options.event = on_event;
    options.event_ctx = drive;
    options.log = il__logger_line;
    options.log_ctx = &drive->logger;
    options.trace = true;
    il__config_host(drive->in->args, &options);
    options.kill_switch = optional(drive->in->args, "kill-switch"); /* the file's, unless another was given */
    drive->clock = drive->in->clock;
    if (drive->in->clock_fixed) {
        options.clock = il__cli_clock_read;
        options.clock_ctx = &drive->clock;
    }
    enum il_code code = il_host_new(&options, &drive->host, err);
    if (code == IL_OK) code = il__config_note(drive->in->args, drive->host, err);
    if (code == IL_OK && drive->in->store) code = il_host_set_store(drive->host, drive->in->store, err);
    const struct il__witness *w = drive->in->witness;
    if (code == IL_OK && w && w->given)
        code = il_host_set_witness(drive->host, il__text_get(&w->text), w->list, w->count, err);
    return code;
}

static enum il_code set_runtime(struct il__drive *drive, const char **what, struct il_error *err)
{
    const struct il__run_input *in = drive->in;
    if (in->server) return IL_OK;
    *what = in->runtime_path;
    if (in->simulated) return il_host_set_runtime_simulated(drive->host, (struct il_str){ NULL, 0 }, err);
    return il_host_set_runtime_lua(drive->host, il__text_of(in->runtime_path), il__text_get(&in->runtime),
                                   (struct il_str){ NULL, 0 }, err);
}

int il__run_begin(struct il__drive *drive)
{
    const struct il__run_input *in = drive->in;
    struct il_error err = IL_ERROR_INIT;
    const char *what = NULL;
    int status = in->server ? rehearse(drive) : 0;
    if (status != 0) return status;
    il__logger_init(&drive->logger, &drive->io->err, il__args_value(in->args, "log"));
    drive->signals = il__signals_open();
    enum il_code code = new_host(drive, &err);
    if (code == IL_OK) code = set_runtime(drive, &what, &err);
    if (code == IL_OK) code = add_bundles(drive, drive->host, &what, &err);
    if (code == IL_OK && in->server) status = il__server_open(drive);
    if (status != 0) return status;
    if (code == IL_OK) code = start(drive, drive->host, &drive->run, &what, &err);
    if (code != IL_OK) return il__report(drive->io, in->json, what, &err, il__report_status(code));
    il__logger_set_run(&drive->logger, il_run_id(drive->run));
    make_header(drive);
    return 0;
}

bool il__run_again(struct il__drive *drive)
{
    struct il_error err = IL_ERROR_INIT;
    struct il__run_input in = *drive->in;
    struct il__shelf_row row = { IL__TEXT_INIT, { .size = sizeof row.row } };
    il_run *next = NULL;
    const char *what = NULL;
    if (!drive->reobserved || !in.store || il_run_state(drive->run) != IL_RUN_ENDED) return false;
    drive->reobserved = false;
    il__text_str(&row.text, il_run_id(drive->run));
    row.row.run_id = il__text_get(&row.text);
    in.row = &row;
    in.renew = true;
    il_run_free(drive->run);
    drive->run = NULL;
    const struct il__run_input *own = drive->in;
    drive->in = &in;
    enum il_code code = take_over(drive, drive->host, &next, &what, &err);
    drive->in = own;
    il__shelf_clear(&row);
    if (code != IL_OK) {
        il__io_error(drive->io, "it cannot be asked afresh: %s", err.message);
        return false;
    }
    drive->run = next;
    drive->told = drive->shown = drive->asked = drive->given = false;
    il__logger_set_run(&drive->logger, il_run_id(next));
    il__account_flush(&drive->account);
    il__io_note(drive->io, "look again: run %.*s asks afresh", (int)il_run_id(next).len, il_run_id(next).ptr);
    return true;
}
