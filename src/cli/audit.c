/* `interlock audit verify|show|export|head`: evidence from a store. This file reads what the user gave; the verbs are
 * in audit_verify.c, audit_show.c and audit_head.c. Must never call a store intact for the library. */
#include "cli/audit.h"

#include "cli/config.h"
#include "cli/evidence.h"
#include "cli/report.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int il__audit_open(struct il__audit_job *job, bool write)
{
    struct il_store_options options = IL_STORE_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    const char *path = il__args_value(job->args, "store");
    if (!path) {
        il__io_error(job->io, "no store is named; write --store FILE, the file that 'interlock run --store FILE' made");
        return 2;
    }
    if (access(path, F_OK) != 0) {
        il__io_error(job->io, "--store %s: %s", path, strerror(errno));
        return 2;
    }
    options.path = il__text_of(path);
    options.read_only = !write;
    if (il_store_open(&options, &job->store, &err) == IL_OK) return 0;
    return il__report(job->io, job->json, NULL, &err, 8);
}

struct il_audit_options il__audit_options_of(const struct il__audit_job *job, const char *run)
{
    struct il_audit_options options = IL_AUDIT_OPTIONS_INIT;
    options.keys = job->witness.list;
    options.key_count = job->witness.count;
    options.run_id = il__text_of(run);
    if (job->witness.given) options.witness = il__text_get(&job->witness.text);
    return options;
}

int il__audit_refuse(struct il__audit_job *job, const struct il_error *err)
{
    bool evidence = err->code == IL_CONFLICT && strcmp(err->object, "store") == 0;
    int status = evidence ? 9 : il__evidence_status(err->code);
    return il__report(job->io, job->json, NULL, err, status);
}

bool il__audit_record(struct il__audit_job *job, uint64_t *out)
{
    const char *text = il__args_value(job->args, "record");
    size_t len = strlen(text), digits = strspn(text, "0123456789");
    if (!len || digits != len || len > 9) {
        il__io_error(job->io, "--record: '%s' is no number of a record; they count from 0", text);
        return false;
    }
    *out = 0;
    for (size_t i = 0; i < len; i++) *out = *out * 10 + (uint64_t)(text[i] - '0');
    return true;
}

/* ---- what the user gave ---- */

static const struct verb {
    const char *name;
    int (*run)(struct il__audit_job *job);
    size_t least, most;        /* operands behind the verb */
    const char *options;       /* that only it and some others take, each in blanks */
} verbs[] = {
    { "verify", il__audit_verify, 0, 1, " key witness proof " },
    { "show", il__audit_show, 1, 1, " key witness proof record salt " },
    { "export", il__audit_export, 0, 1, " mask with-tickets " },
    { "head", il__audit_head, 0, 0, " key witness signer " },
};

static const struct verb *find_verb(const struct il__args *args, struct il__io *io)
{
    const char *names[] = { verbs[0].name, verbs[1].name, verbs[2].name, verbs[3].name };
    if (!args->operand_count) {
        il__io_error(io, "the verb is missing; write 'interlock audit verify --store FILE', or show, export or head");
        return NULL;
    }
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(args->operands[0], verbs[i].name) == 0) return &verbs[i];
    const char *near = il__nearest(args->operands[0], names, 4);
    if (near) il__io_error(io, "unknown verb '%s'; did you mean '%s'?", args->operands[0], near);
    else il__io_error(io, "unknown verb '%s'; it is verify, show, export or head", args->operands[0]);
    return NULL;
}

static int check_options(const struct verb *verb, const struct il__args *args, struct il__io *io)
{
    static const char *const some[] = { "key", "witness", "proof", "record", "salt", "mask", "with-tickets", "signer" };
    size_t operands = args->operand_count - 1;
    if (operands < verb->least || operands > verb->most) {
        il__io_error(io, operands < verb->least ? "which run? write 'interlock audit %s RUN --store FILE'"
                                                : "there are more operands than 'audit %s' takes", verb->name);
        return 2;
    }
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        char word[20];
        snprintf(word, sizeof word, " %s ", some[i]);
        if (!il__args_values(args, some[i])->count || strstr(verb->options, word)) continue;
        il__io_error(io, "--%s is not for 'audit %s'", some[i], verb->name);
        return 2;
    }
    return 0;
}

static int run(const struct il__args *args, struct il__io *io)
{
    struct il__audit_job job;
    const struct verb *verb = find_verb(args, io);
    int status = verb ? check_options(verb, args, io) : 2;
    if (status != 0) return status;
    memset(&job, 0, sizeof job);
    job.args = args;
    job.io = io;
    job.json = il__args_json(args);
    status = il__witness_read(io, args, "key", verb->run == il__audit_head, &job.witness);
    if (status == 0) status = verb->run(&job);
    il_store_close(job.store);
    il__witness_clear(&job.witness);
    return status;
}

static const struct il__option options[] = {
    { "store", "FILE", false, "The store." },
    { "key", "FILE", true, "A public key that heads are believed by: base64, PEM, or a line for approvers." },
    { "witness", "FILE", false,
      "Heads that were kept outside of the store, a line each. head appends the new one, and makes the file." },
    { "signer", "FILE", false, "head: the private key that signs." },
    { "record", "N", false, "show: this record alone, whole. They count from 0." },
    { "proof", "FILE", false, "show: write a proof of --record to a new file ('-': print it). verify: check one." },
    { "salt", NULL, false, "show: the salt of --record, with which what is masked in it can be checked." },
    { "mask", "POINTER", true, "export: mask what this JSON pointer names in body and payload of every record." },
    { "with-tickets", NULL, false, "export: do not mask lease and grant ids. Who holds one can use it." },
    { "format", "text|json", false, "How to print; text is the default. Exports, proofs and heads are JSON anyway." },
    IL__CONFIG_OPTIONS,
};
static const char *const examples[] = {
    "interlock audit head --store runs.db --signer audit.pem --witness /mnt/witness/heads",
    "interlock audit verify --store runs.db --key audit.pub --witness /mnt/witness/heads",
    "interlock audit show 28577e95-b00b-4bc7-bcab-e3fd4ece5c43 --store runs.db --record 9 --proof proof.json",
    "interlock audit verify --proof proof.json --key audit.pub",
    "interlock audit export --store runs.db --mask /arguments/text >journal.jsonl",
    NULL,
};
static const char *const exits[] = {
    "0   it holds, it was shown, exported or signed",
    IL__EXIT_USAGE,
    "8   the store cannot be read, there is no such run or record, or another failure",
    "9   it does not hold: edited, rewritten, forked, rolled back, truncated; or a proof or witness that is not",
    IL__EXIT_UNDECODABLE,
    NULL,
};

const struct il__command il__command_audit = {
    .name = "audit",
    .operands = "VERB [RUN]",
    .summary = "Verify, show, export or sign what stands in a store.",
    .about = "VERB is one of verify, show, export and head. verify recomputes every hash and compares with signed "
             "heads: those in the store, and those that a witness kept elsewhere, without which nobody can tell that "
             "the end is missing. head signs such a head. show lists the records of a run, export prints them for "
             "others, with values masked; lease and grant ids always are.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
