/* Building the host of one run and moving it to its end, or to a wait that nobody answers.
 * Sleeps only between ticks, and listens for signals there: the first interrupt cancels the run, so that what it holds
 * is released. Must never answer a wait with anything but the user's own files. */
#include "cli/look.h"
#include "cli/report.h"
#include "cli/run.h"

#include <signal.h>
#include <string.h>
#include <time.h>

static struct il_str optional(const struct il__args *args, const char *name)
{
    return il__text_of(il__args_value(args, name));
}

static enum il_code set_runtime(struct il__drive *drive, const char **what, struct il_error *err)
{
    const struct il__run_input *in = drive->in;
    const char *workflow = il__args_value(in->args, "workflow");
    *what = in->runtime_path;
    enum il_code code = in->simulated
        ? il_host_set_runtime_simulated(drive->host, (struct il_str){ NULL, 0 }, err)
        : il_host_set_runtime_lua(drive->host, il__text_of(in->runtime_path), il__text_get(&in->runtime),
                                  (struct il_str){ NULL, 0 }, err);
    if (code != IL_OK || !workflow) return code;
    *what = workflow;
    return il_host_set_workflow(drive->host, il__text_of(workflow), il__text_get(&in->workflow), err);
}

static enum il_code add_bundles(struct il__drive *drive, const char **what, struct il_error *err)
{
    const struct il__values *bundles = il__args_values(drive->in->args, "policy");
    enum il_code code = IL_OK;
    for (size_t i = 0; code == IL_OK && i < bundles->count; i++) {
        const struct il__text *text = &drive->in->params[i];
        struct il_str params = text->len ? il__text_get(text) : (struct il_str){ NULL, 0 };
        *what = bundles->at[i];
        code = il_host_add_bundle_dir(drive->host, il__text_of(bundles->at[i]), params, err);
    }
    return code;
}

static enum il_code start(struct il__drive *drive, const char **what, struct il_error *err)
{
    static const char *const usual[] = { "computer:plan", "computer:execute:background" };
    const struct il__run_input *in = drive->in;
    const struct il__values *given = il__args_values(in->args, "scope");
    struct il_str scopes[IL__CLI_OPTION_VALUES];
    struct il_run_options options = IL_RUN_OPTIONS_INIT;
    size_t count = given->count ? given->count : 2;
    for (size_t i = 0; i < count; i++) scopes[i] = il__text_of(given->count ? given->at[i] : usual[i]);
    options.proposal = il__text_get(&in->action);
    options.principal = il__text_of(in->principal);
    options.tenant = optional(in->args, "tenant");
    options.scopes = scopes;
    options.scope_count = count;
    options.session_id = optional(in->args, "session");
    if (!options.session_id.ptr) options.session_id = il__text_of("cli-session");
    options.agent_id = optional(in->args, "agent");
    *what = in->action_path;
    return il_run_start(drive->host, &options, &drive->run, err);
}

/* "SIMULATED  write_clipboard  background  for local-operator": who does what, before anything is told. */
static void make_header(struct il__drive *drive)
{
    const struct il__run_input *in = drive->in;
    struct il__text *header = &drive->account.header, part = IL__TEXT_INIT;
    struct il_str action = il__text_get(&in->action);
    const char *slash = in->simulated ? NULL : strrchr(in->runtime_path, '/');
    il__text_puts(&part, in->simulated ? "SIMULATED" : slash ? slash + 1 : in->runtime_path);
    il__text_puts(&part, "  ");
    il__look_text(&part, il__look_get(action, "tool"));
    il__text_puts(&part, "  ");
    if (il__look_has(action, "mode")) il__look_text(&part, il__look_get(action, "mode"));
    else il__text_puts(&part, "background");
    il__text_printf(&part, "  for %s%s", in->principal, in->default_principal ? " (the default)" : "");
    il__text_escaped(header, il__text_get(&part));
    il__text_clear(&part);
}

int il__run_begin(struct il__drive *drive)
{
    const struct il__run_input *in = drive->in;
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    const char *what = NULL;
    options.event = il__account_event;
    options.event_ctx = &drive->account;
    options.trace = true;
    drive->clock = in->clock;
    if (in->clock_fixed) {
        options.clock = il__cli_clock_read;
        options.clock_ctx = &drive->clock;
    }
    enum il_code code = il_host_new(&options, &drive->host, &err);
    if (code == IL_OK) code = set_runtime(drive, &what, &err);
    if (code == IL_OK) code = add_bundles(drive, &what, &err);
    if (code == IL_OK) code = start(drive, &what, &err);
    if (code == IL_OK) make_header(drive);
    if (code == IL_OK) return 0;
    return il__report(drive->io, in->json, what, &err, il__report_status(code));
}

/* ---- moving ---- */

static void signals_of(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
}

/* Waits up to `ms` for a signal that asks to stop; the second one then ends the process at once. */
static void rest(struct il__drive *drive, int64_t ms)
{
    sigset_t set;
    struct timespec time = { ms / 1000, (long)(ms % 1000) * 1000000 };
    signals_of(&set);
    if (sigtimedwait(&set, NULL, &time) < 0 || drive->interrupted) return;
    drive->interrupted = true;
    struct il_error err = IL_ERROR_INIT;
    if (il_run_cancel(drive->run, il__text_of("interrupted"), &err) != IL_OK)
        il__io_error(drive->io, "cannot cancel: %s", err.message);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* Delivers the next answer; false when the run is to be left waiting. A refused answer of a file ends the run, which
 * says why; one that does not count leaves it open. */
static bool answer(struct il__drive *drive)
{
    const struct il__run_input *in = drive->in;
    struct il_error err = IL_ERROR_INIT;
    if (drive->answered < in->approval_count) {
        const struct il__text *text = &in->approvals[drive->answered++];
        if (il_run_answer(drive->run, il__text_get(text), false, &err) != IL_OK &&
            il_run_state(drive->run) == IL_RUN_WAITING)
            il__io_error(drive->io, "%s: %s", il__args_values(in->args, "approval")->at[drive->answered - 1],
                         err.message);
        return true;
    }
    if (!in->ask) return false;
    if (!drive->asked) il__ask_question(drive);
    if (il__ask_poll(drive, 100)) return true;
    drive->left_open = true;
    return false;
}

/* One tick and a rest. False when the run can go no further here; `*status` is then 0 or 8. */
static bool move(struct il__drive *drive, int *status)
{
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
        return drive->interrupted || answer(drive);
    }
    if (!tick.more && tick.in_flight == 0 && tick.next_deadline_ms < 0) {
        snprintf(err.message, sizeof err.message, "the run stands still");
        *status = il__report(drive->io, drive->in->json, NULL, &err, 8);
        return false;
    }
    int64_t ms = tick.more ? 0 : tick.next_deadline_ms < 0 || tick.next_deadline_ms > 100 ? 100 : tick.next_deadline_ms;
    rest(drive, ms);
    return true;
}

int il__run_drive(struct il__drive *drive)
{
    sigset_t set;
    int status = 0;
    signals_of(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    while (move(drive, &status)) continue;
    return status;
}
