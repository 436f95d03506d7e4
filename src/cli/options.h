/* Options and operands of one command: `--name value`, `--name=value`, `--` ends the options, `-h` is `--help`, `-o`
 * is `--out`. A command's table is the one source for parsing, help texts and completions.
 * Must never accept what the table does not hold. */
#ifndef IL_CLI_OPTIONS_H
#define IL_CLI_OPTIONS_H

#include "cli/limits.h"
#include "cli/output.h"

struct il__option {
    const char *name;   /* without the dashes */
    const char *value;  /* what stands for its value in help: "FILE", "DIR", "text|json"; NULL: a flag */
    bool repeat;
    const char *about;
};

struct il__command;

struct il__values {
    const char *at[IL__CLI_OPTION_VALUES];
    size_t count;
    bool configured; /* by the configuration file, and not given */
};

struct il__config;
struct il__args {
    const struct il__command *command;
    const struct il__config *config;            /* NULL: none was read */
    struct il__values options[IL__CLI_OPTIONS]; /* by the index in the command's table; a flag counts only */
    const char *const *operands;                /* points into the argument vector */
    size_t operand_count;
    bool help;
};

/* Reads the arguments behind the command's name; reorders `argv`. 0, or 2 after one line on stderr. */
int il__args_parse(const struct il__command *command, int argc, char **argv, struct il__args *out, struct il__io *io);
/* The first value of option `name` (which the table must hold), or NULL. */
const char *il__args_value(const struct il__args *args, const char *name);
const struct il__values *il__args_values(const struct il__args *args, const char *name);
bool il__args_flag(const struct il__args *args, const char *name);
/* Option `name` stands on the command line itself, not in the configuration file alone; false when there is no such
 * option. */
bool il__args_given(const struct il__args *args, const char *name);
/* True for "json" given as --format. */
bool il__args_json(const struct il__args *args);

/* The entry of `words` nearest to `word`, or NULL when none is near. */
const char *il__nearest(const char *word, const char *const *words, size_t count);
/* The n-th word of "a|b|c" copied to `out`; false past the end. */
bool il__choice_at(const char *choices, size_t index, char *out, size_t size);

#endif
