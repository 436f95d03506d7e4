/* The contract of the store port (run/store.h), sentence by sentence, for the store in memory and the one in a file. */
#include "base/buf.h"
#include "base/limits.h"
#include "shelf.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

static const char *kind; /* of the store that is tried */

static void test_notes(struct shelf *b)
{
    tap_int(shelf_create(b, "r1"), IL_OK, "%s: a run is noted", kind);
    tap_int(shelf_write(b), IL_OK, "%s: a run without a record can wait", kind);
    tap_str(il__str(shelf_list(b, NULL)), "", "%s: and is written with its first record, not before", kind);
    tap_int(shelf_append(b, "r1", 0, 1), IL_OK, "%s: a record is noted", kind);
    tap_str(il__str(shelf_load(b, "r1")), "error", "%s: what is only noted is not there", kind);
    tap_int(b->err.code, IL_CONFLICT, "%s: loading what is not there is a conflict", kind);
    tap_str(il__str(shelf_list(b, NULL)), "", "%s: nor is it listed", kind);
    tap_int(shelf_owns(b, "r1", 1), IL_OK, "%s: the one who notes a run owns it", kind);
    tap_int(shelf_write(b), IL_OK, "%s: what was noted is written", kind);
    tap_str(il__str(shelf_load(b, "r1")), "0/1 r1:0\n", "%s: the record is there", kind);
    tap_str(il__str(shelf_list(b, NULL)), "r1 0 moving\n", "%s: the run is listed", kind);
    tap_int(shelf_create(b, "r1"), IL_CONFLICT, "%s: a known id is refused", kind);
    tap_int(shelf_create(b, "r2"), IL_OK, "%s: another is noted", kind);
    tap_int(shelf_create(b, "r2"), IL_CONFLICT, "%s: and refused while it is only noted, too", kind);
    tap_int(shelf_create(b, ""), IL_INVALID_REQUEST, "%s: a run has an id", kind);
    shelf_append(b, "r2", 0, 1);
    shelf_append(b, "r1", 1, 1);
    shelf_append(b, "r1", 2, 1);
    tap_int(shelf_write(b), IL_OK, "%s: records of two runs in one write", kind);
    tap_str(il__str(shelf_load(b, "r1")), "0/1 r1:0\n1/1 r1:1\n2/1 r1:2\n", "%s: in order", kind);
    tap_int(shelf_write(b), IL_OK, "%s: a write of nothing is fine", kind);
    tap_int(shelf_flush(b), IL_OK, "%s: and so is a flush", kind);
    shelf_append(b, "r2", 1, 1);
    tap_int(shelf_flush(b), IL_OK, "%s: a flush writes", kind);
    tap_str(il__str(shelf_load(b, "r2")), "0/1 r2:0\n1/1 r2:1\n", "%s: what was noted", kind);
    b->most = 1;
    tap_str(il__str(shelf_load(b, "r2")), "0/1 r2:0\n", "%s: a callback ends the reading", kind);
    tap_int(b->err.code, IL_OK, "%s: which is no error", kind);
    b->most = 0;
    tap_int(shelf_records(b, "r2"), 2, "%s: and the next reading begins afresh", kind);
}

static bool same_payload(void *ctx, const struct il__store_record *r)
{
    char *out = ctx;
    snprintf(out, 64, "%s%zu", r->payload.ptr ? "present " : "absent ", r->payload.len);
    return true;
}

static const char *payload_of(struct shelf *b, const char *run_id)
{
    static char out[64];
    out[0] = '\0';
    b->store.ops->load(b->store.self, il__str(run_id), same_payload, out, NULL);
    return out;
}

static bool keep_text(void *ctx, const struct il__store_record *r)
{
    struct il__buf *buf = ctx;
    il__buf_str(buf, r->text);
    il__buf_str(buf, r->payload);
    return true;
}

static void test_bytes(struct shelf *b)
{
    char every[256];
    for (int i = 0; i < 256; i++) every[i] = (char)i;
    const struct il_str odd = { every, sizeof every };
    shelf_create(b, "a");
    shelf_append_text(b, "a", 0, 1, odd, odd);
    shelf_create(b, "b");
    shelf_append_text(b, "b", 0, 1, IL_STR("{}"), IL_STR(""));
    shelf_create(b, "c");
    shelf_append_text(b, "c", 0, 1, IL_STR("{}"), IL_STR_NONE);
    tap_int(shelf_write(b), IL_OK, "%s: any byte may be written", kind);
    struct il__buf buf;
    il__buf_init(&buf, &b->mem, 0);
    b->store.ops->load(b->store.self, IL_STR("a"), keep_text, &buf, NULL);
    tap_ok(buf.len == 512 && memcmp(buf.ptr, every, 256) == 0 && memcmp(buf.ptr + 256, every, 256) == 0,
           "%s: and comes back as it was, NUL and all", kind);
    il__buf_clear(&buf);
    tap_str(il__str(payload_of(b, "b")), "present 0", "%s: an empty payload is there", kind);
    tap_str(il__str(payload_of(b, "c")), "absent 0", "%s: an absent one is not", kind);
    char id[] = "x\0y";
    struct il__store_row row = shelf_row("x");
    row.run_id = (struct il_str){ id, 3 };
    tap_int(b->store.ops->create(b->store.self, &row, NULL), IL_OK, "%s: ids are counted, not ended by NUL", kind);
    struct il__store_record record = { row.run_id, 0, 1, IL_STR("{}"), IL_STR_NONE, { 0 } };
    b->store.ops->append(b->store.self, &record, NULL);
    tap_int(shelf_write(b), IL_OK, "%s: such a run is written", kind);
    tap_int(shelf_records(b, "x"), -1, "%s: and is not the one with the shorter id", kind);
}

static void test_guards(struct shelf *b)
{
    shelf_run(b, "r1");
    shelf_run(b, "r2");
    shelf_append(b, "r1", 2, 1);
    shelf_append(b, "r2", 1, 1);
    tap_int(shelf_write(b), IL_CONFLICT, "%s: a record that does not follow is refused", kind);
    tap_ok(strstr(b->err.message, "r1") != NULL, "%s: the error names the run: %s", kind, b->err.message);
    tap_int(shelf_records(b, "r1"), 1, "%s: nothing of that run is written", kind);
    tap_int(shelf_records(b, "r2"), 2, "%s: the others are", kind);
    shelf_append(b, "r1", 1, 1);
    shelf_append(b, "r1", 1, 1);
    tap_int(shelf_write(b), IL_CONFLICT, "%s: a place is taken once", kind);
    tap_int(shelf_records(b, "r1"), 1, "%s: the run's notes go together", kind);
    shelf_append(b, "r1", 1, 2);
    tap_int(shelf_flush(b), IL_CONFLICT, "%s: another fence is refused", kind);
    shelf_append(b, "nobody", 0, 1);
    tap_int(shelf_write(b), IL_CONFLICT, "%s: a record of no run is refused", kind);
    shelf_index(b, "nobody", IL__ROW_ENDED, "completed", NULL, 0);
    tap_int(shelf_write(b), IL_CONFLICT, "%s: and so is its index", kind);
    tap_int(shelf_owns(b, "r1", 1), IL_OK, "%s: the owner owns", kind);
    tap_int(shelf_owns(b, "r1", 2), IL_CONFLICT, "%s: with its fence alone", kind);
    tap_int(shelf_owns(b, "nobody", 1), IL_CONFLICT, "%s: nobody owns what is not there", kind);
    uint64_t fence = 0;
    tap_int(shelf_claim(b, "r1", &fence), IL_OK, "%s: claiming one's own", kind);
    tap_int((long long)fence, 1, "%s: keeps the fence", kind);
    tap_int(shelf_claim(b, "nobody", &fence), IL_CONFLICT, "%s: no such run to claim", kind);
    shelf_create(b, "r3");
    tap_int(shelf_claim(b, "r3", &fence), IL_OK, "%s: a run that is only noted is one's own", kind);
    shelf_append(b, "r1", 1, 1);
    tap_int(shelf_write(b), IL_OK, "%s: after a refusal the next goes through", kind);
}

static void test_index(struct shelf *b)
{
    shelf_run(b, "c");
    shelf_run(b, "a");
    shelf_run(b, "b");
    shelf_run(b, "aa");
    shelf_index(b, "b", IL__ROW_MOVING, "moving", NULL, 0);
    shelf_index(b, "b", IL__ROW_WAITING, "waiting", "request-1", 5000);
    shelf_index(b, "aa", IL__ROW_ENDED, "completed", NULL, 0);
    tap_str(il__str(shelf_list(b, NULL)), "a 0 moving\naa 0 moving\nb 0 moving\nc 0 moving\n",
            "%s: rows come in order of run id; a noted index is not shown", kind);
    tap_int(shelf_write(b), IL_OK, "%s: the index is written", kind);
    tap_str(il__str(shelf_list(b, NULL)), "a 0 moving\naa 2 completed\nb 1 waiting\nc 0 moving\n",
            "%s: the last one counts", kind);
    struct il__store_filter f = { .by_state = true, .state = IL__ROW_WAITING };
    tap_str(il__str(shelf_list(b, &f)), "b 1 waiting\n", "%s: by state", kind);
    f = (struct il__store_filter){ .expires_before_ms = 5001 };
    tap_str(il__str(shelf_list(b, &f)), "b 1 waiting\n", "%s: by time, only where there is one", kind);
    f.expires_before_ms = 5000;
    tap_str(il__str(shelf_list(b, &f)), "", "%s: before means before", kind);
    f = (struct il__store_filter){ .after = IL_STR("a"), .most = 2 };
    tap_str(il__str(shelf_list(b, &f)), "aa 2 completed\nb 1 waiting\n", "%s: page by page", kind);
    f = (struct il__store_filter){ .by_state = true, .state = IL__ROW_MOVING, .after = IL_STR("a") };
    tap_str(il__str(shelf_list(b, &f)), "c 0 moving\n", "%s: by state, behind a run", kind);
    b->most = 2;
    tap_str(il__str(shelf_list(b, NULL)), "a 0 moving\naa 2 completed\n", "%s: a callback ends the list", kind);
    b->most = 0;
}

static bool keep_row(void *ctx, const struct il__store_row *r)
{
    char *out = ctx;
    snprintf(out, 256, "%.*s|%.*s|%.*s|%.*s|%.*s|%s|%lld|%lld|%llu|%llu|%llu|%d|%s", IL_STR_FMT(r->tool),
             IL_STR_FMT(r->mode), IL_STR_FMT(r->session_id), IL_STR_FMT(r->principal), IL_STR_FMT(r->request_id),
             r->tenant.ptr ? r->tenant.len ? "tenant" : "empty" : "none", (long long)r->created_ms,
             (long long)r->expires_ms, (unsigned long long)r->fence, (unsigned long long)r->records,
             (unsigned long long)r->letters, r->owned, r->request_id.ptr ? "asked" : "not asked");
    return true;
}

static const char *only_row(struct shelf *b)
{
    static char out[256];
    const struct il__store_filter every = { .most = 1 };
    out[0] = '\0';
    b->store.ops->list(b->store.self, &every, keep_row, out, NULL);
    return out;
}

static void test_row(struct shelf *b)
{
    struct il__store_row row = shelf_row("r1");
    row.tenant = IL_STR("");
    b->store.ops->create(b->store.self, &row, NULL);
    shelf_append(b, "r1", 0, 1);
    shelf_append(b, "r1", 1, 1);
    shelf_write(b);
    tap_str(il__str(only_row(b)),
            "write_clipboard|background|session-1|user-1||empty|1764547200123|0|1|2|0|1|not asked",
            "%s: a row tells what was given", kind);
    shelf_index(b, "r1", IL__ROW_WAITING, "waiting", "q", 99);
    shelf_write(b);
    tap_str(il__str(only_row(b)), "write_clipboard|background|session-1|user-1|q|empty|1764547200123|99|1|2|0|1|asked",
            "%s: an index changes how the run stands, and nothing else", kind);
    shelf_submit(b, "r1", "answer", "{}");
    shelf_submit(b, "r1", "cancel", "{}");
    tap_str(il__str(only_row(b)), "write_clipboard|background|session-1|user-1|q|empty|1764547200123|99|1|2|2|1|asked",
            "%s: letters that nobody has taken are counted", kind);
}

static void test_letters(struct shelf *b)
{
    shelf_run(b, "r1");
    shelf_run(b, "r2");
    tap_int(shelf_submit(b, "r1", "answer", "{\"a\":1}"), IL_OK, "%s: a letter is left", kind);
    tap_int(shelf_submit(b, "r2", "cancel", "{}"), IL_OK, "%s: for another run", kind);
    tap_int(shelf_submit(b, "r1", "decision", "{}"), IL_OK, "%s: a second one", kind);
    tap_str(il__str(shelf_letters(b, "r1")), "1 answer {\"a\":1}\n3 decision {}\n", "%s: oldest first, of this run",
            kind);
    tap_int(shelf_submit(b, "nobody", "answer", "{}"), IL_CONFLICT, "%s: not to a run that is not there", kind);
    tap_int(shelf_submit(b, "r1", "order", "{}"), IL_INVALID_REQUEST, "%s: letters are of three kinds", kind);
    shelf_append(b, "r1", 1, 1);
    tap_int(shelf_consume(b, "r1", 1), IL_OK, "%s: a letter is taken", kind);
    tap_int((long long)(shelf_letters(b, "r1"), b->items), 2, "%s: it stays until that is written", kind);
    tap_int(shelf_write(b), IL_OK, "%s: with the record for it", kind);
    tap_str(il__str(shelf_letters(b, "r1")), "3 decision {}\n", "%s: then it is gone", kind);
    shelf_append(b, "r1", 2, 1);
    shelf_consume(b, "r1", 1);
    tap_int(shelf_write(b), IL_CONFLICT, "%s: no letter is taken twice", kind);
    tap_int(shelf_records(b, "r1"), 2, "%s: nor a record written for it", kind);
    shelf_append(b, "r1", 2, 1);
    shelf_consume(b, "r1", 2);
    tap_int(shelf_write(b), IL_CONFLICT, "%s: nor the letter of another run", kind);
    shelf_consume(b, "r1", 3);
    shelf_write(b);
    tap_int(shelf_submit(b, "r1", "answer", "{}"), IL_OK, "%s: and a new one", kind);
    tap_str(il__str(shelf_letters(b, "r1")), "4 answer {}\n", "%s: has an id that was never used", kind);
    shelf_index(b, "r2", IL__ROW_ENDED, "completed", NULL, 0);
    shelf_write(b);
    tap_int(shelf_submit(b, "r2", "answer", "{}"), IL_CONFLICT, "%s: nothing is left for a run that ended", kind);
    tap_str(il__str(shelf_letters(b, "nobody")), "error", "%s: no letters of no run", kind);
    tap_int(b->err.code, IL_CONFLICT, "%s: which is a conflict", kind);
}

static void test_limits(struct shelf *b)
{
    shelf_run(b, "r1");
    for (int i = 0; i < IL__LIMIT_STORE_LETTERS; i++) shelf_submit(b, "r1", "answer", "{}");
    tap_int(b->err.code, IL_OK, "%s: store_letters: as many as the limit wait", kind);
    tap_int(shelf_submit(b, "r1", "answer", "{}"), IL_LIMIT_EXCEEDED, "%s: store_letters: one more is refused", kind);
    shelf_consume(b, "r1", 1);
    shelf_write(b);
    tap_int(shelf_submit(b, "r1", "answer", "{}"), IL_OK, "%s: store_letters: until one is taken", kind);
    size_t size = IL__LIMIT_CONTRACT_BYTES + 1;
    char *long_text = malloc(size);
    memset(long_text, ' ', size);
    const struct il__store_ops *ops = b->store.ops;
    const struct il_str long_body = { long_text, size };
    tap_int(ops->submit(b->store.self, IL_STR("r1"), IL_STR("answer"), long_body, 1, NULL), IL_LIMIT_EXCEEDED,
            "%s: a letter has at most contract_bytes", kind);
    free(long_text);
    size = IL__LIMIT_STORE_PENDING_BYTES / 2;
    long_text = malloc(size);
    memset(long_text, ' ', size);
    const struct il_str half = { long_text, size };
    tap_int(shelf_append_text(b, "r1", 1, 1, IL_STR("r1:1"), half), IL_OK, "%s: store_pending_bytes: half of it", kind);
    tap_int(shelf_append_text(b, "r1", 2, 1, IL_STR("r1:2"), half), IL_LIMIT_EXCEEDED,
            "%s: store_pending_bytes: not a second half", kind);
    tap_ok(strstr(b->err.field, "store_pending_bytes") != NULL, "%s: the limit is named", kind);
    tap_int(shelf_write(b), IL_OK, "%s: what fitted is written", kind);
    tap_int(shelf_append_text(b, "r1", 2, 1, IL_STR("r1:2"), half), IL_OK, "%s: then there is room again", kind);
    tap_int(shelf_write(b), IL_OK, "%s: for that, too", kind);
    tap_int(shelf_records(b, "r1"), 3, "%s: all is there", kind);
    free(long_text);
}

static bool changed(struct shelf *b)
{
    return b->store.ops->changed(b->store.self);
}

static void test_changed(struct shelf *b)
{
    shelf_run(b, "r1");
    (void)changed(b);
    tap_ok(!changed(b), "%s: nothing changed", kind);
    shelf_append(b, "r1", 1, 1);
    shelf_write(b);
    tap_ok(!changed(b), "%s: what the owner writes is no news to it", kind);
    shelf_submit(b, "r1", "answer", "{}");
    tap_ok(changed(b), "%s: a letter is", kind);
    tap_ok(!changed(b), "%s: once", kind);
    shelf_latch(b, "s", true);
    tap_ok(changed(b), "%s: and so is a stop", kind);
}

static void test_latches(struct shelf *b)
{
    tap_str(il__str(shelf_latched(b, "s1")), "", "%s: nothing is stopped", kind);
    tap_int(shelf_latch(b, "s1", true), IL_OK, "%s: a session is stopped", kind);
    tap_int(shelf_latch(b, "s1", true), IL_OK, "%s: twice is once", kind);
    tap_str(il__str(shelf_latched(b, "s1")), "session", "%s: it is", kind);
    tap_str(il__str(shelf_latched(b, "s2")), "", "%s: another is not", kind);
    tap_str(il__str(shelf_latched(b, NULL)), "", "%s: nor is everything", kind);
    tap_int(shelf_latch(b, NULL, true), IL_OK, "%s: everything is stopped", kind);
    tap_int(shelf_latch(b, NULL, true), IL_OK, "%s: twice is once", kind);
    tap_str(il__str(shelf_latched(b, "s1")), "all", "%s: each session", kind);
    tap_str(il__str(shelf_latched(b, "s2")), "all", "%s: and every other", kind);
    tap_str(il__str(shelf_latched(b, NULL)), "all", "%s: all of them", kind);
    tap_int(shelf_latch(b, NULL, false), IL_OK, "%s: that is lifted", kind);
    tap_str(il__str(shelf_latched(b, "s1")), "session", "%s: the session stays stopped", kind);
    tap_str(il__str(shelf_latched(b, "s2")), "", "%s: the other goes on", kind);
    tap_int(shelf_latch(b, "", true), IL_OK, "%s: a session with an empty name", kind);
    tap_str(il__str(shelf_latched(b, NULL)), "", "%s: is not everything", kind);
    tap_int(shelf_latch(b, "s1", false), IL_OK, "%s: the session is lifted", kind);
    tap_str(il__str(shelf_latched(b, "s1")), "", "%s: it goes on", kind);
    tap_int(shelf_latch(b, "s1", false), IL_OK, "%s: lifting what is not stopped", kind);
}

static void test_links(struct shelf *b)
{
    char want[512], first[65];
    shelf_create(b, "r1");
    shelf_append(b, "r1", 0, 1);
    memcpy(first, b->last_hash, sizeof first);
    shelf_write(b);
    snprintf(want, sizeof want,
             "{\"at\":\"2025-12-01T00:00:00.123Z\",\"first\":\"%s\",\"kind\":\"run\",\"prev\":\"\",\"run\":\"r1\","
             "\"seq\":0}\n",
             first);
    tap_str(il__str(shelf_links(b, 0)), want, "%s: a new run is a link", kind);
    uint64_t seq = 9;
    const struct il__store_ops *ops = b->store.ops;
    tap_int(ops->link(b->store.self, IL_STR("head"), IL_STR("{\"x\":1}"), IL_STR("sig"), 1764547200456, &seq, NULL),
            IL_OK, "%s: another link", kind);
    tap_int((long long)seq, 1, "%s: has its place", kind);
    shelf_run(b, "r2");
    shelf_run(b, "r3");
    tap_ok(shelf_chain_holds(b), "%s: the chain holds", kind);
    static const char second[] = "{\"at\":\"2025-12-01T00:00:00.456Z\",\"body\":{\"x\":1},\"kind\":\"head\","
                                 "\"payload\":\"";
    tap_ok(strncmp(shelf_links(b, 1), second, sizeof second - 1) == 0, "%s: from a place on: %.90s", kind, b->heard);
    tap_int((long long)b->items, 3, "%s: all behind it", kind);
    shelf_links(b, 4);
    tap_int((long long)b->items, 0, "%s: none behind the last", kind);
    tap_int(ops->link(b->store.self, IL_STR("head"), IL_STR("{}"), IL_STR_NONE, 1, NULL, NULL), IL_OK,
            "%s: where it stands need not be told", kind);
    shelf_create(b, "r3");
    shelf_append(b, "r3", 1, 7);
    shelf_write(b);
    tap_ok(shelf_chain_holds(b), "%s: a refused run leaves no link", kind);
    tap_int((long long)(shelf_links(b, 0), b->items), 5, "%s: as many links as there were", kind);
    const struct il_str id = ops->id(b->store.self);
    tap_ok(il__str_is_hex(id, 32), "%s: the store has an id: %.*s", kind, IL_STR_FMT(id));
}

/* Each allocation fails once; what was told is written in the end, once and in order. */
static void test_memory(struct shelf *b)
{
    char id[16];
    bool told = true, good = true;
    for (int n = 1; n < 40; n++) {
        snprintf(id, sizeof id, "m%d", n);
        b->mem.fail_at = b->mem.calls + (uint64_t)n;
        int tries = 0;
        while (shelf_create(b, id) == IL_OUT_OF_MEMORY) tries++;
        while (shelf_append(b, id, 0, 1) == IL_OUT_OF_MEMORY) tries++;
        while (shelf_append(b, id, 1, 1) == IL_OUT_OF_MEMORY) tries++;
        while (shelf_index(b, id, IL__ROW_WAITING, "waiting", "q", 7) == IL_OUT_OF_MEMORY) tries++;
        while (shelf_write(b) == IL_OUT_OF_MEMORY) tries++;
        while (shelf_submit(b, id, "answer", "{}") == IL_OUT_OF_MEMORY) tries++;
        while (shelf_latch(b, id, true) == IL_OUT_OF_MEMORY) tries++;
        told = told && tries <= 1 && !b->err.code;
        good = good && shelf_records(b, id) == 2 && (shelf_letters(b, id), b->items) == 1;
    }
    b->mem.fail_at = 0;
    tap_ok(told, "%s: without memory a call says so, and can be made again", kind);
    tap_ok(good && shelf_chain_holds(b), "%s: nothing is lost or done twice by that", kind);
}

static void (*const TESTS[])(struct shelf *) = { test_notes,   test_bytes,   test_guards,  test_index,
                                                     test_row,     test_letters, test_limits,  test_changed,
                                                     test_latches, test_links,   test_memory };

int main(void)
{
    for (int file = 0; file < 2; file++) {
        kind = file ? "file" : "memory";
        for (size_t i = 0; i < sizeof TESTS / sizeof *TESTS; i++) {
            static struct shelf bed;
            shelf_open(&bed, file);
            TESTS[i](&bed);
            shelf_close(&bed);
        }
    }
    return tap_done();
}
