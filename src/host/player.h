/* Plays one scenario: a host of its own over a virtual clock and a seeded random source, and the calls that a scenario
 * can make of it (lua/interlock/scenario.lua). Also what the corpus runner drives. */
#ifndef IL_HOST_PLAYER_H
#define IL_HOST_PLAYER_H

#include "host/host.h"
#include "host/player_args.h"
#include "wire/json_write.h"

enum { IL__PLAYER_RUNS = 64, IL__PLAYER_TRACE_BYTES = 65536 };

/* One run of the scenario. Without a handle it was left in the store: it is shown from there, and answers to it go by
 * letter. */
struct il__played {
    il_run *run;
    char id[40];
    int exit; /* of the last document */
};

struct il__player {
    struct il__mem mem;
    il_host *host;
    il_store *store;               /* NULL: the scenario has none */
    struct il_str file;            /* names in the setup are seen from its folder */
    const struct il_scenario_options *options;
    int64_t wall_sec, boot_ns;     /* the virtual clock: wall at boot 0, and what has passed */
    int64_t wall_shift_ms;
    uint64_t random;
    uint8_t ids[32];               /* what the random source gives next: the ids that a start asked for */
    size_t ids_len, ids_at;
    struct il__played runs[IL__PLAYER_RUNS];
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

/* `setup_json` is the scenario without `play`; `options` outlives the player. On failure the player is closed. */
enum il_code il__player_open(struct il__player *p, const struct il_scenario_options *options, struct il_str setup_json,
                             struct il_error *err) IL_MUST_USE;
void il__player_close(struct il__player *p);
/* Carries out one call; the result is JSON, valid until the next. An error is a call that makes no sense. */
enum il_code il__player_call(struct il__player *p, struct il_str op, struct il_str args, struct il_str *result,
                             struct il_error *err) IL_MUST_USE;
/* Ticks until nothing moves without time. */
void il__player_settle(struct il__player *p);

/* ---- between player.c and player_store.c ---- */

/* The run that a call is about; NULL: nothing was started yet. */
struct il__played *il__player_run(struct il__player *p, const struct il__args *a, struct il_error *err);
/* Room for one more; NULL: a scenario starts no more. */
struct il__played *il__player_room(struct il__player *p, struct il_error *err);
void il__player_keep(struct il__player *p, struct il__played *at, il_run *run);
/* Begins the result of a call: {ok, code, ...}, left open; and the whole of it, after what follows has happened. */
void il__player_result(struct il__player *p, const struct il_error *err, struct il__json_writer *w);
enum il_code il__player_simple(struct il__player *p, const struct il_error *outcome, struct il_error *err);
/* player_store.c: what can be done with runs in a store. */
enum il_code il__player_leave(struct il__player *p, struct il__args *a, struct il_error *err);
enum il_code il__player_resume(struct il__player *p, struct il__args *a, struct il_error *err);
enum il_code il__player_letter(struct il__player *p, struct il__args *a, struct il_error *err);
/* A letter in place of a call, to a run that was left. */
enum il_code il__player_write(struct il__player *p, const struct il__played *at, struct il_str kind, struct il_str body,
                              struct il_error *err);
enum il_code il__player_write_decision(struct il__player *p, const struct il__played *at, const struct il_decision *d,
                                       struct il_error *err);
/* player_before.c: what lay before the recorded run: units of limits that were used, runs in the history. */
enum il_code il__player_before(struct il__player *p, const struct il__args *setup, struct il_error *err);
/* player_journal.c: what stands in the journal of a run. */
enum il_code il__player_verdicts(struct il__player *p, struct il__args *a, struct il_error *err);
enum il_code il__player_crash_after(struct il__player *p, struct il__args *a, struct il_error *err);
/* Makes an end of a process that has ended, as it were. */
bool il__player_crashes(struct il__player *p);
enum il_code il__player_show(struct il__player *p, const struct il__played *at, struct il_str *out,
                             struct il_error *err);

#endif
