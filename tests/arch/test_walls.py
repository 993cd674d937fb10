"""The walls of the house: each contract holds, and each one is seen to fail when it is broken."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "hookstepper"
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
FLOORS = sorted(folder.name for folder in PACKAGE.iterdir() if folder.is_dir() and folder.name.isidentifier())
PROGRAM = 'from importlinter.cli import lint_imports_command as run; run(["--no-logo", "--no-cache", *ARGS])'

BREACHES: dict[str, tuple[str, str]] = {
    "floors": ("model/breach.py", "import hookstepper.values"),
    "two-processes": ("cli/breach.py", "import hookstepper.agent"),
    "engine-row": ("engine/breach.py", "import hookstepper.wire"),
    "agent-row": ("agent/breach.py", "import hookstepper.wire"),
    "session-row": ("session/breach.py", "import hookstepper.engine"),
    "adapters-row": ("adapters/breach.py", "import hookstepper.session"),
    "host-row": ("host/breach.py", "import hookstepper.agent"),
    "wire-row": ("wire/breach.py", "import hookstepper.values"),
    "launch-row": ("launch/breach.py", "import hookstepper.ports"),
    "trace-row": ("trace/breach.py", "import hookstepper.wire"),
    "picture-row": ("picture/breach.py", "import hookstepper.values"),
    "exporters-row": ("exporters/breach.py", "import hookstepper.ports"),
    "client-row": ("client/breach.py", "import hookstepper.picture"),
    "only-textual": ("cli/breach.py", "import textual"),
    "only-rich": ("picture/breach.py", "import rich.text"),
    "only-networkx": ("trace/breach.py", "import networkx"),
    "only-graphviz": ("exporters/breach.py", "import graphviz"),
    "only-langgraph": ("host/breach.py", "import langgraph.graph"),
    "only-langchain": ("adapters/breach.py", "import langchain.agents"),
    "only-langchain-core": ("session/breach.py", "import langchain_core.messages"),
    "only-langgraph-sdk": ("adapters/breach.py", "import langgraph_sdk"),
    "only-openai": ("agent/breach.py", "import openai"),
    "adapter-registry": ("host/breach.py", "import hookstepper.adapters.langgraph"),
    "exporter-registry": ("cli/breach.py", "from hookstepper.exporters import mermaid"),
}
"""For each contract, one import that breaks it: where it stands, and what it says."""


def lint(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run import-linter over the package in `root`, whatever is installed."""
    return subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("ARGS", repr(list(arguments)))],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root / "src"), "NO_COLOR": "1", "COLUMNS": "200"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=100,
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package that may be damaged."""
    root = tmp_path_factory.mktemp("house")
    shutil.copy(ROOT / "pyproject.toml", root)
    shutil.copytree(PACKAGE, root / "src" / "hookstepper", ignore=shutil.ignore_patterns("__pycache__"))
    return root


@contextmanager
def breach(root: Path, place: str, statement: str, *, indented: bool) -> Iterator[None]:
    """A module with a forbidden import, for a while; indented: deferred into a function."""
    file = root / "src" / "hookstepper" / place
    file.write_text(f"def later():\n    {statement}\n" if indented else f"{statement}\n")
    try:
        yield
    finally:
        file.unlink()


def test_every_contract_is_kept(copy: Path) -> None:
    """The house stands; without this the next test could pass on a ruin."""
    kept = lint(copy)

    assert kept.returncode == 0, kept.stdout
    assert f"{len(CONTRACTS)} kept, 0 broken" in kept.stdout


@pytest.mark.parametrize("contract", [contract["id"] for contract in CONTRACTS])
def test_a_contract_fails_when_it_is_broken(copy: Path, contract: str) -> None:
    """A wall that nobody has seen stop anything may be painted on; deferred imports count."""
    place, statement = BREACHES[contract]

    with breach(copy, place, statement, indented=True):
        broken = lint(copy, "--contract", contract)

    name = next(c["name"] for c in CONTRACTS if c["id"] == contract)
    assert broken.returncode == 1, broken.stdout
    assert f"{name} BROKEN" in broken.stdout
    assert "breach" in broken.stdout


def test_a_type_only_import_counts(copy: Path) -> None:
    """A name that is needed for a type is knowledge too."""
    statement = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import hookstepper.values"

    with breach(copy, "model/breach.py", statement, indented=False):
        broken = lint(copy, "--contract", "floors")

    assert broken.returncode == 1


def test_a_folder_without_a_floor_is_noticed(copy: Path) -> None:
    """A new package gets its place when it is made, not when it is in the way."""
    folder = copy / "src" / "hookstepper" / "helpers"
    folder.mkdir()
    (folder / "__init__.py").touch()
    try:
        broken = lint(copy, "--contract", "floors")
    finally:
        shutil.rmtree(folder)

    assert broken.returncode == 1
    assert "helpers" in broken.stdout


def test_every_folder_is_a_package_on_a_floor() -> None:
    """A folder without `__init__.py` is invisible to the linter, and so has no walls."""
    bare = [name for name in FLOORS if not (PACKAGE / name / "__init__.py").exists()]

    assert bare == ["_boot"]  # one file, run by its path and never imported


def test_every_floor_of_the_screen_side_is_kept_from_the_debuggee_side() -> None:
    """The wall between the two processes has no gap for a new floor."""
    debuggee = {"host", "adapters", "session", "agent", "engine"}
    both = {"model", "values", "ports", "_boot"}
    # These two run in both: one turns the user's process into a host, the other joins the ends for tests.
    exempt = {"debugging", "testing"}
    wall = next(c for c in CONTRACTS if c["id"] == "two-processes")

    assert set(wall["forbidden_modules"]) == {f"hookstepper.{name}" for name in debuggee}
    screen = set(FLOORS) - debuggee - both - exempt
    assert {name.removeprefix("hookstepper.") for name in wall["source_modules"]} == screen
