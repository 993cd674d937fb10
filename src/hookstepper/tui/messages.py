"""The one kind of message that panes send up: what the person wishes."""

from __future__ import annotations

from textual.message import Message

from hookstepper.model.commands import Command, Screen


class Wish(Message):
    """The person wishes `command`; the app carries it out or hands it to the conversation."""

    def __init__(self, command: Command) -> None:
        super().__init__()
        self.command = command


def screen_wish(command_id: str, *args: str) -> Wish:
    """A wish for a command of the screen kind, by its id in the commands table."""
    return Wish(Screen(command_id, args))
