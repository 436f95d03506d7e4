/* Heads and proofs (proof.h). A proof is {path, record, seq, signed, tip, tipIndex, tipPath, type}: the record's text,
 * its path to the root in the run's tip, the line of the tip, its path to the root in the head, and the head as it was
 * signed. */
#include "evidence/proof.h"

#include "base/error.h"
#include "evidence/tree.h"
#include "wire/json_write.h"

/* ---- signing ---- */

static enum il_code fill_head(struct il__audit *a, struct il__head *head, const struct il__clock *clock,
                              struct il_error *err)
{
    const struct il__links *links = &a->links;
    struct il_str store = a->store->ops->id(a->store->self);
    *head = (struct il__head){ .links = links->count, .runs = a->leaf_count, .records = a->summary.records };
    if (store.len >= sizeof head->store) return il__fail_at(err, IL_STORE, "store", "id", "the store has no id");
    memcpy(head->store, store.ptr, store.len);
    if (links->count) memcpy(head->hash, links->hashes[links->count - 1], sizeof head->hash);
    struct il_str tips = il__buf_get(a->tips);
    il__sha256(a->digest, tips.ptr ? tips : IL_STR(""), head->tips);
    if (a->leaf_count) il__tree_root(a->digest, a->leaves, a->leaf_count, 0, NULL, head->root);
    head->at = il__clock_now(clock).wall;
    /* Whatever the clock says now, the head is not older than what it lists. */
    if (il__instant_cmp(a->links.latest, head->at) > 0) head->at = a->links.latest;
    if (il__instant_cmp(a->chain.latest, head->at) > 0) head->at = a->chain.latest;
    return IL_OK;
}

static enum il_code sign_store(struct il__audit *a, const struct il__sign_key *key, const struct il__clock *clock,
                               struct il__buf *line, struct il_error *err)
{
    struct il__head head;
    enum il_code code = il__audit_run(a, err);
    if (!code) code = il__audit_holds(a, err);
    if (!code) code = fill_head(a, &head, clock, err);
    if (!code) code = il__head_write(&head, a->digest, key, line, err);
    if (code) return code;
    int64_t at_ms = il__instant_diff_ms(head.at, (struct il__instant){ 0, 0 });
    struct il_str tips = il__buf_get(a->tips);
    if (!tips.ptr) tips = IL_STR("");
    return a->store->ops->link(a->store->self, IL_STR("head"), il__buf_get(line), tips, at_ms, NULL, err);
}

enum il_code il__store_head(const struct il__audit_call *call, const struct il__sign_key *key,
                            const struct il__clock *clock, struct il__buf *out, struct il_error *err)
{
    struct il__audit a;
    struct il__buf tips, line;
    il__buf_init(&tips, call->mem, 0);
    il__buf_init(&line, call->mem, 0);
    enum il_code code = il__audit_init(&a, call->mem, call->digest, call->store, call->options, &key->public, err);
    a.tips = &tips;
    if (!code && il__str_present(call->options->run_id))
        code = il__fail_at(err, IL_INVALID_REQUEST, "audit", "run_id", "a head is of all runs");
    if (!code) code = sign_store(&a, key, clock, &line, err);
    if (!code) {
        il__buf_str(out, il__buf_get(&line));
        code = il__buf_check(out, err);
    }
    il__audit_clear(&a);
    il__buf_clear(&tips);
    il__buf_clear(&line);
    return code;
}

/* ---- proving ---- */

/* The tip of the run in the newest head that lists the record, and its path. */
struct tip_search {
    struct il__audit *a;
    struct il_str run_id;
    uint64_t seq;
    const struct il__linked_head *head;
    struct il__buf tip;             /* its line */
    struct il__buf head_line;
    uint64_t records, index;
    struct il__tree_path path;
    enum il_code code;
    struct il_error *err;
};

static enum il_code take_tip(struct tip_search *s, struct il_str text, uint64_t index)
{
    struct il__chain_line line;
    struct il__tip tip;
    enum il_code code = il__tip_read(&tip, &line, s->a->mem, text, s->err);
    if (!code && il__str_eq(tip.run, s->run_id) && tip.records > s->seq) {
        s->records = tip.records;
        s->index = index;
        il__buf_reset(&s->tip);
        il__buf_str(&s->tip, text);
    }
    il__json_clear(&line.doc);
    return code;
}

static enum il_code search_tips(struct tip_search *s, struct il_str tips)
{
    struct il__audit *a = s->a;
    struct il_str rest = tips, text;
    uint8_t root[IL__SHA256_BYTES];
    enum il_code code = IL_OK;
    for (a->leaf_count = 0; !code && il__next_line(&rest, &text); a->leaf_count++) {
        code = il__chain_grow(a->mem, (void **)&a->leaves, &a->leaf_cap, a->leaf_count, sizeof *a->leaves, s->err);
        if (code) break;
        il__tree_leaf(a->digest, text, a->leaves[a->leaf_count]);
        code = take_tip(s, text, a->leaf_count);
    }
    if (code || !s->records) return code;
    il__tree_root(a->digest, a->leaves, a->leaf_count, (size_t)s->index, &s->path, root);
    if (memcmp(root, s->head->head.root, sizeof root) != 0)
        return il__fail_at(s->err, IL_CONFLICT, "head", "root", "the newest head was signed for other tips");
    return IL_OK;
}

static bool search_link(void *ctx, const struct il__store_link *link)
{
    struct tip_search *s = ctx;
    struct il__chain_line line;
    const char *flaw = NULL;
    s->code = search_tips(s, link->payload);
    if (s->code || !s->records) return false;
    s->code = il__chain_open(&line, s->a->mem, link->text, &flaw, s->err);
    if (!s->code && !flaw) il__buf_str(&s->head_line, il__json_raw(&line.doc, il__json_get(&line.doc, 0, "body")));
    il__json_clear(&line.doc);
    return false;
}

static enum il_code search(struct tip_search *s)
{
    struct il__audit *a = s->a;
    enum il_code code = IL_OK;
    for (size_t i = a->links.head_count; i && !code && !s->records; i--) {
        s->head = &a->links.heads[i - 1];
        code = a->store->ops->links(a->store->self, s->head->link, search_link, s, s->err);
        if (!code) code = s->code;
    }
    if (code || s->records) return code;
    return il__fail_at(s->err, IL_CONFLICT, "head", "tips", "no head lists this record; sign one first");
}

struct record_search {
    uint64_t seq, most;
    struct il__audit *a;
    struct il__buf text;
    enum il_code code;
    struct il_error *err;
};

static bool take_record(void *ctx, const struct il__store_record *record)
{
    struct record_search *s = ctx;
    struct il__audit *a = s->a;
    if (record->seq >= s->most) return false;
    s->code = il__chain_grow(a->mem, (void **)&a->leaves, &a->leaf_cap, a->leaf_count, sizeof *a->leaves, s->err);
    if (s->code) return false;
    const struct il_str hash = { (const char *)record->hash, sizeof record->hash };
    il__tree_leaf(a->digest, hash, a->leaves[a->leaf_count++]);
    if (record->seq == s->seq) il__buf_str(&s->text, record->text);
    return true;
}

static void write_path(struct il__json_writer *w, const char *name, const struct il__tree_path *path)
{
    char hex[IL__SHA256_HEX];
    il__jw_key(w, name);
    il__jw_array(w);
    for (size_t i = 0; i < path->count; i++) {
        il__hex(path->hashes[i], IL__SHA256_BYTES, hex);
        il__jw_z(w, hex);
    }
    il__jw_array_end(w);
}

static enum il_code write_proof(const struct tip_search *tip, const struct record_search *record,
                                const struct il__tree_path *path, struct il__buf *out, struct il_error *err)
{
    struct il__json_writer w;
    il__jw_init(&w, out);
    il__jw_object(&w);
    write_path(&w, "path", path);
    il__jw_member_str(&w, "record", il__buf_get(&record->text));
    il__jw_member_int(&w, "seq", (int64_t)record->seq);
    il__jw_key(&w, "signed");
    il__jw_raw(&w, il__buf_get(&tip->head_line));
    il__jw_member_str(&w, "tip", il__buf_get(&tip->tip));
    il__jw_member_int(&w, "tipIndex", (int64_t)tip->index);
    write_path(&w, "tipPath", &tip->path);
    il__jw_member_z(&w, "type", IL__PROOF_TYPE);
    il__jw_object_end(&w);
    return il__buf_check(out, err);
}

static enum il_code prove(struct il__audit *a, uint64_t seq, struct il__buf *out, struct il_error *err)
{
    struct il__tree_path path;
    uint8_t root[IL__SHA256_BYTES];
    struct tip_search tip = { .a = a, .run_id = a->options->run_id, .seq = seq, .err = err };
    il__buf_init(&tip.tip, a->mem, 0);
    il__buf_init(&tip.head_line, a->mem, 0);
    struct record_search record = { .seq = seq, .a = a, .err = err };
    il__buf_init(&record.text, a->mem, 0);
    enum il_code code = search(&tip);
    record.most = tip.records;
    a->leaf_count = 0;
    if (!code) code = a->store->ops->load(a->store->self, tip.run_id, take_record, &record, err);
    if (!code) code = record.code;
    if (!code && a->leaf_count != tip.records)
        code = il__fail_at(err, IL_CONFLICT, "record", "seq", "the store has no record of that number any more");
    if (!code) {
        il__tree_root(a->digest, a->leaves, a->leaf_count, (size_t)seq, &path, root);
        code = write_proof(&tip, &record, &path, out, err);
    }
    il__buf_clear(&tip.tip);
    il__buf_clear(&tip.head_line);
    il__buf_clear(&record.text);
    return code;
}

enum il_code il__proof_write(const struct il__audit_call *call, uint64_t seq, struct il__buf *out, struct il_error *err)
{
    struct il__audit a;
    enum il_code code = il__audit_init(&a, call->mem, call->digest, call->store, call->options, NULL, err);
    if (!code && !il__str_present(call->options->run_id))
        code = il__fail_at(err, IL_INVALID_REQUEST, "audit", "run_id", "a proof is of a record of one run");
    if (!code) code = il__audit_run(&a, err);
    if (!code) code = il__audit_holds(&a, err);
    if (!code && seq >= a.summary.records)
        code = il__fail_at(err, IL_CONFLICT, "record", "seq", "the run has %llu records",
                           (unsigned long long)a.summary.records);
    if (!code) code = prove(&a, seq, out, err);
    il__audit_clear(&a);
    return code;
}

/* ---- checking ---- */

struct checking {
    struct il__mem *mem;
    struct il__digest *digest;
    struct il__chain_line doc, record, tip_line;
    struct il__head head;
    struct il__tip tip;
    struct il__tree_path path, tip_path;
    struct il_str text;
    int64_t seq, index;
    struct il_error *err;
};

static enum il_code unreadable(struct checking *c, const char *field)
{
    return il__fail_at(c->err, IL_DECODE, "proof", field, "this is no proof of a record (%s)", field);
}

static enum il_code fails(struct checking *c, const char *field, const char *message)
{
    return il__fail_at(c->err, IL_IDENTITY_MISMATCH, "proof", field, "%s", message);
}

static bool read_path(struct checking *c, const char *name, struct il__tree_path *path)
{
    struct il__json *doc = &c->doc.doc;
    uint32_t list = il__json_get(doc, 0, name);
    path->count = 0;
    if (!list || il__json_kind(doc, list) != IL__JSON_ARRAY) return false;
    if (il__json_at(doc, list)->count > IL__TREE_PATH) return false;
    for (uint32_t at = il__json_first(doc, list); at; at = il__json_next(doc, list, at)) {
        struct il_str hex;
        if (il__json_kind(doc, at) != IL__JSON_STRING || il__json_string(doc, at, &hex, NULL)) return false;
        if (!il__chain_unhex(hex, path->hashes[path->count++])) return false;
    }
    return true;
}

static enum il_code read_proof(struct checking *c, struct il_str proof)
{
    const char *flaw = NULL;
    enum il_code code = il__chain_open(&c->doc, c->mem, proof, &flaw, c->err);
    if (code) return code;
    if (flaw || !il__str_eq(il__chain_text(&c->doc, 0, "type"), IL_STR(IL__PROOF_TYPE))) return unreadable(c, "type");
    c->text = il__chain_text(&c->doc, 0, "record");
    if (c->doc.members != 8 || !c->text.len) return unreadable(c, "record");
    if (!il__chain_int(&c->doc, 0, "seq", &c->seq) || c->seq < 0) return unreadable(c, "seq");
    if (!il__chain_int(&c->doc, 0, "tipIndex", &c->index) || c->index < 0) return unreadable(c, "tipIndex");
    if (!read_path(c, "path", &c->path)) return unreadable(c, "path");
    if (!read_path(c, "tipPath", &c->tip_path)) return unreadable(c, "tipPath");
    uint32_t head = il__json_get(&c->doc.doc, 0, "signed");
    if (!head) return unreadable(c, "signed");
    code = il__head_read(&c->head, c->mem, c->digest, il__json_raw(&c->doc.doc, head), c->err);
    if (!code) code = il__tip_read(&c->tip, &c->tip_line, c->mem, il__chain_text(&c->doc, 0, "tip"), c->err);
    if (!code) code = il__chain_open(&c->record, c->mem, c->text, &flaw, c->err);
    return !code && flaw ? unreadable(c, "record") : code;
}

static enum il_code check_paths(struct checking *c)
{
    uint8_t hash[IL__SHA256_BYTES], leaf[IL__SHA256_BYTES], root[IL__SHA256_BYTES];
    int64_t seq = -1;
    il__sha256(c->digest, c->text, hash);
    il__tree_leaf(c->digest, (struct il_str){ (const char *)hash, sizeof hash }, leaf);
    if (!il__tree_climb(c->digest, leaf, (uint64_t)c->seq, c->tip.records, &c->path, root) ||
        memcmp(root, c->tip.root, sizeof root) != 0)
        return fails(c, "path", "the record is not among those that the tip lists");
    il__tree_leaf(c->digest, il__chain_text(&c->doc, 0, "tip"), leaf);
    if (!il__tree_climb(c->digest, leaf, (uint64_t)c->index, c->head.runs, &c->tip_path, root) ||
        memcmp(root, c->head.root, sizeof root) != 0)
        return fails(c, "tipPath", "the tip is not among those that the head lists");
    if (!il__str_eq(il__chain_text(&c->record, 0, "run"), c->tip.run))
        return fails(c, "run", "the record is of another run");
    if (!il__chain_int(&c->record, 0, "seq", &seq) || seq != c->seq)
        return fails(c, "seq", "the record has another number");
    return IL_OK;
}

static enum il_code check_signer(struct checking *c, const struct il__public_key *keys, size_t key_count)
{
    for (size_t i = 0; i < key_count; i++)
        if (il__public_key_eq(&keys[i], &c->head.key) && c->head.signed_by_key) return IL_OK;
    return fails(c, "signature", "the head is not signed by a key that was given");
}

enum il_code il__proof_check(struct il__mem *mem, struct il__digest *digest, struct il_str proof,
                             const struct il__public_key *keys, size_t key_count, struct il__buf *out,
                             struct il_error *err)
{
    struct checking c = { .mem = mem, .digest = digest, .err = err };
    enum il_code code = read_proof(&c, proof);
    if (!code) code = check_signer(&c, keys, key_count);
    if (!code) code = check_paths(&c);
    if (!code) {
        struct il__json_writer w;
        char at[IL__RFC3339_MAX];
        il__rfc3339_format(c.head.at, at);
        il__jw_init(&w, out);
        il__jw_object(&w);
        il__jw_member_z(&w, "at", at);
        il__jw_member_str(&w, "record", c.text);
        il__jw_member_str(&w, "run", c.tip.run);
        il__jw_member_int(&w, "seq", c.seq);
        il__jw_member_z(&w, "store", c.head.store);
        il__jw_object_end(&w);
        code = il__buf_check(out, err);
    }
    il__json_clear(&c.doc.doc);
    il__json_clear(&c.record.doc);
    il__json_clear(&c.tip_line.doc);
    return code;
}
