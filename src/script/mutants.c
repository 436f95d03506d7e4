/* Mutants of a source (mutants.h): one function for each kind of node says what could stand there instead. Mutants that
 * do the same as another one are left out: a comparison is never negated as well. */
#include "script/mutants.h"

#include "base/error.h"
#include "script/syntax_places.h"
#include "wire/json_write.h"

#include <stdio.h>

static const char *const names[][2] = {
#define X(constant, name, about) { name, about },
    IL__MUTATIONS(X)
#undef X
};

const char *il__mutation_name(enum il__mutation rule)
{
    return names[rule][0];
}

const char *il__mutation_about(enum il__mutation rule)
{
    return names[rule][1];
}

struct maker {
    struct il__arena *arena;
    const struct il__syntax *s;
    struct il__buf found; /* struct il__mutant after struct il__mutant */
    struct il__buf text;  /* of the mutant that is being made */
};

static struct il_str bytes(const struct maker *m, uint32_t from, uint32_t to)
{
    return (struct il_str){ m->s->source.ptr + from, to - from };
}

/* Adds what `text` holds in place of [from, to), with as many line breaks as stood there. */
static void add(struct maker *m, enum il__mutation rule, uint32_t from, uint32_t to)
{
    struct il__mutant mutant = { .rule = rule, .from = from, .to = to, .before = bytes(m, from, to), .line = 1 };
    struct il_str source = m->s->source, after = il__buf_get(&m->text);
    int lines = 0;
    for (uint32_t i = from; i < to; i++) lines += source.ptr[i] == '\n';
    for (size_t i = 0; i < after.len; i++) lines -= after.ptr[i] == '\n';
    for (; lines > 0; lines--) il__buf_putc(&m->text, '\n');
    for (uint32_t i = 0; i < from; i++) mutant.line += source.ptr[i] == '\n';
    mutant.column = il__source_column(source, from);
    after = il__buf_get(&m->text);
    if (!after.ptr) after = IL_STR("");
    if (il__arena_str(m->arena, after, &mutant.after) != IL_OK && !m->found.code) m->found.code = IL_OUT_OF_MEMORY;
    il__buf_add(&m->found, &mutant, sizeof mutant);
    il__buf_reset(&m->text);
}

static void add_text(struct maker *m, enum il__mutation rule, uint32_t from, uint32_t to, const char *after)
{
    il__buf_puts(&m->text, after);
    add(m, rule, from, to);
}

static bool is(const struct maker *m, uint32_t at, enum il__syn_kind kind)
{
    return il__syn(m->s, at)->kind == (uint8_t)kind;
}

static uint32_t unparen(const struct maker *m, uint32_t at)
{
    while (is(m, at, IL__SYN_PAREN)) at = il__syn(m->s, at)->first;
    return at;
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

static void binary(struct maker *m, uint32_t at)
{
    const struct il__syn *n = il__syn(m->s, at);
    uint32_t end = n->op_at + (uint32_t)strlen(il__token_text((enum il__token)n->op));
    static const struct { enum il__token op; enum il__mutation rule; const char *one, *two; } others[] = {
        { IL__TOK_EQ, IL__MUTATE_COMPARISON, "~=", NULL }, { IL__TOK_NE, IL__MUTATE_COMPARISON, "==", NULL },
        { IL__TOK_LT, IL__MUTATE_COMPARISON, "<=", ">=" }, { IL__TOK_LE, IL__MUTATE_COMPARISON, "<", ">" },
        { IL__TOK_GT, IL__MUTATE_COMPARISON, ">=", "<=" }, { IL__TOK_GE, IL__MUTATE_COMPARISON, ">", "<" },
        { IL__TOK_AND, IL__MUTATE_LOGIC, "or", NULL },     { IL__TOK_OR, IL__MUTATE_LOGIC, "and", NULL },
        { IL__TOK_ADD, IL__MUTATE_ARITHMETIC, "-", NULL }, { IL__TOK_SUB, IL__MUTATE_ARITHMETIC, "+", NULL },
        { IL__TOK_MUL, IL__MUTATE_ARITHMETIC, "/", NULL }, { IL__TOK_DIV, IL__MUTATE_ARITHMETIC, "*", NULL },
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (n->op != (uint8_t)others[i].op) continue;
        bool joins = strcmp(others[i].one, "-") == 0; /* never two of them: they begin a comment */
        add_text(m, others[i].rule, n->op_at, end, joins ? "- " : others[i].one);
        if (others[i].two) add_text(m, others[i].rule, n->op_at, end, others[i].two);
    }
}

static void unary(struct maker *m, uint32_t at)
{
    const struct il__syn *n = il__syn(m->s, at);
    if (n->op == IL__TOK_NOT) add_text(m, IL__MUTATE_NOT, n->op_at, il__syn(m->s, n->first)->from, " ");
}

static bool compares(const struct il__syn *n)
{
    return n->kind == IL__SYN_BINARY && (n->op == IL__TOK_EQ || n->op == IL__TOK_NE || n->op == IL__TOK_LT ||
                                         n->op == IL__TOK_LE || n->op == IL__TOK_GT || n->op == IL__TOK_GE);
}

static void condition(struct maker *m, uint32_t at)
{
    const struct il__syn *inner = il__syn(m->s, unparen(m, at)), *n = il__syn(m->s, at);
    bool constant = inner->kind == IL__SYN_TRUE || inner->kind == IL__SYN_FALSE;
    if (compares(inner) || constant || (inner->kind == IL__SYN_UNARY && inner->op == IL__TOK_NOT)) return;
    il__buf_puts(&m->text, " not (");
    il__buf_str(&m->text, bytes(m, n->from, n->to));
    il__buf_puts(&m->text, ") ");
    add(m, IL__MUTATE_CONDITION, n->from, n->to);
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

static void put_number(struct maker *m, uint32_t from, bool integer, int64_t i, double n)
{
    char text[32];
    bool minus = integer ? i < 0 : n < 0;
    if (minus && from > 0 && m->s->source.ptr[from - 1] == '-') il__buf_putc(&m->text, ' ');
    if (integer) {
        il__buf_printf(&m->text, "%lld", (long long)i);
        return;
    }
    size_t len = il__double_text(n, text);
    il__buf_str(&m->text, (struct il_str){ text, len });
}

static void number(struct maker *m, uint32_t at)
{
    const struct il__syn *n = il__syn(m->s, at);
    int64_t i;
    double d;
    bool integer = il__syntax_number(n->text, &i, &d);
    if (integer ? i >= INT64_MAX - 1 || i <= INT64_MIN + 1 : !(d < 1e15)) return;
    for (int step = 1; step >= -1; step -= 2) {
        put_number(m, n->from, integer, integer ? i + step : 0, d + step);
        add(m, IL__MUTATE_NUMBER, n->from, n->to);
    }
}

/* True for a call of the name `word` or of a member of that name. */
static bool calls(const struct maker *m, uint32_t call, const char *word)
{
    uint32_t callee = il__syn(m->s, call)->first;
    if (is(m, callee, IL__SYN_INDEX)) callee = il__syn(m->s, callee)->last;
    return il__str_eq(il__syn(m->s, callee)->text, il__str(word));
}

/* Compared with something, or an argument of a function that is no verdict: "glob", "under", "has". */
static bool matters(const struct maker *m, uint32_t at)
{
    const struct il__syn *n = il__syn(m->s, at), *parent = il__syn(m->s, n->parent);
    if (compares(parent)) return true;
    if (parent->kind != IL__SYN_CALL || parent->first == at) return false;
    return !calls(m, n->parent, "ask") && !calls(m, n->parent, "deny") && !calls(m, n->parent, "require") &&
           !calls(m, n->parent, "error") && !calls(m, n->parent, "log") && !calls(m, n->parent, "print");
}

static void string(struct maker *m, uint32_t at)
{
    const struct il__syn *n = il__syn(m->s, at);
    if (!matters(m, at)) return;
    const char *other = il__str_eq(n->text, IL_STR("other")) ? "\"another\"" : "\"other\"";
    add_text(m, IL__MUTATE_TEXT, n->from, n->to, other);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static bool constant(const struct maker *m, uint32_t at)
{
    const struct il__syn *n = il__syn(m->s, at);
    if (n->kind == IL__SYN_FIELD) return is(m, n->last, IL__SYN_TRUE);
    return n->kind == IL__SYN_STRING || n->kind == IL__SYN_NUMBER || n->kind == IL__SYN_TRUE;
}

static void table(struct maker *m, uint32_t at)
{
    const struct il__syn *n = il__syn(m->s, at);
    uint32_t before = 0;
    for (uint32_t item = n->first; item; item = il__syn(m->s, item)->next) {
        const struct il__syn *i = il__syn(m->s, item);
        if (constant(m, item)) {
            uint32_t from = i->next || !before ? i->from : il__syn(m->s, before)->to;
            uint32_t to = i->next ? il__syn(m->s, i->next)->from : i->to;
            if (!i->next && !before) to = n->to - 1; /* a comma may stand behind the only one */
            add(m, IL__MUTATE_ITEM, from, to);
        }
        before = item;
    }
}

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

/* "ask", "deny", or NULL: what `at` gives, a call of a member of that name. */
static const char *verdict(const struct maker *m, uint32_t at)
{
    if (!is(m, at, IL__SYN_CALL) || !is(m, il__syn(m->s, at)->first, IL__SYN_INDEX)) return NULL;
    return calls(m, at, "ask") ? "ask" : calls(m, at, "deny") ? "deny" : NULL;
}

/* True inside the function of phase `phase`. */
static bool in_phase(const struct maker *m, uint32_t at, const char *phase)
{
    uint32_t function = il__syn_function(m->s, at);
    const struct il__syn *field = il__syn(m->s, il__syn(m->s, function)->parent);
    return function && field->kind == IL__SYN_FIELD && il__str_eq(il__syn(m->s, field->first)->text, il__str(phase));
}

/* Options that deny does not know are left out. */
static void put_options(struct maker *m, uint32_t table_at)
{
    bool first = true;
    il__buf_puts(&m->text, ", {");
    for (uint32_t f = il__syn(m->s, table_at)->first; f; f = il__syn(m->s, f)->next) {
        struct il_str key = il__syn(m->s, il__syn(m->s, f)->first)->text;
        bool known = il__str_eq(key, IL_STR("code")) || il__str_eq(key, IL_STR("remedy"));
        if (!is(m, f, IL__SYN_FIELD) || !known) continue;
        il__buf_puts(&m->text, first ? " " : ", ");
        il__buf_str(&m->text, il__syn_source(m->s, f));
        first = false;
    }
    il__buf_puts(&m->text, first ? "}" : " }");
}

static void call(struct maker *m, uint32_t at)
{
    const char *said = verdict(m, at);
    if (!said) return;
    bool ask = strcmp(said, "ask") == 0;
    if (!ask && (in_phase(m, at, "execute") || in_phase(m, at, "approve"))) return; /* there an ask denies as well */
    const struct il__syn *n = il__syn(m->s, at), *key = il__syn(m->s, il__syn(m->s, n->first)->last);
    uint32_t reason = il__syn(m->s, n->first)->next, options = reason ? il__syn(m->s, reason)->next : 0;
    if (!ask || !is(m, options, IL__SYN_TABLE)) {
        add_text(m, IL__MUTATE_VERDICT, key->from, key->to, ask ? "deny" : "ask");
        return;
    }
    il__buf_puts(&m->text, "deny(");
    il__buf_str(&m->text, il__syn_source(m->s, reason));
    put_options(m, options);
    il__buf_putc(&m->text, ')');
    add(m, IL__MUTATE_VERDICT, key->from, n->to);
}

/* True when nothing runs behind statement `at` before its function ends: to leave it out or to return nothing is one.
 */
static bool ends_function(const struct maker *m, uint32_t at, uint32_t function)
{
    for (; at != function; at = il__syn(m->s, at)->parent) {
        const struct il__syn *n = il__syn(m->s, at);
        if (n->next && n->kind != IL__SYN_CLAUSE) return false;
        if (n->kind >= IL__SYN_WHILE && n->kind <= IL__SYN_FOR_IN && n->kind != IL__SYN_IF && n->kind != IL__SYN_CLAUSE)
            return false;
    }
    return true;
}

static void returned(struct maker *m, uint32_t at)
{
    const struct il__syn *n = il__syn(m->s, at);
    uint32_t function = il__syn_function(m->s, at);
    if (!function || !n->first) return;
    const struct il__syn *value = il__syn(m->s, n->first);
    if (value->kind == IL__SYN_NIL || value->kind == IL__SYN_TRUE || value->kind == IL__SYN_FALSE) return;
    if (verdict(m, n->first) && !ends_function(m, at, function)) add(m, IL__MUTATE_DROP, n->from, n->to);
    add_text(m, IL__MUTATE_NIL, value->from, n->to, "nil");
}

/* A bound that is no constant. */
static void bound(struct maker *m, uint32_t at)
{
    uint32_t last = il__syn_child(m->s, il__syn_child(m->s, at, 1), 1);
    const struct il__syn *n = il__syn(m->s, last);
    if (n->kind == IL__SYN_NUMBER) return;
    il__buf_putc(&m->text, '(');
    il__buf_str(&m->text, il__syn_source(m->s, last));
    il__buf_puts(&m->text, ") - 1");
    add(m, IL__MUTATE_BOUND, n->from, n->to);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static void node(struct maker *m, uint32_t at)
{
    const struct il__syn *n = il__syn(m->s, at);
    switch ((int)n->kind) {
    case IL__SYN_BINARY: binary(m, at); break;
    case IL__SYN_UNARY: unary(m, at); break;
    case IL__SYN_NUMBER: number(m, at); break;
    case IL__SYN_STRING: string(m, at); break;
    case IL__SYN_TRUE: add_text(m, IL__MUTATE_BOOLEAN, n->from, n->to, "false"); break;
    case IL__SYN_FALSE: add_text(m, IL__MUTATE_BOOLEAN, n->from, n->to, "true"); break;
    case IL__SYN_TABLE: table(m, at); break;
    case IL__SYN_CALL: call(m, at); break;
    case IL__SYN_RETURN: returned(m, at); break;
    case IL__SYN_FOR_NUM: bound(m, at); break;
    case IL__SYN_WHILE: condition(m, n->first); break;
    case IL__SYN_CLAUSE:
        if (n->first != n->last) condition(m, n->first);
        break;
    default: break;
    }
}

static enum il_code give(struct maker *m, struct il__mutants *out, struct il_error *err)
{
    size_t count = m->found.len / sizeof(struct il__mutant);
    if (il__buf_check(&m->text, err) != IL_OK) return m->text.code;
    if (m->found.code == IL_LIMIT_EXCEEDED)
        return il__fail(err, IL_LIMIT_EXCEEDED, "the source has more than %d mutants (script_mutants)",
                        IL__LIMIT_SCRIPT_MUTANTS);
    if (il__buf_check(&m->found, err) != IL_OK) return m->found.code;
    struct il__mutant *items = il__arena_alloc(m->arena, (count + 1) * sizeof *items);
    if (!items) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for mutants");
    if (count > 0) memcpy(items, m->found.ptr, count * sizeof *items);
    *out = (struct il__mutants){ items, count };
    return IL_OK;
}

enum il_code il__mutants_make(struct il__arena *arena, struct il_str source, struct il__mutants *out,
                              struct il_error *err)
{
    struct il__syntax *s = NULL;
    struct maker m = { .arena = arena };
    enum il_code code = il__syntax_parse(arena->mem, source, &s, NULL, err);
    if (code != IL_OK) return code;
    m.s = s;
    il__buf_init(&m.found, arena->mem, IL__LIMIT_SCRIPT_MUTANTS * sizeof(struct il__mutant));
    il__buf_init(&m.text, arena->mem, 0);
    for (uint32_t at = s->root; at && !m.found.code; at = il__syn_walk(s, s->root, at)) node(&m, at);
    code = give(&m, out, err);
    il__buf_clear(&m.found);
    il__buf_clear(&m.text);
    il__syntax_free(s);
    return code;
}

void il__mutant_source(struct il_str source, const struct il__mutant *mutant, struct il__buf *out)
{
    il__buf_add(out, source.ptr, mutant->from);
    il__buf_str(out, mutant->after);
    il__buf_add(out, source.ptr + mutant->to, source.len - mutant->to);
}
