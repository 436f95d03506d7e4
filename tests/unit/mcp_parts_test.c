/* The parts below the stdio wire, each alone: the command line, the queue, the lines, the search for an id, stderr in
 * the log. */
#include "runtime/command_line.h"
#include "runtime/mcp_lines.h"
#include "runtime/mcp_queue.h"
#include "runtime/mcp_stderr.h"

#include "base/error.h"
#include "base/limits.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the command line ---- */

static void test_command_line(struct il__mem *mem)
{
    static const struct {
        const char *text, *want; /* the words, each in brackets; NULL: refused */
    } rows[] = {
        { "npx -y server", "[npx][-y][server]" },
        { "  a\t b\n", "[a][b]" },
        { "a 'b c' \"d e\"", "[a][b c][d e]" },
        { "a b'c'd\"e\"f", "[a][bcdef]" },
        { "a '' \"\"", "[a][][]" },
        { "a '\\' \"\\\"\\\\\\n\"", "[a][\\][\"\\\\n]" },
        { "a\\ b \\'c", "[a b]['c]" },
        { "a $HOME `x` *;|&>", "[a][$HOME][`x`][*;|&>]" },
        { "", NULL },
        { "   ", NULL },
        { "'' a", NULL },
        { "a 'b", NULL },
        { "a \"b", NULL },
        { "a \\", NULL },
        { "\"a\\\"", NULL },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct il__command_line line;
        struct il_error err = IL_ERROR_INIT;
        char got[256] = "";
        enum il_code code = il__command_line_split(mem, il__str(rows[i].text), &line, &err);
        tap_int(code, rows[i].want ? IL_OK : IL_INVALID_REQUEST, "command line %s", rows[i].text);
        for (size_t w = 0; !code && w < line.argc; w++)
            (void)snprintf(got + strlen(got), sizeof got - strlen(got), "[%s]", line.argv[w]);
        if (!code) tap_str(il__str(got), rows[i].want, "its words");
        if (!code) tap_ok(line.argv[line.argc] == NULL, "and no more");
        il__command_line_clear(&line);
    }
}

static enum il_code split(struct il__mem *mem, const char *text, size_t len)
{
    struct il__command_line line;
    enum il_code code = il__command_line_split(mem, (struct il_str){ text, len }, &line, NULL);
    il__command_line_clear(&line);
    return code;
}

static void test_command_limits(struct il__mem *mem)
{
    char *text = malloc(IL__LIMIT_MCP_COMMAND_BYTES + 1);
    memset(text, 'x', IL__LIMIT_MCP_COMMAND_BYTES + 1);
    tap_int(split(mem, text, IL__LIMIT_MCP_COMMAND_BYTES), IL_OK, "a command line as long as may be");
    tap_int(split(mem, text, IL__LIMIT_MCP_COMMAND_BYTES + 1), IL_INVALID_REQUEST, "and one byte more");
    tap_int(split(mem, "a\0b", 3), IL_INVALID_REQUEST, "a NUL is refused");
    for (int i = 0; i < 1024; i++) text[i] = i % 2 ? ' ' : 'x';
    tap_int(split(mem, text, IL__LIMIT_MCP_ARGUMENTS * 2), IL_OK, "as many words as may be");
    tap_int(split(mem, text, IL__LIMIT_MCP_ARGUMENTS * 2 + 1), IL_INVALID_REQUEST, "and one more");
    free(text);
    for (uint64_t n = 1; n <= 2; n++) {
        mem->fail_at = mem->calls + n;
        tap_int(split(mem, "a b", 3), IL_OUT_OF_MEMORY, "without memory");
    }
    mem->fail_at = 0;
}

/* ---- the queue ---- */

static enum il_code add(struct il__mcp_queue *queue, enum il__mcp_sent kind, uint64_t id, const char *text, size_t len)
{
    const struct il__mcp_out out = { kind, id, { text, len }, NULL, NULL };
    return il__mcp_queue_add(queue, &out, NULL);
}

static void test_queue(struct il__mem *mem)
{
    struct il__mcp_queue queue;
    il__mcp_queue_init(&queue, mem);
    tap_int(add(&queue, IL__MCP_CALL, 1, "{\n}", 3), IL_INVALID_REQUEST, "a line break in a message is refused");
    tap_int(add(&queue, IL__MCP_CALL, 1, "{\r}", 3), IL_INVALID_REQUEST, "also a CR");
    tap_int(add(&queue, IL__MCP_CALL, 1, "", 0), IL_INVALID_REQUEST, "an empty line is no message");
    tap_int(add(&queue, IL__MCP_CALL, 1, "{}", 2), IL_OK, "one");
    tap_int(add(&queue, IL__MCP_NOTE, 0, "[]", 2), IL_OK, "two");
    tap_int(add(&queue, IL__MCP_CALL, 3, "\"\"", 2), IL_OK, "three");
    tap_ok(!il__mcp_queue_find(&queue, 0) && il__mcp_queue_find(&queue, 3)->id == 3, "found by id, notes never");
    il__mcp_queue_remove(&queue, il__mcp_queue_find(&queue, 3));
    tap_int(add(&queue, IL__MCP_CALL, 4, "4", 1), IL_OK, "four, behind the two that are left");
    tap_ok(queue.head->id == 1 && queue.head->next->next->id == 4 && queue.head->len == 3 &&
               memcmp(queue.head->bytes, "{}\n", 3) == 0,
           "in order, each its own line");
    il__mcp_queue_clear(&queue);
    tap_ok(queue.bytes == 0 && queue.notes == 0, "empty again");
    for (int i = 0; i < IL__LIMIT_MCP_QUEUED_NOTES; i++) (void)!add(&queue, IL__MCP_NOTE, 0, "{}", 2);
    tap_int(add(&queue, IL__MCP_NOTE, 0, "{}", 2), IL_LIMIT_EXCEEDED, "notes are bounded");
    tap_int(add(&queue, IL__MCP_CALL, 9, "{}", 2), IL_OK, "calls are not by that");
    il__mcp_queue_clear(&queue);
    char *large = malloc(IL__LIMIT_MCP_MESSAGE_BYTES + 1);
    memset(large, 'x', IL__LIMIT_MCP_MESSAGE_BYTES + 1);
    tap_int(add(&queue, IL__MCP_CALL, 1, large, IL__LIMIT_MCP_MESSAGE_BYTES + 1), IL_LIMIT_EXCEEDED,
            "a message is bounded");
    int n = 0;
    while (n < 100 && !add(&queue, IL__MCP_CALL, 1, large, IL__LIMIT_MCP_MESSAGE_BYTES)) n++;
    tap_int(n, IL__LIMIT_MCP_QUEUE_BYTES / (IL__LIMIT_MCP_MESSAGE_BYTES + 1), "and all of them together");
    free(large);
    il__mcp_queue_clear(&queue);
}

/* ---- lines ---- */

struct told {
    char text[512];
    int lines;
    size_t last_len;
    enum il_code why;
    uint64_t id;
    int dropped;
};

static void on_line(void *ctx, struct il_str line)
{
    struct told *t = ctx;
    t->lines++;
    t->last_len = line.len;
    if (line.len > 100 || strlen(t->text) + line.len + 2 > sizeof t->text) return;
    (void)snprintf(t->text + strlen(t->text), sizeof t->text - strlen(t->text), "%.*s|", IL_STR_FMT(line));
}

static void on_dropped(void *ctx, enum il_code why, uint64_t id)
{
    struct told *t = ctx;
    t->dropped++;
    t->why = why;
    t->id = id;
}

static void lines_open(struct il__mcp_lines *lines, struct told *told, struct il__mem *mem)
{
    memset(told, 0, sizeof *told);
    *lines = (struct il__mcp_lines){ .line = on_line, .dropped = on_dropped, .ctx = told };
    il__mcp_lines_init(lines, mem);
}

static void test_lines(struct il__mem *mem)
{
    static const char stream[] = "a\nb\r\n\n\r\n\xEF\xBB\xBF"
                                 "c\n\xEF\xBB\xBF\r\n\xF0\x9F\x98\x80\r\r\n d \nnot ended";
    static const char want[] = "a|b|c|\xF0\x9F\x98\x80\r| d |";
    bool good = true;
    for (size_t cut = 0; cut < sizeof stream && good; cut++) {
        struct il__mcp_lines lines;
        struct told told;
        lines_open(&lines, &told, mem);
        il__mcp_lines_feed(&lines, (struct il_str){ stream, cut });
        il__mcp_lines_feed(&lines, (struct il_str){ stream + cut, sizeof stream - 1 - cut });
        good = strcmp(told.text, want) == 0;
        if (!good) tap_note("cut at %zu: %s", cut, told.text);
        il__mcp_lines_clear(&lines);
    }
    tap_ok(good, "bugs 5 and 11: lines, whatever is cut");
}

static void feed_x(struct il__mcp_lines *lines, size_t count)
{
    char piece[4096];
    memset(piece, 'x', sizeof piece);
    for (; count > 0; count -= count < sizeof piece ? count : sizeof piece)
        il__mcp_lines_feed(lines, (struct il_str){ piece, count < sizeof piece ? count : sizeof piece });
}

static void feed(struct il__mcp_lines *lines, const char *text)
{
    il__mcp_lines_feed(lines, il__str(text));
}

static void test_long_lines(struct il__mem *mem)
{
    struct il__mcp_lines lines;
    struct told told;
    lines_open(&lines, &told, mem);
    feed_x(&lines, IL__LIMIT_MCP_LINE_BYTES);
    feed(&lines, "\n");
    tap_ok(told.lines == 1 && told.last_len == IL__LIMIT_MCP_LINE_BYTES, "bug 10: a line as long as may be");
    feed(&lines, "{\"result\":\"\\\",\\\"id\\\":8,");
    feed_x(&lines, IL__LIMIT_MCP_LINE_BYTES);
    feed(&lines, "\",\"id\":7}\nnext\n");
    tap_ok(told.dropped == 1 && told.why == IL_LIMIT_EXCEEDED && told.id == 7, "a longer one is told by its id");
    tap_ok(told.lines == 2 && told.last_len == 4, "and the next line is read");
    tap_ok(mem->in_use_bytes < 1048576 * 2, "a long line's memory is given back");
    mem->fail_at = mem->calls + 1;
    il__mcp_lines_clear(&lines);
    feed(&lines, "{\"id\":\"9\"");
    mem->fail_at = 0;
    feed(&lines, "}\nok\n");
    tap_ok(told.dropped == 2 && told.why == IL_OUT_OF_MEMORY && told.id == 9, "without memory likewise");
    tap_int((long long)told.last_len, 2, "and it goes on");
    il__mcp_lines_clear(&lines);
}

/* ---- the search for an id ---- */

static void test_peek(void)
{
    static const struct {
        const char *text;
        unsigned long long want;
    } rows[] = {
        { "{\"id\":7}", 7 },
        { "{\"id\" : \"7\" , \"x\":1}", 7 },
        { "{\"result\":{\"id\":8,\"a\":[{\"id\":9}]},\"jsonrpc\":\"2.0\",\"id\":7}", 7 },
        { "{\"a\":\"\\\"id\\\":8\",\"id\":7,", 7 },
        { "{\"a\":\"{\",\"id\":7}", 7 },
        { "{\"id\":7,\"id\":8}", 7 },
        { "{\"id\":7", 0 },
        { "{\"id\":07}", 0 },
        { "{\"id\":7.0}", 0 },
        { "{\"id\":-7}", 0 },
        { "{\"id\":0}", 0 },
        { "{\"id\":null}", 0 },
        { "{\"id\":{\"id\":7}}", 0 },
        { "{\"id\":[7]}", 0 },
        { "{\"id\":\"7x\"}", 0 },
        { "{\"id\":1234567890123456789012345678901234567890}", 0 },
        { "{\"idididididid\":7}", 0 },
        { "{\"iD\":7}", 0 },
        { "{\"x\":\"id\",\"y\":7}", 0 },
        { "{\"method\":\"x\",\"id\":7}", 0 },
        { "{\"id\":7,\"method\":\"x\"}", 0 },
        { "[{\"id\":7}]", 0 },
        { "\"id\":7,", 0 },
        { "]]}}{\"id\":7}", 7 },
        { "", 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct il__mcp_peek whole = { 0 }, bytes = { 0 };
        il__mcp_peek_feed(&whole, il__str(rows[i].text));
        for (size_t n = 0; rows[i].text[n]; n++) il__mcp_peek_feed(&bytes, (struct il_str){ rows[i].text + n, 1 });
        tap_int((long long)il__mcp_peek_id(&whole), (long long)rows[i].want, "the id in %s", rows[i].text);
        tap_int((long long)il__mcp_peek_id(&bytes), (long long)rows[i].want, "byte by byte too");
    }
}

/* ---- stderr ---- */

static void count(void *ctx, enum il_log_level level, const char *line, size_t len)
{
    struct told *t = ctx;
    (void)level;
    t->lines++;
    (void)snprintf(t->text, sizeof t->text, "%.*s", (int)len, line);
}

static void test_stderr(void)
{
    struct told told = { .lines = 0 };
    struct il__log log = { count, &told };
    struct il__mcp_stderr err = { .log = &log };
    il__mcp_stderr_feed(&err, IL_STR("he"), 5000);
    il__mcp_stderr_feed(&err, IL_STR("llo\x1b[2J\r\n\n"), 5000);
    tap_str(il__str(told.text), "mcp: the server's stderr: hello\\x1b[2J", "a line, made visible");
    for (int i = 0; i < 1000; i++) il__mcp_stderr_feed(&err, IL_STR("x\n"), 5500);
    tap_int(told.lines, IL__LIMIT_MCP_STDERR_LINES, "bug 9: so many lines in a second");
    il__mcp_stderr_feed(&err, IL_STR("y\n"), 6000);
    tap_int(told.lines, IL__LIMIT_MCP_STDERR_LINES + 2, "in the next second it goes on");
    tap_str(il__str(told.text), "mcp: the server's stderr: y", "with what is new");
    for (int i = 0; i < 100000; i++) il__mcp_stderr_feed(&err, IL_STR("zzzzzzzzzz"), 6000);
    il__mcp_stderr_end(&err);
    tap_ok(strlen(told.text) < 400, "a long line is cut");
}

int main(void)
{
    struct il__mem mem;
    il__mem_init(&mem, NULL, NULL, 0);
    test_command_line(&mem);
    test_command_limits(&mem);
    test_queue(&mem);
    test_lines(&mem);
    test_long_lines(&mem);
    test_peek();
    test_stderr();
    tap_int((long long)mem.in_use_bytes, 0, "no memory is left");
    return tap_done();
}
