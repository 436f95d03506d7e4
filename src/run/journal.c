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
    journal->count = journal->cap = journal->bytes = journal->aside_count = journal->aside_bytes = 0;
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

static enum il_code full(struct il_error *err, const char *limit, long long most, const char *unit)
{
    return il__fail_at(err, IL_LIMIT_EXCEEDED, "journal", limit, "the journal of a run has at most %lld %s", most,
                       unit);
}

static enum il_code room_for_one(const struct il__journal *j, struct il_error *err)
{
    size_t spare = j->spare_open ? 0 : (size_t)IL__JOURNAL_SPARE_RECORDS;
    if (j->aside)
        return j->aside_count < IL__LIMIT_TRIAL_RECORDS
                   ? IL_OK
                   : full(err, "trial_records", IL__LIMIT_TRIAL_RECORDS, "records of policies on trial");
    return j->count - j->aside_count < IL__LIMIT_RUN_RECORDS - spare
               ? IL_OK
               : full(err, "run_records", IL__LIMIT_RUN_RECORDS, "records");
}

static enum il_code room_for_bytes(const struct il__journal *j, size_t more, struct il_error *err)
{
    size_t most = (size_t)IL__LIMIT_RUN_JOURNAL_BYTES - (j->spare_open ? 0 : (size_t)IL__JOURNAL_SPARE_BYTES);
    size_t used = j->bytes - j->aside_bytes;
    if (j->aside)
        return j->aside_bytes <= IL__LIMIT_TRIAL_BYTES && more <= IL__LIMIT_TRIAL_BYTES - j->aside_bytes
                   ? IL_OK
                   : full(err, "trial_bytes", IL__LIMIT_TRIAL_BYTES, "bytes of policies on trial");
    return used <= most && more <= most - used
               ? IL_OK
               : full(err, "run_journal_bytes", IL__LIMIT_RUN_JOURNAL_BYTES, "bytes");
}

enum il_code il__journal_append(struct il__journal *journal, const char *kind, struct il_str run_id, struct il__now now,
                                const char *boot_id, uint64_t fence, struct il_str body, struct il_str payload,
                                struct il_error *err)
{
    enum il_code code = room_for_one(journal, err);
    if (code) return code;
    write_record(journal, kind, run_id, now, boot_id, fence, body, payload);
    if ((code = il__buf_check(&journal->scratch, err))) return code;
    struct il_str text = il__buf_get(&journal->scratch);
    if ((code = room_for_bytes(journal, text.len + payload.len, err))) return code;
    if ((code = grow(journal, err))) return code;
    struct il__record rec = { IL_STR_NONE, IL_STR_NONE, { 0 }, false };
    if ((code = copy_str(journal, text, &rec.text, err))) return code;
    if ((code = copy_str(journal, payload, &rec.payload, err))) {
        free_str(journal, rec.text);
        return code;
    }
    il__sha256(journal->digest, rec.text, rec.hash);
    journal->bytes += text.len + payload.len;
    journal->records[journal->count++] = rec;
    if (journal->aside) il__journal_set_aside(journal, journal->count - 1);
    return IL_OK;
}

void il__journal_set_aside(struct il__journal *journal, size_t at)
{
    struct il__record *rec = &journal->records[at];
    if (rec->aside) return;
    rec->aside = true;
    journal->aside_count++;
    journal->aside_bytes += rec->text.len + rec->payload.len;
}

void il__journal_drop_last(struct il__journal *journal)
{
    struct il__record *rec = &journal->records[--journal->count];
    journal->aside_count -= rec->aside;
    journal->aside_bytes -= rec->aside ? rec->text.len + rec->payload.len : 0;
    journal->bytes -= rec->text.len + rec->payload.len;
    free_str(journal, rec->text);
    if (il__str_present(rec->payload)) free_str(journal, rec->payload);
}

enum il_code il__journal_load(struct il__journal *journal, struct il_str text, struct il_str payload,
                              const uint8_t hash[IL__SHA256_BYTES], struct il_error *err)
{
    struct il__record rec = { IL_STR_NONE, IL_STR_NONE, { 0 }, false };
    const size_t most = (size_t)IL__LIMIT_RUN_JOURNAL_BYTES + IL__LIMIT_TRIAL_BYTES;
    if (journal->count >= IL__LIMIT_RUN_RECORDS + IL__LIMIT_TRIAL_RECORDS || text.len > most - journal->bytes ||
        payload.len > most - journal->bytes - text.len)
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
