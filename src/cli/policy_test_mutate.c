/* Mutants in words (policy_test_mutate.h). What is tried, and what is noticed, is the library's (il_policy_mutate).
 * Must never call a bundle good whose tests fail by themselves. */
#include "cli/policy_test_mutate.h"

#include "cli/files.h"
#include "cli/look.h"
#include "cli/report.h"

#include <string.h>

static void print_line(struct il__out *out, int indent, struct il__text *line)
{
    static const char blanks[] = "        ";
    il__out_wrap(out, blanks + sizeof blanks - 1 - indent, indent + 2, IL__TONE_PLAIN, il__text_get(line));
    il__text_clear(line);
}

/* "case "NAME" with action.mode = "shadow" tells them apart: {...}" */
static void print_kill(struct il__out *out, struct il_str item)
{
    struct il__text line = IL__TEXT_INIT;
    struct il_str kill = il__look_get(item, "kill");
    if (!il__look_has(item, "kill")) {
        if (il__look_has(item, "cut"))
            il__look_member(&line, item, "no case was found before the limit ", "cut", " ended the search");
        else il__text_puts(&line, "no case with one field changed tells them apart; perhaps nothing does");
        print_line(out, 4, &line);
        return;
    }
    il__look_member(&line, kill, "case \"", "name", "\"");
    il__look_member(&line, kill, " with ", "field", " = ");
    if (il__look_has(kill, "field")) il__text_escaped(&line, il__look_get(kill, "value"));
    il__text_puts(&line, " tells them apart; add a case that says what must come of it:");
    print_line(out, 4, &line);
    il__text_escaped(&line, il__look_get(kill, "case"));
    print_line(out, 6, &line);
}

static void print_mutant(struct il__out *out, struct il_str item, const char *lead)
{
    struct il__text line = IL__TEXT_INIT;
    il__text_puts(&line, lead);
    il__look_member(&line, item, " ", "file", "");
    il__look_member(&line, item, ":", "line", "  ");
    il__look_member(&line, item, "`", "before", "` -> ");
    il__look_member(&line, item, "`", "after", "`");
    il__look_member(&line, item, "  (", "about", ")");
    il__look_member(&line, item, ": ", "problem", "");
    il__look_member(&line, item, " (row ", "row", " of the list)");
    print_line(out, 2, &line);
}

static void print_text(struct il__out *out, const char *path, struct il_str doc, bool passed)
{
    struct il__text line = IL__TEXT_INIT;
    struct il_str item;
    enum il__tone tone;
    const char *mark = il__out_mark(out, passed ? IL__MARK_OK : IL__MARK_BAD, &tone);
    il__text_printf(&line, "%s ", mark);
    il__text_escaped(&line, il__text_of(path));
    il__look_member(&line, doc, ": ", "mutants", " mutants, ");
    il__look_member(&line, doc, "", "killed", " noticed, ");
    il__look_member(&line, doc, "", "equivalent", " listed as equivalent, ");
    il__look_member(&line, doc, "", "survived", " survive; ");
    il__look_member(&line, doc, "", "score", "% by ");
    il__look_member(&line, doc, "", "tests", " cases");
    il__out_tone(out, tone, il__text_get(&line));
    il__out_puts(out, "\n");
    il__text_clear(&line);
    struct il_str survivors = il__look_get(doc, "survivors"), listed = il__look_get(doc, "listed");
    for (size_t at = 0; il__look_next(survivors, &at, NULL, &item);) {
        print_mutant(out, item, "survives:");
        print_kill(out, item);
    }
    for (size_t at = 0; il__look_next(listed, &at, NULL, &item);) {
        print_mutant(out, item, "listed:");
        if (il__look_has(item, "kill")) print_kill(out, item);
    }
}

static void print_json(struct il__out *out, const char *path, struct il_str doc, size_t at)
{
    struct il__text text = IL__TEXT_INIT;
    il__text_puts(&text, at ? ",{\"path\":" : "{\"path\":");
    il__text_json(&text, il__text_of(path));
    il__text_puts(&text, ",");
    il__text_str(&text, (struct il_str){ doc.ptr + 1, doc.len - 1 });
    il__out_text(out, &text);
    il__text_clear(&text);
}

static int mutate_one(struct il__io *io, const struct il__bundles *bundles, size_t at, bool json, struct il_str allowed,
                      bool *passed)
{
    struct il_policy_mutate_options options = IL_POLICY_MUTATE_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    struct il_text out = IL_TEXT_INIT;
    struct il_str keys[IL__CLI_OPTION_VALUES];
    options.bundle = il__bundles_get(bundles, at);
    options.key_count = il__bundles_keys(bundles, keys);
    options.keys = keys;
    options.allowed = allowed;
    enum il_code code = il_policy_mutate(&options, passed, &out, &err);
    const struct il_str doc = { out.ptr, out.len };
    if (code == IL_OK && json) print_json(&io->out, bundles->paths[at], doc, at);
    else if (code == IL_OK) print_text(&io->out, bundles->paths[at], doc, *passed);
    il_text_clear(&out);
    if (code == IL_OK) return 0;
    if (code == IL_CONFLICT) return il__report(io, false, bundles->paths[at], &err, 1);
    return il__policy_refuse(io, false, bundles->paths[at], &err);
}

int il__policy_test_mutate(struct il__io *io, const struct il__args *args, const struct il__bundles *bundles)
{
    const char *format = il__args_value(args, "format"), *list = il__args_value(args, "mutants-allowed");
    struct il__text allowed = IL__TEXT_INIT;
    bool json = il__args_json(args), all = true;
    int status = 0;
    if (format && !json && strcmp(format, "text") != 0) {
        il__io_error(io, "--mutate is reported as text or json");
        return 2;
    }
    if (list) status = il__io_read(io, list, &allowed);
    if (status == 0 && json) il__out_puts(&io->out, "{\"bundles\":[");
    for (size_t i = 0; i < bundles->count && status == 0; i++) {
        bool passed = false;
        status = mutate_one(io, bundles, i, json, list ? il__text_get(&allowed) : (struct il_str){ NULL, 0 }, &passed);
        all = all && passed;
    }
    if (status == 0 && json) il__out_puts(&io->out, all ? "],\"passed\":true}\n" : "],\"passed\":false}\n");
    il__text_clear(&allowed);
    return status ? status : all ? 0 : 1;
}
