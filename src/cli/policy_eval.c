/* `interlock policy eval FILE`: what bundles say of an action or case, policy by policy. Nothing is sent anywhere.
 * Uses il_policy_eval. Must never take a failed policy for silence. */
#include "cli/files.h"
#include "cli/look.h"
#include "cli/policy_bench.h"
#include "cli/policy_case.h"
#include "cli/report.h"

#include <string.h>

static bool set_text(struct il__text *doc, const char *member, const char *value)
{
    struct il__text json = IL__TEXT_INIT;
    if (!value) return true;
    il__text_json(&json, il__text_of(value));
    bool good = il__case_set(doc, il__text_of(member), il__text_get(&json));
    il__text_clear(&json);
    return good;
}

/* A class that was not given is a guess, which nobody should take for the server's word. */
static void say_guess(struct il__io *io, struct il_str document)
{
    static const char *const places[] = { "actionClass", "action_class", "action.actionClass", "action.action_class" };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (il__look_has(document, places[i])) return;
    il__out_puts(&io->out, "the class is not given and was taken as edit_reversible; a server decides it: give "
                           "\"actionClass\"\n");
}

static int judge(struct il__io *io, const struct il__args *args, struct il__bench *bench, struct il_str document)
{
    struct il__text doc = IL__TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    struct il_str result = { NULL, 0 };
    int status = 0;
    enum il_code code = IL_OK;
    /* What is no case is said by the library, of the document as it stands. */
    if (document.len && document.ptr[0] == '{') {
        il__case_begin(&doc, document);
        bool good = set_text(&doc, "phase", il__args_value(args, "phase"));
        if (!good || !set_text(&doc, "at", il__args_value(args, "at"))) code = IL_OUT_OF_MEMORY;
    } else {
        il__text_str(&doc, document);
    }
    if (code == IL_OK)
        code = il_policy_eval(bench->policy, il__text_get(&doc), il__args_flag(args, "trace") ? IL_POLICY_TRACE : 0,
                              &result, &err);
    if (code != IL_OK) {
        status = il__report(io, il__args_json(args), args->operands[0], &err, code == IL_OUT_OF_MEMORY ? 8 : 65);
    } else if (il__args_json(args)) {
        il__out_write(&io->out, result);
        il__out_puts(&io->out, "\n");
    } else {
        il__bench_print(bench, &io->out, result);
        say_guess(io, document);
    }
    if (code == IL_OK && il__look_is(il__look_get(result, "said"), "error")) status = 3;
    il__text_clear(&doc);
    return status;
}

static int run(const struct il__args *args, struct il__io *io)
{
    struct il__bench bench;
    struct il__text document = IL__TEXT_INIT;
    if (args->operand_count != 1) {
        il__io_error(io, "name one file: an action, or a case; write 'interlock policy eval ACTION.json --policy DIR'");
        return 2;
    }
    int status = il__bench_open(io, args, false, &bench);
    if (status == 0) status = il__io_read(io, args->operands[0], &document);
    if (status == 0) {
        size_t blank = 0;
        struct il_str text = il__text_get(&document);
        while (blank < text.len && strchr(" \t\r\n", text.ptr[blank])) blank++;
        status = judge(io, args, &bench, (struct il_str){ text.ptr + blank, text.len - blank });
    }
    il__text_clear(&document);
    il__bench_close(&bench);
    return status;
}

static const struct il__option options[] = {
    IL__BUNDLE_OPTIONS,
    { "phase", "propose|preview|approve|execute", false, "Judge this phase alone; else all in order." },
    { "at", "T", false, "The wall time that policies are told, RFC 3339; a monday noon by default." },
    { "trace", NULL, false, "Also say which values each policy looked at." },
    IL__POLICY_FORMAT_OPTION,
    IL__CONFIG_OPTIONS,
};
static const char *const examples[] = {
    "interlock policy eval action.json --policy policies/office-hours --trace",
    "interlock policy eval case.json --policy policies/two-person --phase preview --at 2026-03-01T20:00:00Z",
    NULL,
};
static const char *const exits[] = {
    "0   the action was judged, whatever the verdict",
    IL__EXIT_USAGE,
    "3   a bundle does not load, or a policy fails",
    IL__EXIT_FAILED,
    "65  the file is no action or case, or is too large",
    NULL,
};

const struct il__command il__command_policy_eval = {
    .name = "policy eval",
    .operands = "FILE",
    .summary = "Say what policies make of an action, without a run.",
    .about = "FILE is an action, as for 'interlock run', or a case of a policy test as JSON: an action with the time, "
             "history, limits and whatever else surrounds it (policies/README.md). What it leaves out is made up, "
             "always the same. '-' is standard input.\n"
             "Every policy is asked in each phase, as far as nobody denies; what is asked for counts as granted. The "
             "same file and bundles give the same output, on every machine.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
