/* What the runtime says it did (SPEC §2 ExecutionReceipt). Uses the schema engine. `result` and `error` are free-form:
 * what stands on a desktop must not void a receipt. Never trusted before src/check has bound it. */
#ifndef IL_CONTRACT_RECEIPT_H
#define IL_CONTRACT_RECEIPT_H

#include "contract/schema.h"

enum il__receipt_status {
    IL__RECEIPT_COMMITTED, IL__RECEIPT_REJECTED, IL__RECEIPT_INTERRUPTED, IL__RECEIPT_INDETERMINATE, IL__RECEIPT_COUNT
};
extern const char *const il__receipt_status_names[];

struct il__receipt {
    struct il_str receipt_id, session_id, action_id, action_digest;
    int64_t attempt; /* u32 */
    int status;      /* enum il__receipt_status */
    struct il_str created_at, updated_at;
    struct il__any result, error;
};
extern const struct il__schema il__receipt_schema;

#endif
