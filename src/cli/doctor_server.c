/* `interlock doctor --runtime SERVER`: whether this connection can be governed, step by step, with times.
 * Must never call a server sound that offers a way around the governance which nobody accepted by name. */
#include "cli/connect.h"
#include "cli/look.h"

#include <string.h>

enum { PROBES = 12 };

/* One finding: open is worth knowing and no failure. */
struct probe {
    const char *name;
    enum il__mark mark;
    int64_t ms;            /* how long it took; -1: nothing to time */
    struct il__text note;
};

struct doctor {
    struct il__io *io;
    const struct il__args *args;
    const struct il__link *link;
    struct il_str facts;
    struct probe probes[PROBES];
    size_t count;
    bool well;
};

static struct il__text *add(struct doctor *d, const char *name, enum il__mark mark, int64_t ms)
{
    struct probe *probe = &d->probes[d->count < PROBES - 1 ? d->count++ : PROBES - 1];
    *probe = (struct probe){ name, mark, ms, IL__TEXT_INIT };
    if (mark == IL__MARK_BAD) d->well = false;
    return &probe->note;
}

static void fact(struct il__text *note, const struct doctor *d, const char *path)
{
    il__look_text(note, il__look_get(d->facts, path));
}

static bool is_true(const struct doctor *d, const char *path)
{
    return il__text_same(il__look_get(d->facts, path), "true");
}

/* ---- what was met, in order ---- */

static void meet_hello(struct doctor *d)
{
    bool met = d->link->times.hello >= 0;
    struct il__text *note = add(d, "initialize", met ? IL__MARK_OK : IL__MARK_BAD, d->link->times.hello);
    if (!met) {
        const char *advice = il__connect_advice(&d->link->error);
        il__text_printf(note, "%s%s%s", d->link->error.message, advice[0] ? "; " : "", advice);
        return;
    }
    fact(note, d, "serverName");
    il__text_puts(note, " ");
    fact(note, d, "serverVersion");
    il__text_puts(note, ", MCP ");
    fact(note, d, "protocol");
}

static void meet_tools(struct doctor *d)
{
    bool met = d->link->times.listed >= 0;
    if (d->link->times.hello < 0) return;
    struct il__text *note = add(d, "tools", met ? IL__MARK_OK : IL__MARK_BAD,
                                met ? d->link->times.listed - d->link->times.hello : -1);
    if (!met) {
        il__text_puts(note, d->link->error.message);
        return;
    }
    fact(note, d, "tools");
    il__text_puts(note, " are listed ('interlock tools' shows them)");
    bool governed = is_true(d, "governed");
    note = add(d, "governance", governed ? IL__MARK_OK : IL__MARK_BAD, -1);
    il__text_puts(note, governed ? "previews, leases and receipts are offered"
                                 : "there is no preview_action: start the server with COMPUTER_USE_V8=true; a release "
                                   "without the governance preview cannot be used");
}

static bool is_accepted(const struct doctor *d, struct il_str name)
{
    for (size_t i = 0; i < d->link->endpoint->accept_count; i++)
        if (il__look_is(name, d->link->endpoint->accept[i].ptr)) return true;
    return false;
}

/* The acting tools, or approve_action alone. */
static void meet_around(struct doctor *d, const char *probe, bool approve)
{
    struct il_str name, list = il__look_get(d->facts, "actingTools");
    struct il__text names = IL__TEXT_INIT;
    size_t count = 0, refused = 0;
    if (d->link->times.listed < 0) return;
    for (size_t at = 0; il__look_next(list, &at, NULL, &name);) {
        if (il__look_is(name, "approve_action") != approve) continue;
        if (!is_accepted(d, name)) refused++;
        if (count++ < 6) il__text_puts(&names, count > 1 ? ", " : "");
        if (count <= 6) il__look_text(&names, name);
    }
    struct il__text *note = add(d, probe, refused ? IL__MARK_BAD : count ? IL__MARK_OPEN : IL__MARK_OK, -1);
    if (!count) il__text_puts(note, approve ? "this connection cannot approve" : "none acts past the governance");
    else if (approve) il__text_puts(note, "whoever has this connection can approve what it proposes");
    else il__text_printf(note, "%zu act past the governance: %s%s", count, names.ptr, count > 6 ? ", ..." : "");
    if (refused && approve)
        il__text_puts(note, "; accept it with --accept-tool approve_action when nobody but Interlock has it");
    else if (refused)
        il__text_puts(note, "; let the server hide them (COMPUTER_USE_ACTIVE_PROFILE=v8-safe), or accept each by name "
                            "with --accept-tool");
    else if (count) il__text_puts(note, "; accepted by name");
    il__text_clear(&names);
}

static const struct flag {
    const char *name, *fact, *yes, *no;
} flags[] = {
    { "receipts", "durableReceipts",
      "kept over a restart; this server then answers observations without their content",
      "in memory: after a restart of the server nothing can tell whether an action was done" },
    { "sessions", "durableSessions", "kept over a restart", "in memory: a restart forgets them" },
    { "events", "durableEvents", "kept over a restart", "in memory: a restart begins them again" },
    { "approvals", "supervisor", "the server has a socket of its own for approvals: run --ask --approver unix:PATH",
      "the server has no socket of its own for approvals; over HTTP, --approver takes a second token of its own" },
};

static void meet_flags(struct doctor *d)
{
    if (d->link->error.code != IL_OK) return;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        bool known = il__look_has(d->facts, flags[i].fact), yes = is_true(d, flags[i].fact);
        struct il__text *note = add(d, flags[i].name, yes ? IL__MARK_OK : IL__MARK_OPEN, -1);
        il__text_puts(note, yes ? flags[i].yes : known ? flags[i].no : "the server does not say");
    }
}

static void meet_idle(struct doctor *d)
{
    if (d->link->error.code != IL_OK) return;
    struct il__text *note = add(d, "idle", d->link->endpoint->stdio ? IL__MARK_OK : IL__MARK_OPEN, -1);
    il__text_puts(note, d->link->endpoint->stdio
                            ? "the server lives as long as this command: sessions end with it unless they are kept"
                            : "such servers close a connection after 30 s without a request, and pause its sessions; "
                              "a wait with --wait asks every 10 s");
}

static void meet_end(struct doctor *d)
{
    const struct il__link *link = d->link;
    bool session = il__args_value(d->args, "session") != NULL;
    if (link->times.listed < 0 || (link->error.code != IL_OK && !is_true(d, "governed"))) return;
    if (link->error.code == IL_OK && !session) return;
    struct il__text *note = add(d, "session", link->error.code == IL_OK ? IL__MARK_OK : IL__MARK_BAD,
                                link->times.ready < 0 ? -1 : link->times.ready - link->times.listed);
    if (link->error.code != IL_OK) {
        il__text_puts(note, link->error.message);
        return;
    }
    fact(note, d, "sessionId");
    il__text_puts(note, " of ");
    fact(note, d, "principalId");
}

/* ---- telling ---- */

static void show_probe(struct il__out *out, const struct probe *probe)
{
    enum il__tone tone;
    char lead[64], time[24] = "";
    struct il__text note = IL__TEXT_INIT;
    const char *mark = il__out_mark(out, probe->mark, &tone);
    if (probe->ms >= 0) snprintf(time, sizeof time, "%lld ms", (long long)probe->ms);
    snprintf(lead, sizeof lead, " %-12s %8s  ", probe->name, time);
    il__text_escaped(&note, il__text_get(&probe->note));
    il__out_puts(out, "  ");
    il__out_tone(out, tone, il__text_of(mark));
    struct il__out rest = *out;
    rest.width -= 4;
    il__out_wrap(&rest, lead, 26, IL__TONE_PLAIN, il__text_get(&note));
    out->lost = rest.lost;
    il__text_clear(&note);
}

static void show_text(struct doctor *d)
{
    struct il__out *out = &d->io->out;
    struct il__text address = IL__TEXT_INIT;
    il__text_escaped(&address, il__text_of(d->link->endpoint->label));
    il__out_wrap(out, "", 2, IL__TONE_BOLD, il__text_get(&address));
    il__out_puts(out, "\n");
    for (size_t i = 0; i < d->count; i++) show_probe(out, &d->probes[i]);
    il__out_puts(out, "\n");
    il__out_wrap(out, "", 0, IL__TONE_PLAIN,
                 il__text_of("Interlock governs only if it alone holds this connection: a program with the token, "
                             "or one that can start the server itself, goes past it."));
    il__out_puts(out, "\n");
    if (d->well) il__out_tone(out, IL__TONE_GOOD, il__text_of("this server can be governed over this connection\n"));
    else il__out_tone(out, IL__TONE_BAD, il__text_of("do not run over this connection yet: see the marked lines\n"));
    il__text_clear(&address);
}

static void show_json(const struct doctor *d)
{
    static const char *const marks[] = { "ok", "failed", "note", "" };
    struct il__text text = IL__TEXT_INIT;
    il__text_puts(&text, "{\"runtime\":");
    il__text_json(&text, il__text_of(d->link->endpoint->label));
    il__text_puts(&text, ",\"probes\":[");
    for (size_t i = 0; i < d->count; i++) {
        const struct probe *probe = &d->probes[i];
        il__text_printf(&text, "%s{\"name\":\"%s\",\"result\":\"%s\",\"note\":", i ? "," : "", probe->name,
                        marks[probe->mark]);
        il__text_json(&text, il__text_get(&probe->note));
        if (probe->ms >= 0) il__text_printf(&text, ",\"ms\":%lld", (long long)probe->ms);
        il__text_puts(&text, "}");
    }
    il__text_puts(&text, "],\"facts\":");
    il__text_str(&text, d->facts.len ? d->facts : il__text_of("null"));
    il__text_printf(&text, ",\"ok\":%s}\n", d->well ? "true" : "false");
    il__out_text(&d->io->out, &text);
    il__text_clear(&text);
}

static int examine(struct il__io *io, const struct il__args *args, const struct il__link *link)
{
    struct doctor d = { .io = io, .args = args, .link = link, .facts = il__text_get(&link->facts), .well = true };
    meet_hello(&d);
    meet_tools(&d);
    meet_around(&d, "raw tools", false);
    meet_around(&d, "approving", true);
    meet_flags(&d);
    meet_idle(&d);
    meet_end(&d);
    if (il__args_json(args)) show_json(&d);
    else show_text(&d);
    for (size_t i = 0; i < d.count; i++) il__text_clear(&d.probes[i].note);
    return d.well ? 0 : 8;
}

int il__doctor_server(const struct il__args *args, struct il__io *io)
{
    struct il__endpoint endpoint;
    struct il__link link;
    int status = il__link_endpoint(io, args, &endpoint);
    if (status == 0) {
        status = il__link_open(&link, io, args, &endpoint);
        if (status == 2) status = il__connect_report(io, il__args_json(args), &endpoint, &link.error);
        else status = examine(io, args, &link);
        il__link_close(&link);
    }
    il__endpoint_clear(&endpoint);
    return status;
}
