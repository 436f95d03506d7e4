/* Small changes to the files of a bundle, each of which its tests should notice: the public il_policy_mutate. Mutants
 * are script/mutants.h; a mutant that does not load is noticed. The list of those that no test can notice is
 * mutants_list.h. Must never count a mutant as noticed when the tests fail without it. */
#include "host/policy_mutate.h"

#include "base/error.h"
#include "host/bundle_dir.h"
#include "host/mutants_list.h"
#include "host/text.h"
#include "script/mutants.h"

#include <stdio.h>

struct mutate {
    struct il__mutating m;
    struct il__mem mem;
    struct il__mutants_list list;
    size_t left; /* of mutate_evals */
    size_t mutants, killed, survived, equivalent, tests;
    struct il__buf survivors, listed; /* items, each with a comma behind */
};

static bool ends_with(struct il_str s, const char *suffix)
{
    size_t n = strlen(suffix);
    return s.len >= n && memcmp(s.ptr + s.len - n, suffix, n) == 0;
}

/* ---- the bundle and its tests ------------------------------------------------------------------------------------ */

enum il_code il__mutating_load(const struct il__mutating *m, size_t at, struct il_str source, il_policy **out,
                               struct il_error *err)
{
    struct il_policy_options options = { sizeof options, m->o->alloc, m->o->alloc_ctx, NULL, NULL };
    struct il_str kept = at < m->file_count ? m->files[at].bytes : IL_STR_NONE;
    enum il_code code = il_policy_new(&options, out, err);
    if (code) return code;
    if (at < m->file_count) m->files[at].bytes = source;
    code = il_policy_add(*out, m->files, m->file_count, m->o->bundle.params_json, err);
    if (at < m->file_count) m->files[at].bytes = kept;
    if (!code) return IL_OK;
    il_policy_free(*out);
    *out = NULL;
    return code;
}

/* Every case of one test file; the handle hands the list out until it is asked again. */
static enum il_code take_cases(struct il__mutating *m, const struct il_file *file, struct il_error *err)
{
    struct il_str text;
    struct il__json doc = { 0 };
    char label[IL__LIMIT_BUNDLE_NAME_BYTES + IL__LIMIT_BUNDLE_PATH_BYTES + 2];
    int n = snprintf(label, sizeof label, "%.*s/%.*s", IL_STR_FMT(il__policy_set_bundle(m->original->set, 0)->name),
                     IL_STR_FMT(file->path));
    enum il_code code = il_policy_cases(m->original, (struct il_str){ label, (size_t)n }, file->bytes, &text, err);
    if (!code) code = il__json_parse_copy(&doc, m->mem, text, IL__JSON_PAYLOAD, err);
    size_t more = code ? 0 : il__json_at(&doc, 0)->count;
    if (more) {
        struct il__mutation_case *cases = il__arena_alloc(&m->arena, (m->case_count + more) * sizeof *cases);
        if (!cases) code = il__fail(err, IL_OUT_OF_MEMORY, "no memory for cases");
        else if (m->case_count) memcpy(cases, m->cases, m->case_count * sizeof *cases);
        if (cases) m->cases = cases;
    }
    for (uint32_t at = more && !code ? il__json_first(&doc, 0) : 0; at && !code; at = il__json_next(&doc, 0, at)) {
        struct il__mutation_case *one = &m->cases[m->case_count];
        code = il__case_read(m->mem, il__json_raw(&doc, at), 0, &one->c, err);
        one->file = file->path;
        if (code) il__case_clear(&one->c);
        else m->case_count++;
    }
    il__json_clear(&doc);
    return code;
}

/* False: the case fails. */
static enum il_code passes(il_policy *policy, const struct il__case *c, bool *out, struct il_error *err)
{
    struct il__judgement j;
    struct il__buf buf;
    struct il__json_writer w;
    il__buf_init(&buf, &policy->mem, 0);
    il__jw_init(&w, &buf);
    enum il_code code = il__policy_judge(policy, c, 0, &j, err);
    *out = !code && il__policy_compare(c, &j, &w);
    il__judgement_clear(&j);
    il__buf_clear(&buf);
    return code;
}

static enum il_code load_tests(struct mutate *t, struct il_error *err)
{
    struct il__mutating *m = &t->m;
    enum il_code code = IL_OK;
    for (size_t i = 0; i < m->file_count && !code; i++)
        if (ends_with(m->files[i].path, "_test.lua")) code = take_cases(m, &m->files[i], err);
    for (size_t i = 0; i < m->case_count && !code; i++) {
        bool good = false;
        code = passes(m->original, &m->cases[i].c, &good, err);
        if (!code && !good)
            return il__fail_at(err, IL_CONFLICT, "policy tests", "tests",
                               "case \"%.*s\" of %.*s fails without any mutant; "
                               "run the tests first",
                               IL_STR_FMT(m->cases[i].c.given.name), IL_STR_FMT(m->cases[i].file));
    }
    t->tests = m->case_count;
    return code;
}

/* ---- one mutant -------------------------------------------------------------------------------------------------- */

static void write_place(struct il__json_writer *w, struct il_str file, uint32_t line, struct il_str before,
                        struct il_str after)
{
    il__jw_member_str(w, "file", file);
    il__jw_member_int(w, "line", line);
    il__jw_member_str(w, "before", before);
    il__jw_member_str(w, "after", after);
}

static void write_listed(struct mutate *t, const struct il__listed_mutant *l, const char *problem, struct il_str kill)
{
    struct il__json_writer w;
    il__jw_init(&w, &t->listed);
    il__jw_object(&w);
    write_place(&w, l->file, l->line, l->before, l->after);
    il__jw_member_int(&w, "row", l->at_line);
    il__jw_member_z(&w, "problem", problem);
    if (kill.len) {
        il__jw_key(&w, "kill");
        il__jw_raw(&w, kill);
    }
    il__jw_object_end(&w);
    il__buf_putc(&t->listed, ',');
}

static void write_survivor(struct mutate *t, struct il_str file, const struct il__mutant *mutant, struct il_str kill,
                           bool cut)
{
    struct il__json_writer w;
    il__jw_init(&w, &t->survivors);
    il__jw_object(&w);
    write_place(&w, file, mutant->line, mutant->before, mutant->after);
    il__jw_member_int(&w, "column", mutant->column);
    il__jw_member_z(&w, "rule", il__mutation_name(mutant->rule));
    il__jw_member_z(&w, "about", il__mutation_about(mutant->rule));
    if (cut) il__jw_member_z(&w, "cut", "mutate_evals");
    if (kill.len) {
        il__jw_key(&w, "kill");
        il__jw_raw(&w, kill);
    }
    il__jw_object_end(&w);
    il__buf_putc(&t->survivors, ',');
}

/* Nobody noticed: perhaps nobody could. */
static enum il_code survived(struct mutate *t, struct il_str file, const struct il__mutant *mutant, il_policy *policy,
                             struct il_error *err)
{
    struct il__listed_mutant *l = il__mutants_list_find(&t->list, file, mutant->line, mutant->before, mutant->after);
    struct il__buf kill;
    struct il__json_writer w;
    enum il__telling found = IL__TELLING_NONE;
    il__buf_init(&kill, &t->mem, 0);
    il__jw_init(&w, &kill);
    enum il_code code = il__mutating_kill(&t->m, policy, &found, &w, err);
    bool killed = found == IL__TELLING_FOUND;
    const struct il_str text = killed ? il__buf_get(&kill) : IL_STR_NONE;
    if (!code && l && !killed) t->equivalent++;
    else if (!code && l) write_listed(t, l, "a changed case tells it apart", text);
    else if (!code) write_survivor(t, file, mutant, text, found == IL__TELLING_CUT);
    if (!code && !(l && !killed)) t->survived++;
    if (l) l->seen = true;
    il__buf_clear(&kill);
    return code;
}

static enum il_code try_mutant(struct mutate *t, size_t file, const struct il__mutant *mutant, struct il_error *err)
{
    struct il__mutating *m = &t->m;
    struct il_str path = m->files[file].path;
    struct il__buf source;
    struct il_error inner = IL_ERROR_INIT;
    il_policy *policy = NULL;
    bool good = true;
    il__buf_init(&source, &t->mem, 0);
    il__mutant_source(m->files[file].bytes, mutant, &source);
    enum il_code code = il__buf_check(&source, err);
    if (!code) code = il__mutating_load(m, file, il__buf_get(&source), &policy, &inner);
    t->mutants++;
    if (code && code != IL_OUT_OF_MEMORY) code = IL_OK, good = false; /* it does not load: who loads it notices */
    for (size_t i = 0; i < m->case_count && !code && good; i++) code = passes(policy, &m->cases[i].c, &good, err);
    if (!code && !good) {
        struct il__listed_mutant *l =
            il__mutants_list_find(&t->list, path, mutant->line, mutant->before, mutant->after);
        t->killed++;
        if (l) l->seen = true;
        if (l) write_listed(t, l, "a test kills it", IL_STR_NONE);
    } else if (!code) {
        code = survived(t, path, mutant, policy, err);
    } else if (!err->code) {
        code = il__fail(err, code, "%s", inner.message);
    }
    il_policy_free(policy);
    il__buf_clear(&source);
    return code;
}

static enum il_code try_file(struct mutate *t, size_t file, struct il_error *err)
{
    struct il__mutants mutants;
    struct il__arena arena;
    il__arena_init(&arena, &t->mem);
    enum il_code code = il__mutants_make(&arena, t->m.files[file].bytes, &mutants, err);
    for (size_t i = 0; i < mutants.count && !code; i++) code = try_mutant(t, file, &mutants.items[i], err);
    il__arena_clear(&arena);
    return code;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static void put_list(struct il__buf *out, const char *name, struct il__buf *items)
{
    if (items->len) items->len--; /* the last comma */
    il__buf_printf(out, ",\"%s\":[", name);
    il__buf_str(out, il__buf_get(items));
    il__buf_putc(out, ']');
    if (items->code && !out->code) out->code = items->code;
}

static enum il_code write_report(struct mutate *t, struct il_text *out, struct il_error *err)
{
    struct il__buf buf;
    size_t countable = t->mutants - t->equivalent;
    il__buf_init(&buf, &t->mem, 0);
    il__buf_printf(&buf,
                   "{\"mutants\":%zu,\"killed\":%zu,\"equivalent\":%zu,\"survived\":%zu,\"tests\":%zu,\"score\":%zu",
                   t->mutants, t->killed, t->equivalent, t->survived, t->tests,
                   countable ? t->killed * 100 / countable : 100);
    put_list(&buf, "survivors", &t->survivors);
    put_list(&buf, "listed", &t->listed);
    il__buf_putc(&buf, '}');
    enum il_code code = il__buf_check(&buf, err);
    if (!code) code = il__text_set(out, il__buf_get(&buf), err);
    il__buf_clear(&buf);
    return code;
}

/* The list beside the bundle, unless another is given; the files that are loaded, without the signature. */
static enum il_code prepare(struct mutate *t, const struct il_file *files, size_t count, struct il_error *err)
{
    struct il__mutating *m = &t->m;
    struct il_str list = m->o->allowed;
    m->files = il__arena_alloc(&m->arena, (count + 1) * sizeof *m->files);
    if (!m->files) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a bundle");
    for (size_t i = 0; i < count; i++) {
        const struct il_file *f = &files[i];
        if (il__str_eq(f->path, IL_STR("mutants.md")) && !list.ptr) list = f->bytes;
        if (!il__str_eq(f->path, IL_STR("bundle.sig"))) m->files[m->file_count++] = *f;
    }
    return il__mutants_list_read(&t->list, &m->arena, list, err);
}

/* The bundle itself is loaded as everywhere: with its signature. */
static enum il_code load_original(struct mutate *t, const struct il_file *files, size_t count, struct il_error *err)
{
    struct il__mutating *m = &t->m;
    struct il_policy_options options = { sizeof options, m->o->alloc, m->o->alloc_ctx, NULL, NULL };
    enum il_code code = il_policy_new(&options, &m->original, err);
    if (!code && m->o->key_count) code = il_policy_trust_bundles(m->original, m->o->keys, m->o->key_count, err);
    return code ? code : il_policy_add(m->original, files, count, m->o->bundle.params_json, err);
}

static enum il_code run(struct mutate *t, const struct il_file *files, size_t count, struct il_error *err)
{
    struct il__mutating *m = &t->m;
    enum il_code code = prepare(t, files, count, err);
    if (!code) code = load_original(t, files, count, err);
    if (!code) code = load_tests(t, err);
    for (size_t i = 0; i < m->file_count && !code; i++) {
        struct il_str path = m->files[i].path;
        if (ends_with(path, ".lua") && !ends_with(path, "_test.lua")) code = try_file(t, i, err);
    }
    for (size_t i = 0; i < t->list.count && !code; i++)
        if (!t->list.items[i].seen) write_listed(t, &t->list.items[i], "there is no such mutant", IL_STR_NONE);
    return code;
}

enum il_code il_policy_mutate(const struct il_policy_mutate_options *o, bool *passed, struct il_text *out,
                              struct il_error *err)
{
    il__error_clear(err);
    if (!o || o->size != sizeof *o)
        return il__fail_at(err, IL_INVALID_REQUEST, "mutate options", "size", "use IL_POLICY_MUTATE_OPTIONS_INIT");
    struct mutate t = { .m = { .o = o }, .left = IL__LIMIT_MUTATE_EVALS };
    il__mem_init(&t.mem, o->alloc, o->alloc_ctx, 0);
    t.m.mem = &t.mem;
    t.m.left = &t.left;
    il__arena_init(&t.m.arena, &t.mem);
    il__buf_init(&t.survivors, &t.mem, 0);
    il__buf_init(&t.listed, &t.mem, 0);
    struct il__bundle_dir dir = { .count = 0 };
    bool folder = il__str_present(o->bundle.path);
    enum il_code code = folder ? il__bundle_path_read(&t.mem, o->bundle.path, &dir, err) : IL_OK;
    if (!code && folder) code = run(&t, dir.files, dir.count, err);
    else if (!code) code = run(&t, o->bundle.files, o->bundle.file_count, err);
    *passed = !code && t.survived == 0 && t.listed.len == 0;
    if (!code) code = write_report(&t, out, err);
    for (size_t i = 0; i < t.m.case_count; i++) il__case_clear(&t.m.cases[i].c);
    il_policy_free(t.m.original);
    il__buf_clear(&t.survivors);
    il__buf_clear(&t.listed);
    il__arena_clear(&t.m.arena);
    if (folder && dir.mem) il__bundle_dir_clear(&dir);
    return code;
}
