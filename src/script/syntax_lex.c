/* The scanner of Lua 5.4 (syntax_lex.h), after the manual §3.1: names, numerals, short and long strings, comments.
 * Accepts exactly what the stock scanner accepts. */
#include "script/syntax_lex.h"

static const char *const texts[] = {
    "the end of the file", "a name", "a number", "a string", "this",
#define TEXT(name, text) text,
    IL__WORDS(TEXT)
    IL__MARKS(TEXT)
#undef TEXT
};
_Static_assert(sizeof texts / sizeof *texts == IL__TOK_COUNT, "one text for each token");

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int hex(char c)
{
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

static bool is_break(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool more(const struct il__lexer *s)
{
    return s->at < s->source.len;
}

/* The byte `ahead`, or NUL past the end. */
static char peek(const struct il__lexer *s, uint32_t ahead)
{
    return s->source.len - s->at > ahead ? s->source.ptr[s->at + ahead] : '\0';
}

static void bad(struct il__lexer *s, const char *fault, uint32_t at)
{
    if (s->token == IL__TOK_BAD) return;
    s->token = IL__TOK_BAD;
    s->fault = fault;
    s->fault_at = at;
}

/* At a line break: \n, \r, \r\n or \n\r are one. */
static void skip_break(struct il__lexer *s)
{
    char c = peek(s, 0);
    s->at++;
    if (more(s) && is_break(peek(s, 0)) && peek(s, 0) != c) s->at++;
    s->line++;
}

/* At `[` or `]`: how many `=` stand up to the same bracket, or -1. */
static long bracket_level(const struct il__lexer *s)
{
    uint32_t n = 1;
    while (peek(s, n) == '=') n++;
    return peek(s, n) == peek(s, 0) && s->at + n < s->source.len ? (long)n - 1 : -1;
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

struct text {
    char *ptr; /* NULL: a comment */
    size_t len;
};

static void put(struct text *t, char c)
{
    if (t->ptr) t->ptr[t->len++] = c;
}

/* At the opening bracket; ends behind the closing one. */
static void long_string(struct il__lexer *s, long level, struct text *t)
{
    uint32_t start = s->at;
    s->at += (uint32_t)level + 2;
    if (more(s) && is_break(peek(s, 0))) skip_break(s);
    while (more(s)) {
        char c = peek(s, 0);
        if (c == ']' && bracket_level(s) == level) {
            s->at += (uint32_t)level + 2;
            return;
        }
        if (is_break(c)) {
            put(t, '\n');
            skip_break(s);
        } else {
            put(t, c);
            s->at++;
        }
    }
    bad(s, t->ptr ? "this string is not closed before the end of the file"
                  : "this comment is not closed before the end of the file", start);
}

static void put_utf8(struct text *t, uint32_t code)
{
    char bytes[6];
    int n = 0;
    uint32_t first = 0x3f;
    if (code < 0x80) {
        put(t, (char)code);
        return;
    }
    do {
        bytes[n++] = (char)(0x80 | (code & 0x3f));
        code >>= 6;
        first >>= 1;
    } while (code > first);
    put(t, (char)((~first << 1) | code));
    while (n > 0) put(t, bytes[--n]);
}

/* Behind `\u`: {20AC}. */
static void unicode(struct il__lexer *s, struct text *t)
{
    uint32_t start = s->at, code = 0;
    bool one = false;
    if (peek(s, 0) == '{') s->at++;
    else bad(s, "a code point is written \\u{20AC}", start);
    for (int d; more(s) && (d = hex(peek(s, 0))) >= 0; s->at++, one = true) {
        if (code > (0x7fffffffu >> 4)) {
            bad(s, "this code point is too large", start);
            return;
        }
        code = code * 16 + (uint32_t)d;
    }
    if (!one || peek(s, 0) != '}') bad(s, "a code point is written \\u{20AC}", start);
    else s->at++;
    put_utf8(t, code);
}

/* Behind the backslash of `\ddd`. */
static void decimal(struct il__lexer *s, struct text *t)
{
    uint32_t start = s->at;
    int v = 0;
    for (int i = 0; i < 3 && is_digit(peek(s, 0)); i++, s->at++) v = v * 10 + (peek(s, 0) - '0');
    if (v > 255) bad(s, "a byte is written \\ddd, from \\0 to \\255", start);
    put(t, (char)v);
}

static void escape(struct il__lexer *s, struct text *t)
{
    static const char names[] = "abfnrtv\\\"'", values[] = "\a\b\f\n\r\t\v\\\"'";
    uint32_t start = s->at++;
    char c = peek(s, 0);
    const char *named = more(s) && c != '\0' ? strchr(names, c) : NULL;
    if (named) {
        put(t, values[named - names]);
        s->at++;
    } else if (more(s) && is_break(c)) {
        put(t, '\n');
        skip_break(s);
    } else if (is_digit(c)) {
        decimal(s, t);
    } else if (c == 'x') {
        int high = hex(peek(s, 1)), low = high < 0 ? -1 : hex(peek(s, 2));
        if (low < 0) bad(s, "a byte is written \\xFF, with two hex digits", start);
        else s->at += 3;
        put(t, (char)(high * 16 + low));
    } else if (c == 'z') {
        s->at++;
        while (more(s) && is_space(peek(s, 0)))
            if (is_break(peek(s, 0))) skip_break(s);
            else s->at++;
    } else if (c == 'u') {
        s->at++;
        unicode(s, t);
    } else {
        bad(s, "there is no such escape; a backslash is written \\\\", start);
    }
}

static void short_string(struct il__lexer *s, char quote, struct text *t)
{
    uint32_t start = s->at++;
    while (s->token != IL__TOK_BAD) {
        char c = peek(s, 0);
        if (!more(s) || is_break(c)) {
            bad(s, "this string is not closed on its line", start);
            return;
        }
        if (c == quote) {
            s->at++;
            return;
        }
        if (c == '\\') {
            escape(s, t);
        } else {
            put(t, c);
            s->at++;
        }
    }
}

/* A string begins here. Its value is never longer than what is left of the source. */
static void string(struct il__lexer *s, long level)
{
    struct il__lexer ahead = *s;
    ahead.token = IL__TOK_STRING;
    struct text none = { NULL, 0 }, t;
    if (level >= 0) long_string(&ahead, level, &none);
    else short_string(&ahead, peek(s, 0), &none);
    t = (struct text){ il__arena_alloc(s->arena, (size_t)(ahead.at - s->at) + 1), 0 };
    if (!t.ptr) {
        bad(s, NULL, s->at);
        return;
    }
    s->token = IL__TOK_STRING;
    if (level >= 0) long_string(s, level, &t);
    else short_string(s, peek(s, 0), &t);
    s->text = (struct il_str){ t.ptr, t.len };
}

/* ---- the others -------------------------------------------------------------------------------------------------- */

static void skip_blank(struct il__lexer *s)
{
    struct text none = { NULL, 0 };
    while (more(s) && s->token != IL__TOK_BAD) {
        char c = peek(s, 0);
        if (is_break(c)) {
            skip_break(s);
        } else if (is_space(c)) {
            s->at++;
        } else if (c == '-' && peek(s, 1) == '-') {
            s->at += 2;
            long level = peek(s, 0) == '[' ? bracket_level(s) : -1;
            if (level >= 0) long_string(s, level, &none);
            else while (more(s) && !is_break(peek(s, 0))) s->at++;
        } else {
            return;
        }
    }
}

/* True when `t` is a numeral as the manual writes them. */
static bool numeral(struct il_str t)
{
    size_t i = 0, digits = 0;
    bool sixteen = t.len > 1 && t.ptr[0] == '0' && (t.ptr[1] | 32) == 'x';
    if (sixteen) i = 2;
    for (bool dot = false; i < t.len; i++) {
        if (t.ptr[i] == '.' && !dot) dot = true;
        else if (sixteen ? hex(t.ptr[i]) >= 0 : is_digit(t.ptr[i])) digits++;
        else break;
    }
    if (digits == 0) return false;
    if (i < t.len && (t.ptr[i] | 32) == (sixteen ? 'p' : 'e')) {
        i++;
        if (i < t.len && (t.ptr[i] == '+' || t.ptr[i] == '-')) i++;
        size_t first = i;
        while (i < t.len && is_digit(t.ptr[i])) i++;
        if (i == first) return false;
    }
    return i == t.len;
}

static void number(struct il__lexer *s)
{
    uint32_t start = s->at;
    bool sixteen = peek(s, 0) == '0' && (peek(s, 1) | 32) == 'x';
    s->token = IL__TOK_NUMBER;
    if (sixteen) s->at += 2;
    while (more(s)) {
        char c = peek(s, 0);
        if ((c | 32) == (sixteen ? 'p' : 'e') && (peek(s, 1) == '+' || peek(s, 1) == '-')) s->at++;
        else if (!is_name(c) && c != '.') break;
        s->at++;
    }
    s->text = (struct il_str){ s->source.ptr + start, s->at - start };
    if (!numeral(s->text)) bad(s, "this is no number", start);
}

static void name(struct il__lexer *s)
{
    uint32_t start = s->at;
    while (more(s) && is_name(peek(s, 0))) s->at++;
    s->text = (struct il_str){ s->source.ptr + start, s->at - start };
    s->token = IL__TOK_NAME;
    for (int t = IL__TOK_AND; t <= IL__TOK_WHILE; t++)
        if (il__str_eq(s->text, il__str(texts[t]))) s->token = (enum il__token)t;
}

static void mark(struct il__lexer *s)
{
    for (int t = IL__TOK_DOTS; t < IL__TOK_COUNT; t++) {
        size_t n = strlen(texts[t]);
        if (s->source.len - s->at < n || memcmp(s->source.ptr + s->at, texts[t], n) != 0) continue;
        s->token = (enum il__token)t;
        s->at += (uint32_t)n;
        return;
    }
    bad(s, "there is no such sign in Lua", s->at);
}

void il__lexer_init(struct il__lexer *lex, struct il__arena *arena, struct il_str source)
{
    *lex = (struct il__lexer){ .source = source, .arena = arena, .line = 1 };
}

void il__lexer_next(struct il__lexer *lex)
{
    if (lex->token == IL__TOK_BAD) return;
    lex->token = IL__TOK_EOF;
    skip_blank(lex);
    lex->from = lex->at;
    lex->token_line = lex->line;
    lex->text = IL_STR_NONE;
    if (more(lex) && lex->token != IL__TOK_BAD) {
        char c = peek(lex, 0);
        long level = c == '[' ? bracket_level(lex) : -1;
        if (is_digit(c) || (c == '.' && is_digit(peek(lex, 1)))) number(lex);
        else if (is_name(c)) name(lex);
        else if (c == '"' || c == '\'' || level >= 0) string(lex, level);
        else if (c == '[' && peek(lex, 1) == '=') bad(lex, "a long string begins with [=[", lex->at);
        else mark(lex);
    }
    lex->to = lex->at;
}

const char *il__token_text(enum il__token token)
{
    return texts[token];
}

uint32_t il__source_column(struct il_str source, uint32_t at)
{
    uint32_t column = 1;
    while (at > 0 && at <= source.len && !is_break(source.ptr[at - 1])) {
        at--;
        if (((unsigned char)source.ptr[at] & 0xc0) != 0x80) column++;
    }
    return column;
}
