/* The crash matrix (crash.h): every workflow over every runtime, killed at every place, each time gone on with in a new
 * process until the run has ended. Then: at most one effect, told as it is; what was held is given back or reported;
 * the journal verifies; no process is left. Prints one table; its status says whether all of that held. */
#include "crash.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COLUMNS_MAX = 24, LIVES_MAX = 12, POINTS_MAX = 600, STATUSES = 12 };

struct column {
    struct scene scene;
    int cut[ROWS], bad[ROWS];
    int ended[STATUSES], cuts, wrong, lives;
    int64_t ms;
    pid_t server;
    int leash;
};

static const char *const STATUS[STATUSES] = { "completed", "committed_unverified", "verification_failed", "previewed",
                                              "blocked", "denied", "expired", "refused", "cancelled", "failed",
                                              "indeterminate", "never begun" };
static struct paths paths;
static int reports;

/* ---- processes ---- */

static int count_children(void)
{
    char path[64], text[400] = "";
    int n = 0;
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    if (fgets(text, sizeof text, file))
        for (const char *at = text; (at = strchr(at, ' ')); at++) n++;
    (void)fclose(file);
    return n;
}

/* Whatever the dead left behind ends by itself: a server whose input is closed. */
static bool orphans_end(int own)
{
    int64_t until = crash_now_ms() + 20000;
    while (count_children() > own) {
        if (waitpid(-1, NULL, WNOHANG) > 0) continue;
        if (crash_now_ms() > until) return false;
        usleep(2000);
    }
    return true;
}

enum job { START, RESUME, SUBMIT, SHOW, NEXT };

static enum end do_job(const struct scene *scene, enum job job)
{
    switch (job) {
    case START: return life_run(scene, &paths, false);
    case RESUME: return life_run(scene, &paths, true);
    case SUBMIT: return life_submit(&paths);
    case SHOW: return life_show(&paths);
    case NEXT: return life_next(scene, &paths);
    }
    return LIFE_BROKE;
}

static int spawn(const struct scene *scene, enum job job)
{
    int status = -1;
    (void)fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        _exit((int)do_job(scene, job));
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return status;
}

/* ---- servers ---- */

static bool serve(struct column *c)
{
    int in[2], out[2];
    char command[700], line[600] = "", url[300];
    size_t len = 0;
    if (pipe(in) || pipe(out)) return false;
    (void)snprintf(command, sizeof command,
                   "exec node --require ./tests/peers/loopback.cjs tests/peers/computer-use.mjs "
                   "--rules 20002ace --http --leash --rate 100000 --world %s --token %s=operator-1%s%s", paths.world,
                   c->scene.token, c->scene.durable ? " --state " : "", c->scene.durable ? paths.state : "");
    c->server = fork();
    if (c->server == 0) {
        (void)dup2(in[0], 0);
        (void)dup2(out[1], 1);
        for (int fd = 3; fd < 64; fd++) close(fd);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    c->leash = in[1];
    while (len + 1 < sizeof line && read(out[0], line + len, 1) == 1 && line[len] != '\n') len++;
    close(out[0]);
    if (!crash_member((struct il_str){ line, len }, "url", url, sizeof url)) return false;
    (void)snprintf(c->scene.endpoint, sizeof c->scene.endpoint, "mcp+%s", url);
    return true;
}

static void unserve(struct column *c)
{
    if (c->server <= 0) return;
    close(c->leash);
    (void)kill(c->server, SIGKILL);
    (void)waitpid(c->server, NULL, 0);
    c->server = 0;
}

static bool fresh(struct column *c)
{
    memset(fate, 0, sizeof *fate);
    unserve(c);
    crash_clean(&paths);
    if (mkdir(paths.dir, 0700)) return false;
    if (c->scene.kind == WORLD_HTTP) return serve(c);
    if (c->scene.kind == WORLD_STDIO)
        (void)snprintf(c->scene.endpoint, sizeof c->scene.endpoint,
                       "stdio:node --require ./tests/peers/loopback.cjs tests/peers/computer-use.mjs --rules 20002ace "
                       "--principal operator-1 --world %s%s%s", paths.world, c->scene.durable ? " --state " : "",
                       c->scene.durable ? paths.state : "");
    return true;
}

/* ---- what must hold ---- */

static const char *text_of(const json_t *doc, const char *outer, const char *name)
{
    const json_t *from = outer ? json_object_get(doc, outer) : doc;
    const char *text = json_string_value(json_object_get(from, name));
    return text ? text : "";
}

static int status_at(const char *name)
{
    for (int i = 0; i < STATUSES; i++)
        if (strcmp(STATUS[i], name) == 0) return i;
    return -1;
}

static const char *honest(const json_t *doc, int effects)
{
    const char *effect = text_of(doc, NULL, "effect"), *status = text_of(doc, "result", "status");
    const int exit_status = fate->exit_status;
    const bool unknown = strcmp(effect, "unknown") == 0;
    if (effects > 1) return "more than one effect";
    if (!*effect) return "the document says nothing of an effect";
    if (strcmp(effect, "none") == 0 && effects != 0) return "none, but it acted";
    if (strcmp(effect, "committed") == 0 && effects != 1) return "committed, but nothing was done";
    if (unknown != (strcmp(status, "indeterminate") == 0)) return "the status hides the effect";
    if (exit_status >= 0 && unknown != (exit_status == 7)) return "the exit status hides it";
    return NULL;
}

/* The world's holds, or the report of them. A server that lives on does not tell: the next run gets what it needs. */
static const char *given_back(struct column *c, const struct count *n, const json_t *doc)
{
    const json_t *error = json_object_get(doc, "error");
    const char *message = text_of(doc, "error", "message");
    bool said = json_object_get(error, "cleanup") || strstr(message, "perhaps held until") ||
                json_is_true(json_object_get(doc, "releaseFailed"));
    if ((n->leases > 0 || n->targets > 0) && !said) return "something is held, and nobody says so";
    if (c->scene.kind == WORLD_HTTP && !said && spawn(&c->scene, NEXT) != LIFE_ENDED << 8)
        return "the next run does not get what this one should have given back";
    return NULL;
}

static const char *judge(struct column *c, const char **status)
{
    static char why[TEXT + 100];
    if (c->scene.kind == WORLD_HTTP) usleep(100000); /* what still goes on at the server, ends */
    struct count n = world_count(paths.world, *fate->action ? fate->action : "{");
    int shown = spawn(&c->scene, SHOW);
    if (!WIFEXITED(shown) || (*fate->run_id && WEXITSTATUS(shown) == LIFE_REFUSED)) {
        (void)snprintf(why, sizeof why, "the journal does not verify: %s", fate->message);
        return why;
    }
    if (!*fate->run_id || WEXITSTATUS(shown) == LIFE_WAITS) {
        *status = "never begun";
        return n.effects + n.leases + n.targets ? "nothing in the store, but something was done" : NULL;
    }
    json_t *doc = json_loads(fate->document, 0, NULL);
    if (!doc) return "the document cannot be read";
    int at = status_at(text_of(doc, "result", "status"));
    *status = at < 0 ? "?" : STATUS[at];
    const char *bad = at < 0 ? "the run has not ended" : honest(doc, n.effects);
    if (!bad) bad = given_back(c, &n, doc);
    json_decref(doc);
    return bad;
}

/* ---- one run, cut once ---- */

/* Life after life until it has ended; an answer is left whenever it waits. */
static const char *live(struct column *c)
{
    static char why[TEXT + 100];
    enum job job = START;
    const int own = c->server > 0 ? 1 : 0;
    for (int i = 0; i < LIVES_MAX; i++) {
        int status = spawn(&c->scene, job);
        c->lives++;
        if (!orphans_end(own)) return "a process is left behind";
        bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        enum end end = WIFEXITED(status) ? (enum end)WEXITSTATUS(status) : LIFE_BROKE;
        if (killed && job == START && spawn(&c->scene, SHOW) == LIFE_WAITS << 8) return NULL; /* never begun */
        if (killed) job = job == SUBMIT ? SUBMIT : RESUME;
        else if (end == LIFE_REFUSED && strcmp(fate->field, "state") == 0) return NULL; /* it had ended */
        else if (end == LIFE_ENDED && job != SUBMIT) return NULL;
        else if (end == LIFE_ENDED) job = RESUME;
        else if (end == LIFE_WAITS) job = SUBMIT;
        else {
            (void)snprintf(why, sizeof why, "a life did not go on: %s (status %x)", fate->message, (unsigned)status);
            return why;
        }
    }
    return "it never ends";
}

static void cut_at(struct column *c, int at)
{
    const char *status = "?";
    int64_t begun = crash_now_ms();
    const char *bad = fresh(c) ? NULL : "no server";
    fate->kill_at = at;
    fate->exit_status = -1;
    if (!bad) bad = live(c);
    if (!bad) bad = judge(c, &status);
    c->ms += crash_now_ms() - begun;
    int which = status_at(status);
    if (which >= 0) c->ended[which]++;
    c->cuts += fate->killed;
    c->cut[fate->row] += fate->killed;
    if (!bad && !fate->killed && strcmp(status, "completed") != 0 && strcmp(status, "committed_unverified") != 0)
        bad = "uncut it is not done in the end";
    if (getenv("CRASH_TRACE"))
        printf("# %s, %d: row %d %s: %s %s\n", c->scene.name, at, fate->row, fate->after ? "after" : "before", status,
               bad ? bad : "");
    if (!bad) return;
    c->wrong++;
    if (fate->killed) c->bad[fate->row]++;
    if (reports++ < 20)
        printf("! %s, cut at %d: %s (%s; %s)\n  %.600s\n", c->scene.name, at, bad, status,
               fate->message, fate->document);
}

/* ---- the table ---- */

static const char *row_name(int row, char out[64])
{
    static const char *const kinds[] = {
#define X(name, text) text,
        CUTS(X)
#undef X
    };
    int kind = row / (IL_OP_COUNT + 1), op = row % (IL_OP_COUNT + 1);
    const char *of = op < IL_OP_COUNT ? il_op_name((enum il_op)op) : kind == CUT_HEARD ? "any (taken)" : "";
    (void)snprintf(out, 64, "%s%s%s", of, *of ? ": " : "", kinds[kind]);
    return out;
}

static void rule(size_t count)
{
    printf("%-32s", "");
    for (size_t i = 0; i < count; i++) printf(" %5s", "-----");
    printf("\n");
}

static void print_rows(const struct column *c, size_t count)
{
    char name[64];
    for (int row = 0; row < ROWS; row++) {
        int any = 0;
        for (size_t i = 0; i < count; i++) any += c[i].cut[row];
        if (!any) continue;
        printf("%-32.32s", row_name(row, name));
        for (size_t i = 0; i < count; i++) {
            if (c[i].bad[row]) printf(" %2d!%-2d", c[i].cut[row], c[i].bad[row]);
            else if (c[i].cut[row]) printf(" %5d", c[i].cut[row]);
            else printf(" %5s", ".");
        }
        printf("\n");
    }
}

static void print_ends(const struct column *c, size_t count)
{
    for (int s = 0; s < STATUSES; s++) {
        int any = 0;
        for (size_t i = 0; i < count; i++) any += c[i].ended[s];
        if (!any) continue;
        printf("%-32.32s", STATUS[s]);
        for (size_t i = 0; i < count; i++) printf(" %5d", c[i].ended[s]);
        printf("\n");
    }
}

static int print_table(const struct column *c, size_t count)
{
    int wrong = 0, cuts = 0, lives = 0;
    printf("\nRuns killed with SIGKILL at, and gone on with in a new process:\n");
    for (size_t i = 0; i < count; i++)
        printf("  %c  %s (%.1f s)\n", (char)('A' + i), c[i].scene.name, (double)c[i].ms / 1000);
    printf("\n%-32s", "place");
    for (size_t i = 0; i < count; i++) printf(" %5c", (char)('A' + i));
    printf("\n");
    rule(count);
    print_rows(c, count);
    rule(count);
    print_ends(c, count);
    rule(count);
    printf("%-32s", "wrong");
    for (size_t i = 0; i < count; i++) {
        printf(" %5d", c[i].wrong);
        wrong += c[i].wrong;
        cuts += c[i].cuts;
        lives += c[i].lives;
    }
    printf("\n\n%d cuts, %d lives, %d wrong\n", cuts, lives, wrong);
    return wrong;
}

/* ---- all of them ---- */

static const struct { const char *name, *path; enum world_kind kind; bool asks, durable; } COLUMNS[] = {
    { "reference, in-process", "lua/workflows/reference.lua", WORLD_PLAIN, false, false },
    { "reordered, in-process", "examples/reordered/workflow.lua", WORLD_PLAIN, false, false },
    { "reference, in-process, approved elsewhere", "lua/workflows/reference.lua", WORLD_PLAIN, true, false },
    { "reordered, in-process, approved elsewhere", "examples/reordered/workflow.lua", WORLD_PLAIN, true, false },
    { "reference, in-process, approved elsewhere, knows what it did", "lua/workflows/reference.lua", WORLD_KNOWS, true,
      false },
    { "reference, stdio", "lua/workflows/reference.lua", WORLD_STDIO, false, false },
    { "reordered, stdio", "examples/reordered/workflow.lua", WORLD_STDIO, false, false },
    { "unseen, stdio, everything durable", "tests/crash/unseen.lua", WORLD_STDIO, false, true },
    { "reference, http", "lua/workflows/reference.lua", WORLD_HTTP, false, false },
    { "reordered, http", "examples/reordered/workflow.lua", WORLD_HTTP, false, false },
    { "unseen, http, everything durable", "tests/crash/unseen.lua", WORLD_HTTP, false, true },
};

static size_t columns(struct column *c, const char *part)
{
    size_t n = 0;
    for (size_t i = 0; i < sizeof COLUMNS / sizeof *COLUMNS; i++) {
        if (part && !strstr(COLUMNS[i].name, part)) continue;
        c[n].scene = (struct scene){ .name = COLUMNS[i].name, .workflow_path = COLUMNS[i].path,
                                     .kind = COLUMNS[i].kind, .asks = COLUMNS[i].asks, .durable = COLUMNS[i].durable };
        if (c[n].scene.kind == WORLD_HTTP)
            (void)snprintf(c[n].scene.token, sizeof c[n].scene.token, "abcdefghijklmnopqrstuvwxyz");
        n++;
    }
    return n;
}

/* crash matrix [STRIDE [MCP_STRIDE [COLUMN]]]: every STRIDE-th place, with servers every MCP_STRIDE-th. */
int matrix_main(int argc, char **argv)
{
    static struct column c[COLUMNS_MAX];
    int stride = argc > 0 ? (int)strtol(argv[0], NULL, 10) : 1;
    int far = argc > 1 ? (int)strtol(argv[1], NULL, 10) : stride;
    size_t count = columns(c, argc > 2 ? argv[2] : NULL);
    crash_paths(&paths, "matrix", false);
    fate = crash_shared(sizeof *fate);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1)) return 1;
    for (size_t i = 0; i < count; i++) {
        char *source = crash_slurp(c[i].scene.workflow_path);
        bool server = c[i].scene.kind == WORLD_STDIO || c[i].scene.kind == WORLD_HTTP;
        int step = server ? far : stride;
        c[i].scene.workflow = source;
        for (int at = 1 + (int)(i * 11) % step; at < POINTS_MAX; at += step) {
            cut_at(&c[i], at);
            if (!fate->killed) break;
        }
        unserve(&c[i]);
        free(source);
    }
    crash_clean(&paths);
    return print_table(c, count) ? 1 : 0;
}
