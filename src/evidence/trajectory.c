/* Tool uses as numbers, and their longest common subsequence (trajectory.h). Ends that match are taken off first: a
 * trajectory that went as expected costs one pass. */
#include "evidence/trajectory.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/sort.h"
#include "wire/canon.h"

static const char object[] = "expected trajectory";

void il__trajectory_init(struct il__trajectory *t, struct il__mem *mem)
{
    memset(t, 0, sizeof *t);
    t->mem = mem;
}

void il__trajectory_clear(struct il__trajectory *t)
{
    if (!t->mem) return;
    il__mem_free(t->mem, t->uses, t->room * sizeof *t->uses);
    il__mem_free(t->mem, t->arguments, t->argument_room * sizeof *t->arguments);
    il__trajectory_init(t, t->mem);
}

/* Makes room for one more item; false: out of memory. */
static bool room_for(struct il__mem *mem, void **items, size_t size, size_t count, size_t *room)
{
    if (count < *room) return true;
    const size_t more = *room ? 2 * *room : 64;
    void *grown = il__mem_resize(mem, *items, *room * size, more * size);
    if (!grown) return false;
    *items = grown;
    *room = more;
    return true;
}

void il__trajectory_use(struct il__trajectory *t, struct il__ranks *ranks, struct il_str tool)
{
    void *items = t->uses;
    if (t->failed || !room_for(t->mem, &items, sizeof *t->uses, t->count, &t->room)) {
        t->failed = true;
        return;
    }
    t->uses = items;
    const uint32_t at = (uint32_t)t->argument_count;
    t->uses[t->count++] = (struct il__use){ il__ranks_add(ranks, tool), at, at };
}

void il__trajectory_argument(struct il__trajectory *t, struct il__ranks *ranks, struct il_str name, struct il_str value)
{
    void *items = t->arguments;
    if (t->failed || !room_for(t->mem, &items, sizeof *t->arguments, t->argument_count, &t->argument_room)) {
        t->failed = true;
        return;
    }
    t->arguments = items;
    t->arguments[t->argument_count++] =
        (struct il__use_argument){ il__ranks_add(ranks, name), il__ranks_add(ranks, value) };
    t->uses[t->count - 1].end = (uint32_t)t->argument_count;
}

enum il_code il__canon_kept(struct il__json *doc, uint32_t at, struct il__arena *arena, struct il_str *out,
                            struct il_error *err)
{
    const struct il__json_node *node = il__json_at(doc, at);
    *out = IL_STR_NONE;
    if (node->kind == IL__JSON_STRING && node->flags == 0) { /* already canonical */
        *out = il__json_raw(doc, at);
        return IL_OK;
    }
    struct il__buf text;
    struct il_error why = IL_ERROR_INIT;
    il__buf_init(&text, doc->mem, 0);
    enum il_code code = il__canon(doc, at, &text, &why);
    if (code == IL_OK) code = il__buf_check(&text, &why);
    if (code == IL_OK) code = il__arena_str(arena, il__buf_get(&text), out);
    il__buf_clear(&text);
    return code == IL_OUT_OF_MEMORY ? il__fail(err, code, "out of memory while comparing values") : IL_OK;
}

/* ---- the expected one -------------------------------------------------------------------------------------------- */

struct reading {
    struct il__trajectory *t;
    struct il__ranks *ranks;
    struct il__json *doc;
    struct il__arena *arena;
    struct il_error *err;
};

static enum il_code refuse(const struct reading *r, uint32_t at, const char *expected)
{
    char place[sizeof r->err->field];
    il__json_pointer(r->doc, at, place, sizeof place);
    return il__refuse(r->err, IL_DECODE, object, place, il__str(expected),
                      il__str(il__json_kind_name(il__json_kind(r->doc, at))));
}

static enum il_code read_arguments(const struct reading *r, uint32_t at)
{
    if (il__json_kind(r->doc, at) != IL__JSON_OBJECT) return refuse(r, at, "an object of arguments");
    if (il__json_at(r->doc, at)->count > IL__LIMIT_TRAJECTORY_ARGUMENTS)
        return il__fail_at(r->err, IL_LIMIT_EXCEEDED, object, "trajectory_arguments",
                           "a step has more than %d arguments", IL__LIMIT_TRAJECTORY_ARGUMENTS);
    for (uint32_t key = il__json_first(r->doc, at); key; key = il__json_next(r->doc, at, key + 1)) {
        struct il_str name, value;
        enum il_code code = il__json_string(r->doc, key, &name, r->err);
        if (code == IL_OK) code = il__canon_kept(r->doc, key + 1, r->arena, &value, r->err);
        if (code != IL_OK) return code;
        if (!value.ptr) return refuse(r, key + 1, "a value with a canonical text (integers up to 2^53 - 1)");
        il__trajectory_argument(r->t, r->ranks, name, value);
    }
    return IL_OK;
}

static enum il_code read_step(const struct reading *r, uint32_t at)
{
    struct il_str tool = IL_STR_NONE;
    uint32_t arguments = 0;
    if (il__json_kind(r->doc, at) != IL__JSON_OBJECT) return refuse(r, at, "a step {tool, arguments}");
    for (uint32_t key = il__json_first(r->doc, at); key; key = il__json_next(r->doc, at, key + 1)) {
        struct il_str name;
        enum il_code code = il__json_string(r->doc, key, &name, r->err);
        if (code != IL_OK) return code;
        if (il__str_eq(name, IL_STR("arguments"))) {
            arguments = key + 1;
        } else if (!il__str_eq(name, IL_STR("tool"))) {
            return refuse(r, key + 1, "no members but tool and arguments");
        } else if (il__json_kind(r->doc, key + 1) != IL__JSON_STRING || il__json_at(r->doc, key + 1)->len == 0) {
            return refuse(r, key + 1, "the name of a tool");
        } else if ((code = il__json_string(r->doc, key + 1, &tool, r->err)) != IL_OK) {
            return code;
        }
    }
    if (!tool.ptr) return refuse(r, at, "a step with a tool");
    il__trajectory_use(r->t, r->ranks, tool);
    return arguments ? read_arguments(r, arguments) : IL_OK;
}

enum il_code il__trajectory_read(struct il__trajectory *t, struct il__ranks *ranks, struct il__json *doc,
                                 struct il__arena *arena, struct il_error *err)
{
    const struct reading r = { t, ranks, doc, arena, err };
    if (il__json_kind(doc, 0) != IL__JSON_ARRAY) return refuse(&r, 0, "an array of steps");
    if (il__json_at(doc, 0)->count > IL__LIMIT_TRAJECTORY_STEPS)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, object, "trajectory_steps", "it has more than %d steps",
                           IL__LIMIT_TRAJECTORY_STEPS);
    for (uint32_t at = il__json_first(doc, 0); at; at = il__json_next(doc, 0, at)) {
        enum il_code code = read_step(&r, at);
        if (code != IL_OK) return code;
    }
    return IL_OK;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static bool name_before(void *ctx, const void *a, const void *b)
{
    const struct il__use_argument *left = a, *right = b;
    (void)ctx;
    return left->name < right->name;
}

bool il__trajectory_settle(struct il__trajectory *t, const struct il__ranks *ranks)
{
    if (t->failed) return false;
    for (size_t i = 0; i < t->argument_count; i++) {
        t->arguments[i].name = il__ranks_of(ranks, t->arguments[i].name);
        t->arguments[i].value = il__ranks_of(ranks, t->arguments[i].value);
    }
    for (size_t i = 0; i < t->count; i++) {
        struct il__use *use = &t->uses[i];
        use->tool = il__ranks_of(ranks, use->tool);
        if (use->end - use->first < 2) continue;
        il__sort(t->arguments + use->first, use->end - use->first, sizeof *t->arguments, name_before, NULL);
    }
    return true;
}

static bool has_argument(const struct il__trajectory *t, const struct il__use *use, struct il__use_argument wanted)
{
    uint32_t low = use->first, high = use->end;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (t->arguments[middle].name < wanted.name) low = middle + 1;
        else high = middle;
    }
    return low < use->end && t->arguments[low].name == wanted.name && t->arguments[low].value == wanted.value;
}

static bool matches(const struct il__trajectory *expected, size_t e, const struct il__trajectory *seen, size_t s)
{
    const struct il__use *want = &expected->uses[e], *got = &seen->uses[s];
    if (want->tool == IL__NO_RANK || want->tool != got->tool) return false;
    for (uint32_t i = want->first; i < want->end; i++) {
        if (!has_argument(seen, got, expected->arguments[i])) return false;
    }
    return true;
}

/* The middle part, row by row: row[j] is the length for what was seen so far against the first j expected. */
static size_t longest(const struct il__trajectory *expected, size_t e0, size_t e1, const struct il__trajectory *seen,
                      size_t s0, size_t s1, uint32_t *row)
{
    for (size_t s = s0; s < s1; s++) {
        uint32_t corner = 0; /* row[j] before this row */
        for (size_t j = 1; j <= e1 - e0; j++) {
            const uint32_t above = row[j];
            if (matches(expected, e0 + j - 1, seen, s)) row[j] = corner + 1;
            else if (row[j - 1] > above) row[j] = row[j - 1];
            corner = above;
        }
    }
    return row[e1 - e0];
}

enum il_code il__trajectory_common(const struct il__trajectory *expected, const struct il__trajectory *seen,
                                   size_t *out, struct il_error *err)
{
    size_t e0 = 0, s0 = 0, e1 = expected->count, s1 = seen->count;
    while (e0 < e1 && s0 < s1 && matches(expected, e0, seen, s0)) e0++, s0++;
    while (e0 < e1 && s0 < s1 && matches(expected, e1 - 1, seen, s1 - 1)) e1--, s1--;
    const size_t ends = e0 + expected->count - e1;
    *out = ends;
    if (e0 == e1 || s0 == s1) return IL_OK;
    uint32_t *row = il__mem_zalloc(expected->mem, e1 - e0 + 1, sizeof *row);
    if (!row) return il__fail(err, IL_OUT_OF_MEMORY, "out of memory while comparing trajectories");
    *out = ends + longest(expected, e0, e1, seen, s0, s1, row);
    il__mem_free(expected->mem, row, (e1 - e0 + 1) * sizeof *row);
    return IL_OK;
}

double il__trajectory_score(const struct il__trajectory *expected, const struct il__trajectory *seen, size_t common)
{
    const size_t longer = expected->count > seen->count ? expected->count : seen->count;
    return longer == 0 ? 1.0 : (double)common / (double)longer;
}
