/* `interlock run` against a server: what it asks for, connecting, and a wait that is kept open.
 * Must never give a scope that nobody gave, nor send anything before server and run are about the same principal. */
#include "cli/look.h"
#include "cli/report.h"
#include "cli/run.h"
#include "cli/wait_show.h"
#include "cli/waiting.h"

#include <string.h>
#include <sys/stat.h>

enum { KEEP_MS = 10000, STOP_MS = 5000 };

int il__server_check(struct il__io *io, const struct il__run_input *in)
{
    if (!in->server || !in->clock_fixed) return 0;
    il__io_error(io, "--now is for simulated and Lua runtimes; a server has a clock of its own");
    return 2;
}

/* ---- scope ---- */

int il__server_check_scope(struct il__io *io, const struct il__run_input *in)
{
    static const struct need {
        const char *mode, *scope;
    } needs[] = {
        { "background", "computer:execute:background" },
        { "foreground", "computer:execute:foreground" },
        { "shadow", "computer:plan" },
    };
    const struct il__values *scopes = il__args_values(in->args, "scope");
    struct il_str mode = il__look_get(il__text_get(&in->action), "mode");
    const struct need *need = &needs[0];
    struct il_error err = IL_ERROR_INIT;
    if (!in->server) return 0;
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (il__look_is(mode, needs[i].mode)) need = &needs[i];
    for (size_t i = 0; i < scopes->count; i++)
        if (strcmp(scopes->at[i], need->scope) == 0) return 0;
    if (in->people.token_path && il__people_has_scope(&in->people, need->scope)) return 0;
    err.code = IL_MISSING_SCOPE;
    if (in->people.token_path)
        snprintf(err.message, sizeof err.message, "mode %s needs the scope %s, and the token does not hold it",
                 need->mode, need->scope);
    else
        snprintf(err.message, sizeof err.message,
                 "mode %s needs a scope that is not given, and a server gets none by default: write --scope %s",
                 need->mode, need->scope);
    return il__report(io, in->json, NULL, &err, 1);
}

/* ---- connecting ---- */

/* A principal that is not the server's would be refused at the preview; here it can be said what to write. */
static int check_principal(struct il__drive *drive)
{
    const struct il__run_input *in = drive->in;
    struct il__text theirs = IL__TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    int status = 0;
    il__look_text(&theirs, il__look_get(il__text_get(&drive->facts), "principalId"));
    if (!il__text_same(il__text_get(&theirs), in->principal)) {
        err.code = IL_IDENTITY_MISMATCH;
        snprintf(err.object, sizeof err.object, "runtime session");
        snprintf(err.field, sizeof err.field, "principal_id");
        snprintf(err.message, sizeof err.message,
                 "the server acts for %.120s, this run for %.60s%s; if that is who you are, write --principal %.120s",
                 theirs.len ? theirs.ptr : "nobody", in->principal, in->default_principal ? " (the default)" : "",
                 theirs.len ? theirs.ptr : "P");
        status = il__report(drive->io, in->json, NULL, &err, 1);
    }
    il__text_clear(&theirs);
    return status;
}

/* Connected before the run begins: a person is not asked for what could not be granted. */
static int open_approver(struct il__drive *drive)
{
    const struct il__run_input *in = drive->in;
    struct il_error err = IL_ERROR_INIT;
    if (!in->approver.address) return 0;
    enum il_code code = il__approver_set(drive->host, &in->approver, &err);
    if (code == IL_OK) code = il__approver_wait(drive->host, drive->signals, &err);
    err.code = code;
    return code == IL_OK ? 0 : il__connect_report(drive->io, in->json, &in->approver, &err);
}

int il__server_open(struct il__drive *drive)
{
    const struct il__run_input *in = drive->in;
    struct il__connect_times times;
    struct il_error err = IL_ERROR_INIT;
    il__logger_say(&drive->logger, "connecting to", in->endpoint.label);
    enum il_code code = il__connect_begin(drive->host, &in->endpoint, in->session, false, &err);
    if (code == IL_OK) code = il__connect_wait(drive->host, drive->signals, &times, &drive->facts, &err);
    err.code = code;
    il__logger_say(&drive->logger, code == IL_OK ? "connected to" : "not connected to", in->endpoint.label);
    if (code != IL_OK) return il__connect_report(drive->io, in->json, &in->endpoint, &err);
    il__look_text(&drive->session, il__look_get(il__text_get(&drive->facts), "sessionId"));
    if (!in->session)
        il__io_note(drive->io, "started session %s at the server", drive->session.len ? drive->session.ptr : "");
    int status = check_principal(drive);
    return status != 0 ? status : open_approver(drive);
}

/* ---- the end ---- */

static void stopped(void *ctx, struct il_str json, const struct il_error *err)
{
    struct il__drive *drive = ctx;
    (void)json;
    drive->stopped = true;
    if (err && err->code != IL_OK)
        il__io_note(drive->io, "session %s is left open: %s", drive->session.ptr, err->message);
}

/* Who has to find out what became of an action needs the session as it is: a server replays no receipt of a stopped
 * one. */
static bool effect_is_unknown(const struct il__drive *drive)
{
    struct il_summary summary = { .size = sizeof summary };
    if (!drive->run) return false;
    il_run_summary(drive->run, &summary);
    return summary.effect == IL_EFFECT_UNKNOWN;
}

/* Who began the run may have begun its session for it alone: it is not ours to end. */
static void tell_left(const struct il__drive *drive)
{
    if (!drive->in->row || !drive->run || drive->account.muted || il_run_state(drive->run) != IL_RUN_ENDED) return;
    il__io_note(drive->io, "session %s stays open at the server; 'interlock session stop --session %s' ends it",
                drive->session.ptr, drive->session.ptr);
}

void il__server_close(struct il__drive *drive)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_str facts;
    int64_t until = il__now_ms() + STOP_MS;
    if (!drive->in->server || !drive->host || !drive->session.len) return;
    if (drive->in->session) {
        tell_left(drive);
        return;
    }
    if (drive->in->store && drive->run && il_run_state(drive->run) == IL_RUN_WAITING) return; /* it is needed */
    if (il_host_runtime_facts(drive->host, &facts, &err) || !il__look_is(il__look_get(facts, "state"), "ready")) return;
    if (effect_is_unknown(drive)) {
        il__io_note(drive->io,
                    "session %s is left open, for it is not known what became of the action; 'interlock session stop' "
                    "ends it", drive->session.ptr);
        return;
    }
    if (il_host_session(drive->host, il__text_of("stop"), il__text_of("{\"reason\":\"the run is over\"}"), stopped,
                        drive, &err))
        return;
    while (!drive->stopped && il__now_ms() < until) {
        struct il_tick tick = { .size = sizeof tick };
        if (il_host_tick(drive->host, 50000, &tick, &err)) return;
        if (!drive->stopped) (void)il__wait(drive->host, -1, tick.more ? 0 : tick.next_deadline_ms);
    }
    if (!drive->stopped)
        il__io_note(drive->io, "session %s is left open: the server does not answer", drive->session.ptr);
}

/* ---- a wait that is kept open ---- */

static void looked(void *ctx, struct il_str json, const struct il_error *err)
{
    struct il__drive *drive = ctx;
    struct il_str state = il__look_get(json, "state");
    drive->asking = false;
    if (err && err->code != IL_OK) {
        il__io_note(drive->io, "the server's session cannot be looked at: %s", err->message);
        return;
    }
    if (il__look_is(state, "running") || il__look_is(state, "waiting_for_user")) return;
    struct il__text line = IL__TEXT_INIT;
    il__look_text(&line, state);
    if (il__look_has(json, "waitingReason")) il__text_puts(&line, ": ");
    il__look_text(&line, il__look_get(json, "waitingReason"));
    il__io_note(drive->io, "the server's session is %s; until an operator resumes it, nothing is sent", line.ptr);
    il__text_clear(&line);
}

/* The connection is gone, or came back to a server that has lost the session: what the server remembers of the preview
 * went with it. */
static bool is_lost(struct il__drive *drive)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_str facts;
    if (il_host_runtime_facts(drive->host, &facts, &err) != IL_OK) return false;
    bool forgotten = il__text_same(il__look_get(facts, "sessionLost"), "true");
    if (!forgotten && !il__look_is(il__look_get(facts, "state"), "closed")) return false;
    struct il__text why = IL__TEXT_INIT;
    il__look_text(&why, il__look_get(facts, "error.message"));
    drive->lost.code = IL_TRANSPORT;
    snprintf(drive->lost.message, sizeof drive->lost.message, "the server went away while the run waited: %s",
             why.len ? why.ptr : forgotten ? "its session is lost" : "the connection is closed");
    il__text_clear(&why);
    return true;
}

void il__server_keep(struct il__drive *drive)
{
    struct il_error err = IL_ERROR_INIT;
    int64_t now = il__now_ms();
    if (!drive->in->server) return;
    if (is_lost(drive)) {
        if (il_run_cancel(drive->run, il__text_of("the server went away"), &err) != IL_OK)
            il__io_error(drive->io, "cannot cancel: %s", err.message);
        return;
    }
    if (drive->asking || (drive->asked_ms && now - drive->asked_ms < KEEP_MS)) return;
    drive->asked_ms = now;
    drive->asking = il_host_session(drive->host, il__text_of("get"), (struct il_str){ NULL, 0 }, looked, drive, &err) ==
                    IL_OK;
}

void il__server_tell_wait(struct il__drive *drive)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_str doc;
    if (drive->told || il_run_document(drive->run, &doc, &err) != IL_OK) return;
    drive->told = drive->shown = true;
    il__account_flush(&drive->account);
    if (!drive->in->json) il__wait_show(&drive->io->out, doc, il__run_now(drive));
    if (!drive->in->json && !drive->in->ask && il__look_has(doc, "actionDigest"))
        il__wait_show_answer(&drive->io->out, doc);
    fflush(drive->io->out.file);
    struct il__text session = IL__TEXT_INIT;
    if (drive->session.len) il__text_printf(&session, " of session %s", drive->session.ptr);
    struct il_str action = il_run_action_id(drive->run);
    il__io_note(drive->io, "waiting for an answer to action %.*s%s; %sCtrl-C ends it", (int)action.len, action.ptr,
                session.len ? session.ptr : "",
                !drive->in->server ? "" :
                drive->in->approver.address ? "what you approve is granted at the server, too; " :
                "approve it at the server first, else it refuses the execute; ");
    il__text_clear(&session);
}

/* On a host of its own: the run's tells its checks. */
static enum il_code check_answer(struct il_str text, struct il_error *err)
{
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    il_host *scratch = NULL;
    enum il_code code = il_host_new(&options, &scratch, err);
    if (code == IL_OK) code = il__answer_check(scratch, text, err);
    il_host_free(scratch);
    return code;
}

bool il__server_late_answer(struct il__drive *drive)
{
    struct il_error err = IL_ERROR_INIT;
    struct il__text text = IL__TEXT_INIT;
    const char *path = il__args_values(drive->in->args, drive->in->approval_option)->at[drive->answered];
    char why[512] = "";
    struct stat st;
    if (stat(path, &st) != 0 || st.st_size == 0) return false;
    bool good = il__file_read(path, &text, why, sizeof why) == 0;
    if (good && check_answer(il__text_get(&text), &err) != IL_OK) {
        good = false;
        snprintf(why, sizeof why, "%s: %s", path, err.message);
    }
    if (!good && !drive->said_unreadable) il__io_error(drive->io, "%s; it is looked at again", why);
    drive->said_unreadable = !good;
    if (good) {
        drive->answered++;
        if (il_run_answer(drive->run, il__text_get(&text), false, &err) != IL_OK &&
            il_run_state(drive->run) == IL_RUN_WAITING)
            il__io_error(drive->io, "%s: %s", path, err.message);
    }
    il__text_clear(&text);
    return good;
}
