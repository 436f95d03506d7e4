/* Callbacks of an embedder that reach back into the host they are called by: freeing, stopping, adding policies. */
#include "tap.h"

#include "include/interlock.h"

#include "base/str.h"

struct reach {
    struct il_run *run;
    enum il_event_type at;
    bool done;
};

static void free_in_event(void *ctx, const struct il_event *event)
{
    struct reach *r = ctx;
    if (r->done || event->type != r->at || !r->run) return;
    r->done = true;
    il_run_free(r->run);
}

static void public_free(enum il_event_type at)
{
    struct reach reach = { .at = at };
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    struct il_run_options o = IL_RUN_OPTIONS_INIT;
    struct il_tick tick = { .size = sizeof tick };
    struct il_error err = IL_ERROR_INIT;
    il_host *host = NULL;
    options.event = free_in_event;
    options.event_ctx = &reach;
    options.trace = true;
    if (il_host_new(&options, &host, &err) || il_host_set_runtime_simulated(host, IL_STR_NONE, &err)) {
        tap_ok(false, "%s", err.message);
        return;
    }
    const struct il_str scopes[] = { IL_STR("computer:execute:background") };
    o.proposal = IL_STR("{\"tool\":\"write_clipboard\",\"arguments\":{\"text\":\"hi\"}}");
    o.principal = IL_STR("p");
    o.session_id = IL_STR("s");
    o.scopes = scopes;
    o.scope_count = 1;
    o.workflow_name = IL_STR("w");
    o.workflow_source = IL_STR("return function(run) run:log('a') run:observe('visual') run:preview() run:reserve() "
                               "run:acquire_lease() run:execute() return run:verify() end");
    if (il_run_start(host, &o, &reach.run, &err)) tap_ok(false, "%s", err.message);
    for (int i = 0; i < 200; i++) (void)il_host_tick(host, 1000, &tick, &err);
    tap_ok(reach.done, "a run may be freed in the event of type %d", (int)at);
    tap_int(tick.moving, 0, "and it comes to its end");
    il_host_free(host);
}

static void stop_in_event(void *ctx, const struct il_event *event)
{
    il_host **host = ctx;
    if (event->type == IL_EVENT_REQUEST && *host)
        (void)il_host_stop_session(*host, IL_STR("s"), IL_STR("halt"), NULL, NULL, NULL);
}

static void stops_in_events(void)
{
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    struct il_run_options o = IL_RUN_OPTIONS_INIT;
    struct il_tick tick = { .size = sizeof tick };
    struct il_error err = IL_ERROR_INIT;
    il_host *host = NULL;
    il_run *run = NULL;
    options.event = stop_in_event;
    options.event_ctx = &host;
    const struct il_str scopes[] = { IL_STR("computer:execute:background") };
    o.proposal = IL_STR("{\"tool\":\"write_clipboard\",\"arguments\":{\"text\":\"hi\"}}");
    o.principal = IL_STR("p");
    o.session_id = IL_STR("s");
    o.scopes = scopes;
    o.scope_count = 1;
    if (il_host_new(&options, &host, &err) || il_host_set_runtime_simulated(host, IL_STR_NONE, &err) ||
        il_run_start(host, &o, &run, &err))
        tap_ok(false, "%s", err.message);
    for (int i = 0; i < 200; i++) (void)il_host_tick(host, 1000, &tick, &err);
    struct il_summary s = { .size = sizeof s };
    il_run_summary(run, &s);
    tap_str(il__str(s.status), "cancelled", "a stop from a callback stops, although it may not ask the runtime");
    il_host_free(host);
}

static void bundles_come_first(void)
{
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    struct il_run_options o = IL_RUN_OPTIONS_INIT;
    struct il_tick tick = { .size = sizeof tick };
    struct il_error err = IL_ERROR_INIT;
    il_host *host = NULL;
    il_run *run = NULL;
    const struct il_str scopes[] = { IL_STR("computer:execute:background") };
    const struct il_file files[] = {
        { IL_STR("bundle.json"),
          IL_STR("{\"name\":\"b\",\"version\":\"1\",\"requires\":1,\"policies\":[{\"file\":\"p.lua\","
                 "\"level\":\"hard\"}],\"files\":[\"p.lua\"]}") },
        { IL_STR("p.lua"), IL_STR("local policy = require 'interlock.policy' return policy { name = 'p', "
                                  "preview = function() return policy.deny('no') end }") },
    };
    o.proposal = IL_STR("{\"tool\":\"write_clipboard\",\"arguments\":{\"text\":\"hi\"}}");
    o.principal = IL_STR("p");
    o.session_id = IL_STR("s");
    o.scopes = scopes;
    o.scope_count = 1;
    if (il_host_new(&options, &host, &err) || il_host_set_runtime_simulated(host, IL_STR_NONE, &err) ||
        il_run_start(host, &o, &run, &err))
        tap_ok(false, "%s", err.message);
    tap_int(il_host_add_bundle(host, files, 2, IL_STR_NONE, &err), IL_CONFLICT,
            "policies do not come while a run goes");
    for (int i = 0; i < 200; i++) (void)il_host_tick(host, 1000, &tick, &err);
    tap_int(il_host_add_bundle(host, files, 2, IL_STR_NONE, &err), IL_OK, "they may when it has ended (%s)",
            err.message);
    il_host_free(host);
}

static void callbacks(void)
{
    static const enum il_event_type types[] = { IL_EVENT_STEP, IL_EVENT_REQUEST, IL_EVENT_ANSWER, IL_EVENT_CHECK,
                                                IL_EVENT_RELEASED, IL_EVENT_LOG, IL_EVENT_ENDED };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) public_free(types[i]);
}

int main(void)
{
    stops_in_events();
    bundles_come_first();
    callbacks();
    return tap_done();
}
