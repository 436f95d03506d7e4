/* What the parser stands on (syntax_inside.h): nodes, tokens, failures. A failure makes every later token the end of
 * the file, so that each loop ends at once. */
#include "script/syntax_inside.h"

#include "base/error.h"
#include "script/syntax_say.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static void no_memory(struct il__parser *p)
{
    p->no_memory = p->failed = true;
    p->lex.token = IL__TOK_EOF;
}

void *il__parser_push(struct il__parser *p, struct il__parser_list *list, size_t size)
{
    if (list->count == list->cap) {
        uint32_t cap = list->cap ? list->cap * 2 : 32;
        void *items = il__mem_resize(p->syntax->mem, list->items, list->cap * size, cap * size);
        if (!items) {
            no_memory(p);
            return NULL;
        }
        list->items = items;
        list->cap = cap;
    }
    return (char *)list->items + size * list->count++;
}

struct il__syn *il__parser_at(struct il__parser *p, uint32_t node)
{
    return &p->syntax->nodes[node];
}

uint32_t il__parser_node(struct il__parser *p, enum il__syn_kind kind)
{
    struct il__syntax *s = p->syntax;
    struct il__parser_list nodes = { s->nodes, s->count, s->cap };
    struct il__syn *node = il__parser_push(p, &nodes, sizeof *node);
    s->nodes = nodes.items;
    s->count = nodes.count;
    s->cap = nodes.cap;
    if (!node) return 0;
    *node = (struct il__syn){ .kind = (uint8_t)kind, .from = p->lex.from, .to = p->lex.from,
                              .line = p->lex.token_line };
    return s->count - 1;
}

void il__parser_adopt(struct il__parser *p, uint32_t parent, uint32_t child)
{
    if (!parent || !child) return;
    struct il__syn *above = il__parser_at(p, parent);
    il__parser_at(p, child)->parent = parent;
    if (above->last) il__parser_at(p, above->last)->next = child;
    else above->first = child;
    above->last = child;
}

void il__parser_close(struct il__parser *p, uint32_t node)
{
    struct il__syn *n = il__parser_at(p, node);
    if (p->last_to > n->from) n->to = p->last_to;
}

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

void il__parser_fail(struct il__parser *p, uint32_t at, uint32_t line, const char *fix, const char *fmt, ...)
{
    if (!p->failed) {
        va_list args;
        va_start(args, fmt);
        vsnprintf(p->fault.message, sizeof p->fault.message, fmt, args);
        va_end(args);
        snprintf(p->fault.fix, sizeof p->fault.fix, "%s", fix);
        p->fault.at = at;
        p->fault.line = line;
        p->fault.column = il__source_column(p->syntax->source, at);
    }
    p->failed = true;
    p->lex.token = IL__TOK_EOF;
}

void il__parser_next(struct il__parser *p)
{
    if (p->failed) return;
    p->last_to = p->lex.to;
    p->last_line = p->lex.line;
    il__lexer_next(&p->lex);
    if (p->lex.token != IL__TOK_BAD) return;
    if (!p->lex.fault) no_memory(p);
    else il__parser_fail(p, p->lex.fault_at, p->lex.token_line, il__syntax_fix_sign(&p->lex), "%s", p->lex.fault);
}

bool il__parser_take(struct il__parser *p, enum il__token token)
{
    if (p->lex.token != token || p->failed) return false;
    il__parser_next(p);
    return true;
}

void il__parser_unexpected(struct il__parser *p, const char *wanted)
{
    struct il__said_syntax said;
    if (p->failed) return;
    il__syntax_say(&p->lex, p->last_to, wanted, &said);
    il__parser_fail(p, p->lex.from, p->lex.token_line, said.fix, "%s", said.message);
}

void il__parser_expect(struct il__parser *p, enum il__token token, const char *opener, uint32_t line)
{
    if (il__parser_take(p, token) || p->failed) return;
    const char *text = il__token_text(token);
    char wanted[120];
    if (token == IL__TOK_NAME) snprintf(wanted, sizeof wanted, "a name");
    else if (opener && line != p->lex.token_line)
        snprintf(wanted, sizeof wanted, "`%s` (to close `%s` of line %u)", text, opener, (unsigned)line);
    else snprintf(wanted, sizeof wanted, "`%s`", text);
    if (token == IL__TOK_END && p->else_if_line > line) {
        char fix[120];
        snprintf(fix, sizeof fix, "`else if` on line %u opens another `if`: write `elseif`", (unsigned)p->else_if_line);
        il__parser_fail(p, p->lex.from, p->lex.token_line, fix, "%s is missing", wanted);
        return;
    }
    il__parser_unexpected(p, wanted);
}

bool il__parser_enter(struct il__parser *p)
{
    if (p->failed) return false;
    if (++p->depth <= IL__LIMIT_SCRIPT_LEVELS) return true;
    il__parser_fail(p, p->lex.from, p->lex.token_line, "", "this is nested deeper than %d levels (script_levels)",
                    IL__LIMIT_SCRIPT_LEVELS);
    return false;
}

void il__parser_leave(struct il__parser *p)
{
    p->depth--;
}
