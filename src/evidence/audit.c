/* The audit (audit.h). In this order: the store-level chain; the tips of its heads; every run against chain and tips;
 * what should be there and is not; the witness against the chain. */
#include "evidence/audit.h"

#include "base/error.h"
#include "base/limits.h"
#include "evidence/runs.h"
#include "evidence/tree.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const VERDICTS[] = {
#define NAME(name, text) text,
    IL_AUDIT_VERDICTS(NAME)
#undef NAME
};

const char *il_audit_verdict_name(enum il_audit_verdict verdict)
{
    return (unsigned)verdict < IL_AUDIT_VERDICT_COUNT ? VERDICTS[verdict] : "unknown";
}

static enum il_code no_memory(struct il_error *err)
{
    return il__fail(err, IL_OUT_OF_MEMORY, "no memory for an audit");
}

/* ---- what was given ---- */

static enum il_code read_keys(struct il__audit *a, const struct il__public_key *extra, struct il_error *err)
{
    const struct il_audit_options *o = a->options;
    if (o->key_count > IL__LIMIT_APPROVERS)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "audit", "keys", "at most %d keys", IL__LIMIT_APPROVERS);
    if (!(a->keys = il__mem_zalloc(a->mem, o->key_count + 1, sizeof *a->keys))) return no_memory(err);
    for (a->key_count = 0; a->key_count < o->key_count; a->key_count++) {
        enum il_code code = il__public_key_read(&a->keys[a->key_count], o->keys[a->key_count], err);
        if (code) return code;
    }
    if (extra) a->keys[a->key_count++] = *extra;
    return IL_OK;
}

bool il__audit_believes(const struct il__audit *a, const struct il__head *head)
{
    for (size_t i = 0; i < a->key_count; i++)
        if (il__public_key_eq(&a->keys[i], &head->key)) return head->signed_by_key;
    return false;
}

static enum il_code read_witness_line(struct il__audit *a, struct il_str line, size_t number, struct il_error *err)
{
    struct il__head head;
    struct il_error why = IL_ERROR_INIT;
    enum il_code code = il__head_read(&head, a->mem, a->digest, line, &why);
    if (code == IL_OUT_OF_MEMORY) return no_memory(err);
    if (code) return il__fail_at(err, code, "witness", why.field, "line %zu of the witness: %s", number, why.message);
    if (!il__audit_believes(a, &head))
        return il__fail_at(err, IL_IDENTITY_MISMATCH, "witness", "signature",
                           "line %zu of the witness is not signed by a key that was given; give that one, too", number);
    code = il__chain_grow(a->mem, (void **)&a->witness, &a->witness_cap, a->witness_count, sizeof *a->witness, err);
    if (!code) a->witness[a->witness_count++] = head;
    return code;
}

/* The last line feed may be missing: a line that was cut short is then no head. */
static enum il_code read_witness(struct il__audit *a, struct il_error *err)
{
    struct il_str rest = a->options->witness, line;
    enum il_code code = IL_OK;
    if (!il__str_present(rest)) return IL_OK;
    if (!a->key_count)
        return il__fail_at(err, IL_INVALID_REQUEST, "audit", "keys",
                           "a witness is read with the key that signed its heads");
    if (rest.len > IL__LIMIT_WITNESS_BYTES)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "witness", "witness_bytes", "a witness has at most %d bytes",
                           IL__LIMIT_WITNESS_BYTES);
    for (size_t number = 1; !code && rest.len; number++) {
        if (!il__next_line(&rest, &line)) {
            line = rest;
            rest.len = 0;
        }
        if (line.len) code = read_witness_line(a, line, number, err);
    }
    if (!code && !a->witness_count) code = il__fail_at(err, IL_DECODE, "witness", "", "the witness holds no head");
    return code;
}

enum il_code il__audit_init(struct il__audit *a, struct il__mem *mem, struct il__digest *digest,
                            const struct il__store *store, const struct il_audit_options *options,
                            const struct il__public_key *extra, struct il_error *err)
{
    *a = (struct il__audit){ .mem = mem, .digest = digest, .store = store, .options = options,
                             .summary = IL_AUDIT_SUMMARY_INIT, .first = IL_ERROR_INIT };
    il__links_init(&a->links, mem, digest);
    il__chain_init(&a->chain, mem, digest);
    if (options->size != sizeof *options)
        return il__fail_at(err, IL_INVALID_REQUEST, "audit", "size", "use IL_AUDIT_OPTIONS_INIT");
    enum il_code code = read_keys(a, extra, err);
    return code ? code : read_witness(a, err);
}

void il__audit_clear(struct il__audit *a)
{
    il__mem_free(a->mem, a->keys, (a->options->key_count + 1) * sizeof *a->keys);
    il__mem_free(a->mem, a->witness, a->witness_cap * sizeof *a->witness);
    il__mem_free(a->mem, a->leaves, a->leaf_cap * sizeof *a->leaves);
    il__links_clear(&a->links);
    il__chain_clear(&a->chain);
}

/* ---- findings ---- */

static void find(struct il__audit *a, enum il_audit_verdict verdict, struct il_str run_id, uint64_t at,
                 const char *fmt, ...) __attribute__((format(printf, 5, 6)));

static void find(struct il__audit *a, enum il_audit_verdict verdict, struct il_str run_id, uint64_t at,
                 const char *fmt, ...)
{
    char what[256], text[512], id[96];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    il__escape(id, sizeof id, run_id);
    if (il__str_present(run_id)) snprintf(text, sizeof text, "run %s: %s", id, what);
    else snprintf(text, sizeof text, "the store's chain: %s", what);
    if (verdict > a->summary.verdict) {
        a->summary.verdict = verdict;
        a->first = (struct il_error)IL_ERROR_INIT;
        il__fail_at(&a->first, IL_CONFLICT, "store", il_audit_verdict_name(verdict), "%s: %s",
                    il_audit_verdict_name(verdict), text);
    }
    const struct il_audit_finding finding = { sizeof finding, verdict, run_id, at, il__str(text) };
    if (a->options->report) a->options->report(a->options->report_ctx, &finding);
}

enum il_code il__audit_holds(const struct il__audit *a, struct il_error *err)
{
    if (a->summary.verdict <= IL_AUDIT_NOT_WITNESSED) return IL_OK;
    if (err && !err->code) *err = a->first;
    return IL_CONFLICT;
}

/* ---- the store-level chain ---- */

struct link_reading { struct il__audit *a; enum il_code code; struct il_error *err; };

static bool read_link(void *ctx, const struct il__store_link *link)
{
    struct link_reading *r = ctx;
    const char *flaw = NULL;
    r->code = il__links_add(&r->a->links, link, &flaw, r->err);
    if (r->code || !flaw) return !r->code;
    r->a->broken = true;
    find(r->a, IL_AUDIT_EDITED, IL_STR_NONE, r->a->links.count, "link %zu: %s", r->a->links.count, flaw);
    return false;
}

/* Does the head say of the chain what the chain is? */
static void check_head(struct il__audit *a, const struct il__linked_head *h)
{
    const struct il__links *links = &a->links;
    const char *why = NULL;
    if (a->key_count && !il__audit_believes(a, &h->head)) why = "is not signed by a key that was given";
    else if (!il__str_eq(il__str(h->head.store), a->store->ops->id(a->store->self))) why = "is of another store";
    else if (h->head.links > h->link) why = "speaks of more links than there were";
    else if (h->head.links && memcmp(links->hashes[h->head.links - 1], h->head.hash, IL__SHA256_BYTES) != 0)
        why = "was signed for another chain";
    else if (!h->has_tips) why = "was signed for other tips";
    if (why)
        find(a, IL_AUDIT_REWRITTEN, IL_STR_NONE, h->link, "the head in link %llu %s", (unsigned long long)h->link, why);
}

/* Does a witness hold this head, too? */
static bool is_witnessed(const struct il__audit *a, const struct il__head *head)
{
    for (size_t w = 0; w < a->witness_count; w++)
        if (memcmp(a->witness[w].line, head->line, IL__SHA256_BYTES) == 0) return true;
    return false;
}

/* What stands behind the links that were read; the store may be in use. */
static enum il_code read_links(struct il__audit *a, struct il_error *err)
{
    struct link_reading r = { a, IL_OK, err };
    struct il_str twice = IL_STR_NONE;
    enum il_code code = a->store->ops->links(a->store->self, a->links.count, read_link, &r, err);
    if (code || r.code) return code ? code : r.code;
    il__links_sort(&a->links, &twice);
    if (il__str_present(twice)) find(a, IL_AUDIT_REWRITTEN, twice, 0, "two links created it");
    for (; a->heads_checked < a->links.head_count; a->heads_checked++) {
        struct il__linked_head *head = &a->links.heads[a->heads_checked];
        head->witnessed = is_witnessed(a, &head->head);
        check_head(a, head);
    }
    return IL_OK;
}

static bool mark_link(void *ctx, const struct il__store_link *link)
{
    struct link_reading *r = ctx;
    struct il__links *links = &r->a->links;
    const char *flaw = NULL;
    const struct il__linked_head *head = NULL;
    for (size_t i = 0; i < links->head_count && !head; i++)
        if (links->heads[i].link == link->seq && links->heads[i].has_tips) head = &links->heads[i];
    if (!head) return link->seq < links->count;
    r->code = il__links_mark(links, head, link->payload, &flaw, r->err);
    if (flaw) find(r->a, IL_AUDIT_REWRITTEN, IL_STR_NONE, link->seq, "the head in link %llu: %s",
                   (unsigned long long)link->seq, flaw);
    return !r->code;
}

static enum il_code read_tips(struct il__audit *a, struct il_error *err)
{
    struct link_reading r = { a, IL_OK, err };
    if (!a->links.head_count) return IL_OK;
    enum il_code code = a->store->ops->links(a->store->self, a->links.heads[0].link, mark_link, &r, err);
    return code ? code : r.code;
}

/* ---- the witness ---- */

static bool mine(const struct il__audit *a, const struct il__head *head)
{
    return il__str_eq(il__str(head->store), a->store->ops->id(a->store->self));
}

static const struct il__linked_head *linked(const struct il__audit *a, const struct il__head *head)
{
    for (size_t i = 0; i < a->links.head_count; i++)
        if (memcmp(a->links.heads[i].head.line, head->line, IL__SHA256_BYTES) == 0) return &a->links.heads[i];
    return NULL;
}

/* The chain ends before the witnessed head. Did anything happen since the head was signed? */
static void check_behind(struct il__audit *a, const struct il__head *head)
{
    bool went_on = il__instant_cmp(a->links.latest, head->at) > 0 || il__instant_cmp(a->chain.latest, head->at) > 0;
    char at[IL__RFC3339_MAX];
    il__rfc3339_format(head->at, at);
    find(a, went_on ? IL_AUDIT_FORKED : IL_AUDIT_ROLLED_BACK, IL_STR_NONE, a->links.count,
         "it ends before the witnessed head of %s%s", at, went_on ? ", and the store was used since" : "");
}

/* After all runs were read. */
static void check_witness(struct il__audit *a, const struct il__head *head)
{
    const struct il__links *links = &a->links;
    if (a->broken || linked(a, head)) return;
    if (head->links <= links->count && head->links &&
        memcmp(links->hashes[head->links - 1], head->hash, IL__SHA256_BYTES) != 0)
        find(a, IL_AUDIT_FORKED, IL_STR_NONE, head->links - 1, "link %llu is not the one that was witnessed",
             (unsigned long long)head->links - 1);
    else check_behind(a, head);
}

static void check_witnesses(struct il__audit *a)
{
    const struct il__head *last = NULL;
    for (size_t w = 0; w < a->witness_count; w++) {
        if (!mine(a, &a->witness[w])) continue;
        a->summary.witnessed_heads++;
        check_witness(a, &a->witness[w]);
        if (!last || a->witness[w].links >= last->links) last = &a->witness[w];
    }
    if (a->witness_count && !last) find(a, IL_AUDIT_FORKED, IL_STR_NONE, 0, "the witness speaks of another store");
    a->summary.since_records = a->summary.records;
    if (last && last->records <= a->summary.records) a->summary.since_records -= last->records;
}

/* ---- runs ---- */

struct run_reading { struct il__audit *a; const char *flaw; enum il_code code; struct il_error *err; };

static bool read_record(void *ctx, const struct il__store_record *record)
{
    struct run_reading *r = ctx;
    r->code = il__chain_add(&r->a->chain, record, &r->flaw, r->err);
    return !r->code && !r->flaw;
}

/* The worst that the heads say about a run of which so many records are there. */
static const struct il__mark *missing(const struct il__linked_run *run, size_t count)
{
    const struct il__mark *found = NULL;
    for (const struct il__mark *m = run->marks; m; m = m->next)
        if (m->records > count && (!found || (m->witnessed && !found->witnessed))) found = m;
    return found;
}

static enum il_audit_verdict cut_off(const struct il__mark *mark)
{
    return mark->witnessed ? IL_AUDIT_TRUNCATED : IL_AUDIT_REWRITTEN;
}

static void check_run(struct il__audit *a, struct il__linked_run *run, uint64_t counted)
{
    const struct il__chain *chain = &a->chain;
    const struct il__mark *cut = missing(run, chain->count);
    if (cut)
        find(a, cut_off(cut), run->id, chain->count, "%zu records are there, a %s lists %llu", chain->count,
             cut->witnessed ? "witnessed head" : "signed head", (unsigned long long)cut->records);
    else if (chain->count < counted || !chain->count)
        find(a, IL_AUDIT_EDITED, run->id, chain->count, "%zu records are there, the store counts %llu", chain->count,
             (unsigned long long)counted);
    if (chain->count && memcmp(chain->hashes[0], run->first, IL__SHA256_BYTES) != 0)
        find(a, IL_AUDIT_REWRITTEN, run->id, 0, "record 0 is not the one that the store's chain created it with");
    for (const struct il__mark *m = run->marks; m; m = m->next) {
        if (m->records > chain->count) continue;
        if (memcmp(chain->hashes[m->records - 1], m->last, IL__SHA256_BYTES) == 0) continue;
        find(a, IL_AUDIT_REWRITTEN, run->id, m->records - 1, "record %llu is not the one that a %s lists",
             (unsigned long long)m->records - 1, m->witnessed ? "witnessed head" : "signed head");
        break;
    }
}

static enum il_code keep_tip(struct il__audit *a, struct il_str run_id, struct il_error *err)
{
    struct il__chain *chain = &a->chain;
    struct il__tip tip = { .run = run_id, .records = chain->count };
    size_t start = a->tips->len;
    if (!chain->count) return IL_OK;
    memcpy(tip.last, chain->hashes[chain->count - 1], sizeof tip.last);
    for (size_t i = 0; i < chain->count; i++)
        il__tree_leaf(a->digest, (struct il_str){ (const char *)chain->hashes[i], IL__SHA256_BYTES }, chain->hashes[i]);
    il__tree_root(a->digest, chain->hashes, chain->count, 0, NULL, tip.root);
    il__tip_write(&tip, a->tips);
    enum il_code code = il__buf_check(a->tips, err);
    if (!code)
        code = il__chain_grow(a->mem, (void **)&a->leaves, &a->leaf_cap, a->leaf_count, sizeof *a->leaves, err);
    if (code) return code;
    struct il_str line = { a->tips->ptr + start, a->tips->len - start - 1 };
    il__tree_leaf(a->digest, line, a->leaves[a->leaf_count++]);
    return IL_OK;
}

/* A run whose link is not known yet may have been created since the links were read. */
static enum il_code link_of(struct il__audit *a, struct il_str run_id, struct il__linked_run **out,
                            struct il_error *err)
{
    enum il_code code = IL_OK;
    *out = il__links_find(&a->links, run_id);
    if (!*out && !a->broken) {
        code = read_links(a, err);
        *out = il__links_find(&a->links, run_id);
    }
    return code;
}

static enum il_code read_run(void *ctx, struct il_str run_id, uint64_t counted, struct il_error *err)
{
    struct il__audit *a = ctx;
    struct run_reading r = { a, NULL, IL_OK, err };
    struct il__linked_run *run = NULL;
    il__chain_begin(&a->chain, run_id);
    enum il_code code = a->store->ops->load(a->store->self, run_id, read_record, &r, err);
    if (!code) code = r.code;
    if (!code) code = link_of(a, run_id, &run, err);
    if (code) return code;
    a->summary.runs++;
    a->summary.records += a->chain.count;
    if (run) run->seen = true;
    if (r.flaw) find(a, IL_AUDIT_EDITED, run_id, a->chain.count, "record %zu: %s", a->chain.count, r.flaw);
    else if (run && !a->broken) check_run(a, run, counted);
    else if (!a->broken) find(a, IL_AUDIT_EDITED, run_id, 0, "no link of the store's chain created it");
    return a->tips && !r.flaw ? keep_tip(a, run_id, err) : IL_OK;
}

/* ---- what should be there ---- */

/* Runs that were created, and that nobody lists. */
static enum il_code check_unseen(struct il__audit *a, struct il_error *err)
{
    struct il_str only = a->options->run_id;
    for (size_t i = 0; i < a->links.run_count && !a->broken; i++) {
        struct il__linked_run *run = &a->links.runs[i];
        if (run->seen || run->link >= a->links_at_start) continue;
        if (il__str_present(only) && !il__str_eq(only, run->id)) continue;
        const struct il__mark *cut = missing(run, 0);
        find(a, cut ? cut_off(cut) : IL_AUDIT_EDITED, run->id, 0, "it is gone; link %llu created it",
             (unsigned long long)run->link);
        run->seen = true;
    }
    if (il__str_present(only) && !a->summary.runs && !il__links_find(&a->links, only))
        return il__fail_at(err, IL_CONFLICT, "run", "id", "there is no such run");
    return IL_OK;
}

enum il_code il__audit_run(struct il__audit *a, struct il_error *err)
{
    a->summary.verdict = a->witness_count ? IL_AUDIT_INTACT : IL_AUDIT_NOT_WITNESSED;
    enum il_code code = read_links(a, err);
    if (code) return code;
    a->links_at_start = a->links.count;
    if (!a->broken) code = read_tips(a, err);
    if (!code) code = il__each_run(a->store, a->mem, a->options->run_id, read_run, a, err);
    if (!code) code = check_unseen(a, err);
    if (code) return code;
    check_witnesses(a);
    a->summary.links = a->links.count;
    a->summary.heads = a->links.head_count;
    return IL_OK;
}
