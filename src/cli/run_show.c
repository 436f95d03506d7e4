/* How a run ended, for a person or for a program: the result, or what is waited for.
 * Uses the summary, the document and the card of the library. Must never state more than those do. */
#include "cli/json.h"
#include "cli/report.h"
#include "cli/run.h"

#include <string.h>

/* What each status means, in words. */
static const char *meaning(const char *status)
{
    static const struct { const char *status, *words; } table[] = {
        { "completed", "it was done, and its effect was observed" },
        { "committed_unverified", "it was done; nothing shows whether the effect is there" },
        { "verification_failed", "the effect that was declared is not there" },
        { "previewed", "described only: a shadow run acts on nothing" },
        { "blocked", "not allowed; nothing was sent" },
        { "denied", "a person said no; nothing was sent" },
        { "expired", "time ran out before it was sent" },
        { "refused", "a check refused it" },
        { "cancelled", "it was stopped before it was sent" },
        { "failed", "it could not be done; nothing happened" },
        { "indeterminate", "it was sent, and what became of it is not known" },
        { "waiting", "a person must answer" },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].status, status) == 0) return table[i].words;
    return "";
}

/* The summary, with the status that a refused answer gives a one-shot run. */
static void summarize(const struct il__drive *drive, struct il_summary *out)
{
    memset(out, 0, sizeof *out);
    out->size = sizeof *out;
    il_run_summary(drive->run, out);
    if (!drive->answer_refused || strcmp(out->status, "cancelled") != 0) return;
    out->status = "refused";
    out->error = drive->answer_error;
    out->exit_status = out->error.cleanup_code != IL_OK ? 8 : 1;
}

/* ---- JSON ---- */

static void json_member(struct il__text *text, struct il_str doc, const char *name, const char *value)
{
    if (il__json_get(doc, name).ptr) return;
    il__text_printf(text, ",\"%s\":", name);
    il__text_json(text, il__text_of(value));
}

/* The document with the value at `path` replaced, when it has one. */
static void replace(struct il__text *text, const char *path, struct il_str value)
{
    struct il_str doc = il__text_get(text), old = il__json_get(doc, path);
    struct il__text out = IL__TEXT_INIT;
    if (!old.ptr) return;
    il__text_add(&out, doc.ptr, (size_t)(old.ptr - doc.ptr));
    il__text_str(&out, value);
    il__text_add(&out, old.ptr + old.len, doc.len - (size_t)(old.ptr + old.len - doc.ptr));
    il__text_clear(text);
    *text = out;
}

static void set_refused(const struct il__drive *drive, struct il__text *text)
{
    struct il__text error = IL__TEXT_INIT;
    il__report_json(&error, &drive->answer_error);
    replace(text, "status", il__text_of("\"refused\""));
    replace(text, "result.status", il__text_of("\"refused\""));
    replace(text, "error", il__text_get(&error));
    replace(text, "exitStatus", il__text_of("1"));
    il__text_clear(&error);
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
    if (drive->answer_refused && strcmp(summary->status, "refused") == 0) set_refused(drive, &text);
    while (text.len && text.ptr[text.len - 1] != '}') text.len--;
    if (text.len) text.len--;
    json_member(&text, doc, "runtime", in->simulated ? "simulated" : in->runtime_path);
    if (!il__json_get(doc, "simulated").ptr) il__text_printf(&text, ",\"simulated\":%s", in->simulated ? "true" : "false");
    json_member(&text, doc, "principal", in->principal);
    il__text_printf(&text, ",\"principalIsDefault\":%s", in->default_principal ? "true" : "false");
    if (!il__json_get(doc, "exitStatus").ptr) il__text_printf(&text, ",\"exitStatus\":%d", summary->exit_status);
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

/* A member of the waiting document as a pair; nothing when it is absent. */
static void doc_pair(struct il__out *out, const char *name, struct il_str doc, const char *path)
{
    struct il__text text = IL__TEXT_INIT;
    il__json_text(&text, il__json_get(doc, path));
    if (text.len) il__out_pair(out, name, IL__TONE_PLAIN, il__text_get(&text));
    il__text_clear(&text);
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
        il__text_printf(&line, "%s%s%s: ", il_code_name(err->code), err->step[0] ? " in " : "", err->step);
        il__report_line(&line, err);
        il__out_pair(out, "error", IL__TONE_BAD, il__text_get(&line));
        if (err->object[0] && err->message[0] && !strstr(line.ptr ? line.ptr : "", err->message))
            pair(out, "", IL__TONE_PLAIN, err->message);
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
    static const char *const effects[] = { "none", "committed", "unknown" };
    struct il__text line = IL__TEXT_INIT;
    bool preview_only = strcmp(summary->status, "previewed") == 0;
    if (summary->reason.ptr) il__out_pair(out, "reason", IL__TONE_PLAIN, summary->reason);
    il__text_puts(&line, effects[summary->effect]);
    if (drive->in->simulated && summary->effect != IL_EFFECT_NONE) il__text_puts(&line, " (in the simulation only)");
    il__out_pair(out, "effect", summary->effect == IL_EFFECT_UNKNOWN ? IL__TONE_BAD : IL__TONE_PLAIN, il__text_get(&line));
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
    il__out_pair(out, "run", IL__TONE_DIM, il_run_id(drive->run));
    il__text_clear(&line);
}

/* One need in words: who must grant it, how many, why. */
static void show_need(struct il__out *out, struct il_str need)
{
    struct il__text line = IL__TEXT_INIT;
    struct il_str role = { NULL, 0 }, roles = il__json_get(need, "roles");
    bool runtime = il__json_is(il__json_get(need, "kind"), "runtime");
    if (runtime) {
        il__text_puts(&line, "the runtime wants an approval");
    } else {
        il__json_text(&line, il__json_get(need, "policy"));
        il__text_puts(&line, il__json_has(need, "approvers") ? " asks for " : " asks");
        il__json_text(&line, il__json_get(need, "approvers"));
        if (il__json_has(need, "approvers"))
            il__text_puts(&line, il__text_same(il__json_get(need, "approvers"), "1") ? " approver" : " approvers");
    }
    for (size_t at = 0, n = 0; il__json_next(roles, &at, NULL, &role); n++) {
        il__text_puts(&line, n ? ", " : " of role ");
        il__json_text(&line, role);
    }
    if (il__json_has(need, "reason")) {
        il__text_puts(&line, ": ");
        il__json_text(&line, il__json_get(need, "reason"));
    }
    il__out_pair(out, "needs", IL__TONE_PLAIN, il__text_get(&line));
    il__text_clear(&line);
}

static void show_card(struct il__drive *drive)
{
    struct il__out *out = &drive->io->out;
    struct il_error err = IL_ERROR_INIT;
    struct il_str card;
    char digest[65] = "";
    if (il_run_card(drive->run, &card, digest, &err) != IL_OK) {
        pair(out, "card", IL__TONE_BAD, err.message);
        return;
    }
    il__out_puts(out, "\n");
    il__out_lines(out, "  | ", card);
    il__out_puts(out, "\n");
    pair(out, "card digest", IL__TONE_DIM, digest);
}

/* The runtime's need can be answered from a file, since the digests of the next run are the same. */
static void show_how(struct il__out *out, struct il_str doc, bool runtime_need, bool host_need)
{
    struct il__text line = IL__TEXT_INIT;
    if (runtime_need && !host_need) {
        il__out_pair(out, "to answer", IL__TONE_PLAIN,
                     il__text_of("write this to answer.json, and run again with --approval answer.json"));
        il__text_puts(&line, "{\"actionDigest\":");
        il__text_str(&line, il__json_get(doc, "actionDigest"));
        il__text_puts(&line, ",\"policyDigest\":");
        il__text_str(&line, il__json_get(doc, "policyDigest"));
        il__text_puts(&line, ",\"runtimeApproved\":true}");
        il__out_lines(out, "    ", il__text_get(&line));
    } else {
        il__out_pair(out, "to answer", IL__TONE_PLAIN,
                     il__text_of("a policy asks for people, and a file cannot stand for them; run again with --ask on a "
                                 "terminal, or from a program that embeds the library"));
    }
    il__text_clear(&line);
}

static void show_wait(struct il__drive *drive)
{
    struct il__out *out = &drive->io->out;
    struct il_error err = IL_ERROR_INIT;
    struct il_str doc, need;
    bool runtime_need = false, host_need = false;
    show_card(drive);
    if (il_run_document(drive->run, &doc, &err) != IL_OK) {
        show_error(out, &err);
        return;
    }
    struct il_str needs = il__json_get(doc, "needs");
    for (size_t at = 0; il__json_next(needs, &at, NULL, &need);) {
        show_need(out, need);
        if (il__json_is(il__json_get(need, "kind"), "runtime")) runtime_need = true;
        else host_need = true;
    }
    doc_pair(out, "request", doc, "requestId");
    doc_pair(out, "expires", doc, "expiresAt");
    doc_pair(out, "action", doc, "actionDigest");
    doc_pair(out, "policy", doc, "policyDigest");
    doc_pair(out, "proposal", doc, "proposalDigest");
    show_how(out, doc, runtime_need, host_need);
    pair(out, "kept", IL__TONE_PLAIN, "nothing: this run ends with the process; what it held was released");
}

int il__run_show(struct il__drive *drive)
{
    struct il_summary summary;
    summarize(drive, &summary);
    if (drive->in->json) return show_json(drive, &summary);
    il__account_flush(&drive->account);
    show_status(&drive->io->out, &summary);
    if (il_run_state(drive->run) == IL_RUN_WAITING) show_wait(drive);
    else show_result(&drive->io->out, drive, &summary);
    return summary.exit_status;
}
