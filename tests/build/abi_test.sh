#!/bin/bash
# The binary interface is the one that is written down in abi.txt. What programs were built against changes knowingly:
# `make abi` writes the list anew, and a struct that grew or a function that went raises SOVERSION. Prints TAP.
. "$(dirname "$0")/../lint/tap.bash"

same() {
    diff -u tests/build/abi.txt <(bash tests/build/abi.sh "$V/libinterlock.so") && return 0
    echo "the interface is another; when that is meant: make abi, and SOVERSION in the Makefile"
    return 1
}
listed() { [ "$(grep -c '^function' tests/build/abi.txt)" -gt 100 ] && grep -q '^struct il_error' tests/build/abi.txt; }

check "functions, sizes of structs and lists of values are those of abi.txt" same
check "which lists them" listed
plan
