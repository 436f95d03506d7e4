/* `interlock key new|show FILE`: Ed25519 keys for approvers and signers. Uses the library's functions on keys.
 * Must never print a private key, and must never write over a file. */
#include "cli/evidence.h"
#include "cli/report.h"

#include <string.h>

/* The name of the file without folder and extension. */
static struct il_str stem(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    return (struct il_str){ name, dot && dot > name ? (size_t)(dot - name) : strlen(name) };
}

/* {"id":...,"key":...,"roles":[...]}: a line for the approvers file. */
static void approver(struct il__text *out, const struct il__args *args, const struct il_text *public)
{
    const struct il__values *roles = il__args_values(args, "role");
    const char *id = il__args_value(args, "id");
    il__text_puts(out, "{\"id\":");
    il__text_json(out, id ? il__text_of(id) : stem(args->operands[1]));
    il__text_puts(out, ",\"key\":");
    il__text_json(out, il__evidence_str(public));
    il__text_puts(out, ",\"roles\":[");
    for (size_t i = 0; i < roles->count; i++) {
        il__text_puts(out, i ? "," : "");
        il__text_json(out, il__text_of(roles->at[i]));
    }
    il__text_puts(out, "]}");
}

static int show(const struct il__args *args, struct il__io *io, const struct il_text *key)
{
    struct il_text public = IL_TEXT_INIT;
    struct il__text text = IL__TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    char id[17] = "";
    int status = 0;
    if (il_key_public(il__evidence_str(key), &public, id, &err) != IL_OK) {
        status = il__report(io, il__args_json(args), NULL, &err, 8);
    } else if (il__args_json(args)) {
        il__text_puts(&text, "{\"ok\":true,\"file\":");
        il__text_json(&text, il__text_of(args->operands[1]));
        il__text_printf(&text, ",\"keyId\":\"%s\",\"approver\":", id);
        approver(&text, args, &public);
        il__text_puts(&text, "}\n");
        il__out_text(&io->out, &text);
    } else {
        approver(&text, args, &public);
        il__text_puts(&text, "\n");
        il__out_text(&io->out, &text);
        il__io_note(io, "key id %s; the line is for an approvers file, the private key stays in the file", id);
    }
    il__text_clear(&text);
    il_text_clear(&public);
    return status;
}

static int make(const struct il__args *args, struct il__io *io, struct il_text *key)
{
    struct il_error err = IL_ERROR_INIT;
    enum il_code code = il_key_new(NULL, NULL, key, &err);
    if (code == IL_OK) code = il_key_file_write(il__text_of(args->operands[1]), il__evidence_str(key), &err);
    if (code == IL_OK) return 0;
    const bool named = code == IL_CONFLICT || code == IL_STORE || code == IL_INVALID_REQUEST;
    return il__report(io, il__args_json(args), NULL, &err, named ? 2 : 8);
}

static int check_operands(const struct il__args *args, struct il__io *io)
{
    const char *const names[] = { "new", "show" };
    if (args->operand_count != 2) {
        il__io_error(io, "%s; write 'interlock key new FILE' or 'interlock key show FILE'",
                     args->operand_count > 2 ? "there are more operands than two" : "the verb or the file is missing");
        return 2;
    }
    const char *verb = args->operands[0], *near = il__nearest(verb, names, 2);
    if (strcmp(verb, "new") != 0 && strcmp(verb, "show") != 0) {
        if (near) il__io_error(io, "unknown verb '%s'; did you mean '%s'?", verb, near);
        else il__io_error(io, "unknown verb '%s'; it is new or show", verb);
        return 2;
    }
    if (strcmp(args->operands[1], "-") == 0) {
        il__io_error(io, "a private key lies in a file that nobody else can read; name one");
        return 2;
    }
    const char *id = il__args_value(args, "id");
    if (id && !*id) {
        il__io_error(io, "--id: an approver's id is not empty");
        return 2;
    }
    return 0;
}

static int run(const struct il__args *args, struct il__io *io)
{
    struct il_text key = IL_TEXT_INIT;
    int status = check_operands(args, io);
    if (status != 0) return status;
    if (strcmp(args->operands[0], "new") == 0) status = make(args, io, &key);
    else status = il__evidence_private_key(io, il__args_json(args), args->operands[1], &key);
    if (status == 0) status = show(args, io, &key);
    il_text_clear(&key);
    return status;
}

static const struct il__option options[] = {
    { "id", "ID", false, "Who the line is for; the name of the file is the default." },
    { "role", "R", true, "A role in the line." },
    { "format", "text|json", false, "How to print; text is the default." },
};
static const char *const examples[] = {
    "interlock key new ann.pem --role finance >>approvers",
    "interlock key show ann.pem --id ann",
    NULL,
};
static const char *const exits[] = {
    "0   the key was made, or shown",
    "2   the call is wrong, the file is there already or cannot be used, or others could read it",
    IL__EXIT_FAILED,
    "65  the file holds no private key",
    NULL,
};

const struct il__command il__command_key = {
    .name = "key",
    .operands = "VERB FILE",
    .summary = "Make a key to sign with, or show its public half.",
    .about = "VERB is new or show. new makes an Ed25519 key and writes it to FILE, which must not exist, for its owner "
             "alone; show reads one that nobody else may use. Both print the line that an approvers file has for it; "
             "the private key is never printed.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
