"""Writes text on stdout: a banner, between messages, and JSON that is no JSON-RPC. With `flood`: for ever; with `long`: one
long line; with `bytes N`: two lines of N bytes in all, their ends aside, before each answer and nothing else."""
import sys

import mcp


def measured(request):
    size = int(sys.argv[2])
    mcp.raw(b"l" * (size // 2) + b"\n" + b"a" * (size - size // 2) + b"\n")
    mcp.echo(request)


def call(request):
    mcp.raw(b'debug: got it\n\n[1,2\n{"level":"info","msg":"calling"}\n[]\n"x"\n\x00\x01\xff\n')
    mcp.echo(request)
    if sys.argv[1:] == ["long"]:
        mcp.raw(b"la" * 1000000 + b"\n")
    while sys.argv[1:] == ["flood"]:
        mcp.raw(b"la la la\n" * 100)


if sys.argv[1:2] == ["bytes"]:
    mcp.serve(measured)
    sys.exit()
mcp.raw(b"Welcome to the server! {\nLoading...\n")
mcp.serve(call)
