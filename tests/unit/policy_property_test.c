/* What policies can do to a run, over random policies and random actions (policy_gen.h): what each says is what its
 * rules say; the merged verdict is never laxer than the runtime's route nor than any policy at its level; levels and
 * overrides are as SPEC §5 has them; a policy that fails never allows; and a whole run ends as the model says. LONG=1
 * plays more; PAIRS=N that many (policy, action) pairs, SEED=N others. `policy_property_test records SEED COUNT` prints
 * the verdict records of that many bundles instead: the same bytes in every process and of every compiler. */
#include "kit.h"
#include "policy_gen.h"
#include "script/policies.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACTIONS = 50, LOOPS = 20000, RUNS = 4 };

struct tally {
    long pairs, runs, ended[3], stalled, laxer, mixed, errors_pass, wrong, ends, overrides, needs, denies, errors;
};

static struct il_file file(const char *path, const char *bytes)
{
    return (struct il_file){ il__str(path), il__str(bytes) };
}

static struct il__policy_set *load(const struct kit *k, const struct gen_bundle *b)
{
    struct il__policy_set_options options = { .mem = k->engine.mem, .clock = &k->engine.clock,
                                             .digest = k->engine.digest };
    struct il_error err = IL_ERROR_INIT;
    struct il__policy_set *set = NULL;
    char names[GEN_POLICIES][24];
    struct il_file files[1 + GEN_POLICIES] = { file("bundle.json", b->manifest) };
    for (int i = 0; i < b->count; i++) {
        snprintf(names[i], sizeof names[i], "p%d.lua", i);
        files[i + 1] = file(names[i], b->policies[i].source);
    }
    if (il__policy_set_new(&options, &set, &err) ||
        il__policy_set_add(set, files, 1 + (size_t)b->count, IL_STR_NONE, &err)) {
        printf("Bail out! %s\n", err.message);
        exit(1);
    }
    return set;
}

/* ---- one phase ----------------------------------------------------------------------------------------------------
 */

static bool same_text(struct il_str got, const char *want)
{
    return want ? il__str_eq(got, il__str(want)) : !got.ptr;
}

static unsigned roles_of(struct il__strs roles)
{
    unsigned bits = 0;
    for (size_t i = 0; i < roles.count; i++)
        for (unsigned r = 0; r < 2; r++)
            if (il__str_eq(roles.items[i], il__str(gen_roles[r]))) bits |= 1u << r;
    return bits;
}

/* Everything that was said, against the rule that must have said it. */
static bool as_modelled(const struct il__said *got, const struct gen_said *want, const struct gen_policy *p)
{
    char reason[32];
    if ((int)got->level != p->level) return false;
    if (got->error) return want->said == GEN_SAID_ERROR && got->verdict == IL__VERDICT_DENY;
    switch (want->said) {
    case GEN_SAID_NONE: return got->verdict == IL__VERDICT_NONE;
    case GEN_SAID_ASK: if (got->verdict != IL__VERDICT_ASK) return false; break;
    case GEN_SAID_DENY: if (got->verdict != IL__VERDICT_DENY) return false; break;
    case GEN_SAID_ERROR: return false;
    }
    const struct gen_rule *r = want->rule;
    snprintf(reason, sizeof reason, "reason %d", r->reason);
    if (!same_text(got->reason, reason) || !same_text(got->code, gen_codes[r->code]) || got->line != r->line)
        return false;
    if (want->said == GEN_SAID_DENY) return true;
    return got->approvers == r->approvers && got->timeout_ms == r->timeout_s * 1000 && roles_of(got->roles) == r->roles;
}

static enum gen_ruled ruled_of(const struct il__ruled *r)
{
    if (r->verdict == IL__VERDICT_DENY) return GEN_DENIES;
    if (r->verdict == IL__VERDICT_ASK) return r->override_ ? GEN_OVERRIDE : GEN_NEEDS;
    return r->advisory ? GEN_REPORTED : GEN_PASSES;
}

/* The process did not run for so long that the limit of time ended a script: a deny, whatever its rules say. */
static bool is_stall(struct il_str text)
{
    return text.ptr && memmem(text.ptr, text.len, "script_wall_ms", 14) != NULL;
}

static void explain(const struct gen_bundle *b, int at, const struct gen_action *a, enum il__phase phase,
                    const struct il__said *got)
{
    char json[2000];
    gen_case(a, json, sizeof json);
    tap_note("phase %s, case %s", il__phase_names[phase], json);
    tap_note("said %s%s at line %d: %.*s", il__verdict_names[got->verdict], got->error ? " (error)" : "", got->line,
             IL_STR_FMT(got->reason));
    char *copy = strdup(b->policies[at].source);
    for (char *line = strtok_r(copy, "\n", &copy); line; line = strtok_r(NULL, "\n", &copy)) tap_note("%s", line);
}

/* The k-th policy that has the phase. */
static int nth_with(const struct gen_bundle *b, enum il__phase phase, size_t k)
{
    for (int i = 0; i < b->count; i++)
        if (b->policies[i].phases & (1u << phase) && k-- == 0) return i;
    return -1;
}

static void weigh(struct tally *t, const struct gen_bundle *b, const struct gen_action *a,
                  const struct il__scene *scene, const struct il__said_list *list)
{
    enum il__verdict route = scene->preview ? gen_route_weight(a->route) : IL__VERDICT_NONE;
    enum il__verdict merged = route, strictest = IL__VERDICT_NONE;
    size_t expected = 0;
    while (nth_with(b, scene->phase, expected) >= 0) expected++;
    if (list->count != expected) t->wrong++;
    for (size_t i = 0; i < list->count && i < expected; i++) {
        const struct il__said *got = &list->items[i];
        int at = nth_with(b, scene->phase, i);
        struct gen_said want = gen_said(&b->policies[at], scene->phase, scene->preview != NULL, a);
        if (got->error && is_stall(got->reason)) {
            t->stalled++;
            want = (struct gen_said){ GEN_SAID_ERROR, NULL };
        }
        if (!as_modelled(got, &want, &b->policies[at]) && t->wrong++ == 0) explain(b, at, a, scene->phase, got);
        for (int overridden = 0; overridden < 2; overridden++) {
            struct il__ruled ruled = il__rule(got, scene->phase, overridden != 0);
            enum gen_ruled model = gen_ruled(b->policies[at].level, (int)want.said, scene->phase, overridden != 0);
            if (ruled_of(&ruled) != model && t->mixed++ == 0) explain(b, at, a, scene->phase, got);
            if (got->error && ruled.verdict == IL__VERDICT_NONE) t->errors_pass++;
            if (overridden) continue;
            merged = il__verdict_max(merged, ruled.verdict);
            if (gen_weight(model) > strictest) strictest = gen_weight(model);
            t->overrides += model == GEN_OVERRIDE;
            t->needs += model == GEN_NEEDS;
            t->denies += model == GEN_DENIES;
            t->errors += want.said == GEN_SAID_ERROR;
        }
    }
    if (merged < route || merged < strictest) t->laxer++;
}

static void ask_phases(struct tally *t, struct kit *k, struct il__policies *port, const struct gen_bundle *b,
                       const struct gen_action *a, const struct il__proposal *proposal, struct il__preview *preview)
{
    static const struct il__lease lease = { .lease_id = { "masked", 6 }, .action_budget = 1 };
    struct il__vote vote = { .approver = { "local operator", 14 }, .local = true, .decision = IL__DECISION_APPROVE,
                             .reason = il__str(gen_reasons[a->vote_reason]) };
    struct il_error err = IL_ERROR_INIT;
    for (int phase = IL__PHASE_PROPOSE; phase <= IL__PHASE_EXECUTE; phase++) {
        struct il__arena arena;
        il__arena_init(&arena, &k->mem);
        struct il__said_list list = { NULL, 0, &arena };
        struct il_str block = IL_STR_NONE;
        struct il__scene scene = {
            .phase = (enum il__phase)phase, .run_id = IL_STR("run-1"), .session_id = IL_STR("s-1"),
            .principal = IL_STR("p-1"), .proposal = proposal, .preview = phase == IL__PHASE_PROPOSE ? NULL : preview,
            .route = il__route_of(preview, false, &block), .lease = phase == IL__PHASE_EXECUTE ? &lease : NULL,
            .vote = phase == IL__PHASE_APPROVE ? &vote : NULL,
            .now = { INT64_C(1796004000) + a->hour * 3600 - 7200, 0 },
        };
        if (scene.preview) scene.block_reason = block;
        if (port->evaluate(port->ctx, &scene, &list, &err)) t->wrong++;
        weigh(t, b, a, &scene, &list);
        il__arena_clear(&arena);
    }
}

static void ask(struct tally *t, struct kit *k, struct il__policies *port, const struct gen_bundle *b,
                const struct gen_action *a)
{
    char proposal_text[2000], preview_text[4000];
    struct il__json proposal_doc, preview_doc;
    struct il__proposal proposal;
    struct il__preview preview;
    struct il_error err = IL_ERROR_INIT;
    struct il_str p = { proposal_text, gen_proposal(a, proposal_text, sizeof proposal_text) };
    struct il_str q = { preview_text, gen_preview(a, preview_text, sizeof preview_text) };
    if (il__decode_text(&il__proposal_schema, &k->mem, p, &proposal_doc, &proposal, &err) ||
        il__decode_text(&il__preview_schema, &k->mem, q, &preview_doc, &preview, &err)) {
        printf("Bail out! %s at %s\n", err.message, err.field);
        exit(1);
    }
    ask_phases(t, k, port, b, a, &proposal, &preview);
    il__json_clear(&proposal_doc);
    il__json_clear(&preview_doc);
    t->pairs++;
}

/* ---- whole runs ---------------------------------------------------------------------------------------------------
 */

/* BLOCKS: over without an effect. The workflow of the kit is blind: it asks for the send whatever was said. */
enum end { BLOCKS, WAITS, ACTS };

struct overridden { int policy, code, reason; };
struct course { struct overridden denies[2 * GEN_POLICIES]; int count; bool need, override_; };

/* One phase before the send: does anybody block? */
static bool model_asks(struct course *c, const struct gen_bundle *b, enum il__phase phase, const struct gen_action *a)
{
    bool blocks = false;
    for (int i = 0; i < b->count; i++) {
        const struct gen_policy *p = &b->policies[i];
        if (!(p->phases & (1u << phase))) continue;
        struct gen_said said = gen_said(p, phase, phase != IL__PHASE_PROPOSE, a);
        switch (gen_ruled(p->level, (int)said.said, phase, false)) {
        case GEN_PASSES: case GEN_REPORTED: break;
        case GEN_DENIES: blocks = true; break;
        case GEN_NEEDS: /* this host knows no approvers: more than one, or roles, cannot be had */
            blocks |= said.rule->approvers > 1 || said.rule->roles;
            c->need = true;
            break;
        case GEN_OVERRIDE:
            c->need = c->override_ = true;
            if (said.said == GEN_SAID_DENY)
                c->denies[c->count++] = (struct overridden){ i, said.rule->code, said.rule->reason };
            break;
        }
    }
    return blocks;
}

/* Does the one decision that the run gets meet every need of its wait? */
static bool model_decided(const struct course *c, const struct gen_bundle *b, bool has_preview,
                          const struct gen_action *a)
{
    for (int i = 0; i < b->count; i++) {
        const struct gen_policy *p = &b->policies[i];
        if (!(p->phases & (1u << IL__PHASE_APPROVE))) continue;
        struct gen_said said = gen_said(p, IL__PHASE_APPROVE, has_preview, a);
        if (gen_ruled(p->level, (int)said.said, IL__PHASE_APPROVE, false) == GEN_DENIES) return false;
    }
    return !c->override_ || a->vote_reason;
}

static bool model_executes(const struct course *c, const struct gen_bundle *b, const struct gen_action *a)
{
    for (int i = 0; i < b->count; i++) {
        const struct gen_policy *p = &b->policies[i];
        if (!(p->phases & (1u << IL__PHASE_EXECUTE))) continue;
        struct gen_said said = gen_said(p, IL__PHASE_EXECUTE, true, a);
        bool overridden = false;
        for (int k = 0; k < c->count && said.rule; k++)
            overridden |= c->denies[k].policy == i && c->denies[k].code == said.rule->code &&
                          (said.rule->code || c->denies[k].reason == said.rule->reason);
        if (gen_ruled(p->level, (int)said.said, IL__PHASE_EXECUTE, overridden) == GEN_DENIES) return false;
    }
    return true;
}

static enum end model_run(const struct gen_bundle *b, const struct gen_action *a)
{
    struct course c = { .count = 0 };
    if (model_asks(&c, b, IL__PHASE_PROPOSE, a)) return BLOCKS;
    if (c.need && !model_decided(&c, b, false, a)) return WAITS;
    c.need = c.override_ = false;
    if (a->route == IL__ROUTE_BLOCKED || model_asks(&c, b, IL__PHASE_PREVIEW, a)) return BLOCKS;
    if (a->route == IL__ROUTE_APPROVAL) return WAITS; /* the runtime's need is never answered here */
    if (c.need && !model_decided(&c, b, true, a)) return WAITS;
    return model_executes(&c, b, a) ? ACTS : BLOCKS;
}

static void start(struct kit *k, const struct gen_action *a)
{
    static const char *const names[] = { "computer:execute:background", "computer:execute:foreground" };
    const struct il_str scopes[] = { il__str(names[0]), il__str(names[1]) };
    char proposal[2000];
    struct il_error err = IL_ERROR_INIT;
    struct il_run_options o = IL_RUN_OPTIONS_INIT;
    o.proposal = (struct il_str){ proposal, gen_proposal(a, proposal, sizeof proposal) };
    o.principal = IL_STR("p-1");
    o.session_id = IL_STR("s-1");
    o.agent_id = IL_STR("agent-1");
    o.execution_group_id = IL_STR("group-1");
    o.scopes = scopes;
    o.scope_count = 2;
    k->run = NULL;
    if (il__run_new(&k->engine, &o, &k->run, &err)) tap_note("%s", err.message);
    kit_go(k);
}

/* One decision for each wait. */
static void decide(struct kit *k, const struct gen_action *a)
{
    bool propose = k->run->wait.propose;
    struct il_error err = IL_ERROR_INIT;
    struct il_decision d = IL_DECISION_INIT;
    char request[40], proposal[72];
    snprintf(request, sizeof request, "%s", k->run->wait.request_id);
    snprintf(proposal, sizeof proposal, "%.*s", (int)sizeof k->run->proposal_digest, k->run->proposal_digest);
    d.request_id = il__str(request);
    d.decision = IL_STR("approve");
    d.reason = il__str(gen_reasons[a->vote_reason]);
    if (propose) d.proposal_digest = il__str(proposal);
    if (!propose) d.action_digest = IL_STR(KIT_ACTION_DIGEST);
    if (!propose) d.policy_digest = IL_STR(KIT_POLICY_DIGEST);
    if (il__run_decide(k->run, &d, &err)) return;
    kit_go(k);
}

static void bend_all(struct kit *k, char *preview, char *lease, size_t size, const struct gen_action *a)
{
    gen_preview(a, preview, size);
    snprintf(lease, size, "{\"leaseId\":\"lease-1\",\"revision\":1,\"sessionId\":\"s-1\",\"principalId\":\"p-1\","
             "\"kind\":\"cooperative\",\"executionMode\":\"%s\",\"state\":\"active\",\"expiresAt\":"
             "\"2026-12-02T00:00:00Z\",\"actionBudget\":1,\"actionsUsed\":0}", a->mode ? "foreground" : "background");
    kit_bend(k, (struct kit_bend){ .op = IL_OP_PREVIEW_ACTION, .to = preview });
    kit_bend(k, (struct kit_bend){ .op = IL_OP_ACQUIRE_LEASE, .to = lease });
    kit_bend(k, (struct kit_bend){ .op = IL_OP_RESERVE_TARGET, .to = "null" });
}

static void open_at(struct kit *k, int hour)
{
    kit_open(k);
    k->wall_sec += (hour - 18) * 3600;
}

/* Prints the verdict records, or compares the end with the model. */
static void play(struct tally *t, const struct gen_bundle *b, const struct gen_action *a, FILE *records)
{
    static struct kit k;
    char preview[4000], lease[4000];
    open_at(&k, a->hour);
    struct il__policy_set *set = load(&k, b);
    k.engine.policies = il__policy_set_port(set);
    bend_all(&k, preview, lease, sizeof preview, a);
    start(&k, a);
    for (int waits = 0; waits < 2 && k.run->wait.open; waits++) decide(&k, a);
    enum end end = k.run->wait.open ? WAITS : k.effects ? ACTS : BLOCKS;
    enum end want = model_run(b, a);
    bool stalled = false;
    for (size_t i = 0; i < k.run->journal.count; i++) stalled |= is_stall(k.run->journal.records[i].text);
    if (stalled) {
        t->stalled++;
        want = end == ACTS ? BLOCKS : end; /* one that fails never lets pass; what else was said does not matter here */
    }
    if (end != want || (end == BLOCKS && k.run->state != IL__STATE_ENDED)) {
        if (t->ends++ == 0) {
            char json[2000];
            gen_case(a, json, sizeof json);
            tap_note("%s instead of %d: %s (%s)", kit_status(&k), (int)want, kit_error(&k).message, json);
            for (int i = 0; i < b->count; i++) printf("%s\n", b->policies[i].source);
        }
    }
    for (size_t i = 0; records && i < k.run->journal.count; i++) {
        struct il_str text = k.run->journal.records[i].text;
        if (memmem(text.ptr, text.len, "\"kind\":\"verdict\"", 16)) fprintf(records, "%.*s\n", IL_STR_FMT(text));
    }
    t->runs++;
    t->ended[end]++;
    il__engine_clear(&k.engine);
    il__policy_set_free(set);
    if (k.mem.in_use_bytes != 0) t->wrong++;
}

/* ---- all ----------------------------------------------------------------------------------------------------------
 */

static void play_bundle(struct tally *t, uint64_t seed, uint32_t loops, int actions, int runs, FILE *records)
{
    static struct gen_bundle b;
    struct gen g = { seed };
    struct kit k;
    gen_bundle(&g, &b, loops);
    if (actions) {
        open_at(&k, 18);
        struct il__policy_set *set = load(&k, &b);
        struct il__policies port = il__policy_set_port(set);
        for (int i = 0; i < actions; i++) {
            struct gen_action a = gen_action(&g);
            ask(t, &k, &port, &b, &a);
        }
        il__policy_set_free(set);
        il__engine_clear(&k.engine);
        if (k.mem.in_use_bytes != 0) t->wrong++;
    }
    for (int i = 0; i < runs; i++) {
        struct gen_action a = gen_action(&g);
        play(t, &b, &a, records);
    }
}

static long number(const char *name, long usual)
{
    const char *text = getenv(name);
    return text && *text ? strtol(text, NULL, 10) : usual;
}

int main(int argc, char **argv)
{
    struct tally t = { 0 };
    if (argc == 4 && strcmp(argv[1], "records") == 0) {
        uint64_t seed = strtoull(argv[2], NULL, 10);
        /* Without loops: on a slow machine it is time that ends one, on another one its work. */
        for (long i = 0; i < strtol(argv[3], NULL, 10); i++) play_bundle(&t, seed + (uint64_t)i, 0, 0, RUNS, stdout);
        return t.ends || t.wrong;
    }
    long pairs = number("PAIRS", getenv("LONG") ? 100000 : 10000), seed = number("SEED", 1);
    for (long i = 0; t.pairs < pairs; i++)
        play_bundle(&t, (uint64_t)(seed * 1000000 + i), LOOPS, ACTIONS, RUNS, NULL);
    tap_int(t.laxer, 0, "never laxer than the route, nor than the strictest policy at its level");
    tap_int(t.errors_pass, 0, "a policy that fails never lets pass, overridden or not");
    tap_int(t.wrong, 0, "each policy says what its rules say");
    tap_int(t.mixed, 0, "levels and overrides amount to what they must");
    tap_int(t.ends, 0, "each run ends, waits or acts as it must");
    tap_ok(t.overrides && t.needs && t.denies && t.errors && t.ended[WAITS] && t.ended[ACTS], "all of them were met");
    if (t.stalled) tap_note("%ld times a script was ended because the machine stalled", t.stalled);
    tap_note(
        "%ld pairs: %ld needs, %ld overrides, %ld denies, %ld failures; %ld runs: %ld blocked, %ld waiting, %ld acted",
        t.pairs, t.needs, t.overrides, t.denies, t.errors, t.runs, t.ended[BLOCKS], t.ended[WAITS], t.ended[ACTS]);
    return tap_done();
}
