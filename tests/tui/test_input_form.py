"""Next message as a form, over an open question, and with a jump left over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from hookstepper.model.commands import AbortRun, StartRun
from hookstepper.model.ids import Json
from hookstepper.model.record import AddKey
from hookstepper.tui.options import Options
from hookstepper.tui.rows.next_message import input_fields, read_fields, without_jump
from hookstepper.tui.words import use_language
from support.driving import driven
from support.replay import ReplayConversation, view_at
from tui.support.golden import check_golden

SCHEMA: Json = {
    "type": "object",
    "properties": {
        "messages": {"type": ["string", "array"]},
        "topic": {"type": "string"},
        "depth": {"type": "integer"},
        "mode": {"enum": ["fast", "slow"]},
        "notes": {"anyOf": [{"type": "array"}, {"type": "null"}]},
    },
    "required": ["messages", "depth"],
}


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    use_language("en")
    yield
    use_language("en")


def with_schema(conversation: ReplayConversation) -> None:
    loaded = conversation.view.loaded
    assert loaded is not None
    conversation.view = replace(conversation.view, loaded=replace(loaded, input_schema=SCHEMA))


def test_the_form_has_a_field_for_each_key_and_reads_them_by_their_types():
    """Text where a text is taken, JSON elsewhere; required keys are asked for."""
    view = view_at(23)
    assert view.loaded is not None
    fields = input_fields(replace(view, loaded=replace(view.loaded, input_schema=SCHEMA)))

    assert [(f.name, f.required) for f in fields][:3] == [
        ("messages", True),
        ("topic", False),
        ("depth", True),
    ]
    assert read_fields(fields, ["hi", "25", "3", "", ""]) == (
        {"messages": "hi", "topic": "25", "depth": 3},
        "",
    )
    assert read_fields(fields, ["hi", "", "", "", ""]) == (None, "depth is required")
    assert read_fields(fields, ["hi", "", "deep", "", ""])[1].startswith("depth: ")
    assert read_fields(fields, ["hi", "", "1", '"other"', ""])[1].startswith("mode: ")


def test_a_jump_is_taken_out_of_any_input():
    """A text becomes the update that it means, with the key emptied."""
    assert without_jump({"a": 1}) == {"a": 1, "jump_to": None}
    assert without_jump("hi") == {
        "input": "hi",
        "messages": [{"$": "msg", "role": "user", "content": "hi"}],
        "jump_to": None,
    }


async def test_the_form_sends_an_object():
    """One field a key; an empty optional one is left out."""
    async with driven(23, prepare=with_schema) as app:
        await app.press("m", *"hi", "tab", "tab", "7", "enter")
        assert app.sent[-1] == StartRun({"messages": "hi", "depth": 7}, "demo")


async def test_text_at_an_open_question_asks_what_it_is():
    """1 answers; 2 drops the question, ends its run and starts a new turn; Esc leaves all as it is."""
    async with driven(13) as app:
        before = app.sent
        await app.press("m")
        assert app.dialog == "OpenQuestion"
        assert "HITL.afterModel asks about write_file" in app.text
        await app.press("escape")
        assert app.sent == before
        await app.press("m", "1")
        assert app.dialog == "AnswerDialog"

    async with driven(13) as app:
        await app.press("m", "2")
        assert "The question of now is dropped" in app.text
        await app.press(*"anew", "enter")
        assert app.sent[-2:] == [AbortRun(), StartRun("anew", "demo")]
        assert app.dialog == ""


async def test_a_jump_left_over_can_be_cleared_first():
    """The box says what it is; in a new thread there is nothing to clear."""

    def left(conversation: ReplayConversation) -> None:
        steps = conversation.view.trace.steps
        last = steps[-1]
        conversation._take(replace(last, index=last.index + 1, delta=(AddKey(("jump_to",), "end"),)))

    async with driven(23, prepare=left) as app:
        await app.press("m", *"hi")
        assert "[ ] clear jump_to = end first" in app.text
        await app.press("down", "down", "space", "enter")
        sent = app.sent[-1]
        assert isinstance(sent, StartRun) and sent.input == without_jump("hi")

    async with driven(23, prepare=left) as app:
        await app.press("m", *"hi", "down", "right")
        assert "clear jump_to" not in app.text


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_forms_on_the_screen(language: str):
    """The picture is the specification."""
    options = Options(language=language, welcome=False, clock=lambda: 0.0)  # type: ignore[arg-type]
    async with driven(23, size=(80, 24), options=options, prepare=with_schema) as app:
        await app.press("m")
        check_golden(f"form_input_80x24_{language}", app.text)
    async with driven(13, size=(80, 24), options=options) as app:
        await app.press("m")
        check_golden(f"dialog_open_question_80x24_{language}", app.text)
