/* libcurl's sockets and timer for the Streamable HTTP wire: what it watches is kept in a table, what is ready is handed
 * to it, and nothing waits. Must never be entered from one of its own callbacks. */
#include "runtime/mcp_http_wire.h"

#include "base/error.h"

#include <curl/curl.h>
#include <poll.h>

static struct il__http_socket *find(struct il__http *wire, curl_socket_t fd)
{
    for (size_t i = 0; i < wire->socket_count; i++)
        if (wire->sockets[i].fd == fd) return &wire->sockets[i];
    return NULL;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *socket_ctx)
{
    struct il__http *wire = ctx;
    struct il__http_socket *at = find(wire, fd);
    (void)easy;
    (void)socket_ctx;
    if (what == CURL_POLL_REMOVE) {
        if (at) *at = wire->sockets[--wire->socket_count];
        return 0;
    }
    if (!at) {
        if (wire->socket_count == IL__LIMIT_MCP_HTTP_SOCKETS) return -1;
        at = &wire->sockets[wire->socket_count++];
        at->fd = fd;
    }
    at->events = (short)((what & CURL_POLL_IN ? POLLIN : 0) | (what & CURL_POLL_OUT ? POLLOUT : 0));
    return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *ctx)
{
    struct il__http *wire = ctx;
    (void)multi;
    wire->timer_due_us = timeout_ms < 0 ? -1 : il__clock_us(wire->clock) + (int64_t)timeout_ms * 1000;
    return 0;
}

enum il_code il__http_multi_new(struct il__http *wire, struct il_error *err)
{
    wire->timer_due_us = -1;
    if (curl_global_init(CURL_GLOBAL_DEFAULT)) return il__fail(err, IL_TRANSPORT, "libcurl cannot be set up");
    const curl_version_info_data *about = curl_version_info(CURLVERSION_NOW);
    if (about->version_num < LIBCURL_VERSION_NUM)
        return il__fail(err, IL_UNSUPPORTED, "libcurl %s is older than the one this was built with", about->version);
    wire->multi = curl_multi_init();
    if (!wire->multi || curl_multi_setopt(wire->multi, CURLMOPT_SOCKETFUNCTION, on_socket) ||
        curl_multi_setopt(wire->multi, CURLMOPT_SOCKETDATA, wire) ||
        curl_multi_setopt(wire->multi, CURLMOPT_TIMERFUNCTION, on_timer) ||
        curl_multi_setopt(wire->multi, CURLMOPT_TIMERDATA, wire) ||
        curl_multi_setopt(wire->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING) ||
        curl_multi_setopt(wire->multi, CURLMOPT_MAXCONNECTS, (long)IL__LIMIT_MCP_HTTP_STREAMS))
        return il__fail(err, IL_OUT_OF_MEMORY, "no memory for connections");
    return IL_OK;
}

static void serve(struct il__http *wire, curl_socket_t fd, int mask)
{
    int running = 0;
    CURLMcode bad = curl_multi_socket_action(wire->multi, fd, mask, &running);
    if (bad) il__fail(&wire->broken, IL_TRANSPORT, "libcurl failed: %s", curl_multi_strerror(bad));
}

bool il__http_multi_step(struct il__http *wire)
{
    struct pollfd ready[IL__LIMIT_MCP_HTTP_SOCKETS];
    nfds_t count = 0;
    bool any = false;
    for (; count < wire->socket_count; count++)
        ready[count] = (struct pollfd){ wire->sockets[count].fd, wire->sockets[count].events, 0 };
    if (count && poll(ready, count, 0) > 0) {
        for (nfds_t i = 0; i < count; i++) {
            int mask = (ready[i].revents & POLLIN ? CURL_CSELECT_IN : 0) |
                       (ready[i].revents & POLLOUT ? CURL_CSELECT_OUT : 0) |
                       (ready[i].revents & (POLLERR | POLLHUP | POLLNVAL) ? CURL_CSELECT_ERR : 0);
            if (!mask || !find(wire, ready[i].fd)) continue;
            any = true;
            serve(wire, ready[i].fd, mask);
        }
    }
    if (wire->timer_due_us >= 0 && il__clock_us(wire->clock) >= wire->timer_due_us) {
        any = true;
        wire->timer_due_us = -1;
        serve(wire, CURL_SOCKET_TIMEOUT, 0);
    }
    return any;
}

void il__http_multi_reap(struct il__http *wire)
{
    CURLMsg *message;
    int left = 0;
    while ((message = curl_multi_info_read(wire->multi, &left))) {
        char *ctx = NULL;
        CURLcode code = message->data.result;
        if (message->msg != CURLMSG_DONE || curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &ctx) || !ctx)
            continue;
        il__http_exchange_ended((struct il__http_exchange *)(void *)ctx, code);
    }
}
