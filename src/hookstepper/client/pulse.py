"""Whether the agent process still answers, asked once a second while it should."""

from __future__ import annotations

from collections.abc import Callable

BUSY_AFTER = 2.0
"""Seconds without an answer after which the agent process counts as busy."""
EVERY = 1.0
"""Seconds from one answer to the next question."""


class Pulse:
    """Owned by one conversation, and used on its thread."""

    def __init__(self) -> None:
        self._asked: tuple[int, float] | None = None
        """Number of the open request, and when it was sent."""
        self._next = 0.0
        self.busy_since: float | None = None
        """Seconds on the caller's clock since which nothing was answered; None if all is well."""

    def rest(self) -> None:
        """Nothing has to answer now."""
        self._asked = None
        self.busy_since = None

    def beat(self, now: float, ask: Callable[[], int | None]) -> None:
        """Ask again if it is time, and see whether an answer is overdue.

        Args:
            ask: sends a question; its number, or None if nobody is there.
        """
        if self._asked is None:
            if now >= self._next:
                seq = ask()
                self._asked = (seq, now) if seq is not None else None
        elif now - self._asked[1] >= BUSY_AFTER and self.busy_since is None:
            self.busy_since = self._asked[1]

    def answered(self, seq: int, now: float) -> None:
        """An answer came, perhaps to this question."""
        if self._asked is not None and seq == self._asked[0]:
            self._asked = None
            self._next = now + EVERY
            self.busy_since = None
