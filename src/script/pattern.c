/* The matcher behind find, match, gmatch and gsub: backtracking over an explicit stack of choices.
 * Uses pattern.h. The pattern is read forwards only, so the choices alive at once are at most its items. */
#include "script/pattern.h"

#include <string.h>

enum { CHOICES = 200, PIECE = 256 };

enum choice_kind {
    C_OPEN,  /* a capture was opened */
    C_CLOSE, /* capture `n` was closed */
    C_SKIP,  /* x?: go on without x */
    C_FEWER, /* x*: go on with one fewer */
    C_MORE   /* x-: go on with one more */
};

struct choice {
    enum choice_kind kind;
    const char *s, *item, *rest; /* subject, the single item, the pattern behind it */
    size_t n;
};

struct run {
    struct il__match *m;
    const char *s, *p;
    int top;
    struct choice choices[CHOICES];
};

static bool in_class(unsigned char c, char class)
{
    bool lower = c >= 'a' && c <= 'z', upper = c >= 'A' && c <= 'Z', digit = c >= '0' && c <= '9', in;
    switch (class | 0x20) {
    case 'a': in = lower || upper; break;
    case 'c': in = c < 32 || c == 127; break;
    case 'd': in = digit; break;
    case 'g': in = c > 32 && c < 127; break;
    case 'l': in = lower; break;
    case 'p': in = c > 32 && c < 127 && !lower && !upper && !digit; break;
    case 's': in = c == ' ' || (c >= 9 && c <= 13); break;
    case 'u': in = upper; break;
    case 'w': in = lower || upper || digit; break;
    case 'x': in = digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); break;
    case 'z': in = c == 0; break; /* of old; patterns may hold the byte itself */
    default: return c == (unsigned char)class;
    }
    return class >= 'A' && class <= 'Z' ? !in : in;
}

/* `set` at [, `end` at its ]. */
static bool in_set(unsigned char c, const char *set, const char *end)
{
    bool found = true;
    if (set[1] == '^') {
        found = false;
        set++;
    }
    while (++set < end) {
        if (*set == '%') {
            set++;
            if (in_class(c, *set)) return found;
        } else if (set[1] == '-' && set + 2 < end) {
            set += 2;
            if ((unsigned char)set[-2] <= c && c <= (unsigned char)*set) return found;
        } else if ((unsigned char)*set == c) {
            return found;
        }
    }
    return !found;
}

static const char *fault(struct il__match *m, const char *text)
{
    if (!m->fault) m->fault = text;
    return NULL;
}

/* Behind the set that opens at `p`. */
static const char *set_end(struct il__match *m, const char *p)
{
    const char *start = p;
    p++;
    if (p < m->pat_end && *p == '^') p++;
    do { /* the first ] is a member */
        if (p >= m->pat_end) return fault(m, "malformed pattern (missing ']')");
        if (*p++ == '%') {
            if (p >= m->pat_end) return fault(m, "malformed pattern (missing ']')");
            p++;
        }
    } while (p >= m->pat_end || *p != ']');
    il__charge(m->sb, 1 + (uint64_t)(p - start) / 8);
    return p + 1;
}

/* Behind the single item at `p`, or NULL with a fault. */
static const char *item_end(struct il__match *m, const char *p)
{
    if (*p == '[') return set_end(m, p);
    if (*p != '%') return p + 1;
    if (p + 1 >= m->pat_end) return fault(m, "malformed pattern (ends with '%')");
    return p + 2;
}

static bool single(const struct il__match *m, const char *s, const char *item, const char *end)
{
    if (s >= m->src_end) return false;
    unsigned char c = (unsigned char)*s;
    switch (*item) {
    case '.': return true;
    case '%': return in_class(c, item[1]);
    case '[': return in_set(c, item, end - 1);
    default: return (unsigned char)*item == c;
    }
}

/* What one test of the item costs. */
static uint64_t item_cost(const char *item, const char *end)
{
    return 1 + (uint64_t)(end - item) / 8;
}

static bool choose(struct run *r, struct choice c)
{
    if (r->top == CHOICES) {
        (void)fault(r->m, "pattern too complex");
        return false;
    }
    r->choices[r->top++] = c;
    return true;
}

static size_t count_greedy(struct run *r, const char *s, const char *item, const char *end)
{
    size_t n = 0;
    uint64_t cost = item_cost(item, end);
    while (single(r->m, s + n, item, end)) {
        n++;
        if (n % PIECE == 0) il__charge(r->m->sb, PIECE / 2 * cost);
    }
    il__charge(r->m->sb, (n % PIECE) / 2 * cost);
    return n;
}

static bool open_capture(struct run *r, ptrdiff_t len)
{
    struct il__match *m = r->m;
    if (m->level >= IL__CAPTURES) {
        (void)fault(m, "too many captures");
        return false;
    }
    m->capture[m->level].at = r->s;
    m->capture[m->level].len = len;
    m->level++;
    r->p += len == IL__CAPTURE_POSITION ? 2 : 1;
    return choose(r, (struct choice){ .kind = C_OPEN });
}

static bool close_capture(struct run *r)
{
    struct il__match *m = r->m;
    int n = m->level;
    while (n > 0 && m->capture[n - 1].len != IL__CAPTURE_OPEN) n--;
    if (n == 0) {
        (void)fault(m, "invalid pattern capture");
        return false;
    }
    m->capture[n - 1].len = r->s - m->capture[n - 1].at;
    r->p++;
    return choose(r, (struct choice){ .kind = C_CLOSE, .n = (size_t)n - 1 });
}

/* %bxy */
static bool balance(struct run *r)
{
    struct il__match *m = r->m;
    if (m->pat_end - r->p < 4) {
        (void)fault(m, "malformed pattern (missing arguments to '%b')");
        return false;
    }
    char open = r->p[2], close = r->p[3];
    if (r->s >= m->src_end || *r->s != open) return false;
    size_t depth = 1, n = 0;
    for (const char *s = r->s + 1; s < m->src_end; s++) {
        if (++n % PIECE == 0) il__charge(m->sb, PIECE / 4);
        if (*s == close && --depth == 0) {
            r->s = s + 1;
            r->p += 4;
            return true;
        }
        if (*s == open && open != close) depth++;
    }
    return false;
}

/* %f[set] */
static bool frontier(struct run *r)
{
    struct il__match *m = r->m;
    const char *set = r->p + 2;
    if (set >= m->pat_end || *set != '[') {
        (void)fault(m, "missing '[' after '%f' in pattern");
        return false;
    }
    const char *end = set_end(m, set);
    if (!end) return false;
    il__charge(m->sb, 2 * item_cost(set, end));
    unsigned char before = r->s == m->src ? '\0' : (unsigned char)r->s[-1];
    unsigned char here = r->s == m->src_end ? '\0' : (unsigned char)*r->s;
    if (in_set(before, set, end - 1) || !in_set(here, set, end - 1)) return false;
    r->p = end;
    return true;
}

/* %1 to %9 */
static bool back_reference(struct run *r)
{
    struct il__match *m = r->m;
    int n = r->p[1] - '1';
    if (n < 0 || n >= m->level || m->capture[n].len == IL__CAPTURE_OPEN) {
        (void)fault(m, "invalid capture index in pattern");
        return false;
    }
    size_t len = m->capture[n].len < 0 ? 0 : (size_t)m->capture[n].len;
    il__charge(m->sb, 1 + len / 16);
    if ((size_t)(m->src_end - r->s) < len || memcmp(m->capture[n].at, r->s, len) != 0) return false;
    r->s += len;
    r->p += 2;
    return true;
}

/* A single item with what may follow it. */
static bool quantified(struct run *r)
{
    struct il__match *m = r->m;
    const char *item = r->p, *end = item_end(m, item), *s = r->s;
    if (!end) return false;
    il__charge(m->sb, item_cost(item, end));
    char q = end < m->pat_end ? *end : '\0';
    const char *rest = end + 1;
    switch (q) {
    case '?':
        r->p = rest;
        if (!single(m, s, item, end)) return true;
        r->s++;
        return choose(r, (struct choice){ .kind = C_SKIP, .s = s, .rest = rest });
    case '+':
    case '*': {
        if (q == '+' && !single(m, s, item, end)) return false;
        if (q == '+') s++;
        size_t n = count_greedy(r, s, item, end);
        r->s = s + n;
        r->p = rest;
        return n == 0 || choose(r, (struct choice){ .kind = C_FEWER, .s = s, .rest = rest, .n = n });
    }
    case '-':
        r->p = rest;
        return choose(r, (struct choice){ .kind = C_MORE, .s = s, .item = item, .rest = rest });
    default:
        if (!single(m, s, item, end)) return false;
        r->s++;
        r->p = end;
        return true;
    }
}

static bool step(struct run *r)
{
    struct il__match *m = r->m;
    const char *p = r->p;
    switch (*p) {
    case '(': return open_capture(r, p + 1 < m->pat_end && p[1] == ')' ? IL__CAPTURE_POSITION : IL__CAPTURE_OPEN);
    case ')': return close_capture(r);
    case '$':
        if (p + 1 != m->pat_end) break;
        r->p++;
        return r->s == m->src_end;
    case '%':
        if (p + 1 >= m->pat_end) break;
        if (p[1] == 'b') return balance(r);
        if (p[1] == 'f') return frontier(r);
        if (p[1] >= '0' && p[1] <= '9') return back_reference(r);
        break;
    default: break;
    }
    return quantified(r);
}

/* The latest choice that can be made otherwise; false when there is none. */
static bool back_up(struct run *r)
{
    while (r->top > 0) {
        struct choice *c = &r->choices[r->top - 1];
        r->p = c->rest;
        switch (c->kind) {
        case C_OPEN: r->m->level--; break;
        case C_CLOSE: r->m->capture[c->n].len = IL__CAPTURE_OPEN; break;
        case C_SKIP:
            r->s = c->s;
            r->top--;
            return true;
        case C_FEWER:
            c->n--;
            r->s = c->s + c->n;
            if (c->n == 0) r->top--;
            return true;
        case C_MORE:
            il__charge(r->m->sb, item_cost(c->item, c->rest));
            if (!single(r->m, c->s, c->item, c->rest - 1)) break;
            r->s = ++c->s;
            return true;
        }
        r->top--;
    }
    return false;
}

const char *il__match_run(struct il__match *m, const char *s, const char *p)
{
    struct run r;
    r.m = m;
    r.s = s;
    r.p = p;
    r.top = 0;
    m->level = 0;
    while (r.p < m->pat_end) {
        il__charge(m->sb, 1);
        if (step(&r)) continue;
        if (m->fault || !back_up(&r)) return NULL;
    }
    return r.s;
}

const char *il__match_plain(struct il__sandbox *sb, const char *s, size_t len, const char *needle, size_t needle_len)
{
    const char *end = s + len;
    if (needle_len == 0) return s;
    while ((size_t)(end - s) >= needle_len) {
        size_t room = (size_t)(end - s) - needle_len + 1;
        const char *hit = memchr(s, *needle, room);
        il__charge(sb, 2 + needle_len / 32 + (hit ? (size_t)(hit - s) : room) / 32);
        if (!hit) return NULL;
        if (memcmp(hit, needle, needle_len) == 0) return hit;
        s = hit + 1;
    }
    return NULL;
}
