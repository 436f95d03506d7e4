/* A host that takes identities from tokens (SPEC §8): a run is for whom its token says and for nobody else, nothing can
 * be said beside a token, and its end counts until the action is sent. Through the public interface. */
#include "tap.h"
#include "token_kit.h"

#include "base/limits.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW 1800000000
#define CLAIMS                                                                                                         \
    "{\"iss\":\"https://id.example\",\"aud\":\"interlock\",\"sub\":\"ada\",\"exp\":1800000100,\"org\":\"acme\","
#define BOTH "\"scope\":\"computer:plan computer:execute:background\"}"

struct bed {
    struct signer signer;
    char *set;
    il_host *host;
    il_run *run;
    struct il_error err;
    int64_t ms;        /* since NOW */
    int64_t lease_ms;  /* how long the answer to a lease takes */
};

static void read_clock(void *ctx, struct il_clock_reading *out)
{
    const struct bed *b = ctx;
    *out = (struct il_clock_reading){ NOW + b->ms / 1000, (int32_t)(b->ms % 1000) * 1000000, b->ms * 1000000 };
}

static void open_host(struct bed *b)
{
    struct il_host_options o = IL_HOST_OPTIONS_INIT;
    o.clock = read_clock;
    o.clock_ctx = b;
    tap_int(il_host_new(&o, &b->host, &b->err), IL_OK, "a host");
    tap_int(il_host_set_runtime_simulated(b->host, IL_STR_NONE, &b->err), IL_OK, "and a runtime");
}

static struct il_jwks_options rules(const struct bed *b)
{
    struct il_jwks_options o = IL_JWKS_OPTIONS_INIT;
    o.jwks = il__str(b->set);
    o.issuer = IL_STR("https://id.example");
    o.audience = IL_STR("interlock");
    o.tenant_claim = IL_STR("org");
    return o;
}

static void open_bed(struct bed *b)
{
    memset(b, 0, sizeof *b);
    b->signer = signer_new(IL__JWK_EDDSA);
    b->set = signer_set(&b->signer, 1);
    open_host(b);
    struct il_jwks_options o = rules(b);
    tap_int(il_host_set_jwks(b->host, &o, &b->err), IL_OK, "with keys (%s)", b->err.message);
}

static void close_bed(struct bed *b)
{
    il_run_free(b->run);
    il_host_free(b->host);
    signer_free(&b->signer);
    free(b->set);
}

static struct il_run_options options(void)
{
    struct il_run_options o = IL_RUN_OPTIONS_INIT;
    o.proposal = IL_STR("{\"tool\":\"write_clipboard\",\"arguments\":{\"text\":\"hi\"}}");
    o.session_id = IL_STR("session-1");
    return o;
}

static enum il_code start(struct bed *b, struct il_run_options *o, const char *claims)
{
    char *token = claims ? token_sign(&b->signer, "{\"alg\":\"EdDSA\"}", claims) : NULL;
    o->identity_token = il__str(token);
    b->err = (struct il_error)IL_ERROR_INIT;
    enum il_code code = il_run_start(b->host, o, &b->run, &b->err);
    free(token);
    return code;
}

static void go(struct bed *b)
{
    for (int i = 0; i < 1000; i++) {
        struct il_tick tick = { .size = sizeof tick };
        if (il_host_tick(b->host, 0, &tick, &b->err) || il_run_state(b->run) == IL_RUN_ENDED) return;
        if (!tick.more && !tick.in_flight) return;
    }
}

static struct il_summary summary(const struct bed *b)
{
    struct il_summary s = { .size = sizeof s };
    il_run_summary(b->run, &s);
    return s;
}

static bool record_has(const struct bed *b, const char *text)
{
    struct il_record record = { .size = sizeof record };
    return !il_run_record(b->run, 0, &record, NULL) && memmem(record.text.ptr, record.text.len, text, strlen(text));
}

static void by_token(void)
{
    struct bed b;
    struct il_run_options o = options();
    open_bed(&b);
    tap_int(start(&b, &o, CLAIMS BOTH), IL_OK, "a run with a token (%s)", b.err.message);
    go(&b);
    tap_str(il__str(summary(&b).status), "committed_unverified", "it runs (%s)", summary(&b).error.message);
    tap_ok(record_has(&b, "\"principal\":\"ada\""), "for whom the token says");
    tap_ok(record_has(&b, "\"tenant\":\"acme\""), "and the tenant it names");
    tap_ok(record_has(&b, "\"token\":\"sha256:"), "the token is recorded by its digest");
    close_bed(&b);

    open_bed(&b);
    tap_int(start(&b, &o, CLAIMS "\"scope\":\"computer:plan\"}"), IL_OK, "a token for plans only");
    go(&b);
    tap_str(il__str(summary(&b).status), "refused", "does not act");
    tap_int(summary(&b).error.code, IL_MISSING_SCOPE, "for want of the scope");
    close_bed(&b);
}

static void never_mixed(void)
{
    static const struct il_str scope = { "computer:execute:background", 27 };
    struct bed b;
    open_bed(&b);
    struct il_run_options rows[5] = { options(), options(), options(), options(), options() };
    static const char *const fields[] = { "principal", "tenant", "scopes", "identity_expires_at", "identity_token" };
    rows[0].principal = IL_STR("eve");
    rows[1].tenant = IL_STR("evil");
    rows[2].scopes = &scope;
    rows[2].scope_count = 1;
    rows[3].identity_expires_at = IL_STR("2030-01-01T00:00:00Z");
    rows[4].principal = IL_STR("eve");
    for (int i = 0; i < 5; i++) {
        tap_int(start(&b, &rows[i], i < 4 ? CLAIMS BOTH : NULL), IL_INVALID_REQUEST, "%s (%s)",
                i < 4 ? "beside a token" : "a principal in place of a token", b.err.message);
        tap_str(il__str(b.err.field), fields[i], "named");
    }
    close_bed(&b);

    memset(&b, 0, sizeof b);
    b.signer = signer_new(IL__JWK_EDDSA);
    open_host(&b);
    struct il_run_options o = options();
    tap_int(start(&b, &o, CLAIMS BOTH), IL_INVALID_REQUEST, "a token on a host without keys (%s)", b.err.message);
    close_bed(&b);
}

static void refused_tokens(void)
{
    struct bed b;
    struct il_str out;
    struct il_run_options o = options();
    open_bed(&b);
    b.ms = 161 * 1000;
    tap_int(start(&b, &o, CLAIMS BOTH), IL_PRINCIPAL_MISMATCH, "a token that ended 61 s ago (%s)", b.err.message);
    tap_str(il__str(b.err.field), "exp", "named");
    tap_ok(b.run == NULL, "starts nothing");
    struct signer other = signer_new(IL__JWK_EDDSA);
    char *token = token_sign(&other, "{\"alg\":\"EdDSA\"}", CLAIMS BOTH);
    b.ms = 0;
    tap_int(il_host_identity(b.host, il__str(token), &out, &b.err), IL_PRINCIPAL_MISMATCH, "another's signature");
    free(token);
    signer_free(&other);
    token = token_sign(&b.signer, "{\"alg\":\"EdDSA\"}", CLAIMS BOTH);
    tap_int(il_host_identity(b.host, il__str(token), &out, &b.err), IL_OK, "a token can be looked at");
    tap_str(out, "{\"principal\":\"ada\",\"tenant\":\"acme\",\"scopes\":[\"computer:plan\","
                 "\"computer:execute:background\"],\"expiresAt\":\"2027-01-15T08:02:40.000Z\"}", "says who it is for");
    free(token);
    close_bed(&b);
}

/* It ends while a person decides: what was verified at the start is not good for ever. */
static void ends_while_waiting(void)
{
    struct bed b;
    struct il_run_options o = options();
    for (int late = 0; late < 2; late++) {
        open_bed(&b);
        tap_int(il_host_add_bundle(b.host,
                                   (struct il_file[]){
                                       { IL_STR("bundle.json"),
                                         IL_STR("{\"name\":\"t\",\"version\":\"1\",\"requires\":1,\"policies\":"
                                                "[{\"file\":\"a.lua\",\"level\":\"hard\"}],\"files\":[\"a.lua\"]}") },
                                       { IL_STR("a.lua"),
                                         IL_STR(
                                             "local p = require 'interlock.policy'\nreturn p { name = 'a', preview = "
                                             "function() return p.ask('because') end }") } },
                                   2, IL_STR_NONE, &b.err),
                IL_OK, "a policy asks (%s)", b.err.message);
        tap_int(start(&b, &o, CLAIMS BOTH), IL_OK, "a run with a token");
        go(&b);
        tap_str(il__str(summary(&b).status), "waiting", "waits");
        b.ms = late ? 160 * 1000 : 159 * 1000;
        struct il_str doc;
        char answer[2048], id[64] = "", digest[128] = "", policy[128] = "";
        tap_int(il_run_document(b.run, &doc, &b.err), IL_OK, "for a person");
        const struct { const char *name; char *to; size_t cap; } members[] = {
            { "\"requestId\":\"", id, sizeof id }, { "\"actionDigest\":\"", digest, sizeof digest },
            { "\"policyDigest\":\"", policy, sizeof policy },
        };
        for (size_t i = 0; i < 3; i++) {
            const char *at = memmem(doc.ptr, doc.len, members[i].name, strlen(members[i].name));
            at = at ? at + strlen(members[i].name) : "\"";
            (void)snprintf(members[i].to, members[i].cap, "%.*s", (int)strcspn(at, "\""), at);
        }
        (void)
            snprintf(answer, sizeof answer,
                     "{\"requestId\":\"%s\",\"actionDigest\":\"%s\",\"policyDigest\":\"%s\",\"decision\":\"approve\"}",
                     id, digest, policy);
        tap_int(il_run_answer(b.run, il__str(answer), true, &b.err), IL_OK, "who approves (%s)", b.err.message);
        go(&b);
        tap_str(il__str(summary(&b).status), late ? "refused" : "committed_unverified", "%s (%s)",
                late ? "after the end of the token nothing is sent" : "before it the action is done",
                summary(&b).error.message);
        if (late) tap_str(il__str(summary(&b).error.field), "expires_at", "for its end");
        close_bed(&b);
    }
}

/* tenant_claim_bytes, and the rules themselves. */
static void settings(void)
{
    struct bed b;
    char claim[IL__LIMIT_TENANT_CLAIM_BYTES + 1];
    open_bed(&b);
    memset(claim, 'c', sizeof claim);
    struct il_jwks_options o = rules(&b);
    o.tenant_claim = (struct il_str){ claim, sizeof claim };
    tap_int(il_host_set_jwks(b.host, &o, &b.err), IL_LIMIT_EXCEEDED, "a longer name (%s)", b.err.message);
    o.tenant_claim.len--;
    tap_int(il_host_set_jwks(b.host, &o, &b.err), IL_OK, "one of tenant_claim_bytes");
    struct il_run_options run = options();
    tap_int(start(&b, &run, CLAIMS BOTH), IL_TENANT_MISMATCH, "the new rules hold (%s)", b.err.message);
    o = rules(&b);
    o.issuer = IL_STR("");
    tap_int(il_host_set_jwks(b.host, &o, &b.err), IL_INVALID_REQUEST, "no issuer (%s)", b.err.message);
    o = rules(&b);
    o.audience = IL_STR_NONE;
    tap_int(il_host_set_jwks(b.host, &o, &b.err), IL_INVALID_REQUEST, "no audience (%s)", b.err.message);
    o = rules(&b);
    o.size = 8;
    tap_int(il_host_set_jwks(b.host, &o, &b.err), IL_INVALID_REQUEST, "no options");
    o = rules(&b);
    o.jwks = IL_STR("{\"keys\":[{\"kty\":\"oct\",\"k\":\"AAAA\"}]}");
    tap_int(il_host_set_jwks(b.host, &o, &b.err), IL_DECODE, "a secret as key (%s)", b.err.message);
    tap_int(start(&b, &run, CLAIMS BOTH), IL_TENANT_MISMATCH, "after what failed the rules are as before");
    close_bed(&b);
}

int main(void)
{
    by_token();
    never_mixed();
    refused_tokens();
    ends_while_waiting();
    settings();
    return tap_done();
}
