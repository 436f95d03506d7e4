/* How long policies take to judge a case: two shipped bundles, a sandbox of its own for each in each phase, over a case
 * in one phase and in all of them. */
#include "include/interlock.h"
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct work {
    il_policy *policy;
    const char *json;
    unsigned flags;
};

static size_t judge(void *ctx)
{
    struct work *work = ctx;
    struct il_str out;
    const struct il_str json = { work->json, strlen(work->json) };
    if (il_policy_eval(work->policy, json, work->flags, &out, NULL) != IL_OK) abort();
    return out.len;
}

static void add(il_policy *policy, const char *path)
{
    struct il_error err = IL_ERROR_INIT;
    const struct il_str text = { path, strlen(path) };
    if (il_policy_add_dir(policy, text, (struct il_str){ NULL, 0 }, &err) == IL_OK) return;
    fprintf(stderr, "%s\n", err.message);
    abort();
}

int main(void)
{
    static const char one[] = "{\"action\":{\"tool\":\"x\",\"action_class\":\"destructive\"},\"phase\":\"preview\"}";
    static const char all[] = "{\"action\":{\"tool\":\"x\",\"action_class\":\"destructive\"}}";
    struct il_policy_options options = IL_POLICY_OPTIONS_INIT;
    il_policy *policy = NULL;
    if (il_policy_new(&options, &policy, NULL) != IL_OK) abort();
    add(policy, "policies/office-hours");
    add(policy, "policies/two-person");
    struct work plain = { policy, one, 0 }, whole = { policy, all, 0 }, traced = { policy, all, IL_POLICY_TRACE };
    struct work covered = { policy, all, IL_POLICY_COVERAGE };
    const struct bench_case cases[] = {
        { "one phase", judge, &plain },
        { "all phases", judge, &whole },
        { "all, with a trace", judge, &traced },
        { "all, with coverage", judge, &covered },
    };
    bench_run("two bundles judge a case", cases, 4, 0);
    il_policy_free(policy);
    return 0;
}
