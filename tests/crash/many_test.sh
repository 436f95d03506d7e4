#!/bin/bash
# Many runs that wait in one file (crash.h): 2 000, or 100 000 with LONG=1.
count=2000
[ -n "${LONG:-}" ] && count=100000
exec "${V:-build/asan}/tests/crash/crash" many "$count"
