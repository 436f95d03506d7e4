/* The store-level chain (links.h). */
#include "evidence/links.h"

#include "base/error.h"
#include "base/limits.h"
#include "evidence/tree.h"

#include <stdlib.h>

void il__links_init(struct il__links *links, struct il__mem *mem, struct il__digest *digest)
{
    *links = (struct il__links){ .mem = mem, .digest = digest };
    il__arena_init(&links->arena, mem);
}

void il__links_clear(struct il__links *links)
{
    il__mem_free(links->mem, links->hashes, links->cap * sizeof *links->hashes);
    il__mem_free(links->mem, links->runs, links->run_cap * sizeof *links->runs);
    il__mem_free(links->mem, links->heads, links->head_cap * sizeof *links->heads);
    il__arena_clear(&links->arena);
    il__links_init(links, links->mem, links->digest);
}

/* ---- one link ---- */

static enum il_code add_run(struct il__links *links, struct il__chain_line *line, const char **flaw,
                            struct il_error *err)
{
    struct il__linked_run run = { .link = links->count };
    struct il_str id = il__chain_text(line, 0, "run");
    if (line->members != 6 || !id.len || !il__chain_unhex(il__chain_text(line, 0, "first"), run.first)) {
        *flaw = "its members are not those of a run's link";
        return IL_OK;
    }
    if (links->run_count >= IL__LIMIT_AUDIT_RUNS)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "audit", "audit_runs", "an audit reads at most %d runs",
                           IL__LIMIT_AUDIT_RUNS);
    enum il_code code = il__chain_grow(links->mem, (void **)&links->runs, &links->run_cap, links->run_count,
                                       sizeof *links->runs, err);
    if (!code && il__arena_str(&links->arena, id, &run.id))
        code = il__fail(err, IL_OUT_OF_MEMORY, "no memory for an audit");
    if (!code) links->runs[links->run_count++] = run;
    return code;
}

static enum il_code add_head(struct il__links *links, struct il__chain_line *line, struct il_str payload,
                             const char **flaw, struct il_error *err)
{
    struct il_error why = IL_ERROR_INIT;
    struct il__linked_head head = { .link = links->count };
    uint8_t tips[IL__SHA256_BYTES];
    uint32_t body = il__json_get(&line->doc, 0, "body");
    enum il_code code = il__head_read(&head.head, links->mem, links->digest, il__json_raw(&line->doc, body), &why);
    if (code == IL_OUT_OF_MEMORY) return il__fail(err, code, "no memory for an audit");
    if (code) {
        *flaw = "it is no signed head";
        return IL_OK;
    }
    il__sha256(links->digest, payload, tips);
    head.has_tips = il__str_present(payload) && memcmp(tips, head.head.tips, sizeof tips) == 0;
    code = il__chain_grow(links->mem, (void **)&links->heads, &links->head_cap, links->head_count,
                          sizeof *links->heads, err);
    if (!code) links->heads[links->head_count++] = head;
    return code;
}

static const char *look(struct il__links *links, const struct il__store_link *link, struct il__chain_line *line,
                        struct il__instant *at)
{
    int64_t seq = -1;
    if (!il__chain_int(line, 0, "seq", &seq) || seq != (int64_t)links->count || link->seq != links->count)
        return "its number is not the next one";
    if (!links->count ? !il__str_eq(il__chain_text(line, 0, "prev"), IL_STR(""))
                      : !il__chain_is_hash(line, 0, "prev", links->hashes[links->count - 1]))
        return "it does not follow the link before it";
    if (!il__chain_payload(line, links->digest, link->payload)) return "its payload is another";
    if (!il__rfc3339_parse(il__chain_text(line, 0, "at"), at, NULL)) return "its time cannot be read";
    return NULL;
}

static enum il_code take(struct il__links *links, const struct il__store_link *link, struct il__chain_line *line,
                         const char **flaw, struct il_error *err)
{
    struct il_str kind = il__chain_text(line, 0, "kind");
    uint32_t body = il__json_get(&line->doc, 0, "body");
    if (il__str_eq(kind, IL_STR("run"))) return add_run(links, line, flaw, err);
    bool whole = kind.len && body && il__json_kind(&line->doc, body) == IL__JSON_OBJECT;
    if (!whole) *flaw = "its members are not those of a link";
    else if (il__str_eq(kind, IL_STR("head"))) return add_head(links, line, link->payload, flaw, err);
    return IL_OK;
}

enum il_code il__links_add(struct il__links *links, const struct il__store_link *link, const char **flaw,
                           struct il_error *err)
{
    struct il__chain_line line;
    struct il__instant at = { 0, 0 };
    uint8_t hash[IL__SHA256_BYTES];
    *flaw = NULL;
    il__sha256(links->digest, link->text, hash);
    if (memcmp(hash, link->hash, sizeof hash) != 0) {
        *flaw = "its text is not the one that was hashed";
        return IL_OK;
    }
    enum il_code code = il__chain_grow(links->mem, (void **)&links->hashes, &links->cap, links->count,
                                       sizeof *links->hashes, err);
    if (code) return code;
    code = il__chain_open(&line, links->mem, link->text, flaw, err);
    if (!code && !*flaw) *flaw = look(links, link, &line, &at);
    if (!code && !*flaw) code = take(links, link, &line, flaw, err);
    il__json_clear(&line.doc);
    if (code || *flaw) return code;
    memcpy(links->hashes[links->count++], hash, sizeof hash);
    if (il__instant_cmp(at, links->latest) > 0) links->latest = at;
    return IL_OK;
}

/* ---- runs by their ids ---- */

static int by_id(const void *a, const void *b)
{
    return il__str_cmp(((const struct il__linked_run *)a)->id, ((const struct il__linked_run *)b)->id);
}

void il__links_sort(struct il__links *links, struct il_str *twice)
{
    *twice = IL_STR_NONE;
    if (links->sorted != links->run_count) qsort(links->runs, links->run_count, sizeof *links->runs, by_id);
    links->sorted = links->run_count;
    for (size_t i = 1; i < links->run_count; i++)
        if (il__str_eq(links->runs[i - 1].id, links->runs[i].id)) *twice = links->runs[i].id;
}

struct il__linked_run *il__links_find(const struct il__links *links, struct il_str run_id)
{
    size_t from = 0, to = links->sorted;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = il__str_cmp(links->runs[middle].id, run_id);
        if (!order) return &links->runs[middle];
        if (order < 0) from = middle + 1;
        else to = middle;
    }
    return NULL;
}

/* ---- the tips of a head ---- */

static enum il_code add_mark(struct il__links *links, struct il__linked_run *run, const struct il__tip *tip,
                             bool witnessed, struct il_error *err)
{
    for (struct il__mark *m = run->marks; m; m = m->next) {
        if (m->records != tip->records || memcmp(m->last, tip->last, sizeof m->last) != 0) continue;
        m->witnessed |= witnessed;
        return IL_OK;
    }
    struct il__mark *mark = il__arena_alloc(&links->arena, sizeof *mark);
    if (!mark) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for an audit");
    *mark = (struct il__mark){ .next = run->marks, .records = tip->records, .witnessed = witnessed };
    memcpy(mark->last, tip->last, sizeof mark->last);
    run->marks = mark;
    return IL_OK;
}

static enum il_code mark_run(struct il__links *links, const struct il__linked_head *head, struct il_str text,
                             const char **flaw, struct il_error *err)
{
    struct il__chain_line line;
    struct il__tip tip;
    struct il_error why = IL_ERROR_INIT;
    enum il_code code = il__tip_read(&tip, &line, links->mem, text, &why);
    struct il__linked_run *run = code ? NULL : il__links_find(links, tip.run);
    if (code == IL_OUT_OF_MEMORY) code = il__fail(err, code, "no memory for an audit");
    else if (code || !run || run->link >= head->head.links) {
        *flaw = code ? "one of its tips cannot be read" : "it lists a run that was not there";
        code = IL_OK;
    } else code = add_mark(links, run, &tip, head->witnessed, err);
    il__json_clear(&line.doc);
    return code;
}

enum il_code il__links_mark(struct il__links *links, const struct il__linked_head *head, struct il_str tips,
                            const char **flaw, struct il_error *err)
{
    struct il_str rest = tips, text;
    uint64_t runs = 0;
    enum il_code code = IL_OK;
    *flaw = NULL;
    while (!code && !*flaw && il__next_line(&rest, &text)) {
        code = mark_run(links, head, text, flaw, err);
        runs++;
    }
    if (!code && !*flaw && (rest.len || runs != head->head.runs)) *flaw = "its tips are not as many as it says";
    return code;
}
