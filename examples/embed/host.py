"""A host in Python with a runtime written in Python: the library governs, `act` is what is governed. Run it as
`python3 examples/embed/host.py build/release/libinterlock.so`."""
import datetime
import hashlib
import json
import sys
from ctypes import byref, c_void_p

from interlock import BEGIN, ENDED, HostOptions, Library, RunOptions, Runtime, Str, Tick, new, text

interlock = Library(sys.argv[1])
host, run, clipboard = c_void_p(), c_void_p(), []


def later(seconds):
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return at.isoformat("T", "seconds")


def digest(envelope, arguments):
    """What the envelope binds: src/SPEC.md, args_digest."""
    parts = {"args": arguments, "dataLabels": envelope["dataLabels"], "mode": envelope["requestedMode"],
             "operation": envelope["operation"], "postcondition": None, "provenance": None, "resource": {},
             "target": None, "targetSensitivity": None, "tool": envelope["tool"]}
    values = {k: "undefined" if v is None else json.dumps(v, separators=(",", ":")) for k, v in parts.items()}
    members = ",".join(f'"{k}":{v}' for k, v in values.items())
    return hashlib.sha256(("{" + members + "}").encode()).hexdigest()


def preview(asked):
    proposal = asked["proposal"]
    envelope = {"actionId": asked["actionId"], "sessionId": asked["sessionId"], "principalId": asked["principalId"],
                "tool": proposal["tool"], "operation": proposal["operation"], "actionClass": "edit_reversible",
                "requestedMode": proposal["mode"], "dataLabels": ["unknown"], "reversible": True,
                "externalSideEffect": False, "proposedAt": later(0), "expiresAt": later(60)}
    envelope["argsDigest"] = digest(envelope, proposal["arguments"])
    return {"envelope": envelope, "executable": True,
            "policy": {"decision": "allow", "policyDigest": "sha256:example", "reasons": []},
            "capability": {"appId": "*", "operation": proposal["operation"], "backend": "python", "confidence": 1,
                           "supportedModes": ["background"], "interference": "none", "verificationSource": "none"}}


def lease(asked):
    return {"leaseId": "lease-1", "revision": 1, "sessionId": asked["sessionId"], "principalId": asked["principalId"],
            "kind": asked["kind"], "executionMode": asked["mode"], "state": "active", "expiresAt": later(30),
            "actionBudget": 1, "actionsUsed": 0}


def execute(asked):
    clipboard.append(asked["proposal"]["arguments"]["text"])
    return {"receiptId": "receipt-1", "sessionId": asked["sessionId"], "actionId": asked["actionId"], "attempt": 1,
            "actionDigest": asked["envelope"]["argsDigest"], "status": "committed"}


ACTS = {"preview_action": preview, "acquire_lease": lease, "execute_action": execute, "reserve_target": lambda _: None}


@BEGIN
def begin(_, request, __):
    name, asked = interlock.op_name(request.contents.op), json.loads(str(request.contents.body))
    answer = ACTS.get(name, lambda _: {})(asked)
    interlock.host_complete(host, request.contents.token, text(json.dumps(answer)))
    return 0


interlock.host_new(byref(new(HostOptions)), byref(host))
interlock.host_set_runtime(host, byref(new(Runtime, ops=0xFFFFFFFF, begin=begin)))
scopes = (Str * 2)(text("computer:plan"), text("computer:execute:background"))
action = {"tool": "write_clipboard", "arguments": {"text": "hello from python"}}
interlock.run_start(host, byref(new(RunOptions, proposal=text(json.dumps(action)), principal=text("ada"), scopes=scopes,
                                    scope_count=2, session_id=text("desk-1"))), byref(run))
while interlock.run_state(run) != ENDED:
    interlock.host_tick(host, 1000, byref(new(Tick)))
document = Str()
interlock.run_document(run, byref(document))
print(document)
print("clipboard:", clipboard)
interlock.host_free(host)
