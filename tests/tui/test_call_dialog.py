"""A held call: what is offered before and after it is made, and what each choice sends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookstepper.model.commands import AnswerCall, Next
from hookstepper.model.events import RunStarted, Stopped
from hookstepper.model.gates import Act, Phase, Reason, Site, Stop
from hookstepper.model.ids import BranchId, Json, NodeId, StopId, TaskId
from hookstepper.model.mocks import Mock
from hookstepper.tui.options import Options
from hookstepper.tui.rows.call import difference, path_words, recorded_call, ways
from hookstepper.tui.words import use_language
from support.driving import driven
from support.replay import ReplayConversation, replay
from tui.support.golden import check_golden

TOOL = NodeId("_AGENT_TOOL_")
ENTER: frozenset[Act] = frozenset({"proceed", "patch", "fulfil", "fail", "abort"})
EXIT: frozenset[Act] = frozenset({"proceed", "patch", "retry", "fail", "abort"})
ASKED: Json = {"$": "tool_request", "id": "c1", "name": "get_weather", "args": {"city": "Beijing"}}


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    use_language("en")
    yield
    use_language("en")


def call_stop(phase: Phase = "enter", reasons: tuple[Reason, ...] = ("step",), value: Json = None) -> Stop:
    """A stop at a call of get_weather."""
    return Stop(
        StopId(99),
        99,
        "held",
        reasons,
        ENTER if phase == "enter" else EXIT,
        Site("tool", TOOL, "get_weather"),
        phase,
        TaskId("t"),
        9,
        next=(TOOL,),
        value=value if value is not None else ASKED if phase == "enter" else "sunny, 25 °C",
    )


def hold(stop: Stop):  # type: ignore[no-untyped-def]
    def prepare(conversation: ReplayConversation) -> None:
        conversation._take(Stopped(stop))

    return prepare


def forked(city: str) -> ReplayConversation:
    """A fork from step 6 whose weather call is held, while the record asked for Beijing."""
    conversation = replay(12)
    steps = conversation.view.trace.steps
    conversation._take(RunStarted(2, BranchId("b2"), "demo", "from", conversation.view.trace.state(5), 5))
    for n, old in enumerate(steps[6:8]):
        conversation._take(replace(old, index=len(steps) + n, branch=BranchId("b2")))
    asked = {"$": "tool_request", "id": "c1", "name": "get_weather", "args": {"city": city}}
    conversation._take(Stopped(call_stop(reasons=("diverged",), value=asked)))
    return conversation


async def test_a_held_call_can_be_made_answered_failed_or_mocked():
    """Digits choose; what has to be typed is asked for first."""
    for keys, sent in (
        (("2",), Next()),
        (("3", *"rainy", "enter"), AnswerCall("rainy")),
        (("4", *"nope", "enter"), AnswerCall(error="nope")),
        (("4", "enter"), AnswerCall(error="failed by hand")),
    ):
        async with driven(8, prepare=hold(call_stop())) as app:
            await app.press("a", *keys)
            assert app.sent[-1] == sent
            assert app.dialog == ""


async def test_what_came_back_can_be_taken_replaced_or_asked_again():
    """After the call its answer stands in the field to be changed."""
    async with driven(8, prepare=hold(call_stop("exit"))) as app:
        await app.press("a", "2")
        assert app.sent[-1] == AnswerCall(retry=True)

    async with driven(8, prepare=hold(call_stop("exit"))) as app:
        await app.press("a", "3", "exclamation_mark", "enter")
        assert app.sent[-1] == AnswerCall("sunny, 25 °C!")


async def test_escape_leaves_the_field_first_and_the_call_held():
    """Nothing is sent by leaving."""
    async with driven(8, prepare=hold(call_stop())) as app:
        before = app.sent
        await app.press("a", "3", "x", "escape")
        assert app.dialog == "CallDialog"
        await app.press("escape")
        assert app.dialog == ""
        assert app.sent == before


async def test_a_call_that_differs_from_the_record_says_where():
    """The status line and the dialog name the first difference; the record can be used all the same."""
    conversation = forked("Paris")
    recorded = recorded_call(conversation.view)
    assert recorded is not None and recorded.call_id == "c1"

    async with driven(8) as app:
        await app.show(
            **{
                name: getattr(conversation.view, name)
                for name in ("trace", "stop", "phase", "graph", "held", "run")
            }
        )
        assert "DIFFERS FROM THE RECORD at step 15, tool │ args.city │ a use record" in app.status
        await app.press("a")
        assert "It differs from the record at args.city:" in app.text
        assert 'record    "Beijing"' in app.text
        assert 'now       "Paris"' in app.text
        await app.press("1")
        assert app.sent[-1] == AnswerCall(recorded=True)


def test_the_record_is_not_offered_where_none_is_played():
    """What cannot be done says why."""
    view = replace(replay(8).view, stop=call_stop())
    offered = {way.id: way for way in ways(view, call_stop())}

    assert offered["record"].command is None
    assert "no record is played here" in offered["record"].why_not
    bare = {way.id: way for way in ways(view, replace(call_stop(), acts=frozenset({"proceed"})))}
    assert [way for way in bare.values() if way.command or way.typed] == [bare["call"]]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, JSON)
def test_the_first_difference_is_a_difference(old: Json, new: Json):
    """None for equal values and only for those; else both sides are what stands at the path."""
    found = difference(old, new)
    assert difference(old, old) is None
    if found is None:
        assert old == new
        return
    path, a, b = found
    assert a != b or type(a) is not type(b) or a is None
    assert isinstance(path_words(path), str)


async def test_the_mock_form_writes_the_line_that_scripts_write():
    """M, or the last choice at a held call."""
    async with driven(8, prepare=hold(call_stop())) as app:
        await app.press("a", "5")
        assert app.dialog == "MockForm"
        await app.press("ctrl+u", *"fine", "tab", "space", "enter")
        assert app.conversation.view.mocks == (Mock(1, "tool", "get_weather", "fine", always=True),)
        assert app.sent[-1].TAG == "setMocks"

        await app.press("8")
        assert "tool get_weather" in app.text
        await app.press("end", "up", "up", "up", "up", "up")
        while app.app.main is not None and not app.app.main.workspace.pane.cursor_item:
            await app.press("up")
        await app.press("delete")
        assert app.conversation.view.mocks == ()


async def test_the_mock_form_can_let_calls_fail():
    """A model call by any name, once."""
    async with driven(8) as app:
        await app.press("M", "right", "tab", "tab", "right", "tab", *"down", "enter")
        assert app.conversation.view.mocks == (Mock(1, "model", "*", error="down"),)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_call_dialog_on_the_screen(size: tuple[int, int], language: str):
    """The picture is the specification."""
    options = Options(language=language, welcome=False, clock=lambda: 0.0)  # type: ignore[arg-type]
    async with driven(8, size=size, options=options, prepare=hold(call_stop())) as app:
        await app.press("a", "3")
        check_golden(f"dialog_call_{size[0]}x{size[1]}_{language}", app.text)
        await app.press("escape", "escape", "M")
        check_golden(f"form_mock_{size[0]}x{size[1]}_{language}", app.text)
