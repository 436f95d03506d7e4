/* The Test Anything Protocol for C: one line per check, read by tests/run.sh.
 * A test is a program: checks, then `return tap_done();`. Its working directory is the root of the project.
 * Tests may use malloc. One program is one process: the counters live in tap.c. */
#ifndef TAP_H
#define TAP_H

#include "include/interlock.h"

#include <stdbool.h>
#include <stddef.h>

/* Prints "ok N - name" or "not ok N - name"; hands `cond` back. Line breaks in the name are shown as blanks. */
bool tap_ok(bool cond, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same bytes as `want` (NULL: absent); on failure both are shown. */
bool tap_str(struct il_str got, const char *want, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
bool tap_int(long long got, long long want, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A line of explanation below the last result. */
void tap_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The whole file, with a NUL behind it; ends the program when it cannot be read. The caller frees it. `len` may be
 * NULL. */
char *tap_slurp(const char *path, size_t *len);
/* Calls `fn` for each file below `dir` whose name ends with `suffix`, in order of their names, subfolders included.
 * Returns how many there were; none is a failed check. */
size_t tap_each(const char *dir, const char *suffix,
                void (*fn)(void *ctx, const char *path, const char *bytes, size_t len), void *ctx);

/* Prints the plan, once. */
void tap_plan_end(void);
/* Prints the plan if that was not done yet; returns the exit status of the program: 0 when all checks held. */
int tap_done(void);

#endif
