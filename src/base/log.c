/* Hands formatted lines to the embedder's callback. Holds no state; silent without a callback. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

void il__log(const struct il__log *log, enum il_log_level level, const char *fmt, ...)
{
    char line[IL__LOG_LINE_MAX];
    va_list ap;
    if (!log || !log->fn) return;
    va_start(ap, fmt);
    int n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (n < 0) return;
    size_t len = (size_t)n < sizeof line ? (size_t)n : sizeof line - 1;
    log->fn(log->ctx, level, line, len);
}
