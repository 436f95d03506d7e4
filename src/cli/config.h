/* The configuration file of a command: found, read, and laid under the options that were given, in this one place, so
 * that every command reads it alike. Uses il_config_* of the library.
 * Must never let the file win over an option, nor hand its token to an address that is not the file's. */
#ifndef IL_CLI_CONFIG_H
#define IL_CLI_CONFIG_H

#include "cli/command.h"

/* The last rows of the table of every command that the file has something for. */
#define IL__CONFIG_OPTIONS                                                                                             \
    { "config", "FILE", false,                                                                                         \
      "Read what is not given here from FILE; without it from interlock.json in the current folder, when there is "    \
      "one." },                                                                                                        \
    {                                                                                                                  \
        "no-config", NULL, false, "Read no configuration file."                                                        \
    }

struct il__config {
    const char *path; /* NULL: there is none */
    bool found;       /* in the current folder, and not named */
    il_config *file;
    const struct il_config_values *values;
};

/* Reads the file that `args` names, or the one in the current folder, and fills options that were not given. `config`
 * lives as long as `args`. 0, or the exit status after a report. A command without these options: 0, and nothing. */
int il__config_load(struct il__io *io, struct il__args *args, struct il__config *config);
void il__config_free(struct il__config *config);
/* The members of the file, or NULL without one. */
const struct il_config_values *il__config_values(const struct il__args *args);
/* What the file says of a host that is about to be made, and its digest, once it is made. */
void il__config_host(const struct il__args *args, struct il_host_options *options);
enum il_code il__config_note(const struct il__args *args, il_host *host, struct il_error *err);

#endif
