/* The read-back of a verify: an observation of our own, in mode shadow, of what a postcondition declares, and its
 * digest computed here over the bytes that were told. Asks find_element and the reading modes of filesystem alone.
 *
 * Must never take what may be cut, masked, normalised, ambiguous or missing for evidence, must never ask for anything
 * that acts, and must never let the value itself out: only its digest goes into the answer. */
#include "runtime/computer_use_inside.h"

#include "base/error.h"
#include "base/limits.h"
#include "contract/postcondition.h"

#include <strings.h>

enum { MATCHES_MAX = 10, MASK_BYTES = 3, SHORT_WORD = 3 };

static const char REPLACED[] = "\xEF\xBF\xBD", ELLIPSIS[] = "\xE2\x80\xA6"; /* U+FFFD, U+2026 */

/* ---- what there is to read ---- */

static void plan_element(struct il__cu_op *op, const struct il__postcondition *pc)
{
    const struct il__cu_kept *kept = il__cu_kept_of(op->cu, op->action_id);
    struct il__cu_look *look = &op->look;
    if (pc->exists && !il__str_present(pc->value_digest)) return;
    if (!kept || kept->window_id < 0) {
        look->why = "the action has no window to look into";
        return;
    }
    look->window_id = kept->window_id;
    if (il__arena_str(&op->arena, pc->role, &look->role) || il__arena_str(&op->arena, pc->label, &look->label)) return;
    look->kind = pc->exists ? IL__CU_LOOK_VALUE : IL__CU_LOOK_NO_ELEMENT;
}

/* A name that a listing shows as it is: another spelling of it may be the same file. */
static bool plain_name(struct il_str name)
{
    bool dots = il__str_eq(name, IL_STR(".")) || il__str_eq(name, IL_STR(".."));
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] < ' ' || name.ptr[i] > '~') return false;
    return name.len > 0 && !dots;
}

static void plan_file(struct il__cu_op *op, const struct il__postcondition *pc)
{
    struct il__cu_look *look = &op->look;
    if (pc->exists && !il__str_present(pc->content_digest)) return;
    if (il__arena_str(&op->arena, pc->path, &look->path)) return;
    if (pc->exists) {
        look->kind = IL__CU_LOOK_CONTENT;
        return;
    }
    const char *slash = pc->path.len ? memrchr(look->path.ptr, '/', look->path.len) : NULL;
    look->why = "the name of the path cannot be told from others in a listing";
    if (!slash || look->path.ptr[0] != '/') return;
    size_t parent = (size_t)(slash - look->path.ptr);
    look->name = (struct il_str){ slash + 1, look->path.len - parent - 1 };
    if (!plain_name(look->name)) return;
    look->path.len = parent ? parent : 1;
    look->why = NULL;
    look->kind = IL__CU_LOOK_NO_FILE;
}

void il__cu_look_plan(struct il__cu_op *op, struct il__json *body)
{
    struct il__postcondition pc;
    uint32_t node = il__json_get(body, 0, "postcondition");
    if (!op->cu->read_back || !node || il__json_kind(body, node) != IL__JSON_OBJECT) return;
    if (il__decode(&il__postcondition_schema, body, node, &pc, NULL)) return;
    if (pc.kind == IL__PC_UI_ELEMENT) plan_element(op, &pc);
    if (pc.kind == IL__PC_FILESYSTEM) plan_file(op, &pc);
}

/* ---- asking ---- */

static void put_element(struct il__json_writer *w, const struct il__cu_look *look)
{
    il__jw_member_int(w, "window_id", look->window_id);
    il__jw_member_str(w, "role", look->role);
    il__jw_member_str(w, "label", look->label);
    il__jw_member_int(w, "max_results", MATCHES_MAX);
}

static void put_file(struct il__json_writer *w, const struct il__cu_op *op)
{
    bool list = op->stage == IL__CU_LIST;
    il__jw_member_z(w, "mode", list ? "list" : op->stage == IL__CU_INFO ? "info" : "read");
    il__jw_member_str(w, "path", op->look.path);
    if (list) il__jw_member_bool(w, "show_hidden", true);
}

static enum il_code ask(struct il__cu_op *op, enum il__cu_stage stage, struct il_error *err)
{
    struct il__json_writer w;
    op->stage = stage;
    op->tool = "execute_action";
    enum il_code code = il__cu_uuid(op->cu, op->look.id, err);
    if (code) return code;
    il__buf_reset(&op->args);
    il__jw_init(&w, &op->args);
    il__jw_object(&w);
    il__jw_member_str(&w, "session_id", op->session_id);
    il__jw_member_z(&w, "action_id", op->look.id);
    il__jw_member_z(&w, "tool", stage == IL__CU_FIND ? "find_element" : "filesystem");
    il__jw_member_z(&w, "mode", "shadow");
    il__jw_key(&w, "arguments");
    il__jw_object(&w);
    if (stage == IL__CU_FIND) put_element(&w, &op->look);
    else put_file(&w, op);
    il__jw_object_end(&w);
    il__jw_object_end(&w);
    return il__buf_check(&op->args, err);
}

static void done(struct il__cu_op *op, const char *why)
{
    op->look.kind = IL__CU_LOOK_NOTHING;
    op->look.why = why;
    il__cu_verify_answer(op);
}

static void next(struct il__cu_op *op, enum il__cu_stage stage)
{
    struct il_error err = IL_ERROR_INIT;
    if (ask(op, stage, &err)) done(op, "the read-back could not be asked for");
    else il__cu_op_again(op, 0);
}

void il__cu_look_begin(struct il__cu_op *op)
{
    switch (op->look.kind) {
    case IL__CU_LOOK_VALUE:
    case IL__CU_LOOK_NO_ELEMENT: next(op, IL__CU_FIND); break;
    case IL__CU_LOOK_CONTENT: next(op, IL__CU_INFO); break;
    case IL__CU_LOOK_NO_FILE: next(op, IL__CU_LIST); break;
    case IL__CU_LOOK_NOTHING: il__cu_verify_answer(op); break;
    }
}

/* ---- what was told ---- */

static bool is_true_or_odd(struct il__json *doc, uint32_t at, const char *name)
{
    uint32_t node = il__json_get(doc, at, name);
    return node && il__json_kind(doc, node) != IL__JSON_FALSE && il__json_kind(doc, node) != IL__JSON_NULL;
}

/* A text whose bytes are those that the server holds; false: it is none, or something in it was replaced. */
static bool exact_text(struct il__json *doc, uint32_t at, struct il_str *out)
{
    if (!at || il__json_kind(doc, at) != IL__JSON_STRING) return false;
    if (il__json_at(doc, at)->flags & (IL__JSON_NUL | IL__JSON_SURROGATE)) return false;
    if (il__json_string(doc, at, out, NULL) || out->len > IL__LIMIT_READ_BACK_BYTES) return false;
    return !out->len || !memmem(out->ptr, out->len, REPLACED, sizeof REPLACED - 1);
}

/* The one text block of an observation that was ours and was made now. */
static const char *told_text(struct il__cu_op *op, const struct il__mcp_tool_result *r, struct il_str *out)
{
    uint32_t receipt = r->content ? il__json_get(r->doc, r->content, "receipt") : 0;
    uint32_t replay = r->content ? il__json_get(r->doc, r->content, "replay") : 0;
    if (!r->ok || !receipt || !replay || il__json_kind(r->doc, replay) != IL__JSON_FALSE)
        return "the server could not look";
    if (!il__str_eq(il__cu_text(r->doc, receipt, "actionId"), il__str(op->look.id)) ||
        !il__str_eq(il__cu_text(r->doc, receipt, "sessionId"), op->session_id) ||
        !il__str_eq(il__cu_text(r->doc, receipt, "status"), IL_STR("committed")))
        return "the receipt is of another observation";
    uint32_t result = il__json_get(r->doc, receipt, "result");
    uint32_t content = result ? il__json_get(r->doc, result, "content") : 0;
    uint32_t block = content ? il__json_first(r->doc, content) : 0;
    if (!block || il__json_at(r->doc, content)->count != 1 || is_true_or_odd(r->doc, result, "isError") ||
        !il__str_eq(il__cu_text(r->doc, block, "type"), IL_STR("text")))
        return "the observation came back without its result";
    if (is_true_or_odd(r->doc, result, "truncated") || is_true_or_odd(r->doc, block, "truncated"))
        return "what was read is cut";
    if (!exact_text(r->doc, il__json_get(r->doc, block, "text"), out))
        return "what was read is too long, or not the bytes as they are";
    return NULL;
}

static void take_digest(struct il__cu_op *op, struct il_str value)
{
    memcpy(op->look.digest, "sha256:", 7);
    il__sha256_hex(op->cu->digest, value, op->look.digest + 7);
    done(op, "read back");
}

/* ---- elements ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Short words count as words alone: "Shipping" asks for no PIN. */
static bool holds_word(struct il_str text, const char *word)
{
    size_t len = strlen(word);
    for (size_t i = 0; i + len <= text.len; i++) {
        if (strncasecmp(text.ptr + i, word, len) != 0) continue;
        bool apart = (i == 0 || !is_letter(text.ptr[i - 1])) && (i + len == text.len || !is_letter(text.ptr[i + len]));
        if (apart || len > SHORT_WORD) return true;
    }
    return false;
}

static bool names_secret(struct il_str text)
{
    static const char *const words[] = { "passw", "passcode", "passphrase", "secure", "secret", "credential", "otp",
                                         "one-time", "one time", "onetime", "api key", "apikey", "pin", "cvv", "cvc",
                                         "token" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (holds_word(text, words[i])) return true;
    return false;
}

static bool is_sensitive(struct il__json *doc, uint32_t element)
{
    uint32_t signals = il__json_get(doc, element, "sensitivitySignals");
    if (is_true_or_odd(doc, element, "sensitive")) return true;
    if (signals && (il__json_kind(doc, signals) != IL__JSON_ARRAY || il__json_at(doc, signals)->count)) return true;
    return names_secret(il__cu_text(doc, element, "role")) || names_secret(il__cu_text(doc, element, "label"));
}

/* Only bullets, discs or asterisks: what stands for a value that is not shown. */
static bool is_masked(struct il_str value)
{
    size_t i = 0;
    while (i < value.len) {
        bool wide = value.len - i >= MASK_BYTES && (memcmp(value.ptr + i, "\xE2\x80\xA2", MASK_BYTES) == 0 ||
                                                    memcmp(value.ptr + i, "\xE2\x97\x8F", MASK_BYTES) == 0);
        if (!wide && value.ptr[i] != '*') return false;
        i += wide ? MASK_BYTES : 1;
    }
    return value.len > 0;
}

static bool is_cut(struct il_str value)
{
    size_t len = sizeof ELLIPSIS - 1;
    return value.len >= len && memcmp(value.ptr + value.len - len, ELLIPSIS, len) == 0;
}

static bool matches(const struct il__cu_look *look, struct il__json *doc, uint32_t element)
{
    if (il__json_kind(doc, element) != IL__JSON_OBJECT) return false;
    if (il__str_present(look->role) && !il__str_eq(il__cu_text(doc, element, "role"), look->role)) return false;
    return !il__str_present(look->label) || il__str_eq(il__cu_text(doc, element, "label"), look->label);
}

static void take_value(struct il__cu_op *op, struct il__json *doc, uint32_t element)
{
    struct il_str value;
    if (is_sensitive(doc, element)) {
        done(op, "the element is a sensitive one");
    } else if (is_true_or_odd(doc, element, "truncated") || is_true_or_odd(doc, element, "valueTruncated")) {
        done(op, "what was read is cut");
    } else if (!exact_text(doc, il__json_get(doc, element, "value"), &value)) {
        done(op, "the element shows no value, or not the bytes as they are");
    } else if (is_masked(value) || is_cut(value)) {
        done(op, "the value is masked or cut");
    } else {
        take_digest(op, value);
    }
}

/* That none is found proves nothing: a tree may be shown in part. */
static void take_elements(struct il__cu_op *op, struct il__json *doc)
{
    uint32_t found = 0, count = 0;
    if (il__json_kind(doc, 0) != IL__JSON_ARRAY) {
        done(op, "the answer is no list of elements");
        return;
    }
    for (uint32_t at = il__json_first(doc, 0); at; at = il__json_next(doc, 0, at)) {
        if (!matches(&op->look, doc, at)) continue;
        found = at;
        count++;
    }
    if (op->look.kind == IL__CU_LOOK_NO_ELEMENT) {
        op->look.contradicted = count > 0;
        done(op, count ? "the element is there" : "that no element is found proves nothing");
    } else if (il__json_at(doc, 0)->count >= MATCHES_MAX) {
        done(op, "there may be more elements than were told");
    } else if (count != 1) {
        done(op, count ? "more than one element matches" : "no element matches");
    } else {
        take_value(op, doc, found);
    }
}

/* ---- files ---- */

static void take_info(struct il__cu_op *op, struct il__json *doc)
{
    uint32_t size = il__json_get(doc, 0, "size");
    bool own = il__str_eq(il__cu_text(doc, 0, "path"), op->look.path);
    bool file = il__str_eq(il__cu_text(doc, 0, "type"), IL_STR("file"));
    if (!own || !file || !size || !il__json_int(doc, size, &op->look.size) || op->look.size < 0)
        done(op, "the path is not told as a file");
    else if (op->look.size > IL__LIMIT_READ_BACK_BYTES) done(op, "the file is too long");
    else next(op, IL__CU_CONTENT);
}

/* Bytes that are no UTF-8 come back as others, and of another length. */
static void take_content(struct il__cu_op *op, struct il_str text)
{
    if ((int64_t)text.len != op->look.size) done(op, "what was read is not as long as the file");
    else take_digest(op, text);
}

/* A listing is complete: a name that it does not hold, in whatever case, is not there. */
static void take_listing(struct il__cu_op *op, struct il_str text)
{
    bool empty = il__str_eq(text, IL_STR("(empty)")), alike = false, same = false;
    const char *at = text.ptr, *end = text.ptr + text.len;
    while (!empty && at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        struct il_str line = { at, (size_t)((line_end ? line_end : end) - at) };
        if (line.len < 3 || (line.ptr[0] != 'f' && line.ptr[0] != 'd') || line.ptr[1] != ' ') break;
        const struct il_str name = { line.ptr + 2, line.len - 2 };
        same = same || il__str_eq(name, op->look.name);
        alike = alike || (name.len == op->look.name.len && strncasecmp(name.ptr, op->look.name.ptr, name.len) == 0);
        at = line_end ? line_end + 1 : end;
    }
    if (!empty && (at < end || !text.len)) {
        done(op, "the listing cannot be read");
        return;
    }
    op->look.contradicted = same;
    op->look.proved = !alike;
    done(op, same ? "the file is there" : alike ? "a file of like name is there" : "read back");
}

/* ---- every answer ---- */

static void take_json(struct il__cu_op *op, struct il_str text)
{
    struct il__json doc = { 0 };
    if (il__json_parse(&doc, op->cu->mem, text, IL__JSON_PAYLOAD, NULL)) done(op, "what was read cannot be read");
    else if (op->stage == IL__CU_INFO) take_info(op, &doc);
    else take_elements(op, &doc);
    il__json_clear(&doc);
}

void il__cu_look_heard(struct il__cu_op *op, const struct il__mcp_answer *answer)
{
    struct il__mcp_tool_result result = { 0 };
    struct il_str text = IL_STR_NONE;
    const char *why = "the read-back was not answered";
    if (!answer->code) {
        enum il_code code = il__mcp_tool_result(op->cu->mem, answer->doc, answer->result, &result, NULL);
        why = code ? "the answer cannot be read" : told_text(op, &result, &text);
    }
    if (why) done(op, why);
    else if (op->stage == IL__CU_CONTENT) take_content(op, text);
    else if (op->stage == IL__CU_LIST) take_listing(op, text);
    else take_json(op, text);
    il__mcp_tool_result_clear(&result);
}
