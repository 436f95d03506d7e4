/* See check_kit.h. */
#include "check_kit.h"

#include "tap.h"

#include <stdio.h>

static void remember(void *ctx, const struct il__check_seen *seen)
{
    struct kit *kit = ctx;
    size_t len = strlen(kit->trace);
    snprintf(kit->trace + len, sizeof kit->trace - len, "%s%s ", seen->field, seen->ok ? "" : "!");
}

static void fill_envelope(struct kit *kit)
{
    kit->rect = (struct il__bounds){ 100, 80.5, 800, 600 };
    kit->target = (struct il__target){
        .platform = S("linux"), .app_id = S("org.example.Editor"), .pid = { true, 4242 },
        .window_id = { IL__WINDOW_TOKEN, IL_STR_NONE, 42 }, .display_id = S("display-1"), .bounds = &kit->rect,
        .observation_id = S("observation-1"), .confidence = 0.95, .captured_at = S("2026-11-30T18:00:00Z"),
    };
    kit->sent_target = kit->target;
    kit->post = (struct il__postcondition){ .kind = IL__PC_WINDOW, .exists = true, .window_id = 42 };
    kit->sent_post = kit->post;
    kit->list[0] = S("observation-1");
    kit->prov = (struct il__provenance){ false, { kit->list, 1 }, { true, false } };
    kit->sent_prov = kit->prov;
    kit->list[1] = S("private");
    kit->env = (struct il__envelope){
        .action_id = S("action-1"), .session_id = S("session-1"), .execution_group_id = S("group-1"),
        .principal_id = S("operator-1"), .agent_id = S("agent-1"), .tool = S("set_value"),
        .operation = S("set_value"), .action_class = IL__CLASS_EDIT_REVERSIBLE, .requested_mode = IL__MODE_FOREGROUND,
        .target = &kit->target, .provenance = &kit->prov, .data_labels = { &kit->list[1], 1 },
        .postcondition = &kit->post, .reversible = true, .proposed_at = S("2026-11-30T18:00:00Z"),
        .expires_at = S("2026-11-30T18:01:00Z"), .args_digest = S("digest-1"),
    };
    kit->own_digest = S("digest-1");
}

static void fill_asked(struct kit *kit)
{
    kit->proposal = (struct il__proposal){
        .tool = S("set_value"), .mode = IL__MODE_FOREGROUND, .target = &kit->sent_target,
        .postcondition = &kit->sent_post, .data_labels = { &kit->list[1], 1 }, .provenance = &kit->sent_prov,
    };
    kit->asked = (struct il__asked){
        .session_id = S("session-1"), .principal_id = S("operator-1"), .agent_id = S("agent-1"),
        .execution_group_id = S("group-1"), .action_id = S("action-1"), .operation = S("set_value"),
        .proposal = &kit->proposal,
    };
}

static void fill_answers(struct kit *kit)
{
    kit->lease = (struct il__lease){
        .lease_id = S("lease-1"), .revision = 1, .session_id = S("session-1"), .principal_id = S("operator-1"),
        .agent_id = S("agent-1"), .kind = S("cooperative"), .execution_mode = IL__MODE_FOREGROUND,
        .state = S("active"), .expires_at = S("2026-11-30T18:01:00Z"), .action_budget = 1, .boundaries = &kit->bounds,
    };
    kit->scope = (struct il__reservation_scope){ S("org.example.Editor"), { IL__WINDOW_TOKEN, IL_STR_NONE, 42 } };
    kit->res = (struct il__reservation){
        .reservation_id = S("reservation-1"), .revision = 1, .intent_id = S("action-1"), .session_id = S("session-1"),
        .principal_id = S("operator-1"), .execution_group_id = S("group-1"), .agent_id = S("agent-1"),
        .scope = &kit->scope, .state = S("active"), .acquired_at = S("2026-11-30T18:00:00Z"),
        .expires_at = S("2026-11-30T18:01:00Z"),
    };
    kit->receipt = (struct il__receipt){
        .receipt_id = S("receipt-1"), .session_id = S("session-1"), .action_id = S("action-1"),
        .action_digest = S("digest-1"), .attempt = 1, .status = IL__RECEIPT_COMMITTED,
    };
    kit->policy_digest = S("policy-1");
    kit->grant = (struct il__grant){
        .grant_id = S("grant-1"), .scope = IL__GRANT_EXACT_ACTION, .principal_id = S("operator-1"),
        .session_id = S("session-1"), .action_digest = S("digest-1"), .scope_digest = S("digest-1"),
        .policy_digest = S("policy-1"), .tool = S("set_value"), .operation = S("set_value"),
        .action_class = IL__CLASS_EDIT_REVERSIBLE, .mode = IL__MODE_FOREGROUND,
        .issued_at = S("2026-11-30T18:00:00Z"), .expires_at = S("2026-11-30T18:01:00Z"), .remaining_uses = 1,
    };
}

void kit_init(struct kit *kit)
{
    memset(kit, 0, sizeof *kit);
    if (!il__rfc3339_parse(S("2026-11-30T18:00:30Z"), &kit->now, NULL)) tap_ok(false, "the kit's time is readable");
    fill_envelope(kit);
    fill_asked(kit);
    fill_answers(kit);
    il__checker_init(&kit->ck, NULL, &kit->err, remember, kit);
}

void kit_passed(struct kit *kit, const char *what)
{
    enum il_code code = il__checker_end(&kit->ck);
    if (!tap_ok(code == IL_OK && kit->err.code == IL_OK, "%s", what)) tap_note("%s", kit->err.message);
}

void kit_refused(struct kit *kit, const char *object, const char *field, enum il_code code, const char *what)
{
    bool ok = il__checker_end(&kit->ck) == code && kit->err.code == code && strcmp(kit->err.object, object) == 0 &&
              strcmp(kit->err.field, field) == 0;
    if (tap_ok(ok, "%s: refused at %s", what, field)) return;
    tap_note("got %s, %s, %s; trace %s", il_code_name(kit->err.code), kit->err.object, kit->err.field, kit->trace);
}
