/* The policy port over bundles of Lua policies: compiles each bundle when it is added, and asks every policy of every
 * bundle for a phase. Each bundle gets a sandbox of its own in each phase of each run, so that nothing is carried from
 * one to another. Must never take a policy's failure for silence: it is a deny. */
#ifndef IL_SCRIPT_POLICIES_H
#define IL_SCRIPT_POLICIES_H

#include "base/log.h"
#include "run/policy.h"
#include "script/bundle.h"
#include "script/probe.h"
#include "wire/digest.h"

struct il__bundle;
struct il__policy_set; /* one per host */

struct il__policy_set_options {
    struct il__mem *mem;           /* needed */
    const struct il__clock *clock; /* needed */
    struct il__digest *digest;     /* needed */
    const struct il__log *log;     /* what policies print; NULL: dropped. All must outlive the set */
    /* Whether a bundle may be loaded at all: asked once it was read and before any of it runs. NULL: any may. */
    enum il_code (*admit)(void *ctx, const struct il__bundle *bundle, struct il_error *err); void *admit_ctx;
};

enum il_code il__policy_set_new(const struct il__policy_set_options *options, struct il__policy_set **out,
                                struct il_error *err) IL_MUST_USE;
/* Adds one bundle (bundle.h) behind the others. On failure the set is as it was, and `err` names file and place. */
enum il_code il__policy_set_add(struct il__policy_set *set, const struct il_file *files, size_t count,
                                struct il_str params_json, struct il_error *err) IL_MUST_USE;
/* From now on all policies of a phase have this time together: who comes later is not asked, and has failed. */
void il__policy_set_together(struct il__policy_set *set, int64_t ms);
/* How the set is asked by who has no run. Every member may be NULL. */
struct il__policy_look {
    struct il__json *params; /* {name: value}, checked: each in place of the value that its bundles were given */
    struct il__probe *probe;
    /* After each policy, before the next one is asked. */
    void (*asked)(void *ctx, const struct il__bundle_policy *policy, const struct il__said *said); void *ctx;
};
/* What the port's `evaluate` does. `look` NULL: as a host asks. */
enum il_code il__policy_set_ask(struct il__policy_set *set, const struct il__scene *scene,
                                const struct il__policy_look *look, struct il__said_list *out,
                                struct il_error *err) IL_MUST_USE;
/* Holds parameters against what the bundles declare: types, and that each is declared. */
enum il_code il__policy_set_params(struct il__policy_set *set, struct il__json *doc, struct il_error *err) IL_MUST_USE;
struct il__policies il__policy_set_port(struct il__policy_set *set);
/* What the set holds, for lists and reports: bundle `at`; NULL past the end. */
const struct il__bundle *il__policy_set_bundle(const struct il__policy_set *set, size_t at);
/* Gives back what il__policy_set_new, or `hold` of its port, gave; with the last one it is freed. NULL is accepted. */
void il__policy_set_free(struct il__policy_set *set);

#endif
