"""Roles to colours: the one place where a role word of a row becomes a style of the theme."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, get_args

from textual.content import Content
from textual.style import Style
from textual.widget import Widget

from hookstepper.tui.rows.row import Role, Row

ROLES: tuple[str, ...] = tuple(role for role in get_args(Role) if role)


class Painted(Widget):
    """A widget that paints rows. Colours come from `styles/roles.tcss`, under `role--NAME`."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"role--{role}" for role in ROLES}

    def role_style(self, role: str) -> Style:
        """The style of a role on this widget's own background."""
        if not role or f"role--{role}" not in self._component_styles:
            return Style.null()
        # Not a partial style: that loses its background, and finds contrast against black (Textual 8.2).
        return self.get_visual_style(f"role--{role}")

    def paint(self, row: Row) -> Content:
        """One row as content; its text is never read as markup."""
        return Content.assemble(*((span.text, self.role_style(span.role)) for span in row))

    def paint_all(self, rows: Iterable[Row]) -> Content:
        """Rows as content, one a line."""
        return Content("\n").join([self.paint(row) for row in rows])
