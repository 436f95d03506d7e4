/* Drives a Lua runtime in a test: begins one operation, ticks, and gives its answer as text. Included by one .c file
 * per program, behind fake_run.h. */
#ifndef FAKE_DRIVER_H
#define FAKE_DRIVER_H

#include "fake_run.h"
#include "script/lua_runtime.h"

enum { ANSWERS_MAX = 16 };
static struct {
    struct il__runtime runtime;
    struct il_error last;
    struct {
        uint64_t token;
        enum il_code code;
        char body[8000], reason[80], message[300];
    } answers[ANSWERS_MAX];
    size_t count;
    uint64_t tokens;
    char logged[2000], text[9000];
} driver;

FAKE enum il_code driver_complete(void *ctx, const struct il__answer_in *in, struct il_error *err)
{
    (void)ctx;
    if (driver.count == ANSWERS_MAX) exit(1);
    driver.answers[driver.count].token = in->token;
    driver.answers[driver.count].code = in->code;
    snprintf(driver.answers[driver.count].body, sizeof driver.answers[0].body, "%.*s", IL_STR_FMT(in->body));
    snprintf(driver.answers[driver.count].reason, sizeof driver.answers[0].reason, "%.*s", IL_STR_FMT(in->reason));
    snprintf(driver.answers[driver.count].message, sizeof driver.answers[0].message, "%.*s", IL_STR_FMT(in->message));
    driver.count++;
    return driver.count == 5 ? il__fail(err, IL_CONFLICT, "nobody waits") : IL_OK; /* must not disturb the runtime */
}

FAKE void driver_log(void *ctx, enum il_log_level level, const char *line, size_t len)
{
    size_t at = strlen(driver.logged);
    (void)ctx;
    (void)level;
    snprintf(driver.logged + at, sizeof driver.logged - at, "%.*s|", (int)len, line);
}

FAKE void driver_close(void)
{
    if (driver.runtime.ops) driver.runtime.ops->free(driver.runtime.self);
    memset(&driver.runtime, 0, sizeof driver.runtime);
}

/* `source` NULL: the embedded runtime of that name. */
FAKE enum il_code driver_open(const char *name, const char *source, const char *options)
{
    static const struct il__log log_ = { driver_log, NULL };
    driver_close();
    il__error_clear(&driver.last);
    struct il__lua_runtime_options o = {
        .mem = &fake.mem, .clock = &fake.clock, .digest = fake.digest, .log = &log_, .sink = { driver_complete, NULL },
        .name = il__str(name), .source = source ? il__str(source) : IL_STR_NONE,
        .options_json = options ? il__str(options) : IL_STR_NONE, .seed = IL_STR("seed"),
    };
    return il__lua_runtime_new(&o, &driver.runtime, &driver.last);
}

FAKE enum il_code driver_holds(void *ctx, struct il_error *err)
{
    return *(bool *)ctx ? IL_OK : il__fail(err, IL_CANCELLED, "the latch is set");
}

FAKE enum il_code driver_begin(enum il_op op, const char *body)
{
    bool open = true;
    struct il__permit permit = { .holds = driver_holds, .ctx = &open };
    struct il_request request = { .size = sizeof request, .op = op, .token = ++driver.tokens, .body = il__str(body) };
    il__error_clear(&driver.last);
    return driver.runtime.ops->begin(driver.runtime.self, &request, op == IL_OP_EXECUTE_ACTION ? &permit : NULL,
                                     &driver.last);
}

FAKE void driver_advance(int64_t ms)
{
    fake.time.boot_ns += ms * 1000000;
    fake.time.wall_sec += ms / 1000;
}

FAKE int64_t driver_tick(void)
{
    return driver.runtime.ops->tick(driver.runtime.self, 1000000);
}

/* Begins and ticks; the answer's body, or "CODE REASON MESSAGE", or "" when nothing came. Valid until the next call. */
FAKE const char *driver_call(enum il_op op, const char *body)
{
    driver.count = 0;
    if (driver_begin(op, body)) {
        snprintf(driver.text, sizeof driver.text, "refused %s", driver.last.message);
        return driver.text;
    }
    (void)driver_tick();
    if (driver.count == 0) return "";
    if (driver.answers[0].code == IL_OK) return driver.answers[0].body;
    snprintf(driver.text, sizeof driver.text, "%s %s %s", il_code_name(driver.answers[0].code),
             driver.answers[0].reason, driver.answers[0].message);
    return driver.text;
}

#endif
