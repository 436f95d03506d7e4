/* `interlock policy test [DIR]...`: finds bundles, runs the cases of their test files, reports in four forms. The tests
 * are il_policy_test; the forms are in policy_test_report.c. Must never count what could not be run as passed. */
#include "cli/policy.h"
#include "cli/policy_test_mutate.h"
#include "cli/policy_test_report.h"
#include "cli/policy_test_watch.h"
#include "cli/report.h"

#include <string.h>

struct wanted {
    const char *pattern;
    bool coverage;
    int threshold; /* -1: none */
};

/* 0 to 100, or -1. */
static int read_percent(const char *text)
{
    int n = 0;
    size_t i = 0;
    for (; text[i] >= '0' && text[i] <= '9' && i < 3; i++) n = n * 10 + (text[i] - '0');
    return text[i] || i == 0 || n > 100 ? -1 : n;
}

/* What policies print, and what a host would warn of. */
static void log_line(void *ctx, enum il_log_level level, const char *line, size_t len)
{
    (void)level;
    il__io_note(ctx, "%.*s", (int)len, line);
}

static int run_bundle(struct il__io *io, const struct il__bundles *bundles, size_t at, const struct wanted *wanted,
                      struct il__policy_report *report)
{
    struct il_policy_test_options options = IL_POLICY_TEST_OPTIONS_INIT;
    struct il_policy_test_summary sum = IL_POLICY_TEST_SUMMARY_INIT;
    struct il_error err = IL_ERROR_INIT;
    struct il_text coverage = IL_TEXT_INIT;
    struct il_str keys[IL__CLI_OPTION_VALUES];
    il__policy_report_bundle(report, bundles->paths[at]);
    options.bundle = il__bundles_get(bundles, at);
    options.key_count = il__bundles_keys(bundles, keys);
    options.keys = keys;
    options.pattern = il__text_of(wanted->pattern);
    options.flags = wanted->coverage ? IL_POLICY_COVERAGE : 0;
    options.coverage = wanted->coverage ? &coverage : NULL;
    options.report = il__policy_report_result;
    options.report_ctx = report;
    options.log = log_line;
    options.log_ctx = io;
    enum il_code code = il_policy_test(&options, &sum, &err);
    if (code == IL_OK) il__policy_report_done(report, &sum, (struct il_str){ coverage.ptr, coverage.len });
    else il__policy_report_error(report, &err);
    il_text_clear(&coverage);
    if (code == IL_OK) return 0;
    return code == IL_OUT_OF_MEMORY ? 8 : code == IL_DECODE ? 65 : 3;
}

static int run_all(const struct il__args *args, struct il__io *io, const struct il__bundles *bundles,
                   const struct wanted *wanted)
{
    struct il__policy_report report;
    int status = 0;
    il__policy_report_begin(&report, &io->out, il__args_value(args, "format"), wanted->threshold);
    for (size_t i = 0; i < bundles->count; i++) {
        int one = run_bundle(io, bundles, i, wanted, &report);
        if (one > status) status = one;
    }
    size_t ran = report.passed + report.failed + report.mistakes;
    bool well = il__policy_report_end(&report);
    if (status == 0 && ran == 0 && wanted->pattern) il__io_note(io, "no test ran: no name fits the pattern");
    return status ? status : well ? 0 : 1;
}

/* The bundles to test; there is one at least. */
static int find_bundles(const struct il__args *args, struct il__io *io, struct il__found *found)
{
    static const char *const here[] = { "." };
    bool given = args->operand_count > 0;
    int status = il__policy_find(io, given ? args->operands : here, given ? args->operand_count : 1, found);
    if (status != 0 || found->count) return status;
    il__io_error(io, "no bundle is there: no folder holds a bundle.json; write 'interlock policy test DIR'");
    il__files_clear(found);
    return 2;
}

/* Finds and runs once. */
static int test_once(void *ctx, const struct il__args *args, struct il__io *io)
{
    struct il__found found;
    struct il__bundles bundles;
    int status = find_bundles(args, io, &found);
    if (status != 0) return status;
    memset(&bundles, 0, sizeof bundles);
    status = il__bundles_at(io, args, found.paths, found.count, &bundles);
    if (status == 0 && il__args_flag(args, "mutate")) status = il__policy_test_mutate(io, args, &bundles);
    else if (status == 0) status = run_all(args, io, &bundles, ctx);
    il__bundles_clear(&bundles);
    il__files_clear(&found);
    return status;
}

static int run(const struct il__args *args, struct il__io *io)
{
    const char *threshold = il__args_value(args, "threshold");
    struct wanted wanted = { il__args_value(args, "run"), il__args_flag(args, "coverage") || threshold, -1 };
    if (threshold) wanted.threshold = read_percent(threshold);
    if (threshold && wanted.threshold < 0) {
        il__io_error(io, "--threshold '%s' is no percentage; write a number from 0 to 100", threshold);
        return 2;
    }
    if (il__args_flag(args, "mutate") && (wanted.pattern || wanted.coverage || il__args_flag(args, "watch"))) {
        il__io_error(io, "--mutate goes with none of --run, --coverage, --threshold and --watch");
        return 2;
    }
    if (!il__args_flag(args, "watch")) return test_once(&wanted, args, io);
    return il__policy_test_watch(args, io, test_once, &wanted);
}

static const struct il__option options[] = {
    { "run", "PATTERN", false, "Only cases whose name contains PATTERN, or fits it as a glob when it has * or ?." },
    { "coverage", NULL, false, "Say which lines and verdicts no case reaches." },
    { "threshold", "N", false, "Exit 1 when a bundle has less than N percent of its lines or verdicts, or no tests." },
    { "mutate", NULL, false, "Change the policies in small ways and list the changes that no case notices." },
    { "mutants-allowed", "FILE", false,
      "The list of changes that no case can notice; mutants.md beside the policies by "
      "default." },
    { "watch", NULL, false, "Run again when a file changes; q or Ctrl-C ends it." },
    { "param", "NAME=VALUE", true, "A parameter, for each bundle that has it: JSON, or else a plain text." },
    IL__BUNDLE_KEY_OPTION,
    { "format", "text|json|tap|junit", false, "How to report; text is the default." },
};
static const char *const examples[] = {
    "interlock policy test policies/office-hours",
    "interlock policy test policies --coverage --threshold 100",
    "interlock policy test --run 'sunday*' --watch",
    "interlock policy test policies/office-hours --mutate",
    NULL,
};
static const char *const exits[] = {
    "0   all passed",
    "1   a case failed, a test file has a mistake, less than --threshold is reached, or a mutant survives",
    "2   the call is wrong, or there is no bundle",
    IL__EXIT_POLICY,
    IL__EXIT_FAILED,
    IL__EXIT_UNDECODABLE,
    NULL,
};

const struct il__command il__command_policy_test = {
    .name = "policy test",
    .operands = "[DIR]...",
    .summary = "Run the tests that lie beside the policies of bundles.",
    .about =
        "Searches each DIR, or the current folder, for bundles: folders with a bundle.json. Every file "
        "*_test.lua in "
        "one is a Lua file that returns a list of cases: an action, the time, history and limits, and what must "
        "come of it (policies/README.md). Nothing is sent anywhere.\n"
        "A failed case shows its place, what was expected and what came, and the line of the policy that decided. "
        "Coverage is of lines with a statement, and of verdicts: each place that asks or denies, and each phase "
        "function that says nothing.\n"
        "With --mutate each comparison, condition, constant and verdict of the policies is changed, one at a time, and "
        "every case is run again. A change that no case notices is shown with its place and, where one is found, a "
        "case that would tell it apart. Changes that nothing can tell apart are listed in mutants.md, a table with the "
        "cells FILE:LINE, `before` -> `after`, and why; a row that is wrong fails as well.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
