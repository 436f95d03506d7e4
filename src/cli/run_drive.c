/* Building the host of one run and moving it to its end, or to a wait that nobody answers.
 * Sleeps only between ticks, and listens for signals there: the first interrupt cancels the run, so that what it holds
 * is released. Must never answer a wait with anything but the user's own files. */
#include "cli/look.h"
#include "cli/report.h"
#include "cli/run.h"
#include "cli/waiting.h"

#include <string.h>
#include <unistd.h>

enum { WAIT_MS = 200, GIVE_BACK_MS = 5000 };

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
    const struct il__values *bundles = il__args_values(drive->in->args, "policy");
    enum il_code code = set_workflow(drive, host, what, err);
    for (size_t i = 0; code == IL_OK && i < bundles->count; i++) {
        const struct il__text *text = &drive->in->params[i];
        struct il_str params = text->len ? il__text_get(text) : (struct il_str){ NULL, 0 };
        *what = bundles->at[i];
        code = il_host_add_bundle_dir(host, il__text_of(bundles->at[i]), params, err);
    }
    return code;
}

static enum il_code start(struct il__drive *drive, il_host *host, il_run **run, const char **what, struct il_error *err)
{
    static const char *const usual[] = { "computer:plan", "computer:execute:background" };
    const struct il__run_input *in = drive->in;
    const struct il__values *given = il__args_values(in->args, "scope");
    struct il_str scopes[IL__CLI_OPTION_VALUES];
    struct il_run_options options = IL_RUN_OPTIONS_INIT;
    size_t count = given->count || in->server ? given->count : 2;
    for (size_t i = 0; i < count; i++) scopes[i] = il__text_of(given->count ? given->at[i] : usual[i]);
    options.proposal = il__text_get(&in->action);
    options.principal = il__text_of(in->principal);
    options.tenant = optional(in->args, "tenant");
    options.scopes = scopes;
    options.scope_count = count;
    options.session_id = drive->session.len ? il__text_get(&drive->session) : optional(in->args, "session");
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
    if (code == IL_OK) code = start(drive, host, &run, &what, &err);
    il_run_free(run);
    il_host_free(host);
    if (code != IL_OK) return il__report(drive->io, drive->in->json, what, &err, il__report_status(code));
    return il__server_check_scope(drive->io, drive->in);
}

/* "SIMULATED  write_clipboard  background  for local-operator": who does what, before anything is told. */
static void make_header(struct il__drive *drive)
{
    const struct il__run_input *in = drive->in;
    struct il__text *header = &drive->account.header, part = IL__TEXT_INIT;
    struct il_str action = il__text_get(&in->action);
    const char *slash = in->simulated || in->server ? NULL : strrchr(in->runtime_path, '/');
    const char *whole = in->server ? in->endpoint.label : in->runtime_path;
    il__text_puts(&part, in->simulated ? "SIMULATED" : slash ? slash + 1 : whole);
    il__text_puts(&part, "  ");
    il__look_text(&part, il__look_get(action, "tool"));
    il__text_puts(&part, "  ");
    if (il__look_has(action, "mode")) il__look_text(&part, il__look_get(action, "mode"));
    else il__text_puts(&part, "background");
    il__text_printf(&part, "  for %s%s", in->principal, in->default_principal ? " (the default)" : "");
    il__text_escaped(header, il__text_get(&part));
    il__text_clear(&part);
}

static void on_event(void *ctx, const struct il_event *event)
{
    struct il__drive *drive = ctx;
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
    drive->clock = drive->in->clock;
    if (drive->in->clock_fixed) {
        options.clock = il__cli_clock_read;
        options.clock_ctx = &drive->clock;
    }
    return il_host_new(&options, &drive->host, err);
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

/* ---- moving ---- */

/* Waits up to `ms` for a signal that asks to stop; the second one then ends the process at once. */
static void rest(struct il__drive *drive, int64_t ms)
{
    struct il_error err = IL_ERROR_INIT;
    if (!il__wait(drive->host, drive->signals, ms) || drive->interrupted) return;
    drive->interrupted = true;
    if (il_run_cancel(drive->run, il__text_of("interrupted"), &err) != IL_OK)
        il__io_error(drive->io, "cannot cancel: %s", err.message);
    il__signals_release();
}

/* Delivers the next answer; false when the run is to be left waiting. A refused answer of a file ends the run, which
 * says why; one that does not count leaves it open. */
static bool answer(struct il__drive *drive)
{
    const struct il__run_input *in = drive->in;
    struct il_error err = IL_ERROR_INIT;
    if (drive->answered < in->approval_count && !in->approvals[drive->answered].len) {
        if (il__server_late_answer(drive)) return true;
    } else if (drive->answered < in->approval_count) {
        const struct il__text *text = &in->approvals[drive->answered++];
        if (il_run_answer(drive->run, il__text_get(text), false, &err) != IL_OK &&
            il_run_state(drive->run) == IL_RUN_WAITING)
            il__io_error(drive->io, "%s: %s", il__args_values(in->args, "approval")->at[drive->answered - 1],
                         err.message);
        return true;
    }
    if (drive->obtaining) {
        rest(drive, WAIT_MS);
        return true;
    }
    if (drive->left_open) return false;
    if (in->wait || (in->ask && in->server)) il__server_tell_wait(drive);
    if (in->wait && !in->ask) rest(drive, WAIT_MS);
    if (!in->ask) return in->wait;
    if (!drive->asked) il__ask_question(drive);
    if (il__ask_poll(drive, 100)) return true;
    drive->asked = false;
    drive->left_open = !in->wait;
    return in->wait;
}

/* One tick and a rest. False when the run can go no further here; `*status` is then 0 or 8. */
static bool move(struct il__drive *drive, int *status)
{
    const struct il__run_input *in = drive->in;
    struct il_error err = IL_ERROR_INIT;
    struct il_tick tick = { .size = sizeof tick };
    if (il_host_tick(drive->host, 50000, &tick, &err) != IL_OK) {
        *status = il__report(drive->io, drive->in->json, NULL, &err, 8);
        return false;
    }
    enum il_run_state state = il_run_state(drive->run);
    if (state == IL_RUN_ENDED) return false;
    if (state == IL_RUN_WAITING && !drive->interrupted) {
        rest(drive, 0);
        if (in->wait && !drive->interrupted) il__server_keep(drive);
        return drive->interrupted || drive->lost.code != IL_OK || answer(drive);
    }
    if (!tick.more && tick.in_flight == 0 && tick.next_deadline_ms < 0) {
        snprintf(err.message, sizeof err.message, "the run stands still");
        *status = il__report(drive->io, drive->in->json, NULL, &err, 8);
        return false;
    }
    rest(drive, tick.more ? 0 : tick.next_deadline_ms);
    return true;
}

int il__run_drive(struct il__drive *drive)
{
    int status = 0;
    while (move(drive, &status)) continue;
    if (status != 0 || drive->lost.code == IL_OK) return status;
    return il__connect_report(drive->io, drive->in->json, &drive->in->endpoint, &drive->lost);
}

/* What a run that is left still holds is given back, as far as the runtime answers soon. */
static void give_back(struct il__drive *drive)
{
    struct il_error err = IL_ERROR_INIT;
    int64_t until = il__now_ms() + GIVE_BACK_MS;
    if (!drive->run || !drive->in->server || il_run_state(drive->run) == IL_RUN_ENDED) return;
    drive->account.muted = true;
    if (il_run_cancel(drive->run, il__text_of("nobody waits for it"), &err) != IL_OK) return;
    while (il_run_state(drive->run) != IL_RUN_ENDED && il__now_ms() < until) {
        struct il_tick tick = { .size = sizeof tick };
        if (il_host_tick(drive->host, 50000, &tick, &err) != IL_OK) return;
        if (il_run_state(drive->run) == IL_RUN_ENDED) return;
        (void)il__wait(drive->host, -1, tick.more ? 0 : tick.next_deadline_ms);
    }
}

void il__run_leave(struct il__drive *drive)
{
    give_back(drive);
    il__server_close(drive);
    il_run_free(drive->run);
    il_host_free(drive->host);
    il__account_clear(&drive->account);
    il__text_clear(&drive->facts);
    il__text_clear(&drive->session);
    if (drive->signals > 0) close(drive->signals);
    il__signals_release();
}
