/* The hash chain of one run (journal.h). Uses base and the digest. Must never change or drop a record that stands. */
#include "run/journal.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/secret.h"
#include "wire/json.h"
#include "wire/json_write.h"

#include <string.h>

void il__journal_init(struct il__journal *journal, struct il__mem *mem, struct il__digest *digest)
{
    *journal = (struct il__journal){ .mem = mem, .digest = digest };
    il__buf_init(&journal->scratch, mem, 0);
}

static void free_str(struct il__journal *journal, struct il_str s)
{
    il__mem_free(journal->mem, (void *)(uintptr_t)s.ptr, s.len + 1);
}

void il__journal_clear(struct il__journal *journal)
{
    for (size_t i = 0; i < journal->count; i++) {
        free_str(journal, journal->records[i].text);
        if (il__str_present(journal->records[i].payload)) free_str(journal, journal->records[i].payload);
    }
    il__mem_free(journal->mem, journal->records, journal->cap * sizeof *journal->records);
    il__buf_clear(&journal->scratch);
    journal->records = NULL;
    journal->count = journal->cap = journal->bytes = 0;
}

static enum il_code grow(struct il__journal *journal, struct il_error *err)
{
    if (journal->count < journal->cap) return IL_OK;
    size_t cap = journal->cap ? journal->cap * 2 : 16;
    struct il__record *records = il__mem_resize(journal->mem, journal->records, journal->cap * sizeof *records,
                                                cap * sizeof *records);
    if (!records) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a journal record");
    journal->records = records;
    journal->cap = cap;
    return IL_OK;
}

static enum il_code copy_str(struct il__journal *journal, struct il_str s, struct il_str *out, struct il_error *err)
{
    if (!il__str_present(s)) {
        *out = IL_STR_NONE;
        return IL_OK;
    }
    char *bytes = il__mem_alloc(journal->mem, s.len + 1);
    if (!bytes) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a journal record");
    if (s.len) memcpy(bytes, s.ptr, s.len);
    bytes[s.len] = '\0';
    *out = (struct il_str){ bytes, s.len };
    return IL_OK;
}

/* The members stand in canonical order; tests hold every record against its RFC 8785 text. */
static void write_record(struct il__journal *journal, const char *kind, struct il_str run_id, struct il__now now,
                         const char *boot_id, uint64_t fence, struct il_str body, struct il_str payload)
{
    char at[IL__RFC3339_MAX], digest[IL__SHA256_HEX], prev[IL__SHA256_HEX] = "";
    il__rfc3339_format(now.wall, at);
    if (il__str_present(payload)) il__sha256_hex(journal->digest, payload, digest);
    if (journal->count) il__hex(journal->records[journal->count - 1].hash, IL__SHA256_BYTES, prev);
    il__buf_reset(&journal->scratch);
    struct il__json_writer w;
    il__jw_init(&w, &journal->scratch);
    il__jw_object(&w);
    il__jw_member_z(&w, "at", at);
    il__jw_key(&w, "body");
    il__jw_raw(&w, body);
    il__jw_member_int(&w, "boot", now.boot_ms);
    il__jw_member_z(&w, "bootId", boot_id);
    il__jw_member_int(&w, "fence", (int64_t)fence);
    il__jw_member_z(&w, "kind", kind);
    if (il__str_present(payload)) il__jw_member_z(&w, "payload", digest);
    il__jw_member_z(&w, "prev", prev);
    il__jw_member_str(&w, "run", run_id);
    il__jw_member_int(&w, "seq", (int64_t)journal->count);
    il__jw_object_end(&w);
}

enum il_code il__journal_append(struct il__journal *journal, const char *kind, struct il_str run_id, struct il__now now,
                                const char *boot_id, uint64_t fence, struct il_str body, struct il_str payload,
                                struct il_error *err)
{
    if (journal->count >= IL__LIMIT_RUN_RECORDS - (journal->spare_open ? 0 : (size_t)IL__JOURNAL_SPARE_RECORDS))
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "journal", "run_records", "a run has at most %d records",
                           IL__LIMIT_RUN_RECORDS);
    write_record(journal, kind, run_id, now, boot_id, fence, body, payload);
    enum il_code code = il__buf_check(&journal->scratch, err);
    if (code) return code;
    struct il_str text = il__buf_get(&journal->scratch);
    size_t most = (size_t)IL__LIMIT_RUN_JOURNAL_BYTES - (journal->spare_open ? 0 : (size_t)IL__JOURNAL_SPARE_BYTES);
    if (journal->bytes > most || text.len + payload.len > most - journal->bytes)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "journal", "run_journal_bytes",
                           "the journal of a run has at most %d bytes", IL__LIMIT_RUN_JOURNAL_BYTES);
    if ((code = grow(journal, err))) return code;
    struct il__record rec = { IL_STR_NONE, IL_STR_NONE, { 0 } };
    if ((code = copy_str(journal, text, &rec.text, err))) return code;
    if ((code = copy_str(journal, payload, &rec.payload, err))) {
        free_str(journal, rec.text);
        return code;
    }
    il__sha256(journal->digest, rec.text, rec.hash);
    journal->bytes += text.len + payload.len;
    journal->records[journal->count++] = rec;
    return IL_OK;
}

void il__journal_drop_last(struct il__journal *journal)
{
    struct il__record *rec = &journal->records[--journal->count];
    journal->bytes -= rec->text.len + rec->payload.len;
    free_str(journal, rec->text);
    if (il__str_present(rec->payload)) free_str(journal, rec->payload);
}

enum il_code il__journal_load(struct il__journal *journal, struct il_str text, struct il_str payload,
                              const uint8_t hash[IL__SHA256_BYTES], struct il_error *err)
{
    struct il__record rec = { IL_STR_NONE, IL_STR_NONE, { 0 } };
    if (journal->count >= IL__LIMIT_RUN_RECORDS || text.len > (size_t)IL__LIMIT_RUN_JOURNAL_BYTES - journal->bytes ||
        payload.len > (size_t)IL__LIMIT_RUN_JOURNAL_BYTES - journal->bytes - text.len)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "journal", "run_journal_bytes",
                           "the stored journal is larger than a run may have");
    enum il_code code = grow(journal, err);
    if (code) return code;
    if ((code = copy_str(journal, text, &rec.text, err))) return code;
    if ((code = copy_str(journal, payload, &rec.payload, err))) {
        free_str(journal, rec.text);
        return code;
    }
    memcpy(rec.hash, hash, sizeof rec.hash);
    journal->bytes += text.len + payload.len;
    journal->records[journal->count++] = rec;
    return IL_OK;
}

static bool payload_fits(const struct il__record *rec, struct il__digest *digest, const struct il__json *doc)
{
    uint32_t at = il__json_get(doc, 0, "payload");
    if (!at) return !il__str_present(rec->payload);
    char hex[IL__SHA256_HEX];
    il__sha256_hex(digest, rec->payload, hex);
    struct il_str raw = il__json_raw(doc, at);
    return raw.len == 66 && il__secret_eq((struct il_str){ raw.ptr + 1, 64 }, il__str(hex));
}

static enum il_code verify_one(const struct il__journal *journal, size_t i, bool payloads, struct il_error *err)
{
    const struct il__record *rec = &journal->records[i];
    uint8_t hash[IL__SHA256_BYTES];
    char prev[IL__SHA256_HEX] = "";
    il__sha256(journal->digest, rec->text, hash);
    if (memcmp(hash, rec->hash, sizeof hash) != 0)
        return il__fail_at(err, IL_STORE, "journal", "hash", "record %zu was edited", i);
    if (i) il__hex(journal->records[i - 1].hash, IL__SHA256_BYTES, prev);
    struct il__json doc = { 0 };
    enum il_code code = il__json_parse(&doc, journal->mem, rec->text, IL__JSON_CONTRACT, err);
    if (code) return code;
    struct il_str said = il__json_raw(&doc, il__json_get(&doc, 0, "prev"));
    bool chained = said.len == strlen(prev) + 2 && memcmp(said.ptr + 1, prev, strlen(prev)) == 0;
    bool whole = !payloads || payload_fits(rec, journal->digest, &doc);
    il__json_clear(&doc);
    if (!chained) return il__fail_at(err, IL_STORE, "journal", "prev", "record %zu does not follow the one before", i);
    if (!whole) return il__fail_at(err, IL_STORE, "journal", "payload", "the payload of record %zu was edited", i);
    return IL_OK;
}

enum il_code il__journal_verify(const struct il__journal *journal, bool payloads, struct il_error *err)
{
    for (size_t i = 0; i < journal->count; i++) {
        enum il_code code = verify_one(journal, i, payloads, err);
        if (code) return code;
    }
    return IL_OK;
}
