/* Reservation and lease: what the run holds at the runtime and must give back. Whatever is returned is noted as held
 * before it is looked at, so that a refused object is released all the same (SPEC I6). */
#include "run/hold.h"

#include "base/error.h"
#include "base/limits.h"
#include "run/ops.h"
#include "run/record.h"
#include "run/retain.h"
#include "run/state.h"
#include "run/step.h"

#include <string.h>

enum il__went il__hold_before(struct il_run *run, struct il_error *err)
{
    if (il__retain_latch(run, err) || il__retain_identity(run, err) || il__retain_recheck(run, err))
        return IL__WENT_WRONG;
    return IL__WENT_ON;
}

/* ---- what was returned, however broken ---- */

static bool member_is_other(struct il__json *doc, const char *name, struct il_str ours)
{
    struct il_str s;
    uint32_t at = il__json_get(doc, 0, name);
    if (!at || il__json_kind(doc, at) != IL__JSON_STRING || il__json_string(doc, at, &s, NULL)) return false;
    return !il__str_eq(s, ours);
}

static void keep_id(struct il_run *run, struct il__held *held, struct il_str id)
{
    if (id.len > sizeof held->room) {
        if (il__arena_str(&run->arena, id, &held->id)) held->id = IL_STR_NONE;
        return;
    }
    memcpy(held->room, id.ptr, id.len);
    held->id = (struct il_str){ held->room, id.len };
}

void il__held_note(struct il_run *run, struct il__held *held, struct il_str body, const char *id_member,
                   bool may_be_foreign)
{
    struct il__json doc = { 0 };
    struct il_str id;
    memset(held, 0, sizeof *held);
    if (il__json_parse(&doc, run->engine->mem, body, IL__JSON_PAYLOAD, NULL)) {
        held->held = true; /* something came back; its id is lost */
        return;
    }
    held->held = il__json_kind(&doc, 0) != IL__JSON_NULL;
    uint32_t at = il__json_get(&doc, 0, id_member);
    bool text = at && il__json_kind(&doc, at) == IL__JSON_STRING && !il__json_string(&doc, at, &id, NULL);
    if (text && id.len && !memchr(id.ptr, 0, id.len)) keep_id(run, held, id);
    held->foreign = may_be_foreign && (member_is_other(&doc, "sessionId", run->session_id) ||
                                       member_is_other(&doc, "principalId", run->identity.principal));
    il__json_clear(&doc);
}

/* Whatever came back, before it is looked at. */
static enum il_code note_held(struct il_run *run, const struct il__held *held, const char *what, struct il_error *err)
{
    return IL__NOTE(run, "held", IL_STR_NONE, err, IL__NUMBER("foreign", held->foreign),
                    IL__NUMBER("held", held->held), IL__TEXT("id", held->id), IL__TEXT("what", il__str(what)));
}

/* ---- reserve ---- */

enum il__went il__reserve_go(struct il_run *run, const struct il__ask *ask, struct il_error *err)
{
    (void)ask;
    if (il__op_offered(run->engine, IL_OP_RESERVE_TARGET)) return il__step_begin(run, err);
    if (IL__NOTE(run, "unreserved", IL_STR_NONE, err, IL__TEXT("why", IL_STR("not offered")))) return IL__WENT_WRONG;
    run->done |= IL__DID_RESERVE;
    return IL__WENT_ON;
}

enum il_code il__hold_recheck_reservation(struct il_run *run, struct il_error *err)
{
    struct il__checker ck;
    if (!run->has_reservation) return IL_OK;
    struct il__now now = il__clock_now(&run->engine->clock);
    il__checker_init(&ck, "target reservation", err, il__run_seen, run);
    il__check_reservation(&ck, &run->reservation, run->preview.envelope, now.wall);
    if (run->reservation_deadline.set)
        il__check_that(&ck, "expires_at",
                       !il__deadline_passed(&run->reservation_deadline, now, run->engine->clock.boot_id),
                       IL_STR("later than now"), run->reservation.expires_at);
    return il__checker_end(&ck);
}

static struct il__deadline deadline_of(struct il_str expires_at, int64_t ttl_ms, struct il__now arrived,
                                       const char *boot_id)
{
    struct il__instant at;
    if (!il__rfc3339_parse(expires_at, &at, NULL)) return (struct il__deadline){ .set = false };
    return il__deadline_make(at, ttl_ms, arrived, boot_id);
}

static void set_reservation(struct il_run *run, int64_t ttl_ms, struct il__now arrived, const char *boot_id)
{
    run->has_reservation = true;
    run->reservation_deadline = deadline_of(run->reservation.expires_at, ttl_ms, arrived, boot_id);
}

enum il_code il__reserve_accept(struct il_run *run, enum il_op op, struct il_str body, struct il_error *err)
{
    struct il__engine *e = run->engine;
    (void)op;
    il__held_note(run, &run->reserved, body, "reservationId", false);
    enum il_code code = note_held(run, &run->reserved, "target reservation", err);
    if (code) return code;
    run->done |= IL__DID_RESERVE;
    if (!run->reserved.held)
        return IL__NOTE(run, "unreserved", IL_STR_NONE, err, IL__TEXT("why", IL_STR("none given")));
    code = il__decode_text(&il__reservation_schema, e->mem, body, &run->reservation_doc, &run->reservation, err);
    if (code) return code;
    if (!run->reserved.id.len) keep_id(run, &run->reserved, run->reservation.reservation_id); /* no memory before */
    run->has_reservation = true; /* for the recheck only; dropped again when it fails */
    code = il__hold_recheck_reservation(run, err);
    if (!code)
        code = IL__NOTE(run, "reserved", body, err, IL__NUMBER("arrived", e->arrived.boot_ms),
                        IL__TEXT("id", run->reservation.reservation_id),
                        IL__NUMBER("ttlMs", e->options->reservation_ttl_ms));
    if (!code) {
        set_reservation(run, e->options->reservation_ttl_ms, e->arrived, e->clock.boot_id);
        return IL_OK;
    }
    run->has_reservation = false;
    il__json_clear(&run->reservation_doc);
    memset(&run->reservation, 0, sizeof run->reservation);
    return code;
}

/* ---- lease ---- */

enum il__went il__lease_go(struct il_run *run, const struct il__ask *ask, struct il_error *err)
{
    (void)ask;
    if (!il__op_offered(run->engine, IL_OP_ACQUIRE_LEASE)) {
        il__fail_at(err, IL_UNSUPPORTED, "runtime", "acquire_lease", "not offered by this runtime");
        return IL__WENT_WRONG;
    }
    if (!il__line_enter(run)) return IL__WENT_AWAY;
    run->done |= IL__DID_ASK_LEASE;
    return il__step_begin(run, err);
}

void il__line_expire(struct il_run *run)
{
    struct il_error err = IL_ERROR_INIT;
    il__fail_at(&err, IL_CONFLICT, "control lease", "lease_wait_ms", "another run held the lease for %u ms",
                run->engine->options->lease_wait_ms);
    il__run_fail(run, &err);
}

enum il_code il__hold_recheck_lease(struct il_run *run, struct il_error *err)
{
    struct il__checker ck;
    struct il__now now = il__clock_now(&run->engine->clock);
    il__checker_init(&ck, "control lease", err, il__run_seen, run);
    il__check_lease(&ck, &run->lease, run->preview.envelope, now.wall);
    if (run->lease_deadline.set)
        il__check_that(&ck, "expires_at", !il__deadline_passed(&run->lease_deadline, now, run->engine->clock.boot_id),
                       IL_STR("later than now"), run->lease.expires_at);
    return il__checker_end(&ck);
}

/* A lease id is a bearer ticket: outside the journal it appears as a digest prefix. */
static void mask_lease(struct il_run *run)
{
    char text[IL__DIGEST_TEXT];
    il__sha256_text(run->engine->digest, run->lease.lease_id, text);
    memcpy(run->lease_mask, text, sizeof "sha256:" + 12 - 1);
    run->lease_shown = run->lease;
    run->lease_shown.lease_id = il__str(run->lease_mask);
}

/* There was no memory to look before, and there is now. */
static void note_lease_again(struct il_run *run)
{
    keep_id(run, &run->leased, run->lease.lease_id);
    run->leased.foreign = !il__str_eq(run->lease.session_id, run->session_id) ||
                          !il__str_eq(run->lease.principal_id, run->identity.principal);
}

static void set_lease(struct il_run *run, int64_t ttl_ms, struct il__now arrived, const char *boot_id)
{
    run->lease_deadline = deadline_of(run->lease.expires_at, ttl_ms, arrived, boot_id);
    mask_lease(run);
    run->has_lease = true;
    run->done |= IL__DID_LEASE;
}

enum il_code il__lease_accept(struct il_run *run, enum il_op op, struct il_str body, struct il_error *err)
{
    struct il__engine *e = run->engine;
    (void)op;
    il__held_note(run, &run->leased, body, "leaseId", true);
    enum il_code code = note_held(run, &run->leased, "control lease", err);
    if (!code) code = il__decode_text(&il__lease_schema, e->mem, body, &run->lease_doc, &run->lease, err);
    if (!code && !run->leased.id.len) note_lease_again(run);
    if (!code) code = il__hold_recheck_lease(run, err);
    if (!code)
        code = IL__NOTE(run, "leased", body, err, IL__NUMBER("arrived", e->arrived.boot_ms),
                        IL__TEXT("id", run->lease.lease_id), IL__NUMBER("ttlMs", e->options->lease_ttl_ms));
    if (!code) {
        set_lease(run, e->options->lease_ttl_ms, e->arrived, e->clock.boot_id);
        return IL_OK;
    }
    il__json_clear(&run->lease_doc);
    memset(&run->lease, 0, sizeof run->lease);
    return code;
}

/* ---- from the journal ---- */

void il__held_restore(struct il_run *run, bool lease, struct il_str id, bool held, bool foreign)
{
    struct il__held *h = lease ? &run->leased : &run->reserved;
    memset(h, 0, sizeof *h);
    h->held = held;
    h->foreign = foreign;
    if (id.len) keep_id(run, h, id);
}

enum il_code il__hold_restore(struct il_run *run, bool lease, struct il_str body, int64_t ttl_ms,
                              struct il__now arrived, const char *boot_id, struct il_error *err)
{
    struct il__mem *mem = run->engine->mem;
    if (lease) {
        enum il_code code = il__decode_text(&il__lease_schema, mem, body, &run->lease_doc, &run->lease, err);
        if (!code) set_lease(run, ttl_ms, arrived, boot_id);
        return code;
    }
    enum il_code code = il__decode_text(&il__reservation_schema, mem, body, &run->reservation_doc, &run->reservation,
                                        err);
    if (!code) set_reservation(run, ttl_ms, arrived, boot_id);
    return code;
}

/* ---- giving back ---- */

static const char *const GONE[] = { "lease_not_active", "reservation_not_active" };

static bool gone_already(const struct il__answer_in *answer)
{
    if (answer->code != IL_RUNTIME) return false;
    for (size_t i = 0; i < sizeof GONE / sizeof *GONE; i++)
        if (il__str_eq(answer->reason, il__str(GONE[i]))) return true;
    return false;
}

void il__released(struct il_run *run, bool lease, const struct il__answer_in *answer)
{
    struct il_error err = IL_ERROR_INIT;
    struct il__held *held = lease ? &run->leased : &run->reserved;
    const char *what = lease ? "control lease" : "target reservation";
    bool ok = answer->code == IL_OK || gone_already(answer);
    if (ok) held->held = false;
    else {
        il__op_failed(run, what, "release", answer, &err);
        il__error_step(&err, il_op_name(lease ? IL_OP_RELEASE_LEASE : IL_OP_RELEASE_TARGET));
        il__error_cleanup(&run->error, &err);
        held->held = false; /* one attempt; it stands in the result */
        run->release_failed = true;
    }
    const struct il__tell told = { .object = il__str(what), .ok = ok, .text = ok ? IL_STR_NONE : il__str(err.message) };
    il__run_tell(run, IL_EVENT_RELEASED, &told);
    if (IL__NOTE(run, "released", IL_STR_NONE, &err, IL__TEXT("error", ok ? IL_STR_NONE : il__str(err.message)),
                 IL__TEXT("what", il__str(what))))
        il__error_cleanup(&run->error, &err);
}
