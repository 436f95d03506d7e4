#!/bin/bash
# The structure lint over this tree, and its self-test over small bad ones. Prints TAP, one line a rule.
cd "$(dirname "$0")/../.." && exec lua5.4 tests/lint/structure_main.lua
