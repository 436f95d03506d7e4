#!/bin/sh
# Runs the MCP conformance harness: `run.sh client --command "CMD" --scenario NAME -o DIR` (all arguments are the
# harness's own). It needs node 22, which is installed beside it; its servers are kept on 127.0.0.1.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
node=node
for one in "$here"/node_modules/node-linux-*/bin/node; do
    if [ -x "$one" ]; then node=$one; fi
done
exec "$node" --require "$here/../loopback.cjs" "$here/node_modules/@modelcontextprotocol/conformance/dist/index.js" "$@"
