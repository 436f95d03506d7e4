/* For the tests of src/check: one set of objects that passes every check, a checker with a trace, and expectations.
 * Tests change one thing of a fresh kit and say which check has to notice. */
#ifndef CHECK_KIT_H
#define CHECK_KIT_H

#include "check/approve.h"
#include "check/bind.h"

#define S IL_STR
#define LIT(lit) { "" lit "", sizeof(lit) - 1 } /* the same, where an initializer has to be constant */
#define NONE { NULL, 0 }

struct kit {
    struct il__instant now; /* 2026-11-30T18:00:30Z */
    struct il_str list[4];
    struct il__bounds rect;
    struct il__target target, sent_target;
    struct il__postcondition post, sent_post;
    struct il__provenance prov, sent_prov;
    struct il__envelope env;
    struct il_str own_digest;
    struct il__proposal proposal;
    struct il__asked asked;
    struct il__boundaries bounds;
    struct il__lease lease;
    struct il__reservation_scope scope;
    struct il__reservation res;
    struct il__receipt receipt;
    struct il__grant grant;
    struct il_str policy_digest;
    struct il__checker ck;
    struct il_error err;
    char trace[1024]; /* the fields seen so far, each with a blank behind it; a failed one has "!" before that */
};

/* Everything agrees. Texts of the kit are literals; `kit` must not be moved afterwards. */
void kit_init(struct kit *kit);
/* The checks that were made, the refusal that came of them: object, field, code. */
void kit_passed(struct kit *kit, const char *what);
void kit_refused(struct kit *kit, const char *object, const char *field, enum il_code code, const char *what);

#endif
