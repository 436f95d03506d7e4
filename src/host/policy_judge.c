/* The judgement of a case (policy.h): phase after phase as in a run, every need taken as met. What each policy's words
 * amount to is check/verdict.h, what a need covers is check/need.h: there is no second rule here. */
#include "host/policy.h"

#include "base/error.h"
#include "check/need.h"
#include "host/policy_cover.h"

struct judging {
    il_policy *policy;
    const struct il__case *c;
    struct il__judgement *out;
    bool covers, no_memory;
};

int il__said_index(const struct il__said *said)
{
    return said->error ? 3 : (int)said->verdict;
}

static enum il_code no_memory(struct il_error *err)
{
    return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a judgement");
}

static enum il_code make_probe(il_policy *policy, struct il_error *err)
{
    if (policy->probe) return IL_OK;
    policy->probe = il__mem_zalloc(&policy->mem, 1, sizeof *policy->probe);
    if (!policy->probe) return no_memory(err);
    il__buf_init(&policy->probe->scratch, &policy->mem, 4096);
    return IL_OK;
}

/* A policy was asked: rules on what it said, and keeps what it read. */
static void asked(void *ctx, const struct il__bundle_policy *policy, const struct il__said *said)
{
    struct judging *jg = ctx;
    struct il__judgement *j = jg->out;
    struct il__opinion *item = &j->items[j->count++];
    bool covered = j->phase == IL__PHASE_EXECUTE && il__needs_override(j->needs, j->need_count, said);
    *item = (struct il__opinion){ .phase = j->phase, .policy = policy, .said = *said,
                                 .ruled = il__rule(said, j->phase, covered) };
    j->verdict = il__verdict_max(j->verdict, item->ruled.verdict);
    if (il__said_index(said) > j->said) j->said = il__said_index(said);
    if (item->ruled.verdict == IL__VERDICT_ASK) j->needs[j->need_count++] = il__need_of(said, &item->ruled);
    if (jg->covers) il__coverage_said(jg->policy->coverage, item);
    if (!jg->policy->probe || !jg->policy->probe->arena) return;
    struct il__buf buf;
    struct il__json_writer w;
    il__buf_init(&buf, &jg->policy->mem, 0);
    il__jw_init(&w, &buf);
    il__probe_write(jg->policy->probe, &w);
    if (buf.code || il__arena_str(&j->arena, il__buf_get(&buf), &item->used)) jg->no_memory = true;
    il__buf_clear(&buf);
}

static enum il_code judge_phase(struct judging *jg, enum il__phase phase, const struct il__policy_look *look,
                                struct il_error *err)
{
    struct il__scene scene;
    struct il__said_list said = { .arena = &jg->out->arena };
    jg->out->phase = phase;
    il__case_scene(jg->c, phase, &scene);
    enum il_code code = il__policy_set_ask(jg->policy->set, &scene, look, &said, err);
    bool lost = jg->no_memory || (look->probe && look->probe->no_memory);
    return code ? code : lost ? no_memory(err) : IL_OK;
}

/* Would a run come to this phase? */
static bool comes_to(const struct il__case *c, const struct il__judgement *j, enum il__phase phase)
{
    if (c->given.phase >= 0) return phase == (enum il__phase)c->given.phase;
    if (j->verdict == IL__VERDICT_DENY) return false;
    if (phase == IL__PHASE_APPROVE) return c->decides;
    return phase != IL__PHASE_EXECUTE || c->route != IL__ROUTE_BLOCKED;
}

static enum il_code judge_all(struct judging *jg, const struct il__policy_look *look, struct il_error *err)
{
    struct il__judgement *j = jg->out;
    enum il_code code = IL_OK;
    const struct il__bundle *b;
    size_t most = 1; /* in each phase a policy says something, and perhaps a limit */
    for (size_t i = 0; (b = il__policy_set_bundle(jg->policy->set, i)) != NULL; i++) most += b->policy_count * 8;
    j->items = il__arena_alloc(&j->arena, most * sizeof *j->items);
    j->needs = il__arena_alloc(&j->arena, most * sizeof *j->needs);
    if (!j->items || !j->needs) return no_memory(err);
    for (int phase = IL__PHASE_PROPOSE; phase <= IL__PHASE_EXECUTE && !code; phase++)
        if (comes_to(jg->c, j, (enum il__phase)phase)) code = judge_phase(jg, (enum il__phase)phase, look, err);
    return code;
}

/* The parameters of the case, held against the bundles. */
static enum il_code read_params(il_policy *policy, const struct il__case *c, struct il__json *doc,
                                struct il_error *err)
{
    const struct il__any *given = &c->given.params;
    if (!given->doc) return IL_OK;
    enum il_code code = il__json_parse(doc, &policy->mem, il__json_raw(given->doc, given->at), IL__JSON_CONTRACT, err);
    return code ? code : il__policy_set_params(policy->set, doc, err);
}

enum il_code il__policy_judge(il_policy *policy, const struct il__case *c, unsigned flags, struct il__judgement *out,
                              struct il_error *err)
{
    struct judging jg = { .policy = policy, .c = c, .out = out };
    struct il__json params = { 0 };
    struct il__policy_look look = { .asked = asked, .ctx = &jg };
    memset(out, 0, sizeof *out);
    il__arena_init(&out->arena, &policy->mem);
    enum il_code code = flags ? make_probe(policy, err) : IL_OK;
    if (!code) code = read_params(policy, c, &params, err);
    if (c->given.params.doc) look.params = &params;
    if (!code && (flags & IL_POLICY_COVERAGE)) code = il__coverage_of(policy, err);
    if (!code && flags) {
        jg.covers = flags & IL_POLICY_COVERAGE;
        look.probe = policy->probe;
        look.probe->arena = flags & IL_POLICY_TRACE ? &out->arena : NULL;
        look.probe->no_memory = false;
        look.probe->line = jg.covers ? il__coverage_line : NULL;
        look.probe->ctx = policy->coverage;
    }
    if (!code) code = judge_all(&jg, &look, err);
    if (policy->probe) policy->probe->arena = NULL;
    il__json_clear(&params);
    return code;
}

void il__judgement_clear(struct il__judgement *j)
{
    il__arena_clear(&j->arena);
}

/* ---- the document ------------------------------------------------------------------------------------------------ */

static void write_strs(struct il__json_writer *w, const char *name, struct il__strs strs)
{
    if (!strs.count) return;
    il__jw_key(w, name);
    il__jw_array(w);
    for (size_t i = 0; i < strs.count; i++) il__jw_str(w, strs.items[i]);
    il__jw_array_end(w);
}

static void write_item(struct il__json_writer *w, const struct il__opinion *item)
{
    const struct il__said *said = &item->said;
    bool ask = said->verdict == IL__VERDICT_ASK && !said->error;
    il__jw_object(w);
    if (ask) il__jw_member_int(w, "approvers", said->approvers);
    if (il__str_present(said->asked)) {
        il__jw_key(w, "asked");
        il__jw_raw(w, said->asked);
    }
    il__jw_member_str(w, "code", said->code);
    if (said->error) il__jw_member_bool(w, "error", true);
    il__jw_member_str(w, "file", il__str_present(said->file) ? said->file : il__str(item->policy->label));
    il__jw_member_z(w, "level", il__level_names[said->level]);
    if (said->line > 0) il__jw_member_int(w, "line", said->line);
    if (item->ruled.override_) il__jw_member_bool(w, "override", true);
    il__jw_member_z(w, "phase", il__phase_names[item->phase]);
    il__jw_member_str(w, "policy", said->policy);
    il__jw_member_str(w, "reason", said->reason);
    il__jw_member_str(w, "remedy", said->remedy);
    if (ask) write_strs(w, "roles", said->roles);
    il__jw_member_z(w, "ruled", il__verdict_names[item->ruled.verdict]);
    il__jw_member_z(w, "said", il__case_verdict_names[il__said_index(said)]);
    if (ask && said->timeout_ms) il__jw_member_int(w, "timeoutMs", said->timeout_ms);
    if (il__str_present(item->used)) {
        il__jw_key(w, "used");
        il__jw_raw(w, item->used);
    }
    il__jw_object_end(w);
}

static void write_need(struct il__json_writer *w, const struct il__need *need)
{
    il__jw_object(w);
    il__jw_member_int(w, "approvers", need->approvers);
    il__jw_member_str(w, "code", need->code);
    if (need->override_) il__jw_member_bool(w, "override", true);
    il__jw_member_str(w, "policy", need->policy);
    il__jw_member_str(w, "reason", need->reason);
    write_strs(w, "roles", need->roles);
    if (need->timeout_ms) il__jw_member_int(w, "timeoutMs", need->timeout_ms);
    il__jw_object_end(w);
}

void il__judgement_write(il_policy *policy, const struct il__case *c, const struct il__judgement *j,
                         struct il__json_writer *w)
{
    const struct il__policies port = il__policy_set_port(policy->set);
    il__jw_object(w);
    il__jw_member_str(w, "hostPolicyDigest", port.digest(port.ctx));
    il__jw_member_str(w, "name", c->given.name);
    il__jw_key(w, "needs");
    il__jw_array(w);
    for (size_t i = 0; i < j->need_count; i++) write_need(w, &j->needs[i]);
    il__jw_array_end(w);
    il__jw_member_z(w, "phase", il__phase_names[j->phase]);
    il__jw_key(w, "policies");
    il__jw_array(w);
    for (size_t i = 0; i < j->count; i++) write_item(w, &j->items[i]);
    il__jw_array_end(w);
    il__jw_member_z(w, "route", il__route_names[c->route]);
    il__jw_member_z(w, "said", il__case_verdict_names[j->said]);
    il__jw_member_z(w, "verdict", il__verdict_names[j->verdict]);
    il__jw_object_end(w);
}
