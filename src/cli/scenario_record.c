/* `interlock scenario --record RUN`: a run of a store as a scenario file, which is played once before it is handed out.
 * What is written comes from the library. Must never write over a file, nor hand out what does not play as it was
 * without saying so. */
#include "cli/scenario_record.h"

#include "cli/bundles.h"
#include "cli/evidence.h"
#include "cli/files.h"
#include "cli/look.h"
#include "cli/report.h"
#include "cli/shelf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct record {
    struct il__io *io;
    const struct il__args *args;
    const char *run, *out;       /* out NULL: standard output */
    il_store *store;
    struct il__bundles bundles;
    struct il__text dirs[IL__CLI_OPTION_VALUES], workflow;
    struct il_text source;
};

/* ---- names as the file sees them ---- */

static const char *past_folder(const char *path, size_t len)
{
    path += len;
    while (*path == '/') path++;
    return path;
}

/* `to` as seen from folder `from`, both whole and free of links. */
static void relative(struct il__text *out, const char *from, const char *to)
{
    size_t same = 0, at = 0;
    for (; from[at] && from[at] == to[at]; at++)
        if (from[at] == '/') same = at;
    if (!from[at] && (!to[at] || to[at] == '/')) same = at;
    else if (!to[at] && from[at] == '/') same = at;
    for (const char *rest = past_folder(from, same); *rest;) {
        size_t len = strcspn(rest, "/");
        il__text_puts(out, "../");
        rest = past_folder(rest, len);
    }
    const char *rest = past_folder(to, same);
    il__text_puts(out, *rest ? rest : ".");
}

/* A relative name on the command line, which is seen from here, as seen from the folder of the file that is written. */
static void seen_from_file(const struct record *r, const char *name, struct il__text *out)
{
    char from[PATH_MAX], to[PATH_MAX];
    struct il__text folder = IL__TEXT_INIT;
    const char *slash = r->out ? strrchr(r->out, '/') : NULL;
    if (slash) il__text_str(&folder, (struct il_str){ r->out, (size_t)(slash - r->out) + 1 });
    else il__text_puts(&folder, ".");
    if (name[0] == '/' || folder.failed || !realpath(folder.ptr, from) || !realpath(name, to))
        il__text_puts(out, name);
    else relative(out, from, to);
    il__text_clear(&folder);
}

/* ---- is it what the run began with? ---- */

static bool pinned_is(const struct record *r, const char *member, struct il_str value)
{
    struct il__text raw = IL__TEXT_INIT, text = IL__TEXT_INIT;
    il__shelf_pinned(r->store, il__text_of(r->run), member, &raw);
    il__look_text(&text, il__text_get(&raw));
    bool same = text.len == value.len && (!text.len || memcmp(text.ptr, value.ptr, text.len) == 0);
    il__text_clear(&raw);
    il__text_clear(&text);
    return same;
}

static int check_bundles(struct record *r)
{
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    const char *what = NULL;
    il_host *host = NULL;
    int status = 0;
    enum il_code code = il_host_new(&options, &host, &err);
    if (code == IL_OK) code = il__bundles_add(&r->bundles, host, &what, &err);
    if (code != IL_OK) {
        status = il__report(r->io, false, what, &err, code == IL_OUT_OF_MEMORY ? 8 : 3);
    } else if (!pinned_is(r, "hostPolicyDigest", il_host_policy_digest(host))) {
        il__io_error(r->io, r->bundles.count
                                ? "these are not the policies that the run began with; name those, with their "
                                  "parameters, by --policy and --param"
                                : "the run was judged by policies; name them by --policy, as when it ran");
        status = 2;
    }
    il_host_free(host);
    return status;
}

static int check_workflow(struct record *r)
{
    const char *path = il__args_value(r->args, "workflow");
    struct il__text source = IL__TEXT_INIT;
    char why[512], digest[72] = "sha256:";
    if (!path && pinned_is(r, "workflow", il__text_of("workflows/reference.lua"))) return 0;
    if (!path) {
        il__io_error(r->io, "the run had a workflow of its own; name it by --workflow");
        return 2;
    }
    int status = il__file_read(path, &source, why, sizeof why);
    if (status != 0) il__io_error(r->io, "%s", why);
    il_sha256_hex(il__text_get(&source), digest + strlen(digest));
    if (status == 0 && !pinned_is(r, "workflowDigest", il__text_of(digest))) {
        il__io_error(r->io, "--workflow %s: the run began with another text", path);
        status = 2;
    }
    il__text_clear(&source);
    if (status == 0) seen_from_file(r, path, &r->workflow);
    return status;
}

/* ---- writing and playing ---- */

static int make(struct record *r)
{
    struct il_record_options o = IL_RECORD_OPTIONS_INIT;
    struct il_scenario_policy policies[IL__CLI_OPTION_VALUES];
    struct il_str masks[IL__CLI_OPTION_VALUES];
    struct il_error err = IL_ERROR_INIT;
    const struct il__values *given = il__args_values(r->args, "mask");
    for (size_t i = 0; i < r->bundles.count; i++) {
        seen_from_file(r, r->bundles.paths[i], &r->dirs[i]);
        policies[i].dir = il__text_get(&r->dirs[i]);
        policies[i].params_json = il__bundles_get(&r->bundles, i).params_json;
    }
    for (size_t i = 0; i < given->count; i++) masks[i] = il__text_of(given->at[i]);
    o.run_id = il__text_of(r->run);
    o.policies = policies;
    o.policy_count = r->bundles.count;
    if (r->workflow.len) o.workflow = il__text_get(&r->workflow);
    o.masks = masks;
    o.mask_count = given->count;
    if (il_scenario_of_run(r->store, &o, &r->source, &err) == IL_OK) return 0;
    if (err.code == IL_INVALID_REQUEST) return il__report(r->io, false, "--mask", &err, 2);
    return il__report(r->io, false, NULL, &err, err.code == IL_STORE || err.code == IL_OUT_OF_MEMORY ? 8 : 1);
}

static int write_out(struct record *r)
{
    if (!r->out) {
        il__out_write(&r->io->out, il__evidence_str(&r->source));
        return 0;
    }
    int fd = open(r->out, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        il__io_error(r->io, "--out %s: %s", r->out, strerror(errno));
        return 2;
    }
    bool whole = write(fd, r->source.ptr, r->source.len) == (ssize_t)r->source.len;
    whole = close(fd) == 0 && whole;
    if (whole) return 0;
    (void)unlink(r->out);
    il__io_error(r->io, "--out %s: it could not be written whole", r->out);
    return 8;
}

struct played { struct il__text why; bool passed; };

static void take_result(void *ctx, const struct il_scenario_result *result)
{
    struct played *p = ctx;
    p->passed = result->passed;
    if (result->passed) return;
    il__text_printf(&p->why, "line %d: ", result->line);
    il__text_str(&p->why, result->message);
}

/* It is handed out in any case: what differs is for a person to see. */
static int play(struct record *r)
{
    struct il_scenario_options o = IL_SCENARIO_OPTIONS_INIT;
    struct played p = { IL__TEXT_INIT, false };
    struct il_str keys[IL__CLI_OPTION_VALUES];
    struct il_error err = IL_ERROR_INIT;
    size_t ran = 0;
    int status = 0;
    o.file = il__text_of(r->out ? r->out : "recorded_scenario.lua");
    o.source = il__evidence_str(&r->source);
    o.bundle_keys = keys;
    o.bundle_key_count = il__bundles_keys(&r->bundles, keys);
    o.report = take_result;
    o.report_ctx = &p;
    if (il_scenario_run(&o, &ran, &err) != IL_OK) status = il__report(r->io, false, "the scenario", &err, 1);
    else if (!p.passed) {
        il__io_error(r->io, "the scenario does not play as the run was: %s", p.why.len ? p.why.ptr : "nothing ran");
        status = 1;
    }
    il__text_clear(&p.why);
    return status;
}

static bool no_more(void *ctx, const struct il_record *record)
{
    (void)ctx;
    (void)record;
    return false;
}

static int check_run(struct record *r)
{
    struct il_error err = IL_ERROR_INIT;
    enum il_code code = il_store_records(r->store, il__text_of(r->run), no_more, NULL, &err);
    return code == IL_OK ? 0 : il__report(r->io, false, "--record", &err, code == IL_CONFLICT ? 1 : 8);
}

static int record(struct record *r)
{
    int status = il__shelf_open(r->io, r->args, IL__SHELF_READ, &r->store);
    if (status == 0) status = check_run(r);
    if (status == 0) status = il__bundles_read(r->io, r->args, &r->bundles);
    if (status == 0) status = check_bundles(r);
    if (status == 0) status = check_workflow(r);
    if (status == 0) status = make(r);
    if (status == 0) status = write_out(r);
    return status == 0 ? play(r) : status;
}

int il__scenario_record(const struct il__args *args, struct il__io *io)
{
    struct record r = { .io = io, .args = args, .run = il__args_value(args, "record"),
                        .out = il__args_value(args, "out") };
    if (args->operand_count) {
        il__io_error(io, "--record makes a scenario and runs none; unexpected '%s'", args->operands[0]);
        return 2;
    }
    int status = record(&r);
    for (size_t i = 0; i < IL__CLI_OPTION_VALUES; i++) il__text_clear(&r.dirs[i]);
    il__text_clear(&r.workflow);
    il__bundles_clear(&r.bundles);
    il_text_clear(&r.source);
    il_store_close(r.store);
    return status;
}
