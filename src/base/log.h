/* Log lines of the core go to the embedder's callback or nowhere; there is no global log. */
#ifndef IL_BASE_LOG_H
#define IL_BASE_LOG_H

#include "base/str.h"

enum { IL__LOG_LINE_MAX = 1024 }; /* a longer line is cut */

struct il__log {
    il_log_fn fn; /* NULL: silent */
    void *ctx;
};

/* Formats and hands over one line. Texts from outside must be escaped by the caller (il__escape). */
void il__log(const struct il__log *log, enum il_log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
