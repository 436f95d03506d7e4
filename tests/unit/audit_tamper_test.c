/* Twelve kinds of tampering and two more, many random trials of each, with and without a witness: each is named as
 * SPEC §9 says, and none is called intact that the chain, a signed head or the witness can see. LONG=1: 1 000 trials
 * of each. */
#include "tap.h"
#include "vault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The moments of a base: a head A, then more, a head B, then more. A witness holds both. */
struct base {
    struct vault before_a, after_a, end;
    struct il_str a, b, witness;
    size_t tips_a[VAULT_RUNS], tips[VAULT_RUNS]; /* records of each run at A and at B; 0: it came later */
};
struct trial {
    const struct base *base;
    struct vault v;
    /* What must come of it, without and with the witness. */
    enum il_audit_verdict alone, witnessed;
};

static uint32_t seed = 2463534242u;

static size_t below(size_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % n;
}

/* ---- bases ---- */

static void grow(struct vault *v, size_t steps)
{
    for (size_t i = 0; i < steps; i++) vault_record(v, below(v->run_count), below(2) == 0);
}

static void make(struct base *b)
{
    struct vault *v = &b->end;
    memset(b, 0, sizeof *b);
    vault_init(v);
    for (size_t i = 0; i < 3; i++) vault_new_run(v);
    for (size_t i = 0; i < 3; i++) vault_record(v, i, true);
    grow(v, 6 + below(4));
    b->before_a = *v;
    for (size_t i = 0; i < v->run_count; i++) b->tips_a[i] = v->runs[i].count;
    b->a = vault_head(v);
    b->after_a = *v;
    vault_new_run(v);
    grow(v, 6 + below(6));
    for (size_t i = 0; i < v->run_count; i++) b->tips[i] = v->runs[i].count;
    b->b = vault_head(v);
    vault_new_run(v);
    grow(v, 4 + below(6));
    size_t room = b->a.len + b->b.len + 3;
    char *lines = malloc(room);
    snprintf(lines, room, "%.*s\n%.*s\n", IL_STR_FMT(b->a), IL_STR_FMT(b->b));
    b->witness = vault_copy(il__str(lines));
    free(lines);
}

/* ---- auditing ---- */

static char said[512];

static void listen(void *ctx, const struct il_audit_finding *f)
{
    (void)ctx;
    if (!said[0]) snprintf(said, sizeof said, "%s: %.*s", il_audit_verdict_name(f->verdict), IL_STR_FMT(f->message));
}

static enum il_audit_verdict audit(struct vault *v, struct il_str witness, struct il_audit_summary *summary)
{
    struct il__audit a;
    struct il_error err = IL_ERROR_INIT;
    const struct il__store store = vault_port(v);
    const struct il_str key = il__str(vault_public);
    struct il_audit_options options = IL_AUDIT_OPTIONS_INIT;
    options.keys = &key;
    options.key_count = 1;
    options.witness = witness;
    options.report = listen;
    said[0] = '\0';
    enum il_code code = il__audit_init(&a, &vault_mem, vault_digest, &store, &options, NULL, &err);
    if (!code) code = il__audit_run(&a, &err);
    if (code) snprintf(said, sizeof said, "error: %s", err.message);
    enum il_audit_verdict verdict = code ? IL_AUDIT_VERDICT_COUNT : a.summary.verdict;
    if (summary) *summary = a.summary;
    il__audit_clear(&a);
    return verdict;
}

/* ---- kinds ---- */

static struct vault_run *some_run(struct trial *t, size_t *index)
{
    size_t i = below(t->v.run_count);
    if (index) *index = i;
    return &t->v.runs[i];
}

/* A run with at least `least` records. */
static struct vault_run *long_run(struct trial *t, size_t least, size_t *index)
{
    struct vault_run *run = some_run(t, index);
    while (run->count < least) run = some_run(t, index);
    return run;
}

static void expect(struct trial *t, enum il_audit_verdict alone, enum il_audit_verdict witnessed)
{
    t->alone = alone;
    t->witnessed = witnessed;
}

/* A whole rewriting from record `at` on: seen when a head lists that record, or it is the first. */
static void expect_rewritten(struct trial *t, size_t run, size_t at)
{
    bool seen = at == 0 || at < t->base->tips[run];
    expect(t, seen ? IL_AUDIT_REWRITTEN : IL_AUDIT_NOT_WITNESSED, seen ? IL_AUDIT_REWRITTEN : IL_AUDIT_INTACT);
}

static void edit_text(struct trial *t)
{
    struct vault_run *run = some_run(t, NULL);
    struct il__store_record *r = &run->records[below(run->count)];
    r->text = vault_bent(r->text, below(r->text.len));
    expect(t, IL_AUDIT_EDITED, IL_AUDIT_EDITED);
}

static void edit_payload(struct trial *t)
{
    struct il__store_record *r;
    do {
        struct vault_run *run = some_run(t, NULL);
        r = &run->records[below(run->count)];
    } while (!r->payload.len);
    size_t how = below(3);
    r->payload = how == 0 ? vault_bent(r->payload, below(r->payload.len)) : how == 1 ? IL_STR_NONE : IL_STR("");
    expect(t, IL_AUDIT_EDITED, IL_AUDIT_EDITED);
}

static void edit_hash(struct trial *t)
{
    struct vault_run *run = some_run(t, NULL);
    run->records[below(run->count)].hash[below(IL__SHA256_BYTES)] ^= (uint8_t)(1u << below(8));
    expect(t, IL_AUDIT_EDITED, IL_AUDIT_EDITED);
}

/* The text is made anew with its hash, and what follows is left as it was. */
static void edit_and_hash(struct trial *t)
{
    struct vault_run *run = long_run(t, 2, NULL);
    struct il__store_record *r = &run->records[below(run->count - 1)];
    r->text = vault_bent(r->text, 9);
    il__sha256(vault_digest, r->text, r->hash);
    expect(t, IL_AUDIT_EDITED, IL_AUDIT_EDITED);
}

static void swap_records(struct trial *t)
{
    struct vault_run *run = long_run(t, 2, NULL);
    size_t i = below(run->count), j = below(run->count - 1);
    if (j >= i) j++;
    struct il__store_record kept = run->records[i];
    run->records[i] = run->records[j];
    run->records[j] = kept;
    if (below(2)) {
        run->records[i].seq = i;
        run->records[j].seq = j;
    }
    expect(t, IL_AUDIT_EDITED, IL_AUDIT_EDITED);
}

static void remove_records(struct vault_run *run, size_t at, size_t count)
{
    memmove(&run->records[at], &run->records[at + count], (run->count - at - count) * sizeof *run->records);
    run->count -= count;
}

static void delete_middle(struct trial *t)
{
    struct vault_run *run = long_run(t, 2, NULL);
    remove_records(run, below(run->count - 1), 1);
    for (size_t i = 0; i < run->count; i++) run->records[i].seq = i;
    if (below(2)) run->counted = run->count;
    expect(t, IL_AUDIT_EDITED, IL_AUDIT_EDITED);
}

static void delete_last(struct trial *t)
{
    size_t index;
    struct vault_run *run = long_run(t, 2, &index);
    run->count -= 1 + below(run->count - 1);
    bool counted = below(2) == 0, listed = run->count < t->base->tips[index];
    if (!counted) run->counted = run->count;
    if (listed) expect(t, IL_AUDIT_REWRITTEN, IL_AUDIT_TRUNCATED);
    else if (counted) expect(t, IL_AUDIT_EDITED, IL_AUDIT_EDITED);
    else expect(t, IL_AUDIT_NOT_WITNESSED, IL_AUDIT_INTACT);
}

static void delete_run(struct trial *t)
{
    size_t index = below(t->v.run_count);
    bool listed = t->base->tips[index] > 0;
    if (below(2)) {
        memmove(&t->v.runs[index], &t->v.runs[index + 1], (t->v.run_count - index - 1) * sizeof *t->v.runs);
        t->v.run_count--;
    } else {
        t->v.runs[index].count = t->v.runs[index].counted = 0;
    }
    expect(t, listed ? IL_AUDIT_REWRITTEN : IL_AUDIT_EDITED, listed ? IL_AUDIT_TRUNCATED : IL_AUDIT_EDITED);
}

static void insert_record(struct trial *t)
{
    struct vault_run *run = some_run(t, NULL);
    size_t at = below(run->count);
    if (run->count == VAULT_RECORDS) run->count--;
    memmove(&run->records[at + 1], &run->records[at], (run->count - at) * sizeof *run->records);
    run->count++;
    run->records[at].text = vault_bent(run->records[at].text, 9);
    vault_rechain_record(&run->records[at], at ? run->records[at - 1].hash : NULL, at);
    for (size_t i = 0; i < run->count; i++) run->records[i].seq = i;
    run->counted = run->count;
    expect(t, IL_AUDIT_EDITED, IL_AUDIT_EDITED);
}

static void rewrite(struct trial *t)
{
    size_t index;
    struct vault_run *run = some_run(t, &index);
    size_t at = below(run->count);
    run->records[at].text = vault_bent(run->records[at].text, 9); /* a digit of the time */
    vault_rechain_run(run, at);
    expect_rewritten(t, index, at);
}

/* A record is taken out, and all that follow are numbered and chained anew. */
static void rewrite_without(struct trial *t)
{
    size_t index;
    struct vault_run *run = long_run(t, 2, &index);
    size_t at = below(run->count - 1);
    remove_records(run, at, 1);
    vault_rechain_run(run, at);
    run->counted = run->count;
    expect_rewritten(t, index, at);
    /* Too short for what the newer head lists, and nothing more is known, but where the older one lists it. */
    bool older = run->count >= t->base->tips_a[index] && at < t->base->tips_a[index];
    if (run->count < t->base->tips[index] && at && !older) t->witnessed = IL_AUDIT_TRUNCATED;
}

static void replay(struct trial *t)
{
    struct vault_run *from = some_run(t, NULL), *to = some_run(t, NULL);
    while (from == to) to = some_run(t, NULL);
    size_t at = below(to->count);
    struct il__store_record r = from->records[below(from->count)];
    r.seq = at;
    r.run_id = il__str(to->id);
    if (below(2)) { /* chained in, too, but it says whose it is */
        vault_rechain_record(&r, at ? to->records[at - 1].hash : NULL, at);
    }
    to->records[at] = r;
    expect(t, IL_AUDIT_EDITED, IL_AUDIT_EDITED);
}

static void edit_link(struct trial *t)
{
    struct il__store_link *l = &t->v.links[below(t->v.link_count)];
    size_t how = below(3);
    if (how == 0) l->text = vault_bent(l->text, below(l->text.len));
    else if (how == 1) l->hash[below(IL__SHA256_BYTES)] ^= 1;
    else l->payload = l->payload.len ? vault_bent(l->payload, below(l->payload.len)) : IL_STR("{}");
    expect(t, IL_AUDIT_EDITED, IL_AUDIT_EDITED);
}

/* The chain is made anew from a link on; what a head in it signed is then another. */
static void rewrite_link(struct trial *t)
{
    size_t at;
    do at = below(t->v.link_count - 2);
    while (vault_is_head(&t->v.links[at]));
    t->v.links[at].text = vault_bent(t->v.links[at].text, 9);
    vault_rechain_links(&t->v, at);
    expect(t, IL_AUDIT_REWRITTEN, IL_AUDIT_REWRITTEN);
}

/* And all heads are taken out: only who holds one outside can tell. */
static void rewrite_headless(struct trial *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->v.link_count; i++)
        if (!vault_is_head(&t->v.links[i])) t->v.links[count++] = t->v.links[i];
    t->v.link_count = count;
    size_t at = below(3);
    t->v.links[at].text = vault_bent(t->v.links[at].text, 9);
    vault_rechain_links(&t->v, at);
    expect(t, IL_AUDIT_NOT_WITNESSED, IL_AUDIT_FORKED);
}

static void roll_back(struct trial *t)
{
    t->v = below(2) ? t->base->before_a : t->base->after_a;
    expect(t, IL_AUDIT_NOT_WITNESSED, IL_AUDIT_ROLLED_BACK);
}

/* An older copy is used on: with more records, or more runs, later than what was lost. */
static void fork_store(struct trial *t)
{
    t->v = below(2) ? t->base->before_a : t->base->after_a;
    t->v.now_ms = t->base->end.now_ms + 1000;
    size_t how = below(3);
    if (how != 1) vault_new_run(&t->v);
    if (how != 0) grow(&t->v, 1 + below(4));
    expect(t, IL_AUDIT_NOT_WITNESSED, IL_AUDIT_FORKED);
}

/* A head that another key signed is worth nothing. */
static void strange_head(struct trial *t)
{
    const struct il__sign_key mine = vault_key;
    uint8_t other[IL__KEY_BYTES] = { 9 };
    if (il__sign_key_from_seed(&vault_key, other, NULL)) exit(1);
    vault_head(&t->v);
    vault_key = mine;
    expect(t, IL_AUDIT_REWRITTEN, IL_AUDIT_REWRITTEN);
}

static const struct { const char *name; void (*tamper)(struct trial *t); } kinds[] = {
    { "a record's text is edited", edit_text },
    { "a payload is edited, emptied or taken away", edit_payload },
    { "a stored hash is edited", edit_hash },
    { "a record is edited and hashed anew", edit_and_hash },
    { "two records change places", swap_records },
    { "a record in the middle is deleted", delete_middle },
    { "the last records are deleted", delete_last },
    { "a run is deleted", delete_run },
    { "a record is inserted", insert_record },
    { "a run is chained anew from a record on", rewrite },
    { "a record is taken out and the rest chained anew", rewrite_without },
    { "a record of another run is replayed", replay },
    { "a link of the store's chain is edited", edit_link },
    { "the store's chain is chained anew", rewrite_link },
    { "the store's chain is chained anew without heads", rewrite_headless },
    { "an older copy of the store is restored", roll_back },
    { "an older copy of the store is used on", fork_store },
    { "a head is signed by another key", strange_head },
};
enum { BASES = 10 };

static void whole(struct base *b)
{
    struct il_audit_summary s;
    tap_int(audit(&b->end, IL_STR_NONE, NULL), IL_AUDIT_NOT_WITNESSED, "without a witness the end is not witnessed");
    tap_int(audit(&b->end, b->witness, &s), IL_AUDIT_INTACT, "with a witness it is intact %s", said);
    tap_int((long long)s.witnessed_heads, 2, "both heads count");
    tap_ok(s.since_records > 0 && s.since_records < s.records, "what came after the last head is counted");
    tap_int(audit(&b->after_a, b->a, &s), IL_AUDIT_INTACT, "at the first head as well");
    tap_int((long long)s.since_records, 0, "nothing came after it");
}

static void try(const struct base *bases, size_t kind, size_t trials)
{
    struct trial *t = malloc(sizeof *t);
    size_t alone = 0, witnessed = 0, seen = 0;
    char first[640] = "";
    for (size_t i = 0; i < trials; i++) {
        t->base = &bases[below(BASES)];
        t->v = t->base->end;
        kinds[kind].tamper(t);
        enum il_audit_verdict got = audit(&t->v, IL_STR_NONE, NULL);
        alone += got == t->alone;
        if (got != t->alone && !first[0])
            snprintf(first, sizeof first, "alone %s, wanted %s; %s", il_audit_verdict_name(got),
                     il_audit_verdict_name(t->alone), said);
        seen += got > IL_AUDIT_NOT_WITNESSED;
        got = audit(&t->v, t->base->witness, NULL);
        witnessed += got == t->witnessed;
        if (got != t->witnessed && !first[0])
            snprintf(first, sizeof first, "witnessed %s, wanted %s; %s", il_audit_verdict_name(got),
                     il_audit_verdict_name(t->witnessed), said);
    }
    tap_int((long long)alone, (long long)trials, "%s: named without a witness (%zu were seen)", kinds[kind].name, seen);
    tap_int((long long)witnessed, (long long)trials, "%s: named with a witness", kinds[kind].name);
    if (first[0]) tap_note("%s", first);
    free(t);
}

int main(void)
{
    const size_t trials = getenv("LONG") ? 1000 : 60;
    struct base *bases = malloc(BASES * sizeof *bases);
    vault_start();
    for (size_t i = 0; i < BASES; i++) make(&bases[i]);
    whole(&bases[0]);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) try(bases, i, trials);
    free(bases);
    vault_forget();
    return tap_done();
}
