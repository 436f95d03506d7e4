/* Stops, cancels, freed handles and jumps of time, at each point of a run: nothing is done after them, nothing twice,
 * and everything that was taken is given back (SPEC §4 I2, I3, I6, §8). */
#include "kit.h"
#include "tap.h"

static const char *const TARGETED =
    "{\"tool\":\"write_clipboard\",\"arguments\":{\"Text\":\"hi\"},\"target\":{\"platform\":\"linux\","
    "\"appId\":\"org.example.Editor\",\"windowId\":7,\"displayId\":\"1\",\"observationId\":\"o-1\",\"confidence\":1,"
    "\"capturedAt\":\"2026-11-30T18:00:00Z\"}}";

/* One unit of work per tick. */
static void units(struct kit *k, int n)
{
    struct il_tick tick = { .size = sizeof tick };
    for (int i = 0; i < n; i++) (void)il__engine_tick(&k->engine, 0, &tick, NULL);
}

static void stop_without_memory(void)
{
    struct kit k;
    struct il_error err = IL_ERROR_INIT;
    kit_open(&k);
    kit_start(&k, TARGETED);
    k.mem.fail_at = k.mem.calls + 1;
    enum il_code code = il__engine_stop(&k.engine, IL_OP_STOP_SESSION, IL_STR("s-1"), IL_STR("halt"), NULL, NULL, &err);
    k.mem.fail_at = 0;
    tap_ok(code != IL_OK, "a stop without memory says so");
    kit_go(&k);
    tap_int(k.effects, 0, "and stops all the same");
    kit_close(&k);
}

static void hear(void *ctx, const struct il_error *err)
{
    *(enum il_code *)ctx = err->code;
}

static void stop_without_answer(void)
{
    struct kit k;
    struct il_error err = IL_ERROR_INIT;
    enum il_code heard = IL_OK;
    kit_open(&k);
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_STOP_SESSION, .never = true });
    tap_int(il__engine_stop(&k.engine, IL_OP_STOP_SESSION, IL_STR("s-1"), IL_STR("halt"), hear, &heard, &err), IL_OK,
            "a stop");
    kit_go(&k);
    il__engine_clear(&k.engine);
    tap_int(heard, IL_CANCELLED, "whoever stopped hears that the runtime never answered");
    tap_int((long long)k.mem.in_use_bytes, 0, "and nothing is left");
}

/* At each point of a run: what `act` does there never lets anything happen unchecked, and everything is given back. */
static int returned(const struct kit *k, enum il_op op)
{
    return k->calls[op];
}

static void act_boot_on(struct kit *k)
{
    k->boot_ms += 400000;
    k->wall_sec -= 400;
}

static void act_back(struct kit *k)
{
    k->wall_sec -= 3600; /* it lengthens nothing: the boot clock and the journal's last time count */
    k->boot_ms += 301000;
    k->wall_sec += 1;
}

static void at_each_point(const char *what, void (*act)(struct kit *k))
{
    bool effects = true, released = true, ends = true, honest = true;
    for (int n = 0; n < 60; n++) {
        struct kit k;
        kit_open(&k);
        kit_start(&k, TARGETED);
        units(&k, n);
        int before = k.effects, sent = k.calls[IL_OP_EXECUTE_ACTION];
        if ((act == act_boot_on || act == act_back) && !(k.run->done & IL__DID_PREVIEW))
            sent = 1; /* nothing yet that could grow old */
        act(&k);
        kit_go(&k);
        for (int i = 0; i < 4; i++) kit_advance(&k, 30000);
        if (k.effects > 1 || (!sent && k.effects != before)) effects = false;
        if (returned(&k, IL_OP_ACQUIRE_LEASE) != returned(&k, IL_OP_RELEASE_LEASE)) released = false;
        if (returned(&k, IL_OP_RESERVE_TARGET) != returned(&k, IL_OP_RELEASE_TARGET)) released = false;
        if (k.engine.run_count && k.run->state != IL__STATE_ENDED) ends = false;
        if (k.engine.run_count && k.run->effect == IL_EFFECT_NONE && k.effects) honest = false;
        il__engine_clear(&k.engine);
        if (k.mem.in_use_bytes) ends = false;
    }
    tap_ok(effects, "%s, at each point: nothing is done after it, nothing twice", what);
    tap_ok(released, "%s, at each point: what was taken is given back", what);
    tap_ok(ends, "%s, at each point: the run ends", what);
    tap_ok(honest, "%s, at each point: effect none is true", what);
}

static void act_stop(struct kit *k)
{
    (void)il__engine_stop(&k->engine, IL_OP_STOP_SESSION, IL_STR("s-1"), IL_STR("halt"), NULL, NULL, NULL);
}

static void act_emergency(struct kit *k)
{
    (void)il__engine_stop(&k->engine, IL_OP_EMERGENCY_STOP, IL_STR_NONE, IL_STR("halt"), NULL, NULL, NULL);
}

static void act_cancel(struct kit *k)
{
    (void)il__run_cancel(k->run, IL_STR("no"), NULL);
}

static void act_free(struct kit *k)
{
    il__run_free(k->run, false);
}

static void act_years_on(struct kit *k)
{
    k->wall_sec += 10LL * 365 * 86400;
}

int main(void)
{
    stop_without_memory();
    stop_without_answer();
    at_each_point("a stop of the session", act_stop);
    at_each_point("an emergency stop", act_emergency);
    at_each_point("a cancel", act_cancel);
    at_each_point("a freed handle", act_free);
    at_each_point("ten years in one step", act_years_on);
    at_each_point("a wall clock turned back", act_back);
    at_each_point("time that only the boot clock saw", act_boot_on);
    return tap_done();
}
