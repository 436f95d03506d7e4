/* The evaluation receipt (SPEC §9): closed, with every claim that a reader may rely on checked by its decode. Uses the
 * schema engine. Computing and checking the digests is src/evidence's. */
#ifndef IL_CONTRACT_EVALUATION_H
#define IL_CONTRACT_EVALUATION_H

#include "contract/schema.h"

#define IL__EVALUATION_PROTOCOL "adk-rust-computer-use-v8-evaluation"
enum { IL__EVALUATION_VERSION = 1 };

struct il__claims {
    bool tests_passed, auth_bound, multimodal_evidence; /* all true */
    int64_t duplicate_mutations;  /* 0 */
    int64_t crash_points_covered; /* at least 2 */
    int64_t test_count;           /* at least 1 */
};
extern const struct il__schema il__claims_schema;

struct il__source { struct il_str path, digest; };
extern const struct il__schema il__source_schema;

struct il__evaluation {
    int64_t schema_version;
    struct il_str protocol, subject_version, generated_at;
    struct il__strs commands, assertions;
    const struct il__claims *claims; /* never NULL */
    struct il__objects sources;      /* const struct il__source * */
    struct il_str source_digest, output_digest, receipt_digest;
};
extern const struct il__schema il__evaluation_schema;

#endif
