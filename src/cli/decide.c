/* Decisions from another process (decide.h). Everything is checked here first, against the run's present document, so
 * that what is wrong is said to the person who is wrong; the owner checks it all again. */
#include "cli/decide.h"

#include "cli/answer.h"
#include "cli/decide_ask.h"
#include "cli/look.h"
#include "cli/moment.h"
#include "cli/people.h"
#include "cli/report.h"
#include "cli/resume.h"

#include <string.h>

struct deciding {
    struct il__io *io;
    const struct il__args *args;
    const char *decision, *request, *who, *reason;
    bool json, approve, late;
    il_store *store;
    il_host *host;
    struct il__shelf_row row;
    struct il__text doc;
};

static bool given(const struct deciding *d, const char *option)
{
    return il__args_given(d->args, option);
}

/* The grant is obtained here: over the approver that is given, or when the run goes on at once over the configured
 * one; who signs leaves the decision in the store. */
static bool obtains(const struct deciding *d)
{
    if (given(d, "approver")) return true;
    return given(d, "resume") && !given(d, "key") && !given(d, "grant") && !given(d, "runtime-approved") &&
           il__args_values(d->args, "approver")->count > 0;
}

static int refuse(const struct deciding *d, const char *words)
{
    return il__shelf_refuse(d->io, d->json, IL_APPROVAL_MISMATCH, 1, "%s", words);
}

/* ---- what the user gave ---- */

static int usage(struct il__io *io, const char *fmt, const char *word)
{
    il__io_error(io, fmt, word);
    return 2;
}

static int check_given(const struct deciding *d)
{
    struct il__io *io = d->io;
    if (d->args->operand_count != 1)
        return usage(io,
                     d->args->operand_count
                         ? "one run at a time; '%s' decides on one request"
                         : "name the run; write 'interlock %s RUN --request ID --as WHO --store FILE'",
                     d->decision);
    if (!d->request)
        return usage(io, "name the request with --request ID; '%s' shows the open one", "interlock show RUN");
    if (!d->who) return usage(io, "say who decides with --as WHO%s", "");
    if (given(d, "grant") && given(d, "runtime-approved"))
        return usage(io, "--grant names what the runtime gave; then %s says nothing", "--runtime-approved");
    if (given(d, "approver") && (given(d, "grant") || given(d, "runtime-approved")))
        return usage(io, "with --approver the grant is obtained here; leave out %s", "--grant and --runtime-approved");
    if (given(d, "approver") && given(d, "key"))
        return usage(io, "a signed decision is left first: without --approver; then 'interlock resume --approver%s'",
                     " ... --ask");
    if (given(d, "resume") || given(d, "approver") || !given(d, "runtime")) return 0;
    return usage(io, "--runtime is for going on at once; add %s", "--resume");
}

/* ---- held against the run ---- */

static bool waits(const struct deciding *d)
{
    return il__look_is(il__look_get(il__text_get(&d->doc), "status"), "waiting");
}

/* A deny counts until the send begins, also for a request that was answered already. */
static bool denies(const struct deciding *d)
{
    return strcmp(d->decision, "deny") == 0 || strcmp(d->decision, "re-observe") == 0;
}

static int check_open(struct deciding *d)
{
    struct il_str doc = il__text_get(&d->doc);
    struct il__text expires = IL__TEXT_INIT;
    if (d->row.row.state == IL_ROW_ENDED)
        return il__shelf_refuse(d->io, d->json, IL_APPROVAL_MISMATCH, 1,
                                "too late: the run has ended as %s; it takes no answer", d->row.row.status.ptr);
    if (!waits(d)) return denies(d) ? 0 : refuse(d, "the run does not wait: its request was answered");
    if (!il__look_is(il__look_get(doc, "requestId"), d->request))
        return refuse(d, "this is not the open request of the run; 'interlock show' shows that one");
    il__look_text(&expires, il__look_get(doc, "expiresAt"));
    d->late = il__wall_read(il__text_get(&expires)) <= il__wall_ms();
    il__text_clear(&expires);
    return 0;
}

/* A policy that is overridden wants to know why. */
static int check_reason(const struct deciding *d)
{
    if (!d->approve || !waits(d) || d->reason || !il__answer_wants_reason(il__text_get(&d->doc))) return 0;
    return refuse(d, "a policy is overridden by this approval, which needs a reason; add --reason TEXT");
}

/* What the runtime asked for is given by the runtime: by its grant, or where it acts in this very process by the word
 * of the operator. */
static int check_runtime_need(const struct deciding *d)
{
    struct il__text kind = IL__TEXT_INIT;
    if (!d->approve || !waits(d)) return 0;
    bool need = il__answer_needs(il__text_get(&d->doc), true);
    if (!need && (given(d, "grant") || given(d, "runtime-approved")))
        return refuse(d, "the runtime asked for nothing, so nothing of it can be handed on: leave out --grant and "
                         "--runtime-approved");
    il__shelf_pinned(d->store, d->row.row.run_id, "runtime", &kind);
    bool server = il__look_is(il__text_get(&kind), "mcp");
    il__text_clear(&kind);
    if (!need || !server || given(d, "grant") || given(d, "runtime-approved") || obtains(d)) return 0;
    return refuse(d, "the server asked for an approval of its own: obtain it with --approver ADDRESS --runtime SERVER, "
                     "hand on the id of its grant with --grant ID, or say with --runtime-approved that it was approved "
                     "there");
}

/* Of the run's tenant; and where the approvers are known here, too, the owner's judgement of who signs is said at once.
 */
static int check_people(const struct deciding *d)
{
    struct il_str approvers, value;
    struct il__people people;
    bool known = false;
    size_t at = 0;
    int status = il__people_read(d->io, d->args, &people);
    if (status == 0) status = il__people_check(d->io, d->json, &people, NULL);
    if (status == 0) status = il__shelf_tenant(d->io, d->json, &d->row, il__people_tenant(&people, d->args));
    if (status == 0 && people.approvers_path) {
        approvers = il__look_get(il__text_get(&people.approvers), "approvers");
        while (status == 0 && !known && il__look_next(approvers, &at, NULL, &value))
            known = il__look_is(il__look_get(value, "id"), d->who);
        bool votes = !d->approve || il__answer_needs(il__text_get(&d->doc), false);
        if (status == 0 && !known)
            status = refuse(d, "who decides is none of the approvers; name one of them with --as");
        if (status == 0 && votes && !given(d, "key"))
            status = refuse(d, "only what an approver signs counts here; sign it with --key FILE");
    }
    il__people_clear(&people);
    return status;
}

static int check_digest(const struct deciding *d)
{
    const char *digest = il__args_value(d->args, "digest");
    if (!digest || !waits(d) || il__answer_is_digest(il__text_get(&d->doc), il__text_of(digest))) return 0;
    return refuse(d, "--digest is not the start of the digest of what waits (at least 8 characters); look again with "
                     "'interlock show'");
}

static int check(struct deciding *d)
{
    int status = check_open(d);
    if (status == 0) status = check_reason(d);
    if (status == 0) status = check_runtime_need(d);
    if (status == 0) status = check_people(d);
    return status ? status : check_digest(d);
}

/* ---- leaving it ---- */

static int submit(const struct deciding *d, const char *kind, struct il_str letter)
{
    struct il_error err = IL_ERROR_INIT;
    enum il_code code = il_store_submit(d->store, d->row.row.run_id, il__text_of(kind), letter, &err);
    if (code == IL_OK) return 0;
    if (code == IL_CONFLICT) return il__report(d->io, d->json, NULL, &err, 1); /* it has ended meanwhile */
    return il__report(d->io, d->json, NULL, &err, 8);
}

static int leave_signed(const struct deciding *d)
{
    struct il_sign_options options = IL_SIGN_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    struct il_str signed_json;
    options.key_file = il__text_of(il__args_value(d->args, "key"));
    options.waiting = il__text_get(&d->doc);
    options.approver = il__text_of(d->who);
    options.decision = il__text_of(d->decision);
    options.reason = il__text_of(d->reason);
    if (il_host_sign_decision(d->host, &options, &signed_json, &err) != IL_OK)
        return il__report(d->io, d->json, NULL, &err, 2);
    return submit(d, "decision", signed_json);
}

static bool has_letter(struct il_str letter)
{
    return il__look_has(letter, "grantId") || il__look_has(letter, "runtimeApproved") ||
           il__look_has(letter, "decision");
}

static int leave(const struct deciding *d)
{
    struct il__text letter = IL__TEXT_INIT;
    const bool key = given(d, "key") && (il__answer_needs(il__text_get(&d->doc), false) || !d->approve);
    const struct il__answer_runtime runtime = { false, il__args_value(d->args, "grant"), key };
    int status = key ? leave_signed(d) : 0;
    if (waits(d)) {
        il__answer_build(&letter, il__text_get(&d->doc), true, d->decision, il__text_of(d->reason), &runtime);
    } else { /* the digests went with the request */
        il__text_puts(&letter, "{\"requestId\":");
        il__text_json(&letter, il__text_of(d->request));
        il__text_printf(&letter, ",\"decision\":\"%s\"", d->decision);
        il__text_puts(&letter, d->reason ? ",\"reason\":" : "");
        if (d->reason) il__text_json(&letter, il__text_of(d->reason));
        il__text_puts(&letter, "}");
    }
    if (status == 0 && has_letter(il__text_get(&letter))) status = submit(d, "answer", il__text_get(&letter));
    il__text_clear(&letter);
    return status;
}

/* ---- what comes next ---- */

static const char *next_of(const struct deciding *d)
{
    if (d->late) return "too late: the request has expired; this is recorded as late when the run is resumed";
    if (d->row.row.owned) return "the run's process lives, and takes it now";
    if (strcmp(d->decision, "defer") == 0) return "the request stays open";
    if (strcmp(d->decision, "re-observe") == 0) return "'interlock resume RUN' ends this run and asks afresh";
    return "'interlock resume RUN' goes on with it";
}

static int tell(const struct deciding *d)
{
    struct il__text text = IL__TEXT_INIT;
    if (d->json) {
        il__text_puts(&text, "{\"ok\":");
        il__text_printf(&text, "%s,\"runId\":", d->late ? "false" : "true");
        il__text_json(&text, d->row.row.run_id);
        il__text_puts(&text, ",\"requestId\":");
        il__text_json(&text, il__text_of(d->request));
        il__text_printf(&text, ",\"decision\":\"%s\",\"approver\":", d->decision);
        il__text_json(&text, il__text_of(d->who));
        il__text_printf(&text, ",\"signed\":%s,\"late\":%s,\"owned\":%s,\"next\":", given(d, "key") ? "true" : "false",
                        d->late ? "true" : "false", d->row.row.owned ? "true" : "false");
        il__text_json(&text, il__text_of(next_of(d)));
        il__text_puts(&text, "}\n");
        il__out_text(&d->io->out, &text);
    } else {
        il__text_printf(&text, "%s, left for run %s: %s", d->decision, d->row.row.run_id.ptr, next_of(d));
        il__out_wrap(&d->io->out, "", 2, IL__TONE_PLAIN, il__text_get(&text));
    }
    il__text_clear(&text);
    return d->late ? 1 : 0;
}

/* The run is taken over here. With an approver the decision is delivered by this process, which also obtains the grant;
 * else it lies in the store already. */
static int go_on(struct deciding *d)
{
    struct il__run_input in;
    const struct il__decided decided = { d->decision, d->request, d->reason };
    memset(&in, 0, sizeof in);
    in.args = d->args;
    in.approval_option = "answer";
    in.store = d->store;
    in.store_path = il__args_value(d->args, "store");
    if (obtains(d)) in.decided = &decided;
    il_host_free(d->host); /* one host at a time uses a store */
    d->host = NULL;
    int status = il__input_read(d->io, &in);
    if (status == 0 && !in.decided) status = leave(d);
    if (status == 0) status = il__resume_row(d->io, &in, &d->row);
    il__input_clear(&in);
    return status;
}

static int read_run(struct deciding *d)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_str doc;
    int status = il__shelf_open(d->io, d->args, IL__SHELF_WRITE, &d->store);
    if (status == 0) status = il__shelf_find(d->io, d->args, d->store, &d->row);
    if (status == 0) status = il__shelf_host(d->io, d->args, d->store, &d->host);
    if (status == 0 && il_host_show(d->host, d->row.row.run_id, &doc, &err) != IL_OK)
        return il__report(d->io, d->json, NULL, &err, 8);
    if (status == 0) il__text_str(&d->doc, doc);
    return status;
}

int il__decide(const struct il__args *args, struct il__io *io, const char *decision)
{
    struct deciding d;
    memset(&d, 0, sizeof d);
    d.io = io;
    d.args = args;
    d.decision = decision;
    d.request = il__args_value(args, "request");
    d.who = il__args_value(args, "as");
    d.reason = il__args_value(args, "reason");
    d.json = il__args_json(args);
    d.approve = strcmp(decision, "approve") == 0;
    int status = check_given(&d);
    if (status == 0) status = read_run(&d);
    if (status == 0) status = check(&d);
    if (status == 0 && d.approve && !d.late && !given(&d, "digest"))
        status = il__decide_ask(io, args, il__text_get(&d.doc));
    if (status == 0) status = check(&d); /* time went on while it was read */
    if (status == 0 && (given(&d, "resume") || given(&d, "approver"))) {
        status = go_on(&d);
    } else if (status == 0) {
        status = leave(&d);
        if (status == 0) status = tell(&d);
    }
    il__text_clear(&d.doc);
    il__shelf_clear(&d.row);
    il_host_free(d.host);
    il_store_close(d.store);
    return status;
}
