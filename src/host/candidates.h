/* What may be changed of a case to see whether another verdict comes of it: every value of every enum and boolean of
 * the action, the absence of what may be absent, and, for what the policies read, the constants of their bundles and
 * their neighbours; the time; what history and limits would answer; the decision. What was read comes first. Uses the
 * tables of the contract; asks no policy. Must never make the same change twice. */
#ifndef IL_HOST_CANDIDATES_H
#define IL_HOST_CANDIDATES_H

#include "contract/schema.h"
#include "host/flips.h"
#include "host/pool.h"

struct il__candidates {
    struct il__mem *mem;
    struct il__json *given;  /* the case, with the names of the wire */
    struct il__json *result; /* what came of it, with its trace */
    const struct il__pool *pool;
};
/* Fills `out`, whose arena is set, and which is empty. */
enum il_code il__candidates_make(const struct il__candidates *from, struct il__changes *out,
                                 struct il_error *err) IL_MUST_USE;

/* Adds what a changed case would read beside: `from->result` is what came of the case with one change made. */
enum il_code il__candidates_more(const struct il__candidates *from, struct il__changes *out,
                                 struct il_error *err) IL_MUST_USE;

/* ---- shared by candidates.c and candidates_past.c ---- */

struct il__build {
    const struct il__candidates *from;
    struct il__changes *out;
    struct il_str *used;  /* the paths that were read */
    size_t used_count;
    bool read;            /* this pass takes what was read; the other pass the rest */
    enum il_code code;    /* out_of_memory */
};
/* Adds a change, unless it is there or changes nothing. `shown` absent: the value. */
void il__build_add(struct il__build *b, const char *pointer, const char *field, struct il_str value,
                   struct il_str shown);
void il__build_text(struct il__build *b, const char *pointer, const char *field, struct il_str text);
void il__build_int(struct il__build *b, const char *pointer, const char *field, int64_t value);
/* Something of the field, or what it is a part of, was read. */
bool il__build_was_read(const struct il__build *b, const char *field);
/* The time of the case, and what history and limits were asked for. */
void il__build_time(struct il__build *b);
void il__build_asked(struct il__build *b);

#endif
