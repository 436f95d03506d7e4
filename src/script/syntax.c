/* The parser (syntax.h): statements, after the manual §3.3. */
#include "script/syntax_inside.h"

#include "base/error.h"
#include "script/syntax_say.h"

/* ---- statements -------------------------------------------------------------------------------------------------- */

static bool block_ends(const struct il__parser *p, bool with_until)
{
    switch ((int)p->lex.token) {
    case IL__TOK_EOF: case IL__TOK_END: case IL__TOK_ELSE: case IL__TOK_ELSEIF: return true;
    case IL__TOK_UNTIL: return with_until;
    default: return p->failed;
    }
}

static uint32_t statement(struct il__parser *p);

/* Statements into `block`; a `return` is the last. */
static void statements(struct il__parser *p, uint32_t block)
{
    while (!block_ends(p, true)) {
        uint32_t node = statement(p);
        il__parser_adopt(p, block, node);
        if (il__parser_at(p, node)->kind != IL__SYN_RETURN) continue;
        if (!block_ends(p, true))
            il__parser_fail(p, p->lex.from, p->lex.token_line, "write `do return end` to leave in the middle",
                            "nothing can follow `return` in its block");
        break;
    }
    il__parser_close(p, block);
}

uint32_t il__parser_block(struct il__parser *p, bool loop)
{
    struct il__parser_block scope;
    uint32_t node = il__parser_node(p, IL__SYN_BLOCK);
    il__parser_open(p, &scope, loop);
    statements(p, node);
    il__parser_shut(p, &scope);
    return node;
}

/* Takes a name as a local of that role into `names`. */
static void define(struct il__parser *p, uint32_t names, enum il__syn_role role)
{
    if (!il__parser_is(p, IL__TOK_NAME)) {
        il__parser_expect(p, IL__TOK_NAME, NULL, 0);
        return;
    }
    uint32_t node = il__parser_define(p, p->lex.text, role);
    il__parser_next(p);
    il__parser_close(p, node);
    il__parser_adopt(p, names, node);
    il__parser_close(p, names);
}

static void parameters(struct il__parser *p, uint32_t function, bool method)
{
    uint32_t names = il__parser_node(p, IL__SYN_NAMES), line = p->lex.token_line;
    il__parser_adopt(p, function, names);
    il__parser_expect(p, IL__TOK_OPEN, NULL, 0);
    if (method) {
        uint32_t self = il__parser_define(p, IL_STR("self"), IL__SYN_PARAMETER);
        il__parser_at(p, self)->flags = IL__SYN_SELF;
        il__parser_adopt(p, names, self);
    }
    if (!il__parser_is(p, IL__TOK_CLOSE)) {
        do {
            if (il__parser_take(p, IL__TOK_DOTS)) {
                p->function->variadic = true;
                il__parser_at(p, function)->flags |= IL__SYN_VARIADIC;
                break;
            }
            define(p, names, IL__SYN_PARAMETER);
        } while (il__parser_take(p, IL__TOK_COMMA));
    }
    il__parser_expect(p, IL__TOK_CLOSE, "(", line);
    il__parser_activate(p, names);
}

void il__parser_body(struct il__parser *p, uint32_t function, bool method, uint32_t line)
{
    struct il__parser_function inside = { .node = function, .first_active = p->active.count,
                                          .first_label = p->labels.count, .first_goto = p->gotos.count,
                                          .outer = p->function };
    struct il__parser_block scope, *outer = p->block;
    if (!il__parser_enter(p)) return;
    p->function = &inside;
    p->block = NULL;
    il__parser_open(p, &scope, false);
    parameters(p, function, method);
    uint32_t block = il__parser_node(p, IL__SYN_BLOCK);
    il__parser_adopt(p, function, block);
    statements(p, block);
    il__parser_expect(p, IL__TOK_END, "function", line);
    il__parser_close(p, function);
    il__parser_shut(p, &scope);
    p->function = inside.outer;
    p->block = outer;
    il__parser_leave(p);
}

static uint32_t clause(struct il__parser *p, uint32_t node)
{
    uint32_t part = il__parser_node(p, IL__SYN_CLAUSE);
    bool other = il__parser_is(p, IL__TOK_ELSE);
    uint32_t line = p->lex.token_line;
    il__parser_next(p);
    if (other && il__parser_is(p, IL__TOK_IF) && p->lex.token_line == line) p->else_if_line = line;
    if (!other) {
        il__parser_adopt(p, part, il__parser_expr(p));
        il__parser_expect(p, IL__TOK_THEN, NULL, 0);
    }
    il__parser_adopt(p, part, il__parser_block(p, false));
    il__parser_close(p, part);
    il__parser_adopt(p, node, part);
    return part;
}

static uint32_t if_statement(struct il__parser *p)
{
    uint32_t node = il__parser_node(p, IL__SYN_IF), line = p->lex.token_line;
    clause(p, node);
    while (il__parser_is(p, IL__TOK_ELSEIF)) clause(p, node);
    if (il__parser_is(p, IL__TOK_ELSE)) clause(p, node);
    il__parser_expect(p, IL__TOK_END, "if", line);
    return node;
}

static uint32_t while_statement(struct il__parser *p)
{
    uint32_t node = il__parser_node(p, IL__SYN_WHILE), line = p->lex.token_line;
    il__parser_next(p);
    il__parser_adopt(p, node, il__parser_expr(p));
    il__parser_expect(p, IL__TOK_DO, NULL, 0);
    il__parser_adopt(p, node, il__parser_block(p, true));
    il__parser_expect(p, IL__TOK_END, "while", line);
    return node;
}

static uint32_t repeat_statement(struct il__parser *p)
{
    struct il__parser_block loop, scope;
    uint32_t node = il__parser_node(p, IL__SYN_REPEAT), line = p->lex.token_line;
    il__parser_next(p);
    il__parser_open(p, &loop, true);
    il__parser_open(p, &scope, false);
    uint32_t block = il__parser_node(p, IL__SYN_BLOCK);
    il__parser_adopt(p, node, block);
    statements(p, block);
    il__parser_expect(p, IL__TOK_UNTIL, "repeat", line);
    il__parser_adopt(p, node, il__parser_expr(p)); /* sees the locals of the block */
    il__parser_shut(p, &scope);
    il__parser_shut(p, &loop);
    return node;
}

/* Behind `for`: names, expressions, the block. */
static uint32_t for_statement(struct il__parser *p)
{
    struct il__parser_block loop;
    uint32_t node = il__parser_node(p, IL__SYN_FOR_NUM), line = p->lex.token_line;
    il__parser_next(p);
    uint32_t names = il__parser_node(p, IL__SYN_NAMES);
    il__parser_adopt(p, node, names);
    define(p, names, IL__SYN_LOOP);
    bool numeric = il__parser_is(p, IL__TOK_ASSIGN);
    while (!numeric && il__parser_take(p, IL__TOK_COMMA)) define(p, names, IL__SYN_LOOP);
    if (!numeric) il__parser_at(p, node)->kind = IL__SYN_FOR_IN;
    il__parser_expect(p, numeric ? IL__TOK_ASSIGN : IL__TOK_IN, NULL, 0);
    uint32_t values = il__parser_node(p, IL__SYN_EXPRS);
    il__parser_adopt(p, node, values);
    if (numeric) {
        il__parser_adopt(p, values, il__parser_expr(p));
        il__parser_expect(p, IL__TOK_COMMA, NULL, 0);
        il__parser_adopt(p, values, il__parser_expr(p));
        if (il__parser_take(p, IL__TOK_COMMA)) il__parser_adopt(p, values, il__parser_expr(p));
    } else {
        il__parser_exprs(p, values);
    }
    il__parser_close(p, values);
    il__parser_expect(p, IL__TOK_DO, NULL, 0);
    il__parser_open(p, &loop, true);
    il__parser_activate(p, names);
    il__parser_adopt(p, node, il__parser_block(p, false));
    il__parser_shut(p, &loop);
    il__parser_expect(p, IL__TOK_END, "for", line);
    return node;
}

static uint32_t function_statement(struct il__parser *p)
{
    uint32_t node = il__parser_node(p, IL__SYN_FUNCTION_STAT), line = p->lex.token_line;
    uint32_t function = il__parser_node(p, IL__SYN_FUNCTION);
    il__parser_next(p);
    if (!il__parser_is(p, IL__TOK_NAME)) il__parser_expect(p, IL__TOK_NAME, NULL, 0);
    uint32_t name = il__parser_name(p);
    bool method = false;
    while (!method && (il__parser_is(p, IL__TOK_DOT) || il__parser_is(p, IL__TOK_COLON))) {
        uint32_t outer = il__parser_node(p, IL__SYN_INDEX);
        struct il__syn *at = il__parser_at(p, outer);
        at->flags = IL__SYN_DOTTED;
        at->from = il__parser_at(p, name)->from;
        at->line = il__parser_at(p, name)->line;
        method = il__parser_is(p, IL__TOK_COLON);
        il__parser_adopt(p, outer, name);
        il__parser_next(p);
        il__parser_adopt(p, outer, il__parser_key(p));
        il__parser_close(p, outer);
        name = outer;
    }
    il__parser_adopt(p, node, name);
    il__parser_body(p, function, method, line);
    il__parser_adopt(p, node, function);
    if (!p->failed) il__parser_written(p, name);
    return node;
}

/* Behind a name of `local`: `<const>` or `<close>`. */
static void attribute(struct il__parser *p, uint32_t define_at, bool *closes)
{
    uint32_t line = p->lex.token_line;
    if (!il__parser_take(p, IL__TOK_LT)) return;
    bool close = il__str_eq(p->lex.text, IL_STR("close"));
    if (il__parser_is(p, IL__TOK_NAME) && !close && !il__str_eq(p->lex.text, IL_STR("const")))
        il__parser_fail(p, p->lex.from, p->lex.token_line, "write `<const>`", "there is no such attribute of a local");
    if (close && *closes)
        il__parser_fail(p, p->lex.from, p->lex.token_line, "", "only one local of a statement can be `<close>`");
    *closes = *closes || close;
    il__parser_expect(p, IL__TOK_NAME, NULL, 0);
    il__parser_expect(p, IL__TOK_GT, "<", line);
    uint32_t local = il__parser_at(p, define_at)->local;
    if (local) p->syntax->locals[local - 1].constant = true;
}

static uint32_t local_statement(struct il__parser *p)
{
    uint32_t node = il__parser_node(p, IL__SYN_LOCAL);
    bool closes = false;
    il__parser_next(p);
    uint32_t names = il__parser_node(p, IL__SYN_NAMES), line = p->lex.token_line;
    il__parser_adopt(p, node, names);
    if (il__parser_take(p, IL__TOK_FUNCTION)) {
        il__parser_at(p, node)->kind = IL__SYN_LOCAL_FUNCTION;
        define(p, names, IL__SYN_NAMED_FUNCTION);
        il__parser_activate(p, names);
        uint32_t function = il__parser_node(p, IL__SYN_FUNCTION);
        il__parser_at(p, function)->from = il__parser_at(p, node)->from;
        il__parser_at(p, function)->line = line;
        il__parser_adopt(p, node, function);
        il__parser_body(p, function, false, line);
        return node;
    }
    do {
        define(p, names, IL__SYN_VARIABLE);
        attribute(p, il__parser_at(p, names)->last, &closes);
    } while (il__parser_take(p, IL__TOK_COMMA));
    uint32_t values = il__parser_node(p, IL__SYN_EXPRS);
    il__parser_adopt(p, node, values);
    if (il__parser_take(p, IL__TOK_ASSIGN)) {
        il__parser_at(p, values)->from = p->lex.from;
        il__parser_exprs(p, values);
        il__parser_close(p, values);
    } else {
        il__parser_at(p, values)->from = il__parser_at(p, values)->to = p->last_to;
    }
    il__parser_activate(p, names);
    return node;
}

static bool assignable(const struct il__parser *p, uint32_t node)
{
    enum il__syn_kind kind = (enum il__syn_kind)p->syntax->nodes[node].kind;
    return kind == IL__SYN_NAME || kind == IL__SYN_INDEX;
}

/* One that begins with an expression: a call, or an assignment. */
static uint32_t expression_statement(struct il__parser *p)
{
    uint32_t node = il__parser_node(p, IL__SYN_CALL_STAT), targets = il__parser_node(p, IL__SYN_EXPRS);
    uint32_t first = il__parser_suffixed(p);
    int kind = il__parser_at(p, first)->kind;
    if (!il__parser_is(p, IL__TOK_ASSIGN) && !il__parser_is(p, IL__TOK_COMMA)) {
        if (!p->failed && kind != IL__SYN_CALL && kind != IL__SYN_METHOD) {
            struct il__said_syntax said;
            const struct il__syn *at = il__parser_at(p, first);
            il__syntax_say_statement(&p->lex, kind == IL__SYN_NAME ? at->text : IL_STR_NONE, &said);
            il__parser_fail(p, said.at_token ? p->lex.from : at->from, said.at_token ? p->lex.token_line : at->line,
                            said.fix, "%s", said.message);
        }
        il__parser_adopt(p, node, first);
        return node;
    }
    il__parser_at(p, node)->kind = IL__SYN_ASSIGN;
    il__parser_adopt(p, node, targets);
    il__parser_adopt(p, targets, first);
    while (assignable(p, il__parser_at(p, targets)->last) && il__parser_take(p, IL__TOK_COMMA))
        il__parser_adopt(p, targets, il__parser_suffixed(p));
    il__parser_close(p, targets);
    if (!p->failed && !assignable(p, il__parser_at(p, targets)->last))
        il__parser_fail(p, p->lex.from, p->lex.token_line, "write `==` to compare",
                        "`=` sets a variable or a field; this is none");
    il__parser_expect(p, IL__TOK_ASSIGN, NULL, 0);
    uint32_t values = il__parser_node(p, IL__SYN_EXPRS);
    il__parser_adopt(p, node, values);
    il__parser_exprs(p, values);
    il__parser_close(p, values);
    for (uint32_t at = il__parser_at(p, targets)->first; at && !p->failed; at = il__parser_at(p, at)->next)
        il__parser_written(p, at);
    return node;
}

static uint32_t return_statement(struct il__parser *p)
{
    uint32_t node = il__parser_node(p, IL__SYN_RETURN);
    il__parser_next(p);
    if (!block_ends(p, true) && !il__parser_is(p, IL__TOK_SEMI)) il__parser_exprs(p, node);
    il__parser_close(p, node);
    (void)il__parser_take(p, IL__TOK_SEMI);
    return node;
}

/* `::name::`, `goto name`: the name. */
static void label_name(struct il__parser *p, uint32_t node)
{
    if (il__parser_is(p, IL__TOK_NAME)) il__parser_at(p, node)->text = p->lex.text;
    il__parser_expect(p, IL__TOK_NAME, NULL, 0);
}

/* A label at the end of its block, behind which only labels and `;` stand, is outside the scope of the block's locals;
 * like the compiler, what follows is looked at, not taken. */
static uint32_t label_statement(struct il__parser *p)
{
    uint32_t node = il__parser_node(p, IL__SYN_LABEL);
    il__parser_next(p);
    label_name(p, node);
    il__parser_expect(p, IL__TOK_DBCOLON, "::", p->lex.token_line);
    struct il__lexer ahead = p->lex;
    bool failed = p->failed;
    while (!failed && (ahead.token == IL__TOK_SEMI || ahead.token == IL__TOK_DBCOLON)) {
        bool label = ahead.token == IL__TOK_DBCOLON;
        il__lexer_next(&ahead);
        if (!label) continue;
        il__lexer_next(&ahead);
        il__lexer_next(&ahead);
    }
    enum il__token t = ahead.token;
    bool last = t == IL__TOK_EOF || t == IL__TOK_END || t == IL__TOK_ELSE || t == IL__TOK_ELSEIF;
    if (!p->failed) il__parser_label(p, node, last);
    return node;
}

/* One word, and what hangs on it. */
static uint32_t short_statement(struct il__parser *p)
{
    uint32_t node, line = p->lex.token_line;
    switch ((int)p->lex.token) {
    case IL__TOK_SEMI:
        node = il__parser_node(p, IL__SYN_EMPTY);
        il__parser_next(p);
        break;
    case IL__TOK_BREAK:
        node = il__parser_node(p, IL__SYN_BREAK);
        il__parser_next(p);
        if (!p->failed) il__parser_break(p, node);
        break;
    case IL__TOK_GOTO:
        node = il__parser_node(p, IL__SYN_GOTO);
        il__parser_next(p);
        label_name(p, node);
        if (!p->failed) il__parser_goto(p, node);
        break;
    default: /* do */
        node = il__parser_node(p, IL__SYN_DO);
        il__parser_next(p);
        il__parser_adopt(p, node, il__parser_block(p, false));
        il__parser_expect(p, IL__TOK_END, "do", line);
        break;
    }
    return node;
}

static uint32_t dispatch(struct il__parser *p)
{
    switch ((int)p->lex.token) {
    case IL__TOK_IF: return if_statement(p);
    case IL__TOK_WHILE: return while_statement(p);
    case IL__TOK_REPEAT: return repeat_statement(p);
    case IL__TOK_FOR: return for_statement(p);
    case IL__TOK_FUNCTION: return function_statement(p);
    case IL__TOK_LOCAL: return local_statement(p);
    case IL__TOK_RETURN: return return_statement(p);
    case IL__TOK_DBCOLON: return label_statement(p);
    case IL__TOK_SEMI: case IL__TOK_BREAK: case IL__TOK_GOTO: case IL__TOK_DO: return short_statement(p);
    default: return expression_statement(p);
    }
}

static uint32_t statement(struct il__parser *p)
{
    if (!il__parser_enter(p)) return 0;
    uint32_t node = dispatch(p);
    if (p->syntax->nodes[node].kind != IL__SYN_RETURN) il__parser_close(p, node);
    il__parser_leave(p);
    return node;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void parse(struct il__parser *p)
{
    struct il__parser_block scope;
    p->file.variadic = true;
    p->function = &p->file;
    (void)il__parser_node(p, IL__SYN_NONE);
    if (p->failed) return;
    il__parser_next(p);
    il__parser_open(p, &scope, false);
    uint32_t root = il__parser_node(p, IL__SYN_BLOCK);
    p->syntax->root = root;
    statements(p, root);
    if (!il__parser_is(p, IL__TOK_EOF)) il__parser_unexpected(p, NULL);
    il__parser_shut(p, &scope);
}

static enum il_code failure(const struct il__parser *p, struct il__syntax_fault *fault, struct il_error *err)
{
    if (p->no_memory) return il__fail(err, IL_OUT_OF_MEMORY, "no memory to read a script");
    if (fault) *fault = p->fault;
    return il__fail(err, IL_SCRIPT_ERROR, "%u: %s%s%s", (unsigned)p->fault.line, p->fault.message,
                    p->fault.fix[0] ? "; " : "", p->fault.fix);
}

enum il_code il__syntax_parse(struct il__mem *mem, struct il_str source, struct il__syntax **out,
                              struct il__syntax_fault *fault, struct il_error *err)
{
    if (source.len > IL__LIMIT_SCRIPT_SOURCE) {
        if (fault)
            *fault = (struct il__syntax_fault){ .line = 1, .column = 1,
                                                .message = "the source is larger than 65536 bytes (script_source)" };
        return il__fail(err, IL_SCRIPT_ERROR, "the source is larger than 65536 bytes (script_source)");
    }
    struct il__syntax *s = il__mem_zalloc(mem, 1, sizeof *s);
    if (!s) return il__fail(err, IL_OUT_OF_MEMORY, "no memory to read a script");
    struct il__parser p = { .syntax = s };
    s->mem = mem;
    s->source = source;
    il__arena_init(&s->arena, mem);
    il__lexer_init(&p.lex, &s->arena, source);
    parse(&p);
    il__mem_free(mem, p.active.items, p.active.cap * sizeof(uint32_t));
    il__mem_free(mem, p.labels.items, p.labels.cap * sizeof(struct il__parser_jump));
    il__mem_free(mem, p.gotos.items, p.gotos.cap * sizeof(struct il__parser_jump));
    if (p.failed) {
        il__syntax_free(s);
        return failure(&p, fault, err);
    }
    *out = s;
    return IL_OK;
}

void il__syntax_free(struct il__syntax *s)
{
    if (!s) return;
    il__mem_free(s->mem, s->nodes, s->cap * sizeof *s->nodes);
    il__mem_free(s->mem, s->locals, s->local_cap * sizeof *s->locals);
    il__arena_clear(&s->arena);
    il__mem_free(s->mem, s, sizeof *s);
}
