"""Begins each line with a byte order mark and ends it with CR LF; writes byte by byte."""
import json
import sys

import mcp


def send(message):
    for byte in b"\xef\xbb\xbf" + json.dumps(message, ensure_ascii=False).encode() + b"\r\n":
        sys.stdout.buffer.write(bytes([byte]))
        sys.stdout.buffer.flush()


mcp.send = send
mcp.serve(mcp.echo)
