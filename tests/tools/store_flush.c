/* Drives a store file for tests/store/flush_test.sh: `store_flush FILE STEP...`. The steps are done in order, and each
 * prints its name to stderr before it starts, so that a trace shows which calls belong to it. Its last record tells
 * whether power loss would find it. */
#include "base/error.h"
#include "store/sqlite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct driven {
    struct il__store store;
    struct il__digest *digest;
    uint64_t seq[2];
};

static enum il_code note(struct driven *d, const char *id, int n)
{
    const struct il__store_row row = { .run_id = il__str(id), .status = IL_STR("moving"), .created_ms = 1 };
    struct il__store_record record = { il__str(id), d->seq[n], 1, IL_STR("{}"), IL_STR("payload"), { 0 } };
    enum il_code code = d->seq[n] ? IL_OK : d->store.ops->create(d->store.self, &row, NULL);
    il__sha256(d->digest, record.text, record.hash);
    d->seq[n]++;
    return code ? code : d->store.ops->append(d->store.self, &record, NULL);
}

static enum il_code step(struct driven *d, const char *name, struct il_error *err)
{
    const struct il__store_ops *ops = d->store.ops;
    if (strcmp(name, "note") == 0) return note(d, "r1", 0);
    if (strcmp(name, "other") == 0) return note(d, "r2", 1);
    if (strcmp(name, "write") == 0) return ops->write(d->store.self, err);
    if (strcmp(name, "flush") == 0) return ops->flush(d->store.self, err);
    if (strcmp(name, "letter") == 0)
        return ops->submit(d->store.self, IL_STR("r1"), IL_STR("answer"), IL_STR("{}"), 1, err);
    if (strcmp(name, "stop") == 0) return ops->latch(d->store.self, IL_STR("s"), true, err);
    return IL_INVALID_REQUEST;
}

int main(int argc, char **argv)
{
    struct il__mem mem;
    struct driven d = { .seq = { 0, 0 } };
    struct il_error err = IL_ERROR_INIT;
    il__mem_init(&mem, NULL, NULL, 0);
    d.digest = il__digest_new(&mem);
    if (argc < 2 || !d.digest) return 2;
    const struct il__sqlite_options options = { &mem, d.digest, il__random_system, NULL, il__str(argv[1]),
                                                true, false,    0 };
    enum il_code code = il__sqlite_open(&options, &d.store, &err);
    for (int i = 2; !code && i < argc; i++) {
        if (write(STDERR_FILENO, argv[i], strlen(argv[i])) < 0) return 2;
        code = step(&d, argv[i], &err);
    }
    if (code) {
        fprintf(stderr, "%s: %s\n", il_code_name(code), err.message);
        return 1;
    }
    if (write(STDERR_FILENO, "close", 5) < 0) return 2;
    d.store.ops->free(d.store.self);
    il__digest_free(d.digest);
    return 0;
}
