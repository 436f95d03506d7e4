/* Workflows in Lua (workflow.h): the object `run`, its verbs, and what each verb gives back. A verb notes what is asked
 * for and yields; the engine answers by resuming, and the answer is read from the engine's facts alone.
 * Must never show the id of a grant, nor anything that was not accepted. */
#include "script/workflow.h"

#include "base/error.h"
#include "contract/lease.h"
#include "contract/receipt.h"
#include "contract/reservation.h"
#include "run/facts.h"
#include "script/embedded.h"
#include "script/seen.h"
#include "script/state.h"
#include "script/value.h"
#include "script/view.h"

/* Views of one observation die when the same thing is observed again; all others live as long as the script. */
enum { SLOT_RUN, SLOT_CAPABILITIES, SLOT_VISUAL, SLOT_SEMANTIC };

struct il__lua_workflows {
    struct il__mem *mem;
    const struct il__clock *clock;
    char *name, *source; /* the default, NUL-terminated copies; NULL: the embedded one */
    size_t name_len, source_len;
};

/* One open workflow. */
struct opened {
    struct il__mem *mem;
    struct il_run *run; /* NULL while a file is only checked */
    struct il__sandbox *sb;
    char file[96];      /* the name of the script in messages */
    int self;           /* the object `run`, a reference */
    bool begun;
    struct il__ask ask; /* what the script asked for last */
    struct il__preview_seen preview;
    struct il__outcome_seen outcome;
    struct il__granted_seen granted;
};

static struct opened *opened_of(lua_State *L)
{
    return il__sandbox_host(L);
}

/* ---- verbs: what is asked for ------------------------------------------------------------------------------------ */

static int ask(lua_State *L, enum il__verb verb, const char *name)
{
    opened_of(L)->ask = (struct il__ask){ .verb = verb };
    return il__sandbox_yield(L, name);
}

static unsigned observation(lua_State *L, int idx)
{
    struct il_str name = il__arg_str(L, idx, "run:observe");
    if (il__str_eq(name, IL_STR("capabilities"))) return IL__SEE_CAPABILITIES;
    if (il__str_eq(name, IL_STR("visual"))) return IL__SEE_VISUAL;
    if (il__str_eq(name, IL_STR("semantic"))) return IL__SEE_SEMANTIC;
    char shown[80];
    il__escape(shown, sizeof shown, name);
    luaL_error(L, "run:observe knows no \"%s\"; write \"capabilities\", \"visual\" or \"semantic\"", shown);
    return 0;
}

static int run_observe(lua_State *L)
{
    il__object_method(L, &il__run_object, "observe", 3);
    unsigned see = 0;
    for (int i = 2; i <= lua_gettop(L); i++) see |= observation(L, i);
    if (see == 0) return luaL_error(L, "say what to observe: run:observe(\"capabilities\", \"visual\", \"semantic\")");
    opened_of(L)->ask = (struct il__ask){ .verb = IL__VERB_OBSERVE, .see = see };
    return il__sandbox_yield(L, "run:observe");
}

static int run_preview(lua_State *L)
{
    il__object_method(L, &il__run_object, "preview", 0);
    return ask(L, IL__VERB_PREVIEW, "run:preview");
}

static int run_request_approval(lua_State *L)
{
    il__object_method(L, &il__run_object, "request_approval", 0);
    return ask(L, IL__VERB_APPROVAL, "run:request_approval");
}

static int run_reserve(lua_State *L)
{
    il__object_method(L, &il__run_object, "reserve", 0);
    return ask(L, IL__VERB_RESERVE, "run:reserve");
}

static int run_acquire_lease(lua_State *L)
{
    il__object_method(L, &il__run_object, "acquire_lease", 0);
    return ask(L, IL__VERB_LEASE, "run:acquire_lease");
}

static int run_execute(lua_State *L)
{
    il__object_method(L, &il__run_object, "execute", 0);
    return ask(L, IL__VERB_EXECUTE, "run:execute");
}

static int run_verify(lua_State *L)
{
    il__object_method(L, &il__run_object, "verify", 0);
    return ask(L, IL__VERB_VERIFY, "run:verify");
}

static int run_block(lua_State *L)
{
    il__object_method(L, &il__run_object, "block", 0);
    return ask(L, IL__VERB_BLOCK, "run:block");
}

static int run_deny(lua_State *L)
{
    il__object_method(L, &il__run_object, "deny", 1);
    struct opened *w = opened_of(L);
    if (lua_type(L, 2) != LUA_TSTRING) return luaL_error(L, "run:deny needs the reason: run:deny(\"why\")");
    struct il_str reason = il__arg_str(L, 2, "run:deny");
    if (reason.len == 0) return luaL_error(L, "run:deny needs the reason: run:deny(\"why\")");
    w->ask = (struct il__ask){ .verb = IL__VERB_DENY };
    il__escape(w->ask.reason, sizeof w->ask.reason, reason);
    return il__sandbox_yield(L, "run:deny");
}

static int run_log(lua_State *L)
{
    il__object_method(L, &il__run_object, "log", 1);
    struct il_str text = il__arg_str(L, 2, "run:log");
    il__sandbox_log(L, IL_LOG_INFO, text.ptr, text.len);
    return 0;
}

/* ---- what a verb gives back -------------------------------------------------------------------------------------- */

static void push_observed(lua_State *L, const struct opened *w, unsigned see, unsigned slot, const char *name)
{
    struct il__any any = il__facts_observed(w->run, see);
    if (!any.doc) return;
    il__view_slot(w->sb, slot);
    il__view_push_json(L, any.doc, any.at);
    il__view_slot(w->sb, SLOT_RUN);
    lua_setfield(L, -2, name);
}

static int push_observations(lua_State *L, const struct opened *w)
{
    lua_createtable(L, 0, 3);
    push_observed(L, w, IL__SEE_CAPABILITIES, SLOT_CAPABILITIES, "capabilities");
    push_observed(L, w, IL__SEE_VISUAL, SLOT_VISUAL, "visual");
    push_observed(L, w, IL__SEE_SEMANTIC, SLOT_SEMANTIC, "semantic");
    il__object_push(L, &il__observed_object, 0);
    return 1;
}

static int push_preview(lua_State *L, struct opened *w)
{
    const struct il__preview *preview = il__facts_preview(w->run);
    if (!preview) {
        lua_pushliteral(L, "run:preview: there is no accepted preview");
        return -1;
    }
    w->preview = (struct il__preview_seen){
        .blocked = il__facts_blocked(w->run),
        .reason = il__facts_block_reason(w->run),
        .waits = il__facts_waits(w->run),
        .route = (int)il__facts_route(w->run),
        .executable = preview->executable,
        .envelope = preview->envelope,
        .policy = preview->policy,
        .capability = preview->capability,
    };
    il__view_push_struct(L, &il__preview_seen_schema, &w->preview);
    return 1;
}

static int push_outcome(lua_State *L, struct opened *w)
{
    const struct il__outcome_detail *o = il__facts_outcome(w->run);
    if (!o) {
        lua_pushliteral(L, "run:verify: there is no outcome");
        return -1;
    }
    w->outcome = (struct il__outcome_seen){ il__str(o->status), o->verified, o->committed, IL_STR_NONE };
    if (o->detail[0]) w->outcome.detail = il__str(o->detail);
    il__view_push_struct(L, &il__outcome_seen_schema, &w->outcome);
    return 1;
}

/* The results of the verb that yielded; -1 raises the text on top there. */
static int push_answer(lua_State *L, void *ctx)
{
    struct opened *w = ctx;
    switch (w->ask.verb) {
    case IL__VERB_OBSERVE: return push_observations(L, w);
    case IL__VERB_PREVIEW: return push_preview(L, w);
    case IL__VERB_VERIFY: return push_outcome(L, w);
    case IL__VERB_APPROVAL:
        w->granted.granted = true;
        il__view_push_struct(L, &il__granted_seen_schema, &w->granted);
        return 1;
    case IL__VERB_RESERVE: il__view_push_struct(L, &il__reservation_schema, il__facts_reservation(w->run)); return 1;
    case IL__VERB_LEASE: il__view_push_struct(L, &il__lease_schema, il__facts_lease(w->run)); return 1;
    case IL__VERB_EXECUTE: il__view_push_struct(L, &il__receipt_seen_schema, il__facts_receipt(w->run)); return 1;
    case IL__VERB_BLOCK:
    case IL__VERB_DENY:
    case IL__VERB_COUNT: break;
    }
    lua_pushliteral(L, "the run has ended");
    return -1;
}

/* ---- opening and running ----------------------------------------------------------------------------------------- */

static void set_text(lua_State *L, const char *name, struct il_str s)
{
    if (!il__str_present(s)) return;
    lua_pushlstring(L, s.ptr, s.len);
    lua_setfield(L, -2, name);
}

/* Makes the object `run`; runs protected. */
static void make_run(lua_State *L, void *ctx)
{
    struct opened *w = ctx;
    const struct il__proposal *proposal = il__facts_proposal(w->run);
    lua_createtable(L, 0, 16);
    set_text(L, "id", il__facts_id(w->run));
    set_text(L, "action_id", il__facts_action_id(w->run));
    set_text(L, "session_id", il__facts_session_id(w->run));
    set_text(L, "principal", il__facts_principal(w->run));
    set_text(L, "agent", il__facts_agent(w->run));
    lua_pushstring(L, il__mode_names[proposal->mode]);
    lua_setfield(L, -2, "mode");
    il__view_push_struct(L, &il__proposal_schema, proposal);
    lua_setfield(L, -2, "action");
    il__object_push(L, &il__run_object, 0);
    w->self = il__sandbox_ref(L);
}

static int push_self(lua_State *L, void *ctx)
{
    il__sandbox_push_ref(L, ((struct opened *)ctx)->self);
    return 1;
}

/* The chunk's result must be the workflow; leaves its reference in `self` of a `struct found`. */
struct found {
    const struct opened *w;
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
    const struct opened *w = ctx;
    (void)level;
    if (w->run) il__facts_log(w->run, line);
}

static void close_opened(void *self)
{
    struct opened *w = self;
    if (!w) return;
    il__sandbox_close(w->sb);
    il__mem_free(w->mem, w, sizeof *w);
}

static enum il_code compile(struct opened *w, struct il_str source, struct il_error *err)
{
    struct il__script_result result;
    struct found found = { w, 0 };
    int chunk;
    if (il__sandbox_load(w->sb, w->file, source, &chunk, &result) != IL__SCRIPT_RETURNED ||
        il__sandbox_call(w->sb, chunk, NULL, take_function, &found, &result) != IL__SCRIPT_RETURNED) {
        return il__script_fail(&result, err);
    }
    if (!w->run) return IL_OK;
    if (il__sandbox_do(w->sb, make_run, w, &result) != IL__SCRIPT_RETURNED ||
        il__sandbox_start(w->sb, found.ref, &result) != IL__SCRIPT_RETURNED) {
        return il__script_fail(&result, err);
    }
    return IL_OK;
}

/* `run` NULL: only checks the file. */
static enum il_code open_source(struct il__lua_workflows *all, struct il_run *run, struct il_str name,
                                struct il_str source, struct opened **out, struct il_error *err)
{
    struct opened *w = il__mem_zalloc(all->mem, 1, sizeof *w);
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
    struct opened *w = self;
    struct il__script_result result;
    if (w->begun && w->ask.verb == IL__VERB_OBSERVE) {
        if (w->ask.see & IL__SEE_CAPABILITIES) il__view_disarm(w->sb, SLOT_CAPABILITIES);
        if (w->ask.see & IL__SEE_VISUAL) il__view_disarm(w->sb, SLOT_VISUAL);
        if (w->ask.see & IL__SEE_SEMANTIC) il__view_disarm(w->sb, SLOT_SEMANTIC);
    }
    il__push_fn push = w->begun ? push_answer : push_self;
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
    struct opened *w = NULL;
    enum il_code code = resolve(all, &name, &source, err);
    if (!code) code = open_source(all, run, name, source, &w, err);
    if (code) return code;
    *ops = &workflow_ops;
    *self = w;
    return IL_OK;
}

struct il__workflows il__lua_workflows_port(struct il__lua_workflows *workflows)
{
    return (struct il__workflows){ port_open, workflows };
}

enum il_code il__lua_workflows_check(struct il__lua_workflows *all, struct il_str name, struct il_str source,
                                     struct il_error *err)
{
    struct opened *w = NULL;
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

static const struct il__member run_members[] = {
    { "observe", "(what, ...) -> observations", 0, run_observe,
      "Observes \"capabilities\", \"visual\" and \"semantic\", those named, side by side." },
    { "preview", "() -> preview", 0, run_preview,
      "Has the runtime preview the action; what comes back is checked before the script sees it." },
    { "request_approval", "() -> {granted}", 0, run_request_approval,
      "Waits until everything that must be granted is; without an open need it returns at once." },
    { "reserve", "() -> reservation or nil", 0, run_reserve, "Reserves the target; nil when the runtime has none." },
    { "acquire_lease", "() -> lease", 0, run_acquire_lease, "Takes the control lease; its id is masked." },
    { "execute", "() -> receipt", 0, run_execute, "The one mutation of the run." },
    { "verify", "() -> outcome", 0, run_verify, "Has the outcome determined from the evidence." },
    { "block", "()", 0, run_block, "Ends the run as blocked, with the preview's reason; does not return." },
    { "deny", "(reason)", 0, run_deny, "Ends the run as blocked, with this reason; does not return." },
    { "log", "(text)", 0, run_log, "Writes a line to the log of the run." },
    { "id", "string", 0, NULL, "The id of the run." },
    { "action", "view of the proposal", 0, NULL, "What was proposed." },
    { "action_id", "string", 0, NULL, "The id that the host gave to the action." },
    { "session_id", "string", 0, NULL, "The session at the runtime." },
    { "principal", "string", 0, NULL, "Who the run acts for." },
    { "agent", "string or nil", 0, NULL, "The agent that proposed." },
    { "mode", "string", 0, NULL, "shadow, background or foreground." },
    { NULL, NULL, 0, NULL, NULL },
};
const struct il__object il__run_object = {
    "run", "One governed action; every verb asks the core, waits, and gives a read-only view back.", run_members, NULL,
    true,
};
