/* Who may start, resume and execute, see scope.h. Must never treat one mode's scope as another's, and must never let
 * an absent principal pass. */
#include "check/scope.h"

#include "check/show.h"
#include "contract/action.h"

const char *il__scope_of_mode(int mode)
{
    switch (mode) {
    case IL__MODE_SHADOW: return "computer:plan";
    case IL__MODE_BACKGROUND: return "computer:execute:background";
    case IL__MODE_FOREGROUND: return "computer:execute:foreground";
    }
    return NULL;
}

void il__check_identity(struct il__checker *ck, const struct il__identity *identity, struct il_str principal,
                        struct il_str tenant, int mode, struct il__instant now)
{
    char text[IL__SHOW_MAX];
    const char *scope = il__scope_of_mode(mode);
    il__checker_object(ck, "identity", IL_PRINCIPAL_MISMATCH);
    il__check_present(ck, "principal", identity->principal);
    il__check_equal(ck, "principal", principal, identity->principal);
    il__checker_object(ck, "identity", IL_TENANT_MISMATCH);
    il__check_equal(ck, "tenant", tenant, identity->tenant);
    il__checker_object(ck, "identity", IL_MISSING_SCOPE);
    il__check_that(ck, "scope", scope && il__strs_has(identity->scopes, il__str(scope)), il__str(scope),
                   il__show_strs(identity->scopes, text));
    il__checker_object(ck, "identity", IL_PRINCIPAL_MISMATCH);
    if (identity->expires) il__check_later(ck, "expires_at", identity->expires_at, now);
    il__checker_object(ck, "identity", IL_IDENTITY_MISMATCH);
}
