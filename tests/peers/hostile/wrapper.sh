#!/bin/sh
# Starts a server as its child, as launchers of packages do. With `leave` it goes away itself and leaves the server.
here=$(dirname "$0")
python=/usr/bin/python3
[ -x $python ] || python=python3
if [ "$1" = leave ]; then
    exec 3<&0 # a shell gives what runs in the background an empty stdin
    "$python" -SB "$here/deaf.py" later <&3 3<&- &
    sleep 1
    exit 0
fi
"$python" -SB "$here/stubborn.py"
exit $?
