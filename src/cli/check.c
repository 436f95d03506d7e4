/* `interlock check KIND FILE`: decodes one document and checks it, without a run.
 * Uses il_host_check. Must never soften a refusal: the library's verdict is the exit status. */
#include "cli/clock.h"
#include "cli/command.h"
#include "cli/files.h"
#include "cli/look.h"
#include "cli/report.h"

#include <string.h>

/* What the user gave, read. */
struct input {
    const char *kind;
    struct il__text document, envelope, preview;
    struct il__cli_clock clock;
    bool json;
};

static int find_kind(struct il__io *io, const char *given, const char **out)
{
    const char *kinds[64];
    size_t count = 0;
    for (const char *kind; count < 64 && (kind = il_check_kind_at(count)) != NULL; count++) {
        if (strcmp(kind, given) == 0) {
            *out = kind;
            return 0;
        }
        kinds[count] = kind;
    }
    const char *near = il__nearest(given, kinds, count);
    if (near) {
        il__io_error(io, "unknown kind '%s'; did you mean '%s'?", given, near);
        return 2;
    }
    struct il__text list = IL__TEXT_INIT;
    for (size_t i = 0; i < count; i++) il__text_printf(&list, "%s%s", i ? ", " : "", kinds[i]);
    il__io_error(io, "unknown kind '%s'; it is one of %s", given, list.ptr ? list.ptr : "");
    il__text_clear(&list);
    return 2;
}

static int read_all(const struct il__args *args, struct il__io *io, struct input *in)
{
    const char *envelope = il__args_value(args, "envelope"), *preview = il__args_value(args, "preview");
    const char *now = il__args_value(args, "now");
    if (args->operand_count != 2) {
        il__io_error(io, "%s; write 'interlock check KIND FILE'",
                     args->operand_count < 2 ? "the kind or the file is missing" : "there are more operands than two");
        return 2;
    }
    if (now && !il__cli_clock_init(&in->clock, now)) {
        il__io_error(io, "--now: '%s' is no time; write it as 2026-01-31T09:30:00Z", now);
        return 2;
    }
    int status = find_kind(io, args->operands[0], &in->kind);
    if (status == 0) status = il__io_read(io, args->operands[1], &in->document);
    if (status == 0 && envelope) status = il__io_read(io, envelope, &in->envelope);
    if (status == 0 && preview) status = il__io_read(io, preview, &in->preview);
    return status;
}

/* Kinds that belong to an envelope, and kinds that answer a preview. */
static bool bound(const char *kind)
{
    return strcmp(kind, "lease") == 0 || strcmp(kind, "reservation") == 0 || strcmp(kind, "receipt") == 0;
}

static bool answers(const char *kind)
{
    return strcmp(kind, "approval") == 0 || strcmp(kind, "grant") == 0;
}

static void show_outcome(struct il__out *out, struct il_str document)
{
    static const char *const members[][2] = {
        { "status", "status" },        { "verified", "verified" },
        { "committed", "committed" },  { "effect", "effect" },
        { "retry safe", "retrySafe" }, { "receipt", "result.receiptId" },
        { "detail", "result.verificationDetail" },
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        struct il__text text = IL__TEXT_INIT;
        il__look_text(&text, il__look_get(document, members[i][1]));
        if (text.len) il__out_pair(out, members[i][0], IL__TONE_PLAIN, il__text_get(&text));
        il__text_clear(&text);
    }
}

static void show(struct il__io *io, const struct input *in, struct il_str document)
{
    struct il__text text = IL__TEXT_INIT;
    if (in->json) {
        il__text_puts(&text, "{\"ok\":true,\"kind\":");
        il__text_json(&text, il__text_of(in->kind));
        il__text_puts(&text, ",\"document\":");
        il__text_str(&text, document);
        il__text_puts(&text, "}\n");
        il__out_text(&io->out, &text);
        il__text_clear(&text);
        return;
    }
    enum il__tone tone;
    const char *mark = il__out_mark(&io->out, IL__MARK_OK, &tone);
    il__out_tone(&io->out, tone, il__text_of(mark));
    il__text_printf(&text, "%s: %s", in->kind, in->envelope.len || in->preview.len
                        ? "decoded, and every check against the other document passed"
                        : "decoded, and it is whole in itself");
    if (!in->envelope.len && bound(in->kind)) il__text_puts(&text, "; --envelope FILE checks it against its envelope");
    if (!in->preview.len && answers(in->kind)) il__text_puts(&text, "; --preview FILE checks it against its preview");
    il__out_wrap(&io->out, " ", 3, IL__TONE_PLAIN, il__text_get(&text));
    il__text_clear(&text);
    if (strcmp(in->kind, "outcome") == 0) show_outcome(&io->out, document);
}

/* The verdict is what was asked for, so it stands on stdout like the other one. */
static void show_refusal(struct il__io *io, const struct il_error *err)
{
    struct il__text line = IL__TEXT_INIT, safe = IL__TEXT_INIT;
    enum il__tone tone;
    const char *mark = il__out_mark(&io->out, IL__MARK_BAD, &tone);
    il__report_line(&line, err);
    il__text_escaped(&safe, il__text_get(&line));
    il__out_tone(&io->out, tone, il__text_of(mark));
    struct il__out rest = io->out;
    if (!rest.tty) rest.width = 100000; /* one line for who reads by lines */
    il__out_wrap(&rest, " ", 3, IL__TONE_PLAIN, il__text_get(&safe));
    io->out.lost = rest.lost;
    il__text_clear(&line);
    il__text_clear(&safe);
}

static struct il_str given(const struct il__args *args, const char *option, const struct il__text *text)
{
    return il__args_value(args, option) ? il__text_get(text) : (struct il_str){ NULL, 0 };
}

/* An error about the call itself has the object "check". */
static int status_of(const struct il_error *err)
{
    if (err->code == IL_OUT_OF_MEMORY) return 8;
    if (strcmp(err->object, "check") == 0) return 2;
    return err->code == IL_DECODE || err->code == IL_INVALID_REQUEST || err->code == IL_LIMIT_EXCEEDED ? 65 : 1;
}

static int judge(const struct il__args *args, struct il__io *io, struct input *in)
{
    struct il_host_options host_options = IL_HOST_OPTIONS_INIT;
    struct il_check_options options = IL_CHECK_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    struct il_str document;
    il_host *host = NULL;
    enum il_code code = il_host_new(&host_options, &host, &err);
    if (code != IL_OK) return il__report(io, in->json, NULL, &err, 8);
    options.kind = il__text_of(in->kind);
    options.document = il__text_get(&in->document);
    options.envelope = given(args, "envelope", &in->envelope);
    options.preview = given(args, "preview", &in->preview);
    options.now = il__text_of(il__args_value(args, "now"));
    code = il_host_check(host, &options, &document, &err);
    int status = 0;
    if (code == IL_OK) {
        show(io, in, document);
    } else {
        status = status_of(&err);
        if (status == 1 && !in->json) show_refusal(io, &err);
        else il__report(io, in->json, NULL, &err, status);
    }
    il_host_free(host);
    return status;
}

static int run(const struct il__args *args, struct il__io *io)
{
    struct input in = { NULL, IL__TEXT_INIT, IL__TEXT_INIT, IL__TEXT_INIT, { 0, 0, 0 }, il__args_json(args) };
    int status = read_all(args, io, &in);
    if (status == 0) status = judge(args, io, &in);
    il__text_clear(&in.document);
    il__text_clear(&in.envelope);
    il__text_clear(&in.preview);
    return status;
}

static const struct il__option options[] = {
    { "envelope", "FILE", false, "The action envelope that the document is checked against." },
    { "preview", "FILE", false, "The preview that an approval or a grant is checked against." },
    { "now", "T", false, "The time to judge by, RFC 3339; the system's clock is the default." },
    { "format", "text|json", false, "How to print; text is the default." },
};
static const char *const examples[] = {
    "interlock check preview preview.json",
    "interlock check lease lease.json --envelope envelope.json --now 2026-01-31T09:30:00Z",
    "interlock check receipt - --envelope envelope.json --format json <receipt.json",
    NULL,
};
static const char *const exits[] = {
    "0   the document is whole and every check passed",
    "1   a check refused it; the object, the field and both values are named",
    IL__EXIT_USAGE,
    IL__EXIT_UNDECODABLE,
    "8   the check could not be made",
    NULL,
};

const struct il__command il__command_check = {
    .name = "check",
    .operands = "KIND FILE",
    .summary = "Decode one document and check it against another.",
    .about = "Decodes FILE ('-' is standard input) as a document of the KIND and checks it, against an envelope or a "
             "preview when one is given. Nothing is sent anywhere.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
