/* Splitting a command line (command_line.h). The words are no longer than the text, so one piece of memory holds them
 * all. Must never start anything. */
#include "runtime/command_line.h"

#include "base/error.h"
#include "base/limits.h"

struct splitter {
    struct il_str text;
    size_t at;
    char *to;
};

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Copies up to the closing `quote`; false: there is none. */
static bool quoted(struct splitter *s, char quote)
{
    while (s->at < s->text.len) {
        char c = s->text.ptr[s->at++];
        if (c == quote) return true;
        bool more = s->at < s->text.len;
        if (quote == '"' && c == '\\' && more && (s->text.ptr[s->at] == '"' || s->text.ptr[s->at] == '\\'))
            c = s->text.ptr[s->at++];
        *s->to++ = c;
    }
    return false;
}

static bool word(struct splitter *s)
{
    while (s->at < s->text.len && !blank(s->text.ptr[s->at])) {
        char c = s->text.ptr[s->at++];
        if (c == '\'' || c == '"') {
            if (!quoted(s, c)) return false;
        } else if (c == '\\') {
            if (s->at == s->text.len) return false;
            *s->to++ = s->text.ptr[s->at++];
        } else {
            *s->to++ = c;
        }
    }
    *s->to++ = 0;
    return true;
}

static enum il_code wrong(struct il_error *err, const char *what)
{
    return il__fail_at(err, IL_INVALID_REQUEST, "runtime", "command", "%s", what);
}

static enum il_code split(struct splitter *s, struct il__command_line *out, struct il_error *err)
{
    for (;;) {
        while (s->at < s->text.len && blank(s->text.ptr[s->at])) s->at++;
        if (s->at == s->text.len) break;
        if (out->argc == IL__LIMIT_MCP_ARGUMENTS)
            return wrong(err, "too many words");
        out->argv[out->argc++] = s->to;
        if (!word(s)) return wrong(err, "a quote or backslash stays open");
    }
    if (out->argc == 0 || !out->argv[0][0])
        return wrong(err, "no program is named");
    return IL_OK;
}

enum il_code il__command_line_split(struct il__mem *mem, struct il_str text, struct il__command_line *out,
                                    struct il_error *err)
{
    *out = (struct il__command_line){ NULL, 0, { NULL, NULL } };
    if (text.len > IL__LIMIT_MCP_COMMAND_BYTES)
        return il__fail_at(err, IL_INVALID_REQUEST, "runtime", "command", "longer than %d bytes",
                           IL__LIMIT_MCP_COMMAND_BYTES);
    if (text.len && memchr(text.ptr, 0, text.len))
        return wrong(err, "a NUL in the command line");
    il__arena_init(&out->arena, mem);
    out->argv = il__arena_alloc(&out->arena, (IL__LIMIT_MCP_ARGUMENTS + 1) * sizeof *out->argv);
    struct splitter s = { text, 0, il__arena_alloc(&out->arena, text.len + 1) };
    enum il_code code = IL_OK;
    if (!out->argv || !s.to) code = il__fail(err, IL_OUT_OF_MEMORY, "no memory for a command line");
    if (!code) code = split(&s, out, err);
    if (code) il__command_line_clear(out);
    return code;
}

void il__command_line_clear(struct il__command_line *line)
{
    if (line->arena.mem) il__arena_clear(&line->arena);
    *line = (struct il__command_line){ NULL, 0, { NULL, NULL } };
}
