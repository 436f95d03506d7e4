/* The Streamable HTTP wire of MCP (2025-11-25; the two before it alike) over libcurl's multi interface. Nothing blocks:
 * `tick` moves bytes, `descriptors` tells what to wait for.
 *
 * Each message goes on a connection of its own that no other message uses again: a reused one that the server closes
 * makes libcurl send the message a second time. The permit of a call is spent in the moment between the connection
 * standing and its first byte; a second such moment ends the transfer. Redirects are not followed, no proxy is used,
 * whatever the environment says, no cookie and no .netrc is read, answers are never decompressed. What a server would
 * say outside of requests is not listened to.
 *
 * `sent` of a lost message is false when its connection never got that far; and for a tools/call also when the server
 * proved with 404, or 400 and code -32000 or -32001, that the session it was sent in is gone: then `lost` comes before
 * `session_lost`. Any other refusal counts as sent.
 *
 * libcurl's global state is set up with its default allocator when the first wire is made and never taken down, since
 * the process may use libcurl for itself. What libcurl allocates is outside of `mem`. */
#ifndef IL_RUNTIME_MCP_HTTP_H
#define IL_RUNTIME_MCP_HTTP_H

#include "runtime/mcp.h"

struct il__mcp_http_options {
    struct il__mem *mem;            /* needed; all pointers outlive the wire */
    const struct il__clock *clock;  /* needed */
    const struct il__log *log;      /* may be NULL */
    struct il_str url;              /* "https://host/mcp"; plain http only to 127.0.0.1, localhost and [::1] */
    struct il_str token;            /* bearer token, or absent; wiped at free, never logged */
    struct il_str ca_file;          /* PEM; the only authorities that are trusted. Absent: those of the system */
    size_t max_message_bytes;       /* of one message of the server; 0: the limit result_bytes */
};

/* All texts are copied. invalid_request names the option that is wrong. Nothing is connected before the first tick. */
enum il_code il__mcp_http_new(const struct il__mcp_http_options *options, struct il__mcp_sink sink,
                              struct il__mcp_wire *out, struct il_error *err) IL_MUST_USE;

#endif
