"""Roles to colours: the one place where a role word of a row becomes a style of the theme."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, get_args
from weakref import WeakKeyDictionary

from textual.app import App
from textual.color import Color
from textual.content import Content
from textual.style import Style
from textual.widget import Widget

from hookstepper.tui.rows.row import Role, Row

ROLES: tuple[str, ...] = tuple(role for role in get_args(Role) if role)
CLASSES = (*(f"role--{role}" for role in ROLES), "lines--cursor", "lines--more")


class RoleBook(Widget):
    """Holds the styles of all roles for all widgets of an app; takes no room on the screen.

    Textual applies each component class of each widget anew whenever a class or the focus changes. With the
    roles on every pane that took 0.4 s of processor time for each change of focus; on one widget, 0.06 s.
    Colours come from `styles/roles.tcss`.
    """

    DEFAULT_CSS = "RoleBook { display: none; }"
    COMPONENT_CLASSES: ClassVar[set[str]] = set(CLASSES)

    def __init__(self) -> None:
        super().__init__(id="role-book")
        self._made: dict[tuple[tuple[str, ...], Color], Style] = {}

    def on_mount(self) -> None:
        _BOOKS[self.app] = self

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._made.clear()

    def style(self, names: tuple[str, ...], background: Color) -> Style:
        """The style of component classes, the last one uppermost, on an opaque background."""
        key = (names, background)
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = self._make(names, background)
        return made

    def _make(self, names: tuple[str, ...], background: Color) -> Style:
        made = Style()
        for name in names:
            rules = self.get_component_styles(name)
            if rules.has_rule("background"):
                background += rules.background
                made += Style(background=background)
            if rules.has_rule("auto_color") and rules.auto_color:
                made += Style(foreground=background.get_contrast_text(rules.color.a))
            elif rules.has_rule("color"):
                made += Style(foreground=rules.color)
            if rules.has_rule("text_style"):
                made += Style.from_rich_style(rules.text_style)
        return made


_BOOKS: WeakKeyDictionary[App[Any], RoleBook] = WeakKeyDictionary()


class Painted(Widget):
    """A widget that paints rows in the colours of their roles."""

    def role_style(self, *roles: str) -> Style:
        """The style of roles, the last one uppermost, on this widget's own background."""
        names = tuple(name for name in (f"role--{role}" for role in roles if role) if name in CLASSES)
        return self.class_style(*names)

    def class_style(self, *names: str) -> Style:
        """The same for component classes of the book by their full names."""
        book = _BOOKS.get(self.app)
        if book is None or not names:
            return Style.null()
        return book.style(names, self.background_colors[1])

    def paint(self, row: Row) -> Content:
        """One row as content; its text is never read as markup."""
        return Content.assemble(*((span.text, self.role_style(span.role)) for span in row))

    def paint_all(self, rows: Iterable[Row]) -> Content:
        """Rows as content, one a line."""
        return Content("\n").join([self.paint(row) for row in rows])
