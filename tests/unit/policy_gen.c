/* Random policies and actions, and the model of what comes of them (policy_gen.h). */
#include "policy_gen.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* splitmix64: the same on every machine and compiler. */
uint32_t gen_dice(struct gen *g, uint32_t sides)
{
    uint64_t z = g->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) >> 32) % sides;
}

static int less(struct gen *g, uint32_t sides)
{
    return (int)gen_dice(g, sides);
}

/* ---- actions ----------------------------------------------------------------------------------------------------- */

static const char *const tools[] = { "write_clipboard", "press_key", "click" };
static const char *const apps[] = { "org.example.Mail", "org.example.Editor" };
static const char *const labels[] = { "private", "public" };
static const char *const modes[] = { "background", "foreground" };
static const char *const classes[] = { "observe", "navigate", "edit_reversible", "communicate_external",
                                       "authentication", "financial", "destructive", "privilege_change",
                                       "secret_access" };
static const char *const assessments[] = { "sensitive", "non_sensitive", "unknown" };
const char *const gen_reasons[] = { NULL, "fine", "late" };
const char *const gen_roles[] = { "lead", "operator" };
const char *const gen_codes[] = { NULL, "hours", "class" };

static int index_of(const char *const *names, size_t count, struct il_str s)
{
    for (size_t i = 0; i < count; i++)
        if (il__str_eq(il__str(names[i]), s)) return (int)i;
    return 99;
}

int gen_index_tool(struct il_str s) { return index_of(tools, 3, s); }
int gen_index_mode(struct il_str s) { return index_of(modes, 2, s); }
int gen_index_app(struct il_str s) { return index_of(apps, 2, s); }
int gen_index_label(struct il_str s) { return index_of(labels, 2, s); }

struct gen_action gen_action(struct gen *g)
{
    return (struct gen_action){
        .tool = less(g, 3), .mode = less(g, 2), .cls = less(g, 9), .n = less(g, 7), .hour = less(g, 24),
        .app = less(g, 3) - 1, .label = less(g, 3) - 1, .sensitivity = less(g, 4) - 1, .untrusted = less(g, 3) - 1,
        .reversible = gen_dice(g, 2) != 0, .external = gen_dice(g, 2) != 0,
        .route = gen_dice(g, 3) ? IL__ROUTE_ALLOWED : less(g, 3), .vote_reason = less(g, 3),
        .budget = 1,
    };
}

struct text { char *out; size_t size, len; };

static void put(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(struct text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(t->out + t->len, t->size - t->len, fmt, args);
    va_end(args);
    if (n > 0) t->len += (size_t)n < t->size - t->len ? (size_t)n : t->size - t->len - 1;
}

/* The members that proposal and envelope share, each with a comma in front. */
static void put_shared(struct text *t, const struct gen_action *a)
{
    if (a->app >= 0)
        put(t, ",\"target\":{\"platform\":\"linux\",\"appId\":\"%s\",\"observationId\":\"o-1\",\"confidence\":1,"
               "\"capturedAt\":\"2026-11-30T00:00:00Z\"}", apps[a->app]);
    if (a->untrusted >= 0)
        put(t, ",\"provenance\":{\"untrustedInstruction\":%s,\"sourceObservationIds\":[]}",
            a->untrusted ? "true" : "false");
}

static void put_envelope_only(struct text *t, const struct gen_action *a)
{
    put(t, ",\"actionClass\":\"%s\",\"reversible\":%s,\"externalSideEffect\":%s", classes[a->cls],
        a->reversible ? "true" : "false", a->external ? "true" : "false");
    if (a->sensitivity >= 0)
        put(t, ",\"targetSensitivity\":{\"assessment\":\"%s\",\"source\":\"accessibility\",\"signals\":[%s],"
               "\"fieldsChecked\":1,\"observedAt\":\"2026-11-30T00:00:00Z\"}", assessments[a->sensitivity],
            a->sensitivity == 0 ? "\"secure_role\"" : "");
}

/* A capital letter among the arguments: the runtime's digest rule cannot be computed, so that a fixed digest serves. */
static void put_proposal(struct text *t, const struct gen_action *a)
{
    put(t, "\"tool\":\"%s\",\"mode\":\"%s\",\"arguments\":{\"N\":%d}", tools[a->tool], modes[a->mode], a->n);
    put_shared(t, a);
    if (a->label >= 0) put(t, ",\"dataLabels\":[\"%s\"]", labels[a->label]);
}

size_t gen_proposal(const struct gen_action *a, char *out, size_t size)
{
    struct text t = { out, size, 0 };
    put(&t, "{");
    put_proposal(&t, a);
    put(&t, "}");
    return t.len;
}

size_t gen_case(const struct gen_action *a, char *out, size_t size)
{
    struct text t = { out, size, 0 };
    put(&t, "{\"action\":{");
    put_proposal(&t, a);
    put_envelope_only(&t, a);
    put(&t, "},\"at\":\"2026-11-30T%02d:00:00Z\",\"route\":\"%s\"}", a->hour, il__route_names[a->route]);
    return t.len;
}

size_t gen_preview(const struct gen_action *a, char *out, size_t size)
{
    static const char *const how[] = {
        [IL__ROUTE_BLOCKED] = "\"executable\":false,\"blocker\":\"target_gone\"",
        [IL__ROUTE_APPROVAL] = "\"executable\":false,\"blocker\":\"approval_required\"",
        [IL__ROUTE_ALLOWED] = "\"executable\":true",
    };
    struct text t = { out, size, 0 };
    put(&t, "{\"envelope\":{\"actionId\":\"$A\",\"sessionId\":\"s-1\",\"principalId\":\"p-1\",\"agentId\":\"agent-1\","
            "\"executionGroupId\":\"group-1\",\"tool\":\"%s\",\"operation\":\"%s\",\"requestedMode\":\"%s\"",
        tools[a->tool], tools[a->tool], modes[a->mode]);
    put_shared(&t, a);
    put_envelope_only(&t, a);
    put(&t, ",\"dataLabels\":[\"%s\"]", a->label >= 0 ? labels[a->label] : "unknown");
    put(&t, ",\"proposedAt\":\"2026-11-30T00:00:00Z\",\"expiresAt\":\"2026-12-02T00:00:00Z\",\"argsDigest\":"
            "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"},%s,\"policy\":{\"decision\":"
            "\"allow\",\"policyDigest\":\"sha256:policy-1\",\"reasons\":[]},\"capability\":{\"appId\":\"*\","
            "\"operation\":\"x\",\"backend\":\"none\",\"supportedModes\":[],\"interference\":\"none\",\"confidence\":1,"
            "\"verificationSource\":\"rule\"}}", how[a->route]);
    return t.len;
}

/* ---- conditions -------------------------------------------------------------------------------------------------- */

enum { ANY = 15, LATER = 14, APPROVE_ONLY = 4, EXECUTE_ONLY = 8 };

/* How each is written, in which phases it can be read, and how many values it is compared with. */
enum { TOOL, MODE, COUNT, HOUR, APP, LABEL, UNTRUSTED, PARAM, CLASS, REVERSIBLE, EXTERNAL, SENSITIVITY, ROUTE, VOTE,
       LEASE, ATOM_KINDS };
static const struct {
    const char *lua;
    unsigned phases;
    uint32_t values;
    const char *const *names;
} atoms[ATOM_KINDS] = {
    [TOOL] = { "action.tool == \"%s\"", ANY, 3, tools },
    [MODE] = { "action.mode == \"%s\"", ANY, 2, modes },
    [COUNT] = { "action.arguments.N < %d", ANY, 8, NULL },
    [HOUR] = { "ctx.time.hour < %d", ANY, 25, NULL },
    [APP] = { "(action.target ~= nil and action.target.app_id == \"%s\")", ANY, 2, apps },
    [LABEL] = { "has(action.data_labels, \"%s\")", ANY, 2, labels },
    [UNTRUSTED] = { "(action.provenance ~= nil and action.provenance.untrusted_instruction == (%d == 1))", ANY, 2,
                    NULL },
    [PARAM] = { "ctx.params.k < %d", ANY, 8, NULL },
    [CLASS] = { "action.action_class == \"%s\"", LATER, 9, classes },
    [REVERSIBLE] = { "action.reversible == (%d == 1)", LATER, 2, NULL },
    [EXTERNAL] = { "action.external_side_effect == (%d == 1)", LATER, 2, NULL },
    [SENSITIVITY] = { "(action.target_sensitivity ~= nil and action.target_sensitivity.assessment == \"%s\")", LATER, 3,
                      assessments },
    [ROUTE] = { "ctx.route == \"%s\"", LATER, 3, il__route_names },
    [VOTE] = { "ctx.decision.reason == \"%s\"", APPROVE_ONLY, 2, gen_reasons + 1 },
    [LEASE] = { "ctx.lease.action_budget > %d", EXECUTE_ONLY, 2, NULL },
};

/* 1 true, 0 false, -1 raises. */
static int holds(const struct gen_atom *atom, const struct gen_policy *p, enum il__phase phase, bool has_preview,
                 const struct gen_action *a)
{
    if (!(atoms[atom->kind].phases & (1u << phase))) return -1;
    /* The view of a proposal has no such members; the route is merely absent before the preview. */
    if (!has_preview && atom->kind >= CLASS && atom->kind <= SENSITIVITY) return -1;
    switch (atom->kind) {
    case TOOL: return a->tool == atom->k;
    case MODE: return a->mode == atom->k;
    case COUNT: return a->n == GEN_NO_NUMBER ? -1 : a->n < atom->k;
    case HOUR: return a->hour < atom->k;
    case APP: return a->app == atom->k;
    case LABEL: return a->label == atom->k || a->label == 2;
    case UNTRUSTED: return a->untrusted == atom->k;
    case PARAM: return p->param < atom->k;
    case CLASS: return a->cls == atom->k;
    case REVERSIBLE: return a->reversible == (atom->k == 1);
    case EXTERNAL: return a->external == (atom->k == 1);
    case SENSITIVITY: return a->sensitivity == atom->k;
    case ROUTE: return has_preview && a->route == atom->k;
    case VOTE: return a->vote_reason == atom->k + 1;
    case LEASE: return a->budget > atom->k;
    }
    return -1;
}

/* Joined from the left, each `and` and `or` as lazy as Lua's. */
static int fires(const struct gen_rule *r, const struct gen_policy *p, enum il__phase phase, bool has_preview,
                 const struct gen_action *a)
{
    int sum = 1;
    for (int i = 0; i < r->atom_count; i++) {
        const struct gen_atom *atom = &r->atoms[i];
        if (i > 0 && sum == (atom->either ? 1 : 0)) continue;
        sum = holds(atom, p, phase, has_preview, a);
        if (sum < 0) return sum;
        if (atom->negated) sum = !sum;
    }
    return sum;
}

struct gen_said gen_said(const struct gen_policy *p, enum il__phase phase, bool has_preview, const struct gen_action *a)
{
    static const enum gen_say said_by[GEN_ACTS] = {
        [GEN_NOTHING] = GEN_SAID_NONE, [GEN_NIL] = GEN_SAID_NONE, [GEN_ASK] = GEN_SAID_ASK,
        [GEN_DENY] = GEN_SAID_DENY, [GEN_RAISE] = GEN_SAID_ERROR, [GEN_INDEX] = GEN_SAID_ERROR,
        [GEN_TRUE] = GEN_SAID_ERROR, [GEN_FALSE] = GEN_SAID_ERROR, [GEN_TEXT] = GEN_SAID_ERROR,
        [GEN_TABLE] = GEN_SAID_ERROR, [GEN_FORGED] = GEN_SAID_ERROR, [GEN_TWO] = GEN_SAID_ERROR,
        [GEN_BAD_ASK] = GEN_SAID_ERROR, [GEN_LOOP] = GEN_SAID_ERROR,
    };
    struct gen_said out = { GEN_SAID_NONE, NULL };
    for (int i = 0; i < p->rule_count[phase]; i++) {
        const struct gen_rule *r = &p->rules[phase][i];
        int fired = fires(r, p, phase, has_preview, a);
        if (fired < 0) out.said = GEN_SAID_ERROR;
        if (fired < 0) return out;
        if (!fired || r->act == GEN_FALL) continue;
        out.rule = r;
        out.said = said_by[r->act];
        return out;
    }
    return out;
}

/* ---- policies as Lua --------------------------------------------------------------------------------------------- */

struct writer { struct text t; int line; };

static void put_line(struct writer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put_line(struct writer *w, const char *fmt, ...)
{
    va_list args;
    char line[1200];
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    put(&w->t, "%s\n", line);
    w->line++;
}

static void put_atom(struct text *t, const struct gen_atom *atom)
{
    char one[200];
    struct text own = { one, sizeof one, 0 };
    /* Both ways of writing it, by its table; the compiler sees a format from a table, hence the two calls. */
    const char *lua = atoms[atom->kind].lua;
    const char *at = strchr(lua, '%');
    put(&own, "%.*s", (int)(at - lua), lua);
    if (atoms[atom->kind].names) put(&own, "%s", atoms[atom->kind].names[atom->k]);
    else put(&own, "%d", atom->k);
    put(&own, "%s", at + 2);
    put(t, atom->negated ? "not (%s)" : "%s", one);
}

static void put_condition(struct text *t, const struct gen_rule *r)
{
    if (r->atom_count == 0) put(t, "true");
    for (int i = 0; i < r->atom_count; i++) put(t, "(");
    for (int i = 0; i < r->atom_count; i++) {
        if (i) put(t, r->atoms[i].either ? " or " : " and ");
        put_atom(t, &r->atoms[i]);
        put(t, ")");
    }
}

static void put_act(struct writer *w, const struct gen_rule *r)
{
    static const char *const plain[GEN_ACTS] = {
        [GEN_FALL] = "local _ = 0", [GEN_NOTHING] = "do return end", [GEN_NIL] = "return nil",
        [GEN_RAISE] = "error('on purpose')", [GEN_INDEX] = "local t; return t.x", [GEN_TRUE] = "return true",
        [GEN_FALSE] = "return false", [GEN_TEXT] = "return 'allow'", [GEN_TABLE] = "return {}",
        [GEN_FORGED] = "return setmetatable({ verdict = 'none' }, {})",
        [GEN_TWO] = "return policy.ask('both'), policy.deny('both')",
        [GEN_BAD_ASK] = "return policy.ask('x', { approvers = 0 })", [GEN_LOOP] = "while true do end",
    };
    char more[200] = "";
    struct text t = { more, sizeof more, 0 };
    if (plain[r->act]) {
        put_line(w, "%s", plain[r->act]);
        return;
    }
    if (r->code) put(&t, ", code = '%s'", gen_codes[r->code]);
    if (r->act == GEN_ASK) {
        put(&t, ", approvers = %d", r->approvers);
        if (r->timeout_s) put(&t, ", timeout = %d", r->timeout_s);
        if (r->roles) put(&t, ", roles = { %s%s%s }", r->roles & 1 ? "'lead'" : "", r->roles == 3 ? ", " : "",
                          r->roles & 2 ? "'operator'" : "");
    }
    put_line(w, "return policy.%s('reason %d', {%s })", r->act == GEN_ASK ? "ask" : "deny", r->reason,
             more[0] ? more + 1 : "");
}

static void put_phase(struct writer *w, struct gen_policy *p, int phase)
{
    put_line(w, "%s = function(action, ctx)", il__phase_names[phase]);
    for (int i = 0; i < p->rule_count[phase]; i++) {
        struct gen_rule *r = &p->rules[phase][i];
        char condition[1000];
        struct text t = { condition, sizeof condition, 0 };
        put_condition(&t, r);
        put_line(w, "if %s then", condition);
        r->line = w->line + 1;
        put_act(w, r);
        put_line(w, "end");
    }
    put_line(w, "end,");
}

static void write_policy(struct gen_policy *p, int at)
{
    struct writer w = { { p->source, sizeof p->source, 0 }, 0 };
    put_line(&w, "local policy = require 'interlock.policy'");
    put_line(&w, "local function has(list, value)");
    put_line(&w, "for _, item in ipairs(list or {}) do if item == value then return true end end");
    put_line(&w, "return false");
    put_line(&w, "end");
    put_line(&w, "return policy { name = 'p%d',", at);
    for (int phase = 0; phase < 4; phase++)
        if (p->phases & (1u << phase)) put_phase(&w, p, phase);
    put_line(&w, "}");
}

/* ---- making them ------------------------------------------------------------------------------------------------- */

static struct gen_atom make_atom(struct gen *g, int phase)
{
    struct gen_atom atom = { .kind = less(g, ATOM_KINDS),
                             .negated = gen_dice(g, 4) == 0,
                             .either = gen_dice(g, 3) == 0 };
    /* What the phase does not have is a mistake that policies make now and then. */
    bool mistake = gen_dice(g, 40) == 0;
    while (!mistake && !(atoms[atom.kind].phases & (1u << phase))) atom.kind = less(g, ATOM_KINDS);
    atom.k = less(g, atoms[atom.kind].values);
    return atom;
}

static enum gen_act make_act(struct gen *g, uint32_t loops)
{
    static const enum gen_act usual[] = { GEN_ASK, GEN_ASK, GEN_ASK, GEN_DENY, GEN_DENY, GEN_DENY, GEN_NOTHING, GEN_NIL,
                                          GEN_FALL };
    if (loops && gen_dice(g, loops) == 0) return GEN_LOOP;
    if (gen_dice(g, 6) == 0) return (enum gen_act)(GEN_RAISE + less(g, GEN_LOOP - GEN_RAISE));
    return usual[gen_dice(g, sizeof usual / sizeof *usual)];
}

static void make_policy(struct gen *g, struct gen_policy *p, int at, uint32_t loops)
{
    memset(p, 0, sizeof *p);
    p->level = less(g, 3);
    p->param = less(g, 8);
    p->phases = 1 + gen_dice(g, 15);
    for (int phase = 0; phase < 4; phase++) {
        if (!(p->phases & (1u << phase))) continue;
        p->rule_count[phase] = less(g, GEN_RULES + 1);
        for (int i = 0; i < p->rule_count[phase]; i++) {
            struct gen_rule *r = &p->rules[phase][i];
            r->atom_count = 1 + less(g, GEN_ATOMS);
            if (gen_dice(g, 20) == 0) r->atom_count = 0;
            for (int k = 0; k < r->atom_count; k++) r->atoms[k] = make_atom(g, phase);
            r->act = make_act(g, loops);
            r->approvers = gen_dice(g, 3) ? 1 : 1 + less(g, 3);
            r->roles = gen_dice(g, 4) ? 0 : gen_dice(g, 4);
            r->timeout_s = gen_dice(g, 3) ? 0 : 60 * (1 + less(g, 10));
            r->code = less(g, 3);
            r->reason = less(g, 3);
        }
    }
    write_policy(p, at);
}

void gen_bundle(struct gen *g, struct gen_bundle *b, uint32_t loops)
{
    struct text t = { b->manifest, sizeof b->manifest, 0 };
    b->count = 1 + less(g, GEN_POLICIES);
    put(&t, "{\"name\":\"gen\",\"version\":\"1\",\"requires\":1,\"policies\":[");
    for (int i = 0; i < b->count; i++) {
        make_policy(g, &b->policies[i], i, loops);
        put(&t, "%s{\"file\":\"p%d.lua\",\"level\":\"%s\",\"params\":{\"k\":{\"type\":\"integer\",\"default\":%d}}}",
            i ? "," : "", i, il__level_names[b->policies[i].level], b->policies[i].param);
    }
    put(&t, "]}");
}

/* ---- the model of SPEC §5 ---------------------------------------------------------------------------------------- */

/* One letter for each phase, in order propose, preview, approve, execute: `.` passes, `r` is only reported, `n` is a
 * need, `o` is an override ask, `D` denies, `d` denies unless this very deny was overridden. */
static const char *const table[3][4] = {
    [IL__LEVEL_ADVISORY] = { [GEN_SAID_NONE] = "....", [GEN_SAID_ASK] = "rrrr", [GEN_SAID_DENY] = "rrrr",
                             [GEN_SAID_ERROR] = "ooDD" },
    [IL__LEVEL_SOFT] = { [GEN_SAID_NONE] = "....", [GEN_SAID_ASK] = "nnDd", [GEN_SAID_DENY] = "ooDd",
                         [GEN_SAID_ERROR] = "ooDD" },
    [IL__LEVEL_HARD] = { [GEN_SAID_NONE] = "....", [GEN_SAID_ASK] = "nnDD", [GEN_SAID_DENY] = "DDDD",
                         [GEN_SAID_ERROR] = "DDDD" },
};

enum gen_ruled gen_ruled(int level, int said, enum il__phase phase, bool overridden)
{
    switch (table[level][said][phase]) {
    case '.': return GEN_PASSES;
    case 'r': return GEN_REPORTED;
    case 'n': return GEN_NEEDS;
    case 'o': return GEN_OVERRIDE;
    case 'd': return overridden ? GEN_PASSES : GEN_DENIES;
    }
    return GEN_DENIES;
}

enum il__verdict gen_weight(enum gen_ruled ruled)
{
    static const enum il__verdict weights[] = { [GEN_PASSES] = IL__VERDICT_NONE, [GEN_REPORTED] = IL__VERDICT_NONE,
                                                [GEN_NEEDS] = IL__VERDICT_ASK, [GEN_OVERRIDE] = IL__VERDICT_ASK,
                                                [GEN_DENIES] = IL__VERDICT_DENY };
    return weights[ruled];
}

enum il__verdict gen_route_weight(int route)
{
    return route == IL__ROUTE_ALLOWED ? IL__VERDICT_NONE
           : route == IL__ROUTE_APPROVAL ? IL__VERDICT_ASK : IL__VERDICT_DENY;
}
