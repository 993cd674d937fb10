"""The table of formats: every exporter over every graph, and formats that other packages bring."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hookstepper.exporters import BUILT_IN, ExportOptions, exporter, formats
from hookstepper.model.errors import UsageError
from hookstepper.model.ids import END, START
from support.graph_corpus import corpus, plain

CORPUS = corpus()
OWN = [name for name in BUILT_IN if name not in ("png", "pdf")]
"""Formats that need nothing but us."""


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("key", CORPUS)
def test_every_format_takes_every_graph(name: str, key: str) -> None:
    """A new row in the table is tested by itself."""
    content = exporter(name).export(CORPUS[key], ExportOptions())

    if isinstance(content, str):
        assert content.endswith("\n")
        assert not content.endswith("\n\n")
        content = content.encode()
    assert content


@pytest.mark.parametrize("name", ["mermaid", "plantuml", "dot", "json"])
def test_an_agent_is_written_as_the_golden_file_shows(name: str) -> None:
    """Read the difference before you replace the file."""
    made = exporter(name)

    content = made.export(corpus()["agent"], ExportOptions())

    golden = (Path(__file__).parent / "golden" / f"agent{made.suffix}").read_bytes()
    assert (content.encode() if isinstance(content, str) else content) == golden


@pytest.mark.parametrize("name", OWN)
def test_equal_graphs_give_equal_files(name: str) -> None:
    """An exported picture in a repository changes only when the graph does."""
    first = exporter(name).export(corpus()["agent"], ExportOptions())

    assert exporter(name).export(corpus()["agent"], ExportOptions()) == first


def test_suffixes_tell_formats_apart() -> None:
    """`-o` without a format goes by the suffix."""
    suffixes = [exporter(name).suffix for name in BUILT_IN]

    assert len(set(suffixes)) == len(suffixes)
    assert all(suffix.startswith(".") for suffix in suffixes)


def test_unknown_format_is_refused_with_the_list() -> None:
    """The person learns what there is."""
    with pytest.raises(UsageError) as refused:
        exporter("gif")

    assert refused.value.hint == f"formats: {', '.join(formats())}"


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package that brings two formats, one of them broken, and tries to take over a third."""
    (tmp_path / "shout_export.py").write_text(
        "class Shout:\n"
        "    suffix = '.shout'\n"
        "    def export(self, graph, options):\n"
        "        return graph.name.upper() + '!\\n'\n"
    )
    info = tmp_path / "shout_export-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shout-export\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[hookstepper.exporters]\nshout = shout_export:Shout\nbroken = shout_export:Nothing\n"
        "json = shout_export:Shout\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "shout_export", raising=False)


@pytest.mark.usefixtures("plugin")
def test_another_package_can_bring_a_format() -> None:
    """An exporter is one class and one entry point; nothing of ours changes."""
    text = exporter("shout").export(plain("hi", (START, END)), ExportOptions())

    assert text == "HI!\n"
    assert formats() == (*BUILT_IN, "broken", "shout")


@pytest.mark.usefixtures("plugin")
def test_a_format_that_fails_to_load_is_told_by_name() -> None:
    """A broken plugin is the plugin's trouble, not a traceback of ours."""
    with pytest.raises(UsageError, match="'broken' failed to load: AttributeError"):
        exporter("broken")


@pytest.mark.usefixtures("plugin")
def test_a_built_in_format_cannot_be_taken_over() -> None:
    """`--format json` is a public contract."""
    assert type(exporter("json")).__module__ == "hookstepper.exporters.json"
