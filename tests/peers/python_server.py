"""A server on the official Python SDK (requirements.txt): `python_server.py` over stdio, `python_server.py PORT` over
Streamable HTTP on 127.0.0.1. Its event streams break lines with CR LF, which no server on the JavaScript SDK does. It
acts on nothing."""
import logging
import os
import signal
import sys

from mcp.server.mcpserver import MCPServer

server = MCPServer("python-peer", version="1")


@server.tool()
def add(a: int, b: int) -> int:
    """The sum."""
    return a + b


@server.tool()
def echo(text: str) -> str:
    """The text."""
    return text


@server.tool()
def big(size: int) -> str:
    """So many characters."""
    return "x" * size


@server.tool()
def loud(size: int) -> str:
    """Writes so much to standard error, blocking, before it answers."""
    for _ in range(size // 1024):
        os.write(2, b"e" * 1023 + b"\n")
    return "said"


@server.tool()
def fail() -> str:
    """Always fails."""
    raise ValueError("as you wished")


@server.tool()
def die() -> str:
    """Ends the process in the middle of the call."""
    os.kill(os.getpid(), signal.SIGKILL)
    return "never"


logging.disable(logging.WARNING)
if len(sys.argv) > 1:
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
else:
    server.run("stdio")
