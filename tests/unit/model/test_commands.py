"""The table of commands: its own laws, and what a line typed by a person becomes."""

from __future__ import annotations

import json
import string
from contextlib import suppress
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookstepper.model.commands import (
    COMMANDS,
    Answer,
    Command,
    CommandSpec,
    EditState,
    Fork,
    Group,
    Next,
    RunTo,
    Screen,
    SessionCommand,
    SetJump,
    SetNext,
    SkipNode,
    StartRun,
    find,
    parse_answer,
    parse_line,
    parse_path,
)
from hookstepper.model.errors import UsageError

SESSION: tuple[type, ...] = get_args(SessionCommand)
KINDS: tuple[type, ...] = get_args(Command)
EXAMPLES = {
    "SET": "ascii",
    "[model|tool] [NAME]": "tool get_weather",
    "TEXT": "hello there",
    "NODE": "model",
    "PATH": "messages[0].content",
    "STEP": "11",
    "STEPS": "50",
    "STEP [as NODE | replay [TOOL TO ASK ABOUT]…]": "11 as model",
    "NUMBER": "3",
    "EXPRESSION": "len(messages)",
    "[KIND] [NAME] [exit] [hit N] [once] [log TEXT] [if CONDITION]": "tool pay once if turn > 2",
    "model|tool NAME [always] [fails TEXT] [JSON]": 'tool pay always "paid"',
    "FILE": "screen.svg",
    "PATH JSON": 'messages[0].content "Beijing"',
    "KEY JSON": "messages [1]",
    "JSON": '{"a": 1}',
    "model|tool|end|clear|next NODE": "end",
    "[@ID] approve|reject[:WHY]|JSON": "approve",
    "DIRECTION": "left",
    "NAME": "dark",
}
"""For each usage in the table, arguments that fit."""


def by_id(spec: CommandSpec) -> str:
    return spec.id


def line_of(spec: CommandSpec, word: str) -> str:
    return f"{word} {EXAMPLES[spec.usage]}" if spec.usage else word


def test_words_are_unique() -> None:
    """A word means one command, for ever: scripts and keymaps are keyed by it."""
    words = [word for spec in COMMANDS for word in (spec.id, *spec.aliases)]

    assert sorted(words) == sorted(set(words))


@pytest.mark.parametrize("spec", COMMANDS, ids=by_id)
def test_every_row_is_well_formed(spec: CommandSpec) -> None:
    """Ids are `group.verb`; the help is one line that fits a palette row."""
    area, _, verb = spec.id.partition(".")

    assert area.isalpha()
    assert verb
    assert set(spec.id) <= set(string.ascii_lowercase + ".-")
    assert spec.help
    assert "\n" not in spec.help
    assert len(spec.help) <= 70
    assert spec.group in get_args(Group)


@pytest.mark.parametrize("spec", COMMANDS, ids=by_id)
def test_every_word_of_a_row_gives_the_same_command(spec: CommandSpec) -> None:
    """`run.next`, `next` and `n` are one thing."""
    made = [parse_line(line_of(spec, word)) for word in (spec.id, *spec.aliases)]

    assert all(command == made[0] for command in made)
    assert isinstance(made[0], KINDS)


@pytest.mark.parametrize("spec", COMMANDS, ids=by_id)
def test_a_command_is_carried_out_where_its_row_says(spec: CommandSpec) -> None:
    """A session command that reaches the screen only, or the reverse, does nothing and says nothing."""
    command = parse_line(line_of(spec, spec.id))

    if spec.where == "screen":
        assert isinstance(command, Screen)
        assert command.id == spec.id
    else:
        assert isinstance(command, SESSION)


@pytest.mark.parametrize("spec", [spec for spec in COMMANDS if not spec.usage], ids=by_id)
def test_what_takes_no_arguments_refuses_them(spec: CommandSpec) -> None:
    """`continue 5` must not continue as if nothing had been said."""
    if spec.id == "break.edit":
        return  # takes the id of a breakpoint from the screen
    with pytest.raises(UsageError):
        parse_line(f"{spec.id} 5")


def test_every_session_command_can_be_asked_for() -> None:
    """A command that no line means can be neither scripted nor bound to a key."""
    asked = {type(parse_line(line_of(spec, spec.id))) for spec in COMMANDS}
    asked |= {type(parse_line("jump.set next a b"))}
    by_screen = {"SetBreakpoints", "SetMocks"}  # the screen sends the whole set after each change

    assert {kind.__name__ for kind in SESSION} - {kind.__name__ for kind in asked} == by_screen


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("run.nxt", "run.next"),
        ("contineu", "continue"),
        ("fork!", "fork"),
        ("JUMP", "help lists all commands"),
    ],
)
def test_a_mistyped_word_is_refused_with_the_nearest(word: str, near: str) -> None:
    """The person meant something."""
    with pytest.raises(UsageError) as refused:
        parse_line(word)

    assert word in refused.value.message
    assert near in refused.value.hint


@given(line=st.text(max_size=40))
@settings(deadline=None)
def test_any_line_is_a_command_or_refused(line: str) -> None:
    """What is typed at `:` never crashes the screen."""
    with suppress(UsageError):
        assert isinstance(parse_line(line), KINDS)


@given(spec=st.sampled_from(COMMANDS), rest=st.text(max_size=30))
@settings(deadline=None)
def test_any_arguments_are_taken_or_refused(spec: CommandSpec, rest: str) -> None:
    """Nor does what is typed after a good word."""
    with suppress(UsageError):
        assert isinstance(parse_line(f"{spec.id} {rest}"), KINDS)


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("  run.next  ", Next()),
        ("run.start two  blanks", StartRun("two  blanks")),
        ("run.to a node with blanks", RunTo("a node with blanks")),
        ("jump end", SetJump("end")),
        ("jump next a b", SetNext(("a", "b"))),  # type: ignore[arg-type]
        ("time.fork -1", Fork(-1)),
        ("time.fork 3 as my node", Fork(3, "my node")),  # type: ignore[arg-type]
        ('set a.b[2] {"x": "y  z"}', EditState(("a", "b", 2), {"x": "y  z"})),
        ('skip {"x":  "y  z"}', SkipNode({"x": "y  z"})),
        ("answer approve", Answer({"": {"all": {"type": "approve"}}})),
        ("answer reject: too  long", Answer({"": {"all": {"type": "reject", "reason": "too  long"}}})),
        ('answer ["a"]', Answer({"": ["a"]})),
    ],
)
def test_a_line_becomes_its_command(line: str, command: Command) -> None:
    """Scripts are written by hand."""
    assert parse_line(line) == command


@pytest.mark.parametrize(
    "line",
    [
        "",
        "   ",
        "run.to",
        "time.fork",
        "time.fork x",
        "time.fork --5",
        "time.fork ²",
        "time.fork 3 as",
        "time.fork 9" + "9" * 5000,
        "jump sideways",
        "jump next",
        "answer",
        "answer approved",
        "answer approve:please",
        "set a",
        "set [x] 1",
        "set [²] 1",
        "set [--1] 1",
        "set a {",
        "skip " + "[" * 100_000,
        "skip",
    ],
    ids=lambda line: line[:20],
)
def test_what_does_not_fit_is_refused(line: str) -> None:
    """Nothing half-understood is sent to a running program."""
    with pytest.raises(UsageError):
        parse_line(line)


@given(
    parts=st.lists(
        st.one_of(st.integers(-9, 99), st.text(string.ascii_letters + "_$天", min_size=1)), min_size=1
    )
)
def test_a_path_is_read_as_it_is_written(parts: list[str | int]) -> None:
    """`messages[0].content` is three parts."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts).lstrip(".")

    assert parse_path(text) == tuple(parts)


@given(answer=st.recursive(st.none() | st.booleans() | st.text(), lambda inner: st.lists(inner, max_size=3)))
@settings(deadline=None)
def test_an_answer_in_json_is_passed_on_as_it_is(answer: object) -> None:
    """Plain questions take any JSON value."""
    assert parse_answer(json.dumps(answer)) == answer


def test_find_knows_ids_and_aliases_only() -> None:
    """Keymaps are checked with it."""
    assert find("run.next") is find("n") is not None
    assert find("run") is not find("run.next")
    assert find("Next") is None


def test_an_answer_may_name_its_question():
    assert parse_line('answer.send @q1 "yes"') == Answer({"q1": "yes"})
    assert parse_line("answer @q1 reject:too much") == Answer(
        {"q1": {"all": {"type": "reject", "reason": "too much"}}}
    )
