/* `interlock policy sign DIR|FILE --key KEYFILE`: writes bundle.sig into the folder, or into the packed file.
 * Must never sign a bundle that does not load, nor print the key. */
#include "cli/evidence.h"
#include "cli/look.h"
#include "cli/policy.h"
#include "cli/put.h"
#include "cli/report.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

struct job {
    const struct il__args *args;
    struct il__io *io;
    struct il_bundle bundle;
    const char *path;
    struct il_text key, sig;
};

/* The signature as a file of the folder, or the packed bundle with it; 0, or the exit status after a report. */
static int put(struct job *job, bool folder)
{
    struct il__text path = IL__TEXT_INIT;
    struct il_text packed = IL_TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    const struct il_text *out = folder ? &job->sig : &packed;
    int status = 0, why = 0;
    il__text_printf(&path, folder ? "%s/bundle.sig" : "%s", job->path);
    if (!folder && il_bundle_pack(&job->bundle, il__evidence_str(&job->sig), &packed, &err) != IL_OK)
        status = il__policy_refuse(job->io, false, job->path, &err);
    if (status == 0) why = path.failed ? ENOMEM : il__put_over(path.ptr, il__evidence_str(out));
    if (why != 0) {
        il__io_error(job->io, "%s: %s", path.failed ? job->path : path.ptr, strerror(why));
        status = why == ENOSPC || why == ENOMEM ? 8 : 2;
    }
    il_text_clear(&packed);
    il__text_clear(&path);
    return status;
}

/* What was signed, read again and held against the key that signed it. */
static int tell(struct job *job)
{
    struct il_text public = IL_TEXT_INIT, facts = IL_TEXT_INIT;
    struct il__text line = IL__TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    char id[17] = "";
    int status = 0;
    enum il_code code = il_key_public(il__evidence_str(&job->key), &public, id, &err);
    const struct il_str key = il__evidence_str(&public);
    if (code == IL_OK) code = il_bundle_check(&job->bundle, &key, 1, &facts, &err);
    if (code != IL_OK) {
        status = il__policy_refuse(job->io, false, job->path, &err);
    } else {
        il__look_text(&line, il__look_get(il__evidence_str(&facts), "name"));
        il__text_puts(&line, " ");
        il__look_text(&line, il__look_get(il__evidence_str(&facts), "version"));
        il__text_puts(&line, " ");
        il__look_text(&line, il__look_get(il__evidence_str(&facts), "digest"));
        il__io_note(job->io, "signed %s with key %s", line.ptr, id);
    }
    il__text_clear(&line);
    il_text_clear(&facts);
    il_text_clear(&public);
    return status;
}

static int sign(struct job *job)
{
    struct stat st;
    struct il_error err = IL_ERROR_INIT;
    int status = il__evidence_private_key(job->io, false, il__args_value(job->args, "key"), &job->key);
    if (status != 0) return status;
    if (il_bundle_sign(&job->bundle, il__evidence_str(&job->key), &job->sig, &err) != IL_OK)
        return il__policy_refuse(job->io, false, job->path, &err);
    status = put(job, stat(job->path, &st) == 0 && S_ISDIR(st.st_mode));
    return status ? status : tell(job);
}

static int run(const struct il__args *args, struct il__io *io)
{
    struct il__bundles bundles;
    struct job job = { .args = args, .io = io, .key = IL_TEXT_INIT, .sig = IL_TEXT_INIT };
    memset(&bundles, 0, sizeof bundles);
    int status = 0;
    if (args->operand_count != 1 || !il__args_value(args, "key")) {
        il__io_error(io, "%s; write 'interlock policy sign DIR --key FILE'",
                     args->operand_count == 1 ? "--key FILE is missing: the private key that signs"
                                              : "one bundle at a time is signed");
        status = 2;
    }
    if (status == 0) status = il__bundles_at(io, args, args->operands, 1, &bundles);
    if (status == 0) {
        job.bundle = il__bundles_get(&bundles, 0);
        job.path = bundles.paths[0];
        status = sign(&job);
    }
    il_text_clear(&job.sig);
    il_text_clear(&job.key);
    il__bundles_clear(&bundles);
    return status;
}

static const struct il__option options[] = {
    { "key", "FILE", false, "The private key, which nobody else may read; 'interlock key new FILE' makes one." },
    { "param", "NAME=VALUE", true,
      "A parameter to check the bundle with, where one has no default. Parameters are not signed." },
};
static const char *const examples[] = {
    "interlock key new team.pem >team.pub",
    "interlock policy sign policies/office-hours --key team.pem",
    "interlock policy verify policies/office-hours --policy-key team.pub",
    NULL,
};
static const char *const exits[] = {
    "0   it was signed", IL__EXIT_USAGE, IL__EXIT_POLICY, IL__EXIT_FAILED, IL__EXIT_UNDECODABLE, NULL,
};

const struct il__command il__command_policy_sign = {
    .name = "policy sign",
    .operands = "DIR|FILE",
    .summary = "Sign a bundle, in its folder or its packed file.",
    .about = "Writes bundle.sig: an Ed25519 signature, in a DSSE envelope, over name, version, and the digest of every "
             "file and of bundle.json. Parameters stay the host's to set. A signature that is there is replaced. With "
             "--policy-key, or bundleKeys in the configuration file, every command loads only bundles that are signed "
             "like this.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
