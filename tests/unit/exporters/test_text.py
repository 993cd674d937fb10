"""The text picture as a file."""

from __future__ import annotations

from hookstepper.exporters import ExportOptions, exporter
from support.graph_corpus import agent


def written(options: ExportOptions) -> str:
    text = exporter("text").export(agent(), options)
    assert isinstance(text, str)
    return text


def test_every_node_and_way_is_in_the_picture() -> None:
    """What is pasted into a README says as much as the debugger's screen."""
    text = written(ExportOptions())

    graph = agent()
    assert [node.label for node in graph.nodes if node.label not in text] == []
    assert [e.label for e in graph.edges if e.evidence != "never" and e.label not in text] == []


def test_a_narrow_picture_takes_a_smaller_form() -> None:
    """Lines that wrap are no picture."""
    lines = written(ExportOptions(width=60)).splitlines()

    assert max(map(len, lines)) <= 60
    assert any("Safety" in line for line in lines)


def test_edges_never_taken_are_off_the_picture_unless_asked_for() -> None:
    """They would shape it for nothing."""
    plain, full = written(ExportOptions()), written(ExportOptions(show_never=True))

    assert plain != full


def test_the_words_of_the_picture_are_those_of_the_interface() -> None:
    """A Chinese picture says 入口."""
    text = written(ExportOptions(words={"entry": "入口", "jump end": "跳到结尾"}))

    assert "‹入口›" in text
    assert "跳到结尾" in text
