/* Tokens, their keys, and approvers (people.h). */
#include "cli/people.h"

#include "cli/config.h"
#include "cli/files.h"
#include "cli/look.h"
#include "cli/report.h"

#include <string.h>

/* What a token has to be held against, and what may not stand beside it. */
static int check_options(struct il__io *io, const struct il__args *args, const struct il__people *p)
{
    static const char *const needed[] = { "jwks", "issuer", "audience" };
    static const char *const beside[] = { "principal", "tenant", "scope" };
    static const char *const alone[] = { "jwks", "issuer", "audience", "tenant-claim" };
    const struct il_config_values *values = il__config_values(args);
    if (!p->token_path && values && values->jwks.ptr) {
        il__io_error(io, "%s takes identities from tokens alone; give --identity-token FILE", args->config->path);
        return 2;
    }
    for (size_t i = 0; !p->token_path && i < 4; i++)
        if (il__args_value(args, alone[i])) {
            il__io_error(io, "--%s is for a token; give one with --identity-token FILE", alone[i]);
            return 2;
        }
    for (size_t i = 0; p->token_path && i < 3; i++) {
        if (!il__args_value(args, needed[i])) {
            il__io_error(io, "--identity-token needs --%s, too: a token is checked before it is believed", needed[i]);
            return 2;
        }
        if (il__args_values(args, beside[i])->count) {
            il__io_error(io, "--%s: the token says that; leave it out", beside[i]);
            return 2;
        }
    }
    return 0;
}

int il__people_read(struct il__io *io, const struct il__args *args, struct il__people *out)
{
    memset(out, 0, sizeof *out);
    out->token_path = il__args_value(args, "identity-token");
    out->jwks_path = il__args_value(args, "jwks");
    out->approvers_path = il__args_value(args, "approvers");
    out->issuer = il__args_value(args, "issuer");
    out->audience = il__args_value(args, "audience");
    out->tenant_claim = il__args_value(args, "tenant-claim");
    int status = check_options(io, args, out);
    if (status == 0 && out->token_path) status = il__io_read(io, out->token_path, &out->token);
    if (status == 0 && out->jwks_path) status = il__io_read(io, out->jwks_path, &out->jwks);
    if (status == 0 && out->approvers_path) status = il__io_read(io, out->approvers_path, &out->approvers);
    while (out->token.len && strchr(" \t\r\n", out->token.ptr[out->token.len - 1])) out->token.len--;
    return status;
}

enum il_code il__people_set(const struct il__people *people, il_host *host, const char **what, struct il_error *err)
{
    enum il_code code = IL_OK;
    if (people->token_path) {
        struct il_jwks_options options = IL_JWKS_OPTIONS_INIT;
        options.jwks = il__text_get(&people->jwks);
        options.issuer = il__text_of(people->issuer);
        options.audience = il__text_of(people->audience);
        options.tenant_claim = il__text_of(people->tenant_claim);
        *what = people->jwks_path;
        code = il_host_set_jwks(host, &options, err);
    }
    if (code != IL_OK || !people->approvers_path) return code;
    *what = people->approvers_path;
    return il_host_set_approvers_json(host, il__text_get(&people->approvers), err);
}

static enum il_code look_at_token(struct il__people *people, il_host *host, const char **what, struct il_error *err)
{
    struct il_str identity;
    if (!people->token_path) return IL_OK;
    *what = people->token_path;
    enum il_code code = il_host_identity(host, il__text_get(&people->token), &identity, err);
    if (code != IL_OK) return code;
    il__text_str(&people->identity, identity);
    il__look_text(&people->principal, il__look_get(identity, "principal"));
    il__look_text(&people->tenant, il__look_get(identity, "tenant"));
    return IL_OK;
}

int il__people_check(struct il__io *io, bool json, struct il__people *people, struct il__cli_clock *clock)
{
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    const char *what = NULL;
    il_host *host = NULL;
    if (!people->token_path && !people->approvers_path) return 0;
    if (clock) {
        options.clock = il__cli_clock_read;
        options.clock_ctx = clock;
    }
    enum il_code code = il_host_new(&options, &host, &err);
    if (code == IL_OK) code = il__people_set(people, host, &what, &err);
    if (code == IL_OK) code = look_at_token(people, host, &what, &err);
    il_host_free(host);
    if (code == IL_OK) return 0;
    bool refused = code == IL_PRINCIPAL_MISMATCH || code == IL_TENANT_MISMATCH;
    return il__report(io, json, what, &err, refused ? 1 : il__report_status(code));
}

const char *il__people_tenant(const struct il__people *people, const struct il__args *args)
{
    if (!people->token_path) return il__args_value(args, "tenant");
    return people->tenant.len ? people->tenant.ptr : NULL;
}

bool il__people_has_scope(const struct il__people *people, const char *scope)
{
    struct il_str value, scopes = il__look_get(il__text_get(&people->identity), "scopes");
    for (size_t at = 0; il__look_next(scopes, &at, NULL, &value);)
        if (il__look_is(value, scope)) return true;
    return false;
}

void il__people_clear(struct il__people *people)
{
    if (people->token.ptr) explicit_bzero(people->token.ptr, people->token.cap);
    struct il__text *texts[] = { &people->token, &people->jwks, &people->approvers, &people->identity,
                                 &people->principal, &people->tenant };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) il__text_clear(texts[i]);
}
