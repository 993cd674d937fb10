"""The picture as SVG: the layout of the screen, drawn with lines instead of characters. No outside tool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape

from hookstepper.exporters import ExportOptions
from hookstepper.exporters.signs import legal
from hookstepper.exporters.style import style
from hookstepper.model.graph import HOOK_KINDS, Graph, Node
from hookstepper.picture import Frame, Layout, Options, Place, Wire, cell_width, clip, fit
from hookstepper.picture.layout import Cell
from hookstepper.picture.view import Box

CELL = (8, 16)
"""Pixels of one cell; a monospaced letter of 13 pixels is about as wide."""
_MARGIN = 12
_TITLE_HEIGHT = 28
_BEND = 6
"""Radius of a bend, in pixels; at most half a cell's height, so that two bends in a row stay apart."""

_UP, _RIGHT, _DOWN, _LEFT = 1, 2, 4, 8
"""Directions as `Layout.arms` counts them."""
_LONGEST_LABEL = 60
"""Cells at which a label is cut; the whole name is in the node's tooltip."""


@dataclass(frozen=True, slots=True)
class _Size:
    width: int
    height: int


class SvgExporter:
    """Writes `.svg`."""

    suffix = ".svg"

    def export(self, graph: Graph, options: ExportOptions) -> str:
        """The graph in its largest form; every node and edge tells more as its tooltip."""
        return drawn(graph, options) + "\n"


def drawn(graph: Graph, options: ExportOptions) -> str:
    """One `<svg>` element, for a file of its own or for a page."""
    wishes = Options(words=options.words, show_never=options.show_never is True, max_label=_LONGEST_LABEL)
    plan = fit(graph, options.width, None, wishes)
    title = graph.name if options.title is None else options.title
    top = _MARGIN + (_TITLE_HEIGHT if title else 0)
    size = _Size(plan.width * CELL[0] + 2 * _MARGIN, plan.height * CELL[1] + top + _MARGIN)
    return "\n".join(
        [
            *_head(title, size),
            f'<g transform="translate({_MARGIN} {top})">',
            *(_frame(frame, plan) for frame in plan.frames),
            *(_wire(index, wire, plan) for index, wire in enumerate(plan.wires)),
            *_bridges(plan),
            *(_node(box, plan, graph) for box in plan.boxes),
            *_legend(plan),
            "</g>",
            "</svg>",
        ]
    )


def _head(title: str, size: _Size) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="hs" role="img" width="{size.width}" '
        f'height="{size.height}" viewBox="0 0 {size.width} {size.height}">'
    )
    yield f"<title>{_text(title or 'graph')}</title>"
    yield f"<style>\n{style()}\n</style>"
    yield (
        '<defs><marker id="hs-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path class="arrow" d="M0 0 8 4 0 8z"/></marker></defs>'
    )
    yield f'<rect class="paper" width="{size.width}" height="{size.height}"/>'
    if title:
        yield f'<text class="title" x="{_MARGIN}" y="{_MARGIN + 13}">{_text(title)}</text>'


def _title_column(frame: Frame, plan: Layout) -> int:
    """The first column of the top border at which no line runs through the title; else the left end."""
    room = cell_width(frame.title) + 1
    last = frame.x + frame.width - room
    for x in range(frame.x + 2, last):
        if not any((column, frame.y) in plan.arms for column in range(x - 1, x + room)):
            return x
    return frame.x + 2


def _frame(frame: Frame, plan: Layout) -> str:
    x, y, width, height = _rectangle(frame.x, frame.y, frame.width, frame.height)
    return (
        f'<g class="frame" data-id="{_attribute(frame.id)}"><rect x="{x}" y="{y}" width="{width}" '
        f'height="{height}" rx="8"/>' + _label(frame.title, _title_column(frame, plan), frame.y) + "</g>"
    )


def _wire(index: int, wire: Wire, plan: Layout) -> str:
    kinds = {edge.kind for edge in wire.edges}
    # A stub stands for no edge: what follows is not known.
    evidence = {edge.evidence for edge in wire.edges} or {"inferred"}
    words = ["wire", *(["dashed"] if kinds - {"fixed"} else [])]
    words += evidence if len(evidence) == 1 and evidence != {"declared"} else []
    tips = [f"{e.source} → {e.target}" + (f": {e.label}" if e.label else "") for e in wire.edges]
    ends = f'data-from="{_attribute(wire.source)}" data-to="{_attribute(wire.target)}"'
    parts = [f'<g class="{" ".join(words)}" {ends}>']
    parts.append(f"<title>{_text(chr(10).join(tips))}</title>")
    if wire.source != wire.target:
        path = rounded(route(wire, plan))
        parts.append(f'<path class="line" id="hs-wire-{index}" d="{path}" marker-end="url(#hs-arrow)"/>')
        if wire.label_at is not None and wire.label:
            parts.append(_label(wire.label, *wire.label_at, ground=True))
        elif wire.badge and wire.cells:
            x, y = wire.cells[len(wire.cells) // 2]
            parts.append(_label(wire.badge, x, y, ground=True))
    return "".join(parts) + "</g>"


def _bridges(plan: Layout) -> Iterator[str]:
    """Where a line passes over another: a gap in the lower one, so that no crossing looks like a joint."""
    through: dict[Cell, set[int]] = {}
    for index, wire in enumerate(plan.wires):
        for cell in wire.cells:
            through.setdefault(cell, set()).add(index)
    for cell, wires in sorted(through.items()):
        arms, upper = plan.arms.get(cell, (0, ()))
        if wires.issubset(upper) or arms not in (_UP | _DOWN, _LEFT | _RIGHT):
            continue
        x, y = _centre(cell)
        half_x, half_y = (0.0, CELL[1] / 2) if arms == _UP | _DOWN else (CELL[0] / 2, 0.0)
        ends = (x - half_x, y - half_y), (x + half_x, y + half_y)
        path = f"M{_point(ends[0])}L{_point(ends[1])}"
        yield f'<g class="wire"><path class="halo" d="{path}"/><path d="{path}"/></g>'


def _node(box: Box, plan: Layout, graph: Graph) -> str:
    place = plan.places[box.id]
    kind = "hook" if box.kind in HOOK_KINDS else box.kind
    words = ["node", kind, *(["hidden"] if box.hidden else []), *(["unknown"] if box.unknown else [])]
    x, y, width, height = _rectangle(place.x, place.y, place.width, place.height)
    radius = {"start": height / 2, "end": height / 2, "hook": 8}.get(kind, 3)
    parts = [
        f'<g class="{" ".join(words)}" data-id="{_attribute(box.id)}">',
        f"<title>{_tip(box, graph)}</title>",
    ]
    parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{_number(radius)}"/>')
    if kind == "subgraph":
        parts.append(f'<rect x="{x + 4}" y="{y + 4}" width="{width - 8}" height="{height - 8}" rx="2"/>')
    label = clip(box.label, plan.max_label)
    whole = cell_width(label) + cell_width(box.suffix)
    # The room for marks that the screen keeps free is not needed here: the label stands in the middle.
    start = place.x + (place.width - whole) / 2
    parts.append(_label(label, start, place.text_y))
    if box.suffix:
        parts.append(_label(box.suffix, start + cell_width(label), place.text_y, word="anchor"))
    parts += [_label(line, place.text_x, place.text_y + row) for row, line in enumerate(box.lines, 1)]
    return "".join(parts) + "</g>"


def _legend(plan: Layout) -> Iterator[str]:
    first = plan.height - len(plan.legend)
    for row, (badge, label) in enumerate(plan.legend):
        yield _label(f"{badge} {label}", 1, first + row, word="legend")


def route(wire: Wire, plan: Layout) -> list[tuple[float, float]]:
    """Corners of a wire in pixels, from the border of its source to the border of its target."""
    source, target = plan.places[wire.source], plan.places[wire.target]
    cells = [_centre(cell) for cell in wire.cells]
    points = [_on_border(source, wire.cells[0]), *cells, _on_border(target, wire.cells[-1])]
    corners = [points[0]]
    for before, here, after in zip(points, points[1:], points[2:], strict=False):
        straight = before[0] == here[0] == after[0] or before[1] == here[1] == after[1]
        if not straight:
            corners.append(here)
    return [*corners, points[-1]]


def _on_border(place: Place, cell: Cell) -> tuple[float, float]:
    """Where a line that passes the cell beside a node meets the node's border."""
    x, y, width, height = _rectangle(place.x, place.y, place.width, place.height)
    at_x, at_y = _centre(cell)
    if cell[1] >= place.y + place.height:
        return at_x, y + height
    if cell[1] < place.y:
        return at_x, y
    return (x, at_y) if cell[0] < place.x else (x + width, at_y)


def rounded(corners: list[tuple[float, float]]) -> str:
    """Path data through the corners, each one cut by a small curve."""
    out = [f"M{_point(corners[0])}"]
    for before, here, after in zip(corners, corners[1:], corners[2:], strict=False):
        out.append(f"L{_point(_towards(here, before))}Q{_point(here)} {_point(_towards(here, after))}")
    return "".join([*out, f"L{_point(corners[-1])}"])


def _towards(here: tuple[float, float], there: tuple[float, float]) -> tuple[float, float]:
    length = abs(there[0] - here[0]) + abs(there[1] - here[1])
    part = min(_BEND, length / 2) / (length or 1)
    return here[0] + (there[0] - here[0]) * part, here[1] + (there[1] - here[1]) * part


def _centre(cell: Cell) -> tuple[float, float]:
    return cell[0] * CELL[0] + CELL[0] / 2, cell[1] * CELL[1] + CELL[1] / 2


def _rectangle(x: int, y: int, width: int, height: int) -> tuple[int, int, int, int]:
    """The border, which runs through the middle of the outermost cells; one row high, it takes the row."""
    if height == 1:
        return x * CELL[0], y * CELL[1], width * CELL[0], CELL[1]
    left, top = x * CELL[0] + CELL[0] // 2, y * CELL[1] + CELL[1] // 2
    return left, top, (width - 1) * CELL[0], (height - 1) * CELL[1]


def _label(text: str, x: float, y: float, *, ground: bool = False, word: str = "") -> str:
    """Text that takes exactly its cells, whatever font is found."""
    cells = cell_width(text)
    if not cells:
        return ""
    at_x, at_y = x * CELL[0], y * CELL[1]
    size = f'width="{cells * CELL[0] + 6}" height="{CELL[1]}"'
    box = f'<rect x="{_number(at_x - 3)}" y="{_number(at_y)}" {size}/>' if ground else ""
    name = f' class="{word}"' if word else ""
    return (
        f'{box}<text{name} x="{_number(at_x)}" y="{_number(at_y + 12.5)}" textLength="{cells * CELL[0]}" '
        f'lengthAdjust="spacingAndGlyphs" xml:space="preserve">{_text(text)}</text>'
    )


def _tip(box: Box, graph: Graph) -> str:
    nodes: Iterable[Node | None] = (graph.node(member) for member in box.members)
    return _text("\n".join(line for node in nodes if node is not None for line in _facts(node)) or box.id)


def _facts(node: Node) -> Iterator[str]:
    yield f"{node.id} ({node.kind.replace('_', ' ')})"
    if node.jumps:
        yield f"may jump to: {', '.join(node.jumps)}"
    if node.tools:
        yield f"tools: {', '.join(node.tools)}"
    if node.rings:
        yield f"interceptors, outermost first: {', '.join(ring.name for ring in node.rings)}"
    if node.note:
        yield node.note


def _text(text: str) -> str:
    return escape(legal(text))


def _attribute(text: str) -> str:
    # A reader takes line breaks and tabs inside attributes for blanks.
    return _text(text).replace("\n", "&#10;").replace("\t", "&#9;")


def _point(point: tuple[float, float]) -> str:
    return f"{_number(point[0])} {_number(point[1])}"


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
