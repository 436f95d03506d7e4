/* `interlock evaluate EVENTS.json --expect TRAJECTORY.json`: holds what a session did against what was expected.
 * Uses il_evaluate. Must never soften a verdict: it is the exit status. */
#include "cli/evidence.h"
#include "cli/files.h"
#include "cli/look.h"
#include "cli/report.h"

#include <string.h>

static void show_json(struct il__io *io, bool passed, struct il_str result)
{
    struct il__text text = IL__TEXT_INIT;
    il__text_printf(&text, "{\"ok\":%s,\"evaluation\":", passed ? "true" : "false");
    il__text_str(&text, result);
    il__text_printf(&text, ",\"exitStatus\":%d}\n", passed ? 0 : 9);
    il__out_text(&io->out, &text);
    il__text_clear(&text);
}

/* "trajectory    2 of 3 expected steps, 4 seen; score 0.5" */
static void show_trajectory(struct il__out *out, struct il_str result)
{
    struct il__text line = IL__TEXT_INIT;
    const struct il_str matched = il__look_get(result, "matched"), expected = il__look_get(result, "expected");
    const struct il_str seen = il__look_get(result, "seen"), score = il__look_get(result, "trajectoryScore");
    il__text_printf(&line, "%.*s of %.*s expected steps found among %.*s; score %.*s", (int)matched.len, matched.ptr,
                    (int)expected.len, expected.ptr, (int)seen.len, seen.ptr, (int)score.len, score.ptr);
    il__out_pair(out, "trajectory", IL__TONE_PLAIN, il__text_get(&line));
    il__text_clear(&line);
}

/* Each violation, with the event that it was found at. */
static void show_findings(struct il__out *out, struct il_str findings)
{
    struct il_str finding;
    for (size_t at = 0; il__look_next(findings, &at, NULL, &finding);) {
        struct il__text line = IL__TEXT_INIT;
        il__look_text(&line, il__look_get(finding, "violation"));
        il__text_puts(&line, " (event ");
        il__look_text(&line, il__look_get(finding, "sequence"));
        il__text_puts(&line, ", ");
        il__look_text(&line, il__look_get(finding, "eventId"));
        il__text_puts(&line, ")");
        il__out_pair(out, "violation", IL__TONE_BAD, il__text_get(&line));
        il__text_clear(&line);
    }
}

static void show(struct il__io *io, bool passed, struct il_str result)
{
    static const char *const counts[] = { "mutations", "commits", "observations" };
    enum il__tone tone;
    const char *mark = il__out_mark(&io->out, passed ? IL__MARK_OK : IL__MARK_BAD, &tone);
    il__out_tone(&io->out, tone, il__text_of(mark));
    il__out_wrap(&io->out, " ", 3, IL__TONE_PLAIN,
                 il__text_of(passed ? "passed: it did what was expected, and nothing was violated" : "not passed"));
    show_trajectory(&io->out, result);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        il__out_pair(&io->out, counts[i], IL__TONE_PLAIN, il__look_get(result, counts[i]));
    show_findings(&io->out, il__look_get(result, "findings"));
}

/* An error names what it is about; the file that this stands in goes before it. */
static int refuse(struct il__io *io, bool json, const char *events, const char *expect, const struct il_error *err)
{
    const char *file = strcmp(err->object, "expected trajectory") == 0 ? expect : events;
    return il__report(io, json, file, err, il__evidence_status(err->code));
}

static int judge(const struct il__args *args, struct il__io *io, const char *expect)
{
    struct il__text events = IL__TEXT_INIT, trajectory = IL__TEXT_INIT;
    struct il_text result = IL_TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    const bool json = il__args_json(args);
    bool passed = false;
    int status = il__io_read(io, args->operands[0], &events);
    if (status == 0) status = il__io_read(io, expect, &trajectory);
    if (status == 0) {
        enum il_code code = il_evaluate(il__text_get(&events), il__text_get(&trajectory), &passed, &result, &err);
        if (code != IL_OK) status = refuse(io, json, args->operands[0], expect, &err);
        else if (json) show_json(io, passed, il__evidence_str(&result));
        else show(io, passed, il__evidence_str(&result));
        if (code == IL_OK && !passed) status = 9;
    }
    il_text_clear(&result);
    il__text_clear(&events);
    il__text_clear(&trajectory);
    return status;
}

static int run(const struct il__args *args, struct il__io *io)
{
    const char *expect = il__args_value(args, "expect");
    if (args->operand_count != 1) {
        il__io_error(io, "%s; write 'interlock evaluate EVENTS.json --expect TRAJECTORY.json'",
                     args->operand_count ? "one file of events at a time" : "the file of events is missing");
        return 2;
    }
    if (!expect) {
        il__io_error(io, "--expect FILE is missing: a JSON array of steps, [{\"tool\":\"write_clipboard\"}] for one");
        return 2;
    }
    return judge(args, io, expect);
}

static const struct il__option options[] = {
    { "expect", "FILE", false, "The expected trajectory: a JSON array of {\"tool\", \"arguments\"}, in order." },
    { "format", "text|json", false, "How to print; text is the default." },
};
static const char *const examples[] = {
    "interlock evaluate events.json --expect trajectory.json",
    "interlock session events --session S --runtime mcp+http://127.0.0.1:7331/mcp --format json >events.json",
    NULL,
};
static const char *const exits[] = {
    "0   passed: no violation, and exactly the expected trajectory",
    IL__EXIT_USAGE,
    IL__EXIT_FAILED,
    "9   not passed",
    IL__EXIT_UNDECODABLE,
    NULL,
};

const struct il__command il__command_evaluate = {
    .name = "evaluate",
    .operands = "EVENTS.json",
    .summary = "Hold a session's events against what was expected of it.",
    .about = "Reads session events ('-' is standard input): a JSON array, or a page as a server gives it. Finds "
             "mutations without a lease, commits without start or verification, receipts and mutations that occur "
             "twice, and how much of the expected trajectory the session's tool uses are. A step matches a use of the "
             "same tool that has each of its arguments, among them mode and actionId.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
