/* Packing and unpacking bundles (bundle_pack.h). What was read is packed again and compared: there is one spelling. */
#include "host/bundle_pack.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "contract/schema.h"
#include "script/bundle.h"
#include "wire/base64.h"
#include "wire/json_write.h"

#include <stdlib.h>
#include <string.h>

static const char object[] = "packed bundle";

struct entry { struct il_str base64, path, text; };
struct packed {
    struct il__objects files; /* const struct entry * */
    int64_t form;
};

static const struct il__field entry_rows[] = {
    { .wire = "base64", .lua = "base64", .kind = IL__F_STR, .flags = IL__F_OPT,
      .offset = offsetof(struct entry, base64), .about = "Its bytes, where they are no plain text." },
    { .wire = "path", .lua = "path", .kind = IL__F_STR, .flags = IL__F_NONEMPTY, .offset = offsetof(struct entry, path),
      .about = "Where it lies in the bundle." },
    { .wire = "text", .lua = "text", .kind = IL__F_STR, .flags = IL__F_OPT, .offset = offsetof(struct entry, text),
      .about = "Its text." },
    { .wire = NULL },
};
static const struct il__schema entry_schema = {
    .object = "packed bundle", .size = sizeof(struct entry), .closed = true, .fields = entry_rows,
};
static const struct il__field packed_rows[] = {
    { .wire = "files", .lua = "files", .kind = IL__F_OBJECTS, .sub = &entry_schema,
      .offset = offsetof(struct packed, files), .least = 1, .most = IL__LIMIT_BUNDLE_FILES, .about = "Its files." },
    { .wire = "interlockBundle", .lua = "interlock_bundle", .kind = IL__F_INT, .least = 1, .most = 1,
      .offset = offsetof(struct packed, form), .about = "The version of this form." },
    { .wire = NULL },
};
static const struct il__schema packed_schema = {
    .object = "packed bundle", .size = sizeof(struct packed), .closed = true, .fields = packed_rows,
};

/* ---- packing ---- */

/* Valid UTF-8 whose only control characters are tab and line ends: it reads well as a JSON string. */
static bool is_text(struct il_str bytes)
{
    for (size_t i = 0; i < bytes.len;) {
        uint32_t cp;
        const size_t n = il__utf8_read((const unsigned char *)bytes.ptr + i, bytes.len - i, &cp);
        if (!n || (cp < 0x20 && cp != '\t' && cp != '\n' && cp != '\r')) return false;
        i += n;
    }
    return true;
}

static void write_base64(struct il__json_writer *w, struct il__mem *mem, struct il_str bytes)
{
    struct il__buf text;
    il__buf_init(&text, mem, 0);
    char *to = il__buf_reserve(&text, IL__BASE64_ROOM(bytes.len));
    if (to) {
        il__buf_commit(&text, il__base64_write(bytes.ptr, bytes.len, to));
        il__jw_member_str(w, "base64", il__buf_get(&text));
    } else if (!w->buf->code) {
        w->buf->code = IL_OUT_OF_MEMORY;
    }
    il__buf_clear(&text);
}

static void write_file(struct il__json_writer *w, struct il__mem *mem, const struct il_file *file)
{
    const bool text = is_text(file->bytes);
    il__jw_object(w);
    if (!text) write_base64(w, mem, file->bytes);
    il__jw_member_str(w, "path", file->path);
    if (text) il__jw_member_str(w, "text", file->bytes);
    il__jw_object_end(w);
}

static int by_path(const void *a, const void *b)
{
    return il__str_cmp(((const struct il_file *)a)->path, ((const struct il_file *)b)->path);
}

enum il_code il__bundle_pack(struct il__mem *mem, const struct il_file *files, size_t count, struct il_str sig,
                             struct il__buf *out, struct il_error *err)
{
    struct il__json_writer w;
    struct il_file kept[IL__LIMIT_BUNDLE_FILES + 1];
    size_t n = 0;
    if (il__str_present(sig)) kept[n++] = (struct il_file){ IL_STR("bundle.sig"), sig };
    for (size_t i = 0; i < count; i++) {
        const bool is_sig = il__str_eq(files[i].path, IL_STR("bundle.sig"));
        if (is_sig ? il__str_present(sig) : il__bundle_beside(files[i].path)) continue;
        if (n == IL__LIMIT_BUNDLE_FILES)
            return il__fail_at(err, IL_LIMIT_EXCEEDED, object, "bundle_files", "at most %d files, bundle.sig included",
                               IL__LIMIT_BUNDLE_FILES);
        kept[n++] = files[i];
    }
    qsort(kept, n, sizeof *kept, by_path);
    il__jw_init(&w, out);
    il__jw_object(&w);
    il__jw_key(&w, "files");
    il__jw_array(&w);
    for (size_t i = 0; i < n; i++) write_file(&w, mem, &kept[i]);
    il__jw_array_end(&w);
    il__jw_member_int(&w, "interlockBundle", 1);
    il__jw_object_end(&w);
    il__buf_putc(out, '\n');
    return il__buf_check(out, err);
}

/* ---- unpacking ---- */

#define NO_BUNDLE "is no packed bundle; name the folder that holds bundle.json, or what 'interlock policy build' made"

static enum il_code refuse(const char *shown, const char *why, struct il_error *err)
{
    return il__fail_at(err, IL_DECODE, object, "files", "%s %s", shown, why);
}

static enum il_code take_bytes(struct il__arena *arena, const struct entry *e, struct il_str *out, const char *shown,
                               struct il_error *err)
{
    if (il__str_present(e->text) == il__str_present(e->base64))
        return refuse(shown, "holds a file that is not either text or base64", err);
    if (il__str_present(e->text))
        return il__arena_str(arena, e->text, out) ? il__fail(err, IL_OUT_OF_MEMORY, "no memory for a policy file")
                                                  : IL_OK;
    size_t len = 0;
    char *to = il__arena_alloc(arena, e->base64.len + 1);
    if (!to) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a policy file");
    if (!il__base64_read(e->base64, to, e->base64.len, &len)) return refuse(shown, "holds base64 that is none", err);
    *out = (struct il_str){ to, len };
    return IL_OK;
}

static enum il_code take_files(struct il__bundle_dir *dir, const struct packed *p, const char *shown,
                               struct il_error *err)
{
    size_t bytes = 0;
    dir->files = il__arena_alloc(&dir->arena, (p->files.count + 1) * sizeof *dir->files);
    if (!dir->files) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a policy bundle");
    for (; dir->count < p->files.count; dir->count++) {
        const struct entry *e = p->files.items[dir->count];
        struct il_file *file = &dir->files[dir->count];
        if (il__arena_str(&dir->arena, e->path, &file->path))
            return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a policy file");
        enum il_code code = take_bytes(&dir->arena, e, &file->bytes, shown, err);
        if (code) return code;
        bytes += file->bytes.len;
        if (bytes > IL__LIMIT_BUNDLE_BYTES)
            return il__fail_at(err, IL_LIMIT_EXCEEDED, "policy bundle", "bundle_bytes",
                               "%s: the files of a bundle have at most %d bytes together", shown,
                               IL__LIMIT_BUNDLE_BYTES);
    }
    return IL_OK;
}

/* Sorted, once each, nothing that lies beside, no other blanks: exactly what packing writes. */
static enum il_code check_spelling(struct il__mem *mem, struct il_str text, const struct il__bundle_dir *dir,
                                   const char *shown, struct il_error *err)
{
    struct il__buf again;
    il__buf_init(&again, mem, 0);
    for (size_t i = 1; i < dir->count; i++)
        if (il__str_cmp(dir->files[i - 1].path, dir->files[i].path) >= 0)
            return refuse(shown, "is no packed bundle: its files are not sorted by path, each once", err);
    enum il_code code = il__bundle_pack(mem, dir->files, dir->count, IL_STR_NONE, &again, err);
    if (!code && !il__str_eq(il__buf_get(&again), text))
        code = refuse(shown, "is not as 'interlock policy build' writes it; build it again from the folder", err);
    il__buf_clear(&again);
    return code;
}

enum il_code il__bundle_unpack(struct il__mem *mem, struct il_str text, const char *shown, struct il__bundle_dir *dir,
                               struct il_error *err)
{
    struct il__json doc = { .mem = NULL };
    struct packed p;
    const struct il__json_limits limits = { IL__LIMIT_BUNDLE_PACKED_BYTES, IL__LIMIT_JSON_DEPTH };
    *dir = (struct il__bundle_dir){ .mem = mem };
    il__arena_init(&dir->arena, mem);
    enum il_code code = il__json_parse(&doc, mem, text, limits, err);
    if (!code && !il__json_get(&doc, 0, "interlockBundle")) code = refuse(shown, NO_BUNDLE, err);
    if (!code) code = il__schema_strict(&packed_schema, &doc, 0, err);
    if (!code) code = il__decode(&packed_schema, &doc, 0, &p, err);
    if (!code) code = take_files(dir, &p, shown, err);
    if (!code) code = check_spelling(mem, text, dir, shown, err);
    il__error_object(err, object);
    il__json_clear(&doc);
    if (code) il__bundle_dir_clear(dir);
    return code;
}
