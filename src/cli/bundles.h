/* The policy bundles that a command was given (--policy, --param, the configuration file), and putting them into a
 * host. Every command that loads bundles loads them through here. Must never let a parameter go that no bundle has. */
#ifndef IL_CLI_BUNDLES_H
#define IL_CLI_BUNDLES_H

#include "cli/options.h"

/* The rows of a command's table that say which bundles. */
#define IL__BUNDLE_OPTIONS                                                                                             \
    { "policy", "DIR|FILE", true,                                                                                      \
      "A policy bundle: its folder, or the file that 'policy build' made; every policy in it is asked. Bundles are "   \
      "asked in the order given." },                                                                                   \
        { "param", "NAME=VALUE", true, "A parameter, for each bundle that has it: JSON, or else a plain text." },      \
        IL__BUNDLE_KEY_OPTION
#define IL__BUNDLE_KEY_OPTION                                                                                          \
    {                                                                                                                  \
        "policy-key", "FILE", true,                                                                                    \
            "Load only bundles that this public key has signed, or another that is given: base64, PEM, or a line for " \
            "approvers."                                                                                               \
    }

/* For commands that act: bundles that are asked and not heard. */
#define IL__TRIAL_OPTION                                                                                               \
    { "trial", "DIR|FILE", true,                                                                                       \
      "A policy bundle on trial: asked beside the others and journaled, and nothing that it says counts. What it "     \
      "would have otherwise is told at the end, and over all runs by 'policy trial'." }

struct il__bundles {
    const char *const *paths; /* of the arguments, or `own` */
    size_t count;
    const char *own[IL__CLI_OPTION_VALUES]; /* with bundles on trial: these behind the others */
    size_t trial_count;       /* so many of `count`, the last ones, are on trial */
    bool operands;            /* they are operands, not values of --policy */
    struct il__text params[IL__CLI_OPTION_VALUES]; /* of each bundle, one JSON object; empty: none */
    struct il_text keys[IL__CLI_OPTION_VALUES];    /* of --policy-key; none: any bundle is loaded */
    size_t key_count;
};

/* Those of --policy, or of the configuration file. 0, or the exit status after a report; `out` is to be cleared in
 * either case. */
int il__bundles_read(struct il__io *io, const struct il__args *args, struct il__bundles *out);
/* The same of these paths, for commands that take bundles as operands; `out` is all zero before. */
int il__bundles_at(struct il__io *io, const struct il__args *args, const char *const *paths, size_t count,
                   struct il__bundles *out);
/* Adds all of them in order to a host that has none, those on trial as such; with keys the host trusts these.
 * `*what` is the path that an error is about. */
enum il_code il__bundles_add(const struct il__bundles *bundles, il_host *host, const char **what, struct il_error *err);
/* The same of `count` of them. */
enum il_code il__bundles_add_some(const struct il__bundles *bundles, size_t from, size_t count, il_host *host,
                                  const char **what, struct il_error *err);
/* Their keys as the library takes them; returns how many. */
size_t il__bundles_keys(const struct il__bundles *bundles, struct il_str out[IL__CLI_OPTION_VALUES]);
/* One of them as the library takes it. */
struct il_bundle il__bundles_get(const struct il__bundles *bundles, size_t at);
void il__bundles_clear(struct il__bundles *bundles);

#endif
