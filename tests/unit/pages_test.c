/* The pages are true: every example on lua/README.md and policies/README.md runs, every name of the API is on the page,
 * and the shipped bundles say what they promise. */
#include "fake_driver.h"
#include "pages.h"
#include "script/policies.h"
#include "script/policy_ctx.h"
#include "script/workflow.h"

static struct il__lua_workflows *workflows;
static struct il__arena arena;

/* ---- examples ---------------------------------------------------------------------------------------------------- */

static void try_workflow(const char *name, const char *source)
{
    struct il__workflows port = il__lua_workflows_port(workflows);
    const struct il__workflow_ops *ops = NULL;
    void *self = NULL;
    struct il_error err = IL_ERROR_INIT;
    enum il_code code = port.open(port.ctx, &fake.run, il__str(name), il__str(source), &ops, &self, &err);
    enum il__workflow_event event = IL__WF_ASKS;
    struct il__ask ask = { 0 };
    while (!code && event == IL__WF_ASKS) event = ops->resume(self, &ask, &err);
    tap_ok(!code && event == IL__WF_RETURNED && ask.verb == IL__VERB_VERIFY, "%s is a workflow that runs to its end",
           name);
    if (err.code) tap_note("%s", err.message);
    if (!code) ops->close(self);
}

static const struct il__said *evaluate(struct il__policy_set *set, enum il__phase phase, size_t *count)
{
    static const struct il__vote vote = { .approver = { "ada", 3 }, .decision = IL__DECISION_APPROVE };
    struct il__said_list said = { NULL, 0, &arena };
    struct il__policies port = il__policy_set_port(set);
    struct il_error err = IL_ERROR_INIT;
    il__arena_clear(&arena);
    if (port.evaluate(port.ctx, fake_scene(phase, &vote), &said, &err)) exit(1);
    *count = said.count;
    return said.items;
}

static struct il__policy_set *new_set(void)
{
    struct il__policy_set *set = NULL;
    struct il__policy_set_options options = { .mem = &fake.mem, .clock = &fake.clock, .digest = fake.digest };
    if (il__policy_set_new(&options, &set, NULL)) exit(1);
    return set;
}

static const char *manifest; /* the bundle.json on the page */
static char last_policy[4000];

static void try_policy(const char *name, const char *source)
{
    snprintf(last_policy, sizeof last_policy, "%s", source);
    struct il__policy_set *set = new_set();
    struct il_error err = IL_ERROR_INIT;
    struct il_file files[] = {
        { IL_STR("bundle.json"), il__str(manifest) }, { IL_STR("policy.lua"), il__str(source) },
    };
    enum il_code code = il__policy_set_add(set, files, 2, IL_STR_NONE, &err);
    tap_int(code, IL_OK, "%s is a policy (%s)", name, err.message);
    for (int phase = IL__PHASE_PROPOSE; !code && phase <= IL__PHASE_EXECUTE; phase++) {
        size_t count;
        const struct il__said *said = evaluate(set, (enum il__phase)phase, &count);
        for (size_t i = 0; i < count; i++) {
            tap_ok(!said[i].error, "%s works in phase %s", name, il__phase_names[phase]);
            if (said[i].error) tap_note("%.*s", IL_STR_FMT(said[i].reason));
        }
    }
    il__policy_set_free(set);
}

static void show_case(void *ctx, const struct il_policy_test_result *r)
{
    (void)ctx;
    if (!r->passed) tap_note("%.*s: %.*s%.*s", IL_STR_FMT(r->name), IL_STR_FMT(r->message), IL_STR_FMT(r->check));
}

/* Of the policy in front of them. */
static void try_cases(const char *name, const char *source)
{
    struct il_policy_test_options o = IL_POLICY_TEST_OPTIONS_INIT;
    struct il_policy_test_summary s = IL_POLICY_TEST_SUMMARY_INIT;
    struct il_error err = IL_ERROR_INIT;
    const struct il_file files[] = {
        { IL_STR("bundle.json"), il__str(manifest) }, { IL_STR("policy.lua"), il__str(last_policy) },
        { IL_STR("policy_test.lua"), il__str(source) },
    };
    o.bundle.files = files;
    o.bundle.file_count = sizeof files / sizeof *files;
    o.report = show_case;
    tap_int(il_policy_test(&o, &s, &err), IL_OK, "%s are cases (%s)", name, err.message);
    tap_ok(s.passed >= 4 && !s.failed && !s.mistakes, "%s hold", name);
}

/* A run with it is in governed_test.c; here it is compiled. */
static void try_runtime(const char *name, const char *source)
{
    tap_int(driver_open(name, source, NULL), IL_OK, "%s is a runtime (%s)", name, driver.last.message);
}

static void try_options(const char *name, const char *source)
{
    char wrapped[4000];
    snprintf(wrapped, sizeof wrapped, "local _, runtime = ...\nlocal function options()\n%s\nend\n"
             "return require 'interlock.fake' (options(), runtime)", source);
    tap_int(driver_open(name, wrapped, NULL), IL_OK, "%s are options of the simulated runtime (%s)", name,
            driver.last.message);
}

static void keep_manifest(const char *name, const char *source)
{
    static char text[4000];
    snprintf(text, sizeof text, "%s", source);
    manifest = text;
    tap_ok(strlen(source) < sizeof text, "%s", name);
}

static const struct {
    const char *info;
    void (*try_it)(const char *name, const char *source);
} kinds[] = {
    { "lua workflow", try_workflow }, { "lua policy", try_policy }, { "lua runtime", try_runtime },
    { "lua options", try_options },   { "json bundle", keep_manifest }, { "lua cases", try_cases },
};

static void try_block(const char *name, const char *info, const char *source)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(info, kinds[i].info) != 0) continue;
        kinds[i].try_it(name, source);
        return;
    }
    if (strcmp(info, "lua scenario") == 0) return; /* scenario_page_test.c plays these */
    tap_ok(false, "%s says what it is: %s", name, info);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool names(const char *page, const char *word)
{
    char quoted[120];
    size_t len = strlen(word);
    for (const char *at = strstr(page, word); at; at = strstr(at + 1, word)) { /* a whole word inside `code` */
        char before = at[-1], after = at[len];
        if (strchr("`.:", before) && strchr("`(", after)) return true;
    }
    snprintf(quoted, sizeof quoted, "# %s\n", word);
    fputs(quoted, stdout);
    return false;
}

static void test_names(void)
{
    char *page = tap_slurp("lua/README.md", NULL);
    for (size_t i = 0; il__objects[i]; i++) {
        for (const struct il__member *m = il__objects[i]->members; m && m->name; m++) {
            tap_ok(names(page, m->name) && m->about && m->kind, "%s.%s is on the page", il__objects[i]->name, m->name);
        }
    }
    for (int op = 0; op < IL_OP_COUNT; op++) {
        tap_ok(names(page, il_op_name((enum il_op)op)), "operation %s is on the page", il_op_name((enum il_op)op));
    }
    char *code = tap_slurp("lua/interlock/fake.lua", NULL);
    char *options = strstr(code, "local OPTIONS = {"), *end = options ? strchr(options, '}') : NULL;
    tap_ok(end != NULL, "the options of the simulated runtime");
    if (end) *end = '\0';
    for (char *at = options ? strstr(options, " = \"") : NULL; at; at = strstr(at + 1, " = \"")) {
        char *start = at;
        while (strchr("abcdefghijklmnopqrstuvwxyz_", start[-1])) start--;
        *at = '\0';
        tap_ok(names(page, start), "option %s is on the page", start);
    }
    free(code);
    free(page);
}

/* ---- the shipped bundles ----------------------------------------------------------------------------------------- */

struct shipped {
    const char *dir;
    struct il_file files[8];
    char *bytes[8], paths[8][100];
    size_t count;
};

static void take_file(void *ctx, const char *path, const char *bytes, size_t len)
{
    struct shipped *s = ctx;
    snprintf(s->paths[s->count], sizeof s->paths[0], "%s", path + strlen(s->dir) + 1);
    s->bytes[s->count] = malloc(len + 1);
    memcpy(s->bytes[s->count], bytes, len);
    s->files[s->count] = (struct il_file){ il__str(s->paths[s->count]), { s->bytes[s->count], len } };
    s->count++;
}

static const struct il__said *ship(const char *dir, const char *params, struct il__policy_set **set)
{
    struct shipped s = { .dir = dir };
    struct il_error err = IL_ERROR_INIT;
    size_t count;
    tap_each(dir, "", take_file, &s);
    il__policy_set_free(*set);
    *set = new_set();
    enum il_code code = il__policy_set_add(*set, s.files, s.count, params ? il__str(params) : IL_STR_NONE, &err);
    tap_int(code, IL_OK, "%s is a bundle (%s)", dir, err.message);
    const struct il__said *said = code ? NULL : evaluate(*set, IL__PHASE_PREVIEW, &count);
    for (size_t i = 0; i < s.count; i++) free(s.bytes[i]);
    return said;
}

static void test_office_hours(void)
{
    struct il__policy_set *set = NULL;
    const struct il__said *said = ship("policies/office-hours", NULL, &set);
    tap_int(said->verdict, IL__VERDICT_ASK, "18:00 is outside office hours");
    tap_int(said->approvers, 2, "two people must agree");
    tap_str(said->policy, "office-hours/office-hours", "its name");
    said = ship("policies/office-hours", "{\"closes\":19}", &set);
    tap_int(said->verdict, IL__VERDICT_NONE, "with another closing time it is within");
    said = ship("policies/office-hours", "{\"closes\":19,\"days\":[\"tuesday\"]}", &set);
    tap_int(said->verdict, IL__VERDICT_ASK, "but not on a day that is no working day");
    said = ship("policies/office-hours", "{\"opens\":19,\"closes\":24,\"approvers\":1}", &set);
    tap_int(said->approvers, 1, "nor before it opens");
    il__policy_set_free(set);
}

static void test_two_person(void)
{
    struct il__policy_set *set = NULL;
    struct il__envelope *envelope = (struct il__envelope *)(uintptr_t)fake.preview.envelope;
    const struct il__said *said = ship("policies/two-person", NULL, &set);
    tap_int(said->verdict, IL__VERDICT_NONE, "an edit that can be taken back needs nobody");
    static const enum il__class asked[] = { IL__CLASS_DESTRUCTIVE, IL__CLASS_FINANCIAL, IL__CLASS_PRIVILEGE_CHANGE,
                                            IL__CLASS_COMMUNICATE_EXTERNAL };
    int before = envelope->action_class;
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        size_t count;
        envelope->action_class = (int)asked[i];
        said = evaluate(set, IL__PHASE_PREVIEW, &count);
        tap_ok(said->verdict == IL__VERDICT_ASK && said->approvers == 2 && said->timeout_ms == 3600000,
               "%s needs two people within an hour", il__class_names[asked[i]]);
    }
    envelope->action_class = before;
    il__policy_set_free(set);
}

int main(void)
{
    struct il_error err = IL_ERROR_INIT;
    fake_start();
    il__arena_init(&arena, &fake.mem);
    struct il__lua_workflows_options options = { &fake.mem, &fake.clock };
    if (il__lua_workflows_new(&options, &workflows, &err)) return 1;
    int recipes = page_blocks("policies/README.md", try_block), examples = page_blocks("lua/README.md", try_block);
    tap_ok(recipes >= 6 && examples >= 5, "both pages have examples (%d, %d)", recipes, examples);
    test_names();
    test_office_hours();
    test_two_person();
    driver_close();
    il__lua_workflows_free(workflows);
    il__arena_clear(&arena);
    tap_ok(fake_end(), "all memory is given back");
    return tap_done();
}
