/* A person's decision on a run that waits in a store: held against what the run waits for now, left for its owner, and
 * what comes next. Uses run.h for who goes on with the run at once.
 * Must never decide on Enter, at the end of input, or on a signal. */
#ifndef IL_CLI_DECIDE_H
#define IL_CLI_DECIDE_H

#include "cli/shelf.h"

/* The rows of a decision's table: what is decided, by whom. */
#define IL__DECIDE_OPTIONS                                                                                             \
    IL__STORE_OPTION("The file that the run waits in."),                                                               \
        { "request", "ID", false, "The open request, as 'interlock show' tells it." },                                 \
        { "as", "WHO", false, "Who decides." },                                                                        \
        { "key", "FILE", false,                                                                                        \
          "Sign the decision with this private key (Ed25519, PEM), as an approver of the owner's --approvers file." }, \
        { "reason", "TEXT", false, "Why; a policy that is overridden wants one." },                                    \
        { "no-input", NULL, false, "Never ask on the terminal." },                                                     \
        { "format", "text|json", false, "How to print; text is the default." }

/* The exit statuses that all of them share. */
#define IL__DECIDE_EXITS                                                                                               \
    "1   refused, or too late: nothing was decided", IL__EXIT_USAGE,                                                   \
        "8   the store or the run in it cannot be read, or the answer not be written"

/* Carries out `decision` ("approve", "deny", "defer", "re-observe"). The exit status. */
int il__decide(const struct il__args *args, struct il__io *io, const char *decision);

#endif
