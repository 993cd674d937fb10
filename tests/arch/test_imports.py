"""What a module may load, and what it may do, when it is imported."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "hookstepper"
DEBUGGEE = ("model", "values", "ports", "engine", "agent", "session", "adapters", "host", "wire")
"""Floors that run in the user's interpreter, where none of our dependencies exist."""
CORE = (*DEBUGGEE, "trace", "picture")
"""Floors that a program can use without a screen."""

FRAMEWORK_FILES = ("adapters/langgraph", "adapters/server", "agent/to_langgraph", "agent/models/langchain")
FRAMEWORK_FILES = (*FRAMEWORK_FILES, "agent/models/openai")
"""The only places of the debuggee side that name a framework, and only inside functions."""

PROBE = """
import sys, threading, json
before = set(sys.modules)
import importlib
for name in NAMES:
    importlib.import_module(name)
new = {name.partition(".")[0] for name in set(sys.modules) - before}
own = {"hookstepper", *sys.stdlib_module_names}
# Part of the standard library, named after the platform.
foreign = sorted(name for name in new - own if not name.startswith("_sysconfigdata"))
print(json.dumps({"foreign": foreign, "threads": threading.active_count()}))
"""


def modules_of(floor: str) -> list[Path]:
    return sorted((PACKAGE / floor).rglob("*.py"))


def name_of(file: Path) -> str:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("floor", CORE)
def test_importing_a_floor_loads_the_standard_library_only(floor: str) -> None:
    """The debuggee side must work in an interpreter that has nothing of ours, and start in milliseconds."""
    names = [name_of(file) for file in modules_of(floor) if "__main__" not in file.name]

    done = subprocess.run(
        [sys.executable, "-c", PROBE.replace("NAMES", repr(names))],
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )

    found = json.loads(done.stdout)
    assert names
    assert found == {"foreign": [], "threads": 1}


def test_the_probe_sees_what_it_looks_for() -> None:
    """The test above could not fail if the probe were blind."""
    names = ["hookstepper.model.ids", "rich.text"]

    done = subprocess.run(
        [sys.executable, "-c", PROBE.replace("NAMES", repr(names))],
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )

    assert "rich" in json.loads(done.stdout)["foreign"]


def imports_of(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Top package and line of every import, deferred ones and those for types too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name.partition(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield (node.module or "").partition(".")[0], node.lineno


@pytest.mark.parametrize("floor", DEBUGGEE)
def test_debuggee_side_names_no_package_but_the_frameworks_it_debugs(floor: str) -> None:
    """A deferred import of ours fails in the user's interpreter, at the worst moment."""
    strange = []
    for file in modules_of(floor):
        place = file.relative_to(PACKAGE).as_posix()
        for package, line in imports_of(ast.parse(file.read_text())):
            known = package in sys.stdlib_module_names or package == "hookstepper"
            if not known and not place.startswith(FRAMEWORK_FILES):
                strange.append(f"{place}:{line} {package}")

    assert strange == []


def import_time_calls(tree: ast.Module) -> Iterator[ast.Call]:
    """Calls that run when the module is imported: outside functions and lambdas, classes included."""
    queue: list[ast.AST] = [tree]
    while queue:
        node = queue.pop()
        if isinstance(node, ast.If) and "__name__" in ast.dump(node.test):
            continue  # runs in a script, not in an import
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            queue.extend([*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)])
            continue
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, ast.Call):
            yield node
        queue.extend(ast.iter_child_nodes(node))


FORBIDDEN_AT_IMPORT = (
    *("time.time", "time.monotonic", "time.perf_counter", "time.time_ns", "time.monotonic_ns"),
    *("datetime.now", "datetime.datetime.now", "os.getenv", "os.environ.get", "getenv", "open"),
    *(
        "threading.Thread",
        "Thread",
        "ThreadPoolExecutor",
        "uuid.uuid4",
        "random.random",
        "os.getcwd",
        "Path.cwd",
    ),
)


def effects_at_import(tree: ast.Module) -> list[str]:
    """Clocks, threads, files, randomness and environment that importing the module would touch."""
    calls = [(ast.unparse(call.func), call.lineno) for call in import_time_calls(tree)]
    found = [f"{line} {name}()" for name, line in calls if name in FORBIDDEN_AT_IMPORT]
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.If):
            found += [
                f"{part.lineno} os.environ[]"
                for part in ast.walk(node)
                if isinstance(part, ast.Subscript) and ast.unparse(part.value) in ("os.environ", "environ")
            ]
    return found


def test_no_module_reads_a_clock_or_the_environment_or_starts_a_thread_at_import() -> None:
    """Time, threads and environment are parameters, made at the edges; else tests depend on the day."""
    found = {
        file.relative_to(PACKAGE).as_posix(): effects
        for file in sorted(PACKAGE.rglob("*.py"))
        if (effects := effects_at_import(ast.parse(file.read_text())))
    }

    assert found == {}


@pytest.mark.parametrize(
    "source",
    [
        "import time\nSTARTED = time.time()",
        "import os\nclass A:\n    home = os.environ.get('HOME')",
        "import os\nHOME = os.environ['HOME']",
        "import threading\nthreading.Thread(target=print).start()",
        "import time\ndef f(now=time.monotonic()): ...",
    ],
)
def test_effects_at_import_are_found(source: str) -> None:
    """The test above could not fail if its eye were shut."""
    assert effects_at_import(ast.parse(source))


@pytest.mark.parametrize(
    "source",
    [
        "import time\ndef f():\n    return time.time()",
        "import time\nf = lambda: time.time()",
        "import os\nif __name__ == '__main__':\n    os.environ.get('HOME')",
    ],
)
def test_effects_in_functions_are_no_effects_at_import(source: str) -> None:
    """Only what runs at import is wrong."""
    assert not effects_at_import(ast.parse(source))


def test_core_floors_name_no_screen_library() -> None:
    """Not even where nobody would load it today."""
    screen = {"textual", "rich", "networkx"}
    found = [
        f"{file.relative_to(PACKAGE).as_posix()}:{line} {package}"
        for floor in CORE
        for file in modules_of(floor)
        for package, line in imports_of(ast.parse(file.read_text()))
        if package in screen
    ]

    assert found == []
