#!/bin/bash
# Processes that race for one waiting run, and owners that are stopped (crash.h); a thousand races with LONG=1.
rounds=24 stride=5
[ -n "${LONG:-}" ] && rounds=1000 stride=1
exec "${V:-build/asan}/tests/crash/crash" race "$rounds" "$stride"
