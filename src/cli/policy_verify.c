/* `interlock policy verify DIR|FILE... --policy-key PUB`: whether bundles are signed by a trusted key and are what was
 * signed. Must never call a bundle good that a host with these keys would not load. */
#include "cli/evidence.h"
#include "cli/look.h"
#include "cli/policy.h"
#include "cli/report.h"

#include <string.h>

static void member(struct il__text *out, const struct il_text *facts, const char *name)
{
    struct il__text text = IL__TEXT_INIT;
    il__look_text(&text, il__look_get(il__evidence_str(facts), name));
    il__text_escaped(out, il__text_get(&text));
    il__text_clear(&text);
}

static void show(struct il__io *io, const char *path, const struct il_text *facts, const struct il_error *err)
{
    struct il__text line = IL__TEXT_INIT;
    enum il__tone tone;
    const char *mark = il__out_mark(&io->out, facts ? IL__MARK_OK : IL__MARK_BAD, &tone);
    il__out_tone(&io->out, tone, il__text_of(mark));
    il__text_puts(&line, " ");
    il__text_escaped(&line, il__text_of(path));
    il__text_puts(&line, ": ");
    if (facts) {
        member(&line, facts, "name");
        il__text_puts(&line, " ");
        member(&line, facts, "version");
        il__text_puts(&line, ", signed by ");
        member(&line, facts, "signedBy");
        il__text_puts(&line, ", ");
        member(&line, facts, "digest");
    } else {
        il__report_line(&line, err);
    }
    il__text_puts(&line, "\n");
    il__out_text(&io->out, &line);
    il__text_clear(&line);
}

static void add_json(struct il__text *out, size_t at, const char *path, const struct il_text *facts,
                     const struct il_error *err)
{
    il__text_puts(out, at ? ",{\"path\":" : "{\"path\":");
    il__text_json(out, il__text_of(path));
    il__text_printf(out, ",\"ok\":%s,\"%s\":", facts ? "true" : "false", facts ? "bundle" : "error");
    if (facts) il__text_str(out, il__evidence_str(facts));
    else il__report_json(out, err);
    il__text_puts(out, "}");
}

/* 1: its signature does not hold; 3, 65: it does not load at all. */
static int status_of(const struct il_error *err)
{
    if (err->code == IL_OUT_OF_MEMORY) return 8;
    if (err->code == IL_DECODE) return 65;
    return err->code == IL_POLICY_ERROR ? 1 : 3;
}

static int verify(const struct il__args *args, struct il__io *io, const struct il__bundles *bundles)
{
    struct il_str keys[IL__CLI_OPTION_VALUES];
    struct il__text text = IL__TEXT_INIT;
    const size_t key_count = il__bundles_keys(bundles, keys);
    const bool json = il__args_json(args);
    int worst = 0;
    for (size_t i = 0; i < bundles->count; i++) {
        struct il_error err = IL_ERROR_INIT;
        struct il_text facts = IL_TEXT_INIT;
        const struct il_bundle bundle = il__bundles_get(bundles, i);
        const bool good = il_bundle_check(&bundle, keys, key_count, &facts, &err) == IL_OK;
        if (json) add_json(&text, i, bundles->paths[i], good ? &facts : NULL, &err);
        else show(io, bundles->paths[i], good ? &facts : NULL, &err);
        if (!good && status_of(&err) > worst) worst = status_of(&err);
        il_text_clear(&facts);
    }
    if (json) {
        struct il__text whole = IL__TEXT_INIT;
        il__text_printf(&whole, "{\"ok\":%s,\"bundles\":[", worst ? "false" : "true");
        il__text_str(&whole, il__text_get(&text));
        il__text_puts(&whole, "]}\n");
        il__out_text(&io->out, &whole);
        il__text_clear(&whole);
    }
    il__text_clear(&text);
    return worst;
}

static int run(const struct il__args *args, struct il__io *io)
{
    struct il__bundles bundles;
    int status = il__policy_bundles(io, args, &bundles);
    if (status == 0 && !bundles.key_count) {
        il__io_error(io, "--policy-key FILE is missing: the public key that you trust; without one nothing is proved");
        status = 2;
    }
    if (status == 0) status = verify(args, io, &bundles);
    il__bundles_clear(&bundles);
    return status;
}

static const struct il__option options[] = {
    IL__BUNDLE_OPTIONS,
    IL__POLICY_FORMAT_OPTION,
    IL__CONFIG_OPTIONS,
};
static const char *const examples[] = {
    "interlock policy verify policies/office-hours --policy-key team.pub",
    "interlock policy verify office-hours.bundle --policy-key old.pub --policy-key new.pub --format json",
    NULL,
};
static const char *const exits[] = {
    "0   each is signed by a trusted key, and is what was signed",
    "1   one is not: unsigned, signed by another key, or edited since",
    IL__EXIT_USAGE, IL__EXIT_POLICY, IL__EXIT_FAILED, IL__EXIT_UNDECODABLE, NULL,
};

const struct il__command il__command_policy_verify = {
    .name = "policy verify",
    .operands = "[DIR|FILE]...",
    .summary = "Say whether bundles are signed by a key that you trust.",
    .about = "Each bundle is loaded as a host would that trusts these keys alone. What is wrong is named: the bundle, "
             "the file, and how it differs from what was signed. Without an operand the bundles and keys of the "
             "configuration file.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
