/* Deadlines with a wall side and a monotonic side, see fresh.h. Pure arithmetic over given readings. Must never let a
 * clock that was turned back, a suspended machine or an overflow give anything more time. */
#include "check/fresh.h"

/* a + b without overflow. */
static int64_t add_sat(int64_t a, int64_t b)
{
    if (b > 0 && a > INT64_MAX - b) return INT64_MAX;
    if (b < 0 && a < INT64_MIN - b) return INT64_MIN;
    return a + b;
}

static bool same_boot(const char *a, const char *b)
{
    return il__str_eq(il__str(a), il__str(b));
}

/* Does the monotonic side count for who runs in `boot_id`? */
static bool counts(const struct il__deadline *deadline, const char *boot_id)
{
    return deadline->boot_ms != INT64_MAX && same_boot(deadline->boot_id, boot_id);
}

struct il__deadline il__deadline_make(struct il__instant expires_at, int64_t ttl_ms, struct il__now now,
                                      const char *boot_id)
{
    struct il__deadline deadline = { .set = true, .wall = expires_at };
    int64_t left = il__instant_diff_ms(expires_at, now.wall);
    if (ttl_ms > 0 && ttl_ms < left) left = ttl_ms;
    if (left < 0) left = 0;
    deadline.boot_ms = add_sat(now.boot_ms, left);
    struct il_str id = il__str(boot_id);
    if (id.len >= sizeof deadline.boot_id) id.len = sizeof deadline.boot_id - 1;
    if (id.len > 0) memcpy(deadline.boot_id, id.ptr, id.len);
    return deadline;
}

bool il__deadline_within(const struct il__deadline *deadline, int64_t margin_ms, struct il__now now,
                         const char *boot_id)
{
    if (!deadline->set) return true;
    if (il__instant_cmp(il__instant_add_ms(now.wall, margin_ms), deadline->wall) >= 0) return true;
    return counts(deadline, boot_id) && add_sat(now.boot_ms, margin_ms) >= deadline->boot_ms;
}

bool il__deadline_passed(const struct il__deadline *deadline, struct il__now now, const char *boot_id)
{
    return il__deadline_within(deadline, 0, now, boot_id);
}

int64_t il__deadline_left_ms(const struct il__deadline *deadline, struct il__now now, const char *boot_id)
{
    if (il__deadline_passed(deadline, now, boot_id)) return 0;
    int64_t left = il__instant_diff_ms(deadline->wall, now.wall);
    if (counts(deadline, boot_id)) {
        int64_t boot_left = add_sat(deadline->boot_ms, now.boot_ms == INT64_MIN ? INT64_MAX : -now.boot_ms);
        if (boot_left < left) left = boot_left;
    }
    return left > 0 ? left : 1; /* less than a millisecond is left, but it has not passed */
}

struct il__deadline il__deadline_min(struct il__deadline a, struct il__deadline b)
{
    if (!a.set) return a;
    if (!b.set) return b;
    struct il__deadline first = a;
    if (il__instant_cmp(b.wall, a.wall) < 0) first.wall = b.wall;
    bool takes_b = a.boot_ms == INT64_MAX || (same_boot(a.boot_id, b.boot_id) && b.boot_ms < a.boot_ms);
    if (!takes_b) return first;
    first.boot_ms = b.boot_ms;
    memcpy(first.boot_id, b.boot_id, sizeof first.boot_id);
    return first;
}
