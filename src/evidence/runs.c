/* Walking all runs of a store (runs.h). */
#include "evidence/runs.h"

#include "base/buf.h"
#include "base/error.h"

enum { PAGE = 64 };

struct page {
    struct il__arena arena;
    struct il_str only, after;
    struct { struct il_str id; uint64_t records; } rows[PAGE];
    size_t count;
    bool more, failed;
};

static bool read_row(void *ctx, const struct il__store_row *row)
{
    struct page *p = ctx;
    if (il__str_present(p->only)) {
        int order = il__str_cmp(row->run_id, p->only);
        if (order) return order < 0;
    }
    p->failed = il__arena_str(&p->arena, row->run_id, &p->rows[p->count].id) != IL_OK;
    if (p->failed) return false;
    p->rows[p->count++].records = row->records;
    p->more = p->count == PAGE;
    return !p->more && !il__str_present(p->only);
}

static enum il_code read_page(const struct il__store *store, struct page *p, il__each_run_fn fn, void *ctx,
                              struct il_error *err)
{
    const struct il__store_filter filter = { .after = p->after };
    p->count = 0;
    p->more = false;
    enum il_code code = store->ops->list(store->self, &filter, read_row, p, err);
    if (!code && p->failed) code = il__fail(err, IL_OUT_OF_MEMORY, "no memory for a list of runs");
    for (size_t i = 0; i < p->count && !code; i++) code = fn(ctx, p->rows[i].id, p->rows[i].records, err);
    return code;
}

enum il_code il__each_run(const struct il__store *store, struct il__mem *mem, struct il_str only, il__each_run_fn fn,
                          void *ctx, struct il_error *err)
{
    struct page p = { .only = only, .more = true };
    struct il__buf after;
    enum il_code code = IL_OK;
    il__buf_init(&after, mem, 0);
    /* The listing that finds one run begins just before it. */
    if (only.len) p.after = (struct il_str){ only.ptr, only.len - 1 };
    while (!code && p.more) {
        il__arena_init(&p.arena, mem);
        code = read_page(store, &p, fn, ctx, err);
        if (!code && p.more) {
            il__buf_reset(&after);
            il__buf_str(&after, p.rows[p.count - 1].id);
            code = il__buf_check(&after, err);
            p.after = il__buf_get(&after);
        }
        il__arena_clear(&p.arena);
    }
    il__buf_clear(&after);
    return code;
}
