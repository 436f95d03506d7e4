/* Who a run is for and who decides on it, as the options of a command say: a token with the keys it is checked by, and
 * the approvers file. Reads files; the library checks them. Must never print a token. */
#ifndef IL_CLI_PEOPLE_H
#define IL_CLI_PEOPLE_H

#include "cli/clock.h"
#include "cli/command.h"

#define IL__PEOPLE_OPTIONS                                                                                             \
    { "identity-token", "FILE", false,                                                                                 \
      "A token (JWT) in FILE says whom the run is for, of which tenant and with which scopes, and nothing beside "     \
      "it." },                                                                                                         \
        { "jwks", "FILE", false, "The keys that check the token: a local JWK Set." },                                  \
        { "issuer", "I", false, "Who must have issued the token: its claim iss." },                                    \
        { "audience", "A", false, "Whom it must be meant for: its claim aud." },                                       \
        { "tenant-claim", "NAME", false, "The claim of the token that names the tenant." },                            \
    {                                                                                                                  \
        "approvers", "FILE", false,                                                                                    \
            "Who may approve, with their keys; only decisions that they signed count (given with --approval)."         \
    }

struct il__people {
    struct il__text token, jwks, approvers; /* empty: not given; the token is wiped when cleared */
    const char *token_path, *jwks_path, *approvers_path, *issuer, *audience, *tenant_claim;
    struct il__text identity, principal, tenant; /* what the token says: its JSON, and of it the names */
};

/* Reads the options. 0, or the exit status after one line on stderr. */
int il__people_read(struct il__io *io, const struct il__args *args, struct il__people *out);
/* Checks token and approvers with a host of its own, at the time of `clock` (NULL: the system's). 0, or the exit status
 * after a report: 1 for a token that is refused, 65 for what cannot be decoded. */
int il__people_check(struct il__io *io, bool json, struct il__people *people, struct il__cli_clock *clock);
/* Gives keys and approvers to a host. `*what` names the file when it fails. */
enum il_code il__people_set(const struct il__people *people, il_host *host, const char **what, struct il_error *err);
/* The tenant that the token names; without a token, that of --tenant. NULL: none. */
const char *il__people_tenant(const struct il__people *people, const struct il__args *args);
/* The token holds this scope. */
bool il__people_has_scope(const struct il__people *people, const char *scope);
void il__people_clear(struct il__people *people);

#endif
