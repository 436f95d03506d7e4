#!/bin/bash
# Processes that race for one waiting run, and owners that are stopped (crash.h); a thousand races with LONG=1.
rounds=12 stride=2
[ -n "${LONG:-}" ] && rounds=1000 stride=1
exec "${V:-build/asan}/tests/crash/crash" race "$rounds" "$stride"
