/* The public functions of audits (interlock.h): each is one call of src/evidence over a store, between il__store_enter
 * and il__store_leave. Must never leave a private key in memory. */
#include "base/error.h"
#include "base/secret.h"
#include "evidence/export.h"
#include "host/store.h"
#include "host/text.h"

static struct il__audit_call call_of(il_store *store, const struct il_audit_options *options)
{
    return (struct il__audit_call){ &store->mem, store->digest, &store->port, options };
}

enum il_code il_audit_verify(il_store *store, const struct il_audit_options *options, struct il_audit_summary *out,
                             struct il_error *err)
{
    struct il__audit audit;
    enum il_code code = il__store_enter(store, "il_audit_verify", err);
    if (code) return code;
    code = il__audit_init(&audit, &store->mem, store->digest, &store->port, options, NULL, err);
    if (!code) code = il__audit_run(&audit, err);
    if (!code) *out = audit.summary;
    il__audit_clear(&audit);
    return il__store_leave(store, code);
}

enum il_code il_audit_head(il_store *store, struct il_str private_key, const struct il_audit_options *options,
                           il_clock_fn clock, void *clock_ctx, struct il_text *line, struct il_error *err)
{
    struct il__sign_key key;
    struct il__clock now;
    struct il__buf buf;
    enum il_code code = il__store_enter(store, "il_audit_head", err);
    if (code) return code;
    const struct il__audit_call call = call_of(store, options);
    il__clock_init(&now, clock, clock_ctx, NULL);
    il__buf_init(&buf, &store->mem, 0);
    code = il__sign_key_from_pem(&key, private_key, err);
    if (!code) code = il__store_head(&call, &key, &now, &buf, err);
    il__sign_key_clear(&key);
    if (!code) code = il__text_set(line, il__buf_get(&buf), err);
    il__buf_clear(&buf);
    return il__store_leave(store, code);
}

enum il_code il_audit_proof(il_store *store, const struct il_audit_options *options, uint64_t record,
                            struct il_text *out, struct il_error *err)
{
    struct il__buf buf;
    enum il_code code = il__store_enter(store, "il_audit_proof", err);
    if (code) return code;
    const struct il__audit_call call = call_of(store, options);
    il__buf_init(&buf, &store->mem, 0);
    code = il__proof_write(&call, record, &buf, err);
    if (!code) code = il__text_set(out, il__buf_get(&buf), err);
    il__buf_clear(&buf);
    return il__store_leave(store, code);
}

static enum il_code check_proof(struct il__mem *mem, struct il__digest *digest, struct il_str proof,
                                const struct il_str *keys, size_t key_count, struct il__buf *buf, struct il_error *err)
{
    struct il__public_key *read = il__mem_zalloc(mem, key_count + 1, sizeof *read);
    enum il_code code = read ? IL_OK : il__fail(err, IL_OUT_OF_MEMORY, "no memory for keys");
    for (size_t i = 0; i < key_count && !code; i++) code = il__public_key_read(&read[i], keys[i], err);
    if (!code) code = il__proof_check(mem, digest, proof, read, key_count, buf, err);
    il__mem_free(mem, read, (key_count + 1) * sizeof *read);
    return code;
}

enum il_code il_audit_check_proof(struct il_str proof, const struct il_str *keys, size_t key_count,
                                  struct il_text *out, struct il_error *err)
{
    struct il__mem mem;
    struct il__buf buf;
    il__error_clear(err);
    il__mem_init(&mem, out->alloc, out->alloc_ctx, 0);
    il__buf_init(&buf, &mem, 0);
    struct il__digest *digest = il__digest_new(&mem);
    enum il_code code = digest ? IL_OK : il__fail(err, IL_OUT_OF_MEMORY, "no memory for a digest");
    if (!code) code = check_proof(&mem, digest, proof, keys, key_count, &buf, err);
    if (!code) code = il__text_set(out, il__buf_get(&buf), err);
    il__buf_clear(&buf);
    il__digest_free(digest);
    return code;
}

enum il_code il_audit_export(il_store *store, const struct il_export_options *options, il_line_fn fn, void *ctx,
                             struct il_error *err)
{
    enum il_code code = il__store_enter(store, "il_audit_export", err);
    if (code) return code;
    const struct il__audit_call call = call_of(store, NULL);
    return il__store_leave(store, il__export(&call, options, fn, ctx, err));
}

enum il_code il_audit_salt(il_store *store, struct il_str run_id, uint64_t record, char hex[65], struct il_error *err)
{
    uint8_t salt[IL__SALT_BYTES];
    enum il_code code = il__store_enter(store, "il_audit_salt", err);
    if (code) return code;
    const struct il__audit_call call = call_of(store, NULL);
    code = il__export_salt(&call, run_id, record, salt, err);
    if (!code) il__hex(salt, sizeof salt, hex);
    il__secret_wipe(salt, sizeof salt);
    return il__store_leave(store, code);
}
