/* How an il_error reads: as one line for a person, as a JSON object for a program, and as an exit status when it came
 * before any run. Must never reword what the library said. */
#ifndef IL_CLI_REPORT_H
#define IL_CLI_REPORT_H

#include "cli/output.h"

/* "control lease: boundaries.app_ids expected [...], got [...]", else the message. */
void il__report_line(struct il__text *out, const struct il_error *err);
/* {"code","step","object","field","expected","actual","message","cleanup"}; empty members are left out. */
void il__report_json(struct il__text *out, const struct il_error *err);
/* The exit status of an error in what the user gave, before any request: 65, 3, 2 or 8. */
int il__report_status(enum il_code code);
/* Prints the error of `what` (a file name, or NULL): one line on stderr, or with `json` {"ok":false,"error":...} on
 * stdout. Returns `status`. */
int il__report(struct il__io *io, bool json, const char *what, const struct il_error *err, int status);

#endif
