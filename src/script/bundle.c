/* Reading a bundle (bundle.h): manifest, then files, then the canonical text. Parameters are in bundle_params.c. */
#include "script/bundle.h"

#include "base/error.h"
#include "contract/schema.h"
#include "script/bundle_known.h"
#include "script/bundle_params.h"
#include "wire/canon.h"
#include "wire/json_write.h"

#include <stdio.h>
#include <stdlib.h>

static const char object[] = "policy bundle";

const char *const il__param_type_names[] = {
#define NAME(constant, text) text,
    IL__PARAM_TYPES(NAME)
#undef NAME
    NULL
};

struct entry {
    struct il_str file;
    int level; /* enum il__level */
    struct il__any params;
};
struct manifest {
    struct il_str name, version;
    int64_t requires_api;
    struct il__objects policies; /* const struct entry * */
    struct il__strs files;
};

static const struct il__field entry_rows[] = {
    { .wire = "file", .lua = "file", .kind = IL__F_STR, .flags = IL__F_NONEMPTY, .offset = offsetof(struct entry, file),
      .about = "The policy's file, relative to bundle.json." },
    { .wire = "level", .lua = "level", .kind = IL__F_ENUM, .offset = offsetof(struct entry, level),
      .names = il__level_names, .about = "advisory, soft or hard." },
    { .wire = "params", .lua = "params", .kind = IL__F_ARGS, .flags = IL__F_OPT | IL__F_DEFAULT,
      .offset = offsetof(struct entry, params), .about = "{name: {type, default}}." },
    { .wire = NULL },
};
static const struct il__schema entry_schema = {
    .object = "bundle.json", .size = sizeof(struct entry), .closed = true, .fields = entry_rows,
};
static const struct il__field manifest_rows[] = {
    { .wire = "name", .lua = "name", .kind = IL__F_STR, .flags = IL__F_NONEMPTY,
      .offset = offsetof(struct manifest, name), .about = "The name of the bundle." },
    { .wire = "version", .lua = "version", .kind = IL__F_STR, .flags = IL__F_NONEMPTY,
      .offset = offsetof(struct manifest, version), .about = "The version of the bundle, any text." },
    { .wire = "requires", .lua = "requires", .kind = IL__F_INT, .least = 1, .most = INT32_MAX,
      .offset = offsetof(struct manifest, requires_api), .about = "The lowest script API version that it works with." },
    { .wire = "policies", .lua = "policies", .kind = IL__F_OBJECTS, .flags = IL__F_NONEMPTY, .sub = &entry_schema,
      .offset = offsetof(struct manifest, policies), .least = 1, .about = "Its policies in the order they are asked." },
    { .wire = "files", .lua = "files", .kind = IL__F_STRS,
      .flags = IL__F_OPT | IL__F_DEFAULT | IL__F_UNIQUE | IL__F_ITEMS_NONEMPTY,
      .offset = offsetof(struct manifest, files), .about = "Further files: modules for `require`, and data." },
    { .wire = NULL },
};
static const struct il__schema manifest_schema = {
    .object = "bundle.json", .size = sizeof(struct manifest), .closed = true, .fields = manifest_rows,
};

/* ---- names and paths --------------------------------------------------------------------------------------------- */

static bool ends_with(struct il_str s, const char *suffix)
{
    size_t n = strlen(suffix);
    return s.len >= n && memcmp(s.ptr + s.len - n, suffix, n) == 0;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* Relative, forward slashes, segments of letters, digits and "._-" that do not begin with a dot. */
_Static_assert(IL__LIMIT_BUNDLE_PATH_BYTES == 128, "a message states it");

static bool path_ok(struct il_str path)
{
    if (path.len == 0 || path.len > IL__LIMIT_BUNDLE_PATH_BYTES) return false;
    bool start = true;
    for (size_t i = 0; i < path.len; i++) {
        char c = path.ptr[i];
        if (c == '/') {
            if (start) return false;
            start = true;
        } else if (is_word(c) || (c == '.' && !start)) {
            start = false;
        } else {
            return false;
        }
    }
    return !start;
}

static bool name_ok(struct il_str name)
{
    if (name.len == 0 || name.len > IL__LIMIT_BUNDLE_NAME_BYTES) return false;
    for (size_t i = 0; i < name.len; i++) {
        if (!is_word(name.ptr[i]) && !(name.ptr[i] == '.' && i > 0)) return false;
    }
    return true;
}

/* A part of the path begins with a dot, as what editors leave; "." and ".." are no names. */
static bool is_hidden(struct il_str path)
{
    for (size_t i = 0; i + 1 < path.len; i++) {
        const bool starts = path.ptr[i] == '.' && (i == 0 || path.ptr[i - 1] == '/');
        if (starts && path.ptr[i + 1] != '.' && path.ptr[i + 1] != '/') return true;
    }
    return false;
}

bool il__bundle_beside(struct il_str path)
{
    return il__str_eq(path, IL_STR("bundle.sig")) || ends_with(path, "_test.lua") || ends_with(path, ".md");
}

static const struct il_file *file_named(const struct il_file *files, size_t count, struct il_str path)
{
    for (size_t i = 0; i < count; i++) {
        if (il__str_eq(files[i].path, path)) return &files[i];
    }
    return NULL;
}

static enum il_code refuse_file(struct il_error *err, struct il_str path, const char *why)
{
    char shown[160];
    il__escape(shown, sizeof shown, path);
    return il__fail_at(err, IL_INVALID_REQUEST, object, shown, "%s", why);
}

/* ---- the files --------------------------------------------------------------------------------------------------- */

static enum il_code check_given(const struct il_file *files, size_t count, struct il_error *err)
{
    size_t bytes = 0;
    if (count > IL__LIMIT_BUNDLE_FILES) {
        return il__fail_at(err, IL_LIMIT_EXCEEDED, object, "bundle_files", "a bundle of %zu files; at most %d", count,
                           IL__LIMIT_BUNDLE_FILES);
    }
    for (size_t i = 0; i < count; i++) {
        if (is_hidden(files[i].path))
            return refuse_file(err, files[i].path, "is hidden; what is for editors lies outside of the bundle");
        if (!path_ok(files[i].path)) {
            return refuse_file(err, files[i].path, "is no path of a bundle: relative, of letters, digits, _ - . and /, "
                                               "at most 128 bytes (bundle_path_bytes)");
        }
        if (file_named(files, i, files[i].path)) return refuse_file(err, files[i].path, "is given twice");
        if (files[i].bytes.len > IL__LIMIT_BUNDLE_BYTES) bytes = SIZE_MAX / 2;
        bytes += files[i].bytes.len;
    }
    if (bytes > IL__LIMIT_BUNDLE_BYTES) {
        return il__fail_at(err, IL_LIMIT_EXCEEDED, object, "bundle_bytes",
                           "the files of a bundle hold more than %d bytes", IL__LIMIT_BUNDLE_BYTES);
    }
    return IL_OK;
}

static bool is_policy_file(const struct manifest *m, struct il_str path)
{
    for (size_t i = 0; i < m->policies.count; i++) {
        const struct entry *e = m->policies.items[i];
        if (il__str_eq(e->file, path)) return true;
    }
    return false;
}

/* Every given file is listed or may lie beside; every listed one is there. */
static enum il_code check_listed(const struct manifest *m, const struct il_file *files, size_t count,
                                 struct il_error *err)
{
    for (size_t i = 0; i < m->policies.count + m->files.count; i++) {
        bool policy = i < m->policies.count;
        struct il_str path = policy ? ((const struct entry *)m->policies.items[i])->file
                                    : m->files.items[i - m->policies.count];
        if (!path_ok(path)) return refuse_file(err, path, "is no path of a bundle");
        if (il__str_eq(path, IL_STR("bundle.json")) || il__bundle_beside(path)) {
            return refuse_file(err, path, "cannot be listed in bundle.json: a host never loads it");
        }
        if (policy && !ends_with(path, ".lua")) return refuse_file(err, path, "a policy is a .lua file");
        const struct il_file *file = file_named(files, count, path);
        if (!file) return refuse_file(err, path, "is listed in bundle.json and is missing");
        if (file->bytes.len == 0) return refuse_file(err, path, "is listed in bundle.json and is empty");
    }
    for (size_t i = 0; i < count; i++) {
        struct il_str path = files[i].path;
        bool listed = is_policy_file(m, path) || il__strs_has(m->files, path);
        if (listed || il__bundle_beside(path) || il__str_eq(path, IL_STR("bundle.json"))) continue;
        return refuse_file(err, path, "is not listed in bundle.json; list it in \"files\", or take it out");
    }
    return IL_OK;
}

static enum il_code copy_policies(struct il__bundle *b, const struct manifest *m, const struct il_file *files,
                                  size_t count, struct il_error *err)
{
    b->policies = il__arena_alloc(&b->arena, m->policies.count * sizeof *b->policies);
    if (!b->policies) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a bundle");
    for (size_t i = 0; i < m->policies.count; i++) {
        const struct entry *e = m->policies.items[i];
        for (size_t j = 0; j < i; j++) {
            if (!il__str_eq(b->policies[j].file, e->file)) continue;
            return refuse_file(err, e->file, "stands twice among the policies of bundle.json");
        }
        struct il__bundle_policy *p = &b->policies[i];
        p->file = e->file;
        p->level = (enum il__level)e->level;
        snprintf(p->label, sizeof p->label, "%.*s/%.*s", IL_STR_FMT(b->name), IL_STR_FMT(e->file));
        if (il__arena_str(&b->arena, file_named(files, count, e->file)->bytes, &p->source)) {
            return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a bundle");
        }
        enum il_code code = il__bundle_params(b, p, e->params, err);
        if (code) return code;
        b->policy_count = i + 1;
    }
    return il__bundle_params_used(b, err);
}

/* The module name of a path: without .lua, dots for slashes. */
static enum il_code module_of(struct il__bundle *b, struct il_str path, struct il_str bytes, struct il__module *out,
                              struct il_error *err)
{
    char *name = il__arena_alloc(&b->arena, path.len + 1);
    char *label = il__arena_alloc(&b->arena, b->name.len + path.len + 2);
    if (!name || !label || il__arena_str(&b->arena, bytes, &out->source)) {
        return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a bundle");
    }
    size_t len = path.len - 4;
    for (size_t i = 0; i < len; i++) name[i] = path.ptr[i] == '/' ? '.' : path.ptr[i];
    snprintf(label, b->name.len + path.len + 2, "%.*s/%.*s", IL_STR_FMT(b->name), IL_STR_FMT(path));
    out->name = (struct il_str){ name, len };
    out->file = label;
    if (il__str_eq(out->name, IL_STR("interlock.policy"))) {
        return refuse_file(err, path, "would hide the module interlock.policy; give it another name");
    }
    return IL_OK;
}

static enum il_code copy_modules(struct il__bundle *b, const struct manifest *m, const struct il_file *files,
                                 size_t count, struct il_error *err)
{
    struct il__module *items = il__arena_alloc(&b->arena, (m->files.count + 1) * sizeof *items);
    if (!items) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a bundle");
    b->modules.items = items;
    for (size_t i = 0; i < m->files.count; i++) {
        struct il_str path = m->files.items[i];
        if (!ends_with(path, ".lua")) continue;
        struct il__module *module = &items[b->modules.count];
        enum il_code code = module_of(b, path, file_named(files, count, path)->bytes, module, err);
        if (code) return code;
        for (size_t j = 0; j < b->modules.count; j++) {
            if (il__str_eq(items[j].name, module->name))
                return refuse_file(err, path, "has the module name of another file");
        }
        b->modules.count++;
    }
    return IL_OK;
}

/* ---- the canonical text ------------------------------------------------------------------------------------------ */

static int by_path(const void *a, const void *b)
{
    return il__str_cmp((*(const struct il_file *const *)a)->path, (*(const struct il_file *const *)b)->path);
}

/* Members in canonical order; paths and hex need no escapes. */
static void write_files(struct il__buf *buf, struct il__digest *digest, const struct il_file **sorted, size_t count)
{
    struct il__json_writer w;
    il__jw_init(&w, buf);
    il__jw_array(&w);
    for (size_t i = 0; i < count; i++) {
        char hex[IL__SHA256_HEX];
        il__sha256_hex(digest, sorted[i]->bytes, hex);
        il__jw_object(&w);
        il__jw_member_str(&w, "path", sorted[i]->path);
        il__jw_member_z(&w, "sha256", hex);
        il__jw_member_int(&w, "size", (int64_t)sorted[i]->bytes.len);
        il__jw_object_end(&w);
    }
    il__jw_array_end(&w);
}

/* Of {files, manifest}, the text so far being that without its last brace. */
static void digest_signed(struct il__bundle *b, struct il__digest *digest, struct il_str text)
{
    uint8_t bytes[IL__SHA256_BYTES];
    char hex[IL__SHA256_HEX];
    il__sha256_begin(digest);
    il__sha256_add(digest, text.ptr, text.len);
    il__sha256_add(digest, "}", 1);
    il__sha256_end(digest, bytes);
    il__hex(bytes, sizeof bytes, hex);
    snprintf(b->digest, sizeof b->digest, "sha256:%s", hex);
}

static enum il_code write_canon(struct il__bundle *b, struct il__digest *digest, const struct il_file **sorted,
                                size_t count, struct il_error *err)
{
    struct il__buf buf;
    il__buf_init(&buf, b->mem, 0);
    il__buf_puts(&buf, "{\"files\":");
    const size_t from = il__buf_get(&buf).len;
    write_files(&buf, digest, sorted, count);
    const size_t listed = il__buf_get(&buf).len - from;
    il__buf_puts(&buf, ",\"manifest\":");
    enum il_code code = il__canon(&b->manifest_doc, 0, &buf, err);
    if (!code) code = il__buf_check(&buf, err);
    if (!code) digest_signed(b, digest, il__buf_get(&buf));
    il__buf_puts(&buf, ",\"params\":");
    if (!code) code = il__canon(&b->params_doc, 0, &buf, err);
    il__buf_puts(&buf, "}");
    if (!code) code = il__buf_check(&buf, err);
    if (!code && il__arena_str(&b->arena, il__buf_get(&buf), &b->canon)) {
        code = il__fail(err, IL_OUT_OF_MEMORY, "no memory for a bundle");
    }
    if (!code) b->listed = (struct il_str){ b->canon.ptr + from, listed };
    il__buf_clear(&buf);
    return code;
}

static enum il_code make_canon(struct il__bundle *b, struct il__digest *digest, const struct manifest *m,
                               const struct il_file *files, size_t count, struct il_error *err)
{
    const struct il_file *sorted[IL__LIMIT_BUNDLE_FILES] = { NULL };
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        bool listed = is_policy_file(m, files[i].path) || il__strs_has(m->files, files[i].path);
        if (listed) sorted[n++] = &files[i];
    }
    qsort(sorted, n, sizeof sorted[0], by_path);
    return write_canon(b, digest, sorted, n, err);
}

static enum il_code copy_sig(struct il__bundle *b, const struct il_file *files, size_t count, struct il_error *err)
{
    const struct il_file *sig = file_named(files, count, IL_STR("bundle.sig"));
    if (!sig || !il__arena_str(&b->arena, sig->bytes, &b->sig)) return IL_OK;
    return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a bundle");
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static enum il_code check_manifest(struct il__bundle *b, const struct manifest *m, struct il_error *err)
{
    if (!name_ok(m->name)) {
        return il__fail_at(err, IL_INVALID_REQUEST, object, "/name",
                           "a name is 1 to %d letters, digits, _ - and dots (bundle_name_bytes)",
                           IL__LIMIT_BUNDLE_NAME_BYTES);
    }
    if (m->requires_api > IL__SCRIPT_API) {
        return il__fail_at(err, IL_INVALID_REQUEST, object, "/requires",
                           "bundle.json requires script API version %lld; this host has version %d",
                           (long long)m->requires_api, IL__SCRIPT_API);
    }
    if (m->policies.count > IL__LIMIT_POLICIES) {
        return il__fail_at(err, IL_LIMIT_EXCEEDED, object, "policies", "%zu policies; at most %d",
                           m->policies.count, IL__LIMIT_POLICIES);
    }
    b->name = m->name;
    b->version = m->version;
    return IL_OK;
}

static enum il_code read_manifest(struct il__bundle *b, struct il_str text, struct manifest *m, struct il_error *err)
{
    struct il__json *doc = &b->manifest_doc;
    enum il_code code = il__json_parse_copy(doc, b->mem, text, IL__JSON_CONTRACT, err);
    if (!code) code = il__schema_strict(&manifest_schema, doc, 0, err);
    if (!code) code = il__bundle_known(&manifest_schema, doc, err);
    if (!code) code = il__decode(&manifest_schema, doc, 0, m, err);
    il__error_object(err, manifest_schema.object);
    return code;
}

/* Puts the line into a message about bundle.json: where the text breaks off, or where the member stands. */
static void add_line(const struct il__bundle *b, struct il_error *err)
{
    const struct il__json *doc = &b->manifest_doc;
    const size_t name = sizeof "bundle.json" - 1;
    uint32_t line = doc->fault_line;
    char pointer[sizeof err->field], text[sizeof err->message - 32];
    if (!err || strcmp(err->object, "bundle.json") != 0 || strncmp(err->message, "bundle.json:", name + 1) != 0) return;
    for (uint32_t at = 0; at < doc->count && line == 0 && err->field[0]; at++) {
        il__json_pointer(doc, at, pointer, sizeof pointer);
        if (strcmp(pointer, err->field) != 0) continue;
        line = 1;
        for (uint32_t i = 0; i < doc->nodes[at].off; i++) line += doc->text.ptr[i] == '\n';
    }
    if (line == 0) return;
    snprintf(text, sizeof text, "%.*s", (int)sizeof text - 1, err->message + name);
    snprintf(err->message, sizeof err->message, "bundle.json:%u%s", (unsigned)line, text);
}

static enum il_code read_bundle(struct il__bundle *b, struct il__digest *digest, const struct il_file *files,
                                size_t count, struct il_str params_json, struct il_error *err)
{
    struct manifest m;
    enum il_code code = check_given(files, count, err);
    if (code) return code;
    const struct il_file *json = file_named(files, count, IL_STR("bundle.json"));
    if (!json) return refuse_file(err, IL_STR("bundle.json"), "is missing: a bundle is a folder with a bundle.json");
    code = read_manifest(b, json->bytes, &m, err);
    if (!code) code = check_manifest(b, &m, err);
    if (!code) code = check_listed(&m, files, count, err);
    if (!code) code = il__bundle_params_given(b, params_json, err);
    if (!code) code = copy_policies(b, &m, files, count, err);
    if (!code) code = copy_modules(b, &m, files, count, err);
    if (!code) code = make_canon(b, digest, &m, files, count, err);
    if (!code) code = copy_sig(b, files, count, err);
    return code;
}

enum il_code il__bundle_open(struct il__mem *mem, struct il__digest *digest, const struct il_file *files, size_t count,
                             struct il_str params_json, struct il__bundle **out, struct il_error *err)
{
    struct il__bundle *b = il__mem_zalloc(mem, 1, sizeof *b);
    if (!b) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a bundle");
    b->mem = mem;
    il__arena_init(&b->arena, mem);
    enum il_code code = read_bundle(b, digest, files, count, params_json, err);
    if (code) add_line(b, err);
    if (code) il__bundle_free(b);
    else *out = b;
    return code;
}

void il__bundle_free(struct il__bundle *b)
{
    if (!b) return;
    il__json_clear(&b->manifest_doc);
    il__json_clear(&b->params_doc);
    il__arena_clear(&b->arena);
    il__mem_free(b->mem, b, sizeof *b);
}
