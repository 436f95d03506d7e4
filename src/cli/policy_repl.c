/* `interlock policy repl`: a case that is changed line by line and judged again. From a terminal with a prompt, from a
 * pipe without; every line is bounded. Uses policy_bench.h and policy_case.h. Must never keep a change that the library
 * refuses. */
#include "cli/files.h"
#include "cli/policy_bench.h"
#include "cli/policy_case.h"
#include "cli/report.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct session {
    struct il__io *io;
    const struct il__args *args;
    struct il__bench bench;
    struct il__text doc;  /* the case */
    bool trace, over, prompts;
    size_t refused;       /* lines */
};

static void refuse(struct session *s, const char *why)
{
    s->refused++;
    il__io_note(s->io, "%s", why);
}

static void report(struct session *s, const struct il_error *err)
{
    struct il__text line = IL__TEXT_INIT, safe = IL__TEXT_INIT;
    s->refused++;
    il__report_line(&line, err);
    il__text_escaped(&safe, il__text_get(&line));
    il__io_note(s->io, "%s", safe.ptr ? safe.ptr : "out of memory");
    il__text_clear(&line);
    il__text_clear(&safe);
}

/* `next` becomes the case when it can be judged. */
static void accept(struct session *s, struct il__text *next)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_str result;
    if (next->failed) refuse(s, "out of memory");
    else if (il_policy_eval(s->bench.policy, il__text_get(next), 0, &result, &err) != IL_OK) report(s, &err);
    else {
        struct il__text swap = s->doc;
        s->doc = *next;
        *next = swap;
    }
    il__text_clear(next);
}

static struct il_str trim(struct il_str s)
{
    while (s.len && strchr(" \t\r\n", s.ptr[0])) s = (struct il_str){ s.ptr + 1, s.len - 1 };
    while (s.len && strchr(" \t\r\n", s.ptr[s.len - 1])) s.len--;
    return s;
}

/* The first word; `rest` is what is behind it. */
static struct il_str word(struct il_str s, struct il_str *rest)
{
    size_t n = 0;
    while (n < s.len && !strchr(" \t", s.ptr[n])) n++;
    *rest = trim((struct il_str){ s.ptr + n, s.len - n });
    return (struct il_str){ s.ptr, n };
}

static void set_value(struct session *s, const char *lead, struct il_str path, struct il_str value, bool text)
{
    struct il__text next = IL__TEXT_INIT, json = IL__TEXT_INIT, full = IL__TEXT_INIT;
    il__text_str(&next, il__text_get(&s->doc));
    il__text_puts(&full, lead);
    il__text_str(&full, path);
    if (text && value.len) il__text_json(&json, value);
    else if (value.len) il__case_value(&json, value);
    if (il__case_set(&next, il__text_get(&full), il__text_get(&json))) accept(s, &next);
    else refuse(s, "a member is written as action.target.app_id, of at most 8 names");
    il__text_clear(&next);
    il__text_clear(&json);
    il__text_clear(&full);
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

static void do_at(struct session *s, struct il_str rest)
{
    set_value(s, "", il__text_of("at"), rest, true);
}

static void do_phase(struct session *s, struct il_str rest)
{
    set_value(s, "", il__text_of("phase"), il__text_same(rest, "all") ? (struct il_str){ NULL, 0 } : rest, true);
}

static void do_limit(struct session *s, struct il_str rest)
{
    struct il_str used, key = word(rest, &used);
    struct il__text next = IL__TEXT_INIT, limits = IL__TEXT_INIT;
    if (!key.len || !used.len) {
        refuse(s, "write: limit KEY UNITS, as in: limit edits 3");
        return;
    }
    /* A key may hold dots, so it is no path. */
    il__text_puts(&limits, "{");
    il__text_json(&limits, key);
    il__text_puts(&limits, ":");
    il__case_value(&limits, used);
    il__text_puts(&limits, "}");
    il__text_str(&next, il__text_get(&s->doc));
    if (il__case_merge(&next, "limits", il__text_get(&limits))) accept(s, &next);
    else refuse(s, "out of memory");
    il__text_clear(&next);
    il__text_clear(&limits);
}

static void do_history(struct session *s, struct il_str rest)
{
    struct il__text next = IL__TEXT_INIT, item = IL__TEXT_INIT;
    struct il_str outcome = word(rest, &rest), more;
    if (il__text_same(outcome, "none") || !outcome.len) {
        set_value(s, "", il__text_of("history"), outcome.len ? il__text_of("[]") : outcome, false);
        return;
    }
    il__text_puts(&item, "{\"outcome\":");
    il__text_json(&item, outcome);
    while (rest.len) {
        more = word(rest, &rest);
        const char *equals = memchr(more.ptr, '=', more.len);
        struct il_str value = more;
        il__text_puts(&item, ",");
        if (equals) il__text_json(&item, (struct il_str){ more.ptr, (size_t)(equals - more.ptr) });
        else il__text_puts(&item, "\"ago\"");
        if (equals) value = (struct il_str){ equals + 1, (size_t)(more.ptr + more.len - equals - 1) };
        il__text_puts(&item, ":");
        il__text_json(&item, value);
    }
    il__text_puts(&item, "}");
    il__text_str(&next, il__text_get(&s->doc));
    if (il__case_add(&next, il__text_of("history"), il__text_get(&item))) accept(s, &next);
    else refuse(s, "out of memory");
    il__text_clear(&next);
    il__text_clear(&item);
}

static void do_unset(struct session *s, struct il_str rest)
{
    set_value(s, "", rest, (struct il_str){ NULL, 0 }, false);
}

static void do_eval(struct session *s, struct il_str rest)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_str result;
    (void)rest;
    if (il_policy_eval(s->bench.policy, il__text_get(&s->doc), s->trace ? IL_POLICY_TRACE : 0, &result, &err) != IL_OK)
        report(s, &err);
    else il__bench_print(&s->bench, &s->io->out, result);
}

static void do_trace(struct session *s, struct il_str rest)
{
    if (il__text_same(rest, "on")) s->trace = true;
    else if (il__text_same(rest, "off")) s->trace = false;
    else refuse(s, "write: trace on, or: trace off");
}

static void do_load(struct session *s, struct il_str rest)
{
    struct il__text document = IL__TEXT_INIT, next = IL__TEXT_INIT;
    char path[1024], why[512];
    if (!rest.len || rest.len >= sizeof path || il__text_same(rest, "-")) {
        refuse(s, "write: load FILE, with an action or a case in it");
        return;
    }
    memcpy(path, rest.ptr, rest.len);
    path[rest.len] = '\0';
    if (il__file_read(path, &document, why, sizeof why) != 0) {
        refuse(s, why);
    } else {
        il__case_begin(&next, trim(il__text_get(&document)));
        accept(s, &next);
    }
    il__text_clear(&document);
    il__text_clear(&next);
}

static void do_show(struct session *s, struct il_str rest)
{
    (void)rest;
    il__out_write(&s->io->out, il__text_get(&s->doc));
    il__out_puts(&s->io->out, "\n");
}

static void do_reload(struct session *s, struct il_str rest)
{
    struct il__bench fresh;
    (void)rest;
    if (il__bench_open(s->io, s->args, true, &fresh) != 0) {
        s->refused++;
        il__bench_close(&fresh);
        return;
    }
    il__bench_close(&s->bench);
    s->bench = fresh;
}

static void do_quit(struct session *s, struct il_str rest)
{
    (void)rest;
    s->over = true;
}

static void do_help(struct session *s, struct il_str rest);

static const struct {
    const char *name, *usage, *about;
    void (*run)(struct session *s, struct il_str rest);
} verbs[] = {
    { "eval", "eval", "judge the case", do_eval },
    { "at", "at 2026-03-01T20:00:00Z", "the time that policies are told", do_at },
    { "phase", "phase preview", "one phase alone; `phase all`: all in order", do_phase },
    { "history", "history failed 5m tool=x", "one more earlier run; `history none`: no run", do_history },
    { "limit", "limit KEY 3", "units of a limit that are used", do_limit },
    { "unset", "unset action.target", "take a member out", do_unset },
    { "trace", "trace on", "show which values policies look at", do_trace },
    { "load", "load FILE", "another action or case", do_load },
    { "reload", "reload", "read the bundles again", do_reload },
    { "show", "show", "the case as JSON", do_show },
    { "help", "help", "this list", do_help },
    { "quit", "quit", "end", do_quit },
};

static void do_help(struct session *s, struct il_str rest)
{
    struct il__text text = IL__TEXT_INIT;
    (void)rest;
    il__text_printf(&text, "  %-30s %s\n", "action.tool = \"mail\"", "set a member of the case: JSON, or a plain text");
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        il__text_printf(&text, "  %-30s %s\n", verbs[i].usage, verbs[i].about);
    il__out_text(&s->io->out, &text);
    il__text_clear(&text);
}

static void unknown(struct session *s, struct il_str name)
{
    const char *names[sizeof verbs / sizeof *verbs];
    char shown[64];
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) names[i] = verbs[i].name;
    size_t len = name.len < sizeof shown ? name.len : sizeof shown - 1;
    memcpy(shown, name.ptr, len);
    shown[len] = '\0';
    const char *near = il__nearest(shown, names, sizeof verbs / sizeof *verbs);
    s->refused++;
    if (near) il__io_note(s->io, "there is no '%s'; did you mean '%s'?", shown, near);
    else il__io_note(s->io, "there is no '%s'; 'help' lists what there is", shown);
}

/* "action.target.app_id = x": names and dots before the sign. */
static bool assignment(struct session *s, struct il_str line)
{
    const char *equals = memchr(line.ptr, '=', line.len);
    if (!equals) return false;
    struct il_str path = trim((struct il_str){ line.ptr, (size_t)(equals - line.ptr) });
    struct il_str value = trim((struct il_str){ equals + 1, (size_t)(line.ptr + line.len - equals - 1) });
    if (!path.len || memchr(path.ptr, ' ', path.len)) return false;
    set_value(s, "", path, value, false);
    return true;
}

static void take_line(struct session *s, struct il_str line)
{
    struct il_str rest, name = word(line, &rest);
    if (!line.len || line.ptr[0] == '#') return;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (!il__text_same(name, verbs[i].name) || (rest.len && rest.ptr[0] == '=')) continue;
        verbs[i].run(s, rest);
        return;
    }
    if (!assignment(s, line)) unknown(s, name);
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

enum { LINE_BYTES = 65536 };

static void loop(struct session *s)
{
    struct il__text line = IL__TEXT_INIT;
    int c = 0;
    while (!s->over && c != EOF && !s->io->out.lost) {
        if (s->prompts) il__out_puts(&s->io->out, "> ");
        if (fflush(s->io->out.file) != 0 && !s->io->out.lost) s->io->out.lost = errno ? errno : EIO;
        il__text_reset(&line);
        size_t len = 0;
        while ((c = getc(stdin)) != EOF && c != '\n') {
            char byte = (char)c;
            if (len++ < LINE_BYTES) il__text_add(&line, &byte, 1);
        }
        if (len > LINE_BYTES) refuse(s, "the line is longer than 65536 bytes");
        else take_line(s, trim(il__text_get(&line)));
    }
    if (s->prompts && c == EOF) il__out_puts(&s->io->out, "\n");
    il__text_clear(&line);
}

static int begin(struct session *s, const char *path)
{
    struct il__text document = IL__TEXT_INIT;
    int status = 0;
    if (!path) {
        il__text_puts(&s->doc, "{\"action\":{\"tool\":\"example\"}}");
        return 0;
    }
    status = il__io_read(s->io, path, &document);
    if (status == 0) {
        struct il__text next = IL__TEXT_INIT;
        il__case_begin(&next, trim(il__text_get(&document)));
        accept(s, &next);
        if (s->refused) status = 65;
    }
    il__text_clear(&document);
    return status;
}

static int run(const struct il__args *args, struct il__io *io)
{
    struct session s;
    memset(&s, 0, sizeof s);
    s.io = io;
    s.args = args;
    s.prompts = isatty(STDIN_FILENO) == 1 && io->out.tty;
    if (args->operand_count > 1 || (args->operand_count && strcmp(args->operands[0], "-") == 0)) {
        il__io_error(io, "name at most one file to begin with; standard input holds the lines");
        return 2;
    }
    int status = il__bench_open(io, args, true, &s.bench);
    if (status == 0) status = begin(&s, args->operand_count ? args->operands[0] : NULL);
    if (status == 0) {
        if (s.prompts) il__out_puts(&io->out, "A case for policies; 'help' lists what can be said, 'quit' ends.\n");
        loop(&s);
        if (s.refused && !s.prompts) status = 1;
    }
    il__text_clear(&s.doc);
    il__bench_close(&s.bench);
    return status;
}

static const struct il__option options[] = {
    IL__BUNDLE_OPTIONS,
    IL__CONFIG_OPTIONS,
};
static const char *const examples[] = {
    "interlock policy repl --policy policies/office-hours",
    "printf 'at 2026-03-01T20:00:00Z\\neval\\n' | interlock policy repl action.json --policy policies/office-hours",
    NULL,
};
static const char *const exits[] = {
    "0   it was ended",
    "1   a line of a pipe was refused",
    IL__EXIT_USAGE,
    IL__EXIT_POLICY,
    IL__EXIT_FAILED,
    "65  the file is no action or case, or is too large",
    NULL,
};

const struct il__command il__command_policy_repl = {
    .name = "policy repl",
    .operands = "[FILE]",
    .summary = "Try policies on a case that you change line by line.",
    .about = "Begins with the action or case in FILE, or with a small one. A line sets a member (action.tool "
             "= \"mail\"), "
             "the time, history or limits; 'eval' says what the policies make of it; 'help' lists the rest. A change "
             "that "
             "makes no case is refused, with what may be meant.\n"
             "Lines may come from a pipe: then there is no prompt, and a refused line makes the status 1.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
