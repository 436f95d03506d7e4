/* Differences of trials as text (trial.h). Uses the documents of the library. Must never call a difference harmless. */
#include "cli/trial.h"

#include "cli/look.h"

static void part(struct il__text *text, struct il_str doc, const char *name)
{
    struct il__text raw = IL__TEXT_INIT;
    il__look_text(&raw, il__look_get(doc, name));
    il__text_escaped(text, il__text_get(&raw));
    il__text_clear(&raw);
}

static const char *change_words(struct il_str change)
{
    if (il__look_is(change, "denied")) return "denied";
    if (il__look_is(change, "asked")) return "asked for";
    if (il__look_is(change, "allowed")) return "let through";
    return "failed";
}

void il__trial_words(struct il__text *text, struct il_str difference)
{
    struct il_str change = il__look_get(difference, "change");
    part(text, difference, "phase");
    il__text_printf(text, " %s", change_words(change));
    if (il__look_has(difference, "enforced")) {
        il__text_puts(text, " (");
        part(text, difference, "enforced");
        il__text_puts(text, " -> ");
        part(text, difference, "trial");
        il__text_puts(text, ")");
    }
    if (!il__look_has(difference, "policy")) return;
    il__text_puts(text, il__look_is(change, "allowed") ? ", not by " : ", by ");
    part(text, difference, "policy");
    il__text_puts(text, " line ");
    part(text, difference, "line");
    if (!il__look_has(difference, "reason")) return;
    il__text_puts(text, ": ");
    part(text, difference, "reason");
}

void il__trial_show(struct il__out *out, struct il_str doc)
{
    struct il__text line = IL__TEXT_INIT;
    struct il_str first = { NULL, 0 }, phases = il__look_get(doc, "trial.phases");
    size_t at = 0;
    if (il__look_next(phases, &at, NULL, &first)) {
        struct il__text count = IL__TEXT_INIT;
        il__trial_words(&line, first);
        il__look_text(&count, il__look_get(doc, "trial.differs"));
        if (!(count.len == 1 && count.ptr[0] == '1')) {
            il__text_puts(&line, " (of ");
            il__text_str(&line, il__text_get(&count));
            il__text_puts(&line, " differences)");
        }
        il__out_pair(out, "on trial", IL__TONE_OPEN, il__text_get(&line));
        il__text_clear(&count);
    }
    il__text_clear(&line);
}
