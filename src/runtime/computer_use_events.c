/* What the session's events tell of one action, page by page. A session's reading goes on where the last one ended;
 * when the action is not found there, or the server may have started over, it begins at 0 again. Must never take the
 * event of another session or action for ours. */
#include "runtime/computer_use_inside.h"

#include "base/error.h"
#include "base/limits.h"
#include "contract/session.h"

enum { PAGE_EVENTS = 1000 };

/* ---- where the last reading ended ---- */

static struct il__cu_cursor *cursor_of(struct il__computer_use *cu, struct il_str session_id)
{
    for (size_t i = 0; i < IL__CU_CURSORS; i++)
        if (cu->cursors[i].cap && il__str_eq(cu->cursors[i].session_id, session_id)) return &cu->cursors[i];
    return NULL;
}

static void cursor_clear(struct il__computer_use *cu, struct il__cu_cursor *cursor)
{
    il__mem_free(cu->mem, (void *)(uintptr_t)cursor->session_id.ptr, cursor->cap);
    memset(cursor, 0, sizeof *cursor);
}

void il__cu_cursors_clear(struct il__computer_use *cu)
{
    for (size_t i = 0; i < IL__CU_CURSORS; i++) cursor_clear(cu, &cu->cursors[i]);
}

/* Without memory the next reading begins at 0. */
static void cursor_set(struct il__computer_use *cu, struct il_str session_id, int64_t after)
{
    struct il__cu_cursor *cursor = cursor_of(cu, session_id);
    if (!cursor) {
        cursor = &cu->cursors[cu->next_cursor++ % IL__CU_CURSORS];
        cursor_clear(cu, cursor);
        char *text = il__mem_alloc(cu->mem, session_id.len);
        if (!text) return;
        memcpy(text, session_id.ptr, session_id.len);
        cursor->session_id = (struct il_str){ text, session_id.len };
        cursor->cap = session_id.len;
    }
    cursor->after = after;
}

/* ---- asking ---- */

static enum il_code ask_page(struct il__cu_op *op, struct il_error *err)
{
    struct il__json_writer w;
    op->tool = "get_session_events";
    op->stage = IL__CU_READ;
    il__buf_reset(&op->args);
    il__jw_init(&w, &op->args);
    il__jw_object(&w);
    il__jw_member_str(&w, "session_id", op->session_id);
    il__jw_member_int(&w, "after_sequence", op->story.after);
    il__jw_member_int(&w, "limit", PAGE_EVENTS);
    il__jw_object_end(&w);
    return il__buf_check(&op->args, err);
}

enum il_code il__cu_read_begin(struct il__cu_op *op, bool from_start, struct il_error *err)
{
    struct il__cu_cursor *cursor = cursor_of(op->cu, op->session_id);
    struct il__buf verified = op->story.verified;
    if (il__mcp_generation(op->cu->mcp) != op->cu->generation) {
        op->cu->generation = il__mcp_generation(op->cu->mcp);
        il__cu_cursors_clear(op->cu);
        cursor = NULL;
    }
    il__buf_reset(&verified);
    op->story = (struct il__cu_story){ .verified = verified };
    op->story.after = cursor && !from_start ? cursor->after : 0;
    op->story.from_start = op->story.after == 0;
    return ask_page(op, err);
}

/* ---- telling ---- */

static struct il_str payload_text(const struct il__event *event, const char *name)
{
    return event->payload.doc ? il__cu_text(event->payload.doc, event->payload.at, name) : IL_STR_NONE;
}

static enum il_code tell_end(struct il__cu_op *op, const struct il__event *event, const char *status)
{
    struct il__cu_story *story = &op->story;
    story->end = status;
    enum il_code code = il__arena_str(&op->arena, payload_text(event, "receiptId"), &story->receipt_id);
    if (!code) code = il__arena_str(&op->arena, payload_text(event, "code"), &story->code);
    return code ? code : il__arena_str(&op->arena, event->at, &story->at);
}

static void tell_verified(struct il__cu_op *op, const struct il__event *event, struct il_str raw)
{
    struct il__cu_story *story = &op->story;
    uint32_t node = event->payload.doc ? il__json_get(event->payload.doc, event->payload.at, "verified") : 0;
    if (!node) return;
    if (il__json_kind(event->payload.doc, node) == IL__JSON_FALSE) story->denied = true;
    if (story->verified.len) il__buf_putc(&story->verified, ',');
    il__buf_str(&story->verified, raw);
}

static enum il_code tell(struct il__cu_op *op, const struct il__event *event, struct il_str raw)
{
    static const struct { const char *type, *status; } ends[] = {
        { "action.committed", "committed" }, { "action.rejected", "rejected" },
        { "action.interrupted", "interrupted" }, { "action.indeterminate", "indeterminate" },
    };
    struct il__cu_story *story = &op->story;
    if (il__str_eq(event->type, IL_STR("session.recovered"))) story->recovered = story->recovered || story->previewed;
    if (!il__str_present(event->action_id) || !il__str_eq(event->action_id, op->action_id)) return IL_OK;
    if (il__str_eq(event->type, IL_STR("action.previewed"))) story->previewed = true;
    if (il__str_eq(event->type, IL_STR("action.started"))) story->started = true;
    if (il__str_eq(event->type, IL_STR("action.verified"))) tell_verified(op, event, raw);
    if (il__str_eq(event->type, IL_STR("action.approval_required")))
        return il__arena_str(&op->arena, payload_text(event, "actionDigest"), &story->digest);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (il__str_eq(event->type, il__str(ends[i].type))) return tell_end(op, event, ends[i].status);
    return IL_OK;
}

static enum il_code take_event(struct il__cu_op *op, struct il__json *doc, uint32_t node, struct il_error *err)
{
    struct il__event event;
    enum il_code code = il__decode(&il__event_schema, doc, node, &event, err);
    if (code) return code;
    if (!il__str_eq(event.session_id, op->session_id))
        return il__refuse(err, IL_IDENTITY_MISMATCH, "session event", "session_id", op->session_id, event.session_id);
    if (event.sequence <= op->story.after)
        return il__fail_at(err, IL_DECODE, "session event", "sequence", "events do not go forwards");
    op->story.after = event.sequence;
    code = tell(op, &event, il__json_raw(doc, node));
    return code ? il__fail(err, code, "no memory for an event") : IL_OK;
}

enum il_code il__cu_read_page(struct il__cu_op *op, struct il__json *doc, uint32_t content, bool *more,
                              struct il_error *err)
{
    uint32_t events = content ? il__json_get(doc, content, "events") : 0;
    uint32_t count = 0;
    *more = false;
    if (!events || il__json_kind(doc, events) != IL__JSON_ARRAY)
        return il__fail_at(err, IL_DECODE, "session events", "events", "the answer holds no events");
    for (uint32_t at = il__json_first(doc, events); at; at = il__json_next(doc, events, at)) {
        enum il_code code = take_event(op, doc, at, err);
        if (code) return code;
        count++;
    }
    enum il_code code = il__buf_check(&op->story.verified, err);
    if (code) return code;
    cursor_set(op->cu, op->session_id, op->story.after);
    if (count < PAGE_EVENTS) return IL_OK;
    if (++op->story.pages >= IL__LIMIT_EVENT_PAGES)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "session events", "event_pages", "more than %d pages of events",
                           IL__LIMIT_EVENT_PAGES);
    *more = true;
    return ask_page(op, err);
}
