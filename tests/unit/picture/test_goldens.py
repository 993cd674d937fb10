"""Every reference graph at every zoom, as text. After a change that is meant: HOOKSTEPPER_GOLDENS=write."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hookstepper.picture import ZOOMS, Options, Zoom, layout
from unit.picture.graphs import REFERENCE

GOLDENS = Path(__file__).parent / "goldens"
GRAPHS = [name for name in REFERENCE if name != "rand200"]


@pytest.mark.parametrize("zoom", ZOOMS)
@pytest.mark.parametrize("name", GRAPHS)
def test_a_reference_graph_looks_as_it_was_approved(name: str, zoom: Zoom) -> None:
    """A picture that changes without being looked at is how pictures rot."""
    text = layout(REFERENCE[name](), Options(zoom=zoom)).base.text() + "\n"
    golden = GOLDENS / f"{name}.{zoom}.txt"
    if os.environ.get("HOOKSTEPPER_GOLDENS") == "write":
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text, encoding="utf-8")

    assert text == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("glyphs", ["safe", "ascii"])
def test_the_demonstration_agent_in_the_other_character_sets(glyphs: str) -> None:
    text = layout(REFERENCE["demo"](), Options(zoom="row", glyphs=glyphs)).base.text() + "\n"  # type: ignore[arg-type]
    golden = GOLDENS / f"demo.row.{glyphs}.txt"
    if os.environ.get("HOOKSTEPPER_GOLDENS") == "write":
        golden.write_text(text, encoding="utf-8")

    assert text == golden.read_text(encoding="utf-8")
