"""`--cases DIR`: run every case of that folder instead of the copies kept here."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent / "cases"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cases", default=str(HERE), help="folder of conformance cases (JSON files)")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case_file" in metafunc.fixturenames:
        folder = Path(metafunc.config.getoption("--cases"))
        files = sorted(folder.glob("*.json"))
        if not files:
            raise pytest.UsageError(f"no cases in {folder}")
        metafunc.parametrize("case_file", files, ids=[file.stem for file in files])
