/* Authority from outside: the runtime's grant, and the answer that a person or program gives to a waiting run (SPEC
 * §2 ApprovalGrant, §6, §10). Uses the schema engine. All three are closed. An answer proves nothing by itself:
 * src/check holds it against the request and the preview. */
#ifndef IL_CONTRACT_APPROVAL_H
#define IL_CONTRACT_APPROVAL_H

#include "contract/schema.h"

enum il__grant_scope { IL__GRANT_EXACT_ACTION, IL__GRANT_SESSION_OPERATION, IL__GRANT_SCOPE_COUNT };
extern const char *const il__grant_scope_names[];

struct il__grant {
    struct il_str grant_id;
    int scope; /* enum il__grant_scope */
    struct il_str principal_id, session_id, action_digest, scope_digest, policy_digest, tool, operation;
    int action_class; /* enum il__class */
    int mode;         /* enum il__mode */
    struct il_str issued_at, expires_at;
    int64_t remaining_uses; /* 0..100 */
    struct il__strs consumed_by_action_ids;
};
extern const struct il__schema il__grant_schema;

enum il__decision {
    IL__DECISION_APPROVE, IL__DECISION_DENY, IL__DECISION_DEFER, IL__DECISION_REOBSERVE, IL__DECISION_COUNT
};
extern const char *const il__decision_names[];

struct il__answer {
    struct il_str request_id, action_digest, policy_digest, proposal_digest, grant_id;
    struct il__opt_bool runtime_approved;
    const struct il__grant *grant;
    int decision; /* enum il__decision; -1: absent */
    struct il_str reason;
};
extern const struct il__schema il__answer_schema;

/* The file form {approval, preview}. A preview, whatever it holds, is a second entry of the channel (I1). */
struct il__answer_file {
    const struct il__answer *approval;
    struct il__any preview; /* doc NULL: absent */
};
extern const struct il__schema il__answer_file_schema;

/* Decodes either form: an object with a member `approval` or `preview` is the file form, any other an answer alone.
 * `out->approval` lives in the arena of `doc`. Strictness is the caller's: il__schema_strict with the file's schema,
 * which fits both forms. */
enum il_code il__answer_decode(struct il__json *doc, uint32_t at, struct il__answer_file *out, struct il_error *err)
    IL_MUST_USE;

#endif
