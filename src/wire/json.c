/* The strict JSON parser: one pass over the bytes into the tape. Grammar of RFC 8259, UTF-8 checked, duplicate members
 * found as each object closes. No recursion; open containers sit on a bounded stack. Uses json_name and double.
 * Must never accept what RFC 8259 does not, and never read past the end. */
#include "wire/json.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "wire/double.h"
#include "wire/json_name.h"

#include <endian.h>

/* One node to spare, for the place of a fault: without it `grow` is asked, which refuses. */
enum { NODES_CAP = IL__LIMIT_JSON_NODES + 1 };
_Static_assert(IL__LIMIT_JSON_NODES == 2000000 && IL__LIMIT_JSON_FREE_DEPTH == 512, "messages state these");

struct parser {
    struct il__json *doc;
    const char *start, *at, *end;
    struct il_error *err;
    enum il_code code; /* what went wrong; IL_OK so far */
    uint32_t line;     /* where, from 1 */
    uint32_t depth, max_depth;
    uint32_t open[IL__LIMIT_JSON_FREE_DEPTH]; /* nodes of the open containers, outermost first */
};

/* ---- refusals ---- */

/* `target` is the node of the value or member being read. */
static bool refuse_at(struct parser *p, uint32_t target, const char *at, const char *why)
{
    char place[sizeof p->err->field];
    for (uint32_t i = 0; i < p->depth; i++) p->doc->nodes[p->open[i]].end = p->doc->count;
    il__json_pointer(p->doc, target, place, sizeof place);
    p->line = 1;
    for (const char *c = p->start; c < at; c++) p->line += *c == '\n';
    p->code = il__fail_at(p->err, IL_DECODE, NULL, place, "%s (byte %zu)", why, (size_t)(at - p->start));
    return false;
}

static bool no_memory(struct parser *p)
{
    p->code = il__fail(p->err, IL_OUT_OF_MEMORY, "out of memory for a document of %zu bytes", p->doc->text.len);
    return false;
}

static struct il__json_node *top(struct parser *p)
{
    return &p->doc->nodes[p->open[p->depth - 1]];
}

/* Refuses where a value is expected, before its node is there. */
static bool refuse_value(struct parser *p, const char *at, const char *why)
{
    struct il__json *doc = p->doc;
    if (p->depth == 0) return refuse_at(p, 0, at, why);
    if (top(p)->kind == IL__JSON_OBJECT) return refuse_at(p, doc->count - 1, at, why);
    doc->nodes[doc->count] = (struct il__json_node){ .end = doc->count + 1 }; /* push keeps a node to spare */
    top(p)->count++;
    return refuse_at(p, doc->count++, at, why);
}

static bool refuse_inside(struct parser *p, const char *at, const char *why)
{
    return refuse_at(p, p->depth == 0 ? 0 : p->open[p->depth - 1], at, why);
}

/* ---- nodes ---- */

static bool grow(struct parser *p)
{
    struct il__json *doc = p->doc;
    if (doc->count >= IL__LIMIT_JSON_NODES)
        return refuse_inside(p, p->at, "more than 2000000 values and member names (json_nodes)");
    uint32_t cap = doc->cap == 0 ? (uint32_t)(doc->text.len / 12) : doc->cap * 2;
    if (doc->cap == 0 && cap > 4096) cap = 4096;
    if (cap < 16) cap = 16;
    if (cap > NODES_CAP) cap = NODES_CAP;
    struct il__json_node *nodes = NULL;
    if (cap > doc->cap && cap < UINT32_MAX / sizeof *nodes) {
        nodes = il__mem_resize(doc->mem, doc->nodes, doc->cap * sizeof *nodes, cap * sizeof *nodes);
    }
    if (!nodes) return no_memory(p);
    doc->nodes = nodes;
    doc->cap = cap;
    return true;
}

/* Room for one node more, and one to spare for the place of a fault. */
static inline bool room(struct parser *p)
{
    return p->doc->count + 2 <= p->doc->cap || grow(p);
}

static inline void push(struct parser *p, enum il__json_kind kind, const char *from, const char *to, uint8_t flags)
{
    struct il__json *doc = p->doc;
    doc->nodes[doc->count] = (struct il__json_node){
        .off = (uint32_t)(from - p->start), .len = (uint32_t)(to - from), .end = doc->count + 1,
        .kind = (uint8_t)kind, .flags = flags, .depth = (uint16_t)p->depth,
    };
    doc->count++;
    doc->flags |= flags & (IL__JSON_NUL | IL__JSON_SURROGATE | IL__JSON_BIG);
    if (!(flags & IL__JSON_KEY) && p->depth > 0) top(p)->count++; /* a member counts by its value */
}

static inline void skip_blanks(struct parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\r' || *p->at == '\t')) p->at++;
}

/* ---- strings ---- */

/* The first byte of `s` that is a quote, a backslash, a control character or not ASCII. Eight bytes at a time; the
 * borrow of the subtractions can only raise a false alarm above a true one, and the lowest is taken. */
static inline const char *skip_plain(const char *s, const char *end)
{
    const uint64_t ones = 0x0101010101010101U;
    for (; end - s >= 8; s += 8) {
        uint64_t w;
        memcpy(&w, s, sizeof w);
        w = le64toh(w);
        uint64_t hit =
            (w | (w - ones * 0x20) | ((w ^ (ones * '"')) - ones) | ((w ^ (ones * '\\')) - ones)) & (ones * 0x80);
        if (hit) return s + (__builtin_ctzll(hit) >> 3);
    }
    while (s < end && (unsigned char)*s >= 0x20 && (unsigned char)*s < 0x80 && *s != '"' && *s != '\\') s++;
    return s;
}

static int hex4(const char *p, const char *end)
{
    int v = 0;
    if (end - p < 4) return -1;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        if (c >= '0' && c <= '9') v = v * 16 + (c - '0');
        else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) v = v * 16 + ((c | 0x20) - 'a' + 10);
        else return -1;
    }
    return v;
}

/* Past the escape at `s`, with what it brings in `*flags`; NULL when it is none. */
static const char *skip_escape(const char *s, const char *end, uint8_t *flags)
{
    if (end - s < 2) return NULL;
    *flags |= IL__JSON_ESCAPED;
    if (s[1] != 'u') return s[1] != 0 && strchr("\"\\/bfnrt", s[1]) ? s + 2 : NULL;
    int unit = hex4(s + 2, end);
    if (unit < 0) return NULL;
    s += 6;
    if (unit == 0) *flags |= IL__JSON_NUL;
    if (unit < 0xD800 || unit > 0xDFFF) return s;
    int low = unit <= 0xDBFF && end - s >= 6 && s[0] == '\\' && s[1] == 'u' ? hex4(s + 2, end) : -1;
    if (low >= 0xDC00 && low <= 0xDFFF) return s + 6;
    *flags |= IL__JSON_SURROGATE;
    return s;
}

/* From behind the opening quote to the closing one; NULL with `*fault` and `*why` when it is not well formed. */
static const char *read_string(const char *s, const char *end, uint8_t *flags, const char **fault, const char **why)
{
    for (;;) {
        s = skip_plain(s, end);
        *fault = s;
        if (s == end) break;
        if (*s == '"') return s;
        if (*s == '\\') {
            s = skip_escape(s, end, flags);
            *why = "not an escape";
            if (!s) return NULL;
        } else if ((unsigned char)*s >= 0x80) {
            size_t n = il__utf8_read((const unsigned char *)s, (size_t)(end - s), NULL);
            *why = "not UTF-8";
            if (n == 0) return NULL;
            s += n;
        } else {
            *why = "a control character in a string";
            return NULL;
        }
    }
    *why = "the string does not end";
    return NULL;
}

static bool read_name(struct parser *p)
{
    const char *fault = NULL;
    const char *why = NULL;
    uint8_t flags = IL__JSON_KEY;
    if (p->at == p->end) return refuse_inside(p, p->at, "the document ends in an object");
    if (*p->at == '}') return refuse_inside(p, p->at, "a comma before the closing brace");
    if (*p->at != '"') return refuse_inside(p, p->at, "not a member name");
    const char *from = p->at + 1;
    const char *to = read_string(from, p->end, &flags, &fault, &why);
    if (!to) return refuse_inside(p, fault, why);
    if (!room(p)) return false;
    uint32_t name = p->doc->count;
    push(p, IL__JSON_STRING, from, to, flags);
    p->doc->nodes[name].count = flags & IL__JSON_ESCAPED
                                    ? il__json_hash_escaped(p->doc, name)
                                    : il__json_hash(from, (size_t)(to - from), (size_t)(p->end - from));
    p->at = to + 1;
    skip_blanks(p);
    if (p->at == p->end) return refuse_at(p, name, p->at, "the document ends in an object");
    if (*p->at != ':') return refuse_at(p, name, p->at, "no colon after the member name");
    p->at++;
    return true;
}

/* ---- scalars ---- */

static const char *skip_digits(const char *s, const char *end)
{
    while (s < end && *s >= '0' && *s <= '9') s++;
    return s;
}

/* Whether the digits fit int64; at most 19 of them decide. */
static bool fits_int64(const char *digits, const char *end, bool negative)
{
    uint64_t v = 0;
    if (end - digits < 19) return true;
    if (end - digits > 19) return false;
    for (; digits < end; digits++) v = v * 10 + (uint64_t)(*digits - '0');
    return v <= (uint64_t)INT64_MAX + (negative ? 1 : 0);
}

/* True when the number could be too large for a double: not surely below 10^308. */
static bool may_overflow(const char *from, const char *point, const char *exponent, const char *end)
{
    long long magnitude = point - from;
    bool negative = exponent < end && *exponent == '-';
    int64_t e = 0;
    if (exponent < end && (*exponent == '-' || *exponent == '+')) exponent++;
    for (; exponent < end && e < 1000000000; exponent++) e = e * 10 + (*exponent - '0');
    return magnitude + (negative ? 0 : e) > 308;
}

static bool read_number(struct parser *p)
{
    const char *from = p->at;
    const char *digits = from + (*from == '-' ? 1 : 0);
    const char *s = skip_digits(digits, p->end);
    const char *point = s;
    const char *exponent = p->end;
    enum il__json_kind kind = IL__JSON_INT;
    if (s == digits) return refuse_value(p, s, "no digit in a number");
    if (*digits == '0' && s - digits > 1) return refuse_value(p, digits, "a number with a leading zero");
    if (s < p->end && *s == '.') {
        kind = IL__JSON_DOUBLE;
        s = skip_digits(point + 1, p->end);
        if (s == point + 1) return refuse_value(p, s, "no digit after the point of a number");
    }
    if (s < p->end && (*s == 'e' || *s == 'E')) {
        kind = IL__JSON_DOUBLE;
        exponent = ++s;
        if (s < p->end && (*s == '-' || *s == '+')) s++;
        const char *first = s;
        s = skip_digits(s, p->end);
        if (s == first) return refuse_value(p, s, "no digit in the exponent of a number");
    }
    uint8_t flags = kind == IL__JSON_INT && !fits_int64(digits, s, digits != from) ? IL__JSON_BIG : 0;
    if ((kind == IL__JSON_DOUBLE || flags) && may_overflow(digits, point, exponent < s ? exponent : s, s)) {
        double v = il__double_read((struct il_str){ from, (size_t)(s - from) });
        if (v - v != 0) return refuse_value(p, from, "a number too large for a double");
    }
    push(p, kind, from, s, flags);
    p->at = s;
    return true;
}

static bool read_word(struct parser *p, const char *word, size_t len, enum il__json_kind kind)
{
    if ((size_t)(p->end - p->at) < len || memcmp(p->at, word, len) != 0) return refuse_value(p, p->at, "not a value");
    push(p, kind, p->at, p->at + len, 0);
    p->at += len;
    return true;
}

static bool read_text(struct parser *p)
{
    const char *fault = NULL;
    const char *why = NULL;
    uint8_t flags = 0;
    const char *to = read_string(p->at + 1, p->end, &flags, &fault, &why);
    if (!to) return refuse_value(p, fault, why);
    push(p, IL__JSON_STRING, p->at + 1, to, flags);
    p->at = to + 1;
    return true;
}

/* ---- containers ---- */

static bool open_container(struct parser *p, enum il__json_kind kind)
{
    if (p->depth == p->max_depth) {
        return refuse_value(p, p->at, p->max_depth == IL__LIMIT_JSON_FREE_DEPTH
                                          ? "nested deeper than 512 (json_free_depth)"
                                          : "nested too deeply (json_depth)");
    }
    uint32_t node = p->doc->count;
    push(p, kind, p->at, p->at, 0);
    p->open[p->depth++] = node;
    p->doc->nodes[node].depth = (uint16_t)p->depth;
    if (p->depth > p->doc->depth) p->doc->depth = (uint16_t)p->depth;
    p->at++;
    skip_blanks(p);
    return true;
}

static bool close_container(struct parser *p)
{
    struct il__json_node *node = top(p);
    uint32_t again = 0;
    p->at++;
    node->len = (uint32_t)(p->at - p->start) - node->off;
    node->end = p->doc->count;
    if (node->kind == IL__JSON_OBJECT) {
        if (il__json_duplicate(p->doc, p->open[p->depth - 1], &again) != IL_OK) return no_memory(p);
        if (again) {
            return refuse_at(p, again, p->start + p->doc->nodes[again].off, "a member that stands twice");
        }
    }
    p->depth--;
    return true;
}

/* After a value: closes what closes here and stops behind the comma that asks for the next, or at the end. */
static bool after_value(struct parser *p)
{
    while (p->depth > 0) {
        bool object = top(p)->kind == IL__JSON_OBJECT;
        skip_blanks(p);
        if (p->at == p->end) {
            return refuse_inside(p, p->at, object ? "the document ends in an object" : "the document ends in an array");
        }
        if (*p->at == ',') {
            p->at++;
            skip_blanks(p);
            return object ? read_name(p) : true;
        }
        if (*p->at != (object ? '}' : ']')) {
            return refuse_inside(p, p->at,
                                 object ? "neither comma nor closing brace" : "neither comma nor closing bracket");
        }
        if (!close_container(p)) return false;
    }
    return true;
}

/* One value, or the opening of one. `*inside` tells that a container was opened and its first element comes next. */
static bool read_value(struct parser *p, bool *inside)
{
    *inside = false;
    skip_blanks(p);
    if (!room(p)) return false;
    if (p->at == p->end) return refuse_value(p, p->at, "the document ends where a value is expected");
    switch (*p->at) {
    case '"': return read_text(p);
    case 't': return read_word(p, "true", 4, IL__JSON_TRUE);
    case 'f': return read_word(p, "false", 5, IL__JSON_FALSE);
    case 'n': return read_word(p, "null", 4, IL__JSON_NULL);
    case '{':
        if (!open_container(p, IL__JSON_OBJECT)) return false;
        if (p->at < p->end && *p->at == '}') return close_container(p);
        *inside = true;
        return read_name(p);
    case '[':
        if (!open_container(p, IL__JSON_ARRAY)) return false;
        if (p->at < p->end && *p->at == ']') return close_container(p);
        *inside = true;
        return true;
    case '-': case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
        return read_number(p);
    case ']':
        if (p->depth > 0 && top(p)->kind == IL__JSON_ARRAY)
            return refuse_value(p, p->at, "a comma before the closing bracket");
        return refuse_value(p, p->at, "not a value");
    default: return refuse_value(p, p->at, "not a value");
    }
}

static bool read_document(struct parser *p)
{
    bool inside = false;
    if (p->end - p->at >= 3 && memcmp(p->at, "\xEF\xBB\xBF", 3) == 0) {
        return refuse_at(p, 0, p->at, "a byte order mark");
    }
    do {
        if (!read_value(p, &inside)) return false;
        if (!inside && !after_value(p)) return false;
    } while (p->depth > 0);
    skip_blanks(p);
    return p->at == p->end || refuse_at(p, 0, p->at, "something stands after the document");
}

enum il_code il__json_parse(struct il__json *doc, struct il__mem *mem, struct il_str text,
                            struct il__json_limits limits, struct il_error *err)
{
    struct parser p; /* not cleared whole: the stack of open containers is 2 KiB */
    *doc = (struct il__json){ .text = text, .mem = mem };
    il__arena_init(&doc->arena, mem);
    if (!text.ptr) return il__fail(err, IL_DECODE, "no document");
    if (text.len > limits.max_bytes || text.len >= UINT32_MAX) {
        return il__fail(err, IL_DECODE, "a document of %zu bytes, more than %zu%s", text.len, limits.max_bytes,
                        limits.max_bytes == IL__LIMIT_CONTRACT_BYTES ? " (contract_bytes)"
                        : limits.max_bytes == IL__LIMIT_RESULT_BYTES ? " (result_bytes)" : "");
    }
    p.doc = doc;
    p.start = p.at = text.ptr;
    p.end = text.ptr + text.len;
    p.err = err;
    p.code = IL_OK;
    p.depth = p.line = 0;
    p.max_depth = limits.max_depth < IL__LIMIT_JSON_FREE_DEPTH ? limits.max_depth : IL__LIMIT_JSON_FREE_DEPTH;
    if (!read_document(&p)) {
        il__json_clear(doc);
        doc->fault_line = p.line;
    }
    return p.code;
}

enum il_code il__json_parse_copy(struct il__json *doc, struct il__mem *mem, struct il_str text,
                                 struct il__json_limits limits, struct il_error *err)
{
    struct il__arena arena;
    struct il_str copy = IL_STR_NONE;
    *doc = (struct il__json){ .mem = mem };
    if (text.len > limits.max_bytes) return il__json_parse(doc, mem, text, limits, err);
    il__arena_init(&arena, mem);
    if (il__arena_str(&arena, text, &copy) != IL_OK) {
        return il__fail(err, IL_OUT_OF_MEMORY, "out of memory for a document of %zu bytes", text.len);
    }
    enum il_code code = il__json_parse(doc, mem, copy, limits, err);
    if (code != IL_OK) il__arena_clear(&arena);
    else doc->arena = arena;
    return code;
}

void il__json_clear(struct il__json *doc)
{
    if (!doc) return;
    if (doc->mem) {
        il__mem_free(doc->mem, doc->nodes, doc->cap * sizeof *doc->nodes);
        il__arena_clear(&doc->arena);
    }
    *doc = (struct il__json){ .mem = NULL };
}
