/* `interlock policy build DIR [--out FILE]`: checks a bundle as a host would and packs it into one file, the same bytes
 * every time. Must never write over a file that is no packed bundle. */
#include "cli/evidence.h"
#include "cli/files.h"
#include "cli/policy.h"
#include "cli/put.h"
#include "cli/report.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* What may be replaced: a packed bundle begins like one. */
static bool is_packed(const char *path)
{
    static const char begin[] = "{\"files\":[{";
    struct il__text text = IL__TEXT_INIT;
    char why[512];
    bool packed = il__file_read(path, &text, why, sizeof why) == 0 && text.len >= sizeof begin - 1 &&
                  memcmp(text.ptr, begin, sizeof begin - 1) == 0;
    il__text_clear(&text);
    return packed;
}

static int put(struct il__io *io, const char *path, const struct il_text *packed)
{
    struct stat st;
    if (lstat(path, &st) == 0 && (!S_ISREG(st.st_mode) || !is_packed(path))) {
        il__io_error(io, "--out %s: it is there, and is no packed bundle; it is not written over", path);
        return 2;
    }
    int why = il__put_over(path, il__evidence_str(packed));
    if (why == 0) return 0;
    il__io_error(io, "--out %s: %s", path, strerror(why));
    return why == ENOSPC ? 8 : 2;
}

static int build(const struct il__args *args, struct il__io *io, const struct il__bundles *bundles)
{
    const struct il_bundle bundle = il__bundles_get(bundles, 0);
    const char *path = il__args_value(args, "out");
    struct il_str keys[IL__CLI_OPTION_VALUES], none = { NULL, 0 };
    struct il_text packed = IL_TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    enum il_code code = il_bundle_check(&bundle, keys, il__bundles_keys(bundles, keys), NULL, &err);
    if (code == IL_OK) code = il_bundle_pack(&bundle, none, &packed, &err);
    int status = 0;
    if (code != IL_OK) status = il__policy_refuse(io, false, bundles->paths[0], &err);
    else if (path) status = put(io, path, &packed);
    else il__out_write(&io->out, il__evidence_str(&packed));
    il_text_clear(&packed);
    return status;
}

static int run(const struct il__args *args, struct il__io *io)
{
    struct il__bundles bundles;
    int status = il__policy_bundles(io, args, &bundles);
    if (status == 0 && bundles.count > 1) {
        il__io_error(io, "one bundle at a time is packed; write 'interlock policy build DIR --out FILE'");
        status = 2;
    }
    if (status == 0) status = build(args, io, &bundles);
    il__bundles_clear(&bundles);
    return status;
}

static const struct il__option options[] = {
    { "out", "FILE", false,
      "Where to; a packed bundle that is there is replaced, any other file is not. Without it: standard output. Also "
      "-o." },
    IL__BUNDLE_KEY_OPTION,
    { "param", "NAME=VALUE", true,
      "A parameter to check the bundle with, where one has no default. It is not packed." },
};
static const char *const examples[] = {
    "interlock policy build policies/office-hours --out office-hours.bundle",
    "interlock run action.json --runtime simulated --policy office-hours.bundle",
    NULL,
};
static const char *const exits[] = {
    "0   it is sound, and was packed", IL__EXIT_USAGE, IL__EXIT_POLICY, IL__EXIT_FAILED, IL__EXIT_UNDECODABLE, NULL,
};

const struct il__command il__command_policy_build = {
    .name = "policy build",
    .operands = "DIR|FILE",
    .summary = "Check a bundle and pack it into one file.",
    .about = "Everything that a host checks is checked: bundle.json, files, parameters, signature, and that each "
             "policy compiles. The file holds what a host loads, bundle.sig included; tests and pages are left out. "
             "The same bundle gives the same bytes, and has the same digest wherever it is loaded from.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
