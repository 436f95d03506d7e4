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
    il__text_clear(&account->said);
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
    snprintf(lead, sizeof lead, name[0] ? " %-16s " : " ", name);
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

/* What a step that went through is called: when it asked the runtime for something, and when it did not. */
static const struct phrase {
    const char *step, *asked, *bare;
} phrases[] = {
    { "observe", "looked at the desktop", "nothing to look at" },
    { "preview", "the runtime described what it would do", "described before" },
    { "request_approval", "approved", "approved" },
    { "reserve", "no reservation was needed", "this runtime reserves nothing" },
    { "acquire_lease", "the control lease is granted", "held already" },
    { "execute", "sent, once", "sent before" },
    { "verify", "looked for the effect", "judged by the receipt alone" },
};

static const char *phrase_of(const struct il__account *account)
{
    if (account->reserved) return "the target is reserved";
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (strcmp(phrases[i].step, account->step.ptr) == 0)
            return account->asked.len ? phrases[i].asked : phrases[i].bare;
    return "done";
}

static void tell_step(struct il__account *account)
{
    struct il__text line = IL__TEXT_INIT;
    enum il__mark mark = account->failed ? IL__MARK_BAD : account->open ? IL__MARK_OPEN : IL__MARK_OK;
    const char *none = account->refused ? account->asked.len ? "the answer was not accepted" : "not done"
                                        : "here the run ends";
    il__text_puts(&line, account->failed ? none : account->open ? "waits for a person" : phrase_of(account));
    if (account->said.len) il__text_printf(&line, ": %s", account->said.ptr);
    if (account->checks)
        il__text_printf(&line, "; %zu check%s passed", account->checks, account->checks == 1 ? "" : "s");
    if (account->refused) il__text_printf(&line, ", %zu did not", account->refused);
    tell(account->out, "  ", mark, account->step.ptr, il__text_get(&line));
    il__text_clear(&line);
}

void il__account_flush(struct il__account *account)
{
    if (account->json) return;
    if (!account->header_told) {
        il__out_wrap(account->out, "", 2, IL__TONE_BOLD, il__text_get(&account->header));
        il__out_puts(account->out, "\n");
    }
    account->header_told = true;
    if (account->step.len) tell_step(account);
    tell_notes(account);
    fflush(account->out->file);
    il__text_reset(&account->step);
    il__text_reset(&account->asked);
    il__text_reset(&account->said);
    il__text_reset(&account->notes);
    account->checks = account->refused = 0;
    account->failed = account->open = account->reserved = false;
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

static bool same(struct il_str a, struct il_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* A check that passed, with its inputs; for the trace. */
static void note_passed(struct il__account *account, const struct il_event *e)
{
    bool none = !something(e->expected) && !something(e->actual), equal = same(e->expected, e->actual);
    const struct il_str parts[] = {
        e->object, z(": "), e->field,
        z(none ? ": none asked for, none given" : something(e->actual) ? " is " : " is absent"),
        e->actual, z(equal ? "" : something(e->expected) ? "; expected " : ""), equal ? z("") : e->expected,
    };
    note(account, IL__MARK_OK, parts, sizeof parts / sizeof *parts);
}

static void on_check(struct il__account *account, const struct il_event *e)
{
    if (e->ok) {
        account->checks++;
        account->reserved = account->reserved || (strcmp(account->step.len ? account->step.ptr : "", "reserve") == 0 &&
                                                  il__text_same(e->object, "target reservation"));
        if (account->trace) note_passed(account, e);
        return;
    }
    account->failed = true;
    account->refused++;
    const struct il_str parts[] = {
        e->object, z(": "), e->field, z(something(e->expected) ? " expected " : ""), e->expected,
        z(something(e->expected) ? ", got " : " got "), something(e->actual) ? e->actual : z("nothing"),
    };
    note(account, IL__MARK_BAD, parts, sizeof parts / sizeof *parts);
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

/* The answer to execute says what the receipt says; the others repeat the operation. */
static void on_answer(struct il__account *account, const struct il_event *e)
{
    if (il__text_same(e->step, "execute")) {
        il__text_reset(&account->said);
        il__text_puts(&account->said, "the receipt says ");
        il__text_escaped(&account->said, e->text);
    }
    const struct il_str parts[] = { z("accepted the answer: "), e->text };
    if (account->trace) note(account, IL__MARK_OK, parts, 2);
}

static void on_released(struct il__account *account, const struct il_event *e)
{
    bool why = !e->ok && something(e->text);
    const struct il_str parts[] = {
        z(e->ok ? "released the " : why ? "not released: " : "could not release the "), why ? e->text : e->object,
    };
    note(account, e->ok ? IL__MARK_OK : IL__MARK_BAD, parts, 2);
}

static void on_request(struct il__account *account, const struct il_event *e)
{
    if (account->asked.len) il__text_puts(&account->asked, ", ");
    il__text_escaped(&account->asked, e->text);
    const struct il_str parts[] = { z("asked for "), e->text };
    if (account->trace) note(account, IL__MARK_NONE, parts, 2);
}

/* The end: the step in progress took part in it unless the action was done. */
static void on_ended(struct il__account *account, const struct il_event *e)
{
    bool good = il__text_same(e->actual, "completed") || il__text_same(e->actual, "committed_unverified") ||
                il__text_same(e->actual, "previewed");
    if (!good && account->step.len && !account->refused) {
        account->failed = true;
        if (something(e->text)) note(account, IL__MARK_BAD, &e->text, 1);
    }
    il__account_flush(account);
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
    if (account->muted) return;
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
    case IL_EVENT_ENDED: on_ended(account, event); break;
    }
}
