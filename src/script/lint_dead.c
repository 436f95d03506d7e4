/* Rules about what is never reached (lint_inside.h): code behind a way out, constant conditions, conditions that an
 * earlier rule has taken, loops without an end; and the length of lists with holes. */
#include "script/lint_inside.h"
#include "script/policy_api.h"

#include <stdio.h>

/* ---- constants --------------------------------------------------------------------------------------------------- */

enum truth { UNKNOWN, ALWAYS, NEVER };

static enum truth opposite(enum truth t)
{
    return t == ALWAYS ? NEVER : t == NEVER ? ALWAYS : UNKNOWN;
}

/* True when the value of an expression depends on nothing but what it is written with, and writing it twice gives the
 * same twice: no calls but of functions that are known to be pure. */
static bool pure(const struct il__lint *lint, uint32_t top)
{
    const struct il__syntax *s = lint->file->syntax;
    for (uint32_t at = top; at; at = il__syn_walk(s, top, at)) {
        const struct il__syn *n = il__syn(s, at);
        if (n->kind == IL__SYN_FUNCTION || n->kind == IL__SYN_TABLE || n->kind == IL__SYN_VARARG) return false;
        if (n->kind == IL__SYN_NAME && n->local && s->locals[n->local - 1].writes) return false;
        if (n->kind == IL__SYN_METHOD) return false;
        if (n->kind != IL__SYN_CALL) continue;
        struct il__lint_type type = il__lint_type(lint, n->first);
        uint32_t base = il__syn(s, n->first)->first;
        bool helper = type.what == IL__LINT_MEMBER && type.object == &il__policy_object;
        bool library = il__lint_is(lint, n->first, IL__SYN_INDEX) && il__lint_type(lint, base).what == IL__LINT_LIBRARY;
        if (!helper && !library) return false;
    }
    return true;
}

static enum truth compared(const struct il__lint *lint, const struct il__syn *n)
{
    const struct il__syntax *s = lint->file->syntax;
    const struct il__syn *a = il__syn(s, n->first), *b = il__syn(s, n->last);
    bool equal = n->op == IL__TOK_EQ;
    if (n->op != IL__TOK_EQ && n->op != IL__TOK_NE) return UNKNOWN;
    if (il__syn_same(s, n->first, n->last) && pure(lint, n->first) && a->kind != IL__SYN_NUMBER)
        return equal ? ALWAYS : NEVER;
    bool constants = a->kind >= IL__SYN_NIL && a->kind <= IL__SYN_STRING && b->kind >= IL__SYN_NIL &&
                     b->kind <= IL__SYN_STRING && a->kind != IL__SYN_VARARG && b->kind != IL__SYN_VARARG;
    bool differ = a->kind != b->kind || (a->kind == IL__SYN_STRING && !il__str_eq(a->text, b->text));
    return constants && differ ? (equal ? NEVER : ALWAYS) : UNKNOWN;
}

/* recurses: one level for each `not`, `and`, `or` and parenthesis; the parser allows script_levels of them to the
 * right, and what hangs to the left of `and` and `or` is walked in a loop */
static enum truth truth_of(const struct il__lint *lint, uint32_t at)
{
    const struct il__syntax *s = lint->file->syntax;
    enum truth sum = UNKNOWN;
    for (;;) {
        const struct il__syn *n = il__syn(s, at);
        switch ((int)n->kind) {
        case IL__SYN_NIL: case IL__SYN_FALSE: return NEVER;
        case IL__SYN_TRUE: case IL__SYN_NUMBER: case IL__SYN_STRING: case IL__SYN_TABLE: case IL__SYN_FUNCTION:
            return ALWAYS;
        case IL__SYN_PAREN: at = n->first; continue;
        case IL__SYN_UNARY: return n->op == IL__TOK_NOT ? opposite(truth_of(lint, n->first)) : UNKNOWN;
        case IL__SYN_BINARY: break;
        default: return UNKNOWN;
        }
        sum = n->op == IL__TOK_AND ? NEVER : ALWAYS; /* what decides alone */
        if (n->op != IL__TOK_AND && n->op != IL__TOK_OR) return compared(lint, n);
        if (truth_of(lint, n->last) == sum) return sum;
        enum il__token inner = (enum il__token)il__syn(s, n->first)->op;
        if (il__syn(s, n->first)->kind != IL__SYN_BINARY || inner != (enum il__token)n->op) break;
        at = n->first;
    }
    const struct il__syn *n = il__syn(s, at);
    return truth_of(lint, n->first) == sum ? sum : UNKNOWN;
}

/* ---- ways out ---------------------------------------------------------------------------------------------------- */

static bool is_error_call(const struct il__syntax *s, uint32_t stat)
{
    const struct il__syn *call = il__syn(s, il__syn(s, stat)->first), *callee = il__syn(s, call->first);
    return call->kind == IL__SYN_CALL && callee->kind == IL__SYN_NAME && !callee->local &&
           il__str_eq(callee->text, IL_STR("error"));
}

/* Marks in `leaves` the statements and blocks behind which nothing of their block runs. Children come after their
 * parents in the walk, so it is done from the last node back. */
static void mark(const struct il__lint *lint, bool *leaves)
{
    const struct il__syntax *s = lint->file->syntax;
    for (uint32_t at = s->count - 1; at > 0; at--) {
        const struct il__syn *n = il__syn(s, at);
        bool all = n->first != 0, other = false;
        switch ((int)n->kind) {
        case IL__SYN_RETURN: case IL__SYN_BREAK: case IL__SYN_GOTO: leaves[at] = true; break;
        case IL__SYN_CALL_STAT: leaves[at] = is_error_call(s, at); break;
        case IL__SYN_DO: leaves[at] = leaves[n->first]; break;
        case IL__SYN_CLAUSE: leaves[at] = leaves[n->last]; break;
        case IL__SYN_BLOCK:
            for (uint32_t c = n->first; c; c = il__syn(s, c)->next) leaves[at] |= leaves[c];
            break;
        case IL__SYN_IF:
            for (uint32_t c = n->first; c; c = il__syn(s, c)->next) {
                all = all && leaves[c];
                other = il__syn(s, c)->first == il__syn(s, c)->last;
            }
            leaves[at] = all && other;
            break;
        default: break;
        }
    }
}

static void behind(struct il__lint *lint, uint32_t at, const bool *leaves)
{
    const struct il__syntax *s = lint->file->syntax;
    uint32_t next = il__syn(s, at)->next;
    while (next && il__syn(s, next)->kind == IL__SYN_EMPTY) next = il__syn(s, next)->next;
    if (!leaves[at] || !next || il__syn(s, next)->kind == IL__SYN_LABEL ||
        il__lint_is(lint, il__syn(s, at)->parent, IL__SYN_IF))
        return;
    if (!il__lint_is(lint, il__syn(s, at)->parent, IL__SYN_BLOCK)) return;
    il__lint_node(lint, IL__LINT_DEAD_CODE, next, "remove it, or move it up", "this is never reached: line %u leaves",
                  (unsigned)il__syn(s, at)->line);
}

/* ---- conditions -------------------------------------------------------------------------------------------------- */

/* `x == "a" or "b"` */
static bool bare_alternative(const struct il__syntax *s, uint32_t at)
{
    const struct il__syn *n = il__syn(s, at), *left = il__syn(s, n->first);
    return n->kind == IL__SYN_BINARY && n->op == IL__TOK_OR && il__syn(s, n->last)->kind == IL__SYN_STRING &&
           left->kind == IL__SYN_BINARY && (left->op == IL__TOK_EQ || left->op == IL__TOK_OR);
}

static void condition(struct il__lint *lint, uint32_t at)
{
    const struct il__syntax *s = lint->file->syntax;
    enum truth t = truth_of(lint, at);
    if (t == UNKNOWN) return;
    bool bare = bare_alternative(s, at);
    il__lint_node(lint, IL__LINT_CONSTANT_CONDITION, at,
                  bare ? "write the comparison again: x == \"a\" or x == \"b\""
                       : t == NEVER ? "remove what stands behind it" : "remove the condition",
                  bare ? "a text behind `or` is always true" : "this condition is always %s",
                  t == ALWAYS ? "true" : "false");
}

/* The n-th operand of a chain of `op`, counted from the right; 0 past the last. `a and b and c` hangs to the left. */
static uint32_t operand(const struct il__syntax *s, uint32_t at, enum il__token op, unsigned n)
{
    for (;; n--) {
        while (il__syn(s, at)->kind == IL__SYN_PAREN) at = il__syn(s, at)->first;
        bool chain = il__syn(s, at)->kind == IL__SYN_BINARY && il__syn(s, at)->op == (uint8_t)op;
        if (!chain) return n == 0 ? at : 0;
        if (n == 0) {
            at = il__syn(s, at)->last;
            while (il__syn(s, at)->kind == IL__SYN_PAREN) at = il__syn(s, at)->first;
            return at;
        }
        at = il__syn(s, at)->first;
    }
}

/* True when `later` cannot hold where `earlier` did not: one of the earlier's alternatives is a part of it. */
static bool covers(const struct il__lint *lint, uint32_t earlier, uint32_t later)
{
    enum { OPERANDS = 24 };
    const struct il__syntax *s = lint->file->syntax;
    if (il__syn_same(s, earlier, later)) return pure(lint, earlier);
    uint32_t a, b;
    for (unsigned i = 0; i < OPERANDS && (a = operand(s, earlier, IL__TOK_OR, i)) != 0; i++)
        for (unsigned j = 0; j < OPERANDS && (b = operand(s, later, IL__TOK_AND, j)) != 0; j++)
            if (il__syn_same(s, a, b) && pure(lint, a)) return true;
    return false;
}

/* What may change a table that a condition reads: an assignment to a field, or a call for its effect. */
static bool changes(const struct il__syntax *s, uint32_t top)
{
    for (uint32_t at = top; at; at = il__syn_walk(s, top, at)) {
        const struct il__syn *n = il__syn(s, at);
        if (n->kind == IL__SYN_ASSIGN || n->kind == IL__SYN_CALL_STAT) return true;
    }
    return false;
}

static void repeated(struct il__lint *lint, uint32_t earlier, uint32_t later)
{
    il__lint_node(lint, IL__LINT_REPEATED_CONDITION, later, "remove it, or put it before the other one",
                  "this is never decided here: line %u has taken this condition",
                  (unsigned)il__syn(lint->file->syntax, earlier)->line);
}

/* The clauses of one `if`. */
static void clauses(struct il__lint *lint, uint32_t at)
{
    const struct il__syntax *s = lint->file->syntax;
    for (uint32_t later = il__syn(s, at)->first; later; later = il__syn(s, later)->next) {
        const struct il__syn *l = il__syn(s, later);
        if (l->first == l->last) break;
        condition(lint, l->first);
        for (uint32_t c = il__syn(s, at)->first; c != later; c = il__syn(s, c)->next) {
            if (!covers(lint, il__syn(s, c)->first, l->first)) continue;
            repeated(lint, il__syn(s, c)->first, l->first);
            break;
        }
    }
}

/* Rules that follow one another in a block: `if A then return ... end` takes every A. */
static void rules(struct il__lint *lint, uint32_t at, const bool *leaves)
{
    enum { RULES_AHEAD = 200 };
    const struct il__syntax *s = lint->file->syntax;
    const struct il__syn *clause = il__syn(s, il__syn(s, at)->first);
    if (!leaves[il__syn(s, at)->first] || clause->next) return;
    uint32_t next = il__syn(s, at)->next;
    for (int n = 0; next && n < RULES_AHEAD; n++, next = il__syn(s, next)->next) {
        if (il__syn(s, next)->kind == IL__SYN_IF) {
            uint32_t condition_at = il__syn(s, il__syn(s, next)->first)->first;
            if (condition_at != il__syn(s, il__syn(s, next)->first)->last && covers(lint, clause->first, condition_at))
                repeated(lint, clause->first, condition_at);
        }
        if (changes(s, next) || il__syn(s, next)->kind == IL__SYN_LABEL) return;
    }
}

/* ---- loops and lists --------------------------------------------------------------------------------------------- */

static bool is_loop(const struct il__syntax *s, uint32_t at)
{
    enum il__syn_kind kind = (enum il__syn_kind)il__syn(s, at)->kind;
    return kind == IL__SYN_WHILE || kind == IL__SYN_REPEAT || kind == IL__SYN_FOR_IN || kind == IL__SYN_FOR_NUM;
}

/* True when something in the loop leaves it: `break` of this loop, `return`, `goto`, or an error. */
static bool ends(const struct il__syntax *s, uint32_t loop)
{
    for (uint32_t at = loop; at;) {
        const struct il__syn *n = il__syn(s, at);
        if (n->kind == IL__SYN_RETURN || n->kind == IL__SYN_GOTO ||
            (n->kind == IL__SYN_CALL_STAT && is_error_call(s, at)))
            return true;
        if (n->kind == IL__SYN_BREAK) {
            uint32_t up = n->parent;
            while (!is_loop(s, up)) up = il__syn(s, up)->parent;
            if (up == loop) return true;
        }
        at = n->kind == IL__SYN_FUNCTION ? il__syn_skip(s, loop, at) : il__syn_walk(s, loop, at);
    }
    return false;
}

static void loop(struct il__lint *lint, uint32_t at)
{
    const struct il__syn *n = il__syn(lint->file->syntax, at);
    bool is_while = n->kind == IL__SYN_WHILE;
    uint32_t test = is_while ? n->first : n->last;
    enum truth t = truth_of(lint, test), goes_on = is_while ? ALWAYS : NEVER;
    if (t == goes_on && !ends(lint->file->syntax, at))
        il__lint_node(lint, IL__LINT_ENDLESS_LOOP, test, "give it a `break` or a `return`",
                      "nothing ends this loop: the host would stop the script");
    else if (t != UNKNOWN && t != goes_on) condition(lint, test);
}

/* `t[i] = nil` of a local `t` somewhere in the file, or a nil inside its constructor. */
static bool loses(const struct il__lint *lint, uint32_t local)
{
    const struct il__syntax *s = lint->file->syntax;
    uint32_t table = il__lint_value(lint, local);
    for (uint32_t item = il__lint_is(lint, table, IL__SYN_TABLE) ? il__syn(s, table)->first : 0; item;
         item = il__syn(s, item)->next)
        if (il__syn(s, item)->kind == IL__SYN_NIL && il__syn(s, item)->next) return true;
    for (uint32_t at = 1; at < s->count; at++) {
        const struct il__syn *n = il__syn(s, at);
        if (n->kind != IL__SYN_ASSIGN) continue;
        uint32_t value = il__syn(s, n->last)->first;
        for (uint32_t target = il__syn(s, n->first)->first; target && value;
             target = il__syn(s, target)->next, value = il__syn(s, value)->next) {
            const struct il__syn *t = il__syn(s, target);
            if (t->kind == IL__SYN_INDEX && !(t->flags & IL__SYN_DOTTED) && il__syn(s, t->first)->local == local &&
                il__syn(s, t->first)->kind == IL__SYN_NAME && il__syn(s, value)->kind == IL__SYN_NIL &&
                il__syn(s, t->last)->kind != IL__SYN_STRING)
                return true;
        }
    }
    return false;
}

static void length(struct il__lint *lint, uint32_t at)
{
    const struct il__syn *n = il__syn(lint->file->syntax, at), *list = il__syn(lint->file->syntax, n->first);
    struct il__lint_text shown;
    if (n->op != IL__TOK_LEN || list->kind != IL__SYN_NAME || !list->local || !loses(lint, list->local)) return;
    il__lint_node(lint, IL__LINT_LOSSY_LENGTH, at, "use table.remove, or count in a variable",
                  "`%s` may have holes, and then its length is any of several", il__lint_show(&shown, list->text));
}

void il__lint_dead(struct il__lint *lint)
{
    const struct il__syntax *s = lint->file->syntax;
    bool *leaves = il__lint_alloc(lint, s->count);
    if (!leaves) return;
    mark(lint, leaves);
    for (uint32_t at = 1; at < s->count; at++) {
        switch ((int)il__syn(s, at)->kind) {
        case IL__SYN_IF:
            clauses(lint, at);
            rules(lint, at, leaves);
            break;
        case IL__SYN_WHILE: case IL__SYN_REPEAT: loop(lint, at); break;
        case IL__SYN_UNARY: length(lint, at); break;
        default: break;
        }
        behind(lint, at, leaves);
    }
}
