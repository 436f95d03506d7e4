-- A workflow of one's own: it looks only at the window tree, and reserves the target before it asks anybody, so that
-- nobody else takes it while a person thinks. What it may not reorder, the core does not let it.

return function(run)
  run:observe("semantic")
  local preview = run:preview()
  if preview.blocked then return run:block() end
  run:reserve()
  if preview.waits then run:request_approval() end
  run:acquire_lease()
  run:execute()
  return run:verify()
end
