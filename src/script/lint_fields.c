/* Rules about members (lint_inside.h): fields that are not there or not in this phase, writing, colons, options of
 * functions, texts that a field never has. All from the tables that the bindings are made from. */
#include "script/lint_inside.h"
#include "script/policy_api.h"
#include "script/policy_ctx.h"
#include "script/seen.h"

#include <stdio.h>

/* ---- members ----------------------------------------------------------------------------------------------------- */

static void try_schema(struct il__near *near, const struct il__schema *schema)
{
    for (const struct il__field *row = schema->fields; row->wire; row++) il__near_try(near, il__str(row->lua));
}

static const char *nearest(const struct il__lint *lint, struct il__lint_type type, struct il_str key,
                           struct il__lint_fix *fix)
{
    struct il__near near = il__near_start(key);
    switch (type.what) {
    case IL__LINT_OBJECT:
        for (const struct il__member *m = type.object->members; m && m->name; m++)
            il__near_try(&near, il__str(m->name));
        break;
    case IL__LINT_VIEW: try_schema(&near, type.schema); break;
    case IL__LINT_ACTION:
        if (type.phases & 1u << IL__PHASE_PROPOSE) try_schema(&near, &il__proposal_schema);
        if (type.phases & ~(1u << IL__PHASE_PROPOSE)) try_schema(&near, lint->action_schema);
        break;
    case IL__LINT_LIBRARY:
        for (size_t i = 0; i < type.library->member_count; i++) il__near_try(&near, type.library->members[i]);
        break;
    case IL__LINT_UNKNOWN: case IL__LINT_NAMES: case IL__LINT_MEMBER: break;
    }
    return il__lint_mean(fix, &near);
}

/* "propose", "preview and execute". */
static const char *phase_names(unsigned phases, struct il__lint_text *buf)
{
    size_t n = 0;
    buf->z[0] = '\0';
    for (unsigned p = IL__PHASE_PROPOSE; p <= IL__PHASE_EXECUTE; p++) {
        if (!(phases & 1u << p)) continue;
        bool last = (phases >> (p + 1)) == 0;
        n += (size_t)snprintf(buf->z + n, sizeof buf->z - n, "%s%s",
                              n == 0 ? ""
                              : last ? " and "
                                     : ", ",
                              il__phase_names[p]);
    }
    return buf->z;
}

static const char *type_name(struct il__lint_type type)
{
    switch (type.what) {
    case IL__LINT_OBJECT: return type.object->name;
    case IL__LINT_VIEW: return type.schema->object;
    case IL__LINT_ACTION: return "action";
    case IL__LINT_LIBRARY: return type.library->name.ptr;
    case IL__LINT_UNKNOWN: case IL__LINT_NAMES: case IL__LINT_MEMBER: break;
    }
    return "this";
}

static bool assigned(const struct il__syntax *s, uint32_t index)
{
    uint32_t exprs = il__syn(s, index)->parent, stat = il__syn(s, exprs)->parent;
    if (il__syn(s, exprs)->kind == IL__SYN_FUNCTION_STAT) return il__syn(s, exprs)->first == index;
    return il__syn(s, stat)->kind == IL__SYN_ASSIGN && il__syn(s, stat)->first == exprs;
}

/* A field that some of the phases have: what one function serves them all must look at `ctx.phase` first. */
static void phases_of_member(struct il__lint *lint, uint32_t at, struct il__lint_type type, struct il_str key,
                             unsigned there)
{
    struct il__lint_text shown, is_there, here;
    struct il__lint_fix fix;
    unsigned missing = there ? type.phases & ~there : 0;
    if (!missing || (lint->file->reads_phase && missing != type.phases)) return;
    const struct il__syn *node = il__syn(lint->file->syntax, il__syn(lint->file->syntax, at)->last);
    snprintf(fix.z, sizeof fix.z, "it is there in %s", phase_names(there, &is_there));
    il__lint_at(lint, IL__LINT_PHASE_FIELD, node->from, node->to, fix.z, "%s has no `%s` in phase %s", type_name(type),
                il__lint_show(&shown, key), phase_names(missing, &here));
}

static void index_member(struct il__lint *lint, uint32_t at)
{
    const struct il__syntax *s = lint->file->syntax;
    struct il__lint_type type = il__lint_type(lint, il__syn(s, at)->first), member;
    struct il_str key = il__lint_key(lint, at);
    struct il__lint_text shown;
    struct il__lint_fix fix;
    unsigned there;
    if (type.what == IL__LINT_UNKNOWN || type.what == IL__LINT_NAMES || type.what == IL__LINT_MEMBER) return;
    if (assigned(s, at)) {
        il__lint_node(lint, IL__LINT_READ_ONLY, at, "keep what you need in a local", "%s is read-only",
                      type_name(type));
        return;
    }
    if (!key.ptr) return;
    const struct il__syn *node = il__syn(s, il__syn(s, at)->last);
    if (il__lint_member(lint, type, key, &member, &there)) {
        phases_of_member(lint, at, type, key, there);
        return;
    }
    il__lint_at(lint, IL__LINT_UNKNOWN_FIELD, node->from, node->to, nearest(lint, type, key, &fix),
                "%s has no member `%s`", type_name(type), il__lint_show(&shown, key));
}

static void method(struct il__lint *lint, uint32_t at)
{
    const struct il__syntax *s = lint->file->syntax;
    struct il__lint_type type = il__lint_type(lint, il__syn(s, at)->first);
    const struct il__syn *name = il__syn(s, il__syn(s, il__syn(s, at)->first)->next);
    struct il__lint_text shown;
    struct il__lint_fix fix;
    if (type.what != IL__LINT_OBJECT || type.object->methods || !type.object->members) return;
    snprintf(fix.z, sizeof fix.z, "write %s.%s(...)", type.object->name, il__lint_show(&shown, name->text));
    il__lint_at(lint, IL__LINT_COLON, name->from, name->to, fix.z, "functions of %s are called with a dot",
                type.object->name);
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static void options(struct il__lint *lint, const char *name, struct il_str known, uint32_t table)
{
    const struct il__syntax *s = lint->file->syntax;
    for (uint32_t f = il__syn(s, table)->first; f; f = il__syn(s, f)->next) {
        const struct il__syn *key = il__syn(s, il__syn(s, f)->first);
        struct il__lint_text shown;
        struct il__lint_fix fix;
        struct il_str piece;
        bool found = false;
        if (il__syn(s, f)->kind != IL__SYN_FIELD || key->kind != IL__SYN_STRING) continue;
        struct il__near near = il__near_start(key->text);
        for (size_t at = 0; il__kind_next(known, &at, &piece);) {
            found = found || il__str_eq(piece, key->text);
            il__near_try(&near, piece);
        }
        if (found) continue;
        const char *mean = il__lint_mean(&fix, &near);
        if (!mean) snprintf(fix.z, sizeof fix.z, "there are: %.*s", IL_STR_FMT(known));
        il__lint_at(lint, IL__LINT_UNKNOWN_OPTION, key->from, key->to, fix.z, "%s has no option `%s`", name,
                    il__lint_show(&shown, key->text));
    }
}

static void call(struct il__lint *lint, uint32_t at)
{
    const struct il__syntax *s = lint->file->syntax;
    uint32_t callee = il__syn(s, at)->first, arg = il__syn(s, callee)->next;
    struct il__lint_type type = il__lint_type(lint, callee);
    char name[80];
    if (type.what != IL__LINT_MEMBER) return;
    snprintf(name, sizeof name, "%s.%s", type.object->name, type.member->name);
    for (unsigned n = 0; arg; n++, arg = il__syn(s, arg)->next) {
        struct il_str known = il__kind_options(type.member, n);
        if (known.ptr && il__syn(s, arg)->kind == IL__SYN_TABLE) options(lint, name, known, arg);
    }
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static void text(struct il__lint *lint, uint32_t string, const char *const *names)
{
    const struct il__syn *n = il__syn(lint->file->syntax, string);
    struct il__lint_text shown;
    struct il__lint_fix fix;
    if (n->kind != IL__SYN_STRING || il__name_index(names, n->text) >= 0) return;
    struct il__near near = il__near_start(n->text);
    for (size_t i = 0; names[i]; i++) il__near_try(&near, il__str(names[i]));
    if (!il__lint_mean(&fix, &near)) {
        size_t len = (size_t)snprintf(fix.z, sizeof fix.z, "it is one of");
        for (size_t i = 0; names[i] && len < sizeof fix.z; i++)
            len += (size_t)snprintf(fix.z + len, sizeof fix.z - len, "%s %s", i ? "," : "", names[i]);
    }
    il__lint_node(lint, IL__LINT_UNKNOWN_TEXT, string, fix.z, "this is never `%s`", il__lint_show(&shown, n->text));
}

static void comparison(struct il__lint *lint, uint32_t at)
{
    const struct il__syn *n = il__syn(lint->file->syntax, at);
    struct il__lint_type left = il__lint_type(lint, n->first), right = il__lint_type(lint, n->last);
    if (n->op != IL__TOK_EQ && n->op != IL__TOK_NE) return;
    if (left.what == IL__LINT_NAMES) text(lint, n->last, left.names);
    else if (right.what == IL__LINT_NAMES) text(lint, n->first, right.names);
}

/* The table that an expression is, or that a local was given. */
static uint32_t table_of(const struct il__lint *lint, uint32_t at)
{
    const struct il__syn *n = il__syn(lint->file->syntax, at);
    if (n->kind == IL__SYN_PAREN) at = n->first;
    else if (n->kind == IL__SYN_NAME) at = il__lint_value(lint, n->local);
    return il__lint_is(lint, at, IL__SYN_TABLE) ? at : 0;
}

/* `RISKY[action.action_class]`, `policy.has({ "destructive" }, action.action_class)`: what the table holds. */
static void lookup(struct il__lint *lint, uint32_t table, struct il__lint_type type, bool keys)
{
    const struct il__syntax *s = lint->file->syntax;
    if (type.what != IL__LINT_NAMES) return;
    for (uint32_t item = table ? il__syn(s, table)->first : 0; item; item = il__syn(s, item)->next) {
        bool field = il__syn(s, item)->kind == IL__SYN_FIELD;
        if (field == keys) text(lint, keys ? il__syn(s, item)->first : item, type.names);
    }
}

static void search(struct il__lint *lint, uint32_t at)
{
    const struct il__syntax *s = lint->file->syntax;
    uint32_t callee = il__syn(s, at)->first, list = il__syn(s, callee)->next;
    struct il__lint_type type = il__lint_type(lint, callee);
    if (type.what == IL__LINT_MEMBER && strcmp(type.member->name, "has") == 0 && list && il__syn(s, list)->next)
        lookup(lint, table_of(lint, list), il__lint_type(lint, il__syn(s, list)->next), false);
}

/* ---- parameters -------------------------------------------------------------------------------------------------- */

static void param(struct il__lint *lint, uint32_t at, struct il_str key)
{
    struct il__lint_file *f = lint->file;
    struct il__lint_text shown;
    struct il__lint_fix fix;
    struct il__near near = il__near_start(key);
    const struct il__syn *node = il__syn(f->syntax, il__syn(f->syntax, at)->last);
    for (size_t i = 0; i < f->param_count; i++) {
        il__near_try(&near, f->params[i].name);
        if (!il__str_eq(f->params[i].name, key)) continue;
        f->params[i].used = true;
        return;
    }
    if (!lint->has_bundle) return;
    const char *mean = il__lint_mean(&fix, &near);
    il__lint_at(lint, IL__LINT_UNKNOWN_PARAM, node->from, node->to,
                mean ? mean : "declare it in bundle.json: \"params\": {\"name\": {\"type\": ..., \"default\": ...}}",
                "bundle.json declares no parameter `%s` for this policy", il__lint_show(&shown, key));
}

/* True when argument `at` of a call goes to a parameter of which as much is known. */
static bool followed(const struct il__lint *lint, uint32_t call, uint32_t at)
{
    const struct il__syntax *s = lint->file->syntax;
    uint32_t callee = il__syn(s, call)->first, function = il__lint_callee(lint, callee);
    uint32_t arg = il__syn(s, callee)->next, param_at = il__syn(s, il__syn(s, function)->first)->first;
    for (; arg && arg != at; arg = il__syn(s, arg)->next) param_at = il__syn(s, param_at)->next;
    uint32_t local = function ? il__syn(s, param_at)->local : 0;
    if (!local) return false;
    struct il__lint_type known = lint->file->locals[local - 1];
    return il__lint_is_object(known, il__lint_type(lint, at).object) && s->locals[local - 1].writes == 0;
}

/* A name or member that is `ctx` or `ctx.params`: is it used in a way that can be followed? */
static void escape(struct il__lint *lint, uint32_t at)
{
    const struct il__syntax *s = lint->file->syntax;
    const struct il__syn *n = il__syn(s, at), *parent = il__syn(s, n->parent);
    struct il__lint_type type = il__lint_type(lint, at);
    if (!il__lint_is_object(type, &il__params_object) && !il__lint_is_object(type, &il__ctx_object)) return;
    switch ((int)parent->kind) {
    case IL__SYN_INDEX:
        if (parent->first != at || !il__lint_key(lint, n->parent).ptr) lint->file->params_escape = true;
        break;
    case IL__SYN_CALL:
        if (parent->first != at && !followed(lint, n->parent, at)) lint->file->params_escape = true;
        break;
    case IL__SYN_BINARY:
        if (parent->op == IL__TOK_AND || parent->op == IL__TOK_OR) lint->file->params_escape = true;
        break;
    case IL__SYN_TABLE: case IL__SYN_FIELD: case IL__SYN_RETURN: case IL__SYN_METHOD: case IL__SYN_PAREN:
        lint->file->params_escape = true;
        break;
    case IL__SYN_EXPRS:
        if (il__syn(s, parent->parent)->kind != IL__SYN_LOCAL) lint->file->params_escape = true;
        break;
    default: break;
    }
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static void index_node(struct il__lint *lint, uint32_t at)
{
    const struct il__syntax *s = lint->file->syntax;
    uint32_t object = il__syn(s, at)->first;
    struct il_str key = il__lint_key(lint, at);
    struct il__lint_type type = il__lint_type(lint, object);
    index_member(lint, at);
    if (il__lint_is_object(type, &il__params_object) && key.ptr) param(lint, at, key);
    if (!key.ptr) lookup(lint, table_of(lint, object), il__lint_type(lint, il__syn(s, at)->last), true);
    escape(lint, at);
}

void il__lint_fields(struct il__lint *lint)
{
    const struct il__syntax *s = lint->file->syntax;
    for (uint32_t at = 1; at < s->count; at++) {
        if (il__syn(s, at)->kind == IL__SYN_INDEX && il__str_eq(il__lint_key(lint, at), IL_STR("phase")) &&
            il__lint_is_object(il__lint_type(lint, il__syn(s, at)->first), &il__ctx_object))
            lint->file->reads_phase = true;
    }
    for (uint32_t at = 1; at < s->count; at++) {
        switch ((int)il__syn(s, at)->kind) {
        case IL__SYN_INDEX: index_node(lint, at); break;
        case IL__SYN_NAME: escape(lint, at); break;
        case IL__SYN_METHOD: method(lint, at); break;
        case IL__SYN_CALL:
            call(lint, at);
            search(lint, at);
            break;
        case IL__SYN_BINARY: comparison(lint, at); break;
        default: break;
        }
    }
}
