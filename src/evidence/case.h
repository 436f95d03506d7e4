/* A recorded run as cases: what its policies were asked about, in the form in which policies are tested and tried
 * (lua/README.md, "Cases"). One case for each time that a phase was reached, at the moment at which it was. Must never
 * write an id of a lease or a grant. */
#ifndef IL_EVIDENCE_CASE_H
#define IL_EVIDENCE_CASE_H

#include "base/buf.h"
#include "evidence/recorded.h"

/* Appends one case. `phase`: a phase by name: the last time that it was reached; absent: the whole run, a case without
 * a phase. IL_CONFLICT: there is no such run, or it never reached that phase; IL_INVALID_REQUEST: there is no such
 * phase. */
enum il_code il__case_write(struct il__mem *mem, const struct il__store *store, struct il_str run_id,
                            struct il_str phase, struct il__buf *out, struct il_error *err) IL_MUST_USE;
/* Appends an array of them all, in the order in which they were reached. */
enum il_code il__cases_write(struct il__mem *mem, const struct il__store *store, struct il_str run_id,
                             struct il__buf *out, struct il_error *err) IL_MUST_USE;

#endif
