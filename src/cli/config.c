/* The configuration file under the options (config.h): which member stands for which option of which command. */
#include "cli/config.h"

#include "cli/endpoint.h"
#include "cli/report.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONFIG_NAME "interlock.json"

static struct il__values *values_of(struct il__args *args, const char *name, const struct il__option **option)
{
    for (size_t i = 0; i < args->command->option_count; i++)
        if (strcmp(args->command->options[i].name, name) == 0) {
            *option = &args->command->options[i];
            return &args->options[i];
        }
    return NULL;
}

static bool has(struct il__args *args, const char *name)
{
    const struct il__option *option;
    return values_of(args, name, &option) != NULL;
}

static bool given(const struct il__args *args, const char *name)
{
    return il__args_given(args, name);
}

/* One more value of an option that the command has and that was not given. */
static void fill(struct il__args *args, const char *name, struct il_str value)
{
    const struct il__option *option;
    struct il__values *values = values_of(args, name, &option);
    if (!values || !value.ptr || (values->count && !values->configured)) return;
    if (values->count == IL__CLI_OPTION_VALUES || (values->count && !option->repeat)) return;
    values->at[values->count++] = value.ptr;
    values->configured = true;
}

static bool is_command(const struct il__args *args, const char *name)
{
    return strcmp(args->command->name, name) == 0;
}

/* ---- groups: what belongs to an address goes with it ---- */

static void fill_runtime(struct il__args *args, const struct il_config_values *v)
{
    const struct il__option *option;
    const struct il__values *runtime = values_of(args, "runtime", &option);
    if (!runtime || runtime->count || !v->runtime.ptr) return;
    if (strcmp(option->value, "SERVER") == 0 && !il__endpoint_is(v->runtime.ptr)) return; /* only servers are asked */
    fill(args, "runtime", v->runtime);
    if (!given(args, "token-file") && !given(args, "token-env")) {
        fill(args, "token-file", v->token_file);
        fill(args, "token-env", v->token_env);
    }
    fill(args, "ca", v->ca);
    if (v->read_back) fill(args, "read-back", il__text_of(""));
    for (size_t i = 0; i < v->accept_count; i++) fill(args, "accept-tool", v->accept_tools[i]);
    if (is_command(args, "run") || is_command(args, "doctor")) fill(args, "session", v->session);
}

static void fill_approver(struct il__args *args, const struct il_config_values *v)
{
    if (given(args, "approver") || given(args, "runtime") || !v->approver.ptr) return;
    fill(args, "approver", v->approver);
    if (given(args, "approver-token-file") || given(args, "approver-token-env")) return;
    fill(args, "approver-token-file", v->approver_token_file);
    fill(args, "approver-token-env", v->approver_token_env);
}

/* With a token nothing else says whom a run is for; without one the keys have nothing to check (people.c refuses). */
static void fill_identity(struct il__args *args, const struct il_config_values *v)
{
    if (is_command(args, "session")) return; /* there the principal is what a session is held against */
    if (has(args, "identity-token") && given(args, "identity-token")) {
        fill(args, "jwks", v->jwks);
        fill(args, "issuer", v->issuer);
        fill(args, "audience", v->audience);
        fill(args, "tenant-claim", v->tenant_claim);
        return;
    }
    fill(args, "principal", v->principal);
    fill(args, "tenant", v->tenant);
    for (size_t i = 0; i < v->scope_count; i++) fill(args, "scope", v->scopes[i]);
}

static void fill_audit(struct il__args *args, const struct il_config_values *v)
{
    const char *verb = args->operand_count ? args->operands[0] : "";
    if (!is_command(args, "audit") || (strcmp(verb, "verify") != 0 && strcmp(verb, "head") != 0)) return;
    fill(args, "witness", v->witness);
    fill(args, "key", v->head_key);
}

static void fill_all(struct il__args *args, const struct il_config_values *v)
{
    fill(args, "store", v->store);
    fill(args, "approvers", v->approvers);
    fill(args, "workflow", v->workflow);
    fill(args, "notify", v->notice);
    fill(args, "kill-switch", v->kill_switch);
    for (size_t i = 0; i < v->bundle_count; i++) fill(args, "policy", v->bundles[i].path);
    for (size_t i = 0; i < v->trial_count; i++) fill(args, "trial", v->trials[i].path);
    for (size_t i = 0; i < v->bundle_key_count; i++) fill(args, "policy-key", v->bundle_keys[i]);
    fill_runtime(args, v);
    fill_approver(args, v);
    fill_identity(args, v);
    fill_audit(args, v);
}

/* ---- the file ---- */

/* Who can write the file decides what is governed and how, and names programs that are started. */
static int check_owner(struct il__io *io, const char *path, bool found)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        il__io_error(io, "%s: %s", path, strerror(errno));
        return 2;
    }
    if (st.st_mode & S_IWOTH) {
        il__io_error(io, "%s: everybody can write it; 'chmod o-w' it first", path);
        return 2;
    }
    if (!found || st.st_uid == geteuid() || st.st_uid == 0) return 0;
    il__io_error(io, "%s belongs to another user; read it with --config %s, or go on with --no-config", path, path);
    return 2;
}

static int open_file(struct il__io *io, struct il__args *args, struct il__config *config)
{
    struct il_config_options options = IL_CONFIG_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    char whole[PATH_MAX]; /* what is pinned of a run must not depend on the folder that a command is called from */
    if (!realpath(config->path, whole)) {
        il__io_error(io, "%s: %s", config->path, strerror(errno));
        return 2;
    }
    options.path = il__text_of(whole);
    if (il_config_open(&options, &config->file, &err) == IL_OK) {
        config->values = il_config_get(config->file);
        return 0;
    }
    return il__report(io, il__args_json(args), config->path, &err, il__report_status(err.code));
}

int il__config_load(struct il__io *io, struct il__args *args, struct il__config *config)
{
    memset(config, 0, sizeof *config);
    if (!has(args, "config")) return 0;
    config->path = il__args_value(args, "config");
    if (config->path && il__args_flag(args, "no-config")) {
        il__io_error(io, "--config and --no-config: one of them");
        return 2;
    }
    if (il__args_flag(args, "no-config")) return 0;
    config->found = !config->path && access(CONFIG_NAME, F_OK) == 0;
    if (config->found) config->path = CONFIG_NAME;
    if (!config->path) return 0;
    int status = check_owner(io, config->path, config->found);
    if (status == 0) status = open_file(io, args, config);
    if (status != 0) return status;
    args->config = config;
    fill_all(args, config->values);
    if (config->found && !is_command(args, "run") && !is_command(args, "resume") && !is_command(args, "doctor"))
        il__io_note(io, "configured by %s", config->path);
    return 0;
}

void il__config_free(struct il__config *config)
{
    il_config_free(config->file);
    memset(config, 0, sizeof *config);
}

const struct il_config_values *il__config_values(const struct il__args *args)
{
    return args->config ? args->config->values : NULL;
}

void il__config_host(const struct il__args *args, struct il_host_options *options)
{
    if (args->config) il_config_fill(args->config->file, options);
}

enum il_code il__config_note(const struct il__args *args, il_host *host, struct il_error *err)
{
    if (!args->config) return IL_OK;
    return il_host_set_config_digest(host, il__text_of(args->config->values->digest), err);
}
