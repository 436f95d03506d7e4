/* What scripts see of accepted objects, as schemas of their own: the members that may be shown, and no others. Used by
 * the workflow and the policy API; the views over them are src/script/view.h. Ids of leases and grants have no row. */
#ifndef IL_SCRIPT_SEEN_H
#define IL_SCRIPT_SEEN_H

#include "base/zone.h"
#include "check/approve.h"
#include "contract/action.h"
#include "script/object.h"

struct il__preview_seen {
    bool blocked;
    struct il_str reason;
    bool waits;
    int route; /* enum il__route */
    bool executable;
    const struct il__envelope *envelope;
    const struct il__policy_decision *policy;
    const struct il__capability *capability;
};
extern const struct il__schema il__preview_seen_schema;
extern const struct il__schema il__policy_seen_schema; /* over struct il__policy_decision */

struct il__granted_seen { bool granted; };
extern const struct il__schema il__granted_seen_schema;

extern const struct il__schema il__receipt_seen_schema; /* over struct il__receipt */

struct il__outcome_seen {
    struct il_str status;
    bool verified, committed;
    struct il_str detail;
};
extern const struct il__schema il__outcome_seen_schema;

extern const struct il__schema il__lease_seen_schema; /* over struct il__lease: its limits */
extern const struct il__schema il__vote_seen_schema;  /* over struct il__vote */

struct il__time_seen {
    int64_t year, month, day, hour, minute, second, unix_seconds, offset;
    struct il_str weekday, text, zone;
    char text_bytes[IL__LOCAL_TEXT_MAX];
    struct il__zone rule; /* behind `zone` */
};
extern const struct il__schema il__time_seen_schema;
/* In UTC, or as the clocks of `zone` show it. `*out` must stay where it is. */
void il__time_see(struct il__instant at, struct il__time_seen *out);
void il__time_see_in(struct il__instant at, const struct il__zone *zone, struct il__time_seen *out);

/* What a policy sees of the action after the preview: the envelope, the arguments, and `mode` as in the proposal. */
struct il__action_seen {
    struct il__envelope envelope; /* first: the rows of its schema are used as they are */
    struct il__any arguments;
};
/* A schema over struct il__action_seen, made in `arena`: the rows of the envelope and two more. NULL: no memory. */
const struct il__schema *il__action_seen_schema(struct il__arena *arena);

extern const struct il__object il__observed_object;

#endif
