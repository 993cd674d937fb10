"""The page on agents: its programs run, and the names in it exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import hookstepper.agent as public

PAGE = (Path(__file__).parents[3] / "docs" / "agents.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("program", PROGRAMS, ids=range(1, len(PROGRAMS) + 1))
def test_a_program_of_the_page_runs(program):
    exec(compile(program, "docs/agents.md", "exec"), {"__name__": "page"})


def test_the_names_in_the_first_column_are_public():
    column = [row.split("|")[1] for row in PAGE.split("## Names")[1].splitlines() if row.startswith("| `")]
    names = {name for cell in column for name in re.findall(r"`([A-Z]\w+)`", cell)}

    assert len(names) > 20
    assert names <= set(public.__all__)
