"""Every reference graph at every zoom, as text. After a change that is meant: HOOKSTEPPER_GOLDENS=write."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hookstepper.picture import ZOOMS, Options, Zoom, layout
from hookstepper.picture.options import GlyphSet
from unit.picture.graphs import REFERENCE

GOLDENS = Path(__file__).parent / "goldens"
OTHER_SETS: tuple[GlyphSet, ...] = ("safe", "ascii")
SMALL = [name for name in REFERENCE if not name.startswith("rand")]
CASES: list[tuple[str, Zoom, GlyphSet]] = [
    *((name, zoom, "unicode") for name in REFERENCE for zoom in ZOOMS),
    *((name, zoom, glyphs) for name in SMALL for zoom in ZOOMS for glyphs in OTHER_SETS),
]


@pytest.mark.parametrize(("name", "zoom", "glyphs"), CASES)
def test_a_reference_graph_looks_as_it_was_approved(name: str, zoom: Zoom, glyphs: GlyphSet) -> None:
    """A picture that changes without being looked at is how pictures rot."""
    text = layout(REFERENCE[name](), Options(zoom=zoom, glyphs=glyphs)).base.text() + "\n"
    golden = GOLDENS / (f"{name}.{zoom}.txt" if glyphs == "unicode" else f"{name}.{zoom}.{glyphs}.txt")
    if os.environ.get("HOOKSTEPPER_GOLDENS") == "write":
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text, encoding="utf-8")

    assert text == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", REFERENCE)
def test_ascii_pictures_hold_no_sign_of_ours_that_is_not_ascii(name: str) -> None:
    graph = REFERENCE[name]()
    foreign = {char for item in graph.nodes for char in item.label if not char.isascii()}
    for zoom in ZOOMS:
        text = layout(graph, Options(zoom=zoom, glyphs="ascii")).base.text()
        assert {char for char in text if not char.isascii()} <= foreign
