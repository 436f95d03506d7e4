/* Setting a player up: its clock, host, runtime, policies and identity, from the members of the scenario. */
#include "base/error.h"
#include "base/limits.h"
#include "host/file.h"
#include "host/player.h"
#include "host/player_args.h"
#include "run/record.h"

#include <string.h>

static void read_clock(void *ctx, struct il_clock_reading *out)
{
    const struct il__player *p = ctx;
    int64_t ms = p->boot_ns / 1000000 + p->wall_shift_ms;
    int64_t sec = ms >= 0 ? ms / 1000 : -((-ms + 999) / 1000);
    *out = (struct il_clock_reading){ p->wall_sec + sec, (int32_t)((ms - sec * 1000) * 1000000), p->boot_ns };
}

/* xorshift64*: the same scenario, the same ids; before that the ids that a start asked for. */
static int read_random(void *ctx, void *buf, size_t len)
{
    struct il__player *p = ctx;
    for (size_t i = 0; i < len; i++) {
        if (p->ids_at < p->ids_len) {
            ((uint8_t *)buf)[i] = p->ids[p->ids_at++];
            continue;
        }
        p->random ^= p->random >> 12;
        p->random ^= p->random << 25;
        p->random ^= p->random >> 27;
        ((uint8_t *)buf)[i] = (uint8_t)((p->random * 2685821657736338717u) >> 56);
    }
    return 0;
}

static void tell(struct il__player *p, const struct il_event *event)
{
    const struct il_str parts[] = { event->step, event->object, event->field, event->text };
    il__buf_puts(&p->told, il__event_names[event->type]);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!parts[i].len) continue;
        il__buf_putc(&p->told, ' ');
        il__buf_str(&p->told, parts[i]);
    }
    if (event->type == IL_EVENT_CHECK) il__buf_puts(&p->told, event->ok ? " ok" : " REFUSED");
    if (event->expected.len) il__buf_printf(&p->told, ", expected %.*s", IL_STR_FMT(event->expected));
    if (event->actual.len) il__buf_printf(&p->told, ", %.*s", IL_STR_FMT(event->actual));
    il__buf_putc(&p->told, '\n');
}

static void on_event(void *ctx, const struct il_event *event)
{
    struct il__player *p = ctx;
    if (p->told.len < IL__PLAYER_TRACE_BYTES) tell(p, event);
    if (p->trace.len + event->json.len + 1 > IL__PLAYER_TRACE_BYTES) return;
    il__buf_str(&p->trace, event->json);
    il__buf_putc(&p->trace, '\n');
}

static void on_interrupt(void *ctx, struct il_str session_id, struct il_str reason)
{
    (void)session_id;
    (void)reason;
    ((struct il__player *)ctx)->interrupted = true;
}

/* ---- members ---- */

static enum il_code set_now(struct il__player *p, const struct il__args *setup, struct il_error *err)
{
    struct il__instant now = { 1767225600, 0 }; /* 2026-01-01T00:00:00Z */
    struct il_str text = il__args_str(setup, "now", IL_STR_NONE);
    const char *why = "";
    if (il__str_present(text) && !il__rfc3339_parse(text, &now, &why))
        return il__fail_at(err, IL_INVALID_REQUEST, "scenario", "now", "not a time: %s", why);
    p->wall_sec = now.sec;
    p->boot_ns = 1000000000;
    p->wall_shift_ms = -1000 + now.nsec / 1000000;
    p->random = 0x9e3779b97f4a7c15u;
    return IL_OK;
}

static uint32_t ms_option(const struct il__args *options, const char *name)
{
    int64_t ms;
    if (il__args_ms(options, name, &ms, NULL) || ms < 0 || ms > UINT32_MAX) return 0;
    return (uint32_t)ms;
}

static enum il_code open_host(struct il__player *p, const struct il__args *setup, struct il_error *err)
{
    struct il_host_options o = IL_HOST_OPTIONS_INIT;
    struct il__args opt = il__args_sub(setup, "options");
    o.clock = read_clock;
    o.clock_ctx = p;
    o.random = read_random;
    o.random_ctx = p;
    o.event = on_event;
    o.event_ctx = p;
    o.interrupt = on_interrupt;
    o.interrupt_ctx = p;
    o.trace = il__args_bool(&opt, "trace", false);
    o.accept_standing_grants = il__args_bool(&opt, "accept_standing_grants", false);
    o.accept_server_verification = il__args_bool(&opt, "accept_server_verification", false);
    o.max_moving_runs = (uint32_t)il__args_int(&opt, "max_moving_runs", 0);
    o.lease_wait_ms = ms_option(&opt, "lease_wait");
    o.request_timeout_ms = ms_option(&opt, "request_timeout");
    o.envelope_ttl_ms = ms_option(&opt, "envelope_ttl");
    o.lease_ttl_ms = ms_option(&opt, "lease_ttl");
    o.reservation_ttl_ms = ms_option(&opt, "reservation_ttl");
    o.execute_margin_ms = ms_option(&opt, "execute_margin");
    o.approval_timeout_ms = ms_option(&opt, "approval_timeout");
    return il_host_new(&o, &p->host, err);
}

static enum il_code open_store(struct il__player *p, const struct il__args *setup, struct il_error *err)
{
    struct il_store_options o = IL_STORE_OPTIONS_INIT;
    if (!il__args_bool(setup, "store", false)) return IL_OK;
    o.random = read_random;
    o.random_ctx = p;
    enum il_code code = il_store_open(&o, &p->store, err);
    return code ? code : il_host_set_store(p->host, p->store, err);
}

static enum il_code read_beside(struct il__player *p, struct il_str name, struct il_str *out, struct il_error *err)
{
    struct il__buf path;
    il__buf_init(&path, &p->mem, 0);
    il__file_beside(p->file, name, &path);
    il__buf_reset(&p->scratch);
    enum il_code code = il__buf_check(&path, err);
    if (!code) code = il__file_read(il__buf_get(&path), IL__LIMIT_SCRIPT_SOURCE, &p->scratch, err);
    il__buf_clear(&path);
    if (!code) *out = il__buf_get(&p->scratch);
    return code;
}

static enum il_code set_runtime(struct il__player *p, const struct il__args *setup, struct il_error *err)
{
    struct il__args runtime = il__args_sub(setup, "runtime");
    struct il_str file = il__args_str(&runtime, "file", IL_STR_NONE), source;
    struct il_str recorded = il__args_raw(&runtime, "recorded");
    if (il__str_present(recorded))
        return il_host_set_runtime_lua(p->host, IL_STR("recorded"), IL_STR_NONE, recorded, err);
    if (!il__str_present(file)) return il_host_set_runtime_simulated(p->host, il__args_raw(&runtime, "fake"), err);
    enum il_code code = read_beside(p, file, &source, err);
    return code ? code : il_host_set_runtime_lua(p->host, file, source, il__args_raw(&runtime, "options"), err);
}

static enum il_code set_workflow(struct il__player *p, const struct il__args *setup, struct il_error *err)
{
    struct il_str file = il__args_str(setup, "workflow", IL_STR_NONE);
    struct il_str source = il__args_str(setup, "workflow_source", IL_STR_NONE);
    if (il__str_present(source)) return il_host_set_workflow(p->host, IL_STR("workflow"), source, err);
    if (!il__str_present(file)) return IL_OK;
    enum il_code code = read_beside(p, file, &source, err);
    return code ? code : il_host_set_workflow(p->host, file, source, err);
}

/* A bundle is { dir = "...", params = {...} }, or { files = { ["name"] = "text" }, params = {...} }. */
static enum il_code add_bundle(struct il__player *p, const struct il__args *bundle, struct il_error *err)
{
    struct il__args files = il__args_sub(bundle, "files");
    struct il_str dir = il__args_str(bundle, "dir", IL_STR_NONE);
    struct il_str params = il__args_str(bundle, "params", IL_STR_NONE); /* as a text, or a table */
    if (!il__str_present(params)) params = il__args_raw(bundle, "params");
    if (files.doc) {
        struct il_file list[16];
        size_t count = 0;
        for (uint32_t at = il__json_first(files.doc, files.at); at && count < 16;
             at = il__json_next(files.doc, files.at, at + 1)) {
            if (il__json_string(files.doc, at, &list[count].path, err)) return err->code;
            if (il__json_kind(files.doc, at + 1) != IL__JSON_STRING) continue;
            if (il__json_string(files.doc, at + 1, &list[count].bytes, err)) return err->code;
            count++;
        }
        return il_host_add_bundle(p->host, list, count, params, err);
    }
    struct il__buf path;
    il__buf_init(&path, &p->mem, 0);
    il__file_beside(p->file, dir, &path);
    enum il_code code = il_host_add_bundle_dir(p->host, il__buf_get(&path), params, err);
    il__buf_clear(&path);
    return code;
}

static enum il_code add_bundles(struct il__player *p, const struct il__args *setup, struct il_error *err)
{
    uint32_t list = setup->doc ? il__json_get(setup->doc, setup->at, "policies") : 0;
    if (!list || il__json_kind(setup->doc, list) != IL__JSON_ARRAY) return IL_OK;
    const struct il_scenario_options *o = p->options;
    if (o->bundle_key_count) {
        enum il_code code = il_host_trust_bundles(p->host, o->bundle_keys, o->bundle_key_count, err);
        if (code) return code;
    }
    for (uint32_t at = il__json_first(setup->doc, list); at; at = il__json_next(setup->doc, list, at)) {
        struct il__args bundle = { setup->doc, at };
        enum il_code code = add_bundle(p, &bundle, err);
        if (code) return code;
    }
    return IL_OK;
}

static enum il_code add_approvers(struct il__player *p, const struct il__args *setup, struct il_error *err)
{
    uint32_t list = setup->doc ? il__json_get(setup->doc, setup->at, "approvers") : 0;
    if (!list || il__json_kind(setup->doc, list) != IL__JSON_ARRAY) return IL_OK;
    for (uint32_t at = il__json_first(setup->doc, list); at; at = il__json_next(setup->doc, list, at)) {
        struct il__args who = { setup->doc, at };
        struct il_str roles[IL__LIMIT_ROLES];
        size_t count = 0;
        il__args_strs(&who, "roles", roles, IL__LIMIT_ROLES, &count);
        enum il_code code = il_host_add_approver(p->host, il__args_str(&who, "id", IL_STR_NONE), roles, count, err);
        if (code) return code;
    }
    return IL_OK;
}

static void set_identity(struct il__player *p, const struct il__args *setup)
{
    p->principal = il__args_str(setup, "principal", IL_STR("operator-1"));
    p->tenant = il__args_str(setup, "tenant", IL_STR_NONE);
    p->session = il__args_str(setup, "session", IL_STR("session-1"));
    p->agent = il__args_str(setup, "agent", IL_STR_NONE);
    p->group = il__args_str(setup, "group", IL_STR_NONE);
    if (il__args_strs(setup, "scopes", p->scopes, 8, &p->scope_count)) return;
    p->scopes[0] = IL_STR("computer:plan");
    p->scopes[1] = IL_STR("computer:execute:background");
    p->scope_count = 2;
}

enum il_code il__player_open(struct il__player *p, const struct il_scenario_options *options, struct il_str setup_json,
                             struct il_error *err)
{
    memset(p, 0, sizeof *p);
    il__mem_init(&p->mem, NULL, NULL, 0);
    p->file = options->file;
    p->options = options;
    il__buf_init(&p->trace, &p->mem, 0);
    il__buf_init(&p->told, &p->mem, 0);
    il__buf_init(&p->answer, &p->mem, 0);
    il__buf_init(&p->scratch, &p->mem, 0);
    enum il_code code = il__json_parse_copy(&p->setup, &p->mem, setup_json, IL__JSON_PAYLOAD, err);
    struct il__args setup = { &p->setup, 0 };
    if (!code) code = set_now(p, &setup, err);
    if (!code) code = open_host(p, &setup, err);
    if (!code) code = open_store(p, &setup, err);
    if (!code) code = set_runtime(p, &setup, err);
    if (!code) code = set_workflow(p, &setup, err);
    if (!code) code = add_bundles(p, &setup, err);
    if (!code) code = add_approvers(p, &setup, err);
    if (code) {
        il__player_close(p);
        return code;
    }
    set_identity(p, &setup);
    code = il__player_before(p, &setup, err);
    if (code) il__player_close(p);
    return code;
}

void il__player_close(struct il__player *p)
{
    il_host_free(p->host);
    il_store_close(p->store);
    p->host = NULL;
    p->store = NULL;
    il__json_clear(&p->setup);
    il__buf_clear(&p->trace);
    il__buf_clear(&p->told);
    il__buf_clear(&p->answer);
    il__buf_clear(&p->scratch);
}
