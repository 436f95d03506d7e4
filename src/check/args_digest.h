/* The two digests of an action: the runtime's argsDigest, recomputed where its rule can be computed here
 * (localeCompare order equals byte order only for names of a-z and '_'), and our own proposalDigest over exactly what
 * execute will send, less lease, grant and attempt. */
#ifndef IL_CHECK_ARGS_DIGEST_H
#define IL_CHECK_ARGS_DIGEST_H

#include "contract/action.h"
#include "wire/digest.h"

/* IL_OK and the bare hex; IL_UNSUPPORTED when the rule cannot be computed for this envelope and arguments (not an
 * error); out_of_memory. `resource`, `target`, `postcondition`, `provenance`, `targetSensitivity` and `dataLabels` are
 * taken from the envelope as received (`env_node` of `doc`), `args` from the proposal. */
enum il_code il__args_digest(struct il__digest *d, struct il__mem *mem, struct il__json *doc, uint32_t env_node,
                             struct il__any arguments, char hex[IL__SHA256_HEX], struct il_error *err) IL_MUST_USE;

/* SHA-256 (bare hex) of the canonical text of a request document. */
enum il_code il__canon_digest(struct il__digest *d, struct il__mem *mem, struct il_str json, char hex[IL__SHA256_HEX],
                              struct il_error *err) IL_MUST_USE;

#endif
