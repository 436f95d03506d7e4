/* A store for tests of audits that can be tampered with: real records, links and heads in plain arrays, behind the part
 * of the store port that an audit uses. Copies are cheap; every text lives until vault_forget. Texts are changed by
 * making new ones. */
#ifndef VAULT_H
#define VAULT_H

#include "evidence/proof.h"

enum { VAULT_RUNS = 8, VAULT_RECORDS = 40, VAULT_LINKS = 64 };

struct vault_run {
    char id[40];
    struct il__store_record records[VAULT_RECORDS];
    size_t count;
    uint64_t counted;          /* what the listing says */
};
struct vault {
    char id[33];
    struct vault_run runs[VAULT_RUNS];
    size_t run_count;
    struct il__store_link links[VAULT_LINKS];
    size_t link_count;
    int64_t now_ms;            /* each new record and link is a second later */
};

/* What all vaults share: memory, digest, a key and its public text. */
extern struct il__mem vault_mem;
extern struct il__digest *vault_digest;
extern struct il__sign_key vault_key;
extern char vault_public[IL__KEY_TEXT];
void vault_start(void);
void vault_forget(void);

void vault_init(struct vault *v);
/* A new run with record 0, and its link; index of the run. */
size_t vault_new_run(struct vault *v);
void vault_record(struct vault *v, size_t run, bool payload);
/* Signs a head and adds it; returns its line. */
struct il_str vault_head(struct vault *v);
struct il__store vault_port(struct vault *v);

/* ---- tampering ---- */
struct il_str vault_copy(struct il_str s);
/* A copy with one byte changed to another letter or digit of the same kind, so that it often still decodes. */
struct il_str vault_bent(struct il_str s, size_t at);
/* The member `"prev":"..."` or `"seq":N` as it should be after `prev` (NULL: none) at place `seq`; and the hash. */
void vault_rechain_record(struct il__store_record *r, const uint8_t *prev, uint64_t seq);
void vault_rechain_link(struct il__store_link *l, const uint8_t *prev, uint64_t seq);
void vault_rechain_run(struct vault_run *run, size_t from);
void vault_rechain_links(struct vault *v, size_t from);
bool vault_is_head(const struct il__store_link *l);

#endif
