/* Lua 5.4 source as a tree: statements, expressions, and what each name is bound to. For what reads policies without
 * running them: lint, mutants, coverage by line, constants. Uses syntax_lex.h.
 * It accepts what the compiler accepts, as far as the grammar goes, and says in its own words why not. Bounded:
 * script_source bytes, script_levels deep; never raises, never enters Lua. */
#ifndef IL_SCRIPT_SYNTAX_H
#define IL_SCRIPT_SYNTAX_H

#include "base/limits.h"
#include "script/syntax_lex.h"

/* A node has its parts as children, in the order of the source. */
enum il__syn_kind {
    IL__SYN_NONE,           /* node 0: no node */
    /* statements */
    IL__SYN_BLOCK,          /* statements */
    IL__SYN_LOCAL,          /* NAMES, EXPRS (may be empty) */
    IL__SYN_ASSIGN,         /* EXPRS (what is assigned to), EXPRS */
    IL__SYN_CALL_STAT,      /* the call */
    IL__SYN_DO,             /* BLOCK */
    IL__SYN_WHILE,          /* condition, BLOCK */
    IL__SYN_REPEAT,         /* BLOCK, condition */
    IL__SYN_IF,             /* CLAUSE, one for each of if, elseif, else */
    IL__SYN_CLAUSE,         /* condition, BLOCK; of else: BLOCK alone */
    IL__SYN_FOR_NUM,        /* NAMES (one), EXPRS (two or three), BLOCK */
    IL__SYN_FOR_IN,         /* NAMES, EXPRS, BLOCK */
    IL__SYN_FUNCTION_STAT,  /* what is assigned to, FUNCTION */
    IL__SYN_LOCAL_FUNCTION, /* NAMES (one), FUNCTION */
    IL__SYN_RETURN,         /* expressions */
    IL__SYN_BREAK,
    IL__SYN_GOTO,           /* text: the label */
    IL__SYN_LABEL,          /* text */
    IL__SYN_EMPTY,          /* ; */
    /* parts */
    IL__SYN_NAMES,          /* DEFINE, one for each name */
    IL__SYN_DEFINE,         /* a local comes to be: text, local */
    IL__SYN_EXPRS,          /* expressions */
    /* expressions */
    IL__SYN_NIL, IL__SYN_TRUE, IL__SYN_FALSE, IL__SYN_VARARG,
    IL__SYN_NUMBER,         /* text: as written */
    IL__SYN_STRING,         /* text: its value */
    IL__SYN_FUNCTION,       /* NAMES (parameters), BLOCK; flag VARIADIC */
    IL__SYN_NAME,           /* text; local, or 0: a global */
    IL__SYN_INDEX,          /* object, key; flag DOTTED: the key is a STRING written as a name */
    IL__SYN_CALL,           /* what is called, arguments */
    IL__SYN_METHOD,         /* object, STRING (the name), arguments */
    IL__SYN_UNARY,          /* op; operand */
    IL__SYN_BINARY,         /* op; left, right */
    IL__SYN_PAREN,          /* expression */
    IL__SYN_TABLE,          /* FIELD or expressions */
    IL__SYN_FIELD,          /* key, value; flag DOTTED: the key is a STRING written as a name */
    IL__SYN_KIND_COUNT
};

enum {
    IL__SYN_DOTTED = 1,
    IL__SYN_VARIADIC = 2,
    IL__SYN_UPVALUE = 4,  /* NAME: the local belongs to a function around this one */
    IL__SYN_WRITTEN = 8,  /* NAME: assigned to here */
    IL__SYN_SELF = 16     /* DEFINE: the `self` of a method, written nowhere */
};

struct il__syn {
    uint8_t kind;       /* enum il__syn_kind */
    uint8_t op;         /* enum il__token of UNARY and BINARY */
    uint8_t flags;
    uint32_t line;      /* where `from` stands; of BINARY: where its operator stands */
    uint32_t from, to;  /* bytes, the end excluded */
    uint32_t op_at;     /* BINARY and UNARY: the byte of the operator */
    uint32_t parent, first, last, next; /* 0: none */
    uint32_t local;     /* DEFINE and NAME: 1 + index into `locals`; 0: global */
    struct il_str text;
};

enum il__syn_role { IL__SYN_VARIABLE, IL__SYN_PARAMETER, IL__SYN_LOOP, IL__SYN_NAMED_FUNCTION };

struct il__syn_local {
    struct il_str name;
    uint32_t define;     /* its DEFINE */
    uint32_t function;   /* the FUNCTION it belongs to; 0: the file */
    uint32_t hides;      /* 1 + index of a local of the same name that was visible; 0: none */
    uint32_t reads, writes; /* beside its definition */
    enum il__syn_role role;
    bool constant;       /* <const> or <close> */
};

struct il__syntax {
    struct il__mem *mem;
    struct il__arena arena;
    struct il_str source;      /* the caller's */
    struct il__syn *nodes;     /* [0] is no node */
    uint32_t count, cap;
    uint32_t root;             /* the BLOCK of the file */
    struct il__syn_local *locals;
    uint32_t local_count, local_cap;
};

/* Why a source is no Lua, and what to write instead (may be empty). */
struct il__syntax_fault {
    uint32_t line, column; /* from 1 */
    uint32_t at;           /* the byte */
    char message[200], fix[200];
};

/* Parses `source`, which must stay where it is while the tree is used. IL_OK and `*out` to be freed; script_error, with
 * the place in `fault` (may be NULL) and message in `err`; out_of_memory. */
enum il_code il__syntax_parse(struct il__mem *mem, struct il_str source, struct il__syntax **out,
                              struct il__syntax_fault *fault, struct il_error *err) IL_MUST_USE;
/* NULL is accepted. */
void il__syntax_free(struct il__syntax *syntax);

static inline const struct il__syn *il__syn(const struct il__syntax *s, uint32_t at)
{
    return &s->nodes[at];
}
/* The n-th child from 0, or 0. */
uint32_t il__syn_child(const struct il__syntax *s, uint32_t at, uint32_t n);
/* The node behind `at` when everything below `top` is visited, parents first; 0 at the end. Start with `top`. */
uint32_t il__syn_walk(const struct il__syntax *s, uint32_t top, uint32_t at);
/* The same, past everything below `at`. */
uint32_t il__syn_skip(const struct il__syntax *s, uint32_t top, uint32_t at);
/* The FUNCTION around the node, 0: the file. */
uint32_t il__syn_function(const struct il__syntax *s, uint32_t at);
/* The bytes of a node. */
struct il_str il__syn_source(const struct il__syntax *s, uint32_t at);
/* True for a statement that is no BLOCK, EMPTY or LABEL. */
bool il__syn_is_statement(enum il__syn_kind kind);
/* True when two expressions are written with the same tokens, names bound alike. */
bool il__syn_same(const struct il__syntax *s, uint32_t a, uint32_t b);

#endif
