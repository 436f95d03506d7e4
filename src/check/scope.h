/* SPEC §8: principal, tenant and scope, in this order. Identity comes from the host, never from model, proposal or
 * state; one mode's scope never implies another's. */
#ifndef IL_CHECK_SCOPE_H
#define IL_CHECK_SCOPE_H

#include "check/checker.h"

struct il__identity {
    struct il_str principal; /* never absent */
    struct il_str tenant;    /* absent: none */
    struct il__strs scopes;
    struct il__instant expires_at;
    bool expires;
};

/* "computer:plan", "computer:execute:background", "computer:execute:foreground". */
const char *il__scope_of_mode(int mode);

/* Object `identity`: field `principal` (code principal_mismatch), `tenant` (tenant_mismatch), `scope` (missing_scope),
 * `expires_at` (principal_mismatch). `principal` and `tenant` are what the run was started with. */
void il__check_identity(struct il__checker *ck, const struct il__identity *identity, struct il_str principal,
                        struct il_str tenant, int mode, struct il__instant now);

#endif
