/* What expressions are, as far as it can be seen (lint_inside.h): one pass in the order of the nodes, since what a name
 * stands for is written before it; repeated while the parameters of local functions become known from their calls. */
#include "script/lint_inside.h"
#include "script/policy_api.h"
#include "script/policy_ctx.h"
#include "script/seen.h"

enum { NOT_KNOWN, FRESH, KNOWN }; /* of a parameter: FRESH since the nodes were looked at last */
enum { PASSES = 8, LATER = 1u << IL__PHASE_PREVIEW | 1u << IL__PHASE_APPROVE | 1u << IL__PHASE_EXECUTE };

bool il__lint_is(const struct il__lint *lint, uint32_t node, enum il__syn_kind kind)
{
    return il__syn(lint->file->syntax, node)->kind == (uint8_t)kind;
}

bool il__lint_is_object(struct il__lint_type type, const struct il__object *object)
{
    return type.what == IL__LINT_OBJECT && type.object == object;
}

static uint32_t unparen(const struct il__syntax *s, uint32_t node)
{
    while (il__syn(s, node)->kind == IL__SYN_PAREN) node = il__syn(s, node)->first;
    return node;
}

struct il__lint_type il__lint_type(const struct il__lint *lint, uint32_t node)
{
    return lint->file->nodes[unparen(lint->file->syntax, node)];
}

struct il_str il__lint_key(const struct il__lint *lint, uint32_t index)
{
    const struct il__syntax *s = lint->file->syntax;
    uint32_t key = unparen(s, il__syn(s, index)->last);
    return il__syn(s, key)->kind == IL__SYN_STRING ? il__syn(s, key)->text : IL_STR_NONE;
}

uint32_t il__lint_value(const struct il__lint *lint, uint32_t local)
{
    const struct il__syntax *s = lint->file->syntax;
    if (!local || s->locals[local - 1].writes) return 0;
    uint32_t define = s->locals[local - 1].define, names = il__syn(s, define)->parent;
    uint32_t owner = il__syn(s, names)->parent;
    if (il__syn(s, owner)->kind == IL__SYN_LOCAL_FUNCTION) return il__syn(s, owner)->last;
    if (il__syn(s, owner)->kind != IL__SYN_LOCAL) return 0;
    uint32_t value = il__syn(s, il__syn(s, owner)->last)->first;
    for (uint32_t at = il__syn(s, names)->first; at != define && value; at = il__syn(s, at)->next)
        value = il__syn(s, value)->next;
    return unparen(s, value);
}

uint32_t il__lint_callee(const struct il__lint *lint, uint32_t callee)
{
    const struct il__syntax *s = lint->file->syntax;
    if (il__syn(s, callee)->kind != IL__SYN_NAME) return 0;
    uint32_t value = il__lint_value(lint, il__syn(s, callee)->local);
    return il__syn(s, value)->kind == IL__SYN_FUNCTION ? value : 0;
}

unsigned il__lint_phases(const struct il__lint *lint, uint32_t node)
{
    const struct il__lint_file *f = lint->file;
    for (uint32_t at = il__syn_function(f->syntax, node); at; at = il__syn_function(f->syntax, at))
        if (f->phases[at]) return f->phases[at];
    return 0;
}

const char *il__lint_verdict(const struct il__lint *lint, uint32_t call)
{
    const struct il__syntax *s = lint->file->syntax;
    if (il__syn(s, call)->kind != IL__SYN_CALL) return NULL;
    struct il__lint_type type = il__lint_type(lint, il__syn(s, call)->first);
    if (type.what != IL__LINT_MEMBER || type.object != &il__policy_object) return NULL;
    const char *name = type.member->name;
    return strcmp(name, "ask") == 0 || strcmp(name, "deny") == 0 ? name : NULL;
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

static struct il__lint_type of_kind(const struct il__kind *kind, unsigned phases)
{
    struct il__lint_type t = { .what = IL__LINT_UNKNOWN };
    if (!kind) return t;
    if (kind->schema) t = (struct il__lint_type){ .what = IL__LINT_VIEW, .schema = kind->schema };
    else if (kind->names) t = (struct il__lint_type){ .what = IL__LINT_NAMES, .names = kind->names };
    else if (kind->object)
        t = (struct il__lint_type){ .what = IL__LINT_OBJECT, .object = kind->object, .phases = phases };
    return t;
}

static bool object_member(struct il__lint_type type, struct il_str key, struct il__lint_type *out, unsigned *phases)
{
    for (const struct il__member *m = type.object->members; m && m->name; m++) {
        if (!il__str_eq(il__str(m->name), key)) continue;
        *phases = m->phases;
        if (il__kind_is_function(m))
            *out = (struct il__lint_type){ .what = IL__LINT_MEMBER, .object = type.object, .member = m,
                                           .phases = type.phases };
        else *out = of_kind(il__kind_of(il__str(m->kind)), type.phases);
        return true;
    }
    return false;
}

static bool schema_member(const struct il__schema *schema, struct il_str key, struct il__lint_type *out)
{
    const struct il__field *row = il__field_lua(schema, key);
    if (!row) return false;
    const char *const *names = il__kind_field_names(schema, row);
    if (row->kind == IL__F_OBJECT) *out = (struct il__lint_type){ .what = IL__LINT_VIEW, .schema = row->sub };
    else if (names && row->kind != IL__F_ENUMS)
        *out = (struct il__lint_type){ .what = IL__LINT_NAMES, .names = names };
    return true;
}

static bool action_member(const struct il__lint *lint, struct il__lint_type type, struct il_str key,
                          struct il__lint_type *out, unsigned *phases)
{
    bool early = schema_member(&il__proposal_schema, key, out), later = schema_member(lint->action_schema, key, out);
    *phases = (early ? 1u << IL__PHASE_PROPOSE : 0) | (later ? LATER : 0);
    (void)type;
    return early || later;
}

bool il__lint_member(const struct il__lint *lint, struct il__lint_type type, struct il_str key,
                     struct il__lint_type *out, unsigned *phases)
{
    *out = (struct il__lint_type){ .what = IL__LINT_UNKNOWN };
    *phases = 0;
    switch (type.what) {
    case IL__LINT_OBJECT: return !type.object->members || object_member(type, key, out, phases);
    case IL__LINT_VIEW: return schema_member(type.schema, key, out);
    case IL__LINT_ACTION: return action_member(lint, type, key, out, phases);
    case IL__LINT_LIBRARY:
        for (size_t i = 0; i < type.library->member_count; i++)
            if (il__str_eq(type.library->members[i], key)) return true;
        return false;
    case IL__LINT_UNKNOWN: case IL__LINT_NAMES: case IL__LINT_MEMBER: break;
    }
    return true;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static struct il__lint_type type_of_name(const struct il__lint *lint, const struct il__syn *n)
{
    const struct il__lint_file *f = lint->file;
    struct il__lint_type t = { .what = IL__LINT_UNKNOWN };
    if (!n->local) {
        const struct il__global *g = il__globals_find(&lint->globals, n->text);
        if (g && g->member_count) t = (struct il__lint_type){ .what = IL__LINT_LIBRARY, .library = g };
        return t;
    }
    const struct il__syn_local *local = &f->syntax->locals[n->local - 1];
    if (local->role == IL__SYN_PARAMETER) return local->writes ? t : f->locals[n->local - 1];
    uint32_t value = il__lint_value(lint, n->local);
    return value ? f->nodes[value] : t;
}

static bool is_require(const struct il__lint *lint, uint32_t call, struct il_str *name)
{
    const struct il__syntax *s = lint->file->syntax;
    const struct il__syn *callee = il__syn(s, il__syn(s, call)->first);
    if (callee->kind != IL__SYN_NAME || callee->local || !il__str_eq(callee->text, IL_STR("require"))) return false;
    *name = il__syn(s, callee->next)->kind == IL__SYN_STRING ? il__syn(s, callee->next)->text : IL_STR_NONE;
    return true;
}

static struct il__lint_type type_of_call(const struct il__lint *lint, uint32_t call)
{
    struct il__lint_type t = { .what = IL__LINT_UNKNOWN };
    struct il_str name;
    if (is_require(lint, call, &name)) {
        if (il__str_eq(name, IL_STR("interlock.policy")))
            t = (struct il__lint_type){ .what = IL__LINT_OBJECT, .object = &il__policy_object };
        return t;
    }
    struct il__lint_type callee = il__lint_type(lint, il__syn(lint->file->syntax, call)->first);
    if (callee.what != IL__LINT_MEMBER) return t;
    return of_kind(il__kind_of(il__kind_results(callee.member)), callee.phases);
}

static struct il__lint_type type_of_index(const struct il__lint *lint, uint32_t index)
{
    struct il__lint_type t = { .what = IL__LINT_UNKNOWN };
    struct il_str key = il__lint_key(lint, index);
    unsigned phases;
    if (key.ptr)
        (void)il__lint_member(lint, il__lint_type(lint, il__syn(lint->file->syntax, index)->first), key, &t, &phases);
    return t;
}

static void type_nodes(struct il__lint *lint)
{
    struct il__lint_file *f = lint->file;
    for (uint32_t at = 1; at < f->syntax->count; at++) {
        const struct il__syn *n = il__syn(f->syntax, at);
        if (n->kind == IL__SYN_NAME) f->nodes[at] = type_of_name(lint, n);
        else if (n->kind == IL__SYN_INDEX) f->nodes[at] = type_of_index(lint, at);
        else if (n->kind == IL__SYN_CALL) f->nodes[at] = type_of_call(lint, at);
    }
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

/* What `param` of a function gets from one more caller; true when that changed what is known. */
static bool join(struct il__lint_file *f, uint32_t param, struct il__lint_type type)
{
    uint32_t local = il__syn(f->syntax, param)->local;
    if (!local) return false;
    struct il__lint_type *known = &f->locals[local - 1], old = *known;
    if (!f->local_known[local - 1]) *known = type;
    else if (known->what != type.what || known->object != type.object || known->schema != type.schema ||
             known->names != type.names || known->library != type.library || known->member != type.member)
        *known = (struct il__lint_type){ .what = IL__LINT_UNKNOWN };
    else known->phases |= type.phases;
    bool changed = !f->local_known[local - 1] || known->what != old.what || known->phases != old.phases;
    if (!f->local_known[local - 1]) f->local_known[local - 1] = FRESH;
    return changed;
}

static bool set_phase(struct il__lint *lint, uint32_t function, unsigned phase)
{
    struct il__lint_file *f = lint->file;
    uint32_t names = il__syn(f->syntax, function)->first, first = il__syn(f->syntax, names)->first;
    bool changed = (f->phases[function] & phase) == 0;
    f->phases[function] |= phase;
    if (!first) return changed;
    changed |= join(f, first, (struct il__lint_type){ .what = IL__LINT_ACTION, .phases = phase });
    uint32_t second = il__syn(f->syntax, first)->next;
    struct il__lint_type ctx = { .what = IL__LINT_OBJECT, .object = &il__ctx_object, .phases = phase };
    return second ? join(f, second, ctx) || changed : changed;
}

/* `policy { preview = function ... }`: the functions of phases. */
static bool declared(struct il__lint *lint, uint32_t table)
{
    const struct il__syntax *s = lint->file->syntax;
    bool changed = false;
    for (uint32_t at = il__syn(s, table)->first; at; at = il__syn(s, at)->next) {
        const struct il__syn *n = il__syn(s, at);
        if (n->kind != IL__SYN_FIELD || !il__syn(s, n->first)->text.ptr) continue;
        int phase = il__name_index(il__phase_names, il__syn(s, n->first)->text);
        uint32_t value = unparen(s, n->last);
        if (il__syn(s, value)->kind == IL__SYN_NAME) value = il__lint_callee(lint, value);
        if (phase >= 0 && il__syn(s, value)->kind == IL__SYN_FUNCTION)
            changed |= set_phase(lint, value, 1u << phase);
    }
    return changed;
}

/* True when what an argument is depends on a parameter of which nothing is known yet. */
static bool waits(const struct il__lint *lint, uint32_t arg)
{
    const struct il__syntax *s = lint->file->syntax;
    while (il__syn(s, arg)->kind == IL__SYN_INDEX || il__syn(s, arg)->kind == IL__SYN_PAREN)
        arg = il__syn(s, arg)->first;
    uint32_t local = il__syn(s, arg)->local;
    for (uint32_t value; local && (value = il__lint_value(lint, local)) != 0; local = il__syn(s, value)->local) {
        while (il__syn(s, value)->kind == IL__SYN_INDEX || il__syn(s, value)->kind == IL__SYN_PAREN)
            value = il__syn(s, value)->first;
        if (il__syn(s, value)->kind != IL__SYN_NAME) return false;
    }
    return local && s->locals[local - 1].role == IL__SYN_PARAMETER && lint->file->local_known[local - 1] != KNOWN;
}

static bool called(struct il__lint *lint, uint32_t call)
{
    const struct il__syntax *s = lint->file->syntax;
    uint32_t callee = il__syn(s, call)->first, function = il__lint_callee(lint, callee), arg = il__syn(s, callee)->next;
    bool changed = false;
    if (!function) return false;
    for (uint32_t p = il__syn(s, il__syn(s, function)->first)->first; p; p = il__syn(s, p)->next) {
        struct il__lint_type unknown = { .what = IL__LINT_UNKNOWN };
        if (!arg || !waits(lint, arg)) changed |= join(lint->file, p, arg ? il__lint_type(lint, arg) : unknown);
        if (arg) arg = il__syn(s, arg)->next;
    }
    return changed;
}

/* A local function that is handed on may be called with anything. */
static bool handed_on(struct il__lint *lint, uint32_t name)
{
    const struct il__syntax *s = lint->file->syntax;
    const struct il__syn *n = il__syn(s, name), *parent = il__syn(s, n->parent);
    uint32_t function = il__lint_callee(lint, name);
    if (!function || (parent->kind == IL__SYN_CALL && parent->first == name)) return false;
    if (parent->kind == IL__SYN_FIELD && lint->file->phases[function]) return false;
    bool changed = false;
    for (uint32_t p = il__syn(s, il__syn(s, function)->first)->first; p; p = il__syn(s, p)->next) {
        changed |= join(lint->file, p, (struct il__lint_type){ .what = IL__LINT_UNKNOWN });
    }
    return changed;
}

static bool type_functions(struct il__lint *lint)
{
    const struct il__syntax *s = lint->file->syntax;
    bool changed = false;
    for (uint32_t at = 1; at < s->count; at++) {
        const struct il__syn *n = il__syn(s, at);
        if (n->kind == IL__SYN_NAME) changed |= handed_on(lint, at);
        if (n->kind != IL__SYN_CALL) continue;
        uint32_t arg = il__syn(s, n->first)->next;
        if (il__lint_is_object(il__lint_type(lint, n->first), &il__policy_object) &&
            il__syn(s, arg)->kind == IL__SYN_TABLE)
            changed |= declared(lint, arg);
        changed |= called(lint, at);
    }
    return changed;
}

void il__lint_infer(struct il__lint *lint)
{
    struct il__lint_file *f = lint->file;
    f->nodes = il__lint_alloc(lint, f->syntax->count * sizeof *f->nodes);
    f->phases = il__lint_alloc(lint, f->syntax->count * sizeof *f->phases);
    f->locals = il__lint_alloc(lint, (f->syntax->local_count + 1) * sizeof *f->locals);
    f->local_known = il__lint_alloc(lint, f->syntax->local_count + 1);
    if (lint->no_memory) return;
    bool changed = true;
    for (int pass = 0; pass < PASSES && changed; pass++) {
        type_nodes(lint);
        for (uint32_t i = 0; i < f->syntax->local_count; i++)
            if (f->local_known[i] == FRESH) f->local_known[i] = KNOWN;
        changed = type_functions(lint);
    }
    type_nodes(lint);
}
