/* Structured log lines. One write a line, so that lines of several processes do not mix. */
#include "cli/logger.h"

#include "cli/moment.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static void put_hex(char *to, const unsigned char *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        to[2 * i] = digits[bytes[i] >> 4];
        to[2 * i + 1] = digits[bytes[i] & 15];
    }
}

static bool is_hex(const char *text, size_t count)
{
    bool zero = true;
    for (size_t i = 0; i < count; i++) {
        if (!strchr("0123456789abcdef", text[i]) || !text[i]) return false;
        zero = zero && text[i] == '0';
    }
    return !zero;
}

/* The trace of whoever called us goes on when TRACEPARENT names one; the span is ours. */
static void make_trace(struct il__logger *logger)
{
    unsigned char bytes[24] = { 0 };
    const char *given = getenv("TRACEPARENT");
    bool kept = given && strlen(given) == 55 && memcmp(given, "00-", 3) == 0 && is_hex(given + 3, 32) &&
                given[35] == '-' && is_hex(given + 36, 16) && given[52] == '-';
    if (getrandom(bytes, sizeof bytes, GRND_NONBLOCK) != (ssize_t)sizeof bytes) bytes[0] = bytes[16] = 1;
    memcpy(logger->traceparent, "00-", 3);
    put_hex(logger->traceparent + 3, bytes, 16);
    logger->traceparent[35] = '-';
    put_hex(logger->traceparent + 36, bytes + 16, 8);
    memcpy(logger->traceparent + 52, "-01", 4);
    if (kept) memcpy(logger->traceparent + 3, given + 3, 32);
    if (kept && (given[54] == '0' || given[54] == '2')) memcpy(logger->traceparent + 52, "-00", 3);
}

void il__logger_init(struct il__logger *logger, struct il__out *out, const char *mode)
{
    memset(logger, 0, sizeof *logger);
    logger->out = out;
    logger->on = mode != NULL;
    logger->json = mode && strcmp(mode, "json") == 0;
    make_trace(logger);
}

void il__logger_set_run(struct il__logger *logger, struct il_str run_id)
{
    size_t len = run_id.len < sizeof logger->run_id ? run_id.len : sizeof logger->run_id - 1;
    memcpy(logger->run_id, run_id.ptr, len);
    logger->run_id[len] = '\0';
}

static void begin(const struct il__logger *logger, struct il__text *text, enum il_log_level level)
{
    static const char *const levels[] = { "debug", "info", "warn", "error" };
    const char *name = levels[level <= IL_LOG_ERROR ? level : IL_LOG_ERROR];
    if (!logger->json) {
        il__text_printf(text, "%s: ", name);
        return;
    }
    il__text_puts(text, "{\"at\":\"");
    il__wall_text(text, il__wall_ms());
    il__text_printf(text, "\",\"level\":\"%s\",\"traceparent\":\"%s\",\"runId\":", name, logger->traceparent);
    il__text_json(text, il__text_of(logger->run_id[0] ? logger->run_id : NULL));
}

static void end(struct il__logger *logger, struct il__text *text)
{
    il__text_puts(text, logger->json ? "}\n" : "\n");
    il__out_text(logger->out, text);
    fflush(logger->out->file);
    il__text_clear(text);
}

void il__logger_line(void *ctx, enum il_log_level level, const char *line, size_t len)
{
    struct il__logger *logger = ctx;
    struct il__text text = IL__TEXT_INIT;
    if (!logger->on) return;
    begin(logger, &text, level);
    if (logger->json) il__text_puts(&text, ",\"message\":");
    if (logger->json) il__text_json(&text, (struct il_str){ line, len });
    else il__text_escaped(&text, (struct il_str){ line, len });
    end(logger, &text);
}

void il__logger_say(struct il__logger *logger, const char *what, const char *of)
{
    char line[256];
    int len = snprintf(line, sizeof line, "%s %s", what, of);
    if (len > 0) il__logger_line(logger, IL_LOG_INFO, line, (size_t)len < sizeof line ? (size_t)len : sizeof line - 1);
}

void il__logger_event(struct il__logger *logger, const struct il_event *event)
{
    struct il__text text = IL__TEXT_INIT;
    if (!logger->on || !logger->json || (event->type == IL_EVENT_CHECK && event->ok)) return;
    begin(logger, &text, event->type == IL_EVENT_CHECK ? IL_LOG_WARN : IL_LOG_INFO);
    il__text_puts(&text, ",\"event\":");
    il__text_str(&text, event->json);
    end(logger, &text);
}
