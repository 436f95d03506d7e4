/* Waits in words (wait_show.h). */
#include "cli/wait_show.h"

#include "cli/answer.h"
#include "cli/look.h"
#include "cli/moment.h"

#include <string.h>

/* ---- members ---- */

void il__wait_show_member(struct il__out *out, const char *name, struct il_str doc, const char *path)
{
    struct il__text text = IL__TEXT_INIT;
    il__look_text(&text, il__look_get(doc, path));
    if (text.len) il__out_pair(out, name, IL__TONE_PLAIN, il__text_get(&text));
    il__text_clear(&text);
}

/* One need in words: who must grant it, how many, why. */
static void show_need(struct il__out *out, struct il_str need)
{
    struct il__text line = IL__TEXT_INIT;
    struct il_str role = { NULL, 0 }, roles = il__look_get(need, "roles");
    bool runtime = il__look_is(il__look_get(need, "kind"), "runtime");
    if (runtime) {
        il__text_puts(&line, "the runtime wants an approval");
    } else {
        il__look_text(&line, il__look_get(need, "policy"));
        il__text_puts(&line, il__look_has(need, "approvers") ? " asks for " : " asks");
        il__look_text(&line, il__look_get(need, "approvers"));
        if (il__look_has(need, "approvers"))
            il__text_puts(&line, il__text_same(il__look_get(need, "approvers"), "1") ? " approver" : " approvers");
    }
    for (size_t at = 0, n = 0; il__look_next(roles, &at, NULL, &role); n++) {
        il__text_puts(&line, n ? ", " : " of role ");
        il__look_text(&line, role);
    }
    if (il__text_same(il__look_get(need, "override"), "true")) il__text_puts(&line, " with a reason");
    if (il__look_has(need, "reason")) {
        il__text_puts(&line, ": ");
        il__look_text(&line, il__look_get(need, "reason"));
    }
    il__out_pair(out, "needs", IL__TONE_PLAIN, il__text_get(&line));
    il__text_clear(&line);
}

/* The lines of the card, each behind a bar; a line that is too wide goes on below, indented. */
static void show_lines(struct il__out *out, struct il_str card)
{
    while (card.len) {
        struct il__text line = IL__TEXT_INIT;
        const char *end = memchr(card.ptr, '\n', card.len);
        size_t len = end ? (size_t)(end - card.ptr) : card.len;
        il__text_escaped(&line, (struct il_str){ card.ptr, len });
        il__out_wrap(out, "  | ", 6, IL__TONE_PLAIN, il__text_get(&line));
        il__text_clear(&line);
        len += end != NULL;
        card.ptr += len;
        card.len -= len;
    }
}

static void show_card(struct il__out *out, struct il_str doc)
{
    struct il__text card = IL__TEXT_INIT;
    il__look_text(&card, il__look_get(doc, "card"));
    il__out_puts(out, "\n");
    show_lines(out, il__text_get(&card));
    il__out_puts(out, "\n");
    il__text_clear(&card);
    il__text_puts(&card, "");
    il__look_text(&card, il__look_get(doc, "cardDigest"));
    il__out_pair(out, "card digest", IL__TONE_DIM, il__text_get(&card));
    il__text_clear(&card);
}

static void show_expiry(struct il__out *out, struct il_str doc, int64_t now)
{
    struct il__text text = IL__TEXT_INIT;
    il__look_text(&text, il__look_get(doc, "expiresAt"));
    int64_t expires = il__wall_read(il__text_get(&text));
    if (expires && now) {
        il__text_puts(&text, " (");
        il__countdown_text(&text, expires, now);
        il__text_puts(&text, ")");
    }
    il__out_pair(out, "expires", expires > now ? IL__TONE_PLAIN : IL__TONE_BAD, il__text_get(&text));
    il__text_clear(&text);
}

void il__wait_show(struct il__out *out, struct il_str doc, int64_t now)
{
    struct il_str need, needs = il__look_get(doc, "needs");
    show_card(out, doc);
    for (size_t at = 0; il__look_next(needs, &at, NULL, &need);) show_need(out, need);
    il__wait_show_member(out, "request", doc, "requestId");
    show_expiry(out, doc, now);
    il__wait_show_member(out, "action", doc, "actionDigest");
    il__wait_show_member(out, "policy", doc, "policyDigest");
    if (!il__look_has(doc, "actionDigest")) il__wait_show_member(out, "proposal", doc, "proposalDigest");
}

void il__wait_show_answer(struct il__out *out, struct il_str doc)
{
    struct il__text line = IL__TEXT_INIT;
    il__answer_build(&line, doc, false, "approve",
                     il__text_of(il__answer_wants_reason(doc) ? "say why" : NULL), NULL);
    il__out_puts(out, "\n");
    il__out_lines(out, "    ", il__text_get(&line));
    il__out_puts(out, "\n");
    il__text_clear(&line);
}
