"""Graphs whose upstream diagrams were recorded by hand: plain, with a choice, and with a subgraph inside."""

from __future__ import annotations

import pytest

from hookstepper.exporters import ExportOptions, exporter
from hookstepper.model.graph import Edge, Graph, Node
from hookstepper.model.ids import END, START, NodeId
from support.graph_corpus import plain

CHOICE = plain(
    "choice",
    (START, "a"),
    ("a", "b", "conditional", "go"),
    ("a", "a", "conditional", "a"),
    ("a", END, "conditional", "stop"),
    ("b", "a"),
)
SUB = Graph(
    "outer",
    (
        Node(START, "start", "start"),
        Node(END, "end", "end"),
        Node(NodeId("a"), "a"),
        Node(NodeId("sub"), "sub", "subgraph"),
        Node(NodeId("b"), "b"),
        Node(NodeId("sub:__START__"), "start", "start", parent=NodeId("sub")),
        Node(NodeId("sub:__END__"), "end", "end", parent=NodeId("sub")),
        Node(NodeId("sub:s1"), "s1", parent=NodeId("sub")),
        Node(NodeId("sub:s2"), "s2", parent=NodeId("sub")),
    ),
    tuple(
        Edge(NodeId(source), NodeId(target), kind, label)  # type: ignore[arg-type]
        for source, target, kind, label in (
            ("sub:__START__", "sub:s1", "fixed", ""),
            ("sub:s1", "sub:s2", "conditional", "go"),
            ("sub:s1", "sub:__END__", "conditional", "stop"),
            ("sub:s2", "sub:__END__", "fixed", ""),
            (START, "a", "fixed", ""),
            ("a", "sub", "fixed", ""),
            ("sub", "b", "fixed", ""),
            ("b", END, "fixed", ""),
        )
    ),
)


def body(graph: Graph, name: str, conditions: bool = True) -> list[str]:
    """The lines between head and foot, tabs shown as `>`."""
    options = ExportOptions(dialect="upstream", conditions=conditions)
    lines = str(exporter(name).export(graph, options)).replace("\t", ">").splitlines()
    if name == "mermaid":
        return lines[lines.index(">__END__((stop))") + 1 : lines.index("")]
    return lines[lines.index("circle stop as __END__") + 1 : -1]


@pytest.mark.parametrize(
    ("name", "whole"),
    [
        (
            "plantuml",
            "@startuml one\nskinparam usecaseFontSize 14\nskinparam usecaseStereotypeFontSize 12\n"
            "skinparam hexagonFontSize 14\nskinparam hexagonStereotypeFontSize 12\n"
            'title "one"\nfooter\n\npowered by spring-ai-alibaba\nend footer\n'
            "circle start<<input>> as __START__\ncircle stop as __END__\n"
            'usecase "a"<<Node>>\n"__START__" -down-> "a"\n"a" -down-> "__END__"\n@enduml\n',
        ),
        (
            "mermaid",
            "---\ntitle: one\n---\nflowchart TD\n\t__START__((start))\n\t__END__((stop))\n"
            '\ta("a")\n\t__START__:::__START__ --> a:::a\n\ta:::a --> __END__:::__END__\n\n'
            "\tclassDef __START__ fill:black,stroke-width:1px,font-size:xx-small;\n"
            "\tclassDef __END__ fill:black,stroke-width:1px,font-size:xx-small;\n",
        ),
    ],
)
def test_the_smallest_graph_is_written_byte_for_byte(name: str, whole: str) -> None:
    """Head and foot count too."""
    text = exporter(name).export(plain("one", (START, "a"), ("a", END)), ExportOptions(dialect="upstream"))

    assert text == whole


def test_a_choice_in_plantuml() -> None:
    """A label that equals its target is not written."""
    assert body(CHOICE, "plantuml") == [
        'usecase "a"<<Node>>',
        'usecase "b"<<Node>>',
        'hexagon "check state" as condition1<<Condition>>',
        '"__START__" -down-> "a"',
        '"a" .down.> "condition1"',
        '"condition1" .down.> "b": "go"',
        '\'"a" .down.> "b": "go"',
        '"condition1" .down.> "a"',
        '\'"a" .down.> "a"',
        '"condition1" .down.> "__END__": "stop"',
        '\'"a" .down.> "__END__": "stop"',
        '"b" -down-> "a"',
    ]


def test_a_choice_in_plantuml_without_its_condition() -> None:
    """The other half is the comment."""
    assert body(CHOICE, "plantuml", conditions=False) == [
        'usecase "a"<<Node>>',
        'usecase "b"<<Node>>',
        '\'hexagon "check state" as condition1<<Condition>>',
        '"__START__" -down-> "a"',
        '\'"a" .down.> "condition1"',
        '\'"condition1" .down.> "b": "go"',
        '"a" .down.> "b": "go"',
        '\'"condition1" .down.> "a"',
        '"a" .down.> "a"',
        '\'"condition1" .down.> "__END__": "stop"',
        '"a" .down.> "__END__": "stop"',
        '"b" -down-> "a"',
    ]


def test_a_choice_in_mermaid() -> None:
    """A comment keeps the tab of the line that it hides."""
    assert body(CHOICE, "mermaid") == [
        '>a("a")',
        '>b("b")',
        '>condition1{"check state"}',
        ">__START__:::__START__ --> a:::a",
        ">a:::a -.-> condition1:::condition1",
        ">condition1:::condition1 -.->|go| b:::b",
        ">%%>a:::a -.->|go| b:::b",
        ">condition1:::condition1 -.-> a:::a",
        ">%%>a:::a -.-> a:::a",
        ">condition1:::condition1 -.->|stop| __END__:::__END__",
        ">%%>a:::a -.->|stop| __END__:::__END__",
        ">b:::b --> a:::a",
    ]


def test_a_subgraph_in_plantuml() -> None:
    """A diagram of its own inside a box: its names begin anew."""
    assert body(SUB, "plantuml") == [
        'usecase "a"<<Node>>',
        "package sub [",
        "{{",
        'circle " " as __START__',
        "circle exit as __END__",
        'usecase "s1"<<Node>>',
        'usecase "s2"<<Node>>',
        'hexagon "check state" as condition1<<Condition>>',
        '"__START__" -down-> "s1"',
        '"s1" .down.> "condition1"',
        '"condition1" .down.> "s2": "go"',
        '\'"s1" .down.> "s2": "go"',
        '"condition1" .down.> "__END__": "stop"',
        '\'"s1" .down.> "__END__": "stop"',
        '"s2" -down-> "__END__"',
        "}}",
        "]",
        'usecase "b"<<Node>>',
        '"__START__" -down-> "a"',
        '"a" -down-> "sub"',
        '"sub" -down-> "b"',
        '"b" -down-> "__END__"',
    ]


def test_a_subgraph_in_mermaid() -> None:
    """One scope for the whole file: names end in the name of their subgraph."""
    assert body(SUB, "mermaid") == [
        '>a("a")',
        "subgraph sub",
        ">__START__sub((start)):::__START__sub",
        ">__END__sub((stop)):::__END__sub",
        '>s1_sub("s1")',
        '>s2_sub("s2")',
        '>condition1_sub{"check state"}',
        ">__START__sub:::__START__sub --> s1_sub:::s1_sub",
        ">s1_sub:::s1_sub -.-> condition1_sub:::condition1_sub",
        ">condition1_sub:::condition1_sub -.->|go| s2_sub:::s2_sub",
        ">%%>s1_sub:::s1_sub -.->|go| s2_sub:::s2_sub",
        ">condition1_sub:::condition1_sub -.->|stop| __END__sub:::__END__sub",
        ">%%>s1_sub:::s1_sub -.->|stop| __END__sub:::__END__sub",
        ">s2_sub:::s2_sub --> __END__sub:::__END__sub",
        "end",
        '>b("b")',
        ">__START__:::__START__ --> a:::a",
        ">a:::a --> sub:::sub",
        ">sub:::sub --> b:::b",
        ">b:::b --> __END__:::__END__",
    ]
