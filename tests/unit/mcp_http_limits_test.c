/* Limits of the HTTP wire at their bounds: the head of an answer, the body of a refusal, the sockets of all
 * connections, and the time that a connection may take to stand, which is libcurl's own and so a real one. */
#include "http_bed.h"

#include "runtime/mcp_http_wire.h"
#include "tap.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static struct bed bed;

static char *filled(size_t len, char with)
{
    char *text = malloc(len + 1);
    if (!text) abort();
    memset(text, with, len);
    text[len] = 0;
    return text;
}

/* ---- the head ---- */

/* An answer whose head is `len` bytes, from the status line to the empty line. */
static void head_of(size_t len)
{
    char first[120];
    (void)snprintf(first, sizeof first, "HTTP/1.1 200 OK\r\n" BED_JSON "Content-Length: %zu\r\n", strlen(BED_ANSWER));
    struct bed_connection *c = bed_with_call(&bed);
    size_t left = len - strlen(first) - 2;
    bed_say(c, first);
    while (left) { /* lines of a size that is usual; the last two are as long as it takes */
        size_t line = left > 2000 ? 1000 : left;
        char *text = filled(line, 'x');
        text[1] = ':';
        memcpy(text + line - 2, "\r\n", 2);
        bed_say(c, text);
        free(text);
        left -= line;
    }
    bed_say(c, "\r\n");
    bed_say(c, BED_ANSWER);
}

static void test_head(void)
{
    head_of(IL__LIMIT_MCP_HTTP_HEAD_BYTES);
    bed_expect_answer(&bed, "a head of exactly mcp_http_head_bytes");
    head_of(IL__LIMIT_MCP_HTTP_HEAD_BYTES + 1);
    bed_expect_lost(&bed, "a head of one byte more than mcp_http_head_bytes", "is larger than 65536 bytes");
    tap_int(bed.lost_code, IL_LIMIT_EXCEEDED, "as a limit");
}

/* ---- the body of a refusal ---- */

static void refusal_of(size_t len)
{
    static const char said[] = "{\"error\":\"the desk is closed\"";
    char *text = filled(len, ' ');
    memcpy(text, said, sizeof said - 1);
    text[len - 1] = '}';
    bed_answer(bed_with_call(&bed), "403 Forbidden", BED_JSON, text);
    free(text);
}

static void test_error_body(void)
{
    refusal_of(IL__LIMIT_MCP_HTTP_ERROR_BYTES);
    bed_expect_lost(&bed, "a refusal of exactly mcp_http_error_bytes", "HTTP 403: forbidden: the desk is closed");
    refusal_of(IL__LIMIT_MCP_HTTP_ERROR_BYTES + 1);
    bed_expect_lost(&bed, "a refusal of one byte more than mcp_http_error_bytes", "HTTP 403: forbidden");
    tap_ok(!bed_has(bed.lost_text, "desk"), "what a larger one says is not read: %s", bed.lost_text);
}

/* ---- sockets ---- */

/* The table holds so many sockets already; none of them is one. */
static struct il__http *with_sockets(size_t count)
{
    bed_open(&bed);
    bed_connect(&bed);
    struct il__http *wire = bed.wire.self;
    for (wire->socket_count = 0; wire->socket_count < count; wire->socket_count++)
        wire->sockets[wire->socket_count] = (struct il__http_socket){ -1000 - (int)wire->socket_count, 0 };
    return wire;
}

static void test_sockets(void)
{
    struct il__http *wire = with_sockets(IL__LIMIT_MCP_HTTP_SOCKETS - 1);
    struct bed_connection *c = bed_call(&bed, 7);
    tap_int((long long)wire->socket_count, IL__LIMIT_MCP_HTTP_SOCKETS, "the last of mcp_http_sockets is used");
    bed_answer(c, "200 OK", BED_JSON, BED_ANSWER);
    bed_expect_answer(&bed, "with mcp_http_sockets");
    wire = with_sockets(IL__LIMIT_MCP_HTTP_SOCKETS);
    (void)bed_send(&bed, IL__MCP_CALL, 7, NULL, true);
    tap_ok(bed_until(&bed, &bed.closes, 1), "one more than mcp_http_sockets ends the wire");
    tap_ok(bed.losts == 1 && !bed.lost_sent, "with the call unsent: %s", bed.lost_text);
    tap_int((long long)wire->socket_count, IL__LIMIT_MCP_HTTP_SOCKETS, "and none was written past the table");
    tap_int(bed.seen, 0, "the server was asked nothing");
    bed_close(&bed, "past mcp_http_sockets");
}

/* ---- connecting ---- */

static int64_t now_ms(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* A server whose queue of connections is full: the next one gets no answer at all. */
static void fill_queue(struct bed *full, int fds[3])
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                              .sin_port = htons((uint16_t)full->port) };
    if (listen(full->listener, 0)) abort();
    for (int i = 0; i < 3; i++) {
        fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        (void)connect(fds[i], (struct sockaddr *)&at, sizeof at);
    }
}

static void tick_alone(struct bed *one)
{
    (void)one->wire.ops->tick(one->wire.self, 20000);
}

/* Two servers at once, for it takes its time: one that accepts nothing, and one that accepts and says no TLS. */
static void test_connecting(void)
{
    static struct bed mute;
    struct bed *full = &bed;
    int fds[3];
    const struct timespec little = { 0, 5000000 };
    bed_open(full);
    fill_queue(full, fds);
    bed_connect(full);
    bed_open(&mute);
    (void)snprintf(mute.url, sizeof mute.url, "https://127.0.0.1:%d/mcp", mute.port);
    mute.options.url = il__str(mute.url);
    bed_connect(&mute);
    (void)bed_send(full, IL__MCP_CALL, 7, NULL, true);
    (void)bed_send(&mute, IL__MCP_CALL, 8, NULL, true);
    int64_t begun = now_ms(), full_ms = 0, mute_ms = 0;
    int64_t least = IL__LIMIT_MCP_HTTP_CONNECT_MS - 20;
    int64_t most = IL__LIMIT_MCP_HTTP_CONNECT_MS + (getenv("VALGRIND") ? 60000 : 2000); /* all is slow under it */
    while ((!full_ms || !mute_ms) && now_ms() - begun < most) {
        tick_alone(full);
        bed_turn(&mute);
        if (full->losts && !full_ms) full_ms = now_ms() - begun;
        if (mute.losts && !mute_ms) mute_ms = now_ms() - begun;
        (void)nanosleep(&little, NULL);
    }
    tap_ok(full_ms >= least && full_ms < most, "a connection that nobody accepts has mcp_http_connect_ms (%d)",
           (int)full_ms);
    tap_ok(mute_ms >= least && mute_ms < most, "so has one that is accepted and says no TLS (%d)", (int)mute_ms);
    tap_ok(!full->lost_sent && !mute.lost_sent, "nothing was sent: %s; %s", full->lost_text, mute.lost_text);
    bed_close(&mute, "no TLS");
    for (int i = 0; i < 3; i++) (void)close(fds[i]);
    bed_close(full, "nobody accepts");
}

int main(void)
{
    test_head();
    test_error_body();
    test_sockets();
    test_connecting();
    return tap_done();
}
