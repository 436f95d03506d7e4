/* Runs that count against one limit (crash.h): interleaved in one host, killed at every place where the store writes,
 * flushes or takes a unit and gone on with in another process; and two processes that race for the last unit, round by
 * round. However it goes, so many effects as the limit allows, and not one more. */
#include "crash.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS_MAX = 64, LIVES_MAX = 6, ROUNDS_MAX = 1000, RACERS = 2 };

/* What the racers share. */
struct round {
    int ready;                         /* racers at the start of the round */
    int won[RACERS], lost[RACERS];
};

static struct paths paths;
static struct scene scene = { .name = "limit", .kind = WORLD_KNOWS };
static struct round *rounds;
static int tests, wrong, limit, runs;

static void ok(bool good, const char *what, int got, int want)
{
    printf("%s %d - %s (%d of %d)\n", good ? "ok" : "not ok", ++tests, what, got, want);
    if (!good) wrong++;
}

/* ---- one life ---- */

static bool add_bundle(struct life *l)
{
    static const char manifest[] =
        "{\"name\":\"count\",\"version\":\"1.0.0\",\"requires\":1,\"files\":[],\"policies\":[{\"file\":\"p.lua\","
        "\"level\":\"hard\",\"params\":{\"max\":{\"type\":\"integer\",\"default\":8}}}]}";
    static const char source[] =
        "local policy = require \"interlock.policy\"\n"
        "return policy { name = \"edits\", preview = function(action, ctx)\n"
        "  ctx.limit { key = \"edits:\" .. action.arguments.Text, max = ctx.params.max, per = \"1h\" }\n"
        "end }\n";
    struct il_file files[] = { { crash_str("bundle.json"), crash_str(manifest) },
                               { crash_str("p.lua"), crash_str(source) } };
    char params[40];
    struct il_error err = IL_ERROR_INIT;
    (void)snprintf(params, sizeof params, "{\"max\":%d}", limit);
    if (!il_host_add_bundle(l->host, files, 2, crash_str(params), &err)) return true;
    (void)snprintf(fate->message, sizeof fate->message, "bundle: %.600s", err.message);
    return false;
}

static bool begin(struct life *l, bool cuts)
{
    if (!life_open(l, &scene, &paths, false) || !add_bundle(l)) return false;
    if (cuts) cut_store(l->host);
    return true;
}

struct unfinished { char ids[RUNS_MAX][40]; int count, all; };

static bool see(void *ctx, const struct il_store_row *row)
{
    struct unfinished *u = ctx;
    u->all++;
    if (row->state != IL_ROW_ENDED && u->count < RUNS_MAX)
        (void)snprintf(u->ids[u->count++], 40, "%.*s", (int)row->run_id.len, row->run_id.ptr);
    return true;
}

static bool until_ended(struct life *l, il_run *const *all, int count)
{
    for (int64_t until = crash_now_ms() + 60000; crash_now_ms() < until && life_tick(l);) {
        int ended = 0;
        for (int i = 0; i < count; i++) ended += il_run_state(all[i]) == IL_RUN_ENDED;
        if (ended == count) return true;
    }
    return false;
}

/* Goes on with what the store holds, begins what is missing, and moves all of it to its end. */
static enum end live(void)
{
    struct life l;
    struct unfinished u = { .count = 0 };
    struct il_error err = IL_ERROR_INIT;
    il_run *all[RUNS_MAX];
    int count = 0;
    if (!begin(&l, true)) return LIFE_BROKE;
    if (il_store_list(l.store, NULL, see, &u, &err)) return LIFE_BROKE;
    for (int i = 0; i < u.count; i++) {
        if (life_resume(&l, u.ids[i], &err)) return LIFE_REFUSED;
        all[count++] = l.run;
    }
    for (int i = u.all; i < runs; i++) {
        if (!life_start(&l)) return LIFE_BROKE;
        all[count++] = l.run;
    }
    if (!until_ended(&l, all, count)) return LIFE_BROKE;
    life_close(&l);
    return LIFE_ENDED;
}

static int wait_for(pid_t pid)
{
    int status = -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return status;
}

/* All lives of these runs; the first is killed at place `at` (0: never). How many lives, -1: one went wrong. */
static int play(int at)
{
    memset(fate, 0, sizeof *fate);
    crash_clean(&paths);
    if (mkdir(paths.dir, 0700)) return -1;
    fate->kill_at = at;
    for (int lives = 1; lives <= LIVES_MAX; lives++) {
        (void)fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) _exit((int)live());
        int status = wait_for(pid);
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) continue;
        return WIFEXITED(status) && WEXITSTATUS(status) == LIFE_ENDED ? lives : -1;
    }
    return -1;
}

/* Every run that had an effect is remembered as what it ended as, and no other. */
static bool remembered(int effects)
{
    const unsigned outcomes[] = { IL__PAST_UNVERIFIED, IL__PAST_VERIFIED, IL__PAST_FAILED, IL__PAST_INDETERMINATE };
    int64_t found[4] = { -1, -1, -1, -1 };
    il_store *store = crash_store(paths.store);
    if (!store) return false;
    const struct il__store port = il__store_port(store);
    for (int i = 0; i < 4; i++) {
        const struct il__past_query q = { .outcomes = 1u << outcomes[i], .after_ms = 0 };
        struct il__past_seen seen = { .count = -1 };
        if (!port.ops->recall(port.self, &q, &seen, NULL)) found[i] = seen.count;
    }
    il_store_close(store);
    return found[0] == effects && !found[1] && !found[2] && !found[3];
}

static void kill_everywhere(int stride)
{
    int places, cuts = 0, other = 0, died = 0;
    int lives = play(0);
    int effects = world_count(paths.world, "").effects;
    places = fate->points;
    ok(lives == 1 && effects == limit, "runs at once, in one process: effects", effects, limit);
    for (int at = 1; at <= places; at += stride) {
        lives = play(at);
        effects = world_count(paths.world, "").effects;
        cuts++;
        died += lives > 1;
        if (lives > 0 && effects == limit && remembered(effects)) continue;
        printf("# killed at %d (%s, cut %d): %d lives, %d effects; %s\n", at, fate->after ? "after" : "before",
               fate->row / (IL_OP_COUNT + 1), lives, effects, fate->message);
        other++;
    }
    /* The last places may not be there every time. */
    ok(died * 10 >= cuts * 9, "processes were killed, each at another place", died, cuts);
    ok(!other, "and there were as many effects each time", cuts - other, cuts);
}

/* ---- a race ---- */

static bool one_run(struct life *l, int round, int me)
{
    char text[1200], key[24];
    const struct il_str scopes[] = { crash_str("computer:plan"), crash_str("computer:execute:background") };
    struct il_run_options o = IL_RUN_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    struct il_summary s = { .size = sizeof s };
    (void)life_proposal(&scene, text, sizeof text);
    (void)snprintf(key, sizeof key, "%02d", round % 100);
    char *at = strstr(text, "\"hi\"");
    if (!at) return false;
    memcpy(at + 1, key, 2);
    o.proposal = crash_str(text);
    o.principal = crash_str("p-1");
    o.session_id = crash_str("s-1");
    o.scopes = scopes;
    o.scope_count = 2;
    if (il_run_start(l->host, &o, &l->run, &err)) return false;
    __atomic_add_fetch(&rounds[round].ready, 1, __ATOMIC_SEQ_CST);
    for (int64_t until = crash_now_ms() + 20000; __atomic_load_n(&rounds[round].ready, __ATOMIC_SEQ_CST) < RACERS;)
        if (crash_now_ms() > until) return false;
    if (!life_go(l)) return false;
    il_run_summary(l->run, &s);
    rounds[round].won[me] = s.effect == IL_EFFECT_COMMITTED;
    rounds[round].lost[me] = strcmp(s.status, "blocked") == 0 && s.effect == IL_EFFECT_NONE;
    il_run_free(l->run);
    return true;
}

static int racer(int count, int me)
{
    struct life l;
    if (!begin(&l, false)) return 1;
    for (int i = 0; i < count; i++)
        if (!one_run(&l, i, me)) return 1;
    life_close(&l);
    return 0;
}

/* Each round has a key of its own, with one unit. */
static void race(int count)
{
    pid_t pids[RACERS];
    int one = 0, ended = 0, by[RACERS] = { 0 };
    memset(rounds, 0, ROUNDS_MAX * sizeof *rounds);
    memset(fate, 0, sizeof *fate);
    crash_clean(&paths);
    limit = 1;
    if (mkdir(paths.dir, 0700)) return;
    (void)fflush(stdout);
    for (int i = 0; i < RACERS; i++)
        if ((pids[i] = fork()) == 0) _exit(racer(count, i));
    for (int i = 0; i < RACERS; i++) ended += wait_for(pids[i]) == 0;
    for (int i = 0; i < count; i++) {
        one += rounds[i].won[0] + rounds[i].won[1] == 1 && rounds[i].lost[0] + rounds[i].lost[1] == 1;
        for (int k = 0; k < RACERS; k++) by[k] += rounds[i].won[k];
    }
    printf("# won %d and %d times; %s\n", by[0], by[1], fate->message);
    ok(ended == RACERS, "two processes race for the last unit, round by round", ended, RACERS);
    ok(one == count, "each time one has it, and the other is blocked", one, count);
    int effects = world_count(paths.world, "").effects;
    ok(effects == count, "and has the effect", effects, count);
}

/* STRIDE [ROUNDS] */
int limit_main(int argc, char **argv)
{
    int stride = argc > 0 ? (int)strtol(argv[0], NULL, 10) : 5, count = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 100;
    if (stride < 1 || count < 1 || count > 100) return 2;
    fate = crash_shared(sizeof *fate);
    rounds = crash_shared(ROUNDS_MAX * sizeof *rounds);
    crash_paths(&paths, "limit", false);
    limit = 3;
    runs = 8;
    kill_everywhere(stride);
    limit = 8;
    runs = RUNS_MAX;
    kill_everywhere(stride * 17);
    race(count);
    crash_clean(&paths);
    printf("1..%d\n", tests);
    return wrong ? 1 : 0;
}
