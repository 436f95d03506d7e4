-- The simulated runtime, less its stops.
local options, runtime = ...
local simulated = require "interlock.fake" (options, runtime)
simulated.pause_session, simulated.stop_session, simulated.emergency_stop = nil, nil, nil
return simulated
