/* Signed decisions, see decision.h. Must never take a decision for another run, request or card than the one that its
 * author was shown, and must never read meaning into members that the signature does not cover. */
#include "check/decision.h"

#include "base/error.h"
#include "base/secret.h"
#include "check/show.h"
#include "wire/base64.h"
#include "wire/canon.h"

#define OBJECT "signed decision"

/* ---- reading ---- */

/* null is a word here; a member that is left out is none. */
static enum il_code all_there(struct il__json *doc, uint32_t at, struct il_error *err)
{
    for (const struct il__field *f = il__decided_schema.fields; f->wire; f++)
        if (!il__json_get(doc, at, f->wire))
            return il__fail_at(err, IL_DECODE, OBJECT, "/decision", "/decision: the member %s is missing; what does "
                               "not apply is null", f->wire);
    return IL_OK;
}

enum il_code il__decision_read(struct il__decision_read *in, struct il__mem *mem, struct il_str json,
                               struct il_error *err)
{
    il__buf_init(&in->text, mem, 0);
    enum il_code code = il__decode_text(&il__signed_decision_schema, mem, json, &in->doc, &in->said, err);
    uint32_t at = code ? 0 : il__json_get(&in->doc, 0, "decision");
    if (!code) code = all_there(&in->doc, at, err);
    if (!code) code = il__canon(&in->doc, at, &in->text, err);
    if (!code) code = il__buf_check(&in->text, err);
    il__error_object(err, OBJECT);
    return code;
}

void il__decision_clear(struct il__decision_read *in)
{
    il__json_clear(&in->doc);
    il__buf_clear(&in->text);
}

/* ---- checking ---- */

void il__check_signed(struct il__checker *ck, const struct il__decision_read *in, const struct il__public_key *key)
{
    uint8_t bytes[IL__SIGNATURE_BYTES];
    char id[IL__KEY_ID];
    size_t len = 0;
    il__public_key_id(key, id);
    il__check_equal(ck, "key_id", il__str(id), in->said.key_id);
    bool good = il__base64_read(in->said.signature, bytes, sizeof bytes, &len) &&
                il__sign_check(key, il__buf_get(&in->text), (struct il_str){ (const char *)bytes, len });
    il__check_that(ck, "signature", good, IL_STR("the approver's, over this decision"),
                   good ? IL_STR("it") : IL_STR("another"));
}

static void check_digests(struct il__checker *ck, const struct il__decided *said,
                          const struct il__decision_facts *facts)
{
    il__check_equal(ck, "action_digest", facts->action_digest, said->action_digest);
    il__check_equal(ck, "policy_digest", facts->policy_digest, said->policy_digest);
    il__check_equal(ck, "host_policy_digest", facts->host_policy_digest, said->host_policy_digest);
    il__check_equal(ck, "card_digest", facts->card_digest, said->card_digest);
}

void il__check_decided(struct il__checker *ck, const struct il__decided *said, const struct il__decision_facts *facts,
                       bool consumed, struct il__instant now)
{
    struct il__instant issued, expires = { 0, 0 };
    il__check_equal(ck, "type", IL_STR(IL__DECISION_TYPE), said->type);
    il__check_equal(ck, "host", facts->host, said->host);
    il__check_equal(ck, "run", facts->run, said->run);
    il__check_that(ck, "request", il__secret_eq(facts->request, said->request), IL_STR("the open request"),
                   said->request);
    il__check_equal(ck, "proposal_digest", facts->proposal_digest, said->proposal_digest);
    if (!consumed) check_digests(ck, said, facts);
    il__check_readable(ck, "issued_at", said->issued_at, &issued);
    il__check_readable(ck, "expires_at", said->expires_at, &expires);
    il__check_later(ck, "expires_at", expires, now);
}

/* ---- signing ---- */

/* All members, null where there is nothing; encode would leave those out. */
static void write_decided(struct il__json_writer *w, const struct il__decided *said)
{
    const struct { const char *name; struct il_str value; } members[] = {
        { "actionDigest", said->action_digest }, { "approver", said->approver }, { "cardDigest", said->card_digest },
        { "decision", il__show_name(il__decision_names, said->decision) }, { "expiresAt", said->expires_at },
        { "host", said->host }, { "hostPolicyDigest", said->host_policy_digest }, { "issuedAt", said->issued_at },
        { "policyDigest", said->policy_digest }, { "proposalDigest", said->proposal_digest },
        { "reason", said->reason }, { "request", said->request }, { "run", said->run },
        { "type", IL_STR(IL__DECISION_TYPE) },
    };
    il__jw_object(w);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        il__jw_key(w, members[i].name);
        il__jw_str(w, members[i].value);
    }
    il__jw_object_end(w);
}

enum il_code il__decision_sign(const struct il__decided *said, const struct il__sign_key *key, struct il__mem *mem,
                               struct il__buf *out, struct il_error *err)
{
    struct il__json_writer w;
    struct il__buf text; /* members in order, texts in their shortest form: canonical as it stands */
    uint8_t signature[IL__SIGNATURE_BYTES];
    char id[IL__KEY_ID], sig_text[IL__BASE64_ROOM(IL__SIGNATURE_BYTES)];
    il__buf_init(&text, mem, 0);
    il__jw_init(&w, &text);
    write_decided(&w, said);
    enum il_code code = il__buf_check(&text, err);
    if (!code) code = il__sign(key, il__buf_get(&text), signature, err);
    if (!code) {
        (void)il__base64_write(signature, sizeof signature, sig_text);
        il__public_key_id(&key->public, id);
        il__jw_init(&w, out);
        il__jw_object(&w);
        il__jw_key(&w, "decision");
        il__jw_raw(&w, il__buf_get(&text));
        il__jw_member_z(&w, "signature", sig_text);
        il__jw_member_z(&w, "keyId", id);
        il__jw_object_end(&w);
        code = il__buf_check(out, err);
    }
    il__buf_clear(&text);
    return code;
}
