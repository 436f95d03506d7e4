/* The runtime port: who acts. In-process callbacks, Lua runtimes and protocol adapters all offer these operations;
 * begun here, completed later exactly once by token through the sink that the engine hands out. */
#ifndef IL_RUN_RUNTIME_H
#define IL_RUN_RUNTIME_H

#include "base/str.h"

/* Leave to send one execute, minted by the checks of SPEC I2 and spent by the send; never stored. An adapter that
 * queues bytes calls il__permit_spend just before the first byte is handed over (and il__permit_holds each tick until
 * then); the second spend of a permit always fails. `begin` gets one that lives for the call only: an adapter that
 * sends later keeps a copy, whose `ctx` lives until the operation is completed. */
struct il__permit {
    enum il_code (*holds)(void *ctx, struct il_error *err); /* deadlines, latch, ownership, an unread deny: now */
    void *ctx;
    bool spent;
};
enum il_code il__permit_holds(const struct il__permit *permit, struct il_error *err) IL_MUST_USE;
enum il_code il__permit_spend(struct il__permit *permit, struct il_error *err) IL_MUST_USE;

/* What an operation came to. `code` IL_OK: `body` is the answer, JSON. Otherwise transport, timeout (outcome unknown)
 * or runtime (the runtime answered with an error), with the runtime's own code in `reason`. Texts are valid during the
 * call only. */
struct il__answer_in {
    uint64_t token;
    enum il_code code;
    struct il_str body, reason, message;
    /* Of an execute that failed: not one byte of it left, and none will. `code` may then be any, such as what the
     * permit said. */
    bool unsent;
};
struct il__runtime_sink {
    enum il_code (*complete)(void *ctx, const struct il__answer_in *answer, struct il_error *err);
    void *ctx;
};

struct il__runtime_ops {
    /* Starts an operation; anything but IL_OK means that it never completes and that nothing was sent. `permit` is set
     * for execute_action only; it is spent before anything leaves. */
    enum il_code (*begin)(void *self, const struct il_request *request, struct il__permit *permit,
                          struct il_error *err);
    void (*cancel)(void *self, uint64_t token);  /* may be NULL */
    /* Lets the adapter do bounded work; returns milliseconds until it wants to be called again, -1: not by time. */
    int64_t (*tick)(void *self, uint32_t budget_us); /* may be NULL */
    void (*free)(void *self);                    /* may be NULL */
    /* A run goes on that was previewed in another life: its preview as received. May be NULL. */
    enum il_code (*retain)(void *self, struct il_str action_id, struct il_str preview, struct il_error *err);
};
struct il__runtime {
    const struct il__runtime_ops *ops;
    void *self;
    const char *kind;      /* "inprocess", "lua", "simulated": static */
    char address[128];
    uint32_t offers;       /* bit per enum il_op */
};

#endif
