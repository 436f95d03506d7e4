/* The safety corpus (SPEC §2 SafetyCorpus): faults, and what must be seen when each is injected. Uses the schema
 * engine. */
#ifndef IL_CONTRACT_SAFETY_H
#define IL_CONTRACT_SAFETY_H

#include "contract/schema.h"

struct il__safety_expected {
    struct il_str status, error, receipt_status;
    int64_t effects, restores;
    struct il__opt_int replay_effects;
};
extern const struct il__schema il__safety_expected_schema;

struct il__safety_scenario {
    struct il_str id, fault;
    const struct il__safety_expected *expected; /* never NULL */
};
extern const struct il__schema il__safety_scenario_schema;

struct il__safety_corpus {
    int64_t schema_version;
    struct il_str description;
    struct il__objects scenarios; /* const struct il__safety_scenario * */
};
extern const struct il__schema il__safety_corpus_schema;

#endif
