-- For luacheck: the globals that scripts are offered, and no others.
-- Made by `interlock policy api --format luacheck`, from the sandbox itself.
return {
  std = "interlock",
  max_line_length = 120,
  unused_args = true,
  self = false,
  stds = {
    interlock = {
      read_globals = {
        "assert",
        coroutine = { fields = {
           "create", "isyieldable", "resume", "running", "status", "wrap", "yield",
        } },
        "error",
        "ipairs",
        json = { fields = {
           "array", "kind", "null",
        } },
        log = { fields = {
           "debug", "error", "info", "warn",
        } },
        math = { fields = {
           "abs", "ceil", "floor", "fmod", "huge", "max", "maxinteger", "min", "mininteger", "modf",
           "pi", "random", "sqrt", "tointeger", "type", "ult",
        } },
        "pairs",
        "pcall",
        "print",
        "rawequal",
        "rawget",
        "rawlen",
        "rawset",
        "require",
        "select",
        string = { fields = {
           "byte", "char", "find", "format", "gmatch", "gsub", "len", "lower", "match", "rep",
           "reverse", "sub", "upper",
        } },
        table = { fields = {
           "concat", "insert", "move", "pack", "remove", "sort", "unpack",
        } },
        "tonumber",
        "tostring",
        "type",
        utf8 = { fields = {
           "char", "codepoint", "codes", "len",
        } },
        "xpcall",
      },
    },
  },
}
