/* What a policy claimed, as it stands in the record of its verdict: written and read back. */
#ifndef IL_RUN_CLAIMS_H
#define IL_RUN_CLAIMS_H

#include "run/engine.h"
#include "wire/json.h"

/* The canonical text of the claims, for IL__RAW; absent where there are none. Valid until the next of them. */
struct il_str il__claims_text(struct il_run *run, const struct il__claim *claims, size_t count);
/* The member `claims` of the record's body into room for IL__LIMIT_LIMIT_CLAIMS; texts are the document's. False: it is
 * not what the other one writes. */
bool il__claims_read(struct il__json *doc, uint32_t body, struct il__claim *claims, size_t *count);

#endif
