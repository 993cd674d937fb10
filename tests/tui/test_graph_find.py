"""Finding a node: what a text may mean, the line in the graph pane, and the palette."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual import events

from hookstepper.model.commands import Screen
from hookstepper.model.graph import Graph, Node
from hookstepper.model.ids import NodeId
from hookstepper.tui.graph_find import find_nodes, node_named
from hookstepper.tui.options import Options
from hookstepper.tui.palette import entries
from support.driving import Driven, driven

NAMES = ("model", "Log.beforeModel", "Log.afterModel", "HITL.afterModel", "工具", "tool_node", "Remodel")


def graph(*names: str) -> Graph:
    return Graph("g", tuple(Node(NodeId(f"id:{name}"), name) for name in names), ())


def labels(found: tuple[NodeId, ...]) -> list[str]:
    return [name.removeprefix("id:") for name in found]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("model", ["model", "Log.beforeModel", "Log.afterModel", "HITL.afterModel", "Remodel"]),
        ("LOG", ["Log.beforeModel", "Log.afterModel"]),
        ("node", ["tool_node"]),
        ("工", ["工具"]),
        ("lam", ["Log.afterModel", "HITL.afterModel"]),
        ("id:tool", ["tool_node"]),
        ("", []),
        ("   ", []),
    ],
)
def test_a_text_means_what_is_equal_then_begins_then_holds_then_has_its_letters(text: str, wanted: list[str]):
    found = find_nodes(graph(*NAMES), text)

    assert labels(found.nodes) == wanted
    assert found.exact


def test_a_misspelt_name_is_answered_with_names_like_it():
    found = find_nodes(graph(*NAMES), "afterModle")

    assert not found.exact
    assert labels(found.nodes)[:2] == ["Log.afterModel", "HITL.afterModel"]
    assert find_nodes(graph(*NAMES), "zzzz").nodes == ()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=12), min_size=1, max_size=8, unique=True), st.data())
def test_every_name_is_found_first_by_itself(names: list[str], data: st.DataObject):
    """Whatever is in it: brackets, dots, emoji. Only a name that differs by nothing but case comes before."""
    name = data.draw(st.sampled_from(names))
    found = find_nodes(graph(*names), name)
    if name.strip():
        first = labels(found.nodes)[0]
        assert first.casefold().strip() == name.casefold().strip() or name in labels(found.nodes)


def test_a_shown_name_that_two_nodes_have_names_neither():
    both = Graph("g", (Node(NodeId("a:x"), "x"), Node(NodeId("b:x"), "x"), Node(NodeId("y"), "why")), ())

    assert node_named(both, "x") is None
    assert node_named(both, "a:x") == "a:x"
    assert node_named(both, "why") == "y"


def bar(app: Driven) -> str:
    return next((line for line in app.lines if " of " in line or "none; near" in line), "")


async def test_the_cursor_follows_each_letter_and_enter_stays():
    async with driven(11) as app:
        await app.press("g", "/")
        await app.type("hitl")
        assert app.app.main is not None
        picture = app.app.main.workspace.graph.picture
        assert picture.cursor_node == "_AGENT_HOOK_HITL.afterModel"
        assert "1 of 1  HITL.afterModel" in app.text

        await app.press("enter")
        assert "1 of 1" not in app.text
        assert picture.cursor_node == "_AGENT_HOOK_HITL.afterModel"
        await app.press("down")
        assert picture.cursor_node == "_AGENT_HOOK_Log.afterModel"


async def test_escape_goes_back_to_where_one_was_and_runs_nothing():
    async with driven(11) as app:
        sent = len(app.sent)
        await app.press("g", "home", "/")
        await app.type("tool")
        assert app.app.main is not None
        picture = app.app.main.workspace.graph.picture
        assert picture.cursor_node == "_AGENT_TOOL_"
        await app.press("escape")

        assert picture.cursor_node == "__START__"
        assert len(app.sent) == sent
        await app.press("n")
        assert len(app.sent) == sent + 1


async def test_arrows_choose_among_the_names_that_match():
    async with driven(11) as app:
        await app.press("g", "/")
        await app.type("after")
        assert "1 of 5" in app.text
        await app.press("down", "down", "up")
        assert "2 of 5" in app.text
        await app.press("up", "up")
        assert "5 of 5" in app.text


async def test_a_name_that_nothing_has_is_answered_with_near_ones_and_enter_takes_the_first():
    async with driven(11) as app:
        await app.press("g", "/")
        await app.type("saftey")
        assert "none; near it  Safety.afterModel" in app.text
        await app.press("enter")

        assert app.app.main is not None
        assert app.app.main.workspace.graph.picture.cursor_node == "_AGENT_HOOK_Safety.afterModel"


async def test_tab_leaves_the_line_and_the_pane():
    async with driven(11) as app:
        await app.press("g", "/")
        await app.type("tool")
        await app.press("tab")

        assert app.app.main is not None
        assert app.app.main.workspace.current == "inspector"
        assert app.app.main.workspace.graph.cursor_node == "_AGENT_TOOL_"


async def test_tab_always_leaves_the_picture():
    """Also with the cursor on a node, and backwards."""
    async with driven(11) as app:
        assert app.app.main is not None
        await app.press("g", "down", "tab")
        assert app.app.main.workspace.current == "inspector"
        await app.press("g", "shift+tab")
        assert app.app.main.workspace.current == "timeline"


async def test_the_palette_goes_to_a_node_from_any_pane():
    async with driven(11) as app:
        wishes = [entry for entry in entries(app.app) if entry.text == "go to HITL.afterModel"]
        assert [entry.command for entry in wishes] == [Screen("view.node", ("_AGENT_HOOK_HITL.afterModel",))]
        await app.press("v")
        app.app.wish(wishes[0].command)
        await app.settle()

        assert app.app.main is not None
        assert app.app.main.workspace.current == "graph"
        assert app.app.main.workspace.graph.cursor_node == "_AGENT_HOOK_HITL.afterModel"


async def test_the_line_of_commands_goes_to_a_node_by_its_shown_name_and_tells_names_like_it():
    async with driven(11) as app:
        await app.press(":")
        await app.type("view.node Safety.afterModel")
        await app.press("enter")
        assert app.app.main is not None
        assert app.app.main.workspace.graph.cursor_node == "_AGENT_HOOK_Safety.afterModel"

        await app.press(":")
        await app.type("view.node saftey")
        await app.press("enter")
        assert "no node is called saftey" in app.text
        assert "Safety.afterModel" in app.status


async def test_the_line_speaks_chinese():
    async with driven(11, options=Options(language="zh", welcome=False, clock=lambda: 0.0)) as app:
        await app.press("g", "/")
        await app.type("hitl")

        assert "1 中的第 1 个" in app.text


async def test_the_characters_of_the_picture_are_changed_on_the_screen_from_any_pane():
    async with driven(11, options=Options(welcome=False, clock=lambda: 0.0, glyphs="safe")) as app:
        assert "▾" in app.text and "[ > Safety.afterModel" in app.text
        await app.press("v", ":")
        await app.type("glyphs ascii")
        await app.press("enter")
        assert app.app.main is not None
        assert app.app.main.workspace.graph.picture.glyphs == "ascii"
        assert app.app.main.workspace.graph.picture.canvas is not None
        assert app.app.main.workspace.graph.picture.canvas.text().isascii()


async def test_the_picture_is_made_larger_from_any_pane():
    """A key means the same in every pane."""
    async with driven(11) as app:
        assert app.app.main is not None
        picture = app.app.main.workspace.graph.picture
        assert picture.zoom == "row"
        await app.press("v", "+")
        assert picture.zoom == "box"
        await app.press("L", "-")
        assert picture.zoom == "row"


async def test_keys_typed_ahead_go_where_the_key_before_them_led():
    """Enter and b in one breath set a breakpoint on the node found, and write nothing into the line."""
    async with driven(11) as app:
        await app.press("g")
        for key, char in (*((char, char) for char in "/hitl"), ("enter", "\r"), ("b", "b")):
            app.app.post_message(events.Key("slash" if key == "/" else key, char))
        await app.settle()

        assert [point.node for point in app.conversation.view.breakpoints] == ["_AGENT_HOOK_HITL.afterModel"]
