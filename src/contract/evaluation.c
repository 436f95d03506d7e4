/* The rows of an evaluation receipt, and every claim it must make. Uses the schema engine. Must never compute a digest:
 * sealing and verifying are src/evidence's. */
#include "contract/evaluation.h"

#include "contract/rows.h"

static enum il_code claims_rules(const void *obj, const struct il__where *where)
{
    const struct il__claims *c = obj;
    const char *unproven = !c->tests_passed          ? "testsPassed"
                           : !c->auth_bound          ? "authBound"
                           : !c->multimodal_evidence ? "multimodalEvidence"
                                                     : NULL;
    if (unproven) return il__broken(where, IL_DECODE, unproven, "true", "false");
    if (c->duplicate_mutations != 0) return il__broken(where, IL_DECODE, "duplicateMutations", "0", "more");
    return IL_OK;
}

static const struct il__field claims_fields[] = {
    IL__BOOL_ROW(il__claims, tests_passed, "testsPassed", 0, "All tests passed."),
    IL__BOOL_ROW(il__claims, auth_bound, "authBound", 0, "Identity was bound to every action."),
    IL__BOOL_ROW(il__claims, multimodal_evidence, "multimodalEvidence", 0, "Both ways of looking were used."),
    IL__COUNT_ROW(il__claims, duplicate_mutations, "duplicateMutations", "Mutations that happened twice: none."),
    IL__INT_ROW(il__claims, crash_points_covered, "crashPointsCovered", 0, 2, IL__COUNT_MAX,
                "Places at which a crash was tried."),
    IL__INT_ROW(il__claims, test_count, "testCount", 0, 1, IL__COUNT_MAX, "How many tests ran."),
    IL__END_ROW,
};
const struct il__schema il__claims_schema = {
    .object = "evaluation claims", .size = sizeof(struct il__claims), .closed = true, .fields = claims_fields,
    .rules = claims_rules,
};

static const struct il__field source_fields[] = {
    IL__STR_ROW(il__source, path, "path", 0, "The file."),
    IL__STR_ROW(il__source, digest, "digest", IL__F_SHA256, "Digest of its bytes."),
    IL__END_ROW,
};
const struct il__schema il__source_schema = {
    .object = "evaluation source", .size = sizeof(struct il__source), .closed = true, .fields = source_fields,
};

static enum il_code evaluation_rules(const void *obj, const struct il__where *where)
{
    const struct il__evaluation *e = obj;
    if (e->schema_version != IL__EVALUATION_VERSION)
        return il__broken(where, IL_DECODE, "schemaVersion", "1", "another version");
    if (!il__str_eq(e->protocol, IL_STR(IL__EVALUATION_PROTOCOL)))
        return il__broken(where, IL_DECODE, "protocol", IL__EVALUATION_PROTOCOL, "another protocol");
    return IL_OK;
}

static const struct il__field evaluation_fields[] = {
    IL__COUNT_ROW(il__evaluation, schema_version, "schemaVersion", "Always 1."),
    IL__STR_ROW(il__evaluation, protocol, "protocol", 0, "The name that readers know the form by."),
    IL__STR_ROW(il__evaluation, subject_version, "subjectVersion", IL__F_NONEMPTY, "What was evaluated."),
    IL__STR_ROW(il__evaluation, generated_at, "generatedAt", IL__F_NONEMPTY | IL__F_TIME, "When."),
    IL__ROW(il__evaluation, commands, "commands", IL__F_STRS, 0, NULL, NULL, 2, 0, "What was run."),
    IL__ROW(il__evaluation, assertions, "assertions", IL__F_STRS, IL__F_UNIQUE, NULL, NULL, 1, 0, "What was shown."),
    IL__OBJECT_ROW(il__evaluation, claims, "claims", 0, il__claims_schema, "What the receipt claims."),
    IL__OBJECTS_ROW(il__evaluation, sources, "sources", 0, il__source_schema, 1, "The files it is about."),
    IL__STR_ROW(il__evaluation, source_digest, "sourceDigest", IL__F_SHA256, "Digest over the sources."),
    IL__STR_ROW(il__evaluation, output_digest, "outputDigest", IL__F_SHA256, "Digest of what the commands printed."),
    IL__STR_ROW(il__evaluation, receipt_digest, "receiptDigest", IL__F_SHA256 | IL__F_SEAL,
                "The seal over all of it."),
    IL__END_ROW,
};
const struct il__schema il__evaluation_schema = {
    .object = "evaluation receipt", .size = sizeof(struct il__evaluation), .closed = true,
    .fields = evaluation_fields, .rules = evaluation_rules,
};
