"""The breakpoint form: what it understands, what it refuses, and what it sets."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookstepper.model.breakpoints import Breakpoint
from hookstepper.tui.options import Options
from hookstepper.tui.rows.breakpoint_form import KINDS, Filled, filled_from, judged, kind_words
from hookstepper.tui.rows.row import plain
from hookstepper.tui.words import use_language
from support.driving import driven
from support.replay import view_at
from tui.support.golden import check_golden

EDIT = "_AGENT_HOOK_Edit.afterModel"
SIZES = {"80x24": (80, 24), "120x40": (120, 40), "200x60": (200, 60)}


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    use_language("en")
    yield
    use_language("en")


def said(filled: Filled) -> tuple[bool, str]:
    found = judged(view_at(11), filled, 1, 74)
    return found.ok, "\n".join(plain(row) for row in found.rows)


def test_a_node_is_named_as_the_picture_names_it_or_by_a_glob():
    """Shown names become ids; a pattern says what it takes."""
    found = judged(view_at(11), Filled("node", "Edit.afterModel"), 3, 74)
    assert found.ok and found.breakpoint == Breakpoint(3, node=EDIT)

    ok, text = said(Filled("node", "*.afterModel"))
    assert ok and text.startswith("✓ 4: ")


def test_an_unknown_node_is_refused_with_the_near_ones():
    """A slip is said before it is set."""
    ok, text = said(Filled("node", "Edti.afterModel"))

    assert not ok
    assert "no node named Edti.afterModel; near: Edit.afterModel" in text


def test_a_condition_is_tried_at_the_step_in_view():
    """What it is now tells more than that it can be read."""
    assert said(Filled("node", "*", "len(messages) > 3")) == (
        True,
        "✓ any node\n✓ condition: at this step it is true",
    )
    ok, text = said(Filled("node", "*", "len(mesages) > 3"))
    assert ok and "nothing is named mesages now; near: messages" in text
    ok, text = said(Filled("node", "*", "len(messages"))
    assert not ok and "✗ condition: " in text
    assert said(Filled("tool", "write_file", 'tool.args.path == "x"'))[0]


def test_hit_counts_and_log_texts_are_read_too():
    """What the session would turn down is turned down here."""
    assert not said(Filled("node", "*", hit="sometimes"))[0]
    assert said(Filled("node", "*", hit=">= 3"))[0]
    assert not said(Filled("node", "*", log="{len(messages"))[0]
    assert "does not stop" in said(Filled("node", "*", log="now {len(messages)}"))[1]


def test_a_state_key_has_to_be_named():
    """Any key at all is a wish for a star."""
    assert not said(Filled("state"))[0]
    assert judged(view_at(11), Filled("state-grows", "messages"), 1, 74).breakpoint == Breakpoint(
        1, on="state", key="messages", change="grows"
    )


@given(
    st.sampled_from([kind.id for kind in KINDS]),
    st.sampled_from(["Edit.afterModel", "*", "Log.*", "write_file", "messages"]),
    st.sampled_from(["", "turn > 1", "len(messages) == 2"]),
    st.sampled_from(["", "3", ">= 2", "% 5"]),
    st.booleans(),
    st.booleans(),
)
def test_a_breakpoint_opens_as_the_form_that_made_it(
    kind: str, place: str, condition: str, hit: str, enabled: bool, once: bool
):
    """Opening and setting it again changes nothing."""
    view = view_at(11)
    made = judged(view, Filled(kind, place, condition, hit, "", enabled, once), 7, 74)
    if not made.ok:
        return

    again = judged(view, filled_from(view, made.breakpoint), 7, 74)
    assert again.breakpoint == made.breakpoint


def test_every_kind_of_stop_has_its_own_words():
    """Two lines that read alike would be one."""
    words = [word for _, word in kind_words()]

    assert len(set(words)) == len(KINDS) == 16


async def test_the_form_sets_what_was_filled_in():
    """B, then a condition for the node under the cursor."""
    async with driven(11) as app:
        await app.press("B")
        assert app.dialog == "BreakpointForm"
        await app.type("len(messages) > 4")
        await app.press("tab")
        await app.type("3")
        await app.press("enter")

        made = app.conversation.view.breakpoints
        assert made == (
            Breakpoint(1, node="_AGENT_HOOK_Safety.afterModel", condition="len(messages) > 4", hit="3"),
        )
        assert app.dialog == ""


async def test_the_form_opens_what_is_there_and_can_remove_it():
    """B on a node that has one, or on its line in the list; ^d takes it away."""
    async with driven(11) as app:
        await app.press("b", "B")
        assert "Breakpoint 1" in app.text
        await app.press("tab", "tab", "tab", "right", "space", "enter")
        assert app.conversation.view.breakpoints[0].once

        await app.press("8", "B", "ctrl+d")
        assert app.conversation.view.breakpoints == ()


async def test_the_list_switches_opens_and_removes():
    """b turns one off without losing it, Enter opens it, Del removes it."""
    async with driven(11) as app:
        await app.press("b", "8", "b")
        assert app.conversation.view.breakpoints[0].enabled is False
        await app.press("enter")
        assert app.dialog == "BreakpointForm"
        await app.press("escape", "delete")
        assert app.conversation.view.breakpoints == ()
        await app.press("delete")
        assert "the cursor is on no breakpoint" in app.status


async def test_the_form_cannot_be_sent_while_something_is_wrong():
    """Enter does nothing until it is mended."""
    async with driven(11) as app:
        await app.press("B")
        await app.type("len(")
        await app.press("enter")

        assert app.dialog == "BreakpointForm"
        assert app.conversation.view.breakpoints == ()


async def test_the_mouse_fills_the_form():
    """Arrows, boxes and buttons take a click."""
    async with driven(11) as app:
        await app.press("B")
        await app.pilot.click("#kind", offset=(40, 0))
        assert "a node, after it ran" in app.text
        await app.pilot.click("#boxes", offset=(34, 0))
        assert "[x] only once" in app.text


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("size", SIZES)
async def test_form_on_the_screen(size: str, language: str):
    """The picture is the specification."""
    options = Options(language=language, welcome=False, clock=lambda: 0.0)  # type: ignore[arg-type]
    async with driven(11, size=SIZES[size], options=options) as app:
        await app.press("B")
        await app.type("len(messages) > 4")

        check_golden(f"form_breakpoint_{size}_{language}", app.text)
