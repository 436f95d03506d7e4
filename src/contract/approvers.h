/* Who may approve, as a file (SPEC §6): closed {approvers: [{id, key, roles}]}. Uses the schema engine. A key is text
 * here; whether it is one, and nobody else's, is checked by who loads the file. */
#ifndef IL_CONTRACT_APPROVERS_H
#define IL_CONTRACT_APPROVERS_H

#include "contract/schema.h"

struct il__approver_doc {
    struct il_str id, key;  /* key: base64 of the 32 bytes of an Ed25519 public key */
    struct il__strs roles;
};
struct il__approvers_doc {
    struct il__objects approvers; /* of struct il__approver_doc; at least one */
};
extern const struct il__schema il__approvers_schema;

#endif
