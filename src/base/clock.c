/* Reads the system's clocks or the embedder's. Keeps the floor under wall time that the journal sets.
 * Must never fail and never go below the floor. */
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

static void system_clock(void *ctx, struct il_clock_reading *out)
{
    struct timespec ts;
    (void)ctx;
    if (clock_gettime(CLOCK_REALTIME, &ts) == 0) {
        out->wall_sec = ts.tv_sec;
        out->wall_nsec = (int32_t)ts.tv_nsec;
    }
    if (clock_gettime(CLOCK_BOOTTIME, &ts) == 0 || clock_gettime(CLOCK_MONOTONIC, &ts) == 0) {
        out->boot_ns = (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
    }
}

static void set_boot_id(struct il__clock *clock, const char *text, size_t len)
{
    if (len > sizeof clock->boot_id - 1) len = sizeof clock->boot_id - 1;
    memcpy(clock->boot_id, text, len);
    clock->boot_id[len] = 0;
}

/* The kernel writes a UUID and a newline in one piece. */
static void read_boot_id(struct il__clock *clock)
{
    char text[IL__BOOT_ID_MAX];
    ssize_t n = -1;
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        do n = read(fd, text, sizeof text);
        while (n < 0 && errno == EINTR);
        (void)close(fd);
    }
    size_t len = 0;
    while (n > 0 && len < (size_t)n && text[len] > ' ' && text[len] < 0x7f) len++;
    if (len == 0) set_boot_id(clock, "unknown", 7);
    else set_boot_id(clock, text, len);
}

void il__clock_init(struct il__clock *clock, il_clock_fn fn, void *ctx, const char *boot_id)
{
    *clock = (struct il__clock){ .fn = fn ? fn : system_clock, .ctx = fn ? ctx : NULL };
    clock->floor.sec = INT64_MIN;
    if (!fn) {
        read_boot_id(clock);
    } else {
        const char *id = boot_id ? boot_id : "embedder";
        set_boot_id(clock, id, strlen(id));
    }
}

struct il__now il__clock_now(const struct il__clock *clock)
{
    struct il_clock_reading reading = { 0, 0, 0 };
    clock->fn(clock->ctx, &reading);
    if (reading.wall_nsec < 0) reading.wall_nsec = 0;
    if (reading.wall_nsec > 999999999) reading.wall_nsec = 999999999;
    struct il__now now = { { reading.wall_sec, reading.wall_nsec }, reading.boot_ns / 1000000 };
    if (il__instant_cmp(now.wall, clock->floor) < 0) now.wall = clock->floor;
    return now;
}

void il__clock_raise(struct il__clock *clock, struct il__instant at)
{
    if (il__instant_cmp(at, clock->floor) > 0) clock->floor = at;
}

int64_t il__clock_us(const struct il__clock *clock)
{
    struct timespec ts = { 0, 0 };
    (void)clock;
    if (clock_gettime(CLOCK_MONOTONIC, &ts) != 0) return 0;
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}
