/* Limits of a run where its store fails, or tells later than others (run/counts.h): nothing is sent without its units,
 * and nothing is written that a power loss could part from them. What goes well: tests/specs/counts_spec.lua. */
#include "base/error.h"
#include "kit.h"
#include "run/judge.h"
#include "shelf.h"
#include "tap.h"

#include <stdio.h>

static struct kit k;
static struct shelf shelf;
static struct il__store_ops watched;
static const struct il__store_ops *real;
static char order[2000]; /* what was asked of the store */
static enum il_code spend_fails, write_fails, remember_fails;
static enum il__level level;
static bool claim_in[4];

static enum il_code evaluate(void *ctx, const struct il__scene *scene, struct il__said_list *out, struct il_error *err)
{
    (void)ctx;
    (void)err;
    struct il__said *said = il__arena_alloc(out->arena, sizeof *said);
    struct il__claim *claim = il__arena_alloc(out->arena, sizeof *claim);
    if (!said || !claim) return IL_OUT_OF_MEMORY;
    *claim = (struct il__claim){ .key = IL_STR("b/k"), .most = 1, .per_ms = 3600000, .refuses = true };
    *said = (struct il__said){ .level = level, .policy = IL_STR("b/p") };
    if (claim_in[scene->phase]) {
        said->claims = claim;
        said->claim_count = 1;
    }
    out->items = said;
    out->count = 1;
    return IL_OK;
}

static void note(const char *what)
{
    size_t len = strlen(order);
    snprintf(order + len, sizeof order - len, "%s ", what);
}

static enum il_code append(void *self, const struct il__store_record *r, struct il_error *err)
{
    if (memmem(r->text.ptr, r->text.len, "\"kind\":\"execute\"", 16)) note("intent");
    return real->append(self, r, err);
}

static enum il_code write_all(void *self, struct il_error *err)
{
    note("write");
    if (write_fails) return il__fail(err, write_fails, "the disk is full");
    return real->write(self, err);
}

static enum il_code flush_all(void *self, struct il_error *err)
{
    note("flush");
    return real->flush(self, err);
}

static enum il_code spend(void *self, struct il_str run_id, const struct il__unit *units, size_t count, int64_t now_ms,
                          struct il_error *err)
{
    note("spend");
    if (spend_fails) return il__fail(err, spend_fails, "the disk is on fire");
    return real->spend(self, run_id, units, count, now_ms, err);
}

static enum il_code remember(void *self, const struct il__past *past, struct il_error *err)
{
    char text[40];
    bool named = past->outcome <= IL__PAST_INDETERMINATE;
    snprintf(text, sizeof text, "past:%s", named ? il__past_names[past->outcome] : "-");
    note(text);
    if (remember_fails) return il__fail(err, remember_fails, "there is no memory left");
    return real->remember(self, past, err);
}

static void begin(bool file)
{
    static struct il__policies port = { .evaluate = evaluate };
    spend_fails = write_fails = remember_fails = IL_OK;
    level = IL__LEVEL_HARD;
    memset(claim_in, 0, sizeof claim_in);
    claim_in[IL__PHASE_PREVIEW] = true;
    order[0] = '\0';
    shelf_open(&shelf, file);
    kit_open(&k);
    k.engine.policies = port;
    k.engine.store = shelf.store;
    real = shelf.store.ops;
    watched = *real;
    watched.append = append;
    watched.write = write_all;
    watched.flush = flush_all;
    watched.spend = spend;
    watched.remember = remember;
    k.engine.store.ops = &watched;
}

static void end(void)
{
    kit_close(&k);
    shelf_close(&shelf);
}

static int64_t units(void)
{
    const struct il__unit unit = { IL_STR("b/k"), 1, INT64_C(1) << 60 };
    struct il__unit_use use = { -1, -1 };
    real->used(shelf.store.self, &unit, IL_STR_NONE, 0, &use, NULL);
    return use.count;
}

static void test_order(bool file)
{
    begin(file);
    kit_start(&k, kit_targeted);
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "committed_unverified", "a run with a limit");
    const char *at = strstr(order, "write spend intent past:indeterminate flush");
    tap_ok(at != NULL, "what it rests on is written, then its unit, then the intent, then all is flushed: %s", order);
    tap_ok(at && strstr(at + 10, "past:unverified") && !strstr(at + 10, "spend"), "and what became of it, once");
    tap_int(units(), 1, "one unit");
    end();
}

static void test_fails(enum il_code code, const char *status)
{
    begin(true);
    spend_fails = code;
    kit_start(&k, kit_targeted);
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), status, "a unit that cannot be taken: %s", il_code_name(code));
    kit_counts(&k, 0, 1, 1, "nothing is sent");
    tap_ok(strstr(order, "intent") == NULL && strstr(order, "past") == NULL, "nor intended");
    tap_int(units(), 0, "nothing is consumed");
    end();
}

static bool has_record(const char *kind)
{
    char member[40];
    const size_t len = (size_t)snprintf(member, sizeof member, "\"kind\":\"%s\"", kind);
    for (size_t i = 0; i < k.run->journal.count; i++) {
        struct il_str text = k.run->journal.records[i].text;
        if (memmem(text.ptr, text.len, member, len)) return true;
    }
    return false;
}

/* The intent stands in the journal already: whoever reads it later must not look for what was never sent. */
static void test_unremembered(void)
{
    begin(true);
    remember_fails = IL_OUT_OF_MEMORY;
    kit_start(&k, kit_targeted);
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "failed", "a run that the history has no memory for");
    tap_int(k.effects, 0, "nothing is sent");
    tap_ok(has_record("execute") && has_record("not_sent"), "and its intent is taken back");
    remember_fails = IL_OK;
    end();
}

static bool fail_write_now;
static void full(struct kit *kit)
{
    (void)kit;
    if (fail_write_now) write_fails = IL_STORE;
}

static void test_unwritten(void)
{
    begin(true);
    fail_write_now = true;
    k.before_execute = full;
    kit_start(&k, kit_targeted);
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "failed", "what a unit rests on cannot be written");
    tap_int(units(), 0, "then none is consumed");
    tap_int(k.effects, 0, "and nothing is sent");
    fail_write_now = false;
    end();
}

/* Another run takes the last unit between the verdicts and the intent. */
static void test_taken(enum il__level of, int effects)
{
    begin(true);
    level = of;
    const struct il__unit unit = { IL_STR("b/k"), 0, 3600000 };
    real->spend(shelf.store.self, IL_STR("another"), &unit, 1, k.wall_sec * 1000, NULL);
    kit_start(&k, kit_targeted);
    kit_go(&k);
    tap_int(k.effects, effects, "the last unit is gone, the policy is %s", il__level_names[of]);
    tap_int(units(), 1 + effects, "so many are consumed");
    if (effects) {
        end();
        return;
    }
    struct il_error err = kit_error(&k);
    tap_str(il__str(kit_status(&k)), "blocked", "the run is blocked");
    tap_int(err.code, IL_POLICY_DENIED, "as by a policy");
    tap_ok(strstr(err.message, "b/p: limit b/k: 1 of 1 used within 1h") != NULL, "which says why: %s", err.message);
    const struct il__journal *j = &k.run->journal;
    bool found = false;
    for (size_t i = 0; i < j->count; i++)
        found |= memmem(j->records[i].text.ptr, j->records[i].text.len, "\"code\":\"limit\"", 14) &&
                 memmem(j->records[i].text.ptr, j->records[i].text.len, "\"phase\":\"execute\"", 17);
    tap_ok(found, "and stands in the journal as its verdict");
    tap_ok(strstr(order, "intent") == NULL, "there is no intent");
    end();
}

/* Its intent stands in the journal, and nothing left. */
static void test_not_sent(void)
{
    const struct il__past_query query = { .outcomes = (1u << (IL__PAST_INDETERMINATE + 1)) - 1, .after_ms = 0 };
    struct il__past_seen seen = { .count = -1 };
    begin(true);
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_EXECUTE_ACTION, .fail = IL_CANCELLED, .unsent = true });
    kit_start(&k, kit_targeted);
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "cancelled", "a run that had its intent, and sent nothing");
    tap_ok(strstr(order, "past:indeterminate") && strstr(order, "past:-"), "is no past: %s", order);
    struct il__scene scene;
    struct il__history_query any = { .within_ms = 0 };
    struct il__history_seen counted = { -1, 0 };
    struct il_run *run = k.run;
    il__scene_of_run(run, IL__PHASE_EXECUTE, NULL, &scene);
    scene.run_id = IL_STR("another");
    real->recall(shelf.store.self, &query, &seen, NULL);
    tap_int(seen.count, 0, "nobody counts it");
    tap_int(scene.history(&scene, &any, &counted, NULL), IL_OK, "a policy asks for any outcome");
    tap_int(counted.count, 0, "and hears of none");
    tap_int(units(), 1, "its unit stays consumed");
    end();
}

static void test_phases(void)
{
    for (int phase = IL__PHASE_PROPOSE; phase <= IL__PHASE_EXECUTE; phase++) {
        begin(false);
        memset(claim_in, 0, sizeof claim_in);
        claim_in[phase] = true;
        kit_start(&k, kit_targeted);
        kit_go(&k);
        tap_int(units(), phase != IL__PHASE_APPROVE, "claimed in %s alone", il__phase_names[phase]);
        end();
    }
}

int main(void)
{
    test_order(false);
    test_order(true);
    test_fails(IL_STORE, "failed");
    test_fails(IL_OUT_OF_MEMORY, "failed");
    test_fails(IL_LIMIT_EXCEEDED, "failed");
    test_unremembered();
    test_unwritten();
    test_taken(IL__LEVEL_HARD, 0);
    test_taken(IL__LEVEL_SOFT, 0);
    test_taken(IL__LEVEL_ADVISORY, 1);
    test_not_sent();
    test_phases();
    return tap_done();
}
