/* Every script in tests/attacks against a sandbox with small budgets, on a thread with a small C stack.
 * "same" scripts run in fresh processes (this program again, with arguments), whose outputs must be equal. */
#include "base/buf.h"
#include "box.h"
#include "script/sandbox.h"
#include "script/value.h"
#include "script/view.h"
#include "tap.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WALL_MS = 400, FUEL = 6000000, STACK_BYTES = 192 * 1024, PROCESSES = 5, OUTPUT_MAX = 65536 };

struct attack {
    const char *path;
    struct il_str source;
    struct il__script_result result;
    char value[64];  /* what it returned */
    FILE *print;     /* where its lines go; NULL: nowhere */
    struct il__buf stored;
    double seconds;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void print_line(void *ctx, enum il_log_level level, struct il_str line)
{
    struct attack *a = ctx;
    (void)level;
    if (a->print) fprintf(a->print, "%.*s\n", IL_STR_FMT(line));
}

static void take_value(lua_State *L, void *ctx)
{
    struct attack *a = ctx;
    const char *s = lua_type(L, 1) == LUA_TSTRING ? lua_tostring(L, 1) : "";
    snprintf(a->value, sizeof a->value, "%s", s);
}

/* ---- `core`, the API that the scripts attack
 * -------------------------------------------------------------------------- */

/* transfer { amount = integer, to = text }: gives the amount back; at most 100. */
static int core_transfer(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    il__arg_field(L, 1, "amount");
    int64_t amount = il__arg_int(L, -1, "amount", 1, 100);
    il__arg_field(L, 1, "to");
    struct il_str to = il__arg_str(L, -1, "to");
    luaL_argcheck(L, to.len <= 64, 1, "`to` is too long");
    lua_pushinteger(L, amount);
    return 1;
}

static int core_store(lua_State *L)
{
    struct attack *a = il__sandbox_host(L);
    il__buf_reset(&a->stored);
    il__value_check_json(L, 1, &a->stored, "store");
    return 0;
}

static int open_core(lua_State *L)
{
    static const luaL_Reg functions[] = { { "transfer", core_transfer }, { "store", core_store }, { NULL, NULL } };
    lua_newtable(L);
    luaL_setfuncs(L, functions, 0);
    lua_newtable(L);
    lua_pushinteger(L, 100);
    lua_setfield(L, -2, "max");
    il__sandbox_protect(L, "core.limits");
    lua_setfield(L, -2, "limits");
    il__sandbox_protect(L, "core");
    return 1;
}

static const struct il__module core_module[] = { { .name = { "core", 4 }, .open = open_core } };
static const struct il__modules modules = { core_module, 1, NULL };

/* ---- running -------------------------------------------------------------------------------------------------------
 */

static void run_attack(struct attack *a)
{
    struct il__mem mem;
    struct il__clock clock;
    struct il_error err = IL_ERROR_INIT;
    int ref;
    bool wants_core = strstr(a->path, "100_") == NULL; /* that one asks whether there is a `require` */
    il__mem_init(&mem, NULL, NULL, 0);
    il__clock_init(&clock, NULL, NULL, NULL);
    il__buf_init(&a->stored, &mem, 1 << 21);
    struct il__sandbox_options o = { .mem = &mem, .clock = &clock, .seed = IL_STR("attack"), .log = print_line,
                                     .log_ctx = a, .host = a, .fuel = FUEL, .wall_ms = WALL_MS,
                                     .modules = wants_core ? &modules : NULL };
    double start = now();
    struct il__sandbox *sb = il__sandbox_open(&o, &err);
    if (!sb) {
        snprintf(a->value, sizeof a->value, "ESCAPED: not opened");
        return;
    }
    if (il__sandbox_load(sb, "attack.lua", a->source, &ref, &a->result) == IL__SCRIPT_RETURNED) {
        if (il__sandbox_start(sb, ref, &a->result) == IL__SCRIPT_RETURNED)
            (void)il__sandbox_resume(sb, NULL, take_value, a, &a->result);
    } else if (a->result.end == IL__SCRIPT_ERROR) {
        snprintf(a->value, sizeof a->value, "rejected");
    }
    a->seconds = now() - start;
    il__sandbox_close(sb);
    il__buf_clear(&a->stored);
    tap_ok(mem.in_use_bytes == 0, "%s: every byte came back", a->path);
}

static void *on_thread(void *arg)
{
    run_attack(arg);
    return NULL;
}

/* On a C stack of 192 KiB: deeper nests than the limit of the sandbox would end the process. */
static void run_small(struct attack *a)
{
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    if (pthread_create(&thread, &attr, on_thread, a) != 0) run_attack(a);
    else pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
}

static const char *outcome(const struct attack *a)
{
    if (strcmp(a->value, "rejected") == 0) return "reject";
    switch (a->result.end) {
    case IL__SCRIPT_RETURNED: return strncmp(a->value, "ESCAPED", 7) == 0 ? "escaped" : "safe";
    case IL__SCRIPT_ERROR: return "error";
    case IL__SCRIPT_KILLED: return "kill";
    case IL__SCRIPT_YIELDED: break;
    }
    return "yielded";
}

static bool expectation(const char *bytes, char out[16])
{
    const char *at = bytes[0] == '\x1b' ? NULL : strstr(bytes, "[expect=");
    if (bytes[0] == '\x1b') {
        snprintf(out, 16, "reject");
        return true;
    }
    return at && sscanf(at, "[expect=%15[a-z]]", out) == 1;
}

/* ---- fresh processes
 * ------------------------------------------------------------------------------------------------- */

static const char *self;

/* Runs this program with --one PATH LOCALE and reads what it prints. */
static size_t run_process(const char *path, const char *locale, char *out)
{
    int pipe_fd[2];
    if (pipe(pipe_fd) != 0) return 0;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(pipe_fd[1], STDOUT_FILENO);
        close(pipe_fd[0]);
        close(pipe_fd[1]);
        execl(self, self, "--one", path, locale, (char *)NULL);
        _exit(127);
    }
    close(pipe_fd[1]);
    size_t len = 0;
    for (;;) {
        ssize_t n = read(pipe_fd[0], out + len, OUTPUT_MAX - 1 - len);
        if (n <= 0) break;
        len += (size_t)n;
    }
    close(pipe_fd[0]);
    waitpid(pid, NULL, 0);
    out[len] = '\0';
    return len;
}

static int print_one(const char *path, const char *locale)
{
    struct attack a = { .path = path, .print = stdout };
    char *bytes = tap_slurp(path, &a.source.len);
    setlocale(LC_ALL, locale);
    a.source.ptr = bytes;
    run_attack(&a);
    setlocale(LC_ALL, "C");
    printf("end %d %s:%d %s\n", (int)a.result.end, a.result.file, a.result.line, a.result.text);
    free(bytes);
    return 0;
}

static void check_same(const char *path)
{
    static const char *const locales[PROCESSES] = { "C", "C.UTF-8", "de_DE.UTF-8", "tr_TR.UTF-8", "C" };
    char *first = malloc(OUTPUT_MAX), *other = malloc(OUTPUT_MAX);
    size_t len = run_process(path, locales[0], first);
    bool same = len > 0 && strstr(first, "end 0") != NULL;
    for (int i = 1; i < PROCESSES; i++) {
        run_process(path, locales[i], other);
        if (strcmp(first, other) != 0) {
            same = false;
            tap_note("%s: %s", locales[i], other);
        }
    }
    if (!tap_ok(same, "%s: the same output in %d processes", path, PROCESSES)) tap_note("C: %s", first);
    free(first);
    free(other);
}

static void check_attack(void *ctx, const char *path, const char *bytes, size_t len)
{
    struct attack a = { .path = path, .source = { bytes, len } };
    char expect[16] = "";
    (void)ctx;
    if (!tap_ok(expectation(bytes, expect), "%s says what it expects", path)) return;
    if (strcmp(expect, "same") == 0) {
        check_same(path);
        return;
    }
    run_small(&a);
    const char *got = outcome(&a);
    bool gap = strcmp(expect, "gap") == 0, contained = strcmp(expect, "contained") == 0;
    bool held =
        gap || contained ? strcmp(got, "escaped") != 0 && strcmp(got, "yielded") != 0 : strcmp(got, expect) == 0;
    if (!strcmp(expect, "safe")) held = held && strcmp(a.value, "SAFE") == 0;
    if (!tap_ok(held, "%s: expected %s, got %s", path, expect, got))
        tap_note("%s:%d: %s (value '%s')", a.result.file, a.result.line, a.result.text, a.value);
    tap_ok(a.seconds < (WALL_MS / 1000.0 + 0.6) * box_slowness(), "%s: over in time (%.2f s)", path, a.seconds);
}

int main(int argc, char **argv)
{
    self = argv[0];
    if (argc == 4 && strcmp(argv[1], "--one") == 0) return print_one(argv[2], argv[3]);
    tap_each("tests/attacks", ".lua", check_attack, NULL);
    return tap_done();
}
