/* Judging cases from the command line (policy_bench.h). Places are shown as paths that an editor opens. */
#include "cli/policy_bench.h"

#include "cli/look.h"
#include "cli/moment.h"

#include <string.h>
#include <sys/stat.h>

static void log_line(void *ctx, enum il_log_level level, const char *line, size_t len)
{
    struct il__io *io = ctx;
    (void)level;
    il__io_note(io, "%.*s", (int)len, line);
}

static enum il_code load(struct il__bench *b, const char **what, struct il_error *err)
{
    struct il_str keys[IL__CLI_OPTION_VALUES];
    size_t key_count = il__bundles_keys(&b->bundles, keys);
    enum il_code code = key_count ? il_policy_trust_bundles(b->policy, keys, key_count, err) : IL_OK;
    for (size_t i = 0; code == IL_OK && i < b->bundles.count; i++) {
        const struct il_bundle bundle = il__bundles_get(&b->bundles, i);
        *what = b->bundles.paths[i];
        code = il_policy_add_dir(b->policy, bundle.path, bundle.params_json, err);
    }
    return code;
}

int il__bench_open(struct il__io *io, const struct il__args *args, bool none, struct il__bench *out)
{
    struct il_policy_options options = IL_POLICY_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    const char *what = NULL;
    memset(out, 0, sizeof *out);
    int status = il__bundles_read(io, args, &out->bundles);
    if (status != 0) return status;
    if (!out->bundles.count && !none) {
        il__io_error(io, "no bundle is named; write --policy DIR");
        return 2;
    }
    options.log = log_line;
    options.log_ctx = io;
    enum il_code code = il_policy_new(&options, &out->policy, &err);
    if (code == IL_OK) code = load(out, &what, &err);
    return code == IL_OK ? 0 : il__policy_refuse(io, il__args_json(args), what, &err);
}

void il__bench_close(struct il__bench *bench)
{
    il_policy_free(bench->policy);
    bench->policy = NULL;
    il__bundles_clear(&bench->bundles);
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

static bool is_folder(const char *path)
{
    struct stat at;
    return stat(path, &at) == 0 && S_ISDIR(at.st_mode);
}

/* "bundle/file.lua" below the folder that the bundle was read from, where one is known by that name. */
static void put_place(struct il__text *text, const struct il__bench *b, struct il_str label, struct il_str line)
{
    const char *slash = label.len ? memchr(label.ptr, '/', label.len) : NULL;
    size_t name = slash ? (size_t)(slash - label.ptr) : 0;
    const char *folder = NULL;
    for (size_t i = 0; slash && i < b->bundles.count; i++) {
        const char *path = b->bundles.paths[i];
        size_t len = strlen(path);
        while (len > 1 && path[len - 1] == '/') len--;
        bool ends = len >= name && memcmp(path + len - name, label.ptr, name) == 0;
        if (ends && (len == name || path[len - name - 1] == '/')) folder = path;
        if (folder == path) il__text_add(text, path, len);
        if (folder) break;
    }
    if (slash && !folder && b->bundles.count == 1 && is_folder(b->bundles.paths[0])) {
        folder = b->bundles.paths[0];
        size_t len = strlen(folder);
        while (len > 1 && folder[len - 1] == '/') len--;
        il__text_add(text, folder, len);
    }
    if (folder) il__text_add(text, slash, label.len - name);
    else il__text_str(text, label);
    if (line.len) il__text_puts(text, ":");
    il__text_str(text, line);
}

static void look(struct il__text *text, const char *lead, struct il_str item, const char *member)
{
    struct il_str value = il__look_get(item, member);
    if (!value.len) return;
    il__text_puts(text, lead);
    il__look_text(text, value);
}

static void put_names(struct il__text *text, struct il_str list)
{
    struct il_str name;
    bool first = true;
    for (size_t at = 0; il__look_next(list, &at, NULL, &name); first = false) {
        if (!first) il__text_puts(text, ", ");
        il__look_text(text, name);
    }
}

static int64_t number(struct il_str json)
{
    int64_t n = 0;
    for (size_t i = 0; i < json.len && i < 15 && json.ptr[i] >= '0' && json.ptr[i] <= '9'; i++)
        n = n * 10 + (json.ptr[i] - '0');
    return n;
}

/* "2 approvers of the roles lead, operator within 10m". */
static void put_asked_for(struct il__text *text, struct il_str item)
{
    int64_t approvers = number(il__look_get(item, "approvers"));
    struct il_str roles = il__look_get(item, "roles"), timeout = il__look_get(item, "timeoutMs");
    il__text_printf(text, "%lld approver%s", (long long)approvers, approvers == 1 ? "" : "s");
    if (roles.len) il__text_puts(text, " with a role of: ");
    put_names(text, roles);
    if (timeout.len) il__text_puts(text, ", within ");
    if (timeout.len) il__span_text(text, number(timeout));
}

static void print_line(struct il__out *out, const char *lead, int hang, struct il__text *text)
{
    struct il__text safe = IL__TEXT_INIT;
    il__text_escaped(&safe, il__text_get(text));
    il__out_wrap(out, lead, hang, IL__TONE_PLAIN, il__text_get(&safe));
    il__text_clear(&safe);
    il__text_reset(text);
}

static void print_used(struct il__out *out, struct il_str item, struct il__text *text)
{
    struct il_str read, used = il__look_get(item, "used");
    for (size_t at = 0; il__look_next(used, &at, NULL, &read);) {
        struct il_str value = il__look_get(read, "value");
        look(text, "", read, "path");
        il__text_puts(text, " = ");
        if (value.len) il__text_str(text, value);
        else il__text_puts(text, "(long)");
        print_line(out, "       ", 11, text);
    }
}

/* What history and limits answered. */
static void print_asked(struct il__out *out, struct il_str item, struct il__text *text)
{
    struct il_str one, asked = il__look_get(item, "asked");
    for (size_t at = 0; il__look_next(asked, &at, NULL, &one);) {
        if (il__look_has(one, "limit")) {
            look(text, "limit ", one, "limit");
            look(text, ": ", one, "used");
            look(text, " of ", one, "max");
            il__text_puts(text, " used");
        } else {
            look(text, "history: ", one, "count");
            look(text, " of ", one, "history");
        }
        print_line(out, "       ", 11, text);
    }
}

void il__bench_reason(struct il__text *text, struct il_str item)
{
    struct il__text reason = IL__TEXT_INIT, place = IL__TEXT_INIT;
    look(&reason, "", item, "reason");
    look(&place, "", item, "file");
    look(&place, ":", item, "line");
    il__text_puts(&place, ": ");
    size_t skip = reason.len > place.len && memcmp(reason.ptr, place.ptr, place.len) == 0 ? place.len : 0;
    if (reason.len) il__text_add(text, reason.ptr + skip, reason.len - skip);
    il__text_clear(&reason);
    il__text_clear(&place);
}

static const char *mark_of(const struct il__out *out, struct il_str item, enum il__tone *tone)
{
    if (il__look_is(il__look_get(item, "ruled"), "deny")) return il__out_mark(out, IL__MARK_BAD, tone);
    if (il__look_is(il__look_get(item, "ruled"), "ask")) return il__out_mark(out, IL__MARK_OPEN, tone);
    return il__out_mark(out, IL__MARK_OK, tone);
}

static void put_said(struct il__text *text, struct il_str item)
{
    struct il_str said = il__look_get(item, "said"), ruled = il__look_get(item, "ruled");
    look(text, " ", item, "policy");
    look(text, " in ", item, "phase");
    if (il__look_is(said, "none")) {
        il__text_puts(text, " says nothing");
        return;
    }
    look(text, ": ", item, "said");
    if (il__look_is(said, "ask")) il__text_puts(text, " ");
    if (il__look_is(said, "ask")) put_asked_for(text, item);
    il__text_puts(text, ": ");
    il__bench_reason(text, item);
    look(text, " [", item, "code");
    if (il__look_has(item, "code")) il__text_puts(text, "]");
    if (il__look_has(item, "override")) il__text_puts(text, "; a person may override it, with a reason");
    else if (il__look_is(ruled, "none")) il__text_puts(text, "; only reported: the policy is advisory, or overridden");
    else if (il__look_is(ruled, "deny") && il__look_is(said, "ask"))
        il__text_puts(text, "; nobody can be asked in this phase, so it denies");
}

static void print_policy(const struct il__bench *b, struct il__out *out, struct il_str item)
{
    struct il__text text = IL__TEXT_INIT, label = IL__TEXT_INIT;
    enum il__tone tone;
    const char *sign = mark_of(out, item, &tone);
    il__out_puts(out, "  ");
    il__out_tone(out, tone, il__text_of(sign));
    put_said(&text, item);
    print_line(out, "", 7, &text);
    if (il__look_has(item, "remedy")) {
        look(&text, "remedy: ", item, "remedy");
        print_line(out, "     ", 9, &text);
    }
    if (!il__look_is(il__look_get(item, "said"), "none")) {
        il__look_text(&label, il__look_get(item, "file"));
        put_place(&text, b, il__text_get(&label), il__look_get(item, "line"));
        print_line(out, "     ", 9, &text);
    }
    print_asked(out, item, &text);
    print_used(out, item, &text);
    il__text_clear(&text);
    il__text_clear(&label);
}

void il__bench_print(const struct il__bench *bench, struct il__out *out, struct il_str result)
{
    struct il_str item, verdict = il__look_get(result, "verdict"), policies = il__look_get(result, "policies");
    struct il__text text = IL__TEXT_INIT;
    size_t count = 0;
    enum il__tone tone = IL__TONE_GOOD;
    if (il__look_is(verdict, "ask")) tone = IL__TONE_OPEN;
    if (il__look_is(verdict, "deny")) tone = IL__TONE_BAD;
    for (size_t at = 0; il__look_next(policies, &at, NULL, &item); count++) print_policy(bench, out, item);
    if (!count) il__out_puts(out, "  no policy has anything to say in these phases\n");
    if (il__look_is(verdict, "none")) il__text_puts(&text, "nobody asks or denies");
    if (il__look_is(verdict, "deny")) look(&text, "denied in ", result, "phase");
    if (il__look_is(verdict, "ask")) il__text_puts(&text, "asks for people");
    look(&text, "; the runtime's route is ", result, "route");
    il__out_tone(out, tone, il__text_get(&text));
    il__out_puts(out, "\n");
    il__text_clear(&text);
}
