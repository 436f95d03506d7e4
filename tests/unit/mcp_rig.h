/* One MCP connection for tests: memory, clock, a log that is kept, an engine, and what its requests came to. */
#ifndef MCP_RIG_H
#define MCP_RIG_H

#include "runtime/mcp.h"
#include "runtime/mcp_stdio.h"

enum { RIG_ANSWERS = 64, RIG_LOG = 65536 };

/* A request: begun by rig_call, told by `done` and `late`. */
struct rig_answer {
    uint64_t id;
    int done, late;          /* how often each was called */
    enum il_code code;
    bool sent, ok;
    int64_t rpc_code;
    char message[300];
    size_t text_len;         /* of the last text block */
    char text[20000];        /* its beginning */
};
struct rig {
    struct il__mem mem;
    struct il__clock clock;
    int64_t now_ms;          /* of the clock, when `virtual` */
    bool is_virtual;
    struct il__log log;
    char logged[RIG_LOG];
    size_t log_len;
    int log_lines;
    struct il__mcp *mcp;
    const char *const *env;  /* of the next rig_spawn */
    const char *cwd;
    struct il_error err;
    struct rig_answer answers[RIG_ANSWERS];
    int count;
};

/* An engine without a wire; `is_virtual`: a clock that only `now_ms` moves. */
void rig_open(struct rig *rig, bool is_virtual);
/* A server of tests/peers/hostile behind it, with its arguments; a text that begins with a blank is a command line. */
enum il_code rig_spawn(struct rig *rig, const char *command);
/* Frees all; checks that no memory is left. */
void rig_close(struct rig *rig, const char *name);
/* Ticks and polls until `*flag` is not 0, or the engine is closed when `flag` is NULL; false after `ms`. */
bool rig_until(struct rig *rig, const int *flag, int ms);
bool rig_until_state(struct rig *rig, enum il__mcp_state state, int ms);
/* A request of `method` with `params`; the deadlines as given. */
struct rig_answer *rig_begin(struct rig *rig, const char *method, const char *params, uint32_t soft_ms,
                             uint32_t hard_ms, struct il__permit *permit);
/* tools/call of `echo` with `arguments`. */
struct rig_answer *rig_call(struct rig *rig, const char *arguments);
bool rig_logged(const struct rig *rig, const char *text);

#endif
