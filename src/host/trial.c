/* Bundles on trial of a host, and the report on what they would have changed (interlock.h). Uses the policy set of
 * src/script, and src/evidence over a store. Must never add to the bundles that count. */
#include "base/error.h"
#include "base/limits.h"
#include "evidence/trial.h"
#include "host/bundle_dir.h"
#include "host/host.h"
#include "host/store.h"

/* The set is made with its first bundle, and is asked from then on. */
static enum il_code set_of(il_host *host, struct il_error *err)
{
    struct il__engine *e = &host->engine;
    if (host->trials) return IL_OK;
    enum il_code code = il__host_policies(host, &host->trials, err);
    if (code) return code;
    il__policy_set_together(host->trials, IL__LIMIT_TRIAL_MS);
    e->trials = il__policy_set_port(host->trials);
    return IL_OK;
}

static enum il_code add(il_host *host, const struct il_file *files, size_t count, struct il_str params_json,
                        struct il_error *err)
{
    enum il_code code = set_of(host, err);
    return code ? code : il__policy_set_add(host->trials, files, count, params_json, err);
}

enum il_code il_host_add_trial_bundle(il_host *host, const struct il_file *files, size_t count,
                                      struct il_str params_json, struct il_error *err)
{
    enum il_code code = il__host_enter(host, "il_host_add_trial_bundle", err);
    if (code) return code;
    code = il__host_no_run_goes(host, err);
    if (!code) code = add(host, files, count, params_json, err);
    return il__host_leave(host, code);
}

enum il_code il_host_add_trial_bundle_dir(il_host *host, struct il_str path, struct il_str params_json,
                                          struct il_error *err)
{
    struct il__bundle_dir dir;
    enum il_code code = il__host_enter(host, "il_host_add_trial_bundle_dir", err);
    if (code) return code;
    if ((code = il__host_no_run_goes(host, err))) return il__host_leave(host, code);
    code = il__bundle_path_read(&host->mem, path, &dir, err);
    if (!code) code = add(host, dir.files, dir.count, params_json, err);
    il__bundle_dir_clear(&dir);
    return il__host_leave(host, code);
}

struct il_str il_host_trial_digest(const il_host *host)
{
    const struct il__policies *p = &host->engine.trials;
    return p->digest ? p->digest(p->ctx) : IL_STR_NONE;
}

enum il_code il_trial_report(il_store *store, struct il_str since, il_line_fn fn, void *ctx,
                             struct il_trial_summary *out, struct il_error *err)
{
    struct il_trial_summary summary = IL_TRIAL_SUMMARY_INIT;
    enum il_code code = il__store_enter(store, "il_trial_report", err);
    if (code) return code;
    code = il__trial_report(&store->mem, &store->port, since, fn, ctx, &summary, err);
    if (!code) *out = summary;
    return il__store_leave(store, code);
}
