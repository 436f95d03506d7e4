-- The window of the game, and the engine's parts that it does without.
function love.conf(t)
  t.identity = "interlock-example"
  t.window.title = "Interlock in LÖVE"
  t.window.width, t.window.height = 640, 520
  t.modules.audio, t.modules.sound, t.modules.physics, t.modules.joystick = false, false, false, false
end
