/* A small harness for measurements: contenders do the same work in interleaved rounds of one process, so that a noisy
 * machine disturbs all of them alike; what is reported is the median of the rounds, their spread, and the ratio to the
 * first contender within the run.
 * Must never be used to compare numbers of two runs: compare ratios. */
#ifndef BENCH_H
#define BENCH_H

#include <stddef.h>

/* Does the work once and returns a value that depends on it, so that nothing can be left out. */
typedef size_t (*bench_fn)(void *ctx);

struct bench_case {
    const char *name;
    bench_fn fn;
    void *ctx;
};

/* Measures `count` contenders (at most 8); prints one JSON object on a line to stdout, a table to stderr. `unit_bytes`
 * is the size of what one piece of work reads; 0: leaves the throughput out. */
void bench_run(const char *title, const struct bench_case *cases, size_t count, size_t unit_bytes);

#endif
