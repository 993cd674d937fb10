"""The life of `jump_to` in words: who set it, how long ago, who has read it since, who reads it next."""

from __future__ import annotations

from hookstepper.client.view import View
from hookstepper.model.graph import Graph
from hookstepper.trace.jumps import JumpLife
from hookstepper.trace.marks import JUMP_KEY
from hookstepper.tui.rows.facts import label
from hookstepper.tui.rows.lines import Line, line, shown, wrap
from hookstepper.tui.rows.row import Role, pad_text, row
from hookstepper.tui.words import tr


def jump_lines(view: View, width: int) -> list[Line]:
    """Who set `jump_to`, how long ago, who has read it since, and who reads it next."""
    if view.graph is None or not knows_jumps(view.graph):
        return []
    life = view.trace.jump(view.at)
    if not life.word:
        ever = any(JUMP_KEY in step.writes for step in view.trace.steps)
        said = tr("not set now") if ever else tr("never set in this run")
        return _told(width, "", said, _reader(view, life))
    parts = [_author(view, life)]
    if life.age:
        parts.append(tr("1 step ago") if life.age == 1 else tr("{n} steps ago", n=life.age))
    if life.readers:
        names = ", ".join(
            dict.fromkeys(label(view, view.trace.steps[each].site.node) for each in life.readers)
        )
        parts.append(tr("read by {nodes}", nodes=names))
    return _told(width, shown(life.word, 60), " · ".join(parts), _reader(view, life), stale=life.stale)


def knows_jumps(graph: Graph) -> bool:
    """True if any edge of the graph reads `jump_to`."""
    return any(edge.kind == "jump" for edge in graph.edges) or any(node.jumps for node in graph.nodes)


def _author(view: View, life: JumpLife) -> str:
    if life.by_person:
        return tr("set by hand")
    if life.author is None or life.written_at is None or life.written_at < 0:
        return tr("came with the input")
    return tr("set by {node}, step {n}", node=label(view, life.author), n=life.written_at + 1)


def _reader(view: View, life: JumpLife) -> str:
    return (
        tr("next reader: {node}", node=label(view, life.next_reader)) if life.next_reader is not None else ""
    )


def _told(width: int, word: str, said: str, reader: str, *, stale: bool = False) -> list[Line]:
    """`jump_to` in the left column, and beside it what is known of it."""
    column = 11
    head: list[str | tuple[str, Role]] = [(pad_text(" jump_to", column), "key")]
    if word:
        head.append((f"= {word}", "current"))
    if stale:
        head.append((f"  {tr('stale')}", "warning"))
    text = [said, *([reader] if reader else [])]
    lines = [each for part in text for each in wrap(part, width - column - 1)]
    if not word:
        return [
            Line(
                row((pad_text(" jump_to" if place == 0 else "", column), "key"), each),
                "r:jump" if place == 0 else "",
            )
            for place, each in enumerate(lines)
        ]
    return [Line(row(*head), "r:jump"), *(line(" " * column, each) for each in lines)]
