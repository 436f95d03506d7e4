/* The shipped bundles keep their word: every case of their test files holds, every line and verdict of a policy is
 * reached by them, and every small change of a policy (script/mutants.h) fails at least one. */
#include "base/mem.h"
#include "script/mutants.h"
#include "tap.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES = 32, BUNDLES = 64 };

struct bundle {
    char dir[300];
    struct il_file files[FILES];
    char *texts[FILES]; /* a file's name, and its bytes behind it */
    size_t count;
};

static void take_file(void *ctx, const char *path, const char *bytes, size_t len)
{
    struct bundle *b = ctx;
    const char *name = path + strlen(b->dir) + 1;
    size_t name_len = strlen(name);
    char *copy = malloc(name_len + len + 1);
    if (b->count == FILES || !copy) exit(1);
    b->texts[b->count] = copy;
    memcpy(copy, name, name_len);
    memcpy(copy + name_len, bytes, len);
    b->files[b->count++] = (struct il_file){ { copy, name_len }, { copy + name_len, len } };
}

static void forget(struct bundle *b)
{
    for (size_t i = 0; i < b->count; i++) free(b->texts[i]);
    b->count = 0;
}

static bool ends_with(struct il_str text, const char *end)
{
    size_t len = strlen(end);
    return text.len >= len && memcmp(text.ptr + text.len - len, end, len) == 0;
}

static void show_failure(void *ctx, const struct il_policy_test_result *r)
{
    (void)ctx;
    if (!r->passed)
        tap_note("%.*s:%d: %.*s: %.*s%.*s", (int)r->file.len, r->file.ptr, r->line, (int)r->name.len, r->name.ptr,
                 (int)r->message.len, r->message.ptr, r->check.len < 600 ? (int)r->check.len : 600, r->check.ptr);
}

static bool holds(const struct bundle *b, unsigned flags, il_policy_test_fn report, struct il_text *coverage)
{
    struct il_policy_test_options o = IL_POLICY_TEST_OPTIONS_INIT;
    struct il_policy_test_summary s = IL_POLICY_TEST_SUMMARY_INIT;
    struct il_error err = IL_ERROR_INIT;
    o.bundle.files = b->files;
    o.bundle.file_count = b->count;
    o.flags = flags;
    o.report = report;
    o.coverage = coverage;
    enum il_code code = il_policy_test(&o, &s, &err);
    if (code && report) tap_note("%s", err.message);
    return !code && s.passed > 0 && !s.failed && !s.mistakes;
}

static void test_cases(const struct bundle *b)
{
    struct il_text coverage = IL_TEXT_INIT;
    tap_ok(holds(b, IL_POLICY_COVERAGE, show_failure, &coverage), "%s: every case holds", b->dir);
    bool all = coverage.ptr != NULL;
    for (const char *at = coverage.ptr; at && (at = strstr(at, "\"missed\":[")); at++)
        if (at[strlen("\"missed\":[")] != ']') all = false;
    tap_ok(all, "%s: every line and every verdict is reached", b->dir);
    if (!all && coverage.ptr) tap_note("%s", coverage.ptr);
    il_text_clear(&coverage);
}

static void test_mutants(struct bundle *b, size_t at, struct il__mem *mem)
{
    struct il__arena arena;
    struct il__mutants mutants = { NULL, 0 };
    const struct il_str source = b->files[at].bytes;
    size_t alive = 0;
    il__arena_init(&arena, mem);
    enum il_code code = il__mutants_make(&arena, source, &mutants, NULL);
    for (size_t i = 0; i < mutants.count; i++) {
        const struct il__mutant *m = &mutants.items[i];
        struct il__buf text;
        il__buf_init(&text, mem, 0);
        il__mutant_source(source, m, &text);
        b->files[at].bytes = il__buf_get(&text);
        bool lives = holds(b, IL_POLICY_FIRST, NULL, NULL);
        alive += lives;
        if (lives)
            tap_note("line %u, column %u: %.*s for %.*s", m->line, m->column, (int)m->after.len, m->after.ptr,
                     (int)m->before.len, m->before.ptr);
        b->files[at].bytes = source;
        il__buf_clear(&text);
    }
    tap_ok(!code && !alive, "%s: none of %zu changes of %.*s is missed", b->dir, mutants.count,
           (int)b->files[at].path.len, b->files[at].path.ptr);
    il__arena_clear(&arena);
}

static void test_bundle(const char *name)
{
    struct bundle b = { .count = 0 };
    struct il__mem mem;
    snprintf(b.dir, sizeof b.dir, "policies/%s", name);
    il__mem_init(&mem, NULL, NULL, 0);
    tap_each(b.dir, "", take_file, &b);
    test_cases(&b);
    for (size_t i = 0; i < b.count; i++)
        if (ends_with(b.files[i].path, ".lua") && !ends_with(b.files[i].path, "_test.lua")) test_mutants(&b, i, &mem);
    forget(&b);
}

int main(void)
{
    struct dirent **list = NULL;
    int count = scandir("policies", &list, NULL, alphasort), bundles = 0;
    for (int i = 0; i < count; i++) {
        if (list[i]->d_type == DT_DIR && list[i]->d_name[0] != '.') {
            test_bundle(list[i]->d_name);
            bundles++;
        }
        free(list[i]);
    }
    free(list);
    tap_ok(bundles >= 12, "there are bundles (%d)", bundles);
    return tap_done();
}
