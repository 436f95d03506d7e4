/* Workflows in Lua (workflow.h): which file it is, and how it is opened, resumed and closed. The object `run` is in
 * run_api.c. */
#include "script/workflow.h"

#include "base/error.h"
#include "script/embedded.h"
#include "script/run_api.h"

#include <lauxlib.h>

struct il__lua_workflows {
    struct il__mem *mem;
    const struct il__clock *clock;
    char *name, *source; /* the default, NUL-terminated copies; NULL: the embedded one */
    size_t name_len, source_len;
};

/* ---- opening and running ----------------------------------------------------------------------------------------- */

static int push_self(lua_State *L, void *ctx)
{
    il__sandbox_push_ref(L, ((struct il__opened *)ctx)->self);
    return 1;
}

/* The chunk's result must be the workflow; leaves its reference in `self` of a `struct found`. */
struct found {
    const struct il__opened *w;
    int ref;
};
static void take_function(lua_State *L, void *ctx)
{
    struct found *found = ctx;
    if (lua_gettop(L) != 1 || !lua_isfunction(L, 1) || lua_iscfunction(L, 1)) {
        luaL_error(L, "%s: a workflow file ends with `return function(run) ... end`; this one returns %s",
                   found->w->file, lua_gettop(L) == 0 ? "nothing" : luaL_typename(L, 1));
    }
    lua_pushvalue(L, 1);
    found->ref = il__sandbox_ref(L);
}

static void workflow_log(void *ctx, enum il_log_level level, struct il_str line)
{
    const struct il__opened *w = ctx;
    (void)level;
    if (w->run) il__facts_log(w->run, line);
}

static void close_opened(void *self)
{
    struct il__opened *w = self;
    if (!w) return;
    il__sandbox_close(w->sb);
    il__mem_free(w->mem, w, sizeof *w);
}

static enum il_code compile(struct il__opened *w, struct il_str source, struct il_error *err)
{
    struct il__script_result result;
    struct found found = { w, 0 };
    int chunk;
    if (il__sandbox_load(w->sb, w->file, source, &chunk, &result) != IL__SCRIPT_RETURNED ||
        il__sandbox_call(w->sb, chunk, NULL, take_function, &found, &result) != IL__SCRIPT_RETURNED) {
        return il__script_fail(&result, err);
    }
    if (!w->run) return IL_OK;
    if (il__sandbox_do(w->sb, il__run_api_make, w, &result) != IL__SCRIPT_RETURNED ||
        il__sandbox_start(w->sb, found.ref, &result) != IL__SCRIPT_RETURNED) {
        return il__script_fail(&result, err);
    }
    return IL_OK;
}

/* `run` NULL: only checks the file. */
static enum il_code open_source(struct il__lua_workflows *all, struct il_run *run, struct il_str name,
                                struct il_str source, struct il__opened **out, struct il_error *err)
{
    struct il__opened *w = il__mem_zalloc(all->mem, 1, sizeof *w);
    if (!w) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a workflow");
    w->mem = all->mem;
    w->run = run;
    il__escape(w->file, sizeof w->file, name);
    struct il__sandbox_options options = {
        .mem = all->mem, .clock = all->clock, .log = workflow_log, .log_ctx = w, .host = w,
        .seed = run ? il__facts_id(run) : IL_STR("check"),
    };
    w->sb = il__sandbox_open(&options, err);
    enum il_code code = w->sb ? compile(w, source, err) : IL_OUT_OF_MEMORY;
    if (code) close_opened(w);
    else *out = w;
    return code;
}

static enum il__workflow_event workflow_resume(void *self, struct il__ask *out, struct il_error *err)
{
    struct il__opened *w = self;
    struct il__script_result result;
    if (w->begun) il__run_api_disarm(w);
    il__push_fn push = w->begun ? il__run_api_answer : push_self;
    w->begun = true;
    switch (il__sandbox_resume(w->sb, push, NULL, w, &result)) {
    case IL__SCRIPT_YIELDED: *out = w->ask; return IL__WF_ASKS;
    case IL__SCRIPT_RETURNED: return IL__WF_RETURNED;
    case IL__SCRIPT_ERROR: (void)il__script_fail(&result, err); return IL__WF_FAILED;
    case IL__SCRIPT_KILLED: break;
    }
    (void)il__script_fail(&result, err);
    return IL__WF_KILLED;
}

static const struct il__workflow_ops workflow_ops = { workflow_resume, close_opened };

/* ---- the workflows of a host ------------------------------------------------------------------------------------- */

/* The embedded workflow of that name: "reference" is lua/workflows/reference.lua. */
static const struct il__embedded *embedded_workflow(struct il_str name)
{
    for (const struct il__embedded *file = il__embedded_files; file->name; file++) {
        struct il_str path = il__str(file->name);
        struct il_str dir = IL_STR("workflows/"), ext = IL_STR(".lua");
        if (path.len != dir.len + name.len + ext.len || memcmp(path.ptr, dir.ptr, dir.len) != 0) continue;
        if (memcmp(path.ptr + dir.len, name.ptr, name.len) == 0) return file;
    }
    return NULL;
}

static enum il_code resolve(const struct il__lua_workflows *all, struct il_str *name, struct il_str *source,
                            struct il_error *err)
{
    if (il__str_present(*source)) {
        if (!il__str_present(*name) || name->len == 0) *name = IL_STR("workflow");
        return IL_OK;
    }
    if (!il__str_present(*name) && all->source) {
        *name = (struct il_str){ all->name, all->name_len };
        *source = (struct il_str){ all->source, all->source_len };
        return IL_OK;
    }
    struct il_str wanted = il__str_present(*name) ? *name : IL_STR("reference");
    const struct il__embedded *file = embedded_workflow(wanted);
    if (!file) {
        char shown[80];
        il__escape(shown, sizeof shown, wanted);
        return il__fail(err, IL_INVALID_REQUEST, "no workflow is named \"%s\"; give its source, or name \"reference\"",
                        shown);
    }
    *name = il__str(file->name);
    *source = (struct il_str){ file->bytes, file->len };
    return IL_OK;
}

static enum il_code port_open(void *ctx, struct il_run *run, struct il_str name, struct il_str source,
                              const struct il__workflow_ops **ops, void **self, struct il_error *err)
{
    struct il__lua_workflows *all = ctx;
    struct il__opened *w = NULL;
    enum il_code code = resolve(all, &name, &source, err);
    if (!code) code = open_source(all, run, name, source, &w, err);
    if (code) return code;
    *ops = &workflow_ops;
    *self = w;
    return IL_OK;
}

static enum il_code port_resolve(void *ctx, struct il_str *name, struct il_str *source, struct il_error *err)
{
    return resolve(ctx, name, source, err);
}

struct il__workflows il__lua_workflows_port(struct il__lua_workflows *workflows)
{
    return (struct il__workflows){ port_resolve, port_open, workflows };
}

enum il_code il__lua_workflows_check(struct il__lua_workflows *all, struct il_str name, struct il_str source,
                                     struct il_error *err)
{
    struct il__opened *w = NULL;
    enum il_code code = resolve(all, &name, &source, err);
    if (!code) code = open_source(all, NULL, name, source, &w, err);
    close_opened(w);
    return code;
}

static void drop_default(struct il__lua_workflows *all)
{
    if (all->name) il__mem_free(all->mem, all->name, all->name_len + 1);
    if (all->source) il__mem_free(all->mem, all->source, all->source_len + 1);
    all->name = all->source = NULL;
}

static char *copy_of(struct il__mem *mem, struct il_str s)
{
    char *copy = il__mem_alloc(mem, s.len + 1);
    if (!copy) return NULL;
    if (s.len) memcpy(copy, s.ptr, s.len);
    copy[s.len] = '\0';
    return copy;
}

enum il_code il__lua_workflows_set_default(struct il__lua_workflows *all, struct il_str name, struct il_str source,
                                           struct il_error *err)
{
    enum il_code code = resolve(all, &name, &source, err);
    if (!code) code = il__lua_workflows_check(all, name, source, err);
    if (code) return code;
    char *new_name = copy_of(all->mem, name), *new_source = copy_of(all->mem, source);
    if (!new_name || !new_source) {
        il__mem_free(all->mem, new_name, name.len + 1);
        il__mem_free(all->mem, new_source, source.len + 1);
        return il__fail(err, IL_OUT_OF_MEMORY, "no memory for the workflow");
    }
    drop_default(all);
    all->name = new_name;
    all->name_len = name.len;
    all->source = new_source;
    all->source_len = source.len;
    return IL_OK;
}

enum il_code il__lua_workflows_new(const struct il__lua_workflows_options *options, struct il__lua_workflows **out,
                                   struct il_error *err)
{
    struct il__lua_workflows *all = il__mem_zalloc(options->mem, 1, sizeof *all);
    if (!all) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for workflows");
    all->mem = options->mem;
    all->clock = options->clock;
    *out = all;
    return IL_OK;
}

void il__lua_workflows_free(struct il__lua_workflows *all)
{
    if (!all) return;
    drop_default(all);
    il__mem_free(all->mem, all, sizeof *all);
}
