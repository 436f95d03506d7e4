/* A host that knows what a witness kept of its store: runs of a store that is older are not gone on with (SPEC §10).
 * Uses the audit. Must never take a store that was edited or rewritten for one that is only old. */
#include "base/error.h"
#include "evidence/audit.h"
#include "host/host.h"

struct il__host_witness {
    struct il_str text;
    struct il_str *keys;
    size_t key_count;
};

static enum il_code judge(const struct il__audit *audit, struct il_error *err)
{
    enum il_audit_verdict verdict = audit->summary.verdict;
    if (verdict == IL_AUDIT_INTACT) return IL_OK;
    if (err && !err->code) *err = audit->first;
    bool old = verdict == IL_AUDIT_TRUNCATED || verdict == IL_AUDIT_ROLLED_BACK || verdict == IL_AUDIT_FORKED;
    if (!old && err) err->code = IL_STORE;
    return old ? IL_CONFLICT : IL_STORE;
}

/* The whole chain of the store, and this run. */
static enum il_code check(void *ctx, struct il_str run_id, struct il_error *err)
{
    il_host *host = ctx;
    const struct il__host_witness *w = host->witness;
    struct il__audit audit;
    struct il_audit_options options = IL_AUDIT_OPTIONS_INIT;
    options.keys = w->keys;
    options.key_count = w->key_count;
    options.witness = w->text;
    options.run_id = run_id;
    struct il__engine *e = &host->engine;
    enum il_code code = il__audit_init(&audit, &host->mem, e->digest, &e->store, &options, NULL, err);
    if (!code) code = il__audit_run(&audit, err);
    if (!code) code = judge(&audit, err);
    il__audit_clear(&audit);
    return code;
}

/* Copies live as long as the host. */
static enum il_code keep(il_host *host, struct il_str witness, const struct il_str *keys, size_t key_count,
                         struct il_error *err)
{
    struct il__host_witness *w = il__arena_alloc(&host->arena, sizeof *w);
    struct il_str *copies = il__arena_alloc(&host->arena, (key_count + 1) * sizeof *copies);
    enum il_code code = w && copies ? il__arena_str(&host->arena, witness, &w->text) : IL_OUT_OF_MEMORY;
    for (size_t i = 0; i < key_count && !code; i++) code = il__arena_str(&host->arena, keys[i], &copies[i]);
    if (code) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a witness");
    w->keys = copies;
    w->key_count = key_count;
    host->witness = w;
    return IL_OK;
}

enum il_code il_host_set_witness(il_host *host, struct il_str witness, const struct il_str *keys, size_t key_count,
                                 struct il_error *err)
{
    struct il__audit audit;
    struct il_audit_options options = IL_AUDIT_OPTIONS_INIT;
    enum il_code code = il__host_enter(host, "il_host_set_witness", err);
    if (code) return code;
    options.keys = keys;
    options.key_count = key_count;
    options.witness = witness;
    if (!host->engine.store.ops)
        code = il__fail_at(err, IL_CONFLICT, "host", "store", "set the store before its witness");
    if (!code && !il__str_present(witness))
        code = il__fail_at(err, IL_INVALID_REQUEST, "witness", "", "the witness is missing");
    if (!code) {
        code = il__audit_init(&audit, &host->mem, host->engine.digest, &host->engine.store, &options, NULL, err);
        il__audit_clear(&audit);
    }
    if (!code) code = keep(host, witness, keys, key_count, err);
    if (!code) {
        host->engine.witness = check;
        host->engine.witness_ctx = host;
    }
    return il__host_leave(host, code);
}
