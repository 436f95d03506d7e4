"""Reads nothing: from the start, or with `later` once it has answered initialize."""
import sys
import time

import mcp

if sys.argv[1:] == ["later"]:
    mcp.hello(next(mcp.requests()))
time.sleep(600)
