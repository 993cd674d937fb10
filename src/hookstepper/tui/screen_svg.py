"""The screen as SVG with every character in its cells, Chinese too.

Rich counts characters, not cells, for the length of a text (Textualize/rich#2742), which squeezes wide ones
and lets borders drift. Here a text ends after each run of wide or of narrow characters, and its length is
counted in cells.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterator
from itertools import groupby

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment

CELL = 12.2
"""Units of one cell in Rich's SVG."""

_TEXT = re.compile(r'textLength="[\d.]+"([^>]*)>([^<]*)</text>')


class _InRuns:
    """What is rendered, with a segment for each run of characters of one width."""

    def __init__(self, rendered: RenderableType) -> None:
        self._rendered = rendered

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self._rendered, options):
            if segment.control or segment.text.isascii():
                yield segment
            else:
                yield from _runs(segment)


def _runs(segment: Segment) -> Iterator[Segment]:
    for _, run in groupby(segment.text, key=lambda char: cell_len(char) == 2):
        yield Segment("".join(run), segment.style)


def screen_svg(rendered: RenderableType, width: int, height: int, title: str) -> str:
    """An SVG document of what is rendered, `width` by `height` cells.

    Args:
        rendered: a whole screen, as Textual's compositor gives it.
    """
    console = Console(
        width=width,
        height=height,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        record=True,
        legacy_windows=False,
        safe_box=False,
    )
    console.print(_InRuns(rendered))
    return _TEXT.sub(_in_cells, console.export_svg(title=title))


def _in_cells(found: re.Match[str]) -> str:
    rest, text = found.groups()
    cells = cell_len(html.unescape(text))
    return f'textLength="{round(CELL * cells, 2):g}"{rest}>{text}</text>'
