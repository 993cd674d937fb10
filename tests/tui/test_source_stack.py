"""Source and Stack: where a task is held, in code and in frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookstepper.client.view import View
from hookstepper.model.events import Stopped
from hookstepper.model.gates import Frame, Site, Stop
from hookstepper.model.graph import SourcePlace
from hookstepper.model.ids import NodeId, StopId, TaskId
from hookstepper.tui.options import Options
from hookstepper.tui.rows import source
from hookstepper.tui.rows.lines import as_text
from hookstepper.tui.rows.source import source_lines
from hookstepper.tui.rows.stack import stack_lines
from hookstepper.tui.rows.state import Folding
from hookstepper.tui.words import use_language
from support.driving import driven
from support.replay import ReplayConversation, view_at

NODE = NodeId("_AGENT_HOOK_Edit.afterModel")
CODE = '''"""A file."""

COUNT = 3


class Edit:
    @staticmethod
    def after_model(state):
        text = "one"  # a remark
        return {"text": text}


def other():
    return None
'''


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    use_language("en")
    yield
    use_language("en")


def with_source(view: View, place: SourcePlace | None) -> View:
    assert view.graph is not None
    nodes = tuple(replace(n, source=place) if n.id == NODE else n for n in view.graph.nodes)
    return replace(view, graph=replace(view.graph, nodes=nodes))


def text_of(view: View, *, whole: bool = False) -> str:
    return as_text(source_lines(view, 60, NODE, Folding(whole=whole)), 60)


def held_in_code(file: Path) -> Stop:
    """A stop at line 9 of the file, with a local that holds a list."""
    place = SourcePlace(str(file), 9, "Edit.after_model")
    line = Frame("line", "Edit.after_model", source=place, locals={"state": {"n": [1, 2]}, "text": "one"})
    node = Frame("node", "Edit.afterModel", Site("node", NODE), SourcePlace(str(file), 8, "Edit.after_model"))
    return Stop(
        StopId(50),
        50,
        "held",
        ("step",),
        frozenset({"proceed"}),
        Site("line", NODE, "Edit.after_model"),
        "enter",
        TaskId("t"),
        12,
        frames=(line, node, Frame("graph", "weather"), Frame("run", "t")),
        next=(NODE,),
    )


def test_the_function_of_a_node_is_shown_with_its_decorator_and_line(tmp_path: Path):
    """The rest of the file comes with x."""
    file = tmp_path / "edit.py"
    file.write_text(CODE, encoding="utf-8")
    view = with_source(view_at(11), SourcePlace(str(file), 8, "Edit.after_model"))

    text = text_of(view)
    assert "edit.py:8 Edit.after_model" in text
    assert "8 »     def after_model(state):" in text
    assert 'return {"text": text}' in text
    assert "other" not in text
    assert "other" in text_of(view, whole=True)


def test_a_held_line_is_marked_and_its_locals_stand_below(tmp_path: Path):
    """Line stepping and breakpoint() look alike."""
    file = tmp_path / "edit.py"
    file.write_text(CODE, encoding="utf-8")
    view = replace(with_source(view_at(11), SourcePlace(str(file), 8)), stop=held_in_code(file))

    text = text_of(view)
    assert '9 ▶         text = "one"' in text
    assert "8 »" not in text
    assert "Locals of Edit.after_model" in text
    assert '"one"' in text.split("Locals")[1]


def test_what_cannot_be_shown_says_why(tmp_path: Path):
    """No source, a file that went away, one that is no text, one that is no Python."""
    view = view_at(11)
    assert "has no source: built into the framework." in text_of(with_source(view, None))
    assert "Not readable: No such file" in text_of(
        with_source(view, SourcePlace(str(tmp_path / "gone.py"), 1))
    )
    for name, data in (("bytes.py", b"\xff\xfe\x00"), ("odd.py", b"def (:\n  'never closed\n\x1b[31m")):
        (tmp_path / name).write_bytes(data)
        text = text_of(with_source(view, SourcePlace(str(tmp_path / name), 900)))
        assert "\x1b" not in text


def test_a_changed_file_is_read_anew(tmp_path: Path):
    """What is shown is what the next start would load."""
    file = tmp_path / "a.py"
    file.write_text("def f():\n    return 1\n", encoding="utf-8")
    view = with_source(view_at(11), SourcePlace(str(file), 1))
    assert "return 1" in text_of(view)
    file.write_text("def f():\n    return 1234\n", encoding="utf-8")
    assert "return 1234" in text_of(view)


@given(st.text(max_size=60))
def test_any_text_is_coloured_without_losing_a_character(text: str):
    """Colours come from the tokenizer, which may give up half way."""
    lines = tuple(text.splitlines())
    rows = source._coloured(lines)

    assert [("".join(s.text for s in r)) for r in rows] == [source.shown(line) for line in lines]


def test_the_stack_lists_frames_innermost_first_with_their_scopes(tmp_path: Path):
    """The innermost scope is open."""
    view = replace(view_at(11), stop=held_in_code(tmp_path / "edit.py"))
    text = as_text(stack_lines(view, 60, Folding()), 60)

    assert text.index("line") < text.index("node") < text.index("graph") < text.index("run ")
    assert "text" in text and '"one"' in text
    opened = as_text(stack_lines(view, 60, Folding(frozenset({"f:2"}))), 60)
    assert "state" in opened.split("graph")[1]


def test_there_is_no_stack_while_nothing_is_held():
    """Looking back, and at rest."""
    assert "No task is held" in as_text(stack_lines(view_at(23), 60, Folding()), 60)


async def test_the_tabs_open_and_follow_the_held_line(tmp_path: Path):
    """7 and 9; u and d walk the frames."""
    file = tmp_path / "edit.py"
    file.write_text(CODE, encoding="utf-8")

    def prepare(conversation: ReplayConversation) -> None:
        conversation.play_to_step(11)
        conversation._take(Stopped(held_in_code(file)))

    async with driven(11, prepare=prepare) as app:
        await app.press("7")
        assert '▶         text = "one"' in app.text
        await app.press("u")
        assert "▾ line" in app.text
        await app.press("u", "u", "left")
        assert app.app.main is not None
        assert app.app.main.workspace.inspector.pane.line.id == "f:2"  # type: ignore[attr-defined]
        await app.press("d")
        assert app.app.main.workspace.inspector.pane.line.id == "f:1"  # type: ignore[attr-defined]


async def test_chinese_names_of_frames():
    """Kinds of frames are translated, names of the program are not."""
    options = Options(language="zh", welcome=False, clock=lambda: 0.0)
    async with driven(11, options=options) as app:
        await app.press("9")
        assert "▾ 节点" in app.text
