/* The changes of a case that are no members of its action (candidates.h): another time, and other answers of history
 * and limits. History is changed so that exactly one more, one less, or as many earlier runs fit as a constant says. */
#include "host/candidates.h"

#include "base/error.h"
#include "base/rfc3339.h"
#include "host/json_edit.h"
#include "script/duration.h"
#include "wire/json_write.h"

#include <stdio.h>

enum { MOST_RUNS = 32 }; /* of a history that is made up */

/* ---- time -------------------------------------------------------------------------------------------------------- */

static void add_moment(struct il__build *b, struct il__instant at, const char *what)
{
    char text[IL__RFC3339_MAX], json[IL__RFC3339_MAX + 4], shown[80];
    size_t len = il__rfc3339_format(at, text);
    int n = snprintf(json, sizeof json, "\"%.*s\"", (int)len, text);
    int m = snprintf(shown, sizeof shown, "%s (%.*s)", what, (int)len, text);
    il__build_add(b, "/at", "ctx.time", (struct il_str){ json, (size_t)n }, (struct il_str){ shown, (size_t)m });
}

/* Every hour of that day, and so every hour in every zone; every day of the week; minutes around the constants. */
static void add_hours_and_days(struct il__build *b, struct il__instant now)
{
    static const char *const days[] = { "thursday", "friday", "saturday", "sunday", "monday", "tuesday", "wednesday" };
    const struct il__pool *c = b->from->pool;
    const int64_t day = now.sec - ((now.sec % 86400) + 86400) % 86400, second = now.sec - day;
    char what[40];
    for (int hour = 0; hour < 24; hour++) {
        struct il__instant at = { day + hour * 3600 + second % 3600, now.nsec };
        snprintf(what, sizeof what, "%02d:%02d", hour, (int)(second % 3600 / 60));
        if (at.sec != now.sec) add_moment(b, at, what);
    }
    for (int i = 1; i < 7; i++) {
        struct il__instant at = { now.sec + i * 86400, now.nsec };
        add_moment(b, at, days[(at.sec / 86400 % 7 + 7) % 7]);
        at.sec = day + i * 86400 + 12 * 3600; /* where both day and hour matter */
        snprintf(what, sizeof what, "%s noon", days[(at.sec / 86400 % 7 + 7) % 7]);
        add_moment(b, at, what);
    }
    for (size_t i = 0; i < c->int_count; i++) {
        for (int64_t minute = c->ints[i] - 1; minute <= c->ints[i] + 1; minute++) {
            if (minute < 0 || minute > 59) continue;
            struct il__instant at = { day + second / 3600 * 3600 + minute * 60 + second % 60, now.nsec };
            snprintf(what, sizeof what, "%02d:%02d", (int)(second / 3600), (int)minute);
            add_moment(b, at, what);
        }
    }
}

/* Moments that stand in the policies as texts or as seconds. */
static void add_written_moments(struct il__build *b)
{
    const struct il__pool *c = b->from->pool;
    const char *why;
    struct il__instant at;
    for (size_t i = 0; i < c->text_count; i++) {
        if (!il__rfc3339_parse(c->texts[i], &at, &why)) continue;
        for (int64_t step = -1; step <= 1; step++)
            add_moment(b, il__instant_add_ms(at, step * 1000), "around a constant");
    }
    for (size_t i = 0; i < c->int_count; i++) {
        if (c->ints[i] < 100000000 || c->ints[i] > INT64_C(253402300000)) continue;
        for (int64_t step = -1; step <= 1; step++)
            add_moment(b, (struct il__instant){ c->ints[i] + step, 0 }, "around a constant");
    }
}

void il__build_time(struct il__build *b)
{
    uint32_t node = il__json_get(b->from->given, 0, "at");
    struct il_str text = IL_STR("2026-01-05T12:00:00Z");
    struct il__instant now;
    const char *why;
    if (!b->from->pool->zones && !il__build_was_read(b, "ctx.time")) return;
    if (node && il__json_string(b->from->given, node, &text, NULL)) return;
    if (!il__rfc3339_parse(text, &now, &why)) return;
    add_hours_and_days(b, now);
    add_written_moments(b);
}

/* ---- recorded answers -------------------------------------------------------------------------------------------- */

/* The recorded answers of the case; 0: it is a written one. */
static uint32_t recorded(const struct il__build *b)
{
    uint32_t node = il__json_get(b->from->given, 0, "asked");
    return node && il__json_kind(b->from->given, node) == IL__JSON_ARRAY ? node : 0;
}

static struct il_str raw_of(const struct il__json *doc, uint32_t at, const char *name)
{
    uint32_t node = il__json_get(doc, at, name);
    return node ? il__json_raw(doc, node) : IL_STR_NONE;
}

/* The same question: `about` is "history" or "limit". Recorded texts are canonical, and so are those of a result. */
static bool same_question(const struct il__build *b, uint32_t item, uint32_t asked, const char *about)
{
    const struct il__json *given = b->from->given, *result = b->from->result;
    return il__str_eq(raw_of(given, item, about), raw_of(result, asked, about)) &&
           il__str_eq(raw_of(given, item, "perMs"), raw_of(result, asked, "perMs"));
}

/* The answer `asked` of the result with another number for `count` or `used`. */
static void write_answer(const struct il__build *b, uint32_t asked, const char *number, int64_t value,
                         struct il__json_writer *w)
{
    const struct il__json *doc = b->from->result;
    il__jw_object(w);
    for (uint32_t name = il__json_first(doc, asked); name; name = il__json_next(doc, asked, name + 1)) {
        struct il_str raw = il__json_raw(doc, name);
        struct il_str text = { raw.ptr + 1, raw.len - 2 };
        il__jw_key_str(w, text);
        if (il__str_eq(text, il__str(number))) il__jw_int(w, value);
        else if (il__str_eq(text, IL_STR("sinceMs"))) il__jw_int(w, value > 0 ? 0 : -1);
        else il__jw_raw(w, il__json_raw(doc, name + 1));
    }
    il__jw_object_end(w);
}

/* The list of answers with that one changed, as it was recorded otherwise. */
static void add_answer(struct il__build *b, uint32_t asked, const char *about, const char *number, int64_t value,
                       const char *field, struct il_str shown)
{
    const struct il__json *given = b->from->given;
    struct il__buf buf;
    struct il__json_writer w;
    uint32_t list = recorded(b);
    il__buf_init(&buf, b->from->mem, 0);
    il__jw_init(&w, &buf);
    il__jw_array(&w);
    for (uint32_t item = il__json_first(given, list); item; item = il__json_next(given, list, item))
        if (!same_question(b, item, asked, about)) il__jw_raw(&w, il__json_raw(given, item));
    write_answer(b, asked, number, value, &w);
    il__jw_array_end(&w);
    if (buf.code) b->code = buf.code;
    else il__build_add(b, "/asked", field, il__buf_get(&buf), shown);
    il__buf_clear(&buf);
}

/* ---- history ----------------------------------------------------------------------------------------------------- */

struct query {
    uint32_t asked;     /* the answer, in the result */
    uint32_t node;      /* {app, class, outcome, session, tool, withinMs}, in the result */
    int64_t count;      /* what was answered */
};

static struct il_str text_of(struct il__json *doc, uint32_t at, const char *name)
{
    struct il_str out = IL_STR_NONE;
    uint32_t node = il__json_get(doc, at, name);
    if (!node || il__json_kind(doc, node) != IL__JSON_STRING || il__json_string(doc, node, &out, NULL))
        return IL_STR_NONE;
    return out;
}

static bool among(struct il__json *doc, uint32_t list, struct il_str name)
{
    struct il_str one;
    if (!list) return true;
    for (uint32_t at = il__json_first(doc, list); at; at = il__json_next(doc, list, at))
        if (!il__json_string(doc, at, &one, NULL) && il__str_eq(one, name)) return true;
    return false;
}

static bool fits_text(struct il__json *doc, uint32_t query, struct il__json *given, uint32_t run, const char *name)
{
    struct il_str wanted = text_of(doc, query, name);
    return !il__str_present(wanted) || il__str_eq(wanted, text_of(given, run, name));
}

/* Would this earlier run be counted? */
static bool fits(const struct il__build *b, const struct query *q, uint32_t run)
{
    struct il__json *doc = b->from->result, *given = b->from->given;
    struct il_str ago = text_of(given, run, "ago"), session = text_of(given, run, "session");
    int64_t within = 0, ago_ms = 0;
    uint32_t limit = il__json_get(doc, q->node, "withinMs");
    if (limit && !il__json_int(doc, limit, &within)) within = 0;
    if (il__str_present(ago) && !il__duration_parse(ago, false, &ago_ms)) return false;
    if (within > 0 && ago_ms > within) return false;
    bool other = il__str_present(session) && !il__str_eq(session, IL_STR("this"));
    if (other && il__str_eq(text_of(doc, q->node, "session"), IL_STR("this"))) return false;
    return fits_text(doc, q->node, given, run, "tool") && fits_text(doc, q->node, given, run, "app") &&
           among(doc, il__json_get(doc, q->node, "outcome"), text_of(given, run, "outcome")) &&
           among(doc, il__json_get(doc, q->node, "class"), text_of(given, run, "class"));
}

static struct il_str first_of(struct il__json *doc, uint32_t at, const char *name)
{
    struct il_str out = IL_STR_NONE;
    uint32_t list = il__json_get(doc, at, name), first = list ? il__json_first(doc, list) : 0;
    if (first && il__json_string(doc, first, &out, NULL)) return IL_STR_NONE;
    return out;
}

/* An earlier run that would be counted, just now. */
static void write_run(const struct il__build *b, const struct query *q, struct il__json_writer *w)
{
    struct il__json *doc = b->from->result;
    struct il_str outcome = first_of(doc, q->node, "outcome");
    il__jw_object(w);
    il__jw_member_str(w, "outcome", il__str_present(outcome) ? outcome : IL_STR("verified"));
    il__jw_member_str(w, "class", first_of(doc, q->node, "class"));
    il__jw_member_str(w, "tool", text_of(doc, q->node, "tool"));
    il__jw_member_str(w, "app", text_of(doc, q->node, "app"));
    il__jw_object_end(w);
}

/* The history in which exactly `count` fit: those that do not stay, of those that do the first. */
static void add_count(struct il__build *b, const struct query *q, int64_t count)
{
    struct il__json *given = b->from->given;
    struct il__buf buf;
    struct il__json_writer w;
    char shown[60];
    int64_t left = count;
    uint32_t list = il__json_get(given, 0, "history");
    if (count < 0 || count > MOST_RUNS || count == q->count) return;
    int n = snprintf(shown, sizeof shown, "%lld earlier run%s that fit%s", (long long)count, count == 1 ? "" : "s",
                     count == 1 ? "s" : "");
    const struct il_str says = { shown, (size_t)n };
    if (recorded(b)) {
        add_answer(b, q->asked, "history", "count", count, "ctx.history", says);
        return;
    }
    il__buf_init(&buf, b->from->mem, 0);
    il__jw_init(&w, &buf);
    il__jw_array(&w);
    for (uint32_t run = list ? il__json_first(given, list) : 0; run; run = il__json_next(given, list, run)) {
        bool fit = fits(b, q, run);
        if (!fit || left > 0) il__jw_raw(&w, il__json_raw(given, run));
        if (fit && left > 0) left--;
    }
    while (left-- > 0) write_run(b, q, &w);
    il__jw_array_end(&w);
    if (buf.code) b->code = buf.code;
    else il__build_add(b, "/history", "ctx.history", il__buf_get(&buf), says);
    il__buf_clear(&buf);
}

static void add_history(struct il__build *b, uint32_t asked)
{
    const struct il__pool *c = b->from->pool;
    struct query q = { .asked = asked, .node = il__json_get(b->from->result, asked, "history") };
    uint32_t count = il__json_get(b->from->result, asked, "count");
    if (!count || !il__json_int(b->from->result, count, &q.count)) return;
    add_count(b, &q, 0);
    add_count(b, &q, q.count - 1);
    add_count(b, &q, q.count + 1);
    for (size_t i = 0; i < c->int_count; i++)
        for (int64_t step = -1; step <= 1; step++) add_count(b, &q, c->ints[i] + step);
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static void add_limit(struct il__build *b, uint32_t asked)
{
    struct il__json *doc = b->from->result;
    struct il_str key = text_of(doc, asked, "limit");
    int64_t most = 0, tries[3] = { 0 };
    uint32_t max = il__json_get(doc, asked, "max");
    char field[300], shown[80];
    if (!il__str_present(key) || !max || !il__json_int(doc, max, &most)) return;
    const char *slash = memchr(key.ptr, '/', key.len); /* a case names it as the policy does, without the bundle */
    if (slash) key = (struct il_str){ slash + 1, (size_t)(key.ptr + key.len - slash - 1) };
    struct il__buf pointer;
    il__buf_init(&pointer, b->from->mem, 0);
    il__buf_puts(&pointer, "/limits");
    il__json_edit_part(&pointer, key);
    snprintf(field, sizeof field, "ctx.limit %.*s", IL_STR_FMT(key));
    tries[1] = most - 1;
    tries[2] = most;
    for (size_t i = 0; i < 3 && !pointer.code; i++) {
        char json[24];
        int n = snprintf(json, sizeof json, "%lld", (long long)tries[i]);
        int m = snprintf(shown, sizeof shown, "%lld of %lld used", (long long)tries[i], (long long)most);
        const struct il_str says = { shown, (size_t)m };
        if (recorded(b)) add_answer(b, asked, "limit", "used", tries[i], field, says);
        else il__build_add(b, pointer.ptr, field, (struct il_str){ json, (size_t)n }, says);
    }
    if (pointer.code) b->code = pointer.code;
    il__buf_clear(&pointer);
}

void il__build_asked(struct il__build *b)
{
    struct il__json *doc = b->from->result;
    uint32_t policies = il__json_get(doc, 0, "policies");
    for (uint32_t p = policies ? il__json_first(doc, policies) : 0; p; p = il__json_next(doc, policies, p)) {
        uint32_t asked = il__json_get(doc, p, "asked");
        for (uint32_t a = asked ? il__json_first(doc, asked) : 0; a; a = il__json_next(doc, asked, a)) {
            if (il__json_get(doc, a, "history")) add_history(b, a);
            if (il__json_get(doc, a, "limit")) add_limit(b, a);
        }
    }
}
