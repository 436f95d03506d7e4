/* `interlock audit show` and `export`: records of a store, for a person or for others; and proofs of one. What they
 * print comes from the library's export: must never show a lease or grant id that was not asked for. */
#include "cli/audit.h"
#include "cli/evidence.h"
#include "cli/look.h"
#include "cli/report.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* ---- export ---- */

static bool print_line(void *ctx, struct il_str line)
{
    struct il__out *out = ctx;
    il__out_write(out, line);
    il__out_puts(out, "\n");
    return out->lost == 0;
}

int il__audit_export(struct il__audit_job *job)
{
    struct il_export_options options = IL_EXPORT_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    struct il_str masks[IL__CLI_OPTION_VALUES];
    const struct il__values *given = il__args_values(job->args, "mask");
    int status = il__audit_open(job, true);
    if (status != 0) return status;
    for (size_t i = 0; i < given->count; i++) masks[i] = il__text_of(given->at[i]);
    options.masks = masks;
    options.mask_count = given->count;
    options.with_tickets = il__args_flag(job->args, "with-tickets");
    if (job->args->operand_count > 1) options.run_id = il__text_of(job->args->operands[1]);
    if (il_audit_export(job->store, &options, print_line, &job->io->out, &err) == IL_OK) return 0;
    if (err.code == IL_INVALID_REQUEST) return il__report(job->io, job->json, "--mask", &err, 2);
    return il__audit_refuse(job, &err);
}

/* ---- show ---- */

static void add_member(struct il__text *row, struct il_str record, const char *path, int width)
{
    struct il__text text = IL__TEXT_INIT;
    il__look_text(&text, il__look_get(record, path));
    struct il_str s = il__text_get(&text);
    il__text_escaped(row, s);
    for (size_t n = s.len; n < (size_t)width; n++) il__text_puts(row, " ");
    il__text_clear(&text);
}

static bool print_row(void *ctx, struct il_str line)
{
    struct il__out *out = ctx;
    struct il__text row = IL__TEXT_INIT;
    struct il_str record = il__look_get(line, "record");
    add_member(&row, record, "seq", 5);
    add_member(&row, record, "at", 32);
    add_member(&row, record, "kind", 13);
    add_member(&row, line, "hash", 0);
    il__text_puts(&row, "\n");
    il__out_text(out, &row);
    il__text_clear(&row);
    return out->lost == 0;
}

static bool print_record(void *ctx, struct il_str line)
{
    static const char *const members[][2] = { { "at", "record.at" }, { "kind", "record.kind" },
                                              { "fence", "record.fence" }, { "body", "record.body" },
                                              { "payload", "payload" }, { "prev", "record.prev" }, { "hash", "hash" } };
    struct il__out *out = ctx;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        struct il__text text = IL__TEXT_INIT;
        il__look_text(&text, il__look_get(line, members[i][1]));
        if (text.len) il__out_pair(out, members[i][0], IL__TONE_PLAIN, il__text_get(&text));
        il__text_clear(&text);
    }
    return out->lost == 0;
}

/* A proof is for somebody else, so it stands in a file of its own, which must be new. */
static int write_proof(struct il__audit_job *job, const char *path, const struct il_text *proof)
{
    if (strcmp(path, "-") == 0) {
        (void)print_line(&job->io->out, il__evidence_str(proof));
        return 0;
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0) {
        il__io_error(job->io, "--proof %s: %s", path, strerror(errno));
        return 2;
    }
    bool whole = write(fd, proof->ptr, proof->len) == (ssize_t)proof->len && write(fd, "\n", 1) == 1;
    whole = close(fd) == 0 && whole;
    if (whole) return 0;
    (void)unlink(path);
    il__io_error(job->io, "--proof %s: it could not be written whole", path);
    return 8;
}

static int prove(struct il__audit_job *job, uint64_t record)
{
    struct il_text proof = IL_TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    const struct il_audit_options options = il__audit_options_of(job, job->args->operands[1]);
    int status = il_audit_proof(job->store, &options, record, &proof, &err) == IL_OK
                     ? write_proof(job, il__args_value(job->args, "proof"), &proof) : il__audit_refuse(job, &err);
    il_text_clear(&proof);
    return status;
}

static int salt(struct il__audit_job *job, uint64_t record)
{
    struct il_error err = IL_ERROR_INIT;
    char hex[65];
    if (il_audit_salt(job->store, il__text_of(job->args->operands[1]), record, hex, &err) != IL_OK)
        return il__audit_refuse(job, &err);
    (void)print_line(&job->io->out, il__text_of(hex));
    return 0;
}

int il__audit_show(struct il__audit_job *job)
{
    struct il_export_options options = IL_EXPORT_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    bool proof = il__args_value(job->args, "proof"), wants_salt = il__args_flag(job->args, "salt");
    options.one = il__args_value(job->args, "record") != NULL;
    if ((proof || wants_salt) && !options.one) {
        il__io_error(job->io, "--%s is of one record; write --record N as well", proof ? "proof" : "salt");
        return 2;
    }
    if (options.one && !il__audit_record(job, &options.record)) return 2;
    int status = il__audit_open(job, !proof);
    if (status != 0) return status;
    if (proof) return prove(job, options.record);
    if (wants_salt) return salt(job, options.record);
    options.run_id = il__text_of(job->args->operands[1]);
    il_line_fn fn = job->json ? print_line : options.one ? print_record : print_row;
    if (il_audit_export(job->store, &options, fn, &job->io->out, &err) != IL_OK) return il__audit_refuse(job, &err);
    return 0;
}
