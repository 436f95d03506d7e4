/* `interlock version`: the version of the program and of the libraries inside it. */
#include "cli/command.h"

static int run(const struct il__args *args, struct il__io *io)
{
    struct il__text text = IL__TEXT_INIT;
    const char *name, *version;
    bool json = il__args_json(args);
    if (args->operand_count) {
        il__io_error(io, "unexpected operand '%s'; write 'interlock version'", args->operands[0]);
        return 2;
    }
    if (json) il__text_puts(&text, "{\"version\":");
    else il__text_printf(&text, "interlock %s\n", il_version());
    if (json) il__text_json(&text, il__text_of(il_version()));
    if (json) il__text_puts(&text, ",\"libraries\":{");
    for (size_t i = 0; il_library_at(i, &name, &version); i++) {
        if (!json) {
            il__text_printf(&text, "  %s %s\n", name, version);
            continue;
        }
        if (i) il__text_puts(&text, ",");
        il__text_json(&text, il__text_of(name));
        il__text_puts(&text, ":");
        il__text_json(&text, il__text_of(version));
    }
    if (json) il__text_puts(&text, "}}\n");
    il__out_text(&io->out, &text);
    il__text_clear(&text);
    return 0;
}

static const struct il__option options[] = {
    { "format", "text|json", false, "How to print; text is the default." },
};
static const char *const examples[] = { "interlock version", "interlock version --format json", NULL };
static const char *const exits[] = { "0   the version was printed", IL__EXIT_USAGE, NULL };

const struct il__command il__command_version = {
    .name = "version",
    .operands = "",
    .summary = "Print the version, and those of the libraries inside.",
    .about = "Prints the version of interlock and of the libraries it was linked with.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
