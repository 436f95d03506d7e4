/* See bench.h. Uses only the C library and the monotonic clock. Must never print anything but results to stdout. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_CASES = 8, ROUNDS = 31 };
static const double ROUND_NS = 4e6;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double one_round(const struct bench_case *c, size_t times, size_t *sink)
{
    double start = now_ns();
    for (size_t i = 0; i < times; i++) *sink += c->fn(c->ctx);
    return (now_ns() - start) / (double)times;
}

/* How often the work fits into one round. */
static size_t calibrate(const struct bench_case *c, size_t *sink)
{
    size_t times = 1;
    while (one_round(c, times, sink) * (double)times < ROUND_NS && times < 1u << 24) times *= 2;
    return times;
}

void bench_run(const char *title, const struct bench_case *cases, size_t count, size_t unit_bytes)
{
    static double ns[MAX_CASES][ROUNDS];
    size_t times[MAX_CASES], sink = 0;
    if (count > MAX_CASES) abort();
    for (size_t c = 0; c < count; c++) times[c] = calibrate(&cases[c], &sink);
    for (size_t r = 0; r < ROUNDS; r++)
        for (size_t c = 0; c < count; c++) ns[c][r] = one_round(&cases[c], times[c], &sink);

    fprintf(stderr, "%s  (%d interleaved rounds)\n", title, ROUNDS);
    printf("{\"bench\":\"%s\",\"rounds\":%d,\"bytes\":%zu,\"cases\":[", title, ROUNDS, unit_bytes);
    for (size_t c = 0; c < count; c++) qsort(ns[c], ROUNDS, sizeof ns[c][0], by_value);
    double first = ns[0][ROUNDS / 2];
    for (size_t c = 0; c < count; c++) {
        double median = ns[c][ROUNDS / 2], low = ns[c][ROUNDS / 4], high = ns[c][ROUNDS * 3 / 4];
        fprintf(stderr, "  %-36s %12.0f ns  (quartiles %.0f to %.0f)  x%.2f", cases[c].name, median, low, high,
                median / first);
        if (unit_bytes) fprintf(stderr, "  %7.1f MB/s", (double)unit_bytes / median * 1e3);
        fprintf(stderr, "\n");
        printf("%s{\"name\":\"%s\",\"median_ns\":%.1f,\"q1_ns\":%.1f,\"q3_ns\":%.1f,\"ratio\":%.4f}", c ? "," : "",
               cases[c].name, median, low, high, median / first);
    }
    printf("],\"sink\":%zu}\n", sink & 1);
}
