-- Small helpers over lists, views included.

local list = {}

---True when the list holds the value.
function list.has(items, value)
  for _, item in ipairs(items) do
    if item == value then return true end
  end
  return false
end

return list
