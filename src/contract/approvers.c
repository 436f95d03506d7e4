/* The rows of the approvers file. Uses the schema engine. */
#include "contract/approvers.h"

#include "base/limits.h"
#include "contract/rows.h"

static const struct il__field approver_fields[] = {
    IL__STR_ROW(il__approver_doc, id, "id", IL__F_NONEMPTY, "The approver's name."),
    IL__STR_ROW(il__approver_doc, key, "key", IL__F_NONEMPTY, "The public key: base64 of its 32 bytes."),
    IL__ROW(il__approver_doc, roles, "roles", IL__F_STRS,
            IL__F_OPT | IL__F_DEFAULT | IL__F_UNIQUE | IL__F_ITEMS_NONEMPTY, NULL, NULL, 0, IL__LIMIT_ROLES,
            "The roles that the approver has."),
    IL__END_ROW,
};
static const struct il__schema approver_schema = {
    .object = "approvers", .size = sizeof(struct il__approver_doc), .closed = true, .fields = approver_fields,
};

static const struct il__field file_fields[] = {
    IL__ROW(il__approvers_doc, approvers, "approvers", IL__F_OBJECTS, IL__F_NONEMPTY, &approver_schema, NULL, 1,
            IL__LIMIT_APPROVERS, "Everybody who may approve."),
    IL__END_ROW,
};
const struct il__schema il__approvers_schema = {
    .object = "approvers", .size = sizeof(struct il__approvers_doc), .closed = true, .fields = file_fields,
};
