/* A store that can be tampered with (vault.h). */
#include "vault.h"

#include "base/clock.h"
#include "base/rfc3339.h"
#include "run/journal.h"
#include "store/chain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct il__mem vault_mem;
struct il__digest *vault_digest;
struct il__sign_key vault_key;
char vault_public[IL__KEY_TEXT];
static struct il__arena texts;
static unsigned made;

static void must(bool ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "vault: %s failed\n", what);
    exit(1);
}

void vault_start(void)
{
    uint8_t seed[IL__KEY_BYTES];
    memset(seed, 7, sizeof seed);
    il__mem_init(&vault_mem, NULL, NULL, 0);
    il__arena_init(&texts, &vault_mem);
    vault_digest = il__digest_new(&vault_mem);
    must(vault_digest && !il__sign_key_from_seed(&vault_key, seed, NULL), "start");
    il__public_key_text(&vault_key.public, vault_public);
}

void vault_forget(void)
{
    il__arena_clear(&texts);
    il__digest_free(vault_digest);
}

struct il_str vault_copy(struct il_str s)
{
    struct il_str copy = IL_STR_NONE;
    must(!il__arena_str(&texts, s, &copy), "memory");
    return copy;
}

static struct il__instant instant(int64_t ms)
{
    return il__instant_add_ms((struct il__instant){ 0, 0 }, ms);
}

void vault_init(struct vault *v)
{
    memset(v, 0, sizeof *v);
    snprintf(v->id, sizeof v->id, "%032x", ++made);
    v->now_ms = INT64_C(1790000000000) + (int64_t)made * 1000000;
}

/* ---- growing ---- */

static void add_link(struct vault *v, struct il_str text, struct il_str payload, const uint8_t *hash)
{
    must(v->link_count < VAULT_LINKS, "room for links");
    struct il__store_link *l = &v->links[v->link_count];
    *l = (struct il__store_link){ v->link_count, vault_copy(text), vault_copy(payload), { 0 } };
    memcpy(l->hash, hash, sizeof l->hash);
    v->link_count++;
}

static struct il__chain_head chain_head(const struct vault *v)
{
    struct il__chain_head h = { v->link_count, { 0 } };
    if (v->link_count) memcpy(h.prev, v->links[v->link_count - 1].hash, sizeof h.prev);
    return h;
}

void vault_record(struct vault *v, size_t index, bool payload)
{
    struct vault_run *run = &v->runs[index];
    struct il__journal journal;
    char body[64];
    il__journal_init(&journal, &vault_mem, vault_digest);
    for (size_t i = 0; i < run->count; i++)
        must(!il__journal_load(&journal, run->records[i].text, run->records[i].payload, run->records[i].hash, NULL),
             "load");
    const struct il__now now = { instant(v->now_ms += 1000), v->now_ms };
    must(run->count < VAULT_RECORDS, "room for records");
    snprintf(body, sizeof body, "{\"step\":\"a step %zu of %u\"}", run->count, made);
    must(!il__journal_append(&journal, run->count ? "step" : "created", il__str(run->id), now, "boot", 1, il__str(body),
                             payload ? IL_STR("{\"text\":\"what was received\"}") : IL_STR_NONE, NULL), "append");
    const struct il__record *rec = &journal.records[run->count];
    struct il__store_record *r = &run->records[run->count];
    *r = (struct il__store_record){
        il__str(run->id), run->count, 1, vault_copy(rec->text), vault_copy(rec->payload), { 0 }
    };
    memcpy(r->hash, rec->hash, sizeof r->hash);
    run->counted = ++run->count;
    il__journal_clear(&journal);
}

size_t vault_new_run(struct vault *v)
{
    struct il__buf text;
    uint8_t hash[IL__SHA256_BYTES];
    size_t index = v->run_count++;
    struct vault_run *run = &v->runs[index];
    must(index < VAULT_RUNS, "room for runs");
    memset(run, 0, sizeof *run);
    /* Ids do not come in order. */
    snprintf(run->id, sizeof run->id, "run-%02zx-%04x", (index * 37 + 11) % 97, made);
    vault_record(v, index, true);
    const struct il__store_row row = { .run_id = il__str(run->id), .created_ms = v->now_ms };
    const struct il__chain_head head = chain_head(v);
    il__buf_init(&text, &vault_mem, 0);
    must(!il__chain_run(vault_digest, &text, &head, &row, run->records[0].hash, hash, NULL), "link");
    add_link(v, il__buf_get(&text), IL_STR_NONE, hash);
    il__buf_clear(&text);
    return index;
}

static void tick(void *ctx, struct il_clock_reading *out);

struct il_str vault_head(struct vault *v)
{
    struct il__buf line;
    struct il__clock clock;
    struct il_error err = IL_ERROR_INIT;
    const struct il__store store = vault_port(v);
    const struct il_str trusted = il__str(vault_public);
    struct il_audit_options options = IL_AUDIT_OPTIONS_INIT;
    options.keys = &trusted;
    options.key_count = 1;
    const struct il__audit_call call = { &vault_mem, vault_digest, &store, &options };
    il__clock_init(&clock, tick, v, "boot");
    il__buf_init(&line, &vault_mem, 0);
    if (il__store_head(&call, &vault_key, &clock, &line, &err)) fprintf(stderr, "%s\n", err.message);
    must(!err.code, "head");
    struct il_str copy = vault_copy(il__buf_get(&line));
    il__buf_clear(&line);
    return copy;
}

/* ---- the port ---- */

static void tick(void *ctx, struct il_clock_reading *out)
{
    struct vault *v = ctx;
    out->wall_sec = v->now_ms / 1000;
    out->wall_nsec = (int32_t)(v->now_ms % 1000) * 1000000;
    out->boot_ns = v->now_ms * 1000000;
}

static enum il_code load(void *self, struct il_str run_id, il__store_record_fn fn, void *ctx, struct il_error *err)
{
    struct vault *v = self;
    (void)err;
    for (size_t i = 0; i < v->run_count; i++) {
        if (!il__str_eq(il__str(v->runs[i].id), run_id)) continue;
        for (size_t n = 0; n < v->runs[i].count; n++)
            if (!fn(ctx, &v->runs[i].records[n])) break;
        return IL_OK;
    }
    return IL_CONFLICT;
}

static enum il_code list(void *self, const struct il__store_filter *filter, il__store_row_fn fn, void *ctx,
                         struct il_error *err)
{
    struct vault *v = self;
    struct il_str after = il__str_present(filter->after) ? filter->after : IL_STR("");
    (void)err;
    for (;;) {
        const struct vault_run *next = NULL;
        for (size_t i = 0; i < v->run_count; i++) {
            const struct vault_run *run = &v->runs[i];
            if (il__str_cmp(il__str(run->id), after) > 0 && (!next || strcmp(run->id, next->id) < 0)) next = run;
        }
        if (!next) return IL_OK;
        const struct il__store_row row = { .run_id = il__str(next->id), .records = next->counted };
        if (!fn(ctx, &row)) return IL_OK;
        after = row.run_id;
    }
}

static enum il_code links(void *self, uint64_t from, il__store_link_fn fn, void *ctx, struct il_error *err)
{
    struct vault *v = self;
    (void)err;
    for (size_t i = 0; i < v->link_count; i++)
        if (v->links[i].seq >= from && !fn(ctx, &v->links[i])) break;
    return IL_OK;
}

static enum il_code link_add(void *self, struct il_str kind, struct il_str body, struct il_str payload, int64_t at_ms,
                             uint64_t *out_seq, struct il_error *err)
{
    struct vault *v = self;
    struct il__buf text;
    uint8_t hash[IL__SHA256_BYTES];
    const struct il__chain_head head = chain_head(v);
    il__buf_init(&text, &vault_mem, 0);
    must(!il__chain_link(vault_digest, &text, &head, kind, body, payload, at_ms, hash, err), "link");
    add_link(v, il__buf_get(&text), payload, hash);
    il__buf_clear(&text);
    if (out_seq) *out_seq = v->link_count - 1;
    return IL_OK;
}

static struct il_str id(void *self)
{
    return il__str(((struct vault *)self)->id);
}

struct il__store vault_port(struct vault *v)
{
    static const struct il__store_ops ops = { .load = load, .list = list, .link = link_add, .links = links, .id = id };
    return (struct il__store){ &ops, v };
}

/* ---- tampering ---- */

struct il_str vault_bent(struct il_str s, size_t at)
{
    struct il_str copy = vault_copy(s);
    char *c = (char *)(uintptr_t)copy.ptr + at % s.len;
    *c = *c == '9' ? '8' : *c >= '0' && *c < '9' ? (char)(*c + 1) : *c == 'z' ? 'a' : (char)(*c ^ 1);
    return copy;
}

/* `text` with what stands between `open` and `close` replaced. */
static struct il_str replaced(struct il_str text, const char *open, char close, const char *with)
{
    struct il__buf out;
    /* The last one: a body may hold the same. */
    size_t at = 0, len = strlen(open);
    for (size_t i = 0; i + len <= text.len; i++)
        if (memcmp(text.ptr + i, open, len) == 0) at = i + len;
    must(at > 0, open);
    const char *end = memchr(text.ptr + at, close, text.len - at);
    must(end != NULL, "end of member");
    il__buf_init(&out, &vault_mem, 0);
    il__buf_add(&out, text.ptr, at);
    il__buf_puts(&out, with);
    il__buf_add(&out, end, text.len - (size_t)(end - text.ptr));
    struct il_str copy = vault_copy(il__buf_get(&out));
    il__buf_clear(&out);
    return copy;
}

static struct il_str rechained(struct il_str text, const uint8_t *prev, uint64_t seq)
{
    char hex[IL__SHA256_HEX] = "", number[24];
    if (prev) il__hex(prev, IL__SHA256_BYTES, hex);
    snprintf(number, sizeof number, "%llu", (unsigned long long)seq);
    return replaced(replaced(text, "\"prev\":\"", '"', hex), "\"seq\":", '}', number);
}

void vault_rechain_record(struct il__store_record *r, const uint8_t *prev, uint64_t seq)
{
    r->seq = seq;
    r->text = rechained(r->text, prev, seq);
    il__sha256(vault_digest, r->text, r->hash);
}

void vault_rechain_link(struct il__store_link *l, const uint8_t *prev, uint64_t seq)
{
    l->seq = seq;
    l->text = rechained(l->text, prev, seq);
    il__sha256(vault_digest, l->text, l->hash);
}

void vault_rechain_run(struct vault_run *run, size_t from)
{
    for (size_t i = from; i < run->count; i++) {
        run->records[i].run_id = il__str(run->id);
        vault_rechain_record(&run->records[i], i ? run->records[i - 1].hash : NULL, i);
    }
}

void vault_rechain_links(struct vault *v, size_t from)
{
    for (size_t i = from; i < v->link_count; i++)
        vault_rechain_link(&v->links[i], i ? v->links[i - 1].hash : NULL, i);
}

bool vault_is_head(const struct il__store_link *l)
{
    return memmem(l->text.ptr, l->text.len, IL__HEAD_TYPE, strlen(IL__HEAD_TYPE)) != NULL;
}
