/* What the tables are asked beside decode, encode and compare: which kind of document has which table, which row has
 * which name, what is free-form in a type, and how a broken rule is reported. Must never hold a list of members. */
#include "contract/schema.h"

#include "base/error.h"
#include "base/limits.h"
#include "contract/action.h"
#include "contract/approval.h"
#include "contract/evaluation.h"
#include "contract/field.h"
#include "contract/lease.h"
#include "contract/receipt.h"
#include "contract/reservation.h"
#include "contract/safety.h"
#include "contract/session.h"

#include <stdio.h>

static const struct {
    const char *kind;
    const struct il__schema *schema;
} kinds[] = {
    { "proposal", &il__proposal_schema },
    { "preview", &il__preview_schema },
    { "envelope", &il__envelope_schema },
    { "policy_decision", &il__policy_decision_schema },
    { "capability", &il__capability_schema },
    { "target", &il__target_schema },
    { "sensitivity", &il__sensitivity_schema },
    { "resource", &il__resource_schema },
    { "provenance", &il__provenance_schema },
    { "postcondition", &il__postcondition_schema },
    { "lease", &il__lease_schema },
    { "reservation", &il__reservation_schema },
    { "receipt", &il__receipt_schema },
    { "grant", &il__grant_schema },
    { "answer", &il__answer_schema },
    { "answer_file", &il__answer_file_schema },
    { "event", &il__event_schema },
    { "follow_up", &il__follow_up_schema },
    { "follow_up_page", &il__follow_up_page_schema },
    { "session", &il__session_schema },
    { "deletion", &il__deletion_schema },
    { "safety", &il__safety_corpus_schema },
    { "evaluation", &il__evaluation_schema },
};

const struct il__schema *il__schema_by_kind(struct il_str kind)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (il__str_eq(il__str(kinds[i].kind), kind)) return kinds[i].schema;
    }
    return NULL;
}

const char *il__schema_kind_at(size_t index)
{
    return index < sizeof(kinds) / sizeof(kinds[0]) ? kinds[index].kind : NULL;
}

const struct il__field *il__field_lua(const struct il__schema *schema, struct il_str name)
{
    for (const struct il__field *field = schema->fields; field->wire; field++) {
        if (il__str_eq(il__str(field->lua), name)) return field;
    }
    return NULL;
}

bool il__field_applies(const struct il__schema *schema, const struct il__field *field, const void *obj)
{
    if (field->when == 0) return true;
    int value = *(const int *)il__field_of(&schema->fields[0], obj);
    return value >= 0 && value < 32 && (field->when >> value & 1u) != 0;
}

int il__name_index(const char *const *names, struct il_str s)
{
    for (int i = 0; names[i]; i++) {
        if (il__str_eq(il__str(names[i]), s)) return i;
    }
    return -1;
}

bool il__strs_has(struct il__strs list, struct il_str s)
{
    for (size_t i = 0; i < list.count; i++) {
        if (il__str_eq(list.items[i], s)) return true;
    }
    return false;
}

enum il_code il__broken(const struct il__where *where, enum il_code code, const char *member, const char *expected,
                        const char *actual)
{
    if (!where->err) return code;
    char pointer[192] = "";
    if (where->doc) il__json_pointer(where->doc, where->at, pointer, sizeof(pointer));
    if (member) {
        size_t len = strlen(pointer);
        (void)snprintf(pointer + len, sizeof(pointer) - len, "/%s", member);
    }
    return il__refuse(where->err, code, where->object, pointer, il__str(expected), il__str(actual));
}

/* The free-form members of a type, as il__json_strict wants them; their number. */
static size_t free_members(const struct il__schema *schema, const char *names[IL__FIELDS_MAX + 1])
{
    size_t n = 0;
    for (const struct il__field *field = schema->fields; field->wire && n < IL__FIELDS_MAX; field++) {
        if (field->kind == IL__F_ANY) names[n++] = field->wire;
    }
    names[n] = NULL;
    return n;
}

enum il_code il__schema_strict(const struct il__schema *schema, const struct il__json *doc, uint32_t at,
                               struct il_error *err)
{
    const char *names[IL__FIELDS_MAX + 1];
    (void)free_members(schema, names);
    enum il_code code = il__json_strict(doc, at, names, err);
    if (code) il__error_object(err, schema->object);
    return code;
}

enum il_code il__decode_text(const struct il__schema *schema, struct il__mem *mem, struct il_str text,
                             struct il__json *doc, void *out, struct il_error *err)
{
    const char *names[IL__FIELDS_MAX + 1];
    bool free_form = free_members(schema, names) > 0;
    memset(out, 0, schema->size);
    enum il_code code = il__json_parse_copy(doc, mem, text, free_form ? IL__JSON_PAYLOAD : IL__JSON_CONTRACT, err);
    if (code) {
        il__error_object(err, schema->object);
        return code;
    }
    code = il__schema_strict(schema, doc, 0, err);
    if (!code) code = il__decode(schema, doc, 0, out, err);
    if (code) il__json_clear(doc);
    return code;
}
