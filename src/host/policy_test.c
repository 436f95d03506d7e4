/* Test files of a bundle: their cases with the names of the wire (il_policy_cases), and running them all over files in
 * memory (il_policy_test). A case that cannot be read is a mistake of its file, said with its line. */
#include "base/error.h"
#include "check/glob.h"
#include "host/bundle_dir.h"
#include "host/policy.h"
#include "host/policy_cover.h"
#include "host/text.h"
#include "script/policy_tests.h"
#include "script/syntax.h"

#include <stdio.h>

enum { LABEL_BYTES = IL__LIMIT_BUNDLE_NAME_BYTES + IL__LIMIT_BUNDLE_PATH_BYTES + 2 };

/* A test file that was run. */
struct cases {
    il_policy *policy;
    const char *label;
    struct il_str source;
    struct il__syntax *syntax; /* NULL: lines are not known */
    struct il__buf text;
    struct il__json doc;       /* the list */
    size_t count;
};

/* ---- where a case is written ------------------------------------------------------------------------------------- */

/* The table that the file returns, when it is written out. */
static uint32_t returned_table(const struct il__syntax *s)
{
    uint32_t last = il__syn(s, s->root)->last;
    uint32_t value = last && il__syn(s, last)->kind == IL__SYN_RETURN ? il__syn(s, last)->first : 0;
    return value && il__syn(s, value)->kind == IL__SYN_TABLE ? value : 0;
}

static int line_of_name(const struct il__syntax *s, struct il_str name)
{
    for (uint32_t at = s->root; at && il__str_present(name); at = il__syn_walk(s, s->root, at)) {
        const struct il__syn *n = il__syn(s, at);
        if (n->kind == IL__SYN_STRING && il__str_eq(n->text, name)) return (int)n->line;
    }
    return 0;
}

/* The item of the list that is returned, when all of them are written there; else where its name is written. */
static int line_of_case(const struct cases *c, size_t index, struct il_str name)
{
    uint32_t table = c->syntax ? returned_table(c->syntax) : 0;
    size_t items = 0;
    for (uint32_t at = table ? il__syn(c->syntax, table)->first : 0; at; at = il__syn(c->syntax, at)->next) items++;
    if (items != c->count || !items) return c->syntax ? line_of_name(c->syntax, name) : 0;
    return (int)il__syn(c->syntax, il__syn_child(c->syntax, table, (uint32_t)index))->line;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static const struct il__bundle *bundle_of(const il_policy *p, const char *label)
{
    const struct il__bundle *b = NULL, *last = NULL;
    for (size_t i = 0; (b = il__policy_set_bundle(p->set, i)) != NULL; i++) {
        if (strncmp(label, b->name.ptr, b->name.len) == 0 && label[b->name.len] == '/') return b;
        last = b;
    }
    return last;
}

static enum il_code cases_open(struct cases *c, il_policy *p, const char *label, struct il_str source,
                               struct il_error *err)
{
    *c = (struct cases){ .policy = p, .label = label, .source = source };
    const struct il__policy_set_options options = { .mem = &p->mem, .clock = &p->clock, .digest = p->digest,
                                                    .log = &p->log };
    il__buf_init(&c->text, &p->mem, 0);
    enum il_code code = il__policy_tests_run(&options, bundle_of(p, label), label, source, &c->text, err);
    if (!code) code = il__json_parse(&c->doc, &p->mem, il__buf_get(&c->text), IL__JSON_CONTRACT, err);
    if (!code) c->count = il__json_at(&c->doc, 0)->count;
    if (code) return code;
    code = il__syntax_parse(&p->mem, source, &c->syntax, NULL, err);
    return code == IL_OUT_OF_MEMORY ? code : IL_OK; /* without a tree no case has a line */
}

static void cases_close(struct cases *c)
{
    il__syntax_free(c->syntax);
    il__json_clear(&c->doc);
    il__buf_clear(&c->text);
}

/* "edge_case" of "edgeCase": members as a test file writes them. */
static void snake(const char *text, char *out, size_t size)
{
    size_t n = 0;
    for (; *text && n + 3 < size; text++) {
        bool upper = *text >= 'A' && *text <= 'Z';
        if (upper) out[n++] = '_';
        out[n++] = upper ? (char)(*text + ('a' - 'A')) : *text;
    }
    out[n] = '\0';
}

/* Says file, line and case before what is wrong. */
static enum il_code mistake(struct cases *c, size_t index, struct il_str name, const struct il_error *inner,
                            struct il_error *err)
{
    char who[120], place[LABEL_BYTES + 16], field[sizeof inner->field + 40], shown[80];
    const int line = line_of_case(c, index, name);
    il__escape(shown, sizeof shown, name);
    if (il__str_present(name)) snprintf(who, sizeof who, "case \"%s\"", shown);
    else snprintf(who, sizeof who, "case %zu", index + 1);
    if (line > 0) snprintf(place, sizeof place, "%s:%d", c->label, line);
    else snprintf(place, sizeof place, "%s", c->label);
    snake(inner->field, field, sizeof field);
    if (inner->code == IL_OUT_OF_MEMORY) return il__fail(err, inner->code, "%s", inner->message);
    const char *what = inner->message;
    const size_t known = strlen(inner->object);
    if (known && strncmp(what, inner->object, known) == 0 && what[known] == ':') what += known + 2;
    if (inner->expected[0])
        (void)il__fail(err, IL_DECODE, "%s: %s: %s: %s is expected%s%s", place, who, field, inner->expected,
                       inner->actual[0] ? ", it is " : "", inner->actual);
    else (void)il__fail(err, IL_DECODE, "%s: %s: %s", place, who, what);
    if (err) il__escape(err->field, sizeof err->field, il__str(field));
    return IL_DECODE;
}

static enum il_code name_of(struct cases *c, uint32_t at, struct il_str *name, struct il_error *err)
{
    uint32_t node = il__json_kind(&c->doc, at) == IL__JSON_OBJECT ? il__json_get(&c->doc, at, "name") : 0;
    *name = IL_STR_NONE;
    if (node && il__json_kind(&c->doc, node) == IL__JSON_STRING && il__json_at(&c->doc, node)->len > 0)
        return il__json_string(&c->doc, node, name, err);
    if (il__json_kind(&c->doc, at) != IL__JSON_OBJECT)
        return il__fail(err, IL_DECODE, "a case is a table, as in { name = \"...\", action = { tool = \"...\" } }");
    return il__fail_at(err, IL_DECODE, NULL, "/name", "it has no name; write name = \"what must hold\"");
}

static enum il_code check_twins(struct cases *c, uint32_t at, struct il_str name, struct il_error *err)
{
    struct il_str other;
    for (uint32_t item = il__json_first(&c->doc, 0); item && item != at; item = il__json_next(&c->doc, 0, item)) {
        uint32_t node = il__json_get(&c->doc, item, "name");
        if (!node || il__json_string(&c->doc, node, &other, NULL) || !il__str_eq(other, name)) continue;
        return il__fail_at(err, IL_DECODE, NULL, "/name", "an earlier case has the same name; every case has its own");
    }
    return IL_OK;
}

/* A case that cannot fail is none. */
static enum il_code check_expect(const struct il__case *c, struct il_error *err)
{
    const struct il__any *e = &c->given.expect;
    bool empty = e->doc && il__json_kind(e->doc, e->at) == IL__JSON_OBJECT && !il__json_at(e->doc, e->at)->count;
    if (e->doc && !empty) return IL_OK;
    return il__fail_at(err, IL_DECODE, NULL, "/expect",
                       "it expects nothing, and could never fail; write expect = \"none\", \"ask\" or \"deny\"");
}

static enum il_code check_params(il_policy *p, const struct il__case *c, struct il_error *err)
{
    struct il__json doc = { 0 };
    const struct il__any *given = &c->given.params;
    if (!given->doc) return IL_OK;
    enum il_code code = il__json_parse(&doc, &p->mem, il__json_raw(given->doc, given->at), IL__JSON_CONTRACT, err);
    if (!code) code = il__policy_set_params(p->set, &doc, err);
    il__json_clear(&doc);
    return code;
}

/* Case `index` at node `at`; `out` is to be cleared in either case. */
static enum il_code read_case(struct cases *c, uint32_t at, size_t index, struct il__case *out, struct il_error *err)
{
    struct il_error inner = IL_ERROR_INIT;
    struct il_str name;
    memset(out, 0, sizeof *out);
    enum il_code code = name_of(c, at, &name, &inner);
    if (!code) code = check_twins(c, at, name, &inner);
    if (!code) code = il__case_read(&c->policy->mem, il__json_raw(&c->doc, at), 0, out, &inner);
    if (!code) code = check_expect(out, &inner);
    if (!code) code = check_params(c->policy, out, &inner);
    return code ? mistake(c, index, name, &inner, err) : IL_OK;
}

enum il_code il_policy_cases(il_policy *p, struct il_str label, struct il_str source, struct il_str *out,
                             struct il_error *err)
{
    char shown[LABEL_BYTES];
    struct cases c;
    struct il__buf buf;
    size_t index = 0;
    il__error_clear(err);
    il__escape(shown, sizeof shown, label);
    il__buf_init(&buf, &p->mem, 0);
    enum il_code code = cases_open(&c, p, shown, source, err);
    il__buf_putc(&buf, '[');
    for (uint32_t at = code ? 0 : il__json_first(&c.doc, 0); at && !code; at = il__json_next(&c.doc, 0, at), index++) {
        struct il__case one;
        code = read_case(&c, at, index, &one, err);
        if (index) il__buf_putc(&buf, ',');
        if (!code) il__buf_str(&buf, il__json_raw(&one.doc, 0));
        il__case_clear(&one);
    }
    il__buf_putc(&buf, ']');
    if (!code) code = il__policy_hand_out(p, &buf, out, err);
    cases_close(&c);
    il__buf_clear(&buf);
    return code;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

struct testing {
    const struct il_policy_test_options *o;
    struct il_policy_test_summary *sum;
    il_policy *policy;
    bool over; /* the first failure ends it */
};

static bool ends_with(struct il_str s, const char *suffix)
{
    size_t n = strlen(suffix);
    return s.len >= n && memcmp(s.ptr + s.len - n, suffix, n) == 0;
}

/* A part of the name, or a glob over the whole of it. */
static bool wanted(struct il_str name, struct il_str pattern)
{
    const char *why;
    if (!pattern.len || !name.len) return true;
    if (memchr(pattern.ptr, '*', pattern.len) || memchr(pattern.ptr, '?', pattern.len))
        return il__glob_match(pattern, name, &why) == IL__GLOB_MATCHES;
    return memmem(name.ptr, name.len, pattern.ptr, pattern.len) != NULL;
}

static void report(struct testing *t, const struct il_policy_test_result *result)
{
    if (!result->passed && (t->o->flags & IL_POLICY_FIRST)) t->over = true;
    if (t->o->report) t->o->report(t->o->report_ctx, result);
}

/* Of "LABEL:LINE: ...", as scripts fail. */
static int line_in(const char *message, const char *label)
{
    size_t n = strlen(label);
    int line = 0;
    if (strncmp(message, label, n) != 0 || message[n] != ':') return 0;
    for (n++; message[n] >= '0' && message[n] <= '9' && line < 100000; n++) line = line * 10 + (message[n] - '0');
    return message[n] == ':' ? line : 0;
}

static void report_mistake(struct testing *t, const struct cases *c, struct il_str name, const struct il_error *err)
{
    const struct il_policy_test_result result = { sizeof result, il__str(c->label), name, false,
                                                  line_in(err->message, c->label), il__str(err->message), IL_STR_NONE };
    t->sum->mistakes++;
    report(t, &result);
}

static enum il_code run_case(struct testing *t, struct cases *c, uint32_t at, size_t index, struct il_error *err)
{
    struct il__case one;
    struct il_error inner = IL_ERROR_INIT;
    struct il_str check;
    bool passed = false;
    enum il_code code = read_case(c, at, index, &one, &inner);
    if (code && code != IL_OUT_OF_MEMORY) report_mistake(t, c, one.given.name, &inner);
    const struct il_str name = one.given.name;
    if (!code && wanted(name, t->o->pattern)) {
        code = il_policy_check(t->policy, il__json_raw(&one.doc, 0), t->o->flags, &passed, &check, &inner);
        *(passed ? &t->sum->passed : &t->sum->failed) += !code;
        const struct il_policy_test_result result = { sizeof result, il__str(c->label), name, passed,
                                                      line_of_case(c, index, name), IL_STR_NONE, check };
        if (!code) report(t, &result);
        else if (code != IL_OUT_OF_MEMORY) report_mistake(t, c, name, &inner);
    }
    il__case_clear(&one);
    return code == IL_OUT_OF_MEMORY ? il__fail(err, code, "%s", inner.message) : IL_OK;
}

static enum il_code run_file(struct testing *t, const struct il_file *file, struct il_error *err)
{
    char label[LABEL_BYTES];
    struct cases c;
    struct il_error inner = IL_ERROR_INIT;
    size_t index = 0;
    snprintf(label, sizeof label, "%.*s/%.*s", IL_STR_FMT(il__policy_set_bundle(t->policy->set, 0)->name),
             IL_STR_FMT(file->path));
    t->sum->files++;
    enum il_code code = cases_open(&c, t->policy, label, file->bytes, &inner);
    if (code && code != IL_OUT_OF_MEMORY) report_mistake(t, &c, IL_STR_NONE, &inner);
    for (uint32_t at = code ? 0 : il__json_first(&c.doc, 0); at && !code && !t->over;
         at = il__json_next(&c.doc, 0, at), index++)
        code = run_case(t, &c, at, index, &inner);
    cases_close(&c);
    return code == IL_OUT_OF_MEMORY ? il__fail(err, code, "%s", inner.message) : IL_OK;
}

static enum il_code run_files(struct testing *t, const struct il_file *files, size_t count, struct il_error *err)
{
    const struct il_policy_test_options *o = t->o;
    struct il_str text = IL_STR_NONE;
    enum il_code code = il_policy_add(t->policy, files, count, o->bundle.params_json, err);
    for (size_t i = 0; i < count && !code && !t->over; i++)
        if (ends_with(files[i].path, "_test.lua")) code = run_file(t, &files[i], err);
    if (!code && o->coverage) code = il_policy_coverage(t->policy, &text, err);
    if (!code && o->coverage) code = il__text_set(o->coverage, text, err);
    return code;
}

static enum il_code run_dir(struct testing *t, struct il_error *err)
{
    struct il__bundle_dir dir;
    enum il_code code = il__bundle_path_read(&t->policy->mem, t->o->bundle.path, &dir, err);
    if (code) return code;
    code = run_files(t, dir.files, dir.count, err);
    il__bundle_dir_clear(&dir);
    return code;
}

enum il_code il_policy_test(const struct il_policy_test_options *o, struct il_policy_test_summary *out,
                            struct il_error *err)
{
    struct il_policy_options options = { sizeof options, o->alloc, o->alloc_ctx, o->log, o->log_ctx };
    struct testing t = { o, out, NULL, false };
    il__error_clear(err);
    if (o->size != sizeof *o || out->size != sizeof *out)
        return il__fail_at(err, IL_INVALID_REQUEST, "policy test options", "size", "use the _INIT macros");
    *out = (struct il_policy_test_summary)IL_POLICY_TEST_SUMMARY_INIT;
    enum il_code code = il_policy_new(&options, &t.policy, err);
    if (!code && o->key_count) code = il_policy_trust_bundles(t.policy, o->keys, o->key_count, err);
    if (!code && il__str_present(o->bundle.path)) code = run_dir(&t, err);
    else if (!code) code = run_files(&t, o->bundle.files, o->bundle.file_count, err);
    il_policy_free(t.policy);
    return code;
}
