/* Reading the tree (syntax.h): children, walks, comparison. Never recurses: nodes know their parents. */
#include "script/syntax.h"

uint32_t il__syn_child(const struct il__syntax *s, uint32_t at, uint32_t n)
{
    uint32_t child = s->nodes[at].first;
    while (child && n-- > 0) child = s->nodes[child].next;
    return child;
}

uint32_t il__syn_skip(const struct il__syntax *s, uint32_t top, uint32_t at)
{
    while (at && at != top && !s->nodes[at].next) at = s->nodes[at].parent;
    return at && at != top ? s->nodes[at].next : 0;
}

uint32_t il__syn_walk(const struct il__syntax *s, uint32_t top, uint32_t at)
{
    return s->nodes[at].first ? s->nodes[at].first : il__syn_skip(s, top, at);
}

uint32_t il__syn_function(const struct il__syntax *s, uint32_t at)
{
    do at = s->nodes[at].parent;
    while (at && s->nodes[at].kind != IL__SYN_FUNCTION);
    return at;
}

struct il_str il__syn_source(const struct il__syntax *s, uint32_t at)
{
    return (struct il_str){ s->source.ptr + s->nodes[at].from, s->nodes[at].to - s->nodes[at].from };
}

bool il__syn_is_statement(enum il__syn_kind kind)
{
    return kind >= IL__SYN_LOCAL && kind <= IL__SYN_GOTO && kind != IL__SYN_CLAUSE;
}

bool il__syn_same(const struct il__syntax *s, uint32_t a, uint32_t b)
{
    uint32_t at_a = a, at_b = b;
    while (at_a && at_b) {
        const struct il__syn *x = &s->nodes[at_a], *y = &s->nodes[at_b];
        if (x->kind != y->kind || x->op != y->op || x->local != y->local || !il__str_eq(x->text, y->text) ||
            ((x->flags ^ y->flags) & IL__SYN_DOTTED) || !x->first != !y->first)
            return false;
        at_a = il__syn_walk(s, a, at_a);
        at_b = il__syn_walk(s, b, at_b);
    }
    return !at_a && !at_b;
}
