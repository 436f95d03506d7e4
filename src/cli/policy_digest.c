/* `interlock policy digest [BUNDLE]...`: the digest of each bundle, and that of a host with all of them in this order.
 * It is what records, cards and receipts name. Also what the verbs share (policy.h).
 * Must never print a digest of what a host would refuse. */
#include "cli/policy.h"

#include "cli/report.h"

#include <string.h>

int il__policy_bundles(struct il__io *io, const struct il__args *args, struct il__bundles *out)
{
    memset(out, 0, sizeof *out);
    if (args->operand_count && il__args_given(args, "policy")) {
        il__io_error(io, "bundles are named as operands or by --policy, not both");
        return 2;
    }
    if (args->operand_count) return il__bundles_at(io, args, args->operands, args->operand_count, out);
    int status = il__bundles_read(io, args, out);
    if (status != 0 || out->count) return status;
    il__io_error(io, "no bundle is named; write 'interlock %s DIR'", args->command->name);
    return 2;
}

/* The folder of a path; the path is cut. */
static bool cut_to_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (strcmp(slash ? slash + 1 : path, "bundle.json") != 0) return false;
    if (!slash) memcpy(path, ".", 2);
    else *slash = '\0';
    return true;
}

int il__policy_find(struct il__io *io, const char *const *paths, size_t count, struct il__found *found)
{
    char why[512];
    size_t kept = 0;
    int status = il__files_find(paths, count, ".json", found, why, sizeof why);
    if (status != 0) {
        il__io_error(io, "%s", why);
        return status;
    }
    for (size_t i = 0; i < found->count; i++) {
        char *path = found->names.ptr + (found->paths[i] - found->names.ptr);
        if (cut_to_folder(path)) found->paths[kept++] = path;
    }
    found->count = kept;
    return 0;
}

int il__policy_refuse(struct il__io *io, bool json, const char *what, const struct il_error *err)
{
    int status = 3;
    if (err->code == IL_DECODE) status = 65;
    if (err->code == IL_OUT_OF_MEMORY) status = 8;
    return il__report(io, json, what, err, status);
}

static enum il_code open_policy(const struct il__bundles *bundles, size_t from, size_t count, il_policy **out,
                                const char **what, struct il_error *err)
{
    struct il_policy_options options = IL_POLICY_OPTIONS_INIT;
    struct il_str keys[IL__CLI_OPTION_VALUES];
    size_t key_count = il__bundles_keys(bundles, keys);
    enum il_code code = il_policy_new(&options, out, err);
    if (!code && key_count) code = il_policy_trust_bundles(*out, keys, key_count, err);
    for (size_t i = from; !code && i < from + count; i++) {
        struct il_bundle bundle = il__bundles_get(bundles, i);
        *what = bundles->paths[i];
        code = il_policy_add_dir(*out, bundle.path, bundle.params_json, err);
    }
    return code;
}

int il__policy_open(struct il__io *io, bool json, const struct il__bundles *bundles, size_t from, size_t count,
                    il_policy **out)
{
    struct il_error err = IL_ERROR_INIT;
    const char *what = NULL;
    *out = NULL;
    if (open_policy(bundles, from, count, out, &what, &err) == IL_OK) return 0;
    il_policy_free(*out);
    *out = NULL;
    return il__policy_refuse(io, json, what, &err);
}

static enum il_code digest_of(const struct il__bundles *bundles, size_t from, size_t count, char out[80],
                              const char **what, struct il_error *err)
{
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    il_host *host = NULL;
    enum il_code code = il_host_new(&options, &host, err);
    if (code == IL_OK) code = il__bundles_add_some(bundles, from, count, host, what, err);
    if (code == IL_OK) {
        struct il_str digest = il_host_policy_digest(host);
        snprintf(out, 80, "%.*s", (int)digest.len, digest.ptr);
    }
    il_host_free(host);
    return code;
}

static void line(struct il__text *text, bool json, size_t at, const char *path, const char *digest)
{
    if (!json) {
        il__text_printf(text, "%s  ", digest);
        il__text_escaped(text, il__text_of(path));
        il__text_puts(text, "\n");
        return;
    }
    il__text_puts(text, at ? ",{\"path\":" : "{\"path\":");
    il__text_json(text, il__text_of(path));
    il__text_printf(text, ",\"digest\":\"%s\"}", digest);
}

static int print(struct il__io *io, bool json, const struct il__bundles *bundles)
{
    struct il__text text = IL__TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    const char *what = NULL;
    char digest[80];
    enum il_code code = digest_of(bundles, 0, bundles->count, digest, &what, &err);
    if (json) il__text_printf(&text, "{\"ok\":true,\"policyDigest\":\"%s\",\"bundles\":[", digest);
    for (size_t i = 0; code == IL_OK && i < bundles->count; i++) {
        char one[80];
        code = digest_of(bundles, i, 1, one, &what, &err);
        if (code == IL_OK) line(&text, json, i, bundles->paths[i], one);
    }
    if (json) il__text_puts(&text, "]}\n");
    else if (bundles->count > 1) il__text_printf(&text, "%s  all of them, in this order\n", digest);
    if (code == IL_OK) il__out_text(&io->out, &text);
    il__text_clear(&text);
    return code == IL_OK ? 0 : il__policy_refuse(io, json, what, &err);
}

static int run(const struct il__args *args, struct il__io *io)
{
    struct il__bundles bundles;
    int status = il__policy_bundles(io, args, &bundles);
    if (status == 0) status = print(io, il__args_json(args), &bundles);
    il__bundles_clear(&bundles);
    return status;
}

static const struct il__option options[] = {
    IL__BUNDLE_OPTIONS,
    IL__POLICY_FORMAT_OPTION,
    IL__CONFIG_OPTIONS,
};
static const char *const examples[] = {
    "interlock policy digest policies/office-hours --param closes=17",
    "interlock policy digest policies/office-hours policies/two-person",
    NULL,
};
static const char *const exits[] = {
    "0   the digests were printed", IL__EXIT_USAGE, IL__EXIT_POLICY, IL__EXIT_FAILED, IL__EXIT_UNDECODABLE, NULL,
};

const struct il__command il__command_policy_digest = {
    .name = "policy digest",
    .operands = "[DIR|FILE]...",
    .summary = "Print the digest of each bundle, and of all together.",
    .about = "The digest of a bundle is over bundle.json, the parameters as they are given, and every file that it "
             "lists. With several bundles the last line is the digest of a host that has all of them in this order; "
             "it stands in every record of what they decided. Without an operand those of the configuration file.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
