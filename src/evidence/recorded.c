/* Reading a run from its journal (recorded.h). */
#include "evidence/recorded.h"

#include "base/error.h"
#include "evidence/chain.h"

struct loading {
    struct il__recorded *recorded;
    enum il_code code;
    struct il_error *err;
};

static enum il_code bad(const struct il__recorded *r, const char *what, struct il_error *err)
{
    return il__fail_at(err, IL_STORE, "journal", what, "record %zu cannot be read: %s", r->count, what);
}

static struct il_str text_at(struct il__json *doc, uint32_t at, const char *name)
{
    struct il_str text;
    uint32_t node = il__json_get(doc, at, name);
    if (!node || il__json_kind(doc, node) != IL__JSON_STRING || il__json_string(doc, node, &text, NULL))
        return IL_STR_NONE;
    return text;
}

static enum il_code take(struct il__recorded *r, const struct il__store_record *record, struct il_error *err)
{
    enum il_code code = il__chain_grow(r->mem, (void **)&r->lines, &r->cap, r->count, sizeof *r->lines, err);
    if (code) return code;
    struct il__recorded_line *line = &r->lines[r->count];
    *line = (struct il__recorded_line){ .payload = IL_STR_NONE };
    code = il__json_parse_copy(&line->doc, r->mem, record->text, IL__JSON_CONTRACT, err);
    if (code) return code == IL_OUT_OF_MEMORY ? code : bad(r, "text", err);
    r->count++;
    line->body = il__json_get(&line->doc, 0, "body");
    line->kind = text_at(&line->doc, 0, "kind");
    line->at = text_at(&line->doc, 0, "at");
    if (!line->body || il__json_kind(&line->doc, line->body) != IL__JSON_OBJECT) return bad(r, "body", err);
    if (!line->kind.len) return bad(r, "kind", err);
    if (!il__str_present(record->payload)) return IL_OK;
    if (il__arena_str(&r->arena, record->payload, &line->payload))
        return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a run");
    return IL_OK;
}

static bool load_one(void *ctx, const struct il__store_record *record)
{
    struct loading *l = ctx;
    l->code = take(l->recorded, record, l->err);
    return !l->code;
}

enum il_code il__recorded_load(struct il__recorded *r, struct il__mem *mem, const struct il__store *store,
                               struct il_str run_id, struct il_error *err)
{
    struct loading l = { r, IL_OK, err };
    *r = (struct il__recorded){ .mem = mem, .run_id = run_id };
    il__arena_init(&r->arena, mem);
    enum il_code code = store->ops->load(store->self, run_id, load_one, &l, err);
    if (code || l.code) return code ? code : l.code;
    return r->count && il__recorded_is(&r->lines[0], "created") ? IL_OK : bad(r, "kind", err);
}

void il__recorded_clear(struct il__recorded *r)
{
    for (size_t i = 0; i < r->count; i++) il__json_clear(&r->lines[i].doc);
    il__mem_free(r->mem, r->lines, r->cap * sizeof *r->lines);
    il__arena_clear(&r->arena);
    r->lines = NULL;
    r->count = r->cap = 0;
}

struct il_str il__recorded_text(struct il__recorded_line *line, const char *name)
{
    return text_at(&line->doc, line->body, name);
}

struct il_str il__recorded_text_in(struct il__recorded_line *line, uint32_t object, const char *name)
{
    return object ? text_at(&line->doc, object, name) : IL_STR_NONE;
}

int64_t il__recorded_int(const struct il__recorded_line *line, const char *name)
{
    int64_t n = 0;
    uint32_t node = il__recorded_get(line, name);
    return node && il__json_int(&line->doc, node, &n) ? n : 0;
}

uint32_t il__recorded_get(const struct il__recorded_line *line, const char *name)
{
    return il__json_get(&line->doc, line->body, name);
}

struct il__recorded_line *il__recorded_first(struct il__recorded *r, const char *kind)
{
    for (size_t i = 0; i < r->count; i++)
        if (il__recorded_is(&r->lines[i], kind)) return &r->lines[i];
    return NULL;
}
