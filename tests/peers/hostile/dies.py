"""Dies in the middle of a call: by a signal, with a status, or in the middle of its answer."""
import os
import signal
import sys

import mcp


def call(request):
    how = sys.argv[1]
    if how == "half":
        mcp.raw(b'{"result":{"content":[')
    if how == "answered":
        mcp.echo(request)
    if how == "signal":
        os.kill(os.getpid(), signal.SIGSEGV)
    os._exit(3)


if sys.argv[1] == "deafened":  # stays, but nobody can write to it any more
    mcp.hello(next(mcp.requests()))
    os.close(0)
    mcp.send({"jsonrpc": "2.0", "id": 0, "method": "ping"})
    signal.pause()
if sys.argv[1] == "closes":  # stays, but has closed its stdin and its stdout
    mcp.hello(next(mcp.requests()))
    os.close(0)
    os.close(1)
    signal.pause()
mcp.serve(call)
