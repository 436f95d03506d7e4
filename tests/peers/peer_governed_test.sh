#!/bin/bash
# The governed tools of the stand-in computer-use server against what is known of the real one: see selftest.mjs.
cd "$(dirname "$0")" || exit 1
if [ ! -d node_modules ]; then
    echo "not ok - tests/peers has its packages (tests/setup.sh test fetches them with npm)"
    echo "1..1"
    exit 1
fi
exec node selftest.mjs governed acting
