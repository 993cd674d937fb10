"""Breakpoints kept in a file over several starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from hookstepper.client.breakfile import read_breakpoints, write_breakpoints
from hookstepper.client.conversation import Conversation
from hookstepper.client.options import TargetOptions
from hookstepper.model.breakpoints import Breakpoint
from hookstepper.model.commands import parse_line
from hookstepper.model.errors import UsageError

ONES = (Breakpoint(1, node="model"), Breakpoint(4, on="state", key="消息", condition="len(new) > 1"))


def test_what_is_kept_comes_back_and_can_be_read_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "breaks.json"
    assert read_breakpoints(file) == ()

    write_breakpoints(file, ONES)

    assert read_breakpoints(file) == ONES
    assert "消息" in file.read_text(encoding="utf-8").splitlines()[2]
    write_breakpoints(file, ())
    assert read_breakpoints(file) == ()
    assert [path.name for path in tmp_path.iterdir()] == ["breaks.json"]


@pytest.mark.parametrize("text", ["{", "{}", '[{"id": "x"}]', "[[]]", "[" * 100_000])
def test_a_file_of_something_else_is_refused_and_left_as_it_is(text: str, tmp_path: Path) -> None:
    file = tmp_path / "breaks.json"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(UsageError, match=r"breaks\.json"):
        read_breakpoints(file)

    assert file.read_text(encoding="utf-8") == text


def test_a_change_is_kept_at_once_and_the_next_start_has_it(tmp_path: Path) -> None:
    file = tmp_path / "breaks.json"
    given = TargetOptions("x.py", tmp_path, breakpoints=(Breakpoint(1, node="tool"),), breakpoints_file=file)
    conversation = Conversation(given, lambda _: None)

    conversation.act(parse_line("break.add jump"))
    conversation.act(parse_line("break.enable 1"))

    again = Conversation(given, lambda _: None)
    assert again.view.breakpoints == (
        Breakpoint(1, node="tool", enabled=False),
        Breakpoint(2, on="jump"),
        Breakpoint(3, node="tool"),
    )


def test_a_file_that_cannot_be_written_is_told_and_the_breakpoint_stands(tmp_path: Path) -> None:
    given = TargetOptions("x.py", tmp_path, breakpoints_file=tmp_path / "none" / "breaks.json")
    conversation = Conversation(given, lambda _: None)

    conversation.act(parse_line("break.add jump"))

    assert "No such file" in conversation.view.notice
    assert conversation.view.breakpoints == (Breakpoint(1, on="jump"),)
