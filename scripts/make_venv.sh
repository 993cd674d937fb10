#!/bin/sh
# Makes the virtual environment named by $1, unless there is one that works already.
set -eu

venv=$1
works='import sys, pip; sys.exit(sys.version_info < (3, 11))'
if [ -x "$venv/bin/python" ] && "$venv/bin/python" -c "$works" >/dev/null 2>&1; then
    exit 0
fi
python=$(sh "$(dirname "$0")/find_python.sh")
echo "set-up: making a virtual environment in $venv with $("$python" -V)"
"$python" -m venv --clear "$venv"
