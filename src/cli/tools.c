/* `interlock tools`: the tools that a server offers this connection, and what each is to us.
 * Must never call a tool. */
#include "cli/config.h"
#include "cli/connect.h"
#include "cli/look.h"

#include <string.h>

static const struct kind {
    const char *name, *words;
    enum il__mark mark;
} kinds[] = {
    { "governed", "part of the governance", IL__MARK_OK },
    { "reading", "says that it only reads", IL__MARK_OK },
    { "approval", "approves: whoever has this connection can", IL__MARK_BAD },
    { "acting", "acts past the governance", IL__MARK_BAD },
};

static void show_one(struct il__out *out, struct il_str tool)
{
    struct il__text name = IL__TEXT_INIT, safe = IL__TEXT_INIT;
    const struct kind *kind = &kinds[3];
    char lead[300];
    enum il__tone tone;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (il__look_is(il__look_get(tool, "class"), kinds[i].name)) kind = &kinds[i];
    il__look_text(&name, il__look_get(tool, "name"));
    il__text_escaped(&safe, il__text_get(&name));
    const char *mark = il__out_mark(out, kind->mark, &tone);
    snprintf(lead, sizeof lead, " %-28s ", safe.len ? safe.ptr : "");
    il__out_puts(out, "  ");
    il__out_tone(out, tone, il__text_of(mark));
    struct il__out rest = *out;
    rest.width -= 4;
    il__out_wrap(&rest, lead, 34, IL__TONE_DIM, il__text_of(kind->words));
    out->lost = rest.lost;
    il__text_clear(&name);
    il__text_clear(&safe);
}

static void show_json(struct il__out *out, const struct il__link *link, struct il_str list)
{
    struct il__text text = IL__TEXT_INIT;
    struct il_str server = il__look_get(il__text_get(&link->facts), "serverName");
    il__text_puts(&text, "{\"runtime\":");
    il__text_json(&text, il__text_of(link->endpoint->label));
    il__text_puts(&text, ",\"server\":");
    il__text_str(&text, server.ptr ? server : il__text_of("null"));
    il__text_puts(&text, ",\"tools\":");
    il__text_str(&text, list);
    il__text_puts(&text, "}\n");
    il__out_text(out, &text);
    il__text_clear(&text);
}

static int show(struct il__io *io, const struct il__args *args, const struct il__link *link)
{
    struct il_str tool, list = il__look_get(il__text_get(&link->facts), "listing");
    if (!list.ptr) return il__connect_report(io, il__args_json(args), link->endpoint, &link->error);
    if (il__args_json(args)) show_json(&io->out, link, list);
    else
        for (size_t at = 0; il__look_next(list, &at, NULL, &tool);) show_one(&io->out, tool);
    if (link->error.code != IL_OK) il__io_note(io, "%s", link->error.message);
    return 0;
}

static int run(const struct il__args *args, struct il__io *io)
{
    struct il__endpoint endpoint;
    struct il__link link;
    memset(&endpoint, 0, sizeof endpoint);
    if (args->operand_count) {
        il__io_error(io, "unexpected operand '%s'; write 'interlock tools --runtime SERVER'", args->operands[0]);
        return 2;
    }
    int status = il__link_endpoint(io, args, &endpoint);
    if (status == 0) {
        (void)il__link_open(&link, io, args, &endpoint);
        status = show(io, args, &link);
        il__link_close(&link);
    }
    il__endpoint_clear(&endpoint);
    return status;
}

static const struct il__option options[] = {
    { "runtime", "SERVER", false,
      "The server: mcp+http://HOST/PATH, mcp+https://HOST/PATH or \"stdio:COMMAND ARGUMENTS\"." },
    { "format", "text|json", false, "How to print; text is the default." },
    IL__ENDPOINT_OPTIONS,
    IL__CONFIG_OPTIONS,
};
static const char *const examples[] = {
    "interlock tools --runtime \"stdio:computer-use-server --profile v8-safe\"",
    "interlock tools --runtime mcp+https://desk.example/mcp --token-env DESK_TOKEN --format json",
    NULL,
};
static const char *const exits[] = {
    "0   the tools were listed",
    IL__EXIT_USAGE,
    "8   the server cannot be used",
    NULL,
};

const struct il__command il__command_tools = {
    .name = "tools",
    .operands = "",
    .summary = "List the tools that a server offers.",
    .about = "Connects, lists every tool by name with what it is to Interlock, and calls none. A tool that acts past "
             "the governance, or that approves, is marked: 'run' refuses a connection that offers one, unless it is "
             "accepted by name.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
