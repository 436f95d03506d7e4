/* A run for tests of src/script: documents instead of an engine. It defines the facts of run/facts.h itself, so a test
 * that includes this file meets no engine. Included by one .c file per program. */
#ifndef FAKE_RUN_H
#define FAKE_RUN_H

#include "base/error.h"
#include "base/limits.h"
#include "contract/lease.h"
#include "contract/receipt.h"
#include "contract/reservation.h"
#include "run/facts.h"
#include "tap.h"
#include "wire/digest.h"

#include <stdio.h>
#include <stdlib.h>

#define FAKE __attribute__((unused)) static

FAKE struct {
    struct il__mem mem;
    struct il__clock clock;
    struct il__digest *digest;
    struct il_clock_reading time;
    struct il__json docs[8];
    struct il__any observed[3];
    struct il__proposal proposal;
    struct il__preview preview;
    struct il__reservation reservation;
    struct il__lease lease;
    struct il__receipt receipt;
    struct il__outcome_detail outcome;
    bool has_preview, blocked, waits, has_reservation, has_lease, has_receipt, has_outcome;
    struct il_str reason;
    struct il_run run; /* only its address is used */
    char log[4000];
} fake;

FAKE const char fake_proposal[] =
    "{\"tool\":\"write_clipboard\",\"arguments\":{\"text\":\"hi\",\"list\":[1,2]},\"mode\":\"background\"}";
FAKE const char fake_preview[] =
    "{\"envelope\":{\"actionId\":\"action-1\",\"sessionId\":\"session-1\",\"principalId\":\"local-operator\","
    "\"tool\":\"write_clipboard\",\"operation\":\"write_clipboard\",\"actionClass\":\"edit_reversible\","
    "\"requestedMode\":\"background\",\"dataLabels\":[\"unknown\"],\"reversible\":true,\"externalSideEffect\":false,"
    "\"proposedAt\":\"2026-11-30T18:00:00.000Z\",\"expiresAt\":\"2026-11-30T18:05:00.000Z\",\"argsDigest\":\"abc\"},"
    "\"executable\":true,\"policy\":{\"decision\":\"allow\",\"policyDigest\":\"sha256:p\",\"reasons\":[\"allow\"],"
    "\"grantId\":\"secret-grant\"},\"capability\":{\"appId\":\"*\",\"operation\":\"write_clipboard\",\"backend\":"
    "\"none\","
    "\"supportedModes\":[\"background\"],\"interference\":\"none\",\"confidence\":1,\"verificationSource\":\"rule\"}}";
FAKE const char fake_reservation[] =
    "{\"reservationId\":\"res-1\",\"revision\":1,\"intentId\":\"action-1\",\"sessionId\":\"session-1\",\"principalId\":"
    "\"local-operator\",\"scope\":{\"appId\":\"a\"},\"state\":\"active\",\"acquiredAt\":\"2026-11-30T18:00:00Z\","
    "\"expiresAt\":\"2026-11-30T18:01:00Z\"}";
FAKE const char fake_lease[] =
    "{\"leaseId\":\"sha256:masked\",\"revision\":1,\"sessionId\":\"session-1\",\"principalId\":\"local-operator\","
    "\"kind\":\"cooperative\",\"executionMode\":\"background\",\"state\":\"active\",\"expiresAt\":"
    "\"2026-11-30T18:01:00Z\",\"actionBudget\":1,\"actionsUsed\":0,\"boundaries\":{\"appIds\":[\"a\"]}}";
FAKE const char fake_receipt[] = "{\"receiptId\":\"rec-1\",\"sessionId\":\"session-1\",\"actionId\":\"action-1\","
                                 "\"actionDigest\":\"abc\",\"attempt\":1,"
                                 "\"status\":\"committed\",\"result\":{\"ok\":true}}";

FAKE void fake_time(void *ctx, struct il_clock_reading *out)
{
    (void)ctx;
    *out = fake.time;
}

FAKE void fake_decode(int doc, const struct il__schema *schema, const char *json, void *out)
{
    struct il_error err = IL_ERROR_INIT;
    if (il__decode_text(schema, &fake.mem, il__str(json), &fake.docs[doc], out, &err) == IL_OK) return;
    printf("Bail out! %s: %s at %s\n", schema->object, err.message, err.field);
    exit(1);
}

FAKE void fake_observe(int which, const char *json)
{
    struct il_error err = IL_ERROR_INIT;
    il__json_clear(&fake.docs[5 + which]);
    if (il__json_parse_copy(&fake.docs[5 + which], &fake.mem, il__str(json), IL__JSON_PAYLOAD, &err)) exit(1);
    fake.observed[which] = (struct il__any){ &fake.docs[5 + which], 0 };
}

/* A Monday, 18:00 UTC; a run whose every object is there. */
FAKE void fake_start(void)
{
    il__mem_init(&fake.mem, NULL, NULL, 0);
    fake.time = (struct il_clock_reading){ .wall_sec = 1796061600, .boot_ns = INT64_C(1000000000) };
    il__clock_init(&fake.clock, fake_time, NULL, NULL);
    fake.digest = il__digest_new(&fake.mem);
    fake_decode(0, &il__proposal_schema, fake_proposal, &fake.proposal);
    fake_decode(1, &il__preview_schema, fake_preview, &fake.preview);
    fake_decode(2, &il__reservation_schema, fake_reservation, &fake.reservation);
    fake_decode(3, &il__lease_schema, fake_lease, &fake.lease);
    fake_decode(4, &il__receipt_schema, fake_receipt, &fake.receipt);
    fake.outcome = (struct il__outcome_detail){ .outcome = IL__COMMITTED_UNVERIFIED, .committed = true,
                                                .status = "committed_unverified", .detail = "no postcondition" };
    fake.has_preview = fake.has_reservation = fake.has_lease = fake.has_receipt = fake.has_outcome = true;
}

/* True when nothing is left of what was taken. */
FAKE bool fake_end(void)
{
    for (size_t i = 0; i < sizeof fake.docs / sizeof fake.docs[0]; i++) il__json_clear(&fake.docs[i]);
    il__digest_free(fake.digest);
    return fake.mem.in_use_bytes == 0;
}

FAKE bool fake_contains(const char *text, const char *part)
{
    if (strstr(text, part)) return true;
    printf("# got: %s\n# without: %s\n", text, part);
    return false;
}

struct il__any il__facts_observed(const struct il_run *run, unsigned see)
{
    (void)run;
    return fake.observed[see == IL__SEE_CAPABILITIES ? 0 : see == IL__SEE_VISUAL ? 1 : 2];
}
const struct il__proposal *il__facts_proposal(const struct il_run *run) { (void)run; return &fake.proposal; }
const struct il__preview *il__facts_preview(const struct il_run *run)
{
    (void)run;
    return fake.has_preview ? &fake.preview : NULL;
}
enum il__route il__facts_route(const struct il_run *run)
{
    (void)run;
    return fake.blocked ? IL__ROUTE_BLOCKED : fake.waits ? IL__ROUTE_APPROVAL : IL__ROUTE_ALLOWED;
}
bool il__facts_blocked(const struct il_run *run) { (void)run; return fake.blocked; }
struct il_str il__facts_block_reason(const struct il_run *run) { (void)run; return fake.reason; }
bool il__facts_waits(const struct il_run *run) { (void)run; return fake.waits; }
const struct il__reservation *il__facts_reservation(const struct il_run *run)
{
    (void)run;
    return fake.has_reservation ? &fake.reservation : NULL;
}
const struct il__lease *il__facts_lease(const struct il_run *run)
{
    (void)run;
    return fake.has_lease ? &fake.lease : NULL;
}
const struct il__receipt *il__facts_receipt(const struct il_run *run)
{
    (void)run;
    return fake.has_receipt ? &fake.receipt : NULL;
}
const struct il__outcome_detail *il__facts_outcome(const struct il_run *run)
{
    (void)run;
    return fake.has_outcome ? &fake.outcome : NULL;
}
struct il_str il__facts_id(const struct il_run *run) { (void)run; return IL_STR("run-1"); }
struct il_str il__facts_action_id(const struct il_run *run) { (void)run; return IL_STR("action-1"); }
struct il_str il__facts_session_id(const struct il_run *run) { (void)run; return IL_STR("session-1"); }
struct il_str il__facts_principal(const struct il_run *run) { (void)run; return IL_STR("local-operator"); }
struct il_str il__facts_agent(const struct il_run *run) { (void)run; return IL_STR_NONE; }
struct il__instant il__facts_now(const struct il_run *run) { (void)run; return il__clock_now(&fake.clock).wall; }

/* What policies are asked about, of the same documents. */
FAKE const struct il__scene *fake_scene(enum il__phase phase, const struct il__vote *vote)
{
    static struct il__scene scene;
    const struct il__preview *preview = phase == IL__PHASE_PROPOSE ? NULL : il__facts_preview(NULL);
    scene = (struct il__scene){
        .phase = phase, .run_id = il__facts_id(NULL), .session_id = il__facts_session_id(NULL),
        .principal = il__facts_principal(NULL), .proposal = &fake.proposal, .preview = preview,
        .route = il__facts_route(NULL), .block_reason = preview ? fake.reason : IL_STR_NONE,
        .lease = phase == IL__PHASE_EXECUTE ? il__facts_lease(NULL) : NULL,
        .vote = phase == IL__PHASE_APPROVE ? vote : NULL, .now = il__facts_now(NULL),
    };
    return &scene;
}

void il__facts_log(struct il_run *run, struct il_str line)
{
    (void)run;
    size_t len = strlen(fake.log);
    snprintf(fake.log + len, sizeof fake.log - len, "%.*s|", IL_STR_FMT(line));
}

#endif
