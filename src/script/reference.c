/* What the writers of the reference share (reference_inside.h): names of classes and enumerations, types of members. */
#include "script/reference_inside.h"

#include "contract/action.h"
#include "contract/lease.h"
#include "contract/postcondition.h"
#include "contract/reservation.h"
#include "script/lua_runtime.h"
#include "script/policy_api.h"
#include "script/policy_ctx.h"
#include "script/seen.h"
#include "script/workflow.h"

#include <stdio.h>

const struct il__ref_view il__ref_views[] = {
    { "Provenance", &il__provenance_schema, "Where the wish for the action came from." },
    { "Bounds", &il__bounds_schema, "A rectangle on a display." },
    { "Target", &il__target_schema, "Where an action is aimed, as it was observed." },
    { "Postcondition", &il__postcondition_schema, "What must hold after the action." },
    { "Sensitivity", &il__sensitivity_schema, "Whether the target holds secrets." },
    { "Resource", &il__resource_schema, "What the action touches." },
    { "Proposal", &il__proposal_schema, "The action as it was proposed." },
    { "Envelope", &il__envelope_schema, "The action as the runtime fixed it." },
    { "Capability", &il__capability_schema, "How the runtime would act." },
    { "RuntimePolicy", &il__policy_seen_schema, "What the runtime's own policy says." },
    { "Preview", &il__preview_seen_schema, "What run:preview() gives." },
    { "Granted", &il__granted_seen_schema, "What run:request_approval() gives." },
    { "ReservationScope", &il__reservation_scope_schema, "What a reservation keeps free." },
    { "Reservation", &il__reservation_schema, "A target that is kept free for the action." },
    { "Boundaries", &il__boundaries_schema, "Where a lease is valid." },
    { "Lease", &il__lease_seen_schema, "The limits of the control lease; its id is not shown." },
    { "Receipt", &il__receipt_seen_schema, "What run:execute() gives." },
    { "Outcome", &il__outcome_seen_schema, "What run:verify() gives." },
    { "Decision", &il__vote_seen_schema, "A decision of an approver." },
    { "Time", &il__time_seen_schema, "Wall time on some clock." },
    { NULL, NULL, NULL },
};

const struct il__ref_view *il__ref_view_of(const struct il__schema *schema)
{
    for (const struct il__ref_view *v = il__ref_views; v->name; v++)
        if (v->schema == schema) return v;
    return NULL;
}

const struct il__ref_enum il__ref_enums[] = {
    { "Phase", il__phase_names, "When a policy is asked." },
    { "Mode", il__mode_names, "How an action may show itself." },
    { "ActionClass", il__class_names, "How grave an action is." },
    { "Route", il__route_names, "The runtime's own route." },
    { "Assessment", il__assessment_names, "Whether a field holds secrets." },
    { "Signal", il__signal_names, "What an assessment was made from." },
    { "PostconditionKind", il__pc_kind_names, "What a postcondition looks at." },
    { "DecisionKind", il__decision_names, "How an approver may decide." },
    { "Weekday", il__weekday_names, "A day of the week." },
    { "HistoryOutcome", il__history_outcome_names, "How an earlier action went." },
    { NULL, NULL, NULL },
};

const struct il__ref_enum *il__ref_enum_of(const char *const *names)
{
    for (const struct il__ref_enum *e = il__ref_enums; e->name; e++)
        if (e->names == names) return e;
    return NULL;
}

static void put_names(const char *const *names, struct il__buf *out)
{
    const struct il__ref_enum *known = il__ref_enum_of(names);
    if (known) {
        il__buf_printf(out, "interlock.%s", known->name);
        return;
    }
    for (size_t i = 0; names[i]; i++) il__buf_printf(out, "%s\"%s\"", i ? "|" : "", names[i]);
}

static void put_view(const struct il__schema *schema, struct il__buf *out)
{
    const struct il__ref_view *view = il__ref_view_of(schema);
    il__buf_printf(out, "%s%s", view ? "interlock." : "table", view ? view->name : "");
}

void il__ref_field_type(const struct il__schema *schema, const struct il__field *row, struct il__buf *out)
{
    const char *const *names = il__kind_field_names(schema, row);
    switch (row->kind) {
    case IL__F_STR:
    case IL__F_ENUM:
        if (names) put_names(names, out);
        else il__buf_puts(out, "string");
        break;
    case IL__F_BOOL: il__buf_puts(out, "boolean"); break;
    case IL__F_INT: il__buf_puts(out, "integer"); break;
    case IL__F_NUM: il__buf_puts(out, "number"); break;
    case IL__F_STRS: il__buf_puts(out, "string[]"); break;
    case IL__F_ENUMS:
        put_names(names, out);
        il__buf_puts(out, "[]");
        break;
    case IL__F_OBJECT: put_view(row->sub, out); break;
    case IL__F_OBJECTS:
        put_view(row->sub, out);
        il__buf_puts(out, "[]");
        break;
    case IL__F_ANY: il__buf_puts(out, "any"); break;
    case IL__F_ARGS: il__buf_puts(out, "table<string, any>"); break;
    case IL__F_WINDOW: il__buf_puts(out, "(string|integer)"); break;
    case IL__F_WINDOWS: il__buf_puts(out, "(string|integer)[]"); break;
    case IL__F_COUNTS: il__buf_puts(out, "table<string, integer>"); break;
    }
}

bool il__ref_field_optional(const struct il__field *row)
{
    return row->when != 0 || ((row->flags & IL__F_OPT) && !(row->flags & IL__F_DEFAULT));
}

void il__ref_kind_type(const struct il__kind *kind, bool optional, struct il__buf *out)
{
    if (!kind) {
        il__buf_puts(out, "any");
    } else if (kind->luals) {
        il__buf_puts(out, kind->luals);
    } else {
        if (optional) il__buf_putc(out, '(');
        put_names(kind->names, out);
        if (optional) il__buf_puts(out, ")?");
    }
}

void il__ref_wrap(const char *prefix, const char *text, struct il__buf *out)
{
    size_t room = 120 - strlen(prefix);
    while (*text) {
        size_t len = strlen(text), cut = len;
        if (len > room)
            for (cut = room; cut > 0 && text[cut] != ' ';) cut--;
        if (cut == 0) cut = len;
        il__buf_puts(out, prefix);
        il__buf_add(out, text, cut);
        il__buf_putc(out, '\n');
        text += cut;
        while (*text == ' ') text++;
    }
}

void il__ref_phases(unsigned phases, struct il__buf *out)
{
    const char *before = "";
    if (!phases) il__buf_puts(out, "all");
    for (unsigned p = IL__PHASE_PROPOSE; p <= IL__PHASE_EXECUTE; p++) {
        if (!(phases & 1u << p)) continue;
        il__buf_printf(out, "%s%s", before, il__phase_names[p]);
        before = ", ";
    }
}

const char *il__ref_object_name(const struct il__object *object)
{
    if (object == &il__run_object) return "Run";
    if (object == &il__observed_object) return "Observations";
    if (object == &il__policy_object) return "PolicyModule";
    if (object == &il__ctx_object) return "Ctx";
    if (object == &il__params_object) return "Params";
    if (object == &il__runtime_object) return "Runtime";
    return NULL;
}

void il__ref_options_name(const struct il__member *member, struct il__buf *out)
{
    il__buf_putc(out, (char)(member->name[0] - 'a' + 'A'));
    il__buf_puts(out, member->name + 1);
}
