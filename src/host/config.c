/* The configuration file (config.h): read, decoded, its paths found from its own folder, its digest taken.
 * Uses the schema of src/contract. Must never open what the file names, nor keep half of a file. */
#include "host/config.h"

#include "base/error.h"
#include "base/limits.h"
#include "contract/config.h"
#include "host/file.h"
#include "host/host.h"
#include "wire/canon.h"

#include <string.h>

struct reading {
    il_config *config;
    struct il_str path; /* absent: paths stay as they are */
    struct il__json doc;
    struct il_error *err;
    bool failed;        /* no memory */
};

/* ---- texts ---- */

static struct il_str copy(struct reading *r, struct il_str text)
{
    struct il_str out = IL_STR_NONE;
    if (il__arena_str(&r->config->arena, text, &out)) r->failed = true;
    return out;
}

/* `prefix` bytes of the text stand before the path. */
static struct il_str beside(struct reading *r, struct il_str text, size_t prefix)
{
    struct il__buf buf;
    if (!il__str_present(text)) return IL_STR_NONE;
    il__buf_init(&buf, &r->config->mem, 0);
    il__buf_add(&buf, text.ptr, prefix);
    il__file_beside(r->path, (struct il_str){ text.ptr + prefix, text.len - prefix }, &buf);
    if (buf.code) r->failed = true;
    struct il_str out = copy(r, il__buf_get(&buf));
    il__buf_clear(&buf);
    return out;
}

static struct il_str file(struct reading *r, struct il_str text)
{
    return beside(r, text, 0);
}

static struct il_str address(struct reading *r, struct il_str text)
{
    if (!il__str_present(text)) return IL_STR_NONE;
    enum il__endpoint_kind kind = il__endpoint_kind(text);
    if (kind == IL__ENDPOINT_LUA) return file(r, text);
    return kind == IL__ENDPOINT_UNIX ? beside(r, text, strlen("unix:")) : copy(r, text);
}

static const struct il_str *texts(struct reading *r, struct il__strs list)
{
    if (!list.count) return NULL;
    struct il_str *out = il__arena_alloc(&r->config->arena, list.count * sizeof *out);
    if (!out) r->failed = true;
    for (size_t i = 0; out && i < list.count; i++) out[i] = copy(r, list.items[i]);
    return out;
}

/* ---- members ---- */

static const struct il_config_bundle *bundles(struct reading *r, struct il__objects docs, size_t *out)
{
    size_t count = docs.count;
    struct il_config_bundle *list = count ? il__arena_alloc(&r->config->arena, count * sizeof *list) : NULL;
    if (count && !list) r->failed = true;
    for (size_t i = 0; list && i < count; i++) {
        const struct il__config_bundle_doc *b = docs.items[i];
        list[i].path = file(r, b->path);
        list[i].params_json = b->params.doc ? copy(r, il__json_raw(b->params.doc, b->params.at)) : IL_STR_NONE;
    }
    *out = list ? count : 0;
    return list;
}

static void take_bundles(struct reading *r, const struct il__config_doc *doc)
{
    struct il_config_values *v = &r->config->values;
    v->bundles = bundles(r, doc->bundles, &v->bundle_count);
    v->trials = bundles(r, doc->trial_bundles, &v->trial_count);
    size_t count = doc->bundle_keys.count;
    struct il_str *keys = count ? il__arena_alloc(&r->config->arena, count * sizeof *keys) : NULL;
    if (count && !keys) r->failed = true;
    for (size_t i = 0; keys && i < count; i++) keys[i] = file(r, doc->bundle_keys.items[i]);
    v->bundle_keys = keys;
    v->bundle_key_count = keys ? count : 0;
}

static void take_runtime(struct reading *r, const struct il__config_doc *doc)
{
    struct il_config_values *v = &r->config->values;
    if (doc->runtime) {
        const struct il__config_runtime_doc *d = doc->runtime;
        v->runtime = address(r, d->endpoint);
        v->token_file = file(r, d->token_file);
        v->token_env = copy(r, d->token_env);
        v->ca = file(r, d->ca);
        v->session = copy(r, d->session);
        v->accept_tools = texts(r, d->accept_tools);
        v->accept_count = d->accept_tools.count;
        v->read_back = d->read_back.has && d->read_back.value;
    }
    if (doc->approver) {
        const struct il__config_approver_doc *d = doc->approver;
        v->approver = address(r, d->endpoint);
        v->approver_token_file = file(r, d->token_file);
        v->approver_token_env = copy(r, d->token_env);
        v->approver_ca = file(r, d->ca);
    }
}

static void take_people(struct reading *r, const struct il__config_doc *doc)
{
    struct il_config_values *v = &r->config->values;
    v->approvers = file(r, doc->approvers);
    v->principal = copy(r, doc->principal);
    v->tenant = copy(r, doc->tenant);
    v->scopes = texts(r, doc->scopes);
    v->scope_count = doc->scopes.count;
    if (!doc->identity) return;
    v->jwks = file(r, doc->identity->jwks);
    v->issuer = copy(r, doc->identity->issuer);
    v->audience = copy(r, doc->identity->audience);
    v->tenant_claim = copy(r, doc->identity->tenant_claim);
}

static uint32_t number(struct il__opt_int n)
{
    return n.has ? (uint32_t)n.value : 0; /* the row has bounded it */
}

static void take_host(struct reading *r, const struct il__config_doc *doc)
{
    struct il_host_options *o = &r->config->host;
    const struct il__config_limits_doc *l = doc->limits;
    o->host_name = copy(r, doc->host);
    o->accept_standing_grants = doc->accept_standing_grants.has && doc->accept_standing_grants.value;
    o->accept_server_verification = doc->accept_server_verification.has && doc->accept_server_verification.value;
    if (!l) return;
    o->memory_bytes = l->memory_bytes.has ? (size_t)l->memory_bytes.value : 0;
    o->max_moving_runs = number(l->max_moving_runs);
    o->lease_wait_ms = number(l->lease_wait_ms);
    o->request_timeout_ms = number(l->request_timeout_ms);
    o->envelope_ttl_ms = number(l->envelope_ttl_ms);
    o->lease_ttl_ms = number(l->lease_ttl_ms);
    o->reservation_ttl_ms = number(l->reservation_ttl_ms);
    o->execute_margin_ms = number(l->execute_margin_ms);
    o->approval_timeout_ms = number(l->approval_timeout_ms);
}

static enum il_code take(struct reading *r, const struct il__config_doc *doc)
{
    struct il_config_values *v = &r->config->values;
    v->size = sizeof *v;
    take_host(r, doc);
    v->host = r->config->host.host_name;
    v->store = file(r, doc->store);
    v->workflow = file(r, doc->workflow);
    v->notice = copy(r, doc->notice);
    v->witness = file(r, doc->witness);
    v->head_key = file(r, doc->head_key);
    v->kill_switch = r->config->host.kill_switch = file(r, doc->kill_switch);
    take_bundles(r, doc);
    take_people(r, doc);
    take_runtime(r, doc);
    return r->failed ? il__fail(r->err, IL_OUT_OF_MEMORY, "no memory for a configuration") : IL_OK;
}

/* ---- the whole ---- */

static enum il_code take_digest(struct reading *r)
{
    struct il__buf text;
    il__buf_init(&text, &r->config->mem, 0);
    struct il__digest *digest = il__digest_new(&r->config->mem);
    enum il_code code = digest ? il__canon(&r->doc, 0, &text, r->err)
                               : il__fail(r->err, IL_OUT_OF_MEMORY, "no memory for a digest");
    if (!code) code = il__buf_check(&text, r->err);
    if (!code) {
        il__sha256_text(digest, il__buf_get(&text), r->config->values.digest);
        r->config->values.canonical = copy(r, il__buf_get(&text));
        if (r->failed) code = il__fail(r->err, IL_OUT_OF_MEMORY, "no memory for a configuration");
    }
    il__digest_free(digest);
    il__buf_clear(&text);
    return code;
}

static enum il_code decode(struct reading *r, struct il_str text)
{
    const struct il__json_limits limits = { IL__LIMIT_CONFIG_BYTES, IL__LIMIT_JSON_DEPTH };
    struct il__config_doc doc;
    if (text.len > IL__LIMIT_CONFIG_BYTES)
        return il__fail_at(r->err, IL_LIMIT_EXCEEDED, "configuration", "", "it has more than %d bytes (config_bytes)",
                           IL__LIMIT_CONFIG_BYTES);
    enum il_code code = il__json_parse_copy(&r->doc, &r->config->mem, text, limits, r->err);
    if (!code) code = il__json_strict(&r->doc, 0, NULL, r->err);
    if (!code) code = il__config_known(&r->doc, r->err);
    if (!code) code = il__decode(&il__config_schema, &r->doc, 0, &doc, r->err);
    if (!code) code = take(r, &doc);
    if (!code) code = take_digest(r);
    il__error_object(r->err, "configuration");
    il__json_clear(&r->doc);
    return code;
}

static enum il_code read_text(const struct il_config_options *o, struct il__buf *out, struct il_error *err)
{
    if (il__str_present(o->text)) {
        il__buf_str(out, o->text);
        return il__buf_check(out, err);
    }
    return il__file_read(o->path, IL__LIMIT_CONFIG_BYTES, out, err);
}

enum il_code il_config_open(const struct il_config_options *options, il_config **out, struct il_error *err)
{
    struct il__mem mem;
    struct il__buf text;
    il__error_clear(err);
    if (options->size != sizeof *options)
        return il__fail_at(err, IL_INVALID_REQUEST, "configuration", "size", "use IL_CONFIG_OPTIONS_INIT");
    if (!il__str_present(options->text) && !il__str_present(options->path))
        return il__fail_at(err, IL_INVALID_REQUEST, "configuration", "path", "name a file, or give its text");
    il__mem_init(&mem, options->alloc, options->alloc_ctx, 0);
    il_config *config = il__mem_zalloc(&mem, 1, sizeof *config);
    if (!config) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a configuration");
    config->mem = mem;
    il__arena_init(&config->arena, &config->mem);
    il__buf_init(&text, &config->mem, 0);
    struct reading r = { .config = config, .path = options->path, .err = err };
    enum il_code code = read_text(options, &text, err);
    if (!code) code = decode(&r, il__buf_get(&text));
    il__buf_clear(&text);
    if (!code) *out = config;
    else il_config_free(config);
    return code;
}

const struct il_config_values *il_config_get(const il_config *config)
{
    return &config->values;
}

void il_config_fill(const il_config *config, struct il_host_options *o)
{
    const struct il_host_options *c = &config->host;
    const struct {
        uint32_t *to, from;
    } numbers[] = {
        { &o->max_moving_runs, c->max_moving_runs },         { &o->lease_wait_ms, c->lease_wait_ms },
        { &o->request_timeout_ms, c->request_timeout_ms },   { &o->envelope_ttl_ms, c->envelope_ttl_ms },
        { &o->lease_ttl_ms, c->lease_ttl_ms },               { &o->reservation_ttl_ms, c->reservation_ttl_ms },
        { &o->execute_margin_ms, c->execute_margin_ms },     { &o->approval_timeout_ms, c->approval_timeout_ms },
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].from) *numbers[i].to = numbers[i].from;
    if (c->memory_bytes) o->memory_bytes = c->memory_bytes;
    if (c->accept_standing_grants) o->accept_standing_grants = true;
    if (c->accept_server_verification) o->accept_server_verification = true;
    if (il__str_present(c->host_name)) o->host_name = c->host_name;
    if (il__str_present(c->kill_switch)) o->kill_switch = c->kill_switch;
}

void il_config_free(il_config *config)
{
    if (!config) return;
    il__arena_clear(&config->arena);
    struct il__mem mem = config->mem;
    il__mem_free(&mem, config, sizeof *config);
}

/* ---- its digest, for a host ---- */

static enum il_code set_digest(il_host *host, struct il_str digest, struct il_error *err)
{
    const size_t head = strlen("sha256:");
    bool is_one = digest.len > head && memcmp(digest.ptr, "sha256:", head) == 0 &&
                  il__str_is_hex((struct il_str){ digest.ptr + head, digest.len - head }, 64);
    if (!is_one)
        return il__fail_at(err, IL_INVALID_REQUEST, "host", "config_digest",
                           "a digest is \"sha256:\" and 64 lowercase hex digits");
    for (const struct il_run *run = host->engine.runs; run; run = run->next)
        if (run->state != IL__STATE_ENDED)
            return il__fail_at(err, IL_CONFLICT, "host", "config_digest", "set it before the first run");
    memcpy(host->config_digest, digest.ptr, digest.len);
    host->engine.config_digest = (struct il_str){ host->config_digest, digest.len };
    return IL_OK;
}

enum il_code il_host_set_config_digest(il_host *host, struct il_str digest, struct il_error *err)
{
    enum il_code code = il__host_enter(host, "il_host_set_config_digest", err);
    if (code) return code;
    return il__host_leave(host, set_digest(host, digest, err));
}
