/* The commands: one table entry each, from which dispatch, help, completions and parsing live.
 * One file per command defines its entry. */
#ifndef IL_CLI_COMMAND_H
#define IL_CLI_COMMAND_H

#include "cli/options.h"

/* Exit statuses that several commands share in their help. */
#define IL__EXIT_USAGE "2   the call is wrong, or a file cannot be opened"
#define IL__EXIT_UNDECODABLE "65  a file cannot be decoded, or is too large"
#define IL__EXIT_FAILED "8   memory or output failed"

struct il__command {
    const char *name;
    const char *operands;        /* for the synopsis: "ACTION.json" */
    const char *summary;         /* one line */
    const char *about;           /* paragraphs, parted by line feeds */
    const struct il__option *options;
    size_t option_count;
    const char *const *examples; /* NULL-terminated */
    const char *const *exits;    /* NULL-terminated: "0   all is well" */
    int (*run)(const struct il__args *args, struct il__io *io); /* the exit status; not used with `sub_at` */
    const struct il__command *(*sub_at)(size_t index); /* its verbs are commands of their own, named "policy build";
                                                          NULL: none. NULL past the end */
};

/* The verbs of `session`, for completions. */
#define IL__SESSION_VERBS "start show events follow-ups submit pause resume stop complete delete prune"
/* And those of `audit`, `receipt` and `key`. */
#define IL__AUDIT_VERBS "verify show export head"
#define IL__RECEIPT_VERBS "seal verify sign"
#define IL__KEY_VERBS "new show"

extern const struct il__command il__command_run, il__command_pending, il__command_show, il__command_approve,
    il__command_deny, il__command_defer, il__command_reobserve, il__command_resume, il__command_cancel,
    il__command_stop, il__command_lift, il__command_session, il__command_tools, il__command_check, il__command_scenario,
    il__command_evaluate, il__command_receipt, il__command_audit, il__command_key, il__command_doctor,
    il__command_version, il__command_completion, il__command_help, il__command_policy;
/* `doctor --runtime SERVER`. */
int il__doctor_server(const struct il__args *args, struct il__io *io);
/* The configuration that `doctor` found, with everything it names: as text, or as a member "config" of a JSON object,
 * a comma behind it. Nothing is started or contacted. True: all is there, or there is no configuration. */
bool il__doctor_config(const struct il__args *args, struct il__out *out);
bool il__doctor_config_json(const struct il__args *args, struct il__text *text);

/* In the order of the help text; NULL past the end. */
const struct il__command *il__command_at(size_t index);
/* NULL when there is none; then `*near` is a name that may have been meant, or NULL. */
const struct il__command *il__command_find(const char *name, const char **near);
/* The verb `name` of a command of commands; NULL and `*near` as above. */
const struct il__command *il__command_sub(const struct il__command *command, const char *name, const char **near);
/* "build" of "policy build"; the name of any other. */
const char *il__command_verb(const struct il__command *command);
/* Prints the page of one command, or the overview for NULL. */
void il__help_print(struct il__out *out, const struct il__command *command);

#endif
