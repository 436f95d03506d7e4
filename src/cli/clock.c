/* A wall clock that starts where --now says. Uses CLOCK_BOOTTIME. */
#include "cli/clock.h"

#include "cli/text.h"

#include <time.h>

int64_t il__cli_clock_boot_ns(void)
{
    struct timespec ts = { 0, 0 };
    clock_gettime(CLOCK_BOOTTIME, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

bool il__cli_clock_init(struct il__cli_clock *clock, const char *now)
{
    clock->start_boot_ns = il__cli_clock_boot_ns();
    return il_time_parse(il__text_of(now), &clock->start_sec, &clock->start_nsec);
}

void il__cli_clock_read(void *ctx, struct il_clock_reading *out)
{
    const struct il__cli_clock *clock = ctx;
    out->boot_ns = il__cli_clock_boot_ns();
    int64_t nsec = out->boot_ns - clock->start_boot_ns + clock->start_nsec;
    out->wall_sec = clock->start_sec + nsec / 1000000000;
    out->wall_nsec = (int32_t)(nsec % 1000000000);
}
