/* The public functions of a store (interlock.h), over one in memory and one in a file. */
#include "base/str.h"
#include "host/store.h"
#include "shelf.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

struct heard {
    il_store *store;
    int count;
    enum il_code inside; /* what a call from the callback answers */
    char last[128];
};

static bool on_row(void *ctx, const struct il_store_row *row)
{
    struct heard *h = ctx;
    struct il_error err = IL_ERROR_INIT;
    h->count++;
    h->inside = il_store_stop(h->store, IL_STR("s"), &err);
    snprintf(h->last, sizeof h->last, "%.*s %d %.*s %llu %d", IL_STR_FMT(row->run_id), (int)row->state,
             IL_STR_FMT(row->tool), (unsigned long long)row->records, row->owned);
    return true;
}

static bool on_record(void *ctx, const struct il_record *record)
{
    struct heard *h = ctx;
    h->count++;
    snprintf(h->last, sizeof h->last, "%llu %.*s %.4s", (unsigned long long)record->seq, IL_STR_FMT(record->text),
             record->hash_hex);
    return true;
}

/* A run, by the port: runs are made by hosts alone. */
static void make_run(il_store *store)
{
    const struct il__store port = il__store_port(store);
    const struct il__store_row row = { .run_id = IL_STR("r1"), .status = IL_STR("moving"), .tool = IL_STR("click") };
    const struct il__store_record record = { IL_STR("r1"), 0, 1, IL_STR("{}"), IL_STR_NONE, { 0xab, 0xcd } };
    if (port.ops->create(port.self, &row, NULL) || port.ops->append(port.self, &record, NULL) ||
        port.ops->write(port.self, NULL))
        tap_ok(false, "a run is made");
}

static void test_store(const struct il_store_options *options, const char *kind)
{
    il_store *store = NULL;
    struct il_error err = IL_ERROR_INIT;
    if (!tap_int(il_store_open(options, &store, &err), IL_OK, "%s: opens: %s", kind, err.message)) return;
    tap_ok(il__str_is_hex(il_store_id(store), 32), "%s: has an id", kind);
    make_run(store);
    struct heard h = { .store = store };
    tap_int(il_store_list(store, NULL, on_row, &h, &err), IL_OK, "%s: all runs without a filter", kind);
    tap_str(il__str(h.last), "r1 0 click 1 1", "%s: a row", kind);
    tap_int(h.inside, IL_CONFLICT, "%s: no call from a callback", kind);
    struct il_store_filter filter = IL_STORE_FILTER_INIT;
    filter.by_state = true;
    filter.state = IL_ROW_WAITING;
    h.count = 0;
    tap_int(il_store_list(store, &filter, on_row, &h, &err), IL_OK, "%s: those that wait", kind);
    tap_int(h.count, 0, "%s: none", kind);
    filter.size--;
    tap_int(il_store_list(store, &filter, on_row, &h, &err), IL_INVALID_REQUEST, "%s: a filter has its size", kind);
    tap_int(il_store_records(store, IL_STR("r1"), on_record, &h, &err), IL_OK, "%s: its records", kind);
    tap_str(il__str(h.last), "0 {} abcd", "%s: one", kind);
    tap_int(il_store_records(store, IL_STR("r2"), on_record, &h, &err), IL_CONFLICT, "%s: of no other run", kind);
    tap_int(il_store_submit(store, IL_STR("r1"), IL_STR("answer"), IL_STR("{\"a\""), &err), IL_DECODE,
            "%s: a letter is JSON", kind);
    (void)il_store_changed(store);
    tap_int(il_store_submit(store, IL_STR("r1"), IL_STR("answer"), IL_STR("{}"), &err), IL_OK, "%s: this one is", kind);
    tap_ok(il_store_changed(store) && !il_store_changed(store), "%s: which is news once", kind);
    tap_int(il_store_stop(store, IL_STR_NONE, &err), IL_OK, "%s: everything is stopped", kind);
    const struct il__store port = il__store_port(store);
    bool on = false, all = false;
    port.ops->latched(port.self, IL_STR("any"), &on, &all, NULL);
    tap_ok(on && all, "%s: it is", kind);
    tap_int(il_store_lift(store, IL_STR_NONE, &err), IL_OK, "%s: and lifted", kind);
    port.ops->latched(port.self, IL_STR("any"), &on, &all, NULL);
    tap_ok(!on && !all, "%s: it is not any more", kind);
    il_store_close(store);
}

int main(void)
{
    char folder[] = "/tmp/il-api-XXXXXX", path[64];
    struct il_store_options options = IL_STORE_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    il_store *store = NULL;
    test_store(&options, "memory");
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/store.db", folder);
    options.path = il__str(path);
    tap_int(il_store_open(&options, &store, &err), IL_STORE, "a file is not made unasked: %s", err.message);
    options.create = true;
    test_store(&options, "file");
    options.create = false;
    options.read_only = true;
    tap_int(il_store_open(&options, &store, &err), IL_OK, "it opens for reading");
    tap_int(il_store_stop(store, IL_STR("s"), &err), IL_STORE, "and for nothing else");
    il_store_close(store);
    options.size--;
    tap_int(il_store_open(&options, &store, &err), IL_INVALID_REQUEST, "options have their size");
    il_store_close(NULL);
    shelf_remove(folder);
    return tap_done();
}
