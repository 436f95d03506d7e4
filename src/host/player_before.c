/* What lay before a recorded run (player.h): the answers that its policies got to ctx.limit and ctx.history, as they
 * stand in its journal, made true again by runs of which nothing else is known. */
#include "base/error.h"
#include "contract/action.h"
#include "host/player.h"
#include "host/store.h"

#include <stdio.h>

struct before {
    struct il__player *p;
    struct il__store store;
    int64_t start_ms;
    size_t runs;               /* made up so far */
    struct il_error *err;
};

static struct il_str run_id(struct before *b, char out[40])
{
    int n = snprintf(out, 40, "before-%zu", ++b->runs);
    return (struct il_str){ out, (size_t)n };
}

/* `used` units, of which the one that is waited for leaves in `waitMs`. */
static enum il_code add_units(struct before *b, const struct il__args *item)
{
    char id[40];
    int64_t used = il__args_int(item, "used", 0), per = il__args_int(item, "perMs", 1000);
    int64_t wait = il__args_int(item, "waitMs", 0), now = b->start_ms + il__args_int(item, "ms", 0);
    const struct il__unit unit = { il__args_str(item, "limit", IL_STR_NONE), 0, per };
    const int64_t at = wait > 0 ? now + wait - per : now - (per < 2000 ? per / 2 : 1000);
    enum il_code code = IL_OK;
    struct il__unit_use use = { 0, 0 };
    if (!unit.key.len) return IL_OK;
    code = b->store.ops->used(b->store.self, &unit, IL_STR_NONE, now, &use, b->err);
    for (int64_t i = use.count; i < used && !code; i++)
        code = b->store.ops->spend(b->store.self, run_id(b, id), &unit, 1, at, b->err);
    return code;
}

static unsigned first_of(const struct il__args *query, const char *name, const char *const *names, unsigned fallback)
{
    struct il_str list[1];
    size_t count = 0;
    if (!il__args_strs(query, name, list, 1, &count) || !count) return fallback;
    int at = il__name_index(names, list[0]);
    return at < 0 ? fallback : (unsigned)at;
}

static unsigned bits_of(const struct il__args *query, const char *name, const char *const *names)
{
    struct il_str list[16];
    size_t count = 0;
    unsigned bits = 0;
    if (!il__args_strs(query, name, list, 16, &count)) return 0;
    for (size_t i = 0; i < count; i++) {
        int at = il__name_index(names, list[i]);
        if (at >= 0) bits |= 1u << at;
    }
    return bits;
}

/* A run of which the store knows that it is ours, and nothing else. */
static enum il_code add_run(struct before *b, const struct il__past *past)
{
    const struct il__store_row row = { .run_id = past->run_id, .state = IL__ROW_ENDED, .status = IL_STR("completed"),
                                       .created_ms = past->at_ms, .tool = past->tool, .mode = IL_STR("background"),
                                       .session_id = past->session_id, .principal = b->p->principal, .fence = 1 };
    struct il__store_record record = { .run_id = past->run_id, .fence = 1, .text = IL_STR("{}") };
    il__sha256(b->p->store->digest, record.text, record.hash);
    enum il_code code = b->store.ops->create(b->store.self, &row, b->err);
    if (!code) code = b->store.ops->append(b->store.self, &record, b->err);
    return code ? code : b->store.ops->remember(b->store.self, past, b->err);
}

/* As many runs as were counted; those that were made for another question count as well. */
static enum il_code add_past(struct before *b, const struct il__args *item, const struct il__args *query)
{
    char id[40];
    int64_t count = il__args_int(item, "count", 0), since = il__args_int(item, "sinceMs", 0);
    int64_t now = b->start_ms + il__args_int(item, "ms", 0), within = il__args_int(query, "withinMs", 0);
    bool own = il__str_eq(il__args_str(query, "session", IL_STR_NONE), IL_STR("this"));
    struct il__past past = {
        .session_id = b->p->session, .tool = il__args_str(query, "tool", IL_STR("recorded")),
        .app = il__args_str(query, "app", IL_STR_NONE), .at_ms = now - (since > 0 ? since : 0),
        .outcome = first_of(query, "outcome", il__past_names, IL__PAST_VERIFIED),
        .action_class = first_of(query, "class", il__class_names, IL__CLASS_EDIT_REVERSIBLE),
    };
    const struct il__past_query q = {
        .outcomes = bits_of(query, "outcome", il__past_names), .classes = bits_of(query, "class", il__class_names),
        .tool = il__args_str(query, "tool", IL_STR_NONE), .app = past.app,
        .session_id = own ? b->p->session : IL_STR_NONE, .after_ms = within > 0 ? now - within : INT64_MIN,
    };
    struct il__past_seen seen = { 0, 0, false };
    enum il_code code = b->store.ops->recall(b->store.self, &q, &seen, b->err);
    for (int64_t i = seen.count; i < count && !code; i++) {
        past.run_id = run_id(b, id);
        code = add_run(b, &past);
    }
    return code ? code : b->store.ops->write(b->store.self, b->err);
}

static enum il_code add_all(struct before *b, struct il__json *doc, uint32_t list)
{
    enum il_code code = IL_OK;
    for (uint32_t at = il__json_first(doc, list); at && !code; at = il__json_next(doc, list, at)) {
        struct il__args item = { doc, at }, query = il__args_sub(&item, "history");
        code = query.doc ? add_past(b, &item, &query) : add_units(b, &item);
    }
    return code;
}

enum il_code il__player_before(struct il__player *p, const struct il__args *setup, struct il_error *err)
{
    struct il__json doc = { 0 };
    struct il_str text = il__args_str(setup, "before", IL_STR_NONE);
    if (!il__str_present(text)) return IL_OK;
    if (!p->store)
        return il__fail_at(err, IL_INVALID_REQUEST, "scenario", "store", "what lay before needs store = true");
    struct before b = { .p = p, .store = il__store_port(p->store), .err = err };
    const struct il__now now = il__clock_now(&p->host->engine.clock);
    b.start_ms = now.wall.sec * 1000 + now.wall.nsec / 1000000;
    enum il_code code = il__json_parse(&doc, &p->mem, text, IL__JSON_CONTRACT, err);
    if (!code && il__json_kind(&doc, 0) == IL__JSON_ARRAY) code = add_all(&b, &doc, 0);
    il__json_clear(&doc);
    return code;
}
