/* A run as its journal tells it: every record of it, decoded, in memory. For what reads a run from its beginning to its
 * end: cases, scenarios, reports. Reads through the store port; must never write, and believes what it reads (the audit
 * is what tells whether it may). */
#ifndef IL_EVIDENCE_RECORDED_H
#define IL_EVIDENCE_RECORDED_H

#include "run/store.h"
#include "wire/json.h"

struct il__recorded_line {
    struct il__json doc;       /* the record */
    uint32_t body;
    struct il_str kind, at;
    struct il_str payload;     /* absent: none */
};

struct il__recorded {
    struct il__mem *mem;
    struct il_str run_id;      /* the caller's */
    struct il__recorded_line *lines;
    size_t count, cap;
    struct il__arena arena;    /* of the texts, and of who reads on */
};

/* IL_CONFLICT: there is no such run; IL_STORE: a record is none. To be cleared whatever comes back. */
enum il_code il__recorded_load(struct il__recorded *recorded, struct il__mem *mem, const struct il__store *store,
                               struct il_str run_id, struct il_error *err) IL_MUST_USE;
void il__recorded_clear(struct il__recorded *recorded);
/* A member of the body: a text (absent when it is none), a number (0), or the node (0: not there). */
struct il_str il__recorded_text(struct il__recorded_line *line, const char *name);
/* The same of an object in it; 0: absent. */
struct il_str il__recorded_text_in(struct il__recorded_line *line, uint32_t object, const char *name);
int64_t il__recorded_int(const struct il__recorded_line *line, const char *name);
uint32_t il__recorded_get(const struct il__recorded_line *line, const char *name);
static inline bool il__recorded_is(const struct il__recorded_line *line, const char *kind)
{
    return il__str_eq(line->kind, il__str(kind));
}
/* The first of this kind; NULL: none. */
struct il__recorded_line *il__recorded_first(struct il__recorded *recorded, const char *kind);

#endif
