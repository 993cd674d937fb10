"""Our agents, drawn in the upstream dialect, give the diagrams that the Java program drew of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.agents import Watch, build
from hookstepper.exporters import ExportOptions, exporter
from support.diagram_order import in_any_order_within_a_choice

HERE = Path(__file__).parent
CASES = sorted(path.name.removesuffix(".plain.mmd") for path in (HERE / "diagrams").glob("*.plain.mmd"))
FORMS = [(".mmd", "mermaid", True), (".plain.mmd", "mermaid", False), (".puml", "plantuml", True)]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("suffix", "name", "conditions"), FORMS)
def test_43_a_recorded_agent_is_drawn_as_in_java(case: str, suffix: str, name: str, conditions: bool) -> None:
    """Builder, description and exporter together: same nodes, same numbers of conditions, same order."""
    agent, _ = build(json.loads((HERE / "cases" / f"{case}.json").read_text()), Watch())
    options = ExportOptions(dialect="upstream", conditions=conditions, title="golden")

    text = str(exporter(name).export(agent.describe(), options))

    golden = (HERE / "diagrams" / (case + suffix)).read_text()
    assert in_any_order_within_a_choice(text) == in_any_order_within_a_choice(golden)
