/* The store-level chain, checked link by link, and what it says: which runs were created with which first record, and
 * which heads were signed. Keeps a hash per link and an entry per run (limit audit_runs). The tips of heads are added
 * in a second reading, as marks of the runs: so many records, the last with this hash. */
#ifndef IL_EVIDENCE_LINKS_H
#define IL_EVIDENCE_LINKS_H

#include "evidence/head.h"

/* What a head says of a run. */
struct il__mark {
    struct il__mark *next;
    uint64_t records;
    uint8_t last[IL__SHA256_BYTES];
    bool witnessed;               /* the head stands outside, too */
};

struct il__linked_run {
    struct il_str id;
    uint8_t first[IL__SHA256_BYTES];
    uint64_t link;
    struct il__mark *marks;
    bool seen;                    /* for who walks the runs */
};

struct il__linked_head {
    uint64_t link;
    struct il__head head;
    bool has_tips;                /* its payload is there, and what it signed */
    bool witnessed;
};

struct il__links {
    struct il__mem *mem;
    struct il__digest *digest;
    struct il__arena arena;
    uint8_t (*hashes)[IL__SHA256_BYTES];
    size_t count, cap;
    struct il__linked_run *runs;  /* sorted by id after il__links_sort */
    size_t run_count, run_cap, sorted;
    struct il__linked_head *heads;
    size_t head_count, head_cap;
    struct il__instant latest;    /* of all links */
};

void il__links_init(struct il__links *links, struct il__mem *mem, struct il__digest *digest);
void il__links_clear(struct il__links *links);
/* Takes the next link. `*flaw` as in il__chain_add; such a link is not taken, and no later one fits. A head that is
 * none is a flaw. Whom to believe is not asked here. */
enum il_code il__links_add(struct il__links *links, const struct il__store_link *link, const char **flaw,
                           struct il_error *err) IL_MUST_USE;
/* Sorts the runs; call it before the two functions below, and after links were added. `*twice` is a run that was
 * created twice, or absent. */
void il__links_sort(struct il__links *links, struct il_str *twice);
/* NULL: no link created it. */
struct il__linked_run *il__links_find(const struct il__links *links, struct il_str run_id);
/* Marks the runs that the tips of `head` name. `*flaw`: the tips are not those that were signed, or name a run that was
 * not created before. */
enum il_code il__links_mark(struct il__links *links, const struct il__linked_head *head, struct il_str tips,
                            const char **flaw, struct il_error *err) IL_MUST_USE;

#endif
