#!/bin/sh
# The tests of the LangGraph adapter by older versions of LangGraph and LangChain: its unit tests inside such
# an environment, and the scenarios with the real command, where only the target runs there.
# Usage: versions.sh PYTHON; PYTHON has hookstepper and the newest versions.
set -eu
cd "$(dirname "$0")/.."

here=$1
for name in oldest middle; do
    venv=".venv-$name"
    pins="constraints-$name.txt"
    made="$venv/.made-$(cksum <"$pins" | cut -d ' ' -f 1)"
    if [ ! -e "$made" ]; then
        echo "versions: setting up $name"
        "$here" -m venv --clear "$venv"
        "$venv/bin/python" -m pip --disable-pip-version-check --quiet install --constraint "$pins" \
            langgraph langchain pytest pytest-asyncio pytest-randomly pytest-timeout pytest-xdist hypothesis
        # Each test starts a process that imports the frameworks: bytecode once, not every time.
        "$venv/bin/python" -m compileall -q "$venv/lib" || true
        touch "$made"
    fi
    echo "versions: $name, $(grep -E '^lang(graph|chain)==' "$pins" | tr '\n' ' ')"
    PYTHONPATH=src "$venv/bin/python" -m pytest -n 2 -o addopts="-q -rs --import-mode=importlib" \
        tests/unit/adapters/langgraph
    HOOKSTEPPER_TARGET_PYTHON="$PWD/$venv/bin/python" "$here" -m pytest -n 2 -rs tests/scenarios
done
