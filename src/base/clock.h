/* The two clocks of a host: wall time, and a monotonic one that counts suspended time (CLOCK_BOOTTIME), with the id
 * of the boot it belongs to. An embedder may own both. Reading never fails: a source that cannot be read yields the
 * last value. */
#ifndef IL_BASE_CLOCK_H
#define IL_BASE_CLOCK_H

#include "base/rfc3339.h"

enum { IL__BOOT_ID_MAX = 40 };

struct il__clock {
    il_clock_fn fn;        /* never NULL after il__clock_init */
    void *ctx;
    struct il__instant floor; /* the last journaled wall time: now is never earlier (SPEC §2 Time) */
    char boot_id[IL__BOOT_ID_MAX];
};

struct il__now {
    struct il__instant wall; /* the later of the wall clock and the floor */
    int64_t boot_ms;         /* milliseconds since boot, counting suspend */
};

/* NULL `fn` means the system's clocks; the boot id is then /proc/sys/kernel/random/boot_id, else "unknown". With a
 * callback the boot id is `boot_id` (NULL: "embedder"). */
void il__clock_init(struct il__clock *clock, il_clock_fn fn, void *ctx, const char *boot_id);
struct il__now il__clock_now(const struct il__clock *clock);
/* Raises the floor to `at` when that is later. */
void il__clock_raise(struct il__clock *clock, struct il__instant at);
/* Microseconds of the monotonic clock, for budgets (not journaled). */
int64_t il__clock_us(const struct il__clock *clock);

#endif
