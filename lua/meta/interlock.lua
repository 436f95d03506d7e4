---@meta interlock
-- Types for editors: what scripts are given. Nothing here is ever run.

---@class interlock.Run
---@field id string
---@field action interlock.Proposal
---@field action_id string
---@field session_id string
---@field principal string
---@field agent string?
---@field mode "shadow"|"background"|"foreground"
local Run = {}
---@param what "capabilities"|"visual"|"semantic"
---@param ... "capabilities"|"visual"|"semantic"
---@return interlock.Observations
function Run:observe(what, ...) end
---@return interlock.Preview
function Run:preview() end
---@return { granted: true }
function Run:request_approval() end
---@return table? reservation
function Run:reserve() end
---@return interlock.Lease
function Run:acquire_lease() end
---@return { status: string, receipt_id: string, result: any }
function Run:execute() end
---@return { status: string, verified: boolean, committed: boolean, detail: string? }
function Run:verify() end
---Does not return.
function Run:block() end
---Does not return.
---@param reason string
function Run:deny(reason) end
---@param text string
function Run:log(text) end

---@class interlock.Observations
---@field capabilities any
---@field visual any
---@field semantic any

---@class interlock.Preview
---@field blocked boolean
---@field reason string?
---@field waits boolean
---@field route "blocked"|"approval"|"allowed"
---@field executable boolean
---@field envelope interlock.Envelope
---@field policy interlock.RuntimePolicy
---@field capability interlock.Capability

---@class interlock.RuntimePolicy
---@field decision string
---@field policy_digest string
---@field reasons string[]

---@class interlock.Capability
---@field app_id string
---@field operation string
---@field backend string
---@field supported_modes string[]
---@field interference string
---@field confidence number
---@field verified_at string?
---@field verification_source string

---@class interlock.Proposal
---@field tool string
---@field operation string?
---@field arguments table
---@field mode "shadow"|"background"|"foreground"
---@field target table?
---@field postcondition table?
---@field data_labels string[]?
---@field provenance interlock.Provenance?

---@class interlock.Provenance
---@field untrusted_instruction boolean
---@field source_observation_ids string[]
---@field crosses_data_boundary boolean?

---@class interlock.Envelope : interlock.Proposal
---@field action_id string
---@field session_id string
---@field execution_group_id string?
---@field principal_id string
---@field agent_id string?
---@field action_class string
---@field requested_mode "shadow"|"background"|"foreground"
---@field target_sensitivity table?
---@field resource table?
---@field reversible boolean
---@field external_side_effect boolean
---@field proposed_at string
---@field expires_at string
---@field args_digest string

---@class interlock.Lease
---@field kind string
---@field execution_mode string
---@field action_budget integer
---@field actions_used integer
---@field expires_at string
---@field boundaries { app_ids: string[], window_ids: (string|integer)[], display_ids: string[] }?

---@class interlock.Verdict

---@class interlock.AskOptions
---@field approvers integer?       1 to 16
---@field timeout (string|integer)? "10m", or seconds
---@field roles string[]?
---@field code string?
---@field remedy string?

---@alias interlock.PhaseFunction fun(action: interlock.Envelope, ctx: interlock.Ctx): interlock.Verdict?

---@class interlock.PolicyDefinition
---@field name string
---@field propose (fun(action: interlock.Proposal, ctx: interlock.Ctx): interlock.Verdict?)?
---@field preview interlock.PhaseFunction?
---@field approve interlock.PhaseFunction?
---@field execute interlock.PhaseFunction?

---@class interlock.PolicyModule
---@overload fun(definition: interlock.PolicyDefinition): userdata
local policy = {}
---@param reason string
---@param options interlock.AskOptions?
---@return interlock.Verdict
function policy.ask(reason, options) end
---@param reason string
---@param options { code: string?, remedy: string? }?
---@return interlock.Verdict
function policy.deny(reason, options) end
---@param pattern string
---@param text string
---@return boolean
function policy.glob(pattern, text) end
---@param text string
---@return string? path
---@return string? why
function policy.path(text) end
---@param path string
---@param folder string
---@return boolean
function policy.under(path, folder) end
---@param text string
---@return string? host
---@return string? why
function policy.domain(text) end
---@param text string
---@param pattern string
---@return boolean
function policy.domain_is(text, pattern) end
---@param text string
---@return string
function policy.nfc(text) end
---@param list any[]?
---@param value string|number|boolean
---@return boolean
function policy.has(list, value) end

---@class interlock.Ctx
---@field phase "propose"|"preview"|"approve"|"execute"
---@field time interlock.Time
---@field params table<string, any>
---@field run_id string
---@field session_id string
---@field principal string
---@field agent string?
---@field route ("blocked"|"approval"|"allowed")? preview, approve, execute
---@field reason string?                          preview, approve, execute
---@field capability interlock.Capability?        preview, approve, execute
---@field policy interlock.RuntimePolicy?         preview, approve, execute
---@field decision { approver: string, roles: string[], decision: string, reason: string? }? approve
---@field lease interlock.Lease?                  execute
local ctx = {}
---@param zone string
---@return interlock.Time
function ctx.time_in(zone) end
---Counts this action against a limit. In propose, preview and execute.
---@param options { key: string, max: integer, per: string|integer, over: ("deny"|"count")? }
---@return integer left          units left before this one
---@return integer wait_seconds  until the next is free, 0 when one is
function ctx.limit(options) end
---Counts earlier actions that reached execute.
---@param query interlock.HistoryQuery
---@return integer count
---@return integer? seconds_since_latest
function ctx.history(query) end

---@class interlock.HistoryQuery
---@field outcome (interlock.Outcome|interlock.Outcome[])?
---@field class (string|string[])?
---@field tool string?
---@field app string?
---@field within (string|integer)?
---@field session ("this"|"any")?
---@alias interlock.Outcome "verified"|"unverified"|"failed"|"indeterminate"

---@class interlock.Time
---@field year integer
---@field month integer
---@field day integer
---@field hour integer
---@field minute integer
---@field second integer
---@field weekday string
---@field unix integer
---@field text string
---@field zone string
---@field offset integer

---@class interlock.Answer

---@class interlock.Runtime
local runtime = {}
---@return string
function runtime.now() end
---@param offset string
---@return string
function runtime.time(offset) end
---@return string
function runtime.uuid() end
---@param envelope table
---@param arguments table?
---@return string?
function runtime.args_digest(envelope, arguments) end
---@param text string
---@return string
function runtime.sha256(text) end
---@param text string
---@return any
function runtime.json(text) end
---@param value any
---@return string
function runtime.encode(value) end
---@param text string
function runtime.log(text) end
---Does not return.
---@param reason string
---@param message string?
function runtime.fail(reason, message) end
---@param reason string
---@param message string?
---@return interlock.Answer
function runtime.failure(reason, message) end
---@return interlock.Answer
function runtime.lost() end
---@return interlock.Answer
function runtime.crash() end
---@param text string
---@return interlock.Answer
function runtime.raw(text) end
---@param delay string|integer
---@param answer any
---@return interlock.Answer
function runtime.later(delay, answer) end
---@param answer any
---@return interlock.Answer
function runtime.twice(answer) end

---@alias interlock.Operation fun(request: table, runtime: interlock.Runtime): any

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
