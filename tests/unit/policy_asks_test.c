/* `ctx.limit` and `ctx.history`: what they take, what they say, what is kept of it, and that no failure to answer is
 * taken for an answer. What the core does with it: tests/specs/counts_spec.lua. */
#include "base/limits.h"
#include "fake_run.h"
#include "script/policies.h"

static struct il__policy_set *set;
static struct il__arena arena;
static struct il__said_list said;
static struct il_error last;
static struct il__scene scene;

/* What the world answers. */
static struct {
    int64_t used, wait_ms;         /* of every limit but "free" */
    int64_t count, since_ms;
    bool limit_fails, history_fails, no_memory;
    struct il__history_query query; /* the last one */
    char texts[400];
    int asked;
} world;

static enum il_code limit(const struct il__scene *of, const struct il__claim *claim, struct il__limit_seen *out,
                          struct il_error *err)
{
    (void)of;
    world.asked++;
    if (world.no_memory) return il__fail(err, IL_OUT_OF_MEMORY, "no memory");
    if (world.limit_fails) return il__fail(err, IL_STORE, "the disk is on fire");
    bool is_free = claim->key.len > 5 && memcmp(claim->key.ptr + claim->key.len - 5, "/free", 5) == 0;
    *out = (struct il__limit_seen){ is_free ? 0 : world.used, is_free ? 0 : world.wait_ms };
    return IL_OK;
}

static enum il_code history(const struct il__scene *of, const struct il__history_query *query,
                            struct il__history_seen *out, struct il_error *err)
{
    (void)of;
    world.asked++;
    if (world.history_fails) return il__fail(err, IL_STORE, "the disk is on fire");
    snprintf(world.texts, sizeof world.texts, "%zu:%.*s %zu:%.*s tool=%.*s app=%.*s session=%.*s within=%lld",
             query->outcomes.count, IL_STR_FMT(query->outcomes.count ? query->outcomes.items[0] : IL_STR("")),
             query->classes.count, IL_STR_FMT(query->classes.count ? query->classes.items[0] : IL_STR("")),
             IL_STR_FMT(query->tool), IL_STR_FMT(query->app), IL_STR_FMT(query->session_id),
             (long long)query->within_ms);
    *out = (struct il__history_seen){ world.count, world.since_ms };
    return IL_OK;
}

/* One policy "b/p" whose function of the phase has this body; the first said, or NULL. */
static const struct il__said *judge(enum il__phase phase, const char *level, const char *statements)
{
    static const struct il__vote vote = { .approver = { "approver-1", 10 }, .decision = IL__DECISION_APPROVE };
    static char source[8000], json[400];
    struct il__policy_set_options options = { .mem = &fake.mem, .clock = &fake.clock, .digest = fake.digest };
    snprintf(source, sizeof source, "local policy = require 'interlock.policy'\nreturn policy { name = 'p', %s = "
             "function(action, ctx)\n%s\nend }", il__phase_names[phase], statements);
    snprintf(json, sizeof json, "{\"name\":\"b\",\"version\":\"1\",\"requires\":1,\"policies\":[{\"file\":\"p.lua\","
             "\"level\":\"%s\",\"params\":{\"names\":{\"type\":\"strings\",\"default\":[\"financial\"]}}}]}", level);
    struct il_file files[] = { { { "bundle.json", 11 }, il__str(json) }, { { "p.lua", 5 }, il__str(source) } };
    il__policy_set_free(set);
    set = NULL;
    il__error_clear(&last);
    if (il__policy_set_new(&options, &set, &last) || il__policy_set_add(set, files, 2, IL_STR_NONE, &last)) exit(1);
    il__arena_clear(&arena);
    said = (struct il__said_list){ NULL, 0, &arena };
    scene = *fake_scene(phase, phase == IL__PHASE_APPROVE ? &vote : NULL);
    scene.limit = limit;
    scene.history = history;
    world.asked = 0;
    struct il__policies port = il__policy_set_port(set);
    if (port.evaluate(port.ctx, &scene, &said, &last)) return NULL;
    return said.count ? &said.items[0] : NULL;
}

static void says(const char *statements, const char *message)
{
    const struct il__said *s = judge(IL__PHASE_PREVIEW, "hard", statements);
    tap_ok(s && s->error && s->verdict == IL__VERDICT_DENY && fake_contains(s->reason.ptr ? s->reason.ptr : "",
                                                                            message), "%s: %s", statements, message);
    if (s && s->reason.ptr) tap_note("%.*s", IL_STR_FMT(s->reason));
}

static void holds(const char *statements)
{
    const struct il__said *s = judge(IL__PHASE_PREVIEW, "hard", statements);
    tap_ok(s && s->verdict == IL__VERDICT_NONE, "%s", statements);
    if (s && s->reason.ptr) tap_note("%.*s", IL_STR_FMT(s->reason));
}

static void test_arguments(void)
{
    says("ctx:limit { key = 'a', max = 1, per = '1h' }", "write ctx.limit with a dot: ctx.limit { key = \"edits\"");
    says("ctx.limit('a', 1, '1h')", "ctx.limit takes one table: ctx.limit { key = \"edits\", max = 20");
    says("ctx.limit { max = 1, per = '1h' }", "ctx.limit: key is needed");
    says("ctx.limit { key = '', max = 1, per = '1h' }", "ctx.limit: key must not be empty");
    says("ctx.limit { key = 5, max = 1, per = '1h' }", "ctx.limit: key");
    says("ctx.limit { key = 'a', per = '1h' }", "ctx.limit: max is needed");
    says("ctx.limit { key = 'a', max = 0, per = '1h' }", "ctx.limit: max");
    says("ctx.limit { key = 'a', max = 10001, per = '1h' }", "10000"); /* limit_max */
    holds("ctx.limit { key = 'a', max = 10000, per = '1h' }");
    says("ctx.limit { key = 'a', max = 2.5, per = '1h' }", "ctx.limit: max");
    says("ctx.limit { key = 'a', max = 1 }", "ctx.limit: per is needed");
    says("ctx.limit { key = 'a', max = 1, per = 'hour' }", "ctx.limit: per must be a time such as \"90s\"");
    says("ctx.limit { key = 'a', max = 1, per = '999ms' }", "at least 1000 ms");
    holds("ctx.limit { key = 'a', max = 1, per = 1 }");
    says("ctx.limit { key = 'a', max = 1, per = '32d' }", "at most 2678400 s"); /* kept */
    holds("ctx.limit { key = 'a', max = 1, per = '31d' }");
    says("ctx.limit { key = 'a', max = 1, per = '1h', ovr = 'deny' }", "there is no \"ovr\"; did you mean \"over\"?");
    says("ctx.limit { key = 'a', max = 1, per = '1h', over = 'dny' }", "there is no \"dny\"; did you mean \"deny\"?");
    holds("ctx.limit { key = ('x'):rep(128), max = 1, per = '1h' }");
    says("ctx.limit { key = ('x'):rep(129), max = 1, per = '1h' }", "at most 128 (limit_key_bytes)");
    says("ctx:history {}", "write ctx.history with a dot");
    says("ctx.history('failed')", "ctx.history takes one table");
    says("ctx.history { outcome = 'faild' }", "there is no \"faild\"; did you mean \"failed\"?");
    says("ctx.history { outcome = 'not_sent' }", "there are: verified, unverified, failed, indeterminate");
    says("ctx.history { outcome = {} }", "ctx.history: outcome must be a name or a list of names");
    says("ctx.history { outcome = true }", "ctx.history: outcome must be a name or a list of names");
    says("ctx.history { class = { 'financal' } }", "did you mean \"financial\"?");
    says("ctx.history { class = { 'financial', 7 } }", "ctx.history: class");
    says("ctx.history { tool = '' }", "ctx.history: tool must not be empty");
    says("ctx.history { tool = ('x'):rep(401) }", "(verdict_text_bytes)");
    says("ctx.history { within = '0ms' }", "ctx.history: within");
    says("ctx.history { within = '32d' }", "at most 2678400 s");
    says("ctx.history { session = 'that' }", "ctx.history: session: there is no \"that\"");
    says("ctx.history { windin = '1h' }", "did you mean \"within\"?");
    tap_ok(judge(IL__PHASE_APPROVE, "hard", "ctx.limit { key = 'a', max = 1, per = '1h' }")->error &&
               fake_contains(said.items[0].reason.ptr,
                             "ctx.limit is there in phases propose, preview and execute only; this is approve"),
           "no limits in approve");
    tap_int(judge(IL__PHASE_APPROVE, "hard", "assert(ctx.history {} == 0)")->verdict, IL__VERDICT_NONE, "but history");
}

static void test_answers(void)
{
    world.used = 3, world.wait_ms = 0;
    holds("local l, w = ctx.limit { key = 'a', max = 5, per = '1h' }\n"
          "assert(l == 2 and w == 0 and math.type(l) == 'integer')");
    world.used = 5, world.wait_ms = 1001;
    holds("local l, w = ctx.limit { key = 'a', max = 5, per = '1h', over = 'count' } assert(l == 0 and w == 2)");
    world.used = 9;
    holds("local l = ctx.limit { key = 'a', max = 5, per = '1h', over = 'count' } assert(l == 0)");
    world.count = 0, world.since_ms = -1;
    holds("local n, s = ctx.history {} assert(n == 0 and s == nil)");
    world.count = 4, world.since_ms = 61999;
    holds("local n, s = ctx.history {} assert(n == 4 and s == 61)");
    tap_str(il__str(world.texts), "0: 0: tool= app= session=session-1 within=0", "of this session, of any kind");
    holds("ctx.history { outcome = { 'failed', 'verified' }, class = ctx.params.names, tool = 't', app = 'a', "
          "session = 'any', within = '2m' }");
    tap_str(il__str(world.texts), "2:failed 1:financial tool=t app=a session= within=120000", "as it was asked");
}

static void test_refusals(void)
{
    world.used = 5, world.wait_ms = 1;
    const struct il__said *s = judge(IL__PHASE_PREVIEW, "soft", "\nctx.limit { key = 'a', max = 5, per = '90m' }\n"
                                     "ctx.limit { key = 'free', max = 5, per = '1h' }\n"
                                     "ctx.limit { key = 'b', max = 2, per = '1d' }\nreturn policy.ask('look')");
    tap_int((long long)said.count, 2, "a limit that has none left is a verdict of its own");
    tap_int(s->verdict, IL__VERDICT_ASK, "beside that of the policy");
    tap_int((long long)s->claim_count, 3, "which claims all it asked for");
    tap_str(s->claims[0].key, "b/a", "by the bundle's name");
    s = &said.items[1];
    tap_int(s->verdict, IL__VERDICT_DENY, "it is a deny");
    tap_ok(!s->error && s->level == IL__LEVEL_SOFT, "of its level, and no error");
    tap_str(s->policy, "b/p", "of the same policy");
    tap_str(s->code, "limit", "its code");
    tap_str(s->reason, "limit b/a: 5 of 5 used within 90m; limit b/b: 2 of 2 used within 1d", "why: all of them");
    tap_int(s->line, 4, "and where the first is");
    judge(IL__PHASE_PREVIEW, "hard", "ctx.limit { key = 'a', max = 5, per = '1h', over = 'count' }\n"
          "ctx.limit { key = 'a', max = 5, per = '1h' }");
    tap_int((long long)said.count, 2, "one call that refuses is enough");
    tap_int((long long)said.items[0].claim_count, 1, "for the same limit");
    tap_ok(said.items[0].claims[0].refuses, "which refuses then");
    judge(IL__PHASE_PREVIEW, "hard", "ctx.limit { key = 'a', max = 5, per = '1h' } error 'x'");
    tap_int((long long)said.count, 2, "also when the policy fails later");
    tap_int((long long)said.items[0].claim_count, 1, "its claim stands");
    tap_str(said.items[0].asked,
            "[{\"limit\":\"b/a\",\"max\":5,\"perMs\":3600000,\"used\":5,\"waitMs\":1}]", "and what it was told");
}

static void test_failures(void)
{
    static const char *const caught[] = {
        "pcall(ctx.limit, { key = 'a', max = 1, per = '1h' })", "pcall(ctx.history, {})",
        "local ok = pcall(function() return ctx.history {} end) if ok then error 'no' end return nil",
    };
    world.used = 0;
    world.limit_fails = world.history_fails = true;
    says("ctx.limit { key = 'a', max = 1, per = '1h' }", "ctx.limit could not be answered: the disk is on fire");
    says("ctx.history {}", "ctx.history could not be answered: the disk is on fire");
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) says(caught[i], "could not be answered");
    const struct il__said *s = judge(IL__PHASE_PREVIEW, "advisory", caught[1]);
    tap_ok(s && s->error && il__rule(s, IL__PHASE_PREVIEW, false).verdict == IL__VERDICT_ASK,
           "an advisory policy that could not be answered wants an override, too");
    world.no_memory = true;
    tap_ok(!judge(IL__PHASE_PREVIEW, "hard", caught[0]) && last.code == IL_OUT_OF_MEMORY,
           "want of memory ends the asking");
    world.no_memory = world.limit_fails = world.history_fails = false;
}

/* A call that failed for what it was given has claimed nothing: whoever catches that does not go on uncounted. */
static void test_caught(void)
{
    static const char *const caught[] = {
        "pcall(ctx.limit, { key = ('x'):rep(129), max = 1, per = '1h' })",
        "pcall(ctx.limit, { key = 'a', max = 0, per = '1h' })",
        "pcall(ctx.limit, {})", "pcall(ctx.limit)", "pcall(ctx.history, { outcome = 'faild' })",
        "xpcall(ctx.history, function() end, { app = '' })",
        "pcall(ctx.limit, { key = '', max = 1, per = '1h' }) ctx.limit { key = 'a', max = 5, per = '1h' }",
        "local co = coroutine and coroutine.wrap(function() ctx.limit {} end) pcall(co or ctx.limit)",
    };
    world.used = 0;
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) says(caught[i], "its error was caught");
    says("pcall(ctx.limit, {}) error 'own'", "own");
    const struct il__said *s = judge(IL__PHASE_PREVIEW, "hard", "\n\npcall(ctx.limit, {}) return policy.ask 'x'");
    tap_ok(s && s->error && s->verdict == IL__VERDICT_DENY, "whatever it returns then");
}

static void test_bounds(void)
{
    char text[300];
    snprintf(text, sizeof text, "for i = 1, %d do ctx.history {} end", IL__LIMIT_POLICY_ASKS);
    holds(text);
    snprintf(text, sizeof text, "for i = 1, %d do ctx.history {} end", IL__LIMIT_POLICY_ASKS + 1);
    says(text, "(policy_asks)");
    snprintf(text, sizeof text, "for i = 1, %d do ctx.limit { key = 'k' .. i, max = 1, per = '1h' } end",
             IL__LIMIT_LIMIT_CLAIMS);
    holds(text);
    tap_int((long long)said.items[0].claim_count, IL__LIMIT_LIMIT_CLAIMS, "limit_claims claims");
    says("for i = 1, 70 do pcall(ctx.limit, { key = 'k' .. i, max = 1, per = '1h' }) end", "its error was caught");
    judge(IL__PHASE_PREVIEW, "hard", "for i = 1, 70 do pcall(ctx.limit, { key = 'k' .. i, max = 1, per = '1h' }) end");
    tap_int((long long)said.items[0].claim_count, IL__LIMIT_LIMIT_CLAIMS, "are all there can be");
    tap_int(world.asked, IL__LIMIT_POLICY_ASKS, "and the world is asked no more");
}

/* Memory fails at every place. */
static void test_memory(void)
{
    const char *body = "ctx.history { tool = 't' } ctx.limit { key = 'a', max = 5, per = '1h' } return policy.ask('w')";
    int refused = 0, odd = 0;
    world.used = 5;
    judge(IL__PHASE_PREVIEW, "hard", body);
    struct il__policies port = il__policy_set_port(set);
    for (uint64_t n = 1; n < 2000; n++) {
        il__arena_clear(&arena);
        said = (struct il__said_list){ NULL, 0, &arena };
        fake.mem.fail_at = fake.mem.calls + n;
        enum il_code code = port.evaluate(port.ctx, &scene, &said, &last);
        bool reached = fake.mem.calls >= fake.mem.fail_at;
        fake.mem.fail_at = 0;
        if (!reached) break;
        refused++;
        bool denied = said.count && said.items[0].verdict == IL__VERDICT_DENY;
        odd += code != IL_OUT_OF_MEMORY && !denied && said.count != 2;
    }
    tap_ok(refused >= 5 && !odd, "want of memory at any place never allows (%d places)", refused);
}

int main(void)
{
    fake_start();
    il__arena_init(&arena, &fake.mem);
    test_arguments();
    test_answers();
    test_refusals();
    test_failures();
    test_caught();
    test_bounds();
    test_memory();
    il__arena_clear(&arena);
    il__policy_set_free(set);
    tap_ok(fake_end(), "all memory is given back");
    return tap_done();
}
