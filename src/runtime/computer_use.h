/* The runtime port over a computer-use server (its governed tools) through the MCP engine. It builds each request from
 * an allow-list, gives each its own deadline, gives back what arrives too late, and turns answers into the documents of
 * the port; whether an answer belongs to its request is for the core to check. Uses the MCP engine and the contract.
 *
 * Must never send an execute whose envelope is not, byte for byte of canonical text, the one that was previewed; must
 * never queue for the lease; must never answer `not_started`. */
#ifndef IL_RUNTIME_COMPUTER_USE_H
#define IL_RUNTIME_COMPUTER_USE_H

#include "runtime/mcp.h"
#include "wire/digest.h"

struct il__computer_use;

struct il__computer_use_options {
    struct il__mem *mem;             /* all pointers outlive the adapter */
    const struct il__clock *clock;
    const struct il__log *log;       /* may be NULL */
    struct il__digest *digest;
    il_random_fn random; void *random_ctx;
    struct il__runtime_sink sink;
    /* Makes an engine like `mcp` once more; NULL: a connection that is lost stays lost. */
    enum il_code (*reopen)(void *ctx, struct il__mcp **out, struct il_error *err);
    void *reopen_ctx;
    struct il__mcp *mcp;             /* with its wire set; owned by the adapter, also when it is not made */
    struct il_str address;           /* as it stands in the journal; no secrets */
    struct il_str session_id;        /* absent: one is started at connect */
    const struct il_str *accept_tools; /* raw acting tools that may be listed all the same */
    size_t accept_count;
    uint32_t connect_timeout_ms;     /* 0: the default */
    uint32_t ping_ms;                /* a ping when nothing else was asked for so long; 0: none. Over http a server
                                        suspends everything of ours when it hears nothing for a while */
    bool commands_only;              /* no session is started and no tool refused; stops and session commands alone */
    bool read_back;                  /* a verify makes an observation of its own (computer_use_readback.c) */
    struct il_str visual_tool, semantic_tool; /* absent: snapshot, and get_ui_tree where the target has a window */
};
enum il_code il__computer_use_new(const struct il__computer_use_options *options, struct il__runtime *out,
                                  struct il_error *err) IL_MUST_USE;

/* What follows takes `self` of the runtime. */

/* "connecting", "ready", "refused" or "closed". */
const char *il__computer_use_state(const struct il__computer_use *cu);
size_t il__computer_use_descriptors(struct il__computer_use *cu, int *fds, short *events, size_t cap);
/* What is known of the connection, as a JSON object; owned by the adapter until the next call. No secrets. */
enum il_code il__computer_use_facts(struct il__computer_use *cu, struct il_str *out, struct il_error *err) IL_MUST_USE;

/* What a session command came to: `json` on IL_OK. Valid during the call only. */
typedef void (*il__computer_use_done)(void *ctx, struct il_str json, const struct il_error *err);
/* start, get, events, follow_ups, submit, pause, resume, stop, complete, delete, prune; `args` is a JSON object (may be
 * absent), closed, camelCase. Anything but IL_OK: `done` is never called. Otherwise exactly once, unless the adapter is
 * freed before. */
enum il_code il__computer_use_session(struct il__computer_use *cu, struct il_str verb, struct il_str args,
                                      il__computer_use_done done, void *ctx, struct il_error *err) IL_MUST_USE;

/* Retains a preview that a journal holds, so that its execute can be sent after a restart (SPEC I11). */
enum il_code il__computer_use_retain(struct il__computer_use *cu, struct il_str action_id, struct il_str preview,
                                     struct il_error *err) IL_MUST_USE;

#endif
