-- The runtime of `--runtime simulated`: a stand-in that acts on nothing. Its options are those of interlock.fake.

local options, runtime = ...
return require "interlock.fake" (options, runtime)
