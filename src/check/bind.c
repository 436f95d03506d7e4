/* Binds what the runtime returned to what was asked (SPEC §3), see bind.h. Each function is one row of the table: its
 * checks in order, under the table's names. Must never repair, store or skip: the first difference refuses. */
#include "check/bind.h"

#include "check/boundary.h"
#include "check/show.h"

enum { LABELS_ANY_ORDER = 64 }; /* up to here labels may come back in another order; beyond, only in the one sent */

void il__check_envelope(struct il__checker *ck, const struct il__envelope *env, struct il_str own_digest,
                        struct il__instant now)
{
    struct il__instant proposed = { 0, 0 }, expires = { 0, 0 };
    il__checker_object(ck, "action envelope", IL_IDENTITY_MISMATCH);
    il__check_readable(ck, "proposed_at", env->proposed_at, &proposed);
    il__check_readable(ck, "expires_at", env->expires_at, &expires);
    il__check_later(ck, "expires_at", expires, proposed);
    il__check_later(ck, "expires_at", expires, now);
    il__check_present(ck, "args_digest", env->args_digest);
    if (il__str_present(own_digest)) il__check_equal(ck, "args_digest", own_digest, env->args_digest);
}

/* A part of the envelope that must come back as it was sent; absent and present are different. */
static void check_part(struct il__checker *ck, const char *field, const struct il__schema *schema, const void *sent,
                       const void *back)
{
    char want[IL__SHOW_MAX], got[IL__SHOW_MAX];
    struct il_str expected = IL_STR_NONE, actual = IL_STR_NONE;
    bool ok = il__equal(schema, sent, back);
    if (!ok) il__show_objects(schema, sent, back, want, got, &expected, &actual);
    il__check_that(ck, field, ok, expected, actual);
}

static size_t times(struct il__strs list, struct il_str s)
{
    size_t n = 0;
    for (size_t i = 0; i < list.count; i++) n += il__str_eq(list.items[i], s);
    return n;
}

/* The labels in the order sent; what stands between them is `credential`. */
static bool labels_in_order(struct il__strs sent, struct il__strs back)
{
    size_t i = 0;
    for (size_t j = 0; j < back.count; j++) {
        if (i < sent.count && il__str_eq(sent.items[i], back.items[j])) i++;
        else if (!il__str_eq(back.items[j], IL_STR("credential"))) return false;
    }
    return i == sent.count;
}

/* Each label as often as it was sent, but for at most one `credential` more. */
static bool labels_kept(struct il__strs sent, struct il__strs back)
{
    if (back.count != sent.count && back.count != sent.count + 1) return false;
    if (labels_in_order(sent, back)) return true;
    if (back.count > LABELS_ANY_ORDER) return false;
    for (size_t i = 0; i < back.count; i++) {
        size_t most = times(sent, back.items[i]) + (il__str_eq(back.items[i], IL_STR("credential")) ? 1 : 0);
        if (times(back, back.items[i]) > most) return false;
    }
    for (size_t i = 0; i < sent.count; i++)
        if (times(back, sent.items[i]) < times(sent, sent.items[i])) return false;
    return true;
}

static void check_labels(struct il__checker *ck, struct il__strs sent, struct il__strs back)
{
    static const struct il_str unknown = { "unknown", 7 }; /* what the runtime takes when none were sent */
    char want[IL__SHOW_MAX], got[IL__SHOW_MAX];
    if (!sent.items) sent = (struct il__strs){ &unknown, 1 };
    il__check_that(ck, "data_labels", labels_kept(sent, back), il__show_strs(sent, want), il__show_strs(back, got));
}

void il__check_echo(struct il__checker *ck, const struct il__envelope *env, const struct il__asked *asked)
{
    const struct il__proposal *proposal = asked->proposal;
    il__checker_object(ck, "action envelope", IL_IDENTITY_MISMATCH);
    il__check_equal(ck, "session_id", asked->session_id, env->session_id);
    il__check_equal(ck, "principal_id", asked->principal_id, env->principal_id);
    il__check_loose(ck, "agent_id", asked->agent_id, env->agent_id);
    il__check_loose(ck, "execution_group_id", asked->execution_group_id, env->execution_group_id);
    il__check_equal(ck, "action_id", asked->action_id, env->action_id);
    il__check_equal(ck, "tool", proposal->tool, env->tool);
    il__check_equal(ck, "operation", asked->operation, env->operation);
    il__check_that(ck, "requested_mode", proposal->mode == env->requested_mode,
                   il__show_name(il__mode_names, proposal->mode), il__show_name(il__mode_names, env->requested_mode));
    check_part(ck, "target", &il__target_schema, proposal->target, env->target);
    check_part(ck, "postcondition", &il__postcondition_schema, proposal->postcondition, env->postcondition);
    check_part(ck, "provenance", &il__provenance_schema, proposal->provenance, env->provenance);
    check_labels(ck, proposal->data_labels, env->data_labels);
}

static void check_budget(struct il__checker *ck, const struct il__lease *lease)
{
    char want[IL__SHOW_MAX], got[IL__SHOW_MAX];
    il__check_that(ck, "action_budget", lease->actions_used < lease->action_budget,
                   il__show_above(lease->actions_used, want), il__show_int(lease->action_budget, got));
}

void il__check_lease(struct il__checker *ck, const struct il__lease *lease, const struct il__envelope *env,
                     struct il__instant now)
{
    struct il__instant expires = { 0, 0 };
    il__checker_object(ck, "control lease", IL_IDENTITY_MISMATCH);
    il__check_equal(ck, "session_id", env->session_id, lease->session_id);
    il__check_equal(ck, "principal_id", env->principal_id, lease->principal_id);
    il__check_loose(ck, "agent_id", env->agent_id, lease->agent_id);
    il__check_that(ck, "execution_mode", env->requested_mode == lease->execution_mode,
                   il__show_name(il__mode_names, env->requested_mode),
                   il__show_name(il__mode_names, lease->execution_mode));
    il__check_state_active(ck, lease->state);
    check_budget(ck, lease);
    il__check_readable(ck, "expires_at", lease->expires_at, &expires);
    il__check_later(ck, "expires_at", expires, now);
    il__check_boundaries(ck, lease, env);
}

void il__check_reservation(struct il__checker *ck, const struct il__reservation *res, const struct il__envelope *env,
                           struct il__instant now)
{
    struct il__instant expires = { 0, 0 };
    il__checker_object(ck, "target reservation", IL_IDENTITY_MISMATCH);
    il__check_equal(ck, "session_id", env->session_id, res->session_id);
    il__check_equal(ck, "principal_id", env->principal_id, res->principal_id);
    il__check_loose(ck, "agent_id", env->agent_id, res->agent_id);
    il__check_loose(ck, "execution_group_id", env->execution_group_id, res->execution_group_id);
    il__check_equal(ck, "intent_id", env->action_id, res->intent_id);
    il__check_state_active(ck, res->state);
    il__check_readable(ck, "expires_at", res->expires_at, &expires);
    il__check_later(ck, "expires_at", expires, now);
    il__check_that(ck, "target", env->target != NULL, IL_STR("present"), env->target ? IL_STR("present") : IL_STR_NONE);
    if (!env->target) return;
    il__check_equal(ck, "scope.app_id", env->target->app_id, res->scope->app_id);
    il__check_window(ck, "scope.window_id", env->target->window_id, res->scope->window_id);
}

void il__check_receipt(struct il__checker *ck, const struct il__receipt *receipt, const struct il__envelope *env)
{
    il__checker_object(ck, "execution receipt", IL_IDENTITY_MISMATCH);
    il__check_equal(ck, "session_id", env->session_id, receipt->session_id);
    il__check_equal(ck, "action_id", env->action_id, receipt->action_id);
    il__check_equal(ck, "action_digest", env->args_digest, receipt->action_digest);
}
