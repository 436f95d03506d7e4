/* What of the policies was reached: lines with a statement, and verdicts. A verdict is a place that asks or denies, or
 * that a phase function says nothing; it is reached when a policy has said so. Uses the parser (script/syntax.h). */
#ifndef IL_HOST_POLICY_COVER_H
#define IL_HOST_POLICY_COVER_H

#include "host/policy.h"

/* Makes the coverage of the handle, of all bundles that it has by now. */
enum il_code il__coverage_of(il_policy *policy, struct il_error *err) IL_MUST_USE;
void il__coverage_free(struct il__coverage *coverage); /* NULL is accepted */
/* For a probe: `ctx` is the coverage. */
void il__coverage_line(void *ctx, const char *file, int line);
void il__coverage_said(struct il__coverage *coverage, const struct il__opinion *item);
void il__coverage_write(const struct il__coverage *coverage, struct il__json_writer *w);

#endif
