"""What is expected of nodes: that they ran, in which order, or which one is next."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches

from hookstepper.client.view import View

SAID = 12
"""Names that a message lists at most."""

Check = Callable[[View], str]
"""Why it does not hold, or an empty string."""


def node(rest: str) -> Check:
    """The check that a sentence about a node means."""
    for pattern, make in _NODE_FORMS:
        if match := pattern.fullmatch(rest):
            return make(*match.groups())
    return lambda view: _is_next(view, rest)


def _reached(name: str, times: str | None) -> Check:
    def check(view: View) -> str:
        count = sum(is_called(view, node, name) for node in _ran(view))
        if times is None and count:
            return ""
        if times is not None and count == int(times):
            return ""
        unknown = "" if count else _unknown(view, name)
        return unknown or (f"it ran {count} times" if count else f"ran: {_labels(view)}")

    return check


def _not_reached(name: str) -> Check:
    def check(view: View) -> str:
        steps = view.trace.steps
        at = [i for i in view.trace.line() if is_called(view, steps[i].site.node, name)]
        return f"it ran at step {at[0]}" if at else _unknown(view, name)

    return check


def _before(first: str, second: str) -> Check:
    def check(view: View) -> str:
        ran = _ran(view)
        at = [
            next((i for i, node in enumerate(ran) if is_called(view, node, n)), None) for n in (first, second)
        ]
        if at[0] is not None and at[1] is not None:
            return "" if at[0] < at[1] else f"ran: {_labels(view)}"
        missing = first if at[0] is None else second
        return _unknown(view, missing) or f"{missing} did not run; ran: {_labels(view)}"

    return check


def _is_next(view: View, name: str) -> str:
    if any(is_called(view, node, name) for node in view.next_nodes):
        return ""
    found = ", ".join(label(view, node) for node in view.next_nodes) or view.phase
    return f"found {found} to be next"


_NODE_FORMS: tuple[tuple[re.Pattern[str], Callable[..., Check]], ...] = (
    (re.compile(r"(.+?) +not +reached"), _not_reached),
    (re.compile(r"(.+?) +reached(?: +([0-9]{1,9}) +times?)?"), _reached),
    (re.compile(r"(.+?) +before +(.+)"), _before),
    (re.compile(r"(.+?) +after +(.+)"), lambda later, earlier: _before(earlier, later)),
)


def _ran(view: View) -> list[str]:
    return [view.trace.steps[index].site.node for index in view.trace.line()]


def label(view: View, node: str) -> str:
    """What the picture calls a node."""
    return view.graph.label(node) if view.graph is not None else node  # type: ignore[arg-type]


def _labels(view: View) -> str:
    return listed([label(view, node) for node in _ran(view)])


def listed(words: list[str]) -> str:
    """The words, cut if there are many."""
    if len(words) > SAID:
        return f"{', '.join(words[:SAID])}, … ({len(words)} in all)"
    return ", ".join(words) or "nothing"


def is_called(view: View, node: str, name: str) -> bool:
    """True if the name means the node."""
    return name in (node, label(view, node))


def _unknown(view: View, name: str) -> str:
    """That no node has this name: else a slip of the pen would hold as `not reached`."""
    known = {word for node in view.graph.nodes for word in (node.id, node.label)} if view.graph else set()
    if name in known or ":" in name or not known:
        return ""
    near = get_close_matches(name, known, n=3, cutoff=0.4)
    return f"but there is no node named {name}" + (f"; near: {', '.join(near)}" if near else "")
