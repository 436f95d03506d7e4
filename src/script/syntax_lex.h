/* The tokens of Lua 5.4 source, with their places and the values of strings. Uses base. Used by the parser (syntax.h).
 * A scan over bytes in memory; must never read past the end nor recurse. */
#ifndef IL_SCRIPT_SYNTAX_LEX_H
#define IL_SCRIPT_SYNTAX_LEX_H

#include "base/buf.h"

/* X(constant, "text"): what is written always the same. */
#define IL__WORDS(X)                                                                                               \
    X(AND, "and") X(BREAK, "break") X(DO, "do") X(ELSE, "else") X(ELSEIF, "elseif") X(END, "end")                   \
    X(FALSE, "false") X(FOR, "for") X(FUNCTION, "function") X(GOTO, "goto") X(IF, "if") X(IN, "in")                 \
    X(LOCAL, "local") X(NIL, "nil") X(NOT, "not") X(OR, "or") X(REPEAT, "repeat") X(RETURN, "return")               \
    X(THEN, "then") X(TRUE, "true") X(UNTIL, "until") X(WHILE, "while")
/* Longer ones first: the first that fits is taken. */
#define IL__MARKS(X)                                                                                               \
    X(DOTS, "...") X(CONCAT, "..") X(EQ, "==") X(NE, "~=") X(LE, "<=") X(GE, ">=") X(IDIV, "//") X(DBCOLON, "::")   \
    X(SHL, "<<") X(SHR, ">>") X(ADD, "+") X(SUB, "-") X(MUL, "*") X(DIV, "/") X(MOD, "%") X(POW, "^") X(LEN, "#")   \
    X(BAND, "&") X(BXOR, "~") X(BOR, "|") X(LT, "<") X(GT, ">") X(ASSIGN, "=") X(OPEN, "(") X(CLOSE, ")")           \
    X(LBRACE, "{") X(RBRACE, "}") X(LBRACKET, "[") X(RBRACKET, "]") X(SEMI, ";") X(COLON, ":") X(COMMA, ",")        \
    X(DOT, ".")

enum il__token {
    IL__TOK_EOF, IL__TOK_NAME, IL__TOK_NUMBER, IL__TOK_STRING,
    IL__TOK_BAD, /* see `fault` of the lexer */
#define IL__TOKEN_ENUM(name, text) IL__TOK_##name,
    IL__WORDS(IL__TOKEN_ENUM)
    IL__MARKS(IL__TOKEN_ENUM)
#undef IL__TOKEN_ENUM
    IL__TOK_COUNT
};

struct il__lexer {
    struct il_str source;
    struct il__arena *arena;  /* of the values of strings */
    uint32_t at;              /* behind the token */
    uint32_t line;            /* at `at` */
    enum il__token token;
    uint32_t from, to;        /* the token's bytes */
    uint32_t token_line;      /* where it begins */
    struct il_str text;       /* of a name or number: as written; of a string: its value */
    const char *fault;        /* of IL__TOK_BAD: a sentence; NULL: no memory */
    uint32_t fault_at;        /* the byte that is wrong */
};

void il__lexer_init(struct il__lexer *lex, struct il__arena *arena, struct il_str source);
/* Takes the next token. After IL__TOK_BAD the same comes for ever. */
void il__lexer_next(struct il__lexer *lex);
/* How a token of that kind is written, or "a name", "the end of the file" and so on. */
const char *il__token_text(enum il__token token);
/* Column of byte `at`, from 1, in code points. */
uint32_t il__source_column(struct il_str source, uint32_t at);

#endif
