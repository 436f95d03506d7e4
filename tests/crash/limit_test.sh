#!/bin/bash
# Runs on one limit: killed where the store writes, raced for by two processes (crash.h); at every place with LONG=1.
stride=9 rounds=100
[ -n "${LONG:-}" ] && stride=1
exec "${V:-build/asan}/tests/crash/crash" limit "$stride" "$rounds"
