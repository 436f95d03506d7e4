/* Strings of a document without copying them: walking, comparing, hashing, and finding a name that stands twice.
 * Works on validated text only. Must never be quadratic, however the names were chosen. */
#include "wire/json_name.h"

#include "base/utf8.h"

#include <endian.h>

struct il__json_cursor il__json_cursor(const struct il__json *doc, uint32_t at)
{
    const struct il__json_node *node = &doc->nodes[at];
    const char *start = doc->text.ptr + node->off;
    return (struct il__json_cursor){ start, start + node->len };
}

static uint32_t hex4(const char *p)
{
    uint32_t v = 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        v = v * 16 + (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return v;
}

static uint32_t read_escape(struct il__json_cursor *cursor)
{
    char c = cursor->at[1];
    cursor->at += 2;
    switch (c) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'u': break;
    default: return (unsigned char)c;
    }
    uint32_t cp = hex4(cursor->at);
    cursor->at += 4;
    if (cp < 0xD800 || cp > 0xDBFF || cursor->end - cursor->at < 6) return cp;
    if (cursor->at[0] != '\\' || cursor->at[1] != 'u') return cp;
    uint32_t low = hex4(cursor->at + 2);
    if (low < 0xDC00 || low > 0xDFFF) return cp;
    cursor->at += 6;
    return 0x10000 + ((cp - 0xD800) << 10) + (low - 0xDC00);
}

bool il__json_cursor_next(struct il__json_cursor *cursor, uint32_t *cp)
{
    if (cursor->at >= cursor->end) return false;
    if (*cursor->at == '\\') {
        *cp = read_escape(cursor);
        return true;
    }
    size_t n = il__utf8_read((const unsigned char *)cursor->at, (size_t)(cursor->end - cursor->at), cp);
    cursor->at += n;
    return n != 0;
}

/* Makes code points compare as their UTF-16 units do: U+E000 to U+FFFF come after everything beyond the BMP. */
static uint32_t utf16_rank(uint32_t cp)
{
    return cp >= 0xE000 && cp <= 0xFFFF ? cp + 0x110000 : cp;
}

static int compare_escaped(const struct il__json *doc, uint32_t a, uint32_t b, enum il__json_order order)
{
    struct il__json_cursor x = il__json_cursor(doc, a);
    struct il__json_cursor y = il__json_cursor(doc, b);
    for (;;) {
        uint32_t p = 0;
        uint32_t q = 0;
        bool more = il__json_cursor_next(&x, &p);
        if (more != il__json_cursor_next(&y, &q)) return more ? 1 : -1;
        if (!more) return 0;
        if (p == q) continue;
        if (order == IL__JSON_UTF16) {
            p = utf16_rank(p);
            q = utf16_rank(q);
        }
        return p < q ? -1 : 1;
    }
}

int il__json_name_cmp(const struct il__json *doc, uint32_t a, uint32_t b, enum il__json_order order)
{
    const struct il__json_node *x = &doc->nodes[a];
    const struct il__json_node *y = &doc->nodes[b];
    if ((x->flags | y->flags) & IL__JSON_ESCAPED) return compare_escaped(doc, a, b, order);
    const unsigned char *p = (const unsigned char *)doc->text.ptr + x->off;
    const unsigned char *q = (const unsigned char *)doc->text.ptr + y->off;
    uint32_t common = x->len < y->len ? x->len : y->len;
    int diff = memcmp(p, q, common);
    if (diff == 0) return (x->len > y->len) - (x->len < y->len);
    if (order == IL__JSON_BYTES) return diff;
    uint32_t i = 0;
    while (p[i] == q[i]) i++;
    /* UTF-8 and UTF-16 disagree only between lead bytes EE, EF (U+E000 to U+FFFF) and F0 to F4 (beyond the BMP). */
    return p[i] >= 0xEE && q[i] >= 0xEE && (p[i] >= 0xF0) != (q[i] >= 0xF0) ? -diff : diff;
}

bool il__json_name_is(const struct il__json *doc, uint32_t at, struct il_str name)
{
    const struct il__json_node *node = &doc->nodes[at];
    if (!(node->flags & IL__JSON_ESCAPED)) {
        return node->len == name.len && memcmp(doc->text.ptr + node->off, name.ptr, name.len) == 0;
    }
    struct il__json_cursor cursor = il__json_cursor(doc, at);
    size_t i = 0;
    uint32_t cp = 0;
    while (il__json_cursor_next(&cursor, &cp)) {
        char bytes[4];
        size_t n = il__utf8_write(cp, bytes);
        if (n > name.len - i || memcmp(bytes, name.ptr + i, n) != 0) return false;
        i += n;
    }
    return i == name.len;
}

/* The hash covers the length, the first eight bytes and the last eight. */
static uint32_t mix(uint64_t head, uint64_t tail, uint64_t len)
{
    uint64_t h = (head ^ (len * 0x9E3779B97F4A7C15U)) * 0xD6E8FEB86659FD93U;
    h = (h ^ (h >> 32) ^ tail) * 0xA0761D6478BD642FU;
    return (uint32_t)(h >> 32);
}

static uint64_t load8(const char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return le64toh(v);
}

uint32_t il__json_hash(const char *ptr, size_t len, size_t room)
{
    if (len >= 8) return mix(load8(ptr), load8(ptr + len - 8), len);
    uint64_t head = 0;
    if (room >= 8 && len > 0) head = load8(ptr) & (UINT64_MAX >> (64 - 8 * len));
    else for (size_t i = 0; i < len; i++) head |= (uint64_t)(unsigned char)ptr[i] << (8 * i);
    return mix(head, 0, len);
}

uint32_t il__json_hash_escaped(const struct il__json *doc, uint32_t at)
{
    struct il__json_cursor cursor = il__json_cursor(doc, at);
    uint64_t head = 0;
    uint64_t tail = 0;
    uint64_t len = 0;
    uint32_t cp = 0;
    while (il__json_cursor_next(&cursor, &cp)) {
        char bytes[4];
        size_t n = il__utf8_write(cp, bytes);
        for (size_t i = 0; i < n; i++, len++) {
            uint64_t byte = (unsigned char)bytes[i];
            if (len < 8) head |= byte << (8 * len);
            tail = (tail >> 8) | (byte << 56);
        }
    }
    return mix(head, len >= 8 ? tail : 0, len);
}

static bool same_name(const struct il__json *doc, uint32_t a, uint32_t b)
{
    return doc->nodes[a].count == doc->nodes[b].count && il__json_name_cmp(doc, a, b, IL__JSON_BYTES) == 0;
}

enum { FEW = 24 };

/* Few members: a 64-bit set of hashes says which names need a look at those before. */
static uint32_t duplicate_of_few(const struct il__json *doc, uint32_t object)
{
    uint32_t seen[FEW];
    uint32_t n = 0;
    uint64_t set = 0;
    for (uint32_t name = object + 1; n < doc->nodes[object].count; name = doc->nodes[name + 1].end) {
        uint64_t bit = (uint64_t)1 << (doc->nodes[name].count & 63);
        for (uint32_t i = 0; (set & bit) && i < n; i++) {
            if (same_name(doc, seen[i], name)) return name;
        }
        set |= bit;
        seen[n++] = name;
    }
    return 0;
}

void il__json_sort_names(const struct il__json *doc, uint32_t *names, uint32_t *spare, size_t n,
                         enum il__json_order order)
{
    enum { RUN = 8 };
    for (size_t start = 0; start < n; start += RUN) { /* short runs by insertion */
        size_t stop = n - start < RUN ? n : start + RUN;
        for (size_t i = start + 1; i < stop; i++) {
            uint32_t name = names[i];
            size_t j = i;
            for (; j > start && il__json_name_cmp(doc, names[j - 1], name, order) > 0; j--) names[j] = names[j - 1];
            names[j] = name;
        }
    }
    uint32_t *from = names;
    uint32_t *to = spare;
    for (size_t width = RUN; width < n; width *= 2) { /* then merged upwards */
        for (size_t start = 0; start < n; start += 2 * width) {
            size_t mid = n - start < width ? n : start + width;
            size_t stop = n - start < 2 * width ? n : start + 2 * width;
            size_t i = start;
            size_t j = mid;
            for (size_t k = start; k < stop; k++) {
                bool left = j == stop || (i < mid && il__json_name_cmp(doc, from[i], from[j], order) <= 0);
                to[k] = left ? from[i++] : from[j++];
            }
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != names) memcpy(names, from, n * sizeof *names);
}

/* Stable, by eight bits of the hash at a time: names with equal hashes end up side by side in document order. */
static void sort_by_hash(const struct il__json *doc, uint32_t *names, uint32_t *spare, size_t n)
{
    for (uint32_t shift = 0; shift < 32; shift += 8) {
        size_t place[257] = { 0 };
        for (size_t i = 0; i < n; i++) place[((doc->nodes[names[i]].count >> shift) & 255) + 1]++;
        for (int b = 0; b < 256; b++) place[b + 1] += place[b];
        for (size_t i = 0; i < n; i++) spare[place[(doc->nodes[names[i]].count >> shift) & 255]++] = names[i];
        uint32_t *swap = names;
        names = spare;
        spare = swap;
    }
}

/* The first second-stander among `n` names sorted by hash; 0 when there is none. */
static uint32_t duplicate_of_sorted(const struct il__json *doc, uint32_t *names, uint32_t *spare, size_t n)
{
    uint32_t first = 0;
    for (size_t start = 0, stop = 0; start < n; start = stop) {
        uint32_t hash = doc->nodes[names[start]].count;
        for (stop = start + 1; stop < n && doc->nodes[names[stop]].count == hash;) stop++;
        if (stop - start > 1) il__json_sort_names(doc, names + start, spare, stop - start, IL__JSON_BYTES);
        for (size_t i = start + 1; i < stop; i++) {
            if (!same_name(doc, names[i - 1], names[i])) continue;
            if (first == 0 || names[i] < first) first = names[i];
        }
    }
    return first;
}

enum il_code il__json_duplicate(const struct il__json *doc, uint32_t object, uint32_t *out)
{
    size_t n = doc->nodes[object].count;
    *out = 0;
    if (n < 2) return IL_OK;
    if (n <= FEW) {
        *out = duplicate_of_few(doc, object);
        return IL_OK;
    }
    size_t bytes = 2 * n * sizeof(uint32_t);
    uint32_t *names = il__mem_alloc(doc->mem, bytes);
    if (!names) return IL_OUT_OF_MEMORY;
    uint32_t name = object + 1;
    for (size_t i = 0; i < n; i++, name = doc->nodes[name + 1].end) names[i] = name;
    sort_by_hash(doc, names, names + n, n);
    *out = duplicate_of_sorted(doc, names, names + n, n);
    il__mem_free(doc->mem, names, bytes);
    return IL_OK;
}
