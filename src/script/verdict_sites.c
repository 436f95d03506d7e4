/* Verdicts by their text (verdict_sites.h). */
#include "script/verdict_sites.h"

static bool is_text(const struct il__syntax *s, uint32_t at, const char *z)
{
    return il__str_eq(il__syn(s, at)->text, il__str(z));
}

/* require "interlock.policy" */
static bool is_module(const struct il__syntax *s, uint32_t at)
{
    const struct il__syn *n = il__syn(s, at);
    uint32_t argument = n->first ? il__syn(s, n->first)->next : 0;
    if (n->kind != IL__SYN_CALL || !is_text(s, n->first, "require") || !argument) return false;
    return il__syn(s, argument)->kind == IL__SYN_STRING && is_text(s, argument, "interlock.policy");
}

/* The value that the local was made with, 0: unknown. */
static uint32_t value_of(const struct il__syntax *s, uint32_t local)
{
    if (!local) return 0;
    uint32_t define = s->locals[local - 1].define, names = il__syn(s, define)->parent;
    const struct il__syn *stat = il__syn(s, il__syn(s, names)->parent);
    if (stat->kind == IL__SYN_LOCAL_FUNCTION) return stat->last;
    if (stat->kind != IL__SYN_LOCAL || stat->last == names) return 0;
    uint32_t name = il__syn(s, names)->first, value = il__syn(s, stat->last)->first;
    for (; name && name != define; name = il__syn(s, name)->next) value = value ? il__syn(s, value)->next : 0;
    return value;
}

/* `policy`: a local that holds the module, or the module itself. */
static bool is_policy(const struct il__syntax *s, uint32_t at)
{
    const struct il__syn *n = il__syn(s, at);
    while (n->kind == IL__SYN_PAREN) {
        at = n->first;
        n = il__syn(s, at);
    }
    if (n->kind == IL__SYN_CALL) return is_module(s, at);
    if (n->kind != IL__SYN_NAME) return false;
    uint32_t value = value_of(s, n->local);
    return value && is_module(s, value);
}

/* The verdict that this call makes, NONE: it makes none. */
static enum il__verdict verdict_of(const struct il__syntax *s, uint32_t at)
{
    const struct il__syn *n = il__syn(s, at), *callee = il__syn(s, n->first);
    if (n->kind != IL__SYN_CALL || callee->kind != IL__SYN_INDEX || !(callee->flags & IL__SYN_DOTTED) ||
        !is_policy(s, callee->first))
        return IL__VERDICT_NONE;
    if (is_text(s, callee->last, "ask")) return IL__VERDICT_ASK;
    return is_text(s, callee->last, "deny") ? IL__VERDICT_DENY : IL__VERDICT_NONE;
}

/* Is the function `name` taken here without being called, or perhaps taken, as in `policy[name]`? */
static bool takes(const struct il__syntax *s, uint32_t at, const char *name)
{
    const struct il__syn *n = il__syn(s, at), *parent = il__syn(s, n->parent);
    if (n->kind != IL__SYN_INDEX || !is_policy(s, n->first)) return false;
    if (!(n->flags & IL__SYN_DOTTED)) return true;
    return is_text(s, n->last, name) && !(parent->kind == IL__SYN_CALL && parent->first == at);
}

/* ---- functions that may say nothing ------------------------------------------------------------------------------ */

static bool ends_in_return(const struct il__syntax *s, uint32_t block);

static bool clauses_return(const struct il__syntax *s, uint32_t stat)
{
    bool last_is_else = false;
    for (uint32_t at = il__syn(s, stat)->first; at; at = il__syn(s, at)->next) {
        if (!ends_in_return(s, il__syn(s, at)->last)) return false;
        last_is_else = il__syn(s, at)->first == il__syn(s, at)->last;
    }
    return last_is_else;
}

/* Nothing comes back from behind the block.
 * recurses: one level for each block in a block; the parser allows script_levels of them */
static bool ends_in_return(const struct il__syntax *s, uint32_t block)
{
    uint32_t last = il__syn(s, block)->last;
    const struct il__syn *n = il__syn(s, last);
    if (n->kind == IL__SYN_RETURN) return true;
    if (n->kind == IL__SYN_IF) return clauses_return(s, last);
    if (n->kind == IL__SYN_DO) return ends_in_return(s, n->first);
    if (n->kind != IL__SYN_CALL_STAT) return false;
    const struct il__syn *callee = il__syn(s, il__syn(s, n->first)->first);
    return callee->kind == IL__SYN_NAME && !callee->local && il__str_eq(callee->text, IL_STR("error"));
}

static bool returns_verdict(const struct il__syntax *s, uint32_t stat)
{
    uint32_t value = il__syn(s, stat)->first;
    return value && verdict_of(s, value) != IL__VERDICT_NONE;
}

static bool may_say_nothing(const struct il__syntax *s, uint32_t function)
{
    if (il__syn(s, function)->kind != IL__SYN_FUNCTION) return true;
    if (!ends_in_return(s, il__syn(s, function)->last)) return true;
    for (uint32_t at = function; at;) {
        const struct il__syn *n = il__syn(s, at);
        if (n->kind == IL__SYN_RETURN && !returns_verdict(s, at)) return true;
        bool inner = n->kind == IL__SYN_FUNCTION && at != function;
        at = inner ? il__syn_skip(s, function, at) : il__syn_walk(s, function, at);
    }
    return false;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static void add(struct il__verdict_sites *out, struct il__verdict_site site)
{
    for (size_t i = 0; i < out->count; i++) {
        const struct il__verdict_site *have = &out->items[i];
        if (have->line == site.line && have->verdict == site.verdict && have->phase == site.phase &&
            have->elsewhere == site.elsewhere)
            return;
    }
    out->items[out->count++] = site;
}

/* `preview = function ... end`, or the name of one, in the table that `policy` is called with. */
static void add_phases(const struct il__syntax *s, uint32_t call, struct il__verdict_sites *out)
{
    uint32_t table = il__syn(s, il__syn(s, call)->first)->next;
    if (!is_policy(s, il__syn(s, call)->first) || !table || il__syn(s, table)->kind != IL__SYN_TABLE) return;
    for (uint32_t at = il__syn(s, table)->first; at; at = il__syn(s, at)->next) {
        const struct il__syn *field = il__syn(s, at);
        if (field->kind != IL__SYN_FIELD) continue;
        for (int phase = IL__PHASE_PROPOSE; phase <= IL__PHASE_EXECUTE; phase++) {
            if (!is_text(s, field->first, il__phase_names[phase])) continue;
            const struct il__syn *value = il__syn(s, field->last);
            uint32_t function = value->kind == IL__SYN_NAME ? value_of(s, value->local) : field->last;
            if (!may_say_nothing(s, function)) continue;
            add(out, (struct il__verdict_site){ IL__VERDICT_NONE, field->line, phase, false });
        }
    }
}

static void add_taken(const struct il__syntax *s, uint32_t at, struct il__verdict_sites *out)
{
    const uint32_t line = il__syn(s, at)->line;
    if (takes(s, at, "ask")) add(out, (struct il__verdict_site){ IL__VERDICT_ASK, line, -1, true });
    if (takes(s, at, "deny")) add(out, (struct il__verdict_site){ IL__VERDICT_DENY, line, -1, true });
}

bool il__verdict_sites(const struct il__syntax *s, struct il__arena *arena, struct il__verdict_sites *out)
{
    size_t most = 0;
    for (uint32_t at = s->root; at; at = il__syn_walk(s, s->root, at)) {
        if (il__syn(s, at)->kind == IL__SYN_CALL) most += 4; /* a verdict, or the phases of a declaration */
        if (il__syn(s, at)->kind == IL__SYN_INDEX) most += 2;
    }
    *out = (struct il__verdict_sites){ il__arena_alloc(arena, (most + 1) * sizeof *out->items), 0 };
    if (!out->items) return false;
    for (uint32_t at = s->root; at; at = il__syn_walk(s, s->root, at)) {
        enum il__verdict verdict = verdict_of(s, at);
        const struct il__verdict_site site = { verdict, il__syn(s, at)->line, -1, false };
        if (verdict != IL__VERDICT_NONE) add(out, site);
        else if (il__syn(s, at)->kind == IL__SYN_CALL) add_phases(s, at, out);
        else add_taken(s, at, out);
    }
    return true;
}
