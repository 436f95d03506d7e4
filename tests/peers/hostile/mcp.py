"""What the servers beside this file share: a few lines of MCP over stdin and stdout, no more than the tests need."""
import json
import signal
import sys

signal.alarm(120)  # none outlives a test that died


def raw(data):
    """Bytes as they are."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def send(message):
    raw(json.dumps(message, ensure_ascii=False).encode() + b"\n")


def answer(request, result):
    send({"result": result, "jsonrpc": "2.0", "id": request["id"]})


def text(request, value):
    answer(request, {"content": [{"type": "text", "text": value}]})


def requests():
    """Each message that has an id, until stdin ends."""
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" in message and "method" in message:
            yield message


def hello(request):
    answer(request, {"protocolVersion": request["params"]["protocolVersion"], "capabilities": {"tools": {}},
                     "serverInfo": {"name": "hostile", "version": "1"}})


def serve(call, greet=hello):
    for request in requests():
        if request["method"] == "initialize":
            greet(request)
        elif request["method"] == "tools/list":
            answer(request, {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]})
        else:
            call(request)


def echo(request):
    text(request, request["params"]["arguments"].get("text", ""))
