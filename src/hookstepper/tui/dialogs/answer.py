"""Answer: approve, edit, reject or respond, call by call; or the answer to a plain question."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Input

from hookstepper.client.view import View
from hookstepper.model.gates import Decision
from hookstepper.model.ids import Json
from hookstepper.tui.dialogs.dialog import INNER, Button, Buttons, Dialog, Lines
from hookstepper.tui.rows.answer import (
    DECISIONS,
    Item,
    answer_of,
    argument_rows,
    choice_rows,
    head_words,
    items_of,
    missing,
    outcome_rows,
    top_rows,
)
from hookstepper.tui.rows.lines import shown
from hookstepper.tui.rows.row import Row, pad_text, row
from hookstepper.tui.rows.typed import kind_word, read_answer, read_typed, typed
from hookstepper.tui.words import tr
from hookstepper.values import preview

LABEL = 20
"""Cells of the name beside a field."""


class AnswerDialog(Dialog):
    """Nothing is sent before every call that needs it is decided; Esc leaves the question open."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left_square_bracket", "go(-1)", show=False),
        Binding("right_square_bracket", "go(1)", show=False),
    ]

    def __init__(self, view: View) -> None:
        super().__init__()
        self.view = view
        self.items = items_of(view.stop.asks if view.stop is not None else ())
        self.at = next((n for n, item in enumerate(self.items) if item.must), 0)
        self.drafts: dict[tuple[str, str], Json] = {}
        self.problem = ""
        self.some = view.loaded is not None and "answer_some" in view.loaded.capabilities
        """True if some questions can be answered while the others stay open."""
        self.typing: Decision | None = None
        """The decision whose text is being typed."""

    @property
    def item(self) -> Item:
        """The call or question in view."""
        return self.items[self.at]

    # ------------------------------------------------------------------ drawing

    def head(self) -> tuple[str, str]:
        return head_words(self.items, self.at)

    def body(self) -> Iterable[Widget]:
        yield Lines(id="top")
        yield Vertical(id="fields")
        yield Lines(id="below")
        yield Buttons(self._buttons())

    async def on_mount(self) -> None:
        if self.item.call is None:
            await self._ask_plain()
        self.redraw()

    def redraw(self) -> None:
        """Draw everything that depends on the decisions."""
        self.query_one("#top", Lines).put(self._top())
        self.query_one("#below", Lines).put(self._below())
        self.query_one(Buttons).put(self._buttons())
        self.retitle()

    def _top(self) -> list[Row]:
        rows = [*top_rows(self.view, self.items, self.at, self.drafts, INNER), ()]
        if self.typing == "edit":
            # A field stands in the place of each argument.
            return [*rows, row((pad_text(tr("argument"), LABEL + 2) + tr("you send"), "muted"))]
        return rows + argument_rows(self.item, self.drafts, INNER)

    def _below(self) -> list[Row]:
        """What stands under the fields, always in as many rows, so that deciding moves nothing."""
        rows = self._choice()
        rows += [()] * (self._choice_room() - len(rows))
        rows += [(), *outcome_rows(self.view, self.items, self.drafts, INNER)]
        if self.ready() and len(self.sendable()) < len(self.items):
            rows.append(row((tr("The other questions stay open."), "muted")))
        rows += [()] * (self._choice_room() + 1 + self._outcome_room() - len(rows))
        return [*rows, ()]

    def _choice(self) -> list[Row]:
        """What can be decided, or how what is typed ends."""
        if self.typing is not None:
            said = tr("Enter takes it, Esc leaves it as it was, tab to the next")
            typed_row = self._problem_row() if self.problem else row((said, "muted"))
            return [(), typed_row] if self.typing == "edit" else [typed_row]
        if self.item.call is None:
            return [self._problem_row() if self.problem else self._plain_row()]
        return [(), *choice_rows(self.item, self.drafts)]

    def _choice_room(self) -> int:
        """Rows that the choices take; a reason that is typed takes one of them for its field."""
        if self.item.call is None:
            return 1
        room = 1 + max(2, len(choice_rows(self.item, self.drafts)))
        return room - 1 if self.typing in ("reject", "respond") else room

    def _outcome_room(self) -> int:
        """Rows that the outcome takes at most: as if everything were decided, or nothing."""
        decided: dict[tuple[str, str], Json] = {item.key: {"type": "approve"} for item in self.items}
        nothing: dict[tuple[str, str], Json] = {}
        longest = max(
            len(outcome_rows(self.view, self.items, drafts, INNER)) for drafts in (decided, nothing)
        )
        return longest + (1 if self.some and len(self.items) > 1 else 0)

    def _problem_row(self) -> Row:
        return row(("✗ " + pad_text(shown(self.problem), INNER - 2).rstrip(), "failed"))

    def _plain_row(self) -> Row:
        if self.item.key not in self.drafts:
            return ()
        value = self.drafts[self.item.key]
        return row((tr("sends {kind}: {value}", kind=kind_word(value), value=preview(value, 50)), "muted"))

    def sendable(self) -> tuple[Item, ...]:
        """What Enter would send: everything, or the questions that are decided if they can go singly."""
        if not self.some:
            return self.items
        late = {item.ask.id for item in missing(self.items, self.drafts)}
        return tuple(item for item in self.items if item.ask.id not in late)

    def ready(self) -> bool:
        """True if Enter would send something."""
        found = self.sendable()
        return bool(found) and not missing(found, self.drafts)

    def _buttons(self) -> list[Button]:
        ready = self.ready() and not self.problem
        return [
            Button("send", tr("Send"), "Enter", ready),
            Button("leave", tr("Later"), tr("Esc: the run goes on waiting")),
        ]

    # ------------------------------------------------------------------ deciding

    def action_move(self, step: int) -> None:
        self._go(step)

    async def action_go(self, step: int) -> None:
        """To the next call or question."""
        self._go(step)

    def _go(self, step: int) -> None:
        if self.typing is None:
            self.at = (self.at + step) % len(self.items)
            self.problem = ""
            if self.item.call is None:
                self.run_worker(self._ask_plain(), exclusive=True)
            self.redraw()

    async def action_choose(self, number: int) -> None:  # type: ignore[override]
        item = self.item
        if self.typing is not None or item.call is None or not item.must or number > len(DECISIONS):
            return
        decision = DECISIONS[number - 1]
        if decision not in item.allowed:
            return
        if decision == "approve":
            self.drafts[item.key] = {"type": "approve"}
            self.redraw()
            return
        self.typing = decision
        await self._fields(self._wanted(item, decision))
        self.redraw()

    def _wanted(self, item: Item, decision: Decision) -> list[tuple[str, str]]:
        """The names and first texts of the fields for a decision."""
        draft = self.drafts.get(item.key)
        old = draft if isinstance(draft, dict) and draft.get("type") == decision else {}
        match decision:
            case "reject":
                return [(tr("reason"), str(old.get("reason", "")))]
            case "respond":
                return [(tr("the result"), str(old.get("text", "")))]
            case _:
                args = old.get("args", item.call.arguments if item.call is not None else {})
                if not isinstance(args, dict):
                    return [("", typed(args))]
                return [(name, typed(value)) for name, value in args.items()]

    async def _ask_plain(self) -> None:
        old = self.drafts.get(self.item.key)
        text = old if isinstance(old, str) else "" if old is None else typed(old)
        await self._fields([(tr("your answer"), text)])

    async def _fields(self, wanted: list[tuple[str, str]]) -> None:
        box = self.query_one("#fields", Vertical)
        await box.remove_children()
        for name, text in wanted:
            label = Lines([row((pad_text(shown(name) or tr("arguments"), LABEL), "name"))])
            field = Input(text, select_on_focus=False, name=name)
            await box.mount(Horizontal(label, field, classes="field"))
        first = next(iter(box.query(Input)), None)
        if first is not None:
            self.set_focus(first)
            first.cursor_position = len(first.value)

    async def _close_fields(self) -> None:
        self.typing = None
        self.problem = ""
        await self.query_one("#fields", Vertical).remove_children()
        self.set_focus(None)
        self.redraw()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.typing is None and self.item.call is None:
            value, self.problem = read_answer(event.value, self.item.ask.schema)
            if event.value == "" or self.problem:
                self.drafts.pop(self.item.key, None)
                self.problem = self.problem if event.value else ""
            else:
                self.drafts[self.item.key] = value
        elif self.typing == "edit":
            _, self.problem = self._typed_arguments()
        self.redraw()

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self.typing is None:
            self.action_send()
            return
        texts = [field.value for field in self.query("#fields Input").results(Input)]
        match self.typing:
            case "reject":
                self.drafts[self.item.key] = {"type": "reject", "reason": texts[0]}
            case "respond":
                self.drafts[self.item.key] = {"type": "respond", "text": texts[0]}
            case _:
                args, self.problem = self._typed_arguments()
                if self.problem:
                    self.redraw()
                    return
                self.drafts[self.item.key] = {"type": "edit", "args": args}
        await self._close_fields()

    def _typed_arguments(self) -> tuple[Json, str]:
        """The arguments as typed, and the first thing that is wrong with them."""
        call = self.item.call
        if call is None:
            return None, ""
        fields = list(self.query("#fields Input").results(Input))
        if not isinstance(call.arguments, dict):
            value, problem = read_typed(fields[0].value) if fields else (call.arguments, "")
            return value, problem or ("" if isinstance(value, dict) else tr("arguments are a JSON object"))
        properties = call.schema.get("properties") if isinstance(call.schema, dict) else None
        found: dict[str, Json] = {}
        for field in fields:
            name = field.name or ""
            schema = properties.get(name) if isinstance(properties, dict) else None
            found[name], problem = read_typed(field.value, old=call.arguments.get(name), schema=schema)
            if problem:
                return None, f"{name}: {problem}"
        return found, ""

    def action_send(self) -> None:
        if self.typing is None and self.ready() and not self.problem:
            self.dismiss(answer_of(self.sendable(), self.drafts))

    async def action_leave(self) -> None:  # type: ignore[override]
        if self.typing is not None:
            await self._close_fields()
        else:
            self.dismiss(None)
