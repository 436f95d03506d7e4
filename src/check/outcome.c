/* What became of an action (SPEC §7), see outcome.h. Reads the receipt, the evidence and the session's events as data.
 * Must never take the absence of evidence for success, and must never let good evidence outweigh a contradiction. */
#include "check/outcome.h"

#include "base/error.h"

#include <stdio.h>

const char *const il__outcome_names[] = { "Failed", "CommittedUnverified", "Verified", NULL };

/* One piece of evidence, judged. */
struct judged {
    enum il__outcome outcome;
    const char *why; /* static; what keeps it from Verified */
};

/* A member with the right type, else 0: a wrongly typed member counts as absent. */
static uint32_t member(struct il__any object, const char *name, enum il__json_kind kind)
{
    uint32_t at = il__json_get(object.doc, object.at, name);
    return at && il__json_kind(object.doc, at) == kind ? at : 0;
}

static bool is_object(struct il__any value)
{
    return value.doc && il__json_kind(value.doc, value.at) == IL__JSON_OBJECT;
}

/* The member's text; false when it is absent or of another type. Text that cannot be read equals nothing. */
static bool member_text(struct il__any object, const char *name, struct il_str *out)
{
    uint32_t at = member(object, name, IL__JSON_STRING);
    if (!at) return false;
    if (il__json_string(object.doc, at, out, NULL) != IL_OK) *out = IL_STR("");
    return true;
}

static struct judged judge(const struct il__postcondition *declared, struct il__any verification)
{
    struct il_str observed = IL_STR_NONE;
    if (!declared) return (struct judged){ IL__COMMITTED_UNVERIFIED, "no postcondition was declared" };
    if (!is_object(verification)) return (struct judged){ IL__COMMITTED_UNVERIFIED, "no verification evidence" };
    if (member(verification, "satisfied", IL__JSON_FALSE))
        return (struct judged){ IL__FAILED, "the evidence says that the postcondition does not hold" };
    struct il_str digest = il__postcondition_digest(declared);
    if (il__str_present(digest)) {
        if (!member_text(verification, "observedDigest", &observed))
            return (struct judged){ IL__COMMITTED_UNVERIFIED, "a digest is declared and the evidence observed none" };
        if (il__str_eq(digest, observed)) return (struct judged){ IL__VERIFIED, "" };
        return (struct judged){ IL__FAILED, "the observed digest differs from the declared one" };
    }
    if (member(verification, "satisfied", IL__JSON_TRUE)) return (struct judged){ IL__VERIFIED, "" };
    return (struct judged){ IL__COMMITTED_UNVERIFIED, "the evidence does not say that the postcondition holds" };
}

enum il__outcome il__outcome_of_evidence(const struct il__postcondition *declared, struct il__any verification)
{
    return judge(declared, verification).outcome;
}

/* Any Failed fails; else any Verified verifies. Of two that say neither, the one with evidence explains more. */
static struct judged join(struct judged a, struct judged b, bool b_has_evidence)
{
    if (a.outcome == IL__FAILED) return a;
    if (b.outcome == IL__FAILED) return b;
    if (a.outcome == IL__VERIFIED) return a;
    if (b.outcome == IL__VERIFIED) return b;
    return b_has_evidence ? b : a;
}

/* What the runtime's events call the state that a postcondition expects. */
static const char *expected_state(const struct il__postcondition *declared)
{
    if (declared->kind == IL__PC_PROCESS) return declared->running ? "running" : "not_running";
    return declared->exists ? "exists" : "absent";
}

static bool says(struct il__any payload, const char *name, const char *text)
{
    struct il_str got;
    return member_text(payload, name, &got) && il__str_eq(got, il__str(text));
}

/* A positive event that reads the declared postcondition back, as far as an event can. */
static bool event_proves(const struct il__postcondition *declared, struct il__any payload)
{
    static const char prefix[] = "postcondition.";
    struct il_str method;
    int64_t checks = 0;
    if (!declared || il__str_present(il__postcondition_digest(declared))) return false;
    if (!member_text(payload, "method", &method) || method.len < sizeof prefix - 1) return false;
    if (memcmp(method.ptr, prefix, sizeof prefix - 1) != 0) return false;
    if (!says(payload, "postconditionKind", il__pc_kind_names[declared->kind])) return false;
    if (!says(payload, "postconditionExpectedState", expected_state(declared))) return false;
    uint32_t at = member(payload, "checks", IL__JSON_INT);
    return at && il__json_int(payload.doc, at, &checks) && checks >= 1;
}

/* What the events of this action say together. */
struct heard {
    bool negative, proves;
    const struct il__event *positive; /* the last one; NULL: none */
};

static struct heard listen(const struct il__receipt *receipt, const struct il__postcondition *declared,
                           const struct il__event *const *events, size_t count)
{
    struct heard heard = { false, false, NULL };
    for (size_t i = 0; i < count; i++) {
        const struct il__event *event = events[i];
        if (!il__str_eq(event->type, IL_STR("action.verified"))) continue;
        if (!il__str_eq(event->session_id, receipt->session_id)) continue;
        if (!il__str_eq(event->action_id, receipt->action_id)) continue;
        if (!is_object(event->payload)) continue;
        if (member(event->payload, "verified", IL__JSON_FALSE)) heard.negative = true;
        if (!member(event->payload, "verified", IL__JSON_TRUE)) continue;
        heard.positive = event;
        heard.proves = heard.proves || event_proves(declared, event->payload);
    }
    return heard;
}

/* The reason, and what a positive event of the runtime said beside it. */
static void explain(char *detail, size_t cap, const char *why, const struct il__event *positive)
{
    char said[80] = "";
    struct il_str method;
    int64_t checks = 0;
    if (!positive) {
        snprintf(detail, cap, "%s", why);
        return;
    }
    if (member_text(positive->payload, "method", &method)) il__escape(said, sizeof said, method);
    uint32_t at = member(positive->payload, "checks", IL__JSON_INT);
    if (!at || !il__json_int(positive->payload.doc, at, &checks)) checks = 0;
    snprintf(detail, cap, "%s; the runtime's event action.verified says verified: true (method \"%s\", checks %lld)",
             why, said, (long long)checks);
}

static enum il_effect effect_of(int status)
{
    switch (status) {
    case IL__RECEIPT_COMMITTED: return IL_EFFECT_COMMITTED;
    case IL__RECEIPT_REJECTED: return IL_EFFECT_NONE;
    }
    return IL_EFFECT_UNKNOWN; /* interrupted, indeterminate */
}

static void settle(struct il__outcome_detail *out, enum il__outcome outcome)
{
    out->outcome = outcome;
    out->verified = outcome == IL__VERIFIED;
    out->committed = outcome != IL__FAILED;
    out->status = "verification_failed";
    if (outcome == IL__VERIFIED) out->status = "completed";
    if (outcome == IL__COMMITTED_UNVERIFIED) out->status = "committed_unverified";
}

/* `receipt.result.verification`, or absent. */
static struct il__any own_evidence(const struct il__receipt *receipt)
{
    struct il__any none = { NULL, 0 };
    if (!is_object(receipt->result)) return none;
    uint32_t at = il__json_get(receipt->result.doc, receipt->result.at, "verification");
    return at ? (struct il__any){ receipt->result.doc, at } : none;
}

struct il__outcome_detail il__outcome_of(const struct il__receipt *receipt, const struct il__postcondition *declared,
                                         struct il__any evidence, const struct il__event *const *events,
                                         size_t event_count, bool accept_server_verification)
{
    struct il__outcome_detail out = { .effect = effect_of(receipt->status) };
    out.retry_safe = out.effect == IL_EFFECT_NONE;
    settle(&out, IL__FAILED);
    if (receipt->status != IL__RECEIPT_COMMITTED) {
        bool known = receipt->status > IL__RECEIPT_COMMITTED && receipt->status < IL__RECEIPT_COUNT;
        snprintf(out.detail, sizeof out.detail, "the receipt's status is %s",
                 known ? il__receipt_status_names[receipt->status] : "unknown");
        return out;
    }
    struct heard heard = listen(receipt, declared, events, event_count);
    struct judged all = join(judge(declared, own_evidence(receipt)), judge(declared, evidence), is_object(evidence));
    if (heard.negative && all.outcome != IL__FAILED)
        all = (struct judged){ IL__FAILED, "the runtime's event action.verified says verified: false" };
    out.server_event = all.outcome == IL__COMMITTED_UNVERIFIED && heard.proves && accept_server_verification;
    if (out.server_event) all.outcome = IL__VERIFIED;
    settle(&out, all.outcome);
    if (!out.verified) explain(out.detail, sizeof out.detail, all.why, heard.positive);
    return out;
}
