/* Events that a scenario kept as lines of JSON, turned back into events and told by account.c.
 * Must never fail on a line it does not know: it shows it. */
#include "cli/scenario_trace.h"

#include "cli/account.h"
#include "cli/json.h"

#include <string.h>

enum { MEMBERS = 7 };

static struct il_str next_line(struct il_str *rest)
{
    const char *end = memchr(rest->ptr, '\n', rest->len);
    size_t len = end ? (size_t)(end - rest->ptr) : rest->len;
    struct il_str line = { rest->ptr, len };
    len += end != NULL;
    rest->ptr += len;
    rest->len -= len;
    return line;
}

/* The type of an event by its name; false for none. */
static bool type_of(struct il_str name, enum il_event_type *out)
{
    static const char *const names[] = { "step", "request", "answer", "check", "policy", "waiting",
                                         "decision", "released", "log", "ended" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!il__json_is(name, names[i])) continue;
        *out = (enum il_event_type)i;
        return true;
    }
    return false;
}

static void tell_event(struct il__account *account, struct il_str line, struct il_event *event)
{
    static const char *const names[MEMBERS] = { "runId", "step", "object", "field", "expected", "actual", "text" };
    struct il_str *const members[MEMBERS] = { &event->run_id,   &event->step,   &event->object, &event->field,
                                              &event->expected, &event->actual, &event->text };
    struct il__text texts[MEMBERS];
    memset(texts, 0, sizeof texts);
    for (size_t i = 0; i < MEMBERS; i++) {
        il__json_text(&texts[i], il__json_get(line, names[i]));
        *members[i] = texts[i].len ? il__text_get(&texts[i]) : (struct il_str){ NULL, 0 };
    }
    event->ok = !il__text_same(il__json_get(line, "ok"), "false");
    event->json = line;
    il__account_event(account, event);
    for (size_t i = 0; i < MEMBERS; i++) il__text_clear(&texts[i]);
}

void il__scenario_trace(struct il__text *out, struct il_str trace, int width)
{
    struct il__out to;
    struct il__account account;
    memset(&to, 0, sizeof to);
    to.gather = out;
    to.width = width;
    il__account_init(&account, &to, false, false);
    account.header_told = account.ends_told = true;
    while (trace.len) {
        struct il_str line = next_line(&trace);
        struct il_event event;
        memset(&event, 0, sizeof event);
        event.size = sizeof event;
        if (type_of(il__json_get(line, "type"), &event.type)) {
            tell_event(&account, line, &event);
            continue;
        }
        il__account_flush(&account);
        il__out_lines(&to, "", line);
    }
    il__account_flush(&account);
    il__account_clear(&account);
}

bool il__scenario_trace_json(struct il__text *out, struct il_str trace)
{
    size_t before = out->len;
    while (trace.len) {
        struct il_str line = next_line(&trace);
        if (!line.len || line.ptr[0] != '{') {
            out->len = before;
            return false;
        }
        if (out->len > before) il__text_puts(out, ",");
        il__text_str(out, line);
    }
    return true;
}
