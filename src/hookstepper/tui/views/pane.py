"""What every pane can do; the app knows panes by this alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hookstepper.model.ids import NodeId
from hookstepper.model.record import Path
from hookstepper.tui.roles import Painted

if TYPE_CHECKING:
    from hookstepper.client.view import View


@dataclass(frozen=True, slots=True)
class Item:
    """One thing of a list that the person made."""

    list: Literal["break", "watch", "mock"]
    number: int
    """Its number in the list's commands."""


class Pane(Painted):
    """One pane of the screen. It draws the view that it was shown last and holds no facts of its own.

    Called on the screen's thread only. Keys that belong to the pane in focus arrive through `do`.
    """

    view: View | None = None
    """What was shown last; None before the first `show`."""

    def show(self, view: View) -> None:
        """Draw `view`. Called after each change, also while the pane is hidden; cheap if nothing changed."""
        self.view = view

    def point(self, node: NodeId | None) -> None:
        """The node that the person picked on the picture; views that tell of one node follow it."""

    def do(self, command_id: str, *args: str) -> bool:  # noqa: ARG002
        """Carry out a command that means the thing under this pane's cursor; False if it has no use for it.

        Ids: `cursor.move` with up, down, left, right, page-up, page-down, first or last; `cursor.prev`,
        `cursor.next`, `cursor.open`, `view.toggle`, `view.pan` with a direction, `view.zoom-in`,
        `view.zoom-out`, `view.fit`.
        """
        return False

    def titles(self) -> tuple[str, str]:
        """Plain text for the left and the right end of the frame's upper edge; either may be empty."""
        return "", ""

    @property
    def cursor_node(self) -> NodeId | None:
        """The node under the cursor, None if the cursor is on no node."""
        return None

    @property
    def cursor_step(self) -> int | None:
        """The step under the cursor, None if the cursor is on no step."""
        return None

    @property
    def cursor_path(self) -> Path | None:
        """The path of the state value under the cursor, None if the cursor is on no value."""
        return None

    @property
    def cursor_origin(self) -> int | None:
        """The step from which the thing under the cursor comes, None if its path tells, or nothing does."""
        return None

    @property
    def cursor_item(self) -> Item | None:
        """The person's own breakpoint, watch or mock under the cursor, None if there is none."""
        return None

    def copy_text(self) -> str:
        """What `y` copies: the whole value under the cursor as text, empty for nothing."""
        return ""
