/* What is counted over runs: units of limits, and the outcomes of runs that reached execute. In memory; a store that
 * keeps them in a file takes the types from here and gives the same answers.
 *
 * A unit belongs to a key and a run, once. One that lies in the future counts. What is older than IL__LIMIT_KEPT_S is
 * forgotten. Must never forget a unit that a limit may still count. */
#ifndef IL_BASE_TALLY_H
#define IL_BASE_TALLY_H

#include "base/mem.h"

/* What a run counts against a key. `most`: units within `per_ms` before now, 0: any number. */
struct il__unit {
    struct il_str key;
    int64_t most, per_ms;
};
struct il__unit_use {
    int64_t count;     /* later than `after_ms` */
    int64_t leaves_ms; /* of the unit that must leave before one more has room; 0: one has room now */
};
/* A key, its units of the last hour, of the last day and of the time that is kept, and when the latest was taken. */
struct il__unit_row {
    struct il_str key;
    int64_t hour, day, kept, latest_ms;
};
typedef bool (*il__unit_fn)(void *ctx, const struct il__unit_row *row); /* false: no more of them */

/* The last one is of a run that ended without having sent anything after all. */
enum il__past_outcome { IL__PAST_VERIFIED, IL__PAST_UNVERIFIED, IL__PAST_FAILED, IL__PAST_INDETERMINATE,
                        IL__PAST_NOT_SENT };
extern const char *const il__past_names[]; /* "verified", "unverified", "failed", "indeterminate"; the last has none */

/* What is kept of a run that reached execute; one of each run, the last one stands. */
struct il__past {
    struct il_str run_id, session_id, tool, app; /* app may be absent */
    unsigned outcome, action_class;              /* below 32 */
    int64_t at_ms;
};
struct il__past_query {
    struct il_str but_run;               /* absent: every run */
    unsigned outcomes, classes;          /* a bit for each; 0: any */
    struct il_str tool, app, session_id; /* absent: any */
    int64_t after_ms;
};
struct il__past_seen {
    int64_t count, latest_ms; /* latest_ms: meaningless without a count */
    bool cut;                 /* history_entries: of the time that was asked about some may have been put out */
};
/* Does it ask for this one? */
bool il__past_matches(const struct il__past_query *query, const struct il__past *past);

struct il__tally_key;
struct il__tally_past;
struct il__tally_slot {
    struct il__tally_past *past;
    int64_t at_ms;
    uint32_t mark; /* of its run */
};
struct il__tally {
    struct il__mem *mem;
    struct il__tally_key **keys;
    size_t key_count, key_cap, units;
    struct il__tally_slot *past; /* in order of at_ms */
    size_t past_count, past_cap;
};

void il__tally_init(struct il__tally *tally, struct il__mem *mem);
void il__tally_clear(struct il__tally *tally);
/* Units of the key within `per_ms` before `now_ms`, those of `but_run` left out. */
struct il__unit_use il__tally_used(const struct il__tally *tally, const struct il__unit *unit, struct il_str but_run,
                                   int64_t now_ms);
/* Every unit of the list that the run does not have yet, or none: IL_POLICY_DENIED, object `limit` and the key as
 * field, when one of them has no room; IL_LIMIT_EXCEEDED (limit_units). */
enum il_code il__tally_spend(struct il__tally *tally, struct il_str run_id, const struct il__unit *units, size_t count,
                             int64_t now_ms, struct il_error *err) IL_MUST_USE;
/* Replaces what was kept of the run. Past history_entries the oldest goes, and the time that it was
 * of is not known as a whole any more. */
enum il_code il__tally_remember(struct il__tally *tally, const struct il__past *past,
                                struct il_error *err) IL_MUST_USE;
struct il__past_seen il__tally_recall(const struct il__tally *tally, const struct il__past_query *query);
/* Every key with units, in order of keys. */
void il__tally_units(struct il__tally *tally, int64_t now_ms, il__unit_fn fn, void *ctx);

/* For both kinds of keeping: the refusals. */
enum il_code il__unit_none_left(const struct il__unit *unit, struct il_error *err);
enum il_code il__units_full(struct il_error *err);

#endif
