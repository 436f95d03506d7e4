/* Moving a run to its end, or to a wait that nobody answers.
 * Sleeps only between ticks, and listens for signals there: the first interrupt cancels the run, so that what it holds
 * is released; a run that waits in a store is left there. Must never answer a wait with anything but the user's own
 * files. */
#include "cli/look.h"
#include "cli/report.h"
#include "cli/run.h"
#include "cli/waiting.h"

#include <string.h>
#include <unistd.h>

enum { WAIT_MS = 200, GIVE_BACK_MS = 5000 };

/* ---- moving ---- */

/* Waits up to `ms` for a signal that asks to stop; the second one then ends the process at once. */
static void rest(struct il__drive *drive, int64_t ms)
{
    struct il_error err = IL_ERROR_INIT;
    if (!il__wait(drive->host, drive->signals, ms) || drive->interrupted) return;
    drive->interrupted = true;
    if (drive->in->store && il_run_state(drive->run) == IL_RUN_WAITING) return; /* a signal decides nothing */
    if (il_run_cancel(drive->run, il__text_of("interrupted"), &err) != IL_OK)
        il__io_error(drive->io, "cannot cancel: %s", err.message);
    il__signals_release();
}

/* Interrupted while it waits in a store: it goes on waiting there. */
static bool left(const struct il__drive *drive)
{
    return drive->interrupted && drive->in->store && il_run_state(drive->run) == IL_RUN_WAITING;
}

/* A signed decision, or an operator's answer. */
static enum il_code deliver(struct il__drive *drive, struct il_str text, struct il_error *err)
{
    struct il_decision decision = IL_DECISION_INIT;
    if (!il__look_has(text, "signature")) return il_run_answer(drive->run, text, drive->in->row != NULL, err);
    decision.signed_json = text;
    decision.last_word = !drive->in->row; /* a run of a store can be answered by others */
    return il_run_decide(drive->run, &decision, err);
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
        if (deliver(drive, il__text_get(text), &err) != IL_OK &&
            il_run_state(drive->run) == IL_RUN_WAITING)
            il__io_error(drive->io, "%s: %s", il__args_values(in->args, in->approval_option)->at[drive->answered - 1],
                         err.message);
        return true;
    }
    if (in->decided && !drive->given) {
        drive->given = true;
        il__ask_deliver(drive);
        return true;
    }
    if (drive->obtaining) {
        rest(drive, WAIT_MS);
        return true;
    }
    if (drive->left_open) return false;
    if (in->wait || (in->ask && in->server)) il__server_tell_wait(drive);
    if (in->wait && !in->ask) rest(drive, WAIT_MS);
    if (left(drive)) return false;
    if (!in->ask) return in->wait;
    if (!drive->asked) il__ask_question(drive);
    if (il__ask_poll(drive, 100)) return true;
    drive->asked = false;
    drive->left_open = !in->wait;
    return in->wait;
}

/* Once for each request. */
static void notice(struct il__drive *drive)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_str doc;
    if (!il__args_value(drive->in->args, "notify") || il_run_document(drive->run, &doc, &err) != IL_OK) return;
    struct il_str request = il__look_get(doc, "requestId");
    size_t len = request.len < sizeof drive->noticed ? request.len : sizeof drive->noticed - 1;
    if (strlen(drive->noticed) == len && memcmp(drive->noticed, request.ptr, len) == 0) return;
    memcpy(drive->noticed, request.ptr, len);
    drive->noticed[len] = '\0';
    il__notice_send(drive->io, drive->in->args, drive->in->store, doc);
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
        notice(drive);
        if (in->wait && !drive->interrupted) il__server_keep(drive);
        return !left(drive) && (drive->interrupted || drive->lost.code != IL_OK || answer(drive));
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
    if (drive->in->store && il_run_state(drive->run) == IL_RUN_WAITING) return;
    drive->account.muted = true;
    if (il_run_cancel(drive->run, il__text_of("nobody waits for it"), &err) != IL_OK) return;
    while (il_run_state(drive->run) != IL_RUN_ENDED && il__now_ms() < until) {
        struct il_tick tick = { .size = sizeof tick };
        if (il_host_tick(drive->host, 50000, &tick, &err) != IL_OK) return;
        if (il_run_state(drive->run) == IL_RUN_ENDED) return;
        (void)il__wait(drive->host, -1, tick.more ? 0 : tick.next_deadline_ms);
    }
}

/* A run that waits in a store stays there; il_run_free would cancel it. */
static void hand_back(struct il__drive *drive)
{
    struct il_error err = IL_ERROR_INIT;
    if (!drive->run) return;
    if (!drive->in->store || il_run_state(drive->run) != IL_RUN_WAITING) il_run_free(drive->run);
    else if (il_run_leave(drive->run, &err) != IL_OK)
        il__io_error(drive->io, "the run cannot be left in its store: %s", err.message);
    drive->run = NULL;
}

void il__run_leave(struct il__drive *drive)
{
    give_back(drive);
    il__server_close(drive);
    hand_back(drive);
    il_host_free(drive->host);
    il__account_clear(&drive->account);
    il__text_clear(&drive->facts);
    il__text_clear(&drive->session);
    if (drive->signals > 0) close(drive->signals);
    il__signals_release();
}

int il__run_whole(struct il__io *io, const struct il__run_input *in)
{
    struct il__drive drive;
    memset(&drive, 0, sizeof drive);
    drive.io = io;
    drive.in = in;
    il__account_init(&drive.account, &io->out, in->json, in->trace);
    int status = il__run_begin(&drive);
    do {
        if (status == 0) status = il__run_drive(&drive);
    } while (status == 0 && il__run_again(&drive));
    if (status == 0) status = il__run_show(&drive);
    il__run_leave(&drive);
    return status;
}
