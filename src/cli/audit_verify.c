/* `interlock audit verify`: the verdict on a store, or on a proof of one record. Must never print another verdict than
 * the library's. */
#include "cli/audit.h"
#include "cli/evidence.h"
#include "cli/files.h"
#include "cli/look.h"
#include "cli/report.h"

#include <string.h>

struct findings {
    struct il__audit_job *job;
    struct il__text json;
    size_t count;
};

static void listen(void *ctx, const struct il_audit_finding *finding)
{
    struct findings *f = ctx;
    const char *verdict = il_audit_verdict_name(finding->verdict);
    if (f->job->json) {
        il__text_puts(&f->json, f->count ? "," : "");
        il__text_printf(&f->json, "{\"verdict\":\"%s\",\"run\":", verdict);
        il__text_json(&f->json, finding->run_id);
        il__text_printf(&f->json, ",\"%s\":%llu,\"message\":", finding->run_id.ptr ? "record" : "link",
                        (unsigned long long)finding->at);
        il__text_json(&f->json, finding->message);
        il__text_puts(&f->json, "}");
    } else {
        struct il__text line = IL__TEXT_INIT;
        il__text_printf(&line, "%s: ", verdict);
        il__text_escaped(&line, finding->message);
        il__out_wrap(&f->job->io->out, "   ", 5, IL__TONE_PLAIN, il__text_get(&line));
        il__text_clear(&line);
    }
    f->count++;
}

static void count_pair(struct il__out *out, const char *name, uint64_t count)
{
    char number[24];
    snprintf(number, sizeof number, "%llu", (unsigned long long)count);
    il__out_pair(out, name, IL__TONE_PLAIN, il__text_of(number));
}

static void show_text(struct il__audit_job *job, const struct il_audit_summary *s)
{
    struct il__out *out = &job->io->out;
    bool holds = s->verdict <= IL_AUDIT_NOT_WITNESSED;
    enum il__tone tone;
    const char *mark = il__out_mark(out, holds ? IL__MARK_OK : IL__MARK_BAD, &tone);
    il__out_tone(out, tone, il__text_of(mark));
    il__out_wrap(out, " ", 3, tone, il__text_of(il_audit_verdict_name(s->verdict)));
    count_pair(out, "runs", s->runs);
    count_pair(out, "records", s->records);
    count_pair(out, "links", s->links);
    count_pair(out, "heads", s->heads);
    if (!job->witness.given) return;
    count_pair(out, "witnessed", s->witnessed_heads);
    count_pair(out, "since then", s->since_records);
}

static void show_json(struct il__audit_job *job, const struct il_audit_summary *s, const struct il__text *findings)
{
    struct il__text text = IL__TEXT_INIT;
    il__text_printf(&text, "{\"ok\":%s,\"verdict\":\"%s\",\"runs\":%llu,\"records\":%llu,\"links\":%llu,\"heads\":%llu",
                    s->verdict <= IL_AUDIT_NOT_WITNESSED ? "true" : "false", il_audit_verdict_name(s->verdict),
                    (unsigned long long)s->runs, (unsigned long long)s->records, (unsigned long long)s->links,
                    (unsigned long long)s->heads);
    il__text_printf(&text, ",\"witnessedHeads\":%llu,\"recordsSince\":%llu,\"findings\":[",
                    (unsigned long long)s->witnessed_heads, (unsigned long long)s->since_records);
    il__text_str(&text, il__text_get(findings));
    il__text_puts(&text, "]}\n");
    il__out_text(&job->io->out, &text);
    il__text_clear(&text);
}

int il__audit_verify(struct il__audit_job *job)
{
    struct il_audit_summary summary = IL_AUDIT_SUMMARY_INIT;
    struct il_error err = IL_ERROR_INIT;
    struct findings findings = { job, IL__TEXT_INIT, 0 };
    if (il__args_value(job->args, "proof")) return il__audit_proof_file(job);
    int status = il__audit_open(job, false);
    if (status != 0) return status;
    const char *run = job->args->operand_count > 1 ? job->args->operands[1] : NULL;
    struct il_audit_options options = il__audit_options_of(job, run);
    options.report = listen;
    options.report_ctx = &findings;
    if (il_audit_verify(job->store, &options, &summary, &err) != IL_OK) {
        status = il__audit_refuse(job, &err);
    } else {
        if (job->json) show_json(job, &summary, &findings.json);
        else show_text(job, &summary);
        status = summary.verdict <= IL_AUDIT_NOT_WITNESSED ? 0 : 9;
    }
    il__text_clear(&findings.json);
    return status;
}

static void show_proof(struct il__audit_job *job, struct il_str document)
{
    static const char *const members[] = { "run", "seq", "at", "store", "record" };
    struct il__out *out = &job->io->out;
    enum il__tone tone;
    const char *mark = il__out_mark(out, IL__MARK_OK, &tone);
    il__out_tone(out, tone, il__text_of(mark));
    il__out_wrap(out, " ", 3, IL__TONE_PLAIN,
                 il__text_of("the proof holds: this record stood in the store when the head was signed"));
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        struct il__text text = IL__TEXT_INIT;
        il__look_text(&text, il__look_get(document, members[i]));
        il__out_pair(out, members[i], IL__TONE_PLAIN, il__text_get(&text));
        il__text_clear(&text);
    }
}

int il__audit_proof_file(struct il__audit_job *job)
{
    const char *path = il__args_value(job->args, "proof");
    struct il__text proof = IL__TEXT_INIT;
    struct il_text out = IL_TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    bool more = il__args_given(job->args, "witness") || il__args_given(job->args, "store") ||
                job->args->operand_count > 1;
    if (more || !job->witness.count) {
        il__io_error(job->io, "a proof is checked with a key and nothing else; write 'audit verify --proof %s "
                              "--key FILE'", path);
        return 2;
    }
    int status = il__io_read(job->io, path, &proof);
    if (status == 0) {
        if (il_audit_check_proof(il__text_get(&proof), job->witness.list, job->witness.count, &out, &err) != IL_OK)
            status = il__report(job->io, job->json, path, &err, il__evidence_status(err.code));
        else if (job->json) {
            il__out_write(&job->io->out, il__evidence_str(&out));
            il__out_puts(&job->io->out, "\n");
        } else show_proof(job, il__evidence_str(&out));
    }
    il_text_clear(&out);
    il__text_clear(&proof);
    return status;
}
