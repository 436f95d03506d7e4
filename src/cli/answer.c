/* Answers as documents (answer.h). Uses look. */
#include "cli/answer.h"

#include "cli/look.h"

#include <string.h>

const char *il__answer_digest_name(struct il_str doc)
{
    return il__look_has(doc, "actionDigest") ? "actionDigest" : "proposalDigest";
}

bool il__answer_needs(struct il_str doc, bool of_runtime)
{
    struct il_str list = il__look_get(doc, "needs"), need;
    for (size_t at = 0; il__look_next(list, &at, NULL, &need);) {
        bool runtime = il__look_is(il__look_get(need, "kind"), "runtime");
        if (runtime && of_runtime && !il__text_same(il__look_get(need, "met"), "true")) return true;
        if (!runtime && !of_runtime) return true;
    }
    return false;
}

bool il__answer_undecided(struct il_str doc)
{
    struct il_str list = il__look_get(doc, "needs"), need;
    for (size_t at = 0; il__look_next(list, &at, NULL, &need);)
        if (il__text_same(il__look_get(need, "given"), "0")) return true;
    return false;
}

bool il__answer_wants_reason(struct il_str doc)
{
    struct il_str list = il__look_get(doc, "needs"), need;
    for (size_t at = 0; il__look_next(list, &at, NULL, &need);)
        if (il__text_same(il__look_get(need, "override"), "true")) return true;
    return false;
}

bool il__answer_is_digest(struct il_str doc, struct il_str typed)
{
    struct il__text digest = IL__TEXT_INIT;
    il__look_text(&digest, il__look_get(doc, il__answer_digest_name(doc)));
    size_t skip = digest.len > 7 && memcmp(digest.ptr, "sha256:", 7) == 0 ? 7 : 0;
    if (typed.len > 7 && memcmp(typed.ptr, "sha256:", 7) == 0) typed = (struct il_str){ typed.ptr + 7, typed.len - 7 };
    bool is = typed.len >= IL__DIGEST_START && digest.len >= skip + typed.len &&
              memcmp(digest.ptr + skip, typed.ptr, typed.len) == 0;
    il__text_clear(&digest);
    return is;
}

static void member(struct il__text *text, const char *name, struct il_str raw)
{
    if (!raw.ptr || il__text_same(raw, "null")) return;
    il__text_printf(text, "%s\"%s\":", text->len > 1 ? "," : "", name);
    il__text_str(text, raw);
}

static void quoted_member(struct il__text *text, const char *name, struct il_str value)
{
    struct il__text quoted = IL__TEXT_INIT;
    if (!value.len) return;
    il__text_json(&quoted, value);
    member(text, name, il__text_get(&quoted));
    il__text_clear(&quoted);
}

void il__answer_build(struct il__text *text, struct il_str doc, bool with_request, const char *decision,
                      struct il_str reason, const struct il__answer_runtime *runtime)
{
    bool approve = strcmp(decision, "approve") == 0;
    bool runtime_need = approve && !(runtime && runtime->left_out) && il__answer_needs(doc, true);
    il__text_puts(text, "{");
    if (with_request) member(text, "requestId", il__look_get(doc, "requestId"));
    member(text, "actionDigest", il__look_get(doc, "actionDigest"));
    member(text, "policyDigest", il__look_get(doc, "policyDigest"));
    if (!il__look_has(doc, "actionDigest")) member(text, "proposalDigest", il__look_get(doc, "proposalDigest"));
    if (runtime_need && runtime && runtime->grant_id)
        quoted_member(text, "grantId", il__text_of(runtime->grant_id));
    else if (runtime_need) member(text, "runtimeApproved", il__text_of("true"));
    if (!(runtime && runtime->only) && (il__answer_needs(doc, false) || !approve)) {
        quoted_member(text, "decision", il__text_of(decision));
        quoted_member(text, "reason", reason);
    }
    il__text_puts(text, "}");
}
