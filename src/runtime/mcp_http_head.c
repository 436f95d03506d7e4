/* The head of an answer, line by line as libcurl hands it over: the status, the media type, the session. Heads of 1xx
 * answers are skipped and trailers are not believed, but all count against one limit. */
#include "runtime/mcp_http_wire.h"

#include "base/error.h"

static struct il_str trimmed(struct il_str s)
{
    while (s.len && strchr(" \t\r\n", s.ptr[s.len - 1])) s.len--;
    while (s.len && (*s.ptr == ' ' || *s.ptr == '\t')) {
        s.ptr++;
        s.len--;
    }
    return s;
}

/* The number after "HTTP/1.1 "; 0: none. libcurl has checked the line already. */
static long status_of(struct il_str line)
{
    const char *at = memchr(line.ptr, ' ', line.len);
    size_t left = at ? line.len - (size_t)(at - line.ptr) : 0;
    long status = 0;
    if (left < 4) return 0;
    for (int i = 1; i <= 3; i++) {
        if (at[i] < '0' || at[i] > '9') return 0;
        status = status * 10 + (at[i] - '0');
    }
    return status;
}

static bool visible(struct il_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] <= ' ' || s.ptr[i] > '~') return false;
    return s.len > 0;
}

/* The first one counts; the same again is the same, another one is no session that can be believed. */
static enum il_code session(struct il__http_head *head, struct il_str value, struct il_error *err)
{
    if (head->has_session) {
        if (il__str_eq((struct il_str){ head->session, head->session_len }, value)) return IL_OK;
        return il__fail(err, IL_TRANSPORT, "the server named two sessions in one answer");
    }
    if (value.len > sizeof head->session || !visible(value))
        return il__fail(err, IL_TRANSPORT, "the server named a session that is empty, too long or not visible ASCII");
    memcpy(head->session, value.ptr, value.len);
    head->session_len = value.len;
    head->has_session = true;
    return IL_OK;
}

static enum il_code field(struct il__http_head *head, struct il_str name, struct il_str value, struct il_error *err)
{
    if (il__str_eq_nocase(name, IL_STR("mcp-session-id"))) return session(head, value, err);
    if (il__str_eq_nocase(name, IL_STR("content-type"))) {
        head->media = il__http_media(value);
        (void)il__escape(head->media_text, sizeof head->media_text, value);
    } else if (il__str_eq_nocase(name, IL_STR("content-encoding"))) {
        head->encoded = !il__str_eq_nocase(value, IL_STR("identity"));
    } else if (il__str_eq_nocase(name, IL_STR("retry-after"))) {
        (void)il__escape(head->retry_after, sizeof head->retry_after, value);
    } else if (il__str_eq_nocase(name, IL_STR("location"))) {
        (void)il__escape(head->location, sizeof head->location, value);
    }
    return IL_OK;
}

enum il_code il__http_head_line(struct il__http_head *head, struct il_str line, struct il_error *err)
{
    size_t bytes = head->bytes + line.len;
    if (bytes > IL__LIMIT_MCP_HTTP_HEAD_BYTES)
        return il__fail(err, IL_LIMIT_EXCEEDED, "the head of the answer is larger than %d bytes",
                        IL__LIMIT_MCP_HTTP_HEAD_BYTES);
    if (head->done) { /* a trailer */
        head->bytes = bytes;
        return IL_OK;
    }
    if (line.len >= 5 && memcmp(line.ptr, "HTTP/", 5) == 0) {
        *head = (struct il__http_head){ .status = status_of(line), .bytes = bytes };
        return IL_OK;
    }
    head->bytes = bytes;
    const char *colon = memchr(line.ptr, ':', line.len);
    if (!colon) {
        head->done = trimmed(line).len == 0 && head->status >= 200;
        return IL_OK;
    }
    size_t name = (size_t)(colon - line.ptr);
    return field(head, (struct il_str){ line.ptr, name },
                 trimmed((struct il_str){ colon + 1, line.len - name - 1 }), err);
}
