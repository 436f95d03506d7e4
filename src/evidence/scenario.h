/* A recorded run as a scenario file. Must never write an id of a lease or a grant, nor a masked value. */
#ifndef IL_EVIDENCE_SCENARIO_H
#define IL_EVIDENCE_SCENARIO_H

#include "base/buf.h"
#include "run/store.h"

/* As il_scenario_of_run. */
enum il_code il__scenario_write(struct il__mem *mem, const struct il__store *store,
                                const struct il_record_options *options, struct il__buf *out,
                                struct il_error *err) IL_MUST_USE;

#endif
