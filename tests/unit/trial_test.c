/* Policies on trial at an engine: what they write stands aside of the run's own records; an evaluation that fails as a
 * whole, and one without memory, change nothing. */
#include "kit.h"
#include "base/limits.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

/* Policies that deny in every phase; or the failure of the host. */
struct trial { enum il_code fails; int asked; size_t policies; };

static enum il_code evaluate(void *ctx, const struct il__scene *scene, struct il__said_list *out, struct il_error *err)
{
    struct trial *t = ctx;
    (void)scene;
    (void)err;
    t->asked++;
    if (t->fails) return t->fails;
    out->items = il__arena_alloc(out->arena, t->policies * sizeof *out->items);
    if (!out->items) return IL_OUT_OF_MEMORY;
    for (size_t i = 0; i < t->policies; i++)
        out->items[i] = (struct il__said){ .verdict = IL__VERDICT_DENY, .level = IL__LEVEL_HARD,
                                       .policy = IL_STR("tried/p"), .reason = IL_STR("never"), .line = 7 };
    out->count = t->policies;
    return IL_OK;
}

static struct il_str digest(void *ctx)
{
    (void)ctx;
    return IL_STR("sha256:trial");
}

static size_t count(const struct il__journal *j, const char *what)
{
    size_t n = 0;
    for (size_t i = 0; i < j->count; i++) {
        struct il_str text = j->records[i].text;
        n += memmem(text.ptr, text.len, what, strlen(what)) != NULL;
    }
    return n;
}

static size_t kinds(const struct il__journal *j)
{
    return count(j, "\"kind\":\"trial\"") + count(j, "\"kind\":\"compared\"");
}

static void play(struct kit *k, struct trial *t)
{
    kit_open(k);
    k->engine.trials = (struct il__policies){ .evaluate = evaluate, .digest = digest, .ctx = t };
    kit_workflow(k, kit_reference);
    kit_start(k, kit_targeted);
    kit_go(k);
}

static void stands_aside(void)
{
    struct kit *k = calloc(1, sizeof *k);
    struct trial t = { IL_OK, 0, 1 };
    play(k, &t);
    const struct il__journal *j = &k->run->journal;
    tap_str(il__str(kit_status(k)), "committed_unverified", "a trial that denies everything denies nothing");
    tap_int(t.asked, 3, "it was asked in each phase");
    tap_int((long long)kinds(j), 6, "and stands in the journal, with what would be otherwise");
    tap_int((long long)j->aside_count, 6, "aside of the run's own records");
    size_t bytes = 0;
    for (size_t i = 0; i < j->count; i++) bytes += j->records[i].aside ? j->records[i].text.len : 0;
    tap_int((long long)j->aside_bytes, (long long)bytes, "with their bytes");
    tap_int((long long)count(j, "\"trialDigest\":\"sha256:trial\""), 1, "record 0 names them");
    tap_int(k->effects, 1, "the action was done once");
    kit_close(k);
    free(k);
}

static void cannot_be_asked(enum il_code fails)
{
    struct kit *k = calloc(1, sizeof *k);
    struct trial t = { fails, 0, 1 };
    play(k, &t);
    tap_str(il__str(kit_status(k)), "committed_unverified", "%s of a trial is no failure of the run",
            il_code_name(fails));
    tap_int((long long)count(&k->run->journal, "\"said\":\"error\""), 3, "each is noted as an error of it");
    kit_close(k);
    free(k);
}

/* More than may be written: the rest of it is left out, and the run has all the room that it had. */
static void full(void)
{
    struct kit *k = calloc(1, sizeof *k);
    struct trial t = { IL_OK, 0, IL__LIMIT_TRIAL_RECORDS / 2 };
    play(k, &t);
    const struct il__journal *j = &k->run->journal;
    tap_str(il__str(kit_status(k)), "committed_unverified", "a trial that may write no more is no failure of the run");
    tap_int(t.asked, 3, "it is asked still");
    tap_int((long long)j->aside_count, IL__LIMIT_TRIAL_RECORDS, "trial_records are written, and no more");
    tap_int((long long)kinds(j), IL__LIMIT_TRIAL_RECORDS, "all of them aside");
    kit_close(k);
    free(k);
}

int main(void)
{
    stands_aside();
    cannot_be_asked(IL_STORE);
    cannot_be_asked(IL_OUT_OF_MEMORY);
    full();
    return tap_done();
}
