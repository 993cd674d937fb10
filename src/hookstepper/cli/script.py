"""Scripts: one command a line, the same words as in the palette, plus `expect`."""

from __future__ import annotations

from collections.abc import Collection

from hookstepper.cli.lines import Lines
from hookstepper.client.expecting import Expectation, expectation, is_expectation, unmet
from hookstepper.client.queries import QUERIES, answered
from hookstepper.client.settling import Settling, Steered
from hookstepper.model.commands import Command, Screen, parse_line
from hookstepper.model.errors import HookstepperError, UsageError

_LOOKING = ("time.", "break.", "watch.", "mock.")
_ALSO = frozenset({"run.restart", "run.watch"})


class UnmetError(HookstepperError):
    """An `expect` does not hold: the run is not as it should be, and the usage is all right."""


def checked(command: Command, also: Collection[str] = ()) -> Command:
    """The command, if it can be carried out without a screen.

    Raises:
        UsageError: it needs one.
    """
    if not isinstance(command, Screen) or command.id in QUERIES or command.id in _ALSO or command.id in also:
        return command
    if command.id.startswith(_LOOKING) and command.id != "break.edit":
        return command
    raise UsageError(f"{command.id} needs a screen")


class Script:
    """Lines that are left to play. A line that moves the run hands over until it has come to rest."""

    line = 0
    """Number of the line that was carried out last."""

    def __init__(self, lines: tuple[str, ...]) -> None:
        """
        Raises:
            UsageError: a line is no command; says which.
        """
        self._lines = [
            (number, line, self._parsed(number, line)) for number, line in enumerate(lines, 1) if line
        ]

    @property
    def is_over(self) -> bool:
        """True if no line is left."""
        return not self._lines

    def play(self, conversation: Steered, lines: Lines) -> Settling | None:
        """Carry out lines up to one that has to settle; None if no line is left.

        Raises:
            UsageError: a line was refused; names it.
            UnmetError: an `expect` does not hold.
        """
        while self._lines:
            self.line, text, wish = self._lines.pop(0)
            if isinstance(wish, Expectation):
                why = unmet(wish, conversation.view)
                if why:
                    raise UnmetError(f"script line {self.line}: {why}")
            elif isinstance(wish, Screen) and wish.id in QUERIES:
                self._answer(text, wish, conversation, lines)
            else:
                settling = Settling(wish)
                conversation.act(wish)
                if conversation.view.refusal:
                    raise self._error(conversation.view.refusal, conversation.view.hint)
                if isinstance(wish, Screen) and wish.id.startswith("time."):
                    lines.looked(conversation.view)
                return settling
        return None

    def _answer(self, text: str, wish: Screen, conversation: Steered, lines: Lines) -> None:
        try:
            result = answered(conversation.view, wish)
        except HookstepperError as error:
            raise self._error(error.message, error.hint) from None
        lines.told(self.line, text, result, conversation.view)

    def _parsed(self, number: int, line: str) -> Command | Expectation:
        self.line = number
        try:
            return expectation(line) if is_expectation(line) else checked(parse_line(line))
        except UsageError as error:
            raise self._error(error.message, error.hint) from None

    def _error(self, message: str, hint: str = "") -> UsageError:
        return UsageError(f"script line {self.line}: {message}", hint=hint)
