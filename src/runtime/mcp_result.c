/* The result of a tools/call (MCP 2025-11-25, "Tool Result"): its structured content, or the JSON of its last text
 * block, and its two ways to say no. Pure. Must never take an earlier block for the answer: what stands on a desktop
 * comes before it. */
#include "runtime/mcp.h"

#include "base/buf.h"
#include "base/error.h"

static uint32_t member(const struct il__json *doc, uint32_t at, const char *name)
{
    uint32_t node = il__json_get(doc, at, name);
    return node && il__json_kind(doc, node) != IL__JSON_NULL ? node : 0;
}

static enum il_code text_member(struct il__json *doc, uint32_t at, const char *name, struct il_str *out,
                                struct il_error *err)
{
    uint32_t node = member(doc, at, name);
    if (!node || il__json_kind(doc, node) != IL__JSON_STRING) return IL_OK;
    return il__json_string(doc, node, out, err);
}

/* The text node of the last text block; 0: there is none. */
static enum il_code last_text(const struct il__json *doc, uint32_t result, uint32_t *out, struct il_error *err)
{
    uint32_t content = member(doc, result, "content");
    *out = 0;
    if (!content) return IL_OK;
    if (il__json_kind(doc, content) != IL__JSON_ARRAY) return il__fail(err, IL_DECODE, "content is no array");
    for (uint32_t at = il__json_first(doc, content); at; at = il__json_next(doc, content, at)) {
        uint32_t type = il__json_kind(doc, at) == IL__JSON_OBJECT ? il__json_get(doc, at, "type") : 0;
        if (!type || il__json_kind(doc, type) != IL__JSON_STRING)
            return il__fail(err, IL_DECODE, "a block of content has no type");
        if (!il__str_eq(il__json_raw(doc, type), IL_STR("\"text\""))) continue;
        uint32_t text = il__json_get(doc, at, "text");
        if (!text || il__json_kind(doc, text) != IL__JSON_STRING)
            return il__fail(err, IL_DECODE, "a text block has no text");
        *out = text;
    }
    return IL_OK;
}

/* Reads the text into `text_doc` when it is one JSON object. It stands there in brackets, so that its node is not 0. */
static enum il_code parse_text(struct il__mem *mem, const struct il__json *doc, uint32_t text,
                               struct il__mcp_tool_result *out, struct il_error *err)
{
    struct il__buf buf;
    struct il_error why = IL_ERROR_INIT;
    size_t room = doc->nodes[text].len;
    il__buf_init(&buf, mem, 0);
    il__buf_putc(&buf, '[');
    char *to = il__buf_reserve(&buf, room);
    if (to) il__buf_commit(&buf, il__json_unescape(doc, text, to));
    il__buf_putc(&buf, ']');
    enum il_code code = il__buf_check(&buf, err);
    struct il_str json = il__buf_get(&buf);
    if (!code && json.len > 2 && json.ptr[1] == '{') {
        const struct il__json_limits limits = { IL__LIMIT_RESULT_BYTES + 2, 512 };
        code = il__json_parse_copy(&out->text_doc, mem, json, limits, &why);
        if (code == IL_OUT_OF_MEMORY) (void)il__fail(err, code, "no memory for a tool result");
        else code = IL_OK; /* no JSON: a text */
        if (out->text_doc.count && out->text_doc.nodes[0].count == 1) {
            out->doc = &out->text_doc;
            out->content = 1;
        }
    }
    il__buf_clear(&buf);
    return code;
}

static enum il_code read_failed(struct il__json *doc, uint32_t result, bool *failed, struct il_error *err)
{
    uint32_t is_error = member(doc, result, "isError");
    enum il__json_kind kind = is_error ? il__json_kind(doc, is_error) : IL__JSON_FALSE;
    *failed = kind == IL__JSON_TRUE;
    if (kind != IL__JSON_TRUE && kind != IL__JSON_FALSE) return il__fail(err, IL_DECODE, "isError is no boolean");
    return IL_OK;
}

static enum il_code read_content(struct il__mem *mem, struct il__json *doc, uint32_t result,
                                 struct il__mcp_tool_result *out, struct il_error *err)
{
    uint32_t text = 0;
    uint32_t structured = member(doc, result, "structuredContent");
    if (structured && il__json_kind(doc, structured) != IL__JSON_OBJECT)
        return il__fail(err, IL_DECODE, "structuredContent is no object");
    enum il_code code = last_text(doc, result, &text, err);
    if (code) return code;
    if (text && (!out->ok || !structured) && (code = il__json_string(doc, text, &out->message, err))) return code;
    if (!structured) return text ? parse_text(mem, doc, text, out, err) : IL_OK;
    out->doc = doc;
    out->content = structured;
    return IL_OK;
}

enum il_code il__mcp_tool_result(struct il__mem *mem, struct il__json *doc, uint32_t result,
                                 struct il__mcp_tool_result *out, struct il_error *err)
{
    bool failed = false;
    memset(out, 0, sizeof *out);
    out->reason = out->message = IL_STR("");
    enum il_code code = read_failed(doc, result, &failed, err);
    out->ok = !failed;
    if (!code) code = read_content(mem, doc, result, out, err);
    if (!code && failed && out->content) code = text_member(out->doc, out->content, "error", &out->reason, err);
    if (!code && failed && out->content) code = text_member(out->doc, out->content, "message", &out->message, err);
    if (code) il__mcp_tool_result_clear(out);
    return code;
}

void il__mcp_tool_result_clear(struct il__mcp_tool_result *result)
{
    if (!result) return;
    if (result->text_doc.mem) il__json_clear(&result->text_doc);
    memset(result, 0, sizeof *result);
}
