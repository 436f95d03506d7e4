/* Interlock: a policy host between an agent that wants to act on a desktop and the runtime that acts.
 *
 * The whole public interface; nothing else is exported. C11, also clean as C99 and C++17.
 *
 * Conventions
 * - Every function that can fail returns an `enum il_code` (IL_OK is 0) and fills a caller-owned `struct il_error`
 *   (NULL is accepted). Outputs are written only on IL_OK.
 * - Texts are `struct il_str`: pointer and length, not necessarily NUL-terminated, UTF-8. A NULL pointer means absent.
 *   Texts passed in are copied; texts handed out belong to the named object and stay valid until the stated moment.
 * - Option structs start with `size`; fill them from their _INIT macro.
 * - One thread per host. No global state: hosts in one process do not know of one another.
 * - Callbacks must not throw, must not longjmp, and must not call back into the host except where stated. */
#ifndef INTERLOCK_H
#define INTERLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IL_VERSION "0.1.0"

#if defined(__GNUC__)
#define IL_API __attribute__((visibility("default")))
#define IL_MUST_USE __attribute__((warn_unused_result))
#else
#define IL_API
#define IL_MUST_USE
#endif

/* ---- errors -------------------------------------------------------------------------------------------------- */

/* Every code, with the text it has in documents and messages (SPEC §11). */
#define IL_CODES(X)                            \
    X(IL_OK, "ok")                             \
    X(IL_INVALID_REQUEST, "invalid_request")   \
    X(IL_DECODE, "decode")                     \
    X(IL_IDENTITY_MISMATCH, "identity_mismatch") \
    X(IL_APPROVAL_MISMATCH, "approval_mismatch") \
    X(IL_MISSING_SCOPE, "missing_scope")       \
    X(IL_PRINCIPAL_MISMATCH, "principal_mismatch") \
    X(IL_TENANT_MISMATCH, "tenant_mismatch")   \
    X(IL_POLICY_DENIED, "policy_denied")       \
    X(IL_POLICY_ERROR, "policy_error")         \
    X(IL_SCRIPT_ERROR, "script_error")         \
    X(IL_LIMIT_EXCEEDED, "limit_exceeded")     \
    X(IL_INVARIANT, "invariant")               \
    X(IL_DIVERGED, "diverged")                 \
    X(IL_TRANSPORT, "transport")               \
    X(IL_RUNTIME, "runtime")                   \
    X(IL_UNSUPPORTED, "unsupported")           \
    X(IL_TIMEOUT, "timeout")                   \
    X(IL_CANCELLED, "cancelled")               \
    X(IL_CONFLICT, "conflict")                 \
    X(IL_STORE, "store")                       \
    X(IL_OUT_OF_MEMORY, "out_of_memory")

enum il_code {
#define IL_X(name, text) name,
    IL_CODES(IL_X)
#undef IL_X
    IL_CODE_COUNT
};

/* The text of a code; "ok" for 0, "unknown" outside the list. Static. */
IL_API const char *il_code_name(enum il_code code);

/* What went wrong, first failure first. All texts are NUL-terminated, escaped, cut to their field; empty means absent.
 * A cleanup failure (a release that failed after the first error) stands in the cleanup_ members. */
struct il_error {
    enum il_code code;
    char step[32];      /* the step of the run: "preview", "acquire_lease"... */
    char object[32];    /* "control lease" */
    char field[192];    /* "boundaries.app_ids", or a JSON pointer for decode errors */
    char expected[160];
    char actual[160];
    char message[400];
    enum il_code cleanup_code;
    char cleanup_step[32];
    char cleanup_message[240];
};

#define IL_ERROR_INIT { IL_OK, "", "", "", "", "", "", IL_OK, "", "" }

/* ---- texts, memory, time, log -------------------------------------------------------------------------------- */

struct il_str {
    const char *ptr;
    size_t len;
};

/* realloc with the old size: new_size 0 frees and returns NULL. Returning NULL for a growth means out of memory. */
typedef void *(*il_alloc_fn)(void *ctx, void *ptr, size_t old_size, size_t new_size);

struct il_clock_reading {
    int64_t wall_sec;  /* seconds since 1970-01-01T00:00:00Z */
    int32_t wall_nsec; /* 0..999999999 */
    int64_t boot_ns;   /* monotonic, counting suspended time (CLOCK_BOOTTIME) */
};
typedef void (*il_clock_fn)(void *ctx, struct il_clock_reading *out);

/* Fills `buf` with unpredictable bytes; 0 on success. */
typedef int (*il_random_fn)(void *ctx, void *buf, size_t len);

enum il_log_level { IL_LOG_DEBUG, IL_LOG_INFO, IL_LOG_WARN, IL_LOG_ERROR };
typedef void (*il_log_fn)(void *ctx, enum il_log_level level, const char *line, size_t len);

/* ---- the runtime: who acts ------------------------------------------------------------------------------------ */

/* What a runtime can be asked, with the name each has in documents, Lua runtimes and messages (SPEC §4). */
#define IL_OPS(X)                                        \
    X(IL_OP_DISCOVER_CAPABILITIES, "discover_capabilities") \
    X(IL_OP_OBSERVE_VISUAL, "observe_visual")            \
    X(IL_OP_OBSERVE_SEMANTIC, "observe_semantic")        \
    X(IL_OP_PREVIEW_ACTION, "preview_action")            \
    X(IL_OP_RESERVE_TARGET, "reserve_target")            \
    X(IL_OP_RELEASE_TARGET, "release_target")            \
    X(IL_OP_ACQUIRE_LEASE, "acquire_lease")              \
    X(IL_OP_RELEASE_LEASE, "release_lease")              \
    X(IL_OP_EXECUTE_ACTION, "execute_action")            \
    X(IL_OP_VERIFY, "verify")                            \
    X(IL_OP_RECOVER, "recover")                          \
    X(IL_OP_PAUSE_SESSION, "pause_session")              \
    X(IL_OP_STOP_SESSION, "stop_session")                \
    X(IL_OP_EMERGENCY_STOP, "emergency_stop")

enum il_op {
#define IL_X(name, text) name,
    IL_OPS(IL_X)
#undef IL_X
    IL_OP_COUNT
};
IL_API const char *il_op_name(enum il_op op);

/* One request to the runtime. All texts are valid only during `begin`. `body` is a JSON object (lua/README.md lists
 * its members for each operation). */
struct il_request {
    size_t size;
    enum il_op op;
    uint64_t token;      /* complete the operation with it, exactly once */
    uint32_t timeout_ms; /* the core gives up after this and ignores a later answer, except to release what it grants */
    struct il_str run_id;
    struct il_str session_id;
    struct il_str body;
};

/* A runtime of the embedder's. `begin` starts an operation and returns at once; when it returns anything but IL_OK the
 * operation never completes. Completion (il_host_complete) may happen inside `begin`. */
struct il_runtime {
    size_t size;
    const char *kind;    /* "inprocess" when NULL */
    const char *address; /* pinned in the journal; may be NULL */
    uint32_t ops;        /* bit n set: operation n is offered; others take the default of SPEC §4 */
    enum il_code (*begin)(void *ctx, const struct il_request *request, struct il_error *err);
    void (*cancel)(void *ctx, uint64_t token); /* nobody waits for it any more; may be NULL */
    void *ctx;
    /* A run goes on that was previewed in another life of the process: its preview, as the runtime gave it. Called in
     * il_host_resume; anything but IL_OK refuses the resume. May be NULL. */
    enum il_code (*retain)(void *ctx, struct il_str action_id, struct il_str preview, struct il_error *err);
};
#define IL_RUNTIME_INIT { sizeof(struct il_runtime), NULL, NULL, 0xffffffffu, NULL, NULL, NULL, NULL }

/* ---- the host ------------------------------------------------------------------------------------------------- */

typedef struct il_host il_host;
typedef struct il_run il_run;

enum il_event_type {
    IL_EVENT_STEP,     /* a step was asked by the workflow: step */
    IL_EVENT_REQUEST,  /* a request went to the runtime: step, text = operation */
    IL_EVENT_ANSWER,   /* its answer was accepted: step, text */
    IL_EVENT_CHECK,    /* one check: object, field, expected, actual, ok */
    IL_EVENT_POLICY,   /* one policy's verdict: object = policy, field = phase, expected = level, actual = verdict,
                          text = reason */
    IL_EVENT_WAITING,  /* the run waits for a person: text = request id */
    IL_EVENT_DECISION, /* an answer was taken: object = who, actual = what, text = reason */
    IL_EVENT_RELEASED, /* object = "control lease" or "target reservation"; ok */
    IL_EVENT_LOG,      /* a script's log line: text */
    IL_EVENT_ENDED     /* actual = status, text = why */
};

/* What happened, as it happens. Texts are escaped where they come from outside, and valid only during the call.
 * `json` is the same as one JSON object. */
struct il_event {
    size_t size;
    enum il_event_type type;
    bool ok;
    struct il_str run_id, step, object, field, expected, actual, text, json;
};
typedef void (*il_event_fn)(void *ctx, const struct il_event *event);

/* Called after the desktop authority of `session_id` was revoked: now the agent may be interrupted (SPEC §8). An empty
 * session means every session (emergency stop). */
typedef void (*il_interrupt_fn)(void *ctx, struct il_str session_id, struct il_str reason);

struct il_host_options {
    size_t size;
    il_alloc_fn alloc;   void *alloc_ctx;   /* NULL: the C library */
    il_clock_fn clock;   void *clock_ctx;   /* NULL: the system's clocks */
    il_random_fn random; void *random_ctx;  /* NULL: the system's generator */
    il_log_fn log;       void *log_ctx;     /* NULL: silent */
    il_event_fn event;   void *event_ctx;   /* NULL: none */
    il_interrupt_fn interrupt; void *interrupt_ctx;
    size_t memory_bytes;              /* 0: no limit */
    uint32_t max_moving_runs;         /* 0: the default, 32; more runs queue */
    uint32_t lease_wait_ms;           /* 0: the default, 10000 */
    uint32_t request_timeout_ms;      /* 0: the default, 30000 */
    uint32_t envelope_ttl_ms;         /* asked time to live of a preview; 0: the default, 300000 */
    uint32_t lease_ttl_ms;            /* 0: the default, 30000 */
    uint32_t reservation_ttl_ms;      /* 0: the default, 30000 */
    uint32_t execute_margin_ms;       /* SPEC I2; in-process default 0 */
    uint32_t approval_timeout_ms;     /* 0: the default, 24 hours */
    bool accept_standing_grants;      /* SPEC §5; default false */
    bool accept_server_verification;  /* SPEC §7; default false */
    bool trace;                       /* send IL_EVENT_CHECK for checks that passed, too */
    struct il_str host_name;          /* names this host in decisions; absent: "interlock" */
    struct il_str boot_id;            /* of which boot boot_ns of your `clock` counts; absent: "embedder". A run that is
                                         resumed under another id has the wall clock alone (SPEC §2) */
    struct il_str kill_switch;        /* a path, of the folder of now: while anything is there, or its folder cannot be
                                         looked into, no policy phase passes and nothing is acquired or sent; what
                                         waits, waits on. It is looked at each time, last right before a send. Absent:
                                         none */
};
#define IL_HOST_OPTIONS_INIT { sizeof(struct il_host_options), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
        NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, false, false, false, { NULL, 0 }, { NULL, 0 }, { NULL, 0 } }

IL_API enum il_code il_host_new(const struct il_host_options *options, il_host **out, struct il_error *err) IL_MUST_USE;
/* Ends every run that moves, and without a store those that wait, too (what they hold is released where the runtime
 * answers at once), then frees all; what waits in a store is left there.
 * Handles of its runs are invalid afterwards. NULL is accepted. Not from a callback. */
IL_API void il_host_free(il_host *host);

/* IL_OK: the kill switch of the options is off, or there is none. IL_CANCELLED: it is on, and the message says why. */
IL_API enum il_code il_host_check_kill_switch(il_host *host, struct il_error *err) IL_MUST_USE;

/* The runtime that acts; set exactly one, before the first run. `runtime` is copied. */
IL_API enum il_code il_host_set_runtime(il_host *host, const struct il_runtime *runtime,
                                        struct il_error *err) IL_MUST_USE;
/* A runtime written in Lua (lua/README.md). `name` stands in messages; `options_json` (absent: none) is handed to it.
 */
IL_API enum il_code il_host_set_runtime_lua(il_host *host, struct il_str name, struct il_str source,
                                            struct il_str options_json, struct il_error *err) IL_MUST_USE;
/* The embedded stand-in, with options as a JSON object (absent: defaults; lua/README.md). It acts on nothing. */
IL_API enum il_code il_host_set_runtime_simulated(il_host *host, struct il_str options_json,
                                                  struct il_error *err) IL_MUST_USE;
/* A computer-use server spoken to over MCP. */
struct il_mcp_options {
    size_t size;
    struct il_str endpoint;    /* "stdio:COMMAND ARGUMENTS", "mcp+https://HOST/PATH", "mcp+http://HOST/PATH" */
    struct il_str token;       /* bearer token of an http endpoint, or of a supervisor's socket; never logged, wiped at
                                  the end */
    struct il_str ca_file;     /* PEM: the only authorities trusted over https; absent: the system's */
    struct il_str session_id;  /* the server's session; absent: one is started at connect (il_host_runtime_facts) */
    const struct il_str *accept_tools; /* acting tools, or approve_action, that the connection may offer all the same */
    size_t accept_count;
    uint32_t connect_timeout_ms; /* 0: the default, 30000 */
    struct il_str visual_tool, semantic_tool; /* what observations use; absent: snapshot, get_ui_tree of a window */
    bool commands_only; /* for session commands, stops and facts: no session is started, the tools that the connection
                           offers are told and not refused, and no run goes over it */
    bool read_back;     /* after a committed receipt, what a postcondition of ui_element or filesystem declares is
                           looked at in mode shadow (SPEC §7); only its digest is kept */
};
#define IL_MCP_OPTIONS_INIT                                                                                            \
    {                                                                                                                  \
        sizeof(struct il_mcp_options), { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, NULL, 0, 0, { NULL, 0 },    \
            { NULL, 0 }, false, false                                                                                  \
    }
/* The server that acts. Connecting goes on in il_host_tick; operations begun before it is ready wait for it. A stdio
 * server is started here and ended by il_host_free. With it execute_margin_ms is 2000 unless set. */
IL_API enum il_code il_host_set_runtime_mcp(il_host *host, const struct il_mcp_options *options,
                                            struct il_error *err) IL_MUST_USE;
/* What to wait for between ticks: descriptors and their poll(2) events, at most `cap`; returns how many there are. They
 * may change with every tick. */
IL_API size_t il_host_descriptors(il_host *host, int *fds, short *events, size_t cap);
/* What is known of the runtime, as a JSON object: kind, address, and of a server state ("connecting", "ready",
 * "refused", "closed"), error, name, version, protocol, tools that act, durability, session, principal, times. A lost
 * connection is "connecting" while it is made again (SPEC §4); then `reconnects` counts them, and `sessionLost` says
 * that another session has to be started. No secrets. Owned by the host until the next call. */
IL_API enum il_code il_host_runtime_facts(il_host *host, struct il_str *out, struct il_error *err);
/* The approver connection: approvals at the server are made over it, and only when il_run_obtain_grant asks. `endpoint`
 * is "unix:PATH" (the server's supervisor socket), "mcp+https://HOST/PATH" or "mcp+http://HOST/PATH"; of the other
 * members it takes `token`, `ca_file` (of https) and `connect_timeout_ms`, and no more. It needs a token of its own:
 * that of the runtime is refused, whichever of the two is set first, and so is a stdio server, which would be another
 * one. Set at most one. Connecting goes on in il_host_tick; over MCP the server is kept from suspending sessions for
 * silence. */
IL_API enum il_code il_host_set_approver(il_host *host, const struct il_mcp_options *options,
                                         struct il_error *err) IL_MUST_USE;
/* What is known of it, as a JSON object: kind ("mcp", "supervisor"), address, state ("connecting", "idle", "ready",
 * "refused", "closed"), error, emergency (a supervisor's word). {} when there is none. Owned by the host until the next
 * call. */
IL_API enum il_code il_host_approver_facts(il_host *host, struct il_str *out, struct il_error *err);
/* How a session command ended: its document, or an error. Called from il_host_tick. */
typedef void (*il_session_fn)(void *ctx, struct il_str json, const struct il_error *err);
/* A command to the server's session: start, get, events, follow_ups, submit, pause, resume, stop, complete, delete, or
 * prune, with its arguments as a JSON object (camelCase; sessionId defaults to the connection's). delete and prune need
 * "confirm": true. `done` hears the end exactly once, unless the host is freed before; never when the call itself
 * fails. Unlike il_host_pause_session it sets no latch. */
IL_API enum il_code il_host_session(il_host *host, struct il_str verb, struct il_str args_json, il_session_fn done,
                                    void *ctx, struct il_error *err);
/* How hosts are set up, as a file: one closed JSON object (src/README.md lists its members), read alike by whoever
 * uses it. It names files and variables; no secret stands in it. */
typedef struct il_config il_config;
struct il_config_options {
    size_t size;
    struct il_str path; /* the file; relative paths in it start from its folder */
    struct il_str text; /* present: this text, and the file is not read; path may then be absent */
    il_alloc_fn alloc; void *alloc_ctx; /* NULL: the C library */
};
#define IL_CONFIG_OPTIONS_INIT { sizeof(struct il_config_options), { NULL, 0 }, { NULL, 0 }, NULL, NULL }
struct il_config_bundle {
    struct il_str path;
    struct il_str params_json; /* absent: none */
};
/* Its members; absent ones are absent texts, 0 or false. Every text ends in NUL behind its length, too. */
struct il_config_values {
    size_t size;
    char digest[72];          /* "sha256:...", over the canonical text (RFC 8785) of the file */
    struct il_str canonical;
    struct il_str host, store, approvers, workflow, principal, tenant, notice, witness, head_key, kill_switch;
    const struct il_str *scopes;             size_t scope_count;
    const struct il_config_bundle *bundles;  size_t bundle_count;
    const struct il_config_bundle *trials;   size_t trial_count; /* bundles on trial */
    const struct il_str *bundle_keys;        size_t bundle_key_count; /* files */
    struct il_str jwks, issuer, audience, tenant_claim; /* identity; jwks absent: none */
    struct il_str runtime; /* "simulated", the path of a FILE.lua, or the address of a server; absent: none */
    struct il_str token_file, token_env, ca, session;
    const struct il_str *accept_tools;       size_t accept_count;
    bool read_back;
    struct il_str approver, approver_token_file, approver_token_env, approver_ca;
};
/* IL_DECODE and IL_LIMIT_EXCEEDED name the place as a JSON pointer in `field`; of a member that does not exist the
 * message names the one that may have been meant. IL_INVALID_REQUEST: the file cannot be read. */
IL_API enum il_code il_config_open(const struct il_config_options *options, il_config **out,
                                   struct il_error *err) IL_MUST_USE;
/* Valid until the configuration is freed, as its texts are. */
IL_API const struct il_config_values *il_config_get(const il_config *config);
/* Sets in `options` what the configuration says of them: limits, what is accepted, the host's name. The name is valid
 * until the configuration is freed; il_host_new copies it. */
IL_API void il_config_fill(const il_config *config, struct il_host_options *options);
/* NULL is accepted. Hosts that were made by it do not need it any more. */
IL_API void il_config_free(il_config *config);
/* The digest of the configuration that this host was set up by, "sha256:" and 64 hex digits: it stands in the first
 * record of every run, and in that of every resume. IL_CONFLICT while a run has not ended. */
IL_API enum il_code il_host_set_config_digest(il_host *host, struct il_str digest, struct il_error *err) IL_MUST_USE;

/* The workflow of runs that name none; without this call the embedded reference workflow. Compiled at once. */
IL_API enum il_code il_host_set_workflow(il_host *host, struct il_str name, struct il_str source,
                                         struct il_error *err) IL_MUST_USE;

struct il_file {
    struct il_str path;  /* relative, with forward slashes */
    struct il_str bytes;
};
/* Adds a policy bundle from memory (SPEC §5). `files` holds bundle.json and all it lists. `params_json` (may be absent)
 * is {name: value}. A bundle that fails anything is not added and the error names file and place. IL_CONFLICT while a
 * run has not ended: it would miss the phases that are over. */
IL_API enum il_code il_host_add_bundle(il_host *host, const struct il_file *files, size_t count,
                                       struct il_str params_json, struct il_error *err) IL_MUST_USE;
/* The same from a directory, or from the file that il_bundle_pack made of one; links and files that bundle.json does
 * not list are refused. */
IL_API enum il_code il_host_add_bundle_dir(il_host *host, struct il_str path, struct il_str params_json,
                                           struct il_error *err) IL_MUST_USE;
/* From now on only bundles with a signature of one of these public keys (base64, or PEM) are loaded, whatever the way;
 * any other is IL_POLICY_ERROR. Without this call a bundle needs no signature, and one that is there must only be of
 * this very bundle, whoever made it. IL_CONFLICT: there is a bundle already. */
IL_API enum il_code il_host_trust_bundles(il_host *host, const struct il_str *keys, size_t count,
                                          struct il_error *err) IL_MUST_USE;
/* "sha256:..." over all bundles in order (SPEC §5); absent while there is none. Valid until the next added bundle, or
 * reload. */
IL_API struct il_str il_host_policy_digest(const il_host *host);

struct il_text; /* below */

/* A bundle as it is handed over: from a folder or packed file, or from memory. */
struct il_bundle {
    struct il_str path;                              /* absent: `files` */
    const struct il_file *files; size_t file_count;
    struct il_str params_json;                       /* absent: none */
};
/* Other bundles in place of all that the host has, at any time but from a callback: either every one of them loads, or
 * nothing changes and the error says why. Trusted keys stay as they are. A moving run keeps the bundles it began with
 * until it waits or ends. A run that waits, or is queued, is judged again at once: its decisions are void, and it is
 * recorded as kept (the same needs, a new request), asked again (more needs) or voided (it ends blocked); the same
 * bundles again change nothing for it. IL_CONFLICT for none at all. */
IL_API enum il_code il_host_reload_bundles(il_host *host, const struct il_bundle *bundles, size_t count,
                                           struct il_error *err) IL_MUST_USE;
/* Loads a bundle to look at it, as a host that trusts `keys` would (none: any). `out` (may be NULL) becomes a JSON
 * object: name, version, digest (what a signature is over: files and manifest), policyDigest (of a host with this
 * bundle alone), files [{path, sha256, size}], policies [{file, level, name, phases}], signed, and signedBy, the id of
 * the key among `keys` that signed it. */
IL_API enum il_code il_bundle_check(const struct il_bundle *bundle, const struct il_str *keys, size_t key_count,
                                    struct il_text *out, struct il_error *err) IL_MUST_USE;
/* Signs a bundle that loads, parameters aside, with a private key (PEM): `out` is the text of its bundle.sig. A
 * signature that it had is not looked at. */
IL_API enum il_code il_bundle_sign(const struct il_bundle *bundle, struct il_str private_key, struct il_text *out,
                                   struct il_error *err) IL_MUST_USE;
/* Packs a bundle that loads into one text, the same bytes every time, with `signature` as its bundle.sig (absent: the
 * one that it has). What lies beside is left out. */
IL_API enum il_code il_bundle_pack(const struct il_bundle *bundle, struct il_str signature, struct il_text *out,
                                   struct il_error *err) IL_MUST_USE;
/* A bundle on trial, from memory or from a directory: its policies are asked beside the others in every run, each after
 * them, and what they say is journaled (record kinds `trial` and `compared`) and changes nothing, nor does it when one
 * fails or takes long. Where they would have it otherwise, the document of the run says so in `trial`. */
IL_API enum il_code il_host_add_trial_bundle(il_host *host, const struct il_file *files, size_t count,
                                             struct il_str params_json, struct il_error *err) IL_MUST_USE;
IL_API enum il_code il_host_add_trial_bundle_dir(il_host *host, struct il_str path, struct il_str params_json,
                                                 struct il_error *err) IL_MUST_USE;
/* The digest over these, as il_host_policy_digest, which does not change by them. */
IL_API struct il_str il_host_trial_digest(const il_host *host);
/* Declares an approver whose identity the embedder verifies itself. Without any, every decision is `local operator`. */
IL_API enum il_code il_host_add_approver(il_host *host, struct il_str id, const struct il_str *roles, size_t role_count,
                                         struct il_error *err) IL_MUST_USE;

/* The approvers file (SPEC §6), closed: {"approvers":[{"id":"ann","key":BASE64,"roles":["security"]}]}, where the key
 * is the 32 bytes of an Ed25519 public key. From here on a decision counts only when its author signed it. Two ids, or
 * two keys, that are the same are refused. IL_CONFLICT when this host has approvers already; on failure none are added.
 */
IL_API enum il_code il_host_set_approvers_json(il_host *host, struct il_str json, struct il_error *err) IL_MUST_USE;
struct il_sign_options {
    size_t size;
    struct il_str key_pem;    /* the approver's private key, Ed25519 in PKCS#8 PEM; or */
    struct il_str key_file;   /* the file that holds it, which nobody else may be able to read */
    struct il_str waiting;    /* the document of the waiting run (il_run_document) */
    struct il_str approver;   /* who signs: an id of the approvers file */
    struct il_str decision;   /* "approve", "deny", "defer" or "re-observe" */
    struct il_str reason;     /* absent: none */
    struct il_str expires_at; /* RFC 3339; absent: when the request expires */
};
#define IL_SIGN_OPTIONS_INIT { sizeof(struct il_sign_options), { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, \
        { NULL, 0 }, { NULL, 0 }, { NULL, 0 } }
/* Signs a decision on what a run waits for, here or in another process: {decision, signature, keyId}, for signed_json
 * of il_run_decide. Owned by the host until the next call. The key is wiped. */
IL_API enum il_code il_host_sign_decision(il_host *host, const struct il_sign_options *options, struct il_str *out,
                                          struct il_error *err) IL_MUST_USE;

/* Identities from tokens (JSON Web Tokens, SPEC §8): the keys that sign them, and what a token must say. */
struct il_jwks_options {
    size_t size;
    struct il_str jwks;         /* a JWK Set (RFC 7517): public keys, Ed25519, P-256 or RSA */
    struct il_str issuer;       /* `iss`; must not be absent or empty */
    struct il_str audience;     /* in `aud`; must not be absent or empty */
    struct il_str tenant_claim; /* the claim that names the tenant; absent: tokens name none */
};
#define IL_JWKS_OPTIONS_INIT { sizeof(struct il_jwks_options), { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, { NULL, 0 } }
/* From here on every run of this host is started with a token, and what it is for comes from the token alone. Calling
 * it again replaces keys and rules for later runs. On failure all stays as it was. */
IL_API enum il_code il_host_set_jwks(il_host *host, const struct il_jwks_options *options,
                                     struct il_error *err) IL_MUST_USE;
/* Checks a token as a run would, now: {principal, tenant, scopes, expiresAt} as JSON, owned by the host until the next
 * call. The refusal names the claim. */
IL_API enum il_code il_host_identity(il_host *host, struct il_str token, struct il_str *out,
                                     struct il_error *err) IL_MUST_USE;

struct il_tick {
    size_t size;
    uint32_t moving, queued, waiting, in_flight; /* runs in each state; runtime operations not yet completed */
    bool more;                /* work is left that only needs another tick */
    int64_t next_deadline_ms; /* from now until time alone changes something; -1: never */
};
/* Does bounded work: completions, deadlines, scripts. Never blocks. `budget_us` 0 means one unit of work. */
IL_API enum il_code il_host_tick(il_host *host, uint32_t budget_us, struct il_tick *out, struct il_error *err);

/* Completes an operation with a JSON document. May be called from `begin`. IL_CONFLICT: the token is not in flight. */
IL_API enum il_code il_host_complete(il_host *host, uint64_t token, struct il_str json, struct il_error *err);
/* Completes it with a failure: `code` transport, timeout (the outcome is unknown) or runtime (the runtime answered with
 * an error); `reason` is the runtime's own code ("lease_not_active"). */
IL_API enum il_code il_host_fail(il_host *host, uint64_t token, enum il_code code, struct il_str reason,
                                 struct il_str message, struct il_error *err);

/* Stops. The latch is set before the call returns; the runtime is then asked to revoke, and only when it did is the
 * agent interrupted. `done` (may be NULL) hears the end exactly once. They work while other calls are in flight. */
typedef void (*il_done_fn)(void *ctx, const struct il_error *err);
IL_API enum il_code il_host_pause_session(il_host *host, struct il_str session_id, struct il_str reason,
                                          il_done_fn done, void *ctx, struct il_error *err);
IL_API enum il_code il_host_stop_session(il_host *host, struct il_str session_id, struct il_str reason,
                                         il_done_fn done, void *ctx, struct il_error *err);
IL_API enum il_code il_host_emergency_stop(il_host *host, struct il_str reason, il_done_fn done, void *ctx,
                                           struct il_error *err);
/* An operator lifts the latch of a session; an absent session lifts the emergency latch. */
IL_API enum il_code il_host_lift_stop(il_host *host, struct il_str session_id, struct il_error *err);

/* ---- runs ------------------------------------------------------------------------------------------------------ */

struct il_run_options {
    size_t size;
    struct il_str proposal;      /* ProposedAction, JSON (SPEC §2) */
    struct il_str principal;     /* verified by the embedder; must not be absent or empty */
    struct il_str tenant;        /* absent: none */
    const struct il_str *scopes; /* "computer:plan", ... */
    size_t scope_count;
    struct il_str session_id;    /* the runtime's session; must not be absent or empty */
    struct il_str agent_id;      /* absent: none */
    struct il_str execution_group_id;
    struct il_str workflow_name, workflow_source; /* absent: the host's workflow */
    struct il_str identity_expires_at; /* RFC 3339; absent: the identity does not expire */
    struct il_str identity_token; /* with il_host_set_jwks, in place of principal, tenant, scopes and expiry, which must
                                     then be absent: the token alone says all of them */
};
#define IL_RUN_OPTIONS_INIT { sizeof(struct il_run_options), { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, NULL, 0, \
        { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, { NULL, 0 } }

/* Begins a run; it moves with il_host_tick. The handle is valid until il_run_free or il_host_free. A proposal that
 * cannot be decoded starts nothing. */
IL_API enum il_code il_run_start(il_host *host, const struct il_run_options *options, il_run **out,
                                 struct il_error *err) IL_MUST_USE;

enum il_run_state { IL_RUN_QUEUED, IL_RUN_MOVING, IL_RUN_WAITING, IL_RUN_ENDED };
IL_API enum il_run_state il_run_state(const il_run *run);
IL_API struct il_str il_run_id(const il_run *run);     /* valid as long as the handle */
IL_API struct il_str il_run_action_id(const il_run *run);

#define IL_EFFECTS(X) \
    X(IL_EFFECT_NONE, "none") X(IL_EFFECT_COMMITTED, "committed") X(IL_EFFECT_UNKNOWN, "unknown")

enum il_effect {
#define IL_X(name, text) name,
    IL_EFFECTS(IL_X)
#undef IL_X
    IL_EFFECT_COUNT
};
/* The text of an effect; "unknown" also outside the list. Static. */
IL_API const char *il_effect_name(enum il_effect effect);

struct il_summary {
    size_t size;
    const char *status;      /* static: "completed", "waiting", ... (SPEC §7); "moving" before the end */
    bool verified, committed, retry_safe;
    enum il_effect effect;
    int exit_status;         /* SPEC §11 */
    struct il_str reason;    /* of a blocked run */
    struct il_str receipt_id;
    struct il_str verification_detail;
    struct il_error error;   /* code IL_OK: none */
};
/* Texts are valid until the run moves or is freed. */
IL_API void il_run_summary(const il_run *run, struct il_summary *out);
/* The result document (SPEC §7) or, while waiting, what is waited for (SPEC §6), as JSON. Owned by the run until the
 * next call on it. */
IL_API enum il_code il_run_document(il_run *run, struct il_str *out, struct il_error *err);
/* The card of a waiting run: what a person is asked to approve, as plain text, and its digest. Owned by the run until
 * the next call. IL_CONFLICT: the run does not wait. */
IL_API enum il_code il_run_card(il_run *run, struct il_str *out, char digest_hex[65], struct il_error *err);

/* Answers a waiting run: JSON, the answer or closed {approval, preview} of SPEC §6 and §10. `require_request_id` false
 * is for an operator's file delivered at the wait. IL_APPROVAL_MISMATCH: refused, the run goes on waiting unless the
 * error says that it ended. */
IL_API enum il_code il_run_answer(il_run *run, struct il_str json, bool require_request_id, struct il_error *err);

struct il_decision {
    size_t size;
    struct il_str request_id, action_digest, policy_digest, proposal_digest; /* as the waiting document states them;
                                       null there = absent here; proposal_digest may be absent outside a propose wait */
    struct il_str approver;  /* an id of il_host_add_approver; ignored without any */
    struct il_str decision;  /* "approve", "deny", "defer" or "re-observe" */
    struct il_str reason;    /* mandatory where a policy is overridden */
    struct il_str signed_json; /* a signed decision (il_host_sign_decision) in place of all of the above, which must
                                  then be absent; needed on a host with il_host_set_approvers_json, else refused */
    bool last_word;          /* nobody else will be asked: refused, it ends the run that waits (SPEC §6) */
};
#define IL_DECISION_INIT { sizeof(struct il_decision), { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, \
        { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, false }
/* A decision by an approver: one whom the embedder has verified, or one who signed it. Of a signed one every member is
 * held against the run; IL_APPROVAL_MISMATCH names what differs. It is journaled as it came, so that anybody who has
 * the approver's key can check it later. */
IL_API enum il_code il_run_decide(il_run *run, const struct il_decision *decision, struct il_error *err);

/* Somebody approves the open request of a waiting run, and the runtime's need shall be met by a grant of the server: it
 * is asked for over the approver connection (il_host_set_approver). The three texts are what the person was shown, as
 * the waiting document states them. Whatever comes is held against them: contract, scope, session, principal, digests,
 * tool, mode, expiry, a use left; then it is taken as an answer of il_run_answer is, and the run goes on when nothing
 * else is open (a host's need is answered with il_run_answer or il_run_decide, best before).
 *
 * On IL_OK `done` (may be NULL) hears the end exactly once, from il_host_tick or il_host_free; `err` is IL_OK when the
 * grant was taken. IL_APPROVAL_MISMATCH with object "approval grant": it did not match, was dropped, and the session
 * was paused (cleanup_* when that failed; the latch is on either way). IL_APPROVAL_MISMATCH with object "approval": it
 * came too late. IL_RUNTIME: the server refused. Anything else: whether it granted is not known. In all these cases the
 * request stays as it was. When the call itself fails, nothing was asked and `done` is never called: IL_UNSUPPORTED
 * without an approver connection, IL_APPROVAL_MISMATCH as il_run_answer says it, IL_CONFLICT while one is on its way,
 * IL_CANCELLED when the session is stopped. */
IL_API enum il_code il_run_obtain_grant(il_run *run, struct il_str request_id, struct il_str action_digest,
                                        struct il_str policy_digest, il_done_fn done, void *ctx, struct il_error *err);

/* Cancels: before the send nothing is sent, what is held is released, status `cancelled`. After it the run goes on to
 * verify and release. */
IL_API enum il_code il_run_cancel(il_run *run, struct il_str reason, struct il_error *err);
/* Frees the handle. A run that has not ended is cancelled first and freed when it ends; from a callback, with the next
 * tick. NULL is accepted. */
IL_API void il_run_free(il_run *run);

struct il_record {
    size_t size;
    uint64_t seq;
    struct il_str text;    /* the canonical record (src/README.md has the fields) */
    struct il_str payload; /* the received bytes it covers, or absent */
    char hash_hex[65];
};
/* The n-th record of the run's journal; texts valid until the handle is freed. IL_CONFLICT: there is no such record. */
IL_API enum il_code il_run_record(const il_run *run, uint64_t seq, struct il_record *out, struct il_error *err);

/* ---- the store ------------------------------------------------------------------------------------------------- */

/* Journals of runs, answers left for them, and stops; in one file that many processes use at once, or in memory. */
typedef struct il_store il_store;

struct il_store_options {
    size_t size;
    struct il_str path;   /* the file; absent: a store in memory, which lives as long as its handle */
    bool create;          /* make the file when it is not there (0600); else that is IL_STORE */
    bool read_only;       /* for lists and audits: nothing is written, and no run is owned */
    uint32_t busy_ms;     /* wait for another process's transaction; 0: the default, 5000 */
    il_alloc_fn alloc;   void *alloc_ctx;  /* NULL: the C library */
    il_random_fn random; void *random_ctx; /* NULL: the system's generator */
};
#define IL_STORE_OPTIONS_INIT \
    { sizeof(struct il_store_options), { NULL, 0 }, false, false, 0, NULL, NULL, NULL, NULL }
/* IL_STORE names the file and what is wrong: missing, not a store, made by a newer version, on a network file system,
 * open to others than its owner, damaged, no permission, no space. */
IL_API enum il_code il_store_open(const struct il_store_options *options, il_store **out,
                                  struct il_error *err) IL_MUST_USE;
/* After the hosts that use it. NULL is accepted. Not from a callback. */
IL_API void il_store_close(il_store *store);
/* 32 hex digits, given when the store was made; valid until it is closed. */
IL_API struct il_str il_store_id(const il_store *store);

enum il_row_state { IL_ROW_MOVING, IL_ROW_WAITING, IL_ROW_ENDED };
/* What a list shows of a run. */
struct il_store_row {
    size_t size;
    struct il_str run_id;
    struct il_str status;      /* "moving", "waiting", or how it ended (SPEC §7) */
    struct il_str request_id;  /* of the open wait, else absent */
    struct il_str tool, mode, session_id, principal, tenant;
    enum il_row_state state;
    int64_t created_ms, expires_ms; /* since 1970; expires_ms of the open wait, 0: none */
    uint64_t records, letters; /* in its journal; left for its owner and not taken yet */
    bool owned;                /* by a living process, this one included */
};
/* False ends the list. Texts are valid during the call. */
typedef bool (*il_store_row_fn)(void *ctx, const struct il_store_row *row);
struct il_store_filter {
    size_t size;
    bool by_state;
    enum il_row_state state;
    int64_t expires_before_ms; /* 0: any */
    struct il_str after;       /* run id; absent: from the start */
    uint32_t most;             /* 0: all */
};
#define IL_STORE_FILTER_INIT { sizeof(struct il_store_filter), false, IL_ROW_MOVING, 0, { NULL, 0 }, 0 }
/* Runs in order of their ids; `filter` NULL: all. */
IL_API enum il_code il_store_list(il_store *store, const struct il_store_filter *filter, il_store_row_fn fn, void *ctx,
                                  struct il_error *err);
/* Leaves an answer, a decision or a cancel (`kind`) for the run's owner, or for who resumes it. It is on the disk when
 * this returns. IL_CONFLICT: no such run, or it has ended. */
IL_API enum il_code il_store_submit(il_store *store, struct il_str run_id, struct il_str kind, struct il_str json,
                                    struct il_error *err);
typedef bool (*il_record_fn)(void *ctx, const struct il_record *record);
/* The journal as stored, unchecked. IL_CONFLICT: no such run. */
IL_API enum il_code il_store_records(il_store *store, struct il_str run_id, il_record_fn fn, void *ctx,
                                     struct il_error *err);
/* What runs have consumed of a limit that a policy named (`bundle/key`): units of the last hour, of the last day, and
 * of the 31 days that are kept. How many a limit allows stands in the policy. */
struct il_limit_row {
    size_t size;
    struct il_str key;
    int64_t hour, day, kept;
    int64_t latest_ms;         /* when the last one was consumed, since 1970 */
};
typedef bool (*il_limit_fn)(void *ctx, const struct il_limit_row *row);
/* Every limit with a unit, in order of keys; `now_ms` 0: by the system's clock. */
IL_API enum il_code il_store_limits(il_store *store, int64_t now_ms, il_limit_fn fn, void *ctx, struct il_error *err);
/* Has another process, or a letter or stop through this handle, changed the store since the last call? Cheap. */
IL_API bool il_store_changed(il_store *store);
/* A durable stop of a session, or (absent) of everything, in all processes that use the store; and lifting it. */
IL_API enum il_code il_store_stop(il_store *store, struct il_str session_id, struct il_error *err);
IL_API enum il_code il_store_lift(il_store *store, struct il_str session_id, struct il_error *err);

/* ---- runs that outlive their process ---------------------------------------------------------------------------- */

/* Where this host keeps its runs; before the first of them. The store must outlive the host; one host at a time uses a
 * store handle. */
IL_API enum il_code il_host_set_store(il_host *host, il_store *store, struct il_error *err) IL_MUST_USE;

struct il_resume_options {
    size_t size;
    struct il_str run_id;
    struct il_str principal, tenant; /* verified by the embedder; the run's own, else IL_CONFLICT */
    const struct il_str *scopes;     /* only those that the run began with count */
    size_t scope_count;
    struct il_str identity_expires_at;
    struct il_str workflow_name, workflow_source; /* absent: the host's; the same text that the run began with */
    bool renew;               /* of a run that ended with effect none: a successor asks afresh (SPEC §6) */
    struct il_str session_id; /* that of the run, else IL_CONFLICT; renew: of the successor; absent: that of the run */
    struct il_str identity_token; /* in place of principal, tenant, scopes and expiry, as for il_run_start */
    bool accept_rollback;     /* go on although a witness knows of more (il_host_set_witness): a run past approval ends
                                 as indeterminate, since it may have acted in the time that was lost */
};
#define IL_RESUME_OPTIONS_INIT                                                                                         \
    {                                                                                                                  \
        sizeof(struct il_resume_options), { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, NULL, 0, { NULL, 0 }, { NULL, 0 },    \
            { NULL, 0 }, false, { NULL, 0 }, { NULL, 0 }, false                                                        \
    }
/* Heads of the host's store that stood outside (il_audit_head), a line each, and the public keys that they are believed
 * by. From here on il_host_resume refuses a run when the store, or the run, is older than they say (IL_CONFLICT; object
 * "store"), unless accept_rollback is set; and when it was rewritten, in any case (IL_STORE). Calling it again replaces
 * both. IL_IDENTITY_MISMATCH: a line is not signed by any of the keys; IL_DECODE: it is no head. */
IL_API enum il_code il_host_set_witness(il_host *host, struct il_str witness, const struct il_str *keys,
                                        size_t key_count, struct il_error *err) IL_MUST_USE;
/* Takes a run over from the host's store and goes on with it from its journal (SPEC §10); it moves with il_host_tick.
 * IL_CONFLICT: a living process owns it, it has ended, or principal, tenant, session, runtime or workflow are not those
 * it began with: nothing was sent, and the run is as it was. IL_STORE: its journal was edited or cannot be read. */
IL_API enum il_code il_host_resume(il_host *host, const struct il_resume_options *options, il_run **out,
                                   struct il_error *err) IL_MUST_USE;
/* The document (il_run_document) of a run in the store, without taking it over; of a waiting one with the card that was
 * shown. Its journal is verified first. Needs no runtime. Owned by the host until the next call of this function. */
IL_API enum il_code il_host_show(il_host *host, struct il_str run_id, struct il_str *out, struct il_error *err);
/* Gives the handle of a waiting run back; the run goes on waiting in the store, for whoever resumes it. (il_run_free
 * cancels; il_host_free leaves what waits.) IL_CONFLICT: it does not wait, or its host has no store. */
IL_API enum il_code il_run_leave(il_run *run, struct il_error *err);

/* ---- documents, without a run ---------------------------------------------------------------------------------- */

struct il_check_options {
    size_t size;
    struct il_str kind;      /* "preview", "envelope", "lease", ... (il_check_kind_at) */
    struct il_str document;
    struct il_str envelope;  /* what it is checked against; absent: decode only */
    struct il_str preview;   /* for "grant" and "approval" */
    struct il_str now;       /* RFC 3339; absent: the host's clock */
};
#define IL_CHECK_OPTIONS_INIT { sizeof(struct il_check_options), { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, \
        { NULL, 0 } }
/* Decodes and checks one document. On IL_OK `*out` is its canonical re-encoding (for "outcome": the outcome document),
 * owned by the host until the next call of this function. Checks are reported as IL_EVENT_CHECK. */
IL_API enum il_code il_host_check(il_host *host, const struct il_check_options *options, struct il_str *out,
                                  struct il_error *err);
/* The kinds, for help texts; NULL past the end. */
IL_API const char *il_check_kind_at(size_t index);

/* Canonical text (RFC 8785) of a JSON document; owned by the host until the next call of this function. */
IL_API enum il_code il_host_canonical(il_host *host, struct il_str json, struct il_str *out, struct il_error *err);
IL_API void il_sha256_hex(struct il_str bytes, char out[65]);
/* RFC 3339 as SPEC §2 reads it. False: not readable, outputs unchanged. */
IL_API bool il_time_parse(struct il_str text, int64_t *sec, int32_t *nsec);

/* ---- evidence (SPEC §9), without a host ---------------------------------------------------------------------- */

/* A text that a function below hands out. Begin with IL_TEXT_INIT, and name an allocator in it unless the C library's
 * will do; from then on the text is yours, NUL-terminated behind `len`. It may be handed in again: what it held is
 * given back when something new is written. il_text_clear wipes and gives back; the text can then be used again. */
struct il_text {
    const char *ptr;
    size_t len;
    il_alloc_fn alloc; void *alloc_ctx; /* NULL: the C library */
    size_t room_bytes;                  /* what was allocated */
};
#define IL_TEXT_INIT { NULL, 0, NULL, NULL, 0 }
IL_API void il_text_clear(struct il_text *text);

/* Evaluates session events (a JSON array, or an object with one as `events` or `answer.events`) against the expected
 * trajectory (a JSON array of {tool, arguments?}). On IL_OK `*passed` is the verdict and `out` the result as a JSON
 * object: passed, trajectoryScore, expected, seen, matched, mutations, commits, observations, violations, findings. */
IL_API enum il_code il_evaluate(struct il_str events, struct il_str trajectory, bool *passed, struct il_text *out,
                                struct il_error *err) IL_MUST_USE;
/* Seals an evaluation receipt: `out` is its canonical text with receiptDigest set. IL_DECODE: it is no receipt, or
 * claims too little. */
IL_API enum il_code il_receipt_seal(struct il_str receipt, struct il_text *out, struct il_error *err) IL_MUST_USE;
/* Checks form, every claim and the digest of a sealed receipt. IL_DECODE: it cannot be read as a JSON object.
 * IL_IDENTITY_MISMATCH: it can, and does not hold; `field` says where. A seal says nothing of who made it. */
IL_API enum il_code il_receipt_verify(struct il_str receipt, struct il_error *err) IL_MUST_USE;
/* Signs a sealed receipt with a private key (PEM): `out` is a DSSE envelope to be kept beside it. What does not hold is
 * not signed. */
IL_API enum il_code il_receipt_sign(struct il_str receipt, struct il_str private_key, struct il_text *out,
                                    struct il_error *err) IL_MUST_USE;
/* Verifies a sealed receipt, and that `envelope` holds a signature over it by this public key (base64, or PEM).
 * IL_DECODE and IL_IDENTITY_MISMATCH as above. */
IL_API enum il_code il_receipt_check_signature(struct il_str receipt, struct il_str envelope, struct il_str public_key,
                                               struct il_error *err) IL_MUST_USE;

/* Ed25519 keys. A private key is unencrypted PKCS#8 in PEM, a public one the base64 of its 32 bytes, or PEM.
 * A fresh private key; `random` NULL: the system's generator. */
IL_API enum il_code il_key_new(il_random_fn random, void *random_ctx, struct il_text *private_key,
                               struct il_error *err) IL_MUST_USE;
/* The public half of a key of either kind, as base64; `id` (may be NULL) gets 16 hex digits that name it. */
IL_API enum il_code il_key_public(struct il_str key, struct il_text *out, char id[17],
                                  struct il_error *err) IL_MUST_USE;
/* Reads a private key from a file that belongs to the caller's user and that nobody else may use in any way; anything
 * else is IL_INVALID_REQUEST, a file without a private key IL_DECODE. The path is in the message. */
IL_API enum il_code il_key_file_read(struct il_str path, struct il_text *private_key, struct il_error *err) IL_MUST_USE;
/* Creates the file, mode 0600. IL_CONFLICT: something is there already; it is never overwritten. */
IL_API enum il_code il_key_file_write(struct il_str path, struct il_str private_key, struct il_error *err) IL_MUST_USE;

/* ---- audits (SPEC §9): evidence that cannot be edited unseen ------------------------------------------------- */

/* Every verdict, from the best to the worst, with the text it has in documents and messages. */
#define IL_AUDIT_VERDICTS(X)                                     \
    X(IL_AUDIT_INTACT, "intact")                                 \
    X(IL_AUDIT_NOT_WITNESSED, "intact, end not witnessed")       \
    X(IL_AUDIT_TRUNCATED, "truncated")                           \
    X(IL_AUDIT_ROLLED_BACK, "rolled back")                       \
    X(IL_AUDIT_FORKED, "forked")                                 \
    X(IL_AUDIT_REWRITTEN, "rewritten")                           \
    X(IL_AUDIT_EDITED, "edited")
#define IL_AUDIT_ENUM(name, text) name,
enum il_audit_verdict { IL_AUDIT_VERDICTS(IL_AUDIT_ENUM) IL_AUDIT_VERDICT_COUNT };
#undef IL_AUDIT_ENUM
IL_API const char *il_audit_verdict_name(enum il_audit_verdict verdict);

/* One thing that does not hold. */
struct il_audit_finding {
    size_t size;
    enum il_audit_verdict verdict;
    struct il_str run_id;    /* absent: the store-level chain */
    uint64_t at;             /* the record, or the link */
    struct il_str message;   /* names run and record */
};
/* Texts are valid during the call. Must not call back into the store. */
typedef void (*il_audit_fn)(void *ctx, const struct il_audit_finding *finding);

struct il_audit_options {
    size_t size;
    const struct il_str *keys; size_t key_count; /* public keys that heads are believed by: base64, or PEM. None:
                                                    heads in the store are compared, their signatures not looked at */
    struct il_str witness;   /* heads that stood outside, a line each; needs keys. Absent: none */
    struct il_str run_id;    /* only this run and the chain; absent: every run */
    il_audit_fn report; void *report_ctx; /* may be NULL */
};
#define IL_AUDIT_OPTIONS_INIT { sizeof(struct il_audit_options), NULL, 0, { NULL, 0 }, { NULL, 0 }, NULL, NULL }
struct il_audit_summary {
    size_t size;
    enum il_audit_verdict verdict;  /* of the worst finding */
    uint64_t links, runs, records, heads; /* that were read */
    uint64_t witnessed_heads;       /* of the witness, about this store */
    uint64_t since_records;         /* that came after the last head of the witness; nobody outside knows of them */
};
#define IL_AUDIT_SUMMARY_INIT { sizeof(struct il_audit_summary), IL_AUDIT_EDITED, 0, 0, 0, 0, 0, 0 }
/* Recomputes every hash of the store and holds it against the heads. Findings are results: with them, this is IL_OK.
 * IL_IDENTITY_MISMATCH: a line of the witness is not signed by any of the keys; IL_DECODE: it is no head; IL_CONFLICT:
 * there is no such run. The store may be in use. */
IL_API enum il_code il_audit_verify(il_store *store, const struct il_audit_options *options,
                                    struct il_audit_summary *out, struct il_error *err) IL_MUST_USE;
/* Verifies the store, with the options and the public half of `private_key` (PEM) as one more key; signs a head of it,
 * adds that to the store's chain (it is on the disk then), and gives the line, without line feed, that a witness keeps:
 * append it to a file that the store's owner cannot change. IL_CONFLICT: the store does not hold, and nothing was
 * signed; the message says the first finding. `clock` NULL: the system's. */
IL_API enum il_code il_audit_head(il_store *store, struct il_str private_key, const struct il_audit_options *options,
                                  il_clock_fn clock, void *clock_ctx, struct il_text *line,
                                  struct il_error *err) IL_MUST_USE;
/* The shortest thing that shows a third party, who has the public key and not the store, that the record stood in the
 * store at the newest head: record, two paths and the head, as JSON. IL_CONFLICT: no such record, no head since, or the
 * store does not hold. */
IL_API enum il_code il_audit_proof(il_store *store, const struct il_audit_options *options, uint64_t record,
                                   struct il_text *out, struct il_error *err) IL_MUST_USE;
/* Checks such a proof against keys; `out` becomes {at, record, run, seq, store}, with the record as text. IL_DECODE: it
 * is none; IL_IDENTITY_MISMATCH: it does not hold. */
IL_API enum il_code il_audit_check_proof(struct il_str proof, const struct il_str *keys, size_t key_count,
                                         struct il_text *out, struct il_error *err) IL_MUST_USE;

struct il_export_options {
    size_t size;
    struct il_str run_id;    /* absent: all runs, in order of their ids */
    bool one; uint64_t record; /* `one`: only this record of the run */
    const struct il_str *masks; size_t mask_count; /* JSON pointers, below body and payload of each record */
    bool with_tickets;       /* lease and grant ids are masked as well, unless this says so: they are bearer tickets */
};
#define IL_EXPORT_OPTIONS_INIT { sizeof(struct il_export_options), { NULL, 0 }, false, 0, NULL, 0, false }
/* False ends the export. Must not call back into the store. */
typedef bool (*il_line_fn)(void *ctx, struct il_str line);
/* Records as JSON, a line each: {hash, payload?, record}. A masked value is {"masked":"hmac-sha256:HEX"}: the HMAC
 * under the record's salt over its pointer ("/payload/text"), a line feed and its bytes; what is no JSON is {"base64"}.
 * Verifies nothing. The first export of a run makes its salts, so the store must be open for writing. */
IL_API enum il_code il_audit_export(il_store *store, const struct il_export_options *options, il_line_fn fn, void *ctx,
                                    struct il_error *err) IL_MUST_USE;
/* The salt of one record as 64 hex digits: for who may check what is masked in it. */
IL_API enum il_code il_audit_salt(il_store *store, struct il_str run_id, uint64_t record, char hex[65],
                                  struct il_error *err) IL_MUST_USE;

/* ---- recorded runs, as cases for policies ---------------------------------------------------------------------- */

/* What the policies of a run in the store were asked about, as a case: {action, agent, asked, at, capability, decision,
 * lease, name, phase, policy, principal, reason, route, runId, sessionId}, each where there is one. `phase` is a phase
 * by name, and then the last time that the run reached it; absent: the whole run, a case without a phase. Values are as
 * they were recorded; nothing is verified, and ids of leases and grants are left out. IL_CONFLICT: no such run, or it
 * never reached that phase. */
IL_API enum il_code il_policy_case_of_run(il_store *store, struct il_str run_id, struct il_str phase,
                                          struct il_text *out, struct il_error *err) IL_MUST_USE;
/* All of them as an array: one for each time that a phase was reached, in that order. */
IL_API enum il_code il_policy_cases_of_run(il_store *store, struct il_str run_id, struct il_text *out,
                                           struct il_error *err) IL_MUST_USE;

/* ---- what bundles on trial would have changed ------------------------------------------------------------------ */

/* How often a phase was judged otherwise by the bundles on trial than by those that count. */
struct il_trial_counts {
    uint64_t same;
    uint64_t denied;   /* denied by them alone */
    uint64_t asked;    /* asked for by them alone, or more than otherwise */
    uint64_t allowed;  /* denied or asked for otherwise, and not by them, or less */
    uint64_t errors;   /* policies of theirs that failed; each counts as a deny */
};
struct il_trial_summary {
    size_t size;
    uint64_t runs;     /* in which bundles were on trial */
    uint64_t differ;   /* runs in which a phase was judged otherwise */
    struct il_trial_counts phases[4]; /* propose, preview, approve, execute */
};
#define IL_TRIAL_SUMMARY_INIT { sizeof(struct il_trial_summary), 0, 0, { { 0, 0, 0, 0, 0 } } }
/* Over all runs of the store, from the journals as they stand. `fn` (may be NULL) hears each difference and each
 * failure as a JSON object: {at, change, enforced, line, phase, policy, reason, run, trial}, `change` being denied,
 * asked, allowed or error. `since` (RFC 3339; absent: always) leaves out what was judged before. IL_INVALID_REQUEST:
 * it is no time. */
IL_API enum il_code il_trial_report(il_store *store, struct il_str since, il_line_fn fn, void *ctx,
                                    struct il_trial_summary *out, struct il_error *err) IL_MUST_USE;

/* ---- policies, without a host ---------------------------------------------------------------------------------- */

/* Policy bundles as a host loads them, asked about written cases: for tests, traces and explanations. No runtime, no
 * store, no clock: the same bundles, case and flags give the same bytes in every process. What a verdict amounts to is
 * decided by the code that decides in runs. */
typedef struct il_policy il_policy;
struct il_policy_options {
    size_t size;
    il_alloc_fn alloc; void *alloc_ctx; /* NULL: the C library */
    il_log_fn log; void *log_ctx;       /* what policies print; NULL: dropped */
};
#define IL_POLICY_OPTIONS_INIT { sizeof(struct il_policy_options), NULL, NULL, NULL, NULL }
IL_API enum il_code il_policy_new(const struct il_policy_options *options, il_policy **out,
                                  struct il_error *err) IL_MUST_USE;
/* NULL is accepted. */
IL_API void il_policy_free(il_policy *policy);
/* As il_host_trust_bundles, il_host_add_bundle and il_host_add_bundle_dir. */
IL_API enum il_code il_policy_trust_bundles(il_policy *policy, const struct il_str *keys, size_t count,
                                            struct il_error *err) IL_MUST_USE;
IL_API enum il_code il_policy_add(il_policy *policy, const struct il_file *files, size_t count,
                                  struct il_str params_json, struct il_error *err) IL_MUST_USE;
IL_API enum il_code il_policy_add_dir(il_policy *policy, struct il_str path, struct il_str params_json,
                                      struct il_error *err) IL_MUST_USE;
/* As il_host_policy_digest. */
IL_API struct il_str il_policy_digest(const il_policy *policy);

enum {
    IL_POLICY_TRACE = 1,    /* the result says which values each policy read (`used`) */
    IL_POLICY_COVERAGE = 2, /* notes what was reached, for il_policy_coverage */
    IL_POLICY_FIRST = 4,    /* il_policy_test: ends at the first case that fails */
    IL_POLICY_RECORDED = 8  /* the case is of a recorded run: members that are not known are left out */
};
/* Judges a case (policies/README.md, "Testing"), or an action alone. On IL_OK `out` is a canonical JSON object, owned
 * by the handle until the next call that hands out a text: verdict (what it amounts to: none, ask or deny), said (what
 * is said: none, ask, deny, or error when a policy fails), phase (the last that was judged), route, hostPolicyDigest,
 * name, needs [{policy, code, reason, approvers, roles, timeoutMs, override}], and policies in the order they were
 * asked, each {policy, phase, level, said, ruled, override, reason, code, remedy, approvers, roles, timeoutMs, error,
 * file, line, asked, used [{path, value}]}; what is not there is left out. IL_DECODE: the case cannot be read, `field`
 * is the place; IL_INVALID_REQUEST: its parameters are not those of the bundles. */
IL_API enum il_code il_policy_eval(il_policy *policy, struct il_str case_json, unsigned flags, struct il_str *out,
                                   struct il_error *err) IL_MUST_USE;
/* The same, held against the member `expect` of the case: `out` is {name, passed, differs [{member, expected, got}],
 * got}, with the result in `got`. */
IL_API enum il_code il_policy_check(il_policy *policy, struct il_str case_json, unsigned flags, bool *passed,
                                    struct il_str *out, struct il_error *err) IL_MUST_USE;
/* Why a case gets its verdict, and the fewest changes that would give it another. `out` is {result, fields, flips,
 * tried, candidates, cut}: `result` as il_policy_eval gives it with a trace; `fields` how many fields have to change
 * (1 or 2; 0: nothing was found); `flips` [{changes [{field, pointer, value}], others, says, verdict}], one for each
 * set of fields and verdict: the first values found (null: left out), how many `others` do the same, and a sentence.
 * Tried are, singly, then in pairs: every value of every enum and boolean of the action, the absence of what may be
 * absent, the route, and for what the policies read the constants of their bundles and their neighbours, other times,
 * histories, used limits and decisions; only what is a case. `flags`: IL_POLICY_RECORDED or 0. `cut` names the limits
 * that ended the search early. */
IL_API enum il_code il_policy_explain(il_policy *policy, struct il_str case_json, unsigned flags,
                                      struct il_str *out, struct il_error *err) IL_MUST_USE;
/* Mutants: every small change of a bundle's files that its tests do not notice. */
struct il_policy_mutate_options {
    size_t size;
    struct il_bundle bundle; /* with its tests beside */
    const struct il_str *keys; size_t key_count; /* as il_policy_trust_bundles, for the bundle; not for its mutants */
    struct il_str allowed;   /* the list of mutants that no test can notice; absent: mutants.md beside the bundle */
    il_alloc_fn alloc; void *alloc_ctx;
};
#define IL_POLICY_MUTATE_OPTIONS_INIT                                                                                  \
    { sizeof(struct il_policy_mutate_options), { { NULL, 0 }, NULL, 0, { NULL, 0 } }, NULL, 0, { NULL, 0 }, NULL, NULL }
/* On IL_OK `*passed` is true when every mutant is noticed or rightly listed, and `out` is a JSON object: mutants,
 * killed, equivalent, survived, tests, score (percent of those that are not equivalent), survivors [{file, line,
 * column, rule, about, before, after, kill, cut}] and listed [{file, line, before, after, row, problem, kill}]. `kill`
 * is {name, field, value, case}: the case of that name with that field changed (none: as it is) gets another verdict,
 * code, reason or need; what it shall expect is to be written. IL_CONFLICT: a test fails without any mutant. */
IL_API enum il_code il_policy_mutate(const struct il_policy_mutate_options *options, bool *passed, struct il_text *out,
                                     struct il_error *err) IL_MUST_USE;
/* Runs a *_test.lua in a sandbox, where it can require the modules of the bundle that is named in front of the slash of
 * `label` (the name of the file in messages), else of the last one. `out` is a JSON array of its cases, with the names
 * of the wire; each has a name of its own, and nothing that a case does not have. IL_SCRIPT_ERROR or IL_DECODE with
 * file, line and what to write. */
IL_API enum il_code il_policy_cases(il_policy *policy, struct il_str label, struct il_str source, struct il_str *out,
                                    struct il_error *err) IL_MUST_USE;
/* What was reached in all judgements with IL_POLICY_COVERAGE so far, as a JSON object: lines and verdicts {covered,
 * total}, and files [{file, lines {covered, total, missed [line]}, verdicts {covered, total, missed [{line, verdict,
 * phase}]}}]. A verdict is a place that asks or denies, or that a phase function says nothing. */
IL_API enum il_code il_policy_coverage(il_policy *policy, struct il_str *out, struct il_error *err) IL_MUST_USE;

/* One case of a test file. Texts are valid during the call. */
struct il_policy_test_result {
    size_t size;
    struct il_str file;      /* "bundle/name_test.lua" */
    struct il_str name;      /* absent: the file itself has a mistake */
    bool passed;
    int line;                /* of the case, or of the mistake; 0: unknown */
    struct il_str message;   /* of a mistake */
    struct il_str check;     /* what il_policy_check gave, as JSON; absent with a mistake */
};
typedef void (*il_policy_test_fn)(void *ctx, const struct il_policy_test_result *result);
struct il_policy_test_options {
    size_t size;
    struct il_bundle bundle; /* with its tests beside */
    const struct il_str *keys; size_t key_count; /* as il_policy_trust_bundles */
    struct il_str pattern;   /* only cases whose name contains it, or matches it where it has * or ?; absent: all */
    unsigned flags;          /* IL_POLICY_* */
    struct il_text *coverage; /* with IL_POLICY_COVERAGE: what il_policy_coverage gives; may be NULL */
    il_policy_test_fn report; void *report_ctx; /* may be NULL */
    il_alloc_fn alloc; void *alloc_ctx;
    il_log_fn log; void *log_ctx;
};
#define IL_POLICY_TEST_OPTIONS_INIT                                                                                    \
    {                                                                                                                  \
        sizeof(struct il_policy_test_options), { { NULL, 0 }, NULL, 0, { NULL, 0 } }, NULL, 0, { NULL, 0 }, 0, NULL,   \
            NULL, NULL, NULL, NULL, NULL, NULL                                                                         \
    }
struct il_policy_test_summary {
    size_t size;
    size_t files, passed, failed, mistakes; /* test files; cases; files with a mistake */
};
#define IL_POLICY_TEST_SUMMARY_INIT { sizeof(struct il_policy_test_summary), 0, 0, 0, 0 }
/* Loads a bundle and runs every case of its test files. What fails is a result, not an error; an error means that the
 * bundle does not load. */
IL_API enum il_code il_policy_test(const struct il_policy_test_options *options, struct il_policy_test_summary *out,
                                   struct il_error *err) IL_MUST_USE;
/* ---- scripts, looked at without running them ------------------------------------------------------------------- */

enum il_lint_format { IL_LINT_TEXT, IL_LINT_JSON, IL_LINT_SARIF };
/* What can be seen to be wrong in bundles, also in such that do not load: unknown names, fields of another phase,
 * verdicts that are dropped, rules that never decide. `found` (may be NULL) is how many findings there are; findings
 * are no error. Parameters that are given and signatures are not looked at. SARIF is version 2.1.0. */
IL_API enum il_code il_policy_lint(const struct il_bundle *bundles, size_t count, enum il_lint_format format,
                                   size_t *found, struct il_text *out, struct il_error *err) IL_MUST_USE;
/* What scripts are given, from the tables of the bindings: stubs for the Lua language server, a configuration of
 * luacheck with its std `interlock`, a page of Markdown, or JSON. */
enum il_reference_format { IL_REFERENCE_LUALS, IL_REFERENCE_LUACHECK, IL_REFERENCE_MARKDOWN, IL_REFERENCE_JSON };
IL_API enum il_code il_script_reference(enum il_reference_format format, struct il_text *out,
                                        struct il_error *err) IL_MUST_USE;

/* Every recorded run of a store, decided again by the policies of `before` and of `after`. */
struct il_policy_diff_summary {
    size_t size;
    uint64_t runs, same;   /* all; those that every phase judges the same */
    uint64_t denied;       /* runs with a phase that is denied now and was not */
    uint64_t asked;        /* asked for now, or more is asked for */
    uint64_t allowed;      /* denied or asked for before, and not now, or less */
    uint64_t errors;       /* a policy of `after` fails */
    uint64_t unjudged;     /* cannot be decided again */
    uint64_t assumed;      /* a history or limit was asked for that nobody asked for then: answered as if none were */
};
#define IL_POLICY_DIFF_SUMMARY_INIT { sizeof(struct il_policy_diff_summary), 0, 0, 0, 0, 0, 0, 0, 0 }
/* `fn` (may be NULL; false ends it) hears each difference as a JSON object: {run, phase, at, tool, change, old, new,
 * assumed, why}; `change` is denied, asked, allowed, error, assumed or unjudged, `old` and `new` are who decides:
 * {policy, verdict, approvers, code, reason, file, line}, null where nobody denies or asks. Phases are judged each by
 * itself, as they were recorded. Nothing is written. */
IL_API enum il_code il_policy_diff(il_policy *before, il_policy *after, il_store *store, il_line_fn fn, void *ctx,
                                   struct il_policy_diff_summary *out, struct il_error *err) IL_MUST_USE;

/* ---- scenarios -------------------------------------------------------------------------------------------------- */

struct il_scenario_result {
    size_t size;
    struct il_str file, name;
    bool passed;
    int line;                /* of the failed expectation, 0 when passed */
    struct il_str message;   /* what was expected and what was seen */
    struct il_str trace;     /* what the runs did, a line each */
};
typedef void (*il_scenario_fn)(void *ctx, const struct il_scenario_result *result);
struct il_scenario_options {
    size_t size;
    struct il_str file;      /* names the source in messages; also the folder that relative names in it start from */
    struct il_str source;
    struct il_str pattern;   /* only scenarios whose name contains it; absent: all */
    il_scenario_fn report; void *report_ctx;
    const struct il_str *bundle_keys; size_t bundle_key_count; /* those that hosts trust (il_host_trust_bundles) */
};
#define IL_SCENARIO_OPTIONS_INIT                                                                                       \
    {                                                                                                                  \
        sizeof(struct il_scenario_options), { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, NULL, NULL, NULL, 0                 \
    }
/* Runs the scenarios of one file, each with hosts of its own and a virtual clock. A failed scenario is a result, not an
 * error; an error means the file could not be read as scenarios. `*ran` counts the scenarios run. */
IL_API enum il_code il_scenario_run(const struct il_scenario_options *options, size_t *ran, struct il_error *err);
/* Runs a SafetyCorpus document against the simulated runtime; `options->source` is the document. */
IL_API enum il_code il_corpus_run(const struct il_scenario_options *options, size_t *ran, struct il_error *err);

/* A run of a store as a scenario file (Lua) that plays it again: the answers of its runtime, what came from outside and
 * when, and how it ended, as expectations. Values stand in it as they were recorded, but for ids of leases and grants,
 * which are named anew; masked values are replaced by "masked", 0, false or an empty list or object. Bundles and
 * workflow stand in no journal: `policies` and `workflow` name them, as the file is to name them. A long observation is
 * cut. IL_CONFLICT: no such run; IL_UNSUPPORTED: an answer was refused, and such are not kept; IL_LIMIT_EXCEEDED: the
 * file would be larger than script_source. */
struct il_scenario_policy {
    struct il_str dir;         /* seen from the folder of the file */
    struct il_str params_json; /* absent: none */
};
struct il_record_options {
    size_t size;
    struct il_str run_id;
    const struct il_scenario_policy *policies; size_t policy_count;
    struct il_str workflow;    /* absent: the embedded one */
    const struct il_str *masks; size_t mask_count; /* JSON pointers, below each payload and body */
};
#define IL_RECORD_OPTIONS_INIT { sizeof(struct il_record_options), { NULL, 0 }, NULL, 0, { NULL, 0 }, NULL, 0 }
IL_API enum il_code il_scenario_of_run(il_store *store, const struct il_record_options *options, struct il_text *out,
                                       struct il_error *err) IL_MUST_USE;

/* ---- about this build ------------------------------------------------------------------------------------------- */

IL_API const char *il_version(void);
struct il_limit {
    const char *name;   /* "script_memory" */
    uint64_t value;
    const char *unit;   /* "bytes", "ms", "count" */
    const char *about;
};
/* Every limit by index; NULL past the end. Static. */
IL_API const struct il_limit *il_limit_at(size_t index);
/* Name and version of each library linked in ("Lua", "5.4.4"); false past the end. Static texts. */
IL_API bool il_library_at(size_t index, const char **name, const char **version);

#ifdef __cplusplus
}
#endif
#endif
