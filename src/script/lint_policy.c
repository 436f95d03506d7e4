/* Rules about policies (lint_inside.h): what a file declares, and what becomes of its verdicts. */
#include "script/lint_inside.h"
#include "script/policy_api.h"

#include <stdio.h>

/* ---- declarations ------------------------------------------------------------------------------------------------ */

static bool is_constant(const struct il__syntax *s, uint32_t at)
{
    enum il__syn_kind kind = (enum il__syn_kind)il__syn(s, at)->kind;
    return kind == IL__SYN_NIL || kind == IL__SYN_TRUE || kind == IL__SYN_FALSE || kind == IL__SYN_NUMBER ||
           kind == IL__SYN_STRING;
}

static void declared_field(struct il__lint *lint, uint32_t field, bool *named, bool *phased)
{
    const struct il__syntax *s = lint->file->syntax;
    const struct il__syn *n = il__syn(s, field), *key = il__syn(s, n->first);
    struct il__lint_text shown;
    struct il__lint_fix fix;
    if (n->kind != IL__SYN_FIELD || key->kind != IL__SYN_STRING) return;
    bool name = il__str_eq(key->text, IL_STR("name")), phase = il__name_index(il__phase_names, key->text) >= 0;
    *named |= name;
    *phased |= phase;
    if (phase && (is_constant(s, n->last) || il__syn(s, n->last)->kind == IL__SYN_TABLE)) {
        snprintf(fix.z, sizeof fix.z, "write %s = function(action, ctx) ... end", il__lint_show(&shown, key->text));
        il__lint_node(lint, IL__LINT_POLICY_SHAPE, n->last, fix.z, "a phase is a function");
    }
    if (name || phase) return;
    struct il__near near = il__near_start(key->text);
    il__near_try(&near, IL_STR("name"));
    for (size_t i = 0; il__phase_names[i]; i++) il__near_try(&near, il__str(il__phase_names[i]));
    const char *mean = il__lint_mean(&fix, &near);
    il__lint_at(lint, IL__LINT_POLICY_SHAPE, key->from, key->to,
                mean ? mean : "there are: name, propose, preview, approve, execute", "a policy has no `%s`",
                il__lint_show(&shown, key->text));
}

static void declaration(struct il__lint *lint, uint32_t call)
{
    const struct il__syntax *s = lint->file->syntax;
    const struct il__syn *callee = il__syn(s, il__syn(s, call)->first);
    bool named = false, phased = false;
    if (il__syn(s, callee->next)->kind != IL__SYN_TABLE) return;
    for (uint32_t f = il__syn(s, callee->next)->first; f; f = il__syn(s, f)->next)
        declared_field(lint, f, &named, &phased);
    if (!named)
        il__lint_at(lint, IL__LINT_POLICY_SHAPE, callee->from, callee->to, "write name = \"office-hours\",",
                    "the policy has no name");
    if (!phased)
        il__lint_at(lint, IL__LINT_POLICY_SHAPE, callee->from, callee->to,
                    "write preview = function(action, ctx) ... end", "the policy has no phase");
}

/* The file must end with `return policy { ... }`; a value that is not known may be one. */
static void returns_policy(struct il__lint *lint)
{
    const struct il__syntax *s = lint->file->syntax;
    uint32_t last = il__syn(s, s->root)->last, value = il__syn(s, last)->first, dropped = 0;
    for (uint32_t at = 1; at < s->count; at++) {
        if (il__syn(s, at)->kind != IL__SYN_CALL_STAT) continue;
        uint32_t call = il__syn(s, at)->first;
        if (il__lint_is_object(il__lint_type(lint, il__syn(s, call)->first), &il__policy_object)) dropped = call;
    }
    if (dropped) {
        il__lint_node(lint, IL__LINT_NO_POLICY, il__syn(s, dropped)->first, "write `return policy { ... }`",
                      "the policy is declared and not returned");
    } else if (il__syn(s, last)->kind != IL__SYN_RETURN || !value) {
        il__lint_at(lint, IL__LINT_NO_POLICY, (uint32_t)s->source.len, (uint32_t)s->source.len,
                    "end it with `return policy { name = ..., preview = function(action, ctx) ... end }`",
                    "this file returns no policy");
    } else if (is_constant(s, value) || il__syn(s, value)->kind == IL__SYN_TABLE ||
               il__syn(s, value)->kind == IL__SYN_FUNCTION ||
               il__lint_is_object(il__lint_type(lint, value), &il__policy_object)) {
        il__lint_node(lint, IL__LINT_NO_POLICY, value, "write `return policy { ... }`", "this is no policy");
    }
}

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

static void verdict(struct il__lint *lint, uint32_t call, const char *name)
{
    const struct il__syntax *s = lint->file->syntax;
    uint32_t callee = il__syn(s, call)->first, reason = il__syn(s, callee)->next;
    char fix[80];
    snprintf(fix, sizeof fix, "write policy.%s(\"why\")", name);
    bool constant = reason && (is_constant(s, reason) || il__syn(s, reason)->kind == IL__SYN_TABLE);
    bool empty = il__syn(s, reason)->kind == IL__SYN_STRING && il__syn(s, reason)->text.len == 0;
    if (!reason || empty || (constant && il__syn(s, reason)->kind != IL__SYN_STRING))
        il__lint_node(lint, IL__LINT_NO_REASON, call, fix, "policy.%s needs a reason that people read", name);
    if (il__syn(s, il__syn(s, call)->parent)->kind == IL__SYN_CALL_STAT)
        il__lint_node(lint, IL__LINT_DROPPED_VERDICT, call, "write `return` before it",
                      "this verdict is made and dropped: it decides nothing");
    unsigned phases = il__lint_phases(lint, call), late = 1u << IL__PHASE_APPROVE | 1u << IL__PHASE_EXECUTE;
    if (strcmp(name, "ask") == 0 && phases && !(phases & ~late))
        il__lint_node(lint, IL__LINT_ASK_DENIES, call, "write policy.deny, or ask in `preview`",
                      "in this phase nobody is asked any more: an ask counts as a deny");
}

/* What a phase returns: nothing, or one verdict. */
static void returned(struct il__lint *lint, uint32_t at)
{
    const struct il__syntax *s = lint->file->syntax;
    uint32_t function = il__syn_function(s, at), value = il__syn(s, at)->first;
    if (!value || !lint->file->phases[function]) return;
    enum il__syn_kind kind = (enum il__syn_kind)il__syn(s, value)->kind;
    struct il__lint_type type = il__lint_type(lint, value);
    const char *usage = "return nothing, policy.ask(\"why\") or policy.deny(\"why\")";
    if (type.what == IL__LINT_MEMBER && type.object == &il__policy_object && kind == IL__SYN_INDEX)
        il__lint_node(lint, IL__LINT_NOT_A_VERDICT, value, "call it: policy.deny(\"why\")",
                      "the function itself is returned, not a verdict");
    else if (kind == IL__SYN_TRUE || kind == IL__SYN_FALSE || kind == IL__SYN_NUMBER || kind == IL__SYN_STRING ||
             kind == IL__SYN_TABLE || kind == IL__SYN_FUNCTION ||
             (kind == IL__SYN_BINARY && il__syn(s, value)->op != IL__TOK_AND && il__syn(s, value)->op != IL__TOK_OR) ||
             (kind == IL__SYN_UNARY))
        il__lint_node(lint, IL__LINT_NOT_A_VERDICT, value, usage, "a phase cannot return this");
    else if (il__syn(s, value)->next)
        il__lint_node(lint, IL__LINT_NOT_A_VERDICT, il__syn(s, value)->next, usage, "a phase returns one value");
}

void il__lint_policy(struct il__lint *lint)
{
    const struct il__syntax *s = lint->file->syntax;
    for (uint32_t at = 1; at < s->count; at++) {
        const struct il__syn *n = il__syn(s, at);
        if (n->kind == IL__SYN_RETURN) returned(lint, at);
        if (n->kind != IL__SYN_CALL) continue;
        const char *name = il__lint_verdict(lint, at);
        if (name) verdict(lint, at, name);
        if (il__lint_is_object(il__lint_type(lint, n->first), &il__policy_object)) declaration(lint, at);
    }
    if (lint->file->policy) returns_policy(lint);
}
