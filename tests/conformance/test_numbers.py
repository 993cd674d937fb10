"""Every numbered case of the two lists has a test that is found by its number."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
AGENT = re.compile(r"^(?:async )?def test_cases?((?:_\d{3})+)", re.MULTILINE)
CORE = re.compile(r"^(?:async )?def test((?:_\d{2})+)_", re.MULTILINE)


def numbers(folder: Path, pattern: re.Pattern[str]) -> set[int]:
    texts = [path.read_text() for path in folder.rglob("test_*.py")]
    found = [match for text in texts for match in pattern.findall(text)]
    return {int(number) for match in found for number in match.strip("_").split("_")}


@pytest.mark.parametrize(
    ("folder", "pattern", "count"),
    [("unit/agent", AGENT, 100), ("conformance", CORE, 44)],
    ids=["agent", "graph"],
)
def test_no_case_is_without_a_test(folder: str, pattern: re.Pattern[str], count: int) -> None:
    """The agent's hundred cases run by both sets of rules, unless a mark says by which one they hold."""
    assert numbers(TESTS / folder, pattern) == set(range(1, count + 1))
