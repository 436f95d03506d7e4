/* What the user gave for a run: by whom it is acted, on whose behalf, under which policies, with which answers.
 * Reads options and files. Must never fill in what decides about acting: there is no default runtime. */
#include "cli/config.h"
#include "cli/look.h"
#include "cli/report.h"
#include "cli/run.h"

#include <string.h>
#include <unistd.h>

static bool ends_with(const char *text, const char *tail)
{
    size_t len = strlen(text), n = strlen(tail);
    return len > n && strcmp(text + len - n, tail) == 0;
}

static int choose_runtime(struct il__io *io, struct il__run_input *in)
{
    static const char *const kinds[] = { "simulated" };
    const char *runtime = il__args_value(in->args, "runtime");
    if (!runtime) {
        il__io_error(io, "no runtime is named; write --runtime simulated (it acts on nothing), --runtime FILE.lua or "
                         "the address of a server");
        return 2;
    }
    if (il__endpoint_is(runtime)) {
        in->server = true;
        in->runtime_path = runtime;
        return il__endpoint_read(io, in->args, runtime, &in->endpoint);
    }
    if (il__endpoint_option_given(in->args)) {
        il__io_error(io, "--%s is for a server; this runtime is none", il__endpoint_option_given(in->args));
        return 2;
    }
    if (strcmp(runtime, "simulated") == 0) {
        in->simulated = true;
        return 0;
    }
    if (ends_with(runtime, ".lua") && !strstr(runtime, "://")) {
        in->runtime_path = runtime;
        return il__io_read(io, runtime, &in->runtime);
    }
    if (il__nearest(runtime, kinds, 1)) il__io_error(io, "unknown runtime '%s'; did you mean 'simulated'?", runtime);
    else il__io_error(io, "unsupported runtime '%s'; write simulated, FILE.lua, mcp+http://..., mcp+https://... or "
                           "stdio:COMMAND", runtime);
    return 2;
}

static int choose_now(struct il__io *io, struct il__run_input *in)
{
    const char *now = il__args_value(in->args, "now");
    if (!now) return 0;
    if (!il__cli_clock_init(&in->clock, now)) {
        il__io_error(io, "--now: '%s' is no time; write it as 2026-01-31T09:30:00Z", now);
        return 2;
    }
    in->clock_fixed = true;
    return 0;
}

static int check_scopes(struct il__io *io, const struct il__run_input *in)
{
    static const char *const known[] = {
        "computer:plan",
        "computer:execute:background",
        "computer:execute:foreground",
    };
    const struct il__values *scopes = il__args_values(in->args, "scope");
    for (size_t i = 0; i < scopes->count; i++) {
        size_t k = 0;
        while (k < 3 && strcmp(scopes->at[i], known[k]) != 0) k++;
        if (k < 3) continue;
        const char *near = il__nearest(scopes->at[i], known, 3);
        il__io_error(io, "--scope: no scope is named '%s'; %s%s", scopes->at[i], near ? "did you mean " : "there are ",
                     near ? near : "computer:plan, computer:execute:background and computer:execute:foreground");
        return 2;
    }
    return 0;
}

/* Answers must be readable before anything is asked of a runtime: an answer as it stands, or {approval, preview}. */
enum il_code il__answer_check(il_host *scratch, struct il_str text, struct il_error *err)
{
    struct il_check_options options = IL_CHECK_OPTIONS_INIT;
    struct il_str out, inner;
    enum il_code code = il_host_canonical(scratch, text, &out, err);
    if (code != IL_OK || il__look_has(text, "signature")) return code;
    inner = il__look_get(text, "approval");
    if (!inner.ptr && il__look_get(text, "preview").ptr) return IL_OK;
    options.kind = il__text_of("approval");
    options.document = inner.ptr ? inner : text;
    return il_host_check(scratch, &options, &out, err);
}

static int read_approvals(struct il__io *io, struct il__run_input *in, il_host *scratch)
{
    const struct il__values *files = il__args_values(in->args, in->approval_option);
    for (size_t i = 0; i < files->count; i++) {
        struct il_error err = IL_ERROR_INIT;
        bool later = in->wait && access(files->at[i], F_OK) != 0;
        int status = later ? 0 : il__io_read(io, files->at[i], &in->approvals[i]);
        in->approval_count = i + 1;
        if (later) continue;
        if (status != 0) return status;
        if (il__answer_check(scratch, il__text_get(&in->approvals[i]), &err) != IL_OK)
            return il__report(io, in->json, files->at[i], &err, 65);
    }
    return 0;
}

static int read_with_host(struct il__io *io, struct il__run_input *in)
{
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    il_host *scratch = NULL;
    if (il_host_new(&options, &scratch, &err) != IL_OK) return il__report(io, in->json, NULL, &err, 8);
    int status = il__bundles_read(io, in->args, &in->bundles);
    if (status == 0) status = read_approvals(io, in, scratch);
    il_host_free(scratch);
    return status;
}

static int check_ask(struct il__io *io, const struct il__run_input *in)
{
    if (!in->ask) return 0;
    if (in->json) {
        il__io_error(io, "--ask talks to a person; it cannot be had with --format json");
        return 2;
    }
    if (in->action_path && strcmp(in->action_path, "-") == 0) {
        il__io_error(io, "--ask reads the answer from standard input; name a file with the action");
        return 2;
    }
    if (isatty(STDIN_FILENO) == 1) return 0;
    il__io_error(io, "--ask needs a terminal as standard input; deliver the answer with --approval FILE");
    return 2;
}

/* An answer from a file is whole: it names the grant, or says that the runtime holds one. */
static int check_approver(struct il__io *io, const struct il__run_input *in)
{
    if (!in->approver.address || in->ask || in->decided || !il__args_given(in->args, "approver")) return 0;
    il__io_error(io, "--approver grants what is approved with --ask; an answer from a file is not granted anew");
    return 2;
}

/* One that stands in the configuration alone is connected when somebody is going to approve here. */
static bool wants_approver(const struct il__run_input *in)
{
    return in->ask || in->decided || il__args_given(in->args, "approver") ||
           il__args_given(in->args, "approver-token-file") || il__args_given(in->args, "approver-token-env");
}

int il__input_read(struct il__io *io, struct il__run_input *in)
{
    const char *workflow = il__args_value(in->args, "workflow");
    in->json = il__args_json(in->args);
    in->trace = il__args_flag(in->args, "trace");
    in->ask = il__args_flag(in->args, "ask");
    in->wait = il__args_flag(in->args, "wait");
    in->principal = il__args_value(in->args, "principal");
    in->default_principal = !in->principal && !il__args_value(in->args, "identity-token");
    if (!in->principal) in->principal = "local-operator";
    int status = check_ask(io, in);
    if (status == 0) status = choose_runtime(io, in);
    if (status == 0 && in->server && wants_approver(in)) status = il__approver_read(io, in->args, &in->approver);
    if (status == 0) status = check_approver(io, in);
    if (status == 0) status = choose_now(io, in);
    if (status == 0) status = check_scopes(io, in);
    if (status == 0) status = il__notice_check(io, in->args);
    if (status == 0) status = il__server_check(io, in);
    if (status == 0) status = il__people_read(io, in->args, &in->people);
    if (status == 0) status = il__people_check(io, in->json, &in->people, in->clock_fixed ? &in->clock : NULL);
    if (status == 0 && in->people.token_path) in->principal = in->people.principal.ptr;
    if (status == 0 && in->action_path) status = il__io_read(io, in->action_path, &in->action);
    if (status == 0 && workflow) status = il__io_read(io, workflow, &in->workflow);
    if (status == 0) status = read_with_host(io, in);
    return status;
}

void il__input_clear(struct il__run_input *in)
{
    il__endpoint_clear(&in->endpoint);
    il__endpoint_clear(&in->approver);
    il__people_clear(&in->people);
    il__text_clear(&in->action);
    il__text_clear(&in->runtime);
    il__text_clear(&in->workflow);
    il__text_clear(&in->scopes);
    il__bundles_clear(&in->bundles);
    for (size_t i = 0; i < in->approval_count; i++) il__text_clear(&in->approvals[i]);
}
