/* Letters to the owner of a run (letters.h). A letter is gone with the record that it led to, never before. */
#include "run/letters.h"

#include "base/error.h"
#include "base/limits.h"
#include "run/record.h"

#include <string.h>

struct letter {
    struct il__buf body;
    char kind[16];
    uint64_t id, after;
    bool found;
};

static bool keep_first(void *ctx, const struct il__store_letter *in)
{
    struct letter *l = ctx;
    if (in->id <= l->after) return true; /* taken; it goes with its record */
    l->found = true;
    l->id = in->id;
    size_t len = in->kind.len < sizeof l->kind ? in->kind.len : sizeof l->kind - 1;
    memcpy(l->kind, in->kind.ptr, len);
    l->kind[len] = '\0';
    il__buf_str(&l->body, in->body);
    return false;
}

static struct il_str member(struct il__json *doc, const char *name)
{
    struct il_str text;
    uint32_t at = il__json_get(doc, 0, name);
    if (!at || il__json_kind(doc, at) != IL__JSON_STRING || il__json_string(doc, at, &text, NULL)) return IL_STR_NONE;
    return text;
}

/* {requestId, ..., decision} of the local operator, or {decision, signature, keyId} of an approver who signed. */
static enum il_code take_decision(struct il_run *run, struct il__json *doc, struct il_error *err)
{
    if (il__json_get(doc, 0, "signature")) {
        const struct il_decision signed_one = { .size = sizeof signed_one, .signed_json = doc->text };
        return il__run_decide(run, &signed_one, err);
    }
    const struct il_decision decision = {
        .size = sizeof decision,
        .request_id = member(doc, "requestId"),
        .action_digest = member(doc, "actionDigest"),
        .policy_digest = member(doc, "policyDigest"),
        .proposal_digest = member(doc, "proposalDigest"),
        .approver = member(doc, "approver"),
        .decision = member(doc, "decision"),
        .reason = member(doc, "reason"),
    };
    return il__run_decide(run, &decision, err);
}

static enum il_code take(struct il_run *run, const struct letter *l, struct il_error *err)
{
    struct il_str body = il__buf_get(&l->body), kind = il__str(l->kind);
    struct il__json doc = { 0 };
    if (il__str_eq(kind, IL_STR("answer"))) return il__run_answer(run, body, true, err);
    enum il_code code = il__json_parse(&doc, run->engine->mem, body, IL__JSON_CONTRACT, err);
    if (code) return code;
    if (il__str_eq(kind, IL_STR("decision"))) code = take_decision(run, &doc, err);
    else if (il__str_eq(kind, IL_STR("cancel"))) code = il__run_cancel(run, member(&doc, "reason"), err);
    else code = il__fail_at(err, IL_INVALID_REQUEST, "letter", "kind", "not an answer, a decision or a cancel");
    il__json_clear(&doc);
    return code;
}

/* False when there is none, or it cannot be taken now. */
static bool take_one(struct il_run *run)
{
    struct il__engine *e = run->engine;
    struct il_error err = IL_ERROR_INIT, local = IL_ERROR_INIT;
    struct letter l = { .after = run->last_letter };
    il__buf_init(&l.body, e->mem, IL__LIMIT_CONTRACT_BYTES);
    bool read = !e->store.ops->letters(e->store.self, il__str(run->id), keep_first, &l, &err);
    enum il_code kept = read && l.found ? il__buf_check(&l.body, &err) : IL_OK;
    bool whole = read && l.found && kept != IL_OUT_OF_MEMORY;
    if (whole) run->letter = run->last_letter = l.id;
    if (whole && !kept) (void)take(run, &l, &err); /* a larger one than a letter may be is none */
    if (run->letter) { /* nothing came of it: that is recorded, and it is gone */
        il__error_clear(&local);
        whole = !IL__NOTE(run, "letter", IL_STR_NONE, &local, IL__TEXT("kind", il__str(l.kind)),
                          IL__TEXT("why", il__str(err.message)));
        run->letter = 0;
    }
    if (!whole && l.found) e->look_again = true;
    if (!read) e->look_again = true;
    if (err.code) il__log(&e->log, IL_LOG_WARN, "run %s: a letter was not taken: %s", run->id, err.message);
    il__buf_clear(&l.body);
    return whole;
}

void il__letters_take(struct il_run *run)
{
    if (!run->engine->store.ops || !run->fence || run->letter || run->closed) return;
    int left = IL__LIMIT_DECISIONS;
    while (left && take_one(run)) left--;
    if (!left) run->engine->look_again = true; /* there may be more */
}

void il__letters_poll(struct il__engine *e)
{
    if (!e->store.ops || (!e->store.ops->changed(e->store.self) && !e->look_again)) return;
    e->look_again = false;
    for (struct il_run *run = e->runs; run; run = run->next) il__letters_take(run);
}

struct looking {
    struct il__mem *mem;
    bool found;
};

static bool says_no(struct il__json *doc, uint32_t parent)
{
    struct il_str word;
    uint32_t at = il__json_get(doc, parent, "decision");
    if (!at) return false;
    if (il__json_kind(doc, at) == IL__JSON_OBJECT) { /* what an approver signed */
        if (!(at = il__json_get(doc, at, "decision"))) return false;
    }
    if (il__json_kind(doc, at) != IL__JSON_STRING) return false;
    if (il__json_string(doc, at, &word, NULL)) return true; /* in doubt, yes */
    return il__str_eq(word, IL_STR("deny")) || il__str_eq(word, IL_STR("re-observe"));
}

/* However it is written; one that cannot be read says nothing, for who takes it either. */
static bool is_no(void *ctx, const struct il__store_letter *letter)
{
    const struct il__json_limits limits = { IL__LIMIT_CONTRACT_BYTES, IL__LIMIT_JSON_FREE_DEPTH };
    struct looking *look = ctx;
    struct il__json doc = { 0 };
    look->found = il__str_eq(letter->kind, IL_STR("cancel"));
    if (look->found) return false;
    enum il_code code = il__json_parse(&doc, look->mem, letter->body, limits, NULL);
    look->found = code ? code == IL_OUT_OF_MEMORY : says_no(&doc, 0);
    il__json_clear(&doc);
    return !look->found;
}

enum il_code il__letters_deny(const struct il_run *run, struct il_error *err)
{
    const struct il__store *store = &run->engine->store;
    struct looking look = { run->engine->mem, false };
    if (!store->ops || !run->fence) return IL_OK;
    enum il_code code = store->ops->letters(store->self, il__str(run->id), is_no, &look, err);
    if (code || !look.found) return code;
    return il__refuse(err, IL_APPROVAL_MISMATCH, "approval", "decision", IL_STR("no deny"),
                      IL_STR("one that was not read yet"));
}
