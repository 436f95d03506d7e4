/* Texts of the Streamable HTTP wire before they are believed: the address, the token, the media type. Pure
 * but for libcurl's URL reader, the same that reads the address later. */
#include "runtime/mcp_http_wire.h"

#include "base/error.h"

static enum il_code bad(struct il_error *err, const char *field, const char *why)
{
    return il__fail_at(err, IL_INVALID_REQUEST, "MCP connection", field, "%s", why);
}

/* Copies a text for libcurl; false: it is too long or holds bytes that no address holds. */
static bool plain_text(struct il_str text, char *out, size_t cap)
{
    if (!text.len || text.len >= cap) return false;
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] <= ' ' || (unsigned char)text.ptr[i] >= 0x7F) return false;
    memcpy(out, text.ptr, text.len);
    out[text.len] = 0;
    return true;
}

static bool is_part(CURLU *u, CURLUPart part, const char *const *wanted)
{
    char *text = NULL;
    bool found = false;
    if (curl_url_get(u, part, &text, 0)) return false;
    for (; *wanted && !found; wanted++) found = strcmp(text, *wanted) == 0;
    curl_free(text);
    return found;
}

static enum il_code check_parts(CURLU *u, struct il_error *err)
{
    static const char *const tls[] = { "https", NULL }, *const plain[] = { "http", NULL };
    static const char *const here[] = { "127.0.0.1", "localhost", "[::1]", NULL };
    if (is_part(u, CURLUPART_SCHEME, tls)) return IL_OK;
    if (!is_part(u, CURLUPART_SCHEME, plain)) return bad(err, "url", "neither https nor http");
    if (is_part(u, CURLUPART_HOST, here)) return IL_OK;
    return bad(err, "url", "plain http is for 127.0.0.1, localhost and [::1]; use https");
}

enum il_code il__http_check_url(struct il_str url, struct il__buf *out, struct il_error *err)
{
    char text[IL__LIMIT_MCP_HTTP_URL_BYTES];
    char *normal = NULL;
    if (!plain_text(url, text, sizeof text)) return bad(err, "url", "empty, too long, or with blanks or control bytes");
    CURLU *u = curl_url();
    if (!u) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for an address");
    enum il_code code = IL_OK;
    if (curl_url_set(u, CURLUPART_URL, text, CURLU_DISALLOW_USER))
        code = bad(err, "url", "no address that can be read");
    if (!code) code = check_parts(u, err);
    if (!code && (curl_url_set(u, CURLUPART_FRAGMENT, NULL, 0) || curl_url_get(u, CURLUPART_URL, &normal, 0)))
        code = il__fail(err, IL_OUT_OF_MEMORY, "no memory for an address");
    if (!code) {
        il__buf_puts(out, normal);
        code = il__buf_check(out, err);
    }
    curl_free(normal);
    curl_url_cleanup(u);
    return code;
}

/* RFC 6750: letters, digits and -._~+/= */
enum il_code il__http_check_token(struct il_str token, struct il_error *err)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=";
    if (!token.len || token.len > IL__LIMIT_MCP_HTTP_TOKEN_BYTES) return bad(err, "token", "empty or too long");
    for (size_t i = 0; i < token.len; i++)
        if (!memchr(allowed, token.ptr[i], sizeof allowed - 1)) return bad(err, "token", "bytes that no token holds");
    return IL_OK;
}

enum il__http_media il__http_media(struct il_str value)
{
    size_t len = 0;
    while (len < value.len && value.ptr[len] != ';') len++;
    while (len && (value.ptr[len - 1] == ' ' || value.ptr[len - 1] == '\t')) len--;
    struct il_str type = { value.ptr, len };
    if (!len) return IL__HTTP_NO_MEDIA;
    if (il__str_eq_nocase(type, IL_STR("application/json"))) return IL__HTTP_JSON;
    return il__str_eq_nocase(type, IL_STR("text/event-stream")) ? IL__HTTP_EVENTS : IL__HTTP_OTHER;
}
