/* Running a test file of a bundle: Lua that returns a list of cases. It has the usual sandbox and the bundle's own
 * modules; it judges nothing. What a case may hold is not known here. */
#ifndef IL_SCRIPT_POLICY_TESTS_H
#define IL_SCRIPT_POLICY_TESTS_H

#include "base/buf.h"
#include "script/policies.h"

/* Appends what the file returns as a JSON array of objects. `label` names the file in messages; `bundle` (may be NULL)
 * is whose modules it can require. script_error or limit_exceeded with file, line, and what to write. */
enum il_code il__policy_tests_run(const struct il__policy_set_options *options, const struct il__bundle *bundle,
                                  const char *label, struct il_str source, struct il__buf *out,
                                  struct il_error *err) IL_MUST_USE;

#endif
