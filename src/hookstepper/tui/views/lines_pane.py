"""A pane that is a list of lines with a cursor: the body of every view of the inspector."""

from __future__ import annotations

from typing import ClassVar, Literal

from rich.segment import Segment
from rich.style import Style as RichStyle
from textual import events
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from hookstepper.client.view import View
from hookstepper.model.ids import NodeId
from hookstepper.model.record import Path
from hookstepper.tui.messages import screen_wish
from hookstepper.tui.rows.lines import BLANK, Line, fitted
from hookstepper.tui.rows.row import plain
from hookstepper.tui.views.pane import Item, Pane

_LISTS: dict[str, Literal["break", "watch", "mock"]] = {"b": "break", "w": "watch", "m": "mock"}
"""First parts of the ids of lines that stand for a thing of a list; the number follows."""
CURSOR = "›"
"""Stands in the first cell of the line under the cursor, which rows leave blank."""


class LinesPane(Pane, ScrollView, can_focus=True):
    """Draws the lines that `build` makes; keeps the cursor on the same thing from one drawing to the next.

    Lines are made when they are first needed after a change, so a hidden pane costs nothing. Pane comes
    before ScrollView among the bases: Textual takes bindings and component classes along the first base only,
    and ScrollView's own keys would give global keys a second meaning.
    """

    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.lines: list[Line] = []
        self.turned: frozenset[str] = frozenset()
        """Ids of lines that a person opened or closed, against how they stand by themselves."""
        self.whole = False
        """The other form of the view, which `x` chooses."""
        self.cursor = ""
        """Id of the line under the cursor."""
        self._drawn: tuple[object, ...] | None = None

    # ------------------------------------------------------------------------------ what a view adds

    def build(self, view: View, width: int) -> list[Line]:
        """The lines of this view, each at most `width` cells wide."""
        raise NotImplementedError

    def state_key(self) -> tuple[object, ...]:
        """What the lines depend on besides the view and the width."""
        return (self.turned, self.whole)

    def opened(self, line: Line) -> bool:  # noqa: ARG002
        """Do what Enter means on a line that neither opens nor leads to a step; False if it means nothing."""
        return False

    # ------------------------------------------------------------------------------------- drawing

    def show(self, view: View) -> None:
        super().show(view)
        self.rebuild()

    def rebuild(self) -> None:
        """Make the lines anew if anything that they depend on is different."""
        width = self.size.width
        if self.view is None or width < 1:
            return
        key = (self.view.version, id(self.view.trace), width, *self.state_key())
        if key == self._drawn:
            return
        self._drawn = key
        at_end = self.follows_end and self.scroll_offset.y >= self.max_scroll_y
        self.lines = fitted(self.build(self.view, width), width)
        self.virtual_size = Size(width, len(self.lines))
        if not self.cursor or not any(line.id == self.cursor for line in self.lines):
            self.cursor = next((line.id for line in self.lines if line.id), "")
        if at_end:
            self.scroll_end(animate=False, immediate=True)
        self.refresh()

    follows_end: ClassVar[bool] = False
    """True for views that grow at the end and stay there."""

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002
        self.rebuild()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.refresh()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        at = y + self.scroll_offset.y
        base = self.visual_style.rich_style
        if at >= len(self.lines):
            return Strip.blank(width, base)
        line = self.lines[at]
        lit = bool(line.id) and line.id == self.cursor and self.has_focus
        strip = Strip([Segment(span.text, self._style(span.role, lit=lit)) for span in line.row])
        strip = strip.adjust_cell_length(width, self._style("", lit=lit))
        if lit:
            strip = self._with_cursor(strip, line, width)
        return self._with_more(strip, y, at, width)

    def _style(self, role: str, *, lit: bool = False) -> RichStyle:
        names = ([f"role--{role}"] if role else []) + (["lines--cursor"] if lit else [])
        return (self.visual_style + self.class_style(*names)).rich_style

    def _with_cursor(self, strip: Strip, line: Line, width: int) -> Strip:
        cell = line.cursor_cell
        under = strip.crop(cell, cell + 1)
        if under.text.strip() and not cell:
            return strip
        sign = Segment(CURSOR, self._style("", lit=True))
        return Strip([*strip.crop(0, cell), sign, *strip.crop(cell + 1, width)])

    def _with_more(self, strip: Strip, y: int, at: int, width: int) -> Strip:
        """An arrow in the last cell where lines above or below are out of sight."""
        sign = ""
        if y == 0 and at > 0:
            sign = "↑"
        elif y == self.size.height - 1 and at < len(self.lines) - 1:
            sign = "↓"
        if not sign:
            return strip
        style = (self.visual_style + self.class_style("lines--more")).rich_style
        return Strip([*strip.crop(0, width - 1), Segment(sign, style)])

    # -------------------------------------------------------------------------------------- cursor

    @property
    def line(self) -> Line:
        """The line under the cursor."""
        return next((line for line in self.lines if line.id and line.id == self.cursor), BLANK)

    @property
    def cursor_node(self) -> NodeId | None:
        return self.line.node

    @property
    def cursor_step(self) -> int | None:
        return self.line.step

    @property
    def cursor_path(self) -> Path | None:
        return self.line.path

    @property
    def cursor_origin(self) -> int | None:
        return self.line.origin

    @property
    def cursor_item(self) -> Item | None:
        kind, _, number = self.line.id.partition(":")
        name = _LISTS.get(kind)
        # What the graph brought along has a number below zero.
        whole = number.removeprefix("-").isdecimal()
        return Item(name, int(number)) if name is not None and whole else None

    def copy_text(self) -> str:
        line = self.line
        return line.text or plain(line.row).strip()

    def move_to(self, place: int) -> None:
        """Put the cursor on the line at `place` and bring it into sight."""
        self.cursor = self.lines[place].id
        self.scroll_to_region(Region(0, place, 1, 1), animate=False, immediate=True)
        self.refresh()

    def do(self, command_id: str, *args: str) -> bool:
        match command_id, args:
            case "cursor.move", (("up" | "down" | "page-up" | "page-down" | "first" | "last") as way,):
                return self._move(way)
            case "cursor.move", ("right",):
                return self.line.opens is False and self.open_line(self.line)
            case "cursor.move", ("left",):
                return (self.line.opens is True and self.open_line(self.line)) or self._to_parent()
            case "cursor.next", _:
                return self._to_interest(1)
            case "cursor.prev", _:
                return self._to_interest(-1)
            case "cursor.open", _:
                return self.open_line(self.line)
            case "view.toggle", _:
                self.whole = not self.whole
                self.rebuild()
                return True
            case "view.pan", (("up" | "down") as way,):
                self.scroll_relative(y=-3 if way == "up" else 3, animate=False)
                return True
        return False

    def open_line(self, line: Line) -> bool:
        """What Enter means on a line: open or close it, or go to its step."""
        if not line.id:
            return False
        if line.opens is not None:
            self.turned = self.turned ^ {line.id}
            self.rebuild()
            return True
        if line.step is not None:
            self.post_message(screen_wish("time.goto", str(line.step)))
            return True
        return self.opened(line)

    def _places(self) -> list[int]:
        return [place for place, line in enumerate(self.lines) if line.id]

    def _here(self) -> int:
        return next(
            (place for place, line in enumerate(self.lines) if line.id and line.id == self.cursor), -1
        )

    def _move(self, way: str) -> bool:
        places = self._places()
        page = max(1, self.size.height - 1)
        here = self._here()
        top = self.scroll_offset.y
        # Without a cursor line in that direction it still scrolls: text below the last one stays in reach.
        match way:
            case "up":
                wanted = [place for place in places if place < here][-1:]
                scroll = top - 1
            case "down":
                wanted = [place for place in places if place > here][:1]
                scroll = top + 1
            case "page-up":
                wanted = [place for place in places if place <= max(here - page, 0)][-1:] or places[:1]
                scroll = top - page
            case "page-down":
                wanted = [place for place in places if place >= here + page][:1] or places[-1:]
                scroll = top + page
            case "first":
                wanted, scroll = places[:1], 0
            case _:
                wanted, scroll = places[-1:], len(self.lines)
        near = wanted and abs(wanted[0] - here) <= page
        if wanted and (near or way not in ("up", "down")):
            self.move_to(wanted[0])
        if not near or way in ("first", "last"):
            self.scroll_to(y=scroll, animate=False, immediate=True)
            self.refresh()
        return True

    def _to_parent(self) -> bool:
        """The line that holds this one: of a value in a tree, its container."""
        path = self.line.path
        if not path or len(path) < 2:
            return False
        for place in range(self._here() - 1, -1, -1):
            above = self.lines[place].path
            if above is not None and len(above) < len(path) and path[: len(above)] == above:
                self.move_to(place)
                return True
        return False

    def _to_interest(self, step: int) -> bool:
        places = [
            place for place, line in enumerate(self.lines) if line.id and line.interest
        ] or self._places()
        here = self._here()
        if step > 0:
            wanted = [place for place in places if place > here][:1] or places[:1]
        else:
            wanted = [place for place in places if place < here][-1:] or places[-1:]
        if wanted:
            self.move_to(wanted[0])
        return bool(wanted)

    # --------------------------------------------------------------------------------------- mouse

    def on_click(self, event: events.Click) -> None:
        place = int(event.y) + self.scroll_offset.y
        if not 0 <= place < len(self.lines) or not self.lines[place].id:
            return
        event.stop()
        self.cursor = self.lines[place].id
        self.refresh()
        if event.chain == 2 or (self.lines[place].opens is not None and event.x <= 6):
            self.open_line(self.lines[place])
