/* The engine for tests (kit.h). The arguments of its action hold a capital letter, so that the runtime's digest rule
 * cannot be computed and a fixed digest serves. */
#include "kit.h"

#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const int kit_reference[] = { IL__VERB_OBSERVE, IL__VERB_PREVIEW, IL__VERB_APPROVAL, IL__VERB_RESERVE, IL__VERB_LEASE,
                              IL__VERB_EXECUTE, IL__VERB_VERIFY, -1 };

static void read_clock(void *ctx, struct il_clock_reading *out)
{
    const struct kit *k = ctx;
    *out = (struct il_clock_reading){ k->wall_sec + k->boot_ms / 1000, (int32_t)(k->boot_ms % 1000) * 1000000,
                                      k->boot_ms * 1000000 };
}

static int read_random(void *ctx, void *buf, size_t len)
{
    struct kit *k = ctx;
    for (size_t i = 0; i < len; i++) {
        k->random = k->random * 1664525u + 1013904223u;
        ((uint8_t *)buf)[i] = (uint8_t)(k->random >> 24);
    }
    return 0;
}

/* ---- the workflow ---- */

static enum il__workflow_event resume(void *self, struct il__ask *ask, struct il_error *err)
{
    struct kit *k = self;
    (void)err;
    if (k->ask_at >= k->ask_count) return IL__WF_RETURNED;
    ask->verb = k->asks[k->ask_at++];
    if (ask->verb == IL__VERB_EXECUTE && k->before_execute) k->before_execute(k);
    if (ask->verb == IL__VERB_OBSERVE) ask->see = 7;
    return IL__WF_ASKS;
}

static void close_workflow(void *self)
{
    ((struct kit *)self)->ask_at = 0;
}

static const struct il__workflow_ops WORKFLOW = { resume, close_workflow };

static enum il_code open_workflow(void *ctx, struct il_run *run, struct il_str name, struct il_str source,
                                  const struct il__workflow_ops **ops, void **self, struct il_error *err)
{
    (void)run;
    (void)name;
    (void)source;
    (void)err;
    ((struct kit *)ctx)->ask_at = 0;
    *ops = &WORKFLOW;
    *self = ctx;
    return IL_OK;
}

void kit_workflow(struct kit *k, const int *verbs)
{
    for (k->ask_count = 0; verbs[k->ask_count] >= 0; k->ask_count++)
        k->asks[k->ask_count] = (enum il__verb)verbs[k->ask_count];
}

/* ---- the policy ---- */

static enum il_code evaluate(void *ctx, const struct il__scene *scene, struct il__said_list *out, struct il_error *err)
{
    struct kit *k = ctx;
    const enum il__phase phase = scene->phase;
    (void)err;
    k->asked[phase]++;
    if (phase == IL__PHASE_EXECUTE) k->boot_ms += k->execute_takes_ms;
    struct il__said *said = il__arena_alloc(out->arena, sizeof *said);
    if (!said) return IL_OUT_OF_MEMORY;
    *said = (struct il__said){ .verdict = k->policy_fails[phase] ? IL__VERDICT_DENY : k->says[phase],
                               .error = k->policy_fails[phase], .level = k->level, .policy = IL_STR("kit/policy"),
                               .reason = IL_STR("the kit says so"), .approvers = k->approvers ? k->approvers : 1 };
    out->items = said;
    out->count = 1;
    return IL_OK;
}

/* ---- the runtime ---- */

static const char *const TEMPLATES[IL_OP_COUNT] = {
    [IL_OP_DISCOVER_CAPABILITIES] = "{\"capabilities\":[]}",
    [IL_OP_OBSERVE_VISUAL] = "{\"image\":\"AAAA\"}",
    [IL_OP_OBSERVE_SEMANTIC] = "{\"windows\":[]}",
    [IL_OP_PREVIEW_ACTION] =
        "{\"envelope\":{\"actionId\":\"$A\",\"sessionId\":\"s-1\",\"principalId\":\"p-1\",\"agentId\":\"agent-1\","
        "\"executionGroupId\":\"group-1\",\"tool\":\"write_clipboard\",\"operation\":\"write_clipboard\","
        "\"actionClass\":\"edit_reversible\",\"requestedMode\":\"$M\",\"target\":$T,\"postcondition\":$P,"
        "\"dataLabels\":[\"unknown\"],"
        "\"reversible\":true,\"externalSideEffect\":false,\"proposedAt\":\"2026-11-30T18:00:00.000Z\","
        "\"expiresAt\":\"2026-11-30T18:05:00.000Z\",\"argsDigest\":\"" KIT_ACTION_DIGEST "\"},\"executable\":true,"
        "\"policy\":{\"decision\":\"allow\",\"policyDigest\":\"" KIT_POLICY_DIGEST "\",\"reasons\":[\"allow\"]},"
        "\"capability\":{\"appId\":\"*\",\"operation\":\"write_clipboard\",\"backend\":\"none\","
        "\"supportedModes\":[\"background\"],\"interference\":\"none\",\"confidence\":1,\"verificationSource\":"
        "\"rule\"}}",
    [IL_OP_RESERVE_TARGET] =
        "{\"reservationId\":\"res-1\",\"revision\":1,\"intentId\":\"$A\",\"sessionId\":\"s-1\",\"principalId\":\"p-1\","
        "\"executionGroupId\":\"group-1\",\"agentId\":\"agent-1\",\"scope\":{\"appId\":\"org.example.Editor\","
        "\"windowId\":7},"
        "\"state\":\"active\",\"acquiredAt\":\"2026-11-30T18:00:00Z\",\"expiresAt\":\"2026-11-30T18:00:30Z\"}",
    [IL_OP_RELEASE_TARGET] = "null",
    [IL_OP_ACQUIRE_LEASE] =
        "{\"leaseId\":\"lease-1\",\"revision\":1,\"sessionId\":\"s-1\",\"principalId\":\"p-1\",\"agentId\":\"agent-1\","
        "\"kind\":\"cooperative\",\"executionMode\":\"background\",\"state\":\"active\",\"acquiredAt\":\"2026-11-30T18:"
        "00:00Z\","
        "\"expiresAt\":\"2026-11-30T18:00:30Z\",\"actionBudget\":1,\"actionsUsed\":0}",
    [IL_OP_RELEASE_LEASE] = "null",
    [IL_OP_EXECUTE_ACTION] =
        "{\"receiptId\":\"rec-1\",\"sessionId\":\"s-1\",\"actionId\":\"$A\",\"actionDigest\":\"" KIT_ACTION_DIGEST "\","
        "\"attempt\":1,\"status\":\"committed\",\"result\":{\"ok\":true}}",
    [IL_OP_VERIFY] = "{\"satisfied\":true}",
    [IL_OP_RECOVER] = "\"unknown\"",
    [IL_OP_PAUSE_SESSION] = "null",
    [IL_OP_STOP_SESSION] = "null",
    [IL_OP_EMERGENCY_STOP] = "null",
};

static void replace(char *buf, size_t cap, const char *from, const char *to)
{
    char out[16384];
    char *at = strstr(buf, from);
    if (!at) return;
    size_t before = (size_t)(at - buf);
    int n = snprintf(out, sizeof out, "%.*s%s%s", (int)before, buf, to, at + strlen(from));
    if (n > 0 && (size_t)n < cap) memcpy(buf, out, (size_t)n + 1);
}

static struct kit_bend *bend_of(struct kit *k, enum il_op op)
{
    for (size_t i = 0; i < k->bend_count; i++) {
        struct kit_bend *b = &k->bends[i];
        if (b->op == op && (b->nth == 0 || b->nth == k->calls[op])) return b;
    }
    return NULL;
}

/* Over memory of its own: the runtime is somebody else. */
static void fill(struct kit *k, enum il_op op, char *body, size_t cap)
{
    struct il__mem own;
    const struct il__target *target = k->run ? k->run->proposal.target : NULL;
    const struct il__postcondition *pc = k->run ? k->run->proposal.postcondition : NULL;
    char text[2048];
    struct il__buf buf;
    struct il__json_writer w;
    snprintf(body, cap, "%s", TEMPLATES[op]);
    if (!k->run) return;
    if (op == IL_OP_PREVIEW_ACTION && k->extra_member) {
        char with[200];
        snprintf(with, sizeof with, "\"reversible\":true%s", k->extra_member);
        replace(body, cap, "\"reversible\":true", with);
    }
    replace(body, cap, "$A", k->run->action_id);
    replace(body, cap, "$M", il__mode_names[k->run->proposal.mode]);
    il__mem_init(&own, NULL, NULL, 0);
    il__buf_init(&buf, &own, 0);
    il__jw_init(&w, &buf);
    if (target) il__encode(&il__target_schema, target, &w);
    snprintf(text, sizeof text, "%s", target ? buf.ptr : "null");
    replace(body, cap, "$T", text);
    il__buf_reset(&buf);
    il__jw_init(&w, &buf);
    if (pc) il__encode(&il__postcondition_schema, pc, &w);
    snprintf(text, sizeof text, "%s", pc ? buf.ptr : "null");
    replace(body, cap, "$P", text);
    il__buf_clear(&buf);
}

/* The runtime has done what it did, whether or not there is memory to hear of it. */
static enum il_code complete(struct kit *k, const struct il__answer_in *answer)
{
    struct il_error err = IL_ERROR_INIT;
    if (il__engine_complete(&k->engine, answer, &err)) k->lost++;
    return IL_OK;
}

static enum il_code act(void *self, const struct il_request *request, struct il__permit *permit, struct il_error *err)
{
    struct kit *k = self;
    char body[16384];
    enum il_op op = request->op;
    if (permit && k->queues && k->queued_count < 2) {
        k->queued[k->queued_count++] = *permit;
    } else if (permit) {
        enum il_code code = il__permit_spend(permit, err);
        if (code) return code;
    }
    k->calls[op]++;
    if (k->order_count < KIT_CALLS) k->order[k->order_count++] = (int)op;
    if (op == IL_OP_EXECUTE_ACTION)
        snprintf(k->last_execute, sizeof k->last_execute, "%.*s", (int)request->body.len, request->body.ptr);
    const struct kit_bend *bend = bend_of(k, op);
    bool answers = !bend || (!bend->never && !bend->fail);
    if (op == IL_OP_EXECUTE_ACTION && (answers || k->acts_when_lost)) k->effects++;
    if (bend && bend->never) return IL_OK;
    struct il__answer_in answer = { request->token, IL_OK, IL_STR_NONE, IL_STR_NONE, IL_STR_NONE, false };
    if (bend && bend->fail) {
        answer.code = bend->fail;
        answer.unsent = bend->unsent;
        answer.reason = il__str(bend->reason ? bend->reason : "kit");
        return complete(k, &answer);
    }
    fill(k, op, body, sizeof body);
    if (bend && bend->from) replace(body, sizeof body, bend->from, bend->to);
    else if (bend) snprintf(body, sizeof body, "%s", bend->to);
    if (k->run) replace(body, sizeof body, "$A", k->run->action_id);
    answer.body = il__str(body);
    return complete(k, &answer);
}

static enum il_code begin(void *self, const struct il_request *request, struct il__permit *permit, struct il_error *err)
{
    struct kit *k = self;
    enum il_op op = request->op;
    if (k->at_begin) k->at_begin(k, op, false);
    enum il_code code = act(self, request, permit, err);
    if (k->at_begin) k->at_begin(k, op, true);
    return code;
}

static const struct il__runtime_ops OPS = { begin, NULL, NULL, NULL, NULL };

/* ---- open, start, go ---- */

void kit_open(struct kit *k)
{
    struct il_error err = IL_ERROR_INIT;
    const struct il_host_options defaults = IL_HOST_OPTIONS_INIT;
    memset(k, 0, sizeof *k);
    k->wall_sec = 1796061600; /* 2026-11-30T18:00:00Z less the milliseconds of boot below */
    k->boot_ms = 1;
    il__mem_init(&k->mem, NULL, NULL, 0);
    k->options = defaults;
    k->options.clock = read_clock;
    k->options.clock_ctx = k;
    k->options.random = read_random;
    k->options.random_ctx = k;
    k->options.max_moving_runs = 4;
    k->options.lease_wait_ms = 10000;
    k->options.request_timeout_ms = 30000;
    k->options.envelope_ttl_ms = 300000;
    k->options.lease_ttl_ms = 30000;
    k->options.reservation_ttl_ms = 30000;
    k->options.approval_timeout_ms = 86400000;
    if (il__engine_init(&k->engine, &k->mem, &k->options, &err)) {
        printf("Bail out! %s\n", err.message);
        exit(1);
    }
    k->engine.runtime = (struct il__runtime){ &OPS, k, "inprocess", "kit", 0xffffffffu };
    k->engine.workflows = (struct il__workflows){ NULL, open_workflow, k };
    k->engine.policies = (struct il__policies){ .evaluate = evaluate, .ctx = k };
    k->level = IL__LEVEL_HARD;
    kit_workflow(k, kit_reference);
}

void kit_close(struct kit *k)
{
    il__engine_clear(&k->engine);
    tap_ok(k->mem.in_use_bytes == 0, "nothing is left in memory (%zu bytes)", k->mem.in_use_bytes);
}

static const char *const SCOPES[] = { "computer:plan", "computer:execute:background" };

struct il_run *kit_start(struct kit *k, const char *proposal)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_run_options o = IL_RUN_OPTIONS_INIT;
    const struct il_str scopes[] = { il__str(SCOPES[0]), il__str(SCOPES[1]) };
    o.proposal = il__str(proposal ? proposal : "{\"tool\":\"write_clipboard\",\"arguments\":{\"Text\":\"hi\"}}");
    o.principal = IL_STR("p-1");
    o.session_id = IL_STR("s-1");
    o.agent_id = IL_STR("agent-1");
    o.execution_group_id = IL_STR("group-1");
    o.scopes = scopes;
    o.scope_count = 2;
    o.identity_expires_at = il__str(k->identity_expires_at);
    k->run = NULL;
    if (il__run_new(&k->engine, &o, &k->run, &err)) tap_note("%s", err.message);
    return k->run;
}

void kit_go(struct kit *k)
{
    struct il_tick tick = { .size = sizeof tick };
    struct il_error err = IL_ERROR_INIT;
    for (int i = 0; i < 1000; i++) {
        if (il__engine_tick(&k->engine, 0, &tick, &err)) tap_note("%s", err.message);
        if (!tick.more) return;
    }
    tap_ok(false, "the engine comes to rest");
}

void kit_advance(struct kit *k, int64_t ms)
{
    k->boot_ms += ms;
    for (int i = 0; i < 4; i++) kit_go(k);
}

void kit_bend(struct kit *k, struct kit_bend bend)
{
    k->bends[k->bend_count++] = bend;
}

const char *kit_status(const struct kit *k)
{
    struct il_summary s = { .size = sizeof s };
    il__run_summary(k->run, &s);
    return s.status;
}

struct il_error kit_error(const struct kit *k)
{
    return k->run->error;
}

/* ---- what tests share ---- */

const char *const kit_targeted =
"{\"tool\":\"write_clipboard\",\"arguments\":{\"Text\":\"hi\"},\"target\":{\"platform\":\"linux\","
    "\"appId\":\"org.example.Editor\",\"windowId\":7,\"displayId\":\"1\",\"observationId\":\"o-1\",\"confidence\":1,"
    "\"capturedAt\":\"2026-11-30T18:00:00Z\"}}";

const char *const kit_postcondition =
    "{\"tool\":\"write_clipboard\",\"arguments\":{\"Text\":\"hi\"},"
                                         "\"postcondition\":{\"kind\":\"window\",\"windowId\":7,"
                                         "\"exists\":true}}";

const struct kit_bend kit_asks = { .op = IL_OP_PREVIEW_ACTION, .from = "\"executable\":true",
                                      .to = "\"executable\":false,\"blocker\":\"approval_required\"" };

void kit_counts(const struct kit *k, int effects, int reserved, int released, const char *what)
{
    tap_int(k->effects, effects, "%s: effects", what);
    tap_int(k->calls[IL_OP_RESERVE_TARGET], reserved, "%s: reservations asked", what);
    tap_int(k->calls[IL_OP_RELEASE_TARGET], released, "%s: reservations released", what);
}

void kit_play(struct kit *k, const char *proposal, const struct kit_bend *bends, size_t count)
{
    kit_open(k);
    for (size_t i = 0; i < count; i++) kit_bend(k, bends[i]);
    kit_start(k, proposal);
    kit_go(k);
}

void kit_answer(struct kit *k, const char *authority, const char *action, const char *policy, enum il_code want,
                   const char *what)
{
    char json[1024];
    struct il_error err = IL_ERROR_INIT;
    snprintf(json, sizeof json, "{\"requestId\":\"%s\",\"actionDigest\":\"%s\",\"policyDigest\":\"%s\"%s}",
             k->run->wait.request_id, action, policy, authority);
    enum il_code code = il__run_answer(k->run, il__str(json), true, &err);
    tap_str(il__str(il_code_name(code)), il_code_name(want), "%s (%s)", what, err.message);
    kit_go(k);
}

uint64_t kit_token(const struct kit *k, enum il_op op)
{
    for (size_t i = 0; i < k->engine.op_cap; i++)
        if (k->engine.ops[i].token && k->engine.ops[i].op == op) return k->engine.ops[i].token;
    return 0;
}
