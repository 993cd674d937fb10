"""The Onion tab: hooks as rings, and what each saw and passed on."""

from __future__ import annotations

from hookstepper.client.view import View
from hookstepper.tui.rows.layers import RINGS, RingName, ring_in_view, turn_in_view, turns_begun
from hookstepper.tui.rows.lines import Line
from hookstepper.tui.rows.onion import onion_lines
from hookstepper.tui.views.lines_pane import LinesPane


class OnionView(LinesPane):
    """Follows the run; ← and → look at another turn, `[` and `]` at another ring, `x` at the other order.

    What was chosen by hand holds until the step in view changes.
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.ring: RingName | None = None
        self.turn: int | None = None
        self._at: int | None = None

    def show(self, view: View) -> None:
        if view.at != self._at:
            self._at = view.at
            self.turn = None
            self.ring = None
        super().show(view)

    def state_key(self) -> tuple[object, ...]:
        return (*super().state_key(), self.ring, self.turn)

    def build(self, view: View, width: int) -> list[Line]:
        return onion_lines(view, width, ring=self.ring, turn=self.turn, executed=self.whole)

    def do(self, command_id: str, *args: str) -> bool:
        if self.view is None:
            return False
        match command_id, args:
            case "cursor.move", (("left" | "right") as way,):
                self._other_turn(-1 if way == "left" else 1)
                return True
            case (("cursor.next" | "cursor.prev"), _):
                self._other_ring(1 if command_id == "cursor.next" else -1)
                return True
        return super().do(command_id, *args)

    def _other_turn(self, step: int) -> None:
        assert self.view is not None
        now = self.turn if self.turn is not None else turn_in_view(self.view)
        self.turn = max(1, min(now + step, max(turns_begun(self.view), turn_in_view(self.view))))
        self.rebuild()

    def _other_ring(self, step: int) -> None:
        assert self.view is not None
        now = self.ring or ring_in_view(self.view)
        self.ring = RINGS[(RINGS.index(now) + step) % len(RINGS)]
        self.rebuild()
