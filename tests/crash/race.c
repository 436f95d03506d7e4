/* Processes that race for one waiting run (crash.h): to resume, approve, deny, cancel and expire it, all at once on one
 * store; and an owner that is stopped by SIGSTOP at every place while another tries to take over. One effect at most,
 * one verdict; a deny that was left before the permit of the send was checked has won. */
#include "crash.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RACERS = 4, OWN_MS = 90000 };

struct shared {
    struct fate run, racer[RACERS];
    int ready, go;
};

static struct shared *shared;
static struct paths paths;
static struct scene scene = { .name = "race", .kind = WORLD_PLAIN, .asks = true };
static int tests, wrong;

static void ok(bool good, const char *what, const char *detail)
{
    printf("%s %d - %s%s%s\n", good ? "ok" : "not ok", ++tests, what, detail ? ": " : "", detail ? detail : "");
    if (!good) wrong++;
}

/* ---- processes ---- */

static int wait_for(pid_t pid)
{
    int status = -1;
    while (waitpid(pid, &status, WUNTRACED) < 0 && errno == EINTR) continue;
    return status;
}

static pid_t start(enum end (*work)(void *arg), void *arg, struct fate *own)
{
    (void)fflush(stdout);
    pid_t pid = fork();
    if (pid) return pid;
    fate = own;
    _exit((int)work(arg));
}

static enum end begin_run(void *arg)
{
    (void)arg;
    return life_run(&scene, &paths, false);
}

static enum end resume_run(void *arg)
{
    const struct scene *with = arg;
    return life_run(with ? with : &scene, &paths, true);
}

static enum end leave_letter(void *arg)
{
    struct il_error err = IL_ERROR_INIT;
    il_store *store = crash_store(paths.store);
    if (!store) return LIFE_BROKE;
    fate->code = life_leave_letter(store, fate->run_id, arg, &err);
    if (fate->code) (void)snprintf(fate->message, sizeof fate->message, "%s", err.message);
    il_store_close(store);
    return fate->code ? LIFE_REFUSED : LIFE_ENDED;
}

static enum end show(void *arg)
{
    (void)arg;
    return life_show(&paths);
}

static enum end once(enum end (*work)(void *arg), void *arg, struct fate *own)
{
    int status = wait_for(start(work, arg, own));
    return WIFEXITED(status) ? (enum end)WEXITSTATUS(status) : LIFE_BROKE;
}

static enum end leave(const char *letter, struct fate *own)
{
    return once(leave_letter, (void *)(uintptr_t)letter, own);
}

/* ---- one race ---- */

static const char *const ROLES[][RACERS] = {
    { "resume", "resume", "approve", "deny" },  { "approve", "deny", "resume", "cancel" },
    { "resume", "approve", "expire", "resume" }, { "deny", "resume", "expire", "approve" },
    { "cancel", "expire", "resume", "resume" },  { "approve", "approve", "resume", "resume" },
};
enum { RACES = sizeof ROLES / sizeof *ROLES };

static enum end take_part(void *arg)
{
    const char *role = arg;
    __atomic_add_fetch(&shared->ready, 1, __ATOMIC_SEQ_CST);
    while (!__atomic_load_n(&shared->go, __ATOMIC_SEQ_CST)) usleep(50);
    if (strcmp(role, "resume") == 0) return resume_run(NULL);
    if (strcmp(role, "expire") != 0) return leave_letter(arg);
    struct scene later = scene; /* whose clock says that the request is over */
    later.shift_ms = OWN_MS;
    return resume_run(&later);
}

static const char *racer_wrong(const struct fate *f, enum end end, const char *role)
{
    if (end == LIFE_BROKE) return "a racer broke";
    if (end != LIFE_REFUSED) return NULL;
    if (f->code != IL_CONFLICT && f->code != IL_LIMIT_EXCEEDED) return "a loser was not told conflict";
    bool clear = strstr(f->message, "living process") || strstr(f->message, "ended") || strstr(f->message, "state");
    return clear || !role ? NULL : "a loser was not told why";
}

/* Whoever is last: resumed and approved until it has ended. */
static bool finish(void)
{
    shared->run.kill_at = 0;
    for (int i = 0; i < 4; i++) {
        enum end end = once(resume_run, NULL, &shared->run);
        if (end == LIFE_ENDED) return true;
        if (end == LIFE_REFUSED && strcmp(shared->run.field, "state") == 0) return true;
        if (end != LIFE_WAITS || leave("approve", &shared->run) != LIFE_ENDED) return false;
    }
    return false;
}

struct verdict { char status[32], effect[16]; int effects; int64_t permit_ns; };

static const char *verdict_of(struct verdict *v)
{
    v->effects = world_count(paths.world, shared->run.action).effects;
    if (once(show, NULL, &shared->run) != LIFE_ENDED) return "the journal does not verify";
    json_t *doc = json_loads(shared->run.document, 0, NULL);
    const char *status = json_string_value(json_object_get(doc, "status"));
    const char *effect = json_string_value(json_object_get(doc, "effect"));
    (void)snprintf(v->status, sizeof v->status, "%s", status ? status : "?");
    (void)snprintf(v->effect, sizeof v->effect, "%s", effect ? effect : "?");
    json_decref(doc);
    if (v->effects > 1) return "more than one effect";
    if ((v->effects == 1) != (strcmp(v->effect, "committed") == 0)) return "the effect and the document do not agree";
    return NULL;
}

static const char *one_race(int number, struct verdict *v)
{
    const char *const *roles = ROLES[number % RACES];
    const char *bad = NULL;
    pid_t pids[RACERS];
    memset(shared, 0, sizeof *shared);
    if (once(begin_run, NULL, &shared->run) != LIFE_WAITS) return "the run does not wait";
    for (int i = 0; i < RACERS; i++) {
        shared->racer[i] = shared->run;
        shared->racer[i].message[0] = '\0';
        pids[i] = start(take_part, (void *)(uintptr_t)roles[i], &shared->racer[i]);
    }
    while (__atomic_load_n(&shared->ready, __ATOMIC_SEQ_CST) < RACERS) usleep(50);
    __atomic_store_n(&shared->go, 1, __ATOMIC_SEQ_CST);
    int64_t denied_ns = 0;
    for (int i = 0; i < RACERS; i++) {
        int status = wait_for(pids[i]);
        enum end end = WIFEXITED(status) ? (enum end)WEXITSTATUS(status) : LIFE_BROKE;
        if (!bad) bad = racer_wrong(&shared->racer[i], end, roles[i]);
        if (strcmp(roles[i], "deny") == 0 && end == LIFE_ENDED) denied_ns = shared->racer[i].left_ns;
        if (bad) (void)snprintf(shared->run.message, TEXT, "%s: %.600s", roles[i], shared->racer[i].message);
        if (shared->racer[i].permit_ns > v->permit_ns) v->permit_ns = shared->racer[i].permit_ns;
    }
    shared->run.permit_ns = 0;
    if (!bad && !finish()) bad = "it never ends";
    if (shared->run.permit_ns) v->permit_ns = shared->run.permit_ns;
    if (!bad) bad = verdict_of(v);
    if (!bad && denied_ns && v->effects && v->permit_ns > denied_ns) bad = "it was denied before the send, and acted";
    return bad;
}

static void race(int rounds)
{
    struct { const char *status; int count; } seen[16] = { { NULL, 0 } };
    int effects = 0, failures = 0;
    for (int i = 0; i < rounds; i++) {
        struct verdict v = { "?", "?", 0, 0 };
        const char *bad = one_race(i, &v);
        effects += v.effects;
        if (bad && failures++ < 10)
            printf("# round %d: %s (%s, %s)\n#   %.300s\n", i, bad, v.status, shared->run.message,
                   shared->run.document);
        for (int k = 0; k < 16; k++) {
            if (seen[k].status && strcmp(seen[k].status, v.status) != 0) continue;
            if (!seen[k].status) seen[k].status = strdup(v.status);
            seen[k].count++;
            break;
        }
    }
    printf("# %d races of %d processes: %d effects", rounds, RACERS, effects);
    for (int k = 0; k < 16 && seen[k].status; k++) printf(", %d %s", seen[k].count, seen[k].status);
    printf("\n");
    for (int k = 0; k < 16; k++) free((void *)(uintptr_t)seen[k].status);
    ok(!failures, "one verdict and at most one effect in every race", NULL);
    ok(effects > 0 && effects < rounds, "sometimes it was done, sometimes not", NULL);
}

/* ---- after a deny ---- */

static void denied(void)
{
    struct verdict v = { "", "", 0, 0 };
    memset(shared, 0, sizeof *shared);
    bool good = once(begin_run, NULL, &shared->run) == LIFE_WAITS &&
                leave("deny", &shared->run) == LIFE_ENDED &&
                leave("approve", &shared->run) == LIFE_ENDED &&
                once(resume_run, NULL, &shared->run) == LIFE_ENDED && !verdict_of(&v);
    ok(good && v.effects == 0 && strcmp(v.status, "denied") == 0, "an approval behind a deny does nothing", v.status);
    ok(leave("approve", &shared->run) == LIFE_REFUSED && shared->run.code == IL_CONFLICT,
       "and a later one is a conflict", shared->run.message);
}

/* ---- stopped ---- */

/* Its owner stops at a place; another tries to take over, and perhaps somebody denies; then the owner goes on. */
static const char *stop_at(int at, const char *letter, struct verdict *v, bool *stopped)
{
    struct fate *other = &shared->racer[0];
    memset(shared, 0, sizeof *shared);
    if (once(begin_run, NULL, &shared->run) != LIFE_WAITS ||
        leave("approve", &shared->run) != LIFE_ENDED)
        return "the run does not wait";
    shared->run.points = 0;
    shared->run.kill_at = at;
    shared->run.stop = true;
    pid_t pid = start(resume_run, NULL, &shared->run);
    int status = wait_for(pid);
    *stopped = WIFSTOPPED(status);
    if (!*stopped) return WIFEXITED(status) ? NULL : "the owner died";
    *other = shared->run;
    other->kill_at = 0;
    bool owned = at > 2; /* the first two places are around its claim */
    enum end end = owned ? once(resume_run, NULL, other) : LIFE_REFUSED;
    bool told = strstr(other->message, "living process") || strcmp(other->field, "state") == 0; /* or it has ended */
    const char *bad = end == LIFE_REFUSED && (!owned || told) ? NULL : "taken over";
    if (letter) (void)leave(letter, other);
    bool before = letter && !shared->run.permit_ns;
    (void)kill(pid, SIGCONT);
    status = wait_for(pid);
    if (!bad && (!WIFEXITED(status) || WEXITSTATUS(status) != LIFE_ENDED)) bad = "the owner did not go on";
    if (!bad) bad = verdict_of(v);
    if (!bad && before && v->effects) bad = "it acted behind a deny or a cancel";
    if (!bad && !letter && v->effects != 1) bad = "it was not done";
    return bad;
}

static void stops(const char *letter, int stride)
{
    char what[120];
    int places = 0, failures = 0, acted = 0;
    bool stopped = true;
    for (int at = 1; stopped && at < 300; at += stride) {
        struct verdict v = { "?", "?", 0, 0 };
        const char *bad = stop_at(at, letter, &v, &stopped);
        places += stopped;
        acted += v.effects;
        if (bad && failures++ < 5)
            printf("# stopped at %d: %s (%s, %s)\n", at, bad, v.status, shared->racer[0].message);
    }
    (void)snprintf(what, sizeof what, "stopped at %d places%s%s: never taken over, one verdict (%d effects)", places,
                   letter ? ", then a " : "", letter ? letter : "", acted);
    ok(!failures && places > 40 / stride, what, NULL);
}

/* crash race [ROUNDS [STRIDE]] */
int race_main(int argc, char **argv)
{
    int rounds = argc > 0 ? (int)strtol(argv[0], NULL, 10) : 60, stride = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 3;
    char *source = crash_slurp("lua/workflows/reference.lua");
    scene.workflow = source;
    crash_paths(&paths, "race", false);
    shared = crash_shared(sizeof *shared);
    fate = &shared->run;
    if (mkdir(paths.dir, 0700)) return 1;
    race(rounds);
    denied();
    stops(NULL, stride);
    stops("deny", stride);
    stops("cancel", stride);
    crash_clean(&paths);
    free(source);
    printf("1..%d\n", tests);
    return wrong ? 1 : 0;
}
