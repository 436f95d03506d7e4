/* Log lines of a command with a server, on standard error: as text, or as one JSON object a line with time, level, run
 * id and traceparent (W3C Trace Context), so that they can be joined with what others log.
 * Uses the clock, the random generator and TRACEPARENT of the environment. Must never be handed a token. */
#ifndef IL_CLI_LOGGER_H
#define IL_CLI_LOGGER_H

#include "cli/output.h"

struct il__logger {
    struct il__out *out;
    bool on, json;
    char traceparent[56];
    char run_id[64];      /* empty before a run has begun */
};

/* `mode` is "text", "json" or NULL (silent). */
void il__logger_init(struct il__logger *logger, struct il__out *out, const char *mode);
void il__logger_set_run(struct il__logger *logger, struct il_str run_id);
/* An il_log_fn; `ctx` is the logger. */
void il__logger_line(void *ctx, enum il_log_level level, const char *line, size_t len);
/* A line of the command's own, by the same rules. */
void il__logger_say(struct il__logger *logger, const char *what, const char *of);
/* What happened in the run, as a JSON line; checks that passed are left out. Nothing with text. */
void il__logger_event(struct il__logger *logger, const struct il_event *event);

#endif
