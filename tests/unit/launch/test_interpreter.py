"""Which Python runs the target, and that the boot file is safe to hand to any of them."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from hookstepper.launch.interpreter import choose
from hookstepper.launch.process import BOOT
from hookstepper.model.errors import UsageError


def venv(folder: Path) -> Path:
    python = folder / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch()
    return python


def test_the_one_asked_for_wins(tmp_path: Path) -> None:
    venv(tmp_path / ".venv")

    assert choose(sys.executable, tmp_path, {}).why == "--python"


def test_an_interpreter_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no interpreter"):
        choose(str(tmp_path / "none"), tmp_path, {})


def test_the_active_environment_comes_before_the_nearest_one(tmp_path: Path) -> None:
    active = venv(tmp_path / "active")
    venv(tmp_path / "project" / ".venv")

    found = choose(None, tmp_path / "project", {"VIRTUAL_ENV": str(tmp_path / "active")})

    assert (found.path, found.why) == (str(active), "VIRTUAL_ENV")


def test_the_nearest_environment_above_the_target_is_found(tmp_path: Path) -> None:
    python = venv(tmp_path / "project" / ".venv")
    deep = tmp_path / "project" / "src" / "agents"
    deep.mkdir(parents=True)

    assert choose(None, deep, {"VIRTUAL_ENV": str(tmp_path / "gone")}).path == str(python)


def test_without_any_the_own_one_runs_it(tmp_path: Path) -> None:
    found = choose(None, tmp_path, {})

    assert (found.path, found.why) == (sys.executable, "own")


def test_the_boot_file_parses_on_an_old_python() -> None:
    """An interpreter that is too old must be able to say so instead of failing to parse."""
    tree = ast.parse(BOOT.read_text(encoding="utf-8"), feature_version=(3, 7))

    assert not [n for n in ast.walk(tree) if isinstance(n, ast.JoinedStr | ast.AnnAssign | ast.NamedExpr)]


def test_the_boot_file_refuses_an_old_python_with_a_sentence() -> None:
    code = (
        "import sys, runpy; sys.version_info = (3, 8, 0, 'final', 0); sys.argv = ['boot.py', '3']\n"
        f"runpy.run_path({str(BOOT)!r}, run_name='__main__')"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )

    assert done.returncode == 3
    assert "needs Python 3.11 or later" in done.stderr
    assert "Traceback" not in done.stderr


def test_importing_the_boot_file_does_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import runpy; runpy.run_path({str(BOOT)!r}, run_name='boot')"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
