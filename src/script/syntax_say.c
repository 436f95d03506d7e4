/* Texts about faults of syntax (syntax_say.h). */
#include "script/syntax_say.h"

#include "base/error.h"
#include "script/near.h"

#include <stdio.h>

static void set(struct il__said_syntax *out, const char *message, const char *fix)
{
    snprintf(out->message, sizeof out->message, "%s", message);
    snprintf(out->fix, sizeof out->fix, "%s", fix);
}

/* `text`, as messages show a token. */
static void show(const struct il__lexer *lex, char *buf, size_t cap)
{
    char text[48];
    if (lex->token == IL__TOK_EOF || lex->token == IL__TOK_STRING) {
        snprintf(buf, cap, "%s", il__token_text(lex->token));
        return;
    }
    il__escape(text, sizeof text, (struct il_str){ lex->source.ptr + lex->from, lex->to - lex->from });
    snprintf(buf, cap, "`%s`", text);
}

static bool follows(const struct il__lexer *lex, enum il__token token)
{
    struct il__lexer ahead = *lex;
    il__lexer_next(&ahead);
    return ahead.token == token;
}

static bool ends_with(const struct il__lexer *lex, uint32_t end, char c)
{
    return end > 0 && end == lex->from && lex->source.ptr[end - 1] == c;
}

/* A mistake that is known by its token alone; false: none. */
static bool known(const struct il__lexer *lex, uint32_t last_to, const char *wanted, struct il__said_syntax *out)
{
    bool condition = wanted && (strstr(wanted, "`then`") || strstr(wanted, "`do`") || strstr(wanted, "`)`"));
    if (lex->token == IL__TOK_ASSIGN && ends_with(lex, last_to, '='))
        set(out, "Lua has no `===`", "write `==`");
    else if (lex->token == IL__TOK_ASSIGN && (condition || !wanted))
        set(out, "`=` sets a variable, it does not compare", "write `==` to compare");
    else if (lex->token == IL__TOK_BAND && ends_with(lex, last_to, '&'))
        set(out, "Lua has no `&&`", "write `and`");
    else if (lex->token == IL__TOK_BOR && ends_with(lex, last_to, '|'))
        set(out, "Lua has no `||`", "write `or`");
    else if (lex->token == IL__TOK_LBRACE && condition)
        set(out, "a block is not written with braces", "write `then` or `do`, and `end` behind it");
    else if (lex->token == IL__TOK_IDIV)
        set(out, "`//` divides", "a comment begins with `--`");
    else return false;
    return true;
}

void il__syntax_say(const struct il__lexer *lex, uint32_t last_to, const char *wanted, struct il__said_syntax *out)
{
    char found[64];
    *out = (struct il__said_syntax){ .at_token = true };
    if (known(lex, last_to, wanted, out)) return;
    show(lex, found, sizeof found);
    if (wanted) snprintf(out->message, sizeof out->message, "%s is expected here, not %s", wanted, found);
    else if (lex->token == IL__TOK_EOF) set(out, "the file ends here, in the middle", "close what is open");
    else snprintf(out->message, sizeof out->message, "%s cannot stand here", found);
    if (lex->token == IL__TOK_END && !wanted) snprintf(out->fix, sizeof out->fix, "there is one `end` too many");
    const bool after_end = last_to >= 3 && memcmp(lex->source.ptr + last_to - 3, "end", 3) == 0;
    const bool closes = lex->token == IL__TOK_RBRACE || lex->token == IL__TOK_CLOSE;
    if (!wanted && (closes || (lex->token == IL__TOK_COMMA && after_end)))
        snprintf(out->fix, sizeof out->fix, "an `end` is missing before it, or it is one too many");
}

/* Words of other languages, and what Lua has. */
static const char *const foreign[][2] = {
    { "elif", "elseif" }, { "elsif", "elseif" }, { "var", "local" }, { "let", "local" }, { "const", "local" },
    { "def", "function" }, { "func", "function" }, { "fn", "function" }, { "switch", "if" }, { "foreach", "for" },
};

static const char *word_for(struct il_str name)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (il__str_eq(name, il__str(foreign[i][0]))) return foreign[i][1];
    struct il__near near = il__near_start(name);
    for (int t = IL__TOK_AND; t <= IL__TOK_WHILE; t++) il__near_try(&near, il__str(il__token_text((enum il__token)t)));
    return near.best.ptr;
}

static bool is_operator(enum il__token t)
{
    return t == IL__TOK_CONCAT || (t >= IL__TOK_EQ && t <= IL__TOK_SHR && t != IL__TOK_DBCOLON) ||
           (t >= IL__TOK_ADD && t <= IL__TOK_GT) || t == IL__TOK_AND || t == IL__TOK_OR;
}

void il__syntax_say_statement(const struct il__lexer *lex, struct il_str name, struct il__said_syntax *out)
{
    char shown[48], found[64];
    *out = (struct il__said_syntax){ .at_token = true };
    const char *word = il__str_present(name) ? word_for(name) : NULL;
    if (lex->token == IL__TOK_EQ) {
        set(out, "a comparison is no statement", "write `=` to set, or put it behind `if`");
    } else if (is_operator(lex->token) && follows(lex, IL__TOK_ASSIGN)) {
        snprintf(out->message, sizeof out->message, "Lua has no `%s=`", il__token_text(lex->token));
        snprintf(out->fix, sizeof out->fix, "write NAME = NAME %s ...", il__token_text(lex->token));
    } else if (is_operator(lex->token) && follows(lex, lex->token)) {
        set(out, "Lua has no `++` and no `--`", "write NAME = NAME + 1");
    } else if (word) {
        il__escape(shown, sizeof shown, name);
        snprintf(out->message, sizeof out->message, "`%s` is no statement", shown);
        snprintf(out->fix, sizeof out->fix, "did you mean `%s`?", word);
        out->at_token = false;
    } else {
        show(lex, found, sizeof found);
        snprintf(out->message, sizeof out->message, "this is no statement: a call or `=` is expected before %s", found);
        out->at_token = false;
    }
}

const char *il__syntax_fix_sign(const struct il__lexer *lex)
{
    uint32_t at = lex->fault_at;
    char c = at < lex->source.len ? lex->source.ptr[at] : '\0';
    char after = at + 1 < lex->source.len ? lex->source.ptr[at + 1] : '\0';
    if (c == '!' && after == '=') return "write `~=` for \"is not\"";
    if (c == '!') return "write `not`";
    if (c == '\xe2' && after == '\x80') return "write straight quotes: \"...\"";
    if (c == '"' || c == '\'') return "close it with the same quote";
    return "";
}
