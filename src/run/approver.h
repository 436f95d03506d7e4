/* The approver port: a connection to the server that may grant there what a person has approved here (SPEC §6). It is
 * configured apart from the runtime's and used by grant.c alone: neither a script, nor a proposal, nor the runtime can
 * reach it. Asked here, completed later exactly once by token through a sink of its own. */
#ifndef IL_RUN_APPROVER_H
#define IL_RUN_APPROVER_H

#include "run/runtime.h"
#include "wire/json_write.h"

/* Texts are valid during `begin` only. The server is told session and action id: it grants what is pending under them,
 * whatever that is, so the grant is checked when it comes. */
struct il__grant_ask {
    uint64_t token;
    uint32_t timeout_ms;   /* the core gives up after this; a later grant is only recorded */
    uint32_t ttl_ms;       /* how long the grant is to live */
    struct il_str session_id, principal_id, action_id;
};

/* What it came to. Code IL_OK: `body` is the grant, JSON. decode: it answered what holds no grant. runtime: it refused,
 * with its own code in `reason`. Anything else: whether it granted is not known. */
struct il__approver_sink {
    enum il_code (*complete)(void *ctx, const struct il__answer_in *answer, struct il_error *err);
    void *ctx;
};

struct il__approver_ops {
    /* Anything but IL_OK: it never completes, and nothing was sent. */
    enum il_code (*begin)(void *self, const struct il__grant_ask *ask, struct il_error *err);
    /* Nobody waits any more. It may still complete the token, which is then late. */
    void (*cancel)(void *self, uint64_t token);
    int64_t (*tick)(void *self, uint32_t budget_us); /* as a runtime's */
    size_t (*descriptors)(void *self, int *fds, short *events, size_t cap);
    /* Members of an object: kind, address, state, error. No secrets. */
    void (*facts)(void *self, struct il__json_writer *w);
    void (*free)(void *self); /* may take as long as saying goodbye takes, a second at most */
};
struct il__approver_port {
    const struct il__approver_ops *ops; /* NULL: there is none */
    void *self;
};

#endif
