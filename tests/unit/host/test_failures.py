"""Exceptions of the user's program as data, whatever they are."""

from __future__ import annotations

import json
from pathlib import Path

from hookstepper.host.failures import failure_of, is_mine


class _SilentError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


def _caught(action: object) -> BaseException:
    try:
        action()  # type: ignore[operator]
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


def test_the_innermost_line_of_the_users_own_code_is_the_place() -> None:
    failure = failure_of(_caught(lambda: json.loads("{")))

    assert failure.kind == "JSONDecodeError"
    assert failure.place is not None
    assert failure.place.file == __file__
    assert not failure.lines[-1].mine
    assert "json" in failure.lines[-1].place.file


def test_a_message_that_cannot_be_read_is_told_and_not_raised() -> None:
    failure = failure_of(_SilentError())

    assert failure.title == "_SilentError: (its message could not be read: RuntimeError)"


def test_a_syntax_error_points_at_the_file_that_has_it() -> None:
    failure = failure_of(_caught(lambda: compile("x = (", "agent.py", "exec")))

    assert failure.kind == "SyntaxError"
    assert failure.place is not None
    assert (failure.place.file, failure.place.line) == ("agent.py", 1)


def test_a_traceback_without_end_is_cut() -> None:
    def deeper() -> None:
        deeper()

    failure = failure_of(_caught(deeper))

    assert failure.kind == "RecursionError"
    assert len(failure.lines) <= 200


def test_only_what_is_not_installed_is_the_users_own() -> None:
    assert is_mine("/home/someone/agent.py")
    assert is_mine("<string>")
    assert not is_mine(json.__file__)
    assert not is_mine("/x/lib/python3.11/site-packages/langgraph/pregel.py")
    assert not is_mine("<frozen importlib._bootstrap>")
    assert not is_mine(str(Path(is_mine.__code__.co_filename)))
