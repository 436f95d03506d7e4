-- HOST MUST not offer any of these; `require` stands for modules by name and is there only when there are some. [expect=safe]
for _, n in ipairs { "os", "io", "package", "require", "debug", "dofile", "loadfile", "loadstring", "collectgarbage", "module", "setfenv", "getfenv", "newproxy", "warn", "jit", "ffi" } do
  if _ENV[n] ~= nil then return "ESCAPED " .. n end
end
return "SAFE"
