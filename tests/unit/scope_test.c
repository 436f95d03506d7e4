/* Principal, tenant and scope (SPEC §8), in this order; no scope implies another. */
#include "check_kit.h"
#include "table.h"
#include "tap.h"

#include "check/scope.h"

#include <stdio.h>

struct who {
    struct il__identity identity;
    struct il_str principal, tenant;
    int mode;
    struct il_str scopes[8];
};

static void who_init(struct who *who, struct kit *kit)
{
    memset(who, 0, sizeof *who);
    kit_init(kit);
    who->scopes[0] = S("computer:plan");
    who->identity = (struct il__identity){ .principal = S("operator-1"), .tenant = S("acme"),
                                           .scopes = { who->scopes, 1 } };
    who->principal = S("operator-1");
    who->tenant = S("acme");
    who->mode = IL__MODE_SHADOW;
}

static void run(struct who *who, struct kit *kit)
{
    il__check_identity(&kit->ck, &who->identity, who->principal, who->tenant, who->mode, kit->now);
}

static void each_check(void)
{
    struct who who;
    struct kit kit;
    who_init(&who, &kit);
    run(&who, &kit);
    kit_passed(&kit, "who they say, with the scope");
    tap_str(il__str(kit.trace), "principal principal tenant scope ", "the checks and their order");
    tap_int(kit.ck.code, IL_IDENTITY_MISMATCH, "the next object's checks have their own code again");

    who_init(&who, &kit);
    who.identity.principal = S("operator-2");
    who.identity.tenant = S("other");
    who.identity.scopes.count = 0;
    run(&who, &kit);
    kit_refused(&kit, "identity", "principal", IL_PRINCIPAL_MISMATCH, "another principal, first of all");

    who_init(&who, &kit);
    who.identity.tenant = S("other");
    who.identity.scopes.count = 0;
    run(&who, &kit);
    kit_refused(&kit, "identity", "tenant", IL_TENANT_MISMATCH, "another tenant, before the scope");

    who_init(&who, &kit);
    who.identity.scopes.count = 0;
    who.identity.expires = true;
    run(&who, &kit);
    kit_refused(&kit, "identity", "scope", IL_MISSING_SCOPE, "no scope, before the expiry");
    tap_str(il__str(kit.err.expected), "computer:plan", "the refusal names the scope that is missing");
}

static void nobody(void)
{
    struct who who;
    struct kit kit;
    who_init(&who, &kit);
    who.identity.principal = who.principal = S("");
    run(&who, &kit);
    kit_refused(&kit, "identity", "principal", IL_PRINCIPAL_MISMATCH, "an empty principal equal to an empty one");
    who_init(&who, &kit);
    who.identity.principal = who.principal = IL_STR_NONE;
    run(&who, &kit);
    kit_refused(&kit, "identity", "principal", IL_PRINCIPAL_MISMATCH, "no principal equal to none");
    who_init(&who, &kit);
    who.identity.tenant = who.tenant = IL_STR_NONE;
    run(&who, &kit);
    kit_passed(&kit, "no tenant on either side");
    who_init(&who, &kit);
    who.identity.tenant = IL_STR_NONE;
    run(&who, &kit);
    kit_refused(&kit, "identity", "tenant", IL_TENANT_MISMATCH, "no tenant for a run with one");
    who_init(&who, &kit);
    who.tenant = IL_STR_NONE;
    run(&who, &kit);
    kit_refused(&kit, "identity", "tenant", IL_TENANT_MISMATCH, "a tenant for a run without");
}

static void expiry(void)
{
    struct who who;
    struct kit kit;
    who_init(&who, &kit);
    who.identity.expires = true;
    who.identity.expires_at = kit.now;
    run(&who, &kit);
    kit_refused(&kit, "identity", "expires_at", IL_PRINCIPAL_MISMATCH, "an identity that expires now");
    who_init(&who, &kit);
    who.identity.expires = true;
    who.identity.expires_at = (struct il__instant){ kit.now.sec, 1 };
    run(&who, &kit);
    kit_passed(&kit, "an identity that expires a nanosecond later");
    who_init(&who, &kit);
    who.identity.expires_at = (struct il__instant){ 0, 0 };
    run(&who, &kit);
    kit_passed(&kit, "an identity that does not expire");
}

static void modes(void)
{
    static const char *const scopes[] = {
        "computer:plan", "computer:execute:background", "computer:execute:foreground"
    };
    for (int mode = 0; mode < IL__MODE_COUNT; mode++)
        for (int held = 0; held < 8; held++) {
            struct who who;
            struct kit kit;
            who_init(&who, &kit);
            who.mode = mode;
            who.identity.scopes.count = 0;
            for (int s = 0; s < 3; s++)
                if (held & 1 << s) who.scopes[who.identity.scopes.count++] = il__str(scopes[s]);
            run(&who, &kit);
            if (held & 1 << mode) kit_passed(&kit, "its own scope");
            else kit_refused(&kit, "identity", "scope", IL_MISSING_SCOPE, "only others' scopes");
        }
    for (int mode = -1; mode <= IL__MODE_COUNT; mode++)
        tap_str(il__str(il__scope_of_mode(mode)), mode < 0 || mode == 3 ? NULL : scopes[mode],
                "scope of mode %d", mode);
    struct who who;
    struct kit kit;
    who_init(&who, &kit);
    who.mode = -1;
    run(&who, &kit);
    kit_refused(&kit, "identity", "scope", IL_MISSING_SCOPE, "a mode that is none");
}

static void scope_table(void)
{
    struct table t;
    table_open(&t, "tests/vectors/tables/scope.json");
    for (int row = 1; table_next(&t); row++) {
        struct who who;
        struct kit kit;
        char what[64];
        who_init(&who, &kit);
        who.identity.scopes.count = 0;
        uint32_t list = table_cell(&t, "scopes");
        for (uint32_t at = il__json_first(&t.doc, list); at; at = il__json_next(&t.doc, list, at))
            who.scopes[who.identity.scopes.count++] = table_text(&t, at);
        who.mode = il__name_index(il__mode_names, table_str(&t, "mode"));
        who.identity.principal = table_str(&t, "principal");
        who.principal = table_str(&t, "runPrincipal");
        who.identity.tenant = table_str(&t, "tenant");
        who.tenant = table_str(&t, "runTenant");
        run(&who, &kit);
        snprintf(what, sizeof what, "scope table, row %d", row);
        struct il_str code = table_str(&t, "code"), field = table_str(&t, "field");
        if (table_bool(&t, "passes")) kit_passed(&kit, what);
        else
            tap_ok(il__str_eq(code, il__str(il_code_name(kit.err.code))) && il__str_eq(field, il__str(kit.err.field)),
                   "%s", what);
    }
    table_close(&t);
}

int main(void)
{
    each_check();
    nobody();
    expiry();
    modes();
    scope_table();
    return tap_done();
}
