/* The matcher (glob.h): the pattern becomes tokens, and one row of marks, the tokens that the text so far can have
 * reached, is moved on for each character of the text. */
#include "check/glob.h"

#include "base/limits.h"
#include "base/utf8.h"

enum kind { ONE, ANY_ONE, SET, WITHIN, ACROSS, FOLDERS };

struct token {
    uint32_t kind;
    uint32_t code; /* ONE: the character; SET: where its members begin in the pattern */
};
/* A segment `**` with another behind it is FOLDERS, ACROSS, ONE: any number of whole segments, or none at all. */

struct glob {
    struct token tokens[IL__LIMIT_RULE_PATTERN_BYTES];
    size_t count;
    struct il_str pattern;
    size_t at;
    const char *why;
};

static bool fail(struct glob *g, const char *why)
{
    g->why = why;
    return false;
}

/* The character at `*at`, which is stepped over; false at the end or when it is none. */
static bool next(struct il_str s, size_t *at, uint32_t *code)
{
    if (*at >= s.len) return false;
    size_t step = il__utf8_read((const unsigned char *)s.ptr + *at, s.len - *at, code);
    *at += step;
    return step > 0;
}

static bool literal(struct glob *g, uint32_t *code)
{
    if (!next(g->pattern, &g->at, code)) {
        return fail(g, g->at < g->pattern.len ? "the pattern is not UTF-8" : "the pattern ends in a single \\");
    }
    return true;
}

/* One end of a range in a set; `\` makes any character an ordinary one. */
static bool member(struct il_str pattern, size_t *at, uint32_t *code, bool *plain)
{
    *plain = true;
    if (!next(pattern, at, code)) return false;
    if (*code != '\\') {
        *plain = false;
        return true;
    }
    return next(pattern, at, code);
}

/* Is `*code` a range behind the member just read? Then `*high` is its end. */
static bool range(struct il_str pattern, size_t *at, uint32_t *high, bool *ok)
{
    bool plain;
    size_t p = *at;
    *ok = true;
    if (p + 1 >= pattern.len || pattern.ptr[p] != '-' || pattern.ptr[p + 1] == ']') return false;
    p++;
    *ok = member(pattern, &p, high, &plain);
    *at = p;
    return *ok;
}

/* Checks a set from behind its `[` to behind its `]`. */
static bool check_set(struct glob *g)
{
    static const char open[] = "the pattern ends inside [ ]";
    if (g->at < g->pattern.len && g->pattern.ptr[g->at] == '!') g->at++;
    for (size_t n = 0;; n++) {
        uint32_t low = 0, high = 0;
        bool plain, ok;
        if (g->at >= g->pattern.len) return fail(g, open);
        if (!member(g->pattern, &g->at, &low, &plain)) {
            return fail(g, g->at < g->pattern.len ? "the pattern is not UTF-8" : open);
        }
        if (low == ']' && !plain) return n > 0 || fail(g, "[] is a set of nothing; write \\] for a bracket");
        if (!plain && (low == '[' || low == '^' || low == '-')) {
            return fail(g, "inside [ ] write \\[, \\^ and \\- for these characters, and ! for not");
        }
        high = low;
        bool is_range = range(g->pattern, &g->at, &high, &ok);
        if (!ok) return fail(g, open);
        if (is_range && high < low) return fail(g, "a range in [ ] runs backwards");
        if (low <= '/' && high >= '/') return fail(g, "a set cannot hold /, which parts segments");
    }
}

static bool in_set(struct il_str pattern, size_t at, uint32_t code)
{
    bool inverted = pattern.ptr[at] == '!', found = false, plain, ok;
    if (inverted) at++;
    for (;;) {
        uint32_t low = 0, high;
        if (!member(pattern, &at, &low, &plain)) return false; /* it was checked: there is an end */
        if (low == ']' && !plain) return found != inverted;
        high = low;
        (void)range(pattern, &at, &high, &ok);
        if (code >= low && code <= high) found = true;
    }
}

static bool read_stars(struct glob *g)
{
    size_t stars = 1;
    for (; g->at < g->pattern.len && g->pattern.ptr[g->at] == '*'; g->at++) stars++;
    if (stars > 2) return fail(g, "there are three stars in a row; ** is any text, * any text without /");
    size_t before = g->at - stars;
    bool starts = before == 0 || g->pattern.ptr[before - 1] == '/';
    if (stars == 2 && starts && g->at < g->pattern.len && g->pattern.ptr[g->at] == '/') {
        g->tokens[g->count++] = (struct token){ FOLDERS, 0 };
    }
    g->tokens[g->count++] = (struct token){ stars == 2 ? ACROSS : WITHIN, 0 };
    return true;
}

static bool read_pattern(struct glob *g)
{
    if (g->pattern.len > IL__LIMIT_RULE_PATTERN_BYTES) {
        return fail(g, "the pattern is longer than 1024 bytes (rule_pattern_bytes)");
    }
    while (g->at < g->pattern.len) {
        struct token *t = &g->tokens[g->count];
        uint32_t code = 0;
        if (!literal(g, &code)) return false;
        if (code == '*') {
            if (!read_stars(g)) return false;
            continue;
        }
        *t = (struct token){ code == '?' ? ANY_ONE : ONE, code };
        if (code == '\\' && !literal(g, &t->code)) return false;
        if (code == '[') {
            *t = (struct token){ SET, (uint32_t)g->at };
            if (!check_set(g)) return false;
        }
        g->count++;
    }
    return true;
}

/* May stand for nothing, and stays reached when it takes a character. */
static bool is_star(const struct token *t)
{
    return t->kind == WITHIN || t->kind == ACROSS;
}

static bool takes(const struct glob *g, const struct token *t, uint32_t code)
{
    switch ((enum kind)t->kind) {
    case ONE: return t->code == code;
    case ANY_ONE:
    case WITHIN: return code != '/';
    case ACROSS: return true;
    case SET: return code != '/' && in_set(g->pattern, t->code, code);
    case FOLDERS: break;
    }
    return false;
}

/* What can be reached without a character. */
static void pass_stars(const struct glob *g, bool *reached)
{
    for (size_t i = 0; i < g->count; i++) {
        bool folders = g->tokens[i].kind == FOLDERS;
        if (reached[i] && (folders || is_star(&g->tokens[i]))) reached[i + 1] = true;
        if (reached[i] && folders) reached[i + 3] = true;
    }
}

/* Moves the marks over one character; false when none is left. */
static bool step(const struct glob *g, bool *reached, uint32_t code)
{
    bool any = false, carry = false;
    for (size_t i = 0; i <= g->count; i++) {
        bool here = reached[i], star = i < g->count && is_star(&g->tokens[i]);
        bool taken = here && i < g->count && takes(g, &g->tokens[i], code);
        reached[i] = carry || (star && taken);
        carry = taken && !star;
        any = any || reached[i];
    }
    pass_stars(g, reached);
    return any;
}

enum il__glob il__glob_match(struct il_str pattern, struct il_str text, const char **why)
{
    struct glob g = { .count = 0, .pattern = pattern };
    bool reached[IL__LIMIT_RULE_PATTERN_BYTES + 1] = { true };
    if (!read_pattern(&g)) {
        *why = g.why;
        return IL__GLOB_MALFORMED;
    }
    if (text.len > IL__LIMIT_RULE_TEXT_BYTES) {
        *why = "the text is longer than 65536 bytes (rule_text_bytes)";
        return IL__GLOB_MALFORMED;
    }
    bool alive = true;
    pass_stars(&g, reached);
    for (size_t at = 0; at < text.len;) {
        uint32_t code = 0;
        if (!next(text, &at, &code)) {
            *why = "the text is not UTF-8";
            return IL__GLOB_MALFORMED;
        }
        alive = alive && step(&g, reached, code);
    }
    return alive && reached[g.count] ? IL__GLOB_MATCHES : IL__GLOB_DIFFERS;
}
