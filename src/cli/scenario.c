/* `interlock scenario PATH...`: finds scenario files, runs them, reports in four forms.
 * Uses il_scenario_run and il_corpus_run; the forms are in scenario_report.c. Must never count a file that could not
 * be read as scenarios among the passed. */
#include "cli/bundles.h"
#include "cli/command.h"
#include "cli/files.h"
#include "cli/report.h"
#include "cli/scenario_record.h"
#include "cli/scenario_report.h"
#include "cli/shelf.h"

#include <string.h>

static int read_source(struct il__io *io, const char *path, struct il__text *source, struct il_error *err)
{
    char why[sizeof err->message];
    if (strcmp(path, "-") == 0 && io->stdin_taken) {
        err->code = IL_INVALID_REQUEST;
        snprintf(err->message, sizeof err->message, "standard input ('-') can be read once; name a file");
        return 2;
    }
    if (strcmp(path, "-") == 0) io->stdin_taken = true;
    int status = il__file_read(path, source, why, sizeof why);
    if (status == 0) return 0;
    err->code = status == 65 ? IL_LIMIT_EXCEEDED : IL_STORE;
    snprintf(err->message, sizeof err->message, "%s", why);
    return status;
}

/* One file; its results go to the report. The status that its own failure asks for, or 0. */
static int run_file(const struct il__args *args, struct il__io *io, const char *path, bool corpus,
                    const struct il__bundles *keys, struct il__scenario_report *report)
{
    struct il_str list[IL__CLI_OPTION_VALUES];
    struct il__text source = IL__TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    int status = read_source(io, path, &source, &err);
    il__scenario_file(report, path);
    if (status == 0) {
        struct il_scenario_options options = IL_SCENARIO_OPTIONS_INIT;
        size_t ran = 0;
        options.file = il__text_of(path);
        options.source = il__text_get(&source);
        options.pattern = il__text_of(il__args_value(args, "run"));
        options.bundle_keys = list;
        options.bundle_key_count = il__bundles_keys(keys, list);
        options.report = il__scenario_result;
        options.report_ctx = report;
        enum il_code code = corpus ? il_corpus_run(&options, &ran, &err) : il_scenario_run(&options, &ran, &err);
        if (code != IL_OK) status = code == IL_OUT_OF_MEMORY ? 8 : 65;
    }
    if (status != 0) il__scenario_error(report, path, &err);
    il__text_clear(&source);
    return status;
}

static int run_all(const struct il__args *args, struct il__io *io, const struct il__found *found,
                   const struct il__bundles *keys)
{
    struct il__scenario_report report;
    const char *corpus = il__args_value(args, "corpus");
    int status = 0;
    il__scenario_begin(&report, &io->out, il__args_value(args, "format"));
    for (size_t i = 0; i < found->count; i++) {
        int one = run_file(args, io, found->paths[i], false, keys, &report);
        if (one > status) status = one;
    }
    if (corpus) {
        int one = run_file(args, io, corpus, true, keys, &report);
        if (one > status) status = one;
    }
    size_t failed = report.failed, ran = report.passed + report.failed;
    il__scenario_end(&report);
    if (status != 0) return status;
    if (failed) return 1;
    if (ran == 0)
        il__io_note(io, "no scenario ran%s", il__args_value(args, "run") ? ": no name contains the pattern" : "");
    return ran == 0 && il__args_flag(args, "fail-on-empty") ? 1 : 0;
}

/* Options that say nothing of scenarios that are run; true after a report. */
static bool recording_only(const struct il__args *args, struct il__io *io)
{
    static const char *const names[] = { "store", "out", "mask", "workflow", "policy", "param" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!il__args_values(args, names[i])->count) continue;
        il__io_error(io, "--%s is for --record RUN; scenarios name what they use", names[i]);
        return true;
    }
    return false;
}

static int run(const struct il__args *args, struct il__io *io)
{
    struct il__found found;
    char why[512];
    if (il__args_value(args, "record")) return il__scenario_record(args, io);
    if (recording_only(args, io)) return 2;
    if (args->operand_count == 0 && !il__args_value(args, "corpus")) {
        il__io_error(io, "name a file or a folder; write 'interlock scenario tests/scenarios'");
        return 2;
    }
    int status = il__files_find(args->operands, args->operand_count, "_scenario.lua", &found, why, sizeof why);
    if (status != 0) {
        il__io_error(io, "%s", why);
        return status;
    }
    struct il__bundles keys;
    status = il__bundles_read(io, args, &keys);
    if (status == 0) status = run_all(args, io, &found, &keys);
    il__bundles_clear(&keys);
    il__files_clear(&found);
    return status;
}

static const struct il__option options[] = {
    { "run", "PATTERN", false, "Only scenarios whose name contains PATTERN." },
    { "format", "text|json|tap|junit", false, "How to report; text is the default." },
    { "fail-on-empty", NULL, false, "Exit 1 when no scenario ran at all." },
    { "corpus", "FILE", false, "Also run this safety corpus against the simulated runtime." },
    { "record", "RUN", false, "Make a scenario of a recorded run, instead of running any, and play it once." },
    IL__STORE_OPTION("--record: the file that the run is in."),
    { "out", "FILE", false, "--record: write the scenario to this new file; standard output without it." },
    { "mask", "POINTER", true, "--record: leave out the values at this JSON pointer (/arguments/text)." },
    { "workflow", "FILE.lua", false, "--record: the workflow of the run, where it had one of its own." },
    IL__BUNDLE_OPTIONS,
};
static const char *const examples[] = {
    "interlock scenario tests/scenarios",
    "interlock scenario examples/approval --run grant",
    "interlock scenario tests/scenarios --format junit --fail-on-empty >report.xml",
    "interlock scenario --record 28577e95-b00b-4bc7-bcab-e3fd4ece5c43 --store runs.db -o sent_scenario.lua",
    NULL,
};
static const char *const exits[] = {
    "0   all passed",
    "1   a scenario failed, or none ran and --fail-on-empty is given; --record: it does not play as the run was",
    IL__EXIT_USAGE,
    "3   --record: a bundle does not load",
    "8   --record: the store cannot be read, or the file not be written",
    "65  a file holds no readable scenarios, or is too large",
    NULL,
};

const struct il__command il__command_scenario = {
    .name = "scenario",
    .operands = "[PATH]...",
    .summary = "Run scenarios: scripted runs with faults and what must be seen.",
    .about = "Runs the scenarios of each PATH: a file, or a folder that is searched for files named *_scenario.lua. "
             "Every scenario has hosts of its own and a virtual clock; none reaches a desktop. A failing one shows "
             "file and line of the expectation, what was expected and seen, and what its runs did. With --record one "
             "is made of a run of a store: the answers of its runtime, what came from outside and when, and how it "
             "ended. Its policies are named by --policy, as when it ran; values stand in it as they were.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
