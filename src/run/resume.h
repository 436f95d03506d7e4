/* Runs that go on in another process, or life (SPEC §10): claimed, rebuilt from their journal, held against this host,
 * and set in motion where the journal stops. A conflict leaves the run as it is. */
#ifndef IL_RUN_RESUME_H
#define IL_RUN_RESUME_H

#include "run/engine.h"

/* Takes over the run of `options`; with `renew` its successor. On IL_OK it moves with the tick. */
enum il_code il__run_resume(struct il__engine *e, const struct il_resume_options *options, struct il_run **out,
                            struct il_error *err) IL_MUST_USE;
/* The run as its journal has it, without taking it over: for reading only; il__run_destroy it. */
enum il_code il__run_show(struct il__engine *e, struct il_str run_id, struct il_run **out, struct il_error *err)
    IL_MUST_USE;

#endif
