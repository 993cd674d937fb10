#!/bin/sh
# Prints the first Python on this machine that can host hookstepper: 3.11 or later, with venv and pip.
# PYTHON=/path/to/python in the environment comes first.
set -u

able='import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))'
for name in ${PYTHON:-} python3 python3.11 python3.12 python3.13 python3.14 python; do
    found=$(command -v "$name" 2>/dev/null) || continue
    if "$found" -c "$able" >/dev/null 2>&1; then
        # A launcher shim may answer for another folder only: print the interpreter behind it.
        "$found" -c 'import sys; print(sys.executable)'
        exit 0
    fi
done

echo "hookstepper needs Python 3.11 or later with venv and pip; none was found." >&2
echo "hint: install one (on Debian and Ubuntu: python3 and python3-venv), or say make PYTHON=/path/to/python" >&2
exit 1
