/* `interlock policy api`: what scripts can call and read, for editors, linters and people, from the tables that the
 * bindings are made from. Must never be written by hand. */
#include "cli/evidence.h"
#include "cli/policy.h"
#include "cli/report.h"

#include <string.h>

static enum il_reference_format format_of(const struct il__args *args)
{
    const char *format = il__args_value(args, "format");
    if (format && strcmp(format, "luals") == 0) return IL_REFERENCE_LUALS;
    if (format && strcmp(format, "luacheck") == 0) return IL_REFERENCE_LUACHECK;
    return format && strcmp(format, "json") == 0 ? IL_REFERENCE_JSON : IL_REFERENCE_MARKDOWN;
}

static int run(const struct il__args *args, struct il__io *io)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_text text = IL_TEXT_INIT;
    if (args->operand_count) {
        il__io_error(io, "unexpected operand '%s'; write 'interlock policy api'", args->operands[0]);
        return 2;
    }
    if (il_script_reference(format_of(args), &text, &err) != IL_OK)
        return il__report(io, false, "reference", &err, 8);
    il__out_write(&io->out, il__evidence_str(&text));
    il_text_clear(&text);
    return 0;
}

static const struct il__option options[] = {
    { "format", "markdown|luals|luacheck|json", false,
      "How to print; markdown is the default. luals: stubs for the Lua language server. luacheck: a configuration." },
};
static const char *const examples[] = {
    "interlock policy api | less",
    "interlock policy api --format luals >meta/interlock.lua",
    "interlock policy api --format luacheck >.luacheckrc",
    NULL,
};
static const char *const exits[] = { "0   it was printed", IL__EXIT_USAGE, IL__EXIT_FAILED, NULL };

const struct il__command il__command_policy_api = {
    .name = "policy api",
    .operands = "",
    .summary = "Print what scripts can call and read.",
    .about = "Every object, member, phase and global of the script API, as a page, as types for an editor, as globals "
             "for luacheck, or as JSON.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
