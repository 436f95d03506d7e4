/* Plays one scenario: a host of its own over a virtual clock and a seeded random source, and the calls that a scenario
 * can make of it (lua/interlock/scenario.lua). Also what the corpus runner drives. */
#ifndef IL_HOST_PLAYER_H
#define IL_HOST_PLAYER_H

#include "host/host.h"

enum { IL__PLAYER_RUNS = 64, IL__PLAYER_TRACE_BYTES = 65536 };

struct il__player {
    struct il__mem mem;
    il_host *host;
    struct il_str file;            /* names in the setup are seen from its folder */
    int64_t wall_sec, boot_ns;     /* the virtual clock: wall at boot 0, and what has passed */
    int64_t wall_shift_ms;
    uint64_t random;
    uint8_t ids[32];               /* what the random source gives next: the ids that a start asked for */
    size_t ids_len, ids_at;
    il_run *runs[IL__PLAYER_RUNS];
    size_t run_count;
    struct il_str principal, tenant, session, agent, group;
    struct il_str scopes[8];
    size_t scope_count;
    struct il__json setup;         /* owns the texts above */
    struct il__buf trace;          /* each event as a line of JSON, bounded */
    struct il__buf told;           /* the same in words */
    struct il__buf answer, scratch;
    bool interrupted;
    struct il_error stopped;       /* what a stop came to */
    bool stop_done;
};

/* `setup_json` is the scenario without `play`. On failure the player is closed. */
enum il_code il__player_open(struct il__player *p, struct il_str file, struct il_str setup_json,
                             struct il_error *err) IL_MUST_USE;
void il__player_close(struct il__player *p);
/* Carries out one call; the result is JSON, valid until the next. An error is a call that makes no sense. */
enum il_code il__player_call(struct il__player *p, struct il_str op, struct il_str args, struct il_str *result,
                             struct il_error *err) IL_MUST_USE;
/* Ticks until nothing moves without time. */
void il__player_settle(struct il__player *p);

#endif
