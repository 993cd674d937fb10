"""The source under the picture, where a terminal has room for both."""

from __future__ import annotations

from hookstepper.client.view import View
from hookstepper.model.ids import NodeId
from hookstepper.tui.frame import Frame
from hookstepper.tui.views.source import SourceView
from hookstepper.tui.words import tr


class SourceBelow(SourceView, can_focus=False):
    """The Source tab once more: it follows the node in view by itself, so the keys never need to go there."""

    def titles(self) -> tuple[str, str]:
        return tr("Source"), ""


class SourceFrame(Frame):
    """Its frame; in no layout but the wide one is it shown or drawn."""

    def __init__(self) -> None:
        self.source = SourceBelow(id="source-below")
        super().__init__(self.source, id="source-frame")

    def show(self, view: View) -> None:
        """Draw `view`."""
        self.source.show(view)

    def point(self, node: NodeId | None) -> None:
        """Show the source of a node that was picked."""
        self.source.point(node)
