/* What a tools/call came to, from its result. */
#include "mcp_script.h"

#include "base/error.h"
#include "base/limits.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the result of a call ---- */

static void test_result(void)
{
    static const struct {
        const char *name, *result;
        enum il_code code;
        bool ok;
        const char *content, *reason, *message;
    } rows[] = {
        { "structured content", "{\"content\":[{\"type\":\"text\",\"text\":\"x\"}],\"structuredContent\":{\"a\":1}}",
          IL_OK, true, "{\"a\":1}", "", "" },
        { "null members", "{\"content\":null,\"structuredContent\":null,\"isError\":null}", IL_OK, true, NULL, "", "" },
        { "nothing", "{\"content\":[]}", IL_OK, true, NULL, "", "" },
        { "only text", "{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}", IL_OK, true, NULL, "", "hi" },
        { "text that is JSON", "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"a\\\":\\\"\\\\u0041\\\"}\"}]}", IL_OK,
          true, "{\"a\":\"\\u0041\"}", "", "{\"a\":\"\\u0041\"}" },
        { "the last text, not an earlier one",
          "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"receipt\\\":1}\"},{\"type\":\"image\",\"data\":\"\"},"
          "{\"type\":\"text\",\"text\":\"{\\\"receipt\\\":2}\"},{\"type\":\"image\",\"data\":\"\"}]}",
          IL_OK, true, "{\"receipt\":2}", "", "{\"receipt\":2}" },
        { "a last text that is no JSON: not the one before",
          "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"receipt\\\":1}\"},{\"type\":\"text\",\"text\":\"no\"}]}",
          IL_OK, true, NULL, "", "no" },
        { "text with two objects", "{\"content\":[{\"type\":\"text\",\"text\":\"{},{}\"}]}", IL_OK, true, NULL, "",
          "{},{}" },
        { "text that closes the bracket", "{\"content\":[{\"type\":\"text\",\"text\":\"{}],[{}\"}]}", IL_OK, true, NULL,
          "", "{}],[{}" },
        { "text that is a list", "{\"content\":[{\"type\":\"text\",\"text\":\"[{}]\"}]}", IL_OK, true, NULL, "",
          "[{}]" },
        { "text with a member twice", "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"a\\\":1,\\\"a\\\":2}\"}]}",
          IL_OK, true, NULL, "", "{\"a\":1,\"a\":2}" },
        { "an error with structure",
          "{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"t\"}],\"structuredContent\":{\"error\":"
          "\"stale_target\",\"message\":\"m\",\"details\":{}}}",
          IL_OK, false, "{\"error\":\"stale_target\",\"message\":\"m\",\"details\":{}}", "stale_target", "m" },
        { "an error with a receipt and no message",
          "{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"t\"}],\"structuredContent\":{\"error\":"
          "\"rejected\",\"receipt\":{}}}",
          IL_OK, false, "{\"error\":\"rejected\",\"receipt\":{}}", "rejected", "t" },
        { "an error in text",
          "{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"{\\\"error\\\":\\\"e\\\"}\"}]}", IL_OK, false,
          "{\"error\":\"e\"}", "e", "{\"error\":\"e\"}" },
        { "an error of text only",
          "{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"MCP error -32602: x\"}]}", IL_OK, false, NULL,
          "", "MCP error -32602: x" },
        { "an error of nothing", "{\"isError\":true,\"content\":[]}", IL_OK, false, NULL, "", "" },
        { "isError as text", "{\"isError\":\"true\",\"content\":[]}", IL_DECODE, false, NULL, "", "" },
        { "isError as number", "{\"isError\":0,\"content\":[]}", IL_DECODE, false, NULL, "", "" },
        { "structure that is a list", "{\"content\":[],\"structuredContent\":[]}", IL_DECODE, false, NULL, "", "" },
        { "content that is an object", "{\"content\":{}}", IL_DECODE, false, NULL, "", "" },
        { "a block without type", "{\"content\":[{\"text\":\"x\"}]}", IL_DECODE, false, NULL, "", "" },
        { "a block that is a text", "{\"content\":[\"x\"]}", IL_DECODE, false, NULL, "", "" },
        { "a text block without text", "{\"content\":[{\"type\":\"text\"}]}", IL_DECODE, false, NULL, "", "" },
    };
    struct il__mem mem;
    il__mem_init(&mem, NULL, NULL, 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct il__json doc = { 0 };
        struct il_error err = IL_ERROR_INIT;
        struct il__mcp_tool_result result;
        if (il__json_parse(&doc, &mem, il__str(rows[i].result), IL__JSON_PAYLOAD, &err)) abort();
        tap_int(il__mcp_tool_result(&mem, &doc, 0, &result, &err), rows[i].code, "a result of %s", rows[i].name);
        if (!rows[i].code) {
            tap_int(result.ok, rows[i].ok, "%s: good or not", rows[i].name);
            tap_str(result.content ? il__json_raw(result.doc, result.content) : IL_STR_NONE, rows[i].content,
                    "its content");
            tap_str(result.reason, rows[i].reason, "its reason");
            tap_str(result.message, rows[i].message, "its message");
        }
        il__mcp_tool_result_clear(&result);
        il__json_clear(&doc);
    }
    tap_int((long long)mem.in_use_bytes, 0, "results leave no memory");
}

int main(void)
{
    test_result();
    return tap_done();
}
