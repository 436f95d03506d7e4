/* The host: puts the parts together behind the public handle. Every public entry goes through one of the guards here;
 * nothing else in this folder holds logic. */
#ifndef IL_HOST_HOST_H
#define IL_HOST_HOST_H

#include "check/jwt.h"
#include "host/bundle_trust.h"
#include "run/engine.h"
#include "runtime/mcp.h"
#include "script/policies.h"
#include "script/workflow.h"

struct il__host_switch { const char *path, *folder; }; /* NULL: none */

struct il_host {
    struct il__mem mem;
    struct il_host_options options; /* defaults filled in */
    char name[128];
    struct il__engine engine;
    struct il__lua_workflows *workflows;
    struct il__policy_set *policies;
    struct il__bundle_trust trust;  /* whose bundles are loaded */
    struct il__policy_set *trials;  /* NULL: no bundle is on trial */
    struct il__arena arena;         /* approvers, witness */
    struct il__jwt_rules jwt;       /* keys NULL: identities come from the embedder */
    struct il__arena jwt_texts;     /* of `jwt` */
    struct il__buf checked, canonical, facts, shown, identity, approver_facts, decision;
    bool lua_runtime;               /* engine.runtime is a Lua one */
    struct il__computer_use *computer_use; /* engine.runtime.self, when it is a server; else NULL */
    struct il__mcp_again *mcp_again; /* what connecting again takes; NULL: no server, or one for commands */
    char runtime_token[IL__SHA256_HEX], approver_token[IL__SHA256_HEX]; /* their digests; "": none */
    char config_digest[IL__DIGEST_TEXT]; /* what engine.config_digest points to */
    struct il__host_witness *witness; /* witness.c; in `arena`; NULL: none */
    struct il__host_switch kill_switch; /* kill_switch.c; in `arena` */
    unsigned inside;                /* entries on the stack: a callback may not enter again */
};

il_host *il__host_of(const il_run *run);
/* IL_CONFLICT when the call comes from a callback of this host. */
enum il_code il__host_enter(il_host *host, const char *function, struct il_error *err) IL_MUST_USE;
enum il_code il__host_leave(il_host *host, enum il_code code);
/* IL_CONFLICT when there is a runtime already. */
enum il_code il__host_no_runtime(const il_host *host, struct il_error *err) IL_MUST_USE;
/* The options that a run is started with: those of a verified token in place of it, with texts in `arena`; without a
 * token, and on a host that takes none, as they are. `expires` is room for a text. */
enum il_code il__host_identify(il_host *host, const struct il_run_options *options, struct il__arena *arena,
                               char expires[IL__RFC3339_MAX], struct il_run_options *out,
                               struct il_error *err) IL_MUST_USE;
/* bundles.c: a set of policies of this host, empty. */
enum il_code il__host_policies(il_host *host, struct il__policy_set **out, struct il_error *err) IL_MUST_USE;
/* IL_CONFLICT while a run has not ended: policies are not added to what has begun. */
enum il_code il__host_no_run_goes(const il_host *host, struct il_error *err) IL_MUST_USE;
void il__host_forget_jwks(il_host *host);
/* The sink that every adapter completes its operations through. */
struct il__runtime_sink il__host_sink(il_host *host);
/* mcp.c: an MCP engine and its wire for the endpoint of `o`; a name for it without secrets, its length returned. */
enum { IL__ADDRESS_MAX = 128 };
enum il_code il__host_open_mcp(il_host *host, const struct il_mcp_options *o, struct il__mcp **out,
                               struct il_error *err) IL_MUST_USE;
size_t il__host_address(il_host *host, struct il_str endpoint, char out[IL__ADDRESS_MAX]);
/* mcp_again.c: keeps a copy of what `o` says to connect with, and connects by it; the token is wiped when it is
 * forgotten. */
enum il_code il__host_keep_mcp(il_host *host, const struct il_mcp_options *o, struct il_error *err) IL_MUST_USE;
enum il_code il__host_again(void *ctx, struct il__mcp **out, struct il_error *err) IL_MUST_USE;
void il__host_forget_mcp(il_host *host);
/* Notes the digest of a token in `own`; refused when it is the same as `other`: a credential that both connections have
 * is none of its own. */
enum il_code il__host_own_token(il_host *host, struct il_str token, char own[IL__SHA256_HEX], const char *other,
                                struct il_error *err) IL_MUST_USE;
/* kill_switch.c: has the engine look at `path` from now on; absent: nothing. */
enum il_code il__host_set_switch(il_host *host, struct il_str path, struct il_error *err) IL_MUST_USE;
/* What a Lua runtime says of itself (`inspect`), appended to `out`. */
enum il_code il__host_inspect(il_host *host, struct il__buf *out, struct il_error *err) IL_MUST_USE;

#endif
