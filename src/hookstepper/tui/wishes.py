"""Wishes: what keys, panes, the palette and the `:` line ask for, given to whom it belongs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookstepper.model import commands
from hookstepper.model.commands import Command
from hookstepper.model.errors import HookstepperError
from hookstepper.tui.dialogs import Occasion, dialog_for
from hookstepper.tui.gatekeeper import Question, question_before
from hookstepper.tui.here import Here, command_here
from hookstepper.tui.type_ahead import TypeAhead
from hookstepper.tui.words import tr

if TYPE_CHECKING:
    from hookstepper.tui.app import DebuggerApp


class Wishes:
    """Carries out commands: here, in a dialog first, or in the conversation. On the screen's thread only."""

    def __init__(self, app: DebuggerApp) -> None:
        self._app = app
        self._ahead = TypeAhead()

    def wish(self, command: Command) -> None:
        """Carry out a command; a refusal is said."""
        app = self._app
        if app.main is not None:
            app.main.status.say("")
        try:
            if isinstance(command, commands.Screen):
                here = app.main.here() if app.main is not None else Here()
                command = command_here(command.id, command.args, here, app.view)
            question = question_before(command, app.view, attached=self._is_attached)
            if question is not None:
                self._ahead.forget()
                self.ask(question)
            elif self._ahead.holds_back(command, app.view):
                return
            elif not (isinstance(command, commands.Screen) and self._carry_out(command)):
                self._act(command)
        except HookstepperError as error:
            app.say(error)

    @property
    def _is_attached(self) -> bool:
        link = getattr(self._app.conversation, "link", None)
        return link is not None and not link.can_restart

    def type_ahead(self) -> None:
        """Send the step that was typed while another was under way, if its turn has come."""
        due = self._ahead.due(self._app.view)
        if due is not None:
            self._app.conversation.act(due)

    def _act(self, command: Command) -> None:
        """Hand a command to the conversation and draw what became of it."""
        view = self._app.view
        if isinstance(command, commands.StartRun) and view.stop is not None and view.stop.asks:
            # The person chose a new turn while a question was open: its run ends first.
            self._app.conversation.act(commands.AbortRun())
        if isinstance(command, commands.SetBreakpoints):
            self._app.conversation.set_breakpoints(command.breakpoints)
        else:
            self._app.conversation.act(command)
        self._app.show_view()

    def _carry_out(self, command: commands.Screen) -> bool:
        app = self._app
        if app.main is not None and app.main.carry_out(command):
            return True
        match command.id:
            case "app.quit" | "app.quit-now":
                app.exit(0)
            case "app.break":
                self._break()
            case "app.theme":
                self._choose_theme(*command.args)
            case "copy.value":
                self._copy()
            case "export.screen":
                app.export_screen(*command.args)
            case "app.palette":
                self._palette()
            case _:
                return self.open_dialog(command.id, *command.args)
        return True

    def _break(self) -> None:
        """Ctrl-C: copy a selection, pause what runs, or ask to quit."""
        app = self._app
        selected = app.screen.get_selected_text()
        if selected:
            app.copy_to_clipboard(selected)
            app.screen.clear_selection()
        elif app.view.phase == "running" or app.view.playing:
            self.wish(commands.Pause())
        else:
            self.wish(commands.Screen("app.quit"))

    def _choose_theme(self, name: str = "") -> None:
        names = list(self._app.available_themes)
        following = names[(names.index(self._app.theme) + 1) % len(names)]
        self._app.theme = name if name in names else following

    def _copy(self) -> None:
        app = self._app
        text = app.main.workspace.pane.copy_text() if app.main is not None else ""
        if text:
            app.copy_to_clipboard(text)
            app.notify(tr("copied, {n} characters", n=len(text)), markup=False, timeout=2)

    def _palette(self) -> None:
        from textual.command import CommandPalette

        from hookstepper.tui.palette import Commands

        self._app.push_screen(CommandPalette([Commands], placeholder=tr("a command, a node, a theme")))

    # ------------------------------------------------------------------ dialogs

    def open_dialog(self, command_id: str, *args: str) -> bool:
        """Open the dialog that a command means; False if it means none."""
        app = self._app
        here = app.main.here() if app.main is not None else Here()
        dialog = dialog_for(command_id, Occasion(app.view, args, app.conversation.legal_jumps, here))
        if dialog is None:
            return False
        app.push_screen(dialog, self._answered)
        return True

    def ask(self, question: Question) -> None:
        """Put a question before a command; its answer is the command that is carried out, if any."""
        if isinstance(question.command, commands.Fork):
            from hookstepper.tui.dialogs.fork import ForkDialog

            dialog = ForkDialog(self._app.view, question.command, question.yes)
            self._app.push_screen(dialog, self._answered)
            return
        if question.dialog:
            self.open_dialog(question.dialog)
            return
        from hookstepper.tui.dialogs.confirm import Confirm

        self._app.push_screen(Confirm(question), self._answered)

    def _answered(self, command: Command | None) -> None:
        if command is None:
            return
        try:
            if isinstance(command, commands.Screen) and command.id == "run.kill":
                self._app.conversation.kill()
            elif not (isinstance(command, commands.Screen) and self._carry_out(command)):
                self._act(command)
        except HookstepperError as error:
            self._app.say(error)
