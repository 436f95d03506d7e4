/* Parsing of arguments against a command's table, and the suggestion in its errors.
 * Uses only the table and the argument vector. Must never guess: a near miss is named, not taken. */
#include "cli/options.h"

#include "cli/command.h"

#include <string.h>

/* ---- nearest word ---- */

/* Edits (insert, delete, replace, swap of neighbours) between two words of at most 31 bytes; 99 for longer ones. */
static size_t distance(const char *a, const char *b)
{
    enum { MAX = 32 };
    size_t rows[3][MAX], la = strlen(a), lb = strlen(b);
    if (la >= MAX || lb >= MAX) return 99;
    for (size_t j = 0; j <= lb; j++) rows[0][j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t *row = rows[i % 3], *up = rows[(i + 2) % 3], *upper = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t best = up[j - 1] + (a[i - 1] != b[j - 1]);
            if (up[j] + 1 < best) best = up[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && upper[j - 2] + 1 < best)
                best = upper[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[la % 3][lb];
}

const char *il__nearest(const char *word, const char *const *words, size_t count)
{
    const char *best = NULL;
    size_t least = strlen(word) < 5 ? 2 : 3;
    for (size_t i = 0; i < count; i++) {
        size_t edits = distance(word, words[i]);
        if (strlen(word) >= 3 && strncmp(word, words[i], strlen(word)) == 0) edits = 1;
        if (edits < least) {
            least = edits;
            best = words[i];
        }
    }
    return best;
}

bool il__choice_at(const char *choices, size_t index, char *out, size_t size)
{
    const char *at = choices;
    for (; index; index--) {
        at = strchr(at, '|');
        if (!at) return false;
        at++;
    }
    size_t len = strcspn(at, "|");
    if (len >= size) len = size - 1;
    memcpy(out, at, len);
    out[len] = '\0';
    return true;
}

/* ---- parsing ---- */

static int unknown(const struct il__command *command, const char *given, struct il__io *io)
{
    const char *names[IL__CLI_OPTIONS + 1];
    size_t count = 0;
    char name[40];
    for (; count < command->option_count; count++) names[count] = command->options[count].name;
    names[count++] = "help";
    size_t len = strcspn(given, "=");
    if (len >= sizeof name) len = sizeof name - 1;
    memcpy(name, given, len);
    name[len] = '\0';
    const char *near = il__nearest(name + strspn(name, "-"), names, count);
    if (near) il__io_error(io, "unknown option '%s'; did you mean '--%s'?", name, near);
    else il__io_error(io, "unknown option '%s'; 'interlock help %s' lists the options", name, command->name);
    return 2;
}

/* A table entry of the form "a|b" allows these words and no other; one that names a FILE allows anything. */
static bool allowed(const struct il__option *option, const char *value)
{
    char word[32];
    if (!strchr(option->value, '|') || strstr(option->value, "FILE")) return true;
    for (size_t i = 0; il__choice_at(option->value, i, word, sizeof word); i++)
        if (strcmp(word, value) == 0) return true;
    return false;
}

static int take(const struct il__option *option, struct il__values *values, const char *value, struct il__io *io)
{
    if (values->count && !option->repeat) {
        il__io_error(io, "--%s is given twice; give it once", option->name);
        return 2;
    }
    if (values->count == IL__CLI_OPTION_VALUES) {
        il__io_error(io, "--%s is given more than %d times", option->name, (int)IL__CLI_OPTION_VALUES);
        return 2;
    }
    if (option->value && value[0] == '\0') {
        il__io_error(io, "--%s is empty; write --%s %s", option->name, option->name, option->value);
        return 2;
    }
    if (option->value && !allowed(option, value)) {
        il__io_error(io, "--%s: '%s' is not one of %s", option->name, value, option->value);
        return 2;
    }
    values->at[values->count++] = value;
    return 0;
}

/* One option at argv[*at]; *at moves past its value. */
static int parse_option(int argc, char **argv, int *at, struct il__args *out, struct il__io *io)
{
    const struct il__command *command = out->command;
    const char *given = argv[*at], *name = given + 2, *equals = strchr(name, '=');
    size_t len = equals ? (size_t)(equals - name) : strlen(name);
    if (strcmp(given, "-h") == 0 || strcmp(given, "--help") == 0) {
        out->help = true;
        return 0;
    }
    if (strcmp(given, "-o") == 0) { /* as compilers have it */
        name = "out";
        len = 3;
        equals = NULL;
    } else if (given[1] != '-') {
        return unknown(command, given, io);
    }
    for (size_t i = 0; i < command->option_count; i++) {
        const struct il__option *option = &command->options[i];
        if (strlen(option->name) != len || memcmp(option->name, name, len) != 0) continue;
        if (!option->value && equals) {
            il__io_error(io, "--%s takes no value; write it alone", option->name);
            return 2;
        }
        if (!option->value) return take(option, &out->options[i], "", io);
        if (equals) return take(option, &out->options[i], equals + 1, io);
        if (*at + 1 >= argc) {
            il__io_error(io, "--%s needs a value; write --%s %s", option->name, option->name, option->value);
            return 2;
        }
        return take(option, &out->options[i], argv[++*at], io);
    }
    return unknown(command, given, io);
}

int il__args_parse(const struct il__command *command, int argc, char **argv, struct il__args *out, struct il__io *io)
{
    bool options = true;
    int kept = 0;
    memset(out, 0, sizeof *out);
    out->command = command;
    out->operands = (const char *const *)argv;
    for (int i = 0; i < argc; i++) {
        if (options && strcmp(argv[i], "--") == 0) {
            options = false;
        } else if (options && argv[i][0] == '-' && argv[i][1]) {
            if (parse_option(argc, argv, &i, out, io) != 0) return 2;
        } else {
            argv[kept++] = argv[i];
        }
    }
    out->operand_count = (size_t)kept;
    return 0;
}

const struct il__values *il__args_values(const struct il__args *args, const char *name)
{
    static const struct il__values none = { { NULL }, 0, false };
    for (size_t i = 0; i < args->command->option_count; i++)
        if (strcmp(args->command->options[i].name, name) == 0) return &args->options[i];
    return &none;
}

const char *il__args_value(const struct il__args *args, const char *name)
{
    const struct il__values *values = il__args_values(args, name);
    return values->count ? values->at[0] : NULL;
}

bool il__args_flag(const struct il__args *args, const char *name)
{
    return il__args_values(args, name)->count > 0;
}

bool il__args_given(const struct il__args *args, const char *name)
{
    const struct il__values *values = il__args_values(args, name);
    return values->count > 0 && !values->configured;
}

bool il__args_json(const struct il__args *args)
{
    const char *format = il__args_value(args, "format");
    return format && strcmp(format, "json") == 0;
}
