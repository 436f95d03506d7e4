/* The stdio wire against real processes, most of them badly behaved (tests/peers/hostile). After each: no memory, no
 * descriptor and no process is left. */
#include "mcp_rig.h"

#include "base/error.h"
#include "tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int entries(const char *path)
{
    int n = 0;
    DIR *dir = opendir(path);
    while (dir && readdir(dir)) n++;
    if (dir) closedir(dir);
    return n;
}

/* Children of this program, zombies included; it is also where orphans go (PR_SET_CHILD_SUBREAPER). */
static int children(void)
{
    char path[64], text[4096];
    int n = 0;
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    ssize_t len = read(fd, text, sizeof text);
    (void)close(fd);
    for (ssize_t i = 0; i < len; i++) n += text[i] == ' ';
    return n;
}

/* Orphans that were killed with their group reach us as zombies of the subreaper: those are taken; one that lives stays
 * counted. */
static int children_after(void)
{
    const struct timespec pause = { 0, 5000000 };
    for (int i = 0; i < 200 && children() > 0; i++) {
        (void)waitpid(-1, NULL, WNOHANG);
        (void)nanosleep(&pause, NULL);
    }
    return children();
}

struct base {
    const char *name;
    int fds;
};

static struct base begin(struct rig *rig, const char *name)
{
    struct base b = { name, entries("/proc/self/fd") };
    rig_open(rig, false);
    return b;
}

static void finish(struct rig *rig, struct base b)
{
    rig_close(rig, b.name);
    tap_int(children_after(), 0, "%s: no process is left", b.name);
    tap_int(entries("/proc/self/fd"), b.fds, "%s: no descriptor is left", b.name);
}

static bool open_server(struct rig *rig, const char *command)
{
    return !rig_spawn(rig, command) && rig_until_state(rig, IL__MCP_READY, 10000);
}

/* One call that echoes. */
static bool echoes(struct rig *rig, const char *json_text, const char *want)
{
    char arguments[256];
    (void)snprintf(arguments, sizeof arguments, "{\"text\":%s}", json_text);
    struct rig_answer *a = rig_call(rig, arguments);
    bool there = !a->code && rig_until(rig, &a->done, 10000) && !a->code && a->ok && strcmp(a->text, want) == 0;
    if (!there) tap_note("%s %s %s", il_code_name(a->code), a->message, rig->err.message);
    return there;
}

static void test_plain(struct rig *rig)
{
    struct base b = begin(rig, "a plain server");
    tap_ok(open_server(rig, "plain.py"), "a plain server is ready");
    tap_str(il__mcp_server_name(rig->mcp), "hostile", "its name is known");
    tap_str(il__mcp_protocol(rig->mcp), "2025-11-25", "its protocol is known");
    tap_ok(echoes(rig, "\"hi\"", "hi"), "it answers");
    struct rig_answer *first = rig_call(rig, "{\"text\":\"1\"}"), *second = rig_call(rig, "{\"text\":\"2\"}");
    tap_ok(rig_until(rig, &second->done, 5000) && first->done == 1, "two calls at once are answered");
    il__mcp_shut(rig->mcp);
    tap_ok(rig_until(rig, NULL, 3000), "it ends when its stdin ends");
    tap_int(il__mcp_error(rig->mcp)->code, IL_CANCELLED, "and says that we shut it");
    finish(rig, b);
}

static void test_noise(struct rig *rig)
{
    struct base b = begin(rig, "noise");
    tap_ok(open_server(rig, "noise.py"), "bug 14: a banner on stdout is skipped");
    tap_ok(echoes(rig, "\"a\"", "a"), "bug 14: text between messages is skipped");
    tap_ok(rig_logged(rig, "Welcome to the server!"), "bug 14: it is logged");
    finish(rig, b);
    b = begin(rig, "endless noise");
    tap_ok(open_server(rig, "noise.py flood"), "a server that will make noise is ready");
    struct rig_answer *first = rig_call(rig, "{}"), *a = rig_call(rig, "{}");
    tap_ok(rig_until(rig, &first->done, 5000) && !first->code, "it answers once");
    tap_ok(rig_until(rig, NULL, 10000), "bug 14: endless noise closes the connection");
    tap_int(il__mcp_error(rig->mcp)->code, IL_LIMIT_EXCEEDED, "as a limit");
    tap_ok(a->done == 1 && a->sent, "what was in flight is lost once");
    tap_ok(rig->log_lines < 150, "noise is logged in bounds (%d lines)", rig->log_lines);
    finish(rig, b);
}

static void test_long_noise(struct rig *rig)
{
    struct base b = begin(rig, "long noise");
    tap_ok(open_server(rig, "noise.py long"), "a server that will make one long noise is ready");
    struct rig_answer *a = rig_call(rig, "{}");
    tap_ok(rig_until(rig, &a->done, 5000) && rig_until(rig, NULL, 5000), "bug 14: noise is bounded in bytes too");
    tap_int(il__mcp_error(rig->mcp)->code, IL_LIMIT_EXCEEDED, "as a limit");
    finish(rig, b);
}

/* mcp_noise_bytes between two messages, and one more. Each answer begins the count again. */
static void test_noise_bytes(struct rig *rig)
{
    char command[40];
    struct base b = begin(rig, "noise of mcp_noise_bytes");
    (void)snprintf(command, sizeof command, "noise.py bytes %d", IL__LIMIT_MCP_NOISE_BYTES);
    tap_ok(open_server(rig, command), "a server that will make noise of mcp_noise_bytes is ready");
    tap_ok(echoes(rig, "\"a\"", "a"), "exactly mcp_noise_bytes are skipped");
    tap_ok(echoes(rig, "\"b\"", "b"), "and as many again after a message");
    finish(rig, b);
    b = begin(rig, "noise of a byte more");
    (void)snprintf(command, sizeof command, "noise.py bytes %d", IL__LIMIT_MCP_NOISE_BYTES + 1);
    tap_ok(open_server(rig, command), "a server that will make a byte more is ready");
    struct rig_answer *a = rig_call(rig, "{}");
    tap_ok(rig_until(rig, &a->done, 5000) && a->code && a->sent, "a byte more than mcp_noise_bytes: the call is lost");
    tap_ok(rig_until(rig, NULL, 5000) && il__mcp_error(rig->mcp)->code == IL_LIMIT_EXCEEDED, "as a limit");
    finish(rig, b);
}

static void test_marks(struct rig *rig)
{
    struct base b = begin(rig, "marks");
    tap_ok(open_server(rig, "marks.py"), "bug 5: a byte order mark before each line, and CR LF behind it");
    tap_ok(echoes(rig, "\"\\ufeffa\"",
                  "\xEF\xBB\xBF"
                  "a"),
           "bug 5: U+FEFF inside a text stays");
    tap_ok(echoes(rig, "\"\\ud83d\\ude00\"", "\xF0\x9F\x98\x80"), "bug 11: a character cut between reads is whole");
    finish(rig, b);
}

static void big(struct rig *rig, int size)
{
    char arguments[64];
    (void)snprintf(arguments, sizeof arguments, "{\"size\":%d}", size);
    struct rig_answer *a = rig_call(rig, arguments);
    bool there = rig_until(rig, &a->done, 15000) && !a->code;
    tap_ok(there && a->text_len == (size_t)size, "bug 10: an answer of %d bytes", size);
}

static void test_big(struct rig *rig)
{
    struct base b = begin(rig, "big answers");
    tap_ok(open_server(rig, "big.py"), "a server of big answers is ready");
    big(rig, 70000);
    big(rig, 1048576);
    big(rig, 10485760);
    struct rig_answer *a = rig_call(rig, "{\"size\":17000000}");
    tap_ok(rig_until(rig, &a->done, 15000), "bug 10: a line past the limit ends its own request");
    tap_int(a->code, IL_LIMIT_EXCEEDED, "as a limit");
    big(rig, 10);
    finish(rig, b);
}

static void test_talker(struct rig *rig)
{
    struct base b = begin(rig, "stderr");
    tap_ok(open_server(rig, "talker.py"), "bug 9: 1 MiB of stderr before the answer does not block");
    tap_ok(echoes(rig, "\"a\"", "a"), "bug 9: nor before a call's answer");
    tap_ok(rig_logged(rig, "a line of the log of this server"), "bug 9: some of it is logged");
    tap_ok(rig->log_lines < 50 * 20, "bug 9: in bounds (%d lines)", rig->log_lines);
    finish(rig, b);
}

static enum il_code holds(void *ctx, struct il_error *err)
{
    const int *good = ctx;
    return *good ? IL_OK : il__fail(err, IL_POLICY_DENIED, "a deny was read");
}

static char *huge(size_t size)
{
    char *text = malloc(size + 64);
    if (!text) abort();
    int n = snprintf(text, size + 64, "{\"text\":\"");
    memset(text + n, 'y', size);
    (void)snprintf(text + n + size, 32, "\"}");
    return text;
}

static struct rig_answer *guarded(struct rig *rig, const char *params, struct il__permit *permit)
{
    return rig_begin(rig, "tools/call", params, 0, 0, permit);
}

/* Each side has 1 MiB to say before it listens. */
static void test_crossing(struct rig *rig)
{
    struct base b = begin(rig, "crossing");
    tap_ok(open_server(rig, "plain.py"), "a server for long texts is ready");
    char *text = huge(1048576), *params = malloc(1048576 + 128);
    if (!params) abort();
    (void)snprintf(params, 1048576 + 128, "{\"name\":\"echo\",\"arguments\":%s}", text);
    struct rig_answer *first = guarded(rig, params, NULL), *second = guarded(rig, params, NULL);
    tap_ok(rig_until(rig, &first->done, 10000) && rig_until(rig, &second->done, 10000), "bug 12: both are answered");
    tap_ok(first->text_len == 1048576 && second->text_len == 1048576, "bug 12: with all of it");
    free(params);
    free(text);
    finish(rig, b);
}

/* SIGPIPE has its default disposition in this program: a write that raised it would be the end. */
static void test_deafened(struct rig *rig)
{
    struct base b = begin(rig, "deafened");
    int good = 1;
    struct il__permit permit = { holds, &good, false };
    tap_ok(!rig_spawn(rig, "dies.py deafened"), "a server that closes its stdin");
    tap_ok(rig_until_state(rig, IL__MCP_READY, 10000), "is ready");
    struct timespec pause = { 0, 200000000 };
    (void)nanosleep(&pause, NULL);
    struct rig_answer *a = guarded(rig, "{\"name\":\"x\"}", &permit);
    tap_ok(rig_until(rig, NULL, 5000), "a write to it closes the connection and raises no signal");
    tap_ok(a->code == IL_TRANSPORT && !a->sent, "what could not be written was not sent: %s",
           a->message);
    finish(rig, b);
}

static void test_deaf(struct rig *rig)
{
    struct base b = begin(rig, "deaf");
    int good = 1;
    struct il__permit first = { holds, &good, false }, second = { holds, &good, false };
    char *text = huge(1048576);
    tap_ok(open_server(rig, "deaf.py later"), "a server that reads nothing more is ready");
    struct rig_answer *a = guarded(rig, text, &first), *c = guarded(rig, "{\"name\":\"x\"}", &second);
    int64_t before = il__clock_us(&rig->clock);
    il__mcp_tick(rig->mcp, 1000);
    tap_ok(il__clock_us(&rig->clock) - before < 1000000, "bug 12: a server that does not read blocks nobody");
    tap_ok(first.spent && !second.spent, "a permit is spent by the first byte, not by waiting");
    good = 0;
    tap_ok(rig_until(rig, &c->done, 3000), "a permit that holds no more ends what waits");
    tap_ok(c->code == IL_POLICY_DENIED && !c->sent && !second.spent, "with what it said, and nothing sent");
    tap_ok(rig_until(rig, &a->done, 3000) && a->sent, "what has half left may have arrived");
    tap_ok(il__mcp_state(rig->mcp) == IL__MCP_CLOSED, "and its rest never leaves: the connection is closed");
    free(text);
    finish(rig, b);

    b = begin(rig, "deaf from the start");
    tap_ok(!rig_spawn(rig, "deaf.py"), "a server that never reads starts");
    a = rig_call(rig, "{}");
    il__mcp_tick(rig->mcp, 1000);
    il__mcp_cancel(rig->mcp, a->id, "enough");
    tap_ok(a->done == 1 && a->code == IL_CANCELLED && !a->sent, "a call that waits for initialize is cancelled unsent");
    finish(rig, b);
}

static void test_deaths(struct rig *rig)
{
    static const struct {
        const char *how, *why;
    } rows[] = { { "status", "ended with status 3" },
                 { "half", "ended with status 3" },
                 { "signal", "was ended by SIGSEGV" } };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char command[64];
        (void)snprintf(command, sizeof command, "dies.py %s", rows[i].how);
        struct base b = begin(rig, command);
        tap_ok(open_server(rig, command), "%s: ready", command);
        struct rig_answer *a = rig_call(rig, "{}");
        tap_ok(rig_until(rig, &a->done, 5000) && a->code == IL_TRANSPORT && a->sent,
               "bug 19: a call whose server dies is lost, not repeated (%s)", rows[i].how);
        tap_ok(strstr(il__mcp_error(rig->mcp)->message, rows[i].why) != NULL, "it says how: %s",
               il__mcp_error(rig->mcp)->message);
        tap_int(rig_call(rig, "{}")->code, IL_TRANSPORT, "a request after the death never begins");
        finish(rig, b);
    }
    struct base b = begin(rig, "dies answered");
    tap_ok(open_server(rig, "dies.py answered"), "ready");
    tap_ok(echoes(rig, "\"last\"", "last"), "the last words of a server are heard");
    tap_ok(rig_until(rig, NULL, 5000), "and then its death");
    finish(rig, b);
    b = begin(rig, "closes");
    tap_ok(!rig_spawn(rig, "dies.py closes"), "a server that closes its streams and lives");
    tap_ok(rig_until_state(rig, IL__MCP_READY, 10000) && rig_until(rig, NULL, 5000), "is a closed connection");
    tap_int(il__mcp_error(rig->mcp)->code, IL_TRANSPORT, "of the transport");
    finish(rig, b);
}

static void test_stubborn(struct rig *rig)
{
    struct base b = begin(rig, "stubborn");
    tap_ok(open_server(rig, "stubborn.py"), "a server that ignores SIGTERM is ready");
    il__mcp_shut(rig->mcp);
    int64_t before = il__clock_us(&rig->clock);
    tap_ok(rig_until(rig, NULL, 8000), "bug 13: it is ended all the same");
    int64_t took = (il__clock_us(&rig->clock) - before) / 1000;
    tap_ok(took > 3500 && took < 6000, "after two steps of 2 s (%lld ms)", (long long)took);
    finish(rig, b);
}

static void test_wrappers(struct rig *rig)
{
    struct base b = begin(rig, "wrapper");
    tap_ok(open_server(rig, " tests/peers/hostile/wrapper.sh"), "a server behind a launcher is ready");
    tap_ok(echoes(rig, "\"a\"", "a"), "and answers");
    finish(rig, b);
    b = begin(rig, "wrapper that leaves");
    tap_ok(open_server(rig, " tests/peers/hostile/wrapper.sh leave"), "a server whose launcher will leave is ready");
    tap_ok(rig_until(rig, NULL, 5000), "bug 13: the death of the launcher is seen, though stdout stays open");
    finish(rig, b);
}

static void test_not_started(struct rig *rig)
{
    static const struct {
        const char *command;
        enum il_code code;
        const char *why;
    } rows[] = { { " no-such-program-here", IL_TRANSPORT, "no such program: no-such-program-here" },
                 { " tests/peers/hostile/no_interpreter", IL_TRANSPORT, "is no program" },
                 { " tests/peers", IL_TRANSPORT, "cannot be started" },
                 { " ", IL_INVALID_REQUEST, "no program is named" },
                 { " 'open", IL_INVALID_REQUEST, "stays open" } };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].code == IL_TRANSPORT && getenv("VALGRIND")) continue; /* whose posix_spawn does not tell */
        struct base b = begin(rig, rows[i].command);
        tap_int(rig_spawn(rig, rows[i].command), rows[i].code, "'%s' does not start", rows[i].command);
        tap_ok(strstr(rig->err.message, rows[i].why) != NULL, "and says why: %s", rig->err.message);
        finish(rig, b);
    }
}

static void test_told(struct rig *rig)
{
    struct base b = begin(rig, "told");
    static const char *const env[] = { "INTERLOCK_GIVEN=yes", "TERM=dumb=1", NULL };
    static const char *const wrong[] = { "=x", NULL };
    struct sigaction old, ignore = { .sa_handler = SIG_IGN };
    (void)setenv("INTERLOCK_TEST_SECRET", "do-not-tell", 1);
    int stray = dup(1);
    (void)sigaction(SIGPIPE, &ignore, &old);
    rig->env = wrong;
    tap_int(rig_spawn(rig, "told.py"), IL_INVALID_REQUEST, "a variable without a name is refused");
    rig->env = env;
    rig->cwd = "/nowhere/at/all";
    il__error_clear(&rig->err);
    if (!getenv("VALGRIND")) {
        tap_int(rig_spawn(rig, " /usr/bin/env"), IL_TRANSPORT, "a directory that is not there: %s", rig->err.message);
        tap_ok(strstr(rig->err.message, "directory") != NULL, "is named as the reason");
    }
    rig->cwd = "tests/peers/hostile";
    tap_ok(open_server(rig, " python3 -SB told.py"), "a server that tells what it got is ready");
    (void)sigaction(SIGPIPE, &old, NULL);
    struct rig_answer *a = rig_call(rig, "{}");
    tap_ok(rig_until(rig, &a->done, 5000) && !a->code, "it tells");
    tap_ok(!strstr(a->text, "do-not-tell") && strstr(a->text, "\"PATH\""), "only the named variables are passed on");
    tap_ok(strstr(a->text, "\"fds\": [0, 1, 2, 3]") != NULL,
           "bug 13: no descriptor but its three (and its look at them)");
    tap_ok(strstr(a->text, "\"INTERLOCK_GIVEN\": \"yes\"") && strstr(a->text, "\"TERM\": \"dumb=1\""),
           "and those configured, which win");
    tap_ok(strstr(a->text, "tests/peers/hostile\"}") != NULL, "it runs where it was told to");
    tap_ok(strstr(a->text, "\"group\": true") != NULL, "bug 13: it leads a group of its own");
    tap_ok(strstr(a->text, "\"blk\": \"0000000000000000\"") != NULL, "no signal is blocked");
    if (!strstr(a->text, "\"fds\": [0, 1, 2, 3]")) tap_note("%s", a->text);
    (void)close(stray);
    (void)unsetenv("INTERLOCK_TEST_SECRET");
    finish(rig, b);
}

/* A host that has closed its own standard streams. */
static void test_no_stdio(struct rig *rig)
{
    struct base b = begin(rig, "no stdio");
    int in = fcntl(0, F_DUPFD_CLOEXEC, 10), err = fcntl(2, F_DUPFD_CLOEXEC, 10);
    (void)close(0);
    (void)close(2);
    bool good = open_server(rig, "plain.py") && echoes(rig, "\"a\"", "a");
    il__mcp_free(rig->mcp);
    (void)dup2(in, 0);
    (void)dup2(err, 2);
    (void)close(in);
    (void)close(err);
    tap_ok(good, "a host without 0 and 2 has servers all the same");
    rig_open(rig, false);
    finish(rig, b);
}

/* Starting with the n-th allocation failing. */
static void test_memory(struct rig *rig)
{
    struct base b = begin(rig, "memory");
    uint64_t n = 0;
    enum il_code code = IL_OUT_OF_MEMORY;
    while (code == IL_OUT_OF_MEMORY && ++n < 100) {
        rig->mem.fail_at = rig->mem.calls + n;
        code = rig_spawn(rig, "plain.py");
    }
    rig->mem.fail_at = 0;
    tap_ok(code == IL_OK && n > 3, "each of %d allocations of a start may fail", (int)n - 1);
    tap_ok(rig_until_state(rig, IL__MCP_READY, 5000), "the start that had them all is ready");
    finish(rig, b);
}

int main(void)
{
    static struct rig rig;
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    test_plain(&rig);
    test_noise(&rig);
    test_long_noise(&rig);
    test_noise_bytes(&rig);
    test_marks(&rig);
    test_big(&rig);
    test_talker(&rig);
    test_crossing(&rig);
    test_deafened(&rig);
    test_deaf(&rig);
    test_deaths(&rig);
    test_stubborn(&rig);
    test_wrappers(&rig);
    test_not_started(&rig);
    test_told(&rig);
    test_no_stdio(&rig);
    test_memory(&rig);
    return tap_done();
}
