/* The wall clock fixed by --now: it starts at T when the command starts and goes on with the monotonic clock.
 * Must never be given to a runtime outside this process. */
#ifndef IL_CLI_CLOCK_H
#define IL_CLI_CLOCK_H

#include "include/interlock.h"

struct il__cli_clock {
    int64_t start_sec, start_boot_ns;
    int32_t start_nsec;
};

/* False: `now` is no RFC 3339 time. */
bool il__cli_clock_init(struct il__cli_clock *clock, const char *now);
/* An il_clock_fn; `ctx` is a struct il__cli_clock. */
void il__cli_clock_read(void *ctx, struct il_clock_reading *out);
int64_t il__cli_clock_boot_ns(void);

#endif
