"""Tells what it was started with: environment, descriptors, signals, group, directory."""
import json
import os
import signal

import mcp


def call(request):
    ignored = [s.name for s in signal.Signals if signal.getsignal(s) == signal.SIG_IGN]
    with open("/proc/self/status", encoding="ascii") as status:
        masks = dict(line.split(":\t") for line in status.read().splitlines() if line.startswith("Sig"))
    fds = [int(f) for f in os.listdir("/proc/self/fd")]
    mcp.text(request, json.dumps({"env": dict(os.environ), "fds": sorted(fds), "ignored": ignored,
                                  "ign": masks["SigIgn"], "blk": masks["SigBlk"], "group": os.getpgrp() == os.getpid(),
                                  "cwd": os.getcwd()}))


mcp.serve(call)
