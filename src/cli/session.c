/* `interlock session VERB`: what an operator does to a session at a server, and reads of it.
 * Must never act on another session than the one named, nor call an answer good that names another principal. */
#include "cli/config.h"
#include "cli/connect.h"
#include "cli/files.h"
#include "cli/look.h"
#include "cli/report.h"

#include <string.h>

static const struct verb {
    const char *name, *wire;
    const char *takes;  /* options beside those of every verb */
    bool needs_session;
    const char *undone; /* what cannot be undone, NULL: asks for no confirmation */
} verbs[] = {
    { "start", "start", "objective group principal", false, NULL },
    { "show", "get", "principal", true, NULL },
    { "events", "events", "after limit principal", true, NULL },
    { "follow-ups", "follow_ups", "after limit principal", true, NULL },
    { "submit", "submit", "principal", true, NULL },
    { "pause", "pause", "reason principal", true, NULL },
    { "resume", "resume", "reason principal", true, NULL },
    { "stop", "stop", "reason principal", true, NULL },
    { "complete", "complete", "summary report principal", true, NULL },
    { "delete", "delete", "yes principal", true, "deletes the session, its events and its receipts" },
    { "prune", "prune", "older-than limit yes", false, "deletes every ended session that is older" },
};

struct request {
    struct il__io *io;
    const struct il__args *args;
    const struct verb *verb;
    struct il__text body, report;
    bool json;
};

/* ---- what the user gave ---- */

static bool has_word(const char *words, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += len)
        if ((at == words || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0')) return true;
    return false;
}

static int find_verb(struct request *r)
{
    const char *names[sizeof verbs / sizeof *verbs], *given = r->args->operand_count ? r->args->operands[0] : NULL;
    const char *all = "start, show, events, follow-ups, submit, pause, resume, stop, complete, delete, prune";
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        names[i] = verbs[i].name;
        if (given && strcmp(given, verbs[i].name) == 0) r->verb = &verbs[i];
    }
    if (r->verb) return 0;
    const char *near = given ? il__nearest(given, names, sizeof names / sizeof *names) : NULL;
    if (near) il__io_error(r->io, "no session command '%s'; did you mean '%s'?", given, near);
    else il__io_error(r->io, "%s; it is one of %s", given ? "no such session command" : "what to do is missing", all);
    return 2;
}

/* An option that this verb does not take would be without effect: it is refused. */
static int check_options(const struct request *r)
{
    static const char *const some[] = { "objective", "group", "after", "limit", "reason", "summary", "report",
                                        "older-than", "yes", "principal" };
    size_t most = strcmp(r->verb->name, "submit") == 0 ? 2 : 1;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        if (!il__args_values(r->args, some[i])->count || has_word(r->verb->takes, some[i])) continue;
        il__io_error(r->io, "--%s has no meaning for 'session %s'", some[i], r->verb->name);
        return 2;
    }
    if (r->args->operand_count > most) {
        il__io_error(r->io, "unexpected operand '%s'%s", r->args->operands[most],
                     most == 2 ? "; write the instruction in quotes" : "");
        return 2;
    }
    bool given = il__args_value(r->args, "session") != NULL;
    if (given == r->verb->needs_session) return 0;
    if (given) il__io_error(r->io, "'session %s' takes no --session", r->verb->name);
    else il__io_error(r->io, "name the session with --session S");
    return 2;
}

static void member(struct il__text *body, const char *name, const char *value)
{
    if (!value) return;
    il__text_printf(body, "%s\"%s\":", body->len > 1 ? "," : "", name);
    il__text_json(body, il__text_of(value));
}

static int number(struct request *r, const char *option, const char *name, int64_t min, int64_t max)
{
    int64_t value = 0;
    const char *text = il__args_value(r->args, option);
    if (!text) return 0;
    if (!il__number_read(text, min, max, &value)) {
        il__io_error(r->io, "--%s: '%s' is no whole number from %lld to %lld", option, text, (long long)min,
                     (long long)max);
        return 2;
    }
    il__text_printf(&r->body, "%s\"%s\":%lld", r->body.len > 1 ? "," : "", name, (long long)value);
    return 0;
}

static int submit_text(struct request *r)
{
    struct il__text text = IL__TEXT_INIT;
    if (strcmp(r->verb->name, "submit") != 0) return 0;
    if (r->args->operand_count < 2) {
        il__io_error(r->io, "the instruction is missing; write 'interlock session submit TEXT' ('-': standard input)");
        return 2;
    }
    const char *given = r->args->operands[1];
    int status = strcmp(given, "-") == 0 ? il__io_read(r->io, given, &text) : 0;
    if (status == 0) member(&r->body, "instruction", text.len ? text.ptr : given);
    il__text_clear(&text);
    return status;
}

/* The members of --report FILE, or none; the summary beside them. */
static int completion(struct request *r)
{
    const char *summary = il__args_value(r->args, "summary"), *path = il__args_value(r->args, "report");
    if (strcmp(r->verb->name, "complete") != 0) return 0;
    if (!summary && !path) {
        il__io_error(r->io, "what was done? Give --summary TEXT, or --report FILE with all of it");
        return 2;
    }
    member(&r->body, "summary", summary);
    if (!path) {
        il__text_printf(&r->body, "%s\"postconditions\":[],\"actionCounts\":{}", r->body.len > 1 ? "," : "");
        return 0;
    }
    int status = il__io_read(r->io, path, &r->report);
    struct il_str s = il__text_get(&r->report);
    while (s.len && strchr(" \t\r\n", s.ptr[s.len - 1])) s.len--;
    while (s.len && strchr(" \t\r\n", s.ptr[0])) s = (struct il_str){ s.ptr + 1, s.len - 1 };
    if (status == 0 && (s.len < 2 || s.ptr[0] != '{' || s.ptr[s.len - 1] != '}')) {
        il__io_error(r->io, "%s: it is no JSON object", path);
        return 65;
    }
    if (status == 0 && r->body.len > 1 && s.len > 2) il__text_puts(&r->body, ",");
    if (status == 0) il__text_str(&r->body, (struct il_str){ s.ptr + 1, s.len - 2 });
    return status;
}

static int prune_time(struct request *r)
{
    int64_t sec;
    int32_t nsec;
    const char *older = il__args_value(r->args, "older-than");
    if (strcmp(r->verb->name, "prune") != 0) return 0;
    if (!older || !il_time_parse(il__text_of(older), &sec, &nsec)) {
        il__io_error(r->io, "%s; write --older-than 2026-01-31T09:30:00Z",
                     older ? "that is no time" : "older than what?");
        return 2;
    }
    member(&r->body, "olderThan", older);
    return 0;
}

static int make_body(struct request *r)
{
    il__text_puts(&r->body, "{");
    member(&r->body, "objective", il__args_value(r->args, "objective"));
    member(&r->body, "executionGroupId", il__args_value(r->args, "group"));
    member(&r->body, "reason", il__args_value(r->args, "reason"));
    int status = number(r, "after", "afterSequence", 0, INT64_MAX);
    if (status == 0) status = number(r, "limit", "limit", 1, 1000);
    if (status == 0) status = submit_text(r);
    if (status == 0) status = completion(r);
    if (status == 0) status = prune_time(r);
    if (status == 0 && r->verb->undone) status = il__confirm(r->io, r->args, r->verb->undone, r->verb->name);
    if (r->verb->undone) il__text_printf(&r->body, "%s\"confirm\":true", r->body.len > 1 ? "," : "");
    il__text_puts(&r->body, "}");
    return status;
}

/* ---- the answer ---- */

/* The index behind `"name":"` (blanks allowed) when it stands at `i`, else 0. */
static size_t ticket_at(struct il_str doc, size_t i)
{
    static const char *const names[] = { "\"leaseId\"", "\"grantId\"", "\"approvalGrantId\"" };
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        size_t len = strlen(names[n]), at = i + len;
        if (at >= doc.len || memcmp(doc.ptr + i, names[n], len) != 0 || (i && doc.ptr[i - 1] == '\\')) continue;
        while (at < doc.len && strchr(" :", doc.ptr[at]) && doc.ptr[at]) at++;
        if (at < doc.len && doc.ptr[at] == '"') return at + 1;
    }
    return 0;
}

/* Ids of leases and grants are tickets to act: of them only the start of a digest is shown. */
static void mask_tickets(struct il__text *out, struct il_str doc)
{
    char hex[65];
    size_t from = 0;
    for (size_t i = 0; i < doc.len; i++) {
        size_t at = doc.ptr[i] == '"' ? ticket_at(doc, i) : 0, end = at;
        if (!at) continue;
        while (end < doc.len && doc.ptr[end] != '"') end += doc.ptr[end] == '\\' ? 2 : 1;
        if (end > doc.len) end = doc.len;
        il_sha256_hex((struct il_str){ doc.ptr + at, end - at }, hex);
        il__text_add(out, doc.ptr + from, at - from);
        il__text_printf(out, "sha256:%.12s", hex);
        i = from = end;
    }
    if (from < doc.len) il__text_add(out, doc.ptr + from, doc.len - from);
}

static void pair(struct il__out *out, const char *name, struct il_str doc, const char *path)
{
    struct il__text text = IL__TEXT_INIT;
    il__look_text(&text, il__look_get(doc, path));
    if (text.len) il__out_pair(out, name, IL__TONE_PLAIN, il__text_get(&text));
    il__text_clear(&text);
}

static const struct row {
    const char *name, *path;
} rows[] = {
    { "session", "sessionId" },          { "principal", "principalId" },
    { "state", "state" },                { "reason", "waitingReason" },
    { "objective", "objective" },        { "group", "executionGroupId" },
    { "revision", "revision" },          { "created", "createdAt" },
    { "updated", "updatedAt" },          { "recovered", "recovered" },
    { "summary", "completion.summary" }, { "follow-up", "followUpId" },
    { "sequence", "sequence" },          { "instruction", "instruction" },
    { "deleted", "deleted" },            { "events gone", "deletedEvents" },
    { "receipts gone", "deletedReceipts" }, { "events kept", "retainedEvents" },
};

static void show_item(struct il__out *out, struct il_str item, const char *what, const char *more)
{
    struct il__text lead = IL__TEXT_INIT, text = IL__TEXT_INIT, line = IL__TEXT_INIT;
    il__look_text(&lead, il__look_get(item, "sequence"));
    il__text_printf(&text, "%6s  ", lead.len ? lead.ptr : "");
    il__look_text(&line, il__look_get(item, what));
    if (il__look_has(item, "actionId")) il__text_puts(&line, "  ");
    il__look_text(&line, il__look_get(item, "actionId"));
    if (il__look_has(item, more)) il__text_puts(&line, "  ");
    il__look_text(&line, il__look_get(item, more));
    struct il__text safe = IL__TEXT_INIT;
    il__text_escaped(&safe, il__text_get(&line));
    il__out_wrap(out, text.ptr, 8, IL__TONE_PLAIN, il__text_get(&safe));
    il__text_clear(&safe);
    il__text_clear(&lead);
    il__text_clear(&text);
    il__text_clear(&line);
}

static void show_list(struct il__out *out, struct il_str doc)
{
    struct il_str item, list = il__look_get(doc, "events");
    const char *what = "type", *more = "payload";
    if (!list.ptr) list = il__look_get(doc, "follow_ups"), what = "instruction", more = "createdAt";
    if (!list.ptr) list = il__look_get(doc, "deletions"), what = "sessionId", more = "deletedEvents";
    size_t count = 0;
    for (size_t at = 0; list.ptr && il__look_next(list, &at, NULL, &item); count++) show_item(out, item, what, more);
    if (list.ptr && !count) il__out_puts(out, "  none\n");
    pair(out, "next", doc, "nextSequence");
    pair(out, "next", doc, "next_sequence");
}

static void show(const struct request *r, const struct il__link *link, struct il_str doc)
{
    struct il__out *out = &r->io->out;
    if (r->json) {
        struct il__text text = IL__TEXT_INIT;
        il__text_puts(&text, "{\"runtime\":");
        il__text_json(&text, il__text_of(link->endpoint->label));
        il__text_printf(&text, ",\"verb\":\"%s\",\"principalId\":", r->verb->name);
        struct il_str who = il__look_get(il__text_get(&link->facts), "principalId");
        il__text_str(&text, who.ptr ? who : il__text_of("null"));
        il__text_puts(&text, ",\"answer\":");
        il__text_str(&text, doc);
        il__text_puts(&text, "}\n");
        il__out_text(out, &text);
        il__text_clear(&text);
        return;
    }
    bool list = il__look_has(doc, "events") || il__look_has(doc, "follow_ups") || il__look_has(doc, "deletions");
    if (list) pair(out, "session", il__text_get(&link->facts), "sessionId");
    if (list) pair(out, "principal", il__text_get(&link->facts), "principalId");
    if (list) show_list(out, doc);
    for (size_t i = 0; !list && i < sizeof rows / sizeof *rows; i++) pair(out, rows[i].name, doc, rows[i].path);
}

/* --principal P: whose session it is must be known, and be P. */
static int check_principal(const struct request *r, struct il_str facts)
{
    const char *wanted = il__args_value(r->args, "principal");
    struct il_str told = il__look_get(facts, "principalId");
    struct il__text theirs = IL__TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    if (!wanted || il__look_is(told, wanted)) return 0;
    il__look_text(&theirs, told);
    err.code = IL_IDENTITY_MISMATCH;
    snprintf(err.object, sizeof err.object, "runtime session");
    snprintf(err.field, sizeof err.field, "principal_id");
    snprintf(err.expected, sizeof err.expected, "%s", wanted);
    snprintf(err.actual, sizeof err.actual, "%s", theirs.len ? theirs.ptr : "nobody");
    il__text_clear(&theirs);
    return il__report(r->io, r->json, NULL, &err, 1);
}

static int ask(struct request *r, struct il__link *link)
{
    struct il_error err = IL_ERROR_INIT;
    int status = r->verb->needs_session ? check_principal(r, il__text_get(&link->facts)) : 0;
    if (status != 0) return status;
    enum il_code code = il__link_session(link, r->verb->wire, il__text_get(&r->body), &err);
    err.code = code;
    bool ours = code == IL_DECODE || code == IL_INVALID_REQUEST;
    if (ours && !link->pending.done) return il__report(r->io, r->json, il__args_value(r->args, "report"), &err, 65);
    if (code == IL_IDENTITY_MISMATCH) return il__report(r->io, r->json, NULL, &err, 1);
    if (code == IL_CANCELLED) return il__report(r->io, r->json, NULL, &err, 8);
    if (code != IL_OK) return il__connect_report(r->io, r->json, link->endpoint, &err);
    if (!r->verb->needs_session) status = check_principal(r, il__text_get(&link->pending.answer));
    struct il__text masked = IL__TEXT_INIT;
    mask_tickets(&masked, il__text_get(&link->pending.answer));
    show(r, link, il__text_get(&masked));
    il__text_clear(&masked);
    return status;
}

static int run(const struct il__args *args, struct il__io *io)
{
    struct request r = { io, args, NULL, IL__TEXT_INIT, IL__TEXT_INIT, il__args_json(args) };
    struct il__endpoint endpoint;
    struct il__link link;
    memset(&endpoint, 0, sizeof endpoint);
    int status = find_verb(&r);
    if (status == 0) status = check_options(&r);
    if (status == 0) status = il__link_endpoint(io, args, &endpoint);
    if (status == 0) status = make_body(&r);
    if (status == 0) {
        status = il__link_open(&link, io, args, &endpoint);
        if (status != 0) status = il__connect_report(io, r.json, &endpoint, &link.error);
        else status = ask(&r, &link);
        il__link_close(&link);
    }
    il__text_clear(&r.body);
    il__text_clear(&r.report);
    il__endpoint_clear(&endpoint);
    return status;
}

static const struct il__option options[] = {
    { "runtime", "SERVER", false,
      "The server: mcp+http://HOST/PATH, mcp+https://HOST/PATH or \"stdio:COMMAND ARGUMENTS\"." },
    { "session", "S", false, "The session; needed for all but start and prune." },
    { "principal", "P", false, "Go on only when the session is P's." },
    { "objective", "TEXT", false, "start: what it is for." },
    { "group", "G", false, "start: the execution group." },
    { "after", "N", false, "events, follow-ups: only those with a greater sequence number." },
    { "limit", "N", false, "events, follow-ups, prune: at most so many, 1 to 1000." },
    { "reason", "TEXT", false, "pause, resume, stop: why." },
    { "summary", "TEXT", false, "complete: what was done." },
    { "report", "FILE", false, "complete: a JSON object with summary, postconditions, actionCounts and more." },
    { "older-than", "T", false, "prune: sessions that ended before T, RFC 3339." },
    { "yes", NULL, false, "delete, prune: do it without asking." },
    { "format", "text|json", false, "How to print; text is the default." },
    IL__ENDPOINT_OPTIONS,
    IL__CONFIG_OPTIONS,
};
static const char *const examples[] = {
    "interlock session start --runtime mcp+http://127.0.0.1:7331/mcp --token-file token --objective 'tidy up'",
    "interlock session events --runtime mcp+http://127.0.0.1:7331/mcp --token-file token --session S --after 20",
    "interlock session pause --runtime mcp+http://127.0.0.1:7331/mcp --token-file token --session S --reason lunch",
    NULL,
};
static const char *const exits[] = {
    "0   it was done, or shown",
    "1   the session is not the principal's; nothing was done",
    IL__EXIT_USAGE,
    "8   the server cannot be used, or refused",
    IL__EXIT_UNDECODABLE,
    NULL,
};

const struct il__command il__command_session = {
    .name = "session",
    .operands = "VERB [TEXT]",
    .summary = "Start, watch, steer and end a session at a server.",
    .about = "VERB is one of start, show, events, follow-ups, submit TEXT, pause, resume, stop, complete, delete and "
             "prune. Who the session belongs to is shown, and held against --principal.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
