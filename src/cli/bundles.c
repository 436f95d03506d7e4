/* Policy bundles and their parameters (bundles.h): which is there, and which of them each --param is for.
 * Reads bundle.json only to see what parameters it declares; whether the bundle is sound is the library's to say. */
#include "cli/bundles.h"

#include "cli/config.h"
#include "cli/evidence.h"
#include "cli/files.h"
#include "cli/look.h"
#include "cli/report.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static int check_there(struct il__io *io, const struct il__bundles *bundles)
{
    for (size_t i = 0; i < bundles->count; i++) {
        struct stat st;
        int failed = stat(bundles->paths[i], &st);
        if (failed == 0 && (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode))) continue;
        const char *option = i >= bundles->count - bundles->trial_count ? "--trial " : "--policy ";
        il__io_error(io, "%s%s: %s", bundles->operands ? "" : option, bundles->paths[i],
                     failed ? strerror(errno) : "it is neither a folder nor a file");
        return 2;
    }
    return 0;
}

/* The bundle.json of a packed bundle. */
static void unpack_manifest(struct il__text *packed)
{
    struct il__text manifest = IL__TEXT_INIT;
    struct il_str file, files = il__look_get(il__text_get(packed), "files");
    for (size_t at = 0; il__look_next(files, &at, NULL, &file);)
        if (il__look_is(il__look_get(file, "path"), "bundle.json"))
            il__look_text(&manifest, il__look_get(file, "text"));
    il__text_clear(packed);
    *packed = manifest;
}

/* The manifest of a bundle, when it is JSON; else nothing, and the library will say what is wrong. */
static void read_manifest(const char *bundle, il_host *scratch, struct il__text *out)
{
    char why[512];
    struct stat st;
    struct il__text path = IL__TEXT_INIT;
    struct il_str canonical;
    const bool packed = stat(bundle, &st) == 0 && S_ISREG(st.st_mode);
    il__text_printf(&path, packed ? "%s" : "%s/bundle.json", bundle);
    bool read = !path.failed && il__file_read(path.ptr, out, why, sizeof why) == 0 &&
                il_host_canonical(scratch, il__text_get(out), &canonical, NULL) == IL_OK;
    if (read && packed) {
        unpack_manifest(out);
        read = il_host_canonical(scratch, il__text_get(out), &canonical, NULL) == IL_OK;
    }
    if (!read) il__text_reset(out);
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
    il__io_error(io, "--param: no bundle has a parameter '%.*s'; bundle.json lists them as \"params\"", (int)name.len,
                 name.ptr);
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

static int read_keys(struct il__io *io, const struct il__args *args, struct il__bundles *out)
{
    const struct il__values *files = il__args_values(args, "policy-key");
    int status = 0;
    for (size_t i = 0; status == 0 && i < files->count; i++, out->key_count++) {
        char id[17];
        status = il__evidence_public_key(io, il__args_json(args), files->at[i], &out->keys[i], id);
    }
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
    int status = check_there(io, out);
    if (status == 0) status = read_keys(io, args, out);
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

static bool has_option(const struct il__args *args, const char *name)
{
    for (size_t i = 0; i < args->command->option_count; i++)
        if (strcmp(args->command->options[i].name, name) == 0) return true;
    return false;
}

/* The parameters that the configuration file gives to the bundles from `at` on. */
static void take_params(struct il__bundles *out, size_t at, const struct il_config_bundle *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].params_json.ptr) il__text_str(&out->params[at + i], list[i].params_json);
}

int il__bundles_read(struct il__io *io, const struct il__args *args, struct il__bundles *out)
{
    static const struct il__values none = { { NULL }, 0, false };
    const struct il__values *paths = il__args_values(args, "policy");
    const struct il__values *trials = has_option(args, "trial") ? il__args_values(args, "trial") : &none;
    const struct il_config_values *file = il__config_values(args);
    memset(out, 0, sizeof *out);
    if (paths->count + trials->count > IL__CLI_OPTION_VALUES) {
        il__io_error(io, "there are more than %d bundles", (int)IL__CLI_OPTION_VALUES);
        return 2;
    }
    if (file && paths->configured) take_params(out, 0, file->bundles, file->bundle_count);
    if (file && trials->configured) take_params(out, paths->count, file->trials, file->trial_count);
    for (size_t i = 0; i < paths->count; i++) out->own[i] = paths->at[i];
    for (size_t i = 0; i < trials->count; i++) out->own[paths->count + i] = trials->at[i];
    out->trial_count = trials->count;
    return il__bundles_at(io, args, out->own, paths->count + trials->count, out);
}

struct il_bundle il__bundles_get(const struct il__bundles *bundles, size_t at)
{
    const struct il__text *params = &bundles->params[at];
    struct il_bundle bundle = { .path = il__text_of(bundles->paths[at]) };
    if (params->len) bundle.params_json = il__text_get(params);
    return bundle;
}

size_t il__bundles_keys(const struct il__bundles *bundles, struct il_str out[IL__CLI_OPTION_VALUES])
{
    for (size_t i = 0; i < bundles->key_count; i++) out[i] = il__evidence_str(&bundles->keys[i]);
    return bundles->key_count;
}

enum il_code il__bundles_add_some(const struct il__bundles *bundles, size_t from, size_t count, il_host *host,
                                  const char **what, struct il_error *err)
{
    struct il_str keys[IL__CLI_OPTION_VALUES];
    size_t key_count = il__bundles_keys(bundles, keys);
    enum il_code code = key_count ? il_host_trust_bundles(host, keys, key_count, err) : IL_OK;
    for (size_t i = from; code == IL_OK && i < from + count; i++) {
        const struct il_bundle bundle = il__bundles_get(bundles, i);
        *what = bundles->paths[i];
        code = i < bundles->count - bundles->trial_count
                   ? il_host_add_bundle_dir(host, bundle.path, bundle.params_json, err)
                   : il_host_add_trial_bundle_dir(host, bundle.path, bundle.params_json, err);
    }
    return code;
}

enum il_code il__bundles_add(const struct il__bundles *bundles, il_host *host, const char **what,
                             struct il_error *err)
{
    return il__bundles_add_some(bundles, 0, bundles->count, host, what, err);
}

void il__bundles_clear(struct il__bundles *bundles)
{
    for (size_t i = 0; i < bundles->count; i++) il__text_clear(&bundles->params[i]);
    for (size_t i = 0; i < IL__CLI_OPTION_VALUES; i++) il_text_clear(&bundles->keys[i]);
    memset(bundles, 0, sizeof *bundles);
}
