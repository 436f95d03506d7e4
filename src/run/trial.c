/* Policies on trial (trial.h). Their records stand beside the run's: they are counted apart, so that none of the run's
 * own lacks room for them, and one that cannot be written is left out. */
#include "run/trial.h"

#include "base/error.h"
#include "run/judge.h"
#include "run/record.h"

enum { OVERRIDES = 32 };

/* ---- asking ---- */

void il__trial_ask(struct il_run *run, const struct il__scene *scene, struct il__trial *trial)
{
    const struct il__policies *p = &run->engine->trials;
    struct il_error err = IL_ERROR_INIT;
    *trial = (struct il__trial){ .code = IL_OK };
    il__arena_init(&trial->arena, run->engine->mem);
    trial->said.arena = &trial->arena;
    trial->asked = p->evaluate && !run->restoring;
    if (trial->asked) trial->code = p->evaluate(p->ctx, scene, &trial->said, &err);
}

struct il_str il__trial_digest(const struct il__engine *e)
{
    return e->trials.digest ? e->trials.digest(e->trials.ctx) : IL_STR_NONE;
}

/* ---- overrides ---- */

/* A soft deny on trial would have been asked for; at execute it counts as overridden, as if somebody had. */
static bool overridden(const struct il_run *run, const struct il__said *said)
{
    for (size_t i = 0; i < run->trial_override_count; i++) {
        const struct il__trial_override *o = &run->trial_overrides[i];
        if (!il__str_eq(o->policy, said->policy) || !il__str_eq(o->code, said->code)) continue;
        if (il__str_present(said->code) || il__str_eq(o->reason, said->reason)) return true;
    }
    return false;
}

static void keep_override(struct il_run *run, struct il_str policy, struct il_str code, struct il_str reason)
{
    struct il__trial_override o;
    if (!run->trial_overrides)
        run->trial_overrides = il__arena_alloc(&run->arena, OVERRIDES * sizeof *run->trial_overrides);
    if (!run->trial_overrides || run->trial_override_count == OVERRIDES) return;
    if (il__arena_str(&run->arena, policy, &o.policy) || il__arena_str(&run->arena, code, &o.code) ||
        il__arena_str(&run->arena, reason, &o.reason))
        return;
    run->trial_overrides[run->trial_override_count++] = o;
}

/* ---- what differs ---- */

/* Keeps one for the document; without room it is only counted. */
static void keep(struct il_run *run, const struct il__tried *tried)
{
    struct il__tried kept = *tried;
    run->tried_count++;
    if (!run->tried) run->tried = il__arena_alloc(&run->arena, IL__TRIALS_SHOWN * sizeof *run->tried);
    if (!run->tried || run->tried_kept == IL__TRIALS_SHOWN) return;
    if (il__arena_str(&run->arena, tried->policy, &kept.policy) ||
        il__arena_str(&run->arena, tried->reason, &kept.reason))
        return;
    run->tried[run->tried_kept++] = kept;
}

static void note_compared(struct il_run *run, enum il__phase phase, const struct il__compared *c)
{
    const struct il__judged *who = c->change == IL__CHANGE_ALLOWED ? c->was : c->is;
    const struct il__tried tried = {
        .phase = phase, .change = c->change, .enforced = c->before, .trial = c->after,
        .policy = who ? who->said.policy : IL_STR_NONE,
        .reason = who ? who->said.reason : IL_STR_NONE,
        .line = who ? who->said.line : 0,
    };
    struct il_error err = IL_ERROR_INIT;
    enum il_code code =
        IL__NOTE(run, "compared", IL_STR_NONE, &err, IL__TEXT("change", il__str(il__change_names[c->change])),
                 IL__TEXT("enforced", il__str(il__verdict_names[c->before])),
                 IL__NUMBER("errors", (int64_t)c->errors), IL__NUMBER("line", tried.line),
                 IL__TEXT("phase", il__str(il__phase_names[phase])), IL__TEXT("policy", tried.policy),
                 IL__TEXT("reason", tried.reason), IL__TEXT("trial", il__str(il__verdict_names[c->after])));
    if (!code && c->change != IL__CHANGE_NONE) keep(run, &tried);
}

/* ---- noting ---- */

/* The host could not ask them all: a failure of its own, in place of their words. */
static struct il__said unasked(enum il_code code)
{
    return (struct il__said){ .verdict = IL__VERDICT_DENY, .error = true, .level = IL__LEVEL_HARD,
                              .policy = IL_STR("trial"), .reason = il__str(il_code_name(code)) };
}

static void note_all(struct il_run *run, const struct il__scene *scene, struct il__trial *trial,
                     const struct il__judged *judged, size_t count)
{
    size_t said = trial->said.count + (trial->code ? 1 : 0);
    struct il__judged *tried = said ? il__arena_alloc(&trial->arena, said * sizeof *tried) : NULL;
    struct il__compared compared;
    if (!tried) return;
    for (size_t i = 0; i < said; i++) {
        struct il_error err = IL_ERROR_INIT;
        struct il__judged *j = &tried[i];
        j->said = i < trial->said.count ? trial->said.items[i] : unasked(trial->code);
        j->ruled = il__rule(&j->said, scene->phase, scene->phase == IL__PHASE_EXECUTE && overridden(run, &j->said));
        if (il__judge_note(run, "trial", scene, &j->said, &j->ruled, &err)) return;
        if (j->ruled.override_) keep_override(run, j->said.policy, j->said.code, j->said.reason);
    }
    il__compare(judged, count, tried, said, &compared);
    note_compared(run, scene->phase, &compared);
}

void il__trial_note(struct il_run *run, const struct il__scene *scene, struct il__trial *trial,
                    const struct il__judged *judged, size_t count)
{
    if (trial->asked) {
        run->journal.aside = true;
        note_all(run, scene, trial, judged, count);
        run->journal.aside = false;
    }
    il__arena_clear(&trial->arena);
}

/* ---- reading back ---- */

static struct il_str text(struct il__json *doc, uint32_t body, const char *name)
{
    struct il_str s;
    uint32_t at = il__json_get(doc, body, name);
    if (!at || il__json_kind(doc, at) != IL__JSON_STRING || il__json_string(doc, at, &s, NULL)) return IL_STR_NONE;
    return s;
}

static void restore_compared(struct il_run *run, struct il__json *doc, uint32_t body)
{
    int phase = il__name_index(il__phase_names, text(doc, body, "phase"));
    int change = il__name_index(il__change_names, text(doc, body, "change"));
    int enforced = il__name_index(il__verdict_names, text(doc, body, "enforced"));
    int trial = il__name_index(il__verdict_names, text(doc, body, "trial"));
    int64_t line = 0;
    uint32_t at = il__json_get(doc, body, "line");
    if (phase < 0 || change <= IL__CHANGE_NONE || enforced < 0 || trial < 0) return;
    if (at) (void)il__json_int(doc, at, &line);
    const struct il__tried tried = { (enum il__phase)phase, (enum il__difference)change, (enum il__verdict)enforced,
                                     (enum il__verdict)trial, text(doc, body, "policy"), text(doc, body, "reason"),
                                     (int)line };
    keep(run, &tried);
}

void il__trial_restore(struct il_run *run, size_t at, struct il__json *doc, uint32_t body)
{
    il__journal_set_aside(&run->journal, at);
    if (il__json_get(doc, body, "change")) restore_compared(run, doc, body);
    else if (il__str_eq(text(doc, body, "ruled"), IL_STR("override")))
        keep_override(run, text(doc, body, "policy"), text(doc, body, "code"), text(doc, body, "reason"));
}
