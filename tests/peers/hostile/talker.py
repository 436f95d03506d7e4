"""Writes 1 MiB to stderr before each answer, and waits until it is read."""
import sys

import mcp


def flood():
    for _ in range(16384):
        sys.stderr.write("a line of the log of this server, 63 characters and a line feed\n")
    sys.stderr.flush()


def greet(request):
    flood()
    mcp.hello(request)


def call(request):
    flood()
    mcp.echo(request)


mcp.serve(call, greet)
