"""SVG, HTML, PNG and PDF."""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookstepper.exporters import ExportOptions, exporter
from hookstepper.exporters.signs import legal
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.graph import Graph
from hookstepper.model.ids import END, START
from hookstepper.picture import Options, fit
from support.graph_corpus import NASTY_NAMES, agent, chain_of, corpus, plain

CORPUS = corpus()
SVG = "{http://www.w3.org/2000/svg}"
Box = tuple[float, float, float, float]


def svg_of(graph: Graph, options: ExportOptions | None = None) -> ElementTree.Element:
    return ElementTree.fromstring(str(exporter("svg").export(graph, options or ExportOptions())))


@cache
def drawn(key: str) -> ElementTree.Element:
    return svg_of(CORPUS[key])


def groups(svg: ElementTree.Element, word: str) -> list[ElementTree.Element]:
    return [group for group in svg.iter(f"{SVG}g") if word in group.get("class", "").split()]


def box_of(group: ElementTree.Element) -> Box:
    rect = group.find(f"{SVG}rect")
    assert rect is not None
    x, y, width, height = (float(rect.get(name, "nan")) for name in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


@pytest.mark.parametrize("key", CORPUS)
def test_every_node_is_drawn_once_and_inside_the_picture(key: str) -> None:
    """A node outside the view box is a node lost."""
    svg = drawn(key)

    size = float(svg.get("width", "nan")), float(svg.get("height", "nan"))
    found = [group.get("data-id") for word in ("node", "frame") for group in groups(svg, word)]
    assert {legal(node.id) for node in CORPUS[key].nodes} <= set(found)
    assert len(set(found)) == len(found)
    for node in groups(svg, "node"):
        left, top, right, bottom = box_of(node)
        assert 0 <= left < right <= size[0]
        assert 0 <= top < bottom <= size[1]


@pytest.mark.parametrize("key", CORPUS)
def test_nodes_do_not_overlap(key: str) -> None:
    """What lies under another cannot be read."""
    boxes = [box_of(node) for node in groups(drawn(key), "node")]

    for index, a in enumerate(boxes):
        for b in boxes[index + 1 :]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


@pytest.mark.parametrize("key", [key for key in CORPUS if key != "nested"])
def test_every_edge_runs_from_border_to_border(key: str) -> None:
    """An arrow that ends in the air says nothing."""
    svg = drawn(key)
    boxes = {node.get("data-id"): box_of(node) for node in groups(svg, "node")}

    wires = [wire for wire in groups(svg, "wire") if wire.get("data-from")]
    for wire in wires:
        path = next((p.get("d", "") for p in wire.iter(f"{SVG}path")), None)
        if wire.get("data-from") == wire.get("data-to"):
            assert path is None
            continue
        assert path is not None
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", path)]
        for end, point in (("data-from", numbers[:2]), ("data-to", numbers[-2:])):
            left, top, right, bottom = boxes[wire.get(end)]
            on_side = point[0] in (left, right) and top <= point[1] <= bottom
            on_top = point[1] in (top, bottom) and left <= point[0] <= right
            assert on_side or on_top
    pairs = {(wire.get("data-from"), wire.get("data-to")) for wire in wires}
    shown = {(legal(e.source), legal(e.target)) for e in CORPUS[key].edges if e.evidence != "never"}
    assert key == "parents in a circle" or pairs == shown


def test_what_is_known_of_an_edge_can_be_seen() -> None:
    """Dashed: a choice. Dotted: seen, not declared."""
    svg = svg_of(agent(), ExportOptions(show_never=True))

    by_ends = {
        (w.get("data-from"), w.get("data-to")): w.get("class", "").split() for w in groups(svg, "wire")
    }
    assert by_ends[START, "_AGENT_HOOK_Audit.before"] == ["wire"]
    assert by_ends["_AGENT_HOOK_Safety.afterModel", "_AGENT_HOOK_Audit.after"] == ["wire", "dashed"]
    assert by_ends["_AGENT_TOOL_", "_AGENT_HOOK_Audit.after"] == ["wire", "dashed", "never"]


def test_where_strangers_cross_there_is_a_bridge() -> None:
    """Two lines that only cross must not look joined."""
    ids = [f"n{number}" for number in range(12)]
    steps = [(START, "n0"), *pairwise(ids), ("n11", END)]
    leaps = [(ids[a], ids[b], "conditional") for a, b in ((0, 5), (1, 7), (2, 9), (8, 3), (10, 4), (11, 6))]
    graph = plain("knots", *steps, *leaps)
    plan = fit(graph, None, None, Options())

    crossings = 0
    for index, a in enumerate(plan.wires):
        for b in plan.wires[index + 1 :]:
            if a.source != b.source and a.target != b.target:
                crossings += len(set(a.cells) & set(b.cells))
    bridges = [wire for wire in groups(svg_of(graph), "wire") if not wire.get("data-from")]

    assert crossings > 0
    assert len(bridges) == crossings


def test_tooltips_tell_what_the_picture_has_no_room_for() -> None:
    """Ids, jumps and tools are one hover away."""
    svg = svg_of(agent())

    tips = {node.get("data-id"): node.findtext(f"{SVG}title") for node in groups(svg, "node")}
    assert tips["_AGENT_HOOK_Safety.afterModel"] == (
        "_AGENT_HOOK_Safety.afterModel (after model)\nmay jump to: end"
    )
    assert tips["_AGENT_TOOL_"] == "_AGENT_TOOL_ (tool)\ntools: get_weather"


@given(names=st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=4, unique_by=legal))
@settings(max_examples=25, deadline=None)
def test_any_names_at_all_give_well_formed_xml(names: list[str]) -> None:
    """One `<` or one control character, and no viewer opens the file."""
    svg = svg_of(chain_of(tuple(name for name in names if name not in (START, END)) or ("a",)))

    assert len(groups(svg, "node")) >= 3


def test_nothing_is_loaded_from_anywhere() -> None:
    """The page works offline and tells nobody that it was opened."""
    page = str(exporter("html").export(agent(), ExportOptions()))

    outside = set(re.findall(r"[a-z]+://[^\s\"'<>]+", page)) - {"http://www.w3.org/2000/svg"}
    assert outside == set()
    assert "default-src 'none'" in page


class _Tags(HTMLParser):
    """Counts what a browser would see."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.title = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        if self.tags[-2:] == ["meta", "title"]:
            self.title += data


@pytest.mark.parametrize(
    "title", ["</title><script>alert(1)</script>", "SCRIPT SVG TITLE", "天气", "\x1b]0;x\x07"]
)
def test_a_title_stays_text(title: str) -> None:
    """A graph's name comes from foreign code."""
    page = _Tags(str(exporter("html").export(agent(), ExportOptions(title=title))))

    assert page.tags.count("script") == 1
    assert page.tags.count("svg") == 1
    assert page.title.strip() == legal(title)


def test_names_cannot_break_out_of_the_page() -> None:
    """Nor do the names of nodes."""
    names = (*NASTY_NAMES, "</svg><script>alert(1)</script>", '" onload="alert(1)', "SCRIPT")

    page = _Tags(str(exporter("html").export(chain_of(names), ExportOptions())))

    assert page.tags.count("script") == 1
    assert "b" not in page.tags


@pytest.fixture
def fake_dot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `dot` that gives back its arguments and input, or fails if the graph says so."""
    program = tmp_path / "dot"
    program.write_text(
        f"#!{sys.executable}\n"
        "import sys\n"
        "source = sys.stdin.read()\n"
        "if 'fail here' in source:\n"
        "    sys.exit('Error: syntax error in line 1\\nmore')\n"
        "sys.stdout.write(sys.argv[1] + ' ' + source)\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    return program


@pytest.mark.usefixtures("fake_dot")
@pytest.mark.parametrize("name", ["png", "pdf"])
def test_graphviz_is_given_the_dot_file(name: str) -> None:
    """PNG and PDF are the DOT file as Graphviz draws it."""
    content = exporter(name).export(agent(), ExportOptions())

    assert isinstance(content, bytes)
    assert content.decode() == f"-T{name} {exporter('dot').export(agent(), ExportOptions())}"


@pytest.mark.usefixtures("fake_dot")
def test_what_graphviz_says_is_passed_on() -> None:
    """A picture that could not be made is told with the reason."""
    with pytest.raises(NotPossibleError, match="syntax error in line 1"):
        exporter("png").export(plain("fail here", (START, END)), ExportOptions())


def test_without_graphviz_the_hint_names_what_needs_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The person wants a picture, not Graphviz."""
    monkeypatch.setenv("PATH", os.fspath(tmp_path))

    with pytest.raises(NotPossibleError) as refused:
        exporter("pdf").export(agent(), ExportOptions())

    assert "svg" in refused.value.hint
