/* `interlock receipt seal|verify|sign FILE`: evaluation receipts. Uses the library's functions on receipts and keys.
 * Must never print a receipt as sealed or signed that the library refused. */
#include "cli/evidence.h"
#include "cli/files.h"
#include "cli/look.h"
#include "cli/report.h"

#include <string.h>

struct job {
    const struct il__args *args;
    struct il__io *io;
    const char *path;
    bool json;
    struct il__text receipt;
};

static int refuse(struct job *job, const char *path, const struct il_error *err)
{
    return il__report(job->io, job->json, path, err, il__evidence_status(err->code));
}

/* A document of the library, on a line of its own. */
static void print(struct job *job, const struct il_text *text)
{
    il__out_write(&job->io->out, il__evidence_str(text));
    il__out_puts(&job->io->out, "\n");
}

static int seal(struct job *job)
{
    struct il_text out = IL_TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    int status = 0;
    if (il_receipt_seal(il__text_get(&job->receipt), &out, &err) == IL_OK) print(job, &out);
    else status = refuse(job, job->path, &err);
    il_text_clear(&out);
    return status;
}

static int sign(struct job *job)
{
    struct il_text key = IL_TEXT_INIT, out = IL_TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    int status = il__evidence_private_key(job->io, job->json, il__args_value(job->args, "key"), &key);
    if (status == 0) {
        if (il_receipt_sign(il__text_get(&job->receipt), il__evidence_str(&key), &out, &err) == IL_OK) print(job, &out);
        else status = refuse(job, job->path, &err);
    }
    il_text_clear(&out);
    il_text_clear(&key);
    return status;
}

static void show(struct job *job, const char *id)
{
    struct il__text text = IL__TEXT_INIT, digest = IL__TEXT_INIT;
    enum il__tone tone;
    il__look_text(&digest, il__look_get(il__text_get(&job->receipt), "receiptDigest"));
    if (job->json) {
        il__text_puts(&text, "{\"ok\":true,\"receiptDigest\":");
        il__text_json(&text, il__text_get(&digest));
        il__text_puts(&text, ",\"signedBy\":");
        il__text_json(&text, il__text_of(id));
        il__text_puts(&text, "}\n");
        il__out_text(&job->io->out, &text);
    } else {
        const char *mark = il__out_mark(&job->io->out, IL__MARK_OK, &tone);
        il__out_tone(&job->io->out, tone, il__text_of(mark));
        il__out_wrap(&job->io->out, " ", 3, IL__TONE_PLAIN,
                     il__text_of(id ? "the receipt holds, and so does the signature"
                                    : "the receipt holds: nothing was changed since it was sealed; who sealed it, only "
                                      "a signature says"));
        il__out_pair(&job->io->out, "digest", IL__TONE_PLAIN, il__text_get(&digest));
        if (id) il__out_pair(&job->io->out, "signed by", IL__TONE_PLAIN, il__text_of(id));
    }
    il__text_clear(&text);
    il__text_clear(&digest);
}

static int verify_signature(struct job *job, const char *signature)
{
    struct il__text envelope = IL__TEXT_INIT;
    struct il_text key = IL_TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    char id[17] = "";
    int status = il__io_read(job->io, signature, &envelope);
    if (status == 0)
        status = il__evidence_public_key(job->io, job->json, il__args_value(job->args, "key"), &key, id);
    if (status == 0) {
        enum il_code code = il_receipt_check_signature(il__text_get(&job->receipt), il__text_get(&envelope),
                                                       il__evidence_str(&key), &err);
        const bool enveloped = strcmp(err.object, "signed envelope") == 0;
        if (code == IL_OK) show(job, id);
        else status = refuse(job, enveloped ? signature : job->path, &err);
    }
    il_text_clear(&key);
    il__text_clear(&envelope);
    return status;
}

static int verify(struct job *job)
{
    const char *signature = il__args_value(job->args, "signature");
    struct il_error err = IL_ERROR_INIT;
    if (signature) return verify_signature(job, signature);
    if (il_receipt_verify(il__text_get(&job->receipt), &err) != IL_OK) return refuse(job, job->path, &err);
    show(job, NULL);
    return 0;
}

static const struct verb {
    const char *name;
    int (*run)(struct job *job);
    bool signature, key; /* options that it takes; a key it then needs */
} verbs[] = {
    { "seal", seal, false, false },
    { "verify", verify, true, false },
    { "sign", sign, false, true },
};

/* 0, or 2 after one line. A signature is checked with a key, and a key is for a signature. */
static int check_options(const struct il__args *args, struct il__io *io, const struct verb *verb)
{
    const bool signature = il__args_value(args, "signature"), key = il__args_value(args, "key");
    if (signature && !verb->signature) {
        il__io_error(io, "--signature is for 'receipt verify'");
        return 2;
    }
    if (key && !verb->key && !verb->signature) {
        il__io_error(io, "--key is for 'receipt sign' and 'receipt verify'");
        return 2;
    }
    if (key != (verb->key || signature)) {
        il__io_error(io, key ? "--key is given and no --signature; write --signature FILE as well"
                             : "--key FILE is missing: the key of the signature");
        return 2;
    }
    return 0;
}

static const struct verb *find_verb(const struct il__args *args, struct il__io *io)
{
    const char *names[] = { verbs[0].name, verbs[1].name, verbs[2].name };
    if (args->operand_count != 2) {
        il__io_error(io, "%s; write 'interlock receipt seal FILE', 'verify FILE' or 'sign FILE --key KEY'",
                     args->operand_count > 2 ? "there are more operands than two" : "the verb or the file is missing");
        return NULL;
    }
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(args->operands[0], verbs[i].name) == 0) return &verbs[i];
    const char *near = il__nearest(args->operands[0], names, 3);
    if (near) il__io_error(io, "unknown verb '%s'; did you mean '%s'?", args->operands[0], near);
    else il__io_error(io, "unknown verb '%s'; it is seal, verify or sign", args->operands[0]);
    return NULL;
}

static int run(const struct il__args *args, struct il__io *io)
{
    const struct verb *verb = find_verb(args, io);
    int status = verb ? check_options(args, io, verb) : 2;
    if (status != 0) return status;
    struct job job = { args, io, args->operands[1], il__args_json(args), IL__TEXT_INIT };
    status = il__io_read(io, job.path, &job.receipt);
    if (status == 0) status = verb->run(&job);
    il__text_clear(&job.receipt);
    return status;
}

static const struct il__option options[] = {
    { "key", "FILE", false, "sign: the private key. verify: the public key; base64, PEM, or a line for approvers." },
    { "signature", "FILE", false, "verify: also check this signature, as sign printed it." },
    { "format", "text|json", false, "How to print; text is the default. Receipts and signatures are JSON anyway." },
};
static const char *const examples[] = {
    "interlock receipt seal receipt.json >sealed.json",
    "interlock receipt sign sealed.json --key release.pem >sealed.sig.json",
    "interlock receipt verify sealed.json --signature sealed.sig.json --key release.pub",
    NULL,
};
static const char *const exits[] = {
    "0   sealed, signed, or it holds",
    IL__EXIT_USAGE,
    IL__EXIT_FAILED,
    "9   it was read and does not hold: a claim, the digest or the signature",
    IL__EXIT_UNDECODABLE,
    NULL,
};

const struct il__command il__command_receipt = {
    .name = "receipt",
    .operands = "VERB FILE",
    .summary = "Seal, verify or sign an evaluation receipt.",
    .about = "VERB is one of seal, verify and sign; FILE is an evaluation receipt ('-' is standard input). seal prints "
             "it with its digest, verify checks every claim and the digest, sign prints a signature to keep beside it. "
             "A seal shows that nothing was changed; who vouches for it, only a signature says.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
