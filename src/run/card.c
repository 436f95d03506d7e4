/* The card (card.h). Must show every argument that execute will send; what it leaves out nobody approved. */
#include "run/card.h"

#include "base/error.h"
#include "base/limits.h"
#include "run/judge.h"
#include "run/request.h"

/* A value in visible form: escaped, cut at card_value_bytes with its length and digest. */
static void add_value(struct il_run *run, struct il_str value)
{
    struct il__buf *out = &run->card;
    struct il_str head = value;
    if (head.len > IL__LIMIT_CARD_VALUE_BYTES) head.len = IL__LIMIT_CARD_VALUE_BYTES;
    size_t room = head.len * 8 + 8; /* the longest escape of one byte is \u{NNNNN} for a character of three */
    char *at = il__buf_reserve(out, room);
    if (!at) return;
    il__buf_commit(out, il__escape(at, room, head));
    if (head.len == value.len) return;
    char hex[IL__SHA256_HEX];
    il__sha256_hex(run->engine->digest, value, hex);
    il__buf_printf(out, " ... (%zu bytes, sha256 %s)", value.len, hex);
}

static void add_line(struct il_run *run, const char *name, struct il_str value)
{
    if (!il__str_present(value)) return;
    il__buf_printf(&run->card, "%-16s ", name);
    add_value(run, value);
    il__buf_putc(&run->card, '\n');
}

static void add_arguments(struct il_run *run)
{
    struct il__any args = run->proposal.arguments;
    if (!args.doc) return;
    for (uint32_t key = il__json_first(args.doc, args.at); key; key = il__json_next(args.doc, args.at, key + 1)) {
        struct il_str name = il__json_raw(args.doc, key);
        il__buf_puts(&run->card, "  argument ");
        add_value(run, (struct il_str){ name.ptr + 1, name.len - 2 });
        il__buf_puts(&run->card, " = ");
        add_value(run, il__json_raw(args.doc, key + 1));
        il__buf_putc(&run->card, '\n');
    }
}

/* A sub-object as the JSON that is sent. */
static void add_object(struct il_run *run, const char *name, const struct il__schema *schema, const void *obj)
{
    struct il__json_writer w;
    if (!obj) return;
    il__buf_reset(&run->engine->record);
    il__jw_init(&w, &run->engine->record);
    il__encode(schema, obj, &w);
    add_line(run, name, il__buf_get(&run->engine->record));
}

static void add_labels(struct il_run *run, struct il__strs labels)
{
    il__buf_printf(&run->card, "%-16s", "labels");
    for (size_t i = 0; i < labels.count; i++) {
        il__buf_putc(&run->card, ' ');
        add_value(run, labels.items[i]);
    }
    if (!labels.count) il__buf_puts(&run->card, " (none)");
    il__buf_putc(&run->card, '\n');
}

static void add_envelope(struct il_run *run)
{
    const struct il__envelope *env = run->preview.envelope;
    add_line(run, "class", il__str(il__class_names[env->action_class]));
    add_line(run, "reversible", env->reversible ? IL_STR("yes") : IL_STR("no"));
    add_line(run, "leaves machine", env->external_side_effect ? IL_STR("yes") : IL_STR("no"));
    add_labels(run, env->data_labels);
    add_object(run, "sensitivity", &il__sensitivity_schema, env->target_sensitivity);
    add_object(run, "resource", &il__resource_schema, env->resource);
    add_line(run, "action digest", env->args_digest);
    add_line(run, "  computed by", run->own_args_digest[0] ? IL_STR("recomputed here, equal")
                                                           : IL_STR("the runtime's word"));
    add_line(run, "policy digest", run->preview.policy->policy_digest);
}

static void add_needs(struct il_run *run)
{
    size_t first = run->wait.propose ? 0 : run->propose_needs;
    if (!run->wait.propose && run->route == IL__ROUTE_APPROVAL)
        il__buf_puts(&run->card, "needs            the runtime asks for approval\n");
    for (size_t i = first; i < run->need_count; i++) {
        const struct il__need *need = &run->needs[i];
        il__buf_printf(&run->card, "needs            %lld approver%s for ", (long long)need->approvers,
                       need->approvers == 1 ? "" : "s");
        add_value(run, need->policy);
        il__buf_puts(&run->card, need->override_ ? " (override, give a reason): " : ": ");
        add_value(run, need->reason);
        for (size_t k = 0; k < need->roles.count; k++) {
            il__buf_puts(&run->card, k ? ", " : "; role ");
            add_value(run, need->roles.items[k]);
        }
        il__buf_putc(&run->card, '\n');
    }
}

enum il_code il__card_build(struct il_run *run, struct il_error *err)
{
    const struct il__proposal *p = &run->proposal;
    struct il__engine *e = run->engine;
    char expires[IL__RFC3339_MAX];
    il__rfc3339_format(run->wait.deadline.wall, expires);
    il__buf_reset(&run->card);
    add_line(run, "action", p->tool);
    add_line(run, "operation", run->operation);
    add_line(run, "mode", il__str(il__mode_names[p->mode]));
    add_arguments(run);
    add_object(run, "target", &il__target_schema, p->target);
    add_object(run, "postcondition", &il__postcondition_schema, p->postcondition);
    add_object(run, "provenance", &il__provenance_schema, p->provenance);
    add_line(run, "principal", run->identity.principal);
    add_line(run, "agent", run->agent_id);
    add_line(run, "session", run->session_id);
    if (run->wait.propose) add_labels(run, p->data_labels);
    else add_envelope(run);
    add_line(run, "proposal digest", il__str(run->proposal_digest));
    if (run->policies.digest) add_line(run, "host policies", il__run_policies(run));
    add_needs(run);
    add_line(run, "expires", il__str(expires));
    enum il_code code = il__buf_check(&run->card, err);
    if (code == IL_LIMIT_EXCEEDED || (!code && il__buf_get(&run->card).len > IL__LIMIT_CARD_BYTES)) {
        il__error_clear(err);
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "card", "card_bytes", "a card has at most %d bytes",
                           IL__LIMIT_CARD_BYTES);
    }
    if (!code) il__sha256_hex(e->digest, il__buf_get(&run->card), run->card_digest);
    return code;
}
