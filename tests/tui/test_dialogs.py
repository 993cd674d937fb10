"""Dialogs: what they say, what is on offer, and the command that they end with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookstepper.client.view import View
from hookstepper.model import jumps
from hookstepper.model.commands import (
    Answer,
    EditState,
    Fork,
    RetryNode,
    SetJump,
    SetNext,
    SkipNode,
    StartRun,
)
from hookstepper.model.events import Failure
from hookstepper.model.gates import Ask, AskCall, Stop
from hookstepper.model.ids import AskId, Json, NodeId, StopId
from hookstepper.tui.options import Options
from hookstepper.tui.rows.answer import answer_of, items_of, missing, outcome_rows
from hookstepper.tui.rows.jump import afterwards_rows, intro_rows, jump_options, next_option, warning_rows
from hookstepper.tui.rows.next_message import read_input
from hookstepper.tui.rows.row import Row, plain
from hookstepper.tui.rows.typed import read_answer, read_typed, typed
from hookstepper.tui.words import use_language
from support.driving import driven
from support.replay import replay, view_at

SAFETY = NodeId("_AGENT_HOOK_Safety.afterModel")
EDIT = NodeId("_AGENT_HOOK_Edit.afterModel")
LOG = NodeId("_AGENT_HOOK_Log.afterModel")
TOOL = NodeId("_AGENT_TOOL_")


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    use_language("en")
    yield
    use_language("en")


def text_of(rows: list[Row]) -> str:
    return "\n".join(plain(row) for row in rows)


def choices_at(view: View) -> tuple[jumps.JumpChoice, ...]:
    assert view.graph is not None and view.stop is not None and view.stop.site is not None
    return jumps.choices(view.graph, view.stop.site.node)


# ------------------------------------------------------------------------------------------ jump


def test_jump_lists_what_is_declared_and_why_the_rest_is_not():
    """Safety declares only end; the other words stand there with the reason."""
    view = view_at(11)
    options = jump_options(view, choices_at(view))

    assert [(option.id, option.command) for option in options] == [
        ("end", SetJump("end")),
        ("model", None),
        ("tool", None),
        ("clear", SetJump("clear")),
    ]
    assert options[0].text.split() == ["end", "→", "Audit.after", "→", "END"]
    assert options[0].note == "skips Edit, HITL, Log · no loop"
    assert options[1].note == "not on offer: Safety declares only end"


def test_jump_where_no_jump_is_read_names_the_next_place_that_takes_one():
    """Edit declares no jump, so none is on offer; the loop exit takes one."""
    view = view_at(12)

    assert jump_options(view, choices_at(view)) == ()
    said = text_of(intro_rows(view, 74))
    assert "▶ Edit.afterModel declares no jump" in said
    assert "The next place that takes one is Log.afterModel." in said.replace("\n", " ")


def test_jump_at_the_loop_exit_offers_every_word():
    """With tools that router asks no declaration."""
    view = view_at(7)
    assert view.stop is not None and view.stop.next == (LOG,)
    options = {option.id: option for option in jump_options(view, choices_at(view))}

    assert all(options[word].command == SetJump(word) for word in ("end", "model", "tool"))  # type: ignore[arg-type]
    assert "would reach this node again" in options["model"].note


def test_setting_the_next_node_past_an_approval_warns():
    """What would not be asked is said before it happens."""
    view = view_at(11)

    assert next_option(view, TOOL).command == SetNext((TOOL,))
    assert next_option(view, TOOL).note == "skips Safety, Edit, HITL, Log"
    assert "without approval (HITL is skipped)" in text_of(warning_rows(view, TOOL))
    assert warning_rows(view, EDIT) == []


def test_jump_tells_what_becomes_of_the_key():
    """Upstream rules keep it, fixed rules remove it."""
    view = view_at(11)
    assert view.graph is not None

    assert "upstream never removes jump_to" in text_of(afterwards_rows(view, 74))
    fixed = replace(view, graph=replace(view.graph, rules="fixed"))
    assert "jump_to is removed" in text_of(afterwards_rows(fixed, 74))
    other = replace(view, graph=replace(view.graph, rules=""))
    assert afterwards_rows(other, 74) == []


async def test_jump_dialog_sends_what_is_chosen():
    """Enter takes the marked line; arrows and digits move the mark over what is on offer."""
    async with driven(11) as app:
        await app.press("J", "enter")
        assert app.sent[-1] == SetJump("end")

    async with driven(11) as app:
        await app.press("J", "down", "enter")
        assert app.sent[-1] == SetJump("clear")

    async with driven(11) as app:
        await app.press("J", "2", "5", "right", "left", "enter")
        assert app.sent[-1] == SetNext((TOOL,))


async def test_jump_is_refused_where_nothing_is_held():
    """A run that has ended has no ▶ to jump from."""
    async with driven(23) as app:
        await app.press("J")

        assert app.dialog == ""
        assert "nothing is held" in app.text


# ------------------------------------------------------------------------------------------ answer


def asking(*calls: AskCall, allowed: tuple[str, ...] = ("approve", "edit", "reject")) -> tuple[Ask, ...]:
    return (Ask(AskId("q"), "approval", NodeId("h"), calls=calls, allowed=allowed),)  # type: ignore[arg-type]


def test_nothing_can_be_sent_before_every_call_is_decided():
    """Each call that needs approval is named until it is decided; those that need none are not asked."""
    items = items_of(
        asking(
            AskCall("c1", "read", {}, needs_approval=False),
            AskCall("c2", "write", {}),
            AskCall("c3", "rm", {}),
        )
    )
    drafts: dict[tuple[str, str], Json] = {("q", "c2"): {"type": "approve"}}

    assert [item.key for item in missing(items, drafts)] == [("q", "c3")]
    assert "c3 is not decided" in text_of(outcome_rows(view_at(13), items, drafts, 74))
    drafts[("q", "c3")] = {"type": "reject", "reason": "no"}
    assert missing(items, drafts) == ()
    assert answer_of(items, drafts) == Answer(
        {"q": {"decisions": [{"type": "approve"}, {"type": "reject", "reason": "no"}]}}
    )


def test_the_outcome_tells_what_runs_and_what_does_not():
    """The preview is of the answer as it stands."""
    items = items_of(asking(AskCall("c1", "write", {"path": "a"}), AskCall("c2", "rm", {"path": "b"})))
    drafts: dict[tuple[str, str], Json] = {
        ("q", "c1"): {"type": "edit", "args": {"path": "z"}},
        ("q", "c2"): {"type": "reject", "reason": ""},
    }
    said = text_of(outcome_rows(view_at(13), items, drafts, 74))

    assert 'runs         write(path="z")' in said
    assert "does not run rm" in said
    assert "✓ 2 of 2 decided" in said


def test_arguments_that_do_not_fit_the_schema_are_told():
    """What the tool would refuse is seen before it is sent."""
    schema: Json = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    items = items_of(asking(AskCall("c1", "count", {"n": 1}, schema=schema)))
    drafts: dict[tuple[str, str], Json] = {("q", "c1"): {"type": "edit", "args": {}}}

    assert "✗ c1: n is missing" in text_of(outcome_rows(view_at(13), items, drafts, 74))


async def test_approve_sends_what_the_model_asked():
    """1 and Enter."""
    async with driven(13) as app:
        await app.press("a", "1")
        assert "1 of 1 decided" in app.text
        await app.press("enter")

        (answer,) = [command for command in app.sent if isinstance(command, Answer)]
        assert isinstance(answer.answers, dict)
        assert list(answer.answers.values()) == [{"decisions": [{"type": "approve"}]}]


async def test_edit_checks_json_and_sends_the_new_arguments():
    """Text stays text without quotes; a broken value is told and not taken."""
    async with driven(13) as app:
        await app.press("a", "2", "tab")
        field = app.app.screen.focused
        field.value = "rainy"  # type: ignore[union-attr]
        await app.settle()
        await app.press("enter")
        assert 'text="rainy"' in app.text
        await app.press("enter")

        (answer,) = [command for command in app.sent if isinstance(command, Answer)]
        assert answer.answers == {
            next(iter(answer.answers)): {  # type: ignore[arg-type]
                "decisions": [{"type": "edit", "args": {"path": "report.txt", "text": "rainy"}}]
            }
        }


async def test_reject_takes_a_reason():
    """The reason goes to the model."""
    async with driven(13) as app:
        await app.press("a", "3")
        await app.type("too early")
        await app.press("enter", "enter")

        (answer,) = [command for command in app.sent if isinstance(command, Answer)]
        assert list(answer.answers.values()) == [  # type: ignore[union-attr]
            {"decisions": [{"type": "reject", "reason": "too early"}]}
        ]


async def test_escape_leaves_the_field_first_and_the_question_open():
    """Nothing typed is sent by leaving, and what is not on offer cannot be chosen."""
    async with driven(13) as app:
        await app.press("a", "3")
        await app.type("no")
        await app.press("escape")
        assert app.dialog == "AnswerDialog"
        assert "c2 is not decided" in app.text
        await app.press("4", "enter")
        assert app.dialog == "AnswerDialog"
        await app.press("escape")
        assert app.dialog == ""
        assert not any(isinstance(command, Answer) for command in app.sent)


async def test_a_plain_question_is_answered_with_its_type():
    """A schema says what is typed; what does not fit is told."""
    ask = Ask(AskId("age"), "input", SAFETY, prompt="How old? [b]", schema={"type": "integer"})
    stop = Stop(StopId(99), 99, "resting", ("interrupt",), frozenset(), asks=(ask,))
    async with driven(11) as app:
        await app.show(phase="waiting", stop=stop)
        await app.press("a")
        assert "How old? [b]" in app.text
        await app.type("old")
        assert "✗" in app.text
        await app.press("enter")
        assert app.dialog == "AnswerDialog"
        await app.press("backspace", "backspace", "backspace")
        await app.type("42")
        await app.press("enter")

        assert app.sent[-1] == Answer({"age": 42})


# ------------------------------------------------------------------------------------------ others


async def test_next_message_starts_a_run_in_this_thread_or_a_new_one():
    """The text is what was typed; the thread is chosen on the line below."""
    async with driven(23) as app:
        await app.press("m")
        assert "7 messages stay" in app.text
        await app.type("And now?")
        await app.press("enter")
        assert app.sent[-1] == StartRun("And now?", "demo")

    async with driven(23) as app:
        await app.press("m")
        await app.type("Anew")
        await app.press("down", "right", "enter")
        assert app.sent[-1] == StartRun("Anew", "demo-2")


async def test_next_message_wants_something_to_say():
    """An empty message starts nothing."""
    async with driven(23) as app:
        await app.press("m", "enter")

        assert app.dialog == "NextMessage"
        assert "type a message" in app.text


async def test_a_failure_offers_what_this_engine_can_do():
    """Digits choose; what is not on offer says why."""
    view = view_at(11)
    assert view.stop is not None
    failed = replace(
        view.stop, posture="resting", reasons=("exception",), acts=frozenset({"retry", "abort", "fulfil"})
    )
    facts = {"phase": "failed", "stop": failed, "failed_at": SAFETY, "failure": Failure("KeyError", "'city'")}
    async with driven(11) as app:
        await app.show(**facts)
        await app.press("a")
        assert app.dialog == "FailureDialog"
        assert "Safety.afterModel failed · step 12 · turn 2" in app.text
        await app.press("1")
        assert app.sent[-1] == RetryNode()

    async with driven(11) as app:
        await app.show(**facts)
        await app.press("a", "3")
        await app.press("enter")
        assert app.sent[-1] == SkipNode({})

    async with driven(11) as app:
        await app.show(**facts)
        await app.press("a", "4", "enter")
        assert app.sent[-1] == Fork(10)

    async with driven(11) as app:
        await app.show(**{**facts, "stop": replace(failed, acts=frozenset())})
        await app.press("a")
        assert "1 retry: this engine cannot do it here" in app.text
        await app.press("1")
        assert app.dialog == "FailureDialog"


async def test_edit_changes_the_value_under_the_cursor():
    """The path comes from the cursor, the old value stands in the field."""
    async with driven(11) as app:
        await app.press("1")
        assert app.app.main is not None
        app.app.wish(EditState(("turn",), 5))
        assert app.sent[-1] == EditState(("turn",), 5)
        app.app.open_dialog("state.edit", "turn")
        await app.settle()
        assert "now: 2" in app.text
        await app.press("backspace", "7", "enter")

        assert app.sent[-1] == EditState(("turn",), 7)


async def test_dialogs_take_no_letters():
    """Letters do nothing in a dialog but type."""
    async with driven(11) as app:
        before = app.sent
        await app.press("J", "n", "c", "q", "b", "space", "R", "K")

        assert app.dialog == "JumpDialog"
        assert app.sent == before


async def test_every_dialog_fits_80_by_24_in_both_languages():
    """No button is below the edge."""
    for language in ("en", "zh"):
        options = Options(language=language, welcome=False, clock=lambda: 0.0)  # type: ignore[arg-type]
        async with driven(13, size=(80, 24), options=options) as app:
            for keys in (("a",), ("a", "2"), ("?",), ("F",), ("q",)):
                await app.press(*keys)
                buttons = app.app.screen.query_one("#buttons")
                assert 0 < buttons.region.bottom <= 23, (language, keys)
                for _ in range(2):
                    if app.dialog:
                        await app.press("escape")
        async with driven(11, size=(80, 24), options=options) as app:
            await app.press("J")
            assert 0 < app.app.screen.query_one("#buttons").region.bottom <= 23


async def test_the_palette_finds_commands_and_nodes():
    """Every command can be found by a word of its help."""
    async with driven(11) as app:
        await app.press("ctrl+p")
        await app.type("breakpoint on tool")
        await app.pilot.pause(0.3)
        await app.press("enter")
        await app.settle()

        assert [point.node for point in app.conversation.view.breakpoints] == [TOOL]


# --------------------------------------------------------------------------------------------- laws

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_what_is_shown_for_editing_reads_back_as_it_was(value: Json):
    """Leaving a field as it is changes nothing, whatever the value holds."""
    text = typed(value)

    assert read_typed(text) == (value, "")
    assert text == text.strip("\n")
    assert not any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 for char in text)


@given(st.text(max_size=30))
def test_any_text_can_be_typed_where_a_text_is_expected(text: str):
    """Quotes are not needed; the schema decides."""
    value, problem = read_typed(text, schema={"type": "string"})

    assert isinstance(value, str)
    assert problem == ""
    assert read_answer(text, {"type": "string"}) == (text, "")


@given(st.text(min_size=1, max_size=30).filter(lambda text: text.strip() and text.lstrip()[0] not in "{["))
def test_a_message_is_taken_as_it_was_typed(text: str):
    """Only { and [ begin JSON."""
    assert read_input(text) == (text, "")


def test_a_state_is_given_as_json():
    """A graph without messages takes an object."""
    assert read_input('{"n": 1}') == ({"n": 1}, "")
    assert read_input("{n}")[1].startswith("not JSON")
    assert read_answer("yes", {"type": "boolean"}) == (True, "")
    assert read_answer("nobody", None) == ("nobody", "")
    assert read_answer(json.dumps([1]), None) == ([1], "")


def test_the_replayed_question_is_the_recorded_one():
    """The fixture asks about write_file once."""
    view = replay(13).view
    assert view.stop is not None

    assert [call.tool for ask in view.stop.asks for call in ask.calls if call.needs_approval] == [
        "write_file"
    ]


def test_a_single_question_says_that_it_has_no_answer_and_what_runs_again():
    ask = Ask(AskId("8c5f"), "input", NodeId("review"), again=(NodeId("review"),))
    items = items_of([ask])
    text = text_of(outcome_rows(view_at(13), items, {}, 74))

    assert "no answer yet" in text
    assert "8c5f" not in text
    assert "review will run again from the first line" in text

    text = text_of(outcome_rows(view_at(13), items_of([ask, replace(ask, id=AskId("x"))]), {}, 74))
    assert "review, review is not decided" in text


# ------------------------------------------------------------- several questions, nested state


async def test_one_of_several_questions_can_be_answered_alone_where_the_target_takes_that():
    """The rest stays open; a target that wants all of them gets all or nothing."""
    asks = (
        Ask(AskId("q1"), "input", NodeId("a"), "first?"),
        Ask(AskId("q2"), "input", NodeId("b"), "second?"),
    )
    for capabilities, sent in ((frozenset({"answer_some"}), True), (frozenset[str](), False)):
        async with driven(13) as app:
            view = app.conversation.view
            assert view.stop is not None and view.loaded is not None
            await app.show(
                stop=replace(view.stop, asks=asks),
                phase="waiting",
                loaded=replace(view.loaded, capabilities=capabilities),
            )
            await app.press("a")
            await app.type("yes")
            assert ("The other questions stay open." in app.text) is sent
            await app.press("enter")
            assert (app.sent[-1] == Answer({"q1": "yes"})) is sent
            assert (app.dialog == "") is sent


async def test_an_edit_goes_through_the_strategy_only_for_a_whole_key():
    """A part of a value is put where it is."""
    async with driven(11) as app:
        app.app.open_dialog("state.edit", "turn")
        await app.settle()
        await app.press("ctrl+u", "9", "tab", "right")
        assert "turn is replace: the value goes through it" in app.text
        await app.press("enter")
        assert app.sent[-1] == EditState(("turn",), 9, "reducer")

    async with driven(11) as app:
        app.app.open_dialog("state.edit", "messages[0].content")
        await app.settle()
        await app.press("ctrl+u", "9", "tab", "right", "enter")
        assert app.sent[-1] == EditState(("messages", 0, "content"), 9)


async def test_an_edit_inside_a_nested_graph_names_that_graph():
    """Else it would change the outer key of the same name."""
    async with driven(11) as app:
        steps = app.conversation.view.trace.steps
        steps[-1] = replace(steps[-1], scope=NodeId("team"))
        app.app.open_dialog("state.edit", "notes")
        await app.settle()
        assert "Edit the state of team" in app.text
        await app.press("1", "enter")
        assert app.sent[-1] == EditState(("team:notes",), 1)
