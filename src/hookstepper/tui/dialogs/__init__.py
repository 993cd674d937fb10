"""Dialogs by the command that opens them. A dialog is one new file and one row here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hookstepper.client.lists import number_of
from hookstepper.client.view import View
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.ids import NodeId
from hookstepper.model.jumps import JumpChoice
from hookstepper.tui.here import Here
from hookstepper.tui.rows.call import held_call
from hookstepper.tui.views import BUILT_IN
from hookstepper.tui.words import tr

if TYPE_CHECKING:
    from hookstepper.tui.dialogs.dialog import Dialog


@dataclass(frozen=True, slots=True)
class Occasion:
    """What a dialog is made from."""

    view: View
    args: tuple[str, ...]
    legal_jumps: Callable[[], tuple[JumpChoice, ...]]
    here: Here
    """What the person points at."""

    @property
    def node(self) -> NodeId | None:
        """The node under the cursor."""
        return self.here.node


def dialog_for(command_id: str, occasion: Occasion) -> Dialog | None:
    """The dialog that a command opens, None if it opens none; imported here, so that the start is quick.

    Raises:
        NotPossibleError: there is nothing to ask about now.
    """
    make = _DIALOGS.get(command_id)
    return make(occasion) if make is not None else None


def _jump(occasion: Occasion) -> Dialog:
    from hookstepper.tui.dialogs.jump import JumpDialog

    view = occasion.view
    if view.stop is None or view.graph is None or view.phase not in ("ready", "stopped", "waiting", "failed"):
        why = tr("nothing is held, so there is nothing to jump from")
        raise NotPossibleError(why, hint=tr("p stops a run"))
    return JumpDialog(view, occasion.legal_jumps())


def _answer(occasion: Occasion) -> Dialog:
    view = occasion.view
    if view.phase == "failed":
        from hookstepper.tui.dialogs.failure import FailureDialog

        return FailureDialog(view)
    held = held_call(view)
    if held is not None:
        from hookstepper.tui.dialogs.call import CallDialog

        return CallDialog(view, held)
    if view.stop is None or not view.stop.asks:
        raise NotPossibleError(tr("no question is open"))
    from hookstepper.tui.dialogs.answer import AnswerDialog

    return AnswerDialog(view)


def _input(occasion: Occasion) -> Dialog:
    from hookstepper.tui.dialogs.next_message import NextMessage

    view = occasion.view
    if view.graph is None or view.phase in ("loading", "not_loaded", "gone"):
        raise NotPossibleError(tr("the target is not loaded"), hint=tr("R loads it again"))
    if view.phase in ("running", "pausing"):
        raise NotPossibleError(tr("a run is under way"), hint=tr("p stops a run"))
    if view.stop is not None and view.stop.asks:
        from hookstepper.tui.dialogs.open_question import OpenQuestion

        return OpenQuestion(view)
    return NextMessage(view)


def _edit(occasion: Occasion) -> Dialog:
    from hookstepper.tui.dialogs.edit import EditDialog

    if occasion.view.stop is None:
        raise NotPossibleError(tr("the state can be edited while a run is held"), hint=tr("p stops a run"))
    return EditDialog(occasion.view, occasion.args[0] if occasion.args else "")


def _breakpoint(occasion: Occasion) -> Dialog:
    from hookstepper.tui.dialogs.breakpoint import BreakpointForm

    view, here = occasion.view, occasion.here
    word = occasion.args[0] if occasion.args else ""
    if word.startswith(("g", "-")) or (not word and here.item is not None and here.item.number < 0):
        raise NotPossibleError(
            tr("this stop was compiled into the graph"), hint=tr("b mutes it, or lets it hold again")
        )
    number = number_of(word) if word else None
    if number is None and here.item is not None and here.item.list == "break":
        number = here.item.number
    if number is not None:
        old = next((b for b in view.breakpoints if b.id == number), None)
        if old is None:
            raise NotPossibleError(tr("there is no breakpoint {n}", n=number), hint=tr("8 lists them"))
        return BreakpointForm(view, old)
    place = here.node or next(iter(view.next_nodes), None)
    on_node = next((b for b in view.breakpoints if b.on == "node" and b.node == place), None)
    if on_node is not None:
        return BreakpointForm(view, on_node)
    node = view.graph.node(place) if view.graph is not None and place is not None else None
    runs = node is not None and node.kind not in ("start", "end")
    return BreakpointForm(view, None, node.label if node is not None and runs else "")


def _mock(occasion: Occasion) -> Dialog:
    from hookstepper.tui.dialogs.mock import MockForm

    kind, name = (*occasion.args, "", "")[:2]
    if not kind:
        held = held_call(occasion.view)
        if held is not None and held.site is not None:
            kind, name = held.site.kind, held.site.name
    return MockForm(occasion.view, "model" if kind == "model" else "tool", name)


def _explain(occasion: Occasion) -> Dialog:
    from hookstepper.tui.dialogs.explain import ExplainDialog

    return ExplainDialog(occasion.view, occasion.node)


def _help(_: Occasion) -> Dialog:
    from hookstepper.tui.dialogs.help_keys import HelpKeys

    return HelpKeys()


def _more(_: Occasion) -> Dialog:
    from hookstepper.tui.dialogs.more import MoreTabs

    if all(entry.key for entry in BUILT_IN.values()):
        raise NotPossibleError(tr("there are no more tabs"))
    return MoreTabs()


_DIALOGS: dict[str, Callable[[Occasion], Dialog]] = {
    "jump.open": _jump,
    "answer.open": _answer,
    "input.open": _input,
    "state.edit": _edit,
    "break.edit": _breakpoint,
    "mock.open": _mock,
    "explain.open": _explain,
    "help.keys": _help,
    "tab.more": _more,
}
