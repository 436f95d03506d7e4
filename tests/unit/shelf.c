/* Stores for tests (shelf.h). */
#include "shelf.h"

#include "store/memory.h"
#include "store/sqlite.h"
#include "tap.h"
#include "wire/json.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void die(const char *what, const struct il_error *err)
{
    printf("Bail out! %s: %s\n", what, err->message);
    exit(1);
}

static void init(struct shelf *bed)
{
    *bed = (struct shelf){ .err = IL_ERROR_INIT };
    il__mem_init(&bed->mem, NULL, NULL, 0);
    bed->digest = il__digest_new(&bed->mem);
    if (!bed->digest) die("no digest", &bed->err);
}

enum il_code shelf_try(struct shelf *bed, const char *path, bool create, bool read_only)
{
    init(bed);
    const struct il__sqlite_options options = { &bed->mem, bed->digest, il__random_system, NULL, il__str(path),
                                                create,    read_only,   0 };
    snprintf(bed->path, sizeof bed->path, "%s", path);
    enum il_code code = il__sqlite_open(&options, &bed->store, &bed->err);
    bed->file = !code;
    if (code) il__digest_free(bed->digest);
    return code;
}

static void new_folder(char folder[64])
{
    snprintf(folder, 64, "/tmp/il-store-XXXXXX");
    if (!mkdtemp(folder)) {
        perror("mkdtemp");
        exit(1);
    }
}

void shelf_open(struct shelf *bed, bool file)
{
    char folder[64], path[96];
    if (file) {
        new_folder(folder);
        snprintf(path, sizeof path, "%s/store.db", folder);
        if (shelf_try(bed, path, true, false)) die("no store", &bed->err);
        snprintf(bed->folder, sizeof bed->folder, "%s", folder);
        return;
    }
    init(bed);
    const struct il__memory_store_options options = { &bed->mem, bed->digest, il__random_system, NULL };
    if (il__memory_store_new(&options, &bed->store, &bed->err)) die("no store", &bed->err);
}

void shelf_open_again(struct shelf *bed, const struct shelf *first)
{
    char path[96];
    memcpy(path, first->path, sizeof path);
    if (shelf_try(bed, path, false, false)) die("no second handle", &bed->err);
}

void shelf_reopen(struct shelf *bed)
{
    char folder[64], path[96];
    memcpy(folder, bed->folder, sizeof folder);
    memcpy(path, bed->path, sizeof path);
    bed->store.ops->free(bed->store.self);
    il__digest_free(bed->digest);
    if (shelf_try(bed, path, false, false)) die("no store any more", &bed->err);
    memcpy(bed->folder, folder, sizeof folder);
}

void shelf_remove(const char *folder)
{
    char path[512];
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_type == DT_DIR) shelf_remove(path); /* recurses: two levels of the test's own */
        (void)remove(path);
    }
    if (dir) closedir(dir);
    (void)rmdir(folder);
}

void shelf_close(struct shelf *bed)
{
    bed->store.ops->free(bed->store.self);
    il__digest_free(bed->digest);
    if (bed->folder[0]) shelf_remove(bed->folder);
    if (bed->mem.in_use_bytes) tap_ok(false, "%zu bytes were not given back", bed->mem.in_use_bytes);
}

/* ---- calls ---- */

#define CALL(bed, op, ...) ((bed)->err.code = IL_OK, (bed)->store.ops->op((bed)->store.self, __VA_ARGS__, fresh(bed)))

static struct il_error *fresh(struct shelf *bed)
{
    bed->err = (struct il_error)IL_ERROR_INIT;
    return &bed->err;
}

struct il__store_row shelf_row(const char *run_id)
{
    return (struct il__store_row){ .run_id = il__str(run_id),
                                   .state = IL__ROW_MOVING,
                                   .status = IL_STR("moving"),
                                   .created_ms = 1764547200123,
                                   .tool = IL_STR("write_clipboard"),
                                   .mode = IL_STR("background"),
                                   .session_id = IL_STR("session-1"),
                                   .principal = IL_STR("user-1") };
}

enum il_code shelf_create(struct shelf *bed, const char *run_id)
{
    const struct il__store_row row = shelf_row(run_id);
    return CALL(bed, create, &row);
}

enum il_code shelf_append_text(struct shelf *bed, const char *run_id, uint64_t seq, uint64_t fence,
                             struct il_str text, struct il_str payload)
{
    struct il__store_record record = { il__str(run_id), seq, fence, text, payload, { 0 } };
    il__sha256(bed->digest, text, record.hash);
    il__hex(record.hash, sizeof record.hash, bed->last_hash);
    return CALL(bed, append, &record);
}

enum il_code shelf_append(struct shelf *bed, const char *run_id, uint64_t seq, uint64_t fence)
{
    char text[96];
    snprintf(text, sizeof text, "%s:%llu", run_id, (unsigned long long)seq);
    return shelf_append_text(bed, run_id, seq, fence, il__str(text), IL_STR_NONE);
}

void shelf_run(struct shelf *bed, const char *run_id)
{
    if (shelf_create(bed, run_id) || shelf_append(bed, run_id, 0, 1) || shelf_write(bed)) die("no run", &bed->err);
}

enum il_code shelf_index(struct shelf *bed, const char *run_id, enum il__row_state state, const char *status,
                       const char *request, int64_t expires_ms)
{
    struct il__store_row row = { .run_id = il__str(run_id) };
    row.state = state;
    row.status = il__str(status);
    row.request_id = il__str(request);
    row.expires_ms = expires_ms;
    return CALL(bed, index, &row);
}

enum il_code shelf_write(struct shelf *bed)
{
    return bed->store.ops->write(bed->store.self, fresh(bed));
}

enum il_code shelf_flush(struct shelf *bed)
{
    return bed->store.ops->flush(bed->store.self, fresh(bed));
}

enum il_code shelf_claim(struct shelf *bed, const char *run_id, uint64_t *fence)
{
    return CALL(bed, claim, il__str(run_id), fence);
}

enum il_code shelf_owns(struct shelf *bed, const char *run_id, uint64_t fence)
{
    return CALL(bed, owns, il__str(run_id), fence);
}

enum il_code shelf_consume(struct shelf *bed, const char *run_id, uint64_t letter)
{
    return CALL(bed, consume, il__str(run_id), letter);
}

enum il_code shelf_submit(struct shelf *bed, const char *run_id, const char *kind, const char *body)
{
    return CALL(bed, submit, il__str(run_id), il__str(kind), il__str(body), 1764547200456);
}

enum il_code shelf_latch(struct shelf *bed, const char *session, bool on)
{
    return CALL(bed, latch, il__str(session), on);
}

const char *shelf_latched(struct shelf *bed, const char *session)
{
    bool on = false, all = false;
    if (CALL(bed, latched, il__str(session), &on, &all)) return "error";
    return all ? on ? "all" : "all but not on" : on ? "session" : "";
}

/* ---- listeners ---- */

static void hear(struct shelf *bed, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void hear(struct shelf *bed, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(bed->heard + bed->heard_len, SHELF_HEARD - bed->heard_len, fmt, args);
    va_end(args);
    if (n > 0 && bed->heard_len + (size_t)n < SHELF_HEARD) bed->heard_len += (size_t)n;
}

static bool more(struct shelf *bed)
{
    hear(bed, "\n");
    bed->items++;
    return bed->items != bed->most;
}

static void hear_nothing(struct shelf *bed)
{
    bed->heard[0] = '\0';
    bed->heard_len = bed->items = 0;
}

static bool on_record(void *ctx, const struct il__store_record *r)
{
    struct shelf *bed = ctx;
    hear(bed, "%llu/%llu %.*s", (unsigned long long)r->seq, (unsigned long long)r->fence, IL_STR_FMT(r->text));
    if (r->payload.ptr) hear(bed, "=%.*s", IL_STR_FMT(r->payload));
    return more(bed);
}

const char *shelf_load(struct shelf *bed, const char *run_id)
{
    hear_nothing(bed);
    return CALL(bed, load, il__str(run_id), on_record, bed) ? "error" : bed->heard;
}

static bool on_row(void *ctx, const struct il__store_row *r)
{
    struct shelf *bed = ctx;
    hear(bed, "%.*s %d %.*s", IL_STR_FMT(r->run_id), (int)r->state, IL_STR_FMT(r->status));
    return more(bed);
}

const char *shelf_list(struct shelf *bed, const struct il__store_filter *filter)
{
    const struct il__store_filter every = { .most = 0 };
    hear_nothing(bed);
    return CALL(bed, list, filter ? filter : &every, on_row, bed) ? "error" : bed->heard;
}

static bool on_letter(void *ctx, const struct il__store_letter *l)
{
    struct shelf *bed = ctx;
    hear(bed, "%llu %.*s %.*s", (unsigned long long)l->id, IL_STR_FMT(l->kind), IL_STR_FMT(l->body));
    return more(bed);
}

const char *shelf_letters(struct shelf *bed, const char *run_id)
{
    hear_nothing(bed);
    return CALL(bed, letters, il__str(run_id), on_letter, bed) ? "error" : bed->heard;
}

static bool on_link(void *ctx, const struct il__store_link *l)
{
    struct shelf *bed = ctx;
    hear(bed, "%.*s", IL_STR_FMT(l->text));
    return more(bed);
}

const char *shelf_links(struct shelf *bed, uint64_t from)
{
    hear_nothing(bed);
    return CALL(bed, links, from, on_link, bed) ? "error" : bed->heard;
}

struct chain {
    struct shelf *bed;
    uint64_t next;
    char prev[65];
    bool holds;
};

static bool on_chain(void *ctx, const struct il__store_link *l)
{
    struct chain *chain = ctx;
    uint8_t hash[IL__SHA256_BYTES];
    char want[96];
    il__sha256(chain->bed->digest, l->text, hash);
    snprintf(want, sizeof want, "\"prev\":\"%s\"", chain->prev);
    if (l->seq != chain->next || memcmp(hash, l->hash, sizeof hash) != 0 ||
        !memmem(l->text.ptr, l->text.len, want, strlen(want))) {
        tap_note("link %llu: %.*s", (unsigned long long)l->seq, IL_STR_FMT(l->text));
        chain->holds = false;
    }
    il__hex(hash, sizeof hash, chain->prev);
    chain->next++;
    return chain->holds;
}

bool shelf_chain_holds(struct shelf *bed)
{
    struct chain chain = { bed, 0, "", true };
    return !CALL(bed, links, 0, on_chain, &chain) && chain.holds;
}

struct counter {
    struct shelf *bed;
    const char *run_id;
    int count;
    bool good;
};

static bool on_counted(void *ctx, const struct il__store_record *r)
{
    struct counter *c = ctx;
    uint8_t hash[IL__SHA256_BYTES];
    char head[96];
    int len = snprintf(head, sizeof head, "%s:%d", c->run_id, c->count);
    il__sha256(c->bed->digest, r->text, hash);
    if (r->seq != (uint64_t)c->count || memcmp(hash, r->hash, sizeof hash) != 0 || r->text.len < (size_t)len ||
        memcmp(r->text.ptr, head, (size_t)len) != 0)
        c->good = false;
    c->count++;
    return c->good;
}

int shelf_records(struct shelf *bed, const char *run_id)
{
    struct counter c = { bed, run_id, 0, true };
    if (CALL(bed, load, il__str(run_id), on_counted, &c)) return -1;
    return c.good ? c.count : -1;
}
