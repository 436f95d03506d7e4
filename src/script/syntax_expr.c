/* Expressions of the parser (syntax_inside.h), after the manual §3.4 and its precedences. Nested as deep as
 * il__parser_enter allows. */
#include "script/syntax_inside.h"

struct priority { uint8_t left, right; };

/* Of binary operators; left 0: none. */
static struct priority priority_of(enum il__token token)
{
    switch ((int)token) {
    case IL__TOK_OR: return (struct priority){ 1, 1 };
    case IL__TOK_AND: return (struct priority){ 2, 2 };
    case IL__TOK_EQ: case IL__TOK_NE: case IL__TOK_LT: case IL__TOK_LE: case IL__TOK_GT:
    case IL__TOK_GE: return (struct priority){ 3, 3 };
    case IL__TOK_BOR: return (struct priority){ 4, 4 };
    case IL__TOK_BXOR: return (struct priority){ 5, 5 };
    case IL__TOK_BAND: return (struct priority){ 6, 6 };
    case IL__TOK_SHL: case IL__TOK_SHR: return (struct priority){ 7, 7 };
    case IL__TOK_CONCAT: return (struct priority){ 9, 8 };
    case IL__TOK_ADD: case IL__TOK_SUB: return (struct priority){ 10, 10 };
    case IL__TOK_MUL: case IL__TOK_DIV: case IL__TOK_IDIV: case IL__TOK_MOD: return (struct priority){ 11, 11 };
    case IL__TOK_POW: return (struct priority){ 14, 13 };
    default: return (struct priority){ 0, 0 };
    }
}
enum { UNARY_PRIORITY = 12 };

uint32_t il__parser_key(struct il__parser *p)
{
    uint32_t node = il__parser_node(p, IL__SYN_STRING);
    if (il__parser_is(p, IL__TOK_NAME)) il__parser_at(p, node)->text = p->lex.text;
    il__parser_expect(p, IL__TOK_NAME, NULL, 0);
    il__parser_close(p, node);
    return node;
}

uint32_t il__parser_name(struct il__parser *p)
{
    uint32_t node = il__parser_node(p, IL__SYN_NAME);
    il__parser_at(p, node)->text = p->lex.text;
    il__parser_next(p);
    il__parser_close(p, node);
    if (!p->failed) il__parser_resolve(p, node);
    return node;
}

/* A node that takes `first` as its first child and begins where that begins. */
static uint32_t around(struct il__parser *p, enum il__syn_kind kind, uint32_t first)
{
    uint32_t node = il__parser_node(p, kind);
    il__parser_at(p, node)->from = il__parser_at(p, first)->from;
    il__parser_at(p, node)->line = il__parser_at(p, first)->line;
    il__parser_adopt(p, node, first);
    return node;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static bool begins_item(const struct il__parser *p)
{
    enum il__token t = p->lex.token;
    return t == IL__TOK_NAME || t == IL__TOK_STRING || t == IL__TOK_NUMBER || t == IL__TOK_LBRACE ||
           t == IL__TOK_LBRACKET || t == IL__TOK_FUNCTION || t == IL__TOK_TRUE || t == IL__TOK_FALSE ||
           t == IL__TOK_NIL;
}

static uint32_t item(struct il__parser *p)
{
    struct il__lexer ahead = p->lex;
    bool named = false;
    if (il__parser_is(p, IL__TOK_NAME)) {
        il__lexer_next(&ahead);
        named = ahead.token == IL__TOK_ASSIGN;
        if (ahead.token == IL__TOK_COLON) {
            il__lexer_next(&ahead);
            struct il__lexer behind = ahead;
            il__lexer_next(&behind);
            bool method = ahead.token == IL__TOK_NAME &&
                          (behind.token == IL__TOK_OPEN || behind.token == IL__TOK_STRING ||
                           behind.token == IL__TOK_LBRACE);
            if (!method)
                il__parser_fail(p, p->lex.from, p->lex.token_line, "write NAME = VALUE",
                                "a field of a table is not written with `:`");
        }
    }
    if (!named && !il__parser_is(p, IL__TOK_LBRACKET)) return il__parser_expr(p);
    uint32_t field = il__parser_node(p, IL__SYN_FIELD), line = p->lex.token_line;
    if (named) {
        il__parser_at(p, field)->flags = IL__SYN_DOTTED;
        il__parser_adopt(p, field, il__parser_key(p));
    } else {
        il__parser_next(p);
        il__parser_adopt(p, field, il__parser_expr(p));
        il__parser_expect(p, IL__TOK_RBRACKET, "[", line);
    }
    il__parser_expect(p, IL__TOK_ASSIGN, NULL, 0);
    il__parser_adopt(p, field, il__parser_expr(p));
    il__parser_close(p, field);
    return field;
}

static uint32_t table(struct il__parser *p)
{
    uint32_t node = il__parser_node(p, IL__SYN_TABLE), line = p->lex.token_line;
    il__parser_next(p);
    while (!p->failed && !il__parser_is(p, IL__TOK_RBRACE)) {
        il__parser_adopt(p, node, item(p));
        if (il__parser_take(p, IL__TOK_COMMA) || il__parser_take(p, IL__TOK_SEMI)) continue;
        if (!il__parser_is(p, IL__TOK_RBRACE) && begins_item(p))
            il__parser_fail(p, p->last_to, p->last_line, "write a comma between two items of a table",
                            "a comma is missing here");
        break;
    }
    il__parser_expect(p, IL__TOK_RBRACE, "{", line);
    il__parser_close(p, node);
    return node;
}

/* ---- suffixes ---------------------------------------------------------------------------------------------------- */

static void arguments(struct il__parser *p, uint32_t call)
{
    uint32_t line = p->lex.token_line;
    if (il__parser_is(p, IL__TOK_STRING)) {
        uint32_t node = il__parser_node(p, IL__SYN_STRING);
        il__parser_at(p, node)->text = p->lex.text;
        il__parser_next(p);
        il__parser_close(p, node);
        il__parser_adopt(p, call, node);
    } else if (il__parser_is(p, IL__TOK_LBRACE)) {
        il__parser_adopt(p, call, table(p));
    } else if (il__parser_take(p, IL__TOK_OPEN)) {
        if (!il__parser_is(p, IL__TOK_CLOSE)) il__parser_exprs(p, call);
        il__parser_expect(p, IL__TOK_CLOSE, "(", line);
    } else {
        il__parser_unexpected(p, "the arguments of a call");
    }
}

static uint32_t primary(struct il__parser *p)
{
    if (il__parser_is(p, IL__TOK_NAME)) return il__parser_name(p);
    if (!il__parser_is(p, IL__TOK_OPEN)) {
        il__parser_unexpected(p, NULL);
        return 0;
    }
    uint32_t node = il__parser_node(p, IL__SYN_PAREN), line = p->lex.token_line;
    il__parser_next(p);
    il__parser_adopt(p, node, il__parser_expr(p));
    il__parser_expect(p, IL__TOK_CLOSE, "(", line);
    il__parser_close(p, node);
    return node;
}

/* Takes one suffix; returns the node around, or `node` itself when none follows. */
static uint32_t suffix(struct il__parser *p, uint32_t node)
{
    uint32_t outer = node, line = p->lex.token_line;
    switch ((int)p->lex.token) {
    case IL__TOK_DOT:
        outer = around(p, IL__SYN_INDEX, node);
        il__parser_at(p, outer)->flags = IL__SYN_DOTTED;
        il__parser_next(p);
        il__parser_adopt(p, outer, il__parser_key(p));
        break;
    case IL__TOK_LBRACKET:
        outer = around(p, IL__SYN_INDEX, node);
        il__parser_next(p);
        il__parser_adopt(p, outer, il__parser_expr(p));
        il__parser_expect(p, IL__TOK_RBRACKET, "[", line);
        break;
    case IL__TOK_COLON:
        outer = around(p, IL__SYN_METHOD, node);
        il__parser_next(p);
        il__parser_adopt(p, outer, il__parser_key(p));
        arguments(p, outer);
        break;
    case IL__TOK_OPEN: case IL__TOK_STRING: case IL__TOK_LBRACE:
        outer = around(p, IL__SYN_CALL, node);
        arguments(p, outer);
        break;
    default: return node;
    }
    il__parser_close(p, outer);
    return outer;
}

uint32_t il__parser_suffixed(struct il__parser *p)
{
    uint32_t node = primary(p);
    while (!p->failed) {
        uint32_t outer = suffix(p, node);
        if (outer == node) break;
        node = outer;
    }
    return node;
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

static uint32_t constant(struct il__parser *p, enum il__syn_kind kind)
{
    uint32_t node = il__parser_node(p, kind);
    if (kind == IL__SYN_NUMBER || kind == IL__SYN_STRING) il__parser_at(p, node)->text = p->lex.text;
    if (kind == IL__SYN_VARARG && !p->function->variadic)
        il__parser_fail(p, p->lex.from, p->lex.token_line, "give the function a parameter `...`",
                        "`...` is used outside a function that takes it");
    il__parser_next(p);
    il__parser_close(p, node);
    return node;
}

static uint32_t simple(struct il__parser *p)
{
    uint32_t line = p->lex.token_line;
    switch ((int)p->lex.token) {
    case IL__TOK_NUMBER: return constant(p, IL__SYN_NUMBER);
    case IL__TOK_STRING: return constant(p, IL__SYN_STRING);
    case IL__TOK_NIL: return constant(p, IL__SYN_NIL);
    case IL__TOK_TRUE: return constant(p, IL__SYN_TRUE);
    case IL__TOK_FALSE: return constant(p, IL__SYN_FALSE);
    case IL__TOK_DOTS: return constant(p, IL__SYN_VARARG);
    case IL__TOK_LBRACE: return table(p);
    case IL__TOK_FUNCTION: {
        uint32_t node = il__parser_node(p, IL__SYN_FUNCTION);
        il__parser_next(p);
        il__parser_body(p, node, false, line);
        return node;
    }
    default: return il__parser_suffixed(p);
    }
}

/* recurses: one level of il__parser_enter for each operand, script_levels at most */
static uint32_t operation(struct il__parser *p, unsigned limit)
{
    if (!il__parser_enter(p)) return 0;
    enum il__token op = p->lex.token;
    uint32_t node;
    if (op == IL__TOK_NOT || op == IL__TOK_SUB || op == IL__TOK_BXOR || op == IL__TOK_LEN) {
        node = il__parser_node(p, IL__SYN_UNARY);
        il__parser_at(p, node)->op = (uint8_t)op;
        il__parser_at(p, node)->op_at = p->lex.from;
        il__parser_next(p);
        il__parser_adopt(p, node, operation(p, UNARY_PRIORITY));
        il__parser_close(p, node);
    } else {
        node = simple(p);
    }
    for (struct priority pri; !p->failed && (pri = priority_of(p->lex.token)).left > limit;) {
        uint32_t outer = around(p, IL__SYN_BINARY, node);
        il__parser_at(p, outer)->op = (uint8_t)p->lex.token;
        il__parser_at(p, outer)->op_at = p->lex.from;
        il__parser_at(p, outer)->line = p->lex.token_line;
        il__parser_next(p);
        il__parser_adopt(p, outer, operation(p, pri.right));
        il__parser_close(p, outer);
        node = outer;
    }
    il__parser_leave(p);
    return node;
}

uint32_t il__parser_expr(struct il__parser *p)
{
    return operation(p, 0);
}

void il__parser_exprs(struct il__parser *p, uint32_t parent)
{
    do il__parser_adopt(p, parent, il__parser_expr(p));
    while (il__parser_take(p, IL__TOK_COMMA));
}
