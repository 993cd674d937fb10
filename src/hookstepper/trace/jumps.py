"""The life of `jump_to`: a key that one hook writes and another router reads, perhaps much later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hookstepper.model.ids import NodeId
from hookstepper.model.jumps import choices, default_path
from hookstepper.model.record import StepDone
from hookstepper.trace.marks import jump_word

if TYPE_CHECKING:
    from hookstepper.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class JumpLife:
    """What is known of `jump_to` at a step."""

    word: str
    """The word that is set, empty if none is."""
    written_at: int | None = None
    """Index of the step that wrote it; None if none did, -1 if it came with the input."""
    author: NodeId | None = None
    """The node that wrote it; None if it came from outside."""
    by_person: bool = False
    age: int = 0
    """Steps on this line of history since it was written."""
    readers: tuple[int, ...] = ()
    """Steps whose router has read it since, oldest first."""
    next_reader: NodeId | None = None
    """The node whose router would read it next along default edges."""

    @property
    def stale(self) -> bool:
        """True from the second reader on: the jump has had its effect and is still there."""
        return len(self.readers) > 1


def jump_life(trace: Trace, index: int, key: str) -> JumpLife:
    """The life of the jump key up to a step."""
    state = trace.state(index)
    word = jump_word(state.get(key)) if isinstance(state, dict) else ""
    reader = _next_reader(trace, index)
    if not word:
        return JumpLife("", next_reader=reader)
    found = trace.write((key,), index)
    if found is None:
        return JumpLife(word, next_reader=reader)
    author = trace.steps[found.step] if found.by == "step" and found.step >= 0 else None
    by_person = found.by == "edit" or (author is not None and any("jump" in act for act in author.by_hand))
    since: list[int] = []
    for step in trace.back_from(min(index, trace.last)):
        if step < found.step or (step == found.step and author is None):
            break
        since.append(step)
    readers = tuple(step for step in reversed(since) if reads_jump(trace.steps[step]))
    return JumpLife(
        word,
        found.step,
        author.site.node if author is not None else None,
        by_person,
        sum(step > found.step for step in since),
        readers,
        reader,
    )


def reads_jump(step: StepDone) -> bool:
    """True if the router after a step looked at the jump key."""
    route = step.route
    if route is None:
        return False
    return "jump" in route.rule or any("jump" in seen.rule and seen.saw for seen in route.rules)


def _next_reader(trace: Trace, index: int) -> NodeId | None:
    graph = trace.graph
    if graph is None or not 0 <= index < len(trace.steps):
        return None
    route = trace.steps[index].route
    start = route.to[0] if route is not None and route.to else None
    ahead = default_path(graph, trace.steps[index].site.node)
    if start is not None:
        ahead = (start, *default_path(graph, start))
    return next((node for node in ahead if any(way.offered for way in choices(graph, node))), None)
