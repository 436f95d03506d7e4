/* The bundles of a run and their parameters: which folder is there, and which of them each --param is for.
 * Reads bundle.json only to see what parameters it declares; whether the bundle is sound is the library's to say. */
#include "cli/config.h"
#include "cli/look.h"
#include "cli/run.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static int check_folders(struct il__io *io, const struct il__values *bundles)
{
    for (size_t i = 0; i < bundles->count; i++) {
        struct stat st;
        int failed = stat(bundles->at[i], &st);
        if (failed == 0 && S_ISDIR(st.st_mode)) continue;
        il__io_error(io, "--policy %s: %s", bundles->at[i],
                     failed ? strerror(errno) : "it is a file; name the folder that holds bundle.json");
        return 2;
    }
    return 0;
}

/* The manifest of a bundle, when it is JSON; else nothing, and the library will say what is wrong. */
static void read_manifest(const char *folder, il_host *scratch, struct il__text *out)
{
    char why[512];
    struct il__text path = IL__TEXT_INIT;
    struct il_str canonical;
    il__text_printf(&path, "%s/bundle.json", folder);
    if (path.failed || il__file_read(path.ptr, out, why, sizeof why) != 0 ||
        il_host_canonical(scratch, il__text_get(out), &canonical, NULL) != IL_OK)
        il__text_reset(out);
    il__text_clear(&path);
}

static bool is_name(struct il_str raw, struct il_str name)
{
    return raw.len == name.len + 2 && memcmp(raw.ptr + 1, name.ptr, name.len) == 0;
}

static bool declares(struct il_str manifest, struct il_str param)
{
    struct il_str policy, name, value, policies = il__look_get(manifest, "policies");
    for (size_t at = 0; il__look_next(policies, &at, NULL, &policy);) {
        struct il_str params = il__look_get(policy, "params");
        for (size_t k = 0; il__look_next(params, &k, &name, &value);)
            if (is_name(name, param)) return true;
    }
    return false;
}

/* True when `value` is JSON as it stands. */
static bool is_json(il_host *host, const char *value)
{
    struct il_str out;
    return il_host_canonical(host, il__text_of(value), &out, NULL) == IL_OK;
}

/* The configuration gave it, too: what is given here wins. */
static void drop(struct il__text *out, struct il_str name)
{
    struct il__text rest = IL__TEXT_INIT;
    struct il_str member, value;
    for (size_t at = 0; il__look_next(il__text_get(out), &at, &member, &value);) {
        if (is_name(member, name)) continue;
        il__text_puts(&rest, rest.len ? "," : "{");
        il__text_str(&rest, member);
        il__text_puts(&rest, ":");
        il__text_str(&rest, value);
    }
    if (rest.len) il__text_puts(&rest, "}");
    il__text_clear(out);
    *out = rest;
}

static void add(struct il__text *out, struct il_str name, const char *value, bool json)
{
    if (out->len) drop(out, name);
    if (out->len) out->len--; /* the brace that closed it so far */
    il__text_puts(out, out->len ? "," : "{");
    il__text_json(out, name);
    il__text_puts(out, ":");
    if (json) il__text_puts(out, value);
    else il__text_json(out, il__text_of(value));
    il__text_puts(out, "}");
}

/* One --param: to every bundle that declares it. */
static int place(struct il__io *io, struct il__run_input *in, il_host *scratch, const struct il__text *manifests,
                 const char *param)
{
    const char *equals = strchr(param, '=');
    if (!equals || equals == param) {
        il__io_error(io, "--param '%s' has no name or no value; write --param NAME=VALUE", param);
        return 2;
    }
    struct il_str name = { param, (size_t)(equals - param) };
    bool placed = false, json = is_json(scratch, equals + 1);
    for (size_t i = 0; i < in->bundle_count; i++) {
        if (manifests[i].len && !declares(il__text_get(&manifests[i]), name)) continue;
        add(&in->params[i], name, equals + 1, json);
        placed = true;
    }
    if (placed) return 0;
    il__io_error(io, "--param: no bundle has a parameter '%.*s'; look into their bundle.json", (int)name.len, name.ptr);
    return 2;
}

int il__params_read(struct il__io *io, struct il__run_input *in, il_host *scratch)
{
    const struct il__values *bundles = il__args_values(in->args, "policy");
    const struct il__values *params = il__args_values(in->args, "param");
    struct il__text manifests[IL__CLI_OPTION_VALUES];
    int status = check_folders(io, bundles);
    if (status != 0) return status;
    if (params->count && !bundles->count) {
        il__io_error(io, "--param sets a parameter of a policy bundle; name one with --policy DIR");
        return 2;
    }
    in->bundle_count = bundles->count;
    memset(manifests, 0, sizeof manifests);
    if (bundles->configured)
        for (size_t i = 0; i < bundles->count; i++)
            il__text_str(&in->params[i], il__config_values(in->args)->bundles[i].params_json);
    for (size_t i = 0; params->count && i < bundles->count; i++) read_manifest(bundles->at[i], scratch, &manifests[i]);
    for (size_t i = 0; status == 0 && i < params->count; i++)
        status = place(io, in, scratch, manifests, params->at[i]);
    for (size_t i = 0; i < bundles->count; i++) il__text_clear(&manifests[i]);
    return status;
}
