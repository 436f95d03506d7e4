/* The public functions of stores (interlock.h), five lines each over the port. Uses the stores of src/store. Must never
 * let a callback come back in. */
#include "host/store.h"

#include "base/clock.h"
#include "base/error.h"
#include "store/memory.h"
#include "store/sqlite.h"
#include "wire/json.h"

enum il_code il__store_enter(il_store *store, const char *function, struct il_error *err)
{
    il__error_clear(err);
    if (store->inside)
        return il__fail_at(err, IL_CONFLICT, "store", function, "%s is not called from a callback of its store",
                           function);
    store->inside = true;
    return IL_OK;
}

enum il_code il__store_leave(il_store *store, enum il_code code)
{
    store->inside = false;
    return code;
}

/* ---- open and close ---- */

static enum il_code open_port(il_store *store, const struct il_store_options *o, struct il_error *err)
{
    il_random_fn random = o->random ? o->random : il__random_system;
    if (!il__str_present(o->path)) {
        const struct il__memory_store_options memory = { &store->mem, store->digest, random, o->random_ctx };
        return il__memory_store_new(&memory, &store->port, err);
    }
    const struct il__sqlite_options file = { &store->mem, store->digest, random,       o->random_ctx,
                                             o->path,     o->create,     o->read_only, o->busy_ms };
    return il__sqlite_open(&file, &store->port, err);
}

enum il_code il_store_open(const struct il_store_options *options, il_store **out, struct il_error *err)
{
    il__error_clear(err);
    if (options->size != sizeof *options)
        return il__fail_at(err, IL_INVALID_REQUEST, "store options", "size", "use IL_STORE_OPTIONS_INIT");
    struct il__mem mem;
    il__mem_init(&mem, options->alloc, options->alloc_ctx, 0);
    il_store *store = il__mem_zalloc(&mem, 1, sizeof *store);
    if (!store) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for the store");
    store->mem = mem;
    store->digest = il__digest_new(&store->mem);
    enum il_code code = IL_OK;
    if (!store->digest) code = il__fail(err, IL_OUT_OF_MEMORY, "no memory for the store");
    if (!code) code = open_port(store, options, err);
    if (code) {
        il_store_close(store);
        return code;
    }
    *out = store;
    return IL_OK;
}

void il_store_close(il_store *store)
{
    if (!store || store->inside) return;
    if (store->port.ops) store->port.ops->free(store->port.self);
    il__digest_free(store->digest);
    struct il__mem mem = store->mem;
    il__mem_free(&mem, store, sizeof *store);
}

struct il__store il__store_port(il_store *store)
{
    return store->port;
}

struct il_str il_store_id(const il_store *store)
{
    return store->port.ops->id(store->port.self);
}

/* ---- lists ---- */

struct rows {
    il_store_row_fn fn;
    void *ctx;
};

static bool give_row(void *ctx, const struct il__store_row *r)
{
    const struct rows *rows = ctx;
    const struct il_store_row row = { sizeof row,    r->run_id,    r->status, r->request_id,
                                      r->tool,       r->mode,      r->session_id, r->principal,
                                      r->tenant,     (enum il_row_state)r->state, r->created_ms, r->expires_ms,
                                      r->records,    r->letters, r->owned };
    return rows->fn(rows->ctx, &row);
}

_Static_assert((int)IL_ROW_MOVING == (int)IL__ROW_MOVING && (int)IL_ROW_WAITING == (int)IL__ROW_WAITING &&
                   (int)IL_ROW_ENDED == (int)IL__ROW_ENDED,
               "the port's states are the public ones");

enum il_code il_store_list(il_store *store, const struct il_store_filter *filter, il_store_row_fn fn, void *ctx,
                           struct il_error *err)
{
    enum il_code code = il__store_enter(store, "il_store_list", err);
    if (code) return code;
    struct il__store_filter inside = { .after = IL_STR_NONE };
    struct rows rows = { fn, ctx };
    if (filter && filter->size != sizeof *filter) {
        code = il__fail_at(err, IL_INVALID_REQUEST, "store filter", "size", "use IL_STORE_FILTER_INIT");
        return il__store_leave(store, code);
    }
    if (filter)
        inside = (struct il__store_filter){ filter->by_state, (enum il__row_state)filter->state,
                                            filter->expires_before_ms, filter->after, filter->most };
    return il__store_leave(store, store->port.ops->list(store->port.self, &inside, give_row, &rows, err));
}

struct records {
    il_record_fn fn;
    void *ctx;
};

static bool give_record(void *ctx, const struct il__store_record *r)
{
    const struct records *records = ctx;
    struct il_record record = { sizeof record, r->seq, r->text, r->payload, "" };
    il__hex(r->hash, sizeof r->hash, record.hash_hex);
    return records->fn(records->ctx, &record);
}

enum il_code il_store_records(il_store *store, struct il_str run_id, il_record_fn fn, void *ctx, struct il_error *err)
{
    enum il_code code = il__store_enter(store, "il_store_records", err);
    if (code) return code;
    struct records records = { fn, ctx };
    return il__store_leave(store, store->port.ops->load(store->port.self, run_id, give_record, &records, err));
}

struct limits {
    il_limit_fn fn;
    void *ctx;
};

static bool give_limit(void *ctx, const struct il__unit_row *r)
{
    const struct limits *limits = ctx;
    const struct il_limit_row row = { sizeof row, r->key, r->hour, r->day, r->kept, r->latest_ms };
    return limits->fn(limits->ctx, &row);
}

static int64_t system_ms(void)
{
    struct il__clock clock;
    il__clock_init(&clock, NULL, NULL, NULL);
    return il__instant_diff_ms(il__clock_now(&clock).wall, (struct il__instant){ 0, 0 });
}

enum il_code il_store_limits(il_store *store, int64_t now_ms, il_limit_fn fn, void *ctx, struct il_error *err)
{
    enum il_code code = il__store_enter(store, "il_store_limits", err);
    if (code) return code;
    struct limits limits = { fn, ctx };
    if (!now_ms) now_ms = system_ms();
    return il__store_leave(store, store->port.ops->units(store->port.self, now_ms, give_limit, &limits, err));
}

/* ---- letters and stops ---- */

enum il_code il_store_submit(il_store *store, struct il_str run_id, struct il_str kind, struct il_str json,
                             struct il_error *err)
{
    enum il_code code = il__store_enter(store, "il_store_submit", err);
    if (code) return code;
    struct il__json doc = { 0 };
    int64_t at_ms = system_ms();
    code = il__json_parse(&doc, &store->mem, json, IL__JSON_CONTRACT, err);
    il__json_clear(&doc);
    if (!code) code = store->port.ops->submit(store->port.self, run_id, kind, json, at_ms, err);
    return il__store_leave(store, code);
}

bool il_store_changed(il_store *store)
{
    return store->port.ops->changed(store->port.self);
}

static enum il_code latch(il_store *store, const char *function, struct il_str session_id, bool on,
                          struct il_error *err)
{
    enum il_code code = il__store_enter(store, function, err);
    if (code) return code;
    return il__store_leave(store, store->port.ops->latch(store->port.self, session_id, on, err));
}

enum il_code il_store_stop(il_store *store, struct il_str session_id, struct il_error *err)
{
    return latch(store, "il_store_stop", session_id, true, err);
}

enum il_code il_store_lift(il_store *store, struct il_str session_id, struct il_error *err)
{
    return latch(store, "il_store_lift", session_id, false, err);
}
