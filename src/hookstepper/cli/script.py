"""Scripts: one command a line, the same words as in the palette, plus `expect`."""

from __future__ import annotations

from hookstepper.client.conversation import Conversation
from hookstepper.model.commands import Command, Screen, parse_line
from hookstepper.model.errors import UsageError

_MOVES = frozenset(
    {
        "start", "next", "into", "out", "continue", "runTo", "superstep", "turn", "abort",
        "setJump", "setNext", "answerCall", "answer", "editState", "fork", "retry", "skip", "undo",
    }
)  # fmt: skip
"""Commands after which the run moves, so that the next line waits for the stop that follows."""


class Script:
    """Lines that are left to play. A line that moves the run hands over until the next stop."""

    line = 0
    """Number of the line that was carried out last."""

    def __init__(self, lines: tuple[str, ...]) -> None:
        self._lines = list(enumerate(lines, 1))
        for number, line in self._lines:
            if not line.startswith("expect "):
                self._parsed(number, line)

    def play(self, conversation: Conversation) -> bool:
        """Carry out lines up to one that moves the run; False if no line is left.

        Raises:
            UsageError: a line was refused, or an `expect` does not hold; names the line.
        """
        while self._lines:
            number, line = self._lines.pop(0)
            self.line = number
            if line.startswith("expect "):
                self._expect(number, line, conversation)
                continue
            command = self._parsed(number, line)
            conversation.act(command)
            if conversation.view.notice:
                raise UsageError(
                    f"script line {number}: {conversation.view.notice}", hint=conversation.view.hint
                )
            if command.TAG in _MOVES:
                return True
        return False

    def _parsed(self, number: int, line: str) -> Command:
        try:
            command = parse_line(line)
        except UsageError as error:
            raise UsageError(f"script line {number}: {error.message}", hint=error.hint) from None
        if isinstance(command, Screen) and not command.id.startswith(("time.", "break.", "watch.", "mock.")):
            raise UsageError(f"script line {number}: {command.id} needs a screen")
        return command

    def _expect(self, number: int, line: str, conversation: Conversation) -> None:
        view = conversation.view
        labels = {node.id: node.label for node in view.graph.nodes} if view.graph is not None else {}
        match line.split():
            case ["expect", "node", name]:
                here = [word for node in view.next_nodes for word in (node, labels.get(node, node))]
                if name not in here:
                    found = ", ".join(labels.get(node, node) for node in view.next_nodes) or view.phase
                    raise UsageError(f"script line {number}: expected {name} to be next, found {found}")
            case ["expect", "phase", phase]:
                if view.phase != phase:
                    raise UsageError(f"script line {number}: expected {phase}, found {view.phase}")
            case _:
                raise UsageError(f"script line {number}: expect node NODE, or expect phase PHASE")
