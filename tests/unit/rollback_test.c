/* A store restored from a backup (SPEC §10): copied away at a request of a run that then went on and acted; another
 * process finds the copy, and a witness that knows of more. Resume refuses, and with accept_rollback what may have
 * acted ends as indeterminate, without a request; what waited for a person waits again. */
#include "base/error.h"
#include "host/store.h"
#include "kit.h"
#include "run/resume.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const tails[] = { "", "-wal", "-shm" };
static char path[96], copy[96];
static int copy_at;      /* the operation before which the store is copied; -1: never */
static enum il_code word; /* the witness's */

static void copy_store(void)
{
    for (size_t i = 0; i < 2; i++) {
        char from[110], to[110], buf[65536];
        snprintf(from, sizeof from, "%s%s", path, tails[i]);
        snprintf(to, sizeof to, "%s%s", copy, tails[i]);
        FILE *in = fopen(from, "rb"), *out = in ? fopen(to, "wb") : NULL;
        size_t n;
        while (in && out && (n = fread(buf, 1, sizeof buf, in)) > 0) fwrite(buf, 1, n, out);
        if (in) fclose(in);
        if (out) fclose(out);
        if (chmod(to, 0600)) tap_note("%s cannot be made private", to);
    }
}

static void forget(const char *base)
{
    char name[110];
    for (size_t i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s%s", base, tails[i]);
        unlink(name);
    }
    snprintf(name, sizeof name, "%s.owners", base);
    rmdir(name);
}

static void at_begin(struct kit *k, enum il_op op, bool after)
{
    (void)k;
    if (!after && (int)op == copy_at) copy_store();
}

static il_store *open_store(const char *name, bool create)
{
    struct il_store_options o = IL_STORE_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    il_store *store = NULL;
    o.path = il__str(name);
    o.create = create;
    if (il_store_open(&o, &store, &err)) {
        printf("Bail out! %s\n", err.message);
        exit(1);
    }
    return store;
}

static enum il_code witness(void *ctx, struct il_str run_id, struct il_error *err)
{
    (void)ctx;
    (void)run_id;
    return word ? il__fail_at(err, word, "store", "rolled back", "the witness knows of more") : IL_OK;
}

static void answer(struct kit *k)
{
    if (k->run->state != IL__STATE_WAITING) return;
    kit_answer(k, ",\"runtimeApproved\":true", KIT_ACTION_DIGEST, KIT_POLICY_DIGEST, IL_OK, "it is approved");
    kit_go(k);
}

/* The whole run over `path`, copied before `op` is asked for; its id to `id`. */
static void live(struct kit *k, bool asks, int op, char id[40])
{
    il_store *store = open_store(path, true);
    kit_open(k);
    k->engine.store = il__store_port(store);
    k->at_begin = at_begin;
    copy_at = op;
    if (asks) kit_bend(k, kit_asks);
    kit_start(k, kit_targeted);
    snprintf(id, 40, "%s", k->run->id);
    kit_go(k);
    if (asks && op < 0) copy_store();
    answer(k);
    if (!k->effects) tap_note("%s: %s", kit_status(k), kit_error(k).message);
    tap_int(k->effects, 1, "the run acts in the time that is lost");
    kit_close(k);
    il_store_close(store);
}

static enum il_code resume(struct kit *k, const char *id, bool accept, struct il_error *err)
{
    const struct il_str scopes[] = { IL_STR("computer:plan"), IL_STR("computer:execute:background") };
    struct il_resume_options o = IL_RESUME_OPTIONS_INIT;
    o.run_id = il__str(id);
    o.principal = IL_STR("p-1");
    o.scopes = scopes;
    o.scope_count = 2;
    o.accept_rollback = accept;
    return il__run_resume(&k->engine, &o, &k->run, err);
}

/* Another life on the copy. */
static void restored(struct kit *k, const char *id, bool waits, const char *name)
{
    struct il_error err = IL_ERROR_INIT;
    il_store *store = open_store(copy, false);
    kit_open(k);
    k->random = 77;
    k->engine.store = il__store_port(store);
    k->engine.witness = witness;
    word = IL_STORE;
    tap_int(resume(k, id, true, &err), IL_STORE, "%s: a store that was rewritten is never accepted", name);
    word = IL_CONFLICT;
    il__error_clear(&err);
    tap_int(resume(k, id, false, &err), IL_CONFLICT, "%s: resume refuses", name);
    tap_ok(strstr(err.message, "witness") != NULL, "%s: and says why: %s", name, err.message);
    il__error_clear(&err);
    tap_int(resume(k, id, true, &err), IL_OK, "%s: it may be accepted %s", name, err.message);
    kit_go(k);
    if (waits) {
        tap_int(k->run->state, IL__STATE_WAITING, "%s: what waited waits again", name);
    } else {
        tap_str(il__str(kit_status(k)), "indeterminate", "%s: what may have acted is indeterminate", name);
        tap_int(k->run->effect, IL_EFFECT_UNKNOWN, "%s: its effect is not known", name);
    }
    tap_int(k->calls[IL_OP_EXECUTE_ACTION], 0, "%s: nothing is sent", name);
    tap_int(k->calls[IL_OP_RECOVER], 0, "%s: nor asked for", name);
    kit_close(k);
    /* It stays as it ended, in the next process too. */
    kit_open(k);
    k->engine.store = il__store_port(store);
    il__error_clear(&err);
    if (!waits) tap_int(resume(k, id, false, &err), IL_CONFLICT, "%s: and that is its end: %s", name, err.message);
    kit_close(k);
    il_store_close(store);
}

static void scene(bool asks, int op, const char *name)
{
    struct kit *k = calloc(1, sizeof *k);
    char id[40];
    forget(path);
    forget(copy);
    live(k, asks, op, id);
    restored(k, id, op < 0, name);
    free(k);
}

int main(void)
{
    const char *shm = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(path, sizeof path, "%s/il-rollback-%ld.db", shm, (long)getpid());
    snprintf(copy, sizeof copy, "%s/il-restored-%ld.db", shm, (long)getpid());
    scene(true, -1, "copied while it waits");
    scene(true, IL_OP_RESERVE_TARGET, "copied after the approval");
    scene(false, IL_OP_RESERVE_TARGET, "copied before the reservation");
    scene(false, IL_OP_ACQUIRE_LEASE, "copied before the lease");
    scene(true, IL_OP_EXECUTE_ACTION, "copied before the send");
    scene(false, IL_OP_EXECUTE_ACTION, "copied before an unasked send");
    forget(path);
    forget(copy);
    return tap_done();
}
