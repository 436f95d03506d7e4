/* Errors of the library as a line, as JSON and as an exit status (for errors before a run). */
#include "cli/report.h"

#include <string.h>

void il__report_line(struct il__text *out, const struct il_error *err)
{
    const bool told = strstr(err->message, " expected ") || strstr(err->message, " got ");
    if (!told && err->object[0] && err->field[0] && (err->expected[0] || err->actual[0])) {
        il__text_printf(out, "%s: %s", err->object, err->field);
        if (err->expected[0]) il__text_printf(out, " expected %s", err->expected);
        if (err->actual[0]) il__text_printf(out, "%s got %s", err->expected[0] ? "," : "", err->actual);
        return;
    }
    if (err->object[0] && strncmp(err->message, err->object, strlen(err->object)) != 0)
        il__text_printf(out, "%s: ", err->object);
    if (err->field[0] && !strstr(err->message, err->field)) il__text_printf(out, "%s: ", err->field);
    il__text_puts(out, err->message[0] ? err->message : il_code_name(err->code));
}

static void member(struct il__text *out, const char *name, const char *value)
{
    if (!value[0]) return;
    il__text_printf(out, ",\"%s\":", name);
    il__text_json(out, il__text_of(value));
}

void il__report_json(struct il__text *out, const struct il_error *err)
{
    il__text_puts(out, "{\"code\":");
    il__text_json(out, il__text_of(il_code_name(err->code)));
    member(out, "step", err->step);
    member(out, "object", err->object);
    member(out, "field", err->field);
    member(out, "expected", err->expected);
    member(out, "actual", err->actual);
    member(out, "message", err->message);
    if (err->cleanup_code != IL_OK) {
        il__text_puts(out, ",\"cleanup\":{\"code\":");
        il__text_json(out, il__text_of(il_code_name(err->cleanup_code)));
        member(out, "step", err->cleanup_step);
        member(out, "message", err->cleanup_message);
        il__text_puts(out, "}");
    }
    il__text_puts(out, "}");
}

int il__report_status(enum il_code code)
{
    switch (code) {
    case IL_DECODE: return 65;
    case IL_INVALID_REQUEST: return 65;
    case IL_SCRIPT_ERROR:
    case IL_POLICY_ERROR:
    case IL_LIMIT_EXCEEDED:
    case IL_INVARIANT:
    case IL_DIVERGED: return 3;
    case IL_UNSUPPORTED: return 2;
    default: return 8;
    }
}

int il__report(struct il__io *io, bool json, const char *what, const struct il_error *err, int status)
{
    struct il__text line = IL__TEXT_INIT;
    if (json) {
        il__text_puts(&line, "{\"ok\":false,");
        if (what) il__text_puts(&line, "\"file\":");
        if (what) il__text_json(&line, il__text_of(what));
        il__text_puts(&line, what ? ",\"error\":" : "\"error\":");
        il__report_json(&line, err);
        il__text_printf(&line, ",\"exitStatus\":%d}\n", status);
        il__out_text(&io->out, &line);
    } else {
        il__report_line(&line, err);
        il__io_error(io, "%s%s%s", what ? what : "", what ? ": " : "", line.ptr ? line.ptr : "out of memory");
    }
    il__text_clear(&line);
    return status;
}
