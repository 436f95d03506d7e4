/* Limits and history (counts.h). Whatever cannot be asked or written is an error of who asks: a policy then denies, and
 * an execute does not send. */
#include "run/counts.h"

#include "base/error.h"
#include "base/limits.h"
#include "run/durable.h"
#include "run/judge.h"

static int64_t ms_of(struct il__instant at)
{
    return at.sec * 1000 + at.nsec / 1000000;
}

static int64_t now_ms(const struct il_run *run)
{
    return ms_of(il__clock_now(&run->engine->clock).wall);
}

static const struct il_run *run_of(const struct il__scene *scene)
{
    return scene->ctx;
}

/* ---- asking ---- */

enum il_code il__counts_limit(const struct il__scene *scene, const struct il__claim *claim, struct il__limit_seen *out,
                              struct il_error *err)
{
    const struct il_run *run = run_of(scene);
    struct il__engine *e = run->engine;
    const struct il__unit unit = { claim->key, claim->most, claim->per_ms };
    const int64_t now = ms_of(scene->now);
    struct il__unit_use use = { 0, 0 };
    enum il_code code = IL_OK;
    if (e->store.ops) code = e->store.ops->used(e->store.self, &unit, il__str(run->id), now, &use, err);
    else use = il__tally_used(&e->tally, &unit, il__str(run->id), now);
    if (code) return code;
    *out = (struct il__limit_seen){ use.count, 0 };
    if (use.count >= claim->most) out->wait_ms = use.leaves_ms + claim->per_ms - now;
    return IL_OK;
}

/* The bits of the names, which are all known: whoever asks has checked them. */
static enum il_code bits_of(struct il__strs wanted, const char *const *names, unsigned *out, struct il_error *err)
{
    *out = 0;
    for (size_t i = 0; i < wanted.count; i++) {
        int bit = il__name_index(names, wanted.items[i]);
        if (bit < 0)
            return il__refuse(err, IL_INVALID_REQUEST, "history", "name", IL_STR("a known name"), wanted.items[i]);
        *out |= 1u << bit;
    }
    return IL_OK;
}

enum { EVERY_OUTCOME = (1u << (IL__PAST_INDETERMINATE + 1)) - 1 };

static enum il_code past_query(const struct il__scene *scene, const struct il__history_query *query,
                               struct il__past_query *out, struct il_error *err)
{
    const int64_t now = ms_of(scene->now), kept = IL__LIMIT_KEPT_S * INT64_C(1000);
    const int64_t within = query->within_ms > 0 && query->within_ms < kept ? query->within_ms : kept;
    *out = (struct il__past_query){ .but_run = scene->run_id, .tool = query->tool, .app = query->app,
                                    .session_id = query->session_id, .after_ms = now - within };
    enum il_code code = bits_of(query->outcomes, il__past_names, &out->outcomes, err);
    if (!code) code = bits_of(query->classes, il__class_names, &out->classes, err);
    if (!out->outcomes) out->outcomes = EVERY_OUTCOME; /* whoever sent nothing after all has none of them */
    return code;
}

enum il_code il__counts_history(const struct il__scene *scene, const struct il__history_query *query,
                                struct il__history_seen *out, struct il_error *err)
{
    struct il__engine *e = run_of(scene)->engine;
    struct il__past_query q;
    struct il__past_seen seen = { 0, 0, false };
    enum il_code code = past_query(scene, query, &q, err);
    if (code) return code;
    if (e->store.ops) { /* what this host noted is shown once it is written; a run that was lost ends by itself */
        struct il_error lost = IL_ERROR_INIT;
        code = il__durable_write(e, &lost);
        if (code && code != IL_CONFLICT) return il__fail(err, code, "%s", lost.message);
        code = e->store.ops->recall(e->store.self, &q, &seen, err);
    } else {
        seen = il__tally_recall(&e->tally, &q);
    }
    if (code) return code;
    if (seen.cut)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "history", "history_entries",
                           "%d runs are kept, and older ones of that time are not: ask with a shorter `within`",
                           IL__LIMIT_HISTORY_ENTRIES);
    const int64_t since = ms_of(scene->now) - seen.latest_ms;
    *out = (struct il__history_seen){ seen.count, seen.count == 0 ? -1 : since > 0 ? since : 0 };
    return IL_OK;
}

/* ---- claims ---- */

static bool has_claim(const struct il_run *run, const struct il__said *said, const struct il__claim *claim, bool told)
{
    for (size_t i = 0; i < run->claim_count; i++) {
        struct il__counted *c = &run->claims[i];
        if (c->claim.most != claim->most || c->claim.per_ms != claim->per_ms || c->level != said->level) continue;
        if (!il__str_eq(c->claim.key, claim->key) || !il__str_eq(c->policy, said->policy)) continue;
        c->claim.refuses |= claim->refuses;
        c->told |= told && claim->none_left;
        return true;
    }
    return false;
}

enum il_code il__counts_claim(struct il_run *run, const struct il__said *said, bool told, struct il_error *err)
{
    if (!said->claim_count) return IL_OK;
    if (!run->claims) run->claims = il__arena_alloc(&run->arena, IL__LIMIT_LIMIT_CLAIMS * sizeof *run->claims);
    if (!run->claims) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a limit");
    for (size_t i = 0; i < said->claim_count; i++) {
        struct il__counted c = { said->claims[i], IL_STR_NONE, said->level, told && said->claims[i].none_left };
        if (has_claim(run, said, &said->claims[i], told)) continue;
        if (run->claim_count == IL__LIMIT_LIMIT_CLAIMS)
            return il__fail_at(err, IL_LIMIT_EXCEEDED, "policy", "limit_claims",
                               "a run counts against at most %d limits", IL__LIMIT_LIMIT_CLAIMS);
        if (il__arena_str(&run->arena, said->claims[i].key, &c.claim.key) ||
            il__arena_str(&run->arena, said->policy, &c.policy))
            return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a limit");
        run->claims[run->claim_count++] = c;
    }
    return IL_OK;
}

/* ---- consuming ---- */

/* Does it end the run when none is left? Not of an advisory policy, and not what somebody overrode: this limit, not
 * another of the same policy. */
static bool refuses(const struct il_run *run, const struct il__counted *c)
{
    if (!c->claim.refuses || c->level == IL__LEVEL_ADVISORY) return false;
    return c->level != IL__LEVEL_SOFT || !c->told || !il__judge_overrode(run, c->policy, IL_STR("limit"));
}

/* The first limit that has no unit left now: what the refusal was about. */
static enum il_code refused(struct il_run *run, const struct il__unit *units, struct il_error *err)
{
    for (size_t i = 0; i < run->claim_count; i++) {
        const struct il__counted *c = &run->claims[i];
        if (units[i].most && il__str_eq(il__str(err->field), c->claim.key)) return il__judge_refuse(run, c, err);
    }
    return err->code;
}

/* The keys, each once. */
static enum il_code keep_units(struct il_run *run, struct il_error *err)
{
    struct il_str *keys = il__arena_alloc(&run->arena, run->claim_count * sizeof *keys);
    size_t count = 0;
    if (!keys) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a limit");
    for (size_t i = 0; i < run->claim_count; i++) {
        size_t at = 0;
        while (at < count && !il__str_eq(keys[at], run->claims[i].claim.key)) at++;
        if (at == count) keys[count++] = run->claims[i].claim.key;
    }
    run->units = (struct il__strs){ keys, count };
    return IL_OK;
}

/* What the run rests on is written before its units are: killed in between, it goes on from there and sends, and none
 * is consumed for nothing. Another run that was lost is not its matter. */
static enum il_code write_before(struct il_run *run, struct il_error *err)
{
    struct il_error lost = IL_ERROR_INIT;
    enum il_code code = il__durable_write(run->engine, &lost);
    if (code == IL_CONFLICT) return il__durable_owns(run, err);
    return code ? il__fail(err, code, "%s", lost.message) : IL_OK;
}

enum il_code il__counts_spend(struct il_run *run, struct il_error *err)
{
    struct il__engine *e = run->engine;
    struct il__unit units[IL__LIMIT_LIMIT_CLAIMS];
    struct il_error why = IL_ERROR_INIT;
    if (!run->claim_count) return IL_OK;
    for (size_t i = 0; i < run->claim_count; i++) {
        const struct il__counted *c = &run->claims[i];
        units[i] = (struct il__unit){ c->claim.key, refuses(run, c) ? c->claim.most : 0, c->claim.per_ms };
    }
    enum il_code code = write_before(run, err);
    if (code) return code;
    code =
        e->store.ops ? e->store.ops->spend(e->store.self, il__str(run->id), units, run->claim_count, now_ms(run), &why)
                     : il__tally_spend(&e->tally, il__str(run->id), units, run->claim_count, now_ms(run), &why);
    if (code == IL_POLICY_DENIED) code = refused(run, units, &why);
    if (code) *err = why;
    return code ? code : keep_units(run, err);
}

/* ---- what became of runs ---- */

static struct il_str app_of(const struct il_run *run)
{
    const struct il__envelope *env = run->preview.envelope;
    if (env->target && il__str_present(env->target->app_id)) return env->target->app_id;
    if (env->resource && il__str_present(env->resource->target_app_id)) return env->resource->target_app_id;
    return run->preview.capability ? run->preview.capability->app_id : IL_STR_NONE;
}

static enum il_code remember(struct il_run *run, unsigned outcome, struct il_error *err)
{
    struct il__engine *e = run->engine;
    const struct il__past past = {
        .run_id = il__str(run->id), .session_id = run->session_id, .tool = run->preview.envelope->tool,
        .app = app_of(run), .outcome = outcome, .action_class = (unsigned)run->preview.envelope->action_class,
        .at_ms = now_ms(run),
    };
    return e->store.ops ? e->store.ops->remember(e->store.self, &past, err) : il__tally_remember(&e->tally, &past, err);
}

enum il_code il__counts_sent(struct il_run *run, struct il_error *err)
{
    run->remembered = true;
    return remember(run, IL__PAST_INDETERMINATE, err);
}

static unsigned outcome_of(const struct il_run *run)
{
    switch (run->end) {
    case IL__END_COMPLETED: return IL__PAST_VERIFIED;
    case IL__END_COMMITTED_UNVERIFIED: return IL__PAST_UNVERIFIED;
    case IL__END_VERIFICATION_FAILED:
    case IL__END_FAILED: return IL__PAST_FAILED;
    case IL__END_INDETERMINATE: return IL__PAST_INDETERMINATE;
    case IL__END_NONE:
    case IL__END_PREVIEWED:
    case IL__END_BLOCKED:
    case IL__END_DENIED:
    case IL__END_EXPIRED:
    case IL__END_REFUSED:
    case IL__END_CANCELLED:
    case IL__END_COUNT: break;
    }
    return run->done & IL__DID_SEND ? IL__PAST_INDETERMINATE : IL__PAST_NOT_SENT;
}

void il__counts_ended(struct il_run *run)
{
    struct il_error err = IL_ERROR_INIT;
    if (!run->remembered || run->restoring) return;
    if (remember(run, outcome_of(run), &err))
        il__log(&run->engine->log, IL_LOG_WARN, "run %s: it stays indeterminate in the history: %s", run->id,
                err.message);
}
