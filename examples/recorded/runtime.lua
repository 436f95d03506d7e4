-- One whole action as a computer-use server sent it: what was observed, the preview, the reservation, the lease, the
-- receipt and the two releases, byte for byte. Options: { swap = "preview" | "reservation" | "lease" | "receipt" } puts
-- another session's payload in its place.

local options, runtime = ...

local OURS = "87d94efc-b39f-41cb-aa12-d69b1c15956f"
local OTHERS = "bcc8e04a-0000-4000-8000-000000000000"

local RECORDED = {
  capabilities = '{"capabilities":[{"appId":"org.example.Editor","operation":"press_button","backend":"ax","supporte\z
    dModes":["shadow","foreground"],"interference":"takes_foreground","confidence":0.75,"verificationSource"\z
    :"platform_rule"}]}',
  observed = '{"observation_id":"snap-0","windows":[{"windowId":7,"bundleId":"org.example.Editor","pid":4242,"title"\z
    :"Report.txt","displayId":1,"bounds":{"x":100,"y":80,"width":800,"height":600}},{"windowId":42,"bundleId\z
    ":"org.example.Browser","pid":4300,"title":"Sign in","displayId":1,"bounds":{"x":0,"y":0,"width":1200,"h\z
    eight":900}},{"windowId":99,"bundleId":"org.example.Terminal","pid":4100,"title":"user shell","displayId\z
    ":1,"bounds":{"x":10,"y":10,"width":640,"height":480}}],"frontmostWindowId":99}',
  preview = '{"envelope":{"actionId":"8570b45a-0bc5-4cf2-a326-350d1aff7070","sessionId":"87d94efc-b39f-41cb-aa12-d69\z
    b1c15956f","executionGroupId":"group-1","principalId":"operator-1","agentId":"executor","tool":"left_cli\z
    ck","operation":"left_click","actionClass":"navigate","requestedMode":"foreground","target":{"platform":\z
    "linux","appId":"org.example.Editor","pid":4242,"windowId":7,"displayId":"1","bounds":{"x":100,"y":80,"w\z
    idth":800,"height":600},"observationId":"snap-0","confidence":1,"capturedAt":"2026-11-30T18:00:27.397Z"}\z
    ,"resource":{"targetAppId":"org.example.Editor","targetWindowId":7},"dataLabels":["private"],"postcondit\z
    ion":{"kind":"window","windowId":7,"exists":true},"reversible":true,"externalSideEffect":true,"proposedA\z
    t":"2026-11-30T18:00:27.400Z","expiresAt":"2026-11-30T18:00:57.400Z","argsDigest":"02e1a1341f62a30c28dcb\z
    48266d6e48f29a621d5be13cd87a9d787bb3fb2254d"},"capability":{"appId":"org.example.Editor","operation":"le\z
    ft_click","backend":"physical_input","supportedModes":["shadow","foreground"],"interference":"moves_phys\z
    ical_pointer","confidence":0.75,"verificationSource":"platform_rule"},"policy":{"decision":"allow","poli\z
    cyDigest":"sha256:49ae4257d4460702920e92c22b6812e28993390a3f65767bd72f139c26aee24f","reasons":["allow:na\z
    vigate"]},"executable":true}',
  reservation = '{"reservationId":"28ea336a-d243-4d2e-b0ba-2b86f892fadf","revision":1,"intentId":"8570b45a-0bc5-4cf2\z
    -a326-350d1aff7070","sessionId":"87d94efc-b39f-41cb-aa12-d69b1c15956f","principalId":"operator-1","execu\z
    tionGroupId":"group-1","agentId":"executor","scope":{"appId":"org.example.Editor","windowId":7},"state":\z
    "active","acquiredAt":"2026-11-30T18:00:27.403Z","expiresAt":"2026-11-30T18:00:57.403Z"}',
  lease = '{"leaseId":"1a179ffe-fb11-4c15-ab37-246d67db2738","revision":1,"sessionId":"87d94efc-b39f-41cb-aa12-d69b1\z
    c15956f","principalId":"operator-1","agentId":"executor","kind":"exclusive","executionMode":"foreground"\z
    ,"state":"active","acquiredAt":"2026-11-30T18:00:27.405Z","expiresAt":"2026-11-30T18:00:57.405Z","action\z
    Budget":1,"actionsUsed":0,"boundaries":{"appIds":["org.example.Editor"],"windowIds":[7]}}',
  receipt = '{"receiptId":"b694f3cb-c519-4b6b-adda-1404816d116c","sessionId":"87d94efc-b39f-41cb-aa12-d69b1c15956f",\z
    "actionId":"8570b45a-0bc5-4cf2-a326-350d1aff7070","actionDigest":"02e1a1341f62a30c28dcb48266d6e48f29a621\z
    d5be13cd87a9d787bb3fb2254d","attempt":1,"status":"committed","createdAt":"2026-11-30T18:00:27.408Z","upd\z
    atedAt":"2026-11-30T18:00:27.411Z","result":{"content":[{"type":"text","text":"{\\"ok\\":true}"}],"struc\z
    turedContent":{"ok":true}}}',
  lease_released = '{"lease":{"leaseId":"1a179ffe-fb11-4c15-ab37-246d67db2738","revision":3,"sessionId":"87d94efc-b3\z
    9f-41cb-aa12-d69b1c15956f","principalId":"operator-1","agentId":"executor","kind":"exclusive","execution\z
    Mode":"foreground","state":"released","acquiredAt":"2026-11-30T18:00:27.405Z","expiresAt":"2026-11-30T18\z
    :00:57.405Z","actionBudget":1,"actionsUsed":1,"boundaries":{"appIds":["org.example.Editor"],"windowIds":\z
    [7]}}}',
  reservation_released = '{"reservation":{"reservationId":"28ea336a-d243-4d2e-b0ba-2b86f892fadf","revision":2,"inten\z
    tId":"8570b45a-0bc5-4cf2-a326-350d1aff7070","sessionId":"87d94efc-b39f-41cb-aa12-d69b1c15956f","principa\z
    lId":"operator-1","executionGroupId":"group-1","agentId":"executor","scope":{"appId":"org.example.Editor\z
    ","windowId":7},"state":"released","acquiredAt":"2026-11-30T18:00:27.403Z","expiresAt":"2026-11-30T18:00\z
    :57.403Z","terminalReason":"released"}}',
}

local counts = { effects = 0, reservations = 0, releases = 0, leases = 0, lease_releases = 0 }

local function play(name)
  return function(request)
    local text = RECORDED[name]
    if options.swap == name then text = text:gsub(OURS:gsub("%-", "%%-"), OTHERS) end
    if name == "reservation" then counts.reservations = counts.reservations + 1 end
    if name == "lease" then counts.leases = counts.leases + 1 end
    if name == "receipt" then
      counts.effects = counts.effects + 1
      assert(request.lease.leaseId == runtime.json(RECORDED.lease).leaseId, "execute must carry the lease")
    end
    if name == "lease_released" then counts.lease_releases = counts.lease_releases + 1 end
    if name == "reservation_released" then counts.releases = counts.releases + 1 end
    return runtime.raw(text)
  end
end

return {
  discover_capabilities = play "capabilities",
  observe_visual = play "observed",
  observe_semantic = play "observed",
  preview_action = play "preview",
  reserve_target = play "reservation",
  acquire_lease = play "lease",
  execute_action = play "receipt",
  release_lease = play "lease_released",
  release_target = play "reservation_released",
  inspect = function() return counts end,
}
