"""The Output tab: what the program printed, line by line, as it came."""

from __future__ import annotations

from hookstepper.client.view import View
from hookstepper.tui.rows.lines import Line, line, shown_lines, wrap
from hookstepper.tui.rows.row import Role, row
from hookstepper.tui.words import tr

MOST = 5000
"""Lines that the tab holds; older ones are in the terminal's file or gone."""


def output_lines(view: View, width: int, *, wrapped: bool = True) -> list[Line]:
    """Printed text, the newest line last; a mark tells errors and the debugger's own words apart.

    Args:
        wrapped: break long lines; otherwise each stays on one line and is cut at the edge by the widget.
    """
    if not view.output:
        return [line(" ", (tr("The agent has printed nothing."), "muted"))]
    lines: list[Line] = []
    if view.dropped:
        lines.append(line(" ", (tr("… {n} earlier pieces were left out", n=f"{view.dropped:,}"), "warning")))
    for stream, text in _whole_lines(view):
        mark, role = _MARKS[stream]
        for found in shown_lines(text):
            for each in wrap(found, width - 3) if wrapped else [found]:
                lines.append(Line(row((mark, role), " ", (each, role)), f"o:{len(lines)}"))
    return lines[-MOST:]


_MARKS: dict[str, tuple[str, Role]] = {
    "stdout": (" ", ""),
    "stderr": ("!", "warning"),
    "debugger": ("»", "muted"),
}


def _whole_lines(view: View) -> list[tuple[str, str]]:
    """Pieces of one stream put together, so that a line printed in pieces is one line."""
    joined: list[tuple[str, list[str]]] = []
    for piece in view.output:
        if joined and joined[-1][0] == piece.stream:
            joined[-1][1].append(piece.text)
        else:
            joined.append((piece.stream, [piece.text]))
    return [(stream, "".join(parts).removesuffix("\n")) for stream, parts in joined]
