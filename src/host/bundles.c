/* Policy bundles of a host: added, trusted, looked at, signed and packed. Every bundle, whatever way it comes, goes
 * through il__policy_set_add, which asks bundle_trust.h before anything of it runs. */
#include "base/error.h"
#include "host/bundle_dir.h"
#include "host/bundle_pack.h"
#include "host/host.h"
#include "host/text.h"
#include "run/reload.h"
#include "wire/json_write.h"

enum il_code il__host_policies(il_host *host, struct il__policy_set **out, struct il_error *err)
{
    struct il__engine *e = &host->engine;
    const struct il__policy_set_options options = {
        .mem = &host->mem, .clock = &e->clock, .digest = e->digest, .log = &e->log,
        .admit = il__bundle_trust_check, .admit_ctx = &host->trust,
    };
    return il__policy_set_new(&options, out, err);
}

/* A run is asked by the bundles that it began with, in all its phases; one that came later would miss some. */
enum il_code il__host_no_run_goes(const il_host *host, struct il_error *err)
{
    for (const struct il_run *run = host->engine.runs; run; run = run->next)
        if (run->state != IL__STATE_ENDED)
            return il__fail_at(err, IL_CONFLICT, "host", "bundles",
                               "add policies before the first run, or when all have ended");
    return IL_OK;
}

static enum il_code add_to(il_host *host, struct il__policy_set *set, const struct il_bundle *bundle,
                           struct il_error *err)
{
    struct il__bundle_dir dir;
    if (!il__str_present(bundle->path))
        return il__policy_set_add(set, bundle->files, bundle->file_count, bundle->params_json, err);
    enum il_code code = il__bundle_path_read(&host->mem, bundle->path, &dir, err);
    if (!code) code = il__policy_set_add(set, dir.files, dir.count, bundle->params_json, err);
    il__bundle_dir_clear(&dir);
    return code;
}

enum il_code il_host_add_bundle(il_host *host, const struct il_file *files, size_t count, struct il_str params_json,
                                struct il_error *err)
{
    enum il_code code = il__host_enter(host, "il_host_add_bundle", err);
    if (code) return code;
    code = il__host_no_run_goes(host, err);
    if (!code) code = il__policy_set_add(host->policies, files, count, params_json, err);
    return il__host_leave(host, code);
}

enum il_code il_host_add_bundle_dir(il_host *host, struct il_str path, struct il_str params_json, struct il_error *err)
{
    const struct il_bundle bundle = { .path = path.ptr ? path : IL_STR(""), .params_json = params_json };
    enum il_code code = il__host_enter(host, "il_host_add_bundle_dir", err);
    if (code) return code;
    code = il__host_no_run_goes(host, err);
    if (!code) code = add_to(host, host->policies, &bundle, err);
    return il__host_leave(host, code);
}

enum il_code il_host_trust_bundles(il_host *host, const struct il_str *keys, size_t count, struct il_error *err)
{
    enum il_code code = il__host_enter(host, "il_host_trust_bundles", err);
    if (code) return code;
    if (il__policy_set_bundle(host->policies, 0) || host->trials)
        code = il__fail_at(err, IL_CONFLICT, "host", "bundles",
                           "say whose bundles are trusted before the first of them");
    if (!code) code = il__bundle_trust_set(&host->trust, &host->mem, keys, count, err);
    return il__host_leave(host, code);
}

enum il_code il_host_reload_bundles(il_host *host, const struct il_bundle *bundles, size_t count, struct il_error *err)
{
    struct il__policy_set *set = NULL, *was = host->policies;
    enum il_code code = il__host_enter(host, "il_host_reload_bundles", err);
    if (code) return code;
    if (!count)
        code = il__fail_at(err, IL_CONFLICT, "host", "bundles", "a reload names every bundle; there must be one");
    if (!code) code = il__host_policies(host, &set, err);
    for (size_t i = 0; i < count && !code; i++) code = add_to(host, set, &bundles[i], err);
    if (code) {
        il__policy_set_free(set);
        return il__host_leave(host, code);
    }
    const struct il__policies port = il__policy_set_port(set);
    host->policies = set;
    il__engine_reload(&host->engine, &port);
    il__policy_set_free(was);
    il__log(&host->engine.log, IL_LOG_INFO, "policies reloaded: %.*s", IL_STR_FMT(il_host_policy_digest(host)));
    return il__host_leave(host, IL_OK);
}

struct il_str il_host_policy_digest(const il_host *host)
{
    const struct il__policies *p = &host->engine.policies;
    return p->digest ? p->digest(p->ctx) : IL_STR_NONE;
}

/* ---- without a host ---- */

/* A bundle that was loaded by a host of its own, for one call. */
struct look {
    il_host *host;
    struct il__bundle_dir dir;
    struct il_file own[IL__LIMIT_BUNDLE_FILES]; /* of a bundle from memory */
    const struct il_file *files;
    size_t count;
    const struct il__bundle *bundle;
    struct il__buf out;
};

static size_t without(const char *path, const struct il_file *files, size_t count, struct il_file *out, size_t room)
{
    size_t kept = 0;
    for (size_t i = 0; i < count && kept < room; i++)
        if (!il__str_eq(files[i].path, il__str(path))) out[kept++] = files[i];
    return kept;
}

/* Reads what was handed over, and adds it; `drop` (may be NULL) is a file that is not looked at. */
static enum il_code load(struct look *l, const struct il_bundle *bundle, const char *drop, struct il_error *err)
{
    enum il_code code = IL_OK;
    l->files = bundle->files;
    l->count = bundle->file_count;
    if (il__str_present(bundle->path)) {
        code = il__bundle_path_read(&l->host->mem, bundle->path, &l->dir, err);
        if (code) return code;
        l->files = l->dir.files;
        l->count = l->dir.count;
    }
    if (drop && l->count <= IL__LIMIT_BUNDLE_FILES) {
        l->count = without(drop, l->files, l->count, l->own, IL__LIMIT_BUNDLE_FILES);
        l->files = l->own;
    }
    code = il__policy_set_add(l->host->policies, l->files, l->count, bundle->params_json, err);
    if (!code) l->bundle = il__policy_set_bundle(l->host->policies, 0);
    return code;
}

static enum il_code look_open(struct look *l, const struct il_bundle *bundle, const struct il_str *keys,
                              size_t key_count, const char *drop, const struct il_text *text, struct il_error *err)
{
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    *l = (struct look){ .host = NULL };
    options.alloc = text ? text->alloc : NULL;
    options.alloc_ctx = text ? text->alloc_ctx : NULL;
    enum il_code code = il_host_new(&options, &l->host, err);
    if (code) return code;
    il__buf_init(&l->out, &l->host->mem, 0);
    code = il__bundle_trust_set(&l->host->trust, &l->host->mem, keys, key_count, err);
    return code ? code : load(l, bundle, drop, err);
}

static enum il_code look_close(struct look *l, struct il_text *out, enum il_code code, struct il_error *err)
{
    if (!code) code = il__buf_check(&l->out, err);
    if (!code && out) code = il__text_set(out, il__buf_get(&l->out), err);
    if (!l->host) return code;
    il__buf_clear(&l->out);
    if (l->dir.mem) il__bundle_dir_clear(&l->dir);
    il_host_free(l->host);
    return code;
}

static void write_policies(struct il__json_writer *w, const struct il__bundle *b)
{
    il__jw_key(w, "policies");
    il__jw_array(w);
    for (size_t i = 0; i < b->policy_count; i++) {
        const struct il__bundle_policy *p = &b->policies[i];
        il__jw_object(w);
        il__jw_member_str(w, "file", p->file);
        il__jw_member_z(w, "level", il__level_names[p->level]);
        il__jw_member_str(w, "name", p->name);
        il__jw_key(w, "phases");
        il__jw_array(w);
        for (unsigned phase = 0; il__phase_names[phase]; phase++)
            if (p->phases & (1u << phase)) il__jw_z(w, il__phase_names[phase]);
        il__jw_array_end(w);
        il__jw_object_end(w);
    }
    il__jw_array_end(w);
}

static enum il_code write_facts(struct look *l, struct il_error *err)
{
    struct il__json_writer w;
    char id[IL__KEY_ID];
    const struct il__bundle *b = l->bundle;
    enum il_code code = il__bundle_trust_signer(&l->host->trust, b, id, err);
    il__jw_init(&w, &l->out);
    il__jw_object(&w);
    il__jw_member_z(&w, "digest", b->digest);
    il__jw_key(&w, "files");
    il__jw_raw(&w, b->listed);
    il__jw_member_str(&w, "name", b->name);
    write_policies(&w, b);
    il__jw_member_str(&w, "policyDigest", il_host_policy_digest(l->host));
    il__jw_member_bool(&w, "signed", il__str_present(b->sig));
    if (*id) il__jw_member_z(&w, "signedBy", id);
    il__jw_member_str(&w, "version", b->version);
    il__jw_object_end(&w);
    return code;
}

enum il_code il_bundle_check(const struct il_bundle *bundle, const struct il_str *keys, size_t key_count,
                             struct il_text *out, struct il_error *err)
{
    struct look l;
    il__error_clear(err);
    enum il_code code = look_open(&l, bundle, keys, key_count, NULL, out, err);
    if (!code) code = write_facts(&l, err);
    return look_close(&l, out, code, err);
}

enum il_code il_bundle_sign(const struct il_bundle *bundle, struct il_str private_key, struct il_text *out,
                            struct il_error *err)
{
    struct look l;
    struct il__sign_key key;
    il__error_clear(err);
    enum il_code code = look_open(&l, bundle, NULL, 0, "bundle.sig", out, err);
    if (!code) {
        code = il__sign_key_from_pem(&key, private_key, err);
        if (!code) code = il__bundle_trust_sign(&l.host->mem, l.bundle, &key, &l.out, err);
        il__buf_putc(&l.out, '\n');
        il__sign_key_clear(&key);
    }
    return look_close(&l, out, code, err);
}

/* A signature that goes in must hold as far as one can see without a key, as one that is loaded must. */
enum il_code il_bundle_pack(const struct il_bundle *bundle, struct il_str signature, struct il_text *out,
                            struct il_error *err)
{
    struct look l;
    il__error_clear(err);
    enum il_code code = look_open(&l, bundle, NULL, 0, il__str_present(signature) ? "bundle.sig" : NULL, out, err);
    if (!code && il__str_present(signature)) {
        struct il__bundle signed_ = *l.bundle;
        signed_.sig = signature;
        code = il__bundle_trust_check(&l.host->trust, &signed_, err);
    }
    if (!code) code = il__bundle_pack(&l.host->mem, l.files, l.count, signature, &l.out, err);
    return look_close(&l, out, code, err);
}
