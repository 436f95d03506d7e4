/* Runtimes written in Lua, and the simulated one: what they get, what they can answer, how they fail. */
#include "fake_driver.h"

/* A runtime whose verify is a function with this body. */
static const char *judge(const char *statements, const char *body)
{
    char source[3000];
    snprintf(source, sizeof source, "return { verify = function(request, runtime)\n%s\nend }", statements);
    if (driver_open("mine.lua", source, NULL)) return driver.last.message;
    return driver_call(IL_OP_VERIFY, body);
}

static void test_answers(void)
{
    tap_str(il__str(judge("return request", "{\"a\":[],\"b\":{\"c\":[1,2.5,null]},\"d\":\"x\"}")),
            "{\"a\":[],\"b\":{\"c\":[1,2.5,null]},\"d\":\"x\"}", "a request comes as a table, an answer goes as JSON");
    tap_str(il__str(judge("return nil", "{}")), "null", "nil is null");
    tap_str(il__str(judge("", "{}")), "null", "so is nothing");
    tap_str(il__str(judge("return 'not_started'", "{}")), "\"not_started\"", "a string is a string");
    tap_str(il__str(judge("runtime.fail('lease_not_active', 'no such lease')", "{}")),
            "runtime lease_not_active no such lease", "runtime.fail answers with an error");
    tap_str(il__str(judge("return runtime.failure('policy_denied')", "{}")), "runtime policy_denied ",
            "runtime.failure is the same as a value");
    tap_str(il__str(judge("pcall(runtime.fail, 'a', 'b')\nreturn { ok = true }", "{}")), "{\"ok\":true}",
            "a failure that was caught is none");
    tap_ok(fake_contains(judge("pcall(runtime.fail, 'a', 'b')\nerror('other')", "{}"),
                         "runtime script_error mine.lua:3: other"), "another error after it is told as it is");
    tap_str(il__str(judge("return runtime.lost()", "{}")), "", "a lost answer never comes");
    tap_int(driver_tick(), -1, "and nothing waits for it");
    tap_str(il__str(judge("return runtime.crash()", "{}")), "transport  the runtime is gone", "a crash comes at once");
    tap_str(il__str(judge("return runtime.raw('{\\\"a\\\":')", "{}")), "{\"a\":", "raw bytes go as they are");
    tap_ok(fake_contains(judge("return function() end", "{}"),
                         "the answer of verify must be a table, nil or a value of runtime; it is a function"),
           "anything else is an error that says what to return");
    tap_ok(fake_contains(judge("return { f = print }", "{}"), "the answer of verify: /f: "), "with its place");
    tap_ok(fake_contains(judge("return 1, 2", "{}"), "must be one value; 2 came back"), "one value only");
    tap_ok(fake_contains(judge("return request.nothing.more", "{}"), "runtime script_error mine.lua:2: "),
           "a mistake is a runtime error with file and line");
}

static void test_time(void)
{
    (void)judge("return runtime.later('2s', { late = true })", "{}");
    tap_int((long long)driver.count, 0, "a late answer is not there yet");
    tap_int(driver_tick(), 2000, "tick says when");
    driver_advance(1999);
    tap_int(driver_tick(), 1, "not a millisecond early");
    driver_advance(1);
    tap_int(driver_tick(), -1, "then it comes");
    tap_str(il__str(driver.answers[0].body), "{\"late\":true}", "as it was");
    tap_int((long long)driver.answers[0].token, (long long)driver.tokens, "for its token");
    (void)judge("return runtime.twice({ n = 1 })", "{}");
    tap_int((long long)driver.count, 2, "an answer can come two times");
    (void)judge("return runtime.later('1s', runtime.failure('late_failure', 'x'))", "{}");
    driver_advance(1000);
    (void)driver_tick();
    tap_str(il__str(driver.answers[0].reason), "late_failure", "a failure can be late");
    const char *source =
        "local n = 0 return { verify = function(r, runtime) n = n + 1 return runtime.later(r.after, n) end }";
    tap_int(driver_open("mine.lua", source, NULL), IL_OK, "three at once");
    driver.count = 0;
    tap_int(driver_begin(IL_OP_VERIFY, "{\"after\":\"3s\"}") + driver_begin(IL_OP_VERIFY, "{\"after\":\"1s\"}") +
            driver_begin(IL_OP_VERIFY, "{\"after\":\"1s\"}"), IL_OK, "are begun together");
    driver_advance(5000);
    (void)driver_tick();
    tap_ok(driver.count == 3 && driver.answers[0].body[0] == '2' && driver.answers[1].body[0] == '3' &&
               driver.answers[2].body[0] == '1',
           "and come in the order they are due");
    fake.time.wall_sec = 1796061600;
    fake.time.wall_nsec = 999999; /* below a millisecond */
    tap_str(il__str(judge("return runtime.now() .. ' ' .. runtime.time('+30s') .. ' ' .. runtime.time('-1m')", "{}")),
            "\"2026-11-30T18:00:00.000Z 2026-11-30T18:00:30.000Z 2026-11-30T17:59:00.000Z\"",
            "the clock is the host's");
    fake.time.wall_nsec = 0;
    tap_ok(fake_contains(judge("return runtime.later('soon', 1)", "{}"),
                         "runtime.later: the delay must be a time such as"),
           "a delay that cannot be read");
    tap_ok(fake_contains(judge("return runtime.time('30')", "{}"), "runtime.time needs an offset such as"),
           "nor this offset");
}

static void test_helpers(void)
{
    char first[100];
    snprintf(first, sizeof first, "%s", judge("return runtime.uuid()", "{}"));
    tap_ok(strlen(first) == 38 && first[15] == '4' && strchr("89ab", first[20]), "a uuid is a version 4 one: %s",
           first);
    tap_str(il__str(judge("return runtime.uuid()", "{}")), first, "and the same again in a new runtime");
    tap_str(il__str(judge("return runtime.sha256('abc')", "{}")),
            "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"", "sha256");
    tap_str(il__str(judge("return runtime.json('[1,{\"a\":[]}]')", "{}")), "[1,{\"a\":[]}]", "json");
    tap_ok(fake_contains(judge("return runtime.json('[1,')", "{}"), "script_error mine.lua:2: "),
           "json that does not read");
    tap_str(il__str(judge("return runtime.encode({ b = 1, a = json.array {} })", "{}")),
            "\"{\\\"a\\\":[],\\\"b\\\":1}\"", "encode sorts members");
    (void)judge("runtime.log('hello')", "{}");
    tap_ok(fake_contains(driver.logged, "mine.lua: hello|"), "log lines name the runtime");
    tap_str(il__str(judge(
                "local e = { tool = 'write_clipboard', operation = 'write_clipboard', requestedMode = 'background', "
                "dataLabels = json.array { 'public' } }\nreturn runtime.args_digest(e, { text = 'hi' })",
                "{}")),
            "\"d619de498e5569d3e3a2bd2d489343137f2b2e7ee52fea6ef7eaf274ff96f0de\"", "args_digest");
    tap_str(il__str(judge(
                "local e = { tool = 't', operation = 't', requestedMode = 'shadow', dataLabels = json.array {} }\n"
                "return runtime.args_digest(e, { Upper = 1 }) == nil",
                "{}")),
            "true", "nil where the rule cannot be computed");
    tap_ok(fake_contains(judge("return runtime.noww()", "{}"), "runtime has no member \"noww\"; did you mean \"now\"?"),
           "a typo");
}

static const struct {
    const char *source, *message;
} refused[] = {
    { "return 5", "mine.lua: a runtime file returns a table of functions" },
    { "return {}", "this one is empty" },
    { "return {", "mine.lua:1: " },
    { "return { preview_acton = function() end }",
      "a runtime has no \"preview_acton\"; did you mean \"preview_action\"?" },
    { "return { frobnicate = function() end }", "a runtime has no \"frobnicate\"" },
    { "return { verify = 1 }", "mine.lua: verify must be a function, it is a number" },
    { "require 'nothing'", "no module 'nothing'; there are: interlock." },
    { "error('no')", "mine.lua:1: no" },
};

static void test_loading(void)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        tap_int(driver_open("mine.lua", refused[i].source, NULL), IL_SCRIPT_ERROR, "refused: %s", refused[i].source);
        tap_ok(fake_contains(driver.last.message, refused[i].message), "it says: %s", refused[i].message);
    }
    tap_int(driver_open("mine.lua", "return { verify = function() end }", "{"), IL_DECODE, "options that do not read");
    const char *source =
        "local o, r = ... return { verify = function() return { o.a, r.now() } end, execute_action = print }";
    tap_int(driver_open("mine.lua", source, "{\"a\":7}"), IL_OK, "the file gets options and runtime");
    tap_str(il__str(driver_call(IL_OP_VERIFY, "{}")), "[7,\"2026-11-30T18:00:00.000Z\"]", "as its arguments");
    tap_int(driver.runtime.offers, (1u << IL_OP_VERIFY) | (1u << IL_OP_EXECUTE_ACTION), "it offers what it has");
    tap_ok(fake_contains(driver_call(IL_OP_PREVIEW_ACTION, "{}"), "the runtime has no preview_action"),
           "and nothing else");
    tap_str(il__str(driver.runtime.kind), "lua", "its kind");
    tap_int(driver_open("nowhere", NULL, NULL), IL_INVALID_REQUEST, "a name that is not embedded");
}

static void test_permit(void)
{
    const char *source = "local n = 0 return { execute_action = function() n = n + 1 return { n = n } end }";
    struct il_request request = {
        .size = sizeof request, .op = IL_OP_EXECUTE_ACTION, .token = 1, .body = IL_STR("{}")
    };
    bool open = false;
    struct il__permit permit = { .holds = driver_holds, .ctx = &open };
    if (driver_open("mine.lua", source, NULL)) exit(1);
    tap_int(driver.runtime.ops->begin(driver.runtime.self, &request, &permit, &driver.last), IL_CANCELLED,
            "without its permit nothing is executed");
    driver.count = 0;
    tap_int(driver_tick(), -1, "nor answered");
    open = true;
    il__error_clear(&driver.last);
    tap_int(driver.runtime.ops->begin(driver.runtime.self, &request, &permit, &driver.last), IL_OK, "with it, it is");
    (void)driver_tick();
    tap_str(il__str(driver.answers[0].body), "{\"n\":1}", "for the first time");
    tap_ok(permit.spent, "and the permit is spent");
    tap_ok(driver.runtime.ops->begin(driver.runtime.self, &request, &permit, &driver.last) != IL_OK,
           "a second spend fails");
}

static void test_killed(void)
{
    const char *source =
        "local n = 0 return { verify = function() n = n + 1 return n end, recover = function() "
        "pcall(function() while true do end end) while true do end end, inspect = function() return { n = n } end }";
    struct il__buf buf;
    il__buf_init(&buf, &fake.mem, 0);
    if (driver_open("mine.lua", source, NULL)) exit(1);
    tap_str(il__str(driver_call(IL_OP_VERIFY, "{}")), "1", "it keeps its state");
    tap_str(il__str(driver_call(IL_OP_VERIFY, "{}")), "2", "from call to call");
    tap_int(il__lua_runtime_inspect(driver.runtime.self, &buf, &driver.last), IL_OK, "inspect");
    tap_str(il__buf_get(&buf), "{\"n\":2}", "shows what the runtime wants to show");
    il__buf_clear(&buf);
    tap_ok(fake_contains(driver_call(IL_OP_RECOVER, "{}"), "runtime limit_exceeded "), "a limit ends it");
    tap_ok(fake_contains(driver_call(IL_OP_VERIFY, "{}"), "runtime limit_exceeded "),
           "and every later call is answered so");
    tap_ok(il__lua_runtime_inspect(driver.runtime.self, &buf, &driver.last) != IL_OK, "inspect too");
    il__buf_clear(&buf);
    source = "return { verify = function(r, runtime) for i = 1, 50 do runtime.log('x') end end }";
    if (driver_open("mine.lua", source, NULL)) exit(1);
    for (int i = 0; i < 10; i++) (void)driver_call(IL_OP_VERIFY, "{}");
    tap_str(il__str(driver_call(IL_OP_VERIFY, "{}")), "null", "the limit on log lines is for one call");
}

/* A runtime that keeps `pieces` texts of 256 KiB; what it answered. */
static const char *keeps(int pieces)
{
    char source[300];
    snprintf(source, sizeof source,
             "local kept = {} return { verify = function() for i = 1, %d do kept[i] = ('x'):rep(262144) end "
             "return #kept end }", pieces);
    if (driver_open("mine.lua", source, NULL)) exit(1);
    return driver_call(IL_OP_VERIFY, "{}");
}

static void test_room(void)
{
    int fit = IL__LIMIT_LUA_RUNTIME_MEMORY / 262144;
    tap_str(il__str(keeps(fit - 6)), "58", "it may keep most of lua_runtime_memory");
    tap_ok(fake_contains(keeps(fit), "runtime limit_exceeded "), "and not all of it, and what it takes itself");
    tap_ok(fake_contains(driver_call(IL_OP_VERIFY, "{}"), "script_memory"), "as the memory of a script");
}

static void test_waiting(void)
{
    int n = 0;
    if (driver_open("mine.lua", "return { verify = function(r, runtime) return runtime.later('1h', 1) end }", NULL))
        exit(1);
    while (n < IL__LIMIT_LUA_RUNTIME_WAITING + 10 && driver_begin(IL_OP_VERIFY, "{}") == IL_OK) n++;
    tap_ok(n <= IL__LIMIT_LUA_RUNTIME_WAITING && n > 4000, "answers that wait are bounded (%d)", n);
    tap_int(driver.last.code, IL_LIMIT_EXCEEDED, "by a limit");
    tap_str(il__str(driver.last.field), "lua_runtime_waiting", "with a name");
}

/* Every allocation of loading a runtime and of one operation can fail: refused, or answered, never silent. */
static void test_memory(void)
{
    const char *source =
        "return { execute_action = function(r, runtime) return { a = runtime.json('[1]'), r = r } end }";
    size_t before;
    bool ok = true, done = false;
    int n = 0;
    driver_close();
    for (before = fake.mem.in_use_bytes; !done && n < 200; n++) {
        fake.mem.fail_at = fake.mem.calls + 1 + (uint64_t)n;
        if (driver_open("mine.lua", source, NULL) == IL_OK) {
            const char *got = driver_call(IL_OP_EXECUTE_ACTION, "{\"x\":[1,2,3]}");
            done = strcmp(got, "{\"a\":[1],\"r\":{\"x\":[1,2,3]}}") == 0;
            ok = ok && (done || strstr(got, "no memory") || strstr(got, "out of memory"));
        }
        fake.mem.fail_at = 0;
        driver_close();
        ok = ok && fake.mem.in_use_bytes == before;
    }
    tap_ok(ok && done && n > 8, "memory that is missing is told (%d)", n);
}

int main(void)
{
    fake_start();
    test_answers();
    test_time();
    test_helpers();
    test_loading();
    test_permit();
    test_killed();
    test_room();
    test_waiting();
    test_memory();
    driver_close();
    tap_ok(fake_end(), "all memory is given back");
    return tap_done();
}
