/* Reports of policy tests (policy_test_report.h). Places are shown as paths that an editor opens. Everything from files
 * is escaped for its form. */
#include "cli/policy_test_report.h"

#include "cli/look.h"
#include "cli/policy_bench.h"
#include "cli/report.h"

#include <string.h>

void il__policy_report_begin(struct il__policy_report *r, struct il__out *out, const char *format, int threshold)
{
    static const char *const names[] = { "text", "json", "tap", "junit" };
    memset(r, 0, sizeof *r);
    r->out = out;
    r->threshold = threshold;
    for (size_t i = 0; format && i < 4; i++)
        if (strcmp(format, names[i]) == 0) r->form = (enum il__policy_form)i;
    if (r->form == IL__POLICY_TAP) il__out_puts(out, "TAP version 14\n");
}

/* ---- places and words -------------------------------------------------------------------------------------------- */

/* "bundle/file.lua" as a path: the folder of the bundle takes the place of its name. */
static void put_place(struct il__text *text, const struct il__policy_report *r, struct il_str label, int line)
{
    const char *slash = label.len ? memchr(label.ptr, '/', label.len) : NULL;
    size_t len = strlen(r->path);
    if (len > 2 && strncmp(r->path, "./", 2) == 0) il__text_add(text, r->path + 2, len - 2);
    else il__text_puts(text, r->path);
    if (slash) {
        if (len && r->path[len - 1] == '/') slash++;
        il__text_add(text, slash, (size_t)(label.ptr + label.len - slash));
    }
    if (line > 0) il__text_printf(text, ":%d", line);
}

static void put_value(struct il__text *text, struct il_str json)
{
    if (!json.len || il__look_is(json, "") || memcmp(json.ptr, "null", 4) == 0) il__text_puts(text, "nothing");
    else il__look_text(text, json);
}

/* "verdict: expected ask, got none", a line each. */
static void put_differs(struct il__text *text, struct il_str check)
{
    struct il_str item, differs = il__look_get(check, "differs");
    for (size_t at = 0; il__look_next(differs, &at, NULL, &item);) {
        il__look_text(text, il__look_get(item, "member"));
        il__text_puts(text, ": expected ");
        put_value(text, il__look_get(item, "expected"));
        il__text_puts(text, ", got ");
        put_value(text, il__look_get(item, "got"));
        il__text_puts(text, "\n");
    }
}

static int line_of(struct il_str item)
{
    struct il_str line = il__look_get(item, "line");
    int n = 0;
    for (size_t i = 0; i < line.len && i < 7 && line.ptr[i] >= '0' && line.ptr[i] <= '9'; i++)
        n = n * 10 + (line.ptr[i] - '0');
    return n;
}

/* Who said something, and where: a line each. */
static void put_said(struct il__text *text, const struct il__policy_report *r, struct il_str check)
{
    struct il_str item, policies = il__look_get(check, "got.policies");
    bool any = false;
    for (size_t at = 0; il__look_next(policies, &at, NULL, &item);) {
        struct il__text file = IL__TEXT_INIT;
        if (il__look_is(il__look_get(item, "said"), "none")) continue;
        any = true;
        il__look_text(&file, il__look_get(item, "file"));
        put_place(text, r, il__text_get(&file), line_of(item));
        il__text_puts(text, ": ");
        il__look_text(text, il__look_get(item, "policy"));
        il__text_puts(text, " ");
        il__look_text(text, il__look_get(item, "said"));
        il__text_puts(text, " in ");
        il__look_text(text, il__look_get(item, "phase"));
        il__text_puts(text, ": ");
        il__bench_reason(text, item);
        il__text_puts(text, "\n");
        il__text_clear(&file);
    }
    if (!any) il__text_puts(text, "no policy said anything\n");
}

/* A mistake without the place in front of it, which is shown as a path. */
static void put_mistake(struct il__text *text, const struct il_policy_test_result *result)
{
    struct il_str s = result->message;
    size_t at = result->file.len;
    if (s.len > at && memcmp(s.ptr, result->file.ptr, at) == 0 && s.ptr[at] == ':') {
        while (at < s.len && s.ptr[at] != ' ') at++;
        s = (struct il_str){ s.ptr + at + 1, s.len - at - 1 };
    }
    il__text_str(text, s);
    il__text_puts(text, "\n");
}

/* What is wrong, as lines. */
static void put_failure(struct il__text *text, const struct il__policy_report *r,
                        const struct il_policy_test_result *result)
{
    if (result->message.len) {
        put_mistake(text, result);
        return;
    }
    put_differs(text, result->check);
    put_said(text, r, result->check);
}

static struct il_str name_of(const struct il_policy_test_result *result)
{
    return result->name.len ? result->name : il__text_of("the file can be read");
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_marked(struct il__out *out, enum il__mark mark, struct il_str s)
{
    enum il__tone tone;
    struct il__text safe = IL__TEXT_INIT;
    const char *sign = il__out_mark(out, mark, &tone);
    il__text_escaped(&safe, s);
    il__out_puts(out, "  ");
    il__out_tone(out, tone, il__text_of(sign));
    il__out_puts(out, " ");
    il__text_puts(&safe, "\n");
    il__out_text(out, &safe);
    il__text_clear(&safe);
}

/* The file at hand is over: how many passed, then what failed. */
static void text_file_end(struct il__policy_report *r)
{
    struct il__text line = IL__TEXT_INIT;
    if (!r->file.len) return;
    il__text_str(&line, il__text_get(&r->file));
    il__text_printf(&line, "  %zu of %zu", r->file_passed, r->file_passed + r->file_failed);
    print_marked(r->out, r->file_failed ? IL__MARK_BAD : IL__MARK_OK, il__text_get(&line));
    il__out_text(r->out, &r->failures);
    r->file_passed = r->file_failed = 0;
    il__text_reset(&r->file);
    il__text_reset(&r->failures);
    il__text_clear(&line);
}

static void text_lines(struct il__text *out, const char *lead, struct il_str lines)
{
    struct il__text one = IL__TEXT_INIT;
    while (lines.len) {
        const char *end = memchr(lines.ptr, '\n', lines.len);
        size_t len = end ? (size_t)(end - lines.ptr) : lines.len;
        il__text_puts(out, lead);
        il__text_escaped(out, (struct il_str){ lines.ptr, len });
        il__text_puts(out, "\n");
        len += end != NULL;
        lines.ptr += len;
        lines.len -= len;
    }
    il__text_clear(&one);
}

static void text_result(struct il__policy_report *r, const struct il_policy_test_result *result)
{
    struct il__text what = IL__TEXT_INIT;
    const char *slash = memchr(result->file.ptr, '/', result->file.len);
    struct il_str file = result->file;
    if (slash) file = (struct il_str){ slash + 1, (size_t)(file.ptr + file.len - slash - 1) };
    if (!r->file.len || strncmp(r->file.ptr, file.ptr, file.len) != 0 || r->file.len != file.len) {
        text_file_end(r);
        il__text_str(&r->file, file);
    }
    *(result->passed ? &r->file_passed : &r->file_failed) += 1;
    if (result->passed) return;
    put_place(&what, r, result->file, result->line);
    il__text_puts(&what, ": ");
    if (result->message.len) put_mistake(&what, result);
    else il__text_str(&what, name_of(result));
    text_lines(&r->failures, "     ", il__text_get(&what));
    il__text_reset(&what);
    if (!result->message.len) put_failure(&what, r, result);
    text_lines(&r->failures, "       ", il__text_get(&what));
    il__text_clear(&what);
}

/* ---- TAP, JSON, JUnit -------------------------------------------------------------------------------------------- */

/* `#` would begin a directive, a backslash an escape. */
static void tap_name(struct il__text *text, struct il_str name)
{
    struct il__text safe = IL__TEXT_INIT;
    il__text_escaped(&safe, name);
    for (size_t i = 0; i < safe.len; i++) {
        if (safe.ptr[i] == '#' || safe.ptr[i] == '\\') il__text_puts(text, "\\");
        il__text_add(text, safe.ptr + i, 1);
    }
    il__text_clear(&safe);
}

static void tap_point(struct il__policy_report *r, bool ok, struct il_str place, struct il_str name, struct il_str why)
{
    struct il__text text = IL__TEXT_INIT;
    il__text_printf(&text, "%sok %zu - ", ok ? "" : "not ", ++r->number);
    tap_name(&text, place);
    il__text_puts(&text, ": ");
    tap_name(&text, name);
    il__text_puts(&text, "\n");
    if (!ok) {
        il__text_puts(&text, "  ---\n  at: ");
        il__text_json(&text, place);
        il__text_puts(&text, "\n  message: ");
        il__text_json(&text, why);
        il__text_puts(&text, "\n  ...\n");
    }
    il__out_text(r->out, &text);
    il__text_clear(&text);
}

static void json_result(struct il__policy_report *r, const struct il_policy_test_result *result)
{
    struct il__text *text = &r->cases;
    il__text_puts(text, text->len ? ",{\"file\":" : "{\"file\":");
    il__text_json(text, result->file);
    if (result->name.len) {
        il__text_puts(text, ",\"name\":");
        il__text_json(text, result->name);
    }
    if (result->line > 0) il__text_printf(text, ",\"line\":%d", result->line);
    il__text_printf(text, ",\"passed\":%s", result->passed ? "true" : "false");
    if (result->message.len) {
        il__text_puts(text, ",\"message\":");
        il__text_json(text, result->message);
    } else if (!result->passed) {
        il__text_puts(text, ",\"differs\":");
        il__text_str(text, il__look_get(result->check, "differs"));
        il__text_puts(text, ",\"got\":");
        il__text_str(text, il__look_get(result->check, "got"));
    }
    il__text_puts(text, "}");
}

static void junit_case(struct il__text *text, struct il_str place, struct il_str name)
{
    il__text_puts(text, "    <testcase classname=\"");
    il__text_xml(text, place);
    il__text_puts(text, "\" name=\"");
    il__text_xml(text, name);
    il__text_puts(text, "\"");
}

static void junit_failure(struct il__text *text, const char *kind, struct il_str why)
{
    const char *end = why.len ? memchr(why.ptr, '\n', why.len) : NULL;
    il__text_printf(text, ">\n      <%s message=\"", kind);
    il__text_xml(text, (struct il_str){ why.ptr, end ? (size_t)(end - why.ptr) : why.len });
    il__text_puts(text, "\">");
    il__text_xml(text, why);
    il__text_printf(text, "</%s>\n    </testcase>\n", kind);
}

static void structured_result(struct il__policy_report *r, const struct il_policy_test_result *result)
{
    struct il__text place = IL__TEXT_INIT, why = IL__TEXT_INIT;
    put_place(&place, r, result->file, r->form == IL__POLICY_TAP ? result->line : 0);
    if (!result->passed) put_failure(&why, r, result);
    if (r->form == IL__POLICY_TAP) {
        tap_point(r, result->passed, il__text_get(&place), name_of(result), il__text_get(&why));
    } else {
        junit_case(&r->cases, il__text_get(&place), name_of(result));
        if (result->passed) il__text_puts(&r->cases, "/>\n");
        else junit_failure(&r->cases, result->message.len ? "error" : "failure", il__text_get(&why));
    }
    il__text_clear(&place);
    il__text_clear(&why);
}

/* ---- bundles ----------------------------------------------------------------------------------------------------- */

void il__policy_report_bundle(struct il__policy_report *r, const char *path)
{
    r->path = path;
    r->bundles++;
    memset(&r->here, 0, sizeof r->here);
    if (r->form != IL__POLICY_TEXT) return;
    struct il__text text = IL__TEXT_INIT;
    put_place(&text, r, il__text_of(""), 0);
    il__out_puts(r->out, r->bundles > 1 ? "\n" : "");
    il__out_tone(r->out, IL__TONE_BOLD, il__text_get(&text));
    il__out_puts(r->out, "\n");
    il__text_clear(&text);
}

void il__policy_report_result(void *ctx, const struct il_policy_test_result *result)
{
    struct il__policy_report *r = ctx;
    if (result->passed) r->here.passed++;
    else if (result->message.len) r->here.mistakes++;
    else r->here.failed++;
    switch (r->form) {
    case IL__POLICY_TEXT: text_result(r, result); break;
    case IL__POLICY_JSON: json_result(r, result); break;
    case IL__POLICY_TAP:
    case IL__POLICY_JUNIT: structured_result(r, result); break;
    }
}

static uint64_t number(struct il_str json)
{
    uint64_t n = 0;
    for (size_t i = 0; i < json.len && i < 15 && json.ptr[i] >= '0' && json.ptr[i] <= '9'; i++)
        n = n * 10 + (uint64_t)(json.ptr[i] - '0');
    return n;
}

static struct il__counted counted(struct il_str doc)
{
    return (struct il__counted){ number(il__look_get(doc, "covered")), number(il__look_get(doc, "total")) };
}

static int percent(struct il__counted c)
{
    return c.total ? (int)(c.covered * 100 / c.total) : 100;
}

/* "office_hours.lua: 12, 14 (deny)", one line for each file that misses something. */
static void put_missed(struct il__text *text, const struct il__policy_report *r, struct il_str coverage,
                       const char *kind)
{
    struct il_str file, item, files = il__look_get(coverage, "files");
    char path[32];
    snprintf(path, sizeof path, "%s.missed", kind);
    for (size_t at = 0; il__look_next(files, &at, NULL, &file);) {
        struct il__text label = IL__TEXT_INIT;
        size_t k = 0;
        for (bool first = true; il__look_next(il__look_get(file, path), &k, NULL, &item); first = false) {
            if (first) {
                il__look_text(&label, il__look_get(file, "file"));
                put_place(text, r, il__text_get(&label), 0);
            }
            il__text_puts(text, first ? ": " : ", ");
            if (item.ptr[0] != '{') {
                il__text_str(text, item);
                continue;
            }
            il__look_text(text, il__look_get(item, "line"));
            bool none = il__look_is(il__look_get(item, "verdict"), "none");
            il__text_puts(text, " ");
            if (none) il__look_text(text, il__look_get(item, "phase"));
            if (none) il__text_puts(text, " says nothing");
            else il__look_text(text, il__look_get(item, "verdict"));
        }
        if (k) il__text_puts(text, "\n");
        il__text_clear(&label);
    }
}

static void text_coverage(struct il__policy_report *r, struct il_str coverage, const char *kind, struct il__counted c)
{
    struct il__text text = IL__TEXT_INIT, missed = IL__TEXT_INIT;
    bool low = r->threshold >= 0 && percent(c) < r->threshold;
    il__text_printf(&text, "     %-8s %3d %%  %llu of %llu", kind, percent(c), (unsigned long long)c.covered,
                    (unsigned long long)c.total);
    if (low) il__text_printf(&text, "; %d %% are asked for", r->threshold);
    il__out_tone(r->out, low ? IL__TONE_BAD : IL__TONE_PLAIN, il__text_get(&text));
    il__out_puts(r->out, "\n");
    put_missed(&missed, r, coverage, kind);
    il__text_reset(&text);
    text_lines(&text, "       missed  ", il__text_get(&missed));
    il__out_text(r->out, &text);
    il__text_clear(&text);
    il__text_clear(&missed);
}

static void close_bundle(struct il__policy_report *r, struct il_str coverage, const struct il_error *err)
{
    struct il__text *all = &r->all;
    if (r->form == IL__POLICY_JSON) {
        il__text_puts(all, all->len ? ",{\"path\":" : "{\"path\":");
        il__text_json(all, il__text_of(r->path));
        il__text_printf(all, ",\"passed\":%zu,\"failed\":%zu,\"mistakes\":%zu,\"cases\":[", r->here.passed,
                        r->here.failed, r->here.mistakes);
        il__text_str(all, il__text_get(&r->cases));
        il__text_puts(all, "]");
        if (coverage.len) il__text_puts(all, ",\"coverage\":");
        if (coverage.len) il__text_str(all, coverage);
        if (err) il__text_puts(all, ",\"error\":");
        if (err) il__report_json(all, err);
        il__text_puts(all, "}");
    } else if (r->form == IL__POLICY_JUNIT) {
        il__text_puts(all, "  <testsuite name=\"");
        il__text_xml(all, il__text_of(r->path));
        il__text_printf(all, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n",
                        r->here.passed + r->here.failed + r->here.mistakes + (err != NULL), r->here.failed,
                        r->here.mistakes + (err != NULL));
        il__text_str(all, il__text_get(&r->cases));
        il__text_puts(all, "  </testsuite>\n");
    }
    il__text_reset(&r->cases);
    r->passed += r->here.passed;
    r->failed += r->here.failed;
    r->mistakes += r->here.mistakes;
}

/* Too little is reached: a bundle with a threshold is a test of its own for programs. */
static void judge_coverage(struct il__policy_report *r, struct il__counted lines, struct il__counted verdicts)
{
    char why[120];
    if (r->threshold < 0) return;
    bool low = percent(lines) < r->threshold || percent(verdicts) < r->threshold;
    r->below += low;
    snprintf(why, sizeof why, "lines %d %%, verdicts %d %%; %d %% are asked for", percent(lines), percent(verdicts),
             r->threshold);
    if (r->form == IL__POLICY_TAP)
        tap_point(r, !low, il__text_of(r->path), il__text_of("coverage"), il__text_of(why));
    if (r->form != IL__POLICY_JUNIT) return;
    junit_case(&r->cases, il__text_of(r->path), il__text_of("coverage"));
    if (low) junit_failure(&r->cases, "failure", il__text_of(why));
    else il__text_puts(&r->cases, "/>\n");
    r->here.passed += !low; /* it stands among the cases of the suite */
    r->here.failed += low;
}

void il__policy_report_done(struct il__policy_report *r, const struct il_policy_test_summary *sum,
                            struct il_str coverage)
{
    struct il__counted lines = counted(il__look_get(coverage, "lines"));
    struct il__counted verdicts = counted(il__look_get(coverage, "verdicts"));
    if (r->form == IL__POLICY_TEXT) {
        text_file_end(r);
        if (sum->files == 0) print_marked(r->out, IL__MARK_OPEN, il__text_of("no tests: no file *_test.lua lies here"));
        if (coverage.len) text_coverage(r, coverage, "lines", lines);
        if (coverage.len) text_coverage(r, coverage, "verdicts", verdicts);
    }
    r->untested += sum->files == 0;
    if (coverage.len) judge_coverage(r, lines, verdicts);
    r->lines.covered += lines.covered;
    r->lines.total += lines.total;
    r->verdicts.covered += verdicts.covered;
    r->verdicts.total += verdicts.total;
    close_bundle(r, coverage, NULL);
}

void il__policy_report_error(struct il__policy_report *r, const struct il_error *err)
{
    struct il__text line = IL__TEXT_INIT;
    r->errors++;
    il__report_line(&line, err);
    switch (r->form) {
    case IL__POLICY_TEXT: print_marked(r->out, IL__MARK_BAD, il__text_get(&line)); break;
    case IL__POLICY_JSON: break;
    case IL__POLICY_TAP:
        tap_point(r, false, il__text_of(r->path), il__text_of("the bundle loads"), il__text_get(&line));
        break;
    case IL__POLICY_JUNIT:
        junit_case(&r->cases, il__text_of(r->path), il__text_of("the bundle loads"));
        junit_failure(&r->cases, "error", il__text_get(&line));
        break;
    }
    close_bundle(r, (struct il_str){ NULL, 0 }, err);
    il__text_clear(&line);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static void text_end(struct il__policy_report *r, bool well)
{
    struct il__text line = IL__TEXT_INIT;
    il__text_printf(&line, "%zu passed, %zu failed", r->passed, r->failed);
    if (r->mistakes) il__text_printf(&line, ", %zu with a mistake", r->mistakes);
    if (r->errors) il__text_printf(&line, ", %zu of %zu bundles do not load", r->errors, r->bundles);
    if (r->untested) il__text_printf(&line, ", %zu of %zu bundles have no tests", r->untested, r->bundles);
    if (r->lines.total)
        il__text_printf(&line, "; lines %d %%, verdicts %d %%", percent(r->lines), percent(r->verdicts));
    if (r->below) il__text_printf(&line, ", %zu of %zu bundles below %d %%", r->below, r->bundles, r->threshold);
    il__out_puts(r->out, r->bundles ? "\n" : "");
    il__out_tone(r->out, well ? IL__TONE_GOOD : IL__TONE_BAD, il__text_get(&line));
    il__out_puts(r->out, "\n");
    il__text_clear(&line);
}

static void document_end(struct il__policy_report *r, bool well)
{
    struct il__text text = IL__TEXT_INIT;
    if (r->form == IL__POLICY_JSON) {
        il__text_printf(&text, "{\"ok\":%s,\"passed\":%zu,\"failed\":%zu,\"mistakes\":%zu,", well ? "true" : "false",
                        r->passed, r->failed, r->mistakes);
        if (r->lines.total)
            il__text_printf(&text, "\"coverage\":{\"lines\":{\"covered\":%llu,\"total\":%llu},\"verdicts\":{\""
                                   "covered\":"
                                   "%llu,\"total\":%llu}},",
                            (unsigned long long)r->lines.covered, (unsigned long long)r->lines.total,
                            (unsigned long long)r->verdicts.covered, (unsigned long long)r->verdicts.total);
        il__text_puts(&text, "\"bundles\":[");
        il__text_str(&text, il__text_get(&r->all));
        il__text_puts(&text, "]}\n");
    } else {
        il__text_puts(&text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"interlock policy "
                             "test\">\n");
        il__text_str(&text, il__text_get(&r->all));
        il__text_puts(&text, "</testsuites>\n");
    }
    il__out_text(r->out, &text);
    il__text_clear(&text);
}

bool il__policy_report_end(struct il__policy_report *r)
{
    bool well = !r->failed && !r->mistakes && !r->errors && !r->below && (r->threshold < 0 || !r->untested);
    char plan[40];
    snprintf(plan, sizeof plan, "1..%zu\n", r->number);
    if (r->form == IL__POLICY_TEXT) text_end(r, well);
    else if (r->form == IL__POLICY_TAP) il__out_puts(r->out, plan);
    else document_end(r, well);
    il__text_clear(&r->cases);
    il__text_clear(&r->all);
    il__text_clear(&r->file);
    il__text_clear(&r->failures);
    return well;
}
