"""Ends neither at the end of stdin nor by SIGTERM."""
import signal
import time

import mcp

signal.signal(signal.SIGTERM, signal.SIG_IGN)
mcp.serve(mcp.echo)
time.sleep(600)
