/* A sequence of tool uses, and how much of one is found in another. A use is a tool and arguments, kept as numbers of
 * ranks.h, so that comparing two is comparing numbers. Must never read a document twice for one comparison. */
#ifndef IL_EVIDENCE_TRAJECTORY_H
#define IL_EVIDENCE_TRAJECTORY_H

#include "evidence/ranks.h"
#include "wire/json.h"

struct il__use {
    uint32_t tool;       /* a slot, then a number; IL__NO_RANK: it has none, and matches nothing */
    uint32_t first, end; /* its arguments */
};
struct il__use_argument {
    uint32_t name, value; /* slots, then numbers */
};
struct il__trajectory {
    struct il__mem *mem;
    struct il__use *uses;
    struct il__use_argument *arguments;
    size_t count, room, argument_count, argument_room;
    bool failed; /* out of memory */
};

void il__trajectory_init(struct il__trajectory *t, struct il__mem *mem);
void il__trajectory_clear(struct il__trajectory *t);
/* Begins a use of `tool`; arguments follow. Texts go to `ranks` and must outlive it. */
void il__trajectory_use(struct il__trajectory *t, struct il__ranks *ranks, struct il_str tool);
/* An argument of the last use. `value` is canonical text. A use has one argument of a name. */
void il__trajectory_argument(struct il__trajectory *t, struct il__ranks *ranks, struct il_str name,
                             struct il_str value);
/* Reads the expected trajectory: an array of closed {tool, arguments?}, at most trajectory_steps, each with at most
 * trajectory_arguments. Texts live in `doc` and `arena`. */
enum il_code il__trajectory_read(struct il__trajectory *t, struct il__ranks *ranks, struct il__json *doc,
                                 struct il__arena *arena, struct il_error *err) IL_MUST_USE;
/* The canonical text of a node, kept in `arena` (or the document itself); `*out` absent when it has none.
 * IL_OUT_OF_MEMORY alone. */
enum il_code il__canon_kept(struct il__json *doc, uint32_t at, struct il__arena *arena, struct il_str *out,
                            struct il_error *err) IL_MUST_USE;

/* Turns slots into numbers, once `ranks` is settled. False: out of memory, now or before. */
bool il__trajectory_settle(struct il__trajectory *t, const struct il__ranks *ranks) IL_MUST_USE;
/* The length of the longest common subsequence: a use of `expected` matches one of `seen` when the tool is the same and
 * each of its arguments is there with an equal value. Memory grows with `expected` alone. */
enum il_code il__trajectory_common(const struct il__trajectory *expected, const struct il__trajectory *seen,
                                   size_t *out, struct il_error *err) IL_MUST_USE;
/* 1 when both are empty, 0 when one is, else `common` over the longer length. */
double il__trajectory_score(const struct il__trajectory *expected, const struct il__trajectory *seen, size_t common);

#endif
