/* The timestamps of tests/vectors/tables/time.json: which can be read, and the instant that each names. */
#include "base/limits.h"
#include "base/rfc3339.h"
#include "tap.h"
#include "wire/json.h"

#include <stdlib.h>

struct row {
    struct il_str text;
    bool readable;
    int64_t sec, nsec;
};

/* The row [text, readable, seconds, nanoseconds]; what is null stays 0. */
static bool read_row(struct il__json *doc, uint32_t at, struct row *out)
{
    uint32_t text = il__json_first(doc, at);
    uint32_t readable = il__json_next(doc, at, text);
    uint32_t sec = il__json_next(doc, at, readable);
    *out = (struct row){ .readable = il__json_kind(doc, readable) == IL__JSON_TRUE };
    (void)il__json_int(doc, sec, &out->sec);
    (void)il__json_int(doc, il__json_next(doc, at, sec), &out->nsec);
    return il__json_string(doc, text, &out->text, NULL) == IL_OK;
}

static void check_row(const struct row *want)
{
    struct il__instant at = { .sec = -1, .nsec = -1 };
    bool readable = il__rfc3339_parse(want->text, &at, NULL);
    bool same = !want->readable ? at.sec == -1 && at.nsec == -1 : at.sec == want->sec && at.nsec == want->nsec;
    if (!tap_ok(readable == want->readable && same, "`%.*s` is %s", (int)want->text.len, want->text.ptr,
                want->readable ? "read" : "refused"))
        tap_note("readable %d, %lld s and %d ns", readable, (long long)at.sec, (int)at.nsec);
}

int main(void)
{
    size_t len = 0;
    char *bytes = tap_slurp("tests/vectors/tables/time.json", &len);
    struct il__mem mem;
    il__mem_init(&mem, NULL, NULL, 0);
    struct il__json doc = { .text = { NULL, 0 } };
    enum il_code code = il__json_parse(&doc, &mem, (struct il_str){ bytes, len }, IL__JSON_CONTRACT, NULL);
    if (tap_ok(code == IL_OK, "the table is JSON")) {
        uint32_t rows = il__json_get(&doc, 0, "rows");
        size_t count = 0;
        for (uint32_t at = il__json_first(&doc, rows); at; at = il__json_next(&doc, rows, at), count++) {
            struct row row;
            if (tap_ok(read_row(&doc, at, &row), "row %zu has a text", count)) check_row(&row);
        }
        tap_ok(count > 0, "the table has rows");
    }
    il__json_clear(&doc);
    tap_int((long long)mem.in_use_bytes, 0, "nothing is left behind");
    free(bytes);
    return tap_done();
}
