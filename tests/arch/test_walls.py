"""The walls of the house: each contract holds, and each one is seen to fail when it is broken."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "hookstepper"
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
FLOORS = sorted(
    folder.name
    for folder in PACKAGE.iterdir()
    if folder.is_dir() and folder.name.isidentifier() and not folder.name.startswith("__")
)
MODULES = sorted(file.stem for file in PACKAGE.glob("*.py") if not file.stem.startswith("__"))
PROGRAM = """
import json, pathlib, sys
from importlinter.cli import lint_imports
for trial in json.load(sys.stdin):
    file = pathlib.Path("src/hookstepper") / (trial["place"] or "__init__.py")
    before = file.read_text() if file.exists() else None
    file.parent.mkdir(exist_ok=True)
    if trial["place"]:
        file.write_text((before or "") + trial["text"])
    only = (trial["contract"],) if trial["contract"] else ()
    status = lint_imports(limit_to_contracts=only)
    if trial["place"]:
        file.unlink() if before is None else file.write_text(before)
    if not any(file.parent.iterdir()):
        file.parent.rmdir()
    print("@@", trial["name"], status, flush=True)
"""


@dataclass(frozen=True)
class Trial:
    """One damage to the house, and the contract that should notice."""

    name: str
    contract: str = ""
    """Empty: all contracts."""
    place: str = ""
    """The file that is damaged or made; empty: none."""
    text: str = ""
    """What is added at its end."""


TYPE_ONLY = Trial(
    "type-only",
    "floors",
    "model/breach.py",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import hookstepper.values\n",
)
NEW_FOLDER = Trial("new-folder", "floors", "helpers/__init__.py", "")
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
    "debugging-row": ("debugging.py", "import hookstepper.trace"),
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


@dataclass(frozen=True)
class Told:
    """What import-linter said in one run."""

    status: int
    text: str


def lint(root: Path, trials: Sequence[Trial]) -> dict[str, Told]:
    """Run import-linter over the package in `root` once for each trial, all in one process."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps([asdict(trial) for trial in trials]),
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root / "src"), "NO_COLOR": "1", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=True,
        timeout=110,
    )
    parts = re.split(r"^@@ (\S+) (\d+)\n", done.stdout, flags=re.M)
    texts, names, statuses = parts[0::3], parts[1::3], parts[2::3]
    return {name: Told(int(status), text) for name, status, text in zip(names, statuses, texts, strict=False)}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Told]:
    """All trials, on a copy of the package that may be damaged."""
    root = tmp_path_factory.mktemp("house")
    shutil.copy(ROOT / "pyproject.toml", root)
    shutil.copytree(PACKAGE, root / "src" / "hookstepper", ignore=shutil.ignore_patterns("__pycache__"))
    trials = [Trial("whole"), TYPE_ONLY, NEW_FOLDER]
    trials += [
        Trial(contract, contract, place, f"def later():\n    {statement}\n")
        for contract, (place, statement) in BREACHES.items()
    ]
    return lint(root, trials)


def test_every_contract_is_kept(told: dict[str, Told]) -> None:
    """The house stands; without this the next test could pass on a ruin."""
    assert told["whole"].status == 0, told["whole"].text
    assert f"{len(CONTRACTS)} kept, 0 broken" in told["whole"].text


@pytest.mark.parametrize("contract", [contract["id"] for contract in CONTRACTS])
def test_a_contract_fails_when_it_is_broken(told: dict[str, Told], contract: str) -> None:
    """A wall that nobody has seen stop anything may be painted on; deferred imports count."""
    broken = told[contract]

    name = next(c["name"] for c in CONTRACTS if c["id"] == contract)
    assert broken.status == 1, broken.text
    assert f"{name} BROKEN" in broken.text
    assert BREACHES[contract][0].removesuffix(".py").replace("/", ".") in broken.text


def test_a_type_only_import_counts(told: dict[str, Told]) -> None:
    """A name that is needed for a type is knowledge too."""
    assert told["type-only"].status == 1
    assert "hookstepper.model.breach" in told["type-only"].text


def test_a_folder_without_a_floor_is_noticed(told: dict[str, Told]) -> None:
    """A new package gets its place when it is made, not when it is in the way."""
    assert told["new-folder"].status == 1
    assert "hookstepper.helpers" in told["new-folder"].text


def test_every_folder_is_a_package_on_a_floor() -> None:
    """A folder without `__init__.py` is invisible to the linter, and so has no walls."""
    bare = [name for name in FLOORS if not (PACKAGE / name / "__init__.py").exists()]

    assert bare == ["_boot"]  # one file, run by its path and never imported


def test_every_floor_of_the_screen_side_is_kept_from_the_debuggee_side() -> None:
    """The wall between the two processes has no gap for a new floor."""
    debuggee = {"host", "adapters", "session", "agent", "engine"}
    both = {"model", "values", "ports", "_boot"}
    exempt = {"debugging", "listening"}  # they run in the user's own process; their row keeps our side out
    wall = next(c for c in CONTRACTS if c["id"] == "two-processes")

    assert set(wall["forbidden_modules"]) == {f"hookstepper.{name}" for name in debuggee}
    screen = {*FLOORS, *MODULES} - debuggee - both - exempt
    assert {name.removeprefix("hookstepper.") for name in wall["source_modules"]} == screen
