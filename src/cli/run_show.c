/* How a run ended, for a person or for a program: the result, or what is waited for.
 * Uses the summary, the document and the card of the library. Must never state more than those do. */
#include "cli/config.h"
#include "cli/look.h"
#include "cli/moment.h"
#include "cli/report.h"
#include "cli/run.h"
#include "cli/trial.h"
#include "cli/wait_show.h"

#include <string.h>

/* What each status means, in words. */
static const struct meaning {
    const char *status, *words;
} meanings[] = {
    { "completed", "it was done, and its effect was observed" },
    { "committed_unverified", "it was done; nothing shows whether the effect is there" },
    { "verification_failed", "the effect that was declared is not there" },
    { "previewed", "described only: a shadow run acts on nothing" },
    { "blocked", "not allowed; nothing was sent" },
    { "denied", "a person said no; nothing was sent" },
    { "expired", "time ran out before it was sent" },
    { "refused", "a check refused it; nothing was sent" },
    { "cancelled", "it was stopped before it was sent" },
    { "failed", "it could not be done; nothing happened" },
    { "indeterminate", "it was sent, and what became of it is not known" },
    { "waiting", "a person must answer" },
};

static const char *meaning(const char *status)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (strcmp(meanings[i].status, status) == 0) return meanings[i].words;
    return "";
}

/* ---- JSON ---- */

static void json_member(struct il__text *text, struct il_str doc, const char *name, const char *value)
{
    if (il__look_get(doc, name).ptr) return;
    il__text_printf(text, ",\"%s\":", name);
    il__text_json(text, il__text_of(value));
}

static int show_json(struct il__drive *drive, const struct il_summary *summary)
{
    const struct il__run_input *in = drive->in;
    struct il__text text = IL__TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    struct il_str doc;
    if (il_run_document(drive->run, &doc, &err) != IL_OK)
        return il__report(drive->io, true, NULL, &err, summary->exit_status ? summary->exit_status : 8);
    il__text_str(&text, doc);
    while (text.len && text.ptr[text.len - 1] != '}') text.len--;
    if (text.len) text.len--;
    json_member(&text, doc, "runtime",
                in->simulated ? "simulated" : in->server ? in->endpoint.label : in->runtime_path);
    if (!il__look_get(doc, "simulated").ptr)
        il__text_printf(&text, ",\"simulated\":%s", in->simulated ? "true" : "false");
    json_member(&text, doc, "principal", in->principal);
    if (in->server && drive->session.len) json_member(&text, doc, "session", drive->session.ptr);
    if (in->server)
        il__text_printf(&text, ",\"sessionStarted\":%s",
                        in->session ? "false" : "true");
    il__text_printf(&text, ",\"principalIsDefault\":%s", in->default_principal ? "true" : "false");
    if (in->args->config) json_member(&text, doc, "config", il__config_values(in->args)->digest);
    if (!il__look_get(doc, "exitStatus").ptr) il__text_printf(&text, ",\"exitStatus\":%d", summary->exit_status);
    if (in->trace) {
        il__text_puts(&text, ",\"trace\":[");
        il__text_str(&text, il__text_get(&drive->account.events));
        il__text_puts(&text, "]");
    }
    il__text_puts(&text, "}\n");
    il__out_text(&drive->io->out, &text);
    il__text_clear(&text);
    return summary->exit_status;
}

/* ---- text ---- */

static void pair(struct il__out *out, const char *name, enum il__tone tone, const char *value)
{
    if (value && value[0]) il__out_pair(out, name, tone, il__text_of(value));
}

static void show_status(struct il__out *out, const struct il_summary *summary)
{
    int status = summary->exit_status;
    enum il__tone tone = status == 0 ? IL__TONE_GOOD : status == 4 || status == 5 ? IL__TONE_OPEN : IL__TONE_BAD;
    struct il__out rest = *out;
    int len = (int)strlen(summary->status);
    il__out_puts(out, "\n");
    il__out_tone(out, tone, il__text_of(summary->status));
    rest.width = out->width - len;
    il__out_wrap(&rest, ": ", 2, IL__TONE_PLAIN, il__text_of(meaning(summary->status)));
    out->lost = rest.lost;
}

static void show_error(struct il__out *out, const struct il_error *err)
{
    struct il__text line = IL__TEXT_INIT;
    if (err->code == IL_OK && err->cleanup_code == IL_OK) return;
    if (err->code != IL_OK) {
        il__report_line(&line, err);
        il__out_pair(out, "error", IL__TONE_BAD, il__text_get(&line));
        il__text_reset(&line);
        il__text_printf(&line, "%s%s%s", il_code_name(err->code), err->step[0] ? ", in step " : "", err->step);
        il__out_pair(out, "code", IL__TONE_PLAIN, il__text_get(&line));
    }
    if (err->cleanup_code != IL_OK) {
        il__text_reset(&line);
        il__text_printf(&line, "%s%s%s: %s", il_code_name(err->cleanup_code), err->cleanup_step[0] ? " in " : "",
                        err->cleanup_step, err->cleanup_message);
        il__out_pair(out, "not released", IL__TONE_BAD, il__text_get(&line));
    }
    il__text_clear(&line);
}

static void show_result(struct il__out *out, const struct il__drive *drive, const struct il_summary *summary)
{
    struct il__text line = IL__TEXT_INIT;
    bool preview_only = strcmp(summary->status, "previewed") == 0;
    if (summary->reason.ptr) il__out_pair(out, "reason", IL__TONE_PLAIN, summary->reason);
    il__text_puts(&line, il_effect_name(summary->effect));
    if (drive->in->simulated && summary->effect != IL_EFFECT_NONE) il__text_puts(&line, " (in the simulation only)");
    il__out_pair(out, "effect", summary->effect == IL_EFFECT_UNKNOWN ? IL__TONE_BAD : IL__TONE_PLAIN,
                 il__text_get(&line));
    il__text_reset(&line);
    il__text_puts(&line, summary->verified ? "yes" : "no");
    if (summary->verification_detail.ptr) {
        il__text_puts(&line, ": ");
        il__text_str(&line, summary->verification_detail);
    }
    if (!preview_only) il__out_pair(out, "verified", IL__TONE_PLAIN, il__text_get(&line));
    pair(out, "retry", IL__TONE_PLAIN,
         summary->retry_safe ? "safe: nothing happened" : summary->effect == IL_EFFECT_COMMITTED
             ? "not safe: it would happen again" : "not safe: it may have happened");
    if (summary->receipt_id.ptr) il__out_pair(out, "receipt", IL__TONE_PLAIN, summary->receipt_id);
    show_error(out, &summary->error);
    if (drive->session.len) il__out_pair(out, "session", IL__TONE_DIM, il__text_get(&drive->session));
    il__out_pair(out, "run", IL__TONE_DIM, il_run_id(drive->run));
    il__text_clear(&line);
}

int64_t il__run_now(const struct il__drive *drive)
{
    return drive->in->clock_fixed ? 0 : il__wall_ms();
}

/* The same bundles and parameters: without them the run is not taken up again. */
static void put_bundles(struct il__text *line, const struct il__args *args)
{
    static const char *const names[] = { "policy", "trial", "param", "policy-key" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!il__args_given(args, names[i])) continue;
        const struct il__values *values = il__args_values(args, names[i]);
        for (size_t j = 0; j < values->count; j++) {
            il__text_printf(line, " --%s ", names[i]);
            il__shelf_word(line, values->at[j]);
        }
    }
}

/* The commands that answer it and go on with it, to copy. */
static void show_stored(struct il__drive *drive, struct il_str doc)
{
    struct il__out *out = &drive->io->out;
    const struct il__run_input *in = drive->in;
    struct il__text line = IL__TEXT_INIT, request = IL__TEXT_INIT;
    struct il_str id = il_run_id(drive->run);
    il__look_text(&request, il__look_get(doc, "requestId"));
    il__text_printf(&line, "interlock approve %.*s --request %s --as YOU --store ", (int)id.len, id.ptr,
                    request.len ? request.ptr : "");
    il__shelf_word(&line, in->store_path);
    il__out_puts(out, "\n");
    il__out_wrap(out, "  ", 6, IL__TONE_PLAIN, il__text_get(&line));
    il__text_reset(&line);
    il__text_printf(&line, "interlock resume %.*s --store ", (int)id.len, id.ptr);
    il__shelf_word(&line, in->store_path);
    il__text_puts(&line, " --runtime ");
    il__shelf_word(&line, in->simulated ? "simulated" : in->runtime_path);
    put_bundles(&line, in->args);
    il__out_wrap(out, "  ", 6, IL__TONE_PLAIN, il__text_get(&line));
    il__out_puts(out, "\n");
    pair(out, "kept", IL__TONE_PLAIN, "in the store, until it is answered or expires");
    il__text_clear(&line);
    il__text_clear(&request);
}

/* A file can answer the next run, since its digests are the same; its request id is another, and not needed there. */
static void show_how(struct il__drive *drive, struct il_str doc)
{
    struct il__out *out = &drive->io->out;
    bool previewed = il__look_has(doc, "actionDigest");
    if (drive->in->store) {
        show_stored(drive, doc);
        return;
    }
    const char *how = "run again with --ask on a terminal: each run proposes anew";
    if (drive->in->server)
        how = "run again with --wait, which keeps the run open until the server's own approval and an answer are there";
    else if (previewed)
        how = "run again with --ask on a terminal; or write this to answer.json, and run again with "
              "--approval answer.json";
    pair(out, "to answer", IL__TONE_PLAIN, how);
    if (previewed && !drive->in->server) il__wait_show_answer(out, doc);
    pair(out, "kept", IL__TONE_PLAIN, "nothing: this run ends with the process; what it held was released");
}

static void show_wait(struct il__drive *drive)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_str doc;
    if (il_run_document(drive->run, &doc, &err) != IL_OK) {
        show_error(&drive->io->out, &err);
        return;
    }
    if (!drive->left_open) il__wait_show(&drive->io->out, doc, il__run_now(drive));
    show_how(drive, doc);
}

/* What bundles on trial would have otherwise. */
static void show_trial(struct il__drive *drive)
{
    struct il_str doc;
    if (il_run_document(drive->run, &doc, NULL) == IL_OK) il__trial_show(&drive->io->out, doc);
}

int il__run_show(struct il__drive *drive)
{
    struct il_summary summary;
    memset(&summary, 0, sizeof summary);
    summary.size = sizeof summary;
    il_run_summary(drive->run, &summary);
    if (drive->in->json) return show_json(drive, &summary);
    il__account_flush(&drive->account);
    show_status(&drive->io->out, &summary);
    if (il_run_state(drive->run) == IL_RUN_WAITING) show_wait(drive);
    else show_result(&drive->io->out, drive, &summary);
    show_trial(drive);
    return summary.exit_status;
}
