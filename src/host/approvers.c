/* Approvers of a host: declared by the embedder, who then vouches for them, or read from a file with their keys (SPEC
 * §6); and decisions that they sign. Must never have some of a file's approvers without the others. */
#include "base/error.h"
#include "base/limits.h"
#include "base/secret.h"
#include "check/decision.h"
#include "contract/approvers.h"
#include "host/host.h"
#include "wire/key_file.h"

#include <stdio.h>
#include <string.h>

/* ---- whom the embedder vouches for ---- */

static enum il_code add_one(il_host *host, struct il__approver *list, size_t at, struct il_str id,
                            const struct il_str *roles, size_t role_count)
{
    struct il_str *copies = il__arena_alloc(&host->arena, (role_count + 1) * sizeof *copies);
    if (!copies || il__arena_str(&host->arena, id, &list[at].id)) return IL_OUT_OF_MEMORY;
    for (size_t i = 0; i < role_count; i++)
        if (il__arena_str(&host->arena, roles[i], &copies[i])) return IL_OUT_OF_MEMORY;
    list[at].roles = (struct il__strs){ copies, role_count };
    return IL_OK;
}

static enum il_code add_approver(il_host *host, struct il_str id, const struct il_str *roles, size_t role_count,
                                 struct il_error *err)
{
    struct il__engine *e = &host->engine;
    if (e->approvers_sign)
        return il__fail_at(err, IL_CONFLICT, "host", "approvers", "this host has its approvers from a file");
    if (!id.len) return il__fail_at(err, IL_INVALID_REQUEST, "approver", "id", "an approver needs an id");
    if (role_count > IL__LIMIT_ROLES)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "approver", "roles", "at most %d roles", IL__LIMIT_ROLES);
    if (e->approver_count >= IL__LIMIT_APPROVERS)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "host", "approvers", "at most %d approvers", IL__LIMIT_APPROVERS);
    for (size_t i = 0; i < e->approver_count; i++)
        if (il__str_eq(e->approvers[i].id, id))
            return il__fail_at(err, IL_CONFLICT, "approver", "id", "this approver is there already");
    if (!e->approvers) e->approvers = il__arena_alloc(&host->arena, IL__LIMIT_APPROVERS * sizeof *e->approvers);
    if (!e->approvers || add_one(host, e->approvers, e->approver_count, id, roles, role_count))
        return il__fail(err, IL_OUT_OF_MEMORY, "no memory for an approver");
    e->approver_count++;
    return IL_OK;
}

enum il_code il_host_add_approver(il_host *host, struct il_str id, const struct il_str *roles, size_t role_count,
                                  struct il_error *err)
{
    enum il_code code = il__host_enter(host, "il_host_add_approver", err);
    if (code) return code;
    return il__host_leave(host, add_approver(host, id, roles, role_count, err));
}

/* ---- the file ---- */

static enum il_code broken(struct il_error *err, size_t at, const char *member, const char *why)
{
    char place[64];
    (void)snprintf(place, sizeof place, "/approvers/%zu/%s", at, member);
    return il__fail_at(err, IL_DECODE, "approvers", place, "%s: %s", place, why);
}

/* One person is one approver, whatever names there are for the key. */
static enum il_code check_new(const struct il__approver *list, size_t at, struct il_error *err)
{
    for (size_t i = 0; i < at; i++) {
        if (il__str_eq(list[i].id, list[at].id)) return broken(err, at, "id", "another approver has this id");
        if (il__public_key_eq(&list[i].key, &list[at].key))
            return broken(err, at, "key", "another approver has this key; one key is one person");
    }
    return IL_OK;
}

static enum il_code take_one(il_host *host, struct il__approver *list, size_t at, const struct il__approver_doc *doc,
                             struct il_error *err)
{
    struct il_error why = IL_ERROR_INIT;
    if (il__public_key_from_text(&list[at].key, doc->key, &why)) return broken(err, at, "key", why.message);
    if (add_one(host, list, at, doc->id, doc->roles.items, doc->roles.count))
        return il__fail(err, IL_OUT_OF_MEMORY, "no memory for approvers");
    return check_new(list, at, err);
}

static enum il_code set_approvers(il_host *host, struct il_str json, struct il_error *err)
{
    struct il__engine *e = &host->engine;
    struct il__json doc = { 0 };
    struct il__approvers_doc file;
    if (e->approver_count)
        return il__fail_at(err, IL_CONFLICT, "host", "approvers", "this host has approvers already");
    enum il_code code = il__decode_text(&il__approvers_schema, &host->mem, json, &doc, &file, err);
    il__error_object(err, "approvers");
    if (code) return code;
    struct il__approver *list = il__arena_alloc(&host->arena, file.approvers.count * sizeof *list);
    if (!list) code = il__fail(err, IL_OUT_OF_MEMORY, "no memory for approvers");
    for (size_t i = 0; !code && i < file.approvers.count; i++)
        code = take_one(host, list, i, file.approvers.items[i], err);
    if (!code) {
        e->approvers = list;
        e->approver_count = file.approvers.count;
        e->approvers_sign = true;
    }
    il__json_clear(&doc);
    return code;
}

enum il_code il_host_set_approvers_json(il_host *host, struct il_str json, struct il_error *err)
{
    enum il_code code = il__host_enter(host, "il_host_set_approvers_json", err);
    if (code) return code;
    return il__host_leave(host, set_approvers(host, json, err));
}

/* ---- signing ---- */

static enum il_code read_key(const struct il_sign_options *o, struct il__sign_key *key, struct il_error *err)
{
    if (il__str_present(o->key_pem) == il__str_present(o->key_file))
        return il__fail_at(err, IL_INVALID_REQUEST, "decision", "key", "give one key, as key_pem or as key_file");
    if (il__str_present(o->key_file)) return il__key_file_read(o->key_file, key, err);
    return il__sign_key_from_pem(key, o->key_pem, err);
}

struct member {
    const char *name;
    struct il_str *to;
    bool needed;
};

/* The members of a waiting document that are decided on. */
static enum il_code take_members(struct il__json *doc, const struct member *members, size_t count,
                                 struct il_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const struct member *m = &members[i];
        uint32_t at = il__json_get(doc, 0, m->name);
        bool none = !at || il__json_kind(doc, at) == IL__JSON_NULL;
        if ((none && m->needed) || (!none && il__json_kind(doc, at) != IL__JSON_STRING))
            return il__fail_at(err, IL_DECODE, "waiting run", m->name,
                               "/%s: is not in the document; is it that of a run "
                               "that waits?",
                               m->name);
        *m->to = IL_STR_NONE;
        enum il_code code = none ? IL_OK : il__json_string(doc, at, m->to, err);
        if (code) return code;
    }
    return IL_OK;
}

static enum il_code fill(struct il__json *doc, const struct il_sign_options *o, struct il__now now,
                         char issued[IL__RFC3339_MAX], struct il__decided *said, struct il_error *err)
{
    const struct member members[] = {
        { "host", &said->host, true },
        { "runId", &said->run, true },
        { "requestId", &said->request, true },
        { "actionDigest", &said->action_digest, false },
        { "policyDigest", &said->policy_digest, false },
        { "hostPolicyDigest", &said->host_policy_digest, false },
        { "proposalDigest", &said->proposal_digest, true },
        { "cardDigest", &said->card_digest, true },
        { "expiresAt", &said->expires_at, true },
    };
    enum il_code code = take_members(doc, members, sizeof members / sizeof *members, err);
    if (code) return code;
    if (!o->approver.len) return il__fail_at(err, IL_INVALID_REQUEST, "decision", "approver", "who decides?");
    said->decision = il__name_index(il__decision_names, o->decision);
    if (said->decision < 0 || !il__str_present(o->decision))
        return il__fail_at(err, IL_INVALID_REQUEST, "decision", "decision",
                           "write approve, deny, defer or re-observe");
    struct il__instant until;
    if (il__str_present(o->expires_at)) said->expires_at = o->expires_at;
    if (!il__rfc3339_parse(said->expires_at, &until, NULL))
        return il__fail_at(err, IL_INVALID_REQUEST, "decision", "expires_at", "not a time");
    said->approver = o->approver;
    said->reason = o->reason.len ? o->reason : IL_STR_NONE;
    il__rfc3339_format(now.wall, issued);
    said->issued_at = il__str(issued);
    return IL_OK;
}

static enum il_code sign_decision(il_host *host, const struct il_sign_options *o, struct il_error *err)
{
    struct il__json doc = { 0 };
    struct il__sign_key key;
    struct il__decided said = { .type = IL_STR_NONE };
    char issued[IL__RFC3339_MAX];
    if (o->size != sizeof *o)
        return il__fail_at(err, IL_INVALID_REQUEST, "decision", "size", "use IL_SIGN_OPTIONS_INIT");
    enum il_code code = il__json_parse(&doc, &host->mem, o->waiting, IL__JSON_PAYLOAD, err);
    il__error_object(err, "waiting run");
    if (!code) code = fill(&doc, o, il__clock_now(&host->engine.clock), issued, &said, err);
    if (!code) code = read_key(o, &key, err);
    if (!code) {
        il__buf_reset(&host->decision);
        code = il__decision_sign(&said, &key, &host->mem, &host->decision, err);
        il__sign_key_clear(&key);
    }
    il__json_clear(&doc);
    return code;
}

enum il_code il_host_sign_decision(il_host *host, const struct il_sign_options *options, struct il_str *out,
                                   struct il_error *err)
{
    enum il_code code = il__host_enter(host, "il_host_sign_decision", err);
    if (code) return code;
    code = sign_decision(host, options, err);
    if (!code) *out = il__buf_get(&host->decision);
    return il__host_leave(host, code);
}
