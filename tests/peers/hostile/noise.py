"""Writes text on stdout: a banner, between messages, and JSON that is no JSON-RPC. With `flood`: for ever; with `long`: one
long line."""
import sys

import mcp


def call(request):
    mcp.raw(b'debug: got it\n\n[1,2\n{"level":"info","msg":"calling"}\n[]\n"x"\n\x00\x01\xff\n')
    mcp.echo(request)
    if sys.argv[1:] == ["long"]:
        mcp.raw(b"la" * 1000000 + b"\n")
    while sys.argv[1:] == ["flood"]:
        mcp.raw(b"la la la\n" * 100)


mcp.raw(b"Welcome to the server! {\nLoading...\n")
mcp.serve(call)
