"""What a person may choose about a picture, from the command line to the file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hookstepper.exporters import ExportOptions, exporter, format_of, formats
from hookstepper.exporters.svg import CELL
from hookstepper.model.errors import UsageError
from hookstepper.picture import cell_width, fit
from support.cli import TARGETS, hookstepper
from unit.picture.graphs import demo, multi, react

AGENT = str(TARGETS / "weather_like.py")


@pytest.mark.parametrize("name", formats())
def test_a_suffix_tells_its_format(name: str) -> None:
    assert format_of(f"picture{exporter(name).suffix.upper()}") == name


def test_a_file_without_suffix_is_text_and_a_strange_one_is_refused() -> None:
    assert format_of("folder.d/README") == "text"
    with pytest.raises(UsageError, match=r"\.jpeg") as refused:
        format_of("x.jpeg")
    assert ".svg" in (refused.value.hint or "")


@pytest.mark.parametrize("zoom", ["box", "row", "folded", "dots"])
def test_a_text_picture_takes_the_form_that_was_asked_for(zoom: str) -> None:
    text = exporter("text").export(demo(), ExportOptions(zoom=zoom))  # type: ignore[arg-type]

    assert isinstance(text, str)
    assert ("╭─────" in text.splitlines()[0]) == (zoom == "box")
    assert ("Edit.afterModel" in text) == (zoom in ("box", "row"))


def test_ascii_pictures_keep_the_labels_of_the_program() -> None:
    text = exporter("text").export(react(), ExportOptions(glyphs="ascii"))

    assert isinstance(text, str)
    assert {char for char in text if not char.isascii()} == set("读取文件")


def test_the_command_takes_its_format_from_the_file(tmp_path: Path) -> None:
    out = tmp_path / "agent.mmd"
    done = hookstepper("graph", AGENT, "-o", str(out), "--conditions", "--names", "label", "--title", "Mine")

    assert (done.code, done.out) == (0, ""), done.err
    text = out.read_text(encoding="utf-8")
    lines = text.splitlines()
    assert "title: Mine" in lines
    assert '\tcondition1{"check state"}' in lines
    assert '\t_AGENT_MODEL_("model")' in lines


def test_the_command_prints_plain_text_that_fits() -> None:
    """Piped: no colour; narrow: shortened."""
    done = hookstepper("graph", AGENT, "--width", "70")

    assert done.code == 0, done.err
    assert "\x1b" not in done.out
    assert max(map(len, done.out.splitlines())) <= 70
    assert "…" in hookstepper("graph", AGENT, "--width", "45", "--zoom", "row").out


def test_the_command_refuses_a_suffix_that_it_does_not_know(tmp_path: Path) -> None:
    done = hookstepper("graph", AGENT, "-o", str(tmp_path / "x.jpeg"))

    assert done.code == 2
    assert ".jpeg" in done.err and not (tmp_path / "x.jpeg").exists()


def test_no_line_runs_through_the_title_of_a_subgraph() -> None:
    """Its border is crossed by the line that enters; the title stands beside that."""
    plan = fit(multi(), None, None)
    svg = exporter("svg").export(multi(), ExportOptions())

    assert isinstance(svg, str)
    for frame in plan.frames:
        left = round(float(re.search(rf'x="([\d.]+)"[^>]*>{frame.title}<', svg)[1]) / CELL[0])  # type: ignore[index]
        crossed = {x for x, y in plan.arms if y == frame.y}
        assert crossed.isdisjoint(range(left, left + cell_width(frame.title)))
