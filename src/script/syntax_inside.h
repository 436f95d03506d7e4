/* What the files of the parser share (syntax.c, syntax_base.c, syntax_expr.c, syntax_scope.c).
 * Nobody else includes it. */
#ifndef IL_SCRIPT_SYNTAX_INSIDE_H
#define IL_SCRIPT_SYNTAX_INSIDE_H

#include "script/syntax.h"

enum { IL__PARSER_LOCALS = 200 }; /* of one function, as the compiler has it */

struct il__parser_function {
    uint32_t node;          /* the FUNCTION; 0: the file */
    uint32_t first_active, first_label, first_goto;
    bool variadic;
    struct il__parser_function *outer;
};

struct il__parser_block {
    uint32_t first_label, first_goto, first_active;
    bool loop;
    struct il__parser_block *outer; /* NULL: the outermost of its function */
};

struct il__parser_jump {
    uint32_t node;   /* LABEL or GOTO */
    uint32_t active; /* locals that were active there */
};

struct il__parser_list { /* grows by doubling */
    void *items;
    uint32_t count, cap;
};

struct il__parser {
    struct il__syntax *syntax;
    struct il__lexer lex;
    uint32_t last_to;       /* the end of the token before */
    uint32_t last_line;
    unsigned depth;
    bool failed, no_memory;
    struct il__syntax_fault fault;
    struct il__parser_list active; /* uint32_t: 1 + index of each visible local, innermost last */
    struct il__parser_list labels, gotos; /* struct il__parser_jump */
    struct il__parser_function file; /* the outermost */
    struct il__parser_function *function;
    struct il__parser_block *block;
    uint32_t else_if_line;  /* where `else if` was written last; 0: nowhere */
};

/* syntax_base.c */
void il__parser_next(struct il__parser *p);
static inline bool il__parser_is(const struct il__parser *p, enum il__token token)
{
    return p->lex.token == token;
}
/* Takes the token when it is `token`. */
bool il__parser_take(struct il__parser *p, enum il__token token);
/* Takes it, or fails. `opener` and `line`: what it closes; NULL: nothing. */
void il__parser_expect(struct il__parser *p, enum il__token token, const char *opener, uint32_t line);
/* The first failure is kept; from then on the token is the end of the file. */
void il__parser_fail(struct il__parser *p, uint32_t at, uint32_t line, const char *fix, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* Fails at the token: "A is expected, not B", with a fix where the mistake is a known one. */
void il__parser_unexpected(struct il__parser *p, const char *wanted);
bool il__parser_enter(struct il__parser *p); /* a level deeper; false: too deep */
void il__parser_leave(struct il__parser *p);
/* A node that begins at the token; 0 without memory, which every function here accepts. */
uint32_t il__parser_node(struct il__parser *p, enum il__syn_kind kind);
struct il__syn *il__parser_at(struct il__parser *p, uint32_t node);
void il__parser_adopt(struct il__parser *p, uint32_t parent, uint32_t child);
/* The node ends with the token before. */
void il__parser_close(struct il__parser *p, uint32_t node);
/* Room for one more item. */
void *il__parser_push(struct il__parser *p, struct il__parser_list *list, size_t size);
/* syntax.c */
/* Statements up to a word that closes a block, with a scope of its own. */
uint32_t il__parser_block(struct il__parser *p, bool loop);
/* The parameters, body and `end` of a function whose first token was taken; `method`: it has a `self`. */
void il__parser_body(struct il__parser *p, uint32_t function, bool method, uint32_t line);

/* syntax_expr.c */
uint32_t il__parser_expr(struct il__parser *p);
void il__parser_exprs(struct il__parser *p, uint32_t parent);
uint32_t il__parser_suffixed(struct il__parser *p);
/* A name that is written, as a STRING with the flag DOTTED on its parent. */
uint32_t il__parser_key(struct il__parser *p);
uint32_t il__parser_name(struct il__parser *p);

/* syntax_scope.c */
void il__parser_open(struct il__parser *p, struct il__parser_block *block, bool loop);
void il__parser_shut(struct il__parser *p, struct il__parser_block *block);
/* A local that is not active yet; returns its DEFINE, to be adopted. */
uint32_t il__parser_define(struct il__parser *p, struct il_str name, enum il__syn_role role);
/* The names under `names` are visible from here. */
void il__parser_activate(struct il__parser *p, uint32_t names);
void il__parser_resolve(struct il__parser *p, uint32_t name);
/* Node `at` is assigned to. */
void il__parser_written(struct il__parser *p, uint32_t at);
void il__parser_label(struct il__parser *p, uint32_t label, bool last);
void il__parser_goto(struct il__parser *p, uint32_t at);
void il__parser_break(struct il__parser *p, uint32_t at);

#endif
