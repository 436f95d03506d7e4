/* Expiry: a deadline has a wall side (what the object says) and a monotonic side that counts suspended time (what we
 * granted it when it arrived); whichever comes first ends it, so turning a clock back lengthens nothing (SPEC §2). */
#ifndef IL_CHECK_FRESH_H
#define IL_CHECK_FRESH_H

#include "base/clock.h"

struct il__deadline {
    bool set;
    struct il__instant wall;
    int64_t boot_ms;       /* INT64_MAX: none */
    char boot_id[IL__BOOT_ID_MAX]; /* the boot that boot_ms belongs to */
};

/* `ttl_ms` is what the adapter asked for (0: not asked); the monotonic side never exceeds it, else expires_at - now. */
struct il__deadline il__deadline_make(struct il__instant expires_at, int64_t ttl_ms, struct il__now now,
                                      const char *boot_id);
/* An unset deadline has passed. Within the same boot both sides count; in another boot only the wall side. */
bool il__deadline_passed(const struct il__deadline *deadline, struct il__now now, const char *boot_id);
/* The same, `margin_ms` earlier. */
bool il__deadline_within(const struct il__deadline *deadline, int64_t margin_ms, struct il__now now,
                         const char *boot_id);
/* Milliseconds until it passes; 0 when it has. */
int64_t il__deadline_left_ms(const struct il__deadline *deadline, struct il__now now, const char *boot_id);
/* Passes as soon as either does; unset when either is. The monotonic sides are joined when both belong to one boot;
 * otherwise `a`'s is kept (`b`'s when `a` has none), so give the one of the present boot first. */
struct il__deadline il__deadline_min(struct il__deadline a, struct il__deadline b);

#endif
