/* The scanner of admission: tokens of Lua 5.4, a stack of open brackets, and counters.
 * Uses base. It need not be a parser: what it lets through the compiler judges; what would make the compiler slow, deep
 * or wrong it must refuse, and it may refuse a little more. */
#include "script/admit.h"

#include <string.h>

enum { CONSTANTS = 250, SLOTS = 1024 };

enum token { T_END, T_NAME, T_KEYWORD, T_NUMBER, T_STRING, T_OP };

struct level {
    char open;      /* ( [ { or b for a block */
    bool subscript; /* inside [ ], or in plain parentheses inside it */
    int chain;      /* links of the chain that the bracket belongs to */
};

struct lexer {
    const char *at, *end;
    int line;
    enum token token;
    struct il_str text; /* of the token */
};

struct scan {
    struct lexer lex;
    struct level level[IL__LIMIT_SCRIPT_NESTING + 1];
    int depth;                  /* level[0] is the file */
    int chain, operators;
    bool operand;               /* the token before ends an expression that a suffix may follow */
    bool after_dot;
    bool bitwise;
    unsigned constants;
    uint64_t seen[SLOTS];       /* hashes of names, numbers and strings; 0: empty */
    struct il__admitted *notes;
    const char *fault;
};

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

static char peek(const struct lexer *s, size_t ahead)
{
    return (size_t)(s->end - s->at) > ahead ? s->at[ahead] : '\0';
}

static void step(struct lexer *s)
{
    if (*s->at == '\n') s->line++;
    s->at++;
}

/* At `[`: the number of `=` when a long bracket opens here, else -1. */
static long long_bracket(const struct lexer *s)
{
    size_t n = 1;
    while (peek(s, n) == '=') n++;
    return peek(s, n) == '[' ? (long)(n - 1) : -1;
}

static void skip_long(struct lexer *s, long level)
{
    s->at += level + 2;
    while (s->at < s->end) {
        if (*s->at == ']') {
            long n = 0;
            while (peek(s, (size_t)n + 1) == '=') n++;
            if (n == level && peek(s, (size_t)n + 1) == ']') {
                s->at += n + 2;
                return;
            }
        }
        step(s);
    }
}

static void skip_string(struct lexer *s, char quote)
{
    s->at++;
    while (s->at < s->end && *s->at != quote) {
        if (*s->at == '\n') return; /* unfinished: the compiler says so */
        if (*s->at == '\\' && s->at + 1 < s->end) {
            s->at++;
            if (*s->at == 'z') { /* skips blanks and line breaks */
                s->at++;
                while (s->at < s->end && is_space(*s->at)) step(s);
                continue;
            }
        }
        step(s);
    }
    if (s->at < s->end) s->at++;
}

static void skip_blank(struct lexer *s)
{
    while (s->at < s->end) {
        if (is_space(*s->at)) {
            step(s);
        } else if (*s->at == '-' && peek(s, 1) == '-') {
            s->at += 2;
            long level = peek(s, 0) == '[' ? long_bracket(s) : -1;
            if (level >= 0) skip_long(s, level);
            else while (s->at < s->end && *s->at != '\n') s->at++;
        } else {
            return;
        }
    }
}

static bool is_keyword(struct il_str t)
{
    static const char *const words[] = { "and", "break", "do", "else", "elseif", "end", "false", "for", "function",
                                         "goto", "if", "in", "local", "nil", "not", "or", "repeat", "return", "then",
                                         "true", "until", "while" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (il__str_eq(t, il__str(words[i]))) return true;
    return false;
}

static void skip_number(struct lexer *s)
{
    bool hex = *s->at == '0' && (peek(s, 1) == 'x' || peek(s, 1) == 'X');
    while (s->at < s->end) {
        char c = *s->at;
        bool exponent = hex ? c == 'p' || c == 'P' : c == 'e' || c == 'E';
        if (exponent && (peek(s, 1) == '+' || peek(s, 1) == '-')) s->at++;
        else if (!is_name(c) && c != '.') return;
        s->at++;
    }
}

static size_t operator_len(const struct lexer *s)
{
    static const char *const ops[] = { "...", "..", "==", "~=", "<=", ">=", "//", "::", "<<", ">>" };
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        size_t n = strlen(ops[i]);
        if ((size_t)(s->end - s->at) >= n && memcmp(s->at, ops[i], n) == 0) return n;
    }
    return 1;
}

static void next(struct lexer *s)
{
    skip_blank(s);
    const char *start = s->at;
    s->token = T_END;
    if (s->at < s->end) {
        char c = *s->at;
        long level = c == '[' ? long_bracket(s) : -1;
        if (is_digit(c) || (c == '.' && is_digit(peek(s, 1)))) {
            s->token = T_NUMBER;
            skip_number(s);
        } else if (is_name(c)) {
            s->token = T_NAME;
            while (s->at < s->end && is_name(*s->at)) s->at++;
        } else if (c == '"' || c == '\'') {
            s->token = T_STRING;
            skip_string(s, c);
        } else if (level >= 0) {
            s->token = T_STRING;
            skip_long(s, level);
        } else {
            s->token = T_OP;
            s->at += operator_len(s);
        }
    }
    if (s->at > s->end) s->at = s->end;
    s->text = (struct il_str){ start, (size_t)(s->at - start) };
    if (s->token == T_NAME && is_keyword(s->text)) s->token = T_KEYWORD;
}

static bool is(const struct lexer *s, const char *text)
{
    return il__str_eq(s->text, il__str(text));
}

/* Counts a distinct constant, by hash. */
static void count_constant(struct scan *s)
{
    uint64_t h = 14695981039346656037u;
    if (s->constants > CONSTANTS) return;
    for (size_t i = 0; i < s->lex.text.len; i++) h = (h ^ (unsigned char)s->lex.text.ptr[i]) * 1099511628211u;
    if (h == 0) h = 1;
    size_t at = (size_t)(h % SLOTS);
    while (s->seen[at] != 0 && s->seen[at] != h) at = (at + 1) % SLOTS;
    if (s->seen[at] == h) return;
    s->seen[at] = h;
    s->constants++;
}

static void open_level(struct scan *s, char open, bool subscript)
{
    if (s->depth == IL__LIMIT_SCRIPT_NESTING) {
        s->fault = "brackets and blocks are nested deeper than 100 levels (script_nesting)";
        return;
    }
    s->level[++s->depth] = (struct level){ open, subscript, s->chain };
    s->chain = 0;
    s->operand = false;
}

static void close_level(struct scan *s, bool operand)
{
    s->chain = s->level[s->depth].chain;
    if (s->depth > 0) s->depth--;
    s->operand = operand;
}

static void link_chain(struct scan *s)
{
    if (++s->chain > IL__LIMIT_SCRIPT_SUFFIXES)
        s->fault = "a chain a.b.c has more than 64 links (script_suffixes): put a part of it in a local";
}

static void comparison(struct scan *s)
{
    if (s->level[s->depth].subscript)
        s->fault = "a comparison or `not` inside [ ] is compiled wrongly by Lua 5.4.4: put it in a local first";
}

static void keyword(struct scan *s)
{
    if (is(&s->lex, "and") || is(&s->lex, "or") || is(&s->lex, "elseif")) {
        if (++s->operators > IL__LIMIT_SCRIPT_OPERATORS)
            s->fault = "more than 2000 `and`, `or` and `elseif` (script_operators): use a table";
    }
    if (is(&s->lex, "not")) comparison(s);
    s->chain = 0;
    s->operand = false;
    if (is(&s->lex, "function") || is(&s->lex, "do") || is(&s->lex, "if") || is(&s->lex, "repeat"))
        open_level(s, 'b', false);
    else if (is(&s->lex, "end") || is(&s->lex, "until")) close_level(s, is(&s->lex, "end"));
}

static void bracket(struct scan *s, char c)
{
    if (c == '(' || c == '[' || c == '{') {
        bool suffix = s->operand;
        if (suffix) link_chain(s);
        else s->chain = 0;
        open_level(s, c, c == '[' || (c == '(' && !suffix && s->level[s->depth].subscript));
    } else {
        close_level(s, true);
    }
}

/* `local x <close>`: what stands between < and >. */
static bool close_attribute(const struct scan *s)
{
    struct lexer ahead = s->lex;
    next(&ahead);
    if (!is(&ahead, "close")) return false;
    next(&ahead);
    return is(&ahead, ">");
}

static void operator(struct scan *s)
{
    char c = s->lex.text.ptr[0];
    if (s->lex.text.len == 1 && strchr("()[]{}", c)) {
        bracket(s, c);
        return;
    }
    if (s->operand && (is(&s->lex, ".") || is(&s->lex, ":"))) {
        link_chain(s);
        s->after_dot = true;
        return;
    }
    if (is(&s->lex, "<") && close_attribute(s)) s->fault = "<close> is not offered";
    if (is(&s->lex, "==") || is(&s->lex, "~=") || is(&s->lex, "<") || is(&s->lex, ">") || is(&s->lex, "<=") ||
        is(&s->lex, ">="))
        comparison(s);
    if (is(&s->lex, "&") || is(&s->lex, "|") || is(&s->lex, "~") || is(&s->lex, "<<") || is(&s->lex, ">>"))
        s->bitwise = true;
    if (is(&s->lex, "^") && s->notes && s->notes->pow_line == 0) s->notes->pow_line = s->lex.line;
    s->chain = 0;
    s->operand = is(&s->lex, "...");
}

static void token(struct scan *s)
{
    switch (s->lex.token) {
    case T_NAME:
        if (!s->after_dot) s->chain = 0;
        count_constant(s);
        s->after_dot = false;
        s->operand = true;
        return;
    case T_NUMBER:
        count_constant(s);
        s->chain = 0;
        s->operand = false;
        break;
    case T_STRING:
        count_constant(s);
        if (s->operand) link_chain(s);
        else s->chain = 0;
        s->operand = true;
        break;
    case T_KEYWORD: keyword(s); break;
    case T_OP: operator(s); return;
    case T_END: break;
    }
    s->after_dot = false;
}

static const char *whole_file(struct il_str source)
{
    if (source.len > IL__LIMIT_SCRIPT_SOURCE) return "the source is larger than 65536 bytes (script_source)";
    if (source.len > 0 && source.ptr[0] == '\x1b') return "a compiled chunk is not accepted: source text only";
    if (source.len > 0 && memchr(source.ptr, '\0', source.len)) return "the source holds a NUL byte: text only";
    if (source.len >= 3 && memcmp(source.ptr, "\xef\xbb\xbf", 3) == 0)
        return "the source begins with a byte order mark: save it without";
    return NULL;
}

enum il_code il__admit(struct il_str source, struct il__admitted *notes, int *line, struct il_error *err)
{
    struct scan s = { .lex = { .at = source.ptr, .line = 1 }, .notes = notes };
    if (notes) *notes = (struct il__admitted){ 0 };
    if (line) *line = 0;
    s.fault = whole_file(source);
    if (!s.fault && source.len > 0) {
        s.lex.end = source.ptr + source.len;
        do {
            next(&s.lex);
            token(&s);
        } while (s.lex.token != T_END && !s.fault);
        if (line && s.fault) *line = s.lex.line;
    }
    if (!s.fault && s.bitwise && s.constants > CONSTANTS)
        s.fault = "more than 250 names and constants in a file with bitwise operators: Lua 5.4.4 may compile these "
                  "wrongly; put the operators in a file of their own";
    if (!s.fault) return IL_OK;
    return il__fail(err, IL_SCRIPT_ERROR, "%s", s.fault);
}
