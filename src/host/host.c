/* Making, ticking and freeing a host; the guards of the public entries (host.h). */
#include "host/host.h"

#include "base/error.h"
#include "base/limits.h"
#include "runtime/inprocess.h"
#include "script/lua_runtime.h"

#include <string.h>

/* ---- guards ---- */

enum il_code il__host_enter(il_host *host, const char *function, struct il_error *err)
{
    il__error_clear(err);
    if (host->inside)
        return il__fail_at(err, IL_CONFLICT, "host", function, "%s is not called from a callback of its host",
                           function);
    host->inside++;
    return IL_OK;
}

enum il_code il__host_leave(il_host *host, enum il_code code)
{
    host->inside--;
    return code;
}

/* ---- new and free ---- */

static uint32_t or_default(uint32_t value, uint32_t fallback)
{
    return value ? value : fallback;
}

static void fill_defaults(struct il_host_options *o)
{
    o->max_moving_runs = or_default(o->max_moving_runs, IL__LIMIT_MOVING_RUNS);
    o->lease_wait_ms = or_default(o->lease_wait_ms, IL__LIMIT_LEASE_WAIT_MS);
    o->request_timeout_ms = or_default(o->request_timeout_ms, IL__LIMIT_REQUEST_TIMEOUT_MS);
    o->envelope_ttl_ms = or_default(o->envelope_ttl_ms, IL__LIMIT_ENVELOPE_TTL_MS);
    o->lease_ttl_ms = or_default(o->lease_ttl_ms, IL__LIMIT_LEASE_TTL_MS);
    o->reservation_ttl_ms = or_default(o->reservation_ttl_ms, IL__LIMIT_RESERVATION_TTL_MS);
    o->approval_timeout_ms = or_default(o->approval_timeout_ms, IL__LIMIT_APPROVAL_TIMEOUT_MS);
}

static enum il_code open_parts(il_host *host, struct il_error *err)
{
    struct il__engine *e = &host->engine;
    enum il_code code = il__engine_init(e, &host->mem, &host->options, err);
    if (code) return code;
    const struct il__lua_workflows_options workflows = { &host->mem, &e->clock };
    code = il__lua_workflows_new(&workflows, &host->workflows, err);
    if (!code) code = il__host_policies(host, &host->policies, err);
    if (code) return code;
    e->workflows = il__lua_workflows_port(host->workflows);
    e->policies = il__policy_set_port(host->policies);
    return IL_OK;
}

enum il_code il_host_new(const struct il_host_options *options, il_host **out, struct il_error *err)
{
    il__error_clear(err);
    if (options->size != sizeof *options)
        return il__fail_at(err, IL_INVALID_REQUEST, "host options", "size", "use IL_HOST_OPTIONS_INIT");
    struct il__mem mem;
    il__mem_init(&mem, options->alloc, options->alloc_ctx, options->memory_bytes);
    il_host *host = il__mem_zalloc(&mem, 1, sizeof *host);
    if (!host) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a host");
    host->mem = mem;
    host->trust.mem = &host->mem;
    host->options = *options;
    fill_defaults(&host->options);
    il__escape(host->name, sizeof host->name, options->host_name.len ? options->host_name : IL_STR("interlock"));
    host->options.host_name = il__str(host->name);
    il__arena_init(&host->arena, &host->mem);
    il__buf_init(&host->checked, &host->mem, 0);
    il__buf_init(&host->canonical, &host->mem, 0);
    il__buf_init(&host->shown, &host->mem, 0);
    il__buf_init(&host->facts, &host->mem, 0);
    il__buf_init(&host->identity, &host->mem, 0);
    il__buf_init(&host->decision, &host->mem, 0);
    il__arena_init(&host->jwt_texts, &host->mem);
    il__buf_init(&host->approver_facts, &host->mem, 0);
    enum il_code code = open_parts(host, err);
    if (!code) code = il__host_set_switch(host, options->kill_switch, err);
    if (code) {
        il_host_free(host);
        return code;
    }
    *out = host;
    return IL_OK;
}

void il_host_free(il_host *host)
{
    if (!host || host->inside) return;
    host->inside++;
    if (host->engine.mem) il__engine_clear(&host->engine);
    il__lua_workflows_free(host->workflows);
    il__policy_set_free(host->policies);
    il__policy_set_free(host->trials);
    il__arena_clear(&host->arena);
    il__buf_clear(&host->checked);
    il__buf_clear(&host->canonical);
    il__buf_clear(&host->shown);
    il__buf_clear(&host->facts);
    il__buf_clear(&host->identity);
    il__buf_clear(&host->decision);
    il__host_forget_jwks(host);
    il__host_forget_mcp(host);
    il__buf_clear(&host->approver_facts);
    struct il__mem mem = host->mem;
    il__mem_free(&mem, host, sizeof *host);
}

/* ---- parts ---- */

enum il_code il__host_no_runtime(const il_host *host, struct il_error *err)
{
    if (!host->engine.runtime.ops) return IL_OK;
    return il__fail_at(err, IL_CONFLICT, "host", "runtime", "this host has a runtime already");
}

enum il_code il_host_set_runtime(il_host *host, const struct il_runtime *runtime, struct il_error *err)
{
    enum il_code code = il__host_enter(host, "il_host_set_runtime", err);
    if (code) return code;
    code = il__host_no_runtime(host, err);
    if (!code) code = il__inprocess_new(&host->mem, runtime, &host->engine.runtime, err);
    return il__host_leave(host, code);
}

static enum il_code sink_complete(void *ctx, const struct il__answer_in *answer, struct il_error *err)
{
    return il__engine_complete(ctx, answer, err);
}

struct il__runtime_sink il__host_sink(il_host *host)
{
    return (struct il__runtime_sink){ sink_complete, &host->engine };
}

static enum il_code set_lua_runtime(il_host *host, const char *kind, struct il_str name, struct il_str source,
                                    struct il_str options_json, struct il_error *err)
{
    struct il__engine *e = &host->engine;
    uint8_t bytes[16];
    char seed[33];
    enum il_code code = il__host_no_runtime(host, err);
    if (code) return code;
    if (e->random(e->random_ctx, bytes, sizeof bytes))
        return il__fail_at(err, IL_RUNTIME, "random", "bytes", "the random source failed");
    il__hex(bytes, sizeof bytes, seed);
    const struct il__lua_runtime_options options = { &host->mem, &e->clock, e->digest, &e->log, il__host_sink(host),
                                                     kind, name, source, options_json, il__str(seed) };
    code = il__lua_runtime_new(&options, &e->runtime, err);
    host->lua_runtime = !code;
    return code;
}

enum il_code il_host_set_runtime_lua(il_host *host, struct il_str name, struct il_str source,
                                     struct il_str options_json, struct il_error *err)
{
    enum il_code code = il__host_enter(host, "il_host_set_runtime_lua", err);
    if (code) return code;
    return il__host_leave(host, set_lua_runtime(host, "lua", name, source, options_json, err));
}

enum il_code il_host_set_runtime_simulated(il_host *host, struct il_str options_json, struct il_error *err)
{
    enum il_code code = il__host_enter(host, "il_host_set_runtime_simulated", err);
    if (code) return code;
    return il__host_leave(host,
                          set_lua_runtime(host, "simulated", IL_STR("simulated"), IL_STR_NONE, options_json, err));
}

enum il_code il__host_inspect(il_host *host, struct il__buf *out, struct il_error *err)
{
    if (!host->lua_runtime)
        return il__fail_at(err, IL_UNSUPPORTED, "runtime", "inspect", "only Lua runtimes are inspected");
    return il__lua_runtime_inspect(host->engine.runtime.self, out, err);
}

enum il_code il_host_set_workflow(il_host *host, struct il_str name, struct il_str source, struct il_error *err)
{
    enum il_code code = il__host_enter(host, "il_host_set_workflow", err);
    if (code) return code;
    return il__host_leave(host, il__lua_workflows_set_default(host->workflows, name, source, err));
}
