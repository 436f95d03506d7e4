/* What repeats before every request (retain.h). */
#include "run/retain.h"

#include "base/error.h"
#include "base/secret.h"
#include "run/durable.h"
#include "run/record.h"
#include "wire/canon.h"

static struct il__asked asked_of(const struct il_run *run)
{
    return (struct il__asked){ run->session_id, run->identity.principal, run->agent_id, run->group_id,
                               il__str(run->action_id), run->operation, &run->proposal };
}

enum il_code il__retain_check(struct il_run *run, struct il_error *err)
{
    struct il__checker ck;
    struct il__asked asked = asked_of(run);
    struct il_str own = run->own_args_digest[0] ? il__str(run->own_args_digest) : IL_STR_NONE;
    il__checker_init(&ck, "action envelope", err, il__run_seen, run);
    il__check_envelope(&ck, run->preview.envelope, own, il__clock_now(&run->engine->clock).wall);
    il__check_echo(&ck, run->preview.envelope, &asked);
    return il__checker_end(&ck);
}

enum il_code il__retain_digest(struct il_run *run, char hex[IL__SHA256_HEX], struct il_error *err)
{
    struct il__engine *e = run->engine;
    struct il__buf text;
    il__buf_init(&text, e->mem, 0);
    enum il_code code = il__canon(&run->preview_doc, run->preview.envelope_raw.at, &text, err);
    if (!code) code = il__buf_check(&text, err);
    if (!code) il__sha256_hex(e->digest, il__buf_get(&text), hex);
    il__buf_clear(&text);
    il__error_object(err, "action envelope");
    return code;
}

enum il_code il__retain_recheck(struct il_run *run, struct il_error *err)
{
    struct il__engine *e = run->engine;
    char hex[IL__SHA256_HEX];
    if (run->entries != 1)
        return il__refuse(err, IL_INVARIANT, "preview channel", "entries", IL_STR("1"),
                          run->entries ? IL_STR("2") : IL_STR("0"));
    enum il_code code = il__retain_digest(run, hex, err);
    if (code) return code;
    if (!il__secret_eq(il__str(hex), il__str(run->envelope_digest)))
        return il__refuse(err, IL_IDENTITY_MISMATCH, "action envelope", "envelope", il__str(run->envelope_digest),
                          il__str(hex));
    if ((code = il__retain_check(run, err))) return code;
    if (il__deadline_passed(&run->envelope_deadline, il__clock_now(&e->clock), e->clock.boot_id))
        return il__refuse(err, IL_IDENTITY_MISMATCH, "action envelope", "expires_at", IL_STR("later than now"),
                          run->preview.envelope->expires_at);
    return IL_OK;
}

enum il_code il__retain_identity_time(const struct il_run *run, int64_t margin_ms, struct il__now now,
                                      struct il_error *err)
{
    if (!run->identity.expires ||
        !il__deadline_within(&run->identity_deadline, margin_ms, now, run->engine->clock.boot_id))
        return IL_OK;
    char expires[IL__RFC3339_MAX];
    il__rfc3339_format(run->identity.expires_at, expires);
    return il__refuse(err, IL_PRINCIPAL_MISMATCH, "identity", "expires_at", IL_STR("later than now"), il__str(expires));
}

enum il_code il__retain_identity(struct il_run *run, struct il_error *err)
{
    struct il__engine *e = run->engine;
    struct il__now now = il__clock_now(&e->clock);
    struct il__checker ck;
    il__checker_init(&ck, "identity", err, il__run_seen, run);
    il__check_identity(&ck, &run->identity, run->identity.principal, run->identity.tenant, run->proposal.mode,
                       now.wall);
    enum il_code code = il__checker_end(&ck);
    if (!code) code = il__retain_identity_time(run, 0, now, err);
    return code;
}

enum il_code il__retain_switch(const struct il__engine *e, struct il_error *err)
{
    return e->kill_switch ? e->kill_switch(e->kill_switch_ctx, err) : IL_OK;
}

enum il_code il__retain_latch(const struct il_run *run, struct il_error *err)
{
    const struct il__engine *e = run->engine;
    enum il_code code = il__retain_switch(e, err);
    if (code) return code;
    if (e->emergency)
        return il__fail_at(err, IL_CANCELLED, "stop latch", "emergency", "the emergency stop is on");
    for (const struct il__latch *l = e->latches; l; l = l->next)
        if (il__str_eq(l->session_id, run->session_id))
            return il__fail_at(err, IL_CANCELLED, "stop latch", "session", "the session was stopped");
    if (run->cancelled) return il__fail_at(err, IL_CANCELLED, "run", "cancel", "the run was cancelled");
    return il__durable_latch(run, err);
}
