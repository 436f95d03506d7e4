/* tools/list over all its pages. One request at a time, through il__mcp_begin as anybody's. Bounded in pages, tools,
 * cursor and time; a cursor that comes again ends it. */
#include "runtime/mcp_engine.h"

#include "base/error.h"
#include "wire/json_write.h"

struct lister {
    struct il__mcp *mcp;
    il__mcp_tool tool;
    il__mcp_done done;
    void *ctx;
    struct il__arena arena;
    struct il_str cursors[IL__LIMIT_MCP_PAGES]; /* those asked with; the last is the one in flight */
    uint32_t pages, tools;
    int64_t until_ms;
};

static void lister_free(void *ctx)
{
    struct lister *l = ctx;
    struct il__mem *mem = l->mcp->mem;
    il__arena_clear(&l->arena);
    il__mem_free(mem, l, sizeof *l);
}

static void page(void *ctx, const struct il__mcp_answer *answer);

static enum il_code ask(struct lister *l, struct il_str cursor, struct il_error *err)
{
    struct il__buf params;
    struct il__json_writer w;
    uint64_t id;
    int64_t left = l->until_ms - il__mcp_now_ms(l->mcp);
    if (left <= 0) return il__fail(err, IL_TIMEOUT, "tools/list has too many slow pages");
    il__buf_init(&params, l->mcp->mem, IL__LIMIT_MCP_MESSAGE_BYTES);
    il__jw_init(&w, &params);
    il__jw_object(&w);
    il__jw_member_str(&w, "cursor", cursor);
    il__jw_object_end(&w);
    const struct il__mcp_request request = { .method = "tools/list", .params = il__buf_get(&params),
                                             .hard_ms = (uint32_t)left, .done = page, .ctx = l };
    enum il_code code = il__buf_check(&params, err);
    if (!code) code = il__mcp_begin(l->mcp, &request, &id, err);
    il__buf_clear(&params);
    if (!code) il__mcp_entry_find(l->mcp, id)->drop = lister_free;
    return code;
}

static enum il_code tell_tools(struct lister *l, struct il__json *doc, uint32_t result, struct il_error *err)
{
    uint32_t tools = il__json_get(doc, result, "tools");
    if (!tools || il__json_kind(doc, tools) != IL__JSON_ARRAY)
        return il__fail(err, IL_DECODE, "the answer to tools/list has no tools");
    for (uint32_t at = il__json_first(doc, tools); at; at = il__json_next(doc, tools, at)) {
        struct il_str text;
        uint32_t name = il__json_kind(doc, at) == IL__JSON_OBJECT ? il__json_get(doc, at, "name") : 0;
        if (!name || il__json_kind(doc, name) != IL__JSON_STRING)
            return il__fail(err, IL_DECODE, "a tool of tools/list has no name");
        if (++l->tools > IL__LIMIT_MCP_TOOLS)
            return il__fail(err, IL_LIMIT_EXCEEDED, "the server has more than %d tools", IL__LIMIT_MCP_TOOLS);
        enum il_code code = il__json_string(doc, name, &text, err);
        if (code) return code;
        l->tool(l->ctx, text, doc, at);
    }
    return IL_OK;
}

/* The cursor of the next page; absent at the end. An empty one is a cursor as any other, but some servers close every
 * page with it: when it comes again, that was the end. */
static enum il_code next_cursor(struct lister *l, struct il__json *doc, uint32_t result, struct il_str *out,
                                struct il_error *err)
{
    struct il_str text;
    uint32_t node = il__json_get(doc, result, "nextCursor");
    *out = IL_STR_NONE;
    if (!node || il__json_kind(doc, node) == IL__JSON_NULL) return IL_OK;
    if (il__json_kind(doc, node) != IL__JSON_STRING) return il__fail(err, IL_DECODE, "nextCursor is no string");
    enum il_code code = il__json_string(doc, node, &text, err);
    if (code) return code;
    if (text.len > IL__LIMIT_MCP_CURSOR_BYTES)
        return il__fail(err, IL_LIMIT_EXCEEDED, "a cursor of more than %d bytes", IL__LIMIT_MCP_CURSOR_BYTES);
    for (uint32_t i = 0; i < l->pages; i++) {
        if (!il__str_eq(l->cursors[i], text)) continue;
        return text.len ? il__fail(err, IL_DECODE, "the server's pages of tools go round in a circle") : IL_OK;
    }
    if (l->pages == IL__LIMIT_MCP_PAGES)
        return il__fail(err, IL_LIMIT_EXCEEDED, "more than %d pages of tools", IL__LIMIT_MCP_PAGES);
    if ((code = il__arena_str(&l->arena, text, &l->cursors[l->pages])))
        return il__fail(err, code, "no memory for a cursor");
    *out = l->cursors[l->pages++];
    return IL_OK;
}

static void end(struct lister *l, const struct il__mcp_answer *answer)
{
    il__mcp_done done = l->done;
    void *ctx = l->ctx;
    lister_free(l);
    done(ctx, answer);
}

static void page(void *ctx, const struct il__mcp_answer *answer)
{
    struct lister *l = ctx;
    struct il_error err = IL_ERROR_INIT;
    struct il_str cursor = IL_STR_NONE;
    if (answer->code) {
        end(l, answer);
        return;
    }
    enum il_code code = tell_tools(l, answer->doc, answer->result, &err);
    if (!code) code = next_cursor(l, answer->doc, answer->result, &cursor, &err);
    if (!code && !il__str_present(cursor)) {
        end(l, answer);
        return;
    }
    if (!code) code = ask(l, cursor, &err);
    if (!code) return;
    const struct il__mcp_answer wrong = { .code = code, .sent = true, .message = il__str(err.message) };
    end(l, &wrong);
}

enum il_code il__mcp_list_tools(struct il__mcp *mcp, il__mcp_tool tool, il__mcp_done done, void *ctx,
                                struct il_error *err)
{
    struct lister *l = il__mem_zalloc(mcp->mem, 1, sizeof *l);
    if (!l) return il__fail(err, IL_OUT_OF_MEMORY, "no memory to list tools");
    l->mcp = mcp;
    l->tool = tool;
    l->done = done;
    l->ctx = ctx;
    l->until_ms = il__mcp_now_ms(mcp) + IL__LIMIT_MCP_HARD_TIMEOUT_MS;
    il__arena_init(&l->arena, mcp->mem);
    enum il_code code = ask(l, IL_STR_NONE, err);
    if (code) lister_free(l);
    return code;
}
