/* What the crash tests share: a life of one run in a process of its own, the places where it kills itself with SIGKILL,
 * and the world that it acted on, which outlives it. Uses the public API; of the inside only the ports of store and
 * runtime, to stand on both sides of every call. `crash matrix|race|many|flush|limit` are its commands (main.c). */
#ifndef CRASH_H
#define CRASH_H

#include "host/host.h"
#include "host/store.h"

#include <sys/types.h>

/* ---- places to cut ---- */

/* Before or after what the store does, what is asked of the runtime, and what is heard from it. The last three are of
 * a send alone: when its permit is checked, and when its effect is made. */
#define CUTS(X)                                                                                                        \
    X(WRITE, "store: write") X(FLUSH, "store: flush") X(SUBMIT, "store: letter left") X(CLAIM, "store: claim")         \
    X(SPEND, "store: unit taken")                                                                                      \
    X(ASKED, "asked") X(HEARD, "answered") X(PERMIT, "permit spent") X(ACTED, "effect")
enum cut {
#define X(name, text) CUT_##name,
    CUTS(X)
#undef X
    CUT_COUNT
};
enum { ROWS = CUT_COUNT * (IL_OP_COUNT + 1), TEXT = 700, DOCUMENT = 32768 };

/* Of one run, however many lives it takes; in memory that all of them share. */
struct fate {
    int points, kill_at;              /* counted over all lives; 0: never */
    bool stop;                        /* by SIGSTOP instead */
    int64_t permit_ns, left_ns;       /* when the last permit was checked, and when an answer had been left */
    int row;                          /* which cut killed it */
    bool killed, after;
    char run_id[40], action[40], session[80];
    char message[TEXT];               /* of a life that could not go on */
    enum il_code code;
    char field[64];
    bool pending;                     /* an answer was left, so far as who left it could tell */
    char document[DOCUMENT];          /* of the run at the end, from the store */
    int lives, exit_status;           /* exit_status: of the life that ended it; -1: none did */
};
extern struct fate *fate; /* the one of this process and its children */

/* Counts a place; the one that was asked for is the end of this process. */
void cut_here(enum cut kind, int op, bool after);
/* Puts the places around the ports of a host. */
void cut_host(il_host *host);
/* The same around the port of its store alone: for many runs at once. */
void cut_store(il_host *host);
void cut_event(void *ctx, const struct il_event *event);

/* ---- the world ---- */

enum world_kind { WORLD_PLAIN, WORLD_KNOWS, WORLD_STDIO, WORLD_HTTP };

/* One column of the matrix. */
struct scene {
    const char *name, *workflow, *workflow_path;
    enum world_kind kind;
    bool asks;                        /* the runtime wants an approval */
    bool durable;                     /* the server keeps receipts, sessions and events */
    char endpoint[512], token[64];    /* of a server */
    int64_t ttl_ms;                   /* of a preview in this process; 0: a minute */
    int64_t shift_ms;                 /* how far the clock of the host goes before ours */
};

struct paths {
    char dir[128], store[160], world[160], state[160];
};

/* In-process callbacks that write what they do into the world's file. `ctx` lives as long as the host. */
struct world {
    il_host *host;
    const struct scene *scene;
    const char *path;
};
struct il_runtime world_runtime(struct world *w);
/* What the file says of one action: effects, and what is held. */
struct count { int effects, leases, targets; };
struct count world_count(const char *path, const char *action);
#define WORLD_ACTION_DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define WORLD_POLICY_DIGEST "sha256:policy-1"

/* ---- lives ---- */

enum end { LIFE_ENDED, LIFE_WAITS, LIFE_REFUSED, LIFE_BROKE };

struct life {
    const struct scene *scene;
    const struct paths *paths;
    il_host *host;
    il_store *store;
    il_run *run;
    struct world world;
    struct il_str workflow;
};
struct il_str crash_str(const char *z);
int64_t crash_now_ms(void);
int64_t crash_now_ns(void);
void crash_rfc3339(int64_t in_ms, char out[40]);
/* A text member of a JSON document, the first of that name. */
bool crash_member(struct il_str json, const char *name, char *out, size_t cap);
il_store *crash_store(const char *path);
/* Host, runtime and store, with or without the places to cut. False: fate->message says why. */
bool life_open(struct life *l, const struct scene *scene, const struct paths *paths, bool cuts);
void life_close(struct life *l);
bool life_start(struct life *l);
enum il_code life_resume(struct life *l, const char *run_id, struct il_error *err);
/* Until it waits or has ended. */
bool life_go(struct life *l);
bool life_tick(struct life *l);
/* Memory that processes share; ends the program when there is none. */
void *crash_shared(size_t size);
/* The folder, store and world of this process, named after `what`; fast storage unless `disk`. */
void crash_paths(struct paths *paths, const char *what, bool disk);
void crash_clean(const struct paths *paths);
char *crash_slurp(const char *path);
/* One life, as a process: starts the run, or resumes it. */
enum end life_run(const struct scene *scene, const struct paths *paths, bool again);
/* Leaves the answer that the runtime's need waits for, as another process would; or a deny, or a cancel. */
enum end life_submit(const struct paths *paths);
enum il_code life_leave_letter(il_store *store, const char *run_id, const char *what, struct il_error *err);
/* Reads the run's document into fate; LIFE_REFUSED: its journal does not verify. */
enum end life_show(const struct paths *paths);
/* Another run of somebody else at the same server, uncut: LIFE_ENDED when it was done. */
enum end life_next(const struct scene *scene, const struct paths *paths);
const char *life_proposal(const struct scene *scene, char *out, size_t cap);

int matrix_main(int argc, char **argv);
int race_main(int argc, char **argv);
int many_main(int argc, char **argv);
int flush_main(int argc, char **argv);
int limit_main(int argc, char **argv);

#endif
