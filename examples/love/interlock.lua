-- libinterlock for LuaJIT's ffi: what a small host needs of interlock.h, and functions that raise the library's own
-- message in place of a code.

local ffi = require "ffi"

ffi.cdef [[
typedef struct il_host il_host;
typedef struct il_run il_run;
struct il_str { const char *ptr; size_t len; };
struct il_error {
  int code; char step[32], object[32], field[192], expected[160], actual[160], message[400];
  int cleanup_code; char cleanup_step[32], cleanup_message[240];
};
struct il_host_options {
  size_t size; void *callbacks[12]; size_t memory_bytes; uint32_t numbers[8]; bool flags[3];
  struct il_str host_name, boot_id, kill_switch;
};
struct il_run_options {
  size_t size; struct il_str proposal, principal, tenant; const struct il_str *scopes; size_t scope_count;
  struct il_str session_id, agent_id, execution_group_id, workflow_name, workflow_source, identity_expires_at,
      identity_token;
};
struct il_file { struct il_str path, bytes; };
struct il_decision {
  size_t size; struct il_str request_id, action_digest, policy_digest, proposal_digest, approver, decision, reason,
      signed_json; bool last_word;
};
struct il_tick {
  size_t size; uint32_t moving, queued, waiting, in_flight; bool more; int64_t next_deadline_ms;
};
const char *il_code_name(int code);
const char *il_version(void);
int il_host_new(const struct il_host_options *options, il_host **out, struct il_error *err);
void il_host_free(il_host *host);
int il_host_set_runtime_simulated(il_host *host, struct il_str options_json, struct il_error *err);
int il_host_add_bundle(il_host *host, const struct il_file *files, size_t count, struct il_str params_json,
                       struct il_error *err);
int il_host_add_approver(il_host *host, struct il_str id, const struct il_str *roles, size_t role_count,
                         struct il_error *err);
int il_host_tick(il_host *host, uint32_t budget_us, struct il_tick *out, struct il_error *err);
int il_run_start(il_host *host, const struct il_run_options *options, il_run **out, struct il_error *err);
int il_run_state(const il_run *run);
int il_run_document(il_run *run, struct il_str *out, struct il_error *err);
int il_run_card(il_run *run, struct il_str *out, char *digest_hex, struct il_error *err);
int il_run_decide(il_run *run, const struct il_decision *decision, struct il_error *err);
void il_run_free(il_run *run);
]]

local interlock = { QUEUED = 0, MOVING = 1, WAITING = 2, ENDED = 3 }
local library

function interlock.load(path)
  library = ffi.load(path)
  interlock.library = library
  return ffi.string(library.il_version())
end

-- A text as the library takes it. It is borrowed: what was lent lives until the call that it is for is over.
local lent = {}
local function text(value)
  lent[#lent + 1] = value
  return ffi.new("struct il_str", { value, #value })
end

local function copied(str)
  return str.ptr ~= nil and ffi.string(str.ptr, str.len) or nil
end

local function call(name, ...)
  local err = ffi.new "struct il_error"
  local arguments = { ... }
  arguments[#arguments + 1] = err
  local code = library[name](unpack(arguments))
  lent = {}
  if code ~= 0 then error(ffi.string(library.il_code_name(code)) .. ": " .. ffi.string(err.message), 3) end
end

-- A struct of options, its size as the header's _INIT says; texts are given as Lua strings.
local function options(kind, members)
  local struct = ffi.new("struct " .. kind)
  struct.size = ffi.sizeof(struct)
  for name, value in pairs(members or {}) do struct[name] = type(value) == "string" and text(value) or value end
  return struct
end

-- ---- hosts ----------------------------------------------------------------------------------------------------------

local Host, Run = {}, {}
Host.__index, Run.__index = Host, Run

function interlock.host()
  local out = ffi.new "il_host *[1]"
  call("il_host_new", options "il_host_options", out)
  local host = setmetatable({ tick_out = options "il_tick" }, Host)
  host.handle = ffi.gc(out[0], library.il_host_free)
  return host
end

function Host:simulate(json)
  call("il_host_set_runtime_simulated", self.handle, text(json))
end

-- A policy bundle from memory: {path = bytes}.
function Host:add_bundle(files)
  local list, count = ffi.new "struct il_file[16]", 0
  for path, bytes in pairs(files) do
    list[count].path, list[count].bytes = text(path), text(bytes)
    count = count + 1
  end
  call("il_host_add_bundle", self.handle, list, count, ffi.new "struct il_str")
end

function Host:add_approver(id)
  call("il_host_add_approver", self.handle, text(id), ffi.new "struct il_str[1]", 0)
end

-- At most `budget_us` of work; whether more is left.
function Host:tick(budget_us)
  call("il_host_tick", self.handle, budget_us, self.tick_out)
  return self.tick_out.more
end

function Host:start(principal, session, json)
  local names = { "computer:plan", "computer:execute:background" }
  local scopes = ffi.new("struct il_str[2]", { text(names[1]), text(names[2]) })
  local out = ffi.new "il_run *[1]"
  call("il_run_start", self.handle, options("il_run_options", {
    proposal = json, principal = principal, session_id = session, scopes = scopes, scope_count = 2,
  }), out)
  return setmetatable({ host = self, handle = out[0] }, Run)
end

-- A function that moves a run to its end without a single new object of this Lua.
function interlock.mover(host, run)
  local handle, tick, err, one, state = host.handle, host.tick_out, ffi.new "struct il_error", run.handle, 0
  local function step()
    for _ = 1, 1000 do
      library.il_host_tick(handle, 1000, tick, err)
      state = library.il_run_state(one)
      if state == interlock.ENDED then return end
    end
  end
  return step
end

-- ---- runs -----------------------------------------------------------------------------------------------------------

function Run:state() return library.il_run_state(self.handle) end

function Run:document()
  local out = ffi.new "struct il_str"
  call("il_run_document", self.handle, out)
  return copied(out)
end

function Run:card()
  local out, digest = ffi.new "struct il_str", ffi.new "char[65]"
  call("il_run_card", self.handle, out, digest)
  return copied(out)
end

-- `what` is "approve" or "deny". What the person was shown stands in the waiting document.
function Run:decide(approver, what)
  local shown, members = self:document(), { approver = approver, decision = what, reason = "seen on the card" }
  local names = { request_id = "requestId", action_digest = "actionDigest", policy_digest = "policyDigest" }
  for name, member in pairs(names) do
    members[name] = shown:match('"' .. member .. '":"([^"]*)"')
  end
  call("il_run_decide", self.handle, options("il_decision", members))
end

return interlock
