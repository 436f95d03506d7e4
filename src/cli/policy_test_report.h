/* The four forms in which policy tests are reported: text, JSON, TAP 14 and JUnit XML, bundle by bundle. Text and TAP
 * are printed as results come; JSON and JUnit at the end. Must never print a total that was not reported. */
#ifndef IL_CLI_POLICY_TEST_REPORT_H
#define IL_CLI_POLICY_TEST_REPORT_H

#include "cli/output.h"

struct il__counted { uint64_t covered, total; };

struct il__policy_report {
    struct il__out *out;
    enum il__policy_form { IL__POLICY_TEXT, IL__POLICY_JSON, IL__POLICY_TAP, IL__POLICY_JUNIT } form;
    int threshold;             /* percent that lines and verdicts of each bundle must reach; -1: none */
    size_t bundles, errors, passed, failed, mistakes, below, untested;
    const char *path;          /* of the bundle at hand */
    struct { size_t files, passed, failed, mistakes; } here; /* of it */
    struct il__text cases;     /* of it, for JSON and JUnit */
    struct il__text all;       /* of the bundles before */
    struct il__text file;      /* text: the file at hand, */
    struct il__text failures;  /* and what failed in it */
    size_t file_passed, file_failed, number;
    struct il__counted lines, verdicts; /* of all */
};

/* `format` NULL is text. */
void il__policy_report_begin(struct il__policy_report *r, struct il__out *out, const char *format, int threshold);
void il__policy_report_bundle(struct il__policy_report *r, const char *path);
/* An il_policy_test_fn; `ctx` is the report. */
void il__policy_report_result(void *ctx, const struct il_policy_test_result *result);
/* The bundle was run: `coverage` is what il_policy_coverage gave, or empty. */
void il__policy_report_done(struct il__policy_report *r, const struct il_policy_test_summary *sum,
                            struct il_str coverage);
/* The bundle does not load. */
void il__policy_report_error(struct il__policy_report *r, const struct il_error *err);
/* Prints what is left and frees. True: all is well. */
bool il__policy_report_end(struct il__policy_report *r);

#endif
