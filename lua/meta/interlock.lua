---@meta interlock.policy
-- Types for editors: what scripts are given. Nothing here is ever run.
-- Made by `interlock policy api --format luals`, from the tables of the bindings.

---When a policy is asked.
---@alias interlock.Phase
---| "propose"
---| "preview"
---| "approve"
---| "execute"

---How an action may show itself.
---@alias interlock.Mode
---| "shadow"
---| "background"
---| "foreground"

---How grave an action is.
---@alias interlock.ActionClass
---| "observe"
---| "navigate"
---| "edit_reversible"
---| "communicate_external"
---| "authentication"
---| "financial"
---| "destructive"
---| "privilege_change"
---| "secret_access"

---The runtime's own route.
---@alias interlock.Route
---| "blocked"
---| "approval"
---| "allowed"

---Whether a field holds secrets.
---@alias interlock.Assessment
---| "sensitive"
---| "non_sensitive"
---| "unknown"

---What an assessment was made from.
---@alias interlock.Signal
---| "secure_role"
---| "secure_subrole"
---| "protected_content"
---| "uia_is_password"
---| "sensitive_label"
---| "ambiguous_match"
---| "element_not_found"
---| "inspection_error"
---| "invalid_field"
---| "native_signal_unavailable"

---What a postcondition looks at.
---@alias interlock.PostconditionKind
---| "ui_element"
---| "filesystem"
---| "registry"
---| "process"
---| "window"

---How an approver may decide.
---@alias interlock.DecisionKind
---| "approve"
---| "deny"
---| "defer"
---| "re-observe"

---A day of the week.
---@alias interlock.Weekday
---| "monday"
---| "tuesday"
---| "wednesday"
---| "thursday"
---| "friday"
---| "saturday"
---| "sunday"

---How an earlier action went.
---@alias interlock.HistoryOutcome
---| "verified"
---| "unverified"
---| "failed"
---| "indeterminate"

---Where the wish for the action came from.
---@class interlock.Provenance
---Whether the instruction came from content that nobody vouches for.
---@field untrusted_instruction boolean
---The observations that led to the action.
---@field source_observation_ids string[]
---Whether data leaves the place it came from.
---@field crosses_data_boundary boolean?

---A rectangle on a display.
---@class interlock.Bounds
---Left edge.
---@field x number
---Upper edge.
---@field y number
---Width.
---@field width number
---Height.
---@field height number

---Where an action is aimed, as it was observed.
---@class interlock.Target
---The system the target is on.
---@field platform string
---The application.
---@field app_id string
---Its process.
---@field pid integer?
---Its window: a text or a number, told apart.
---@field window_id (string|integer)?
---Digest of the window's title.
---@field window_title_digest string?
---The display the window is on.
---@field display_id string?
---The role of the element.
---@field role string?
---Digest of the element's label.
---@field label_digest string?
---Where the element stands.
---@field bounds interlock.Bounds?
---The observation it was seen in.
---@field observation_id string
---Digest of the screenshot.
---@field screenshot_hash string?
---The revision of the tree it was seen in.
---@field ui_tree_revision string?
---How sure the observer is, from 0 to 1.
---@field confidence number
---When it was seen.
---@field captured_at string

---What must hold after the action.
---@class interlock.Postcondition
---What is looked at.
---@field kind interlock.PostconditionKind
---The role of the element.
---@field role string?
---The label of the element.
---@field label string?
---The file, or the registry key.
---@field path string?
---The value below the registry key.
---@field name string?
---The process.
---@field pid integer?
---Always false: the process has ended.
---@field running boolean?
---The window.
---@field window_id integer?
---Whether it must be there.
---@field exists boolean?
---Digest of the value it must have.
---@field value_digest string?
---Digest of the content it must have.
---@field content_digest string?

---Whether the target holds secrets.
---@class interlock.Sensitivity
---Whether it holds secrets.
---@field assessment interlock.Assessment
---What the assessment rests on.
---@field source "accessibility"|"unavailable"
---What was noticed.
---@field signals interlock.Signal[]
---How many fields were looked at.
---@field fields_checked integer
---When that was.
---@field observed_at string

---What the action touches.
---@class interlock.Resource
---The application acted on.
---@field target_app_id string?
---The window acted on.
---@field target_window_id (string|integer)?
---The file acted on.
---@field filesystem_path string?
---Where the file goes.
---@field filesystem_destination string?
---The registry key acted on.
---@field registry_path string?
---The process acted on, by name.
---@field process_name string?
---The process acted on, by number.
---@field process_id integer?
---The web site acted on.
---@field browser_domain string?

---The action as it was proposed.
---@class interlock.Proposal
---What the runtime is asked to use.
---@field tool string
---The tool, or the tool with its mode behind a dot.
---@field operation string?
---What the tool is given; an empty object by default.
---@field arguments table<string, any>
---How the action may show itself; background by default.
---@field mode interlock.Mode
---Where the action is aimed.
---@field target interlock.Target?
---What must hold afterwards.
---@field postcondition interlock.Postcondition?
---What kinds of data the action touches.
---@field data_labels string[]?
---Where the wish to act came from.
---@field provenance interlock.Provenance?

---The action as the runtime fixed it.
---@class interlock.Envelope
---The action.
---@field action_id string
---The runtime's session.
---@field session_id string
---The group of agents that acts together.
---@field execution_group_id string?
---On whose authority the action stands.
---@field principal_id string
---The agent that acts.
---@field agent_id string?
---What the runtime will use.
---@field tool string
---The operation of the tool.
---@field operation string
---How grave the action is.
---@field action_class interlock.ActionClass
---How the action may show itself.
---@field requested_mode interlock.Mode
---Where the action is aimed.
---@field target interlock.Target?
---Whether that place holds secrets.
---@field target_sensitivity interlock.Sensitivity?
---What the action touches.
---@field resource interlock.Resource?
---Where the wish to act came from.
---@field provenance interlock.Provenance?
---What kinds of data the action touches.
---@field data_labels string[]
---What must hold afterwards.
---@field postcondition interlock.Postcondition?
---Whether the action can be taken back.
---@field reversible boolean
---Whether the action reaches beyond the desktop.
---@field external_side_effect boolean
---When it was proposed.
---@field proposed_at string
---When it is void.
---@field expires_at string
---The runtime's digest of what it will do.
---@field args_digest string

---How the runtime would act.
---@class interlock.Capability
---The application.
---@field app_id string
---The operation.
---@field operation string
---What carries the operation out.
---@field backend string
---The modes in which it can.
---@field supported_modes interlock.Mode[]
---How much it disturbs the person at the desktop.
---@field interference string
---How sure the runtime is, from 0 to 1.
---@field confidence number
---When that was last tried.
---@field verified_at string?
---What the confidence rests on.
---@field verification_source string

---What the runtime's own policy says.
---@class interlock.RuntimePolicy
---What the runtime's own policy says.
---@field decision string
---The digest of the runtime's policy.
---@field policy_digest string
---Why, in the runtime's words.
---@field reasons string[]

---What run:preview() gives.
---@class interlock.Preview
---True when the runtime or a policy denied.
---@field blocked boolean
---Why it is blocked.
---@field reason string?
---True when something must be granted before the action.
---@field waits boolean
---The runtime's own route.
---@field route interlock.Route
---Whether the runtime would execute it now.
---@field executable boolean
---The action as it was fixed.
---@field envelope interlock.Envelope
---The runtime's policy decision.
---@field policy interlock.RuntimePolicy
---How it would be done.
---@field capability interlock.Capability

---What run:request_approval() gives.
---@class interlock.Granted
---Always true: a run that is not granted does not go on.
---@field granted boolean

---What a reservation keeps free.
---@class interlock.ReservationScope
---The application.
---@field app_id string
---The window; absent: all of it.
---@field window_id (string|integer)?

---A target that is kept free for the action.
---@class interlock.Reservation
---The reservation.
---@field reservation_id string
---How often it has changed.
---@field revision integer
---The action it was made for.
---@field intent_id string
---The runtime's session.
---@field session_id string
---On whose authority it was made.
---@field principal_id string
---The group it was made for.
---@field execution_group_id string?
---The agent it was made for.
---@field agent_id string?
---What is kept free.
---@field scope interlock.ReservationScope
---Whether it is active.
---@field state string
---When it was made.
---@field acquired_at string
---When it is void.
---@field expires_at string
---Why it ended.
---@field terminal_reason string?

---Where a lease is valid.
---@class interlock.Boundaries
---Applications; empty: any.
---@field app_ids string[]
---Windows; empty: any.
---@field window_ids (string|integer)[]
---Displays; empty: any.
---@field display_ids string[]

---The limits of the control lease; its id is not shown.
---@class interlock.Lease
---cooperative or exclusive.
---@field kind string
---The mode that the lease is for.
---@field execution_mode interlock.Mode
---How many actions it allows.
---@field action_budget integer
---How many of them are used.
---@field actions_used integer
---When it ends.
---@field expires_at string
---Where it is valid.
---@field boundaries interlock.Boundaries?

---What run:execute() gives.
---@class interlock.Receipt
---What the runtime says became of the action.
---@field status "committed"|"rejected"|"interrupted"|"indeterminate"
---The id of the receipt.
---@field receipt_id string
---What the action returned.
---@field result any?

---What run:verify() gives.
---@class interlock.Outcome
---completed, committed_unverified or verification_failed.
---@field status string
---Whether the postcondition was seen to hold.
---@field verified boolean
---Whether the action was committed.
---@field committed boolean
---What is short of verified.
---@field detail string?

---A decision of an approver.
---@class interlock.Decision
---Who decided.
---@field approver string
---The approver's roles.
---@field roles string[]
---approve, deny, defer or re-observe.
---@field decision interlock.DecisionKind
---Why, in the approver's words.
---@field reason string?

---Wall time on some clock.
---@class interlock.Time
---On the clock of the zone: UTC, in ctx.time.
---@field year integer
---1 to 12.
---@field month integer
---1 to 31.
---@field day integer
---0 to 23.
---@field hour integer
---0 to 59.
---@field minute integer
---0 to 59.
---@field second integer
---monday to sunday.
---@field weekday interlock.Weekday
---Seconds since 1970-01-01T00:00:00Z.
---@field unix integer
---RFC 3339.
---@field text string
---What the zone calls this time: UTC, CEST, +02:00.
---@field zone string
---Seconds east of Greenwich.
---@field offset integer

---The action as policies see it after the preview.
---@class interlock.Action : interlock.Envelope
---The same as requested_mode, named as in the proposal.
---@field mode interlock.Mode
---The arguments that execute will send.
---@field arguments table<string, any>

---A verdict, made by policy.ask or policy.deny.
---@class interlock.Verdict

---What `policy { ... }` makes; a policy file returns it.
---@class interlock.Policy

---@class interlock.PolicyDefinition
---@field name string
---@field propose (fun(action: interlock.Proposal, ctx: interlock.CtxPropose): interlock.Verdict?)?
---@field preview (fun(action: interlock.Action, ctx: interlock.CtxPreview): interlock.Verdict?)?
---@field approve (fun(action: interlock.Action, ctx: interlock.CtxApprove): interlock.Verdict?)?
---@field execute (fun(action: interlock.Action, ctx: interlock.CtxExecute): interlock.Verdict?)?

---One governed action; every verb asks the core, waits, and gives a read-only view back.
---@class interlock.Run
---The id of the run.
---@field id string
---What was proposed.
---@field action interlock.Proposal
---The id that the host gave to the action.
---@field action_id string
---The session at the runtime.
---@field session_id string
---Who the run acts for.
---@field principal string
---The agent that proposed.
---@field agent string?
---shadow, background or foreground.
---@field mode interlock.Mode
local Run = {}

---Observes "capabilities", "visual" and "semantic", those named, side by side.
---@param what "capabilities"|"visual"|"semantic"
---@param ... "capabilities"|"visual"|"semantic"
---@return interlock.Observations
function Run:observe(what, ...) end

---Has the runtime preview the action; what comes back is checked before the script sees it.
---@return interlock.Preview
function Run:preview() end

---Waits until everything that must be granted is; without an open need it returns at once.
---@return interlock.Granted
function Run:request_approval() end

---Reserves the target; nil when the runtime has none.
---@return interlock.Reservation?
function Run:reserve() end

---Takes the control lease; its id is masked.
---@return interlock.Lease
function Run:acquire_lease() end

---The one mutation of the run.
---@return interlock.Receipt
function Run:execute() end

---Has the outcome determined from the evidence.
---@return interlock.Outcome
function Run:verify() end

---Ends the run as blocked, with the preview's reason; does not return.
function Run:block() end

---Ends the run as blocked, with this reason; does not return.
---@param reason string
function Run:deny(reason) end

---Writes a line to the log of the run.
---@param text string
function Run:log(text) end

---What was observed last, each as free-form JSON.
---@class interlock.Observations
---What the runtime says it can do; nil when not observed.
---@field capabilities any
---What the screen shows; nil when not observed.
---@field visual any
---The tree of elements; nil when not observed.
---@field semantic any

---@class interlock.AskOptions
---@field approvers integer?
---@field timeout string|integer?
---@field roles string[]?
---@field code string?
---@field remedy string?

---@class interlock.DenyOptions
---@field code string?
---@field remedy string?

---policy { name = ..., PHASE = function(action, ctx) ... end } declares a policy.
---@class interlock.PolicyModule
---@overload fun(definition: interlock.PolicyDefinition): interlock.Policy
local PolicyModule = {}

---Asks for people: how many approvers (1), within what time, of which roles.
---@param reason string
---@param options interlock.AskOptions?
---@return interlock.Verdict
function PolicyModule.ask(reason, options) end

---Denies, with a reason that people read.
---@param reason string
---@param options interlock.DenyOptions?
---@return interlock.Verdict
function PolicyModule.deny(reason, options) end

---Whether the whole text is as the glob says.
---@param pattern string
---@param text string
---@return boolean
function PolicyModule.glob(pattern, text) end

---The canonical text of an absolute path.
---@param text string
---@return string?
---@return string?
function PolicyModule.path(text) end

---Whether the path is the folder or lies below it.
---@param path string
---@param folder string
---@return boolean
function PolicyModule.under(path, folder) end

---The canonical host of a host or a URL.
---@param text string
---@return string?
---@return string?
function PolicyModule.domain(text) end

---Whether the host is example.org, or one below *.example.org.
---@param text string
---@param pattern string
---@return boolean
function PolicyModule.domain_is(text, pattern) end

---The text in Unicode's normalization form C.
---@param text string
---@return string
function PolicyModule.nfc(text) end

---Whether the list has the value; nil has none.
---@param list any[]?
---@param value any
---@return boolean
function PolicyModule.has(list, value) end

---@class interlock.LimitOptions
---@field key string
---@field max integer
---@field per string|integer
---@field over ("deny"|"count")?

---@class interlock.HistoryOptions
---@field outcome interlock.HistoryOutcome|interlock.HistoryOutcome[]|nil
---@field class string|string[]|nil
---@field tool string|string[]|nil
---@field app string|string[]|nil
---@field within string|integer?
---@field session ("this"|"any")?

---What a policy knows beside the action, shaped by the phase.
---@class interlock.Ctx
---propose, preview, approve or execute.
---@field phase interlock.Phase
---The recorded wall time in UTC.
---@field time interlock.Time
---The same time on the clocks of a fixed offset or of a POSIX TZ rule.
---@field time_in fun(zone: string): interlock.Time
---The values of the parameters that bundle.json declares.
---@field params table<string, any>
---The id of the run.
---@field run_id string
---The session at the runtime.
---@field session_id string
---Who the run acts for.
---@field principal string
---The agent that proposed.
---@field agent string?
---Counts earlier actions that were executed, by outcome: verified, unverified, failed, indeterminate.
---@field history fun(options: interlock.HistoryOptions): integer, integer?

---What a policy knows in phase propose.
---@class interlock.CtxPropose : interlock.Ctx
---@field phase "propose"
---Counts this action against a limit: max units of key within per. One unit is consumed when it executes; when none is
---left the action is denied, unless over is "count".
---@field limit fun(options: interlock.LimitOptions): integer, integer

---What a policy knows in phase preview.
---@class interlock.CtxPreview : interlock.Ctx
---@field phase "preview"
---The runtime's own route: blocked, approval or allowed.
---@field route interlock.Route
---Why the runtime blocks it.
---@field reason string?
---How the runtime would do it.
---@field capability interlock.Capability
---What the runtime's own policy says.
---@field policy interlock.RuntimePolicy
---Counts this action against a limit: max units of key within per. One unit is consumed when it executes; when none is
---left the action is denied, unless over is "count".
---@field limit fun(options: interlock.LimitOptions): integer, integer

---What a policy knows in phase approve.
---@class interlock.CtxApprove : interlock.Ctx
---@field phase "approve"
---The runtime's own route: blocked, approval or allowed.
---@field route interlock.Route
---Why the runtime blocks it.
---@field reason string?
---How the runtime would do it.
---@field capability interlock.Capability
---What the runtime's own policy says.
---@field policy interlock.RuntimePolicy
---The decision that is being taken: approver, roles, decision, reason.
---@field decision interlock.Decision

---What a policy knows in phase execute.
---@class interlock.CtxExecute : interlock.Ctx
---@field phase "execute"
---The runtime's own route: blocked, approval or allowed.
---@field route interlock.Route
---Why the runtime blocks it.
---@field reason string?
---How the runtime would do it.
---@field capability interlock.Capability
---What the runtime's own policy says.
---@field policy interlock.RuntimePolicy
---The limits of the control lease; its id is not shown.
---@field lease interlock.Lease
---Counts this action against a limit: max units of key within per. One unit is consumed when it executes; when none is
---left the action is denied, unless over is "count".
---@field limit fun(options: interlock.LimitOptions): integer, integer

---An answer other than a plain value: see the functions of interlock.Runtime.
---@class interlock.Answer

---What the functions of a Lua runtime get beside the request.
---@class interlock.Runtime
local Runtime = {}

---The host's wall time, RFC 3339.
---@return string
function Runtime.now() end

---The host's wall time plus an offset such as "+30s".
---@param offset string
---@return string
function Runtime.time(offset) end

---A fresh id; the same ones in every run with the same seed.
---@return string
function Runtime.uuid() end

---The digest of an action by the runtime's rule; nil where the rule cannot be computed here.
---@param envelope table
---@param arguments table?
---@return string?
function Runtime.args_digest(envelope, arguments) end

---SHA-256 in lowercase hex.
---@param text string
---@return string
function Runtime.sha256(text) end

---Reads a JSON document.
---@param text string
---@return any
function Runtime.json(text) end

---Writes a value as JSON, members sorted.
---@param value any
---@return string
function Runtime.encode(value) end

---Writes a line to the log of the host.
---@param text string
function Runtime.log(text) end

---Raises: the operation is answered with this error.
---@param reason string
---@param message string?
function Runtime.fail(reason, message) end

---The same error as a value to return.
---@param reason string
---@param message string?
---@return interlock.Answer
function Runtime.failure(reason, message) end

---To return: no answer ever comes.
---@return interlock.Answer
function Runtime.lost() end

---To return: the transport fails at once.
---@return interlock.Answer
function Runtime.crash() end

---To return: these bytes are the answer.
---@param text string
---@return interlock.Answer
function Runtime.raw(text) end

---To return: the answer comes after that time.
---@param delay string|integer
---@param answer any
---@return interlock.Answer
function Runtime.later(delay, answer) end

---To return: the answer comes two times.
---@param answer any
---@return interlock.Answer
function Runtime.twice(answer) end

---@alias interlock.Operation fun(request: table, runtime: interlock.Runtime): any

---What a runtime file returns.
---@class interlock.LuaRuntime
---@field discover_capabilities interlock.Operation?
---@field observe_visual interlock.Operation?
---@field observe_semantic interlock.Operation?
---@field preview_action interlock.Operation?
---@field reserve_target interlock.Operation?
---@field release_target interlock.Operation?
---@field acquire_lease interlock.Operation?
---@field release_lease interlock.Operation?
---@field execute_action interlock.Operation?
---@field verify interlock.Operation?
---@field recover interlock.Operation?
---@field pause_session interlock.Operation?
---@field stop_session interlock.Operation?
---@field emergency_stop interlock.Operation?
---@field inspect (fun(): table)?
---@field retain (fun(action_id: string, preview: table, runtime: interlock.Runtime))?

---@class interlock.json
---@field array fun(...): any
---@field kind fun(...): any
---@field null any
json = {}

---@class interlock.log
---@field debug fun(...): any
---@field error fun(...): any
---@field info fun(...): any
---@field warn fun(...): any
log = {}

---@class interlock.Scenario
---@field before any
---@field runtime any
---@field store any
---@field policies any
---@field workflow any
---@field workflow_source any
---@field approvers any
---@field options any
---@field now any
---@field principal any
---@field tenant any
---@field scopes any
---@field session any
---@field agent any
---@field group any
---@field play fun(s: interlock.Scene)

---@class interlock.FakeOptions
---@field principal (string)?
---@field policy (string)?
---@field policy_digest (string)?
---@field grants (table)?
---@field runtime_held (boolean)?
---@field sessions (table)?
---@field envelope (table)?
---@field reservation (table)?
---@field lease (table)?
---@field tools (table)?
---@field world (table)?
---@field latency (string|integer|table)?
---@field verify (boolean)?
---@field receipt_evidence (boolean)?
---@field faults (table)?

---What a scenario plays with.
---@class interlock.Scene
local Scene = {}

---@param proposal any
---@param options any
function Scene:start(proposal, options) end
---@param time any
function Scene:advance(time) end
---@param time any
function Scene:turn_clock(time) end
---@param o any
function Scene:approve(o) end
---@param o any
function Scene:deny(o) end
---@param o any
function Scene:defer(o) end
---@param o any
function Scene:reobserve(o) end
---@param decision any
---@param o any
function Scene:decide(decision, o) end
---@param o any
function Scene:authorize(o) end
---@param records any
function Scene:crash_after(records) end
---@param answer any
---@param o any
function Scene:answer(answer, o) end
---@param reason any
function Scene:cancel(reason) end
---@param o any
function Scene:leave(o) end
---@param o any
function Scene:resume(o) end
---@param kind any
---@param body any
---@param o any
function Scene:letter(kind, body, o) end
---@param o any
function Scene:pause(o) end
---@param o any
function Scene:stop(o) end
function Scene:emergency_stop() end
---@param session any
function Scene:lift(session) end
function Scene:document() end
function Scene:runtime() end
function Scene:events() end
---@param ok any
---@param message any
function Scene:expect(ok, message) end
---@param want any
function Scene:expect_status(want) end
function Scene:expect_waiting() end
---@param want any
function Scene:expect_effect(want) end
---@param want any
function Scene:expect_verified(want) end
---@param want any
function Scene:expect_committed(want) end
---@param want any
function Scene:expect_retry_safe(want) end
---@param want any
function Scene:expect_exit(want) end
---@param want any
function Scene:expect_reason(want) end
---@param part any
function Scene:expect_detail(part) end
function Scene:expect_no_error() end
---@param want any
function Scene:expect_verdicts(want) end
---@param want any
function Scene:expect_error(want) end
---@param want any
function Scene:expect_effects(want) end
---@param want any
function Scene:expect_reservations(want) end
---@param want any
function Scene:expect_releases(want) end
---@param want any
function Scene:expect_leases(want) end
---@param want any
function Scene:expect_lease_releases(want) end
---@param op any
---@param want any
function Scene:expect_calls(op, want) end

---scenario "what must be seen" { runtime = fake {}, play = function(s) ... end }
---@param name string
---@return fun(definition: interlock.Scenario)
function scenario(name) end

---@param options interlock.FakeOptions?
---@return table
function fake(options) end

---@param file any
---@param options any
---@return table
function lua_runtime(file, options) end

---@param answers any
---@param options any
---@return table
function recorded(answers, options) end

return PolicyModule
