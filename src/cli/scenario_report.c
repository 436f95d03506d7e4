/* Scenario results as text for a person, JSON, TAP and JUnit XML. Everything from files is escaped for its form.
 * Must never print a plan or a total that differs from what was reported. */
#include "cli/scenario_report.h"

#include "cli/report.h"

#include <string.h>

void il__scenario_begin(struct il__scenario_report *report, struct il__out *out, const char *format)
{
    static const char *const names[] = { "text", "json", "tap", "junit" };
    memset(report, 0, sizeof *report);
    report->out = out;
    for (size_t i = 0; format && i < 4; i++)
        if (strcmp(format, names[i]) == 0) report->form = (enum il__scenario_form)i;
    if (report->form == IL__FORM_TAP) il__out_puts(out, "TAP version 13\n");
}

void il__scenario_file(struct il__scenario_report *report, const char *path)
{
    struct il__text text = IL__TEXT_INIT;
    if (report->form == IL__FORM_TEXT) {
        il__text_escaped(&text, il__text_of(path));
        il__out_puts(report->out, report->files ? "\n" : "");
        il__out_tone(report->out, IL__TONE_BOLD, il__text_get(&text));
        il__out_puts(report->out, "\n");
        il__text_clear(&text);
    }
    report->files++;
}

/* ---- text ---- */

static void text_line(struct il__out *out, enum il__mark mark, struct il_str s)
{
    enum il__tone tone;
    struct il__text safe = IL__TEXT_INIT;
    const char *sign = il__out_mark(out, mark, &tone);
    struct il__out rest = *out;
    rest.width -= 4;
    il__text_escaped(&safe, s);
    il__out_puts(out, "  ");
    il__out_tone(out, tone, il__text_of(sign));
    il__out_wrap(&rest, " ", 5, IL__TONE_PLAIN, il__text_get(&safe));
    out->lost = rest.lost;
    il__text_clear(&safe);
}

static void text_result(struct il__scenario_report *report, const struct il_scenario_result *result)
{
    struct il__text text = IL__TEXT_INIT, safe = IL__TEXT_INIT;
    text_line(report->out, result->passed ? IL__MARK_OK : IL__MARK_BAD, result->name);
    if (!result->passed) {
        il__text_escaped(&safe, result->file);
        il__text_printf(&text, "%s:%d: ", safe.ptr ? safe.ptr : "", result->line);
        il__text_reset(&safe);
        il__text_escaped(&safe, result->message);
        il__text_str(&text, il__text_get(&safe));
        il__out_wrap(report->out, "     ", 9, IL__TONE_BAD, il__text_get(&text));
        if (result->trace.len) il__out_puts(report->out, "     what the runs did:\n");
        il__out_lines(report->out, "       ", result->trace);
    }
    il__text_clear(&text);
    il__text_clear(&safe);
}

static void text_end(struct il__scenario_report *report)
{
    char line[160];
    bool well = report->failed == 0 && report->errors == 0;
    int len = snprintf(line, sizeof line, "%zu passed, %zu failed", report->passed, report->failed);
    if (report->errors)
        snprintf(line + len, sizeof line - (size_t)len, ", %zu of %zu files could not be run", report->errors,
                 report->files);
    il__out_puts(report->out, report->files ? "\n" : "");
    il__out_tone(report->out, well ? IL__TONE_GOOD : IL__TONE_BAD, il__text_of(line));
    il__out_puts(report->out, "\n");
}

/* ---- TAP ---- */

/* A test's name may hold no line end, and `#` would begin a directive. */
static void tap_line(struct il__scenario_report *report, bool ok, struct il_str name)
{
    struct il__text text = IL__TEXT_INIT, safe = IL__TEXT_INIT;
    il__text_escaped(&safe, name);
    for (size_t i = 0; i < safe.len; i++)
        if (safe.ptr[i] == '#') safe.ptr[i] = '.';
    il__text_printf(&text, "%sok %zu - ", ok ? "" : "not ", report->passed + report->failed + report->errors);
    il__text_str(&text, il__text_get(&safe));
    il__text_puts(&text, "\n");
    il__out_text(report->out, &text);
    il__text_clear(&text);
    il__text_clear(&safe);
}

static void tap_result(struct il__scenario_report *report, const struct il_scenario_result *result)
{
    struct il__text text = IL__TEXT_INIT;
    tap_line(report, result->passed, result->name);
    if (!result->passed) {
        il__text_str(&text, result->file);
        il__text_printf(&text, ":%d: ", result->line);
        il__text_str(&text, result->message);
        il__out_lines(report->out, "# ", il__text_get(&text));
        il__out_lines(report->out, "#   ", result->trace);
    }
    il__text_clear(&text);
}

/* ---- JSON ---- */

static void json_lines(struct il__text *text, struct il_str lines)
{
    il__text_puts(text, ",\"trace\":[");
    for (bool first = true; lines.len; first = false) {
        const char *end = memchr(lines.ptr, '\n', lines.len);
        size_t len = end ? (size_t)(end - lines.ptr) : lines.len;
        if (!first) il__text_puts(text, ",");
        il__text_json(text, (struct il_str){ lines.ptr, len });
        len += end != NULL;
        lines.ptr += len;
        lines.len -= len;
    }
    il__text_puts(text, "]");
}

static void json_result(struct il__scenario_report *report, const struct il_scenario_result *result)
{
    struct il__text *text = &report->cases;
    il__text_printf(text, "%s{\"file\":", text->len ? "," : "");
    il__text_json(text, result->file);
    il__text_puts(text, ",\"name\":");
    il__text_json(text, result->name);
    il__text_printf(text, ",\"passed\":%s", result->passed ? "true" : "false");
    if (!result->passed) {
        il__text_printf(text, ",\"line\":%d,\"message\":", result->line);
        il__text_json(text, result->message);
        json_lines(text, result->trace);
    }
    il__text_puts(text, "}");
}

static void json_end(struct il__scenario_report *report)
{
    struct il__text text = IL__TEXT_INIT;
    il__text_printf(&text, "{\"ok\":%s,\"files\":%zu,\"passed\":%zu,\"failed\":%zu,\"scenarios\":[",
                    report->failed || report->errors ? "false" : "true", report->files, report->passed, report->failed);
    il__text_str(&text, il__text_get(&report->cases));
    il__text_puts(&text, "],\"errors\":[");
    il__text_str(&text, il__text_get(&report->broken));
    il__text_puts(&text, "]}\n");
    il__out_text(report->out, &text);
    il__text_clear(&text);
}

/* ---- JUnit ---- */

static void junit_open(struct il__text *text, struct il_str file, struct il_str name)
{
    il__text_puts(text, "  <testcase classname=\"");
    il__text_xml(text, file);
    il__text_puts(text, "\" name=\"");
    il__text_xml(text, name);
    il__text_puts(text, "\"");
}

static void junit_result(struct il__scenario_report *report, const struct il_scenario_result *result)
{
    struct il__text *text = &report->cases;
    junit_open(text, result->file, result->name);
    if (result->passed) {
        il__text_puts(text, "/>\n");
        return;
    }
    il__text_puts(text, ">\n    <failure message=\"");
    il__text_xml(text, result->file);
    il__text_printf(text, ":%d: ", result->line);
    il__text_xml(text, result->message);
    il__text_puts(text, "\">");
    il__text_xml(text, result->trace);
    il__text_puts(text, "</failure>\n  </testcase>\n");
}

static void junit_end(struct il__scenario_report *report)
{
    struct il__text text = IL__TEXT_INIT;
    il__text_printf(&text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                           "<testsuite name=\"interlock\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n",
                    report->passed + report->failed + report->errors, report->failed, report->errors);
    il__text_str(&text, il__text_get(&report->cases));
    il__text_puts(&text, "</testsuite>\n");
    il__out_text(report->out, &text);
    il__text_clear(&text);
}

/* ---- all forms ---- */

void il__scenario_result(void *ctx, const struct il_scenario_result *result)
{
    struct il__scenario_report *report = ctx;
    *(result->passed ? &report->passed : &report->failed) += 1;
    switch (report->form) {
    case IL__FORM_TEXT: text_result(report, result); break;
    case IL__FORM_JSON: json_result(report, result); break;
    case IL__FORM_TAP: tap_result(report, result); break;
    case IL__FORM_JUNIT: junit_result(report, result); break;
    }
}

void il__scenario_error(struct il__scenario_report *report, const char *path, const struct il_error *err)
{
    struct il__text line = IL__TEXT_INIT;
    report->errors++;
    il__report_line(&line, err);
    switch (report->form) {
    case IL__FORM_TEXT: text_line(report->out, IL__MARK_BAD, il__text_get(&line)); break;
    case IL__FORM_TAP:
        tap_line(report, false, il__text_of(path));
        il__out_lines(report->out, "# ", il__text_get(&line));
        break;
    case IL__FORM_JSON:
        il__text_printf(&report->broken, "%s{\"file\":", report->broken.len ? "," : "");
        il__text_json(&report->broken, il__text_of(path));
        il__text_puts(&report->broken, ",\"error\":");
        il__report_json(&report->broken, err);
        il__text_puts(&report->broken, "}");
        break;
    case IL__FORM_JUNIT:
        junit_open(&report->cases, il__text_of(path), il__text_of("the file can be run"));
        il__text_puts(&report->cases, ">\n    <error message=\"");
        il__text_xml(&report->cases, il__text_get(&line));
        il__text_puts(&report->cases, "\"/>\n  </testcase>\n");
        break;
    }
    il__text_clear(&line);
}

void il__scenario_end(struct il__scenario_report *report)
{
    switch (report->form) {
    case IL__FORM_TEXT: text_end(report); break;
    case IL__FORM_JSON: json_end(report); break;
    case IL__FORM_TAP: {
        char plan[40];
        snprintf(plan, sizeof plan, "1..%zu\n", report->passed + report->failed + report->errors);
        il__out_puts(report->out, plan);
        break;
    }
    case IL__FORM_JUNIT: junit_end(report); break;
    }
    il__text_clear(&report->cases);
    il__text_clear(&report->broken);
}
