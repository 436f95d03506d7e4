/* The search for an id (mcp_peek.h): follows strings, escapes and depth, byte by byte. No allocation, no recursion. */
#include "runtime/mcp_peek.h"

uint64_t il__mcp_id_of(struct il_str digits)
{
    uint64_t id = 0;
    if (digits.len == 0 || digits.len > 18 || digits.ptr[0] == '0') return 0;
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.ptr[i] < '0' || digits.ptr[i] > '9') return 0;
        id = id * 10 + (uint64_t)(digits.ptr[i] - '0');
    }
    return id;
}

static bool named(const struct il__mcp_peek *peek, const char *name)
{
    return il__str_eq((struct il_str){ peek->name, peek->name_len }, il__str(name));
}

/* A member of the outermost object has ended. The first `id` counts. */
static void end_member(struct il__mcp_peek *peek)
{
    if (named(peek, "method")) peek->method = true;
    if (named(peek, "id") && !peek->id) peek->id = il__mcp_id_of((struct il_str){ peek->value, peek->value_len });
    peek->name_len = peek->value_len = 0;
    peek->value_next = false;
}

/* A text that does not fit is none of those looked for: it is made unequal to all of them. */
static void keep(char *to, uint8_t *len, uint8_t cap, char c)
{
    if (*len < cap) to[(*len)++] = c;
    else to[0] = '?';
}

static void in_string(struct il__mcp_peek *peek, char c)
{
    if (peek->escaped) {
        peek->escaped = false;
    } else if (c == '\\') {
        peek->escaped = true;
    } else if (c == '"') {
        peek->in_string = false;
        return;
    }
    if (peek->depth != 1) return;
    if (peek->is_name) keep(peek->name, &peek->name_len, sizeof peek->name, c);
    else keep(peek->value, &peek->value_len, sizeof peek->value, c);
}

static void outside(struct il__mcp_peek *peek, char c)
{
    bool top = peek->depth == 1;
    switch (c) {
    case '"':
        peek->in_string = true;
        peek->is_name = top && !peek->value_next;
        if (peek->is_name) peek->name_len = 0;
        break;
    case '{':
    case '[':
        if (top) keep(peek->value, &peek->value_len, sizeof peek->value, c);
        if (peek->depth < UINT32_MAX) peek->depth++;
        break;
    case '}':
    case ']':
        if (top) end_member(peek);
        if (peek->depth) peek->depth--;
        break;
    case ':':
        if (top) peek->value_next = true;
        break;
    case ',':
        if (top) end_member(peek);
        break;
    default:
        if (top && peek->value_next && c > ' ') keep(peek->value, &peek->value_len, sizeof peek->value, c);
    }
}

void il__mcp_peek_feed(struct il__mcp_peek *peek, struct il_str bytes)
{
    for (size_t i = 0; i < bytes.len; i++) {
        if (peek->in_string) in_string(peek, bytes.ptr[i]);
        else outside(peek, bytes.ptr[i]);
    }
}

uint64_t il__mcp_peek_id(const struct il__mcp_peek *peek)
{
    return peek->method ? 0 : peek->id;
}
