/* Policy bundles and their parameters (bundles.h): which is there, and which of them each --param is for.
 * Reads bundle.json only to see what parameters it declares; whether the bundle is sound is the library's to say. */
#include "cli/bundles.h"

#include "cli/config.h"
#include "cli/files.h"
#include "cli/look.h"
#include "cli/report.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static int check_folders(struct il__io *io, const struct il__bundles *bundles)
{
    for (size_t i = 0; i < bundles->count; i++) {
        struct stat st;
        int failed = stat(bundles->paths[i], &st);
        if (failed == 0 && S_ISDIR(st.st_mode)) continue;
        il__io_error(io, "%s%s: %s", bundles->operands ? "" : "--policy ", bundles->paths[i],
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
static int place(struct il__io *io, struct il__bundles *bundles, il_host *scratch, const struct il__text *manifests,
                 const char *param)
{
    const char *equals = strchr(param, '=');
    if (!equals || equals == param) {
        il__io_error(io, "--param '%s' has no name or no value; write --param NAME=VALUE", param);
        return 2;
    }
    struct il_str name = { param, (size_t)(equals - param) };
    bool placed = false, json = is_json(scratch, equals + 1);
    for (size_t i = 0; i < bundles->count; i++) {
        if (manifests[i].len && !declares(il__text_get(&manifests[i]), name)) continue;
        add(&bundles->params[i], name, equals + 1, json);
        placed = true;
    }
    if (placed) return 0;
    il__io_error(io, "--param: no bundle has a parameter '%.*s'; look into their bundle.json", (int)name.len, name.ptr);
    return 2;
}

static int place_all(struct il__io *io, const struct il__values *params, struct il__bundles *bundles, il_host *scratch)
{
    struct il__text manifests[IL__CLI_OPTION_VALUES];
    int status = 0;
    memset(manifests, 0, sizeof manifests);
    for (size_t i = 0; i < bundles->count; i++) read_manifest(bundles->paths[i], scratch, &manifests[i]);
    for (size_t i = 0; status == 0 && i < params->count; i++)
        status = place(io, bundles, scratch, manifests, params->at[i]);
    for (size_t i = 0; i < bundles->count; i++) il__text_clear(&manifests[i]);
    return status;
}

int il__bundles_at(struct il__io *io, const struct il__args *args, const char *const *paths, size_t count,
                   struct il__bundles *out)
{
    const struct il__values *params = il__args_values(args, "param");
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    il_host *scratch = NULL;
    if (count > IL__CLI_OPTION_VALUES) {
        il__io_error(io, "there are more than %d bundles", (int)IL__CLI_OPTION_VALUES);
        return 2;
    }
    out->paths = paths;
    out->count = count;
    out->operands = paths == args->operands;
    int status = check_folders(io, out);
    if (status != 0 || !params->count) return status;
    if (!count) {
        il__io_error(io, "--param sets a parameter of a policy bundle; name one with --policy DIR");
        return 2;
    }
    if (il_host_new(&options, &scratch, &err) != IL_OK) return il__report(io, il__args_json(args), NULL, &err, 8);
    status = place_all(io, params, out, scratch);
    il_host_free(scratch);
    return status;
}

int il__bundles_read(struct il__io *io, const struct il__args *args, struct il__bundles *out)
{
    const struct il__values *paths = il__args_values(args, "policy");
    const struct il_config_values *file = paths->configured ? il__config_values(args) : NULL;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; file && i < paths->count && i < file->bundle_count; i++)
        if (file->bundles[i].params_json.ptr) il__text_str(&out->params[i], file->bundles[i].params_json);
    return il__bundles_at(io, args, paths->at, paths->count, out);
}

enum il_code il__bundles_add(const struct il__bundles *bundles, il_host *host, const char **what,
                             struct il_error *err)
{
    enum il_code code = IL_OK;
    for (size_t i = 0; code == IL_OK && i < bundles->count; i++) code = il__bundles_add_one(bundles, i, host, what, err);
    return code;
}

enum il_code il__bundles_add_one(const struct il__bundles *bundles, size_t at, il_host *host, const char **what,
                                 struct il_error *err)
{
    const struct il__text *text = &bundles->params[at];
    *what = bundles->paths[at];
    return il_host_add_bundle_dir(host, il__text_of(bundles->paths[at]),
                                  text->len ? il__text_get(text) : (struct il_str){ NULL, 0 }, err);
}

void il__bundles_clear(struct il__bundles *bundles)
{
    for (size_t i = 0; i < bundles->count; i++) il__text_clear(&bundles->params[i]);
    memset(bundles, 0, sizeof *bundles);
}
