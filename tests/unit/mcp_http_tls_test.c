/* The HTTP wire over TLS, against `openssl s_server` with certificates made here: the right authority and name are
 * needed, and a server that lacks one of them sees no byte of a call. */
#include "http_bed.h"

#include "base/error.h"
#include "tap.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static struct bed bed;
static char dir[] = "build/tls-XXXXXX";

/* What stands where, as one text: "DIR/NAME". */
struct path {
    char text[64];
};
static struct path in_dir(const char *name)
{
    struct path path;
    (void)snprintf(path.text, sizeof path.text, "%s/%s", dir, name);
    return path;
}

/* ---- openssl ---- */

struct server {
    pid_t pid;
    int to, from, port;
    char said[8192];
    size_t len;
};

/* Starts openssl with `words`; its input and output are pipes when `server` is given. */
static pid_t openssl(const char *const *words, struct server *server)
{
    posix_spawn_file_actions_t actions;
    int in[2], out[2];
    pid_t pid = -1;
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    if (server) {
        if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) abort();
        (void)posix_spawn_file_actions_adddup2(&actions, in[0], 0);
        (void)posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    }
    if (posix_spawnp(&pid, "openssl", &actions, NULL, (char *const *)words, environ)) pid = -1;
    (void)posix_spawn_file_actions_destroy(&actions);
    if (server) {
        (void)close(in[0]);
        (void)close(out[1]);
        *server = (struct server){ .pid = pid, .to = in[1], .from = out[0] };
        (void)fcntl(server->from, F_SETFL, O_NONBLOCK);
    }
    return pid;
}

static bool ran(const char *const *words)
{
    int status = -1;
    pid_t pid = openssl(words, NULL);
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* A certificate for `alt`, signed by `ca` or by itself. */
static bool certificate(const char *name, const char *alt, const char *ca)
{
    struct path key, pem, ca_key, ca_pem;
    char key_name[32], pem_name[32], ca_key_name[32], ca_pem_name[32], subject[64], extension[64];
    (void)snprintf(key_name, sizeof key_name, "%s.key", name);
    (void)snprintf(pem_name, sizeof pem_name, "%s.pem", name);
    (void)snprintf(ca_key_name, sizeof ca_key_name, "%s.key", ca ? ca : name);
    (void)snprintf(ca_pem_name, sizeof ca_pem_name, "%s.pem", ca ? ca : name);
    (void)snprintf(subject, sizeof subject, "/CN=%s", name);
    (void)snprintf(extension, sizeof extension, "subjectAltName=%s", alt);
    key = in_dir(key_name);
    pem = in_dir(pem_name);
    ca_key = in_dir(ca_key_name);
    ca_pem = in_dir(ca_pem_name);
    const char *words[] = { "openssl",
                            "req",
                            "-x509",
                            "-newkey",
                            "ec",
                            "-pkeyopt",
                            "ec_paramgen_curve:prime256v1",
                            "-nodes",
                            "-days",
                            "2",
                            "-keyout",
                            key.text,
                            "-out",
                            pem.text,
                            "-subj",
                            subject,
                            "-addext",
                            extension,
                            ca ? "-CA" : NULL,
                            ca_pem.text,
                            "-CAkey",
                            ca_key.text,
                            NULL };
    return ran(words);
}

static void hear(struct server *server)
{
    ssize_t n = read(server->from, server->said + server->len, sizeof server->said - 1 - server->len);
    if (n > 0) server->len += (size_t)n;
    server->said[server->len] = 0;
}

/* On a port that the system chooses; it says which. */
static bool serve(struct server *server, const char *name)
{
    char key_name[32], pem_name[32];
    (void)snprintf(key_name, sizeof key_name, "%s.key", name);
    (void)snprintf(pem_name, sizeof pem_name, "%s.pem", name);
    struct path key = in_dir(key_name), pem = in_dir(pem_name);
    const char *words[] = { "openssl", "s_server", "-accept", "127.0.0.1:0", "-key",
                            key.text,  "-cert",    pem.text, NULL };
    if (openssl(words, server) < 0) return false;
    for (int i = 0; i < 500 && !bed_has(server->said, "\nACCEPT "); i++) {
        struct pollfd ready = { server->from, POLLIN, 0 };
        (void)poll(&ready, 1, 10);
        hear(server);
    }
    const char *at = strstr(server->said, "\nACCEPT 127.0.0.1:");
    if (at) server->port = (int)strtol(at + 18, NULL, 10);
    server->len = 0;
    server->said[0] = 0;
    return server->port > 0;
}

static void stop(struct server *server)
{
    if (server->pid > 0) {
        (void)kill(server->pid, SIGKILL);
        (void)waitpid(server->pid, NULL, 0);
    }
    (void)close(server->to);
    (void)close(server->from);
}

/* ---- the cases ---- */

static enum il_code holds(void *ctx, struct il_error *err)
{
    (void)ctx;
    (void)err;
    return IL_OK;
}

static void connect_to(struct server *server, const char *certificate_name, const char *host, const char *ca)
{
    struct path file = in_dir(ca ? ca : "");
    bed_open(&bed);
    if (!serve(server, certificate_name)) {
        tap_ok(false, "openssl s_server runs");
        stop(server);
        exit(1);
    }
    (void)snprintf(bed.url, sizeof bed.url, "https://%s:%d/mcp", host, server->port);
    bed.options.url = il__str(bed.url);
    bed.options.token = IL_STR("secret-token");
    if (ca) bed.options.ca_file = il__str(file.text);
    bed_connect(&bed);
}

static void test_good(void)
{
    static const char answer[] = "HTTP/1.1 200 OK\r\n" BED_JSON "Content-Length: 36\r\n\r\n" BED_ANSWER;
    struct il__permit permit = { holds, NULL, false };
    struct server server;
    connect_to(&server, "good", "127.0.0.1", "ca.pem");
    (void)bed_send(&bed, IL__MCP_CALL, 7, &permit, true);
    for (int i = 0; i < 500 && !strstr(server.said, "tools/call"); i++) {
        bed_turn(&bed);
        hear(&server);
    }
    tap_ok(bed_has(server.said, "POST /mcp HTTP/1.1") && bed_has(server.said, "secret-token"),
           "our authority, the right name: the call arrives");
    tap_ok(permit.spent, "and has spent its permit");
    tap_ok(write(server.to, answer, sizeof answer - 1) > 0, "an answer");
    tap_ok(bed_until(&bed, &bed.messages, 1) && bed.losts == 0, "is taken");
    stop(&server);
    bed_close(&bed, "TLS");
}

static void test_bad(const char *certificate_name, const char *host, const char *ca, const char *name)
{
    struct il__permit permit = { holds, NULL, false };
    struct server server;
    connect_to(&server, certificate_name, host, ca);
    (void)bed_send(&bed, IL__MCP_CALL, 7, &permit, true);
    tap_ok(bed_until(&bed, &bed.losts, 1) && !bed.lost_sent && !permit.spent, "%s: not sent, the permit is kept", name);
    tap_ok(bed_has(bed.lost_text, "no connection to the server: SSL"), "%s: and it says why", name);
    tap_note("%s", bed.lost_text);
    bed_turns(&bed, 50);
    hear(&server);
    tap_ok(!bed_has(server.said, "POST") && !bed_has(server.said, "secret"), "%s: the server saw nothing", name);
    stop(&server);
    bed_close(&bed, name);
}

static void test_missing_ca(void)
{
    struct path file = in_dir("none.pem");
    bed_open(&bed);
    (void)snprintf(bed.url, sizeof bed.url, "https://127.0.0.1:%d/", bed.port);
    bed.options.url = il__str(bed.url);
    bed.options.ca_file = il__str(file.text);
    bed_connect(&bed);
    (void)bed_send(&bed, IL__MCP_CALL, 7, NULL, true);
    tap_ok(bed_until(&bed, &bed.losts, 1) && !bed.lost_sent, "a file of authorities that is not there: not sent");
    bed_close(&bed, "no authorities");
}

int main(void)
{
    static const char *const made[] = { "ca.key",    "ca.pem",    "other.key", "other.pem",
                                        "good.key",  "good.pem",  "alien.key", "alien.pem" };
    if (!mkdtemp(dir)) abort();
    tap_ok(certificate("ca", "DNS:ca", NULL) && certificate("other", "DNS:other", NULL) &&
               certificate("good", "IP:127.0.0.1", "ca") && certificate("alien", "DNS:example.org", "ca"),
           "certificates are made");
    test_good();
    test_bad("good", "127.0.0.1", "other.pem", "another authority");
    test_bad("good", "127.0.0.1", NULL, "the authorities of the system");
    test_bad("alien", "127.0.0.1", "ca.pem", "a certificate for another host");
    test_bad("good", "localhost", "ca.pem", "a certificate for the number, not for the name");
    test_missing_ca();
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) (void)unlink(in_dir(made[i]).text);
    (void)rmdir(dir);
    return tap_done();
}
