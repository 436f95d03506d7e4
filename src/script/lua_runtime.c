/* Runtimes written in Lua (lua_runtime.h): the file is run once, its functions are called by `begin`, and what they
 * return waits here until tick hands it out. */
#include "script/lua_runtime.h"

#include "base/error.h"
#include "script/embedded.h"
#include "script/lua_answer.h"
#include "script/lua_runtime_state.h"
#include "script/near.h"
#include "script/value.h"

#include <stdio.h>

/* ---- loading ----------------------------------------------------------------------------------------------------- */

static void runtime_log_line(void *ctx, enum il_log_level level, struct il_str line)
{
    const struct il__lua_runtime *r = ctx;
    if (r->options.log) il__log(r->options.log, level, "%s: %.*s", r->file, IL_STR_FMT(line));
}

/* The modules that a runtime can require: what lies below lua/interlock/, as "interlock.NAME". */
static enum il_code list_modules(struct il__lua_runtime *r, struct il_error *err)
{
    size_t count = 0;
    for (const struct il__embedded *file = il__embedded_files; file->name; file++) count++;
    struct il__module *items = il__arena_alloc(&r->arena, (count + 1) * sizeof *items);
    if (!items) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a runtime");
    r->modules.items = items;
    for (const struct il__embedded *file = il__embedded_files; file->name; file++) {
        struct il_str path = il__str(file->name), name;
        if (path.len < 15 || memcmp(path.ptr, "interlock/", 10) != 0) continue;
        if (il__arena_str(&r->arena, (struct il_str){ path.ptr, path.len - 4 }, &name)) {
            return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a runtime");
        }
        for (size_t i = 0; i < name.len; i++) {
            if (name.ptr[i] == '/') ((char *)(uintptr_t)name.ptr)[i] = '.'; /* the copy is ours */
        }
        items[r->modules.count++] = (struct il__module){ name, NULL, { file->bytes, file->len }, file->name };
    }
    return IL_OK;
}

/* Runs protected: makes `runtime`. */
static void make_object(lua_State *L, void *ctx)
{
    lua_createtable(L, 0, 0);
    il__object_push(L, &il__runtime_object, 0);
    ((struct il__lua_runtime *)ctx)->object = il__sandbox_ref(L);
}

static int push_options(lua_State *L, void *ctx)
{
    struct il__lua_runtime *r = ctx;
    il__value_push_json(L, &r->request, 0);
    il__sandbox_push_ref(L, r->object);
    return 2;
}

/* The function named `name` of the table at 1 as a reference; 0: there is none. */
static int take_function(lua_State *L, const char *file, const char *name)
{
    if (il__arg_field(L, 1, name) == LUA_TNIL) {
        lua_pop(L, 1);
        return 0;
    }
    if (!lua_isfunction(L, -1))
        luaL_error(L, "%s: %s must be a function, it is a %s", file, name, luaL_typename(L, -1));
    return il__sandbox_ref(L);
}

/* Refuses members that no operation has. */
static void check_members(lua_State *L, const char *file)
{
    struct il_str worst = IL_STR_NONE;
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        lua_pop(L, 1);
        struct il_str key = IL_STR("?");
        bool known = false;
        if (lua_type(L, -1) == LUA_TSTRING) key.ptr = lua_tolstring(L, -1, &key.len);
        for (int op = 0; op < IL_OP_COUNT; op++) known = known || il__str_eq(key, il__str(il_op_name((enum il_op)op)));
        if (known || il__str_eq(key, IL_STR("inspect")) || il__str_eq(key, IL_STR("retain"))) continue;
        if (!worst.ptr || il__str_cmp(key, worst) < 0) worst = key;
    }
    if (!worst.ptr) return;
    struct il__near near = il__near_start(worst);
    for (int op = 0; op < IL_OP_COUNT; op++) il__near_try(&near, il__str(il_op_name((enum il_op)op)));
    char shown[80];
    il__escape(shown, sizeof shown, worst);
    if (near.best.ptr) luaL_error(L, "%s: a runtime has no \"%s\"; did you mean \"%s\"?", file, shown, near.best.ptr);
    luaL_error(L, "%s: a runtime has no \"%s\"; its functions are named like the operations", file, shown);
}

static void take_table(lua_State *L, void *ctx)
{
    struct il__lua_runtime *r = ctx;
    if (lua_gettop(L) != 1 || lua_type(L, 1) != LUA_TTABLE) {
        luaL_error(L, "%s: a runtime file returns a table of functions, { preview_action = function(request, runtime) "
                   "... end, ... }; this one returns %s", r->file, lua_gettop(L) ? luaL_typename(L, 1) : "nothing");
    }
    check_members(L, r->file);
    bool any = false;
    for (int op = 0; op < IL_OP_COUNT; op++) {
        r->functions[op] = take_function(L, r->file, il_op_name((enum il_op)op));
        any = any || r->functions[op];
    }
    if (!any) luaL_error(L, "%s: a runtime file returns a table of functions; this one is empty", r->file);
    r->inspect = take_function(L, r->file, "inspect");
    r->retain = take_function(L, r->file, "retain");
}

static enum il_code load_file(struct il__lua_runtime *r, struct il_str source, struct il_error *err)
{
    struct il__script_result result;
    int chunk;
    struct il_str options = il__str_present(r->options.options_json) ? r->options.options_json : IL_STR("{}");
    enum il_code code = il__json_parse(&r->request, r->options.mem, options, IL__JSON_CONTRACT, err);
    if (code) {
        il__error_object(err, "runtime options");
        return code;
    }
    bool ok = il__sandbox_do(r->sb, make_object, r, &result) == IL__SCRIPT_RETURNED &&
              il__sandbox_load(r->sb, r->file, source, &chunk, &result) == IL__SCRIPT_RETURNED &&
              il__sandbox_call(r->sb, chunk, push_options, take_table, r, &result) == IL__SCRIPT_RETURNED;
    il__json_clear(&r->request);
    return ok ? IL_OK : il__script_fail(&result, err);
}

static const struct il__embedded *embedded_runtime(struct il_str name)
{
    for (const struct il__embedded *file = il__embedded_files; file->name; file++) {
        struct il_str path = il__str(file->name), dir = IL_STR("runtimes/");
        if (path.len != dir.len + name.len + 4 || memcmp(path.ptr, dir.ptr, dir.len) != 0) continue;
        if (memcmp(path.ptr + dir.len, name.ptr, name.len) == 0) return file;
    }
    return NULL;
}

/* ---- calling ----------------------------------------------------------------------------------------------------- */

static int push_request(lua_State *L, void *ctx)
{
    struct il__lua_runtime *r = ctx;
    il__value_push_json(L, &r->request, 0);
    il__sandbox_push_ref(L, r->object);
    return 2;
}

static void take_answer(lua_State *L, void *ctx)
{
    struct il__lua_runtime *r = ctx;
    char what[64];
    snprintf(what, sizeof what, "the answer of %s", il_op_name(r->op));
    il__lua_answer_take(L, what, &r->answer, &r->body);
}

static enum il_code make_room(struct il__lua_runtime *r, struct il_error *err)
{
    if (r->count + 2 > IL__LIMIT_LUA_RUNTIME_WAITING) {
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "runtime", "lua_runtime_waiting", "more than %d answers wait",
                           IL__LIMIT_LUA_RUNTIME_WAITING);
    }
    if (r->count + 2 <= r->cap) return IL_OK;
    size_t cap = r->cap ? 2 * r->cap : 16;
    struct il__lua_waiting *grown =
        il__mem_resize(r->options.mem, r->waiting, r->cap * sizeof *grown, cap * sizeof *grown);
    if (!grown) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for the answers of a runtime");
    r->waiting = grown;
    r->cap = cap;
    return IL_OK;
}

/* Fills one place from r->answer and r->body; there is room. Memory that is missing here is a failed transport: the
 * function has run, so "nothing was sent" would be a lie. */
static void wait_with(struct il__lua_runtime *r, uint64_t token)
{
    struct il__lua_waiting *w = &r->waiting[r->count++];
    memset(w, 0, sizeof *w);
    w->token = token;
    w->due_ms = il__clock_now(r->options.clock).boot_ms + r->answer.delay_ms;
    switch (r->answer.kind) {
    case IL__ANSWER_FAILED: w->code = IL_RUNTIME; break;
    case IL__ANSWER_CRASHED:
    case IL__ANSWER_LOST: w->code = IL_TRANSPORT; break;
    case IL__ANSWER_BODY: w->code = IL_OK; break;
    }
    memcpy(w->reason, r->answer.reason, sizeof w->reason);
    memcpy(w->message, r->answer.message, sizeof w->message);
    if (w->code == IL_TRANSPORT) snprintf(w->message, sizeof w->message, "the runtime is gone");
    if (w->code) return;
    struct il_str body = il__buf_get(&r->body);
    w->body = r->body.code ? NULL : il__mem_alloc(r->options.mem, body.len + 1);
    if (!w->body) {
        w->code = IL_TRANSPORT;
        snprintf(w->message, sizeof w->message, "no memory for the answer");
        return;
    }
    memcpy(w->body, body.ptr ? body.ptr : "", body.len);
    w->body_len = body.len;
}

/* An error of the script: what runtime.fail raised, or a mistake, or a limit. */
static void answer_error(struct il__lua_runtime *r, const struct il__script_result *result)
{
    bool failed = r->failing[0] && strncmp(result->text, r->failing, sizeof r->failing) == 0;
    if (failed && result->end == IL__SCRIPT_ERROR) return; /* r->answer stands */
    enum il_code code = result->end == IL__SCRIPT_KILLED ? IL_LIMIT_EXCEEDED : IL_SCRIPT_ERROR;
    char text[sizeof result->text + sizeof result->file + 24];
    if (result->line > 0) snprintf(text, sizeof text, "%s:%d: %s", result->file, result->line, result->text);
    else snprintf(text, sizeof text, "%s: %s", r->file, result->text);
    memset(&r->answer, 0, sizeof r->answer);
    r->answer.kind = IL__ANSWER_FAILED;
    snprintf(r->answer.reason, sizeof r->answer.reason, "%s", il_code_name(code));
    il__escape(r->answer.message, sizeof r->answer.message, il__str(text));
}

static enum il_code begin(void *self, const struct il_request *request, struct il__permit *permit, struct il_error *err)
{
    struct il__lua_runtime *r = self;
    struct il__script_result result;
    if ((unsigned)request->op >= IL_OP_COUNT || !r->functions[request->op]) {
        return il__fail(err, IL_UNSUPPORTED, "%s: the runtime has no %s", r->file, il_op_name(request->op));
    }
    enum il_code code = make_room(r, err);
    if (!code) code = il__json_parse(&r->request, r->options.mem, request->body, IL__JSON_PAYLOAD, err);
    if (!code && permit) code = il__permit_spend(permit, err);
    if (!code) {
        r->op = request->op;
        r->failing[0] = '\0';
        memset(&r->answer, 0, sizeof r->answer);
        il__buf_reset(&r->body);
        int ref = r->functions[request->op];
        if (il__sandbox_call(r->sb, ref, push_request, take_answer, r, &result) != IL__SCRIPT_RETURNED) {
            answer_error(r, &result);
        }
        if (r->answer.kind != IL__ANSWER_LOST) wait_with(r, request->token);
        if (r->answer.kind != IL__ANSWER_LOST && r->answer.twice) wait_with(r, request->token);
    }
    il__json_clear(&r->request);
    return code;
}

/* The place of what is due first, in the order it was queued; `r->count` when nothing is due by `now_ms`. */
static size_t next_due(const struct il__lua_runtime *r, int64_t now_ms, int64_t *due_ms)
{
    size_t best = r->count;
    *due_ms = INT64_MAX;
    for (size_t i = 0; i < r->count; i++) {
        if (r->waiting[i].due_ms >= *due_ms) continue;
        *due_ms = r->waiting[i].due_ms;
        best = i;
    }
    return *due_ms <= now_ms ? best : r->count;
}

/* False: the engine had no memory for it; it stays, for a later tick. */
static bool hand_out(struct il__lua_runtime *r, size_t at)
{
    struct il__lua_waiting w = r->waiting[at];
    struct il__answer_in answer = {
        .token = w.token, .code = w.code, .body = w.body ? (struct il_str){ w.body, w.body_len } : IL_STR_NONE,
    };
    if (w.code) answer.message = il__str(w.message);
    if (w.reason[0]) answer.reason = il__str(w.reason);
    struct il_error ignored = IL_ERROR_INIT; /* a token that nobody waits for */
    if (r->options.sink.complete(r->options.sink.ctx, &answer, &ignored) == IL_OUT_OF_MEMORY) return false;
    memmove(&r->waiting[at], &r->waiting[at + 1], (r->count - at - 1) * sizeof w);
    r->count--;
    if (w.body) il__mem_free(r->options.mem, w.body, w.body_len + 1);
    return true;
}

static int64_t tick(void *self, uint32_t budget_us)
{
    struct il__lua_runtime *r = self;
    int64_t until = il__clock_us(r->options.clock) + budget_us, due;
    for (;;) {
        int64_t now_ms = il__clock_now(r->options.clock).boot_ms;
        size_t at = next_due(r, now_ms, &due);
        if (at == r->count) return r->count ? due - now_ms : -1;
        if (!hand_out(r, at)) return 1;
        if (il__clock_us(r->options.clock) >= until) return r->count ? 0 : -1;
    }
}

static int push_retained(lua_State *L, void *ctx)
{
    struct il__lua_runtime *r = ctx;
    lua_pushlstring(L, r->action_id.ptr, r->action_id.len);
    il__value_push_json(L, &r->request, 0);
    il__sandbox_push_ref(L, r->object);
    return 3;
}

static enum il_code retain(void *self, struct il_str action_id, struct il_str preview, struct il_error *err)
{
    struct il__lua_runtime *r = self;
    struct il__script_result result;
    if (!r->retain) return IL_OK;
    enum il_code code = il__json_parse(&r->request, r->options.mem, preview, IL__JSON_PAYLOAD, err);
    r->action_id = action_id;
    r->failing[0] = '\0';
    if (!code && il__sandbox_call(r->sb, r->retain, push_retained, NULL, r, &result) != IL__SCRIPT_RETURNED) {
        answer_error(r, &result); /* what runtime.fail said, or what went wrong */
        code = il__fail_at(err, IL_RUNTIME, "runtime", "retain", "%s: retain: %s", r->file, r->answer.message);
    }
    il__json_clear(&r->request);
    return code;
}

static void free_runtime(void *self)
{
    struct il__lua_runtime *r = self;
    if (!r) return;
    struct il__mem *mem = r->options.mem;
    for (size_t i = 0; i < r->count; i++) {
        if (r->waiting[i].body) il__mem_free(mem, r->waiting[i].body, r->waiting[i].body_len + 1);
    }
    if (r->waiting) il__mem_free(mem, r->waiting, r->cap * sizeof *r->waiting);
    il__sandbox_close(r->sb);
    il__json_clear(&r->request);
    il__json_clear(&r->first);
    il__json_clear(&r->second);
    il__buf_clear(&r->body);
    il__buf_clear(&r->text);
    il__arena_clear(&r->arena);
    il__mem_free(mem, r, sizeof *r);
}

static void take_inspect(lua_State *L, void *ctx)
{
    struct il__lua_runtime *r = ctx;
    if (lua_gettop(L) != 1) luaL_error(L, "%s: inspect returns one table", r->file);
    il__value_check_json(L, 1, &r->body, "the answer of inspect");
}

enum il_code il__lua_runtime_inspect(void *self, struct il__buf *out, struct il_error *err)
{
    struct il__lua_runtime *r = self;
    struct il__script_result result;
    if (!r->inspect) return il__fail(err, IL_UNSUPPORTED, "%s: the runtime has no function inspect", r->file);
    il__buf_reset(&r->body);
    if (il__sandbox_call(r->sb, r->inspect, NULL, take_inspect, r, &result) != IL__SCRIPT_RETURNED) {
        return il__script_fail(&result, err);
    }
    enum il_code code = il__buf_check(&r->body, err);
    if (!code) il__buf_str(out, il__buf_get(&r->body));
    return code ? code : il__buf_check(out, err);
}

static enum il_code make(struct il__lua_runtime *r, struct il_error *err)
{
    struct il_str source = r->options.source;
    const struct il__embedded *file = il__str_present(source) ? NULL : embedded_runtime(r->options.name);
    il__escape(r->file, sizeof r->file, file ? il__str(file->name) : r->options.name);
    if (file) source = (struct il_str){ file->bytes, file->len };
    if (!il__str_present(source)) return il__fail(err, IL_INVALID_REQUEST, "no runtime is named \"%s\"", r->file);
    if (il__arena_str(&r->arena, r->options.seed, &r->options.seed)) {
        return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a runtime");
    }
    enum il_code code = list_modules(r, err);
    if (code) return code;
    struct il__sandbox_options options = {
        .mem = r->options.mem,
        .clock = r->options.clock,
        .seed = r->options.seed,
        .log = runtime_log_line,
        .log_ctx = r,
        .modules = &r->modules,
        .host = r,
        .memory_bytes = IL__LIMIT_LUA_RUNTIME_MEMORY,
    };
    r->sb = il__sandbox_open(&options, err);
    return r->sb ? load_file(r, source, err) : IL_OUT_OF_MEMORY;
}

static const struct il__runtime_ops runtime_ops = { begin, NULL, tick, free_runtime, retain };

enum il_code il__lua_runtime_new(const struct il__lua_runtime_options *options, struct il__runtime *out,
                                 struct il_error *err)
{
    struct il__lua_runtime *r = il__mem_zalloc(options->mem, 1, sizeof *r);
    if (!r) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a runtime");
    r->options = *options;
    il__arena_init(&r->arena, options->mem);
    il__buf_init(&r->body, options->mem, IL__LIMIT_VALUE_BYTES);
    il__buf_init(&r->text, options->mem, IL__LIMIT_VALUE_BYTES);
    enum il_code code = make(r, err);
    if (code) {
        free_runtime(r);
        return code;
    }
    memset(out, 0, sizeof *out);
    out->ops = &runtime_ops;
    out->self = r;
    out->kind = options->kind ? options->kind : "lua";
    snprintf(out->address, sizeof out->address, "%s", r->file);
    for (int op = 0; op < IL_OP_COUNT; op++) {
        if (r->functions[op]) out->offers |= 1u << op;
    }
    return IL_OK;
}
