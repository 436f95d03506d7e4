/* The rows of the safety corpus. Uses the schema engine. */
#include "contract/safety.h"

#include "contract/rows.h"

static const struct il__field expected_fields[] = {
    IL__STR_ROW(il__safety_expected, status, "status", IL__F_OPT, "How the run must end."),
    IL__STR_ROW(il__safety_expected, error, "error", IL__F_OPT, "The error it must end with."),
    IL__STR_ROW(il__safety_expected, receipt_status, "receiptStatus", IL__F_OPT, "What the receipt must say."),
    IL__COUNT_ROW(il__safety_expected, effects, "effects", "How often the world may change."),
    IL__COUNT_ROW(il__safety_expected, restores, "restores", "How often the focus is given back."),
    IL__INT_ROW(il__safety_expected, replay_effects, "replayEffects", IL__F_OPT, 0, IL__COUNT_MAX,
                "How often the world may change when the request comes again."),
    IL__END_ROW,
};
const struct il__schema il__safety_expected_schema = {
    .object = "safety expectation", .size = sizeof(struct il__safety_expected), .fields = expected_fields,
};

static const struct il__field scenario_fields[] = {
    IL__STR_ROW(il__safety_scenario, id, "id", IL__F_NONEMPTY, "The scenario."),
    IL__STR_ROW(il__safety_scenario, fault, "fault", 0, "What goes wrong in it."),
    IL__OBJECT_ROW(il__safety_scenario, expected, "expected", 0, il__safety_expected_schema, "What must be seen."),
    IL__END_ROW,
};
const struct il__schema il__safety_scenario_schema = {
    .object = "safety scenario", .size = sizeof(struct il__safety_scenario), .fields = scenario_fields,
};

static const struct il__field corpus_fields[] = {
    IL__COUNT_ROW(il__safety_corpus, schema_version, "schemaVersion", "The version of the corpus' form."),
    IL__STR_ROW(il__safety_corpus, description, "description", 0, "What the corpus is about."),
    IL__OBJECTS_ROW(il__safety_corpus, scenarios, "scenarios", 0, il__safety_scenario_schema, 0, "The scenarios."),
    IL__END_ROW,
};
const struct il__schema il__safety_corpus_schema = {
    .object = "safety corpus", .size = sizeof(struct il__safety_corpus), .fields = corpus_fields,
};
