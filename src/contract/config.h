/* How a host is set up, as a file: one closed object. Uses the schema engine. It names files, addresses and variables;
 * whether they are there is for who uses them. Must never hold a secret: tokens are named by where they stand. */
#ifndef IL_CONTRACT_CONFIG_H
#define IL_CONTRACT_CONFIG_H

#include "contract/schema.h"

struct il__config_bundle_doc {
    struct il_str path;
    struct il__any params; /* absent: none */
};
struct il__config_identity_doc {
    struct il_str jwks, issuer, audience, tenant_claim;
};
struct il__config_runtime_doc {
    struct il_str endpoint, token_file, token_env, ca, session;
    struct il__strs accept_tools;
    struct il__opt_bool read_back;
};
struct il__config_approver_doc {
    struct il_str endpoint, token_file, token_env, ca;
};
/* Members are named as the options of a host that they set. */
struct il__config_limits_doc {
    struct il__opt_int memory_bytes, max_moving_runs, lease_wait_ms, request_timeout_ms, envelope_ttl_ms, lease_ttl_ms,
        reservation_ttl_ms, execute_margin_ms, approval_timeout_ms;
};
struct il__config_doc {
    struct il_str host, store;
    struct il__objects bundles, trial_bundles; /* of struct il__config_bundle_doc */
    struct il__strs bundle_keys;
    struct il_str approvers;
    const struct il__config_identity_doc *identity;
    struct il_str principal, tenant;
    struct il__strs scopes;
    const struct il__config_runtime_doc *runtime;
    const struct il__config_approver_doc *approver;
    struct il_str workflow;
    const struct il__config_limits_doc *limits;
    struct il__opt_bool accept_standing_grants, accept_server_verification;
    struct il_str notice, witness, head_key, kill_switch;
};
extern const struct il__schema il__config_schema;

/* An address of a server, as it stands in `endpoint`. */
enum il__endpoint_kind {
    IL__ENDPOINT_OTHER, IL__ENDPOINT_SIMULATED, IL__ENDPOINT_LUA, IL__ENDPOINT_STDIO, IL__ENDPOINT_HTTP,
    IL__ENDPOINT_HTTPS, IL__ENDPOINT_UNIX
};
enum il__endpoint_kind il__endpoint_kind(struct il_str endpoint);

#endif
