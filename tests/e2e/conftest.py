"""Every test on a real terminal ends with no process left, counted."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.processes import MARK, marked
from support.terminal import Terminal

Open = Callable[..., Terminal]


@pytest.fixture
def mark() -> str:
    """What the processes of this test carry in their environment."""
    return uuid.uuid4().hex


@pytest.fixture
def terminal(tmp_path: Path, mark: str) -> Iterator[Open]:
    """Opens terminals; after the test all are closed and no process of theirs lives."""
    opened: list[Terminal] = []

    def start(*words: str, **settings: object) -> Terminal:
        folder = tmp_path / f"terminal{len(opened)}"
        folder.mkdir()
        environment = {"HOOKSTEPPER_REPORTS": str(tmp_path), MARK: mark}
        found = Terminal(folder, *words, **{**environment, **settings})  # type: ignore[arg-type]
        opened.append(found)
        return found

    yield start

    for each in opened:
        each.close()
    if Path("/proc").is_dir() and opened:
        opened[0].wait_gone(lambda: marked(mark))
