/* Runs whose flushes somebody counts from outside (crash.h): each part stands between two marks on standard error, one
 * write each, which a trace of the calls to the kernel shows among the flushes. */
#include "crash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TOGETHER = 16 };

static struct paths paths;
static struct scene scene = { .name = "flush", .kind = WORLD_PLAIN };

static void mark(const char *what)
{
    char line[80];
    int len = snprintf(line, sizeof line, "mark %s\n", what);
    if (write(2, line, (size_t)len) != len) abort();
}

static void answer(il_run *run, struct il_error *err)
{
    struct il_str doc;
    char request[80], json[400];
    if (il_run_document(run, &doc, err)) return;
    (void)crash_member(doc, "requestId", request, sizeof request);
    (void)snprintf(json, sizeof json, "{\"requestId\":\"%s\",\"actionDigest\":\"" WORLD_ACTION_DIGEST
                   "\",\"policyDigest\":\"" WORLD_POLICY_DIGEST "\",\"runtimeApproved\":true}", request);
    if (il_run_answer(run, crash_str(json), true, err)) printf("answer: %s\n", err->message);
}

/* A host whose store is an owner already: that, and its log, are made with its first run. */
static bool open_warm(struct life *l)
{
    bool asks = scene.asks;
    if (!life_open(l, &scene, &paths, false)) return false;
    scene.asks = false;
    bool good = life_start(l) && life_go(l);
    scene.asks = asks;
    return good;
}

/* A host of its own; the marks are around the run alone. */
static void alone(const char *name, bool asks, bool here)
{
    struct life l;
    struct il_error err = IL_ERROR_INIT;
    scene.asks = asks;
    if (!open_warm(&l)) return;
    mark(name);
    if (!life_start(&l) || !life_go(&l)) return;
    if (here) {
        answer(l.run, &err);
        (void)life_go(&l);
    }
    struct il_summary s = { .size = sizeof s };
    il_run_summary(l.run, &s);
    mark("end");
    printf("%s: %s\n", name, s.status);
    life_close(&l);
}

static void elsewhere(void)
{
    struct life l;
    struct il_error err = IL_ERROR_INIT;
    char run_id[40];
    alone("waits", true, false);
    (void)snprintf(run_id, sizeof run_id, "%s", fate->run_id);
    il_store *store = crash_store(paths.store);
    if (!store || il_store_stop(store, crash_str("another"), &err)) printf("stop: %s\n", err.message);
    mark("letter");
    if (!store || life_leave_letter(store, run_id, "approve", &err)) printf("letter: %s\n", err.message);
    mark("end");
    il_store_close(store);
    if (!open_warm(&l)) return;
    mark("resumed");
    if (life_resume(&l, run_id, &err) || !life_go(&l)) printf("resume: %s\n", fate->message);
    mark("end");
    life_close(&l);
}

/* Runs of one host wait together, and are answered together; the lease they take in turn. */
static void together(void)
{
    struct life l;
    struct il_error err = IL_ERROR_INIT;
    il_run *runs[TOGETHER];
    int done = 0;
    scene.asks = true;
    if (!open_warm(&l)) return;
    mark("together-wait");
    for (int i = 0; i < TOGETHER; i++) {
        if (!life_start(&l)) return;
        runs[i] = l.run;
    }
    for (int i = 0; i < TOGETHER; i++) {
        l.run = runs[i];
        if (!life_go(&l)) return;
    }
    mark("end");
    mark("together-approved");
    for (int i = 0; i < TOGETHER; i++) answer(runs[i], &err);
    for (int i = 0; i < TOGETHER; i++) {
        l.run = runs[i];
        struct il_summary s = { .size = sizeof s };
        if (life_go(&l)) il_run_summary(l.run, &s);
        done += s.effect == IL_EFFECT_COMMITTED;
    }
    mark("end");
    printf("together: %d done\n", done);
    life_close(&l);
}

/* crash flush: each part once. */
int flush_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    char *source = crash_slurp("lua/workflows/reference.lua");
    scene.workflow = source;
    crash_paths(&paths, "flush", true);
    fate = crash_shared(sizeof *fate);
    if (mkdir(paths.dir, 0700)) return 1;
    il_store *open = crash_store(paths.store); /* as long as somebody has it open, its log stays: nothing to make */
    alone("allowed", false, false);
    alone("approved", true, true);
    elsewhere();
    together();
    il_store_close(open);
    crash_clean(&paths);
    free(source);
    if (*fate->message) printf("%s\n", fate->message);
    return *fate->message ? 1 : 0;
}
