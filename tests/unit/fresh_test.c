/* Deadlines: both sides of each bound, two clocks, two boots, and that no clock lengthens anything. */
#include "check/fresh.h"
#include "tap.h"

static const struct il__instant noon = { 1000000, 0 };

static struct il__now at(int64_t wall_ms, int64_t boot_ms)
{
    return (struct il__now){ il__instant_add_ms(noon, wall_ms), boot_ms };
}

/* Made at noon, boot time 5000, for an object that expires in `expires_ms`, `ttl_ms` asked for. */
static struct il__deadline made(int64_t expires_ms, int64_t ttl_ms)
{
    return il__deadline_make(il__instant_add_ms(noon, expires_ms), ttl_ms, at(0, 5000), "boot-a");
}

static bool passed(struct il__deadline deadline, int64_t wall_ms, int64_t boot_ms)
{
    return il__deadline_passed(&deadline, at(wall_ms, boot_ms), "boot-a");
}

static void bounds(void)
{
    struct il__deadline d = made(10000, 0);
    tap_ok(!passed(d, 0, 5000), "it has not passed when it is made");
    tap_ok(!passed(d, 9999, 5000) && passed(d, 10000, 5000), "the wall side: equal is expired");
    tap_ok(passed(d, 10001, 5000), "the wall side: later is expired");
    tap_ok(!passed(d, 0, 14999) && passed(d, 0, 15000), "the monotonic side: equal is expired");
    tap_ok(passed(d, -3600000, 15000), "a wall clock turned back lengthens nothing");
    tap_ok(passed(d, 3600000, 5000), "a wall clock turned forward ends it");

    struct il__now nearly = at(9999, 5000);
    nearly.wall.nsec = 999999999;
    tap_ok(!il__deadline_passed(&d, nearly, "boot-a"), "a nanosecond before is before");

    struct il__deadline never = { .set = false, .wall = { INT64_MAX, 0 }, .boot_ms = INT64_MAX };
    tap_ok(passed(never, 0, 0), "an unset one has passed");
    tap_ok(passed(made(0, 0), 0, 5000), "one that expires now has passed");
    tap_ok(passed(made(-5, 30000), 0, 5000), "one that expired before it arrived has passed");
    tap_ok(passed(made(-5, 0), -60000, 5000), "also when the clock is turned back afterwards");
}

static void asked(void)
{
    struct il__deadline shorter = made(60000, 30000), longer = made(10000, 30000);
    tap_ok(!passed(shorter, 29999, 34999) && passed(shorter, 29999, 35000),
           "asked for less than it says: what was asked");
    tap_ok(!passed(longer, 9999, 14999) && passed(longer, 10000, 15000), "asked for more than it says: what it says");
    tap_ok(passed(longer, -3600000, 15000), "asked for more, clock turned back: still what it said");
    tap_int(made(60000, 30000).boot_ms, 35000, "the monotonic side is what was asked");
    tap_int(made(60000, 0).boot_ms, 65000, "or what is left");
    struct il__instant end = { INT64_MAX / 2000, 0 };
    struct il__deadline far = il__deadline_make(end, 0, at(0, INT64_MAX - 5), "b");
    tap_int(far.boot_ms, INT64_MAX, "sums do not overflow");
}

static void boots(void)
{
    struct il__deadline d = made(10000, 0);
    tap_ok(!il__deadline_passed(&d, at(9999, 99999), "boot-b"), "in another boot the monotonic side does not count");
    tap_ok(il__deadline_passed(&d, at(10000, 0), "boot-b"), "but the wall side does");
    tap_ok(il__deadline_passed(&d, at(0, 15000), "boot-a"), "in the same boot both do");
    tap_ok(!il__deadline_passed(&d, at(0, 15000), "boot-aa"), "boot ids are compared whole");
    d.boot_ms = INT64_MAX;
    tap_ok(!passed(d, 9999, INT64_MAX), "without a monotonic side the wall side alone counts");
    tap_ok(passed(d, 10000, 0), "and ends it");
    const char *id = "0123456789012345678901234567890123456789012345678901234567890";
    d = il__deadline_make(il__instant_add_ms(noon, 10), 0, at(0, 0), id);
    tap_int((long long)strlen(d.boot_id), IL__BOOT_ID_MAX - 1, "a long boot id is cut");
    d = il__deadline_make(il__instant_add_ms(noon, 10), 0, at(0, 0), id + strlen(id) - IL__BOOT_ID_MAX);
    tap_int((long long)strlen(d.boot_id), IL__BOOT_ID_MAX - 1, "also one that is too long by its end");
}

static void margins(void)
{
    struct il__deadline d = made(10000, 0);
    tap_ok(!il__deadline_within(&d, 2000, at(7999, 5000), "boot-a"), "margin: before, on the wall");
    tap_ok(il__deadline_within(&d, 2000, at(8000, 5000), "boot-a"), "margin: at its start, on the wall");
    tap_ok(!il__deadline_within(&d, 2000, at(0, 12999), "boot-a"), "margin: before, monotonic");
    tap_ok(il__deadline_within(&d, 2000, at(0, 13000), "boot-a"), "margin: at its start, monotonic");
    tap_ok(!il__deadline_within(&d, INT64_MIN, at(0, -1), "boot-a"), "margin: sums do not overflow");
    tap_ok(!il__deadline_within(&d, 2000, at(0, 13000), "boot-b"), "margin: another boot counts the wall alone");

    tap_int(il__deadline_left_ms(&d, at(0, 5000), "boot-a"), 10000, "left: all of it");
    tap_int(il__deadline_left_ms(&d, at(4000, 5000), "boot-a"), 6000, "left: by the wall");
    tap_int(il__deadline_left_ms(&d, at(-4000, 8000), "boot-a"), 7000, "left: by the monotonic side");
    tap_int(il__deadline_left_ms(&d, at(4000, 14999), "boot-b"), 6000, "left: another boot, by the wall alone");
    tap_int(il__deadline_left_ms(&d, at(10000, 5000), "boot-a"), 0, "left: nothing when it has passed");
    tap_int(il__deadline_left_ms(&d, at(0, 15000), "boot-a"), 0, "left: nothing, monotonic");
    struct il__now nearly = at(9999, 5000);
    nearly.wall.nsec = 999999999;
    tap_int(il__deadline_left_ms(&d, nearly, "boot-a"), 1, "left: what has not passed has something left");
}

static void minima(void)
{
    struct il__deadline a = made(10000, 0), b = made(20000, 5000), none = { .set = false };
    struct il__deadline m = il__deadline_min(a, b), n = il__deadline_min(b, a);
    tap_ok(!passed(m, 4999, 9999) && passed(m, 0, 10000) && passed(m, 10000, 5000), "min: as soon as either passes");
    tap_ok(passed(n, 0, 10000) && passed(n, 10000, 5000), "min: in either order");
    m = il__deadline_min(a, none), n = il__deadline_min(none, a);
    tap_ok(!m.set && !n.set, "min: unset is first");
    struct il__deadline wall = a;
    wall.boot_ms = INT64_MAX;
    m = il__deadline_min(wall, a), n = il__deadline_min(a, wall);
    tap_ok(m.boot_ms == a.boot_ms && n.boot_ms == a.boot_ms, "min: a monotonic side wins over none");
    struct il__deadline old = il__deadline_make(il__instant_add_ms(noon, 7000), 0, at(0, 100), "boot-old");
    m = il__deadline_min(a, old);
    tap_ok(passed(m, 7000, 5000) && passed(m, 0, 15000), "min: of two boots the first one's monotonic side stays");
    tap_ok(!passed(m, 0, 14999), "min: the other boot's does not count here");
}

int main(void)
{
    bounds();
    asked();
    boots();
    margins();
    minima();
    return tap_done();
}
