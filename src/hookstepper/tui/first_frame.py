"""The first frame: what stands on the screen from the first moment on, drawn with Textual alone.

The panes, the record and the conversation take longer to import than Textual takes to start. So they are
imported after this frame. It shows the frames of the panes and what is being loaded, each cell where the main
screen has it too: nothing moves when that takes its place.
"""

from __future__ import annotations

from textual.app import ComposeResult
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

from hookstepper.tui.edge import EDGE_CELLS, edge
from hookstepper.tui.rows.row import cut_text, pad_text
from hookstepper.tui.sizes import has_tall_timeline, size_class
from hookstepper.tui.words import tr

# The measures of `styles/main.tcss`, which cannot be read before Textual is busy for another tenth of a
# second; a test holds this frame to the main screen.
_GRAPH_PERCENT = 55
_INSPECTOR_WIDE = 108
_TIMELINE, _TIMELINE_TALL = 9, 10
_SOURCE_WIDE = 16
_HEAVY = ("┏", "━", "┓", "┃", "┗", "┛")
_ROUND = ("╭", "─", "╮", "│", "╰", "╯")


class FirstFrame(Widget):
    """Draws the frame of every pane with its title, and the status line; has no parts."""

    DEFAULT_CSS = "FirstFrame { width: 1fr; height: 1fr; }"

    def __init__(self, target: str, *, welcome: bool) -> None:
        """
        Args:
            target: what is loaded, as the user wrote it.
            welcome: the card stands where the inspector will be.
        """
        super().__init__(id="first-frame")
        self.target = "".join(char for char in target.rsplit("/", 1)[-1] if char.isprintable())
        self.welcome = welcome

    def render(self) -> Content:
        width, height = self.size
        kind = size_class(width, height)
        if kind == "tiny":
            return Content("")
        panes = self._small(width, height) if kind == "small" else self._large(width, height)
        said = pad_text(" … " + tr("LOADING {target}", target=self.target), width)
        return Content("\n").join([*panes, Content.styled(said, "bold $warning on $surface"), Content("")])

    def _large(self, width: int, height: int) -> list[Content]:
        wide = size_class(width, height) == "wide"
        left = width - _INSPECTOR_WIDE if wide else width * _GRAPH_PERCENT // 100
        below = _TIMELINE_TALL if has_tall_timeline(height) else _TIMELINE
        name = Content.assemble(
            " ", ("hookstepper", "bold $primary"), ("  " + cut_text(self.target, 40), "bold")
        )
        under = _box(tr("Source"), left, _SOURCE_WIDE) if wide else []
        graph = [*_box(tr("Graph"), left, height - 3 - below - len(under), inside=self._loading()), *under]
        beside = _box(self._beside(), width - left, height - 3 - below)
        upper = [a + b for a, b in zip(graph, beside, strict=True)]
        return [
            name,
            *upper,
            *_box(tr("Timeline"), width, below, right=tr(", . look back   < > marks   G live")),
        ]

    def _small(self, width: int, height: int) -> list[Content]:
        if self.welcome:
            return [Content(""), *_box(tr("Welcome"), width, height - 4), Content("")]
        return [Content(""), *_box(tr("Graph"), width, height - 4, inside=self._loading()), Content("")]

    def _beside(self) -> str:
        return tr("Welcome") if self.welcome else tr("Inspector")

    def _loading(self) -> str:
        return tr("loading {target}", target=self.target)


def _box(left: str, width: int, height: int, *, right: str = "", inside: str | None = None) -> list[Content]:
    """A frame with words on its edge; heavy with a remark in it if `inside` is given: the pane in focus."""
    corner, line, end, side, last, last_end = _ROUND if inside is None else _HEAVY
    border = "$border-blurred" if inside is None else "$border"
    words = edge(left, right, width - EDGE_CELLS, focused=inside is not None)
    fill = line * (width - EDGE_CELLS - words.cell_length + 1)
    blank = Content.styled(f"{side}{' ' * (width - 2)}{side}", border)
    top = Content.assemble(f"{corner}{line} ", words, f" {fill}{end}").stylize_before(border)
    lines = [top, *[blank] * (height - 2)]
    if inside is not None and height > 3:
        remark = pad_text(f" {inside}", width - 2)
        lines[2] = Content.assemble((side, border), (remark, "$text-muted"), (side, border))
    return [*lines, Content.styled(f"{last}{line * (width - 2)}{last_end}", border)]


class FirstScreen(Screen[None], inherit_bindings=False):
    """The screen of the first frame."""

    def __init__(self, target: str, *, welcome: bool) -> None:
        super().__init__(id="first")
        self._frame = FirstFrame(target, welcome=welcome)

    def compose(self) -> ComposeResult:
        yield self._frame
