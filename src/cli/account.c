/* Events of a run, told step by step. A step is told when the next one begins, so that its line can say how it went.
 * Uses output.h. The library escapes what comes from outside; it is escaped again here. */
#include "cli/account.h"

#include <string.h>

void il__account_init(struct il__account *account, struct il__out *out, bool json, bool trace)
{
    memset(account, 0, sizeof *account);
    account->out = out;
    account->json = json;
    account->trace = trace;
}

void il__account_clear(struct il__account *account)
{
    il__text_clear(&account->step);
    il__text_clear(&account->asked);
    il__text_clear(&account->notes);
    il__text_clear(&account->events);
    il__text_clear(&account->header);
}

/* ---- printing ---- */

/* "  ok step          text", wrapped; the mark is coloured. */
static void tell(struct il__out *out, const char *indent, enum il__mark mark, const char *name, struct il_str s)
{
    enum il__tone tone;
    char lead[96];
    const char *sign = il__out_mark(out, mark, &tone);
    struct il__out rest = *out;
    int used = (int)strlen(indent) + 2;
    snprintf(lead, sizeof lead, name[0] ? " %-13s " : " ", name);
    rest.width -= used;
    il__out_puts(out, indent);
    il__out_tone(out, tone, il__text_of(sign));
    rest.lost = out->lost;
    il__out_wrap(&rest, lead, used + (int)strlen(lead), IL__TONE_PLAIN, s);
    out->lost = rest.lost;
}

static void tell_notes(struct il__account *account)
{
    struct il_str notes = il__text_get(&account->notes);
    while (notes.len) {
        const char *end = memchr(notes.ptr, '\n', notes.len);
        size_t len = end ? (size_t)(end - notes.ptr) : notes.len;
        tell(account->out, "     ", (enum il__mark)(notes.ptr[0] - '0'), "", (struct il_str){ notes.ptr + 1, len - 1 });
        notes.ptr += len + (end != NULL);
        notes.len -= len + (end != NULL);
    }
}

void il__account_flush(struct il__account *account)
{
    if (account->json) return;
    if (!account->header_told) {
        il__out_wrap(account->out, "", 2, IL__TONE_BOLD, il__text_get(&account->header));
        il__out_puts(account->out, "\n");
    }
    account->header_told = true;
    if (account->step.len) {
        struct il__text line = IL__TEXT_INIT;
        enum il__mark mark = account->failed ? IL__MARK_BAD : account->open ? IL__MARK_OPEN : IL__MARK_OK;
        if (account->asked.len) il__text_printf(&line, "asked for %s", account->asked.ptr);
        if (account->checks)
            il__text_printf(&line, "%s%zu check%s passed", line.len ? "; " : "", account->checks,
                            account->checks == 1 ? "" : "s");
        if (!line.len) il__text_puts(&line, account->failed ? "did not go through" : account->open ? "waits" : "done");
        tell(account->out, "  ", mark, account->step.ptr, il__text_get(&line));
        il__text_clear(&line);
    }
    tell_notes(account);
    fflush(account->out->file);
    il__text_reset(&account->step);
    il__text_reset(&account->asked);
    il__text_reset(&account->notes);
    account->checks = 0;
    account->failed = account->open = false;
}

/* ---- gathering ---- */

/* One line below the step: `before` stands for the mark; then pairs of words and texts. */
static void note(struct il__account *account, enum il__mark mark, const struct il_str *parts, size_t count)
{
    il__text_printf(&account->notes, "%c", (char)('0' + (int)mark));
    for (size_t i = 0; i < count; i++) il__text_escaped(&account->notes, parts[i]);
    il__text_puts(&account->notes, "\n");
}

static struct il_str z(const char *text)
{
    return il__text_of(text);
}

static bool something(struct il_str s)
{
    return s.ptr && s.len;
}

static void on_check(struct il__account *account, const struct il_event *e)
{
    if (e->ok) account->checks++;
    else account->failed = true;
    if (e->ok && !account->trace) return;
    bool values = something(e->expected) || something(e->actual);
    const struct il_str parts[] = {
        e->object, z(something(e->object) ? ": " : ""), e->field,
        z(!values ? "" : e->ok ? " is " : something(e->expected) ? " expected " : " got "),
        e->ok ? e->actual : something(e->expected) ? e->expected : e->actual,
        z(!e->ok && something(e->expected) ? ", got " : ""),
        !e->ok && something(e->expected) ? something(e->actual) ? e->actual : z("nothing") : z(""),
    };
    note(account, e->ok ? IL__MARK_OK : IL__MARK_BAD, parts, sizeof parts / sizeof *parts);
}

static void on_policy(struct il__account *account, const struct il_event *e)
{
    bool deny = il__text_same(e->actual, "deny"), ask = il__text_same(e->actual, "ask");
    if (!deny && !ask && !account->trace && !something(e->text)) return;
    const struct il_str parts[] = {
        z("policy "), e->object, z(" ("), e->expected, z(something(e->expected) ? ", " : ""), e->field, z("): "),
        something(e->actual) ? e->actual : z("no opinion"), z(something(e->text) ? " - " : ""), e->text,
    };
    note(account, deny ? IL__MARK_BAD : ask ? IL__MARK_OPEN : IL__MARK_OK, parts, sizeof parts / sizeof *parts);
}

static void on_decision(struct il__account *account, const struct il_event *e)
{
    const struct il_str parts[] = {
        e->object, z(": "), e->actual, z(something(e->text) ? " - " : ""), e->text,
    };
    account->open = false;
    note(account, e->ok ? IL__MARK_OK : IL__MARK_BAD, parts, sizeof parts / sizeof *parts);
}

static void on_answer(struct il__account *account, const struct il_event *e)
{
    const struct il_str parts[] = { z("accepted the answer to "), e->text };
    if (account->trace) note(account, IL__MARK_OK, parts, 2);
}

static void on_released(struct il__account *account, const struct il_event *e)
{
    const struct il_str parts[] = {
        z(e->ok ? "released the " : "could not release the "), e->object, z(something(e->text) ? ": " : ""), e->text,
    };
    note(account, e->ok ? IL__MARK_OK : IL__MARK_BAD, parts, sizeof parts / sizeof *parts);
}

static void on_request(struct il__account *account, const struct il_event *e)
{
    if (account->asked.len) il__text_puts(&account->asked, ", ");
    il__text_escaped(&account->asked, e->text);
}

static void on_step(struct il__account *account, struct il_str step)
{
    il__account_flush(account);
    il__text_escaped(&account->step, something(step) ? step : z("step"));
}

static void gather(struct il__account *account, const struct il_event *e)
{
    if (!account->trace) return;
    if (account->events.len) il__text_puts(&account->events, ",");
    il__text_str(&account->events, e->json);
}

void il__account_event(void *ctx, const struct il_event *event)
{
    struct il__account *account = ctx;
    if (account->json) {
        gather(account, event);
        return;
    }
    switch (event->type) {
    case IL_EVENT_STEP: on_step(account, event->step); break;
    case IL_EVENT_REQUEST: on_request(account, event); break;
    case IL_EVENT_ANSWER: on_answer(account, event); break;
    case IL_EVENT_CHECK: on_check(account, event); break;
    case IL_EVENT_POLICY: on_policy(account, event); break;
    case IL_EVENT_WAITING: account->open = true; break;
    case IL_EVENT_DECISION: on_decision(account, event); break;
    case IL_EVENT_RELEASED: on_released(account, event); break;
    case IL_EVENT_LOG: note(account, IL__MARK_NONE, (const struct il_str[]){ z("script: "), event->text }, 2); break;
    case IL_EVENT_ENDED: il__account_flush(account); break;
    }
}
