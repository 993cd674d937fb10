"""Dialogs by the command that opens them. A dialog is one new file and one row here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hookstepper.client.view import View
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.jumps import JumpChoice
from hookstepper.tui.options import Options
from hookstepper.tui.words import tr

if TYPE_CHECKING:
    from hookstepper.tui.dialogs.dialog import Dialog


def dialog_for(
    command_id: str,
    args: Sequence[str],
    view: View,
    legal_jumps: Callable[[], tuple[JumpChoice, ...]],
    options: Options,
) -> Dialog | None:
    """The dialog that a command opens, None if it opens none; imported here, so that the start is quick.

    Raises:
        NotPossibleError: there is nothing to ask about now.
    """
    match command_id:
        case "jump.open":
            return _jump(view, legal_jumps)
    return None


def _jump(view: View, legal_jumps: Callable[[], tuple[JumpChoice, ...]]) -> Dialog:
    from hookstepper.tui.dialogs.jump import JumpDialog

    if view.stop is None or view.graph is None or view.phase not in ("ready", "stopped", "waiting", "failed"):
        raise NotPossibleError(
            tr("nothing is held, so there is nothing to jump from"), hint=tr("p stops a run")
        )
    return JumpDialog(view, legal_jumps())
