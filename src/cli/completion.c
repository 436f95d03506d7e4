/* `interlock completion SHELL`: a completion script, written from the commands' own tables.
 * Must never be edited by hand into something else: the files in src/cli/completion are this output. */
#include "cli/command.h"

#include <string.h>

/* Every command and every verb that is one of its own, in the order of the help text; NULL past the end. */
static const struct il__command *page_at(size_t index)
{
    const struct il__command *command;
    for (size_t i = 0; (command = il__command_at(i)) != NULL; i++) {
        if (index-- == 0) return command;
        for (size_t k = 0; command->sub_at && command->sub_at(k); k++)
            if (index-- == 0) return command->sub_at(k);
    }
    return NULL;
}

/* How the scripts name a page: "policy-build". */
static const char *key_of(const struct il__command *command, char out[40])
{
    snprintf(out, 40, "%s", command->name);
    for (char *c = out; *c; c++)
        if (*c == ' ') *c = '-';
    return out;
}

/* What may stand for an option's value, as far as a shell can help. */
static bool takes_file(const char *value)
{
    return strstr(value, "FILE") != NULL;
}

static bool takes_folder(const char *value)
{
    return strcmp(value, "DIR") == 0;
}

/* The fixed words of "simulated|FILE.lua" or "text|json", blank-separated; nothing for others. */
static void words_of(struct il__text *out, const char *value)
{
    char word[32];
    bool first = true;
    if (!strchr(value, '|')) return;
    for (size_t i = 0; il__choice_at(value, i, word, sizeof word); i++) {
        if (takes_file(word) || strcmp(word, "SERVER") == 0) continue;
        il__text_printf(out, "%s%s", first ? "" : " ", word);
        first = false;
    }
}

/* The fixed operands of a command: kinds, shells, commands. */
static void operand_words(struct il__text *out, const struct il__command *command)
{
    const char *kind;
    if (strcmp(command->name, "check") == 0)
        for (size_t i = 0; (kind = il_check_kind_at(i)) != NULL; i++) il__text_printf(out, "%s%s", i ? " " : "", kind);
    if (strcmp(command->name, "session") == 0) il__text_puts(out, IL__SESSION_VERBS);
    if (strcmp(command->name, "receipt") == 0) il__text_puts(out, IL__RECEIPT_VERBS);
    if (strcmp(command->name, "audit") == 0) il__text_puts(out, IL__AUDIT_VERBS);
    if (strcmp(command->name, "key") == 0) il__text_puts(out, IL__KEY_VERBS);
    for (size_t i = 0; command->sub_at && command->sub_at(i); i++)
        il__text_printf(out, "%s%s", i ? " " : "", il__command_verb(command->sub_at(i)));
    if (strcmp(command->name, "completion") == 0) il__text_puts(out, "bash zsh fish");
    if (strcmp(command->name, "help") == 0)
        for (size_t i = 0; il__command_at(i); i++) il__text_printf(out, "%s%s", i ? " " : "", il__command_at(i)->name);
}

static void command_words(struct il__text *out)
{
    for (size_t i = 0; il__command_at(i); i++) il__text_printf(out, "%s%s", i ? " " : "", il__command_at(i)->name);
}

/* For each command of commands: `head`, its name, `middle`, its name, `tail`. */
static void groups(struct il__text *out, const char *head, const char *middle, const char *tail)
{
    const struct il__command *command;
    for (size_t i = 0; (command = il__command_at(i)) != NULL; i++)
        if (command->sub_at) il__text_printf(out, "%s%s%s%s%s", head, command->name, middle, command->name, tail);
}

static bool takes_files(const struct il__command *command)
{
    return strstr(command->operands, "FILE") || strstr(command->operands, "PATH") || strstr(command->operands, ".json");
}

/* ---- bash ---- */

static void bash_values(struct il__text *out, const struct il__command *command)
{
    char key[40];
    for (size_t i = 0; i < command->option_count; i++) {
        const struct il__option *option = &command->options[i];
        struct il__text words = IL__TEXT_INIT;
        if (!option->value) continue;
        words_of(&words, option->value);
        il__text_printf(out, "        %s:--%s) ", key_of(command, key), option->name);
        if (words.len) il__text_printf(out, "_interlock_words \"%s\" \"$cur\"; ", words.ptr);
        if (takes_file(option->value)) il__text_puts(out, "_interlock_paths -f \"$cur\"; ");
        if (takes_folder(option->value)) il__text_puts(out, "_interlock_paths -d \"$cur\"; ");
        il__text_puts(out, "return ;;\n");
        il__text_clear(&words);
    }
}

static void bash_rest(struct il__text *out, const struct il__command *command)
{
    char key[40];
    struct il__text words = IL__TEXT_INIT;
    il__text_printf(out, "        %s:-*) _interlock_words \"", key_of(command, key));
    for (size_t i = 0; i < command->option_count; i++) il__text_printf(out, "--%s ", command->options[i].name);
    il__text_puts(out, "--help\" \"$cur\" ;;\n");
    operand_words(&words, command);
    il__text_printf(out, "        %s:*) ", key);
    if (words.len) il__text_printf(out, "_interlock_words \"%s\" \"$cur\"; ", words.ptr);
    if (takes_files(command)) il__text_puts(out, "_interlock_paths -f \"$cur\"; ");
    il__text_puts(out, ";;\n");
    il__text_clear(&words);
}

static void bash(struct il__text *out)
{
    il__text_puts(out, "# bash completion for interlock, made by 'interlock completion bash'\n"
                       "_interlock_words() {\n"
                       "    local word\n"
                       "    for word in $(compgen -W \"$1\" -- \"$2\"); do COMPREPLY+=(\"$word\"); done\n"
                       "}\n\n"
                       "_interlock_paths() {\n"
                       "    local path\n"
                       "    while IFS= read -r path; do COMPREPLY+=(\"$path\"); done < <(compgen \"$1\" -- \"$2\")\n"
                       "}\n\n"
                       "_interlock() {\n"
                       "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} cmd=${COMP_WORDS[1]}\n"
                       "    COMPREPLY=()\n"
                       "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        _interlock_words \"");
    command_words(out);
    il__text_puts(out, "\" \"$cur\"\n        return\n    fi\n"
                       "    if [ \"$cur\" = = ]; then cur=''; elif [ \"$prev\" = = ]; then "
                       "prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
                       "    if [ \"$COMP_CWORD\" -gt 2 ]; then\n        case $cmd in\n");
    groups(out, "            ", ") cmd=", "-${COMP_WORDS[2]} ;;\n");
    il__text_puts(out, "        esac\n    fi\n    case $cmd:$prev in\n");
    for (size_t i = 0; page_at(i); i++) bash_values(out, page_at(i));
    il__text_puts(out, "    esac\n    case $cmd:$cur in\n");
    for (size_t i = 0; page_at(i); i++) bash_rest(out, page_at(i));
    il__text_puts(out, "    esac\n}\n\ncomplete -o filenames -F _interlock interlock\n");
}

/* ---- zsh ---- */

/* Text inside single quotes, without the signs that zsh's and fish's descriptions treat specially. */
static void quoted(struct il__text *out, const char *text)
{
    for (; *text; text++)
        if (*text == '\'') il__text_puts(out, "'\\''");
        else if (strchr("[]:\\", *text)) il__text_printf(out, "\\%c", *text);
        else il__text_add(out, text, 1);
}

static void zsh_action(struct il__text *out, const struct il__option *option)
{
    struct il__text words = IL__TEXT_INIT;
    words_of(&words, option->value);
    il__text_puts(out, ":");
    quoted(out, option->value);
    il__text_puts(out, ":");
    if (words.len && takes_file(option->value))
        il__text_printf(out, "{_alternative \"words\\:word\\:(%s)\" \"files\\:file\\:_files\"}", words.ptr);
    else if (words.len) il__text_printf(out, "(%s)", words.ptr);
    else if (takes_file(option->value)) il__text_puts(out, "_files");
    else if (takes_folder(option->value)) il__text_puts(out, "_files -/");
    else il__text_puts(out, " ");
    il__text_clear(&words);
}

static void zsh_command(struct il__text *out, const struct il__command *command)
{
    char key[40];
    struct il__text words = IL__TEXT_INIT;
    il__text_printf(out, "    %s)\n        _arguments", key_of(command, key));
    for (size_t i = 0; i < command->option_count; i++) {
        const struct il__option *option = &command->options[i];
        il__text_printf(out, " \\\n            '%s--%s%s[", option->repeat ? "*" : "", option->name,
                        option->value ? "=" : "");
        quoted(out, option->about);
        il__text_puts(out, "]");
        if (option->value) zsh_action(out, option);
        il__text_puts(out, "'");
    }
    il__text_puts(out, " \\\n            '(-h --help)'{-h,--help}'[Print the page of the command.]'");
    operand_words(&words, command);
    if (words.len) il__text_printf(out, " \\\n            '1:word:(%s)'", words.ptr);
    if (takes_files(command)) il__text_puts(out, " \\\n            '*:file:_files'");
    il__text_puts(out, " ;;\n");
    il__text_clear(&words);
}

static void zsh(struct il__text *out)
{
    il__text_puts(out, "#compdef interlock\n# zsh completion for interlock, made by 'interlock completion zsh'\n"
                       "_interlock() {\n    local -a commands\n    commands=(\n");
    for (size_t i = 0; il__command_at(i); i++) {
        il__text_printf(out, "        '%s:", il__command_at(i)->name);
        quoted(out, il__command_at(i)->summary);
        il__text_puts(out, "'\n");
    }
    il__text_puts(out, "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        "
                       "return\n    fi\n"
                       "    local name=$words[2]\n    shift words\n    (( CURRENT-- ))\n"
                       "    if (( CURRENT > 2 )); then\n"
                       "        case $name in\n");
    groups(out, "            ", ") name=", "-$words[2]; shift words; (( CURRENT-- )) ;;\n");
    il__text_puts(out, "        esac\n    fi\n    case $name in\n");
    for (size_t i = 0; page_at(i); i++) zsh_command(out, page_at(i));
    il__text_puts(out, "    esac\n}\n\nif [ \"$funcstack[1]\" = _interlock ]; then _interlock \"$@\"; "
                       "else compdef _interlock interlock; fi\n");
}

/* ---- fish ---- */

static void fish_quoted(struct il__text *out, const char *text)
{
    il__text_puts(out, "'");
    for (; *text; text++)
        if (strchr("'\\", *text)) il__text_printf(out, "\\%c", *text);
        else il__text_add(out, text, 1);
    il__text_puts(out, "'");
}

static void fish_command(struct il__text *out, const struct il__command *command)
{
    char when[600];
    struct il__text words = IL__TEXT_INIT;
    const char *verb = il__command_verb(command);
    operand_words(&words, command);
    if (verb != command->name)
        snprintf(when, sizeof when, "complete -c interlock -n '__fish_seen_subcommand_from %.*s; and "
                 "__fish_seen_subcommand_from %s'", (int)(verb - command->name - 1), command->name, verb);
    else if (command->sub_at)
        snprintf(when, sizeof when, "complete -c interlock -n '__fish_seen_subcommand_from %s; and not "
                 "__fish_seen_subcommand_from %s'", command->name, words.ptr);
    else snprintf(when, sizeof when, "complete -c interlock -n '__fish_seen_subcommand_from %s'", command->name);
    for (size_t i = 0; i < command->option_count; i++) {
        const struct il__option *option = &command->options[i];
        il__text_printf(out, "%s -l %s -d ", when, option->name);
        fish_quoted(out, option->about);
        words.len = 0;
        if (option->value) words_of(&words, option->value);
        if (option->value && words.len) il__text_printf(out, " -x -a '%s%s'", words.ptr,
                                                        takes_file(option->value) ? " (__fish_complete_path)" : "");
        else if (option->value && takes_folder(option->value))
            il__text_puts(out, " -x -a '(__fish_complete_directories)'");
        else if (option->value && takes_file(option->value)) il__text_puts(out, " -r -F");
        else if (option->value) il__text_puts(out, " -x");
        il__text_puts(out, "\n");
    }
    il__text_printf(out, "%s -s h -l help -d 'Print the page of the command.'\n", when);
    words.len = 0;
    operand_words(&words, command);
    if (words.len) il__text_printf(out, "%s -a '%s'\n", when, words.ptr);
    if (takes_files(command)) il__text_printf(out, "%s -F\n", when);
    il__text_clear(&words);
}

static void fish(struct il__text *out)
{
    il__text_puts(out, "# fish completion for interlock, made by 'interlock completion fish'\n"
                       "complete -c interlock -f\n");
    for (size_t i = 0; il__command_at(i); i++) {
        il__text_printf(out, "complete -c interlock -n __fish_use_subcommand -a %s -d ", il__command_at(i)->name);
        fish_quoted(out, il__command_at(i)->summary);
        il__text_puts(out, "\n");
    }
    for (size_t i = 0; page_at(i); i++) fish_command(out, page_at(i));
}

static int run(const struct il__args *args, struct il__io *io)
{
    static const char *const shells[] = { "bash", "zsh", "fish" };
    static void (*const writers[])(struct il__text *) = { bash, zsh, fish };
    struct il__text text = IL__TEXT_INIT;
    if (args->operand_count != 1) {
        il__io_error(io, "name one shell; write 'interlock completion bash', zsh or fish");
        return 2;
    }
    for (size_t i = 0; i < 3; i++) {
        if (strcmp(args->operands[0], shells[i]) != 0) continue;
        writers[i](&text);
        il__out_text(&io->out, &text);
        il__text_clear(&text);
        return 0;
    }
    il__io_error(io, "no completion for '%s'; write bash, zsh or fish", args->operands[0]);
    return 2;
}

static const char *const examples[] = {
    "source <(interlock completion bash)",
    "interlock completion zsh >~/.zfunc/_interlock",
    "interlock completion fish >~/.config/fish/completions/interlock.fish",
    NULL,
};
static const char *const exits[] = { "0   the script was printed", IL__EXIT_USAGE, NULL };

const struct il__command il__command_completion = {
    .name = "completion",
    .operands = "bash|zsh|fish",
    .summary = "Print a completion script for a shell.",
    .about = "Prints a script that teaches the shell the commands, options and words of interlock.",
    .options = NULL,
    .option_count = 0,
    .examples = examples,
    .exits = exits,
    .run = run,
};
