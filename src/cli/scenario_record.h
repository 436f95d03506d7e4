/* `interlock scenario --record`. */
#ifndef IL_CLI_SCENARIO_RECORD_H
#define IL_CLI_SCENARIO_RECORD_H

#include "cli/command.h"

/* The exit status. */
int il__scenario_record(const struct il__args *args, struct il__io *io);

#endif
