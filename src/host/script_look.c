/* Scripts looked at without running them, for the public API: lint of bundles, and the reference of what scripts are
 * given. Uses script/lint.h and script/reference.h. Must never load a bundle. */
#include "base/error.h"
#include "host/bundle_dir.h"
#include "host/text.h"
#include "script/lint.h"
#include "script/reference.h"

struct lint_job {
    struct il__mem mem;
    struct il__arena arena;
    struct il__buf text;
    struct il__linted *items;
};

static enum il_code lint_one(struct lint_job *job, const struct il_bundle *bundle, struct il__linted *item,
                             struct il_error *err)
{
    struct il__bundle_dir dir;
    item->label = il__str_present(bundle->path) ? bundle->path : IL_STR("");
    if (!il__str_present(bundle->path))
        return il__lint_bundle(&job->arena, bundle->files, bundle->file_count, &item->findings, err);
    enum il_code code = il__bundle_path_read(&job->mem, bundle->path, &dir, err);
    if (code == IL_OK) code = il__lint_bundle(&job->arena, dir.files, dir.count, &item->findings, err);
    il__bundle_dir_clear(&dir);
    return code;
}

static enum il_code lint_all(struct lint_job *job, const struct il_bundle *bundles, size_t count,
                             enum il_lint_format format, size_t *found, struct il_error *err)
{
    size_t sum = 0;
    job->items = il__arena_alloc(&job->arena, (count + 1) * sizeof *job->items);
    if (!job->items) return il__fail(err, IL_OUT_OF_MEMORY, "no memory to look at bundles");
    for (size_t i = 0; i < count; i++) {
        enum il_code code = lint_one(job, &bundles[i], &job->items[i], err);
        if (code != IL_OK) return code;
        sum += job->items[i].findings.count;
    }
    switch (format) {
    case IL_LINT_TEXT: il__lint_text(job->items, count, &job->text); break;
    case IL_LINT_JSON: il__lint_json(job->items, count, &job->text); break;
    case IL_LINT_SARIF: il__lint_sarif(job->items, count, &job->text); break;
    default: return il__fail(err, IL_INVALID_REQUEST, "there is no such format of findings");
    }
    if (found) *found = sum;
    return il__buf_check(&job->text, err);
}

enum il_code il_policy_lint(const struct il_bundle *bundles, size_t count, enum il_lint_format format, size_t *found,
                            struct il_text *out, struct il_error *err)
{
    struct lint_job job;
    size_t sum = 0;
    il__error_clear(err);
    il__mem_init(&job.mem, out->alloc, out->alloc_ctx, 0);
    il__arena_init(&job.arena, &job.mem);
    il__buf_init(&job.text, &job.mem, 0);
    enum il_code code = lint_all(&job, bundles, count, format, &sum, err);
    if (code == IL_OK) code = il__text_set(out, il__buf_get(&job.text), err);
    if (code == IL_OK && found) *found = sum;
    il__buf_clear(&job.text);
    il__arena_clear(&job.arena);
    return code;
}

enum il_code il_script_reference(enum il_reference_format format, struct il_text *out, struct il_error *err)
{
    struct il__mem mem;
    struct il__arena arena;
    struct il__buf text;
    enum il_code code = IL_INVALID_REQUEST;
    il__error_clear(err);
    il__mem_init(&mem, out->alloc, out->alloc_ctx, 0);
    il__arena_init(&arena, &mem);
    il__buf_init(&text, &mem, 0);
    switch (format) {
    case IL_REFERENCE_LUALS: code = il__reference_luals(&arena, &text, err); break;
    case IL_REFERENCE_LUACHECK: code = il__reference_luacheck(&arena, &text, err); break;
    case IL_REFERENCE_MARKDOWN: code = il__reference_page(&arena, &text, err); break;
    case IL_REFERENCE_JSON: code = il__reference_json(&arena, &text, err); break;
    default: code = il__fail(err, IL_INVALID_REQUEST, "there is no such format of the reference");
    }
    if (code == IL_OK) code = il__text_set(out, il__buf_get(&text), err);
    il__buf_clear(&text);
    il__arena_clear(&arena);
    return code;
}
