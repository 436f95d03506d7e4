/* What a recorded run would have to meet again: the answers of its runtime, one for each call, and what came to it from
 * outside, with the times at which it came. Reads a journal (recorded.h) once. */
#ifndef IL_EVIDENCE_REPLAY_H
#define IL_EVIDENCE_REPLAY_H

#include "base/rfc3339.h"
#include "evidence/recorded.h"

enum il__reply_kind {
    IL__REPLY_LOST,              /* none came */
    IL__REPLY_JSON, IL__REPLY_FAIL, IL__REPLY_CRASH,
    IL__REPLY_NEVER              /* the call was never made */
};
struct il__reply {
    enum il_op op;
    enum il__reply_kind kind;
    struct il_str json;          /* JSON */
    struct il_str reason, message; /* FAIL */
    struct il__instant asked;
    int64_t after_ms;
};

enum il__event_kind {
    IL__CAME_WAIT,               /* not from outside: from here on it waits */
    IL__CAME_ANSWER, IL__CAME_DECISION, IL__CAME_CANCEL,
    IL__CAME_LEAVE,              /* its process ended while it waited, another took it up */
    IL__CAME_CRASH,              /* its process ended while it moved, likewise */
    IL__CAME_TIME                /* it ended by time alone */
};
struct il__came {
    enum il__event_kind kind;
    struct il__instant at;
    struct il__recorded_line *line;
    size_t records;              /* CRASH: after so many, those of policies on trial aside */
};

struct il__replay {
    struct il__recorded run;
    struct il__mem *mem;
    struct il__reply *replies;
    size_t reply_count, reply_cap;
    struct il__came *came;
    size_t came_count, came_cap;
    struct il__recorded_line *end, *outcome;
    struct il__instant ended;    /* when its last record was written */
    bool waits, standing_grant;
    size_t sends;
};

/* IL_CONFLICT: there is no such run. IL_UNSUPPORTED: what the runtime answered is not kept (it was refused). To be
 * cleared whatever comes back. */
enum il_code il__replay_read(struct il__replay *replay, struct il__mem *mem, const struct il__store *store,
                             struct il_str run_id, struct il_error *err) IL_MUST_USE;
void il__replay_clear(struct il__replay *replay);

#endif
