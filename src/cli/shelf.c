/* Store files for commands (shelf.h). */
#include "cli/shelf.h"

#include "cli/config.h"
#include "cli/look.h"
#include "cli/report.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

int il__shelf_open(struct il__io *io, const struct il__args *args, enum il__shelf_mode mode, il_store **out)
{
    const char *path = il__args_value(args, "store");
    *out = NULL;
    if (!path) {
        il__io_error(io, "no store is named; write --store FILE, the file that 'interlock run --store FILE' made");
        return 2;
    }
    return il__shelf_open_at(io, il__args_json(args), "--store", path, mode, out);
}

int il__shelf_open_at(struct il__io *io, bool json, const char *option, const char *path, enum il__shelf_mode mode,
                      il_store **out)
{
    struct il_store_options options = IL_STORE_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    *out = NULL;
    if (mode != IL__SHELF_MAKE && access(path, F_OK) != 0) {
        il__io_error(io, "%s %s: %s", option, path, strerror(errno));
        return 2;
    }
    options.path = il__text_of(path);
    options.create = mode == IL__SHELF_MAKE;
    options.read_only = mode == IL__SHELF_READ;
    if (il_store_open(&options, out, &err) == IL_OK) return 0;
    return il__report(io, json, NULL, &err, 8);
}

/* ---- rows ---- */

bool il__shelf_copy(struct il__shelf_row *to, const struct il_store_row *from)
{
    struct il_str *const texts[] = { &to->row.run_id, &to->row.status,     &to->row.request_id, &to->row.tool,
                                     &to->row.mode,   &to->row.session_id, &to->row.principal,  &to->row.tenant };
    il__text_reset(&to->text);
    to->row = *from;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        il__text_str(&to->text, *texts[i]);
        il__text_add(&to->text, "", 1);
    }
    if (to->text.failed) return false;
    const char *at = to->text.ptr; /* where it stays now */
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i]->ptr) texts[i]->ptr = at;
        at += texts[i]->len + 1;
    }
    return true;
}

void il__shelf_clear(struct il__shelf_row *row)
{
    il__text_clear(&row->text);
}

struct finding {
    struct il_str id;
    struct il__shelf_row *to;
    bool found, failed;
};

static int compare(struct il_str a, struct il_str b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len ? memcmp(a.ptr, b.ptr, len) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

static bool take_found(void *ctx, const struct il_store_row *row)
{
    struct finding *f = ctx;
    int order = compare(row->run_id, f->id);
    if (order == 0) {
        f->found = true;
        f->failed = !il__shelf_copy(f->to, row);
    }
    return order < 0;
}

int il__shelf_find(struct il__io *io, const struct il__args *args, il_store *store, struct il__shelf_row *out)
{
    struct il_store_filter filter = IL_STORE_FILTER_INIT;
    struct il_error err = IL_ERROR_INIT;
    const char *id = args->operands[0];
    struct finding f = { il__text_of(id), out, false, false };
    memset(out, 0, sizeof *out);
    filter.after = (struct il_str){ id, f.id.len ? f.id.len - 1 : 0 }; /* what is sorted just before it */
    if (il_store_list(store, &filter, take_found, &f, &err) != IL_OK)
        return il__report(io, il__args_json(args), NULL, &err, 8);
    if (f.found && !f.failed) return 0;
    if (f.failed) return il__shelf_refuse(io, il__args_json(args), IL_OUT_OF_MEMORY, 8, "out of memory");
    return il__shelf_refuse(io, il__args_json(args), IL_CONFLICT, 2,
                            "%s has no run %s; 'interlock pending' lists those that wait",
                            il__args_value(args, "store"), id);
}

/* ---- what was pinned ---- */

struct pinned {
    const char *path;
    struct il__text *out;
};

static bool take_pinned(void *ctx, const struct il_record *record)
{
    const struct pinned *p = ctx;
    il__text_str(p->out, il__look_get(il__look_get(record->text, "body"), p->path));
    return false;
}

int il__shelf_tenant(struct il__io *io, bool json, const struct il__shelf_row *row, const char *tenant)
{
    if (row->row.tenant.ptr ? tenant && il__text_same(row->row.tenant, tenant) : !tenant) return 0;
    return il__shelf_refuse(io, json, IL_TENANT_MISMATCH, 1, "the run is of another tenant; name yours with --tenant");
}

void il__shelf_pinned(il_store *store, struct il_str run_id, const char *path, struct il__text *out)
{
    struct pinned p = { path, out };
    struct il_error err = IL_ERROR_INIT;
    if (il_store_records(store, run_id, take_pinned, &p, &err) != IL_OK) return; /* then nothing is known */
}

int il__shelf_host(struct il__io *io, const struct il__args *args, il_store *store, il_host **out)
{
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    il__config_host(args, &options);
    enum il_code code = il_host_new(&options, out, &err);
    if (code == IL_OK) code = il_host_set_store(*out, store, &err);
    return code == IL_OK ? 0 : il__report(io, il__args_json(args), NULL, &err, 8);
}

/* ---- words ---- */

void il__shelf_word(struct il__text *out, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:=@%+,-";
    if (word[0] && word[strspn(word, plain)] == '\0') {
        il__text_puts(out, word);
        return;
    }
    il__text_puts(out, "'");
    for (; *word; word++)
        if (*word == '\'') il__text_puts(out, "'\\''");
        else il__text_add(out, word, 1);
    il__text_puts(out, "'");
}

int il__shelf_refuse(struct il__io *io, bool json, enum il_code code, int status, const char *fmt, ...)
{
    struct il_error err = IL_ERROR_INIT;
    va_list args;
    err.code = code;
    va_start(args, fmt);
    vsnprintf(err.message, sizeof err.message, fmt, args);
    va_end(args);
    return il__report(io, json, NULL, &err, status);
}
