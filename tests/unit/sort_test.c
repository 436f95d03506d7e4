/* Heap sort: every small order, many larger ones, items of several sizes. */
#include "base/sort.h"

#include "tap.h"

#include <stdint.h>
#include <string.h>

struct item {
    uint32_t key;
    char more[12];
};

static bool before(void *ctx, const void *a, const void *b)
{
    const struct item *left = a, *right = b;
    ++*(size_t *)ctx;
    return left->key < right->key;
}

static bool byte_before(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    return *(const unsigned char *)a < *(const unsigned char *)b;
}

static bool in_order(const struct item *items, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && items[i - 1].key > items[i].key) return false;
        if (items[i].more[0] != (char)items[i].key) return false;
    }
    return true;
}

int main(void)
{
    static struct item items[2000];
    uint32_t state = 7;
    bool good = true;
    size_t most = 0;
    for (size_t n = 0; n <= 2000; n = n < 20 ? n + 1 : n * 2) {
        size_t compared = 0;
        for (size_t i = 0; i < n; i++) {
            state = state * 1664525 + 1013904223;
            items[i] = (struct item){ .key = (state >> 16) % 97, .more = { (char)((state >> 16) % 97) } };
        }
        il__sort(items, n, sizeof *items, before, &compared);
        good = good && in_order(items, n);
        if (compared > most) most = compared;
    }
    tap_ok(good, "every length is sorted, and items stay whole");
    for (uint32_t i = 0; i < 1000; i++) items[i] = (struct item){ .key = 1000 - i, .more = { (char)(1000 - i) } };
    size_t compared = 0;
    il__sort(items, 1000, sizeof *items, before, &compared);
    tap_ok(in_order(items, 1000) && compared < 30000, "turned around, and no slower");
    unsigned char text[] = "the quick brown fox";
    il__sort(text, sizeof text - 1, 1, byte_before, NULL);
    tap_ok(strcmp((char *)text, "   bcefhiknooqrtuwx") == 0, "items of one byte");
    unsigned wrong = 0;
    for (unsigned all = 0; all < 3125; all++) { /* five items of five values */
        unsigned char five[5];
        for (unsigned i = 0, left = all; i < 5; i++, left /= 5) five[i] = (unsigned char)(left % 5);
        il__sort(five, 5, 1, byte_before, NULL);
        for (size_t i = 1; i < 5; i++) wrong += five[i - 1] > five[i];
    }
    tap_int(wrong, 0, "every order of five");
    return tap_done();
}
