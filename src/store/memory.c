/* Runs, letters, latches and links in memory (memory.h). Uses the notes and the chain that the file store uses. Must
 * never show what was noted and not written. */
#include "store/memory.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/sort.h"
#include "store/chain.h"
#include "store/latches.h"
#include "store/noted.h"

struct letter {
    struct letter *next;
    size_t bytes; /* of the piece, texts behind it */
    struct il__store_letter said;
};
struct run {
    struct il_str id; /* behind the run; what the map and the records refer to */
    struct il__noted_row *row;
    uint64_t fence;
    struct il__noted_record **records;
    size_t count, cap;
    struct letter *letters;
    size_t letter_count;
    uint8_t (*salts)[IL__STORE_SALT];
    size_t salt_count, salt_cap;
};
struct link {
    size_t bytes;
    struct il__store_link said;
};
struct memory {
    struct il__mem *mem;
    struct il__digest *digest;
    char id[33];
    struct il__noted noted;
    struct il__map by_id;
    struct run **runs; /* in order of run id when `sorted` */
    size_t run_count, run_cap;
    bool sorted;
    struct link **links;
    size_t link_count, link_cap;
    struct il__latches latches;
    struct il__tally tally;
    il_random_fn random;
    void *random_ctx;
    uint64_t last_letter;
    bool changed; /* since the last time somebody asked */
    struct il__buf scratch;
};

static enum il_code no_memory(struct il_error *err)
{
    return il__fail(err, IL_OUT_OF_MEMORY, "no memory for the store");
}

/* Room for `more` items in an array; NULL: out of memory, the old one stays. */
static void *room(struct memory *m, void *items, size_t size, size_t count, size_t more, size_t *cap)
{
    if (items && count + more <= *cap) return items;
    size_t wider = *cap ? *cap * 2 : 16;
    while (wider < count + more) wider *= 2;
    void *fresh = il__mem_resize(m->mem, items, *cap * size, wider * size);
    if (fresh) *cap = wider;
    return fresh;
}

static struct run *find(const struct memory *m, struct il_str run_id)
{
    return il__map_get(&m->by_id, run_id);
}

/* ---- writing ---- */

/* May the whole batch be written? Records follow one another, with the run's fence; letters are there. */
static bool fits(const struct memory *m, const struct il__batch *batch)
{
    const struct run *run = find(m, batch->run_id);
    if (batch->create ? run != NULL : run == NULL) return false;
    uint64_t next = run ? run->count : 0, fence = run ? run->fence : 1;
    for (const struct il__noted_record *r = batch->records; r; r = r->next) {
        if (r->record.seq != next++ || r->record.fence != fence) return false;
    }
    for (const struct il__noted_letter *n = batch->letters; n; n = n->next) {
        const struct letter *l = run ? run->letters : NULL;
        while (l && l->said.id != n->id) l = l->next;
        if (!l) return false;
    }
    return true;
}

static struct il__chain_head head(const struct memory *m)
{
    struct il__chain_head h = { m->link_count, { 0 } };
    if (m->link_count) memcpy(h.prev, m->links[m->link_count - 1]->said.hash, sizeof h.prev);
    return h;
}

/* Makes a link of the text in `scratch`, with room for it in the chain; NULL: out of memory. */
static struct link *make_link(struct memory *m, const uint8_t hash[IL__SHA256_BYTES], struct il_str payload)
{
    struct link **links = room(m, m->links, sizeof(struct link *), m->link_count, 1, &m->link_cap);
    if (!links) return NULL;
    m->links = links;
    struct il_str text = il__buf_get(&m->scratch);
    size_t bytes = sizeof(struct link) + text.len + payload.len + 2;
    struct link *link = il__mem_zalloc(m->mem, 1, bytes);
    if (!link) return NULL;
    char *at = (char *)(link + 1);
    *link = (struct link){ bytes, { m->link_count, { at, text.len }, IL_STR_NONE, { 0 } } };
    memcpy(link->said.hash, hash, sizeof link->said.hash);
    memcpy(at, text.ptr, text.len);
    if (!payload.ptr) return link;
    at += text.len + 1;
    if (payload.len) memcpy(at, payload.ptr, payload.len);
    link->said.payload = (struct il_str){ at, payload.len };
    return link;
}

static void free_run(struct memory *m, struct run *run)
{
    while (run->letters) {
        struct letter *l = run->letters;
        run->letters = l->next;
        il__mem_free(m->mem, l, l->bytes);
    }
    for (size_t i = 0; i < run->count; i++) il__noted_record_free(m->mem, run->records[i]);
    il__mem_free(m->mem, run->records, run->cap * sizeof *run->records);
    il__mem_free(m->mem, run->salts, run->salt_cap * sizeof *run->salts);
    il__noted_row_free(m->mem, run->row);
    il__mem_free(m->mem, run, sizeof *run + run->id.len + 1);
}

static struct run *new_run(struct memory *m, const struct il__store_row *row)
{
    struct run *run = il__mem_zalloc(m->mem, 1, sizeof *run + row->run_id.len + 1);
    if (!run) return NULL;
    memcpy(run + 1, row->run_id.ptr, row->run_id.len);
    run->id = (struct il_str){ (const char *)(run + 1), row->run_id.len };
    run->fence = 1;
    run->row = il__noted_row_copy(m->mem, row);
    if (run->row) return run;
    free_run(m, run);
    return NULL;
}

static void drop(struct memory *m, struct run *run, struct link *link)
{
    if (run) free_run(m, run);
    if (link) il__mem_free(m->mem, link, link->bytes);
}

/* A run and its link, with room for both but not yet there. */
static enum il_code make_run(struct memory *m, const struct il__batch *batch, struct run **out, struct link **out_link,
                             struct il_error *err)
{
    uint8_t hash[IL__SHA256_BYTES];
    const struct il__chain_head h = head(m);
    const struct il__store_row *row = &batch->create->row;
    enum il_code code = il__chain_run(m->digest, &m->scratch, &h, row, batch->records->record.hash, hash, err);
    if (code) return code;
    struct run **runs = room(m, m->runs, sizeof(struct run *), m->run_count, 1, &m->run_cap);
    if (!runs) return no_memory(err);
    m->runs = runs;
    struct link *link = make_link(m, hash, IL_STR_NONE);
    struct run *run = link ? new_run(m, row) : NULL;
    if (!run) {
        drop(m, NULL, link);
        return no_memory(err);
    }
    *out = run;
    *out_link = link;
    return IL_OK;
}

static void take_letter(struct memory *m, struct run *run, uint64_t id)
{
    for (struct letter **at = &run->letters; *at; at = &(*at)->next) {
        struct letter *l = *at;
        if (l->said.id != id) continue;
        *at = l->next;
        il__mem_free(m->mem, l, l->bytes);
        run->letter_count--;
        return;
    }
}

/* What the row says after `index`: only how the run stands. */
static struct il__noted_row *merged(struct memory *m, const struct il__store_row *old, const struct il__store_row *said)
{
    struct il__store_row row = *old;
    row.state = said->state;
    row.status = said->status;
    row.request_id = said->request_id;
    row.expires_ms = said->expires_ms;
    return il__noted_row_copy(m->mem, &row);
}

static size_t count_records(const struct il__batch *batch)
{
    size_t count = 0;
    for (const struct il__noted_record *r = batch->records; r; r = r->next) count++;
    return count;
}

/* What a batch needs beyond the run: its new row (NULL: unchanged), and room for its records. */
static enum il_code prepare(struct memory *m, struct run *run, const struct il__batch *batch,
                            struct il__noted_row **row, struct il_error *err)
{
    struct il__noted_record **records = room(m, run->records, sizeof(struct il__noted_record *), run->count,
                                             count_records(batch), &run->cap);
    if (!records) return no_memory(err);
    run->records = records;
    if (batch->index && !(*row = merged(m, &run->row->row, &batch->index->row))) return no_memory(err);
    return IL_OK;
}

/* All that can fail comes first: a batch is written whole or not at all. */
static enum il_code apply(struct memory *m, struct il__batch *batch, struct il_error *err)
{
    struct run *known = find(m, batch->run_id), *run = known;
    struct link *link = NULL;
    struct il__noted_row *row = NULL;
    enum il_code code = known ? IL_OK : make_run(m, batch, &run, &link, err);
    if (code || !run) return code;
    code = prepare(m, run, batch, &row, err);
    if (!code && batch->past) code = il__tally_remember(&m->tally, &batch->past->past, err);
    if (!code && !known && !il__map_put(&m->by_id, run->id, run)) code = no_memory(err);
    if (code) {
        il__noted_row_free(m->mem, row);
        if (!known) drop(m, run, link);
        return code;
    }
    if (!known) {
        m->links[m->link_count++] = link;
        m->runs[m->run_count++] = run;
        m->sorted = false;
    }
    while (batch->records) {
        struct il__noted_record *r = batch->records;
        batch->records = r->next;
        r->record.run_id = run->id;
        run->records[run->count++] = r;
    }
    for (const struct il__noted_letter *n = batch->letters; n; n = n->next) take_letter(m, run, n->id);
    if (row) {
        il__noted_row_free(m->mem, run->row);
        run->row = row;
    }
    return IL_OK;
}

static enum il_code memory_write(void *self, struct il_error *err)
{
    struct memory *m = self;
    struct il_error lost = IL_ERROR_INIT;
    enum il_code code = IL_OK;
    for (struct il__batch *b = m->noted.batches; b && !code; b = b->next) {
        if (!il__batch_ready(b)) continue;
        b->lost = !fits(m, b);
        if (b->lost) il__lost_run(b->run_id, &lost);
        if (!b->lost) code = apply(m, b, err);
        b->done = !code;
    }
    il__noted_settle(&m->noted);
    if (code || !lost.code) return code;
    if (err && !err->code) *err = lost;
    return lost.code;
}

/* ---- the owner ---- */

static enum il_code memory_create(void *self, const struct il__store_row *row, struct il_error *err)
{
    struct memory *m = self;
    if (find(m, row->run_id)) return il__run_known(row->run_id, err);
    return il__noted_create(&m->noted, row, err);
}

static enum il_code memory_append(void *self, const struct il__store_record *record, struct il_error *err)
{
    struct memory *m = self;
    return il__noted_append(&m->noted, record, err);
}

static enum il_code memory_index(void *self, const struct il__store_row *row, struct il_error *err)
{
    struct memory *m = self;
    return il__noted_index(&m->noted, row, err);
}

static enum il_code memory_consume(void *self, struct il_str run_id, uint64_t letter, struct il_error *err)
{
    struct memory *m = self;
    return il__noted_consume(&m->noted, run_id, letter, err);
}

static enum il_code memory_claim(void *self, struct il_str run_id, uint64_t *fence, struct il_error *err)
{
    struct memory *m = self;
    const struct run *run = find(m, run_id);
    const struct il__batch *batch = il__noted_of(&m->noted, run_id);
    if (!run && !(batch && batch->create)) return il__no_such_run(run_id, err);
    *fence = run ? run->fence : 1;
    return IL_OK;
}

static enum il_code memory_owns(void *self, struct il_str run_id, uint64_t fence, struct il_error *err)
{
    uint64_t present = 0;
    enum il_code code = memory_claim(self, run_id, &present, err);
    if (!code && present != fence) return il__lost_run(run_id, err);
    return code;
}

/* ---- anybody ---- */

static enum il_code memory_load(void *self, struct il_str run_id, il__store_record_fn fn, void *ctx,
                                struct il_error *err)
{
    const struct memory *m = self;
    const struct run *run = find(m, run_id);
    if (!run) return il__no_such_run(run_id, err);
    for (size_t i = 0; i < run->count; i++) {
        if (!fn(ctx, &run->records[i]->record)) break;
    }
    return IL_OK;
}

static bool before(void *ctx, const void *a, const void *b)
{
    const struct run *const *x = a, *const *y = b;
    (void)ctx;
    return il__str_cmp((*x)->id, (*y)->id) < 0;
}

static bool shown(const struct il__store_filter *f, const struct il__store_row *row)
{
    if (f->by_state && row->state != f->state) return false;
    if (f->expires_before_ms && (!row->expires_ms || row->expires_ms >= f->expires_before_ms)) return false;
    return true;
}

/* Where the runs behind `after` begin. */
static size_t first_behind(const struct memory *m, struct il_str after)
{
    size_t low = 0, high = after.ptr ? m->run_count : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (il__str_cmp(m->runs[middle]->id, after) > 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static enum il_code memory_list(void *self, const struct il__store_filter *filter, il__store_row_fn fn, void *ctx,
                                struct il_error *err)
{
    struct memory *m = self;
    (void)err;
    if (!m->sorted) il__sort(m->runs, m->run_count, sizeof *m->runs, before, NULL);
    m->sorted = true;
    uint32_t given = 0;
    for (size_t i = first_behind(m, filter->after); i < m->run_count; i++) {
        const struct run *run = m->runs[i];
        struct il__store_row row = run->row->row;
        if (!shown(filter, &row)) continue;
        row.fence = run->fence;
        row.records = run->count;
        row.letters = run->letter_count;
        row.owned = true;
        if (!fn(ctx, &row)) break;
        if (filter->most && ++given == filter->most) break;
    }
    return IL_OK;
}

static enum il_code memory_submit(void *self, struct il_str run_id, struct il_str kind, struct il_str body,
                                  int64_t at_ms, struct il_error *err)
{
    struct memory *m = self;
    struct run *run = find(m, run_id);
    enum il_code code = il__check_letter(kind, body, err);
    if (code) return code;
    if (!run) return il__no_such_run(run_id, err);
    if (run->row->row.state == IL__ROW_ENDED) return il__run_ended(run_id, err);
    if (run->letter_count >= IL__LIMIT_STORE_LETTERS) return il__too_many_letters(err);
    size_t bytes = sizeof(struct letter) + kind.len + body.len;
    struct letter *l = il__mem_alloc(m->mem, bytes);
    if (!l) return no_memory(err);
    char *at = (char *)(l + 1);
    memcpy(at, kind.ptr, kind.len);
    if (body.len) memcpy(at + kind.len, body.ptr, body.len);
    *l = (struct letter){ NULL, bytes, { ++m->last_letter, { at, kind.len }, { at + kind.len, body.len }, at_ms } };
    struct letter **end = &run->letters;
    while (*end) end = &(*end)->next;
    *end = l;
    run->letter_count++;
    m->changed = true;
    return IL_OK;
}

static enum il_code memory_letters(void *self, struct il_str run_id, il__store_letter_fn fn, void *ctx,
                                   struct il_error *err)
{
    const struct memory *m = self;
    const struct run *run = find(m, run_id);
    if (!run) return il__no_such_run(run_id, err);
    for (const struct letter *l = run->letters; l; l = l->next) {
        if (!fn(ctx, &l->said)) break;
    }
    return IL_OK;
}

static bool memory_changed(void *self)
{
    struct memory *m = self;
    bool changed = m->changed;
    m->changed = false;
    return changed;
}

/* ---- latches ---- */

static enum il_code memory_latch(void *self, struct il_str session, bool on, struct il_error *err)
{
    struct memory *m = self;
    return il__latches_set(&m->latches, session, on, &m->changed, err);
}

static enum il_code memory_latched(void *self, struct il_str session, bool *on, bool *all, struct il_error *err)
{
    const struct memory *m = self;
    (void)err;
    *all = il__latches_has(&m->latches, IL_STR_NONE);
    *on = *all || il__latches_has(&m->latches, session);
    return IL_OK;
}

/* ---- counters ---- */

static enum il_code memory_remember(void *self, const struct il__past *past, struct il_error *err)
{
    struct memory *m = self;
    return il__noted_remember(&m->noted, past, err);
}

static enum il_code memory_spend(void *self, struct il_str run_id, const struct il__unit *units, size_t count,
                                 int64_t now_ms, struct il_error *err)
{
    struct memory *m = self;
    return il__tally_spend(&m->tally, run_id, units, count, now_ms, err);
}

static enum il_code memory_used(void *self, const struct il__unit *unit, struct il_str but_run, int64_t now_ms,
                                struct il__unit_use *out, struct il_error *err)
{
    const struct memory *m = self;
    (void)err;
    *out = il__tally_used(&m->tally, unit, but_run, now_ms);
    return IL_OK;
}

static enum il_code memory_recall(void *self, const struct il__past_query *query, struct il__past_seen *out,
                                  struct il_error *err)
{
    const struct memory *m = self;
    (void)err;
    *out = il__tally_recall(&m->tally, query);
    return IL_OK;
}

static enum il_code memory_units(void *self, int64_t now_ms, il__unit_fn fn, void *ctx, struct il_error *err)
{
    struct memory *m = self;
    (void)err;
    il__tally_units(&m->tally, now_ms, fn, ctx);
    return IL_OK;
}

/* ---- evidence ---- */

static enum il_code memory_link(void *self, struct il_str kind, struct il_str body, struct il_str payload,
                                int64_t at_ms, uint64_t *out_seq, struct il_error *err)
{
    struct memory *m = self;
    uint8_t hash[IL__SHA256_BYTES];
    const struct il__chain_head h = head(m);
    enum il_code code = il__chain_link(m->digest, &m->scratch, &h, kind, body, payload, at_ms, hash, err);
    if (code) return code;
    struct link *link = make_link(m, hash, payload);
    if (!link) return no_memory(err);
    m->links[m->link_count++] = link;
    if (out_seq) *out_seq = link->said.seq;
    return IL_OK;
}

static enum il_code memory_links(void *self, uint64_t from, il__store_link_fn fn, void *ctx, struct il_error *err)
{
    const struct memory *m = self;
    (void)err;
    for (uint64_t i = from; i < m->link_count; i++) {
        if (!fn(ctx, &m->links[i]->said)) break;
    }
    return IL_OK;
}

static enum il_code memory_salts(void *self, struct il_str run_id, il__store_salt_fn fn, void *ctx,
                                 struct il_error *err)
{
    struct memory *m = self;
    struct run *run = find(m, run_id);
    if (!run) return il__no_such_run(run_id, err);
    for (; run->salt_count < run->count; run->salt_count++) {
        uint8_t(*salts)[IL__STORE_SALT] = room(m, run->salts, sizeof *salts, run->salt_count, 1, &run->salt_cap);
        if (!salts) return no_memory(err);
        run->salts = salts;
        if (m->random(m->random_ctx, salts[run->salt_count], IL__STORE_SALT))
            return il__fail_at(err, IL_STORE, "random", "bytes", "the random source failed");
    }
    for (size_t i = 0; i < run->salt_count; i++)
        if (!fn(ctx, i, run->salts[i])) break;
    return IL_OK;
}

static struct il_str memory_id(void *self)
{
    const struct memory *m = self;
    return il__str(m->id);
}

/* ---- new and free ---- */

static void memory_free(void *self)
{
    struct memory *m = self;
    struct il__mem *mem = m->mem;
    il__noted_clear(&m->noted);
    il__map_clear(&m->by_id);
    for (size_t i = 0; i < m->run_count; i++) free_run(m, m->runs[i]);
    il__mem_free(mem, m->runs, m->run_cap * sizeof *m->runs);
    for (size_t i = 0; i < m->link_count; i++) il__mem_free(mem, m->links[i], m->links[i]->bytes);
    il__mem_free(mem, m->links, m->link_cap * sizeof *m->links);
    il__latches_clear(&m->latches);
    il__tally_clear(&m->tally);
    il__buf_clear(&m->scratch);
    il__mem_free(mem, m, sizeof *m);
}

static const struct il__store_ops OPS = {
    .create = memory_create, .append = memory_append,   .index = memory_index,     .consume = memory_consume,
    .write = memory_write,   .flush = memory_write,     .owns = memory_owns,       .claim = memory_claim,
    .load = memory_load,     .list = memory_list,       .submit = memory_submit,   .letters = memory_letters,
    .changed = memory_changed, .latch = memory_latch,   .latched = memory_latched, .link = memory_link,
    .remember = memory_remember, .spend = memory_spend, .used = memory_used,       .recall = memory_recall,
    .units = memory_units,
    .links = memory_links,   .salts = memory_salts,     .id = memory_id,           .free = memory_free,
};

enum il_code il__memory_store_new(const struct il__memory_store_options *options, struct il__store *out,
                                  struct il_error *err)
{
    uint8_t id[16];
    if (options->random(options->random_ctx, id, sizeof id))
        return il__fail_at(err, IL_STORE, "random", "bytes", "the random source failed");
    struct memory *m = il__mem_zalloc(options->mem, 1, sizeof *m);
    if (!m) return no_memory(err);
    m->mem = options->mem;
    m->digest = options->digest;
    m->changed = true;
    m->random = options->random;
    m->random_ctx = options->random_ctx;
    il__hex(id, sizeof id, m->id);
    il__noted_init(&m->noted, m->mem);
    il__latches_init(&m->latches, m->mem);
    il__tally_init(&m->tally, m->mem);
    il__map_init(&m->by_id, m->mem);
    il__buf_init(&m->scratch, m->mem, 0);
    *out = (struct il__store){ &OPS, m };
    return IL_OK;
}
