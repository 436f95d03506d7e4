/* Journal records and events (record.h). Must never let an event replace a record. */
#include "run/record.h"

#include "base/error.h"
#include "run/durable.h"
#include "wire/json_write.h"

#include <assert.h>

const char *const il__event_names[] = { "step", "request", "answer", "check", "policy", "waiting", "decision",
                                        "released", "log", "ended" };
static_assert(sizeof il__event_names / sizeof *il__event_names == IL_EVENT_ENDED + 1, "a name for each event");

enum { TEXT_MAX = 480, TEXTS = 6 };

static void write_raw(struct il__json_writer *w, const struct il__pair *pair)
{
    if (!il__str_present(pair->text)) return;
    il__jw_key(w, pair->key);
    il__jw_raw(w, pair->text);
}

enum il_code il__run_note(struct il_run *run, const char *kind, const struct il__pair *pairs, size_t count,
                          struct il_str payload, struct il_error *err)
{
    struct il__engine *e = run->engine;
    struct il__json_writer w;
    if (run->restoring) return IL_OK;
    if (il__engine_gone(run)) return il__fail(err, IL_STORE, "the process has ended");
    il__buf_reset(&e->record);
    il__jw_init(&w, &e->record);
    il__jw_object(&w);
    for (size_t i = 0; i < count; i++) {
        if (pairs[i].is_number) il__jw_member_int(&w, pairs[i].key, pairs[i].number);
        else if (pairs[i].is_raw) write_raw(&w, &pairs[i]);
        else il__jw_member_str(&w, pairs[i].key, pairs[i].text);
    }
    il__jw_object_end(&w);
    enum il_code code = il__buf_check(&e->record, err);
    if (code) return code;
    struct il__now now = il__clock_now(&e->clock);
    code = il__journal_append(&run->journal, kind, il__str(run->id), now, e->clock.boot_id, run->fence,
                              il__buf_get(&e->record), payload, err);
    if (code) return code;
    if ((code = il__durable_append(run, err))) {
        il__journal_drop_last(&run->journal);
        return code;
    }
    il__clock_raise(&e->clock, now.wall);
    return IL_OK;
}

struct il_str il__record_error(struct il_run *run)
{
    const struct il_error *err = &run->error;
    const struct { const char *name, *text; } members[] = {
        { "actual", err->actual },
        { "cleanupCode", err->cleanup_code ? il_code_name(err->cleanup_code) : "" },
        { "cleanupMessage", err->cleanup_message }, { "cleanupStep", err->cleanup_step },
        { "code", il_code_name(err->code) }, { "expected", err->expected },
        { "field", err->field }, { "message", err->message }, { "object", err->object }, { "step", err->step },
    };
    struct il__json_writer w;
    if (!err->code) return IL_STR_NONE;
    il__buf_reset(&run->engine->part);
    il__jw_init(&w, &run->engine->part);
    il__jw_object(&w);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (members[i].text[0]) il__jw_member_z(&w, members[i].name, members[i].text);
    il__jw_object_end(&w);
    return run->engine->part.code ? IL_STR_NONE : il__buf_get(&run->engine->part);
}

struct il_str il__record_strs(struct il_run *run, struct il__strs strs)
{
    struct il__json_writer w;
    il__buf_reset(&run->engine->part);
    il__jw_init(&w, &run->engine->part);
    il__jw_array(&w);
    for (size_t i = 0; i < strs.count; i++) il__jw_str(&w, strs.items[i]);
    il__jw_array_end(&w);
    return run->engine->part.code ? IL_STR_NONE : il__buf_get(&run->engine->part);
}

static struct il_str shown(char buf[TEXT_MAX], struct il_str s)
{
    if (!il__str_present(s)) return IL_STR_NONE;
    return (struct il_str){ buf, il__escape(buf, TEXT_MAX, s) };
}

static void write_event(struct il__buf *out, enum il_event_type type, const struct il_event *event)
{
    struct il__json_writer w;
    il__buf_reset(out);
    il__jw_init(&w, out);
    il__jw_object(&w);
    il__jw_member_z(&w, "type", il__event_names[type]);
    il__jw_member_str(&w, "runId", event->run_id);
    il__jw_member_str(&w, "step", event->step);
    il__jw_member_str(&w, "object", event->object);
    il__jw_member_str(&w, "field", event->field);
    il__jw_member_str(&w, "expected", event->expected);
    il__jw_member_str(&w, "actual", event->actual);
    il__jw_member_str(&w, "text", event->text);
    if (type == IL_EVENT_CHECK || type == IL_EVENT_RELEASED) il__jw_member_bool(&w, "ok", event->ok);
    il__jw_object_end(&w);
}

static void tell(struct il__engine *e, struct il_str run_id, enum il_event_type type, const struct il__tell *t)
{
    if (!e->event) return;
    char texts[TEXTS][TEXT_MAX];
    struct il_event event = { sizeof event, type, t->ok, run_id, shown(texts[0], t->step), shown(texts[1], t->object),
                              shown(texts[2], t->field), shown(texts[3], t->expected), shown(texts[4], t->actual),
                              shown(texts[5], t->text), IL_STR_NONE };
    write_event(&e->event_json, type, &event);
    event.json = e->event_json.code ? IL_STR_NONE : il__buf_get(&e->event_json);
    e->event(e->event_ctx, &event);
}

void il__run_tell(const struct il_run *run, enum il_event_type type, const struct il__tell *t)
{
    if (!run->restoring) tell(run->engine, il__str(run->id), type, t);
}

static void seen(struct il__engine *e, struct il_str run_id, const struct il__check_seen *s)
{
    if (s->ok && !e->options->trace) return;
    const struct il__tell t = { .object = il__str(s->object), .field = il__str(s->field), .expected = s->expected,
                                .actual = s->actual, .ok = s->ok };
    tell(e, run_id, IL_EVENT_CHECK, &t);
}

void il__run_seen(void *ctx, const struct il__check_seen *s)
{
    const struct il_run *run = ctx;
    if (!run->restoring) seen(run->engine, il__str(run->id), s);
}

void il__engine_seen(void *ctx, const struct il__check_seen *s)
{
    seen(ctx, IL_STR_NONE, s);
}
