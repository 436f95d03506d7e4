/* What the runs of a scenario did, told as `interlock run` tells it. */
#ifndef IL_CLI_SCENARIO_TRACE_H
#define IL_CLI_SCENARIO_TRACE_H

#include "cli/text.h"

/* `trace` has one event as JSON on each line; lines that are none are taken as they stand. Adds plain text of at most
 * `width` columns to `out`. */
void il__scenario_trace(struct il__text *out, struct il_str trace, int width);
/* The same lines as the members of a JSON array; false when a line is no JSON object. */
bool il__scenario_trace_json(struct il__text *out, struct il_str trace);

#endif
