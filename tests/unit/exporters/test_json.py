"""The JSON form of a graph: a public contract that is read back whole."""

from __future__ import annotations

import json

import pytest

from hookstepper.exporters import ExportOptions, exporter
from hookstepper.model.graph import Graph
from hookstepper.model.jsonform import from_json
from support.graph_corpus import agent, corpus

CORPUS = corpus()


@pytest.mark.parametrize("key", CORPUS)
def test_graph_is_read_back_whole(key: str) -> None:
    """The importer and other programs lose nothing."""
    text = exporter("json").export(CORPUS[key], ExportOptions())

    assert from_json(Graph, json.loads(text)) == CORPUS[key]


def test_promised_fields_are_always_there() -> None:
    """Scripts read `edge["label"]` without asking whether it is there."""
    page = json.loads(exporter("json").export(agent(), ExportOptions()))

    assert all({"id", "label", "kind"} <= node.keys() for node in page["nodes"])
    assert all(edge.keys() == {"source", "target", "kind", "label", "evidence"} for edge in page["edges"])
    assert page["anchors"] == {
        "entry": "_AGENT_HOOK_Audit.before",
        "loop_entry": "_AGENT_HOOK_Log.beforeModel",
        "loop_exit": "_AGENT_HOOK_Log.afterModel",
        "exit": "_AGENT_HOOK_Audit.after",
    }


def test_names_are_written_as_they_are_read() -> None:
    """A Chinese name in the file is Chinese, not `\\u5929`."""
    text = exporter("json").export(CORPUS["nasty names"], ExportOptions())
    readable = exporter("json").export(Graph("天气", (), ()), ExportOptions())

    assert isinstance(text, str)
    assert "\\ud800" in text  # half a surrogate pair is no UTF-8: then all is escaped
    assert '"天气"' in str(readable)
