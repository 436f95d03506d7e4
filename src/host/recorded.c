/* The public functions on runs that were recorded (interlock.h): each is one call of src/evidence over a store, between
 * il__store_enter and il__store_leave. Must never hand out an id of a lease or a grant. */
#include "evidence/case.h"
#include "evidence/scenario.h"
#include "host/store.h"
#include "host/text.h"

enum il_code il_policy_case_of_run(il_store *store, struct il_str run_id, struct il_str phase, struct il_text *out,
                                   struct il_error *err)
{
    struct il__buf buf;
    enum il_code code = il__store_enter(store, "il_policy_case_of_run", err);
    if (code) return code;
    il__buf_init(&buf, &store->mem, 0);
    code = il__case_write(&store->mem, &store->port, run_id, phase, &buf, err);
    if (!code) code = il__text_set(out, il__buf_get(&buf), err);
    il__buf_clear(&buf);
    return il__store_leave(store, code);
}

enum il_code il_policy_cases_of_run(il_store *store, struct il_str run_id, struct il_text *out, struct il_error *err)
{
    struct il__buf buf;
    enum il_code code = il__store_enter(store, "il_policy_cases_of_run", err);
    if (code) return code;
    il__buf_init(&buf, &store->mem, 0);
    code = il__cases_write(&store->mem, &store->port, run_id, &buf, err);
    if (!code) code = il__text_set(out, il__buf_get(&buf), err);
    il__buf_clear(&buf);
    return il__store_leave(store, code);
}

enum il_code il_scenario_of_run(il_store *store, const struct il_record_options *options, struct il_text *out,
                                struct il_error *err)
{
    struct il__buf buf;
    enum il_code code = il__store_enter(store, "il_scenario_of_run", err);
    if (code) return code;
    il__buf_init(&buf, &store->mem, 0);
    code = il__scenario_write(&store->mem, &store->port, options, &buf, err);
    if (!code) code = il__text_set(out, il__buf_get(&buf), err);
    il__buf_clear(&buf);
    return il__store_leave(store, code);
}
