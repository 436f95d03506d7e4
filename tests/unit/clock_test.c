/* Clocks: the embedder's or the system's, never below the floor (SPEC §2 Time). */
#include "base/clock.h"

#include "tap.h"

#include <time.h>

static void fake(void *ctx, struct il_clock_reading *out)
{
    *out = *(struct il_clock_reading *)ctx;
}

static void silent(void *ctx, struct il_clock_reading *out)
{
    (void)ctx;
    (void)out;
}

static void embedder(void)
{
    struct il_clock_reading at = { 1000, 5, 7999999 };
    struct il__clock clock;
    il__clock_init(&clock, fake, &at, NULL);
    struct il__now now = il__clock_now(&clock);
    tap_ok(now.wall.sec == 1000 && now.wall.nsec == 5, "wall time of the callback");
    tap_int(now.boot_ms, 7, "boot time in milliseconds, rounded down");
    tap_str(il__str(clock.boot_id), "embedder", "its boot id");
    il__clock_init(&clock, fake, &at, "boot-2");
    tap_str(il__str(clock.boot_id), "boot-2", "or the one it gives");
    il__clock_init(&clock, fake, &at, "0123456789012345678901234567890123456789ABCDEF");
    tap_int((long long)strlen(clock.boot_id), IL__BOOT_ID_MAX - 1, "a long one is cut");
    il__clock_raise(&clock, (struct il__instant){ 2000, 0 });
    tap_int(il__clock_now(&clock).wall.sec, 2000, "never earlier than the floor");
    il__clock_raise(&clock, (struct il__instant){ 1500, 0 });
    tap_int(il__clock_now(&clock).wall.sec, 2000, "the floor only rises");
    at.wall_sec = 3000;
    tap_int(il__clock_now(&clock).wall.sec, 3000, "the clock above the floor counts");
    at.wall_sec = 10;
    tap_int(il__clock_now(&clock).wall.sec, 2000, "turning the clock back gains nothing");
    at.wall_sec = 5000;
    at.wall_nsec = 2000000000;
    tap_int(il__clock_now(&clock).wall.nsec, 999999999, "nanoseconds out of range are brought back");
    at.wall_nsec = -1;
    tap_int(il__clock_now(&clock).wall.nsec, 0, "below, too");
    il__clock_init(&clock, fake, &at, NULL);
    at.wall_sec = -62167219200 - 100;
    tap_int(il__clock_now(&clock).wall.sec, at.wall_sec, "no floor before the first raise");
    il__clock_raise(&clock, (struct il__instant){ 9, 0 });
    clock.fn = silent;
    tap_int(il__clock_now(&clock).wall.sec, 9, "a callback that writes nothing yields the floor");
}

static void system_clocks(void)
{
    struct il__clock clock;
    struct timespec before;
    struct timespec after;
    il__clock_init(&clock, NULL, NULL, "ignored");
    clock_gettime(CLOCK_REALTIME, &before);
    struct il__now now = il__clock_now(&clock);
    clock_gettime(CLOCK_REALTIME, &after);
    tap_ok(now.wall.sec >= before.tv_sec && now.wall.sec <= after.tv_sec, "wall time is the system's");
    tap_ok(now.boot_ms > 0, "boot time counts");
    struct timespec boot;
    clock_gettime(CLOCK_BOOTTIME, &boot);
    int64_t ms = (int64_t)boot.tv_sec * 1000 + boot.tv_nsec / 1000000;
    tap_ok(ms - now.boot_ms >= 0 && ms - now.boot_ms < 60000, "and is CLOCK_BOOTTIME");
    size_t id = strlen(clock.boot_id);
    tap_ok(id == 36 || strcmp(clock.boot_id, "unknown") == 0, "the boot id is a UUID without its newline");
    int64_t a = il__clock_us(&clock);
    int64_t b = il__clock_us(&clock);
    tap_ok(a > 0 && b >= a, "microseconds never run backwards");
}

int main(void)
{
    embedder();
    system_clocks();
    return tap_done();
}
