/* A run outlives its process (SPEC §10): a child process moves it over a real store file and is killed with SIGKILL at
 * every write of the journal, at every flush, and on both sides of every request; another process goes on. However it
 * was cut: at most one effect, an honest result, everything given back, a journal that verifies. */
#include "host/store.h"
#include "kit.h"
#include "run/resume.h"
#include "tap.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct world {          /* what really happened, whoever was killed; shared by all lives */
    int effects, points, kill_at;
    bool lease, reservation;
    char run_id[40];
    char status[32], message[700];
    enum il_effect effect;
    bool verified, release_failed, waited;
};

struct scene {
    const char *name, *proposal;
    bool asks;          /* the runtime asks for approval */
    bool policy_asks;   /* a policy asks before the preview */
    bool knows;         /* the runtime can say whether an action was started */
    const int *workflow;
};

static struct world *world;
static struct il__store_ops killing;
static const struct il__store_ops *real;
static char path[64];
static bool knows;
static const char *const receipt =
    "{\"receiptId\":\"rec-1\",\"sessionId\":\"s-1\",\"actionId\":\"$A\",\"actionDigest\":\"" KIT_ACTION_DIGEST
    "\",\"attempt\":1,\"status\":\"committed\"}";

static void point(void)
{
    if (++world->points == world->kill_at) raise(SIGKILL);
}

static enum il_code killing_write(void *self, struct il_error *err)
{
    point();
    enum il_code code = real->write(self, err);
    point();
    return code;
}

static enum il_code killing_flush(void *self, struct il_error *err)
{
    point();
    enum il_code code = real->flush(self, err);
    point();
    return code;
}

static void at_begin(struct kit *k, enum il_op op, bool after)
{
    if (!after) {
        if (op == IL_OP_RECOVER && knows)
            kit_bend(k, (struct kit_bend){ .op = op, .to = world->effects ? receipt : "\"not_started\"" });
        point();
        return;
    }
    if (op == IL_OP_EXECUTE_ACTION) world->effects++;
    if (op == IL_OP_ACQUIRE_LEASE) world->lease = true;
    if (op == IL_OP_RESERVE_TARGET) world->reservation = true;
    if (op == IL_OP_RELEASE_LEASE) world->lease = false;
    if (op == IL_OP_RELEASE_TARGET) world->reservation = false;
    point();
}

static il_store *open_store(void)
{
    struct il_store_options o = IL_STORE_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    il_store *store = NULL;
    o.path = il__str(path);
    o.create = true;
    if (il_store_open(&o, &store, &err)) {
        printf("Bail out! %s\n", err.message);
        exit(1);
    }
    return store;
}

static void open_life(struct kit *k, il_store *store, const struct scene *s)
{
    kit_open(k);
    k->engine.store = il__store_port(store);
    real = k->engine.store.ops;
    killing = *real;
    killing.write = killing_write;
    killing.flush = killing_flush;
    k->engine.store.ops = &killing;
    k->at_begin = at_begin;
    if (s->asks) kit_bend(k, kit_asks);
    if (s->policy_asks) k->says[IL__PHASE_PROPOSE] = IL__VERDICT_ASK;
    knows = s->knows;
    if (s->workflow) kit_workflow(k, s->workflow);
}

static void answer(struct kit *k)
{
    char json[400];
    struct il_error err = IL_ERROR_INIT;
    world->waited = true;
    if (k->run->wait.propose) {
        struct il_decision d = IL_DECISION_INIT;
        d.request_id = il__str(k->run->wait.request_id);
        d.proposal_digest = il__str(k->run->proposal_digest);
        d.approver = IL_STR("somebody");
        d.decision = IL_STR("approve");
        if (il__run_decide(k->run, &d, &err)) tap_note("%s", err.message);
        return;
    }
    snprintf(json, sizeof json,
             "{\"requestId\":\"%s\",\"actionDigest\":\"%s\",\"policyDigest\":\"%s\",\"runtimeApproved\":true}",
             k->run->wait.request_id, KIT_ACTION_DIGEST, KIT_POLICY_DIGEST);
    if (il__run_answer(k->run, il__str(json), true, &err)) tap_note("%s", err.message);
}

static void look(const struct il_run *run)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_summary s = { .size = sizeof s };
    il__run_summary(run, &s);
    snprintf(world->status, sizeof world->status, "%s", s.status);
    snprintf(world->message, sizeof world->message, "%s", s.error.message);
    world->effect = s.effect;
    world->release_failed = run->release_failed;
    world->verified = !il__journal_verify(&run->journal, true, &err);
}

static void to_the_end(struct kit *k)
{
    for (int i = 0; i < 4; i++) {
        kit_go(k);
        if (k->run->state == IL__STATE_WAITING) answer(k);
    }
    look(k->run);
}

/* It had ended before it was cut: what its journal says. */
static int show_ended(struct kit *k, const struct il_error *why)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_run *run = NULL;
    if (strcmp(why->field, "state") != 0 || il__run_show(&k->engine, il__str(world->run_id), &run, &err)) return 3;
    look(run);
    return run->state == IL__STATE_ENDED ? 0 : 3;
}

/* One life in a process of its own; returns its wait status. `run_id` NULL: the first. */
static int live(const struct scene *s, bool again, int kill_at)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        struct kit *k = calloc(1, sizeof *k);
        struct il_error err = IL_ERROR_INIT;
        il_store *store = open_store();
        world->points = 0;
        world->kill_at = kill_at;
        open_life(k, store, s);
        if (again) {
            const struct il_str scopes[] = { IL_STR("computer:plan"), IL_STR("computer:execute:background") };
            struct il_resume_options o = IL_RESUME_OPTIONS_INIT;
            o.run_id = il__str(world->run_id);
            o.principal = IL_STR("p-1");
            o.scopes = scopes;
            o.scope_count = 2;
            k->random = 77;
            enum il_code code = il__run_resume(&k->engine, &o, &k->run, &err);
            if (code) {
                snprintf(world->status, sizeof world->status, "%s", il_code_name(code));
                snprintf(world->message, sizeof world->message, "%s: %s", err.field, err.message);
                _exit(show_ended(k, &err));
            }
        } else {
            kit_start(k, s->proposal);
            snprintf(world->run_id, sizeof world->run_id, "%s", k->run->id);
        }
        to_the_end(k);
        il__engine_clear(&k->engine);
        il_store_close(store);
        _exit(0);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    return status;
}

/* Owners that were killed leave their files. */
static void remove_all(const char *folder)
{
    char file[400];
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        snprintf(file, sizeof file, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.') unlink(file);
    }
    if (dir) closedir(dir);
    rmdir(folder);
}

static void fresh(void)
{
    char side[80];
    static const char *const tails[] = { "", "-wal", "-shm" };
    for (size_t i = 0; i < 3; i++) {
        snprintf(side, sizeof side, "%s%s", path, tails[i]);
        unlink(side);
    }
    snprintf(side, sizeof side, "%s.owners", path);
    remove_all(side);
    memset(world, 0, sizeof *world);
}

static bool see_one(void *ctx, const struct il_record *record)
{
    (void)ctx;
    (void)record;
    return false;
}

/* Was anything of the run in the store when its process was killed? */
static bool started(void)
{
    struct il_error err = IL_ERROR_INIT;
    il_store *store = open_store();
    bool found = il_store_records(store, il__str(world->run_id), see_one, NULL, &err) == IL_OK;
    il_store_close(store);
    return found;
}

static bool honest(void)
{
    if (world->effects > 1) return false;
    if (world->effects == 1 && world->effect == IL_EFFECT_NONE) return false;
    if (world->effects == 0 && world->effect == IL_EFFECT_COMMITTED) return false;
    return true;
}

static bool given_back(void)
{
    bool said = world->release_failed || strstr(world->message, "perhaps held until");
    return (!world->lease && !world->reservation) || said;
}

static void cut_everywhere(const struct scene *s, int first, int stride)
{
    int cuts = 0;
    for (int at = first; at < 400; at += stride) {
        fresh();
        int status = live(s, false, at);
        if (WIFEXITED(status)) {
            tap_ok(WEXITSTATUS(status) == 0 && world->effects == 1, "%s: uncut it has its effect: %s %s", s->name,
                   world->status, world->message);
            break;
        }
        cuts++;
        if (!started()) {
            tap_ok(world->effects == 0 && !world->lease && !world->reservation, "%s, cut at %d: nothing was begun",
                   s->name, at);
            continue;
        }
        status = live(s, true, 0);
        tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 0 && world->verified,
               "%s, cut at %d: goes on, the journal verifies (%s: %s)", s->name, at, world->status, world->message);
        tap_ok(honest() && given_back(), "%s, cut at %d: %d effects, %s, effect %s, lease %d, reservation %d: %s",
               s->name, at, world->effects, world->status, il_effect_name(world->effect), world->lease,
               world->reservation, world->message);
        if (s->knows)
            tap_ok(world->effects == 1 || strstr(world->message, "perhaps held"), "%s, cut at %d: done in the end",
                   s->name, at);
    }
    tap_ok(cuts > 20 / stride, "%s: was cut at %d places", s->name, cuts);
}

/* Killed again while it resumes, wherever. */
static void cut_twice(const struct scene *s, int stride)
{
    for (int first = 3; first < 60; first += 7 * stride) {
        for (int second = 1; second < 60; second += 5 * stride) {
            fresh();
            if (!WIFSIGNALED(live(s, false, first)) || !started()) break;
            int status = live(s, true, second);
            bool done = WIFEXITED(status);
            if (!done) status = live(s, true, 0);
            bool ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
            tap_ok(ended && honest() && given_back(), "%s, cut at %d and at %d: %d effects, %s: %s", s->name, first,
                   second, world->effects, world->status, world->message);
            if (done) break;
        }
    }
}

int main(void)
{
    const int stride = getenv("LONG") ? 1 : 3; /* every place, or every third and each scene others */
    static const int early[] = { IL__VERB_OBSERVE, IL__VERB_PREVIEW, IL__VERB_RESERVE, IL__VERB_APPROVAL,
                                 IL__VERB_LEASE, IL__VERB_EXECUTE, IL__VERB_VERIFY, -1 };
    const struct scene scenes[] = {
        { .name = "allowed" , .proposal = kit_targeted },
        { .name = "the runtime knows what it started", .proposal = kit_targeted, .knows = true },
        { .name = "the runtime asks", .proposal = kit_targeted, .asks = true },
        { .name = "a policy asks before the preview", .proposal = kit_targeted, .policy_asks = true },
        { .name = "reserved before it is approved", .proposal = kit_targeted, .asks = true, .workflow = early },
    };
    world = mmap(NULL, sizeof *world, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool shm = access("/dev/shm", W_OK) == 0; /* thousands of flushes; what a disk does with them is not the point */
    snprintf(path, sizeof path, "%s/il-resume-%ld.db", shm ? "/dev/shm" : "/tmp", (long)getpid());
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        cut_everywhere(&scenes[i], 1 + (int)i % stride, stride);
    }
    cut_twice(&scenes[0], stride);
    cut_twice(&scenes[2], stride);
    fresh();
    tap_plan_end();
    return tap_done();
}
