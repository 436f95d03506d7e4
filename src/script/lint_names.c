/* Rules about names (lint_inside.h): globals that are not there or are set, locals that nothing reads or that hide
 * another name. */
#include "script/hint.h"
#include "script/lint_inside.h"

#include <stdio.h>

/* True when the file itself sets that global somewhere. */
static bool set_here(const struct il__syntax *s, struct il_str name)
{
    for (uint32_t at = 1; at < s->count; at++) {
        const struct il__syn *n = il__syn(s, at);
        if (n->kind == IL__SYN_NAME && !n->local && (n->flags & IL__SYN_WRITTEN) && il__str_eq(n->text, name))
            return true;
    }
    return false;
}

/* What to write instead of a global that is not there. */
static const char *instead(struct il__lint *lint, struct il_str name, struct il__lint_fix *fix)
{
    const struct il__syntax *s = lint->file->syntax;
    const char *hint = il__hint_absent(name);
    if (hint) return hint;
    if (il__str_eq(name, IL_STR("policy"))) return "write local policy = require \"interlock.policy\" at the top";
    if (il__str_eq(name, IL_STR("ctx")) || il__str_eq(name, IL_STR("action"))) {
        snprintf(fix->z, sizeof fix->z, "only a phase is given `%.*s`: hand it to this function as a parameter",
                 IL_STR_FMT(name));
        return fix->z;
    }
    struct il__near near = il__near_start(name);
    const char *owner = il__hint_owner(name);
    for (uint32_t i = 0; owner && i < s->local_count; i++) {
        if (il__str_eq(s->locals[i].name, name)) owner = NULL;
    }
    if (owner) {
        snprintf(fix->z, sizeof fix->z, "write `%s.%.*s`", owner, IL_STR_FMT(name));
        return fix->z;
    }
    for (size_t i = 0; i < lint->globals.count; i++) il__near_try(&near, lint->globals.items[i].name);
    for (uint32_t i = 0; i < s->local_count; i++) il__near_try(&near, s->locals[i].name);
    if (il__str_eq(near.best, name)) return "the local of that name is not visible here: declare it before";
    for (size_t i = 0; !near.best.ptr && i < lint->globals.count; i++)
        for (size_t j = 0; j < lint->globals.items[i].member_count; j++) {
            if (!il__str_eq(lint->globals.items[i].members[j], name)) continue;
            snprintf(fix->z, sizeof fix->z, "write `%.*s.%.*s`", IL_STR_FMT(lint->globals.items[i].name),
                     IL_STR_FMT(name));
            return fix->z;
        }
    return il__lint_mean(fix, &near);
}

static void global(struct il__lint *lint, uint32_t at)
{
    const struct il__syn *n = il__syn(lint->file->syntax, at);
    struct il__lint_text shown;
    struct il__lint_fix fix;
    if (n->flags & IL__SYN_WRITTEN) {
        snprintf(fix.z, sizeof fix.z, "write `local %s`", il__lint_show(&shown, n->text));
        il__lint_node(lint, IL__LINT_GLOBAL_WRITE, at, fix.z, "`%s` is set as a global", shown.z);
    } else if (!il__globals_find(&lint->globals, n->text) && !set_here(lint->file->syntax, n->text)) {
        il__lint_node(lint, IL__LINT_UNKNOWN_GLOBAL, at, instead(lint, n->text, &fix), "there is no `%s`",
                      il__lint_show(&shown, n->text));
    }
}

static bool ignored(struct il_str name)
{
    return name.len > 0 && name.ptr[0] == '_';
}

static void local(struct il__lint *lint, const struct il__syn_local *l)
{
    const struct il__syntax *s = lint->file->syntax;
    struct il__lint_text shown;
    il__lint_show(&shown, l->name);
    if (ignored(l->name) || (il__syn(s, l->define)->flags & IL__SYN_SELF)) return;
    bool kept = l->role == IL__SYN_VARIABLE || l->role == IL__SYN_NAMED_FUNCTION;
    if (l->reads == 0 && kept)
        il__lint_node(lint, IL__LINT_UNUSED_LOCAL, l->define, "remove it, or let its name begin with `_`",
                      "nothing reads `%s`", shown.z);
    const struct il__syn_local *hidden = l->hides ? &s->locals[l->hides - 1] : NULL;
    if (hidden)
        il__lint_node(lint, IL__LINT_SHADOW, l->define, "give one of them another name",
                      "`%s` hides the local of line %u", shown.z, (unsigned)il__syn(s, hidden->define)->line);
    else if (il__globals_find(&lint->globals, l->name))
        il__lint_node(lint, IL__LINT_SHADOW, l->define, "give it another name", "`%s` hides the global of that name",
                      shown.z);
}

void il__lint_names(struct il__lint *lint)
{
    const struct il__syntax *s = lint->file->syntax;
    for (uint32_t at = 1; at < s->count; at++)
        if (il__syn(s, at)->kind == IL__SYN_NAME && !il__syn(s, at)->local) global(lint, at);
    for (uint32_t i = 0; i < s->local_count; i++) local(lint, &s->locals[i]);
}
