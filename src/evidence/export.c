/* Exports (export.h). A run is read twice: first for its tickets, so that they are known wherever they stand. */
#include "evidence/export.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/secret.h"
#include "evidence/runs.h"

_Static_assert((int)IL__SALT_BYTES == (int)IL__STORE_SALT, "a salt is a salt");

struct export {
    const struct il__audit_call *call;
    const struct il_export_options *options;
    il_line_fn fn;
    void *ctx;
    struct il__mask mask;
    uint8_t (*salts)[IL__SALT_BYTES];
    size_t salt_count, salt_cap;
    struct il__buf line;
    uint64_t runs;
    bool ended;
    enum il_code code;
    struct il_error *err;
};

/* Reads JSON, or finds that it is none. */
static enum il_code read(struct export *e, struct il__json *doc, struct il_str text, bool *is_json)
{
    struct il_error why = IL_ERROR_INIT;
    enum il_code code = il__json_parse(doc, e->call->mem, text, IL__JSON_PAYLOAD, &why);
    *is_json = !code;
    return code == IL_OUT_OF_MEMORY ? il__fail(e->err, code, "no memory for an export") : IL_OK;
}

static void learn(struct export *e, struct il_str text, bool record)
{
    struct il__json doc = { 0 };
    bool is_json = false;
    e->code = read(e, &doc, text, &is_json);
    if (!e->code && is_json) e->code = il__mask_learn(&e->mask, &doc, record && il__json_get(&doc, 0, "body"), e->err);
    il__json_clear(&doc);
}

static bool learn_record(void *ctx, const struct il__store_record *r)
{
    struct export *e = ctx;
    learn(e, r->text, true);
    if (!e->code && il__str_present(r->payload)) learn(e, r->payload, false);
    return !e->code;
}

static bool keep_salt(void *ctx, uint64_t seq, const uint8_t salt[IL__STORE_SALT])
{
    struct export *e = ctx;
    if (seq != e->salt_count) return false;
    e->code = il__chain_grow(e->call->mem, (void **)&e->salts, &e->salt_cap, e->salt_count, sizeof *e->salts, e->err);
    if (!e->code) memcpy(e->salts[e->salt_count++], salt, IL__STORE_SALT);
    return !e->code;
}

static void write_part(struct export *e, struct il_str text, bool record, const uint8_t salt[IL__SALT_BYTES])
{
    struct il__json doc = { 0 };
    bool is_json = false;
    e->code = read(e, &doc, text, &is_json);
    uint32_t root = !e->code && is_json && record ? il__json_get(&doc, 0, "body") : 0;
    const char *place = record ? "/body" : "/payload";
    if (!e->code && is_json && (root || !record))
        e->code = il__mask_write(&e->mask, &doc, root, place, salt, &e->line, e->err);
    else if (!e->code) e->code = il__mask_bytes(&e->mask, text, record ? "/record" : place, salt, &e->line, e->err);
    il__json_clear(&doc);
}

static bool write_record(void *ctx, const struct il__store_record *r)
{
    struct export *e = ctx;
    char hex[IL__SHA256_HEX];
    if (e->options->one && r->seq != e->options->record) return r->seq < e->options->record;
    if (r->seq >= e->salt_count) return false; /* it came after the salts were made */
    il__hex(r->hash, sizeof r->hash, hex);
    il__buf_reset(&e->line);
    il__buf_printf(&e->line, "{\"hash\":\"%s\",", hex);
    if (il__str_present(r->payload)) {
        il__buf_puts(&e->line, "\"payload\":");
        write_part(e, r->payload, false, e->salts[r->seq]);
        il__buf_putc(&e->line, ',');
    }
    il__buf_puts(&e->line, "\"record\":");
    if (!e->code) write_part(e, r->text, true, e->salts[r->seq]);
    il__buf_putc(&e->line, '}');
    if (!e->code) e->code = il__buf_check(&e->line, e->err);
    e->ended = !e->code && !e->fn(e->ctx, il__buf_get(&e->line));
    return !e->code && !e->ended;
}

static enum il_code export_run(void *ctx, struct il_str run_id, uint64_t counted, struct il_error *err)
{
    struct export *e = ctx;
    const struct il__store *store = e->call->store;
    (void)counted;
    if (e->ended) return IL_OK;
    e->err = err;
    e->runs++;
    e->salt_count = 0;
    il__mask_begin(&e->mask);
    enum il_code code = store->ops->load(store->self, run_id, learn_record, e, err);
    if (!code && !e->code) code = store->ops->salts(store->self, run_id, keep_salt, e, err);
    if (!code && !e->code) code = store->ops->load(store->self, run_id, write_record, e, err);
    return code ? code : e->code;
}

static enum il_code check_options(const struct il_export_options *o, struct il_error *err)
{
    if (o->size != sizeof *o)
        return il__fail_at(err, IL_INVALID_REQUEST, "export", "size", "use IL_EXPORT_OPTIONS_INIT");
    if (o->one && !il__str_present(o->run_id))
        return il__fail_at(err, IL_INVALID_REQUEST, "export", "run_id", "one record is of one run");
    if (o->mask_count > IL__LIMIT_AUDIT_MASKS)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "export", "audit_masks", "an export masks at most %d pointers",
                           IL__LIMIT_AUDIT_MASKS);
    for (size_t i = 0; i < o->mask_count; i++)
        if (!il__mask_is_pointer(o->masks[i]))
            return il__fail_at(err, IL_INVALID_REQUEST, "export", "masks",
                               "a JSON pointer begins with a slash, and has no ~ but ~0 and ~1");
    return IL_OK;
}

enum il_code il__export(const struct il__audit_call *call, const struct il_export_options *o, il_line_fn fn, void *ctx,
                        struct il_error *err)
{
    struct export e = { .call = call, .options = o, .fn = fn, .ctx = ctx };
    enum il_code code = check_options(o, err);
    if (code) return code;
    il__mask_init(&e.mask, call->mem, call->digest);
    e.mask.pointers = o->masks;
    e.mask.pointer_count = o->mask_count;
    e.mask.show_tickets = o->with_tickets;
    il__buf_init(&e.line, call->mem, 0);
    code = il__each_run(call->store, call->mem, o->run_id, export_run, &e, err);
    if (!code && il__str_present(o->run_id) && !e.runs)
        code = il__fail_at(err, IL_CONFLICT, "run", "id", "there is no such run");
    if (!code && o->one && o->record >= e.salt_count)
        code = il__fail_at(err, IL_CONFLICT, "record", "seq", "the run has %zu records", e.salt_count);
    il__secret_wipe(e.salts, e.salt_cap * sizeof *e.salts);
    il__mem_free(call->mem, e.salts, e.salt_cap * sizeof *e.salts);
    il__mask_clear(&e.mask);
    il__buf_clear(&e.line);
    return code;
}

struct salt_search { uint64_t seq; uint8_t *salt; bool found; };

static bool take_salt(void *ctx, uint64_t seq, const uint8_t salt[IL__STORE_SALT])
{
    struct salt_search *s = ctx;
    s->found = seq == s->seq;
    if (s->found) memcpy(s->salt, salt, IL__STORE_SALT);
    return !s->found;
}

enum il_code il__export_salt(const struct il__audit_call *call, struct il_str run_id, uint64_t seq,
                             uint8_t salt[IL__SALT_BYTES], struct il_error *err)
{
    struct salt_search s = { seq, salt, false };
    enum il_code code = call->store->ops->salts(call->store->self, run_id, take_salt, &s, err);
    if (code || s.found) return code;
    return il__fail_at(err, IL_CONFLICT, "record", "seq", "the run has no record of that number");
}
