/* The fewest changes of a case that lead to another outcome. Knows nothing of policies: it is given the changes that
 * may be made and a function that says what comes of a case. Single changes first, then pairs, in the order of the
 * list; bounded, and says when it was cut. */
#ifndef IL_HOST_FLIPS_H
#define IL_HOST_FLIPS_H

#include "base/buf.h"
#include "base/clock.h"
#include "base/limits.h"

/* One field of a case, and what it is changed to. */
struct il__change {
    struct il_str pointer; /* of the member in the case (RFC 6901) */
    struct il_str field;   /* what people call it: "action.action_class" */
    struct il_str value;   /* JSON; null: left out */
    struct il_str shown;   /* in words, when that is not the value: "3 earlier runs"; absent: the value */
};
struct il__changes {
    struct il__arena *arena;  /* of the texts and items */
    struct il__change *items; /* room for explain_candidates */
    size_t count;
    bool cut;                 /* there was no room for more */
};

enum { IL__FLIP_FIELDS = 2, IL__OUTCOME_NONE = -1 };

struct il__flip {
    size_t changes[IL__FLIP_FIELDS]; /* indices of the list, in its order */
    int outcome;
    size_t others;                   /* other values of the same fields that lead there */
};
struct il__flips {
    struct il__flip items[IL__LIMIT_EXPLAIN_FLIPS]; /* one for each set of fields and outcome, the first found */
    size_t count;
    size_t fields;  /* how many changes each of them takes; 0: none was found */
    bool more;      /* there are more of them than room */
    bool cut;       /* explain_evals is used up: there may be others */
    bool late;      /* or the time is over */
    size_t evals;   /* how many cases were asked about */
};

/* What comes of a case: any number from 0; IL__OUTCOME_NONE: it is no case. */
typedef enum il_code (*il__outcome_fn)(void *ctx, struct il_str case_json, int *outcome, struct il_error *err);

struct il__flip_search {
    struct il__mem *mem;
    struct il_str case_json;
    const struct il__changes *changes;
    il__outcome_fn outcome; void *ctx;
    int base;            /* the outcome of the case as it is */
    size_t most_fields;  /* 1 or 2 */
    size_t most_evals;   /* at most explain_evals */
    size_t most_flips;   /* at most explain_flips */
    const struct il__clock *clock; /* NULL: it may take any time */
    int64_t until_us;    /* of that clock */
};
enum il_code il__flips_find(const struct il__flip_search *search, struct il__flips *out,
                            struct il_error *err) IL_MUST_USE;
/* The case with these changes, appended; IL_INVALID_REQUEST: they cannot be made. */
enum il_code il__flip_apply(struct il__mem *mem, struct il_str case_json, const struct il__change *const *changes,
                            size_t count, struct il__buf *out, struct il_error *err) IL_MUST_USE;
/* False when both change the same field, or one changes what the other is a part of. */
bool il__changes_apart(const struct il__change *a, const struct il__change *b);

#endif
