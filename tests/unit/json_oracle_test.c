/* jansson as the oracle of the strict reader: over all vectors, their truncations, and seeded mutations of them,
 * nothing that jansson refuses is accepted (as contract content: il__json_strict included), and what both accept is the
 * same value. The other way round we refuse what jansson takes for these reasons only, each a rule of SPEC §2:
 *   - a document past its size or nesting cap (jansson: 2048 levels)
 *   - NUL in a string
 *   - a NUL byte outside a string (jansson takes it for the end)
 * Free-form values may hold what jansson refuses: lone surrogates, NUL in a member's name, integers outside int64. */
#include "wire/json.h"

#include "base/error.h"
#include "base/limits.h"

#include "tap.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

struct counts {
    struct il__mem mem;
    uint64_t random;
    unsigned inputs, both, ours_only, theirs_only, different;
    unsigned rounds, cuts; /* mutations and truncations of each vector */
};

static uint64_t next_random(struct counts *c)
{
    c->random ^= c->random << 13;
    c->random ^= c->random >> 7;
    c->random ^= c->random << 17;
    return c->random;
}

static bool same_scalar(struct il__json *doc, uint32_t at, const json_t *theirs)
{
    struct il_str s;
    int64_t whole = 0;
    double real = 0;
    switch (il__json_kind(doc, at)) {
    case IL__JSON_NULL: return json_is_null(theirs);
    case IL__JSON_FALSE: return json_is_false(theirs);
    case IL__JSON_TRUE: return json_is_true(theirs);
    case IL__JSON_INT:
        return json_is_integer(theirs) && il__json_int(doc, at, &whole) && whole == json_integer_value(theirs);
    case IL__JSON_DOUBLE:
        if (!json_is_real(theirs) || !il__json_double(doc, at, &real)) return false;
        return real == json_real_value(theirs);
    case IL__JSON_STRING:
        if (!json_is_string(theirs) || il__json_string(doc, at, &s, NULL) != IL_OK) return false;
        return s.len == json_string_length(theirs) && memcmp(s.ptr, json_string_value(theirs), s.len) == 0;
    default: return false;
    }
}

/* Walks our tape and takes each node's value from jansson's tree; `up` holds the trees of the containers around. */
static bool same_tree(struct il__json *doc, json_t *root)
{
    json_t *up[IL__LIMIT_JSON_FREE_DEPTH + 1];
    uint32_t open[IL__LIMIT_JSON_FREE_DEPTH + 1];
    size_t index[IL__LIMIT_JSON_FREE_DEPTH + 1];
    size_t depth = 0;
    json_t *here = root;
    for (uint32_t at = 0; at < doc->count; at++) {
        while (depth > 0 && doc->nodes[open[depth - 1]].end <= at) depth--;
        const struct il__json_node *node = &doc->nodes[at];
        if (node->flags & IL__JSON_KEY) {
            struct il_str name;
            if (il__json_string(doc, at, &name, NULL) != IL_OK) return false;
            here = json_object_getn(up[depth - 1], name.ptr, name.len);
            if (!here) return false;
            continue;
        }
        if (depth > 0 && doc->nodes[open[depth - 1]].kind == IL__JSON_ARRAY) {
            here = json_array_get(up[depth - 1], index[depth - 1]++);
            if (!here) return false;
        }
        bool array = node->kind == IL__JSON_ARRAY;
        if (!array && node->kind != IL__JSON_OBJECT) {
            if (!same_scalar(doc, at, here)) return false;
            continue;
        }
        if (array ? !json_is_array(here) : !json_is_object(here)) return false;
        if (node->count != (array ? json_array_size(here) : json_object_size(here))) return false;
        up[depth] = here;
        open[depth] = at;
        index[depth++] = 0;
    }
    return true;
}

/* True when our refusal of what jansson accepts is one of our own rules. */
static bool ours_to_refuse(const struct il_error *err, const char *bytes, size_t len)
{
    if (len > IL__LIMIT_RESULT_BYTES || memchr(bytes, 0, len)) return true;
    return strstr(err->message, "nested") || strstr(err->message, "NUL");
}

static void show(const char *what, const char *bytes, size_t len, const char *why)
{
    char text[200];
    il__escape(text, sizeof text, (struct il_str){ bytes, len });
    tap_note("%s: %s (%s)", what, text, why);
}

static void compare(struct counts *c, const char *bytes, size_t len)
{
    struct il__json doc = { .mem = NULL };
    struct il_error err = IL_ERROR_INIT;
    json_error_t why;
    char *text = malloc(len > 0 ? len : 1); /* its own block: reading past it is seen by the sanitizer */
    if (!text) abort();
    memcpy(text, bytes, len);
    enum il_code code = il__json_parse(&doc, &c->mem, (struct il_str){ text, len }, IL__JSON_PAYLOAD, &err);
    if (code == IL_OK) code = il__json_strict(&doc, 0, NULL, &err);
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, &why);
    c->inputs++;
    if (code == IL_OK && !root) {
        if (c->ours_only++ < 10) show("only we accept", bytes, len, why.text);
    } else if (code != IL_OK && root && !ours_to_refuse(&err, text, len)) {
        if (c->theirs_only++ < 10) show("only jansson accepts", bytes, len, err.message);
    } else if (code == IL_OK && root) {
        c->both++;
        if (!same_tree(&doc, root) && c->different++ < 10) show("different values", bytes, len, "");
    }
    json_decref(root);
    il__json_clear(&doc);
    free(text);
}

/* One to four changes: a byte replaced, inserted, removed, or a piece copied elsewhere. */
static size_t mutate(struct counts *c, char *to, const char *bytes, size_t len)
{
    static const char likely[] = "{}[]\",:\\/u0123456789abcdefABCDEF+-.eE \t\n\r\x80\xC3\xA9\xE2\xED\xF0\x00\x1f\x7f";
    memcpy(to, bytes, len);
    for (unsigned n = 1 + (unsigned)(next_random(c) % 4); n > 0 && len > 0; n--) {
        uint64_t r = next_random(c);
        size_t at = (size_t)((r >> 8) % len);
        char byte = (r >> 40) % 8 ? likely[(r >> 43) % (sizeof likely - 1)] : (char)(r >> 50);
        if (r % 4 == 0) {
            to[at] = byte;
        } else if (r % 4 == 1) {
            memmove(to + at + 1, to + at, len - at);
            to[at] = byte;
            len++;
        } else if (r % 4 == 2) {
            memmove(to + at, to + at + 1, len - at - 1);
            len--;
        } else {
            size_t from = (size_t)((r >> 30) % len);
            size_t piece = (size_t)((r >> 50) % 12);
            if (piece > len - from) piece = len - from;
            if (piece > len - at) piece = len - at;
            memmove(to + at, to + from, piece);
        }
    }
    return len;
}

static void vector(void *ctx, const char *path, const char *bytes, size_t len)
{
    struct counts *c = ctx;
    (void)path;
    compare(c, bytes, len);
    if (len > 4096) return; /* the long ones were compared as they are */
    size_t step = len / c->cuts + 1;
    for (size_t n = 0; n < len; n += step) compare(c, bytes, n);
    unsigned rounds = len < 400 ? c->rounds : c->rounds / 4;
    char *text = malloc(len + 8);
    if (!text) abort();
    for (unsigned i = 0; i < rounds; i++) compare(c, text, mutate(c, text, bytes, len));
    free(text);
}

int main(void)
{
    struct counts c = { .random = 0x9E3779B97F4A7C15U, .rounds = 500, .cuts = 150 };
    il__mem_init(&c.mem, NULL, NULL, 0);
    tap_each("tests/vectors/json", ".json", vector, &c);
    tap_each("tests/vectors/canon", ".json", vector, &c);
    c.rounds = 8;
    c.cuts = 10;
    tap_each("tests/vectors", ".json", vector, &c);
    tap_ok(c.inputs > 100000, "%u documents compared, %u accepted by both", c.inputs, c.both);
    tap_int(c.ours_only, 0, "nothing that jansson refuses is accepted");
    tap_int(c.theirs_only, 0, "nothing is refused but by a rule of ours");
    tap_int(c.different, 0, "what both accept is the same value");
    tap_ok(c.both > 5000, "enough was accepted to say something");
    tap_int((long long)c.mem.in_use_bytes, 0, "nothing left");
    return tap_done();
}
