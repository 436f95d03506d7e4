/* tools/list of the MCP engine over a scripted wire, and a whole story with each allocation failing. */
#include "mcp_script.h"

#include "base/error.h"
#include "base/limits.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- tools/list ---- */

struct listed {
    char names[256];
    int count, done;
    enum il_code code;
};

static void tool(void *ctx, struct il_str name, struct il__json *doc, uint32_t at)
{
    struct listed *l = ctx;
    (void)doc;
    (void)at;
    l->count++;
    if (strlen(l->names) + name.len + 2 > sizeof l->names) return;
    (void)snprintf(l->names + strlen(l->names), sizeof l->names - strlen(l->names), "%.*s ", IL_STR_FMT(name));
}

static void listed(void *ctx, const struct il__mcp_answer *answer)
{
    struct listed *l = ctx;
    l->done++;
    l->code = answer->code;
}

static void page(const char *tools, const char *cursor)
{
    char text[8192];
    (void)snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":{\"tools\":%s%s}}",
                   (unsigned long long)wire.ids[wire.count - 1], tools, cursor);
    (void)say(text);
}

/* A page of no tools, then one that comes after `ms`. */
static void slow_pages(struct rig *rig, struct listed *l)
{
    for (int i = 0; i < 60 && !l->done; i++) {
        char cursor[40];
        (void)snprintf(cursor, sizeof cursor, ",\"nextCursor\":\"s%d\"", i);
        pass(rig, IL__LIMIT_REQUEST_TIMEOUT_MS - 1000);
        page("[]", cursor);
    }
}

static void list(struct rig *rig, struct listed *l)
{
    memset(l, 0, sizeof *l);
    rig_script(rig, true);
    tap_int(il__mcp_list_tools(rig->mcp, tool, listed, l, &rig->err), IL_OK, "tools are asked for");
}

static void test_list(struct rig *rig)
{
    struct listed l;
    list(rig, &l);
    tap_ok(strstr(last(), "\"method\":\"tools/list\",\"params\":{}}") != NULL, "without a cursor at first");
    page("[{\"name\":\"a\"},{\"name\":\"b\"}]", ",\"nextCursor\":\"p\\\"2\"");
    tap_ok(strstr(last(), "\"params\":{\"cursor\":\"p\\\"2\"}") != NULL, "bug 15: the cursor goes back as it came");
    page("[]", ",\"nextCursor\":\"\"");
    tap_ok(strstr(last(), "\"params\":{\"cursor\":\"\"}") != NULL, "bug 15: an empty cursor is a cursor");
    page("[{\"name\":\"c\"}]", "");
    tap_ok(l.done == 1 && !l.code && strcmp(l.names, "a b c ") == 0, "bug 15: all pages are read: %s", l.names);
    rig_close(rig, "list");

    list(rig, &l);
    page("[{\"name\":\"a\"}]", ",\"nextCursor\":\"x\"");
    page("[{\"name\":\"a\"}]", ",\"nextCursor\":\"x\"");
    tap_ok(l.done == 1 && l.code == IL_DECODE, "bug 15: a cursor that comes again is an error");
    rig_close(rig, "list in a circle");

    list(rig, &l);
    page("[{\"name\":\"a\"}]", ",\"nextCursor\":\"\"");
    page("[{\"name\":\"a\"}]", ",\"nextCursor\":\"\"");
    tap_ok(l.done == 1 && !l.code, "bug 15: an empty cursor that comes again was the end");
    rig_close(rig, "list with empty cursors");

    list(rig, &l);
    for (int i = 0; i < 1000 && !l.done; i++) {
        char cursor[40];
        (void)snprintf(cursor, sizeof cursor, ",\"nextCursor\":\"c%d\"", i);
        page("[]", cursor);
    }
    tap_ok(l.done == 1 && l.code == IL_LIMIT_EXCEEDED, "bug 15: pages are bounded");
    tap_int(wire.count, 2 + 1 + IL__LIMIT_MCP_PAGES, "at the limit");
    rig_close(rig, "endless list");

    static const char *const wrong[] = { "7", "null", "[7]", "[{}]", "[{\"name\":7}]" };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        list(rig, &l);
        page(wrong[i], "");
        tap_ok(l.done == 1 && l.code == IL_DECODE, "tools %s cannot be read", wrong[i]);
        rig_close(rig, "wrong list");
    }
    list(rig, &l);
    page("[]", ",\"nextCursor\":7");
    tap_ok(l.done == 1 && l.code == IL_DECODE, "a cursor is a text");
    rig_close(rig, "wrong cursor");
    char *many = malloc(IL__LIMIT_MCP_TOOLS * 16 + 1024);
    size_t len = (size_t)sprintf(many, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"tools\":[{\"name\":\"x\"}", 2);
    for (int i = 0; i < IL__LIMIT_MCP_TOOLS; i++) len += (size_t)snprintf(many + len, 16, ",{\"name\":\"x\"}");
    (void)snprintf(many + len, 16, "]}}");
    list(rig, &l);
    (void)say(many);
    tap_ok(l.done == 1 && l.code == IL_LIMIT_EXCEEDED && l.count == IL__LIMIT_MCP_TOOLS, "tools are bounded");
    rig_close(rig, "too many tools");
    memset(many, 'c', IL__LIMIT_MCP_CURSOR_BYTES + 100);
    memcpy(many, ",\"nextCursor\":\"", 15);
    (void)snprintf(many + 15 + IL__LIMIT_MCP_CURSOR_BYTES + 1, 4, "\"");
    list(rig, &l);
    page("[]", many);
    tap_ok(l.done == 1 && l.code == IL_LIMIT_EXCEEDED, "a cursor is bounded");
    rig_close(rig, "long cursor");
    free(many);

    list(rig, &l);
    slow_pages(rig, &l);
    tap_ok(l.done == 1 && l.code == IL_TIMEOUT, "all pages together have one deadline");
    rig_close(rig, "slow list");
    list(rig, &l);
    rig_close(rig, "freed while listing");
    tap_int(l.done, 0, "nobody is called");
}

/* ---- memory ---- */

/* One story of everything, with the n-th allocation failing: each begun request ends exactly once, nothing leaks. */
static bool story(struct rig *rig, uint64_t n)
{
    rig_script(rig, false);
    rig->mem.fail_at = rig->mem.calls + n;
    struct listed l = { .count = 0 };
    struct rig_answer *a = rig_call(rig, "{\"text\":\"x\"}");
    bool began = !a->code;
    il__mcp_tick(rig->mcp, 0);
    if (wire.count) (void)says(HELLO, wire.ids[0]);
    bool listing = !il__mcp_list_tools(rig->mcp, tool, listed, &l, &rig->err);
    if (listing) page("[{\"name\":\"\\u0061\"}]", ",\"nextCursor\":\"x\"");
    if (listing && !l.done) page("[]", "");
    (void)say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    if (began && !a->done) (void)says(RESULT, a->id);
    pass(rig, IL__LIMIT_MCP_HARD_TIMEOUT_MS);
    bool reached = rig->mem.fail_at <= rig->mem.calls;
    rig->mem.fail_at = 0;
    bool good = (!began || a->done == 1) && (!listing || l.done == 1);
    il__mcp_free(rig->mcp);
    if (!good || rig->mem.in_use_bytes) tap_note("allocation %llu", (unsigned long long)n);
    return good && rig->mem.in_use_bytes == 0 && reached;
}

static void test_memory(struct rig *rig)
{
    uint64_t n = 1;
    while (n < 500 && story(rig, n)) n++;
    tap_ok(n > 20 && n < 500 && rig->mem.in_use_bytes == 0, "each of %llu allocations may fail",
           (unsigned long long)n - 1);
}

int main(void)
{
    static struct rig rig;
    test_list(&rig);
    test_memory(&rig);
    return tap_done();
}
