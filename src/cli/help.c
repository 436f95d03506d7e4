/* `interlock help`, the pages of the commands, and the list of commands itself.
 * Uses the tables of the command files. Must never say what the tables do not. */
#include "cli/command.h"

#include <string.h>

const struct il__command *il__command_at(size_t index)
{
    static const struct il__command *const all[] = {
        &il__command_run, &il__command_pending, &il__command_show, &il__command_approve, &il__command_deny,
        &il__command_defer, &il__command_reobserve, &il__command_resume, &il__command_cancel, &il__command_stop,
        &il__command_lift, &il__command_session, &il__command_tools, &il__command_check, &il__command_scenario,
        &il__command_policy, &il__command_evaluate, &il__command_receipt, &il__command_audit, &il__command_key,
        &il__command_doctor, &il__command_version, &il__command_completion, &il__command_help,
    };
    return index < sizeof all / sizeof *all ? all[index] : NULL;
}

static const struct il__command *find_in(const struct il__command *(*at)(size_t), const char *name, const char **near)
{
    const char *names[32];
    size_t count = 0;
    for (const struct il__command *c; (c = at(count)) != NULL && count < 32; count++) {
        names[count] = il__command_verb(c);
        if (strcmp(names[count], name) == 0) return c;
    }
    *near = il__nearest(name, names, count);
    return NULL;
}

const struct il__command *il__command_find(const char *name, const char **near)
{
    return find_in(il__command_at, name, near);
}

const struct il__command *il__command_sub(const struct il__command *command, const char *name, const char **near)
{
    return find_in(command->sub_at, name, near);
}

const char *il__command_verb(const struct il__command *command)
{
    const char *blank = strchr(command->name, ' ');
    return blank ? blank + 1 : command->name;
}

static void heading(struct il__out *out, const char *title)
{
    il__out_puts(out, "\n");
    il__out_tone(out, IL__TONE_BOLD, il__text_of(title));
    il__out_puts(out, "\n");
}

/* A list entry: the term, then its text at column `hang`, on the next line when the term is long. */
static void entry(struct il__out *out, const char *term, int hang, const char *about)
{
    char lead[96];
    if (out->width < 60) hang = 6;
    if ((int)strlen(term) + 4 > hang) {
        snprintf(lead, sizeof lead, "  %s\n", term);
        il__out_puts(out, lead);
        snprintf(lead, sizeof lead, "%*s", hang, "");
    } else {
        snprintf(lead, sizeof lead, "  %-*s", hang - 2, term);
    }
    il__out_wrap(out, lead, hang, IL__TONE_PLAIN, il__text_of(about));
}

static void overview(struct il__out *out)
{
    il__out_wrap(out, "", 0, IL__TONE_PLAIN,
                 il__text_of("interlock governs desktop automation: it orders observe, preview, approve, reserve, "
                             "lease, execute once, verify and release, and checks everything that the runtime "
                             "answers. It never clicks or types itself."));
    heading(out, "usage");
    il__out_puts(out, "  interlock COMMAND [OPTION]... [OPERAND]...\n");
    heading(out, "commands");
    for (size_t i = 0; il__command_at(i); i++) entry(out, il__command_at(i)->name, 14, il__command_at(i)->summary);
    heading(out, "start here");
    il__out_puts(out, "  interlock run ACTION.json --runtime simulated\n  interlock help run\n");
}

static void kinds(struct il__out *out)
{
    struct il__text list = IL__TEXT_INIT;
    const char *kind;
    heading(out, "kinds");
    for (size_t i = 0; (kind = il_check_kind_at(i)) != NULL; i++) il__text_printf(&list, "%s%s", i ? ", " : "", kind);
    il__out_wrap(out, "  ", 2, IL__TONE_PLAIN, il__text_get(&list));
    il__text_clear(&list);
}

static void page(struct il__out *out, const struct il__command *command)
{
    struct il__text usage = IL__TEXT_INIT;
    il__text_printf(&usage, "interlock %s%s%s%s", command->name, command->option_count ? " [OPTION]..." : "",
                    command->operands[0] ? " " : "", command->operands);
    il__out_wrap(out, "usage: ", 7, IL__TONE_PLAIN, il__text_get(&usage));
    il__text_clear(&usage);
    il__out_puts(out, "\n");
    il__out_wrap(out, "", 0, IL__TONE_PLAIN, il__text_of(command->about));
    if (strncmp(command->operands, "KIND", 4) == 0) kinds(out);
    if (command->sub_at) {
        heading(out, "verbs");
        for (size_t i = 0; command->sub_at(i); i++)
            entry(out, il__command_verb(command->sub_at(i)), 14, command->sub_at(i)->summary);
    }
    heading(out, "options");
    for (size_t i = 0; i < command->option_count; i++) {
        const struct il__option *option = &command->options[i];
        char term[80];
        snprintf(term, sizeof term, "--%s%s%s%s", option->name, option->value ? " " : "",
                 option->value ? option->value : "", option->repeat ? " ..." : "");
        entry(out, term, 30, option->about);
    }
    entry(out, "-h, --help", 30, "Print this page.");
    heading(out, "examples");
    for (size_t i = 0; command->examples[i]; i++)
        il__out_wrap(out, "  ", 6, IL__TONE_PLAIN, il__text_of(command->examples[i]));
    heading(out, "exit status");
    for (size_t i = 0; command->exits[i]; i++)
        il__out_wrap(out, "  ", 6, IL__TONE_PLAIN, il__text_of(command->exits[i]));
}

void il__help_print(struct il__out *out, const struct il__command *command)
{
    if (command) page(out, command);
    else overview(out);
}

static int unknown(struct il__io *io, const char *what, const char *name, const char *near, const char *list)
{
    if (near) il__io_error(io, "no %s '%s'; did you mean '%s'?", what, name, near);
    else il__io_error(io, "no %s '%s'; 'interlock help%s' lists the %ss", what, name, list, what);
    return 2;
}

static int run(const struct il__args *args, struct il__io *io)
{
    const char *near = NULL;
    const struct il__command *command = NULL;
    const char *const *words = args->operands;
    if (args->operand_count && !(command = il__command_find(words[0], &near)))
        return unknown(io, "command", words[0], near, "");
    if (args->operand_count > (command && command->sub_at ? 2 : 1)) {
        il__io_error(io, "one command at a time; write 'interlock help %s'", words[0]);
        return 2;
    }
    if (args->operand_count == 2 && !(command = il__command_sub(command, words[1], &near)))
        return unknown(io, "verb", words[1], near, " policy");
    il__help_print(&io->out, command);
    return 0;
}

static const char *const examples[] = { "interlock help", "interlock help run", "interlock run --help", NULL };
static const char *const exits[] = { "0   the page was printed", IL__EXIT_USAGE, NULL };

const struct il__command il__command_help = {
    .name = "help",
    .operands = "[COMMAND [VERB]]",
    .summary = "Explain a command, or list them all.",
    .about = "Prints the page of one command, with its options, examples and exit statuses, or the list of commands.",
    .options = NULL,
    .option_count = 0,
    .examples = examples,
    .exits = exits,
    .run = run,
};
