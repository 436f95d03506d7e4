/* What the parser says about a token that cannot stand where it stands, in the words of somebody who knows other
 * languages, and what to write. Pure text work. */
#ifndef IL_SCRIPT_SYNTAX_SAY_H
#define IL_SCRIPT_SYNTAX_SAY_H

#include "script/syntax_lex.h"

struct il__said_syntax {
    char message[160], fix[120];
    bool at_token; /* the fault is the token, not what stands before it */
};

/* The token of `lex`, where `wanted` (NULL: nothing in particular) was expected; `last_to` is the end of the token
 * before. */
void il__syntax_say(const struct il__lexer *lex, uint32_t last_to, const char *wanted, struct il__said_syntax *out);
/* An expression that is no statement; `name` when it is a name alone. The token behind it is that of `lex`. */
void il__syntax_say_statement(const struct il__lexer *lex, struct il_str name, struct il__said_syntax *out);
/* What to write for a sign that Lua does not have; may be "". Static. */
const char *il__syntax_fix_sign(const struct il__lexer *lex);

#endif
