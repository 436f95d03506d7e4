/* Documents without a run: decode one, check it against what it belongs to, compute an outcome, canonical text. */
#include "base/error.h"
#include "base/limits.h"
#include "check/approve.h"
#include "check/bind.h"
#include "check/outcome.h"
#include "host/host.h"
#include "run/record.h"
#include "run/result.h"
#include "wire/canon.h"

#include <string.h>

/* What `interlock check` offers; other kinds of documents decode under their schema's name, too. */
static const char *const KINDS[] = { "preview", "envelope", "lease", "reservation", "receipt", "approval", "grant",
                                     "postcondition", "sensitivity", "event", "session", "deletion", "safety",
                                     "evaluation", "outcome", "proposal", "target", "resource", "provenance",
                                     "capability", "policy_decision", "follow_up" };

const char *il_check_kind_at(size_t index)
{
    return index < sizeof KINDS / sizeof *KINDS ? KINDS[index] : NULL;
}

/* One call's objects; everything lives in its documents. */
struct checking {
    il_host *host;
    const struct il_check_options *options;
    struct il_error *err;
    struct il__instant now;
    struct il__json doc, envelope_doc, preview_doc;
    struct il__envelope envelope;
    struct il__preview preview;
    bool has_envelope, has_preview;
    union {
        struct il__preview preview;
        struct il__envelope envelope;
        struct il__lease lease;
        struct il__reservation reservation;
        struct il__receipt receipt;
        struct il__grant grant;
        struct il__answer answer;
        char other[1024];
    } object;
};

static bool is(const struct checking *c, const char *kind)
{
    return il__str_eq(c->options->kind, il__str(kind));
}

static struct il__checker checker(struct checking *c, const char *object, enum il_code code)
{
    struct il__checker ck;
    il__checker_init(&ck, object, c->err, il__engine_seen, &c->host->engine);
    ck.code = code;
    return ck;
}

/* ---- against what ---- */

static enum il_code canon_of(struct checking *c, struct il__json *doc, uint32_t at, struct il__buf *out)
{
    il__buf_init(out, &c->host->mem, 0);
    enum il_code code = il__canon(doc, at, out, c->err);
    return code ? code : il__buf_check(out, c->err);
}

/* I11 for whoever holds two envelopes: their canonical texts, unknown members included, are the same. */
static enum il_code same_envelope(struct checking *c, struct il__json *doc, uint32_t at)
{
    struct il__buf a, b;
    struct il__checker ck = checker(c, "action envelope", IL_IDENTITY_MISMATCH);
    enum il_code code = canon_of(c, &c->envelope_doc, 0, &a);
    if (!code) {
        code = canon_of(c, doc, at, &b);
        if (!code) il__check_equal(&ck, "envelope", il__buf_get(&a), il__buf_get(&b));
        il__buf_clear(&b);
    }
    il__buf_clear(&a);
    return code ? code : il__checker_end(&ck);
}

static enum il_code check_fresh(struct checking *c, const struct il__envelope *env)
{
    struct il__checker ck = checker(c, "action envelope", IL_IDENTITY_MISMATCH);
    il__check_envelope(&ck, env, IL_STR_NONE, c->now);
    return il__checker_end(&ck);
}

static enum il_code check_lease(struct checking *c)
{
    struct il__checker ck = checker(c, "control lease", IL_IDENTITY_MISMATCH);
    il__check_lease(&ck, &c->object.lease, &c->envelope, c->now);
    return il__checker_end(&ck);
}

static enum il_code check_reservation(struct checking *c)
{
    struct il__checker ck = checker(c, "target reservation", IL_IDENTITY_MISMATCH);
    il__check_reservation(&ck, &c->object.reservation, &c->envelope, c->now);
    return il__checker_end(&ck);
}

static enum il_code check_receipt(struct checking *c)
{
    struct il__checker ck = checker(c, "execution receipt", IL_IDENTITY_MISMATCH);
    il__check_receipt(&ck, &c->object.receipt, &c->envelope);
    return il__checker_end(&ck);
}

static enum il_code check_grant(struct checking *c)
{
    struct il__checker ck = checker(c, "approval grant", IL_APPROVAL_MISMATCH);
    il__check_grant(&ck, &c->object.grant, c->preview.envelope, c->preview.policy->policy_digest,
                    c->host->options.accept_standing_grants, c->now);
    return il__checker_end(&ck);
}

static enum il_code check_answer(struct checking *c)
{
    struct il__checker ck = checker(c, "approval", IL_APPROVAL_MISMATCH);
    struct il_str reason;
    bool grants = false;
    const struct il__wait_facts facts = {
        .action_digest = c->preview.envelope->args_digest,
        .policy_digest = c->preview.policy->policy_digest,
        .runtime_need =
            il__route_of(&c->preview, c->host->options.accept_standing_grants, &reason) == IL__ROUTE_APPROVAL,
    };
    il__check_answer(&ck, &c->object.answer, &facts, false, &grants);
    return il__checker_end(&ck);
}

static enum il_code check_object(struct checking *c)
{
    if (is(c, "preview")) {
        enum il_code code = check_fresh(c, c->object.preview.envelope);
        return code || !c->has_envelope ? code : same_envelope(c, &c->doc, c->object.preview.envelope_raw.at);
    }
    if (is(c, "envelope")) {
        enum il_code code = check_fresh(c, &c->object.envelope);
        return code || !c->has_envelope ? code : same_envelope(c, &c->doc, 0);
    }
    if (is(c, "lease") && c->has_envelope) return check_lease(c);
    if (is(c, "reservation") && c->has_envelope) return check_reservation(c);
    if ((is(c, "receipt") || is(c, "outcome")) && c->has_envelope) return check_receipt(c);
    if (is(c, "grant") && c->has_preview) return check_grant(c);
    if (is(c, "approval") && c->has_preview) return check_answer(c);
    return IL_OK;
}

/* ---- what comes out ---- */

static void write_outcome(struct checking *c, struct il__json_writer *w)
{
    const struct il__any none = { NULL, 0 };
    struct il__outcome_detail d = il__outcome_of(&c->object.receipt, c->envelope.postcondition, none, NULL, 0,
                                                 c->host->options.accept_server_verification);
    il__jw_object(w);
    il__jw_member_z(w, "outcome", il__outcome_names[d.outcome]);
    il__jw_member_z(w, "status", d.status);
    il__jw_member_bool(w, "verified", d.verified);
    il__jw_member_bool(w, "committed", d.committed);
    il__jw_member_z(w, "effect", il_effect_name(d.effect));
    il__jw_member_bool(w, "retrySafe", d.retry_safe);
    il__jw_key(w, "result");
    il__jw_object(w);
    il__jw_member_z(w, "status", d.status);
    il__jw_member_str(w, "receiptId", c->object.receipt.receipt_id);
    il__jw_key(w, "verificationDetail");
    il__jw_str(w, d.verified ? IL_STR_NONE : il__str(d.detail));
    il__jw_object_end(w);
    il__jw_object_end(w);
}

static enum il_code write_out(struct checking *c, const struct il__schema *schema, struct il_str *out)
{
    struct il__buf plain;
    struct il__json_writer w;
    struct il__json doc = { 0 };
    il__buf_init(&plain, &c->host->mem, 0);
    il__jw_init(&w, &plain);
    if (is(c, "outcome")) write_outcome(c, &w);
    else il__encode(schema, &c->object, &w);
    enum il_code code = il__buf_check(&plain, c->err);
    il__buf_reset(&c->host->checked);
    if (!code) code = il__json_parse(&doc, &c->host->mem, il__buf_get(&plain), IL__JSON_PAYLOAD, c->err);
    if (!code && il__canon(&doc, 0, &c->host->checked, NULL)) { /* a value without canonical text: as it was written */
        il__buf_reset(&c->host->checked);
        il__buf_str(&c->host->checked, il__buf_get(&plain));
    }
    if (!code) code = il__buf_check(&c->host->checked, c->err);
    if (!code) *out = il__buf_get(&c->host->checked);
    il__json_clear(&doc);
    il__buf_clear(&plain);
    return code;
}

/* ---- what comes in ---- */

static enum il_code read_now(struct checking *c)
{
    const char *why = "";
    c->now = il__clock_now(&c->host->engine.clock).wall;
    if (!il__str_present(c->options->now) || il__rfc3339_parse(c->options->now, &c->now, &why)) return IL_OK;
    return il__fail_at(c->err, IL_INVALID_REQUEST, "check", "now", "not a time: %s", why);
}

static enum il_code read_others(struct checking *c)
{
    enum il_code code = read_now(c);
    if (!code && il__str_present(c->options->envelope)) {
        code = il__decode_text(&il__envelope_schema, &c->host->mem, c->options->envelope, &c->envelope_doc,
                               &c->envelope, c->err);
        c->has_envelope = !code;
    }
    if (!code && il__str_present(c->options->preview)) {
        code = il__decode_text(&il__preview_schema, &c->host->mem, c->options->preview, &c->preview_doc, &c->preview,
                               c->err);
        c->has_preview = !code;
    }
    return code;
}

static enum il_code decode_object(struct checking *c, const struct il__schema *schema)
{
    return il__decode_text(schema, &c->host->mem, c->options->document, &c->doc, &c->object, c->err);
}

static const struct il__schema *schema_of(const struct checking *c)
{
    if (is(c, "outcome")) return &il__receipt_schema;
    if (is(c, "approval")) return &il__answer_schema;
    return il__schema_by_kind(c->options->kind);
}

static enum il_code run_check(struct checking *c, struct il_str *out)
{
    const struct il__schema *schema = schema_of(c);
    char shown[64];
    il__escape(shown, sizeof shown, c->options->kind);
    if (!schema || schema->size > sizeof c->object)
        return il__fail_at(c->err, IL_INVALID_REQUEST, "check", "kind", "there is no document of kind \"%s\"", shown);
    if (is(c, "outcome") && !il__str_present(c->options->envelope))
        return il__fail_at(c->err, IL_INVALID_REQUEST, "check", "envelope",
                           "an outcome is computed against an envelope");
    enum il_code code = read_others(c);
    if (!code) code = decode_object(c, schema);
    if (!code) code = check_object(c);
    return code ? code : write_out(c, schema, out);
}

enum il_code il_host_check(il_host *host, const struct il_check_options *options, struct il_str *out,
                           struct il_error *err)
{
    struct il_error local = IL_ERROR_INIT;
    if (!err) err = &local;
    enum il_code code = il__host_enter(host, "il_host_check", err);
    if (code) return code;
    struct checking c = { .host = host, .options = options, .err = err };
    if (options->size != sizeof *options)
        code = il__fail_at(err, IL_INVALID_REQUEST, "check options", "size", "use IL_CHECK_OPTIONS_INIT");
    else code = run_check(&c, out);
    il__json_clear(&c.doc);
    il__json_clear(&c.envelope_doc);
    il__json_clear(&c.preview_doc);
    return il__host_leave(host, code);
}

enum il_code il_host_canonical(il_host *host, struct il_str json, struct il_str *out, struct il_error *err)
{
    struct il__json doc = { 0 };
    enum il_code code = il__host_enter(host, "il_host_canonical", err);
    if (code) return code;
    il__buf_reset(&host->canonical);
    code = il__json_parse(&doc, &host->mem, json, IL__JSON_CONTRACT, err);
    if (!code) code = il__json_strict(&doc, 0, NULL, err);
    if (!code) code = il__canon(&doc, 0, &host->canonical, err);
    if (!code) code = il__buf_check(&host->canonical, err);
    if (!code) *out = il__buf_get(&host->canonical);
    il__json_clear(&doc);
    return il__host_leave(host, code);
}
