/* The four forms in which scenario results are reported: text, JSON, TAP and JUnit XML.
 * Text and TAP are printed as results come; JSON and JUnit at the end. */
#ifndef IL_CLI_SCENARIO_REPORT_H
#define IL_CLI_SCENARIO_REPORT_H

#include "cli/output.h"

struct il__scenario_report {
    struct il__out *out;
    enum il__scenario_form { IL__FORM_TEXT, IL__FORM_JSON, IL__FORM_TAP, IL__FORM_JUNIT } form;
    size_t files, passed, failed, errors; /* errors: files that could not be run */
    struct il__text cases, broken;        /* gathered for the forms that are printed at the end */
};

/* `format` NULL is text. */
void il__scenario_begin(struct il__scenario_report *report, struct il__out *out, const char *format);
void il__scenario_file(struct il__scenario_report *report, const char *path);
/* An il_scenario_fn; `ctx` is the report. */
void il__scenario_result(void *ctx, const struct il_scenario_result *result);
void il__scenario_error(struct il__scenario_report *report, const char *path, const struct il_error *err);
/* Prints what is left and frees. */
void il__scenario_end(struct il__scenario_report *report);

#endif
