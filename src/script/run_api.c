/* The object `run` of workflows: its verbs, and what each verb gives back. A verb notes what is asked for and yields;
 * the engine answers by resuming, and the answer is read from the engine's facts alone.
 * Must never show the id of a grant, nor anything that was not accepted. */
#include "script/run_api.h"

#include "base/error.h"
#include "contract/lease.h"
#include "contract/receipt.h"
#include "contract/reservation.h"
#include "script/state.h"
#include "script/value.h"
#include "script/view.h"

/* Views of one observation die when the same thing is observed again; all others live as long as the script. */
enum { SLOT_RUN, SLOT_CAPABILITIES, SLOT_VISUAL, SLOT_SEMANTIC };

static struct il__opened *opened_of(lua_State *L)
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
    struct il__opened *w = opened_of(L);
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

static void push_observed(lua_State *L, const struct il__opened *w, unsigned see, unsigned slot, const char *name)
{
    struct il__any any = il__facts_observed(w->run, see);
    if (!any.doc) return;
    il__view_slot(w->sb, slot);
    il__view_push_json(L, any.doc, any.at);
    il__view_slot(w->sb, SLOT_RUN);
    lua_setfield(L, -2, name);
}

static int push_observations(lua_State *L, const struct il__opened *w)
{
    lua_createtable(L, 0, 3);
    push_observed(L, w, IL__SEE_CAPABILITIES, SLOT_CAPABILITIES, "capabilities");
    push_observed(L, w, IL__SEE_VISUAL, SLOT_VISUAL, "visual");
    push_observed(L, w, IL__SEE_SEMANTIC, SLOT_SEMANTIC, "semantic");
    il__object_push(L, &il__observed_object, 0);
    return 1;
}

static int push_preview(lua_State *L, struct il__opened *w)
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

static int push_outcome(lua_State *L, struct il__opened *w)
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

int il__run_api_answer(lua_State *L, void *ctx)
{
    struct il__opened *w = ctx;
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

void il__run_api_disarm(struct il__opened *w)
{
    if (w->ask.verb != IL__VERB_OBSERVE) return;
    if (w->ask.see & IL__SEE_CAPABILITIES) il__view_disarm(w->sb, SLOT_CAPABILITIES);
    if (w->ask.see & IL__SEE_VISUAL) il__view_disarm(w->sb, SLOT_VISUAL);
    if (w->ask.see & IL__SEE_SEMANTIC) il__view_disarm(w->sb, SLOT_SEMANTIC);
}

static void set_text(lua_State *L, const char *name, struct il_str s)
{
    if (!il__str_present(s)) return;
    lua_pushlstring(L, s.ptr, s.len);
    lua_setfield(L, -2, name);
}

void il__run_api_make(lua_State *L, void *ctx)
{
    struct il__opened *w = ctx;
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
    { "mode", "mode", 0, NULL, "shadow, background or foreground." },
    { NULL, NULL, 0, NULL, NULL },
};
const struct il__object il__run_object = {
    "run", "One governed action; every verb asks the core, waits, and gives a read-only view back.", run_members, NULL,
    true, false,
};
