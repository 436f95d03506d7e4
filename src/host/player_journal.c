/* What a scenario sees of journals, and the end of a process in the middle of a run (player.h). */
#include "base/error.h"
#include "host/player.h"
#include "host/store.h"
#include "run/durable.h"

/* ---- verdicts ---- */

struct reading {
    struct il__player *p;
    struct il__json_writer w;
    enum il_code code;
    struct il_error *err;
};

static struct il_str text(struct il__json *doc, uint32_t at, const char *name)
{
    struct il_str s;
    uint32_t node = il__json_get(doc, at, name);
    if (!node || il__json_kind(doc, node) != IL__JSON_STRING || il__json_string(doc, node, &s, NULL))
        return IL_STR_NONE;
    return s;
}

static bool take_verdict(void *ctx, const struct il__store_record *record)
{
    static const char *const members[] = { "phase", "policy", "said", "ruled" };
    struct reading *r = ctx;
    struct il__json doc = { 0 };
    struct il__buf line;
    r->code = il__json_parse(&doc, &r->p->mem, record->text, IL__JSON_CONTRACT, r->err);
    if (r->code) return false;
    uint32_t body = il__json_get(&doc, 0, "body");
    if (il__str_eq(text(&doc, 0, "kind"), IL_STR("verdict"))) {
        il__buf_init(&line, &r->p->mem, 0);
        for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
            if (i) il__buf_putc(&line, ' ');
            il__buf_str(&line, text(&doc, body, members[i]));
        }
        il__jw_str(&r->w, il__buf_get(&line));
        il__buf_clear(&line);
    }
    il__json_clear(&doc);
    return true;
}

static void of_run(struct reading *r, const struct il_run *run)
{
    for (size_t i = 0; i < run->journal.count; i++) {
        const struct il__store_record record = { .seq = i, .text = run->journal.records[i].text };
        if (!take_verdict(r, &record)) return;
    }
}

enum il_code il__player_verdicts(struct il__player *p, struct il__args *a, struct il_error *err)
{
    struct reading r = { .p = p, .err = err };
    struct il__played *at = il__player_run(p, a, err);
    if (!at) return err->code;
    if (!at->run && !p->store)
        return il__fail_at(err, IL_INVALID_REQUEST, "scenario", "store", "the scenario needs store = true");
    il__buf_reset(&p->answer);
    il__jw_init(&r.w, &p->answer);
    il__jw_object(&r.w);
    il__jw_key(&r.w, "verdicts");
    il__jw_array(&r.w);
    if (at->run) {
        of_run(&r, at->run);
    } else {
        const struct il__store port = il__store_port(p->store);
        enum il_code code = port.ops->load(port.self, il__str(at->id), take_verdict, &r, err);
        if (code) return code;
    }
    il__jw_array_end(&r.w);
    il__jw_object_end(&r.w);
    return r.code ? r.code : il__buf_check(&p->answer, err);
}

/* ---- a crash ---- */

enum il_code il__player_crash_after(struct il__player *p, struct il__args *a, struct il_error *err)
{
    const struct il_error none = IL_ERROR_INIT;
    int64_t records = il__args_int(a, "records", 0);
    if (!p->store)
        return il__fail_at(err, IL_INVALID_REQUEST, "scenario", "store",
                           "a crash needs store = true: nothing else stays");
    if (records < 1)
        return il__fail_at(err, IL_INVALID_REQUEST, "scenario", "records", "a crash comes after one record or more");
    p->host->engine.gone_after = (size_t)records;
    return il__player_simple(p, &none, err);
}

bool il__player_crashes(struct il__player *p)
{
    struct il__engine *e = &p->host->engine;
    const struct il_run *run = e->gone_after && p->run_count ? p->runs[p->run_count - 1].run : NULL;
    if (!run || !il__engine_gone(run)) return false;
    (void)!il__durable_write(e, NULL); /* what was written is there, whoever wrote it */
    il__engine_forget(e);
    for (size_t i = 0; i < p->run_count; i++) p->runs[i].run = NULL;
    return true;
}
