/* The rows of an execution receipt. Uses the schema engine. */
#include "contract/receipt.h"

#include "contract/rows.h"

const char *const il__receipt_status_names[] = { "committed", "rejected", "interrupted", "indeterminate", NULL };
IL__NAMES_MATCH(il__receipt_status_names, IL__RECEIPT_COUNT);

static const struct il__field receipt_fields[] = {
    IL__STR_ROW(il__receipt, receipt_id, "receiptId", IL__F_NONEMPTY, "The receipt."),
    IL__STR_ROW(il__receipt, session_id, "sessionId", IL__F_NONEMPTY, "The runtime's session."),
    IL__STR_ROW(il__receipt, action_id, "actionId", IL__F_NONEMPTY, "The action."),
    IL__STR_ROW(il__receipt, action_digest, "actionDigest", 0, "The digest of what was done."),
    IL__U32_ROW(il__receipt, attempt, "attempt", 0, "Which attempt it answers."),
    IL__ENUM_ROW(il__receipt, status, "status", 0, il__receipt_status_names, "What became of the action."),
    IL__STR_ROW(il__receipt, created_at, "createdAt", IL__F_OPT | IL__F_NONEMPTY | IL__F_TIME,
                "When the attempt began."),
    IL__STR_ROW(il__receipt, updated_at, "updatedAt", IL__F_OPT | IL__F_NONEMPTY | IL__F_TIME, "When it ended."),
    IL__ANY_ROW(il__receipt, result, "result", IL__F_OPT, "What the tool returned, as received."),
    IL__ANY_ROW(il__receipt, error, "error", IL__F_OPT, "What went wrong, as received."),
    IL__END_ROW,
};
const struct il__schema il__receipt_schema = {
    .object = "execution receipt", .size = sizeof(struct il__receipt), .fields = receipt_fields,
};
