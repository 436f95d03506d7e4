/* Units and outcomes in memory (tally.h): each list is kept in order of time, so that what is old lies in front. */
#include "base/tally.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/sort.h"

const char *const il__past_names[] = { "verified", "unverified", "failed", "indeterminate", NULL };

struct held {
    int64_t at_ms;
    uint32_t mark;
    uint32_t run_len;
    char *run; /* its id, a piece of its own */
};
struct il__tally_key {
    struct il_str key; /* behind it */
    struct held *units;
    size_t count, cap;
};
struct il__tally_past {
    size_t bytes; /* of the piece, texts behind it */
    struct il__past past;
};

void il__tally_init(struct il__tally *tally, struct il__mem *mem)
{
    *tally = (struct il__tally){ .mem = mem };
}

static void free_key(struct il__tally *t, struct il__tally_key *k)
{
    for (size_t i = 0; i < k->count; i++) il__mem_free(t->mem, k->units[i].run, (size_t)k->units[i].run_len + 1);
    il__mem_free(t->mem, k->units, k->cap * sizeof *k->units);
    il__mem_free(t->mem, k, sizeof *k + k->key.len + 1);
}

void il__tally_clear(struct il__tally *t)
{
    for (size_t i = 0; i < t->key_count; i++) free_key(t, t->keys[i]);
    il__mem_free(t->mem, t->keys, t->key_cap * sizeof *t->keys);
    for (size_t i = 0; i < t->past_count; i++) il__mem_free(t->mem, t->past[i].past, t->past[i].past->bytes);
    il__mem_free(t->mem, t->past, t->past_cap * sizeof *t->past);
    il__tally_init(t, t->mem);
}

static enum il_code no_memory(struct il_error *err)
{
    return il__fail(err, IL_OUT_OF_MEMORY, "no memory for what is counted");
}

/* Room for one more item; NULL: out of memory, the old one stays. */
static void *room(struct il__tally *t, void *items, size_t size, size_t count, size_t *cap)
{
    if (count < *cap) return items;
    size_t wider = *cap ? *cap * 2 : 8;
    void *fresh = il__mem_resize(t->mem, items, *cap * size, wider * size);
    if (fresh) *cap = wider;
    return fresh;
}

/* A few bits of an id, so that a list can be looked through without reading what it refers to (FNV-1a). */
static uint32_t mark_of(struct il_str id)
{
    uint32_t mark = 2166136261u;
    for (size_t i = 0; i < id.len; i++) mark = (mark ^ (unsigned char)id.ptr[i]) * 16777619u;
    return mark;
}

static int64_t kept_after(int64_t now_ms)
{
    return now_ms - IL__LIMIT_KEPT_S * INT64_C(1000);
}

/* ---- refusals ---- */

enum il_code il__unit_none_left(const struct il__unit *unit, struct il_error *err)
{
    char key[160];
    il__escape(key, sizeof key, unit->key);
    return il__fail_at(err, IL_POLICY_DENIED, "limit", key, "limit %s has no unit left", key);
}

enum il_code il__units_full(struct il_error *err)
{
    return il__fail_at(err, IL_LIMIT_EXCEEDED, "limit", "limit_units", "at most %d units of limits are kept",
                       IL__LIMIT_LIMIT_UNITS);
}

/* ---- units ---- */

static struct il__tally_key *find(const struct il__tally *t, struct il_str key)
{
    for (size_t i = 0; i < t->key_count; i++)
        if (il__str_eq(t->keys[i]->key, key)) return t->keys[i];
    return NULL;
}

static bool of_run(const struct held *unit, struct il_str run_id, uint32_t mark)
{
    return unit->mark == mark && unit->run_len == run_id.len && memcmp(unit->run, run_id.ptr, run_id.len) == 0;
}

static bool has_unit(const struct il__tally_key *k, struct il_str run_id)
{
    const uint32_t mark = mark_of(run_id);
    for (size_t i = k ? k->count : 0; i--;)
        if (of_run(&k->units[i], run_id, mark)) return true;
    return false;
}

struct il__unit_use il__tally_used(const struct il__tally *t, const struct il__unit *unit, struct il_str but_run,
                                   int64_t now_ms)
{
    const struct il__tally_key *k = find(t, unit->key);
    struct il__unit_use use = { 0, 0 };
    const uint32_t mark = mark_of(but_run);
    for (size_t i = k ? k->count : 0; i--;) { /* the latest first */
        if (k->units[i].at_ms <= now_ms - unit->per_ms) break;
        if (il__str_present(but_run) && of_run(&k->units[i], but_run, mark)) continue;
        if (++use.count == unit->most) use.leaves_ms = k->units[i].at_ms;
    }
    return use;
}

/* Forgets what nobody may ask for any more. */
static void prune_units(struct il__tally *t, int64_t after_ms)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->key_count; i++) {
        struct il__tally_key *k = t->keys[i];
        size_t old = 0;
        while (old < k->count && k->units[old].at_ms <= after_ms) {
            il__mem_free(t->mem, k->units[old].run, (size_t)k->units[old].run_len + 1);
            old++;
        }
        if (old) memmove(k->units, k->units + old, (k->count - old) * sizeof *k->units);
        k->count -= old;
        t->units -= old;
        if (k->count) t->keys[kept++] = k;
        else free_key(t, k);
    }
    t->key_count = kept;
}

/* The key, made when it is not there, with room for one more unit. */
static struct il__tally_key *key_with_room(struct il__tally *t, struct il_str key)
{
    struct il__tally_key *k = find(t, key);
    if (!k) {
        struct il__tally_key **keys = room(t, t->keys, sizeof(struct il__tally_key *), t->key_count, &t->key_cap);
        if (!keys) return NULL;
        t->keys = keys;
        if (!(k = il__mem_zalloc(t->mem, 1, sizeof *k + key.len + 1))) return NULL;
        if (key.len) memcpy(k + 1, key.ptr, key.len);
        k->key = (struct il_str){ (const char *)(k + 1), key.len };
        t->keys[t->key_count++] = k;
    }
    struct held *units = room(t, k->units, sizeof *units, k->count, &k->cap);
    if (!units) return NULL;
    k->units = units;
    return k;
}

static bool insert_unit(struct il__tally *t, struct il_str key, struct il_str run_id, int64_t at_ms)
{
    struct il__tally_key *k = key_with_room(t, key);
    char *run = k && run_id.len < UINT32_MAX ? il__mem_zalloc(t->mem, 1, run_id.len + 1) : NULL;
    if (!run) return false;
    memcpy(run, run_id.ptr, run_id.len);
    size_t at = k->count++;
    for (; at && k->units[at - 1].at_ms > at_ms; at--) k->units[at] = k->units[at - 1];
    k->units[at] = (struct held){ at_ms, mark_of(run_id), (uint32_t)run_id.len, run };
    t->units++;
    return true;
}

static void take_back(struct il__tally *t, struct il_str key, struct il_str run_id)
{
    struct il__tally_key *k = find(t, key);
    const uint32_t mark = mark_of(run_id);
    for (size_t i = 0; k && i < k->count; i++) {
        if (!of_run(&k->units[i], run_id, mark)) continue;
        il__mem_free(t->mem, k->units[i].run, (size_t)k->units[i].run_len + 1);
        memmove(k->units + i, k->units + i + 1, (k->count - i - 1) * sizeof *k->units);
        k->count--;
        t->units--;
        return;
    }
}

enum il_code il__tally_spend(struct il__tally *t, struct il_str run_id, const struct il__unit *units, size_t count,
                             int64_t now_ms, struct il_error *err)
{
    bool fresh[IL__LIMIT_LIMIT_CLAIMS] = { false };
    if (count > IL__LIMIT_LIMIT_CLAIMS) return il__units_full(err);
    prune_units(t, kept_after(now_ms));
    for (size_t i = 0; i < count; i++) {
        if (has_unit(find(t, units[i].key), run_id)) continue;
        fresh[i] = true;
        if (units[i].most && il__tally_used(t, &units[i], IL_STR_NONE, now_ms).count >= units[i].most)
            return il__unit_none_left(&units[i], err);
    }
    for (size_t i = 0; i < count; i++) {
        if (!fresh[i] || has_unit(find(t, units[i].key), run_id)) {
            fresh[i] = false;
            continue;
        }
        if (t->units < IL__LIMIT_LIMIT_UNITS && insert_unit(t, units[i].key, run_id, now_ms)) continue;
        bool full = t->units >= IL__LIMIT_LIMIT_UNITS;
        while (i--)
            if (fresh[i]) take_back(t, units[i].key, run_id);
        return full ? il__units_full(err) : no_memory(err);
    }
    return IL_OK;
}

static bool before(void *ctx, const void *a, const void *b)
{
    const struct il__tally_key *const *x = a, *const *y = b;
    (void)ctx;
    return il__str_cmp((*x)->key, (*y)->key) < 0;
}

static int64_t later_than(const struct il__tally_key *k, int64_t after_ms)
{
    size_t at = k->count;
    while (at && k->units[at - 1].at_ms > after_ms) at--;
    return (int64_t)(k->count - at);
}

void il__tally_units(struct il__tally *t, int64_t now_ms, il__unit_fn fn, void *ctx)
{
    enum { HOUR_MS = 3600000, DAY_MS = 86400000 };
    il__sort(t->keys, t->key_count, sizeof *t->keys, before, NULL);
    for (size_t i = 0; i < t->key_count; i++) {
        const struct il__tally_key *k = t->keys[i];
        const struct il__unit_row row = {
            k->key, later_than(k, now_ms - HOUR_MS), later_than(k, now_ms - DAY_MS), later_than(k, kept_after(now_ms)),
            k->count ? k->units[k->count - 1].at_ms : 0,
        };
        if (row.kept && !fn(ctx, &row)) return;
    }
}

/* ---- outcomes ---- */

static bool agrees(struct il_str want, struct il_str is)
{
    return !il__str_present(want) || il__str_eq(want, is);
}

bool il__past_matches(const struct il__past_query *q, const struct il__past *p)
{
    if (p->at_ms <= q->after_ms || (il__str_present(q->but_run) && il__str_eq(q->but_run, p->run_id))) return false;
    if (q->outcomes && !((q->outcomes >> p->outcome) & 1u)) return false;
    if (q->classes && !((q->classes >> p->action_class) & 1u)) return false;
    return agrees(q->tool, p->tool) && agrees(q->app, p->app) && agrees(q->session_id, p->session_id);
}

static void put(char **at, struct il_str *s)
{
    if (!s->ptr) return;
    if (s->len) memcpy(*at, s->ptr, s->len);
    s->ptr = *at;
    *at += s->len + 1;
}

static struct il__tally_past *copy_past(struct il__tally *t, const struct il__past *past)
{
    struct il__past copy = *past;
    size_t bytes = sizeof(struct il__tally_past) + copy.run_id.len + copy.session_id.len + copy.tool.len + copy.app.len;
    struct il__tally_past *piece = il__mem_zalloc(t->mem, 1, bytes + 4);
    if (!piece) return NULL;
    char *at = (char *)(piece + 1);
    struct il_str *const texts[] = { &copy.run_id, &copy.session_id, &copy.tool, &copy.app };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) put(&at, texts[i]);
    *piece = (struct il__tally_past){ bytes + 4, copy };
    return piece;
}

static void drop_past(struct il__tally *t, size_t from, size_t count)
{
    for (size_t i = from; i < from + count; i++) il__mem_free(t->mem, t->past[i].past, t->past[i].past->bytes);
    memmove(t->past + from, t->past + from + count, (t->past_count - from - count) * sizeof *t->past);
    t->past_count -= count;
}

enum il_code il__tally_remember(struct il__tally *t, const struct il__past *past, struct il_error *err)
{
    struct il__tally_slot *list = room(t, t->past, sizeof *list, t->past_count, &t->past_cap);
    if (!list) return no_memory(err);
    t->past = list;
    const struct il__tally_slot slot = { copy_past(t, past), past->at_ms, mark_of(past->run_id) };
    if (!slot.past) return no_memory(err);
    for (size_t i = t->past_count; i--;) {
        if (list[i].mark != slot.mark || !il__str_eq(list[i].past->past.run_id, past->run_id)) continue;
        drop_past(t, i, 1);
        break;
    }
    size_t old = 0;
    while (old < t->past_count && list[old].at_ms <= kept_after(past->at_ms)) old++;
    if (t->past_count - old >= IL__LIMIT_HISTORY_ENTRIES) old = t->past_count - IL__LIMIT_HISTORY_ENTRIES + 1;
    if (old) drop_past(t, 0, old);
    size_t at = t->past_count++;
    for (; at && list[at - 1].at_ms > past->at_ms; at--) list[at] = list[at - 1];
    list[at] = slot;
    return IL_OK;
}

struct il__past_seen il__tally_recall(const struct il__tally *t, const struct il__past_query *query)
{
    struct il__past_seen seen = { 0, 0, false };
    seen.cut = t->past_count >= IL__LIMIT_HISTORY_ENTRIES && t->past[0].at_ms > query->after_ms;
    for (size_t i = t->past_count; i--;) {
        const struct il__past *p = &t->past[i].past->past;
        if (t->past[i].at_ms <= query->after_ms) break;
        if (!il__past_matches(query, p)) continue;
        if (!seen.count++) seen.latest_ms = p->at_ms;
    }
    return seen;
}
