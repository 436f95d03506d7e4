-- Looks at nothing before it acts: for a server whose durable receipts leave the results of observations out.
return function(run)
  local preview = run:preview()
  if preview.blocked then return run:block() end
  run:reserve()
  run:acquire_lease()
  run:execute()
  return run:verify()
end
