-- The reference workflow: observe, preview, ask, reserve, lease, execute once, verify. The core checks every step, and
-- releases what was taken whatever happens here.

---@param run interlock.Run
return function(run)
  run:observe("capabilities", "visual", "semantic") -- side by side
  local preview = run:preview()
  if preview.blocked then return run:block() end
  if preview.waits then run:request_approval() end -- the runtime's need, a host's, or both
  run:reserve()
  run:acquire_lease()
  run:execute()
  return run:verify()
end
